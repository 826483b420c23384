//! The values of labels. They come from programs and from recordings, so they are escaped and cut, and their number is limited.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use stride_output::shown;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelValueId(u32);

impl LabelValueId {
    /// The series has no such label.
    pub const NONE: LabelValueId = LabelValueId(0);
    /// The label of calls for which there was no room.
    pub const OTHERS: LabelValueId = LabelValueId(1);
}

/// Names are cut to so many characters, and looked at no further than so many bytes.
const MOST_CHARACTERS: usize = 64;
const MOST_BYTES: usize = 256;

pub struct LabelNames {
    texts: Vec<Arc<str>>,
    by_text: FxHashMap<Arc<str>, LabelValueId>,
    by_bytes: FxHashMap<Box<[u8]>, LabelValueId>,
    limit: usize,
}

impl LabelNames {
    /// At most so many values are told apart.
    pub fn new(limit: usize) -> LabelNames {
        let mut names =
            LabelNames { texts: Vec::new(), by_text: FxHashMap::default(), by_bytes: FxHashMap::default(), limit };
        names.of_text("");
        names.of_text("(others)");
        names
    }

    /// The value for a name that a program chose.
    pub fn of(&mut self, name: &[u8]) -> LabelValueId {
        let name = &name[..name.len().min(MOST_BYTES)];
        if let Some(&id) = self.by_bytes.get(name) {
            return id;
        }
        // Different names may look the same. There must not be two series of the same labels.
        let text: String = shown(name).chars().take(MOST_CHARACTERS).collect();
        if self.by_bytes.len() >= self.limit {
            return LabelValueId::OTHERS;
        }
        let id = self.of_text(&text);
        self.by_bytes.insert(name.into(), id);
        id
    }

    fn of_text(&mut self, text: &str) -> LabelValueId {
        if let Some(&id) = self.by_text.get(text) {
            return id;
        }
        let id = LabelValueId(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.by_text.insert(text, id);
        id
    }

    /// The text of a value. `None`: the series has no such label.
    pub fn text(&self, id: LabelValueId) -> Option<Arc<str>> {
        (id != LabelValueId::NONE).then(|| self.texts[id.0 as usize].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_the_same_are_one_value() {
        let mut names = LabelNames::new(100);
        assert_eq!(names.of(b""), LabelValueId::NONE);
        assert_eq!(names.of(b"(others)"), LabelValueId::OTHERS);
        let long = names.of(&[b'x'; 70]);
        assert_eq!(names.of(&[b'x'; 5_000]), long);
        assert_eq!(names.text(long).unwrap().len(), MOST_CHARACTERS);
        let hostile = names.of(b"a\n\"}\x1b[31m\xff");
        let text = names.text(hostile).unwrap();
        assert!(text.chars().all(|c| !c.is_control()), "{text:?}");
    }

    #[test]
    fn values_are_limited() {
        let mut names = LabelNames::new(10);
        let first = names.of(b"first");
        for n in 0..100u32 {
            names.of(&n.to_le_bytes());
        }
        assert_eq!((names.of(b"one more"), names.of(b"first")), (LabelValueId::OTHERS, first));
        assert!(names.texts.len() <= 12 && names.by_bytes.len() == 10);
    }
}
