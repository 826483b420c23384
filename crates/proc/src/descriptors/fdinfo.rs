//! /proc/TID/fdinfo/N: the kernel's data about anonymous files (proc_pid_fdinfo(5)).

use std::fs;
use stride_engine_base::procfs;
use stride_event::{Descriptor, Detail, Tid};
use stride_syscalls::uapi::signals::SIGNALS;

struct Fdinfo(String);

impl Fdinfo {
    fn read(tid: Tid, fd: i32) -> Option<Fdinfo> {
        fs::read_to_string(procfs::path(tid, &format!("fdinfo/{fd}"))).ok().map(Fdinfo)
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    }
}

/// How the file was opened: `O_RDONLY`, `O_WRONLY` or `O_RDWR`.
pub fn access(tid: Tid, fd: i32) -> Option<u32> {
    Some(u32::from_str_radix(Fdinfo::read(tid, fd)?.get("flags")?, 8).ok()? & 3)
}

/// The descriptors that an epoll instance watches.
pub fn watched(tid: Tid, fd: i32) -> Option<Vec<i32>> {
    let info = Fdinfo::read(tid, fd)?;
    let number = |line: &str| line.strip_prefix("tfd:")?.split_ascii_whitespace().next()?.parse().ok();
    Some(info.0.lines().filter_map(number).collect())
}

/// The number of the other side of a terminal.
pub fn terminal(tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<u32> {
    match known {
        Some(Descriptor { detail: Detail::Terminal(index), .. }) => Some(*index),
        _ => Fdinfo::read(tid, fd)?.get("tty-index")?.parse().ok(),
    }
}

/// `{eventfd-count=0x5, eventfd-id=1, eventfd-semaphore=1}`.
pub fn eventfd(tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<String> {
    if let Some(&Descriptor { detail: Detail::Eventfd { count, id, semaphore }, .. }) = known {
        return Some(eventfd_text(count, Some(id), Some(semaphore.into())));
    }
    let info = Fdinfo::read(tid, fd)?;
    let count = u64::from_str_radix(info.get("eventfd-count")?, 16).ok()?;
    let number = |name| info.get(name).and_then(|n| n.parse::<u64>().ok());
    Some(eventfd_text(count, number("eventfd-id"), number("eventfd-semaphore")))
}

fn eventfd_text(count: u64, id: Option<u64>, semaphore: Option<u64>) -> String {
    let count = if count == 0 { "0".to_owned() } else { format!("{count:#x}") };
    let mut text = format!("{{eventfd-count={count}");
    if let Some(id) = id {
        text += &format!(", eventfd-id={id}");
    }
    if let Some(semaphore) = semaphore {
        text += &format!(", eventfd-semaphore={semaphore}");
    }
    text + "}"
}

/// `signalfd:[USR1 CHLD]`.
pub fn signalfd(tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<String> {
    let mask = match known {
        Some(Descriptor { detail: Detail::Signalfd(mask), .. }) => *mask,
        _ => u64::from_str_radix(Fdinfo::read(tid, fd)?.get("sigmask")?, 16).ok()?,
    };
    Some(format!("signalfd:{}", signals(mask)))
}

/// `pid:4711`.
pub fn pidfd(tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<String> {
    Some(format!("pid:{}", pid(tid, fd, known)?))
}

/// The process that a pidfd refers to. -1 if the process is gone.
pub fn pid(tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<i32> {
    match known {
        Some(Descriptor { detail: Detail::Pidfd(pid), .. }) => Some(*pid),
        // (-1 stands for a process that is gone.)
        _ => Fdinfo::read(tid, fd)?.get("Pid")?.parse().ok().map(|pid| procfs::tid(pid).unwrap_or(-1)),
    }
}

/// The signals of a mask. If most signals are set, the text lists the others after a `~`.
fn signals(mask: u64) -> String {
    let inverted = mask.count_ones() >= 64 * 2 / 3;
    let shown = if inverted { !mask } else { mask };
    let names: Vec<String> = (1..=64).filter(|s| shown >> (s - 1) & 1 != 0).map(name).collect();
    format!("{}[{}]", if inverted { "~" } else { "" }, names.join(" "))
}

fn name(signal: u32) -> String {
    match signal {
        32 => "RTMIN".to_owned(),
        33..64 => format!("RT_{}", signal - 32),
        64 => "RTMAX".to_owned(),
        _ => SIGNALS
            .iter()
            .find(|s| s.0 == signal)
            .map_or_else(|| signal.to_string(), |s| s.1.trim_start_matches("SIG").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::signals;

    #[test]
    fn signal_masks() {
        assert_eq!(signals(1 << 9 | 1 << 16), "[USR1 CHLD]");
        assert_eq!(signals(!(1 << 8)), "~[KILL]");
        assert_eq!(signals(1 << 31 | 1 << 33), "[RTMIN RT_2]");
    }
}
