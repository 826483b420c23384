//! `-Y`: each line has the name of its thread, also if the thread is gone when the line is written.

mod common;

use common::*;
use std::process::Command;

#[test]
fn threads_that_are_gone_have_their_names() {
    let pattern = regex::Regex::new(r"^\d+<(\w+)> +exit_group\((\d)\)").unwrap();
    for engine in engines() {
        let scratch = Scratch::new(&format!("names{engine}"));
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["-f", "-Y", "-e", "trace=exit_group", "-e", "signal=none", "-o"]);
        command.arg(scratch.path("trace")).args(["sh", "-c", "/bin/true; (exit 3); /bin/false; exit 2"]);
        Run::of(command);
        let trace = scratch.read("trace");
        let told: Vec<_> = trace.lines().filter_map(|line| pattern.captures(line)).collect();
        let told: Vec<_> = told.iter().map(|line| (line[1].to_owned(), line[2].to_owned())).collect();
        let expected = [("true", "0"), ("sh", "3"), ("false", "1"), ("sh", "2")];
        assert!(trace.contains("<true> +++ exited with 0 +++"), "{engine}: {trace}");
        assert_eq!(told, expected.map(|(name, status)| (name.to_owned(), status.to_owned())), "{engine}: {trace}");
    }
}

#[test]
fn names_change_with_the_calls_that_change_them() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("changes{engine}"));
        let mut command = Command::new(STRIDE);
        command.arg(engine).args(["-f", "-Y", "-e", "trace=getppid,kill", "-e", "signal=none", "-o"]);
        let script = "import ctypes,os\nc=ctypes.CDLL(None)\nos.getppid()\nc.prctl(15,b'another',0,0,0)\nos.kill(os.getpid(),0)\n";
        command.arg(scratch.path("trace")).args(["python3", "-c", script]);
        Run::of(command);
        let trace = scratch.read("trace");
        let before = trace.lines().any(|line| line.contains("<python3> getppid("));
        let after = trace.lines().any(|line| line.contains("<another> kill(") && line.contains("<another>, 0)"));
        assert!(before && after, "{engine}: {trace}");
    }
}
