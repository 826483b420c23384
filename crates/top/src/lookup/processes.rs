//! Facts of /proc about the processes of the table: the share of a processor that each uses, and its user.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use stride_engine_base::{procfs, stat};
use stride_output::shown;

/// Each question takes time, so no more processes are asked about in an interval.
const MOST: usize = 1000;

#[derive(Default)]
pub struct TopProcesses {
    known: HashMap<i32, CachedProcess>,
    /// The names of users.
    users: HashMap<u32, Arc<str>>,
}

#[derive(Clone, Debug, Default)]
struct CachedProcess {
    /// The start of the process, in ticks: another process may have the id by now.
    started: u64,
    used: u64,
    at: Option<Instant>,
    /// In thousandths of a processor.
    share: Option<u64>,
    user: Option<Arc<str>>,
}

/// The CPU time of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Used {
    started: u64,
    ticks: u64,
}

impl TopProcesses {
    /// In thousandths of a processor; more than 1000 if several threads run. `None`: not known, or not yet.
    pub fn share(&self, pid: i32) -> Option<u64> {
        self.known.get(&pid)?.share
    }

    pub fn user(&self, pid: i32) -> Option<Arc<str>> {
        self.known.get(&pid)?.user.clone()
    }

    /// Looks at processes, the first of which are more important, and forgets all others. The users of `visible` processes are looked at
    /// again: they may change.
    pub fn look(&mut self, pids: &[i32], visible: usize) {
        let mut before = std::mem::take(&mut self.known);
        for (place, &pid) in pids.iter().take(MOST).enumerate() {
            let Some(used) = procfs::text(procfs::path(pid, "stat")).and_then(|stat| used(&stat)) else { continue };
            let mut known = before.remove(&pid).filter(|known| known.started == used.started).unwrap_or_default();
            known.note(used, Instant::now(), ticks_in_a_second());
            if known.user.is_none() || place < visible {
                known.user = user(pid).map(|user| self.name(user));
            }
            self.known.insert(pid, known);
        }
    }

    fn name(&mut self, user: u32) -> Arc<str> {
        let name = || nix::unistd::User::from_uid(user.into()).ok().flatten().map(|user| shown(user.name.as_bytes()));
        self.users.entry(user).or_insert_with(|| name().unwrap_or_else(|| user.to_string()).into()).clone()
    }

    #[cfg(test)]
    pub fn pretend(&mut self, pid: i32, share: u64, user: &str) {
        self.known
            .insert(pid, CachedProcess { share: Some(share), user: Some(user.into()), ..CachedProcess::default() });
    }
}

impl CachedProcess {
    fn note(&mut self, now: Used, at: Instant, second: u64) {
        let since = self.at.map(|before| at.duration_since(before).as_secs_f64());
        match since {
            // So short a time has no whole tick.
            Some(..0.5) => return,
            Some(since) => {
                let used = now.ticks.saturating_sub(self.used) as f64 / second as f64;
                self.share = Some((used * 1000.0 / since).round() as u64);
            }
            None => {}
        }
        (self.started, self.used, self.at) = (now.started, now.ticks, Some(at));
    }
}

/// The CPU time in `/proc/PID/stat`, of all threads.
fn used(stat: &str) -> Option<Used> {
    // The state is field 3 of proc_pid_stat(5), utime 14, stime 15, starttime 22.
    let fields: Vec<&str> = stat::behind_name(stat)?.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some(Used { started: field(22)?, ticks: field(14)?.saturating_add(field(15)?) })
}

fn ticks_in_a_second() -> u64 {
    let ticks = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok().flatten();
    ticks.and_then(|ticks| u64::try_from(ticks).ok()).filter(|ticks| *ticks > 0).unwrap_or(100)
}

/// The effective user. (The owner of /proc/PID is root for programs that may not be dumped.)
fn user(pid: i32) -> Option<u32> {
    let status = procfs::text(procfs::path(pid, "status"))?;
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn shares_of_a_processor() {
        let stat = |used, started| {
            format!("7 (a) S 9) R 1 7 7 0 -1 0 0 0 0 0 {used} 5 900 900 20 0 1 0 {started} 0 0 184467440737095")
        };
        assert_eq!(used(&stat(20, 4)), Some(Used { started: 4, ticks: 25 }));
        for short in ["", "7 (a) R", "7 (a) R 1 7 7 0 -1 0 0 0 0 0 x 5 900 900 20 0 1 0 4"] {
            assert_eq!(used(short), None, "{short}");
        }
        let (mut known, begun) = (CachedProcess::default(), Instant::now());
        let mut note = |ticks, millis| {
            known.note(Used { started: 4, ticks }, begun + Duration::from_millis(millis), 100);
            known.share
        };
        assert_eq!(note(1000, 0), None);
        assert_eq!(note(1150, 1000), Some(1500));
        // Too early: the time counts as part of the next look.
        assert_eq!(note(1160, 1100), Some(1500));
        assert_eq!(note(1190, 2000), Some(400));
    }

    #[test]
    fn this_process_has_a_user_and_others_are_forgotten() {
        let own = std::process::id() as i32;
        let mut processes = TopProcesses::default();
        processes.look(&[own, -5], 1);
        let user = user(own).unwrap();
        assert_eq!(user, nix::unistd::geteuid().as_raw());
        assert!(processes.user(own).is_some_and(|name| user != 0 || &*name == "root"));
        assert_eq!((processes.share(own), processes.user(-5)), (None, None));
        processes.look(&[], 1);
        assert_eq!(processes.user(own), None);
    }
}
