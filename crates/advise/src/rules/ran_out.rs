//! Waits that end because their time has run out, in the account of where the time went.

use super::common::family;
use stride_event::{Interrupt, Ns, Waker};
use stride_syscalls::Abi;
use stride_track::{Activity, TimeShare, TimeSpent};

/// The parts of the account that threads of this family spent in such calls.
pub fn shares_in<'a>(account: &'a TimeSpent, name: &[u8], abi: Abi, nr: u32) -> impl Iterator<Item = &'a TimeShare> {
    let is_it = move |share: &TimeShare| share.activity.call().is_some_and(|on| (on.abi, on.nr) == (abi, nr.into()));
    account.shares.iter().filter(move |share| family(&share.who.comm) == name && is_it(share))
}

/// The time of the run that threads of this family spent in such calls until their time ran out. Where wakers are not known, it is that `part` of
/// the time in the calls.
pub fn in_call(account: &TimeSpent, name: &[u8], abi: Abi, nr: u32, part: f64) -> Ns {
    let timed = |share: &TimeShare| match share.activity {
        Activity::Asleep(_, _, Some(Waker::Interrupt(Interrupt::Timer))) => share.time,
        Activity::Asleep(_, _, Some(_)) => 0,
        _ => (share.time as f64 * part) as Ns,
    };
    shares_in(account, name, abi, nr).map(timed).sum()
}
