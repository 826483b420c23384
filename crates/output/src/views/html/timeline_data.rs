//! The timeline's part of the page's data.

use super::data;
use super::lane::Lane;
use super::marks::Marks;
use super::stacks::StacksData;
use super::states::WokenBy;
use super::texts::Texts;
use super::timeline::Timeline;
use crate::views::processes::Serial;
use std::cmp::Reverse;
use std::collections::HashMap;
use stride_event::{Ns, Tid};

/// Lanes, with the texts and the stacks of their calls, and the marks of findings. `pids` has the ids of processes by
/// their place. `measured`: the engine measured waits.
pub fn of(
    timeline: Timeline,
    measured: bool,
    places: &HashMap<Serial, usize>,
    texts: &mut Texts,
    stacks: &mut StacksData,
    marks: &Marks,
    pids: &[Tid],
) -> data::TimelineData {
    let (width, mut lanes, others, more) = timeline.into_parts();
    // The lanes of a process stand together, in the order of the tree.
    lanes.sort_by_key(|lane| (places.get(&lane.process).copied().unwrap_or(usize::MAX), lane.from, lane.tid));
    // If there is no room for all texts, the longest calls keep theirs.
    let mut order: Vec<_> = lanes.iter().flat_map(|lane| &lane.slices).collect();
    order.sort_by_key(|slice| Reverse(slice.took));
    order.iter().for_each(|slice| {
        texts.place(&slice.text.call);
        texts.place(&slice.text.waits);
        stacks.place(slice.stack.as_ref());
    });
    data::TimelineData {
        width,
        measured,
        lanes: lanes
            .iter()
            .map(|it| {
                let pid = places.get(&it.process).and_then(|place| pids.get(*place)).copied();
                let (marks, bin_marks) = marks.of_lane(it, pid);
                let lane = lane(it, width, places, texts, stacks);
                let with_states = if measured { states(it, width) } else { Default::default() };
                let (states, bin_states, wakers) = with_states;
                data::LaneData { marks, bin_marks, states, bin_states, wakers, ..lane }
            })
            .collect(),
        more,
        others: bins(&others, width),
    }
}

fn lane(
    lane: &Lane,
    width: Ns,
    places: &HashMap<Serial, usize>,
    texts: &mut Texts,
    stacks: &mut StacksData,
) -> data::LaneData {
    let mut last = 0;
    let slices: Vec<u64> = lane
        .slices
        .iter()
        .flat_map(|slice| {
            let since = slice.at.saturating_sub(std::mem::replace(&mut last, slice.at));
            let text = texts.place(&slice.text.call);
            [since, slice.took, slice.call.into(), slice.end as u64, text.into()]
        })
        .collect();
    let has_stacks = lane.slices.iter().any(|slice| slice.stack.is_some());
    let of_slices = lane.slices.iter().filter(|_| has_stacks);
    let lane_stacks = of_slices.map(|slice| stacks.place(slice.stack.as_ref())).collect();
    let has_waits = lane.slices.iter().any(|slice| !slice.text.waits.is_empty());
    let of_slices = lane.slices.iter().filter(|_| has_waits);
    let waits = of_slices.map(|slice| texts.place(&slice.text.waits)).collect();
    data::LaneData {
        tid: lane.tid,
        process: places.get(&lane.process).copied(),
        slices,
        stacks: lane_stacks,
        waits,
        states: String::new(),
        bin_states: String::new(),
        wakers: Vec::new(),
        marks: Vec::new(),
        bin_marks: Vec::new(),
        bins: bins(lane, width),
        lost: lane.lost.iter().flat_map(|&(at, count)| [at, count]).collect(),
        name: lane.name.clone(),
        from: lane.from,
        to: lane.to,
        calls: lane.calls,
        errors: lane.errors,
        busy: lane.busy,
        waiting: lane.waiting,
    }
}

/// The states in each call and in each bin, and the wakers of calls.
fn states(lane: &Lane, width: Ns) -> (String, String, Vec<i64>) {
    let (mut states, mut bin_states) = (String::new(), String::new());
    lane.slices.iter().for_each(|slice| slice.states.write(&mut states));
    for bin in &lane.bins {
        bin_states.push_str(&format!("{:02x}", share(bin.states.total(), width)));
        bin.states.write(&mut bin_states);
    }
    let any = lane.slices.iter().any(|slice| slice.woken.is_some());
    let wakers = lane.slices.iter().filter(|_| any).flat_map(|slice| WokenBy::numbers(slice.woken.as_ref()));
    (states, bin_states, wakers.collect())
}

/// A part of a bin, in 255ths. No part that there is is 0.
fn share(part: Ns, width: Ns) -> u64 {
    (u128::from(part) * 255).div_ceil(u128::from(width.max(1))).min(255) as u64
}

fn bins(lane: &Lane, width: Ns) -> Vec<u64> {
    let mut last = 0;
    let flat = lane.bins.iter().flat_map(|bin| {
        let since = bin.index - std::mem::replace(&mut last, bin.index);
        [since, bin.calls, bin.errors, share(bin.busy, width), bin.call.into()]
    });
    flat.collect()
}
