//! perf-trace(1): `     0.041 ( 0.004 ms): ls/1234 openat(dfd: CWD, filename: "x", flags: RDONLY|CLOEXEC) = 3`.

use super::{FormLine, LineForm, function, pad};
use crate::Writer;
use crate::spelling::names;
use std::io::Write as _;
use stride_decode::{Decoded, FdNote, NamedArg, Value, library_args_noted, library_result_noted};
use stride_event::{LibraryCall, LibraryPart, Ns, Outcome};
use stride_syscalls::{FlagPart, Ret, Set, table};

/// The column of `=`, counted from the name of the call.
const COLUMN: usize = 71;

#[derive(Clone, Copy, Debug)]
pub struct PerfForm;

impl LineForm for PerfForm {
    fn call(&self, w: &mut Writer<'_>, line: &FormLine<'_>, decoded: &Decoded<'_>) {
        let call = decoded.call;
        let returned = decoded.ret.as_ref().filter(|ret| matches!(ret.outcome, Outcome::Value(_) | Outcome::Error(_)));
        leader(w, line, call.began(), returned.and_then(|_| call.took()));
        let from = w.out.len();
        let name = decoded.row.map_or("syscall", |row| row.name);
        w.str(name);
        if decoded.row.is_none() {
            w.out.push(b'_');
            w.int(call.nr);
        }
        w.out.push(b'(');
        // (A form of a multiplexed call has the names of the call's row.)
        let shown = table(call.abi).shown(call.nr);
        let maps = decoded.row.is_some_and(|row| row.args.iter().any(|arg| arg.name == "prot"));
        let is_shown = |arg: &&NamedArg<'_>| match arg.value {
            Value::Becomes(_) => false,
            // No file is mapped.
            Value::Fd { fd: -1, .. } if maps => false,
            of => !is_zero(&of),
        };
        for (i, arg) in decoded.args.iter().filter(is_shown).enumerate() {
            if i > 0 {
                w.str(", ");
            }
            if !arg.name.is_empty() {
                w.str(shown.map_or(arg.name, |row| row.kernel_name(arg.name)));
                w.str(": ");
            }
            value(w, &arg.value);
        }
        w.out.push(b')');
        pad(w, from, COLUMN - 1);
        match &decoded.ret {
            None => w.str("..."),
            Some(ret) => {
                w.str("= ");
                match ret.outcome {
                    Outcome::Value(_) if matches!(decoded.row.map(|row| row.ret), Some(Ret::Never)) => w.str("?"),
                    Outcome::Value(number) => match ret.value {
                        Value::Addr(_) if number == 0 => w.str("0"),
                        Value::Addr(_) | Value::Pid { .. } | Value::Fd { .. } | Value::Hex(_) => value(w, &ret.value),
                        _ => w.int(number),
                    },
                    Outcome::Error(errno) => error(w, errno),
                    Outcome::Gone | Outcome::Pending => w.str("?"),
                }
            }
        }
        w.out.push(b'\n');
    }

    /// perf shows probes that were set before it. Here a call is one line, as a system call is.
    fn library(&self, w: &mut Writer<'_>, line: &FormLine<'_>, call: &LibraryCall, notes: &[(i32, FdNote<'_>)]) {
        if call.part == LibraryPart::Entered {
            return;
        }
        let began = if call.entered == 0 { call.at } else { call.entered };
        leader(w, line, began, call.duration());
        let from = w.out.len();
        function(w, call);
        w.out.push(b'(');
        for (i, (name, of)) in library_args_noted(call, notes).enumerate() {
            if i > 0 {
                w.str(", ");
            }
            if !name.is_empty() && name != "..." {
                w.str(&crate::shown(name.as_bytes()));
                w.str(": ");
            }
            value(w, &of);
        }
        if call.entered == 0 {
            w.str("...");
        }
        w.out.push(b')');
        match (call.part, call.error(), library_result_noted(call, notes)) {
            (LibraryPart::Entered | LibraryPart::Passed, ..) => {}
            (part, errno, result) => {
                pad(w, from, COLUMN - 1);
                w.str("= ");
                match (errno, result) {
                    (Some(errno), _) => error(w, errno),
                    (None, Some(result)) => value(w, &result),
                    (None, None) => w.str(if part == LibraryPart::Gone { "?" } else { "void" }),
                }
            }
        }
        w.out.push(b'\n');
    }
}

/// The time since the beginning, the duration, the thread.
fn leader(w: &mut Writer<'_>, line: &FormLine<'_>, began: Ns, lasted: Option<Ns>) {
    let millis = |ns: Ns| ns as f64 / 1e6;
    // Writing to memory does not fail.
    let _ = write!(w.out, "{:10.3} (", millis(began.saturating_sub(line.base)));
    let _ = match lasted {
        Some(lasted) => write!(w.out, "{:6.3} ms): ", millis(lasted)),
        None => write!(w.out, "         ): "),
    };
    crate::escape_path(w.out, line.moment.comm.unwrap_or(b"?"), crate::HexStrings::Never);
    w.out.push(b'/');
    w.int(line.moment.tid);
    w.out.push(b' ');
}

fn error(w: &mut Writer<'_>, errno: u32) {
    w.str("-1 ");
    match names::errno(errno) {
        Some((name, text)) => {
            w.str(name);
            w.str(" (");
            w.str(text);
            w.str(")");
        }
        None => w.int(errno),
    }
}

/// perf leaves out arguments that are zero.
fn is_zero(value: &Value<'_>) -> bool {
    match *value {
        Value::Int(n) => n == 0,
        Value::UInt(n)
        | Value::Hex(n)
        | Value::Addr(n)
        | Value::Octal(n)
        | Value::Mode(n)
        | Value::Flags { raw: n, .. }
        | Value::Name { raw: n, .. } => n == 0,
        Value::Enum { raw, set } => raw == 0 && set.name_of(0).is_none(),
        Value::Pid { id: 0, .. } | Value::Absent => true,
        _ => false,
    }
}

fn value(w: &mut Writer<'_>, of: &Value<'_>) {
    match *of {
        Value::Fd { fd: -100, note: None, .. } => w.str("CWD"),
        Value::Pid { id, note, .. } => {
            w.int(id);
            if let Some(comm) = note.comm {
                w.str(" (");
                crate::escape_path(w.out, comm, crate::HexStrings::Never);
                w.str(")");
            }
        }
        Value::Signal(number) => match names::signal_text(number).strip_prefix("SIG") {
            Some(name) => w.str(name),
            None => w.int(number),
        },
        Value::Flags { raw, set } => flags(w, raw, set),
        Value::Enum { raw, set } => match set.name_of(raw) {
            Some(name) => w.str(short(name)),
            None => w.value(of),
        },
        Value::Known(_, meaning) => value(w, meaning),
        Value::Styled(meaning) | Value::Gloss(meaning) => value(w, meaning),
        Value::Or(parts) => {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    w.str("|");
                }
                value(w, part);
            }
        }
        _ => w.value(of),
    }
}

fn flags(w: &mut Writer<'_>, raw: u64, set: &Set) {
    let mut first = true;
    let any = set.parts(raw, |part| {
        if !std::mem::take(&mut first) {
            w.str("|");
        }
        match part {
            FlagPart::Name(name) => w.str(short(name)),
            FlagPart::Rest(bits) | FlagPart::Lead(bits) => w.hex(bits),
            FlagPart::Number(number, by) => {
                w.int(number);
                w.str("<<");
                w.str(by);
            }
        }
    });
    if !any {
        w.hex(raw);
    }
}

/// `PROT_READ` is `READ`: perf leaves out what the names of a set have in common.
fn short(name: &str) -> &str {
    match name.split_once('_') {
        // A name such as `R_OK` is `R`.
        Some((rest, "OK")) => rest,
        Some((prefix, rest)) if prefix.len() > 1 || matches!(prefix, "O" | "F" | "W" | "S") => rest,
        _ => name,
    }
}
