//! What the tests of the engine share.

use std::path::Path;
use stride_event::{Command, TraceSpec};

/// Everything, of nothing yet.
pub fn everything() -> TraceSpec {
    TraceSpec { follow: true, ..TraceSpec::default() }
}

pub fn command(program: &Path, args: &[&str]) -> TraceSpec {
    let args = std::iter::once(program.into()).chain(args.iter().map(Into::into)).collect();
    TraceSpec { command: Some(Command { path: program.into(), args, env: Vec::new(), user: None }), ..everything() }
}

/// Whether the engine can run here; says that the test is skipped where it cannot.
pub fn available(test: &str) -> bool {
    stride_engine_ebpf::available().inspect_err(|why| println!("skipped: {test}: {why}")).is_ok()
}
