//! The call that a thread sleeps in, and its memory. The memory is read in user space, because the kernel side of the eBPF engine only reads
//! memory that is present. The thread may return meanwhile, so what was read counts only if the thread is still in the call afterwards. Often
//! a thread is blocked because a page of that memory is missing, so reads have a time limit ([`Remote`]): the thread
//! that supplies the page may wait for room in the ring.

use crate::{Remote, process, procfs};
use stride_event::{Call, Limits, Peek, Phase, Tid, capture};
use stride_syscalls::{Abi, plan::Plan, table};

/// Copies the input of the call. False if the thread is no longer in the call.
pub fn read(call: &mut Call, limits: &Limits, remote: &mut Remote) -> bool {
    let Some(entry) = table(call.abi).get(call.nr) else { return true };
    let plan = Plan::of(entry.row, call.abi);
    let tid = call.tid;
    remote.begin();
    capture(&plan, entry.row, Phase::Entry, call, limits, &mut Memory { tid, remote });
    call.blocks.is_empty() || is_inside(call)
}

/// The call that a thread sleeps in, without its memory. `None` if it runs, or if this process may not know.
pub fn call_of(tid: Tid, abi: Abi) -> Option<Call> {
    let Sleep { nr, args, sp } = Sleep::of(tid)?;
    Some(Call { tid, abi, nr, args: args.map(|word| abi.cut(word)), sp: abi.cut(sp), ..Call::default() })
}

/// The ABI of the program that a process runs. (A 64-bit program may make 32-bit calls; few do.)
pub fn abi_of(process: Tid) -> Option<Abi> {
    let vector = std::fs::read(procfs::path(process, "auxv")).ok()?;
    let narrow = Abi::SERVED.iter().copied().find(|abi| abi.word() == 4);
    if is_narrow(&vector)? { narrow } else { Some(Abi::NATIVE) }
}

/// True if the words of an auxiliary vector have 32 bits. Its first one is a type, which is a small number, and the next one a value other
/// than 0.
fn is_narrow(vector: &[u8]) -> Option<bool> {
    Some(*vector.get(4..)?.first_chunk()? != [0; 4])
}

/// True if the thread sleeps in a call of this number with these arguments.
fn is_inside(call: &Call) -> bool {
    let cut = |args: [u64; 6], sp| (args.map(|word| call.abi.cut(word)), call.abi.cut(sp));
    Sleep::of(call.tid).is_some_and(|now| now.nr == call.nr && cut(now.args, now.sp) == cut(call.args, call.sp))
}

/// `/proc/TID/syscall` of a thread that sleeps in a call.
#[derive(Debug, PartialEq, Eq)]
struct Sleep {
    nr: u64,
    args: [u64; 6],
    sp: u64,
}

impl Sleep {
    fn of(tid: Tid) -> Option<Sleep> {
        Sleep::parse(&std::fs::read_to_string(procfs::path(tid, "syscall")).ok()?)
    }

    /// The number in decimal (-1 outside of calls), six arguments and the stack pointer in hexadecimal; or "running".
    fn parse(text: &str) -> Option<Sleep> {
        let mut words = text.split_ascii_whitespace();
        let nr = words.next()?.parse().ok()?;
        let mut hex = words.map_while(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
        let mut args = [0; 6];
        for arg in &mut args {
            *arg = hex.next()?;
        }
        Some(Sleep { nr, args, sp: hex.next()? })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_from_proc() {
        let sleep = Sleep { nr: 61, args: [0xffff_ffff, 2, 3, 4, 5, 6], sp: 0x7ff0 };
        assert_eq!(Sleep::parse("61 0xffffffff 0x2 0x3 0x4 0x5 0x6 0x7ff0 0x7f01\n"), Some(sleep));
        for other in ["running\n", "-1 0x7ff0 0x7f01\n", "", "61 0x1 0x2", "61 1 2 3 4 5 6 7"] {
            assert_eq!(Sleep::parse(other), None, "{other}");
        }
    }

    #[test]
    fn programs_are_of_an_abi() {
        assert_eq!(abi_of(std::process::id() as Tid), Some(Abi::NATIVE));
        let words = |words: [u32; 4]| words.map(u32::to_ne_bytes).concat();
        assert_eq!(is_narrow(&words([32, 0xf7f0_1570, 33, 0xf7f0_1000])), Some(true));
        assert_eq!(is_narrow(&words([33, 0, 0x1000, 0x7fff])), Some(false));
        assert_eq!(is_narrow(&[33, 0, 0]), None);
    }
}
