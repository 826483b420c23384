#![allow(dead_code)] // Each test uses its part.
//! Streams of events as engines might make them, and the comparison of such streams.

pub mod frames;

use proptest::prelude::*;
use std::sync::Arc;
use stride_event::{
    BlockRef, Blocks, Bottom, Call, CallWaits, CodeFile, Descriptor, Detail, Event, Fate, FdOf, FileKind,
    InlinedFunction, Interrupt, LibraryCall, LibraryFunction, LibraryPart, LibraryText, Lost, NamedThread,
    OperationFacts, Outcome, Param, Phase, Question, SIGINFO_SIZE, Sleep, SourceLine, Stack, StackFrame, StartKind,
    Symbol, Taker, Tampering, Tid, WaitKind, WaitTimes, Waker,
};
use stride_record::{Fact, Metadata, Reader, Recorded, Recorder};
use stride_syscalls::library::WordType;
use stride_syscalls::{Abi, PidKind};

/// A thing to record, which borrows nothing.
#[derive(Clone, Debug)]
pub enum Step {
    Event(Event<'static>),
    /// A call's entry with this many of its blocks, and its return.
    Both(Call, usize),
    Enter(Call),
    Exit(Call),
    /// This many returns of the call, and a signal, all with one stack.
    Stack(Call, Arc<Stack>, usize),
    Superseded(Tid, Tid, Option<Call>),
    Detached(Tid, Option<Call>),
    Signal(Tid, [u8; SIGINFO_SIZE], Option<u64>),
    Fact(Fact),
    Library(LibraryCall),
}

fn tid() -> impl Strategy<Value = Tid> {
    prop_oneof![8 => 100..104, 1 => 0..=1 << 22]
}

fn name() -> impl Strategy<Value = Box<str>> {
    "[a-z:<>é]{0,12}".prop_map(String::into_boxed_str)
}

fn source() -> impl Strategy<Value = Option<SourceLine>> {
    prop::option::of((name(), any::<u32>()).prop_map(|(file, line)| SourceLine { file, line }))
}

fn frame() -> impl Strategy<Value = StackFrame> {
    let module = (prop::collection::vec(any::<u8>(), 0..9), prop::collection::vec(any::<u8>(), 0..21))
        .prop_map(|(path, id)| Arc::new(CodeFile { path: path.into(), build_id: id.into() }));
    let symbol = (name(), word()).prop_map(|(name, offset)| Symbol { name, offset });
    let inlined = (name(), source()).prop_map(|(name, source)| InlinedFunction { name, source });
    (prop::option::of(module), word(), prop::option::of(symbol), source(), prop::collection::vec(inlined, 0..3))
        .prop_map(|(module, offset, symbol, source, inlined)| StackFrame {
            module,
            offset,
            symbol,
            source,
            inlined: inlined.into(),
        })
}

/// A stack in which some frames may repeat.
fn stack() -> impl Strategy<Value = Arc<Stack>> {
    let frames = prop::collection::vec(frame().prop_map(Arc::new), 1..4);
    (frames, prop::collection::vec(0..4usize, 0..6), 0..3usize).prop_map(|(known, picked, bottom)| {
        let frames = picked.into_iter().map(|i| known[i % known.len()].clone()).collect();
        Arc::new(Stack { frames, bottom: [Bottom::Reached, Bottom::Limit, Bottom::Unknown][bottom] })
    })
}

fn word() -> impl Strategy<Value = u64> {
    prop_oneof![0..4u64, Just(0x7fff_0000_1000), Just(0x5555_0000), any::<u64>()]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Pending),
        any::<i64>().prop_map(Outcome::Value),
        (0..20i64).prop_map(Outcome::Value),
        (1..600u32).prop_map(Outcome::Error),
        Just(Outcome::Gone),
    ]
}

fn blocks() -> impl Strategy<Value = Blocks> {
    let bytes = prop_oneof![Just(b"hello".to_vec()), proptest::collection::vec(any::<u8>(), 0..40)];
    let block = (0..3u8, any::<bool>(), word(), prop::bool::weighted(0.1), bytes);
    proptest::collection::vec(block, 0..5).prop_map(|list| {
        let mut blocks = Blocks::default();
        for (op, exit, addr, faulted, bytes) in list {
            let phase = if exit { Phase::Exit } else { Phase::Entry };
            blocks.push_block(BlockRef { op, phase, addr, faulted, bytes: &bytes });
        }
        blocks
    })
}

fn end() -> impl Strategy<Value = (std::net::IpAddr, u16)> {
    (any::<std::net::IpAddr>(), any::<u16>())
}

