//! Where a trace comes from, for the views that tell.

use crate::engine::Engine;
use nix::sys::utsname::UtsName;
use std::ffi::OsStr;
use stride_output::json::About;
use stride_record::Metadata;

/// Of the run that is about to begin, or of the one that was recorded.
pub fn about(engine: &Engine, wall_offset: i128) -> About {
    engine.replayed().map_or_else(|| live(engine, wall_offset), |replay| recorded(replay.metadata()))
}

fn live(engine: &Engine, wall_offset: i128) -> About {
    let uname = nix::sys::utsname::uname();
    let field = |get: fn(&UtsName) -> &OsStr| {
        uname.as_ref().map(|u| get(u).to_string_lossy().into_owned()).unwrap_or_default()
    };
    About {
        version: env!("CARGO_PKG_VERSION").into(),
        command_line: std::env::args_os().collect(),
        host: field(|u| u.nodename()),
        kernel: field(|u| u.release()),
        machine: field(|u| u.machine()),
        engine: engine.name().into(),
        wall_offset,
    }
}

fn recorded(metadata: &Metadata) -> About {
    About {
        version: metadata.version.clone(),
        command_line: metadata.args.clone(),
        host: metadata.host.clone(),
        kernel: metadata.release.clone(),
        machine: metadata.machine.clone(),
        engine: metadata.engine.clone(),
        wall_offset: metadata.wall_offset.into(),
    }
}
