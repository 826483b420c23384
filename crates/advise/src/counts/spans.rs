//! How long the run took, and which part of that its own threads are to blame for.

use super::index::Index;
use stride_event::Ns;
use stride_syscalls::{For, Syscall, Thing};
use stride_track::{Activity, TimeShare, TimeSpent};

/// The name of Stride's threads begins so.
const TRACER: &str = "stride";

impl Index {
    /// The part of the run in which Stride neither held the threads that the run waits for nor kept them from a CPU, from 0 to 1. A run
    /// without tracing takes no longer than that.
    pub fn untraced_part(&self) -> f64 {
        let TimeSpent { total, shares, of_run, .. } = &self.account;
        if !of_run || *total == 0 {
            return 1.0;
        }
        let by_stride = |share: &&TimeShare| {
            share.activity == Activity::Held
                || share.cpu_taken_by.as_ref().is_some_and(|who| who.comm.starts_with(TRACER.as_bytes()))
        };
        let kept: Ns = shares.iter().filter(by_stride).map(|share| share.time).sum();
        1.0 - kept as f64 / *total as f64
    }

    /// The part of the run in which no program that is not traced, Stride included, held its threads or kept them from a CPU, from 0 to 1.
    fn own_part(&self) -> f64 {
        let TimeSpent { total, shares, .. } = &self.account;
        let by_others =
            |share: &TimeShare| if share.activity == Activity::Held { share.time } else { share.kept_by_strangers };
        let kept: Ns = shares.iter().map(by_others).sum();
        1.0 - kept as f64 / (*total).max(1) as f64
    }

    /// The time of which parts are told to be large or small: that of the run on a machine that does nothing else.
    pub fn own_span(&self) -> Ns {
        self.own_time(self.span())
    }

    /// The part of a time that would also pass on such a machine.
    pub fn own_time(&self, time: Ns) -> Ns {
        (time as f64 * self.own_part()) as Ns
    }

    /// The same of all time in the account.
    pub fn own_total(&self) -> Ns {
        self.own_time(self.account.total)
    }

    /// The time that the run would have taken at most without tracing.
    pub fn untraced_span(&self) -> Ns {
        (self.span() as f64 * self.untraced_part()) as Ns
    }

    /// The time against which savings are measured. Of threads that tracing leaves, as those of a server, it is the time in which they did not wait for
    /// work: nobody waits for an idle server. Nor does anybody if the run has its end, and its server waits for clients that are not traced or sleep.
    pub fn busy_span(&self) -> Ns {
        let TimeSpent { total, shares, of_run, .. } = &self.account;
        if *total == 0 {
            return self.own_span();
        }
        let is_idle = |share: &&TimeShare| match of_run {
            false => waits_for_work(&share.activity),
            true => {
                has_call(&share.activity, Syscall::accepts)
                    || has_call(&share.activity, |row| row.waits() == Some(For::Time))
                        && share.awaited_by.first().is_some_and(|(_, on)| on.row().is_some_and(Syscall::accepts))
            }
        };
        let idle: Ns = shares.iter().filter(is_idle).map(|share| share.time).sum();
        self.own_span().min(total.saturating_sub(idle))
    }

    /// The time that the run took: from the first call seen to the last.
    pub fn span(&self) -> Ns {
        self.last.saturating_sub(self.first.unwrap_or(self.last))
    }
}

/// True if the thread is in such a call.
fn has_call(activity: &Activity, is_such: impl Fn(&Syscall) -> bool) -> bool {
    activity.call().and_then(|on| on.row()).is_some_and(is_such)
}

/// A thread waits for clients, for any of its descriptors, or for other threads.
fn waits_for_work(activity: &Activity) -> bool {
    has_call(activity, |row| {
        matches!(row.waits(), Some(For::Readiness | For::Lock)) || row.makes() == Some(Thing::Connection)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_event::WaitKind;
    use stride_syscalls::{Abi, table};
    use stride_track::{CallOn, Who};

    /// A run of 10 s, in which the server waits for its client for 9 s. The client sleeps, or is not traced.
    #[test]
    fn an_idle_server_is_no_part_of_the_run() {
        const SECOND: Ns = 1_000_000_000;
        let abi = Abi::X86_64;
        let on = |name| CallOn { abi, nr: table(abi).by_name(name).next().unwrap().nr.into(), object: None };
        let who = |comm: &[u8]| Who { comm: comm.into(), pid: Some(7) };
        let share = |time, activity, awaited_by| TimeShare {
            time,
            activity,
            who: who(b"server"),
            calls: Default::default(),
            awaited_by,
            cpu_taken_by: None,
            kept_by_strangers: 0,
        };
        let busy = |idle| {
            let shares = vec![idle, share(SECOND, Activity::Computing, Vec::new())];
            let account = TimeSpent { total: 10 * SECOND, of_run: true, shares, ..TimeSpent::default() };
            let mut index = Index::default();
            (index.first, index.last, index.account) = (Some(0), 10 * SECOND, account);
            index.busy_span()
        };
        let asleep = |name| Activity::Asleep(on(name), WaitKind::Blocked, None);
        assert_eq!(busy(share(9 * SECOND, asleep("accept4"), Vec::new())), SECOND);
        assert_eq!(busy(share(9 * SECOND, asleep("nanosleep"), vec![(who(b"server"), on("accept4"))])), SECOND);
        // A client's sleep for which it waits itself is part of the run, and so is what a server does for a client.
        assert_eq!(busy(share(9 * SECOND, asleep("nanosleep"), Vec::new())), 10 * SECOND);
        assert_eq!(busy(share(9 * SECOND, Activity::Computing, vec![(who(b"server"), on("accept4"))])), 10 * SECOND);
        // The time for which Stride held a thread is not the program's.
        assert_eq!(busy(share(5 * SECOND, Activity::Held, Vec::new())), 5 * SECOND);
        // Nor is the time for which other programs had the CPU. An idle CPU that takes a moment to begin is on no one's account but the program's.
        let off = share(5 * SECOND, Activity::Off(WaitKind::Runnable), Vec::new());
        assert_eq!(busy(TimeShare { kept_by_strangers: 3 * SECOND, ..off }), 7 * SECOND);
    }
}