fn detail() -> impl Strategy<Value = Detail> {
    prop_oneof![
        Just(Detail::None),
        (any::<u64>(), any::<u64>(), any::<bool>()).prop_map(|(count, id, semaphore)| Detail::Eventfd {
            count,
            id,
            semaphore
        }),
        any::<u64>().prop_map(Detail::Signalfd),
        any::<i32>().prop_map(Detail::Pidfd),
        any::<u32>().prop_map(Detail::Terminal),
        (any::<u32>(), any::<u32>()).prop_map(|(protocol, port)| Detail::Netlink { protocol, port }),
        (any::<u64>(), proptest::collection::vec(any::<u8>(), 0..9))
            .prop_map(|(peer, name)| Detail::Unix { peer, name }),
        (end(), prop::option::of(end())).prop_map(|(local, remote)| Detail::Inet { local, remote }),
    ]
}

prop_compose! {
    fn descriptor()(
        fd in any::<i32>(), made in any::<bool>(), path in proptest::collection::vec(any::<u8>(), 0..20), deleted in any::<bool>(),
        mode in any::<u32>(), inode in any::<u64>(), device in any::<(u32, u32)>(),
        name in proptest::collection::vec(any::<u8>(), 0..9), detail in detail()
    ) -> Descriptor {
        Descriptor { fd, made, path, deleted, mode, inode, device, name, detail }
    }
}

fn file_kind() -> impl Strategy<Value = FileKind> {
    prop_oneof![
        any::<u32>().prop_map(FileKind::Netlink),
        Just(FileKind::Other),
        Just(FileKind::Terminal),
        Just(FileKind::BpfMap),
        Just(FileKind::BpfProgram),
        Just(FileKind::BpfTypes),
        Just(FileKind::BpfLink),
    ]
}

prop_compose! {
    fn call()(
        tid in tid(), abi in 0..3usize, nr in prop_oneof![8 => 0..3u64, 1 => any::<u64>()],
        args in prop::array::uniform6(word()), ip in word(), sp in word(), resumes in prop::option::weighted(0.1, 0..400u64),
        entered in prop_oneof![8 => (1_000_000..2_000_000u64).prop_map(Some), 8 => (1..=u64::MAX).prop_map(Some), 1 => Just(None)], lasted in prop_oneof![0..10_000u64, any::<u64>()],
        system_time in prop_oneof![Just(0u64), any::<u64>()], outcome in outcome(), blocks in blocks(),
        file_kind in prop::option::weighted(0.2, file_kind()),
        tampering in prop_oneof![6 => Just(0u8), 1 => 0..16u8],
        waits in prop::option::weighted(0.2, waits()), held in prop_oneof![6 => Just(0u64), 1 => any::<u64>()],
        descriptors in prop_oneof![6 => Just(Vec::new()), 1 => proptest::collection::vec(descriptor(), 0..3)]
    ) -> Call {
        Call {
            tid, abi: Abi::ALL[abi], nr, args, ip, sp, resumes, entered, returned: entered.unwrap_or(1_500_000).wrapping_add(lasted), system_time,
            outcome, counted: false, blocks, file_kind, descriptors, stack: None,
            tampering: Tampering::from_bits(tampering).unwrap_or_default(),
            container: None,
            held,
            stack_calls: 1,
            waits: waits.map(Box::new),
        }
    }
}

fn waits() -> impl Strategy<Value = CallWaits> {
    let times = || {
        let part = (0..WaitKind::ALL.len(), 0..1u64 << 40).prop_map(|(kind, time)| (WaitKind::ALL[kind], time));
        prop::collection::vec(part, 0..3).prop_map(WaitTimes::from_iter)
    };
    let thread =
        || (tid(), tid(), any::<[u8; 16]>()).prop_map(|(tid, process, comm)| NamedThread { tid, process, comm });
    let waker = prop_oneof![
        (thread(), prop::option::of((0..3usize, any::<u64>())))
            .prop_map(|(thread, call)| Waker::Thread(thread, call.map(|(abi, nr)| (Abi::ALL[abi], nr)))),
        any::<[u8; 16]>().prop_map(|name| Waker::Interrupt(Interrupt::Device(name))),
        Just(Waker::Interrupt(Interrupt::Timer)),
        Just(Waker::Hidden),
    ];
    let taker = || prop::option::of(prop_oneof![thread().prop_map(Taker::Thread), Just(Taker::Hidden)]);
    let sleep = (any::<u64>(), 0..3usize, prop::option::of(waker)).prop_map(|(time, kind, waker)| Sleep {
        time,
        kind: WaitKind::ALL[kind],
        waker,
    });
    (times(), times(), any::<u32>(), prop::option::of(sleep), taker(), taker()).prop_map(
        |(in_call, before, sleeps, longest, taker, taker_before)| CallWaits {
            in_call,
            before,
            sleeps,
            longest,
            taker,
            taker_before,
        },
    )
}

fn fd() -> impl Strategy<Value = FdOf> {
    (tid(), any::<i32>(), any::<bool>()).prop_map(|(tid, fd, made)| FdOf { tid, fd, made })
}

