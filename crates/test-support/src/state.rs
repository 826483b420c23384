//! Waiting for a state instead of a time, because a machine may be slow.

use std::process::Child;
use std::time::{Duration, Instant};
use stride_event::Tid;

/// A safety net: a test that waits for a state that never comes fails after this time. Usually the state comes in
/// milliseconds.
const LIMIT: Duration = Duration::from_secs(60);

/// Looks again and again until `look` returns something.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if let Some(found) = look() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("waited in vain for {what}");
}

/// Waits until a condition holds.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    wait_for(what, || holds().then_some(()));
}

/// The state of a thread in one letter, as ps(1) shows it, or `None` if the thread is gone.
pub fn state(tid: Tid) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{tid}/stat")).ok()?;
    // The name itself may contain parentheses.
    stat.rsplit_once(") ")?.1.chars().next()
}

/// The threads of a process, in the order in which they were made.
pub fn threads(pid: Tid) -> Vec<Tid> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    let mut tids: Vec<Tid> = tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse().ok()).collect();
    tids.sort_unstable();
    tids
}

/// The first child of a process, where /proc lists children.
pub fn first_child(pid: u32) -> Option<Tid> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

/// True if a thread is inside a call of this number.
pub fn is_inside(tid: Tid, nr: i64) -> bool {
    std::fs::read_to_string(format!("/proc/{tid}/syscall")).is_ok_and(|call| call.starts_with(&format!("{nr} ")))
}

#[track_caller]
pub fn wait_until_inside(tid: Tid, nr: i64) {
    wait_until(&format!("{tid} to be in call {nr}"), || is_inside(tid, nr));
}

/// True if a signal is in a mask of the process's status, such as `SigCgt`. A process that is gone has none.
pub fn minds(pid: u32, mask: &str, signal: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix(mask)?.strip_prefix(":\t"));
    let bits = bits.map_or(0, |bits| u64::from_str_radix(bits, 16).expect("a mask"));
    bits & (1 << (signal - 1)) != 0
}

/// The version of the running kernel, such as (6, 12).
pub fn kernel_version() -> (u32, u32) {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// A child that does not outlive the test.
pub struct Killed(pub Child);

impl Killed {
    pub fn tid(&self) -> Tid {
        self.0.id() as Tid
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
