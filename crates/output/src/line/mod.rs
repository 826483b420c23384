//! strace's lines: leader, call, alignment, return value; lines cut in two when threads take turns.

pub mod color;
pub mod dump;
mod layout;
mod leader;
mod library;
pub mod moment;
mod outcome;
pub mod stack;
pub mod waits;

pub use layout::{Layout, Leader, PidPrefix, WallClock};
pub(crate) use library::DEEPEST;

use crate::Writer;
use crate::form::{FormLine, LineForm};
use crate::line::color::{Role, Span, Spans};
use crate::line::moment::Moment;
use crate::line::stack::StackLines;
use crate::spelling::clock::Clock;
use crate::spelling::names;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use stride_decode::{Decoded, NamedArg, Part, Value};
use stride_event::{Ns, Stack, Tid};

/// One stream of lines: the whole output, or one thread's with `-ff`.
pub struct Line {
    layout: Layout,
    /// Wall-clock time minus monotonic time.
    wall_offset: i128,
    out: Vec<u8>,
    /// The start of the unfinished line in `out`.
    start: usize,
    /// The call whose line is open.
    open: Option<Open>,
    /// The function of a library whose line is open: its thread, and how many functions it is in.
    open_function: Option<(Tid, u32)>,
    /// Calls whose line was cut, with the number of arguments that were shown.
    cut: FxHashMap<Tid, Open>,
    last_at: Option<Ns>,
    spans: Spans,
    clock: Clock,
    /// With another form than strace's: when the trace began, and each thread's process and latest line.
    base: Option<Ns>,
    threads: FxHashMap<Tid, (Tid, Ns)>,
}

#[derive(Clone, Copy)]
struct Open {
    tid: Tid,
    /// The number of arguments shown so far.
    args: usize,
}

impl Line {
    pub fn new(layout: Layout, wall_offset: i128) -> Line {
        Line {
            layout,
            wall_offset,
            out: Vec::with_capacity(1 << 16),
            start: 0,
            open: None,
            open_function: None,
            cut: FxHashMap::default(),
            last_at: None,
            spans: Spans::default(),
            clock: Clock::default(),
            base: None,
            threads: FxHashMap::default(),
        }
    }

    /// The form of lines, if it is not strace's.
    pub fn form(&self) -> Option<Arc<dyn LineForm>> {
        self.layout.form.clone()
    }

    /// Takes note of a thread's process.
    pub fn belongs(&mut self, tid: Tid, process: Tid) {
        let before = self.base.unwrap_or_default();
        self.threads.insert(tid, (process, before));
    }

    /// Writes a line in the form that is asked for. `began`: when the thing that the line is about began.
    fn in_form(&mut self, m: Moment<'_>, began: Ns, write: impl FnOnce(&mut Writer<'_>, &FormLine<'_>)) {
        let Some(form) = self.form() else { return };
        let mut w = Writer { out: &mut self.out, style: self.layout.style };
        let base = *self.base.get_or_insert_with(|| {
            form.head(&mut w, (i128::from(began) + self.wall_offset).max(0) as u64);
            began
        });
        let (pid, before) = self.threads.get(&m.tid).copied().unwrap_or((m.tid, base));
        write(&mut w, &FormLine { moment: m, pid, base, before: before.max(base) });
        self.threads.insert(m.tid, (pid, m.at));
    }

    /// A process was killed by a signal.
    pub fn killed(&mut self, m: Moment<'_>) {
        if let Some(form) = self.form() {
            self.in_form(m, m.at, |w, line| form.killed(w, line));
        }
    }