fn question() -> impl Strategy<Value = Question> {
    const ABOUT_FDS: [fn(FdOf) -> Question; 12] = [
        Question::Link,
        Question::Socket,
        Question::Eventfd,
        Question::Signalfd,
        Question::Pidfd,
        Question::Device,
        Question::Terminal,
        Question::PidfdProcess,
        Question::Netlink,
        Question::Ends,
        Question::Watched,
        Question::Unread,
    ];
    const KINDS: [PidKind; 4] = [PidKind::Tid, PidKind::Tgid, PidKind::Pgid, PidKind::Sid];
    prop_oneof![
        12 => (0..ABOUT_FDS.len(), fd()).prop_map(|(about, fd)| ABOUT_FDS[about](fd)),
        1 => any::<u32>().prop_map(Question::Interface),
        1 => tid().prop_map(Question::Comm),
        1 => tid().prop_map(Question::Doing),
        1 => (tid(), any::<i32>(), 0..KINDS.len()).prop_map(|(tid, id, kind)| Question::Outer { tid, id, kind: KINDS[kind] }),
        1 => (tid(), any::<u64>()).prop_map(|(tid, addr)| Question::LockHolder { tid, addr }),
    ]
}

fn fact() -> impl Strategy<Value = Fact> {
    let answer = prop::option::of(proptest::collection::vec(any::<u8>(), 0..30));
    (question(), answer).prop_map(|(question, answer)| Fact { question, answer })
}

fn word_type() -> impl Strategy<Value = WordType> {
    prop_oneof![
        Just(WordType::Void),
        Just(WordType::Raw),
        (prop::sample::select(vec![1, 2, 4, 8]), any::<bool>())
            .prop_map(|(bytes, signed)| WordType::Int { bytes, signed }),
        Just(WordType::Bool),
        Just(WordType::Char),
        Just(WordType::Pointer),
        Just(WordType::Text),
        any::<bool>().prop_map(|signed| WordType::MaybeText { signed }),
        any::<u8>().prop_map(WordType::Buffer),
        Just(WordType::Unreadable),
    ]
}

fn library() -> impl Strategy<Value = LibraryCall> {
    let param = (name(), word_type()).prop_map(|(name, ty)| Param { name, ty, optional: false });
    let function = (name(), prop::collection::vec(param, 0..4), prop::option::of(word_type()))
        .prop_map(|(name, params, result)| Arc::new(LibraryFunction { name, params: params.into(), result }));
    let part =
        prop::sample::select(vec![LibraryPart::Entered, LibraryPart::Returned, LibraryPart::Passed, LibraryPart::Gone]);
    let text = (prop::option::of(0..12u8), prop::collection::vec(any::<u8>(), 0..40), any::<bool>())
        .prop_map(|(word, bytes, cut)| LibraryText { word, bytes: bytes.into(), cut });
    let words = prop::collection::vec(any::<u64>(), 0..=12);
    let texts = prop::collection::vec(text, 0..3);
    let operation = prop::option::of(
        (any::<bool>(), any::<u8>(), any::<u64>(), any::<u32>())
            .prop_map(|(polled, flags, user_data, cqe_flags)| OperationFacts { polled, flags, user_data, cqe_flags }),
    );
    (tid(), function, part, 0..100u32, any::<u64>(), any::<u64>(), words, any::<u64>(), texts, operation).prop_map(
        |(tid, function, part, depth, at, entered, words, result, texts, operation)| LibraryCall {
            tid,
            function,
            part,
            depth,
            at,
            entered,
            words,
            result,
            texts,
            descriptors: Vec::new(),
            operation,
        },
    )
}

