//! Strings that are written once and then referred to by number.

use std::collections::HashMap;

/// How to write a string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// As this number, which readers know already.
    Known(u64),
    /// As this number, which must be defined now.
    New(u64),
    /// As text.
    Inline,
}

/// The numbers of one kind of string in a packet sequence.
#[derive(Default)]
pub struct InternTable {
    /// 0 stands for a string that came once.
    ids: HashMap<Box<str>, u64>,
    last: u64,
}

/// Longer strings are not interned.
const LONGEST: usize = 256;

impl InternTable {
    /// For kinds with few strings: names of calls, keys.
    pub fn always(&mut self, text: &str) -> How {
        match self.ids.get(text) {
            Some(&id) => How::Known(id),
            None => {
                self.last += 1;
                self.ids.insert(text.into(), self.last);
                How::New(self.last)
            }
        }
    }

    /// For kinds with any number of strings: only a string that comes again gets a number.
    pub fn again(&mut self, text: &str) -> How {
        if text.len() > LONGEST {
            return How::Inline;
        }
        match self.ids.get_mut(text) {
            Some(0) => {}
            Some(id) => return How::Known(*id),
            None => {
                self.ids.insert(text.into(), 0);
                return How::Inline;
            }
        }
        self.last += 1;
        self.ids.insert(text.into(), self.last);
        How::New(self.last)
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Forgets all strings. Numbers start again.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.last = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_for_what_comes_again() {
        let mut table = InternTable::default();
        assert_eq!([table.again("a"), table.again("b"), table.again("a")], [How::Inline, How::Inline, How::New(1)]);
        assert_eq!([table.again("a"), table.again("b"), table.always("c")], [How::Known(1), How::New(2), How::New(3)]);
        let long = "x".repeat(LONGEST + 1);
        assert_eq!([table.again(&long), table.again(&long)], [How::Inline, How::Inline]);
        table.clear();
        assert_eq!([table.always("a"), table.always("a")], [How::New(1), How::Known(1)]);
    }
}
