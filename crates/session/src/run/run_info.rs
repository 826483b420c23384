//! Facts about a run, for views that report them.

use crate::options::Options;
use crate::start;
use crate::start::Needs;
use nix::sys::utsname::UtsName;
use std::ffi::OsStr;
use stride_event::Ns;
use stride_output::RunInfo;
use stride_record::Metadata;

/// Facts about the run that is traced.
pub fn traced(options: &Options, needs: &Needs, engine: &str, wall_offset: i128, started: Ns) -> RunInfo {
    let uname = nix::sys::utsname::uname();
    let field =
        |get: fn(&UtsName) -> &OsStr| uname.as_ref().map(|u| get(u).to_string_lossy().into_owned()).unwrap_or_default();
    RunInfo {
        args: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").into(),
        host: field(UtsName::nodename),
        release: field(UtsName::release),
        machine: field(UtsName::machine),
        engine: engine.into(),
        started,
        partial: !options.filters.shows_all_calls(),
        follows: options.spec.follow,
        operations: options.spec.operations,
        waits: options.spec.waits,
        command_text: start::command_text(options, needs),
        wall_offset,
    }
}

/// True if this machine has that name.
pub fn is_this_host(host: &str) -> bool {
    nix::sys::utsname::uname().is_ok_and(|uname| uname.nodename() == host)
}

/// Facts about the run that was recorded.
pub fn recorded(recorded: &Metadata) -> RunInfo {
    RunInfo {
        args: recorded.args.clone(),
        version: recorded.version.clone(),
        host: recorded.host.clone(),
        release: recorded.release.clone(),
        machine: recorded.machine.clone(),
        engine: recorded.engine.clone(),
        started: recorded.started,
        partial: recorded.partial,
        follows: recorded.follows,
        operations: recorded.operations,
        waits: recorded.waits,
        command_text: usize::try_from(recorded.command_limit.max(recorded.text_limit)).unwrap_or(usize::MAX),
        wall_offset: recorded.wall_offset.into(),
    }
}
