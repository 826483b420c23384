//! Any bytes as a call with registers and memory: it is captured, decoded, and written as text and JSON. The tests and
//! the fuzz target `call` (fuzz/) share this file.
//!
//! An input is a head of fixed size, and then the tracee's memory. Every address is some place in that memory, so that
//! whatever a register or a pointer in memory holds leads to bytes of the input. Some pages are missing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use stride_decode::{FdInfo, Options, PidInfo, Resolver};
use stride_event::{
    Call, CallSet, Descriptor, Event, FdOf, FdSet, FileKind, LibraryCall, LibraryFunction, LibraryPart, LibraryText,
    Limits, OperationFacts, Outcome, Peek, Phase, SIGINFO_SIZE, Tid, capture,
};
use stride_output::{JsonView, Layout, NameStyle, RunInfo, Show, Sink, Style, TextView, View};
use stride_syscalls::operation::{MOST_TEXTS, operations};
use stride_syscalls::plan::Plan;
use stride_syscalls::{Abi, PidKind, table};
use stride_track::Tracker;

/// The subjects of inputs: the first byte of the head.
pub const OPERATION: u8 = 3;
pub const SIGNAL: u8 = 4;
/// Bytes of the head.
pub const HEAD: usize = 6 + 8 * 8;
/// The most bytes that are written for an input, besides those for each captured byte: a call has six arguments, and
/// each may stand for a list of which a part is shown.
const ROOM: usize = 1 << 16;
/// The most bytes that are written for a captured byte. One of an `fd_set` has eight descriptors, each with its file in
/// JSON.
const EACH: usize = 1024;
/// The most bytes in all.
const MOST: usize = 128 << 20;

/// The head of an input.
struct Head {
    subject: u8,
    /// The syscall's number or the operation's code.
    nr: u16,
    options: u8,
    /// The way in which it ends.
    end: u8,
    /// Which protocol a netlink socket has, and by how much memory differs at exit.
    extra: u8,
    value: u64,
    /// The word at the stack pointer.
    sp: u64,
    args: [u64; 6],
}

impl Head {
    fn of(bytes: &[u8; HEAD]) -> Head {
        let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|k| bytes[6 + 8 * i + k]));
        let [subject, low, high, options, end, extra, ..] = *bytes;
        let nr = u16::from_le_bytes([low, high]);
        Head {
            subject,
            nr,
            options,
            end,
            extra,
            value: word(0),
            sp: word(1),
            args: std::array::from_fn(|i| word(i + 2)),
        }
    }

    fn has(&self, bit: u8) -> bool {
        self.options >> bit & 1 != 0
    }

    fn outcome(&self) -> Outcome {
        match self.end % 4 {
            0 => Outcome::Error((self.value % 140) as u32),
            1 => Outcome::Error(512 + (self.value % 6) as u32),
            2 if self.end >= 128 => Outcome::Gone,
            _ => Outcome::Value(self.value as i64),
        }
    }

    fn options(&self) -> Options {
        let some = |bit| if self.has(bit) { CallSet::all() } else { CallSet::empty() };
        let dumped = if self.has(2) { FdSet { listed: Vec::new(), inverted: true } } else { FdSet::none() };
        Options {
            text: if self.has(0) { 256 } else { 32 },
            abbrev: some(1),
            fds: self.has(3),
            pids: self.has(3),
            dump_read: dumped.clone(),
            dump_write: dumped,
            ..Options::default()
        }
    }

    fn layout(&self) -> Layout {
        let names = match (self.has(4), self.has(5)) {
            (false, _) => NameStyle::Abbrev,
            (true, false) => NameStyle::Verbose,
            (true, true) => NameStyle::Raw,
        };
        Layout { column: 40, style: Style { names, arg_names: self.has(6), ..Style::default() }, ..Layout::default() }
    }
}

/// The tracee's memory.
struct Memory<'b> {
    bytes: &'b [u8],
    /// It begins here: other bytes are at the same addresses once a call returns.
    from: usize,
}

impl Peek for Memory<'_> {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        // Every 16th page is missing, and there is none at 0.
        if self.bytes.is_empty() || (addr >> 12).is_multiple_of(16) {
            return 0;
        }
        let to_hole = ((16 - (addr >> 12) % 16) * 4096 - addr % 4096) as usize;
        let n = buf.len().min(to_hole);
        let mut at = (addr as usize).wrapping_add(self.from) % self.bytes.len();
        for to in &mut buf[..n] {
            *to = self.bytes[at];
            at = if at + 1 == self.bytes.len() { 0 } else { at + 1 };
        }
        n
    }
}

/// A resolver for which every question has an answer, some of them hostile.
struct Answers(u32);

impl Resolver for Answers {
    fn fd(&self, FdOf { fd, .. }: FdOf, _: Option<&Descriptor>) -> Option<FdInfo> {
        (fd >= 0).then(|| FdInfo {
            path: b"/a\n\x1b[2J\xff>".to_vec(),
            detail: "<char 1:3>".into(),
            deleted: fd % 2 == 0,
        })
    }

    fn path(&self, _: Tid, fd: i32, _: Option<&Descriptor>) -> Option<Vec<u8>> {
        let path: &[u8] = if fd % 2 == 0 { b"/dev/dri/card0" } else { b"/dev/\xff" };
        Some(path.to_vec())
    }

    fn is_terminal(&self, _: Tid, fd: i32) -> bool {
        fd % 2 == 0
    }

    fn netlink_protocol(&self, _: Tid, _: i32) -> Option<u32> {
        Some(self.0)
    }

    fn interface(&self, index: u32) -> Option<Vec<u8>> {
        (index < 100).then(|| b"eth\"0".to_vec())
    }

