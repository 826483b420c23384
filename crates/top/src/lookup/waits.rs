//! Calls in which threads wait now, and the process at the other end of each wait.

use std::rc::Rc;
use std::sync::Arc;
use stride_decode::{FdInfo, Resolver};
use stride_engine_base::{Remote, blocked_call, procfs};
use stride_event::{Call, Event, FdOf, Limits, StartKind, Tid};
use stride_output::shown;
use stride_proc::LiveSource;
use stride_syscalls::For;
use stride_track::{Awaited, Tracker, Wait};

/// The end of a wait: who can end it, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitEnd {
    /// A process. The text says more, such as that there are others.
    Process { pid: i32, comm: Arc<str>, more: String },
    /// No process is known. The text says why.
    Unknown(String),
    /// Nobody has looked yet.
    Unasked,
}

/// A wait in words, with the process at its other end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitFor {
    pub what: Arc<str>,
    pub end: WaitEnd,
}

/// Children that are named.
const FEW: usize = 3;
/// The memory that is read of a call: the descriptors of poll(2).
const LIMITS: Limits = Limits { text: 0, command_text: 0, elements: 64, received: false };

/// Finds out what calls wait for. A search of /proc takes milliseconds.
pub struct WaitAsker {
    resolver: Box<dyn Resolver>,
    tracker: Tracker,
    remote: Remote,
}

impl Default for WaitAsker {
    fn default() -> WaitAsker {
        let resolver = Box::new(stride_session::followed(Rc::new(LiveSource::new(None))));
        WaitAsker { resolver, tracker: Tracker::partial(true), remote: Remote::default() }
    }
}

impl WaitAsker {
    /// The object and the other end that a thread waits for in its call. `children` are those of its process.
    pub fn ask(&mut self, mut call: Call, pid: Tid, children: &[Tid]) -> Option<WaitFor> {
        if !blocked_call::read(&mut call, &LIMITS, &mut self.remote) {
            return None;
        }
        let (resolver, tracker, tid) = (&*self.resolver, &mut self.tracker, call.tid);
        // The tracker asks about calls in flight when tracing ends.
        tracker.event(&Event::Started { tid, process: pid, origin: StartKind::Attached, at: 1 }, resolver);
        tracker.event(&Event::Enter(&call), resolver);
        tracker.event(&Event::Detached { tid, call: None, at: 2 }, resolver);
        let wait = tracker.wait(tid)?;
        let row = call.row().map(|row| row.form(&call.args, call.abi));
        let (what, end) = match row.and_then(|row| row.waits().or_else(|| row.may_wait())) {
            Some(For::Child) => of_child(wait, children),
            Some(For::Lock) => of_lock(wait, pid),
            Some(For::Time) => unknown("time", "only time ends this wait"),
            Some(For::Signal) => unknown("a signal", "any process may send the signal"),
            Some(For::Turn) => unknown("its turn", "the holders of file locks and semaphores are not looked up"),
            _ => of_descriptors(wait, tracker, pid, resolver),
        };
        Some(WaitFor { what: what.into(), end })
    }
}

fn unknown(what: &str, why: &str) -> (String, WaitEnd) {
    (what.to_owned(), WaitEnd::Unknown(why.to_owned()))
}

fn process(pid: Tid, comm: &[u8], more: String) -> WaitEnd {
    WaitEnd::Process { pid, comm: shown(comm).into(), more }
}

/// The name of a process.
pub fn comm(pid: Tid) -> Vec<u8> {
    std::fs::read(procfs::path(pid, "comm")).unwrap_or_default().trim_ascii_end().to_vec()
}

fn named(pid: Tid, comm: &[u8]) -> String {
    if comm.is_empty() { pid.to_string() } else { format!("{pid} ({})", shown(comm)) }
}

/// In waitid(2), the kind of id comes before the id.
fn of_child(wait: &Wait, children: &[Tid]) -> (String, WaitEnd) {
    let row = wait.seen.row;
    let at = row.and_then(|row| row.args.iter().position(|arg| matches!(arg.name, "pid" | "id")));
    let asked = at.and_then(|at| wait.args.get(at)).map_or(0, |id| *id as Tid);
    if children.contains(&asked) {
        let name = comm(asked);
        return (format!("{}: child", named(asked, &name)), process(asked, &name, String::new()));
    }
    match children {
        [] => unknown("any child", "the process has no child any more"),
        [child] => {
            let name = comm(*child);
            (format!("{}: child", named(*child, &name)), process(*child, &name, String::new()))
        }
        [first, ..] => {
            let few: Vec<String> = children.iter().take(FEW).map(|pid| named(*pid, &comm(*pid))).collect();
            let dots = if children.len() > FEW { ", ..." } else { "" };
            let what = format!("{}{dots}: any of {} children", few.join(", "), children.len());
            let more = format!("the first of {} children, any of which may end the wait", children.len());
            (what, process(*first, &comm(*first), more))
        }
    }
}

