//! The rules as a seccomp profile for container runtimes: the format of Docker and of the OCI runtime specification.

use super::evidence::HardenEvidence;
use super::guards::{Guard, NEW_NAMESPACES};
use super::reachable;
use serde_json::{Value, json};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Abi, Effect, Facility, Thing, row_named, sets, table};

const ENOSYS: u64 = c::ENOSYS;

/// Calls that a container runtime itself makes between the profile and the program.
const OF_RUNTIME: [&str; 30] = [
    "brk",
    "capget",
    "capset",
    "chdir",
    "clock_gettime",
    "close",
    "epoll_ctl",
    "epoll_pwait",
    "execve",
    "exit",
    "exit_group",
    "faccessat2",
    "fchdir",
    "fcntl",
    "fstat",
    "fstatfs",
    "futex",
    "getdents64",
    "getpid",
    "getppid",
    "mmap",
    "newfstatat",
    "openat",
    "prctl",
    "read",
    "rt_sigreturn",
    "setgid",
    "setgroups",
    "setuid",
    "write",
];

/// A profile. With `log`, other calls are allowed and logged.
pub fn profile(evidence: &HardenEvidence, log: bool) -> String {
    let mut rules: Vec<Value> = Vec::new();
    let mut plain: Vec<&str> = Vec::new();
    let needs = |guard| evidence.guards.contains_key(&guard);
    let mut makes_threads = false;
    for name in evidence.calls.keys() {
        let row = row_named(name);
        let has = |effect| row.is_some_and(|row| row.has_effect(effect));
        if row.is_some_and(|row| row.makes() == Some(Thing::Socket)) {
            rules.extend(evidence.families.iter().filter_map(|(family, used)| {
                let condition = json!({"index": 0, "value": family_number(family)?, "op": "SCMP_CMP_EQ"});
                Some(allowed(&[name], &[condition], &format!("{family} {}", used.users())))
            }));
        } else if has(Effect::Controls(Facility::Personality)) && !needs(Guard::Personality) {
            for persona in [0u64, 0xffff_ffff] {
                let condition = json!({"index": 0, "value": persona, "op": "SCMP_CMP_EQ"});
                rules.push(allowed(&[name], &[condition], "only asked for"));
            }
        } else if has(Effect::Forks) && row.is_some_and(|row| !row.args.is_empty()) && !needs(Guard::Namespaces) {
            makes_threads = true;
        } else {
            plain.push(name);
        }
    }
    if makes_threads {
        rules.extend(new_threads());
    }
    let of_runtime: Vec<&str> = OF_RUNTIME.into_iter().filter(|name| !plain.contains(name)).collect();
    rules.insert(0, allowed(&plain, &[], "made by the program"));
    rules.push(allowed(&of_runtime, &[], "made by container runtimes before the program starts"));
    let mut comment = evidence.about();
    comment.extend(reachable::lines(evidence, |name| OF_RUNTIME.contains(&name)));
    let mut profile = json!({
        "defaultAction": if log { "SCMP_ACT_LOG" } else { "SCMP_ACT_ERRNO" },
        "architectures": architectures(evidence),
        "syscalls": rules,
        "comment": comment,
    });
    if !log {
        profile["defaultErrnoRet"] = json!(c::EPERM);
    }
    let mut text = serde_json::to_string_pretty(&profile).expect("a value has a text");
    text.push('\n');
    text
}

/// The calls that make threads and processes, without their flags that make namespaces.
fn new_threads() -> Vec<Value> {
    let calls = table(Abi::NATIVE).iter().map(|entry| entry.row).filter(|row| row.has_effect(Effect::Forks));
    let rules = calls.filter(|row| !row.args.is_empty()).map(|row| {
        match row.args.iter().zip(0u8..).find(|(arg, _)| arg.name == "flags") {
            Some((flags, place)) => {
                let at = flags.register.unwrap_or(place);
                let none = json!({"index": at, "value": NEW_NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"});
                allowed(&[row.name], &[none], "processes and threads, without new namespaces")
            }
            // A filter cannot read the struct of clone3(2). C libraries take clone(2) where the kernel has no clone3(2).
            None => json!({
                "names": [row.name],
                "action": "SCMP_ACT_ERRNO",
                "errnoRet": ENOSYS,
                "comment": "its arguments cannot be checked; C libraries use clone then",
            }),
        }
    });
    rules.collect()
}

fn allowed(names: &[&str], conditions: &[Value], comment: &str) -> Value {
    let mut rule = json!({"names": names, "action": "SCMP_ACT_ALLOW", "comment": comment});
    if !conditions.is_empty() {
        rule["args"] = json!(conditions);
    }
    rule
}

/// The number of a family by its name: `AF_INET`, or `AF_99` if it has none.
fn family_number(name: &str) -> Option<u64> {
    let known = sets::socket::FAMILY.items.iter().find(|item| item.name == name).map(|item| item.value);
    known.or_else(|| name.strip_prefix("AF_")?.parse().ok())
}

fn architectures(evidence: &HardenEvidence) -> Vec<&'static str> {
    let names = evidence.abis().into_iter().filter_map(|abi| match abi {
        "x86_64" => Some("SCMP_ARCH_X86_64"),
        "i386" => Some("SCMP_ARCH_X86"),
        "aarch64" => Some("SCMP_ARCH_AARCH64"),
        _ => None,
    });
    names.collect()
}
