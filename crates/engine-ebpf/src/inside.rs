//! The memory of a blocked call. It is read in user space, because the kernel side only reads memory that is present.
//! The thread may return meanwhile, so what was read counts only if the thread is still in the call afterwards. Often
//! a thread is blocked because a page of that memory is missing, so reads have a time limit ([`Remote`]): the thread
//! that supplies the page may wait for room in the ring.

use stride_engine_base::{Remote, process, procfs};
use stride_event::{Call, Limits, Peek, Phase, Tid, capture};
use stride_syscalls::{plan::Plan, table};

/// Copies the input of the call. False if the thread is no longer in the call.
pub fn read(call: &mut Call, limits: &Limits, remote: &mut Remote) -> bool {
    let Some(entry) = table(call.abi).get(call.nr) else { return true };
    let plan = Plan::of(entry.row, call.abi);
    let tid = call.tid;
    remote.begin();
    capture(&plan, entry.row, Phase::Entry, call, limits, &mut Memory { tid, remote });
    call.blocks.is_empty() || is_inside(call)
}

/// True if the thread sleeps in a call of this number with these arguments.
fn is_inside(call: &Call) -> bool {
    let Ok(text) = std::fs::read_to_string(procfs::path(call.tid, "syscall")) else { return false };
    let mut words = text.split_ascii_whitespace();
    // The number in decimal, six arguments and the stack pointer in hexadecimal; or "running".
    let nr = words.next().and_then(|nr| nr.parse::<u64>().ok());
    let hex = words.map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    let cut = |word| call.abi.cut(word);
    nr == Some(call.nr) && hex.take(7).map(cut).eq(call.args.iter().copied().chain([call.sp]).map(cut))
}

struct Memory<'a> {
    tid: Tid,
    remote: &'a mut Remote,
}

impl Peek for Memory<'_> {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        self.remote.read(process::read_memory, self.tid, addr, buf).unwrap_or(0)
    }
}
