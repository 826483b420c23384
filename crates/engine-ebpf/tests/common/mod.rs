//! The code that the tests of the engine share.
#![allow(dead_code)]

use std::path::Path;
use std::time::Duration;
use stride_engine_base::Engine as _;
use stride_engine_ebpf::EbpfEngine;
use stride_event::{Command, TraceSpec};
use stride_test_support::state::{state, wait_until};

/// Traces all calls, of no process yet.
pub fn everything() -> TraceSpec {
    TraceSpec { follow: true, ..TraceSpec::default() }
}

pub fn command(program: &Path, args: &[&str]) -> TraceSpec {
    let args = std::iter::once(program.into()).chain(args.iter().map(Into::into)).collect();
    TraceSpec { command: Some(Command { path: program.into(), args, env: Vec::new(), user: None }), ..everything() }
}

/// The amount that was sent beyond the ring's room: calls that were delayed, and calls and signals that were lost.
fn beyond_the_ring(engine: &EbpfEngine) -> u64 {
    let lost = engine.lost();
    engine.delayed().calls + lost.calls + lost.signals
}

/// Reads nothing for `pause`, and then until the ring is full, however slow the machine is. A command that has ended
/// fills no ring.
pub fn stand_still(engine: &EbpfEngine, pause: Duration) {
    let before = beyond_the_ring(engine);
    std::thread::sleep(pause);
    let ended = || engine.command().and_then(state).is_none_or(|state| state == 'Z');
    wait_until("a full ring", || ended() || beyond_the_ring(engine) > before);
}
