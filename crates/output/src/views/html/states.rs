//! The states that a thread was in during a call or between two calls, if the engine measured waits: on a CPU, or off it for one of several
//! reasons.
//!
//! The times are sums. Nobody knows at which moments of the call the thread was in which state, so the page shows shares.

use super::data::CallIndex;
use stride_event::{Call, CallWaits, Ns, Tid, WaitKind, WaitTimes, Waker, parts_within};

/// The time in each state. All are 0 where nothing was measured.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct States {
    on_cpu: Ns,
    off: WaitTimes,
}

/// The digits of a share, which is one of so many equal parts less one.
const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// No shorter time between two calls is shown by itself.
const LEAST: Ns = 1_000;

impl States {
    /// Those of a time in which the thread was off its CPU for some of it.
    fn of(time: Ns, off: &WaitTimes) -> States {
        let mut rest = time;
        let off = parts_within(&mut rest, off.parts()).collect();
        States { on_cpu: rest, off }
    }

    /// Those of a call that lasted so long on the page. `followed`: what its thread did was measured from before the call.
    pub fn of_call(call: &Call, took: Ns, followed: bool) -> States {
        match call.waits.as_deref() {
            Some(waits) => States::of(took, &waits.in_call),
            None if followed => States { on_cpu: took, ..States::default() },
            None => States::default(),
        }
    }

    /// Those of the time before a call, if the thread was not on a CPU all that time.
    pub fn before(waits: &CallWaits, time: Ns) -> Option<States> {
        (waits.before.all().min(time) >= LEAST).then(|| States::of(time, &waits.before))
    }

    /// In the order of the digits.
    fn parts(&self) -> [Ns; 1 + WaitKind::ALL.len()] {
        std::array::from_fn(|i| if i == 0 { self.on_cpu } else { self.off.of(WaitKind::ALL[i - 1]) })
    }

    pub fn total(&self) -> Ns {
        self.on_cpu.saturating_add(self.off.all())
    }

    /// Divides the time at a moment. Each state has the same share of both parts, because the moments are not known.
    pub fn split(&self, here: Ns) -> (States, States) {
        let total = self.total();
        let part = |time: Ns| match total {
            0 => 0,
            _ => (u128::from(time) * u128::from(here.min(total)) / u128::from(total)) as Ns,
        };
        let first = States {
            on_cpu: part(self.on_cpu),
            off: self.off.parts().map(|(kind, time)| (kind, part(time))).collect(),
        };
        let rest = |kind| self.off.of(kind) - first.off.of(kind);
        let second = States {
            on_cpu: self.on_cpu - first.on_cpu,
            off: WaitKind::ALL.into_iter().map(|kind| (kind, rest(kind))).collect(),
        };
        (first, second)
    }

    /// A digit for the share of each state. No state that there was has the share 0.
    pub fn write(&self, out: &mut String) {
        let total = u128::from(self.total().max(1));
        let whole = DIGITS.len() as u128 - 1;
        for part in self.parts() {
            let share = (u128::from(part) * whole + total / 2) / total;
            out.push(DIGITS[(share as usize).max(usize::from(part > 0))].into());
        }
    }
}

impl std::ops::AddAssign for States {
    fn add_assign(&mut self, other: States) {
        self.on_cpu = self.on_cpu.saturating_add(other.on_cpu);
        self.off += other.off;
    }
}

/// The thread that ended a call's longest sleep, and the call that it was in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WokenBy {
    pub tid: Tid,
    pub call: Option<CallIndex>,
    /// This was the only sleep of the call.
    pub only: bool,
}

impl WokenBy {
    /// `index` gives a call's place. `None`: the thread is not known, or an interrupt ended the sleep.
    pub fn of(waits: &CallWaits, index: impl FnOnce(stride_syscalls::Abi, u64) -> CallIndex) -> Option<WokenBy> {
        let Some(Waker::Thread(thread, call)) = waits.longest?.waker else { return None };
        let call = call.map(|(abi, nr)| index(abi, nr));
        (thread.tid != 0).then_some(WokenBy { tid: thread.tid, call, only: waits.sleeps <= 1 })
    }

    /// In the page's data: the thread, and the call's place plus one, which is negative if the thread slept more than once.
    pub fn numbers(woken: Option<&WokenBy>) -> [i64; 2] {
        let Some(woken) = woken else { return [0, 0] };
        let call = woken.call.map_or(0, |call| i64::from(call) + 1);
        [woken.tid.into(), if woken.only { call } else { -call }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(on_cpu: Ns, off: &[(WaitKind, Ns)]) -> States {
        States { on_cpu, off: off.iter().copied().collect() }
    }

    #[test]
    fn the_rest_is_time_on_a_cpu() {
        let off = WaitTimes::from_iter([(WaitKind::Blocked, 60), (WaitKind::Runnable, 50)]);
        assert_eq!(States::of(200, &off), states(90, &[(WaitKind::Blocked, 60), (WaitKind::Runnable, 50)]));
        assert_eq!(States::of(100, &off), states(0, &[(WaitKind::Blocked, 60), (WaitKind::Runnable, 40)]));
        assert_eq!(States::of_call(&Call::default(), 7, true), states(7, &[]));
        assert_eq!(States::of_call(&Call::default(), 7, false), States::default());
    }

    #[test]
    fn halves_add_up() {
        let whole = states(7, &[(WaitKind::Disk, 1), (WaitKind::Stopped, 11)]);
        for here in [0, 1, 9, 18, 19, Ns::MAX] {
            let (mut first, second) = whole.split(here);
            first += second;
            assert_eq!(first, whole, "{here}");
        }
        assert_eq!(States::default().split(5), (States::default(), States::default()));
    }

    #[test]
    fn a_state_that_there_was_has_a_share() {
        let written = |states: States| {
            let mut out = String::new();
            states.write(&mut out);
            out
        };
        assert_eq!(written(states(1, &[(WaitKind::Blocked, 1_000_000)])), "1z0000");
        assert_eq!(written(states(0, &[(WaitKind::Runnable, 5), (WaitKind::Throttled, 5)])), "0000ii");
        assert_eq!(written(states(Ns::MAX, &[(WaitKind::Stopped, Ns::MAX)])).len(), 6);
        assert_eq!(written(States::default()), "000000");
    }
}
