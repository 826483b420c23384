//! What the tests of the engine share.
#![allow(dead_code)]

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
