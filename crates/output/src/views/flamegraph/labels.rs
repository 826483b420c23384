//! The labels of a flame graph's boxes. Each is held once.

use std::collections::HashMap;
use std::rc::Rc;

/// An index into [`FlameLabels`].
pub type LabelId = u32;

/// The kind of thing that a box stands for. The kind decides the colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LabelKind {
    /// A program, by the name of its threads.
    Program,
    /// A function of the program's own.
    Own,
    /// A function of a run-time library, or of a language's standard library.
    Library,
    /// A system call.
    Call(crate::views::html::family::Family),
    /// The thread slept in the call.
    Asleep,
    /// The thread could have run, but had no CPU.
    WithoutCpu,
    /// The thread or interrupt that ended a sleep.
    Waker,
    /// Frames that are not known.
    Missing,
}

/// The bytes of names may be anything.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Label {
    pub kind: LabelKind,
    pub name: Box<[u8]>,
    /// The path of the file that the function is in. Empty for others.
    pub module: Box<[u8]>,
}

/// The limits of all labels together.
const MOST: usize = if cfg!(test) { 2000 } else { 1 << 17 };
const MOST_BYTES: usize = 64 << 20;

/// The label for functions that came when there was no room for more.
const OTHERS: LabelId = 0;

#[derive(Debug)]
pub struct FlameLabels {
    all: Vec<Rc<Label>>,
    ids: HashMap<Rc<Label>, LabelId>,
    bytes: usize,
}

impl Default for FlameLabels {
    fn default() -> FlameLabels {
        let mut labels = FlameLabels { all: Vec::new(), ids: HashMap::new(), bytes: 0 };
        labels.id(Label { kind: LabelKind::Missing, name: b"(others)".as_slice().into(), module: [].into() });
        labels
    }
}

impl FlameLabels {
    pub fn id(&mut self, label: Label) -> LabelId {
        if let Some(&id) = self.ids.get(&label) {
            return id;
        }
        if self.all.len() >= MOST || self.bytes >= MOST_BYTES {
            return OTHERS;
        }
        self.bytes += label.name.len() + label.module.len();
        let (id, label) = (self.all.len() as LabelId, Rc::new(label));
        self.ids.insert(label.clone(), id);
        self.all.push(label);
        id
    }

    pub fn get(&self, id: LabelId) -> &Label {
        &self.all[id as usize]
    }
}
