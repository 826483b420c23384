//! The stacks of calls that the page shows (`-k`). Each stack and each function is stored once, and both are limited.

use super::data::StackIndex;
use crate::brief::frames::{self, Function};
use crate::spelling::legible::legible;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use stride_event::{PerStack, SourceLine, Stack};

/// A function on a stack as the page shows it: its name, and its place.
type FrameText = (String, String);
/// An index into [`PageStacks::functions`].
type FunctionId = u32;
/// The functions of a stack, innermost first.
pub type ShownStack = Rc<[FunctionId]>;

/// The functions that are shown of one stack, at most.
const DEEPEST: usize = 100;
/// The longest name, and the longest place.
const NAME: usize = 200;
/// The functions that are kept, at most.
const MOST: usize = 1 << 16;
/// The bytes in the page, for all stacks and functions.
const ROOM: usize = 800_000;

#[derive(Default)]
pub struct PageStacks {
    cache: PerStack<Option<ShownStack>>,
    functions: Vec<Rc<FrameText>>,
    ids: HashMap<Rc<FrameText>, FunctionId>,
}

impl PageStacks {
    pub fn shown(&mut self, stack: &Arc<Stack>) -> ShownStack {
        if let Some(shown) = self.cache.get(stack, |_| None) {
            return shown.clone();
        }
        let mut texts: Vec<FrameText> = frames::of_stack(stack).take(DEEPEST).map(|it| text(&it)).collect();
        match frames::missing(stack) {
            _ if texts.len() == DEEPEST => texts.push(("…".into(), String::new())),
            Some(mark) => texts.push((legible(mark, NAME), String::new())),
            None => {}
        }
        let shown: ShownStack = texts.into_iter().map(|text| self.id(text)).collect();
        self.cache.get(stack, |_| None).insert(shown).clone()
    }

    fn id(&mut self, text: FrameText) -> FunctionId {
        if let Some(&id) = self.ids.get(&text) {
            return id;
        }
        if self.functions.len() > MOST {
            return 0;
        }
        if self.functions.is_empty() {
            // The first one stands for all that there is no room for.
            self.functions.push(Rc::new(("…".into(), String::new())));
        }
        let (id, text) = (self.functions.len() as FunctionId, Rc::new(text));
        self.functions.push(text.clone());
        self.ids.insert(text, id);
        id
    }
}

/// `save` and `prog, /src/save.c:12`.
fn text(function: &Function<'_>) -> FrameText {
    let module = function.module.map(|module| legible(module.file_name(), NAME));
    let line = |source: &SourceLine| if source.line > 0 { format!(":{}", source.line) } else { String::new() };
    let source = function.source.map(|source| legible(source.file.as_bytes(), NAME) + &line(source));
    let place: Vec<String> = module.into_iter().chain(source).collect();
    (legible(&function.name, NAME), place.join(", "))
}

/// The stacks in the page.
pub struct StacksData {
    stacks: PageStacks,
    places: HashMap<ShownStack, StackIndex>,
    /// The first one is empty.
    pub all: Vec<Vec<usize>>,
    pub functions: Vec<FrameText>,
    numbers: HashMap<FunctionId, usize>,
    room: usize,
}

impl StacksData {
    pub fn new(stacks: PageStacks) -> StacksData {
        let (places, numbers) = (HashMap::new(), HashMap::new());
        StacksData { stacks, places, all: vec![Vec::new()], functions: Vec::new(), numbers, room: ROOM }
    }

    /// The index of a stack. When there is no more room, new stacks get the empty one.
    pub fn place(&mut self, stack: Option<&ShownStack>) -> StackIndex {
        let Some(stack) = stack else { return 0 };
        if let Some(&place) = self.places.get(stack) {
            return place;
        }
        let new = stack.iter().filter(|id| !self.numbers.contains_key(id)).map(|&id| {
            let (name, place) = &*self.stacks.functions[id as usize];
            // Any of the bytes may have to be escaped.
            10 + 6 * (name.len() + place.len())
        });
        let size = 3 + 7 * stack.len() + new.sum::<usize>();
        if size > self.room {
            return 0;
        }
        self.room -= size;
        let numbers = stack.iter().map(|&id| {
            *self.numbers.entry(id).or_insert_with(|| {
                self.functions.push((*self.stacks.functions[id as usize]).clone());
                self.functions.len() - 1
            })
        });
        self.all.push(numbers.collect());
        let place = (self.all.len() - 1) as StackIndex;
        self.places.insert(stack.clone(), place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::Bottom;
    use stride_test_support::stacks::frame;

    fn stack(names: &[&str], bottom: Bottom) -> Arc<Stack> {
        stride_test_support::stacks::stack(names.iter().map(|name| frame("", name)), bottom)
    }

    #[test]
    fn each_is_stored_once() {
        let mut stacks = PageStacks::default();
        let shown: Vec<_> = [&["a", "b"][..], &["a", "b"], &["b"]]
            .iter()
            .map(|names| stacks.shown(&stack(names, Bottom::Reached)))
            .collect();
        let unknown = stacks.shown(&stack(&["<a>"], Bottom::Unknown));
        let mut data = StacksData::new(stacks);
        let places: Vec<_> = shown.iter().map(|stack| data.place(Some(stack))).collect();
        assert_eq!((places, data.place(None)), (vec![1, 1, 2], 0));
        assert_eq!(data.place(Some(&unknown)), 3);
        let names: Vec<&str> = data.functions.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["a", "b", "<a>", "[unknown]"]);
        assert_eq!(data.all, [&[][..], &[0, 1], &[1], &[2, 3]]);
    }

    #[test]
    fn no_more_than_there_is_room_for() {
        let mut stacks = PageStacks::default();
        let names: Vec<String> = (0..5000).map(|i| format!("{i}{}", "<".repeat(300))).collect();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        let shown: Vec<_> = names.chunks(500).map(|part| stacks.shown(&stack(part, Bottom::Reached))).collect();
        assert!(shown.iter().all(|stack| stack.len() == DEEPEST + 1));
        let mut data = StacksData::new(stacks);
        let places: Vec<_> = shown.iter().map(|stack| data.place(Some(stack))).collect();
        assert!(places[0] == 1 && places[9] == 0, "{places:?}");
        let json = serde_json::to_string(&(&data.all, &data.functions)).unwrap();
        assert!(crate::views::html::template::inert(&json).len() <= ROOM);
    }
}
