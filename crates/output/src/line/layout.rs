//! The layout of lines: the fields of the leader and of the end, and the column of `=`.

use crate::form::LineForm;
use crate::{Palette, Style};
use std::sync::Arc;

/// The fields of a line's leader.
#[derive(Clone, Debug, Default)]
pub struct Leader {
    pub pid: PidPrefix,
    /// `-t`, `-tt`, `-ttt`.
    pub wall: Option<WallClock>,
    /// `-r`: digits after the point.
    pub relative: Option<u8>,
    /// `-n`.
    pub number: bool,
    /// `-i`.
    pub ip: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PidPrefix {
    #[default]
    Never,
    /// `[pid  1234] ` once there is more than one tracee.
    WhenSeveral,
    /// `1234  `: output that goes to a file under `-f`.
    Always,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WallClock {
    /// Seconds since the epoch instead of the time of day.
    pub epoch: bool,
    /// Digits after the point.
    pub digits: u8,
}

/// The fields at the end of a line, and the layout of the line.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// `-a`.
    pub column: usize,
    /// `-T`: digits after the point.
    pub elapsed: Option<u8>,
    /// `--waits`: what the thread waited for stands behind that.
    pub waits: bool,
    pub style: Style,
    pub leader: Leader,
    /// `--color`.
    pub palette: Option<Palette>,
    /// `--style`: another form than strace's.
    pub form: Option<Arc<dyn LineForm>>,
}
