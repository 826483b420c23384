//! The kernel side's counts, added up over CPUs.

use crate::records;
use crate::wire::{Wire, bound, bytes_of, call_plan, count, count_key, count_times, read};
use libbpf_rs::{MapCore, MapFlags};
use std::sync::Arc;
use stride_event::{CallStats, CountBy, Counted, PowerBucket, Tid, Times};
use stride_syscalls::Abi;

/// Per ABI and number.
pub fn by_number(calls: &impl MapCore, counts: &impl MapCore, cpus: u32) -> libbpf_rs::Result<Vec<Counted>> {
    let mut all = Vec::new();
    for index in 0..bound::ABIS.0 * bound::NUMBERS.0 {
        let Some(plan) = lookup::<call_plan>(calls, index)? else { continue };
        if plan.slot == 0 || plan.slot > bound::COUNT_SLOTS.0 {
            continue;
        }
        let mut sum = Counted { call: Some(call(index)), ..Counted::default() };
        for cpu in 0..cpus {
            let slot = cpu * bound::COUNT_SLOTS.0 + plan.slot - 1;
            if let Some(one) = lookup::<count>(counts, slot)? {
                add(&mut sum.tally, &one);
            }
        }
        all.push(sum);
    }
    Ok(all)
}

/// By the keys that were asked for. With `ended`, only the calls of that interval, whose rows are then removed.
pub fn by_key(
    counts: &impl MapCore,
    by: CountBy,
    ended: Option<u32>,
    container: impl Fn(u64) -> Option<Arc<str>>,
) -> libbpf_rs::Result<Vec<Counted>> {
    let mut all = Vec::new();
    // Rows are removed only when all keys are known: the kernel begins anew after a key that is gone.
    let keys: Vec<Vec<u8>> = counts.keys().collect();
    for bytes in keys {
        let Some(key) = read::<count_key>(&bytes).filter(|key| ended.is_none_or(|ended| ended == key.interval)) else {
            continue;
        };
        let Some(cpus) = counts.lookup_percpu(&bytes, MapFlags::ANY)? else { continue };
        if ended.is_some() {
            counts.delete(&bytes)?;
        }
        let mut sum = Counted {
            call: by.syscall.then(|| call(key.call)),
            errno: key.error,
            pid: key.pid as Tid,
            tid: key.tid as Tid,
            comm: key.comm.split(|b| *b == 0).next().unwrap_or_default().to_vec(),
            size: PowerBucket(key.size as u8),
            duration: PowerBucket(key.duration as u8),
            user: key.user,
            container: if by.container { container(key.cgroup) } else { None },
            tally: CallStats::default(),
        };
        for one in cpus.iter().filter_map(|bytes| read::<count>(bytes)) {
            add(&mut sum.tally, &one);
        }
        all.push(sum);
    }
    Ok(all)
}

fn call(index: u32) -> (Abi, u64) {
    (records::abi((index / bound::NUMBERS.0) as u8), u64::from(index % bound::NUMBERS.0))
}

fn lookup<T: Wire>(map: &impl MapCore, index: u32) -> libbpf_rs::Result<Option<T>> {
    Ok(map.lookup(bytes_of(&[index]), MapFlags::ANY)?.and_then(|bytes| read(&bytes)))
}

fn add(sum: &mut CallStats, one: &count) {
    sum.calls += one.calls;
    sum.errors += one.errors;
    sum.bytes += one.bytes;
    let times = |from: &count_times| Times { total: from.total, min: !from.least, max: from.most };
    sum.wall.merge(&times(&one.wall));
    sum.cpu.merge(&times(&one.cpu));
    for (i, &n) in one.wall_buckets.iter().enumerate() {
        sum.latencies.add_bucket(i, u64::from(n));
    }
}
