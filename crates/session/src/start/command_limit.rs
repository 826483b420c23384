//! The limit of commands that are captured.

use super::Needs;
use crate::options::Options;

/// The bytes of each argument and variable that are captured when a program is executed. Few commands have longer ones.
pub fn command_text(options: &Options, needs: &Needs) -> usize {
    const WHOLE: usize = 4000;
    if needs.whole_commands { options.decoding.text.max(WHOLE) } else { options.decoding.text }
}
