//! Plans of real rows over made-up memory, with holes.

use super::*;
use crate::{Memory, Phase};
use stride_syscalls::{Abi, table};

/// Memory as mapped pieces; counts its reads.
#[derive(Default)]
struct Fake {
    pieces: Vec<(u64, Vec<u8>)>,
    reads: usize,
}

impl Fake {
    fn map(mut self, addr: u64, bytes: impl Into<Vec<u8>>) -> Fake {
        self.pieces.push((addr, bytes.into()));
        self
    }

    fn words(self, addr: u64, words: &[u64]) -> Fake {
        self.map(addr, words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())
    }
}

impl Peek for Fake {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        self.reads += 1;
        let mut got = 0;
        while got < buf.len() {
            let at = addr.wrapping_add(got as u64);
            let Some((start, bytes)) =
                self.pieces.iter().find(|(start, bytes)| at.wrapping_sub(*start) < bytes.len() as u64)
            else {
                break;
            };
            let from = (at - start) as usize;
            let n = (bytes.len() - from).min(buf.len() - got);
            buf[got..got + n].copy_from_slice(&bytes[from..from + n]);
            got += n;
        }
        got
    }
}

const LIMITS: Limits = Limits { text: 32, command_text: 0, elements: 32, received: true };

/// Enters the call and returns from it.
fn call(name: &str, args: [u64; 6], outcome: Outcome, memory: &mut Fake) -> Call {
    call_within(&LIMITS, name, args, outcome, memory)
}

fn call_within(limits: &Limits, name: &str, args: [u64; 6], outcome: Outcome, memory: &mut Fake) -> Call {
    let entry = table(Abi::X86_64).by_name(name).next().unwrap();
    let plan = Plan::of(entry.row, Abi::X86_64);
    let mut call = Call { abi: Abi::X86_64, nr: u64::from(entry.nr), args, ..Call::default() };
    capture(&plan, entry.row, Phase::Entry, &mut call, limits, memory);
    call.outcome = outcome;
    capture(&plan, entry.row, Phase::Exit, &mut call, limits, memory);
    call
}

fn open(path: u64, memory: &mut Fake) -> Call {
    call("openat", [!99, path, 0, 0, 0, 0], Outcome::Value(3), memory)
}

#[test]
fn a_string_ends_at_its_nul() {
    let mut memory = Fake::default().map(0x1000, *b"/etc/passwd\0garbage");
    let c = open(0x1000, &mut memory);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x1000, 4096), b"/etc/passwd\0");
    assert!(!c.blocks.faulted(Phase::Entry, 0x1000));
    assert_eq!(memory.reads, 1);
}

#[test]
fn a_string_may_end_with_the_last_mapped_page() {
    let mut memory = Fake::default().map(0x1ffc, *b"abc\0");
    assert_eq!(open(0x1ffc, &mut memory).blocks.prefix(Phase::Entry, 0x1ffc, 100), b"abc\0");
    // Across a page boundary.
    let mut memory = Fake::default().map(0x1ffc, *b"abcdef\0");
    assert_eq!(open(0x1ffc, &mut memory).blocks.prefix(Phase::Entry, 0x1ffc, 100), b"abcdef\0");
}

#[test]
fn a_string_without_an_end_is_kept_as_far_as_it_is_mapped() {
    let mut memory = Fake::default().map(0x1ffc, *b"abcd");
    let c = open(0x1ffc, &mut memory);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x1ffc, 100), b"abcd");
    assert!(c.blocks.faulted(Phase::Entry, 0x2000));
}

#[test]
fn a_string_that_never_ends_is_cut() {
    let mut memory = Fake::default().map(0x1000, vec![b'x'; 1 << 20]);
    let c = open(0x1000, &mut memory);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x1000, 1 << 20).len(), 4096);
}

