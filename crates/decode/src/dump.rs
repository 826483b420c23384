//! The data that a call transferred: `-e read=` and `-e write=`.

use crate::cx::le;
use crate::irregular::ioctl::virtual_machine;
use crate::{Cx, Value};
use bumpalo::collections::Vec;
use stride_event::{Call, Outcome, Phase, Tid};
use stride_syscalls::{Data, Flow, Note};

/// A piece of a dump, in order.
#[derive(Clone, Copy, Debug)]
pub enum Dump<'a> {
    /// The state of a virtual CPU (`--kvm=vcpu+`), before or after it ran.
    Vcpu {
        /// The number of the CPU.
        id: u64,
        /// Before or after it ran.
        phase: Phase,
        /// Its registers.
        state: Value<'a>,
    },
    /// The message with this index follows, with this many buffers.
    Vector {
        /// Counted from 0.
        index: usize,
        /// The number of buffers.
        buffers: u64,
    },
    /// The buffer with this index follows, with this many bytes.
    Buffer {
        /// Counted from 0.
        index: usize,
        /// The number of bytes.
        len: u64,
    },
    /// Data. `len` is the number of bytes in all.
    Bytes {
        /// The bytes that were captured.
        bytes: &'a [u8],
        /// The number of bytes that were moved.
        len: u64,
    },
    /// `len` bytes at this address of the process could not be read, and the dump ends.
    Missing {
        /// The number of bytes.
        len: u64,
        /// The address of the first one.
        addr: u64,
        /// The thread whose memory it is.
        tid: Tid,
    },
}

/// The size of one read. If memory ends early, the dump ends with the last whole chunk.
const CHUNK: usize = 64 << 10;

/// The dump of a finished call; empty unless it was asked for.
pub fn of<'a>(cx: &Cx<'a>) -> &'a [Dump<'a>] {
    if matches!(cx.row.note, Some(Note::Ioctl))
        && let Some(states) = virtual_machine::states(cx)
    {
        return states;
    }
    let options = cx.options;
    if options.dump_read.is_empty() && options.dump_write.is_empty() {
        return &[];
    }
    let Some(transfer) = cx.row.transfer() else { return &[] };
    let phase = match transfer.flow {
        Flow::In => Phase::Exit,
        Flow::Out => Phase::Entry,
        Flow::Between => return &[],
    };
    let wanted = if phase == Phase::Exit { &options.dump_read } else { &options.dump_write };
    let Call { args, outcome, .. } = *cx.call;
    let moved = match (phase, outcome) {
        (Phase::Entry, _) => u64::MAX,
        (Phase::Exit, Outcome::Value(n)) => n.max(0) as u64,
        (Phase::Exit, _) => return &[],
    };
    if !wanted.contains(args[0] as i32) {
        return &[];
    }
    let mut out = Pieces { cx, phase, pieces: Vec::new_in(cx.arena) };
    let [_, addr, count, ..] = args;
    match transfer.data {
        Data::Bytes => out.bytes(addr, count.min(moved)),
        Data::Vector => out.vector(addr, count, moved),
        Data::Message => out.message(addr, moved),
        Data::Messages => out.messages(addr, count.min(cx.ret().unwrap_or(0).max(0) as u64)),
        Data::Records | Data::Nowhere => {}
    }
    out.pieces.into_bump_slice()
}

struct Pieces<'a, 'c> {
    cx: &'c Cx<'a>,
    phase: Phase,
    pieces: Vec<'a, Dump<'a>>,
}

impl<'a> Pieces<'a, '_> {
    fn bytes(&mut self, addr: u64, len: u64) {
        let bytes = self.cx.prefix(self.phase, addr, usize::try_from(len).unwrap_or(usize::MAX));
        if bytes.len() as u64 == len {
            if len > 0 {
                self.pieces.push(Dump::Bytes { bytes, len });
            }
            return;
        }
        let whole = bytes.len() / CHUNK * CHUNK;
        if whole > 0 {
            self.pieces.push(Dump::Bytes { bytes: &bytes[..whole], len });
            let missing = (len - whole as u64).min(CHUNK as u64);
            let tid = self.cx.call.tid;
            self.pieces.push(Dump::Missing { len: missing, addr: addr.wrapping_add(whole as u64), tid });
        }
    }

    /// The buffers that were filled or written, up to the first empty one.
    fn vector(&mut self, addr: u64, count: u64, mut left: u64) {
        let word = self.cx.abi().word();
        let size = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(2 * word);
        let Some(vector) = self.cx.read(Phase::Entry, addr, size) else { return };
        for (index, iovec) in vector.chunks_exact(2 * word).enumerate() {
            let len = le(iovec, word, word).min(left);
            if len == 0 {
                return;
            }
            left -= len;
            self.pieces.push(Dump::Buffer { index, len });
            self.bytes(le(iovec, 0, word), len);
        }
    }

    fn message(&mut self, addr: u64, left: u64) {
        if let Some((iov, count)) = self.iov(addr) {
            self.vector(iov, count, left);
        }
    }

    /// `msg_iov` and `msg_iovlen` of a `struct msghdr`. They follow a pointer and an `int`, padded to words.
    fn iov(&self, addr: u64) -> Option<(u64, u64)> {
        let word = self.cx.abi().word() as u64;
        Some((self.word(addr.wrapping_add(2 * word))?, self.word(addr.wrapping_add(3 * word))?))
    }

    /// A member that the program set: its value at entry, or else at exit.
    fn word(&self, addr: u64) -> Option<u64> {
        self.cx.word(Phase::Entry, addr).or_else(|| self.cx.word(Phase::Exit, addr))
    }

    fn messages(&mut self, addr: u64, count: u64) {
        let word = self.cx.abi().word() as u64;
        // Seven words of msghdr, and msg_len padded to a word.
        let size = 8 * word;
        for index in 0..count {
            let at = addr.wrapping_add(index.wrapping_mul(size));
            let Some((iov, buffers)) = self.iov(at) else { return };
            let left = match self.phase {
                Phase::Entry => u64::MAX,
                Phase::Exit => self.cx.uint(Phase::Exit, at.wrapping_add(7 * word), 4).unwrap_or(0),
            };
            self.pieces.push(Dump::Vector { index: index as usize, buffers });
            self.vector(iov, buffers, left);
        }
    }
}
