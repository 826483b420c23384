//! Sets over a few words: `-e status=`, `-e quiet=`, `-e decode-fds=`, `-e decode-pids=`.

use crate::{Error, list};
use std::fmt;
use std::marker::PhantomData;

/// A domain whose members are words.
pub trait Word: Copy + 'static {
    /// The name of a member in error messages.
    const WHAT: &'static str;
    /// Every spelling. The first one of a member is shown.
    const SPELLINGS: &'static [(&'static str, Self)];
    fn bit(self) -> u8;
}

/// A set of the words of `W`.
#[derive(Clone, Copy)]
pub struct WordSet<W> {
    bits: u8,
    domain: PhantomData<W>,
}

impl<W: Word> WordSet<W> {
    pub const NONE: WordSet<W> = WordSet { bits: 0, domain: PhantomData };
    pub const ALL: WordSet<W> = WordSet { bits: !0, domain: PhantomData };

    pub fn of(words: &[W]) -> WordSet<W> {
        WordSet { bits: words.iter().fold(0, |bits, word| bits | word.bit()), domain: PhantomData }
    }

    /// Every spelling of a member.
    pub fn spellings() -> impl Iterator<Item = &'static str> {
        W::SPELLINGS.iter().map(|(spelling, _)| *spelling)
    }

    /// Words are matched in any case.
    pub fn parse(text: &str) -> Result<WordSet<W>, Error> {
        let list = list::split(text, W::WHAT)?;
        let mut bits = 0;
        for member in list.members {
            let known = W::SPELLINGS.iter().find(|(spelling, _)| spelling.eq_ignore_ascii_case(member));
            bits |= known.ok_or_else(|| Error::misspelt(W::WHAT, member, Self::spellings()))?.1.bit();
        }
        Ok(WordSet { bits: if list.inverted { !bits } else { bits }, domain: PhantomData })
    }

    pub fn contains(self, word: W) -> bool {
        self.bits & word.bit() != 0
    }

    pub fn with(self, word: W) -> WordSet<W> {
        WordSet { bits: self.bits | word.bit(), domain: PhantomData }
    }

    pub fn is_empty(self) -> bool {
        !W::SPELLINGS.iter().any(|(_, word)| self.contains(*word))
    }

    /// True if the set contains every word, so that nothing is filtered out.
    pub fn is_all(self) -> bool {
        W::SPELLINGS.iter().all(|(_, word)| self.contains(*word))
    }
}

/// Sets are equal if they hold the same words, whatever the unused bits are.
impl<W: Word> PartialEq for WordSet<W> {
    fn eq(&self, other: &Self) -> bool {
        W::SPELLINGS.iter().all(|(_, word)| self.contains(*word) == other.contains(*word))
    }
}

impl<W: Word> Eq for WordSet<W> {}

impl<W: Word> fmt::Debug for WordSet<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = W::SPELLINGS.iter().filter(|(_, word)| self.contains(*word)).map(|(spelling, _)| spelling);
        f.debug_set().entries(members).finish()
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$vdoc:meta])* $variant:ident = $first:literal $(| $other:literal)*;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl Word for $name {
            const WHAT: &'static str = $what;
            const SPELLINGS: &'static [(&'static str, Self)] =
                &[$(($first, $name::$variant), $(($other, $name::$variant),)*)*];
            fn bit(self) -> u8 { 1 << self as u8 }
        }
    };
}

words! {
    /// The ways in which a syscall can end.
    Status, "status" {
        Successful = "successful";
        Failed = "failed";
        /// The call never returned, because its thread exited or another thread called execve.
        Unfinished = "unfinished";
        /// The call returned, but its result could not be read.
        Unavailable = "unavailable";
        /// Tracing ended before the call returned.
        Detached = "detached";
    }
}

words! {
    /// Messages about the tracing itself, which can be left out.
    Quiet, "quiet" {
        Attach = "attach";
        Exit = "exit" | "exits";
        /// Calls were delayed to prevent losses.
        Backpressure = "backpressure";
        /// The files that views wrote.
        Files = "files";
        PathResolution = "path-resolution";
        Personality = "personality";
        /// A thread was replaced by another one's execve.
        ThreadExecve = "thread-execve" | "superseded";
    }
}

words! {
    /// The details to print after a file descriptor.
    FdDetail, "decode-fds" {
        Path = "path";
        Socket = "socket";
        Dev = "dev";
        Eventfd = "eventfd";
        Pidfd = "pidfd";
        Signalfd = "signalfd";
    }
}

words! {
    /// The details to print after a process id.
    PidDetail, "decode-pids" {
        Comm = "comm";
        /// The id in Stride's own PID namespace.
        Pidns = "pidns";
    }
}

words! {
    /// How SELinux contexts are printed.
    ContextDetail, "secontext" {
        Full = "full";
        /// And the context that the policy's database has for the file.
        Mismatch = "mismatch";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_any_case_and_inverted() {
        let set = WordSet::<Status>::parse("FAILED,,unfinished").unwrap();
        assert!(set.contains(Status::Failed) && set.contains(Status::Unfinished) && !set.contains(Status::Successful));
        let set = WordSet::<Quiet>::parse("!attach").unwrap();
        assert!(!set.contains(Quiet::Attach) && set.contains(Quiet::Exit));
        assert_eq!(WordSet::<Quiet>::parse("superseded"), WordSet::<Quiet>::parse("thread-execve"));
        assert!(WordSet::<Status>::parse("all").unwrap().is_all());
        assert!(WordSet::<Status>::parse("none").unwrap().is_empty());
    }

    #[test]
    fn equality_ignores_unused_bits() {
        let every = WordSet::<PidDetail>::parse("comm,pidns").unwrap();
        assert_eq!(every, WordSet::ALL);
        assert!(every.is_all());
    }

    #[test]
    fn unknown_words() {
        let message = |error: Error| error.to_string();
        assert_eq!(
            message(WordSet::<Quiet>::parse("detach").unwrap_err()),
            "invalid quiet 'detach'; did you mean 'attach'?"
        );
        assert_eq!(message(WordSet::<FdDetail>::parse("path,name").unwrap_err()), "invalid decode-fds 'name'");
        assert_eq!(
            message(WordSet::<Status>::parse("succesful").unwrap_err()),
            "invalid status 'succesful'; did you mean 'successful'?"
        );
        assert_eq!(message(WordSet::<PidDetail>::parse("").unwrap_err()), "invalid decode-pids ''");
        assert_eq!(message(WordSet::<Status>::parse("none,failed").unwrap_err()), "invalid status 'none'");
    }
}
