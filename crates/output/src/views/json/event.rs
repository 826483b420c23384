//! All events but calls as JSON.

use super::{Json, VERSION};
use crate::{End, RunInfo};
use std::os::unix::ffi::OsStrExt;
use stride_decode::{Text, TextKind};
use stride_event::{Ns, StartKind, Tid};

/// The thread and the time of an event.
#[derive(Clone, Copy)]
pub struct EventContext<'a> {
    pub tid: Tid,
    pub pid: Option<Tid>,
    pub comm: Option<&'a [u8]>,
    pub container: Option<&'a str>,
    pub at: Ns,
    pub wall_offset: i128,
}

/// The counts for the last object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub calls: u64,
    pub errors: u64,
    pub unfinished: u64,
    pub signals: u64,
}

/// The members about the thread of the call that was written last. Most calls have the thread of the one before.
#[derive(Default)]
pub struct ThreadMembers {
    tid: Tid,
    pid: Option<Tid>,
    comm: Option<Vec<u8>>,
    container: Option<String>,
    text: Vec<u8>,
}

impl ThreadMembers {
    /// The members as JSON.
    pub fn of(&mut self, m: &EventContext<'_>) -> &[u8] {
        let known = (self.tid, self.pid, self.comm.as_deref(), self.container.as_deref());
        if self.text.is_empty() || known != (m.tid, m.pid, m.comm, m.container) {
            (self.tid, self.pid) = (m.tid, m.pid);
            (self.comm, self.container) = (m.comm.map(<[u8]>::to_vec), m.container.map(str::to_owned));
            self.text.clear();
            Json::new(&mut self.text).thread_members(m);
        }
        &self.text
    }
}

impl Json<'_> {
    /// Writes an object on a line of its own.
    pub fn line(&mut self, kind: &str, members: impl FnOnce(&mut Self)) {
        self.object(|j| {
            j.key("type").str(kind);
            members(j);
        });
        self.out.push(b'\n');
    }

    /// The thread, behind other members.
    pub fn thread_members(&mut self, m: &EventContext<'_>) {
        // If a process's start was not seen, only its thread is known.
        if let Some(pid) = m.pid {
            self.literal(",\"pid\":");
            self.int(pid);
        }
        self.literal(",\"tid\":");
        self.int(m.tid);
        if let Some(comm) = m.comm {
            self.name("comm", comm);
        }
        if let Some(container) = m.container {
            self.key("container").str(container);
        }
    }

    /// The time, behind other members.
    pub fn when(&mut self, m: &EventContext<'_>) {
        // The time is not known.
        if m.at == 0 {
            return;
        }
        self.literal(",\"time_ns\":");
        self.int((i128::from(m.at) + m.wall_offset).max(0) as u64);
        self.literal(",\"start_ns\":");
        self.int(m.at);
    }

    /// Writes an event on a line of its own.
    pub fn event(&mut self, kind: &str, m: &EventContext<'_>, members: impl FnOnce(&mut Self)) {
        self.line(kind, |j| {
            j.thread_members(m);
            members(j);
            j.when(m);
        });
    }

    /// A word of a command line.
    pub fn word_of(&mut self, word: &[u8]) {
        self.text(Text { bytes: word, cut: false, kind: TextKind::Str });
    }

    /// The first object: facts about the run.
    pub fn trace(&mut self, info: &RunInfo) {
        self.line("trace", |j| {
            j.key("schema").int(VERSION);
            j.key("version").str(&info.version);
            j.key("command_line").array(|j| info.args.iter().for_each(|word| j.word_of(word.as_bytes())));
            j.key("host").str(&info.host);
            j.key("kernel").str(&info.release);
            j.key("machine").str(&info.machine);
            j.key("engine").str(&info.engine);
            j.key("wall_offset_ns").int(info.wall_offset as i64);
            j.key("time_ns").int((i128::from(info.started) + info.wall_offset).max(0) as u64);
            j.key("start_ns").int(info.started);
        });
    }

    pub fn origin(&mut self, origin: StartKind) {
        let (name, parent) = match origin {
            StartKind::Spawned => ("spawned", None),
            StartKind::Attached => ("attached", None),
            StartKind::Forked { parent } => ("forked", Some(parent)),
        };
        self.key("origin").str(name);
        if let Some(parent) = parent {
            self.key("parent").int(parent);
        }
    }

    /// The last object. If it is missing, the output was cut off.
    pub fn end(&mut self, counts: &Counts, end: &End<'_>) {
        self.line("end", |j| {
            j.key("calls").int(counts.calls);
            j.key("errors").int(counts.errors);
            j.key("unfinished").int(counts.unfinished);
            j.key("signals").int(counts.signals);
            j.key("lost_calls").int(end.lost.calls);
            j.key("unseen_threads").int(end.lost.threads);
            j.key("lost_signals").int(end.lost.signals);
        });
    }
}
