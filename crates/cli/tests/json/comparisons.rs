//! `--diff` and `--budget`.

use crate::common::*;
use crate::schema::*;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

/// Checks the output of `--diff` and `--budget`: every line fits the schema, and each expected kind occurs.
#[track_caller]
fn compared(run: &str, kinds: &[&str]) -> Vec<Value> {
    let objects: Vec<Value> = run.lines().map(|line| serde_json::from_str::<Unique>(line).unwrap().0).collect();
    for object in &objects {
        if let Some(error) = SCHEMA.iter_errors(object).next() {
            panic!("{}: {error}\n{object}", error.instance_path());
        }
    }
    let seen: std::collections::BTreeSet<&str> =
        objects.iter().map(|object| object["type"].as_str().unwrap()).collect();
    assert_eq!(seen, kinds.iter().copied().collect(), "{run}");
    objects
}

#[test]
fn comparisons_are_what_the_schema_says() {
    need!("/bin/cat", "/usr/bin/python3");
    for engine in engines() {
        let scratch = Scratch::new(&format!("json-compared{engine}"));
        for file in ["a", "b"] {
            std::fs::write(scratch.path(file), "x\n").unwrap();
        }
        let hostile = scratch.path("x").with_file_name(OsStr::from_bytes(b"\xff\x1b\"\n"));
        std::fs::write(&hostile, "x\n").unwrap();
        let stride = |args: &[&OsStr]| scratch.stride([&[OsStr::new(engine)], args].concat()).trace;
        let words = |text: &'static str| text.split(' ').map(OsStr::new).collect::<Vec<&OsStr>>();
        stride(&words("--record=rec /bin/cat a"));
        // Nothing of note; another path with hostile bytes; another program.
        compared(&stride(&words("--diff=rec --json /bin/cat b")), &["diff", "syscall", "object"]);
        let seen = compared(
            &stride(&[words("--diff=rec --json /bin/cat a"), vec![hostile.as_os_str()]].concat()),
            &["diff", "syscall", "object"],
        );
        assert!(seen.iter().any(|object| object.get("name_hex").is_some()), "{seen:#?}");
        let seen = compared(&stride(&words("--diff=rec --json /usr/bin/python3 -c 0")), &["diff", "syscall", "object"]);
        assert!(seen.iter().any(|object| object["change"] == "vanished"), "{seen:#?}");
        let only = compared(&scratch.replay(&["--diff=rec", "--json"]).out, &["diff"]);
        assert_eq!(only[0]["of_note"], false, "the same recording");

        let budget = "limits = [\"total <= 5000\", \"openat <= 0\", \"read.mean_bytes >= 0.5\", \"sendto.mean_bytes >= 9\", \
                      \"read.time_ms >= 1000\", \"processes == 1\"]\n[[path]]\nglob = \"**/a\"\nlimits = [\"read <= 1\"]\n";
        std::fs::write(scratch.path("b.toml"), budget).unwrap();
        let seen = compared(&stride(&words("--budget=b.toml --json /bin/cat a")), &["limit", "budget"]);
        let results: Vec<&str> =
            of_type(&seen, "limit").iter().map(|limit| limit["result"].as_str().unwrap()).collect();
        assert_eq!(results, ["kept", "broken", "kept", "kept", "broken", "kept", "broken"], "{seen:#?}");
        // A recording that breaks off: the missing calls may have broken a limit.
        // The calls after the first part was written are in a batch of their own.
        nix::unistd::mkfifo(&scratch.path("go"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                wait_until("the first part", || {
                    let mut command = bare_stride();
                    command.args(["--replay=cut", "-e", "trace=read"]).current_dir(scratch.path(""));
                    Run::of(command).out.contains(r#"read(0, "x", 1)"#)
                });
                std::fs::write(scratch.path("go"), "x\n").unwrap();
            });
            scratch.stride([engine, "--record=cut", "/bin/sh", "-c", "read x < a; read x < go; read x < a"]);
        });
        std::fs::remove_file(scratch.path("go")).unwrap();
        let bytes = std::fs::read(scratch.path("cut")).unwrap();
        std::fs::write(scratch.path("cut"), &bytes[..bytes.len() - 140]).unwrap();
        let run = |options: &[&str]| {
            let mut command = Command::new(STRIDE);
            command.arg("--replay=cut").args(options).current_dir(scratch.path("")).env("LC_ALL", "C");
            Run::of(command)
        };
        let cut = run(&["--budget=b.toml", "--json"]);
        let seen = compared(&cut.out, &["limit", "budget"]);
        assert!(seen.iter().any(|object| object["result"] == "unknown" && object["told"].is_string()), "{seen:#?}");
        // Both reports, and findings.
        std::fs::write(scratch.path("b.toml"), "limits = [\"total <= 1\"]").unwrap();
        compared(
            &stride(&words("--diff=rec --budget=b.toml --json /bin/cat a b")),
            &["diff", "syscall", "object", "limit", "budget"],
        );
    }
}

