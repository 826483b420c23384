//! Writes the waits of a call's thread (`--waits`) behind the time that the call took.

use super::Line;
use super::moment::Moment;
use crate::Writer;
use crate::spelling::clock::seconds;
use stride_event::{Call, CallWaits, Interrupt, NamedThread, Ns, Taker, WaitKind, WaitTimes, Waker};
use stride_syscalls::table;

/// The digits of times.
const DIGITS: u8 = 6;
/// Shorter times would be shown as 0.
const LEAST: u64 = 1_000;
/// The word for a thread that the user may not see.
pub const HIDDEN: &str = "another process";

/// ` blocked 0.040020 by redis-server[412] sendto, waited for a CPU 0.000103 (dd[99] had it)`. Nothing for a call that did not wait.
pub fn waits(w: &mut Writer<'_>, waits: &CallWaits) {
    waits_with(w, waits, false, |w, time| seconds(w.out, time, 1, DIGITS));
}

/// The same of a call that has not returned: ` <blocked 0.040020 so far>`.
pub fn waits_so_far(w: &mut Writer<'_>, waits: &CallWaits) {
    let begin = w.out.len();
    w.str(" <");
    let first = w.out.len();
    waits_with(w, waits, true, |w, time| seconds(w.out, time, 1, DIGITS));
    match w.out.get(first) {
        Some(_) => {
            w.out.remove(first);
            w.str(">");
        }
        None => w.out.truncate(begin),
    }
}

/// The same, with times as `clock` writes them. `lasts`: the call has not returned.
pub fn waits_with(w: &mut Writer<'_>, waits: &CallWaits, lasts: bool, clock: impl Fn(&mut Writer<'_>, Ns)) {
    let mut separator = " ";
    let mut time = |w: &mut Writer<'_>, what: &str, time: Ns| {
        w.str(std::mem::replace(&mut separator, ", "));
        w.str(what);
        w.str(" ");
        clock(w, time);
    };
    let (asleep, runnable) = (waits.in_call.asleep(), waits.in_call.of(WaitKind::Runnable));
    if asleep >= LEAST {
        let what = match waits.longest.map_or_else(|| most_of(&waits.in_call), |longest| longest.kind) {
            WaitKind::Disk => "blocked on a disk",
            WaitKind::Stopped => "stopped",
            _ => "blocked",
        };
        time(w, what, asleep);
        w.str(if lasts { " so far" } else { "" });
        by(w, waits, lasts);
    }
    if runnable >= LEAST {
        time(w, "waited for a CPU", runnable);
        if let Some(of) = &waits.taker {
            w.str(" (");
            taker(w, of);
            w.str(" had it)");
        }
    }
    let throttled = waits.in_call.of(WaitKind::Throttled);
    if throttled >= LEAST {
        time(w, "throttled by its cgroup", throttled);
    }
}

/// The state of a thread that is off its CPU, and not because of a call. Blocked: a page of memory has to come.
pub fn off_cpu(kind: WaitKind) -> &'static str {
    match kind {
        WaitKind::Runnable => "waiting for a CPU",
        WaitKind::Throttled => "throttled by its cgroup",
        WaitKind::Stopped => "stopped by a signal or a tracer",
        WaitKind::Disk => "waiting for a page of memory from a disk",
        WaitKind::Blocked => "waiting for a page of memory",
    }
}

impl Line {
    /// The thread was detached, perhaps in a call whose line may be open or cut.
    pub fn detached(&mut self, m: Moment<'_>, call: Option<&Call>) {
        let waits =
            call.and_then(|call| call.waits.as_deref()).filter(|_| self.layout.waits && self.layout.form.is_none());
        let mut closing = b" <detached ...>".to_vec();
        if let Some(found) = waits {
            waits_so_far(&mut Writer { out: &mut closing, style: self.layout.style }, found);
        }
        // strace writes nothing of a line that was cut.
        if let (Some(call), true) = (call.filter(|_| waits.is_some()), self.cut.contains_key(&m.tid)) {
            self.leader(m);
            self.out.extend_from_slice(b"<... ");
            self.out.extend_from_slice(table(call.abi).name(call.nr).as_bytes());
            self.out.extend_from_slice(b" resumed>");
            self.out.extend_from_slice(&closing);
            self.out.push(b'\n');
        }
        self.forget(m.tid, Some(&closing));
    }

    /// The waker alone.
    pub(crate) fn waker(&mut self, by: &Waker) {
        waker(&mut Writer { out: &mut self.out, style: self.layout.style }, by);
    }

    /// The thread that had a CPU.
    pub(crate) fn taker(&mut self, of: &Taker) {
        taker(&mut Writer { out: &mut self.out, style: self.layout.style }, of);
    }
}

/// The kind of sleep that took the most time, where the engine does not know the longest sleep.
fn most_of(times: &WaitTimes) -> WaitKind {
    let longest = times.parts().filter(|(kind, _)| kind.is_sleep()).max_by_key(|(_, time)| *time);
    longest.map_or(WaitKind::Blocked, |(kind, _)| kind)
}

/// The waker that ended the sleep, or the longest of several.
fn by(w: &mut Writer<'_>, waits: &CallWaits, lasts: bool) {
    let several = waits.sleeps > 1;
    if several {
        w.str(" in ");
        w.int(waits.sleeps);
        w.str(" waits");
    }
    let Some(sleep) = &waits.longest else { return };
    // (The longest may be the one that lasts.)
    if several && (sleep.waker.is_some() || !lasts) {
        w.str(", the longest");
    }
    match &sleep.waker {
        None => w.str(if several && !lasts { " ended by somebody" } else { "" }),
        Some(by) => {
            w.str(" by ");
            waker(w, by);
        }
    }
}

