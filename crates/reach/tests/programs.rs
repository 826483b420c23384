//! The calls that programs can make, against what is known of these programs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use stride_reach::{MachineCode, ReachedCalls, Unread, reachable};
use stride_test_support::programs::root;
use stride_test_support::{Scratch, program, skip};

fn image(path: &Path) -> MachineCode {
    MachineCode::parse(&std::fs::read(path).unwrap()).unwrap_or_else(|why| panic!("{}: {why:?}", path.display()))
}

/// The C library and the dynamic loader of this test, which programs of this machine have, too.
fn libraries() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let paths: BTreeSet<&str> =
        maps.lines().filter_map(|line| line.split_once('/').map(|_| line.split_whitespace().last().unwrap())).collect();
    let is_wanted = |path: &&str| path.contains("/libc.so.") || path.contains("/ld-");
    paths.into_iter().filter(is_wanted).map(PathBuf::from).collect()
}

fn reached(program: &Path, libraries: &[PathBuf]) -> ReachedCalls {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let libraries = libraries.iter().map(|path| (name(path), false, image(path)));
    reachable([("program".to_owned(), true, image(program))].into_iter().chain(libraries))
}

/// By names, numbers, instructions and tables; and of a library only the parts to which something leads.
#[test]
fn ways_of_a_program() {
    let program = program!("reach");
    let reached = reached(program, &libraries());
    let way = |call: &str| {
        let way = reached.calls.get(call).unwrap_or_else(|| panic!("{call}: {reached:?}"));
        (way.file.as_str(), way.function.as_str())
    };
    assert_eq!(way("chown"), ("program", "chown"));
    assert_eq!(way("getpgid"), ("program", "by_number"));
    assert_eq!(way("getsid"), ("program", "by_number"));
    assert_eq!(way("sync"), ("program", "by_choice"));
    assert_eq!(way("mlockall"), ("program", "by_choice"));
    assert_eq!(way("vhangup"), ("program", "by_instruction"));
    assert_eq!(way("write").0, "program");
    assert_eq!(reached.unknown.get("program"), Some(&1), "the number that is an input: {reached:?}");
    // The C library can make all of these for other programs.
    for call in ["mount", "setdomainname", "swapon", "ptrace", "reboot", "shmget", "fanotify_init", "semctl"] {
        assert!(!reached.calls.contains_key(call), "{call}: {:?}", reached.calls.get(call));
    }
}

/// The table of functions is the only way to `by_name`, and a library's code is only reached by its names.
#[test]
fn nothing_comes_from_a_library_alone() {
    let program = program!("actor");
    let reached = reached(program, &[]);
    let libraries = libraries();
    let of_libraries = reachable(libraries.iter().map(|path| ("library".to_owned(), false, image(path))));
    assert!(reached.calls.is_empty(), "{reached:?}");
    // No program needs the C library here, so it counts as one that was loaded on demand, with all that it exports.
    assert!(
        of_libraries.calls.contains_key("reboot") && of_libraries.calls.len() > 250,
        "{}",
        of_libraries.calls.len()
    );
}

/// A program that has the C library in it, and one without symbols.
#[test]
fn static_and_stripped_programs() {
    let scratch = Scratch::new("reach-static");
    let source = root().join("tests/programs/reach.c");
    for (name, options) in
        [("static", &["-static"][..]), ("stripped", &["-s"]), ("fixed", &["-static", "-no-pie", "-s"])]
    {
        let path = scratch.path(name);
        let built = Command::new("cc").args(["-O1", "-w"]).args(options).arg("-o").arg(&path).arg(&source).output();
        match built {
            Ok(output) if output.status.success() => {}
            _ => skip!("cc cannot link with {options:?}"),
        }
        let libraries = if name == "stripped" { libraries() } else { Vec::new() };
        let reached = reached(&path, &libraries);
        for call in ["chown", "getpgid", "getsid", "sync", "mlockall", "vhangup", "write"] {
            assert!(reached.calls.contains_key(call), "{name}: {call}: {:?}", reached.calls.keys());
        }
    }
}

/// Each call that a program makes when it runs is within reach.
#[test]
fn calls_of_programs_are_within_reach() {
    let scratch = Scratch::new("reach-run");
    for command in [
        &["ls", "-l", "/"][..],
        &["find", "/etc/apt"],
        &["tar", "cf", "/dev/null", "/etc/passwd"],
        &["sort", "/etc/passwd"],
    ] {
        let log = scratch.path("log");
        let traced = Command::new("strace").args(["-qq", "-o"]).arg(&log).args(command).output();
        let Ok(output) = traced else { skip!("no strace to compare with") };
        assert!(output.status.success(), "{command:?}: {output:?}");
        let log = std::fs::read_to_string(&log).unwrap();
        // Its own libraries, by the paths that it opened.
        let opened: Vec<&str> = log
            .lines()
            .filter(|line| line.starts_with("openat") && line.contains(".so") && !line.contains("= -1"))
            .collect();
        let quoted =
            opened.iter().filter_map(|line| line.split('"').nth(1)).filter(|path| !path.contains("ld.so.cache"));
        let mut libraries: Vec<PathBuf> = quoted.map(PathBuf::from).collect();
        libraries.extend(self::libraries().into_iter().filter(|path| path.to_string_lossy().contains("/ld-")));
        let found = Command::new("sh").args(["-c", "command -v \"$0\"", command[0]]).output().unwrap();
        let program = std::fs::canonicalize(String::from_utf8_lossy(&found.stdout).trim()).unwrap();
        let reached = reached(&program, &libraries);
        let made: BTreeSet<&str> =
            log.lines().filter_map(|line| Some(line.split_once('(')?.0)).filter(|name| !name.contains(' ')).collect();
        assert!(made.len() > 10, "{log}");
        let missing: Vec<&&str> = made.iter().filter(|call| !reached.calls.contains_key(**call)).collect();
        assert!(missing.is_empty(), "{command:?}: {missing:?}");
    }
}

/// Damaged files end in an answer, whatever is wrong with them.
#[test]
fn hostile_files() {
    assert_eq!(MachineCode::parse(b"").err(), Some(Unread::NoCode));
    assert_eq!(MachineCode::parse(b"#!/bin/sh\n").err(), Some(Unread::NoCode));
    let whole = std::fs::read(program!("reach")).unwrap();
    let mut random = 1u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let mut read = 0;
    for round in 0..400 {
        let mut bytes = whole.clone();
        if round % 4 == 0 {
            bytes.truncate(next(whole.len()));
        }
        // Headers, which are at both ends, are hit more often than code.
        for _ in 0..1 + next(12) {
            let (from, to) = match next(3) {
                0 => (0, bytes.len().min(0x400)),
                1 => (bytes.len().saturating_sub(0x800), bytes.len()),
                _ => (0, bytes.len()),
            };
            if from < to {
                bytes[from + next(to - from)] = next(256) as u8;
            }
        }
        // The same bytes, read as code of the other machine (e_machine of elf(5)).
        const MACHINE: usize = 18;
        const EM_X86_64: u8 = 62;
        const EM_AARCH64: u8 = 183;
        if round % 2 == 1 && bytes.len() > MACHINE {
            bytes[MACHINE] ^= EM_X86_64 ^ EM_AARCH64;
        }
        if let Ok(image) = MachineCode::parse(&bytes) {
            read += 1;
            reachable([("program".to_owned(), true, image)]);
        }
    }
    assert!(read > 50, "{read} of 400 files were read at all");
}
