//! The processes of a run as a tree, in the terminal: command lines that can be pasted into a shell, what changed in
//! the environment, how each process ended, its time, calls, errors and threads.

mod draw;
mod environment;
mod label;

use crate::spelling::shell::command_line;
use crate::views::processes::Processes;
use crate::{End, RunInfo, View};
use environment::Environments;
use label::TreeLabel;
pub use label::TreeLayout;
use stride_event::{Call, Event, Ns, Outcome, StartKind, Tid};
use stride_syscalls::Effect;
use stride_track::{Process, Tracker, base_name};

/// The bytes of a command line that are kept, and of one that came before.
const COMMAND: usize = 16 << 10;
const EARLIER: usize = 200;
/// The living processes that are kept, so that their command lines take 64 MiB at most.
const LIVING: usize = 1 << 12;

pub struct TreeView {
    processes: Processes<TreeLabel>,
    environments: Environments,
    layout: TreeLayout,
    /// The bytes of each word that were captured.
    captured: usize,
    /// The latest event.
    end: Ns,
}

impl TreeView {
    pub fn new(layout: TreeLayout, info: &RunInfo) -> TreeView {
        let captured = info.command_text.max(1);
        let describe = move |process: &Process| TreeLabel {
            comm: process.comm.clone(),
            command: command_line(process.command.iter().map(Vec::as_slice), captured, COMMAND),
            ..TreeLabel::default()
        };
        TreeView {
            processes: Processes::new(Box::new(describe)).with_living(LIVING),
            environments: Environments::default(),
            layout,
            captured,
            end: info.started,
        }
    }

    fn started(&mut self, tid: Tid, process: Tid, origin: StartKind, at: Ns, tracker: &Tracker) {
        self.processes.started(tid, process, at, tracker);
        let StartKind::Forked { parent } = origin else { return };
        if tid != process {
            return;
        }
        let parent = tracker.thread(parent).map_or(parent, |thread| thread.pid);
        self.environments.forked(parent, process);
        if let Some(label) = self.processes.label(process) {
            label.fork_of = Some(label.comm.clone());
        }
    }

    fn call(&mut self, call: &Call, tracker: &Tracker) {
        let failed = match call.outcome {
            Outcome::Value(_) => false,
            Outcome::Error(_) => true,
            Outcome::Gone | Outcome::Pending => return,
        };
        let pid = process_of(call.tid, tracker);
        self.processes.call(pid, call.began(), call.took().unwrap_or(0), failed, tracker);
        self.named(call, tracker);
    }

    /// A call may change what its process runs or is called.
    fn named(&mut self, call: &Call, tracker: &Tracker) {
        let (Some(row), Outcome::Value(_)) = (call.row(), call.outcome) else { return };
        let pid = process_of(call.tid, tracker);
        if row.has_effect(Effect::Executes) {
            self.executed(pid, call, tracker);
        } else if row.has_effect(Effect::NamesThread)
            && let Some(known) = tracker.process(pid)
            && let Some(label) = self.processes.label(pid)
        {
            label.comm.clone_from(&known.comm);
        }
    }

    fn executed(&mut self, pid: Tid, call: &Call, tracker: &Tracker) {
        let variables = call.strings("envp");
        let environment = self.environments.executed(pid, variables.into_iter());
        let earlier = self.processes.label(pid).filter(|label| label.fork_of.is_none());
        let earlier = earlier.map(|label| std::mem::take(&mut label.command)).filter(|command| !command.is_empty());
        self.processes.renamed(pid, tracker);
        let Some(label) = self.processes.label(pid) else { return };
        label.environment = environment;
        // A program may be called otherwise than its file: `-bash`. A shell starts the file.
        let Some(known) = tracker.process(pid) else { return };
        let path = known.program.map(|program| tracker.name(program)).unwrap_or_default();
        let words = known.command.iter().map(Vec::as_slice);
        if !path.is_empty() && words.clone().next().is_none_or(|first| base_name(first) != base_name(path)) {
            label.command = command_line(std::iter::once(path).chain(words.skip(1)), self.captured, COMMAND);
        }
        // (`#!/usr/bin/env sh` executes the shell with the script's own command.)
        label.earlier = earlier.filter(|earlier| !label.command.ends_with(earlier.as_str())).map(|mut earlier| {
            if earlier.len() > EARLIER {
                earlier.truncate(earlier.floor_char_boundary(EARLIER));
                earlier.push('…');
            }
            earlier
        });
    }
}

fn process_of(tid: Tid, tracker: &Tracker) -> Tid {
    tracker.thread(tid).map_or(tid, |thread| thread.pid)
}

impl View for TreeView {
    fn event(&mut self, event: &Event<'_>, tracker: &Tracker) {
        self.end = self.end.max(event.at().unwrap_or(0));
        match *event {
            Event::Started { tid, process, origin, at } => self.started(tid, process, origin, at, tracker),
            Event::Exit(call) => self.call(call, tracker),
            Event::NamingCall(call) => self.named(call, tracker),
            Event::Exited { tid, status, at } => {
                self.processes.exited(tid, at, status);
                self.environments.ended(tid);
            }
            Event::Killed { tid, signal, core, at } => {
                self.processes.killed(tid, at, signal, core);
                self.environments.ended(tid);
            }
            Event::Detached { tid, .. } => self.environments.ended(tid),
            _ => {}
        }
    }

    fn naming_call(&mut self, call: &Call, tracker: &Tracker) {
        self.named(call, tracker);
    }

    fn finish(&mut self, end: &End<'_>) -> String {
        let processes = std::mem::replace(&mut self.processes, Processes::new(Box::new(|_| TreeLabel::default())));
        draw::tree(processes.into_rows(), self.end, end.lost, &self.layout)
    }
}

#[cfg(test)]
mod tests;
