//! `--harden`: rules for services and containers, live and replayed, under both engines, and enforced by the tools that they are for.

mod apparmor;
mod capabilities;
#[path = "../common/mod.rs"]
mod common;
mod landlock;

use common::{Run, RunInScratch, Scratch, bare_stride, engines, is_root, need, text};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use stride_test_support::skip;

/// The rules for `sh -c SCRIPT` in this directory, with a recording `rec`.
pub fn rules(scratch: &Scratch, engine: &str, options: &[&str], script: &str) -> String {
    let mut command = bare_stride();
    command.args(["-o", "rules", "--record=rec", "-q", engine]).args(options).args(["/bin/sh", "-c", script]);
    command.current_dir(scratch.path("")).env("PATH", "/usr/bin:/bin");
    let run = Run::of(command);
    assert_eq!(run.err, "", "{engine}: {run:?}");
    let rules = scratch.read("rules");
    let replayed = scratch.replay(options).out;
    // (The head of the JSON has Stride's own command line and engine.)
    if !options.contains(&"--harden=json") {
        assert_eq!(of_the_run(&replayed), of_the_run(&rules), "{engine}: a replay tells the same");
    }
    rules
}

/// The rules without the comments on what the code of the programs can do. A replay does not read programs.
fn of_the_run(rules: &str) -> String {
    let mut is_within_reach = false;
    let is_of_run = |line: &&str| {
        is_within_reach = line.contains("within reach") || is_within_reach && line.trim_start().starts_with(['#', '"']);
        !is_within_reach
    };
    rules.lines().filter(is_of_run).flat_map(|line| [line.trim_end_matches(','), "\n"]).collect()
}

/// The names behind a rule that may go on in further lines. The empty rule before it takes back what the unit says.
fn names<'r>(rules: &'r str, rule: &str) -> BTreeSet<&'r str> {
    let first = format!("\n{rule}=\n{rule}=");
    let (_, rest) = rules.split_once(&first).unwrap_or_else(|| panic!("{rule}: {rules}"));
    let mut names = BTreeSet::new();
    for line in rest.lines() {
        names.extend(line.trim_end_matches('\\').split_whitespace());
        if !line.ends_with('\\') {
            break;
        }
    }
    names
}

const SCRIPT: &str = "mkdir out && echo x >out/file && cat out/file >/dev/null";

/// All calls of the run are allowed, and no others.
#[test]
fn calls_of_a_shell() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-sh{engine}"));
        let rules = rules(&scratch, engine, &["--harden=systemd"], SCRIPT);
        let made = scratch.replay(&["--json"]).out;
        let made = made.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let made: BTreeSet<String> =
            made.filter(|it| it["type"] == "call").map(|it| it["name"].as_str().unwrap().to_owned()).collect();
        let allowed = names(&rules, "SystemCallFilter");
        assert_eq!(allowed, made.iter().map(String::as_str).collect(), "{engine}: {rules}");
        assert!(allowed.contains("mkdir") || allowed.contains("mkdirat"), "{rules}");
        assert!(rules.contains("0 calls were lost."), "{rules}");
        let place = scratch.path("");
        let out = place.to_str().unwrap().trim_end_matches('/');
        // (Tests run in a directory below the repository, or in /tmp, which is the service's own.)
        if !out.starts_with("/tmp/") && !out.starts_with("/var/tmp/") {
            assert!(rules.contains(&format!("ReadWritePaths=\"-{out}\"\n")), "{rules}");
        }
        is_understood_by_systemd(&scratch, &rules);
        std::fs::remove_dir_all(scratch.path("out")).unwrap();
    }
}

