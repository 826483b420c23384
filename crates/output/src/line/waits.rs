//! Writes the waits of a call's thread (`--waits`) behind the time that the call took.

use super::Line;
use crate::Writer;
use crate::spelling::clock::seconds;
use stride_event::{CallWaits, Interrupt, NamedThread, Ns, Sleep, WaitKind, Waker};
use stride_syscalls::table;

/// The digits of times.
const DIGITS: u8 = 6;
/// Shorter times would be shown as 0.
const LEAST: u64 = 1_000;

/// ` blocked 0.040020 by redis-server[412] sendto, waited for a CPU 0.000103 (dd[99] had it)`. Nothing for a call that did not wait.
pub fn waits(w: &mut Writer<'_>, waits: &CallWaits) {
    waits_with(w, waits, |w, time| seconds(w.out, time, 1, DIGITS));
}

/// The same, with times as `clock` writes them.
pub fn waits_with(w: &mut Writer<'_>, waits: &CallWaits, clock: impl Fn(&mut Writer<'_>, Ns)) {
    let mut separator = " ";
    let mut time = |w: &mut Writer<'_>, what: &str, time: Ns| {
        w.str(std::mem::replace(&mut separator, ", "));
        w.str(what);
        w.str(" ");
        clock(w, time);
    };
    let (asleep, runnable) = (waits.in_call.asleep(), waits.in_call.of(WaitKind::Runnable));
    if let Some(sleep) = waits.longest.as_ref().filter(|_| asleep >= LEAST) {
        let what = match sleep.kind {
            WaitKind::Disk => "blocked on a disk",
            WaitKind::Stopped => "stopped",
            _ => "blocked",
        };
        time(w, what, asleep);
        by(w, waits, sleep);
    }
    if runnable >= LEAST {
        time(w, "waited for a CPU", runnable);
        if let Some(taker) = &waits.taker {
            w.str(" (");
            thread(w, taker);
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
    /// The waker alone.
    pub(crate) fn waker(&mut self, by: &Waker) {
        waker(&mut Writer { out: &mut self.out, style: self.layout.style }, by);
    }

    /// A thread that is not the line's own.
    pub(crate) fn thread(&mut self, named: &NamedThread) {
        thread(&mut Writer { out: &mut self.out, style: self.layout.style }, named);
    }
}

/// The waker that ended the sleep, or the longest of several.
fn by(w: &mut Writer<'_>, waits: &CallWaits, sleep: &Sleep) {
    if waits.sleeps > 1 {
        w.str(" in ");
        w.int(waits.sleeps);
        w.str(" waits, the longest");
    }
    match &sleep.waker {
        None => w.str(if waits.sleeps > 1 { " ended by somebody" } else { "" }),
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
    use stride_event::WaitTimes;
    use stride_syscalls::Abi;

    fn shown(found: CallWaits) -> String {
        let mut out = Vec::new();
        waits(&mut Writer { out: &mut out, style: Style::default() }, &found);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn waits_are_told_with_their_wakers() {
        let redis = NamedThread { tid: 412, process: 412, comm: *b"redis-server\0\0\0\0" };
        let by = |waker| Some(Sleep { time: 40_000_000, kind: WaitKind::Blocked, waker });
        let (asleep, both) = (
            WaitTimes::from_iter([(WaitKind::Blocked, 40_020_000)]),
            [(WaitKind::Blocked, 40_020_000), (WaitKind::Runnable, 103_000)],
        );
        let found = CallWaits {
            in_call: WaitTimes::from_iter(both),
            sleeps: 1,
            longest: by(Some(Waker::Thread(redis, Some((Abi::X86_64, 44))))),
            taker: Some(NamedThread { tid: 99, process: 99, comm: *b"dd>\n\0\0\0\0\0\0\0\0\0\0\0\0" }),
            ..CallWaits::default()
        };
        let blocked = " blocked 0.040020 by redis-server[412] sendto";
        assert_eq!(shown(found), format!("{blocked}, waited for a CPU 0.000103 (dd\\76\\n[99] had it)"));
        assert_eq!(shown(CallWaits { in_call: asleep, ..found }), blocked);
        let timer = CallWaits { longest: by(Some(Waker::Interrupt(Interrupt::Timer))), in_call: asleep, ..found };
        assert_eq!(shown(timer), " blocked 0.040020 by a timer");
        let several = CallWaits { sleeps: 3, ..timer };
        assert_eq!(shown(several), " blocked 0.040020 in 3 waits, the longest by a timer");
        let late = [(WaitKind::Runnable, 5_000), (WaitKind::Throttled, 70_000_000)];
        let preempted = CallWaits { in_call: WaitTimes::from_iter(late), ..CallWaits::default() };
        assert_eq!(shown(preempted), " waited for a CPU 0.000005, throttled by its cgroup 0.070000");
        assert_eq!(shown(CallWaits::default()), "");
    }
}
