//! Calls of a service manager before a service begins.
//!
//! systemd's child enters the cgroup of its unit, sets up all that the unit says, and executes the program. Until then it has a name in parentheses, made from
//! the program's: `(nginx)`. These calls are none of the program's, and the unit's rules are not in force yet.

use stride_event::Call;
use stride_syscalls::Effect;
use stride_track::Tracker;

/// The call is made by a manager's child before it executes the program.
pub fn is_before_program(call: &Call, tracker: &Tracker) -> bool {
    !is_start(call, tracker) && tracker.thread(call.tid).is_some_and(|thread| is_name(&thread.comm))
}

/// The call is the execve(2) by which a manager's child becomes the program.
pub fn is_start(call: &Call, tracker: &Tracker) -> bool {
    call.row().is_some_and(|row| row.has_effect(Effect::Executes)) && tracker.name_before(call.tid).is_some_and(is_name)
}

fn is_name(comm: &[u8]) -> bool {
    comm.len() > 2 && comm.starts_with(b"(") && comm.ends_with(b")")
}
