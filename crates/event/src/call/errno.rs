//! The kernel's error numbers: their names, and sets of them.

use std::borrow::Cow;
use stride_syscalls::uapi::errno::ERRNO;

/// The name of an error, such as `ENOENT`, and its text, if it has them.
pub fn errno(number: u32) -> Option<(&'static str, &'static str)> {
    let at = ERRNO.binary_search_by_key(&number, |known| known.0).ok()?;
    Some((ERRNO[at].1, ERRNO[at].2))
}

/// The name of an error, if it has one.
pub fn errno_name(number: u32) -> Option<&'static str> {
    errno(number).map(|(name, _)| name)
}

/// The name of an error, or its number.
pub fn errno_word(number: u32) -> Cow<'static, str> {
    errno_name(number).map_or_else(|| Cow::Owned(number.to_string()), Cow::Borrowed)
}

/// A set of error numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrnoSet {
    /// Bit `n % 64` of word `n / 64` for error `n`.
    words: [u64; ErrnoSet::WORDS],
}

impl ErrnoSet {
    /// The kernel returns errors from 1 to 4095.
    pub const MAX: u32 = 4095;
    /// The words of a set.
    pub const WORDS: usize = (Self::MAX as usize + 1) / 64;

    /// No error.
    pub fn empty() -> ErrnoSet {
        ErrnoSet { words: [0; Self::WORDS] }
    }

    /// Every error.
    pub fn all() -> ErrnoSet {
        ErrnoSet { words: [!0; Self::WORDS] }
    }

    /// Adds an error. One above [`ErrnoSet::MAX`] changes nothing.
    pub fn insert(&mut self, errno: u32) {
        if let Some(word) = self.words.get_mut(errno as usize / 64) {
            *word |= 1 << (errno % 64);
        }
    }

    /// Takes an error away.
    pub fn remove(&mut self, errno: u32) {
        if let Some(word) = self.words.get_mut(errno as usize / 64) {
            *word &= !(1 << (errno % 64));
        }
    }

    /// True if the error belongs to the set. One above [`ErrnoSet::MAX`] never does.
    pub fn contains(&self, errno: u32) -> bool {
        self.words.get(errno as usize / 64).is_some_and(|word| word & (1 << (errno % 64)) != 0)
    }

    /// The complement of the set.
    pub fn inverted(mut self) -> ErrnoSet {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self
    }

    /// The errors that are in both.
    pub fn intersection(mut self, other: &ErrnoSet) -> ErrnoSet {
        self.words.iter_mut().zip(other.words).for_each(|(word, other)| *word &= other);
        self
    }

    /// True if every error belongs to the set.
    pub fn is_all(&self) -> bool {
        self.words.iter().all(|&word| word == !0)
    }

    /// True if no error belongs to the set.
    pub fn is_empty(&self) -> bool {
        (1..=Self::MAX).all(|errno| !self.contains(errno))
    }

    /// The set as bits: bit `n % 64` of word `n / 64` stands for error `n`.
    pub fn words(&self) -> [u64; Self::WORDS] {
        self.words
    }

    /// The same, to be filled in.
    pub fn words_mut(&mut self) -> &mut [u64; Self::WORDS] {
        &mut self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_errors() {
        assert_eq!(errno_name(2), Some("ENOENT"));
        assert_eq!(errno_name(512), Some("ERESTARTSYS"));
        assert_eq!(errno_name(4095), None);
    }

    #[test]
    fn sets_of_errors() {
        let mut set = ErrnoSet::empty();
        set.insert(2);
        set.insert(4095);
        set.insert(9999);
        assert!(set.contains(2) && set.contains(4095) && !set.contains(3) && !set.contains(9999));
        let rest = set.clone().inverted();
        assert!(!rest.contains(2) && rest.contains(3));
        assert!(set.intersection(&rest).is_empty());
        assert!(ErrnoSet::all().is_all());
    }
}
