//! Errors of a view's output.

use crate::spelling::names;
use std::fmt;
use std::io;

/// An output error, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewError {
    failure: Failure,
    kind: io::ErrorKind,
    message: String,
}

/// The part of the output that there is after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// Nothing: it could not be opened.
    Unopened,
    /// Only the part that was written before the error.
    Dropped,
    /// A file that ends before the run does. The message says where, so it is shown even if the reader left on purpose.
    Cut,
}

impl ViewError {
    pub fn unopened(error: &io::Error, message: String) -> ViewError {
        ViewError { failure: Failure::Unopened, kind: error.kind(), message }
    }

    pub fn dropped(error: &io::Error, message: String) -> ViewError {
        ViewError { failure: Failure::Dropped, kind: error.kind(), message }
    }

    pub fn cut(error: &io::Error, message: String) -> ViewError {
        ViewError { failure: Failure::Cut, kind: error.kind(), message }
    }

    /// True if the output could not be opened.
    pub fn is_unopened(&self) -> bool {
        self.failure == Failure::Unopened
    }

    /// True if the reader of the output closed it because it needs no more.
    pub fn is_closed_pipe(&self) -> bool {
        self.kind == io::ErrorKind::BrokenPipe && self.failure != Failure::Cut
    }
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ViewError {}

/// An error in the kernel's words, without its number.
pub fn why(error: &io::Error) -> String {
    let known = error.raw_os_error().and_then(|errno| names::errno(errno as u32));
    known.map_or_else(|| error.to_string(), |(_, text)| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_left_is_told_from_a_full_disk() {
        let (pipe, full) = (io::Error::from_raw_os_error(32), io::Error::from_raw_os_error(28));
        assert_eq!((why(&pipe).as_str(), why(&full).as_str()), ("Broken pipe", "No space left on device"));
        assert!(ViewError::dropped(&pipe, String::new()).is_closed_pipe());
        // The end of the message does not decide; the error does.
        assert!(!ViewError::dropped(&full, "Broken pipe".into()).is_closed_pipe());
        assert!(!ViewError::cut(&pipe, String::new()).is_closed_pipe());
        assert!(ViewError::unopened(&full, String::new()).is_unopened());
    }
}