    fn pid(&self, _: Tid, id: i32, _: PidKind) -> PidInfo {
        PidInfo { comm: Some(b"a>\xff".to_vec()), outer: Some(id.wrapping_add(1)) }
    }
}

/// Output that is kept.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn sink(&self) -> Sink {
        Sink::new("nowhere", Box::new(self.clone()), true)
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Shows the input as text and as JSON. False: it is too short to have a head.
///
/// # Panics
/// If Stride does, if the output is longer than the input can explain, or if it is no JSON or no printable text.
pub fn show(input: &[u8]) -> bool {
    let Some((head, memory)) = input.split_first_chunk::<HEAD>() else { return false };
    let head = Head::of(head);
    match head.subject % 5 {
        OPERATION => {
            let call = operation(&head, memory);
            written(&head, &[Event::Library(&call)], call.texts.iter().map(|text| text.bytes.len()).sum())
        }
        SIGNAL => {
            let mut info = [0; SIGINFO_SIZE];
            Memory { bytes: memory, from: 0 }.peek(0x1000, &mut info);
            let signal =
                Event::Signal { tid: 7, info: &info, ip: head.has(7).then_some(head.value), stack: None, at: 1 };
            written(&head, &[signal], SIGINFO_SIZE)
        }
        abi => {
            let abi = Abi::ALL[usize::from(abi)];
            let (entered, returned) = call(&head, abi, memory);
            let events = [Event::Enter(&entered), Event::Exit(&returned)];
            // An engine may show a call only when it has returned.
            written(&head, &events[usize::from(head.has(7))..], returned.blocks.size())
        }
    }
    true
}

thread_local! {
    /// The plans that were made: that of ioctl(2) is long.
    static PLANS: RefCell<HashMap<(Abi, u16), Rc<Plan>>> = RefCell::default();
}

/// The call when it is entered, and when it has returned.
fn call(head: &Head, abi: Abi, memory: &[u8]) -> (Call, Call) {
    let elements = if head.end & 0x70 == 0 && !head.has(1) { 1100 } else { 32 };
    let limits = Limits { text: if head.has(0) { 256 } else { 32 }, command_text: 0, elements, received: true };
    let mut call = Call {
        tid: 7,
        abi,
        nr: head.nr.into(),
        args: head.args.map(|word| abi.cut(word)),
        sp: head.sp,
        file_kind: Some(FileKind::Netlink((head.extra % 32).into())),
        ..Call::default()
    };
    let row = table(abi).get(call.nr).map(|entry| entry.row);
    let plan = row.map(|row| {
        PLANS.with_borrow_mut(|plans| {
            Rc::clone(plans.entry((abi, head.nr)).or_insert_with(|| Rc::new(Plan::of(row, abi))))
        })
    });
    let copy = |phase, call: &mut Call, from| {
        if let (Some(row), Some(plan)) = (row, &plan) {
            capture(plan, row, phase, call, &limits, &mut Memory { bytes: memory, from });
        }
    };
    copy(Phase::Entry, &mut call, 0);
    let entered = call.clone();
    call.outcome = head.outcome();
    copy(Phase::Exit, &mut call, usize::from(head.extra >> 5));
    (entered, call)
}

/// An operation of io_uring whose members are the registers and then memory.
fn operation(head: &Head, memory: &[u8]) -> LibraryCall {
    let opcode = head.nr as u8;
    let function = LibraryFunction::of_operation(opcode);
    let params = function.params.len();
    let words = (0..params).map(|i| head.args.get(i).copied().unwrap_or(head.sp)).collect();
    let row = operations().get(usize::from(opcode));
    let text = |(i, bytes): (usize, &[u8])| LibraryText {
        word: Some((usize::from(head.extra) + i) as u8 % params.max(1) as u8),
        bytes: bytes.into(),
        cut: head.end >= 128,
    };
    let texts = memory.chunks(512).take(MOST_TEXTS).enumerate().filter(|_| row.is_some()).map(text).collect();
    LibraryCall {
        tid: 7,
        function: Arc::new(function),
        part: [LibraryPart::Returned, LibraryPart::Gone][usize::from(head.end % 2)],
        at: 20,
        entered: if head.has(7) { 0 } else { 10 },
        words,
        result: head.value,
        texts,
        operation: Some(OperationFacts {
            polled: head.has(0),
            flags: head.end,
            user_data: head.sp,
            cqe_flags: head.sp as u32,
        }),
        ..LibraryCall::default()
    }
}

/// Writes the events, and holds the output against the bytes that were captured.
fn written(head: &Head, events: &[Event<'_>], captured: usize) {
    let (text, json) = (Kept::default(), Kept::default());
    let resolver = || Box::new(Answers((head.extra % 32).into()));
    let tracker = Tracker::default();
    let mut view = TextView::new(head.layout(), head.options(), resolver(), 0, Show::default(), text.sink());
    events.iter().for_each(|event| view.event(event));
    view.flush();
    let mut view = JsonView::new(&RunInfo::default(), head.options(), resolver(), Show::default(), false, json.sink());
    events.iter().for_each(|event| view.event(event, &tracker));
    view.flush();
    let (text, json) = (text.bytes(), json.bytes());
    for (what, written) in [("text", &text), ("JSON", &json)] {
        let most = (ROOM + EACH * captured).min(MOST);
        assert!(written.len() <= most, "{} bytes of {what} for {captured} captured bytes", written.len());
    }
    let unprintable = text.iter().find(|byte| !matches!(byte, b'\n' | b' '..=b'~'));
    assert!(unprintable.is_none(), "{unprintable:?} in {}", String::from_utf8_lossy(&text));
    for line in json.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let parsed = serde_json::from_slice::<serde::de::IgnoredAny>(line);
        assert!(parsed.is_ok(), "{parsed:?}: {}", String::from_utf8_lossy(line));
    }
}
