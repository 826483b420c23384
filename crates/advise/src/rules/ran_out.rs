//! Waits that end because their time has run out.

use super::common::family;
use stride_event::{Interrupt, Ns, Waker};
use stride_syscalls::Abi;
use stride_track::{Activity, CallOn, TimeShare, TimeSpent};

/// The time of the run that threads of this family spent in such calls until their time ran out. Where wakers are not known, it is that `part` of
/// the time in the calls.
pub fn in_call(account: &TimeSpent, name: &[u8], abi: Abi, nr: u32, part: f64) -> Ns {
    let is_it = |on: &CallOn| (on.abi, on.nr) == (abi, u64::from(nr));
    let timed = |share: &TimeShare| match &share.activity {
        Activity::Asleep(on, _, Some(Waker::Interrupt(Interrupt::Timer))) if is_it(on) => share.time,
        Activity::Asleep(on, _, None) | Activity::InCall(on) | Activity::Unmeasured(on) if is_it(on) => {
            (share.time as f64 * part) as Ns
        }
        _ => 0,
    };
    account.shares.iter().filter(|share| family(&share.who.comm) == name).map(timed).sum()
}
