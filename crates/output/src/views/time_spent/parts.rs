//! The parts of a time, as lines of text and as JSON.

use crate::line::waits::{HIDDEN, off_cpu};
use crate::spelling::quote::shown;
use crate::spelling::wrap::wrapped;
use crate::views::json::Json;
use std::fmt::Write as _;
use stride_event::quantity::{count, duration, grouped, percent};
use stride_event::{Interrupt, NamedThread, Ns, WaitKind, Waker};
use stride_syscalls::table;
use stride_track::{Activity, CallOn, TimeShare, TimeSpent, Tracker, Who};

/// That of a line's continuation.
const INDENT: &str = "                       ";
/// So many lines tell of the largest parts. One more has the rest.
const LINES: usize = 6;
/// So many threads that wait for each other are told in a line.
const WAITING: usize = 4;
/// The time of shorter runs is mostly that of their start.
const SHORT: Ns = 10_000_000;

/// A line for the whole, and a line for each of the largest parts. Empty for a short run. `partial`: not all calls were traced.
pub fn lines(spent: &TimeSpent, tracker: &Tracker, partial: bool) -> String {
    let mut out = String::new();
    if spent.total < SHORT {
        return out;
    }
    let whole = duration(spent.total);
    let _ = match spent.of_run {
        true => write!(out, "\nWhere the {whole} of the run went"),
        false => {
            write!(out, "\nWhere the {whole} of {} went", count(spent.threads as u64, "thread", "threads together"))
        }
    };
    if spent.idle > 0 {
        let idle = count(spent.idle as u64, "more was", "more were");
        let _ = write!(out, " ({idle} in one call all the time)");
    }
    out.push_str(":\n");
    largest(spent, None, partial, tracker, &mut out);
    out
}

/// A line for each of the largest parts. Threads of the name `own` are not named.
pub fn largest(spent: &TimeSpent, own: Option<&[u8]>, partial: bool, tracker: &Tracker, out: &mut String) {
    let spent = &spent.by_family();
    let told = if spent.shares.len() > LINES { LINES - 1 } else { spent.shares.len() };
    for share in &spent.shares[..told] {
        let words =
            doing(share, spent, partial, tracker) + &taken(share) + &how_often(share) + &waiting(share, tracker);
        let (part, time) = (percent(share.time, spent.total), duration(share.time));
        line(&part, &time, &who(share, own), &words, out);
    }
    let rest: Ns = spent.shares[told..].iter().map(|share| share.time).sum();
    if rest > 0 {
        let words = format!("{} other things", spent.shares.len() - told);
        line(&percent(rest, spent.total), &duration(rest), "", &words, out);
    }
}

/// A line for a part: its share of the whole, its time, and the thread's name, if that is to be told, with what the thread did.
pub fn line(part: &str, time: &str, who: &str, doing: &str, out: &mut String) {
    let space = if who.is_empty() { "" } else { " " };
    wrapped(&format!("   {part:>5}  {time:>8}  {who}{space}{doing}"), INDENT, out);
}

/// The name of a share's threads. Empty if it is `own`.
pub fn who(share: &TimeShare, own: Option<&[u8]>) -> String {
    if own == Some(&share.who.comm) { String::new() } else { named(&share.who) }
}

/// `asleep in flock on state.lock, until a timer ran out`.
pub fn doing(share: &TimeShare, spent: &TimeSpent, partial: bool, tracker: &Tracker) -> String {
    words(&share.activity, spent.measured, partial, tracker)
}

fn named(who: &Who) -> String {
    let name = shown(&who.comm);
    who.pid.map_or_else(|| name.clone(), |pid| format!("{name}[{pid}]"))
}

/// `; hog[814] had it last`. Threads of one name may take CPUs from each other.
fn taken(share: &TimeShare) -> String {
    match &share.cpu_taken_by {
        Some(by) if *by == share.who => format!("; another thread of {} had it last", named(by)),
        Some(by) => format!("; {} had it last", named(by)),
        None => String::new(),
    }
}

/// ` (340 times, 12 of them ended by a signal)`.
fn how_often(share: &TimeShare) -> String {
    let counted = share.calls;
    match (counted.calls, counted.interrupted) {
        (0 | 1, 0) => String::new(),
        (calls, 0) => format!(" ({} times)", grouped(calls)),
        (calls, interrupted) if calls == interrupted => {
            format!(" ({}, ended by a signal)", count(calls, "time", "times"))
        }
        (calls, interrupted) => {
            format!(" ({} times, {} of them ended by a signal)", grouped(calls), grouped(interrupted))
        }
    }
}

/// `; psql waited for that in recvfrom on TCP, and report.sh for that in wait4`.
fn waiting(share: &TimeShare, tracker: &Tracker) -> String {
    let mut out = String::new();
    for (place, (who, on)) in share.awaited_by.iter().take(WAITING).enumerate() {
        let (who, call) = (named(who), call(on, tracker));
        let _ = match place {
            0 => write!(out, "; {who} waited for that in {call}"),
            _ => write!(out, ", {who} for that in {call}"),
        };
    }
    if share.awaited_by.len() > WAITING {
        out.push_str(", and so on");
    }
    out
}

