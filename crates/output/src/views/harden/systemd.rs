//! The rules as a drop-in for a systemd unit (systemd.exec(5)).

use super::capability_set::CapabilitySet;
use super::evidence::HardenEvidence;
use super::guards::GuardRule;
use super::places::SERVICE_DIRECTORIES;
use super::reachable;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use stride_event::quantity::{count, grouped};
use stride_syscalls::{Abi, Class, Effect, Flow, For, Syscall, Ty, row_named, table};

/// The width of lines with many names.
const WIDTH: usize = 100;

/// A drop-in. With `log`, other calls are allowed and logged, and the rules that cannot log are comments.
pub fn drop_in(evidence: &HardenEvidence, log: bool) -> String {
    let mut out = String::new();
    for line in evidence.about() {
        comment(&mut out, &line);
    }
    comment(
        &mut out,
        "Save this as /etc/systemd/system/NAME.service.d/stride.conf, where NAME.service is the unit. Then run",
    );
    comment(&mut out, "systemctl daemon-reload and restart the unit.");
    if log {
        comment(
            &mut out,
            "All calls are allowed. The kernel logs those that are not listed (journalctl _AUDIT_TYPE_NAME=SECCOMP),",
        );
        comment(&mut out, "and `ausyscall NUMBER` names them. If none come, use --harden=systemd.");
    } else {
        comment(
            &mut out,
            "Calls that are not listed fail with EPERM. --harden=systemd-log makes rules that only log them: begin with",
        );
        comment(&mut out, "those, because a run shows only what the program did in it.");
    }
    out.push_str("\n[Service]\n");
    calls(&mut out, evidence, log);
    let off = if log { "#" } else { "" };
    families(&mut out, evidence, off);
    facilities(&mut out, evidence, off);
    capabilities(&mut out, evidence, off);
    files(&mut out, evidence, off);
    out
}

fn comment(out: &mut String, line: &str) {
    let _ = writeln!(out, "# {line}");
}

fn calls(out: &mut String, evidence: &HardenEvidence, log: bool) {
    // The calls of each program, so that somebody who reads the file sees who needs them.
    let mut by_programs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, calls) in &evidence.calls {
        by_programs.entry(calls.used.users()).or_default().push(format!("{name} {}", grouped(calls.used.times)));
    }
    comment(out, "How often each call was made:");
    for (users, calls) in by_programs {
        wrapped(out, &format!("#   {users}: "), "#     ", &calls.join(", "), "");
    }
    let foreign = evidence.abis().contains("i386");
    let _ = writeln!(out, "SystemCallArchitectures=native{}", if foreign { " x86" } else { "" });
    let mut names: Vec<&str> = evidence.calls.keys().map(String::as_str).collect();
    // A filter cannot read the struct of clone3(2), so RestrictNamespaces= refuses the call.
    if names.contains(&"clone3") && !names.contains(&"clone") {
        comment(
            out,
            "clone: not seen, but C libraries use it where clone3 fails with ENOSYS, as with RestrictNamespaces=",
        );
        names.push("clone");
        names.sort_unstable();
    }
    let groups = groups(evidence);
    let siblings = siblings(evidence);
    let is_allowed = |name: &str| {
        names.contains(&name)
            || siblings.contains(name)
            || ALWAYS.contains(&name)
            || row_named(name).is_some_and(|row| groups.iter().any(|(_, is_of)| is_of(row)))
    };
    for line in reachable::lines(evidence, is_allowed) {
        wrapped(out, "# ", &format!("#   {}", " ".repeat(line.len() - line.trim_start().len())), &line, "");
    }
    let groups = groups.iter().map(|(group, _)| *group).collect::<Vec<_>>().join(" ");
    let rule = if log { "SystemCallLog=~" } else { "SystemCallFilter=" };
    // Without this, the names would be added to those of the unit, or taken from what it refuses.
    let _ = writeln!(out, "{}", rule.trim_end_matches('~'));
    wrapped(out, rule, "  ", &names.join(" "), " \\");
    if !groups.is_empty() {
        comment(
            out,
            "The other calls of these groups, which need no rights beyond those of ReadWritePaths and of descriptors that",
        );
        comment(out, "the service has. Without this line, only calls that were made are allowed:");
        let _ = writeln!(out, "{rule}{groups}");
    }
    let siblings: Vec<&str> = siblings.into_iter().filter(|name| !names.contains(name)).collect();
    if !siblings.is_empty() {
        comment(
            out,
            "Calls on sockets, descriptors, children and users that the service has already. Without this line, only calls",
        );
        comment(out, "that were made are allowed:");
        wrapped(out, rule, "  ", &siblings.join(" "), " \\");
    }
    if !log {
        out.push_str("SystemCallErrorNumber=EPERM\n");
    }
}

