//! The state and the calls of a process at a moment (proc_pid_stat(5), proc_pid_syscall(5)).

use std::fs::File;
use std::io::Read;
use std::time::Duration;
use stride_engine_base::procfs;
use stride_engine_base::stat::behind_name;
use stride_event::Tid;

/// The calls of so many threads of a process are told.
const MOST_THREADS: usize = 8;
const MOMENT: Duration = Duration::from_millis(5);

/// The letter of the state, the parent, and the numbers of the calls that the first threads are in: `S 1 202 7`. The kernel tells the calls to those who may
/// trace the process.
pub fn of(pid: Tid) -> Option<String> {
    let first = now(pid)?;
    // A thread that a tracer has just left runs for a moment, and stops or sleeps again.
    if !first.starts_with(['R', 't']) {
        return Some(first);
    }
    std::thread::sleep(MOMENT);
    now(pid)
}

fn now(pid: Tid) -> Option<String> {
    let stat = procfs::text(procfs::path(pid, "stat"))?;
    let mut words = behind_name(&stat)?.split_ascii_whitespace();
    let mut doing = format!("{} {}", words.next()?, words.next()?);
    if is_of_64_bits(pid) {
        let calls = procfs::threads(pid).into_iter().take(MOST_THREADS).filter_map(call);
        calls.for_each(|nr| doing += &format!(" {nr}"));
    }
    Some(doing)
}

/// The number of the call that a thread is in. `None`: it runs, or is stopped outside a call.
fn call(tid: Tid) -> Option<u32> {
    let text = procfs::text(procfs::path(tid, "syscall"))?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

/// Other programs have numbers of another ABI.
fn is_of_64_bits(pid: Tid) -> bool {
    const ELFCLASS64: u8 = 2;
    let mut head = [0; 5];
    let read = File::open(procfs::path(pid, "exe")).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == [0x7f, b'E', b'L', b'F', ELFCLASS64]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_that_reads_and_is_stopped() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let (pid, me) = (child.id() as Tid, std::process::id());
        let becomes = |wanted: &str| {
            (0..500).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                of(pid).is_some_and(|doing| doing == wanted)
            })
        };
        let read = if cfg!(target_arch = "x86_64") { 0 } else { 63 };
        assert!(becomes(&format!("S {me} {read}")), "{:?}", of(pid));
        let stopped = Command::new("kill").args(["-STOP", &pid.to_string()]).status().unwrap();
        assert!(stopped.success() && becomes(&format!("T {me} {read}")), "{:?}", of(pid));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(of(pid), None);
    }
}
