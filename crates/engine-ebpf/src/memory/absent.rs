//! Memory that was not present when the kernel side read a call's memory: a string constant, say, that the program had not
//! touched, in a call that the kernel refused before it looked at the string. The kernel side cannot make a page present. So
//! the reader reads it afterwards, if nobody can have written to it since the call: the page is still absent, or it is one
//! that the program may only read.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use stride_engine_base::{Remote, process, procfs};
use stride_event::{BlockRef, Call, Limits, Memory, Outcome, Peek, Phase, Tid, capture};
use stride_syscalls::{Effect, plan::Plan, table};

const PAGE: u64 = 4096;

/// Adds what the kernel side could not read of a call that has returned.
pub fn add(call: &mut Call, limits: &Limits, remote: &mut Remote) {
    let has_faults = (0..call.blocks.len()).filter_map(|i| call.blocks.block(i)).any(|block| block.faulted);
    // After execve(2) the thread has other memory.
    let replaced = table(call.abi).has_effect(call.nr, Effect::Executes) && matches!(call.outcome, Outcome::Value(_));
    if !has_faults || replaced || call.outcome == Outcome::Gone {
        return;
    }
    let Some(entry) = table(call.abi).get(call.nr) else { return };
    let Ok(pages) = File::open(procfs::path(call.tid, "pagemap")) else { return };
    let plan = Plan::of(entry.row, call.abi);
    let (mut constant, mut found) = (None, HashMap::new());
    let mut again = Call { blocks: Default::default(), ..call.clone() };
    remote.begin();
    for phase in [Phase::Entry, Phase::Exit] {
        let mut memory =
            Absent { seen: call, phase, pages: &pages, found: &mut found, constant: &mut constant, remote };
        capture(&plan, entry.row, phase, &mut again, limits, &mut memory);
    }
    let blocks = std::mem::take(&mut call.blocks);
    let all = |of: &stride_event::Blocks| -> Vec<(u8, Phase, u64)> {
        (0..of.len()).filter_map(|i| of.block(i)).map(|b| (b.op, b.phase, b.addr)).collect()
    };
    let (old, new) = (all(&blocks), all(&again.blocks));
    for (i, place) in old.iter().enumerate() {
        let Some(block) = blocks.block(i) else { continue };
        let better = new.iter().position(|other| other == place).and_then(|at| again.blocks.block(at));
        let longer = |other: &BlockRef<'_>| block.faulted && other.bytes.len() > block.bytes.len();
        call.blocks.push_block(better.filter(longer).unwrap_or(block));
    }
    // The memory that pointers in the new memory point to.
    for (i, place) in new.iter().enumerate() {
        if let Some(block) = again.blocks.block(i)
            && !old.contains(place)
            && !block.bytes.is_empty()
        {
            call.blocks.push_block(block);
        }
    }
}

/// The memory that the kernel side saw, and pages that cannot have changed.
struct Absent<'a> {
    seen: &'a Call,
    phase: Phase,
    pages: &'a File,
    /// The contents of absent pages, by their numbers. (The first reading makes them present.)
    found: &'a mut HashMap<u64, Vec<u8>>,
    /// The ranges of addresses that the program may only read, once they are known.
    constant: &'a mut Option<Vec<Range<u64>>>,
    remote: &'a mut Remote,
}

impl Peek for Absent<'_> {
    fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
        let seen = self.seen.blocks.prefix(self.phase, addr, buf.len());
        buf[..seen.len()].copy_from_slice(seen);
        let mut done = seen.len();
        while done < buf.len() {
            let at = addr.wrapping_add(done as u64);
            let step = ((PAGE - at % PAGE) as usize).min(buf.len() - done);
            let place = &mut buf[done..done + step];
            let found = self.found_page(at / PAGE);
            let found = found.map(|page| copy(page.get((at % PAGE) as usize..).unwrap_or_default(), place));
            let got = match found {
                Some(got) => got,
                None if self.is_constant(at) => {
                    self.remote.read(process::read_memory, self.seen.tid, at, place).unwrap_or(0)
                }
                None => break,
            };
            done += got;
            if got < step {
                break;
            }
        }
        done
    }
}

