//! The end of a run, and the wish for it.

/// How the run ended. It decides Stride's own exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The command exited with this status.
    Exited(i32),
    /// A signal ended the command, or Stride itself.
    Signaled(i32),
}

/// The wish of the views for more events, after one event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Continue,
    /// No more events are wanted.
    Stop,
}