#[test]
fn null_wrapped_and_unmapped_pointers() {
    for ptr in [0, 1, 0xfff, u64::MAX, u64::MAX - 3, 1 << 63] {
        let c = open(ptr, &mut Fake::default());
        assert_eq!(c.blocks.prefix(Phase::Entry, ptr, 1), b"", "{ptr:#x}");
        assert_eq!(c.blocks.is_empty(), ptr == 0, "NULL is not even tried");
    }
    // The last bytes of the address space, and what wraps around.
    let mut memory = Fake::default().map(u64::MAX - 2, *b"abc");
    assert_eq!(open(u64::MAX - 2, &mut memory).blocks.prefix(Phase::Entry, u64::MAX - 2, 10), b"abc");
}

#[test]
fn received_data_can_be_left_out() {
    let mut memory = Fake::default().map(0x1000, *b"answer\0").words(0x2000, &[0x1000, 6]);
    let mut left = |name, args| {
        call_within(&Limits { received: false, ..LIMITS }, name, args, Outcome::Value(6), &mut memory).blocks.size()
    };
    assert_eq!(left("read", [3, 0x1000, 6, 0, 0, 0]), 0);
    assert_eq!(left("readv", [3, 0x2000, 1, 0, 0, 0]), 16, "where the data is, and how long");
    // Data that is sent, and answers that are not read from a file.
    assert_eq!(left("write", [3, 0x1000, 6, 0, 0, 0]), 6);
    assert_eq!(left("getxattr", [0, 0, 0x1000, 6, 0, 0]), 6);
}

#[test]
fn buffers_are_read_when_they_are_filled() {
    let mut memory = Fake::default().map(0x1000, vec![b'x'; 8192]);
    let c = call("read", [3, 0x1000, 8192, 0, 0, 0], Outcome::Value(5), &mut memory);
    assert_eq!(c.blocks.prefix(Phase::Exit, 0x1000, 100), b"xxxxx");
    let c = call("read", [3, 0x1000, 8192, 0, 0, 0], Outcome::Value(8192), &mut memory);
    assert_eq!(c.blocks.prefix(Phase::Exit, 0x1000, 100).len(), 33, "one more than is shown");
    for outcome in [Outcome::Value(0), Outcome::Value(-5), Outcome::Error(14), Outcome::Gone, Outcome::Pending] {
        memory.reads = 0;
        assert!(call("read", [3, 0x1000, 8192, 0, 0, 0], outcome, &mut memory).blocks.is_empty());
        assert_eq!(memory.reads, 0);
    }
    let c = call("write", [3, 0x1000, u64::MAX, 0, 0, 0], Outcome::Error(14), &mut memory);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x1000, 100).len(), 33, "an absurd length");
}

#[test]
fn vectors_and_their_buffers() {
    let memory = || {
        Fake::default()
            .words(0x1000, &[0x5000, 3, 0, 7, 0x6000, 1 << 40])
            .map(0x5000, *b"abcdef")
            .map(0x6000, vec![b'y'; 100])
    };
    let c = call("writev", [1, 0x1000, 3, 0, 0, 0], Outcome::Value(3), &mut memory());
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x1000, 100).len(), 48);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x5000, 100), b"abc");
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x6000, 100).len(), 33);
    // The memory that readv fills is found through the vector as it was at entry.
    let c = call("readv", [1, 0x1000, 3, 0, 0, 0], Outcome::Value(3), &mut memory());
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x5000, 100), b"");
    assert_eq!(c.blocks.prefix(Phase::Exit, 0x5000, 100), b"abc");
}

#[test]
fn a_vector_that_is_half_mapped() {
    let mut memory = Fake::default().words(0x1fe8, &[0x5000, 3, 0x6000]).map(0x5000, *b"abc").map(0x6000, *b"def");
    let c = call("writev", [1, 0x1fe8, 2, 0, 0, 0], Outcome::Error(14), &mut memory);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x1fe8, 100).len(), 24);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x5000, 100), b"abc");
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x6000, 100), b"", "half an element is none");
}