/// Calls that systemd adds to each list of allowed ones (the group `@default`), as far as x86-64 and AArch64 have them.
const ALWAYS: [&str; 42] = [
    "arch_prctl",
    "brk",
    "clock_getres",
    "clock_gettime",
    "clock_nanosleep",
    "execve",
    "exit",
    "exit_group",
    "futex",
    "get_robust_list",
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "getpgid",
    "getpgrp",
    "getpid",
    "getppid",
    "getrandom",
    "getresgid",
    "getresuid",
    "getrlimit",
    "getsid",
    "gettid",
    "gettimeofday",
    "getuid",
    "membarrier",
    "mmap",
    "mprotect",
    "munmap",
    "nanosleep",
    "pause",
    "prlimit64",
    "restart_syscall",
    "rseq",
    "rt_sigreturn",
    "sched_getaffinity",
    "sched_yield",
    "set_robust_list",
    "set_thread_area",
    "set_tid_address",
    "time",
];

/// True for the calls of a group.
type IsOf = fn(&Syscall) -> bool;

/// The groups of systemd (systemd.exec(5), `systemd-analyze syscall-filter`) of which the run made a call. Many calls do the same in another way, and libraries
/// choose among them.
fn groups(evidence: &HardenEvidence) -> Vec<(&'static str, IsOf)> {
    const GROUPS: [(&str, IsOf); 5] = [
        ("@basic-io", |row| row.transfer().is_some()),
        ("@file-system", |row| row.args.iter().any(|arg| matches!(arg.ty, Ty::Path))),
        ("@io-event", |row| row.waits() == Some(For::Readiness)),
        ("@signal", |row| row.has_effect(Effect::SetsDisposition)),
        ("@sync", |row| row.has_effect(Effect::Syncs)),
    ];
    let rows: Vec<_> = evidence.calls.keys().filter_map(|name| row_named(name)).collect();
    let made = |is_of: &IsOf| rows.iter().any(|row| is_of(row));
    GROUPS.into_iter().filter(|(_, is_of)| made(is_of)).collect()
}

/// The calls that do something with sockets, descriptors, children or users which the service has, if the run made calls of the same kind. A service that only sent to a
/// socket so far may ask for its peer on another day, and one that has children has to wait for them.
fn siblings(evidence: &HardenEvidence) -> BTreeSet<&'static str> {
    let is_on_descriptor = |row: &Syscall| row.args.first().is_some_and(|arg| matches!(arg.ty, Ty::Fd));
    let uses_socket = |row: &Syscall| {
        let leaves_rights =
            ![Effect::Connects, Effect::Binds, Effect::SetsOfSocket].iter().any(|it| row.has_effect(*it));
        row.class.intersects(Class::NETWORK) && is_on_descriptor(row) && leaves_rights
    };
    let made = |is_of: fn(&Syscall) -> bool| evidence.calls.keys().filter_map(|name| row_named(name)).any(is_of);
    let sockets = made(|row| row.class.intersects(Class::NETWORK));
    let transfers = made(|row| row.transfer().is_some());
    let children = made(|row| row.has_effect(Effect::Forks));
    let users = made(|row| row.has_effect(Effect::SetsUser) || row.has_effect(Effect::SetsGroups));
    let writes = !evidence.written.is_empty() || !evidence.made.is_empty();
    let is_sibling = |row: &Syscall| {
        sockets && uses_socket(row)
            || transfers && row.transfer().is_some_and(|transfer| transfer.flow == Flow::Between)
            || users && row.has_effect(Effect::SetsAttributes) && row.args.iter().any(|arg| arg.name == "owner")
            || children && row.waits() == Some(For::Child)
            || writes && row.has_effect(Effect::Syncs) && is_on_descriptor(row)
    };
    let abis = evidence.abis();
    let tables = Abi::ALL.into_iter().filter(|abi| abis.contains(abi.name())).map(table);
    tables
        .flat_map(|table| table.iter())
        .map(|entry| entry.row)
        .filter(|row| is_sibling(row))
        .map(|row| row.name)
        .collect()
}

