//! The limits of what is captured.

use super::Needs;
use crate::options::Options;
use stride_event::{CallSet, Limits};

/// The number of elements of an array that are captured.
pub fn elements(options: &Options) -> usize {
    if options.decoding.abbrev != CallSet::all() { Limits::UNLIMITED } else { options.decoding.text }
}

/// The bytes of each argument and variable that are captured when a program is executed. Few commands have longer ones.
pub fn command_text(options: &Options, needs: &Needs) -> usize {
    const WHOLE: usize = 4000;
    if needs.whole_commands { options.decoding.text.max(WHOLE) } else { options.decoding.text }
}