/// A program that could make other calls: they are named with the function that leads to them, in a live run only.
#[test]
fn calls_within_reach() {
    let program = stride_test_support::program!("reach");
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-reach{engine}"));
        let rules = rules(&scratch, engine, &["--harden=systemd"], program.to_str().unwrap());
        let (_, within) =
            rules.split_once("\n# Not seen, but within reach: ").unwrap_or_else(|| panic!("{engine}: {rules}"));
        let (within, _) = within.split_once("\nSystemCallFilter=").unwrap();
        // (Lines are broken anywhere between words.)
        let within: Vec<&str> = within.split_whitespace().filter(|word| *word != "#").collect();
        let within = within.join(" ");
        for call in ["mlockall (by_choice)", "sync (by_choice)", "vhangup (by_instruction)"] {
            assert!(within.contains(call), "{engine}: {call}: {within}");
        }
        let name = program.file_name().unwrap().to_str().unwrap();
        assert!(within.contains(&format!("{name} computes the numbers of calls at 1 place")), "{engine}: {within}");
        assert!(!within.contains("reboot") && !within.contains("swapon"), "{engine}: {within}");
        let replayed = scratch.replay(&["--harden=systemd"]).out;
        assert!(replayed.contains("a replay reads no files of programs"), "{engine}: {replayed}");
    }
}

fn is_understood_by_systemd(scratch: &Scratch, rules: &str) {
    if !Path::new("/usr/bin/systemd-analyze").exists() {
        stride_test_support::skipped::report(format_args!("no /usr/bin/systemd-analyze"));
        return;
    }
    let drop_ins = scratch.path("units/t.service.d");
    std::fs::create_dir_all(&drop_ins).unwrap();
    std::fs::write(scratch.path("units/t.service"), "[Service]\nExecStart=/bin/true\n").unwrap();
    let unit = scratch.path("units/t.service");
    let analyze = |args: &[&str]| {
        let mut command = Command::new("/usr/bin/systemd-analyze");
        command.args(args).arg(&unit).env("SYSTEMD_LOG_LEVEL", "warning").output().unwrap()
    };
    let exposure = |output: std::process::Output| -> f64 {
        let said = text(&output.stdout);
        let line = said.lines().find(|line| line.contains("exposure level")).unwrap_or_else(|| panic!("{output:?}"));
        line.split_whitespace().find_map(|word| word.parse().ok()).unwrap()
    };
    let before = exposure(analyze(&["security", "--offline=true"]));
    std::fs::write(drop_ins.join("stride.conf"), rules).unwrap();
    let verified = analyze(&["verify", "--recursive-errors=no"]);
    // Names that its version does not know are told, and so is a mistake.
    let complaints: Vec<String> =
        text(&verified.stderr).lines().filter(|line| line.contains("stride.conf")).map(str::to_owned).collect();
    assert!(verified.status.success() && complaints.is_empty(), "{verified:?}");
    let after = exposure(analyze(&["security", "--offline=true"]));
    assert!(after < before - 3.0, "{before} {after}");
    std::fs::remove_dir_all(scratch.path("units")).unwrap();
}

#[test]
fn runs_add_up() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-with{engine}"));
        rules(&scratch, engine, &["--harden=json"], "mkdir out");
        std::fs::rename(scratch.path("rules"), scratch.path("before.json")).unwrap();
        let both = rules(&scratch, engine, &["--harden=systemd", "--harden-with=before.json"], "rmdir out");
        let allowed = names(&both, "SystemCallFilter");
        assert!(allowed.contains("execve") && both.starts_with("# Made from 2 runs: "), "{both}");
        for (one, other) in [("mkdir", "mkdirat"), ("rmdir", "unlinkat")] {
            assert!(allowed.contains(one) || allowed.contains(other), "{one}: {both}");
        }
    }
}

#[test]
fn options_that_do_not_fit() {
    let scratch = Scratch::new("harden-options");
    std::fs::write(scratch.path("other.json"), "{\"type\": \"else\"}").unwrap();
    let said = |args: &[&str]| {
        let mut command = bare_stride();
        command.args(args).arg("/bin/true").current_dir(scratch.path(""));
        let run = Run::of(command);
        assert_eq!(run.code(), Some(1), "{run:?}");
        run.err
    };
    assert!(said(&["--harden=selinux"]).contains(
        "there are --harden=systemd, systemd-log, seccomp, seccomp-log, apparmor, apparmor-log, landlock, diff and json"
    ));
    assert!(said(&["--harden=diff"]).contains("name the file that --harden=json wrote with --harden-with=FILE"));
    assert!(said(&["--harden=json", "--json"]).contains("exclude each other"));
    assert!(said(&["--harden=json", "--harden-with=none.json"]).contains("Can't read earlier runs from 'none.json'"));
    assert!(said(&["--explain-denial=log"]).contains("leave PROG, -p and --replay out"));
    let other = said(&["--harden=json", "--harden-with=other.json"]);
    assert!(other.contains("it is not what --harden=json writes"), "{other}");
}

