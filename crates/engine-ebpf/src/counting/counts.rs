//! The kernel side's counts, added up over CPUs.

use crate::counting::timing::TimedCount;
use crate::reading::records;
use crate::ring::Mapping;
use crate::wire::{Wire, bound, bytes_of, call_plan, count, count_key, count_times, read};
use libbpf_rs::{MapCore, MapFlags};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::mem::offset_of;
use std::os::fd::AsRawFd;
use std::slice::ChunksExact;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use stride_event::{CallStats, CountBy, Counted, PowerBucket, Tid, Times};
use stride_syscalls::Abi;

/// The counts of calls that have the same key, as the kernel side keeps them.
#[derive(Clone, Copy)]
pub struct CountRow {
    pub key: count_key,
    pub count: count,
    /// The total of `cpu` is an estimate, from the calls that were timed.
    pub estimated: bool,
}

/// Per ABI and number, which is all of the key. `estimate` has the CPU times of slots whose calls were not all timed.
pub fn by_number(
    calls: &impl MapCore,
    counts: &impl MapCore,
    cpus: u32,
    estimate: impl Fn(usize, TimedCount) -> Option<u64>,
) -> libbpf_rs::Result<Vec<CountRow>> {
    let mut all = Vec::new();
    // (Mapped, because a call of bpf(2) for each of thousands of numbers takes longer than all the rest.)
    let numbers = bound::ABIS.0 * bound::NUMBERS.0;
    let plans = Mapping::values(calls.as_fd(), numbers as usize * size_of::<call_plan>())?;
    for index in 0..numbers {
        let of = index as usize * size_of::<call_plan>();
        let slot_of_call = plans.word(of + offset_of!(call_plan, slot)).load(Ordering::Relaxed);
        if slot_of_call == 0 || slot_of_call > bound::COUNT_SLOTS.0 {
            continue;
        }
        let key = count_key { call: index, ..count_key::default() };
        let mut row = CountRow { key, count: count::default(), estimated: false };
        for cpu in 0..cpus {
            let slot = cpu * bound::COUNT_SLOTS.0 + slot_of_call - 1;
            if let Some(one) = lookup::<count>(counts, slot)? {
                add(&mut row.count, &one);
            }
        }
        let count { calls, timed, cpu, .. } = row.count;
        let now = TimedCount { calls, timed, cpu: cpu.total };
        if let Some(estimate) = estimate(slot_of_call as usize - 1, now) {
            row.count.cpu.total = estimate;
            row.estimated = true;
        }
        all.push(row);
    }
    Ok(all)
}

/// Sums by number that were handed out already, by the calls' places in the table of calls. The kernel side never takes anything off them.
#[derive(Default)]
pub struct TakenCounts(RefCell<FxHashMap<u32, (u64, u64)>>);

impl TakenCounts {
    /// The calls and bytes since the last interval. `ends`: an interval ends here.
    pub fn rest(&self, mut rows: Vec<CountRow>, ends: bool) -> Vec<CountRow> {
        let mut taken = self.0.borrow_mut();
        for row in &mut rows {
            let all = (row.count.calls, row.count.bytes);
            let (calls, bytes) = taken.get(&row.key.call).copied().unwrap_or_default();
            (row.count.calls, row.count.bytes) = (all.0 - calls, all.1 - bytes);
            if ends {
                taken.insert(row.key.call, all);
            }
        }
        rows.retain(|row| row.count.calls > 0);
        rows
    }
}

/// By the keys that were asked for. With `ended`, only the calls of that interval, whose rows are then removed.
pub fn by_key(counts: &impl MapCore, ended: Option<u32>) -> libbpf_rs::Result<Vec<CountRow>> {
    let mut all = Vec::new();
    let mut gone = Vec::new();
    rows(counts, |bytes, cpus| {
        let Some(key) = read::<count_key>(bytes).filter(|key| ended.is_none_or(|ended| ended == key.interval)) else {
            return;
        };
        if ended.is_some() {
            gone.extend_from_slice(bytes);
        }
        let mut row = CountRow { key, count: count::default(), estimated: false };
        for one in cpus.filter_map(read::<count>) {
            add(&mut row.count, &one);
        }
        all.push(row);
    })?;
    let rows = (gone.len() / size_of::<count_key>()) as u32;
    if rows > 0 {
        counts.delete_batch(&gone, rows, MapFlags::ANY, MapFlags::ANY)?;
    }
    Ok(all)
}

/// The counts in the rows of the kernel's map. `container` finds the container of a cgroup.
pub fn counted(rows: &[CountRow], by: CountBy, container: impl Fn(u64) -> Option<Arc<str>>) -> Vec<Counted> {
    let counted = |CountRow { key, count, estimated }: &CountRow| Counted {
        call: by.syscall.then(|| call(key.call)),
        errno: key.error,
        pid: key.pid as Tid,
        tid: key.tid as Tid,
        comm: key.comm.split(|b| *b == 0).next().unwrap_or_default().to_vec(),
        size: PowerBucket(key.size as u8),
        duration: PowerBucket(key.duration as u8),
        user: key.user,
        container: if by.container { container(key.cgroup) } else { None },
        tally: stats(count, *estimated),
    };
    rows.iter().map(counted).collect()
}

