//! Calls fail because a limit is reached: of a file system, of descriptors, of processes.

use super::common::{Bounded, plain, process, thing};
use crate::counts::by_thread::LostTime;
use crate::counts::index::{CallKey, Index, Observed};
use crate::report::finding::{Candidate, Confidence};
use crate::report::quantity::{PAUSES, TIMES, WAITED};
use crate::report::statement::say;
use crate::rule::{Rule, RuleInfo};
use crate::thresholds::threshold::Threshold;
use std::cmp::Reverse;
use stride_event::{Tid, errno_name};
use stride_syscalls::{Effect, For, Syscall, table, uapi::consts as c};
use stride_track::{ObjectId, Tracker};

const REACHED: Threshold = Threshold::count("limit-reached", 3, "calls of one process that failed for one limit");

pub const RULE: RuleInfo = RuleInfo {
    id: "limits",
    title: "a limit is reached",
    explanation: "Calls of a process fail because nothing is left: no space on a file system (ENOSPC), no more of a user's quota (EDQUOT), no more descriptors of the process \
        (EMFILE) or of the machine (ENFILE), no more processes (EAGAIN of fork and clone). Programs often try again, and the report then shows a slow program.\n\n\
        Reported are three such failures of a process, with the time that its threads slept right after them.\n\n\
        Make room, or raise the limit, before the program starts: `df` and `df -i` tell of space and inodes, `ulimit -n` and LimitNOFILE of systemd set the number of descriptors, `ulimit -u` and \
        pids.max of the cgroup that of processes. In the program, end with a message in place of trying again, or wait longer after each failure. ENOSPC of inotify_add_watch(2) means \
        fs.inotify.max_user_watches. A program that deletes its oldest files when no space is left may do so on purpose.\n\n\
        Example: a spooler writes reports into a full file system, sleeps 50 ms after each failure, and takes 4.6 s for 30 reports. With enough space it takes 0.1 s.",
    thresholds: &[REACHED],
    make: || Box::new(Limits::default()),
};

#[derive(Default)]
struct Limits {
    reached: Bounded<(Tid, u32), Reached>,
    /// The latest failure of each thread, and the number of its calls by then.
    latest: Bounded<Tid, (u32, u64)>,
}

struct Reached {
    times: u64,
    key: CallKey,
    object: Option<ObjectId>,
    calls: Vec<(CallKey, u64)>,
    sleeps: u64,
    slept: LostTime,
}

/// Sleeps after so many other calls have another reason.
const SOON: u64 = 16;
const MOST_KINDS: usize = 8;

const ENOSPC: u32 = c::ENOSPC as u32;
const EDQUOT: u32 = c::EDQUOT as u32;
const EMFILE: u32 = c::EMFILE as u32;
const ENFILE: u32 = c::ENFILE as u32;
const EAGAIN: u32 = c::EAGAIN as u32;

impl Rule for Limits {
    fn wants(&self, _: &'static Syscall) -> bool {
        true
    }

    fn call(&mut self, observed: &Observed<'_>, index: &Index) {
        let (tid, pid) = (observed.call.tid, observed.seen.pid);
        let Some(errno) = observed.errno().filter(|errno| is_limit(*errno, observed.row)) else {
            if self.latest.len() > 0 && observed.row.waits() == Some(For::Time) {
                self.slept(observed, index);
            }
            return;
        };
        self.latest.make_room_of_ended(observed.tracker, |_| false);
        let now = (errno, index.pace(tid).calls);
        if let Some(latest) = self.latest.entry(tid, || now) {
            *latest = now;
        }
        let key = observed.key;
        let new = || Reached {
            times: 0,
            key,
            object: observed.seen.subject(),
            calls: Vec::new(),
            sleeps: 0,
            slept: LostTime::default(),
        };
        let Some(reached) = self.reached.entry((pid, errno), new) else { return };
        reached.times += 1;
        if let Some((_, calls)) = reached.calls.iter_mut().find(|(known, _)| *known == key) {
            *calls += 1;
        } else if reached.calls.len() < MOST_KINDS {
            reached.calls.push((key, 1));
        }
    }

    fn findings(&mut self, index: &Index, tracker: &Tracker) -> Vec<Candidate> {
        let often = self.reached.iter().filter(|(_, reached)| reached.times >= REACHED.get());
        let worst = often.max_by_key(|(of, reached)| (reached.slept.total(), reached.times, Reverse(**of)));
        let Some(((pid, errno), reached)) = worst else { return Vec::new() };
        let comm = index.comm(*pid, tracker);
        let (limit, advice) = limit(*errno);
        let on = reached.object.map_or_else(String::new, |object| format!(" of {}", plain(tracker.name(object))));
        let slept = match reached.sleeps {
            0 => "".into(),
            n => say!(" After {} of these it slept, {} in all.", PAUSES.of(n), WAITED.of(reached.slept.total())),
        };
        vec![Candidate {
            sentence: say!(
                "Calls of {} failed {} times with {}: {limit}. The first was {}{on}.{}",
                if comm.is_empty() { format!("process {pid}") } else { plain(comm) },
                TIMES.of(reached.times),
                errno_name(*errno).unwrap_or("an error"),
                table(reached.key.abi).name(reached.key.nr.into()).to_string(),
                slept,
            ),
            evidence: reached
                .object
                .map(|object| thing(object, 0, tracker))
                .into_iter()
                .chain([process(*pid, comm, reached.times)])
                .collect(),
            advice: advice.into(),
            confidence: Confidence::Certain,
            makers: reached.calls.clone(),
            perhaps_more: reached.slept.on_path(index.path()),
            estimate: "the sleeps after such failures".into(),
            matters: true,
            instead_of: if reached.sleeps > 0 { &["lost-time"] } else { &[] },
            ..Candidate::default()
        }]
    }
}

impl Limits {
    fn slept(&mut self, observed: &Observed<'_>, index: &Index) {
        let tid = observed.call.tid;
        let Some((errno, at)) = self.latest.get(&tid).copied() else { return };
        self.latest.remove(&tid);
        let soon = index.pace(tid).calls - at <= SOON;
        if let Some(reached) = self.reached.get_mut(&(observed.seen.pid, errno)).filter(|_| soon) {
            reached.sleeps += 1;
            reached.slept.add(tid, observed.time());
        }
    }
}

fn is_limit(errno: u32, row: &Syscall) -> bool {
    match errno {
        ENOSPC | EDQUOT | EMFILE | ENFILE => true,
        EAGAIN => row.has_effect(Effect::Forks),
        _ => false,
    }
}

/// What is reached, and what to do about it.
fn limit(errno: u32) -> (&'static str, &'static str) {
    match errno {
        ENOSPC => (
            "no space is left on the file system",
            "Make room there, or give it more (df and df -i tell of space and inodes), and let the program end with a message in place of trying again. For inotify it means \
             fs.inotify.max_user_watches.",
        ),
        EDQUOT => {
            ("the user's quota is used up", "Make room, or raise the quota (quota(1)), and let the program say so.")
        }
        EMFILE => (
            "the process has as many descriptors as it may",
            "Close what is not needed any more, or raise the limit (ulimit -n, LimitNOFILE of systemd).",
        ),
        ENFILE => {
            ("the machine has as many open files as it may", "Find out who holds so many (lsof), or raise fs.file-max.")
        }
        _ => (
            "there are as many processes and threads as there may be",
            "Start fewer at a time, or raise the limit (ulimit -u, pids.max of the cgroup, TasksMax of systemd).",
        ),
    }
}
