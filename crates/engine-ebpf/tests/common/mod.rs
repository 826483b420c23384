//! What the tests of the engine share.

use std::path::Path;
use stride_event::{CallSet, Command, FdSet, Limits, Seccomp, TraceSpec};

/// Everything, of nothing yet.
pub fn everything() -> TraceSpec {
    TraceSpec {
        command: None,
        attach: Vec::new(),
        follow: true,
        calls: CallSet::all(),
        limits: Limits { text: 32, elements: 32 },
        dump_read: FdSet::none(),
        dump_write: FdSet::none(),
        seccomp: Seccomp::Off,
        kill_on_exit: false,
        detach_on_execve: false,
        daemonize: 0,
        interruptible: 0,
        entries: false,
        want_ip: false,
        want_times: false,
        want_system_time: false,
        no_memory: false,
    }
}

pub fn command(program: &Path, args: &[&str]) -> TraceSpec {
    let args = std::iter::once(program.into()).chain(args.iter().map(Into::into)).collect();
    TraceSpec { command: Some(Command { path: program.into(), args, env: Vec::new(), user: None }), ..everything() }
}

/// Whether the engine can run here; says that the test is skipped where it cannot.
pub fn available(test: &str) -> bool {
    stride_engine_ebpf::available().inspect_err(|why| println!("skipped: {test}: {why}")).is_ok()
}
