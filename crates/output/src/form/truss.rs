//! truss(1) of Solaris and illumos: `open("/etc/passwd", O_RDONLY)                   = 3`.

use super::{FormLine, LineForm, function, pad};
use crate::Writer;
use crate::line::DEEPEST;
use crate::spelling::names;
use std::io::Write as _;
use stride_decode::{Decoded, FdNote, NamedArg, Text, TextKind, Value, library_args_noted, library_result_noted};
use stride_event::{LibraryCall, LibraryPart, Ns, Outcome};
use stride_syscalls::{Effect, Ret};

/// The column of `=`.
const COLUMN: usize = 48;
/// So many bytes of a buffer are shown.
const BUFFER: usize = 12;

/// truss's options about lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrussForm {
    /// `-f`: lines begin with the process.
    pub process: bool,
    /// `-l`: and the thread.
    pub thread: bool,
    /// `-d`: the time since the beginning of the trace.
    pub since_beginning: bool,
    /// `-D`: the time since the thread's last line.
    pub since_line: bool,
    /// `-E`: the time in the call.
    pub in_call: bool,
    /// `-a`: the arguments of execve in a line of their own.
    pub arguments: bool,
    /// `-e`: and the environment.
    pub environment: bool,
}

impl TrussForm {
    fn leader(&self, w: &mut Writer<'_>, line: &FormLine<'_>, at: Ns, lasted: Option<Ns>) {
        if self.process || self.thread {
            if self.process {
                w.int(line.pid);
            }
            if self.thread {
                w.out.push(b'/');
                w.int(line.moment.tid);
            }
            w.str(":\t");
        }
        let mut time = |wanted: bool, time: Option<Ns>| {
            // Writing to memory does not fail.
            let _ = match time {
                _ if !wanted => Ok(()),
                Some(time) => write!(w.out, "{:2}.{:04}\t", time / 1_000_000_000, time / 100_000 % 10_000),
                None => write!(w.out, "{:>7}\t", "?"),
            };
        };
        time(self.since_beginning, Some(at.saturating_sub(line.base)));
        time(self.since_line, Some(at.saturating_sub(line.before)));
        time(self.in_call, lasted);
    }
}

