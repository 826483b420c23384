//! The waits of a call's thread: sleeps, and times without a CPU.

use crate::ids::{abi, tid};
use crate::stream::{BatchSource, Malformed, Streams};
use stride_event::{CallWaits, Comm, Interrupt, NamedThread, Sleep, Taker, WaitKind, WaitTimes, Waker};

/// Bits of the first byte.
mod has {
    pub const SLEEP: u8 = 1;
    pub const TAKER: u8 = 2;
    pub const HIDDEN_TAKER: u8 = 4;
    /// The same two of the time before the call.
    pub const BEFORE: u8 = 2;
}

/// The number of a kind is its position, and its bit in front of times.
const KINDS: [WaitKind; 5] =
    [WaitKind::Blocked, WaitKind::Disk, WaitKind::Stopped, WaitKind::Runnable, WaitKind::Throttled];

/// The numbers of wakers. Those of interrupts without a name lie between the last two.
mod waker {
    pub const NONE: u8 = 0;
    pub const THREAD: u8 = 1;
    pub const CALLER: u8 = 2;
    pub const DEVICE: u8 = 3;
    pub const HIDDEN: u8 = 8;
}

/// The position decides the number.
const INTERRUPTS: [Interrupt; 4] = [Interrupt::Timer, Interrupt::Network, Interrupt::Disk, Interrupt::Other];
const _: () = assert!(waker::HIDDEN as usize == waker::DEVICE as usize + 1 + INTERRUPTS.len());

pub fn put(to: &mut Streams, waits: &CallWaits) {
    let sleep = if waits.longest.is_some() { has::SLEEP } else { 0 };
    to.byte(sleep | taker_bit(&waits.taker) | taker_bit(&waits.taker_before) << has::BEFORE);
    put_times(to, &waits.in_call);
    put_times(to, &waits.before);
    to.uint(waits.sleeps.into());
    if let Some(sleep) = &waits.longest {
        to.uint(sleep.time);
        to.byte(KINDS.iter().position(|kind| *kind == sleep.kind).unwrap_or(0) as u8);
        put_waker(to, sleep.waker);
    }
    for taker in [&waits.taker, &waits.taker_before] {
        if let Some(Taker::Thread(taker)) = taker {
            put_thread(to, taker);
        }
    }
}

fn taker_bit(taker: &Option<Taker>) -> u8 {
    match taker {
        None => 0,
        Some(Taker::Thread(_)) => has::TAKER,
        Some(Taker::Hidden) => has::HIDDEN_TAKER,
    }
}

fn put_times(to: &mut Streams, times: &WaitTimes) {
    let present = KINDS.iter().enumerate().filter(|(_, kind)| times.of(**kind) > 0);
    to.byte(present.clone().fold(0, |bits, (bit, _)| bits | 1 << bit));
    present.for_each(|(_, kind)| to.uint(times.of(*kind)));
}

fn put_waker(to: &mut Streams, by: Option<Waker>) {
    match by {
        None => to.byte(waker::NONE),
        Some(Waker::Thread(thread, None)) => {
            to.byte(waker::THREAD);
            put_thread(to, &thread);
        }
        Some(Waker::Thread(thread, Some((abi, nr)))) => {
            to.byte(waker::CALLER);
            put_thread(to, &thread);
            to.byte(abi as u8);
            to.uint(nr);
        }
        Some(Waker::Hidden) => to.byte(waker::HIDDEN),
        Some(Waker::Interrupt(Interrupt::Device(name))) => {
            to.byte(waker::DEVICE);
            put_name(to, &name);
        }
        Some(Waker::Interrupt(other)) => {
            let number = INTERRUPTS.iter().position(|known| *known == other).unwrap_or(INTERRUPTS.len() - 1);
            to.byte(waker::DEVICE + 1 + number as u8);
        }
    }
}

fn put_thread(to: &mut Streams, thread: &NamedThread) {
    to.int(thread.tid.into());
    to.int(thread.process.into());
    put_name(to, &thread.comm);
}

fn put_name(to: &mut Streams, name: &Comm) {
    name.iter().for_each(|&byte| to.byte(byte));
}

pub fn get(from: &mut BatchSource) -> Result<CallWaits, Malformed> {
    let bits = from.byte()?;
    let (in_call, before) = (get_times(from)?, get_times(from)?);
    let sleeps = from.small()?;
    let longest = if bits & has::SLEEP == 0 {
        None
    } else {
        let time = from.uint()?;
        let kind = KINDS.get(usize::from(from.byte()?)).copied().filter(|kind| kind.is_sleep());
        let kind = kind.ok_or(Malformed("a thread slept in an unknown way"))?;
        Some(Sleep { time, kind, waker: get_waker(from)? })
    };
    let (taker, taker_before) = (get_taker(bits, from)?, get_taker(bits >> has::BEFORE, from)?);
    Ok(CallWaits { in_call, before, sleeps, longest, taker, taker_before })
}