fn waker(w: &mut Writer<'_>, waker: &Waker) {
    match waker {
        Waker::Thread(waker, call) => {
            thread(w, waker);
            if let Some((abi, nr)) = call {
                w.str(" ");
                w.str(&table(*abi).name(*nr));
            }
        }
        Waker::Interrupt(interrupt) => match interrupt.device() {
            Some(device) => {
                w.str("the device ");
                w.angled(device);
            }
            None => w.str(interrupt_word(interrupt)),
        },
        Waker::Hidden => w.str(HIDDEN),
    }
}

fn taker(w: &mut Writer<'_>, taker: &Taker) {
    match taker {
        Taker::Thread(taker) => thread(w, taker),
        Taker::Hidden => w.str(HIDDEN),
    }
}

/// The waker by the name of its thread and the call that it was in, or by the kind of the interrupt: all threads of one name are one waker.
pub fn waker_name(waker: &Waker) -> Vec<u8> {
    match waker {
        Waker::Thread(thread, None) => thread.name().to_vec(),
        Waker::Thread(thread, Some((abi, nr))) => [thread.name(), b" ", table(*abi).name(*nr).as_bytes()].concat(),
        Waker::Interrupt(interrupt) => match interrupt.device() {
            Some(device) => [b"device ", device].concat(),
            None => interrupt.word().into(),
        },
        Waker::Hidden => HIDDEN.into(),
    }
}

/// An interrupt without a name.
pub fn interrupt_word(interrupt: &Interrupt) -> &'static str {
    match interrupt {
        Interrupt::Timer => "a timer",
        Interrupt::Network => "the network",
        Interrupt::Disk => "a disk",
        Interrupt::Device(_) | Interrupt::Other => "an interrupt",
    }
}

/// A thread that the tracer has no id of is one of another PID namespace.
fn thread(w: &mut Writer<'_>, thread: &NamedThread) {
    w.escaped(thread.name());
    if thread.tid != 0 {
        w.str("[");
        w.int(thread.tid);
        w.str("]");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use stride_event::Sleep;
    use stride_syscalls::Abi;

    fn shown(found: CallWaits) -> String {
        let mut out = Vec::new();
        waits(&mut Writer { out: &mut out, style: Style::default() }, &found);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn waits_are_told_with_their_wakers() {
        let redis = NamedThread { tid: 412, process: 412, comm: *b"redis-server\0\0\0\0" };
        let dd = NamedThread { tid: 99, process: 99, comm: *b"dd>\n\0\0\0\0\0\0\0\0\0\0\0\0" };
        let by = |waker| Some(Sleep { time: 40_000_000, kind: WaitKind::Blocked, waker });
        let (asleep, both) = (
            WaitTimes::from_iter([(WaitKind::Blocked, 40_020_000)]),
            [(WaitKind::Blocked, 40_020_000), (WaitKind::Runnable, 103_000)],
        );
        let found = CallWaits {
            in_call: WaitTimes::from_iter(both),
            sleeps: 1,
            longest: by(Some(Waker::Thread(redis, Some((Abi::X86_64, 44))))),
            taker: Some(Taker::Thread(dd)),
            ..CallWaits::default()
        };
        let blocked = " blocked 0.040020 by redis-server[412] sendto";
        assert_eq!(shown(found), format!("{blocked}, waited for a CPU 0.000103 (dd\\76\\n[99] had it)"));
        assert_eq!(shown(CallWaits { in_call: asleep, ..found }), blocked);
        let timer = CallWaits { longest: by(Some(Waker::Interrupt(Interrupt::Timer))), in_call: asleep, ..found };
        assert_eq!(shown(timer), " blocked 0.040020 by a timer");
        let hidden = CallWaits { longest: by(Some(Waker::Hidden)), taker: Some(Taker::Hidden), ..found };
        assert_eq!(
            shown(hidden),
            " blocked 0.040020 by another process, waited for a CPU 0.000103 (another process had it)"
        );
        let several = CallWaits { sleeps: 3, ..timer };
        assert_eq!(shown(several), " blocked 0.040020 in 3 waits, the longest by a timer");
        let lasting = |found: CallWaits| {
            let mut out = Vec::new();
            waits_so_far(&mut Writer { out: &mut out, style: Style::default() }, &found);
            String::from_utf8(out).unwrap()
        };
        let sleeps = CallWaits { in_call: asleep, longest: by(None), sleeps: 1, ..CallWaits::default() };
        assert_eq!(lasting(sleeps), " <blocked 0.040020 so far>");
        assert_eq!(lasting(CallWaits { sleeps: 2, ..sleeps }), " <blocked 0.040020 so far in 2 waits>");
        assert_eq!(lasting(several), " <blocked 0.040020 so far in 3 waits, the longest by a timer>");
        assert_eq!(lasting(CallWaits::default()), "");
        let late = [(WaitKind::Runnable, 5_000), (WaitKind::Throttled, 70_000_000)];
        let preempted = CallWaits { in_call: WaitTimes::from_iter(late), ..CallWaits::default() };
        assert_eq!(shown(preempted), " waited for a CPU 0.000005, throttled by its cgroup 0.070000");
        // The ptrace engine does not know which was the longest.
        let unknown = CallWaits { in_call: asleep, sleeps: 2, ..CallWaits::default() };
        assert_eq!(shown(unknown), " blocked 0.040020 in 2 waits");
        assert_eq!(shown(CallWaits::default()), "");
    }
}
