//! Reads a file frame by frame, here or in a thread that reads ahead. Every length is checked before it is used.

use crate::frame::{FrameHead, FrameKind, START};
use crate::{Ending, MAX_BATCH};
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Builder;
use zstd::bulk::Decompressor;

/// A frame, or the reason why there is none.
pub struct ReadFrame {
    pub kind: Result<FrameKind, Ending>,
    /// The position of its beginning in the file, in bytes.
    pub begin: u64,
    /// The position up to which the file was read.
    pub end: u64,
}

/// The frames of a file, in order.
pub struct FrameReader<R> {
    from: R,
    decompressor: Decompressor<'static>,
    packed: Vec<u8>,
    /// The beginning of the next frame.
    offset: u64,
}

impl<R: Read> FrameReader<R> {
    /// `from`: the file behind its magic number and version.
    pub fn new(from: R) -> io::Result<FrameReader<R>> {
        Ok(FrameReader { from, decompressor: Decompressor::new()?, packed: Vec::new(), offset: START as u64 })
    }

    /// Reads the next frame. `contents` gets its contents.
    pub fn read(&mut self, contents: &mut Vec<u8>) -> ReadFrame {
        let begin = self.offset;
        let kind = self.unpack(contents);
        ReadFrame { kind, begin, end: self.offset }
    }

    fn unpack(&mut self, contents: &mut Vec<u8>) -> Result<FrameKind, Ending> {
        let offset = self.offset;
        let broken = |why| Ending::Broken { offset, why };
        let mut head = [0; FrameHead::SIZE];
        if read_up_to(&mut self.from, &mut head).map_err(Ending::Io)? < head.len() {
            return Err(Ending::Cut { offset });
        }
        let head = FrameHead::parse(&head).ok_or(broken("a frame has an impossible header"))?;
        // The buffer grows with the bytes that are there, not with the length that is claimed.
        self.packed.clear();
        let there = self.from.by_ref().take(head.len.into()).read_to_end(&mut self.packed).map_err(Ending::Io)?;
        if there < head.len as usize {
            return Err(Ending::Cut { offset });
        }
        if !head.fits(&self.packed) {
            return Err(broken("its checksum is wrong"));
        }
        let raw = (head.raw as usize).min(MAX_BATCH);
        contents.clear();
        contents.reserve(raw);
        match self.decompressor.decompress_to_buffer(&self.packed, contents) {
            Ok(n) if n == raw => {}
            _ => return Err(broken("it cannot be decompressed")),
        }
        self.offset += FrameHead::SIZE as u64 + u64::from(head.len);
        Ok(head.kind)
    }
}

fn read_up_to(from: &mut impl Read, buf: &mut [u8]) -> io::Result<usize> {
    let mut n = 0;
    while n < buf.len() {
        match from.read(&mut buf[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(n)
}

/// The frames that wait to be taken, at most. One more is being made.
const WAITING: usize = 1;

/// The bytes of the thread's stack. Its buffers are not on the stack.
const STACK: usize = 256 << 10;

/// A thread that reads frames ahead. The thread ends when the recording does, or with its next frame when nobody takes frames any more. Nobody
/// waits for the thread's end, because the thread may wait for a pipe.
pub struct FramesAhead {
    frames: Receiver<(ReadFrame, Vec<u8>)>,
    /// Buffers go back to the thread.
    spare: Sender<Vec<u8>>,
}

impl FramesAhead {
    /// Starts the thread. If there can be none, the reader comes back.
    pub fn start<R: Read + Send + 'static>(reader: FrameReader<R>) -> Result<FramesAhead, FrameReader<R>> {
        let (give, frames) = sync_channel(WAITING);
        let (spare, buffers) = channel();
        let (hand_over, reader_of_thread) = sync_channel(1);
        let run = move || {
            if let Ok(reader) = reader_of_thread.recv() {
                read_all(reader, &give, &buffers);
            }
        };
        match Builder::new().name("stride-read".into()).stack_size(STACK).spawn(run) {
            Ok(_) => hand_over.send(reader).map_err(|unsent| unsent.0)?,
            Err(_) => return Err(reader),
        }
        Ok(FramesAhead { frames, spare })
    }

    /// Takes the next frame. Its contents take the place of `contents`.
    pub fn read(&mut self, contents: &mut Vec<u8>) -> Option<ReadFrame> {
        let (frame, mut filled) = self.frames.recv().ok()?;
        std::mem::swap(contents, &mut filled);
        // (The thread may have ended.)
        let _ = self.spare.send(filled);
        Some(frame)
    }
}

fn read_all<R: Read>(mut reader: FrameReader<R>, give: &SyncSender<(ReadFrame, Vec<u8>)>, buffers: &Receiver<Vec<u8>>) {
    let mut own = Vec::new();
    loop {
        let frame = reader.read(&mut own);
        // The buffer is in the cache of the CPU that read it last. To take it from there in one go costs less than while the decompressor
        // fills it piece by piece.
        let mut contents = buffers.try_recv().unwrap_or_default();
        contents.clear();
        contents.extend_from_slice(&own);
        let is_last = !matches!(frame.kind, Ok(FrameKind::Batch));
        if give.send((frame, contents)).is_err() || is_last {
            return;
        }
    }
}
