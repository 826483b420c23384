//! The ring keeps the latest part of a run in bounded memory, and its dump is a recording.

use std::collections::VecDeque;
use stride_event::{BlockRef, Call, Event, FdOf, Lost, Outcome, Phase, Question, StartKind};
use stride_record::{Ending, Fact, FlightRing, Keep, Metadata, Reader, Recorded, Totals};
use stride_syscalls::Abi;
use stride_test_support::noise::Noise;

const SECOND: u64 = 1_000_000_000;

/// A call whose memory does not compress.
fn call(number: u64, bytes: usize) -> Call {
    let mut call = Call {
        tid: 100 + (number % 3) as i32,
        abi: Abi::X86_64,
        nr: 0,
        args: [3, 0x1000, bytes as u64, number, 0, 0],
        entered: Some(number * 1000 + 1),
        returned: number * 1000 + 500,
        outcome: Outcome::Value(bytes as i64),
        ..Call::default()
    };
    let mut noise = Noise(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let memory: Vec<u8> = (0..bytes).map(|_| noise.number() as u8).collect();
    call.blocks.push_block(BlockRef { op: 0, phase: Phase::Exit, addr: 0x1000, faulted: false, bytes: &memory });
    call
}

fn link(path: String) -> Fact {
    Fact { question: Question::Link(FdOf { tid: 100, fd: 3, made: false }), answer: Some(path.into_bytes()) }
}

fn threads(at: u64) -> Vec<Event<'static>> {
    (100..103).map(|tid| Event::Started { tid, process: 100, origin: StartKind::Attached, at }).collect()
}

/// The numbers of the calls in a recording, and the last answer before each.
fn read(file: &[u8]) -> (Vec<u64>, Vec<String>, usize) {
    let mut reader = Reader::open(file).unwrap();
    let (mut calls, mut answers, mut started, mut answer) = (Vec::new(), Vec::new(), 0, String::new());
    while let Some(item) = reader.next_item() {
        match item {
            Recorded::Fact(fact) => answer = String::from_utf8(fact.answer.unwrap()).unwrap(),
            Recorded::Event(Event::Exit(call)) => {
                calls.push(call.args[3]);
                answers.push(answer.clone());
            }
            Recorded::Event(Event::Started { .. }) => started += 1,
            Recorded::Event(other) => panic!("{other:?}"),
        }
    }
    let (events, calls_read) = reader.read();
    let whole = Totals { calls: calls_read, events, lost: Lost { calls: 7, ..Lost::default() } };
    assert!(matches!(reader.ending(), Some(Ending::Whole(totals)) if *totals == whole), "{:?}", reader.ending());
    (calls, answers, started)
}

fn dump(ring: &mut FlightRing) -> Vec<u8> {
    let mut file = Vec::new();
    let written = ring.dump(&mut file, Lost { calls: 7, ..Lost::default() }).unwrap();
    assert_eq!(written.bytes, file.len() as u64);
    file
}

#[test]
fn memory_stays_within_the_limit_however_many_calls_come() {
    const LIMIT: usize = 1 << 20;
    let mut ring = FlightRing::new(&Metadata::default(), Keep { bytes: LIMIT, time: None }).unwrap();
    let (mut most, mut pieces, mut working) = (0, 0, VecDeque::new());
    for number in 0..200_000 {
        // Each thousandth call is larger than a piece.
        ring.event(&Event::Exit(&call(number, if number % 1000 == 999 { 100_000 } else { 40 }))).unwrap();
        if ring.is_complete() {
            ring.begin(&[], &threads(number * 1000)).unwrap();
            most = most.max(ring.memory());
            pieces += 1;
            working.push_back(ring.working_memory());
        }
    }
    assert!(pieces > 100, "{pieces}");
    // A call of 100,000 bytes is beyond what a piece of 64 KiB should have, and is kept whole for a moment.
    assert!((LIMIT * 3 / 4..=LIMIT + 200_000).contains(&most), "{most}");
    assert_eq!(working[working.len() / 2], working[working.len() - 1], "the buffers are used again");
    assert!(ring.total() > 10 * LIMIT as u64, "{}", ring.total());
    let (calls, _, started) = read(&dump(&mut ring));
    assert_eq!((calls.last(), started), (Some(&199_999), 3));
    assert!(calls.windows(2).all(|two| two[0] + 1 == two[1]));
    assert!(calls.len() > 3000, "{}", calls.len());
}

/// With calls of ordinary size, the limit is never exceeded.
#[test]
fn the_limit_is_exact_for_ordinary_calls() {
    const LIMIT: usize = 2 << 20;
    let mut ring = FlightRing::new(&Metadata::default(), Keep { bytes: LIMIT, time: None }).unwrap();
    for number in 0..150_000 {
        ring.event(&Event::Exit(&call(number, 60))).unwrap();
        if ring.is_complete() {
            ring.begin(&[link(format!("/{number}"))], &threads(number * 1000)).unwrap();
        }
        assert!(ring.memory() <= LIMIT, "{} at {number}", ring.memory());
    }
    assert!(dump(&mut ring).len() > LIMIT * 3 / 4);
}

/// A dump changes nothing, and the answers of each piece are told where they begin to hold.
#[test]
fn each_dump_is_whole_and_has_the_answers_that_hold() {
    let mut ring = FlightRing::new(&Metadata::default(), Keep { bytes: 1 << 20, time: None }).unwrap();
    let mut holds = Vec::new();
    let mut answer = String::new();
    let mut seen = 0;
    for number in 0..60_000 {
        ring.event(&Event::Exit(&call(number, 50))).unwrap();
        holds.push(answer.clone());
        if ring.is_complete() {
            answer = format!("/{number}");
            ring.begin(&[link(answer.clone())], &threads(number * 1000)).unwrap();
        }
        if number % 7919 == 0 {
            let (calls, answers, _) = read(&dump(&mut ring));
            assert_eq!(calls.last(), Some(&number));
            for (call, answer) in calls.iter().zip(&answers) {
                assert_eq!(answer, &holds[*call as usize], "{call}");
            }
            seen += calls.len();
        }
    }
    assert!(seen > 30_000, "{seen}");
}

#[test]
fn a_limit_in_time_drops_what_is_older() {
    let keep = Keep { bytes: 16 << 20, time: Some(8 * SECOND) };
    let mut ring = FlightRing::new(&Metadata::default(), keep).unwrap();
    for number in 0..30_000u64 {
        // A call each millisecond.
        let at = number * SECOND / 1000 + 1;
        ring.event(&Event::Exit(&Call { entered: Some(at), returned: at, ..call(number, 10) })).unwrap();
        if ring.is_complete() {
            ring.begin(&[], &threads(at)).unwrap();
        }
    }
    let (calls, ..) = read(&dump(&mut ring));
    let kept = 30_000 - calls[0];
    assert!((8_000..=9_100).contains(&kept), "{kept} ms");
}
