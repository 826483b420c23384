//! The processes of the page.

use super::data;
use crate::spelling::legible::{command_line, legible};
use crate::views::processes::{NodeEnd, ProcessNode, ProcessRows, Processes, Serial};
use std::collections::HashMap;
use stride_track::Process;

const COMMAND: usize = 240;

/// The words about a process on the page.
#[derive(Default)]
pub struct NamedProcess {
    pub comm: String,
    pub command: String,
}

/// `captured`: the limit of capture, for the number of words and the length of each.
pub fn named(captured: usize) -> Processes<NamedProcess> {
    // (0: nobody has said.)
    let captured = if captured == 0 { usize::MAX } else { captured };
    Processes::new(Box::new(move |it: &Process| NamedProcess {
        comm: legible(&it.comm, 64),
        command: command_line(&it.command, COMMAND, captured),
    }))
}

/// The data for the page, and the index of each process.
pub fn data(processes: Processes<NamedProcess>) -> (data::ProcessesData, HashMap<Serial, usize>) {
    let ProcessRows { rows, more, places } = processes.into_rows();
    (data::ProcessesData { rows: rows.iter().map(|(it, depth)| row(it, *depth)).collect(), more }, places)
}

fn row(it: &ProcessNode<NamedProcess>, depth: usize) -> data::ProcessData {
    let (end, ok) = match it.end {
        NodeEnd::None => ("lives on".to_owned(), true),
        NodeEnd::Exit(status) => (format!("exit {status}"), status == 0),
        NodeEnd::Signal { signal, core } => {
            let mut name = Vec::new();
            crate::spelling::names::signal(&mut name, signal);
            let core = if core { ", core dumped" } else { "" };
            (format!("{}{core}", String::from_utf8_lossy(&name)), false)
        }
    };
    data::ProcessData {
        pid: it.pid,
        depth,
        name: it.label.comm.clone(),
        command: it.label.command.clone(),
        from: it.from,
        to: it.to,
        end,
        ok,
        threads: it.threads,
        calls: it.calls,
        errors: it.errors,
        busy: it.busy,
        more: it.more,
    }
}