pub fn step() -> impl Strategy<Value = Step> {
    let at = || prop_oneof![1_000_000..2_000_000u64, any::<u64>()];
    let event = prop_oneof![
        (tid(), tid(), tid(), 0..3, at()).prop_map(|(tid, process, parent, origin, at)| {
            let origin = [StartKind::Spawned, StartKind::Attached, StartKind::Forked { parent }][origin as usize];
            Event::Started { tid, process, origin, at }
        }),
        (tid(), any::<i32>(), at()).prop_map(|(tid, signal, at)| Event::Stopped { tid, signal, at }),
        tid().prop_map(|tid| Event::Ending { tid }),
        (tid(), any::<i32>(), at()).prop_map(|(tid, status, at)| Event::Exited { tid, status, at }),
        (tid(), any::<i32>(), any::<bool>(), at()).prop_map(|(tid, signal, core, at)| Event::Killed {
            tid,
            signal,
            core,
            at
        }),
        (tid(), 0..3).prop_map(|(tid, fate)| {
            let fate = [Fate::Exited, Fate::Killed, Fate::Detached][fate as usize];
            Event::Stranger { tid, fate }
        }),
        (tid(), 0..3usize, at()).prop_map(|(tid, abi, at)| Event::Personality { tid, abi: Abi::ALL[abi], at }),
        (tid(), any::<u64>(), at()).prop_map(|(tid, count, at)| Event::Lost { tid, count, at }),
    ];
    prop_oneof![
        3 => event.prop_map(Step::Event),
        5 => (call(), 0..3usize).prop_map(|(call, known)| Step::Both(call, known)),
        2 => call().prop_map(Step::Enter),
        8 => call().prop_map(Step::Exit),
        3 => (call(), stack(), 0..3usize).prop_map(|(call, stack, times)| Step::Stack(call, stack, times)),
        1 => (tid(), tid(), prop::option::of(call())).prop_map(|(tid, old, call)| Step::Superseded(tid, old, call)),
        1 => (tid(), prop::option::of(call())).prop_map(|(tid, call)| Step::Detached(tid, call)),
        1 => (tid(), prop::array::uniform32(any::<u8>()), prop::option::of(any::<u64>())).prop_map(|(tid, part, ip)| {
            let mut info = [0; SIGINFO_SIZE];
            info[..32].copy_from_slice(&part);
            Step::Signal(tid, info, ip)
        }),
        2 => fact().prop_map(Step::Fact),
        2 => library().prop_map(Step::Library),
    ]
}

/// The events of a step, as a reader should return them.
fn play(step: &Step, mut tell: impl FnMut(Recorded<'_>)) {
    let mut event = |event: Event<'_>| tell(Recorded::Event(event));
    match step {
        Step::Event(it) => event(*it),
        Step::Enter(call) => event(Event::Enter(call)),
        Step::Exit(call) => event(Event::Exit(call)),
        Step::Stack(call, stack, times) => {
            let call = Call { stack: Some(stack.clone()), ..call.clone() };
            (0..*times).for_each(|_| event(Event::Exit(&call)));
            let info = [3; SIGINFO_SIZE];
            event(Event::Signal { tid: call.tid, info: &info, ip: None, stack: Some(stack), at: 9 });
        }
        Step::Both(call, known) => {
            let mut entered = Call { outcome: Outcome::Pending, returned: call.began(), ..call.clone() };
            entered.blocks.clear();
            (0..*known).filter_map(|i| call.blocks.block(i)).for_each(|b| entered.blocks.push_block(b));
            event(Event::Enter(&entered));
            event(Event::Exit(call));
        }
        Step::Superseded(tid, old, call) => {
            event(Event::Superseded { tid: *tid, old: *old, call: call.as_ref(), at: 5 });
        }
        Step::Detached(tid, call) => event(Event::Detached { tid: *tid, call: call.as_ref(), at: 7 }),
        Step::Signal(tid, info, ip) => event(Event::Signal { tid: *tid, info, ip: *ip, stack: None, at: 9 }),
        Step::Library(call) => event(Event::Library(call)),
        Step::Fact(fact) => tell(Recorded::Fact(fact.clone())),
    }
}

/// An item in full, as text.
fn seen(item: &Recorded<'_>) -> String {
    format!("{item:?}")
}

pub fn expected(steps: &[Step]) -> Vec<String> {
    let mut all = Vec::new();
    steps.iter().for_each(|step| play(step, |item| all.push(seen(&item))));
    all
}

/// A recording that is flushed after every `flush_each` steps, and the end of each frame with the number of items up to
/// there.
pub fn record(steps: &[Step], metadata: &Metadata, flush_each: usize) -> (Vec<u8>, Vec<(u64, usize)>) {
    let mut file = Vec::new();
    let mut frames = Vec::new();
    let mut items = 0;
    let mut recorder = Recorder::new(&mut file, metadata).unwrap();
    frames.push((recorder.written().bytes, 0));
    for (i, step) in steps.iter().enumerate() {
        play(step, |item| {
            match item {
                Recorded::Event(event) => recorder.event(&event).unwrap(),
                Recorded::Fact(fact) => recorder.fact(&fact).unwrap(),
            }
            items += 1;
            if recorder.written().bytes > frames[frames.len() - 1].0 {
                frames.push((recorder.written().bytes, items));
            }
        });
        if (i + 1) % flush_each == 0 {
            recorder.flush().unwrap();
            frames.push((recorder.written().bytes, items));
        }
    }
    recorder.flush().unwrap();
    frames.push((recorder.written().bytes, items));
    recorder.finish(Lost { calls: 3, threads: 4, signals: 5 }).unwrap();
    frames.push((recorder.written().bytes, items));
    (file, frames)
}

pub fn items(reader: &mut Reader<&[u8]>) -> Vec<String> {
    let mut all = Vec::new();
    while let Some(item) = reader.next_item() {
        all.push(seen(&item));
    }
    all
}
