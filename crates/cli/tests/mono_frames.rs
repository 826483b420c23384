//! The functions of .NET programs on stacks (`-k`), as a map of the run-time system names them (`/tmp/perf-PID.map`): Mono writes one.

mod common;

use common::script_frames::calls;
use common::*;
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

/// Each function stands behind the one that it calls. (Mono leaves frame pointers out, unless it is asked not to.)
#[test]
fn functions_that_a_map_names() {
    need!("/usr/bin/mcs", "/usr/bin/mono");
    for &engine in engines() {
        let scratch = Scratch::new(&format!("mono{engine}"));
        let program = scratch.path("Calls.exe");
        let mut compiler = Command::new("/usr/bin/mcs");
        let out = format!("-out:{}", program.display());
        let compiled = compiler.arg(out).arg(root().join("tests/stacks/Calls.cs")).output().unwrap();
        assert!(compiled.status.success(), "{compiled:?}");
        let options = [engine, "-f", "-k", "--json", "-e", "trace=newfstatat,stat,lstat,access"];
        let program = program.to_string_lossy();
        let command = ["-E", "MONO_DEBUG=disable_omit_fp", "/usr/bin/mono", "--jitmap", &program];
        // Under eBPF on a busy machine, a program may be over before Stride has read its map.
        let tries = if engine.contains("ebpf") { 10 } else { 1 };
        let named = (0..tries).any(|nth| {
            // The machine may be busy for a while.
            std::thread::sleep(Duration::from_millis(200 * nth));
            let run = scratch.stride(options.iter().chain(&command));
            assert_eq!(run.code(), Some(0), "{engine}: {}", run.err);
            let calls = calls(&run.trace);
            assert!(calls.len() >= 200, "{engine}: {}", run.trace);
            // The first calls may come before the map.
            calls.iter().filter(|(_, stack)| is_whole(stack)).count() > calls.len() * 9 / 10
        });
        assert!(named, "{engine}: functions have no names");
    }
}

fn is_whole(stack: &[Value]) -> bool {
    let place = |wanted: &str| stack.iter().position(|frame| frame["symbol"].as_str() == Some(wanted));
    let places = ["Calls:Check (int)", "Calls:Round (int)", "Calls:Main ()", "mono_main"].map(place);
    places.iter().all(Option::is_some) && places.is_sorted()
}