fn get_taker(bits: u8, from: &mut BatchSource) -> Result<Option<Taker>, Malformed> {
    match bits & (has::TAKER | has::HIDDEN_TAKER) {
        0 => Ok(None),
        has::TAKER => Ok(Some(Taker::Thread(get_thread(from)?))),
        has::HIDDEN_TAKER => Ok(Some(Taker::Hidden)),
        _ => Err(Malformed("two threads had a CPU")),
    }
}

/// Nanoseconds: 36 years. Views add times up.
const MOST: u64 = 1 << 60;

fn get_times(from: &mut BatchSource) -> Result<WaitTimes, Malformed> {
    let (bits, mut times) = (from.byte()?, WaitTimes::default());
    if bits >> KINDS.len() != 0 {
        return Err(Malformed("a thread waited in an unknown way"));
    }
    for (_, kind) in KINDS.into_iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1) {
        let time = from.uint()?;
        if time > MOST {
            return Err(Malformed("a thread waited for an impossible time"));
        }
        times.add(kind, time);
    }
    Ok(times)
}

fn get_waker(from: &mut BatchSource) -> Result<Option<Waker>, Malformed> {
    Ok(Some(match from.byte()? {
        waker::NONE => return Ok(None),
        waker::THREAD => Waker::Thread(get_thread(from)?, None),
        waker::CALLER => {
            let thread = get_thread(from)?;
            let abi = abi(from.byte()?)?;
            Waker::Thread(thread, Some((abi, from.uint()?)))
        }
        waker::HIDDEN => Waker::Hidden,
        waker::DEVICE => Waker::Interrupt(Interrupt::Device(get_name(from)?)),
        other => {
            let interrupt = INTERRUPTS.get(usize::from(other - waker::DEVICE - 1)).copied();
            Waker::Interrupt(interrupt.ok_or(Malformed("a thread was woken by an unknown interrupt"))?)
        }
    }))
}

fn get_thread(from: &mut BatchSource) -> Result<NamedThread, Malformed> {
    Ok(NamedThread { tid: tid(from.int()?)?, process: tid(from.int()?)?, comm: get_name(from)? })
}

fn get_name(from: &mut BatchSource) -> Result<Comm, Malformed> {
    let mut name = Comm::default();
    for byte in &mut name {
        *byte = from.byte()?;
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_syscalls::Abi;

    fn round_trip(waits: CallWaits) -> Result<CallWaits, Malformed> {
        let mut to = Streams::default();
        put(&mut to, &waits);
        let mut from = BatchSource::empty();
        from.buffer().clear();
        to.join(from.buffer());
        from.split()?;
        let read = get(&mut from)?;
        assert!(from.is_empty());
        Ok(read)
    }

    #[test]
    fn all_kinds_of_waits_come_back() {
        let thread = NamedThread { tid: 12, process: 11, comm: *b"redis-server\0\0\0\0" };
        let wakers = [
            None,
            Some(Waker::Hidden),
            Some(Waker::Thread(thread, None)),
            Some(Waker::Thread(thread, Some((Abi::NATIVE, 44)))),
            Some(Waker::Interrupt(Interrupt::Device(*b"virtio0\0\0\0\0\0\0\0\0\0"))),
        ];
        let interrupts = INTERRUPTS.map(|interrupt| Some(Waker::Interrupt(interrupt)));
        for waker in wakers.into_iter().chain(interrupts) {
            for (kind, taker) in KINDS.into_iter().filter(|kind| kind.is_sleep()).zip([
                None,
                Some(Taker::Thread(thread)),
                Some(Taker::Hidden),
            ]) {
                let waits = CallWaits {
                    in_call: WaitTimes::from_iter([(kind, 5), (WaitKind::Runnable, 6)]),
                    before: WaitTimes::from_iter([(WaitKind::Throttled, 7), (WaitKind::Blocked, 8)]),
                    sleeps: 3,
                    longest: Some(Sleep { time: 4, kind, waker }),
                    taker,
                    taker_before: None,
                };
                assert_eq!(round_trip(waits).ok(), Some(waits));
                let before = CallWaits { taker_before: taker, taker: Some(Taker::Hidden), ..waits };
                assert_eq!(round_trip(before).ok(), Some(before));
            }
        }
        let preempted = CallWaits {
            in_call: WaitTimes::from_iter([(WaitKind::Runnable, 6)]),
            taker: Some(Taker::Thread(thread)),
            ..CallWaits::default()
        };
        assert_eq!(round_trip(preempted).ok(), Some(preempted));
    }

    #[test]
    fn impossible_times_are_refused() {
        assert!(
            round_trip(CallWaits {
                in_call: WaitTimes::from_iter([(WaitKind::Blocked, MOST + 1)]),
                ..CallWaits::default()
            })
            .is_err()
        );
    }
}
