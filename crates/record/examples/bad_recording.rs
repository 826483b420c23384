//! Recordings that no program made, for `cargo xtask chaos`:
//! `bad_recording chain N FILE`, `threads N FILE`, `arguments N FILE`, and `mutate FROM SEED FILE`.

#[path = "../tests/common/frames.rs"]
#[allow(dead_code)]
mod frames;

use std::fs::{self, File};
use std::io::BufWriter;
use stride_event::{Call, Event, Lost, Outcome, Phase, StartKind, Tid};
use stride_record::{Metadata, Recorder};
use stride_syscalls::Abi;
use stride_test_support::noise::Noise;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
type Making = Recorder<BufWriter<File>>;

// The kernel's numbers for x86-64, which is the calls' ABI whatever machine this runs on.
const GETPPID: u64 = 110;
const EXECVE: u64 = 59;
/// The id of the first process.
const FIRST: Tid = 100;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["chain", count, file] => make(file, |to| chain(to, count.parse()?)),
        ["threads", count, file] => make(file, |to| threads(to, count.parse()?)),
        ["arguments", count, file] => make(file, |to| arguments(to, count.parse()?)),
        ["mutate", from, seed, file] => mutate(from, seed.parse()?, file),
        _ => Err("usage: bad_recording chain|threads|arguments N FILE | mutate FROM SEED FILE".into()),
    }
}

fn make(file: &str, fill: impl FnOnce(&mut Making) -> Result<()>) -> Result<()> {
    let metadata = Metadata {
        args: vec!["stride".into(), "-f".into(), "made-up".into()],
        version: "0".into(),
        engine: "ebpf".into(),
        command: Some(FIRST),
        several: true,
        text_limit: 32,
        elements_limit: u64::MAX,
        ..Metadata::default()
    };
    let mut to = Recorder::new(BufWriter::new(File::create(file)?), &metadata)?;
    to.event(&Event::Started { tid: FIRST, process: FIRST, origin: StartKind::Spawned, at: 1 })?;
    fill(&mut to)?;
    to.finish(Lost::default())?;
    Ok(())
}

fn call(tid: Tid, nr: u64, args: [u64; 6], at: u64) -> Call {
    Call { tid, abi: Abi::X86_64, nr, args, entered: Some(at), returned: at + 1000, ..Call::default() }
}

fn returned(to: &mut Making, call: &Call) -> Result<()> {
    Ok(to.event(&Event::Exit(call))?)
}

/// Each process is the child of the last, makes a call, and ends.
fn chain(to: &mut Making, count: Tid) -> Result<()> {
    for i in 0..count {
        let (tid, at) = (FIRST + i, 1000 + i as u64 * 10_000);
        if i > 0 {
            to.event(&Event::Started { tid, process: tid, origin: StartKind::Forked { parent: tid - 1 }, at })?;
        }
        returned(to, &Call { outcome: Outcome::Value(1), ..call(tid, GETPPID, [0; 6], at) })?;
    }
    for i in 0..count {
        let at = 1000 + (count + i) as u64 * 10_000;
        to.event(&Event::Exited { tid: FIRST + i, status: 0, at })?;
    }
    Ok(())
}

/// Threads of the first process that start and never end.
fn threads(to: &mut Making, count: Tid) -> Result<()> {
    for i in 1..count {
        let at = 1000 + i as u64;
        to.event(&Event::Started { tid: FIRST + i, process: FIRST, origin: StartKind::Forked { parent: FIRST }, at })?;
    }
    Ok(())
}

/// An execve whose arguments were all captured.
fn arguments(to: &mut Making, count: u64) -> Result<()> {
    const PATH: u64 = 0x1000;
    const ARRAY: u64 = 0x10_0000;
    const STRINGS: u64 = 0x1000_0000;
    let mut call = Call { outcome: Outcome::Value(0), ..call(FIRST, EXECVE, [PATH, ARRAY, 0, 0, 0, 0], 1000) };
    let mut block = |op: u8, addr: u64, bytes: &[u8]| {
        call.blocks.push(op, Phase::Entry, addr, bytes.len(), |to| {
            to.copy_from_slice(bytes);
            bytes.len()
        });
    };
    block(0, PATH, b"/bin/true\0");
    let pointers: Vec<u8> = (0..count).map(|i| STRINGS + i * 16).chain([0]).flat_map(u64::to_le_bytes).collect();
    block(1, ARRAY, &pointers);
    for i in 0..count {
        block(2, STRINGS + i * 16, b"a\0");
    }
    returned(to, &call)
}

/// Dice that a seed throws in the same way on every machine.
struct Dice(Noise);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        (self.0.number() % end.max(1) as u64) as usize
    }
}

/// Changes bytes inside frames and packs these again, so that the checksums are right and readers see the changes.
fn mutate(from: &str, seed: u64, file: &str) -> Result<()> {
    let whole = fs::read(from)?;
    let mut dice = Dice(Noise(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1));
    let mut frames = frames::frames(&whole);
    for _ in 0..1 + dice.below(8) {
        // Without metadata, nothing else is read: those are seldom changed.
        let first = usize::from(dice.below(8) > 0 && frames.len() > 1);
        let at = first + dice.below(frames.len() - first);
        let contents = &mut frames[at].1;
        let len = contents.len();
        let at = dice.below(len);
        match dice.below(8) {
            0 => contents.truncate(at),
            1 => contents.drain(at..(at + 1 + dice.below(20)).min(len)).for_each(drop),
            2 => {
                let part = contents[at..(at + 1 + dice.below(200)).min(len)].to_vec();
                contents.splice(at..at, part.iter().cycle().take(part.len() * 20).copied()).for_each(drop);
            }
            3 => contents[at..].iter_mut().take(9).for_each(|b| *b = 0xff),
            _ if len > 0 => contents[at] = dice.below(256) as u8,
            _ => {}
        }
    }
    if dice.below(6) == 0 && frames.len() > 1 {
        let (a, b) = (dice.below(frames.len()), dice.below(frames.len()));
        frames.swap(a, b);
    }
    let mut made = frames::assemble(&whole[..12], &frames);
    if dice.below(6) == 0 {
        made.truncate(dice.below(made.len()));
    }
    Ok(fs::write(file, made)?)
}