/// Words in lines of limited width. A line that goes on ends in `more`.
fn wrapped(out: &mut String, first: &str, next: &str, words: &str, more: &str) {
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in words.split(' ') {
        if !is_empty && line.len() + 1 + word.len() + more.len() > WIDTH {
            let _ = writeln!(out, "{line}{more}");
            line = next.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    let _ = writeln!(out, "{line}");
}

fn families(out: &mut String, evidence: &HardenEvidence, off: &str) {
    out.push('\n');
    for (family, used) in &evidence.families {
        comment(out, &format!("{family}: {} {}", count(used.times, "time", "times"), used.users()));
    }
    // A service tells systemd of itself by a UNIX socket (sd_notify(3)), and glibc asks nscd(8) and syslog(3) so.
    let mut families: Vec<&str> = evidence.families.keys().map(String::as_str).collect();
    if !families.contains(&"AF_UNIX") {
        comment(out, "AF_UNIX: not seen, but systemd and the system's log are told of a service so");
        families.push("AF_UNIX");
    }
    families.sort_unstable();
    let _ = writeln!(out, "{off}RestrictAddressFamilies=");
    let _ = writeln!(out, "{off}RestrictAddressFamilies={}", families.join(" "));
}

fn facilities(out: &mut String, evidence: &HardenEvidence, off: &str) {
    out.push('\n');
    let mut left_out = Vec::new();
    for rule in GuardRule::ALL {
        let needed = rule.needed.iter().find_map(|(guard, weaker)| Some((evidence.guards.get(guard)?, *weaker)));
        let line = needed.map_or(Some(rule.strict), |(_, weaker)| weaker);
        if let Some(line) = line {
            let _ = writeln!(out, "{off}{line}");
        }
        if let Some((used, _)) = needed {
            let by: Vec<&str> = used.by.iter().map(String::as_str).collect();
            let line = line.map_or_else(|| format!("no {}", rule.name()), str::to_owned);
            left_out.push(format!("{line}: {} {}", by.join(", "), used.users()));
        }
    }
    if !left_out.is_empty() {
        comment(out, "Not stricter, because the program needs it:");
        left_out.iter().for_each(|line| comment(out, &format!("  {line}")));
    }
}

/// The capabilities that no call of the runs may have needed, taken from those that the unit has.
fn capabilities(out: &mut String, evidence: &HardenEvidence, off: &str) {
    out.push('\n');
    let mut kept: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, used) in &evidence.may_need {
        kept.entry(used.reason()).or_default().push(name);
    }
    if !kept.is_empty() {
        comment(out, "Capabilities that stay, because calls may have needed them:");
        for (reason, names) in kept {
            wrapped(out, "#   ", "#     ", &format!("{}: {reason}", names.join(" ")), "");
        }
    }
    let unneeded: Vec<&str> =
        CapabilitySet::TELLABLE.names().filter(|name| !evidence.may_need.contains_key(*name)).collect();
    if !unneeded.is_empty() {
        let more = if off.is_empty() { " \\" } else { "" };
        wrapped(out, &format!("{off}CapabilityBoundingSet=~"), &format!("{off}  "), &unneeded.join(" "), more);
    }
}

fn files(out: &mut String, evidence: &HardenEvidence, off: &str) {
    let _ = writeln!(out, "\n{off}ProtectSystem=strict");
    for (path, used) in &evidence.made {
        let directory = SERVICE_DIRECTORIES
            .iter()
            .find_map(|(base, rule)| Some((rule, path.strip_prefix(base)?.strip_prefix('/')?)));
        if let Some((rule, name)) = directory {
            comment(out, &format!("{path} was made {}", used.users()));
            let _ = writeln!(out, "{off}{rule}={name}");
        }
    }
    let mut above: Option<&str> = None;
    let written = evidence.written.iter().filter(|(place, _)| !evidence.made.contains_key(*place));
    for (place, used) in written {
        // A directory has all that is below it.
        if above.is_some_and(|above| place.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))) {
            continue;
        }
        above = Some(place);
        if !used.programs.is_empty() {
            let names: Vec<&str> = used.by.iter().map(String::as_str).collect();
            comment(out, &format!("{} {}", names.join(", "), used.users()));
        }
        // It may be absent when the service starts.
        let _ = writeln!(out, "{off}ReadWritePaths=\"-{}\"", escaped(place));
    }
}

/// A path between quotation marks (systemd.syntax(7)), where `%` begins a specifier.
fn escaped(path: &str) -> String {
    path.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%")
}