#[test]
fn comparisons_that_lost_calls_are_what_the_schema_says() {
    if stride_engine_ebpf::available().is_err() {
        skip!("needs eBPF to lose calls");
    }
    let scratch = Scratch::new("json-compared-lost");
    let dd = "--engine=ebpf --on-overflow=drop --ring-size=64K --json dd if=/dev/zero of=/dev/null bs=1 count=200000 status=none";
    let dd: Vec<&str> = dd.split(' ').collect();
    scratch.stride(["--engine=ebpf", "--record=rec", "true"]);
    std::fs::write(scratch.path("b.toml"), "limits = [\"total <= 5000\", \"read <= 400_001\", \"read == 200_000\"]")
        .unwrap();
    let seen = compared(
        &scratch.stride([&["--diff=rec", "--budget=b.toml"], &dd[..]].concat()).trace,
        &["diff", "syscall", "object", "limit", "budget"],
    );
    let diff = only(of_type(&seen, "diff"));
    let lost = diff["this"]["lost_calls"].as_u64().unwrap();
    let message = diff["circumstances"].to_string();
    assert_eq!(lost > 0, message.contains("lost"), "{diff:#}");
}

/// A schema that accepts everything is useless.
#[test]
fn tampered_comparisons_are_refused() {
    need!("/bin/cat");
    let scratch = Scratch::new("json-compared-tampered");
    std::fs::write(scratch.path("a"), "x\n").unwrap();
    std::fs::write(scratch.path("b.toml"), "limits = [\"total <= 1\"]").unwrap();
    scratch.stride(["--record=rec", "/bin/cat", "/dev/null"]);
    let seen = compared(
        &scratch.stride(["--diff=rec", "--budget=b.toml", "--json", "/bin/cat", "a", "a"]).trace,
        &["diff", "syscall", "object", "limit", "budget"],
    );
    for (kind, member, value) in [
        ("diff", "verdict", json!(1)),
        ("diff", "other", json!(1)),
        ("diff", "base", json!({})),
        ("syscall", "name", json!("")),
        ("syscall", "change", json!("new")),
        ("syscall", "this", json!({"calls": 1})),
        ("object", "syscalls", json!([])),
        ("object", "other", json!(1)),
        ("limit", "result", json!("kept")),
        ("limit", "value", json!("3")),
        ("limit", "line", json!(-1)),
        ("budget", "broken", json!(null)),
    ] {
        let mut tampered = of_type(&seen, kind)[0].clone();
        assert!(SCHEMA.is_valid(&tampered), "{tampered}");
        tampered[member] = value;
        assert!(!SCHEMA.is_valid(&tampered), "{tampered}");
    }
}

#[test]
fn callers_are_what_the_schema_says() {
    let scratch = Scratch::new("json-callers");
    or_skip!(cc_with_lines(&root().join("tests/programs/callers.c"), &scratch.path("program")));
    // The eBPF engine may read a short program's mappings too late, and then it knows no callers.
    let words = |args: &'static str| std::iter::once("--engine=ptrace").chain(args.split(' ')).collect::<Vec<&str>>();
    let stride = |args| scratch.stride(words(args)).trace;
    stride("--stack-trace=source --record=rec ./program 5 5");
    let message = stride("--stack-trace=source --diff=rec --json ./program 50 5");
    let seen = compared(&message, &["diff", "syscall", "object"]);
    let openat = of_type(&seen, "syscall").into_iter().find(|call| call["name"] == "openat").unwrap();
    let caller = &openat["callers"][0];
    assert_eq!((&caller["function"], &caller["base"], &caller["this"]), (&json!("load_config"), &json!(5), &json!(50)));
    assert!(caller["file"].as_str().unwrap().ends_with("callers.c") && caller["line"].is_u64(), "{caller}");
}