#[test]
fn absurd_counts_stay_bounded() {
    let mut memory = Fake::default().words(0x1000, &[0x1000; 4096]);
    for count in [-1i64 as u64, i32::MAX as u64, u64::MAX] {
        memory.reads = 0;
        let c = call("writev", [1, 0x1000, count, 0, 0, 0], Outcome::Value(1), &mut memory);
        assert!(memory.reads <= 64 && c.blocks.size() < 10_000, "{} reads", memory.reads);
    }
}

#[test]
fn arguments_of_exec() {
    let memory = || Fake::default().map(0x100, *b"/bin/x\0").map(0x200, *b"x\0-v\0A=b\0");
    let mut whole = memory().words(0x1000, &[0x200, 0x202, 0]).words(0x1018, &[0x205, 0, 0x200]);
    let c = call("execve", [0x100, 0x1000, 0x1018, 0, 0, 0], Outcome::Value(0), &mut whole);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x1000, 100).len(), 24);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x202, 100), b"-v\0");
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x205, 100), b"A=b\0");
    // A list that is not aligned and ends with a hole instead of a null pointer, across pages.
    let mut holes = memory().words(0x1ffc, &[0x200, 0x202]);
    let c = call("execve", [0x100, 0x1ffc, 0, 0, 0, 0], Outcome::Error(14), &mut holes);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x1ffc, 100).len(), 16);
    assert_eq!(c.blocks.prefix(Phase::Entry, 0x202, 100), b"-v\0");
    assert!(c.blocks.faulted(Phase::Entry, 0x200c));
}

#[test]
fn a_list_that_never_ends_is_cut_and_takes_bounded_time() {
    let mut endless = Fake::default().words(0x1000, &vec![0x200; 1 << 18]).map(0x200, *b"x\0");
    let start = std::time::Instant::now();
    let c = call("execve", [0, 0x1000, 0x1000, 0, 0, 0], Outcome::Error(7), &mut endless);
    assert!(c.blocks.size() <= MAX_TOTAL + MAX_BYTES);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn lengths_behind_pointers() {
    let room = |n: u32| Fake::default().map(0x100, n.to_le_bytes()).map(0x200, vec![7; 128]);
    for (n, got) in [(16, 16), (0, 0), (u32::MAX, 128), (110, 110)] {
        let c = call("getsockname", [3, 0x200, 0x100, 0, 0, 0], Outcome::Value(0), &mut room(n));
        assert_eq!(c.blocks.prefix(Phase::Exit, 0x200, 1000).len(), got, "addrlen {n}");
    }
    // No length, no address.
    let c = call("getsockname", [3, 0x200, 0, 0, 0, 0], Outcome::Value(0), &mut room(16));
    assert_eq!(c.blocks.prefix(Phase::Exit, 0x200, 1000), b"");
}

#[test]
fn every_plan_survives_hostile_arguments() {
    for abi in Abi::ALL {
        for entry in table(abi).iter() {
            let plan = Plan::of(entry.row, abi);
            for (mapped, arg) in [
                (true, 0x1000),
                (true, 0x1001),
                (false, 0x1000),
                (true, u64::MAX),
                (true, u64::MAX - 0x1000),
                (true, 0),
            ] {
                // Memory whose every word points to itself, and is a large number.
                let mut memory = Fake::default();
                if mapped {
                    memory = memory.words(0x1000, &[0x1000; 512]).map(u64::MAX - 0x1fff, vec![0xff; 0x1fff]);
                }
                let mut call = Call { abi, nr: u64::from(entry.nr), args: [abi.cut(arg); 6], ..Call::default() };
                capture(&plan, entry.row, Phase::Entry, &mut call, &LIMITS, &mut memory);
                call.outcome = Outcome::Value(arg as i64);
                capture(&plan, entry.row, Phase::Exit, &mut call, &LIMITS, &mut memory);
                assert!(call.blocks.size() <= MAX_TOTAL + MAX_BYTES, "{} {abi:?}", entry.row.name);
            }
        }
    }
}