fn of_lock(wait: &Wait, pid: Tid) -> (String, WaitEnd) {
    let at = wait.args[0];
    let by = |tid: Tid, name: &[u8], role: &str| {
        let holder = procfs::group_of(tid);
        let within = if holder == pid { "of the same process " } else { "" };
        process(holder, &comm(holder), format!("thread {} {within}{role}", named(tid, name)))
    };
    match &wait.awaited {
        Some(Awaited::Lock(Some((tid, name)))) => {
            (format!("thread {}: lock {at:#x}", named(*tid, name)), by(*tid, name, "holds the lock"))
        }
        Some(Awaited::End(tid, name)) => {
            (format!("thread {}: its end", named(*tid, name)), by(*tid, name, "has to end"))
        }
        Some(Awaited::Lock(None)) => unknown(&format!("lock {at:#x}"), "the lock does not tell which thread holds it"),
        Some(Awaited::Condition) => {
            unknown(&format!("condition {at:#x}"), "any thread may signal a condition variable")
        }
        None => unknown(&format!("futex {at:#x}"), "a futex does not tell which thread will wake it"),
    }
}

fn of_descriptors(wait: &Wait, tracker: &Tracker, pid: Tid, resolver: &dyn Resolver) -> (String, WaitEnd) {
    let name = |object| legible(tracker.name(object));
    let mut others: Vec<&(Tid, Vec<u8>)> = wait.others.iter().collect();
    let mut what = wait.seen.object.or(wait.seen.path).map(name).unwrap_or_default();
    if !wait.watched.is_empty() {
        // One with a known other end says most.
        let chief = wait.watched.iter().find(|one| !one.others.is_empty()).unwrap_or(&wait.watched[0]);
        others = chief.others.iter().collect();
        what = descriptor(wait.seen.tid, chief.fd, resolver);
        if wait.watched.len() > 1 {
            what += &format!(" and {} more", wait.watched.len() - 1);
        }
    }
    if what.is_empty() && wait.watched.is_empty() && wait.seen.fd.is_none() {
        // poll(2) without descriptors is a sleep.
        return unknown("time", "only time ends this wait");
    }
    if what.is_empty() {
        return unknown("", "Stride does not know for what this call waits");
    }
    let strangers: Vec<&(Tid, Vec<u8>)> = others.iter().copied().filter(|(other, _)| *other != pid).collect();
    let end = match (&strangers[..], others.first()) {
        ([], None) => WaitEnd::Unknown(format!("no process of this machine is known to have the other end of {what}")),
        ([], Some((own, name))) => process(*own, name, "the same process has the other end".into()),
        ([(one, name)], _) => process(*one, name, String::new()),
        ([(first, name), ..], _) => {
            process(*first, name, format!("the first of {} processes that have the other end", strangers.len()))
        }
    };
    if let WaitEnd::Process { pid: other, comm, .. } = &end {
        what = format!("{}: {what}", named(*other, comm.as_bytes()));
    }
    (what, end)
}

/// A name as it is shown, with the arrow between the ends of a socket.
fn legible(name: &[u8]) -> String {
    // (Escaped as a whole, the arrow would depend on the digit behind it.)
    let (mut parts, mut rest) = (Vec::new(), name);
    while let Some(at) = rest.windows(2).position(|two| two == b"->") {
        parts.push(shown(&rest[..at]));
        rest = &rest[at + 2..];
    }
    parts.push(shown(rest));
    parts.join("->")
}

