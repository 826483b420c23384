//! The facts that a recording states about itself. Fields have names, so that more can be added: a reader skips unknown ones.

use crate::stream::Malformed;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use stride_event::{Lost, Tid};

/// The origin and the contents of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The command line of the tracer, including its own name.
    pub args: Vec<OsString>,
    /// The version of the tracer.
    pub version: String,
    /// The name of the machine: `uname -n`.
    pub host: String,
    /// The version of the kernel: `uname -r`.
    pub release: String,
    /// The architecture of the machine: `uname -m`.
    pub machine: String,
    /// The name of the engine: `ptrace` or `ebpf`.
    pub engine: String,
    /// The process that the tracer started. `None` if it only attached to others.
    pub command: Option<Tid>,
    /// Lines of text name their thread: children were followed, or several processes were attached to.
    pub several: bool,
    /// All processes of the machine that filters let through (`--all`).
    pub whole_machine: bool,
    /// Filters left out calls before they were seen.
    pub partial: bool,
    /// Threads and processes that tracees made were traced, too.
    pub follows: bool,
    /// Wall-clock time minus monotonic time in nanoseconds.
    pub wall_offset: i64,
    /// Monotonic time when the recording began, in nanoseconds.
    pub started: u64,
    /// The bytes up to which strings and buffers were captured (`-s`).
    pub text_limit: u64,
    /// The elements up to which arrays were captured.
    pub elements_limit: u64,
    /// The bytes up to which the arguments and variables of executed programs were captured, if these are more than `text_limit`.
    pub command_limit: u64,
    /// There are facts about all descriptors (`-y`, `-P`).
    pub descriptors: bool,
    /// Transfers of some descriptors were captured whole (`-e read`, `-e write`).
    pub dumps: bool,
    /// There are facts about the names of threads and processes (`-Y`).
    pub names: bool,
    /// Calls have their instruction pointers (`-i`).
    pub instruction_pointers: bool,
    /// Calls and signals have their stacks (`-k`).
    pub stacks: bool,
    /// The frames of stacks have files and lines.
    pub sources: bool,
    /// Calls have their CPU times.
    pub cpu_times: bool,
    /// Functions of libraries were traced.
    pub library: bool,
    /// Operations of io_uring are recorded (`--io-uring`).
    pub operations: bool,
    /// Calls have the waits of their threads (`--waits`).
    pub waits: bool,
    /// Calls say for how long their threads were held.
    pub holds: bool,
    /// Calls may have been changed (`-e inject=`).
    pub changes: bool,
}

/// The totals in the last frame of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Calls that returned: events of the kind `Exit`.
    pub calls: u64,
    /// All events, those of calls included.
    pub events: u64,
    /// Calls, threads and signals that the engine lost.
    pub lost: Lost,
}

fn field(to: &mut Vec<u8>, name: &str, value: &[u8]) {
    to.push(name.len() as u8);
    to.extend_from_slice(name.as_bytes());
    to.extend_from_slice(&(value.len() as u32).to_le_bytes());
    to.extend_from_slice(value);
}

/// Name and value.
type Field<'a> = (&'a [u8], &'a [u8]);

/// Takes the first field off.
fn next<'a>(from: &mut &'a [u8]) -> Result<Option<Field<'a>>, Malformed> {
    const SHORT: Malformed = Malformed("a field is cut off");
    let Some((len, rest)) = from.split_first() else { return Ok(None) };
    let (name, rest) = rest.split_at_checked(*len as usize).ok_or(SHORT)?;
    let (len, rest) = rest.split_first_chunk::<4>().ok_or(SHORT)?;
    let (value, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize).ok_or(SHORT)?;
    *from = rest;
    Ok(Some((name, value)))
}

fn number(value: &[u8]) -> Result<u64, Malformed> {
    value.try_into().map(u64::from_le_bytes).map_err(|_| Malformed("a field is not a number"))
}

fn text(value: &[u8]) -> String {
    String::from_utf8_lossy(value).into_owned()
}

