//! Samples of PTP clocks: linux/ptp_clock.h.

use super::count;
use crate::{Cx, Siblings, Tail, Value, generic};
use bumpalo::collections::Vec;
use stride_event::Phase;
use stride_syscalls::Ty;

/// Times of the system with those of the clock in between, so one more than twice the number of samples.
pub fn times(cx: &Cx<'_>, phase: Phase, siblings: Siblings) -> u64 {
    count(cx, "n_samples", phase, siblings).saturating_mul(2).saturating_add(1)
}

/// For each sample the time before it, the clock's, and the time after it.
pub fn triples<'a>(
    cx: &Cx<'a>,
    shape: &Ty,
    phase: Phase,
    addr: u64,
    size: usize,
    siblings: Siblings,
) -> Option<Value<'a>> {
    let Ty::Items(item) = shape else { return None };
    let each = 3 * item.size(cx.abi());
    let used = count(cx, "n_samples", phase, siblings).min((size / each) as u64);
    let mut items = Vec::new_in(cx.arena);
    for i in 0..used {
        if cx.abbrev && i >= cx.options.text as u64 {
            return Some(Value::Array(items.into_bump_slice(), Tail::More));
        }
        items.push(generic::inline(cx, shape, phase, addr.wrapping_add(i * each as u64), each, siblings)?);
    }
    Some(Value::Array(items.into_bump_slice(), Tail::End))
}
