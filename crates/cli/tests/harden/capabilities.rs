//! The capabilities that a drop-in takes away: the program goes on to work without them, and does not work without the ones that stay.

use crate::common::{Scratch, bare_stride, engines, is_root, need};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use stride_test_support::{program, skip};

/// All things that the program can do, but those that need nothing.
const THINGS: [&str; 28] = [
    "chown",
    "chgrp",
    "kill",
    "mknod",
    "setuid",
    "setfsuid",
    "groups",
    "chroot",
    "nice",
    "fifo",
    "mlock",
    "locked",
    "bounding",
    "mark",
    "buffer",
    "port",
    "raw",
    "packet",
    "alarm",
    "namespace",
    "clone3",
    "other",
    "address",
    "credentials",
    "lease",
    "attribute",
    "filter",
    "memory",
];
const NEED_NOTHING: [&str; 2] = ["plain", "addresses"];
/// The program's exit status for things that a machine cannot do.
const UNSUPPORTED: Option<i32> = Some(77);

/// The names behind `CapabilityBoundingSet=~`, which may go on in further lines.
fn taken_away(rules: &str) -> BTreeSet<String> {
    let (_, rest) = rules.split_once("\nCapabilityBoundingSet=~").unwrap_or_else(|| panic!("{rules}"));
    let mut names = BTreeSet::new();
    for line in rest.lines() {
        names.extend(line.trim_end_matches('\\').split_whitespace().map(str::to_owned));
        if !line.ends_with('\\') {
            break;
        }
    }
    names
}

/// Runs the program as root without these capabilities. Its exit status.
fn without(scratch: &Scratch, names: &BTreeSet<String>, program: &Path, thing: &str) -> Option<i32> {
    let less: Vec<String> =
        names.iter().map(|name| format!("-{}", name["CAP_".len()..].to_ascii_lowercase())).collect();
    let mut command = Command::new("/usr/bin/setpriv");
    command.arg(format!("--bounding-set={}", less.join(","))).arg("--inh-caps=-all").arg(program).arg(thing);
    command.current_dir(scratch.path("")).output().unwrap().status.code()
}

#[test]
fn capabilities_that_stay_are_those_that_calls_need() {
    need!("/usr/bin/setpriv");
    if !is_root() {
        skip!("only root has capabilities to lose");
    }
    let program = program!("capable");
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-capable{engine}"));
        let learn = |thing: &str| {
            let mut command = bare_stride();
            command.args(["-q", engine, "--harden=systemd", "-o", "rules"]).arg(program).arg(thing);
            let ended = command.current_dir(scratch.path("")).output().unwrap();
            (ended.status.code(), taken_away(&scratch.read("rules")))
        };
        let (_, all) = learn("plain");
        for thing in NEED_NOTHING {
            let (status, rest) = learn(thing);
            assert_eq!((status, &rest), (Some(0), &all), "{engine}: {thing}");
            assert_eq!(without(&scratch, &rest, program, thing), Some(0), "{engine}: {thing}");
        }
        for thing in THINGS {
            let (status, rest) = learn(thing);
            if status == UNSUPPORTED {
                stride_test_support::skipped::report(format_args!("this machine cannot do it: {thing}"));
                continue;
            }
            assert_eq!(status, Some(0), "{engine}: {thing}");
            assert_eq!(without(&scratch, &rest, program, thing), Some(0), "{engine}: {thing}: {rest:?}");
            assert_eq!(without(&scratch, &all, program, thing), Some(1), "{engine}: {thing}: {all:?}");
        }
    }
}

/// Files of the kernel that look at capabilities when they are opened.
#[test]
fn files_that_need_capabilities() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-capable-files{engine}"));
        let kept = |path: &str| {
            let mut command = bare_stride();
            command.args(["-q", engine, "--harden=systemd", "-o", "rules", "/bin/sh", "-c"]).arg(format!(": {path}"));
            command.current_dir(scratch.path("")).output().unwrap();
            let away = taken_away(&scratch.read("rules"));
            move |name: &str| !away.contains(name)
        };
        assert!(kept("</proc/1/environ")("CAP_SYS_PTRACE"), "{engine}");
        assert!(!kept("</proc/self/environ")("CAP_SYS_PTRACE"), "{engine}");
        assert!(kept("</proc/kallsyms")("CAP_SYSLOG"), "{engine}");
        assert!(!kept("</proc/self/loginuid")("CAP_AUDIT_CONTROL"), "{engine}");
        assert!(kept("2>/dev/null >/proc/self/loginuid")("CAP_AUDIT_CONTROL"), "{engine}");
    }
}

/// Rules for single files have the paths that a process with another root saw, and say so.
#[test]
fn another_root_is_told_where_files_have_rules() {
    if !is_root() {
        skip!("only root changes the root");
    }
    let program = program!("capable");
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-chroot{engine}"));
        for (format, is_told) in [("systemd", false), ("json", true), ("apparmor", true)] {
            let mut command = bare_stride();
            command.args(["-q", engine, "-o", "rules"]).arg(format!("--harden={format}")).arg(program).arg("chroot");
            assert!(command.current_dir(scratch.path("")).status().unwrap().success());
            let rules = scratch.read("rules");
            assert_eq!(rules.contains("A process changed its root (chroot)"), is_told, "{engine}: {format}: {rules}");
        }
    }
}