/// Hands out all rows of a map with a value for each CPU: the key, and the values. There may be thousands of rows each second, so that a system call
/// for each would take too much time.
fn rows(map: &impl MapCore, mut each: impl FnMut(&[u8], ChunksExact<'_, u8>)) -> libbpf_rs::Result<()> {
    let (key, value) = (map.key_size() as usize, (map.value_size() as usize).next_multiple_of(8));
    let values = value * libbpf_rs::num_possible_cpus()?;
    let mut n = (BATCH_BYTES / values).max(64);
    let mut position: Option<u32> = None;
    loop {
        let (mut keys, mut cells) = (vec![0; n * key], vec![0; n * values]);
        let (mut count, mut next) = (n as u32, 0u32);
        let from = position.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut);
        // SAFETY: `keys` and `cells` have room for `count` keys and for as many values of all CPUs; the positions are those of a hash map, a
        // u32 each; all of them outlive the call.
        let result = unsafe {
            libbpf_rs::libbpf_sys::bpf_map_lookup_batch(
                map.as_fd().as_raw_fd(),
                from.cast(),
                (&raw mut next).cast(),
                keys.as_mut_ptr().cast(),
                cells.as_mut_ptr().cast(),
                &mut count,
                std::ptr::null(),
            )
        };
        match -result {
            0 | libc::ENOENT => {}
            // The rows of one place in the table find no room.
            libc::ENOSPC if n < bound::COUNT_ROWS.0 as usize => {
                n *= 2;
                continue;
            }
            errno => return Err(std::io::Error::from_raw_os_error(errno).into()),
        }
        for (key, values) in keys.chunks_exact(key).zip(cells.chunks_exact(values)).take(count as usize) {
            each(key, values.chunks_exact(value));
        }
        if result != 0 {
            return Ok(());
        }
        position = Some(next);
    }
}

/// Values that are read by one system call.
const BATCH_BYTES: usize = 4 << 20;

fn call(index: u32) -> (Abi, u64) {
    (records::abi((index / bound::NUMBERS.0) as u8), u64::from(index % bound::NUMBERS.0))
}

fn lookup<T: Wire>(map: &impl MapCore, index: u32) -> libbpf_rs::Result<Option<T>> {
    Ok(map.lookup(bytes_of(&[index]), MapFlags::ANY)?.and_then(|bytes| read(&bytes)))
}

fn add(sum: &mut count, one: &count) {
    sum.calls += one.calls;
    sum.errors += one.errors;
    sum.bytes += one.bytes;
    sum.timed += one.timed;
    // (Of the complements of the least times, the greatest is that of the least time.)
    let times = |to: &mut count_times, from: &count_times| {
        *to =
            count_times { total: to.total + from.total, least: to.least.max(from.least), most: to.most.max(from.most) };
    };
    times(&mut sum.wall, &one.wall);
    times(&mut sum.cpu, &one.cpu);
    for (to, from) in sum.wall_buckets.iter_mut().zip(one.wall_buckets) {
        *to = to.saturating_add(from);
    }
}

fn stats(from: &count, estimated: bool) -> CallStats {
    let untimed = if estimated { from.calls - from.timed } else { 0 };
    let mut stats =
        CallStats { calls: from.calls, errors: from.errors, bytes: from.bytes, untimed, ..CallStats::default() };
    let times = |from: &count_times| Times { total: from.total, min: !from.least, max: from.most };
    stats.wall.merge(&times(&from.wall));
    stats.cpu.merge(&times(&from.cpu));
    for (i, &n) in from.wall_buckets.iter().enumerate() {
        stats.latencies.add_bucket(i, u64::from(n));
    }
    stats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_is_handed_out_once() {
        let taken = TakenCounts::default();
        let rows = |all: &[(u32, u64)]| {
            let row = |&(call, calls): &(u32, u64)| {
                let (key, count) = (count_key { call, ..count_key::default() }, count { calls, ..count::default() });
                CountRow { key, count, estimated: false }
            };
            all.iter().map(row).collect::<Vec<_>>()
        };
        let rest = |all: &[(u32, u64)], ends| {
            let rest = taken.rest(rows(all), ends);
            rest.iter().map(|row| (row.key.call, row.count.calls)).collect::<Vec<_>>()
        };
        assert_eq!(rest(&[(1, 5)], true), [(1, 5)]);
        assert_eq!(rest(&[(1, 5), (2, 3)], true), [(2, 3)]);
        assert_eq!(rest(&[(1, 9), (2, 3)], false), [(1, 4)]);
        assert_eq!(rest(&[(1, 9), (2, 4)], true), [(1, 4), (2, 1)]);
    }
}
