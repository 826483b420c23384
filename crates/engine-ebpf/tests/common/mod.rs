//! What the tests of the engine share.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use stride_event::{Command, Tid, TraceSpec};

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

/// Waits until a thread sits in a call of this number.
pub fn wait_until_inside(tid: Tid, nr: i64) {
    let start = Instant::now();
    let inside =
        || std::fs::read_to_string(format!("/proc/{tid}/syscall")).is_ok_and(|s| s.starts_with(&format!("{nr} ")));
    while !inside() {
        assert!(start.elapsed() < Duration::from_secs(60), "{tid} does not come to call {nr}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Builds `programs/NAME.c`, once.
pub fn compile(name: &'static str) -> PathBuf {
    static BUILT: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let mut built = BUILT.lock().unwrap();
    if !built.contains(&name) {
        let mut cc = std::process::Command::new("cc");
        cc.args(["-w", "-O1", "-pthread", "-o"]).arg(&program).arg(&source);
        assert!(cc.status().expect("cc runs").success());
        built.push(name);
    }
    program
}
