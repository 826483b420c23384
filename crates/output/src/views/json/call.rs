//! A call as JSON. It is written in one piece, or the arguments that are known at entry first and the rest at return.

use super::Json;
use stride_decode::{Decoded, Dump, Value};
use stride_event::{Call, CallWaits, Ns, Outcome, Phase, Stack, Tampering};
use stride_syscalls::{Abi, Ret, table};

/// How long a call took, and what its thread waited for.
#[derive(Clone, Copy, Default)]
pub struct CallTimes<'a> {
    pub duration: Option<Ns>,
    pub waits: Option<&'a CallWaits>,
}

impl Json<'_> {
    /// A call that no trace has, as an object of its own: name, arguments, outcome, number and ABI.
    pub fn of_call(decoded: &Decoded<'_>) -> String {
        let call = decoded.call;
        let mut out = Vec::new();
        Json::new(&mut out).object(|j| {
            j.key("name").str(&table(call.abi).name(call.nr));
            j.args_key(false);
            j.begin_args(false);
            j.args(decoded, false);
            j.end_args(false);
            j.outcome(call, decoded, false);
            j.key("nr").int(call.nr);
            j.key("abi").str(call.abi.name());
        });
        // The writer escapes bytes that are no UTF-8.
        String::from_utf8_lossy(&out).into_owned()
    }

    /// `thread`: the members about the thread, as [`super::event::ThreadMembers`] has them.
    pub fn begin_call(&mut self, abi: Abi, nr: u64, thread: &[u8]) {
        self.literal("{\"type\":\"call\",\"name\":");
        self.own(&table(abi).name(nr));
        self.out.extend_from_slice(thread);
    }

    /// The members that come last.
    pub fn end_call(&mut self, abi: Abi, nr: u64, times: CallTimes<'_>, ip: Option<u64>, stack: Option<&Stack>) {
        if let Some(duration) = times.duration {
            self.literal(",\"duration_ns\":");
            self.int(duration);
        }
        if let Some(waits) = times.waits {
            self.waits(waits);
        }
        self.literal(",\"nr\":");
        self.int(nr);
        self.literal(",\"abi\":");
        self.own(abi.name());
        if let Some(ip) = ip {
            self.key("ip").hex(ip);
        }
        if let Some(stack) = stack {
            self.stack(stack);
        }
        self.out.extend_from_slice(b"}\n");
    }

    /// The name of the arguments' member.
    pub fn args_key(&mut self, raw: bool) {
        self.key(if raw { "registers" } else { "args" });
    }

    /// Begins the arguments, by name, or as registers with `-e raw`. [`Json::end_args`] ends them.
    pub fn begin_args(&mut self, raw: bool) {
        self.out.push(if raw { b'[' } else { b'{' });
    }

    pub fn args(&mut self, decoded: &Decoded<'_>, raw: bool) {
        let shown = decoded.row.and_then(|row| row.args.get(decoded.skipped.checked_sub(1)?));
        let mut before = shown.map_or("", |arg| arg.name);
        for arg in decoded.args {
            match arg.value {
                _ if raw => self.value(&arg.value),
                // The value after the call belongs to the argument before, so it has no name of its own.
                Value::Becomes(value) => self.key_of(before, "_after").value(value),
                ref value => {
                    before = arg.name;
                    self.key(arg.name).value(value);
                }
            }
        }
    }

    pub fn end_args(&mut self, raw: bool) {
        self.out.push(if raw { b']' } else { b'}' });
    }

    /// The outcome of the call, behind other members.
    pub fn outcome(&mut self, call: &Call, decoded: &Decoded<'_>, raw: bool) {
        let ret = decoded.row.filter(|_| !raw).map(|row| row.returns(&call.args, call.abi));
        match call.outcome {
            Outcome::Pending | Outcome::Gone => self.unfinished(),
            Outcome::Value(_) if matches!(ret, Some(Ret::Never)) => self.unfinished(),
            Outcome::Error(errno) => {
                self.literal(",\"outcome\":\"error\",\"error\":");
                self.errno(errno);
            }
            Outcome::Value(v) => {
                self.literal(",\"outcome\":\"ok\"");
                let word = call.abi.cut(v as u64);
                let Some(returned) = &decoded.ret else { return };
                match ret {
                    Some(Ret::Flags(set)) => return self.key("ret").flags(word, set),
                    Some(Ret::Enum(set)) => return self.key("ret").value(&Value::Enum { raw: word, set }),
                    Some(Ret::NarrowInt) => return self.key("ret").int(v),
                    _ => {
                        self.made = true;
                        self.literal(",\"ret\":");
                        self.value(&returned.value);
                        self.made = false;
                    }
                }
                if let Some(note) = &returned.note {
                    self.key("note").value(note);
                }
            }
        }
    }

    pub fn unfinished(&mut self) {
        self.literal(",\"outcome\":\"unfinished\"");
    }

    /// The parts of the call that `-e inject=` changed.
    pub fn tampering(&mut self, tampering: Tampering) {
        if !tampering.is_none() {
            self.key("injected").array(|j| tampering.names().for_each(|name| j.str(name)));
        }
    }

    /// `-e read`, `-e write`: all data that the call moved.
    pub fn dump(&mut self, dump: &[Dump<'_>]) {
        if dump.is_empty() {
            return;
        }
        self.key("data").array(|j| {
            for piece in dump {
                j.object(|j| match *piece {
                    Dump::Vcpu { id, phase, ref state } => {
                        j.key("vcpu").int(id);
                        j.key("when").str(if phase == Phase::Entry { "before" } else { "after" });
                        j.key("state").value(state);
                    }
                    Dump::Vector { index, buffers } => {
                        j.key("message").int(index);
                        j.key("buffers").int(buffers);
                    }
                    Dump::Buffer { index, len } => {
                        j.key("buffer").int(index);
                        j.key("len").int(len);
                    }
                    Dump::Bytes { bytes, len } => {
                        j.name("text", bytes);
                        j.key("len").int(len);
                    }
                    Dump::Missing { len, addr, .. } => {
                        j.key("missing").int(len);
                        j.key("address").hex(addr);
                    }
                });
            }
        });
    }
}