/// The referent of a descriptor.
fn descriptor(tid: Tid, fd: i32, resolver: &dyn Resolver) -> String {
    match resolver.fd(FdOf { tid, fd, made: false }, None) {
        Some(FdInfo { path, detail, .. }) if path.is_empty() => legible(detail.as_bytes()),
        Some(FdInfo { path, .. }) => legible(&path),
        None => format!("descriptor {fd}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};
    use stride_syscalls::Abi;
    use stride_test_support::state::{first_child, threads};
    use stride_test_support::{Killed, program, wait_for};

    /// The call in which a process sleeps, once it sleeps in one of this name.
    fn sleeping(pid: Tid, name: &str) -> Option<Call> {
        blocked_call::call_of(pid, Abi::NATIVE).filter(|call| call.row().is_some_and(|row| row.name == name))
    }

    #[test]
    fn a_reader_waits_for_the_writer_of_its_pipe_and_a_shell_for_its_child() {
        let cat = Killed(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
        let call = wait_for("cat to read", || sleeping(cat.tid(), "read"));
        let Some(WaitFor { what, end }) = WaitAsker::default().ask(call, cat.tid(), &[]) else { panic!() };
        let WaitEnd::Process { pid, .. } = &end else { panic!("{end:?}") };
        // (Another test may have forked meanwhile, and its child has the other end as well, until its execve.)
        assert!(*pid != cat.tid() && what.contains(": pipe"), "{what} {end:?}");
        let shell = Killed(Command::new("sh").args(["-c", "sleep 1000; :"]).stderr(Stdio::null()).spawn().unwrap());
        let call = wait_for("sh to wait", || sleeping(shell.tid(), "wait4"));
        let child = first_child(shell.0.id()).unwrap();
        let found = WaitAsker::default().ask(call, shell.tid(), &[child]).unwrap();
        assert!(matches!(found.end, WaitEnd::Process { pid, .. } if pid == child), "{found:?}");
        assert!(found.what.starts_with(&child.to_string()) && found.what.ends_with(": child"), "{found:?}");
        let call = wait_for("the child to sleep", || sleeping(child, "clock_nanosleep"));
        let found = WaitAsker::default().ask(call, child, &[]).unwrap();
        assert!(matches!(found.end, WaitEnd::Unknown(_)) && &*found.what == "time", "{found:?}");
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(child), nix::sys::signal::Signal::SIGKILL);
    }

    #[test]
    fn arrows_stay_whatever_follows() {
        assert_eq!(legible(b"UNIX-STREAM:[81->82]"), "UNIX-STREAM:[81->82]");
        assert_eq!(legible(b"UNIX-STREAM:[71->72]"), "UNIX-STREAM:[71->72]");
        assert_eq!(legible(b"a\xff>\x1b"), "a\\377\\76\\33");
    }

    #[test]
    fn locks_joins_and_sockets_lead_to_their_other_ends() {
        let held = program!("held");
        let held = Killed(Command::new(held).spawn().unwrap());
        let pid = held.tid();
        let ask = |tid: Tid, pid: Tid, name: &str| {
            let call = wait_for("the wait", || sleeping(tid, name));
            WaitAsker::default().ask(call, pid, &[]).unwrap()
        };
        let comm: Arc<str> = shown(&comm(pid)).into();
        let other = wait_for("a thread", || threads(pid).into_iter().find(|tid| *tid != pid));
        let lock = ask(other, pid, "futex");
        let more = format!("thread {pid} ({comm}) of the same process holds the lock");
        assert!(lock.what.starts_with(&format!("thread {pid} ({comm}): lock 0x")), "{lock:?}");
        assert_eq!(lock.end, WaitEnd::Process { pid, comm: comm.clone(), more });
        let join = ask(pid, pid, "futex");
        assert_eq!(&*join.what, format!("thread {other} ({comm}): its end"));
        let children = format!("/proc/{pid}/task/{pid}/children");
        let child = |place: usize| {
            let listed = || std::fs::read_to_string(&children).ok()?.split(' ').nth(place)?.parse::<Tid>().ok();
            wait_for("a child", listed)
        };
        // The lock of another process.
        let shared = ask(child(0), child(0), "futex");
        let more = format!("thread {pid} ({comm}) holds the lock");
        assert_eq!(shared.end, WaitEnd::Process { pid, comm: comm.clone(), more }, "{shared:?}");
        let child = child(1);
        let socket = ask(child, child, "recvfrom");
        assert_eq!(socket.end, WaitEnd::Process { pid, comm: comm.clone(), more: String::new() }, "{socket:?}");
        assert!(socket.what.starts_with(&format!("{pid} ({comm}): UNIX")) && socket.what.contains("->"), "{socket:?}");
    }
}
