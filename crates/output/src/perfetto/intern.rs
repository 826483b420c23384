//! Strings that are written once and referred to by number.

use std::collections::HashMap;

/// How a string is to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Under this number, which readers know.
    Known(u64),
    /// Under this number, which they have to be told.
    New(u64),
    /// As it is.
    Inline,
}

/// The numbers of one index of a packet sequence.
#[derive(Default)]
pub struct InternTable {
    /// 0 stands for a string that was seen once.
    ids: HashMap<Box<str>, u64>,
    last: u64,
}

/// Longer strings are not worth keeping.
const LONGEST: usize = 256;

impl InternTable {
    /// For strings of which there are few: names of calls, keys.
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

    /// For strings of which there may be any number: a number is for those that come again.
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

    /// Numbers begin again.
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
