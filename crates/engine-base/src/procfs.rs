//! Paths of a thread in /proc.
//!
//! Stride knows threads by the ids of its own PID namespace. A /proc that was mounted in an outer namespace has other
//! numbers for them (`unshare --pid --fork stride ...` without `--mount-proc`): the directory with the id of a tracee
//! is there that of a stranger. So every path below /proc that names a thread is made here.

use crate::process::pidfd_of_thread;
use std::fs::{read_dir, read_to_string};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::LazyLock;
use stride_event::Tid;

/// The PID namespace that /proc was mounted for, as Stride sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum View {
    /// Threads have the ids that Stride knows.
    Own,
    /// /proc is of a namespace so many levels above Stride's.
    Outer(usize),
    /// /proc does not know Stride, or is not mounted.
    Foreign,
}

static VIEW: LazyLock<View> = LazyLock::new(|| match read_to_string("/proc/self/status") {
    Ok(status) => match ids(&status, "NSpid:").count() {
        // (Kernels without namespaces have no such line.)
        0 | 1 => View::Own,
        levels => View::Outer(levels - 1),
    },
    Err(error) if error.kind() == std::io::ErrorKind::NotFound => View::Foreign,
    Err(_) => View::Own,
});

/// No thread has this number.
const NOBODY: Tid = 0;

/// The path of a file about a thread: `/proc/TID/NAME`. If /proc does not have the thread, there is no such file.
pub fn path(tid: Tid, name: &str) -> String {
    format!("/proc/{}/{name}", number(tid))
}

/// A file of /proc as text. The names of threads and files in it may be any bytes, which must not hide the rest.
pub fn text(path: impl AsRef<Path>) -> Option<String> {
    Some(String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned())
}

/// True if /proc has the thread.
pub fn exists(tid: Tid) -> bool {
    std::fs::metadata(format!("/proc/{}", number(tid))).is_ok()
}

/// The number by which /proc knows a thread.
pub fn number(tid: Tid) -> Tid {
    match *VIEW {
        View::Own => tid,
        View::Outer(depth) => of_pidfd(tid).or_else(|| search(tid, depth)).unwrap_or(NOBODY),
        View::Foreign => NOBODY,
    }
}

/// Stride's id of the thread that /proc knows by this number. `None` if the thread is not in Stride's namespace.
pub fn tid(number: Tid) -> Option<Tid> {
    match *VIEW {
        View::Own => Some(number),
        View::Outer(_) => own_id(&status_of(number)?, "NSpid:"),
        View::Foreign => None,
    }
}

/// The level of Stride's ids in the lists of `/proc/PID/status` such as `NSpid:`.
pub fn level() -> usize {
    if let View::Outer(depth) = *VIEW { depth } else { 0 }
}

/// The process of a thread, by `/proc/TID/status`.
pub fn process(tid: Tid) -> Option<Tid> {
    let status = text(path(tid, "status"))?;
    // (Kernels without namespaces have only this line.)
    own_id(&status, "NStgid:").or_else(|| ids(&status, "Tgid:").next().filter(|_| level() == 0))
}

/// The process of a thread. The thread's own id if it is gone.
pub fn group_of(tid: Tid) -> Tid {
    process(tid).unwrap_or(tid)
}

/// The parent of a thread's process.
pub fn parent(tid: Tid) -> Option<Tid> {
    let status = text(path(tid, "status"))?;
    self::tid(field(&status, "PPid:")?.parse().ok()?)
}

/// The tracer of a thread.
pub fn tracer(tid: Tid) -> Option<Tid> {
    let status = text(path(tid, "status"))?;
    self::tid(field(&status, "TracerPid:")?.parse().ok().filter(|&tracer| tracer != 0)?)
}

/// The threads of a process.
pub fn threads(process: Tid) -> Vec<Tid> {
    listed(&path(process, "task")).filter_map(tid).collect()
}

/// The processes of Stride's namespace, and of those below it.
pub fn processes() -> impl Iterator<Item = Tid> {
    listed("/proc").filter_map(tid)
}

/// The numbers that a directory of /proc lists.
pub fn listed(dir: &str) -> impl Iterator<Item = Tid> + use<> {
    let entries = read_dir(dir).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The ids in a line of `/proc/PID/status`, from the namespace of /proc inwards.
pub fn ids<'a>(status: &'a str, name: &str) -> impl Iterator<Item = Tid> + use<'a> {
    field(status, name).unwrap_or_default().split_whitespace().map_while(|id| id.parse().ok())
}

fn own_id(status: &str, name: &str) -> Option<Tid> {
    ids(status, name).nth(level())
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

fn status_of(number: Tid) -> Option<String> {
    text(format!("/proc/{number}/status"))
}

/// The kernel tells the id that a /proc has for the thread of a pidfd.
fn of_pidfd(tid: Tid) -> Option<Tid> {
    let fd = pidfd_of_thread(tid).ok()?;
    let info = read_to_string(format!("/proc/self/fdinfo/{}", fd.as_raw_fd())).ok()?;
    field(&info, "Pid:")?.parse().ok().filter(|&number| number > 0)
}

/// Searches all threads. Kernels before 6.9 have no pidfd of a thread that does not lead its process.
fn search(tid: Tid, depth: usize) -> Option<Tid> {
    let namespace = |number: &str| Some(std::fs::metadata(format!("/proc/{number}/ns/pid")).ok()?.ino());
    let own = namespace("self")?;
    let is_it = |number: &Tid| {
        let status = status_of(*number).unwrap_or_default();
        let mut ids = ids(&status, "NSpid:").skip(depth);
        // A thread of the same level may be in a sibling of the namespace.
        ids.next() == Some(tid) && (ids.next().is_some() || namespace(&number.to_string()) == Some(own))
    };
    listed("/proc").flat_map(|process| listed(&format!("/proc/{process}/task"))).find(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_a_status() {
        let status = "Name:\tNSpid: 1\nTgid:\t40\nNStgid:\t40\t7\t1\nNSpid:\t41\t8\t2\nNSsid:\t0\n";
        assert_eq!(ids(status, "NStgid:").collect::<Vec<_>>(), [40, 7, 1]);
        assert_eq!(ids(status, "NSpid:").nth(1), Some(8));
        assert_eq!(ids(status, "NSpgid:").next(), None);
        assert_eq!(field(status, "Tgid:"), Some("40"));
    }

    #[test]
    fn this_process_is_found() {
        let own = std::process::id() as Tid;
        assert_eq!((process(own), tid(number(own))), (Some(own), Some(own)));
        assert!(exists(own) && threads(own).contains(&own) && processes().any(|pid| pid == own));
        assert_eq!(of_pidfd(own), Some(number(own)));
        assert_eq!(parent(own), Some(std::os::unix::process::parent_id() as Tid));
    }

    /// A name that is no UTF-8 hides nothing else.
    #[test]
    fn threads_may_have_any_name() {
        let named = std::thread::spawn(|| {
            nix::sys::prctl::set_name(c"\xff\n) Z").unwrap();
            let own = nix::unistd::gettid().as_raw();
            (process(own), tracer(own), parent(own))
        });
        let own = std::process::id() as Tid;
        assert_eq!(named.join().unwrap(), (Some(own), tracer(own), parent(own)));
    }
}
