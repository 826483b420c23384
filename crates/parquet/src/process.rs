//! The row of a process. It is written when the process's last thread ends, or when tracing does.

use crate::cell::{IdCell, NameCell, TextCell, TimeCell, WordCell};
use crate::clock::TraceClock;
use crate::table_rows::TableRows;
use crate::tables::{ProcessRow, Processes};
use stride_event::Ns;
use stride_output::json::Json;
use stride_output::signal_text;
use stride_track::{Process, Tracker};

/// How a process ended.
#[derive(Clone, Copy)]
pub enum ProcessEnd {
    Exited(i32),
    Killed(i32),
    /// It lives on.
    Left,
}

pub fn write(
    process: &Process,
    ended: Option<Ns>,
    fate: ProcessEnd,
    tracker: &Tracker,
    clock: &TraceClock,
    table: &mut TableRows<Processes>,
) {
    let mut command = Vec::new();
    Json::new(&mut command).array(|j| process.command.iter().for_each(|word| _ = j.bytes(word)));
    let (status, signal) = match fate {
        ProcessEnd::Exited(status) => (Some(status), None),
        ProcessEnd::Killed(signal) => (None, Some(signal_text(signal))),
        ProcessEnd::Left => (None, None),
    };
    let comm = Some(&process.comm[..]).filter(|comm| !comm.is_empty());
    table.add(ProcessRow {
        trace_id: WordCell::trace_id(clock.trace_id.as_bytes()),
        pid: IdCell(Some(process.pid)),
        parent_pid: IdCell(process.parent),
        started: TimeCell(clock.micros(process.started)),
        ended: TimeCell(ended.and_then(|at| clock.micros(at))),
        comm: NameCell::of(comm),
        exe: NameCell::of_object(process.program, tracker),
        command: TextCell(Some(&command).filter(|_| !process.command.is_empty()).map(|command| &command[..])),
        exit_status: IdCell(status),
        killed_by: WordCell::of(signal.as_ref().map(|signal| signal.as_bytes())),
    });
}