/// A container runtime enforces the profile: the program still works, and cannot do what it did not do before.
#[test]
fn a_container_runs_under_its_profile() {
    need!("/usr/sbin/runc", "/bin/sh", "/bin/cat");
    if !is_root() {
        skip!("containers of runc need root here");
    }
    const WORKS: &str = "cat /etc/hostname >/dev/null; /bin/true; echo works";
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-runc{engine}"));
        for directory in ["usr", "lib", "lib64", "bin", "etc", "tmp", "proc", "dev"] {
            std::fs::create_dir_all(scratch.path("rootfs").join(directory)).unwrap();
        }
        let name = format!("stride-harden-{}", std::process::id());
        let contained = |profile: Option<&Value>, script: &str| {
            let bound = ["/usr", "/lib", "/lib64", "/bin", "/etc"].into_iter().filter(|path| Path::new(path).exists());
            let mut mounts: Vec<Value> = bound
                .map(|path| json!({"destination": path, "type": "bind", "source": path, "options": ["rbind", "ro"]}))
                .collect();
            mounts.push(json!({"destination": "/proc", "type": "proc", "source": "proc"}));
            mounts.push(json!({"destination": "/tmp", "type": "tmpfs", "source": "tmpfs"}));
            mounts.push(json!({"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["mode=755"]}));
            let config = json!({
                "ociVersion": "1.0.2",
                "process": {"user": {"uid": 0, "gid": 0}, "args": ["/bin/sh", "-c", script], "cwd": "/",
                    "env": ["PATH=/usr/bin:/bin"], "noNewPrivileges": true},
                "root": {"path": "rootfs", "readonly": true},
                "mounts": mounts,
                "linux": {"namespaces": [{"type": "pid"}, {"type": "mount"}], "seccomp": profile},
            });
            std::fs::write(scratch.path("config.json"), config.to_string()).unwrap();
            let mut command = Command::new("/usr/sbin/runc");
            let output = command.args(["run", &name]).current_dir(scratch.path("")).output().unwrap();
            (text(&output.stdout), text(&output.stderr))
        };
        let other = format!("{WORKS}; mkdir /tmp/d && echo made");
        let (said, why) = contained(None, &other);
        if !said.contains("made") {
            skip!("runc does not work here: {why}");
        }
        let profile: Value = serde_json::from_str(&rules(&scratch, engine, &["--harden=seccomp"], WORKS)).unwrap();
        let (said, why) = contained(Some(&profile), &other);
        assert!(said.contains("works") && !said.contains("made"), "{engine}: {said}{why}\n{profile:#}");
    }
}

/// Evidence of version 1 has no files. Formats that need them say so before the program runs.
#[test]
fn earlier_evidence_lacks_files() {
    const OLD: &str = r#"{"type": "stride-harden", "version": 1, "calls": {}, "families": {}, "guards": {}, "written": {}, "made": {},
        "runs": [{"args": ["stride"], "engine": "eBPF", "calls": 1, "lost": 0, "missing": []}]}"#;
    let scratch = Scratch::new("harden-version-1");
    std::fs::write(scratch.path("old.json"), OLD).unwrap();
    let said = |format: &str| {
        let mut command = bare_stride();
        command.args([format, "--harden-with=old.json", "/usr/bin/touch", "made"]).current_dir(scratch.path(""));
        Run::of(command)
    };
    let refused = said("--harden=apparmor");
    assert_eq!(refused.code(), Some(1), "{refused:?}");
    assert!(refused.err.contains("Can't read earlier runs from 'old.json'"), "{refused:?}");
    assert!(refused.err.contains("make the evidence again with this version"), "{refused:?}");
    assert!(!scratch.path("made").exists());
    assert!(said("--harden=systemd").err.contains("# Made from 2 runs: "));
}

/// A run needs more than an earlier one, and less.
#[test]
fn the_difference_of_runs() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("harden-diff{engine}"));
        std::fs::write(scratch.path("a"), "").unwrap();
        rules(&scratch, engine, &["--harden=json"], "read x <a; mkdir out");
        std::fs::rename(scratch.path("rules"), scratch.path("before.json")).unwrap();
        let options = ["--harden=diff", "--harden-with=before.json"];
        let said = rules(&scratch, engine, &options, "read x <a; echo >>a; rmdir out");
        let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with('#')).collect();
        let place = std::fs::canonicalize(scratch.path("")).unwrap();
        let file = |sign: char, name: &str, uses: &str| {
            let start = format!("{sign} file {}: {uses}: ", place.join(name).display());
            assert!(lines.iter().any(|line| line.starts_with(&start)), "{engine}: {start}\n{said}");
        };
        file('+', "a", "append, make");
        file('+', "out", "remove-directory");
        file('-', "out", "make-directory");
        let has = |starts: [&str; 2]| lines.iter().any(|line| starts.iter().any(|start| line.starts_with(start)));
        assert!(has(["+ call rmdir: 1 time by ", "+ call unlinkat: 1 time by "]), "{engine}: {said}");
        assert!(has(["- call mkdir: 1 time by ", "- call mkdirat: 1 time by "]), "{engine}: {said}");
        // The same run again needs the same.
        let same = rules(&scratch, engine, &options, "read x <a; mkdir out");
        assert!(same.contains("# The run needed what the earlier runs needed, and no more.\n"), "{engine}: {same}");
        std::fs::remove_dir(scratch.path("out")).unwrap();
    }
}

