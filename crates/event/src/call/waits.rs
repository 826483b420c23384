//! The waits of a call's thread: sleeps, and times without a CPU.

use crate::{Comm, Ns, Tid};
use stride_syscalls::Abi;

/// The times that a call's thread was not on a CPU. The rest of the call's time it was on one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallWaits {
    /// Those during the call.
    pub in_call: WaitTimes,
    /// Those since the thread's last reported call, outside calls or in calls that were not reported.
    pub before: WaitTimes,
    /// How often it slept in the call.
    pub sleeps: u32,
    /// The longest sleep.
    pub longest: Option<Sleep>,
    /// The thread that had the CPU at the end of the longest time that the thread could have run.
    pub taker: Option<Taker>,
    /// The same of the time before the call.
    pub taker_before: Option<Taker>,
}

impl CallWaits {
    /// They turn out to be waits of an earlier call, of which nothing else is told.
    pub fn become_earlier(&mut self) {
        let mut before = self.before;
        before += self.in_call;
        *self = CallWaits { before, taker_before: self.taker_before.or(self.taker), ..CallWaits::default() };
    }
}

/// Why a thread was not on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WaitKind {
    /// It slept, until something happened. In a call, the call says what for. Outside calls it is a page of memory.
    Blocked,
    /// It slept until a block device was done.
    Disk,
    /// A signal or a tracer stopped the thread, or its cgroup was frozen.
    Stopped,
    /// It could have run, but had no CPU.
    Runnable,
    /// It could have run, but its cgroup had used up its share of the CPUs.
    Throttled,
}

impl WaitKind {
    /// All kinds.
    pub const ALL: [WaitKind; 5] =
        [WaitKind::Blocked, WaitKind::Disk, WaitKind::Stopped, WaitKind::Runnable, WaitKind::Throttled];

    /// Something had to happen before the thread could go on.
    pub fn is_sleep(self) -> bool {
        matches!(self, WaitKind::Blocked | WaitKind::Disk | WaitKind::Stopped)
    }

    /// The word for it in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            WaitKind::Blocked => "blocked",
            WaitKind::Disk => "disk",
            WaitKind::Stopped => "stopped",
            WaitKind::Runnable => "runnable",
            WaitKind::Throttled => "throttled",
        }
    }
}

/// Times off the CPU, by their kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WaitTimes([Ns; WaitKind::ALL.len()]);

impl WaitTimes {
    /// The time of one kind.
    pub fn of(&self, kind: WaitKind) -> Ns {
        self.0[kind as usize]
    }

    /// Adds a time.
    pub fn add(&mut self, kind: WaitKind, time: Ns) {
        self.0[kind as usize] = self.0[kind as usize].saturating_add(time);
    }

    /// The kinds that there were, with their times.
    pub fn parts(&self) -> impl Iterator<Item = (WaitKind, Ns)> {
        WaitKind::ALL.into_iter().zip(self.0).filter(|(_, time)| *time > 0)
    }

    /// The time asleep.
    pub fn asleep(&self) -> Ns {
        self.parts().filter(|(kind, _)| kind.is_sleep()).fold(0, |sum, (_, time)| sum.saturating_add(time))
    }

    /// The time off the CPU.
    pub fn all(&self) -> Ns {
        self.parts().fold(0, |sum, (_, time)| sum.saturating_add(time))
    }
}

/// Parts of a time, of which no more than `left` is left. Each part takes its time away from that, and is cut if there is not enough. (Hostile recordings may
/// have parts that are longer than the whole.)
pub fn parts_within<T>(left: &mut Ns, parts: impl IntoIterator<Item = (T, Ns)>) -> impl Iterator<Item = (T, Ns)> {
    parts.into_iter().map(move |(thing, part)| {
        let part = part.min(*left);
        *left -= part;
        (thing, part)
    })
}

impl std::ops::AddAssign for WaitTimes {
    fn add_assign(&mut self, other: WaitTimes) {
        self.extend(other.parts());
    }
}

impl Extend<(WaitKind, Ns)> for WaitTimes {
    fn extend<I: IntoIterator<Item = (WaitKind, Ns)>>(&mut self, parts: I) {
        parts.into_iter().for_each(|(kind, time)| self.add(kind, time));
    }
}

impl FromIterator<(WaitKind, Ns)> for WaitTimes {
    fn from_iter<I: IntoIterator<Item = (WaitKind, Ns)>>(parts: I) -> WaitTimes {
        let mut times = WaitTimes::default();
        times.extend(parts);
        times
    }
}

/// One sleep of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sleep {
    /// Its length.
    pub time: Ns,
    /// Why, as far as the kernel tells: a kind of sleep.
    pub kind: WaitKind,
    /// The thread or interrupt that ended it, if that was seen.
    pub waker: Option<Waker>,
}

/// The thread or interrupt that ended a sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Waker {
    /// A thread, which may be one of the kernel's, and the call that it was in.
    Thread(NamedThread, Option<(Abi, u64)>),
    /// An interrupt.
    Interrupt(Interrupt),
    /// A thread of another process, which the user may not see: nothing else is known of it.
    Hidden,
}

/// The thread that had the CPU for which another thread waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Taker {
    /// A thread, which may be one of the kernel's.
    Thread(NamedThread),
    /// One of another process, which the user may not see.
    Hidden,
}

/// Interrupts that wake threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interrupt {
    /// A timer ran out.
    Timer,
    /// A packet came or could be sent.
    Network,
    /// A block device is done.
    Disk,
    /// Another device, by the name in /proc/interrupts.
    Device(Comm),
    /// Something else.
    Other,
}

/// A thread, traced or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NamedThread {
    /// The thread, as the tracer knows it. 0 if it is not in the tracer's PID namespace.
    pub tid: Tid,
    /// Its process.
    pub process: Tid,
    /// Its name, which it chose itself.
    pub comm: Comm,
}

impl NamedThread {
    /// The bytes of its name.
    pub fn name(&self) -> &[u8] {
        up_to_zero(&self.comm)
    }
}

impl Interrupt {
    /// The word for it in machine-readable output.
    pub fn word(&self) -> &'static str {
        match self {
            Interrupt::Timer => "timer",
            Interrupt::Network => "network",
            Interrupt::Disk => "disk",
            Interrupt::Device(_) => "device",
            Interrupt::Other => "interrupt",
        }
    }

    /// The name of the device that interrupts, if the kernel tells.
    pub fn device(&self) -> Option<&[u8]> {
        match self {
            Interrupt::Device(name) => Some(up_to_zero(name)),
            _ => None,
        }
    }
}

fn up_to_zero(name: &Comm) -> &[u8] {
    name.split(|byte| *byte == 0).next().unwrap_or_default()
}