fn words(activity: &Activity, measured: bool, partial: bool, tracker: &Tracker) -> String {
    match activity {
        Activity::Computing if partial => "outside the traced calls".into(),
        Activity::Computing if measured => "computing".into(),
        Activity::Computing => "between its calls".into(),
        Activity::InCall(on) if measured => format!("at work in {}", call(on, tracker)),
        Activity::InCall(on) => format!("in {}", call(on, tracker)),
        Activity::Unmeasured(on) => format!("in {} (waits not measured)", call(on, tracker)),
        Activity::Asleep(on, WaitKind::Disk, _) => format!("waiting for a disk in {}", call(on, tracker)),
        Activity::Asleep(on, WaitKind::Stopped, _) => format!("stopped in {}", call(on, tracker)),
        Activity::Asleep(on, _, waker) => {
            let until = waker.map_or(String::new(), |waker| format!(", until {}", until(&waker)));
            format!("asleep in {}{until}", call(on, tracker))
        }
        Activity::Off(kind) => off_cpu(*kind).into(),
        Activity::Held => "stopped by Stride, to read its stack".into(),
        Activity::Busy => "busy with other requests".into(),
        Activity::Unknown => "not known".into(),
        Activity::Other => "too many things to tell apart".into(),
    }
}

fn call(on: &CallOn, tracker: &Tracker) -> String {
    let name = table(on.abi).name(on.nr);
    on.object.map_or_else(|| name.to_string(), |object| format!("{name} on {}", shown(tracker.name(object))))
}

fn until(waker: &Waker) -> String {
    match waker {
        // There were many of this name, or it is one of another PID namespace.
        Waker::Thread(thread @ NamedThread { process: 0, .. }, _) => format!("{} woke it", shown(thread.name())),
        Waker::Thread(thread, _) => format!("{}[{}] woke it", shown(thread.name()), thread.process),
        Waker::Interrupt(Interrupt::Timer) => "a timer ran out".into(),
        Waker::Interrupt(Interrupt::Network) => "the network woke it".into(),
        Waker::Interrupt(Interrupt::Disk) => "a disk was done".into(),
        Waker::Interrupt(interrupt) => match interrupt.device() {
            Some(device) => format!("the device {} woke it", shown(device)),
            None => "an interrupt woke it".into(),
        },
        Waker::Hidden => format!("{HIDDEN} woke it"),
    }
}

/// An object with all parts.
pub fn json(spent: &TimeSpent, tracker: &Tracker, out: &mut Vec<u8>) {
    Json::new(out).line("time_spent", |j| {
        j.key("total_ns").int(spent.total);
        j.key("of").str(if spent.of_run { "run" } else { "threads" });
        j.key("threads").int(spent.threads as u64);
        j.key("idle_threads").int(spent.idle as u64);
        all_parts(spent, tracker, j);
    });
}

/// The members about the parts.
pub fn all_parts(spent: &TimeSpent, tracker: &Tracker, j: &mut Json<'_>) {
    j.key("waits_measured").bool(spent.measured);
    j.key("parts").array(|j| spent.shares.iter().for_each(|share| j.object(|j| part(share, tracker, j))));
}

/// The members about a part.
pub fn part(share: &TimeShare, tracker: &Tracker, j: &mut Json<'_>) {
    j.key("time_ns").int(share.time);
    threads(&share.who, j);
    let (activity, on, waker) = match share.activity {
        Activity::Computing => ("computing", None, None),
        Activity::InCall(on) => ("call", Some(on), None),
        Activity::Unmeasured(on) => ("unmeasured", Some(on), None),
        Activity::Asleep(on, kind, waker) => (kind.name(), Some(on), waker),
        Activity::Off(kind) => (kind.name(), None, None),
        Activity::Held => ("held", None, None),
        Activity::Busy => ("busy", None, None),
        Activity::Unknown => ("unknown", None, None),
        Activity::Other => ("other", None, None),
    };
    j.key("activity").str(activity);
    if let Some(on) = on {
        call_and_object(&on, tracker, j);
    }
    if share.calls.calls > 0 {
        j.key("calls").int(share.calls.calls);
        j.key("interrupted").int(share.calls.interrupted);
    }
    if let Some(waker) = waker {
        j.waker(&waker);
    }
    if let Some(by) = &share.cpu_taken_by {
        j.key("cpu_taken_by").object(|j| threads(by, j));
    }
    if !share.awaited_by.is_empty() {
        j.key("awaited_by").array(|j| {
            for (waiting, on) in &share.awaited_by {
                j.object(|j| {
                    threads(waiting, j);
                    call_and_object(on, tracker, j);
                });
            }
        });
    }
}

fn threads(who: &Who, j: &mut Json<'_>) {
    j.name("comm", &who.comm);
    if let Some(pid) = who.pid {
        j.key("pid").int(pid);
    }
}