/// A log is read with the evidence, and nothing is run.
#[test]
fn denials_are_explained() {
    let scratch = Scratch::new("harden-denials");
    let mut command = bare_stride();
    command
        .args(["--harden=json", "-o", "runs.json", "/bin/sh", "-c", "read x </etc/passwd"])
        .current_dir(scratch.path(""));
    assert_eq!(Run::of(command).code(), Some(0));
    let execve = libc::SYS_execve;
    let log = format!(
        "audit: type=1326 audit(1:2): comm=\"sh\" sig=0 arch=c000003e syscall={execve} code=0x7ffc0000\n\
         audit: type=1400 audit(1:3): apparmor=\"DENIED\" operation=\"open\" name=\"/etc/passwd\" requested_mask=\"r\" comm=\"sh\"\n\
         audit: type=1400 audit(1:4): apparmor=\"DENIED\" operation=\"open\" name=\"/etc/shadow\" requested_mask=\"r\" comm=\"sh\"\n"
    );
    std::fs::write(scratch.path("log"), log).unwrap();
    let said = |args: &[&str]| {
        let mut command = bare_stride();
        command.args(args).current_dir(scratch.path(""));
        Run::of(command)
    };
    let explained = said(&["--explain-denial=log", "--harden-with=runs.json"]);
    assert_eq!((explained.code(), explained.err.as_str()), (Some(0), ""));
    let out = explained.out;
    assert!(out.contains("1 time: /etc/passwd for r, refused, by sh\n  The evidence has it ("), "{out}");
    assert!(out.contains("1 time: /etc/shadow for r, refused, by sh\n  The evidence does not have it."), "{out}");
    assert!(out.contains("\n  \"/etc/shadow\" r,\n"), "{out}");
    if cfg!(target_arch = "x86_64") {
        assert!(
            out.contains("1 time: the call execve (x86_64), allowed and logged, by sh\n  The evidence has it ("),
            "{out}"
        );
    }
    for (args, why) in [
        (&["--explain-denial=log"][..], "add --harden-with=FILE, which --harden=json wrote"),
        (&["--explain-denial=none", "--harden-with=runs.json"], "Can't read the log 'none'"),
        (&["--explain-denial=log", "--harden-with=log"], "Can't read earlier runs from 'log'"),
        (&["--explain-denial=log", "--harden-with=runs.json", "-f"], "so -f has no place there"),
    ] {
        let refused = said(args);
        assert!(refused.code() == Some(1) && refused.err.contains(why), "{args:?}: {refused:?}");
    }
}
