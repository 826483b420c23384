//! Broken and hostile files are read to a clear end, without a panic and with little memory.

mod common;

use common::frames::{assemble, end, frame, frames};
use common::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::io::{self, Cursor, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use stride_event::{Event, StartKind};
use stride_record::{Ending, MAX_BATCH, Metadata, OpenError, Reader};

fn runner() -> TestRunner {
    runs(256)
}

/// A runner that makes the same cases each time.
fn runs(cases: u32) -> TestRunner {
    TestRunner::new_with_rng(Config::with_cases(cases), TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn a_recording() -> Vec<u8> {
    let steps = prop::collection::vec(step(), 40..41).new_tree(&mut runner()).unwrap().current();
    record(&steps, &Metadata::default(), 10).0
}

#[test]
fn each_flipped_bit_is_noticed() {
    let file = a_recording();
    let whole = end(&file).unwrap();
    assert!(whole.contains("Whole"), "{whole}");
    for at in 0..file.len() {
        let mut broken = file.clone();
        broken[at] ^= 1 << (at % 8);
        match end(&broken) {
            // A length that goes beyond the file looks like a cut.
            Ok(ending) => assert!(ending.contains("Broken") || ending.contains("Cut"), "{at}: {ending}"),
            Err(OpenError::Foreign) => assert!(at < 8),
            Err(OpenError::Newer(_)) => assert!((8..12).contains(&at)),
            Err(OpenError::Broken(_) | OpenError::Cut) => {}
            Err(error) => panic!("{at}: {error}"),
        }
    }
}

/// The checksums are right, but the batch itself is wrong.
#[test]
fn batches_that_make_no_sense() {
    let file = a_recording();
    let frames = frames(&file);
    let mut run = runs(2_000);
    let change = (0..frames.len(), any::<prop::sample::Index>(), any::<u8>(), any::<prop::sample::Index>());
    run.run(&prop::collection::vec(change, 1..6), |changes| {
        let mut changed: Vec<(u8, Vec<u8>)> = frames.clone();
        for (frame, at, byte, cut) in changes {
            let contents = &mut changed[frame].1;
            if contents.is_empty() {
                continue;
            }
            let at = at.index(contents.len());
            contents[at] = byte;
            if byte % 16 == 0 {
                contents.truncate(cut.index(contents.len()));
            }
        }
        let _ = end(&assemble(&file[..12], &changed));
        Ok(())
    })
    .unwrap();
}

#[test]
fn garbage() {
    let file = a_recording();
    runner()
        .run(&prop::collection::vec(any::<u8>(), 0..4000), |bytes| {
            prop_assert!(end(&bytes).is_err());
            let _ = end(&[&file[..12], &bytes].concat());
            common::frames::read(&bytes);
            Ok(())
        })
        .unwrap();
}

#[test]
fn bombs() {
    let file = a_recording();
    let start = &file[..12];
    let metadata = frames(&file)[0].clone();
    // The frame decompresses to more than it says, or to more than is allowed.
    let zeros = vec![0; MAX_BATCH + 1];
    for said in [1, MAX_BATCH, MAX_BATCH + 1, u32::MAX as usize] {
        let packed = zstd::bulk::compress(&zeros, 1).unwrap();
        let mut bomb = assemble(start, std::slice::from_ref(&metadata));
        frame(&mut bomb, 2, said as u32, &packed);
        let ending = end(&bomb).unwrap();
        assert!(ending.contains("Broken"), "{said}: {ending}");
    }
    // The frame says that it is long, but its bytes are missing.
    let mut short = assemble(start, std::slice::from_ref(&metadata));
    short.extend_from_slice(&[2, 0xff, 0xff, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    let ending = end(&short).unwrap();
    assert!(ending.contains("Cut"), "{ending}");
    // A batch of zeros.
    let ending = end(&assemble(start, &[metadata, (2, vec![0; MAX_BATCH])])).unwrap();
    assert!(ending.contains("Broken") || ending.contains("Cut"), "{ending}");
}

/// A pipe that gives as many bytes as it may, and then says nothing until the test ends.
struct Pipe {
    rest: Cursor<Vec<u8>>,
    more: Receiver<()>,
}

impl Read for Pipe {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.rest.read(buf)? {
            0 if !buf.is_empty() => self.more.recv().map(|()| 0).map_err(io::Error::other),
            some => Ok(some),
        }
    }
}

/// The thread that reads ahead hands over what is there, and nobody waits for the thread.
#[test]
fn a_pipe_is_read_as_far_as_it_goes() {
    let file = a_recording();
    let without_end =
        file.len() - 13 - frames(&file).last().map_or(0, |(_, end)| zstd::bulk::compress(end, 1).unwrap().len());
    let (says_more, more) = sync_channel(0);
    let rest = Cursor::new(file[..without_end].to_vec());
    let mut reader = Reader::open(Pipe { rest, more }).unwrap().read_ahead();
    let all = {
        let mut reader = Reader::open(&file[..without_end]).unwrap();
        while reader.next_item().is_some() {}
        reader.read().0
    };
    while reader.read().0 < all {
        assert!(reader.next_item().is_some());
    }
    drop(reader);
    drop(says_more);
}

/// Impossible ids are refused, so that the memory kept for threads stays bounded.
#[test]
fn ids_that_no_thread_has() {
    let ending = |tid| {
        let started = Event::Started { tid, process: 1, origin: StartKind::Attached, at: 0 };
        end(&record(&[Step::Event(started)], &Metadata::default(), 1).0).unwrap()
    };
    for possible in [0, 1, 1 << 22] {
        assert!(ending(possible).contains("Whole"), "{possible}");
    }
    for impossible in [-1, (1 << 22) + 1, i32::MIN, i32::MAX] {
        assert!(ending(impossible).contains("a thread has an impossible id"), "{impossible}");
    }
}

#[test]
fn what_is_no_recording_is_told_so() {
    let file = a_recording();
    let error_of = |bytes: &[u8]| Reader::open(bytes).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error_of(b"").starts_with("it is empty"));
    assert!(error_of(b"x").starts_with("it is not a recording"));
    assert!(error_of(b"execve(\"/bin/true\"").starts_with("it is not a recording"));
    assert!(error_of(&file[..5]).starts_with("it ends before the first event"));
    assert!(error_of(&file[..30]).starts_with("it ends before the first event"));
    let mut newer = file.clone();
    newer[8] = 9;
    assert!(error_of(&newer).contains("version 9, and this Stride reads up to version 6"));
    let mut broken = file.clone();
    broken[30] ^= 1;
    assert!(error_of(&broken).contains("checksum"), "{}", error_of(&broken));
    let mut later = file;
    let last = later.len() - 1;
    later[last] ^= 1;
    let mut reader = Reader::open(&later[..]).unwrap();
    while reader.next_item().is_some() {}
    assert!(matches!(reader.ending(), Some(Ending::Broken { offset, .. }) if *offset > 12));
}