    /// The bytes that are ready to be written.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Writes the buffer. The open line continues.
    pub fn write<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        // The part of an open line that was already written counts for the column.
        let column = self.column();
        let result = write(&mut self.out);
        self.out.clear();
        self.start = 0usize.wrapping_sub(column);
        result
    }

    fn column(&self) -> usize {
        self.out.len().wrapping_sub(self.start)
    }

    /// True if this thread's call is the open line.
    pub fn is_open(&self, tid: Tid) -> bool {
        self.open.is_some_and(|o| o.tid == tid)
    }

    /// True if this thread's call was shown at entry and has not been shown at return.
    pub fn is_pending(&self, tid: Tid) -> bool {
        self.is_open(tid) || self.cut.contains_key(&tid)
    }

    /// Ends the open line of another thread.
    fn interrupt(&mut self) {
        if self.open_function.take().is_some() {
            self.out.extend_from_slice(b" <unfinished ...>\n");
        }
        if let Some(open) = self.open.take() {
            self.out.extend_from_slice(b" <unfinished ...>\n");
            self.cut.insert(open.tid, open);
        }
    }

    /// Shows a decoded call, or a part of one.
    pub fn call(
        &mut self,
        decoded: &Decoded<'_>,
        part: Part,
        tracees: usize,
        comm: Option<&[u8]>,
        label: Option<&[u8]>,
    ) {
        let call = decoded.call;
        let moment = |at| Moment { tid: call.tid, at, tracees, nr: Some(call.nr), ip: Some(call.ip), comm, label };
        if let Some(form) = self.form() {
            let at = if decoded.ret.is_some() { call.returned } else { call.began() };
            return self.in_form(moment(at), call.began(), |w, line| form.call(w, line, decoded));
        }
        let mut shown = 0;
        match part {
            Part::Entry | Part::Whole => {
                self.leader(moment(call.began()));
                self.mark(Span::Whole(Role::Syscall));
                self.name(decoded);
                self.mark(Span::Whole(Role::Punctuation));
                self.out.push(b'(');
            }
            Part::Rest => {
                if let Some(open) = self.open.filter(|o| o.tid == call.tid) {
                    shown = open.args;
                    self.open = None;
                } else {
                    let cut = self.cut.remove(&call.tid);
                    shown = cut.map_or(0, |o| o.args);
                    self.leader(moment(call.returned));
                    self.out.extend_from_slice(b"<... ");
                    self.name(decoded);
                    self.out.extend_from_slice(b" resumed>");
                }
            }
        }
        self.mark(Span::Values(Role::ArgValue));
        shown = self.args(decoded.args, shown);
        self.mark(Span::Whole(Role::Punctuation));
        match &decoded.ret {
            None => self.open = Some(Open { tid: call.tid, args: shown }),
            Some(ret) => {
                if decoded.unfinished {
                    self.out.extend_from_slice(b" <unfinished ...>");
                }
                self.out.push(b')');
                self.ret(call, decoded, ret);
                self.mark(Span::Plain);
                crate::line::dump::write(&mut self.out, decoded.dump);
            }
        }
        self.paint();
    }

    /// Starts a span: the rest of the line has this colour.
    fn mark(&mut self, span: Span) {
        if self.layout.palette.is_some() {
            self.spans.mark(self.out.len(), span);
        }
    }

    /// Paints the complete part. Colours do not count for the column.
    fn paint(&mut self) {
        if let Some(palette) = &self.layout.palette {
            let grown = self.spans.paint(palette, &mut self.out);
            self.start = self.start.wrapping_add(grown);
        }
    }

    pub(crate) fn name(&mut self, decoded: &Decoded<'_>) {
        match decoded.row {
            Some(row) => self.out.extend_from_slice(row.name.as_bytes()),
            None => {
                self.out.extend_from_slice(b"syscall_");
                Writer { out: &mut self.out, style: self.layout.style }.hex(decoded.call.nr);
            }
        }
    }

    pub(crate) fn value(&mut self, value: &Value<'_>) {
        Writer { out: &mut self.out, style: self.layout.style }.value(value);
    }

    /// Each argument writes the separator before it, so a cut line never ends in a comma.
    pub(crate) fn args(&mut self, args: &[NamedArg<'_>], mut shown: usize) -> usize {
        let mut w = Writer { out: &mut self.out, style: self.layout.style };
        for arg in args {
            if let Value::Becomes(_) = arg.value {
                w.value(&arg.value);
                continue;
            }
            if shown > 0 {
                w.str(", ");
            }
            if (w.style.arg_names || arg.named) && !arg.name.is_empty() {
                w.str(arg.name);
                w.out.push(b'=');
            }
            w.value(&arg.value);
            shown += 1;
        }
        shown
    }

    /// A whole line of other text, such as `+++ exited with 0 +++`.
    pub fn other(&mut self, m: Moment<'_>, write: impl FnOnce(&mut Writer<'_>)) {
        if self.layout.form.is_some() {
            return self.in_form(m, m.at, |w, _| {
                write(w);
                w.out.push(b'\n');
            });
        }
        self.leader(m);
        write(&mut Writer { out: &mut self.out, style: self.layout.style });
        self.out.push(b'\n');
    }

    /// A whole line about a signal: `--- SIGINT {…} ---`.
    pub fn signal(&mut self, m: Moment<'_>, signal: i32, info: &Value<'_>) {
        if let Some(form) = self.form() {
            return self.in_form(m, m.at, |w, line| form.signal(w, line, signal, info));
        }
        self.leader(m);
        self.mark(Span::Values(Role::ArgValue));
        let mut w = Writer { out: &mut self.out, style: self.layout.style };
        w.str("--- ");
        names::signal(w.out, signal);
        w.str(" ");
        w.value(info);
        w.str(" ---");
        self.out.push(b'\n');
        self.paint();
    }

    /// The frames of a stack, each in a line of its own.
    pub fn stack(&mut self, stack: &Arc<Stack>, lines: &mut StackLines) {
        self.out.extend_from_slice(lines.of(stack, self.layout.style));
    }

    /// The thread continues under another id. Returns how many arguments of its pending call were shown.
    pub fn change_pid(&mut self, old: Tid, new: Tid) -> Option<usize> {
        if let Some(open) = self.open.take_if(|open| open.tid == old) {
            self.out.extend_from_slice(b" <pid changed to ");
            self.out.extend_from_slice(itoa::Buffer::new().format(new).as_bytes());
            self.out.extend_from_slice(b" ...>\n");
            return Some(open.args);
        }
        self.cut.remove(&old).map(|open| open.args)
    }

    /// The next part of this thread's call continues after `args` arguments that were shown elsewhere.
    pub fn expect(&mut self, tid: Tid, args: usize) {
        self.cut.insert(tid, Open { tid, args });
    }

    /// The thread ended or was detached: its open line is closed as strace closes it.
    pub fn forget(&mut self, tid: Tid, closing: Option<&[u8]>) {
        if self.open_function.take_if(|(open, _)| *open == tid).is_some() {
            self.out.extend_from_slice(closing.unwrap_or(b" <unfinished ...>"));
            self.out.push(b'\n');
        }
        if self.is_open(tid) {
            self.open = None;
            self.out.extend_from_slice(closing.unwrap_or(b" <unfinished ...>"));
            self.out.push(b'\n');
        }
        self.cut.remove(&tid);
        self.threads.remove(&tid);
    }
}
