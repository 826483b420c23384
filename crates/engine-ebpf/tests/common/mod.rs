//! What the tests of the engine share.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::Mutex;
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

/// Builds `programs/NAME.c`, once.
pub fn compile(name: &'static str) -> PathBuf {
    static BUILT: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(format!("{name}.c"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut built = BUILT.lock().unwrap();
    if !built.contains(&name) {
        let mut cc = std::process::Command::new("cc");
        cc.args(["-w", "-O1", "-pthread", "-o"]).arg(&program).arg(&source);
        assert!(cc.status().expect("cc runs").success());
        built.push(name);
    }
    program
}