impl LineForm for TrussForm {
    fn call(&self, w: &mut Writer<'_>, line: &FormLine<'_>, decoded: &Decoded<'_>) {
        let call = decoded.call;
        let ret = decoded.ret.as_ref();
        let returned = ret.filter(|ret| matches!(ret.outcome, Outcome::Value(_) | Outcome::Error(_)));
        let at = if returned.is_some() { call.returned } else { call.began() };
        self.leader(w, line, at, if returned.is_some() { call.took() } else { Some(0) });
        let from = w.out.len();
        let ends = matches!(decoded.row.map(|row| row.ret), Some(Ret::Never));
        match decoded.row {
            Some(row) => w.str(truss_name(row.name)),
            None => {
                w.str("sys#");
                w.int(call.nr);
            }
        }
        let executes = decoded.row.is_some_and(|row| row.has_effect(Effect::Executes));
        w.out.push(b'(');
        let shown = |arg: &&NamedArg<'_>| !matches!(arg.value, Value::Becomes(_) | Value::Absent);
        for (i, arg) in decoded.args.iter().filter(shown).enumerate() {
            if i > 0 {
                w.str(", ");
            }
            match arg.value {
                Value::Array(..) if executes => w.str("[...]"),
                of => value(w, &of),
            }
        }
        w.out.push(b')');
        match ret {
            _ if ends => {}
            None => w.str("\t(sleeping...)"),
            Some(ret) => match ret.outcome {
                Outcome::Value(_) if executes && listed(decoded, "argv").is_some() => {
                    w.str("  argc = ");
                    w.int(listed(decoded, "argv").map_or(0, <[Value<'_>]>::len));
                }
                Outcome::Value(number) => {
                    pad(w, from, COLUMN);
                    w.str("= ");
                    match ret.value {
                        Value::Addr(address) | Value::Hex(address) if number != 0 => pointer(w, address),
                        _ => w.int(number),
                    }
                }
                Outcome::Error(errno) => {
                    pad(w, from, COLUMN);
                    error(w, errno);
                }
                Outcome::Gone | Outcome::Pending => w.str("\t(killed)"),
            },
        }
        w.out.push(b'\n');
        for (wanted, list, title) in [(self.arguments, "argv", " argv:"), (self.environment, "envp", " envp:")] {
            if let Some(items) = listed(decoded, list).filter(|_| wanted && executes) {
                w.str(title);
                for item in items {
                    w.out.push(b' ');
                    match item {
                        Value::Text(text) => crate::escape_path(w.out, text.bytes, crate::HexStrings::Never),
                        other => w.value(other),
                    }
                }
                w.out.push(b'\n');
            }
        }
        crate::line::dump::write(w.out, decoded.dump);
    }

    /// Functions of libraries have a line when they are entered and one when they return, as with truss's -u. An
    /// operation of io_uring is written as a system call.
    fn library(&self, w: &mut Writer<'_>, line: &FormLine<'_>, call: &LibraryCall, notes: &[(i32, FdNote<'_>)]) {
        let lasted = call.duration().filter(|_| call.part == LibraryPart::Returned);
        self.leader(w, line, line.moment.at, lasted);
        let from = w.out.len();
        let is_operation = call.operation.is_some();
        let begins = matches!(call.part, LibraryPart::Entered | LibraryPart::Passed);
        if !is_operation {
            w.out.resize(from + 2 * call.depth.min(DEEPEST) as usize, b' ');
            w.str(if begins { "-> " } else { "<- " });
        }
        function(w, call);
        w.out.push(b'(');
        for (i, (_, of)) in library_args_noted(call, notes).filter(|_| begins || is_operation).enumerate() {
            if i > 0 {
                w.str(", ");
            }
            value(w, &of);
        }
        w.out.push(b')');
        match (call.error(), library_result_noted(call, notes)) {
            _ if begins => {}
            (Some(errno), _) => {
                pad(w, from, COLUMN);
                error(w, errno);
            }
            (None, Some(result)) => {
                if is_operation {
                    pad(w, from, COLUMN);
                    w.str("= ");
                } else {
                    w.str(" = ");
                }
                value(w, &result);
            }
            (None, None) if call.part == LibraryPart::Gone => {
                w.str(if is_operation { "\t(no completion)" } else { "\t(no return)" });
            }
            (None, None) => {}
        }
        w.out.push(b'\n');
    }

    fn signal(&self, w: &mut Writer<'_>, line: &FormLine<'_>, signal: i32, info: &Value<'_>) {
        self.leader(w, line, line.moment.at, Some(0));
        w.str("    Received signal #");
        w.int(signal);
        w.str(", ");
        names::signal(w.out, signal);
        w.str("\n");
        self.leader(w, line, line.moment.at, Some(0));
        w.str("      siginfo: ");
        w.value(info);
        w.out.push(b'\n');
    }

    fn killed(&self, w: &mut Writer<'_>, line: &FormLine<'_>) {
        self.leader(w, line, line.moment.at, Some(0));
        w.str("\t*** process killed ***\n");
    }

    fn head(&self, w: &mut Writer<'_>, epoch: u64) {
        if self.since_beginning {
            let _ = write!(w.out, "Base time stamp:  {}.{:04}  [ ", epoch / 1_000_000_000, epoch / 100_000 % 10_000);
            crate::spelling::clock::Clock::default().write(w.out, epoch, false, 0);
            w.str(" ]\n");
        }
    }
}

fn error(w: &mut Writer<'_>, errno: u32) {
    w.str("Err#");
    w.int(errno);
    if let Some((name, _)) = names::errno(errno) {
        w.str(" ");
        w.str(name);
    }
}

/// The name that truss has for a call.
pub fn truss_name(name: &str) -> &str {
    // exit_group(2) is what a process calls _exit(2).
    if name == "exit_group" { "_exit" } else { name }
}

/// The members of an argument that is a list.
fn listed<'d>(decoded: &Decoded<'d>, name: &str) -> Option<&'d [Value<'d>]> {
    match decoded.args.iter().find(|arg| arg.name == name)?.value {
        Value::Array(items, _) => Some(items),
        _ => None,
    }
}

/// Addresses have at least eight digits, in capitals.
fn pointer(w: &mut Writer<'_>, address: u64) {
    let _ = write!(w.out, "0x{address:08X}");
}

fn value(w: &mut Writer<'_>, of: &Value<'_>) {
    match *of {
        Value::Addr(address) => pointer(w, address),
        Value::Text(text) if matches!(text.kind, TextKind::Bytes | TextKind::Terminated | TextKind::HexBytes) => {
            buffer(w, text)
        }
        _ => w.value(of),
    }
}

/// Two characters for each byte: a blank and the character, an escape, or hexadecimal digits.
fn buffer(w: &mut Writer<'_>, text: Text<'_>) {
    w.out.push(b'"');
    for &byte in text.bytes.iter().take(BUFFER) {
        let escape = [
            (0, '0'),
            (7, 'a'),
            (8, 'b'),
            (9, 't'),
            (10, 'n'),
            (11, 'v'),
            (12, 'f'),
            (13, 'r'),
            (b'"', '"'),
            (b'\\', '\\'),
        ];
        match escape.iter().find(|(of, _)| *of == byte) {
            Some((_, letter)) => w.out.extend_from_slice(&[b'\\', *letter as u8]),
            None if (0x20..0x7f).contains(&byte) => w.out.extend_from_slice(&[b' ', byte]),
            None => {
                let _ = write!(w.out, "{byte:02X}");
            }
        }
    }
    w.out.push(b'"');
    if text.cut || text.bytes.len() > BUFFER {
        w.str("..");
    }
}
