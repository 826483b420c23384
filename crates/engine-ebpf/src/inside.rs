//! What a blocked call has in memory. It is read from here, as the kernel side only looks at what is at hand: the thread may
//! return while we read, so that what was read counts only if it is still in the call thereafter.

use std::io;
use stride_event::{Call, Limits, Peek, Phase, Tid, capture};
use stride_syscalls::{plan::Plan, table};

/// Copies what the call was given. False: the thread is no longer in it.
pub fn read(call: &mut Call, limits: &Limits) -> bool {
    let Some(entry) = table(call.abi).get(call.nr) else { return true };
    let plan = Plan::of(entry.row, call.abi);
    let tid = call.tid;
    capture(&plan, entry.row, Phase::Entry, call, limits, &mut Memory { tid });
    call.blocks.is_empty() || is_inside(call)
}

/// Whether the thread sleeps in a call of this number with these arguments.
fn is_inside(call: &Call) -> bool {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{}/syscall", call.tid)) else { return false };
    let mut words = text.split_ascii_whitespace();
    // The number in decimal, six arguments and the stack pointer in hexadecimal; or "running".
    let nr = words.next().and_then(|nr| nr.parse::<u64>().ok());
    let hex = words.map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    let cut = |word| call.abi.cut(word);
    nr == Some(call.nr) && hex.take(7).map(cut).eq(call.args.iter().copied().chain([call.sp]).map(cut))
}

struct Memory {
    tid: Tid,
}

const PAGE: usize = 4096;

impl Peek for Memory {
    /// Page by page: a read that meets an unreadable page gives nothing.
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        let mut got = 0;
        while got < buf.len() {
            let Some(at) = addr.checked_add(got as u64) else { break };
            let to_page_end = PAGE - at as usize % PAGE;
            let end = buf.len().min(got + to_page_end);
            match read_memory(self.tid, at, &mut buf[got..end]) {
                Ok(n) if n > 0 => got += n,
                _ => break,
            }
        }
        got
    }
}

fn read_memory(tid: Tid, addr: u64, buf: &mut [u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: buf.as_mut_ptr().cast(), iov_len: buf.len() };
    let remote = libc::iovec { iov_base: addr as *mut libc::c_void, iov_len: buf.len() };
    // SAFETY: the kernel writes at most `buf.len()` bytes to `buf`; the other address is the other process's.
    let n = unsafe { libc::process_vm_readv(tid, &local, 1, &remote, 1, 0) };
    usize::try_from(n).map_err(|_| io::Error::last_os_error())
}
