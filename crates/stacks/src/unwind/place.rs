//! Where frames are on the stack.

/// Where a frame is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FramePlace {
    /// Its stack pointer, if that is known.
    pub sp: Option<u64>,
    /// Its frame pointer, if that leads to the caller.
    pub bp: Option<u64>,
}