fn call_and_object(on: &CallOn, tracker: &Tracker, j: &mut Json<'_>) {
    j.key("call").str(&table(on.abi).name(on.nr));
    if let Some(object) = on.object {
        j.name("object", tracker.name(object));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_syscalls::Abi;
    use stride_test_support::calls::number;
    use stride_track::CallCount;

    const MS: Ns = 1_000_000;

    fn share(time: Ns, activity: Activity) -> TimeShare {
        let who = Who { comm: b"web\x1b".as_slice().into(), pid: Some(7) };
        TimeShare {
            time,
            activity,
            who,
            calls: CallCount::default(),
            awaited_by: Vec::new(),
            cpu_taken_by: None,
            kept_by_strangers: 0,
        }
    }

    fn on(name: &str) -> CallOn {
        CallOn { abi: Abi::X86_64, nr: number(Abi::X86_64, name), object: None }
    }

    #[test]
    fn the_largest_parts_have_lines_and_all_add_up() {
        let nginx = NamedThread { tid: 9, process: 9, comm: *b"nginx\0\0\0\0\0\0\0\0\0\0\0" };
        let asleep = |waker| Activity::Asleep(on("read"), WaitKind::Blocked, waker);
        let shares = vec![
            share(50 * MS, asleep(Some(Waker::Thread(nginx, None)))),
            share(20 * MS, asleep(Some(Waker::Interrupt(Interrupt::Timer)))),
            share(12 * MS, Activity::Asleep(on("fsync"), WaitKind::Disk, None)),
            share(8 * MS, Activity::Off(WaitKind::Runnable)),
            share(5 * MS, Activity::Computing),
            share(4 * MS, Activity::InCall(on("read"))),
            share(MS, Activity::Off(WaitKind::Blocked)),
        ];
        let mut spent = TimeSpent { total: 100 * MS, of_run: true, threads: 1, idle: 0, measured: true, shares };
        assert_eq!(
            lines(&spent, &Tracker::default(), false),
            "\nWhere the 100 ms of the run went:\n\
             \x20    50%   50.0 ms  web\\33[7] asleep in read, until nginx[9] woke it\n\
             \x20    20%   20.0 ms  web\\33[7] asleep in read, until a timer ran out\n\
             \x20    12%   12.0 ms  web\\33[7] waiting for a disk in fsync\n\
             \x20   8.0%   8.00 ms  web\\33[7] waiting for a CPU\n\
             \x20   5.0%   5.00 ms  web\\33[7] computing\n\
             \x20   5.0%   5.00 ms  2 other things\n"
        );
        (spent.of_run, spent.idle, spent.measured) = (false, 2, false);
        spent.shares.drain(..4);
        spent.shares.truncate(2);
        let unmeasured = lines(&spent, &Tracker::default(), true);
        assert!(
            unmeasured.starts_with("\nWhere the 100 ms of 1 thread went (2 more were in one call all the time):\n"),
            "{unmeasured}"
        );
        assert!(
            unmeasured.contains("] outside the traced calls\n") && unmeasured.ends_with("] in read\n"),
            "{unmeasured}"
        );
        spent.total = SHORT - 1;
        assert_eq!(lines(&spent, &Tracker::default(), true), "");
    }

    #[test]
    fn a_line_tells_who_waited_meanwhile() {
        let shell = |pid| Who { comm: b"sh".as_slice().into(), pid };
        let mut sleep = share(90 * MS, Activity::Asleep(on("nanosleep"), WaitKind::Blocked, None));
        sleep.calls = CallCount { calls: 1200, interrupted: 1 };
        sleep.awaited_by = vec![(shell(Some(8)), on("flock")), (shell(None), on("wait4"))];
        let mut spent =
            TimeSpent { total: 100 * MS, of_run: true, threads: 3, idle: 0, measured: true, shares: vec![sleep] };
        let text = |spent: &TimeSpent| {
            lines(spent, &Tracker::default(), false).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let told = text(&spent);
        assert!(
            told.contains(
                "asleep in nanosleep (1,200 times, 1 of them ended by a signal); sh[8] waited for that in flock, sh for that in wait4"
            ),
            "{told}"
        );
        spent.shares[0].awaited_by = vec![(shell(None), on("wait4")); 7];
        spent.shares[0].calls = CallCount { calls: 3, interrupted: 3 };
        let told = text(&spent);
        let mut off = share(MS, Activity::Off(WaitKind::Runnable));
        off.cpu_taken_by = Some(shell(Some(8)));
        assert!(
            text(&TimeSpent { shares: vec![off.clone()], ..spent.clone() })
                .contains("waiting for a CPU; sh[8] had it last")
        );
        off.who = shell(Some(8));
        let others = text(&TimeSpent { shares: vec![off], ..spent.clone() });
        assert!(others.contains("waiting for a CPU; another thread of sh[8] had it last"), "{others}");
        assert!(told.contains("asleep in nanosleep (3 times, ended by a signal); sh waited"), "{told}");
        assert!(told.ends_with("sh for that in wait4, and so on"), "{told}");
    }
}