fn copy(bytes: &[u8], place: &mut [u8]) -> usize {
    let n = bytes.len().min(place.len());
    place[..n].copy_from_slice(&bytes[..n]);
    n
}

impl Absent<'_> {
    /// The bytes of the page, if it was absent.
    fn found_page(&mut self, page: u64) -> Option<&[u8]> {
        if !self.found.contains_key(&page) && self.is_absent(page) {
            let mut bytes = vec![0; PAGE as usize];
            let got = self.remote.read(process::read_memory, self.seen.tid, page * PAGE, &mut bytes).unwrap_or(0);
            bytes.truncate(got);
            self.found.insert(page, bytes);
        }
        self.found.get(&page).map(Vec::as_slice)
    }

    fn is_constant(&mut self, addr: u64) -> bool {
        self.constant.get_or_insert_with(|| constant(self.seen.tid)).iter().any(|range| range.contains(&addr))
    }

    /// Documentation/admin-guide/mm/pagemap.rst: the page is neither in memory nor swapped.
    fn is_absent(&self, page: u64) -> bool {
        const PRESENT: u64 = 1 << 63;
        const SWAPPED: u64 = 1 << 62;
        let mut word = [0; 8];
        let read = self.pages.read_exact_at(&mut word, page * 8);
        read.is_ok() && u64::from_le_bytes(word) & (PRESENT | SWAPPED) == 0
    }
}

/// The private mappings of a process that it may not write to: `55d0c000-55d0d000 r--p ...`.
fn constant(tid: Tid) -> Vec<Range<u64>> {
    let maps = procfs::text(procfs::path(tid, "maps")).unwrap_or_default();
    let range = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let hex = |word| u64::from_str_radix(word, 16).ok();
        match rest.as_bytes() {
            [b'r', b'-', _, b'p', ..] => Some(hex(from)?..hex(to)?),
            _ => None,
        }
    };
    maps.lines().filter_map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_syscalls::Abi;

    /// The memory of this process below an address, as the kernel side sees it.
    struct Below(u64);

    impl Peek for Below {
        fn peek(&mut self, addr: u64, buf: &mut [u8]) -> usize {
            let len = self.0.saturating_sub(addr).min(buf.len() as u64) as usize;
            process::read_memory(std::process::id() as Tid, addr, &mut buf[..len]).unwrap_or(0)
        }
    }

    /// The second struct mmsghdr lies on a page that nobody has touched. Its members are read as they are at the beginning of the call and at its end.
    #[test]
    fn a_page_that_was_absent_is_read_for_both_ends_of_a_call() {
        const STRUCT: u64 = 64;
        const MSG_LEN: u64 = 56;
        // SAFETY: new memory, which nothing else uses.
        let memory = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), 2 * PAGE as usize, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        assert_ne!(memory, libc::MAP_FAILED);
        // SAFETY: the first byte of that memory.
        unsafe { memory.cast::<u8>().write_volatile(0) };
        let second = memory as u64 + PAGE;
        let (entry, limits) = (
            table(Abi::NATIVE).by_name("sendmmsg").next().expect("every machine has this call"),
            Limits { text: 32, command_text: 0, elements: 32, received: true },
        );
        let mut call = Call {
            tid: std::process::id() as Tid,
            abi: Abi::NATIVE,
            nr: entry.nr.into(),
            args: [0, second - STRUCT, 2, 0, 0, 0],
            outcome: Outcome::Value(2),
            ..Call::default()
        };
        let plan = Plan::of(entry.row, call.abi);
        for phase in [Phase::Entry, Phase::Exit] {
            capture(&plan, entry.row, phase, &mut call, &limits, &mut Below(second));
        }
        let known = |call: &Call| {
            [Phase::Entry, Phase::Exit].map(|phase| call.blocks.prefix(phase, second + MSG_LEN - 8, 12).len())
        };
        assert_eq!(known(&call), [0, 0]);
        let mut remote = Remote::default();
        add(&mut call, &limits, &mut remote);
        let both = known(&call);
        // SAFETY: the memory of above, to which nothing points any more.
        unsafe { libc::munmap(memory, 2 * PAGE as usize) };
        assert!(both[0] >= 8 && call.blocks.prefix(Phase::Exit, second + MSG_LEN, 4).len() == 4, "{both:?}");
    }
}
