//! Packets of no thread's sequence: clocks, descriptions of tracks, counters, waits, and flows between calls that are written already. They are few, so nothing is
//! interned and times are absolute.

use super::lane::clock;
use super::rate::Rate;
use super::text::printable;
use super::{schema, wire};
use crate::views::wakes::Wake;
use stride_event::{Ns, Tid};

/// The most bytes of a command. Every child of a process repeats its parent's command until it executes another.
const COMMAND: usize = 1 << 13;

/// The packet sequence of these packets.
const SEQUENCE: u64 = 1;

fn packet(out: &mut Vec<u8>, at: Ns, write: impl FnOnce(&mut Vec<u8>)) {
    wire::message(out, schema::trace::PACKET, |out| {
        wire::uint(out, schema::packet::TIMESTAMP, at);
        wire::uint(out, schema::packet::CLOCK_ID, schema::clock::MONOTONIC);
        wire::uint(out, schema::packet::SEQUENCE_ID, SEQUENCE);
        write(out);
    });
}

/// Relates the clocks: at `at` the time was `wall` nanoseconds since the epoch.
pub fn clocks(out: &mut Vec<u8>, at: Ns, wall: Ns) {
    wire::message(out, schema::trace::PACKET, |out| {
        wire::uint(out, schema::packet::SEQUENCE_ID, SEQUENCE);
        wire::message(out, schema::packet::CLOCK_SNAPSHOT, |out| {
            clock(out, schema::clock::REALTIME, wall, false);
            clock(out, schema::clock::MONOTONIC, at, false);
            wire::uint(out, schema::snapshot::PRIMARY, schema::clock::MONOTONIC);
        });
    });
}

fn descriptor(out: &mut Vec<u8>, at: Ns, track: u64, write: impl FnOnce(&mut Vec<u8>)) {
    packet(out, at, |out| {
        wire::message(out, schema::packet::TRACK_DESCRIPTOR, |out| {
            wire::uint(out, schema::descriptor::UUID, track);
            write(out);
        });
    });
}

/// A process's current name. Of several packets, the last one counts.
pub fn process(out: &mut Vec<u8>, at: Ns, track: u64, pid: Tid, name: &[u8], command: &[Vec<u8>]) {
    descriptor(out, at, track, |out| {
        wire::message(out, schema::descriptor::PROCESS, |out| {
            wire::uint(out, schema::process::PID, pid as u64);
            let mut room = COMMAND;
            for arg in command {
                wire::string(out, schema::process::COMMAND_LINE, &printable(&arg[..arg.len().min(room)]));
                room = room.saturating_sub(arg.len() + 1);
                if room == 0 {
                    break;
                }
            }
            if !name.is_empty() {
                wire::string(out, schema::process::NAME, &printable(name));
            }
        });
    });
}

pub fn thread(out: &mut Vec<u8>, at: Ns, track: u64, pid: Tid, tid: Tid, name: &[u8]) {
    descriptor(out, at, track, |out| {
        wire::message(out, schema::descriptor::THREAD, |out| {
            wire::uint(out, schema::thread::PID, pid as u64);
            wire::uint(out, schema::thread::TID, tid as u64);
            if !name.is_empty() {
                wire::string(out, schema::thread::NAME, &printable(name));
            }
        });
    });
}

/// A track that belongs to no thread.
pub fn track(out: &mut Vec<u8>, at: Ns, track: u64, name: &str) {
    descriptor(out, at, track, |out| wire::string(out, schema::descriptor::NAME, name));
}

/// The track of a thread's waits, below that of its calls.
pub fn waits_track(out: &mut Vec<u8>, at: Ns, track: u64, parent: u64) {
    descriptor(out, at, track, |out| {
        wire::string(out, schema::descriptor::NAME, "waits");
        wire::uint(out, schema::descriptor::PARENT, parent);
    });
}

/// A wait of a thread.
pub fn wait(out: &mut Vec<u8>, track: u64, kind: &str, from: Ns, to: Ns) {
    packet(out, from, |out| {
        wire::message(out, schema::packet::TRACK_EVENT, |out| {
            wire::uint(out, schema::event::TYPE, schema::event::SLICE_BEGIN);
            wire::uint(out, schema::event::TRACK, track);
            wire::string(out, schema::event::CATEGORY_TEXT, "wait");
            wire::string(out, schema::event::NAME_TEXT, kind);
        });
    });
    packet(out, to, |out| {
        wire::message(out, schema::packet::TRACK_EVENT, |out| {
            wire::uint(out, schema::event::TYPE, schema::event::SLICE_END);
            wire::uint(out, schema::event::TRACK, track);
        });
    });
}

/// Calls per second, of the whole run or of the process whose track is `parent`.
pub fn counter(out: &mut Vec<u8>, at: Ns, track: u64, parent: Option<u64>, rate: &Rate) {
    descriptor(out, at, track, |out| {
        wire::string(out, schema::descriptor::NAME, "calls per second");
        if let Some(parent) = parent {
            wire::uint(out, schema::descriptor::PARENT, parent);
        }
        wire::message(out, schema::descriptor::COUNTER, |out| {
            wire::string(out, schema::counter::UNIT_NAME, "calls/s");
        });
    });
    for (at, calls) in rate.steps() {
        packet(out, at, |out| {
            wire::message(out, schema::packet::TRACK_EVENT, |out| {
                wire::uint(out, schema::event::TYPE, schema::event::COUNTER);
                wire::uint(out, schema::event::TRACK, track);
                wire::uint(out, schema::event::COUNTER_VALUE, calls);
            });
        });
    }
}

/// A flow from a mark in the waker's call to a mark in the call that it woke. Each has its track. A flow cannot lead from slice to slice: the woken call began
/// first, and Perfetto takes the slice that began first for the beginning of the flow.
pub fn wake(out: &mut Vec<u8>, wake: Wake<u64>, woken: u64, flow: u64) {
    let marks = [
        ("wakes", wake.waker, wake.waker_at, schema::event::FLOW),
        ("woken", woken, wake.woken_at, schema::event::TERMINATING_FLOW),
    ];
    for (name, track, at, end) in marks {
        packet(out, at, |out| {
            wire::message(out, schema::packet::TRACK_EVENT, |out| {
                wire::uint(out, schema::event::TYPE, schema::event::INSTANT);
                wire::uint(out, schema::event::TRACK, track);
                wire::string(out, schema::event::CATEGORY_TEXT, "wake");
                wire::string(out, schema::event::NAME_TEXT, name);
                wire::fixed64(out, end, flow);
            });
        });
    }
}