impl Metadata {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut to = Vec::new();
        for arg in &self.args {
            field(&mut to, "arg", arg.as_bytes());
        }
        for (name, value) in [
            ("version", &self.version),
            ("host", &self.host),
            ("release", &self.release),
            ("machine", &self.machine),
            ("engine", &self.engine),
        ] {
            field(&mut to, name, value.as_bytes());
        }
        if let Some(command) = self.command {
            field(&mut to, "command", &(command as u64).to_le_bytes());
        }
        for (name, value) in [
            ("wall-offset", self.wall_offset as u64),
            ("started", self.started),
            ("text-limit", self.text_limit),
            ("elements-limit", self.elements_limit),
            ("command-limit", self.command_limit),
            ("descriptors", self.descriptors.into()),
            ("dumps", self.dumps.into()),
            ("several", self.several.into()),
            ("whole-machine", self.whole_machine.into()),
            ("partial", self.partial.into()),
            ("follows", self.follows.into()),
            ("names", self.names.into()),
            ("instruction-pointers", self.instruction_pointers.into()),
            ("stacks", self.stacks.into()),
            ("sources", self.sources.into()),
            ("cpu-times", self.cpu_times.into()),
            ("library", self.library.into()),
            ("operations", self.operations.into()),
            ("waits", self.waits.into()),
            ("holds", self.holds.into()),
            ("changes", self.changes.into()),
        ] {
            field(&mut to, name, &value.to_le_bytes());
        }
        to
    }

    pub(crate) fn decode(mut from: &[u8]) -> Result<Metadata, Malformed> {
        let mut it = Metadata::default();
        while let Some((name, value)) = next(&mut from)? {
            match name {
                b"arg" => it.args.push(OsString::from_vec(value.to_vec())),
                b"version" => it.version = text(value),
                b"host" => it.host = text(value),
                b"release" => it.release = text(value),
                b"machine" => it.machine = text(value),
                b"engine" => it.engine = text(value),
                b"command" => it.command = Some(number(value)? as Tid),
                b"wall-offset" => it.wall_offset = number(value)? as i64,
                b"started" => it.started = number(value)?,
                b"text-limit" => it.text_limit = number(value)?,
                b"elements-limit" => it.elements_limit = number(value)?,
                b"command-limit" => it.command_limit = number(value)?,
                b"descriptors" => it.descriptors = number(value)? != 0,
                b"dumps" => it.dumps = number(value)? != 0,
                b"several" => it.several = number(value)? != 0,
                b"whole-machine" => it.whole_machine = number(value)? != 0,
                b"partial" => it.partial = number(value)? != 0,
                b"follows" => it.follows = number(value)? != 0,
                b"names" => it.names = number(value)? != 0,
                b"instruction-pointers" => it.instruction_pointers = number(value)? != 0,
                b"stacks" => it.stacks = number(value)? != 0,
                b"sources" => it.sources = number(value)? != 0,
                b"cpu-times" => it.cpu_times = number(value)? != 0,
                b"library" => it.library = number(value)? != 0,
                b"operations" => it.operations = number(value)? != 0,
                b"waits" => it.waits = number(value)? != 0,
                b"holds" => it.holds = number(value)? != 0,
                b"changes" => it.changes = number(value)? != 0,
                _ => {}
            }
        }
        Ok(it)
    }
}

impl Totals {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut to = Vec::new();
        for (name, value) in [
            ("calls", self.calls),
            ("events", self.events),
            ("lost-calls", self.lost.calls),
            ("unseen-threads", self.lost.threads),
            ("lost-signals", self.lost.signals),
        ] {
            field(&mut to, name, &value.to_le_bytes());
        }
        to
    }

    pub(crate) fn decode(mut from: &[u8]) -> Result<Totals, Malformed> {
        let mut it = Totals::default();
        while let Some((name, value)) = next(&mut from)? {
            match name {
                b"calls" => it.calls = number(value)?,
                b"events" => it.events = number(value)?,
                b"lost-calls" => it.lost.calls = number(value)?,
                b"unseen-threads" => it.lost.threads = number(value)?,
                b"lost-signals" => it.lost.signals = number(value)?,
                _ => {}
            }
        }
        Ok(it)
    }
}
