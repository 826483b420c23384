//! A reader returns what was recorded.

mod common;

use common::*;
use proptest::prelude::*;
use std::sync::Arc;
use stride_event::{BlockRef, Bottom, Call, Event, Lost, Outcome, Phase, Stack};
use stride_record::{Ending, Metadata, Reader, Recorded, Recorder, Totals};

fn metadata() -> Metadata {
    Metadata {
        args: vec!["stride".into(), "--record=x".into(), "cat".into()],
        version: "1".into(),
        host: "host".into(),
        release: "6.1".into(),
        machine: "x86_64".into(),
        engine: "ptrace".into(),
        command: Some(4711),
        wall_offset: -5,
        started: 17,
        text_limit: 32,
        elements_limit: u64::MAX,
        command_limit: 4000,
        several: true,
        follows: true,
        whole_machine: true,
        partial: true,
        descriptors: true,
        dumps: true,
        names: false,
        instruction_pointers: true,
        stacks: true,
        sources: true,
        cpu_times: false,
        library: true,
        operations: true,
        waits: true,
        holds: true,
        changes: true,
    }
}

proptest! {
    #[test]
    fn every_event(steps in prop::collection::vec(step(), 0..60), flush_each in 1..20usize) {
        let (file, _) = record(&steps, &metadata(), flush_each);
        let mut reader = Reader::open(&file[..]).unwrap();
        prop_assert_eq!(reader.metadata(), &metadata());
        let expected = expected(&steps);
        let seen = items(&mut reader);
        for (seen, expected) in seen.iter().zip(&expected) {
            prop_assert_eq!(seen, expected);
        }
        prop_assert_eq!(seen.len(), expected.len());
        let (events, calls) = reader.read();
        let whole = Totals { calls, events, lost: Lost { calls: 3, threads: 4, signals: 5 } };
        prop_assert!(matches!(reader.ending(), Some(Ending::Whole(totals)) if *totals == whole));
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Of a recording that is cut anywhere, all whole frames are read and nothing else.
    #[test]
    fn cut_anywhere(steps in prop::collection::vec(step(), 1..20)) {
        let (file, frames) = record(&steps, &metadata(), 3);
        let expected = expected(&steps);
        for cut in 0..file.len() {
            let opened = Reader::open(&file[..cut]);
            let Some((_, whole)) = frames.iter().rev().find(|(end, _)| *end <= cut as u64) else {
                prop_assert!(opened.is_err());
                continue;
            };
            let mut reader = opened.unwrap();
            prop_assert_eq!(&items(&mut reader)[..], &expected[..*whole]);
            let is_cut = matches!(reader.ending(), Some(Ending::Cut { offset }) if *offset <= cut as u64);
            prop_assert!(is_cut, "{:?} at {}", reader.ending(), cut);
        }
    }
}

fn read_call(nr: u64, bytes: &[u8]) -> Call {
    let mut call = Call { tid: 1, args: [3, 0x1000, bytes.len() as u64, 0, 0, 0], nr, ..Call::default() };
    call.outcome = Outcome::Value(bytes.len() as i64);
    call.blocks.push_block(BlockRef { op: 0, phase: Phase::Exit, addr: 0x1000, faulted: false, bytes });
    call
}

#[test]
fn many_threads_and_much_memory() {
    let mut file = Vec::new();
    let mut recorder = Recorder::new(&mut file, &metadata()).unwrap();
    let mut calls = Vec::new();
    for i in 0..20_000u64 {
        let mut call = read_call(i % 7, &vec![i as u8; if i % 1000 == 0 { 100_000 } else { 16 }]);
        call.tid = (i % 5000) as i32;
        recorder.event(&Event::Exit(&call)).unwrap();
        calls.push(format!("{:?}", Recorded::Event(Event::Exit(&call))));
    }
    recorder.finish(Lost::default()).unwrap();
    let mut reader = Reader::open(&file[..]).unwrap();
    assert!(items(&mut reader) == calls);
    assert_eq!(reader.read(), (20_000, 20_000));
}

/// Samples of stacks, which another view takes, are not kept: nothing in the recording would say that they are samples.
#[test]
fn stacks_that_were_not_asked_for() {
    let stack = Stack { frames: Box::default(), bottom: Bottom::Unknown };
    let call = Call { stack: Some(Arc::new(stack)), stack_calls: 7, ..read_call(0, b"") };
    for asked in [true, false] {
        let mut file = Vec::new();
        let mut recorder = Recorder::new(&mut file, &Metadata { stacks: asked, ..metadata() }).unwrap();
        recorder.event(&Event::Exit(&call)).unwrap();
        recorder.finish(Lost::default()).unwrap();
        let mut reader = Reader::open(&file[..]).unwrap();
        let Some(Event::Exit(read)) = reader.next_event() else { panic!("no call") };
        assert_eq!(read.stack.is_some(), asked);
    }
}

/// Memory beyond a batch's room is cut off at its end, like memory that was not captured.
#[test]
fn a_call_with_more_memory_than_a_batch_has() {
    let mut file = Vec::new();
    let mut recorder = Recorder::new(&mut file, &metadata()).unwrap();
    let (huge, small) = (read_call(0, &vec![7; 20 << 20]), read_call(0, b"small"));
    for call in [&huge, &huge, &small] {
        recorder.event(&Event::Exit(call)).unwrap();
    }
    recorder.event(&Event::Enter(&huge)).unwrap();
    recorder.event(&Event::Exit(&huge)).unwrap();
    recorder.finish(Lost::default()).unwrap();
    let mut reader = Reader::open(&file[..]).unwrap();
    let mut sizes = Vec::new();
    while let Some(item) = reader.next_item() {
        if let Recorded::Event(Event::Exit(call) | Event::Enter(call)) = item {
            assert_eq!(call.args[1], 0x1000);
            sizes.push(call.blocks.size());
        }
    }
    assert_eq!(sizes, [8 << 20, 8 << 20, 5, 8 << 20, 8 << 20]);
    assert!(matches!(reader.ending(), Some(Ending::Whole(_))));
}

#[test]
fn quiet_and_time_write_what_there_is() {
    let mut file = Vec::new();
    let mut recorder = Recorder::new(&mut file, &metadata()).unwrap();
    let at = |entered| Call { entered: Some(entered), returned: entered, ..read_call(0, b"x") };
    let mut frames = vec![recorder.written().calls];
    for event in [
        Event::Exit(&at(1_000)),
        Event::Idle,
        Event::Idle,
        Event::Exit(&at(2_000)),
        Event::Exit(&at(100_000_000)),
        Event::Exit(&at(300_000_000)),
    ] {
        recorder.event(&event).unwrap();
        frames.push(recorder.written().calls);
    }
    assert_eq!(frames, [0, 0, 1, 1, 1, 1, 4]);
}
