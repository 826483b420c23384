//! The results of a program's own calls must be the same with Stride and without: `tests/chaos/notices.c`.

use super::Scenario;
use super::field::{EBPF, Field, Need, PTRACE};
use super::process::{Proc, words};
use anyhow::{Result, ensure};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

pub const SCENARIO: Scenario = Scenario {
    name: "notices",
    about: "waits, signals, ptrace and waitpid of a program come to the same with and without Stride",
    needs: &[],
    share: 12,
    cases: 15,
    round,
};

pub const SUPPLIED: Scenario = Scenario {
    name: "supplied",
    about: "a page that another thread supplies is waited for as without Stride",
    needs: &[Need::Root, Need::Ebpf],
    share: 3,
    cases: 3,
    round: supplied,
};

pub const SET_UID: Scenario = Scenario {
    name: "set-uid",
    about: "set-uid programs have their rights where Stride has only CAP_BPF and CAP_PERFMON",
    needs: &[Need::Root, Need::Ebpf, Need::Setpriv],
    share: 4,
    cases: 2,
    round: set_uid,
};

/// Modes, and the repetitions of each under eBPF and under ptrace.
const MODES: [(&str, [u32; 2]); 5] = [
    ("waits", [800, 100]),
    ("traceme", [800, 50]),
    ("seize", [2000, 50]),
    ("signals", [1000, 200]),
    ("waitpid", [300, 50]),
];

/// A user and a group that own nothing. The user id before owns nothing either.
const NOBODY: u32 = 65534;

const RINGS: [&str; 2] = ["--ring-size=64K", "--ring-size=4M"];

fn round(field: &Field) -> Result<()> {
    let (mode, counts) = field.case(&MODES, 1);
    let way = field.round as usize / 5 % 3;
    let (engine, count) = if way < 2 { (EBPF, counts[0]) } else { (PTRACE, counts[1]) };
    if engine == EBPF && !field.has(Need::Ebpf) {
        return Ok(());
    }
    let mut options = vec![engine, "-o", "/dev/null"];
    if engine == EBPF {
        options.push(RINGS[way]);
    }
    // Under ptrace with -f a child has a tracer already, as under strace, and cannot get another one.
    if engine == EBPF || !matches!(mode, "traceme" | "seize") {
        options.push("-f");
    }
    same(field, &options, &[mode, &count.to_string()], Duration::from_secs(60), &[])
}

fn supplied(field: &Field) -> Result<()> {
    let (engine, ring) = field.case(&[(EBPF, RINGS[0]), (PTRACE, RINGS[0]), (EBPF, RINGS[1])], 1);
    let options = [engine, ring, "-f", "-o", "/dev/null"];
    same(field, &options, &["supplied", "4"], Duration::from_secs(20), &[])
}

fn set_uid(field: &Field) -> Result<()> {
    // Other users may not be able to reach the binary in its own directory.
    let stride = field.path("stride");
    if !stride.exists() {
        fs::copy(&field.stride, &stride)?;
    }
    field.open_to(NOBODY)?;
    let helper = field.path("helper");
    if !helper.exists() {
        fs::copy(field.path("notices"), &helper)?;
        // The owner is not root, so the helper's rights are worth nothing to other users.
        chown(&helper, Some(NOBODY - 1), None)?;
        fs::set_permissions(&helper, fs::Permissions::from_mode(0o4755))?;
    }
    let helper = helper.to_string_lossy().into_owned();
    let caps = ["--inh-caps=-all,+bpf,+perfmon", "--ambient-caps=-all,+bpf,+perfmon"];
    let nobody = ["setpriv", &format!("--reuid={NOBODY}"), &format!("--regid={NOBODY}"), "--clear-groups"];
    let words: Vec<&str> = nobody.into_iter().chain(caps).collect();
    let options = [EBPF, field.case(&RINGS, 1), "-f", "-o", "/dev/null"];
    same(field, &options, &["setuid", "800", &helper], Duration::from_secs(60), &words)
}

/// Compares the program's output and exit status with Stride and without. Both commands begin with the words of
/// `before`.
fn same(field: &Field, options: &[&str], args: &[&str], within: Duration, before: &[&str]) -> Result<()> {
    field.step(format!("stride {} notices {}", options.join(" "), args.join(" ")));
    let out = field.path("out");
    let tool = |first: &Path| {
        let mut words = before.iter();
        let mut command = match words.next() {
            Some(word) => field.tool(Path::new(word)),
            None => return field.tool(first),
        };
        command.args(words).arg(first);
        command
    };
    let run = |mut command: Command| -> Result<String> {
        command.stdout(fs::File::create(&out)?);
        let status = field.ends(&mut Proc::spawn(command)?, within)?;
        Ok(format!("{} ({})", field.text("out").trim(), words(status)))
    };
    let alone = field.once(&args.join(" "), || {
        let mut command = tool(&field.path("notices"));
        command.args(args);
        run(command)
    })?;
    let stride = if before.is_empty() { field.stride.clone() } else { field.path("stride") };
    let mut command = tool(&stride);
    command.args(options).arg(field.path("notices")).args(args);
    let traced = run(command)?;
    ensure!(traced == alone, "    seen: {traced}\n    expected, as without Stride: {alone}");
    Ok(())
}
