//! How a recording ended.

use crate::Totals;
use std::io;

/// How a recording ended.
#[derive(Debug)]
pub enum Ending {
    /// With its end frame.
    Whole(Totals),
    /// It breaks off within a frame, as when the recorder was killed. All events of the frames before were read.
    Cut {
        /// The beginning of the frame, in bytes.
        offset: u64,
    },
    /// A frame is not what a recorder writes. All events of the frames before were read.
    Broken {
        /// The beginning of the frame, in bytes.
        offset: u64,
        /// The reason, in words.
        why: &'static str,
    },
    /// The file could not be read any further.
    Io(io::Error),
}
