//! strace's lines: leader, call, alignment, return value; lines cut in two when threads take turns.

mod library;

use crate::clock::{Clock, seconds};
use crate::color::{Role, Span, Spans};
use crate::form::{FormLine, LineForm};
use crate::moment::Moment;
use crate::stack::StackLines;
use crate::{NameStyle, Palette, Style, Writer, names};
use std::collections::HashMap;
use std::io::Write as _;
use std::rc::Rc;
use std::sync::Arc;
use stride_decode::{Decoded, NamedArg, Part, Return, Value};
use stride_event::{Call, Ns, Outcome, Stack, Tid};
use stride_syscalls::Ret;

/// The fields of a line's leader.
#[derive(Clone, Debug, Default)]
pub struct Leader {
    pub pid: PidPrefix,
    /// `-t`, `-tt`, `-ttt`.
    pub wall: Option<WallClock>,
    /// `-r`: digits after the point.
    pub relative: Option<u8>,
    /// `-n`.
    pub number: bool,
    /// `-i`.
    pub ip: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PidPrefix {
    #[default]
    Never,
    /// `[pid  1234] ` once there is more than one tracee.
    WhenSeveral,
    /// `1234  `: output that goes to a file under `-f`.
    Always,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WallClock {
    /// Seconds since the epoch instead of the time of day.
    pub epoch: bool,
    /// Digits after the point.
    pub digits: u8,
}

/// The fields at the end of a line, and the layout of the line.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// `-a`.
    pub column: usize,
    /// `-T`: digits after the point.
    pub elapsed: Option<u8>,
    pub style: Style,
    pub leader: Leader,
    /// `--color`.
    pub palette: Option<Palette>,
    /// `--style`: another form than strace's.
    pub form: Option<Rc<dyn LineForm>>,
}

/// One stream of lines: the whole output, or one thread's with `-ff`.
pub struct Line {
    layout: Layout,
    /// Wall-clock time minus monotonic time.
    wall_offset: i128,
    out: Vec<u8>,
    /// Where the unfinished line starts in `out`.
    start: usize,
    /// The call whose line is open.
    open: Option<Open>,
    /// The function of a library whose line is open: its thread, and how many functions it is in.
    open_function: Option<(Tid, u32)>,
    /// Calls whose line was cut, with the number of arguments that were shown.
    cut: HashMap<Tid, Open>,
    last_at: Option<Ns>,
    spans: Spans,
    clock: Clock,
    /// With another form than strace's: when the trace began, and each thread's process and latest line.
    base: Option<Ns>,
    threads: HashMap<Tid, (Tid, Ns)>,
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
            cut: HashMap::new(),
            last_at: None,
            spans: Spans::default(),
            clock: Clock::default(),
            base: None,
            threads: HashMap::new(),
        }
    }

    /// The form of lines, if it is not strace's.
    pub fn form(&self) -> Option<Rc<dyn LineForm>> {
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

    /// The bytes that are ready to be written. The caller clears the buffer after writing.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Takes note that the buffer was written and cleared. The open line continues.
    pub fn written(&mut self) {
        // The part of an open line that was already written counts for the column.
        let column = self.column();
        self.out.clear();
        self.start = 0usize.wrapping_sub(column);
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

    /// Starts a new line.
    fn leader(&mut self, m: Moment<'_>) {
        self.interrupt();
        self.start = self.out.len();
        let leader = self.layout.leader.clone();
        let mut w = Writer { out: &mut self.out, style: self.layout.style };
        match leader.pid {
            PidPrefix::Always => {
                let from = w.out.len();
                w.int(m.tid);
                match m.comm {
                    Some(comm) => w.angled(comm),
                    None => w.out.resize((from + 5).max(w.out.len()), b' '),
                }
                w.out.push(b' ');
            }
            PidPrefix::WhenSeveral if m.tracees > 1 => {
                let mut buf = itoa::Buffer::new();
                let digits = buf.format(m.tid);
                w.str("[pid ");
                for _ in digits.len()..5 {
                    w.out.push(b' ');
                }
                w.str(digits);
                if let Some(comm) = m.comm {
                    w.angled(comm);
                }
                w.str("] ");
            }
            _ => {}
        }
        if let Some(label) = m.label {
            w.str("[");
            crate::escape_path(w.out, label, crate::HexStrings::Never);
            w.str("] ");
        }
        if let Some(wall) = leader.wall {
            let now = (i128::from(m.at) + self.wall_offset).max(0) as u64;
            self.clock.write(w.out, now, wall.epoch, wall.digits);
            w.out.push(b' ');
        }
        if let Some(digits) = leader.relative {
            let since = m.at.saturating_sub(self.last_at.unwrap_or(m.at));
            self.last_at = Some(m.at);
            if leader.wall.is_some() {
                w.str("(+");
            }
            seconds(w.out, since, 6, digits);
            w.str(if leader.wall.is_some() { ") " } else { " " });
        }
        if leader.number {
            match m.nr {
                Some(nr) => {
                    let mut buf = itoa::Buffer::new();
                    let digits = buf.format(nr);
                    w.str("[");
                    for _ in digits.len()..4 {
                        w.out.push(b' ');
                    }
                    w.str(digits);
                    w.str("] ");
                }
                None => w.str("[????] "),
            }
        }
        if leader.ip {
            match m.ip {
                Some(ip) => {
                    // Writing to a buffer does not fail.
                    let _ = write!(w.out, "[{ip:016x}] ");
                }
                None => w.str("[????????????????] "),
            }
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
                crate::dump::write(&mut self.out, decoded.dump);
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

    /// Goes to the column of `=`, and writes that.
    fn align(&mut self) {
        let column = self.column();
        if column < self.layout.column {
            self.out.resize(self.out.len() + self.layout.column - column, b' ');
        }
        self.out.extend_from_slice(if column < self.layout.column { b"= " } else { b" = " });
    }

    fn ret(&mut self, call: &Call, decoded: &Decoded<'_>, ret: &Return<'_>) {
        self.align();
        self.outcome(decoded, ret);
        if let Some(digits) = self.layout.elapsed {
            let mut w = Writer { out: &mut self.out, style: self.layout.style };
            match (ret.outcome, call.took()) {
                (Outcome::Value(_) | Outcome::Error(_), Some(took)) => {
                    w.str(" <");
                    seconds(w.out, took, 1, digits);
                    w.str(">");
                }
                _ => w.str(" <unavailable>"),
            }
        }
        self.out.push(b'\n');
    }

    /// The return value, with the error's text and the note.
    pub(crate) fn outcome(&mut self, decoded: &Decoded<'_>, ret: &Return<'_>) {
        let style = self.layout.style;
        let mut w = Writer { out: &mut self.out, style };
        let colored = self.layout.palette.is_some();
        let mut mark = |w: &Writer<'_>, span| {
            if colored {
                self.spans.mark(w.out.len(), span);
            }
        };
        mark(&w, Span::Values(Role::Return));
        match ret.outcome {
            Outcome::Value(v) => {
                if matches!(decoded.row.map(|r| r.ret), Some(Ret::Never)) {
                    w.str("?");
                } else if matches!(ret.value, Value::Addr(0)) {
                    w.int(v);
                } else {
                    w.value(&ret.value);
                }
            }
            Outcome::Error(e) => match names::errno(e) {
                // The program never sees the kernel's internal codes. The call will be restarted.
                Some((name, text)) if (512..=516).contains(&e) || e == 530 => {
                    w.str("? ");
                    mark(&w, Span::Whole(Role::Error));
                    w.str(name);
                    w.str(" (");
                    w.str(text);
                    w.str(")");
                }
                Some((name, text)) => {
                    w.str("-1 ");
                    mark(&w, Span::Whole(Role::Error));
                    w.str(name);
                    w.str(" (");
                    w.str(text);
                    w.str(")");
                }
                None => {
                    w.str("-1 ");
                    mark(&w, Span::Whole(Role::Error));
                    w.str("(errno ");
                    w.int(e);
                    w.str(")");
                }
            },
            Outcome::Gone | Outcome::Pending => w.str("?"),
        }
        mark(&w, Span::Values(Role::ArgValue));
        // A note that explains the number follows `-X`. Any other note always keeps its names.
        let raw = style.names == NameStyle::Raw;
        match &ret.note {
            None => {}
            Some(Value::Macro { .. } | Value::Known(..) | Value::Gloss(_)) if raw => {}
            Some(Value::Macro { name, args, .. }) => {
                w.str(" (");
                w.macro_call(name, args);
                w.str(")");
            }
            Some(note) => {
                let (note, names) = match note {
                    Value::Known(_, meaning) => (*meaning, style.names),
                    Value::Styled(_) => (note, style.names),
                    note => (note, NameStyle::Abbrev),
                };
                w.str(" (");
                Writer { out: &mut *w.out, style: Style { names, ..style } }.value(note);
                w.str(")");
            }
        }
        let changed = decoded.call.tampering;
        w.str(match (changed.arguments, changed.result) {
            (false, false) => "",
            (false, true) => " (INJECTED)",
            (true, false) => " (INJECTED: args)",
            (true, true) => " (INJECTED: args, retval)",
        });
        if changed.delay {
            w.str(" (DELAYED)");
        }
        mark(&w, Span::Plain);
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
