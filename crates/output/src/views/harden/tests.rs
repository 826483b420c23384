//! Rules, from made-up calls.

mod capability_tests;
mod file_tests;

use super::evidence::{HardenEvidence, SeenRun};
use super::files::Links;
use super::gathered::NeededByRun;
use super::guards::Guard;
use super::{seccomp, systemd};
use serde_json::Value;
use stride_event::{Descriptor, Event, Outcome, Tid};
use stride_syscalls::uapi::consts as c;
use stride_test_support::calls::{attached, call, forked, holding, naming_each, spawned};
use stride_track::Tracker;

const PID: Tid = 10;
const CWD: u64 = c::AT_FDCWD;

/// /lib is a link to /usr/lib, and nothing else is one.
struct Linked;

impl Links for Linked {
    fn real(&self, path: &[u8]) -> Option<Vec<u8>> {
        Some(path.strip_prefix(b"/lib/").map_or_else(|| path.to_vec(), |rest| [b"/usr/lib/", rest].concat()))
    }
}

struct Run {
    needed: NeededByRun,
    tracker: Tracker,
}

impl Run {
    fn new() -> Run {
        let mut run = Run { needed: NeededByRun::with_files(), tracker: Tracker::default() };
        run.event(&spawned(PID, 0));
        run.does("execve", &[0x1000, 0, 0], &["/bin/tool"], 0);
        run
    }

    fn event(&mut self, event: &Event<'_>) {
        self.tracker.event(event, &());
        self.needed.event(event, &self.tracker);
    }

    fn by(&mut self, tid: Tid, name: &str, words: &[u64], paths: &[&str], result: i64) {
        self.event(&Event::Exit(&naming_each(tid, name, words, paths, result)));
    }

    fn does(&mut self, name: &str, words: &[u64], paths: &[&str], result: i64) {
        self.by(PID, name, words, paths, result);
    }

    fn writes(&mut self, path: &str) {
        self.does("openat", &[CWD, 0x1000, c::O_WRONLY | c::O_CREAT | c::O_TRUNC, 0o644], &[path], 5);
    }

    fn evidence(&mut self) -> HardenEvidence {
        let calls = self.needed.calls();
        let (args, engine, missing) = (vec![], "made up".into(), vec![]);
        let run = SeenRun { args, engine, calls, lost: 0, missing, has_files: false, program: None };
        self.needed.evidence(run, &Linked, None)
    }

    fn guards(&mut self) -> Vec<Guard> {
        self.evidence().guards.keys().copied().collect()
    }
}

/// systemd sets up the unit in the child that becomes the service.
#[test]
fn calls_of_a_service_manager_are_left_out() {
    const PR_SET_NAME: u64 = 15;
    let mut run = Run { needed: NeededByRun::with_files(), tracker: Tracker::default() };
    for pid in [PID, PID + 1] {
        run.event(&attached(pid, 0));
        run.by(pid, "keyctl", &[0], &[], 0);
        run.by(pid, "prctl", &[PR_SET_NAME, 0x1000], &["(tool)"], 0);
        run.by(pid, "unshare", &[c::CLONE_NEWNS], &[], 0);
        run.by(pid, "openat", &[CWD, 0x1000, c::O_WRONLY], &["/etc/managers"], 5);
        run.by(pid, "execve", &[0x1000, 0, 0], &["/bin/tool"], 0);
        run.by(pid, "getpid", &[], &[], pid.into());
    }
    let evidence = run.evidence();
    let calls: Vec<&str> = evidence.calls.keys().map(String::as_str).collect();
    assert_eq!(calls, ["execve", "getpid"]);
    assert!(evidence.guards.is_empty(), "{:?}", evidence.guards.keys());
    assert!(evidence.written.is_empty());
    // The program may call itself anything.
    run.by(PID, "execve", &[0x1000, 0, 0], &["/bin/other"], 0);
    assert_eq!(run.guards(), [Guard::OtherPrograms]);
}

/// systemd answers clone3(2) with ENOSYS, and C libraries take clone(2) then.
#[test]
fn clone_is_allowed_with_clone3() {
    let mut run = Run::new();
    assert!(!systemd::drop_in(&run.evidence(), false).contains(" clone"));
    run.does("clone3", &[0x3000, 88], &[], 11);
    assert!(systemd::drop_in(&run.evidence(), false).contains("\nSystemCallFilter=clone clone3 execve\n"));
    assert!(systemd::drop_in(&run.evidence(), true).contains("\nSystemCallLog=~clone clone3 execve\n"));
}

/// A library may take another call of the same kind the next time.
#[test]
fn groups_of_calls() {
    let cases: &[(&str, &[u64], &str)] = &[
        ("getpid", &[], "@file-system"),
        ("pwrite64", &[1, 0x3000, 1, 0], "@basic-io @file-system"),
        ("epoll_wait", &[4, 0x3000, 1, 0], "@file-system @io-event"),
        ("fdatasync", &[1], "@file-system @sync"),
        ("rt_sigaction", &[1, 0, 0, 8], "@file-system @signal"),
    ];
    for (name, words, expected) in cases {
        let mut run = Run::new();
        run.does(name, words, &[], 0);
        let rules = systemd::drop_in(&run.evidence(), false);
        assert!(rules.contains(&format!("\nSystemCallFilter={expected}\n")), "{name}: {rules}");
    }
}

/// The guards that a run with this call needs.
fn guards_of(name: &str, words: &[u64]) -> Vec<Guard> {
    let mut run = Run::new();
    run.does(name, words, &[], 0);
    run.guards()
}

#[test]
fn calls_need_facilities() {
    let cases: &[(&str, &[u64], &[Guard])] = &[
        ("getpid", &[], &[]),
        ("clock_settime", &[0, 0], &[Guard::Clock]),
        ("sethostname", &[0, 0], &[Guard::HostName]),
        ("delete_module", &[0, 0], &[Guard::KernelModules]),
        ("syslog", &[3, 0, 0], &[Guard::KernelLog]),
        // It only asks, or sets what is set.
        ("personality", &[0xffff_ffff], &[]),
        ("personality", &[0], &[]),
        ("personality", &[c::ADDR_NO_RANDOMIZE], &[Guard::Personality]),
        ("sched_setscheduler", &[0, c::SCHED_BATCH | c::SCHED_RESET_ON_FORK, 0], &[]),
        ("sched_setscheduler", &[0, c::SCHED_FIFO, 0], &[Guard::Realtime]),
        ("unshare", &[c::CLONE_NEWNS], &[Guard::Namespaces]),
        ("clone", &[c::CLONE_VM | c::SIGCHLD, 0, 0, 0, 0], &[]),
        ("clone", &[c::CLONE_NEWNET | c::SIGCHLD, 0, 0, 0, 0], &[Guard::Namespaces]),
        ("mmap", &[0, 4096, c::PROT_READ | c::PROT_EXEC, c::MAP_PRIVATE, 3, 0], &[]),
        (
            "mmap",
            &[0, 4096, c::PROT_WRITE | c::PROT_EXEC, c::MAP_PRIVATE | c::MAP_ANONYMOUS, u64::MAX, 0],
            &[Guard::WritableCode],
        ),
        ("mprotect", &[0, 4096, c::PROT_READ], &[]),
        ("mprotect", &[0, 4096, c::PROT_READ | c::PROT_EXEC], &[Guard::WritableCode]),
        ("fchmod", &[3, 0o755], &[]),
        ("fchmod", &[3, 0o4755], &[Guard::SetIdBits]),
    ];
    for (name, words, expected) in cases {
        assert_eq!(guards_of(name, words), *expected, "{name}{words:x?}");
    }
    // The policy of sched_setattr(2) is in memory.
    for (policy, expected) in [(c::SCHED_IDLE, vec![]), (c::SCHED_DEADLINE, vec![Guard::Realtime])] {
        let mut run = Run::new();
        let attr = [48u32.to_ne_bytes(), (policy as u32).to_ne_bytes()].concat();
        let made = call(PID, "sched_setattr", &[0, 0x3000, 0], Outcome::Value(0));
        run.event(&Event::Exit(&holding(made, stride_event::Phase::Entry, 0x3000, &attr)));
        assert_eq!(run.guards(), expected);
    }
}

#[test]
fn files_need_facilities() {
    let of = |path: &str, writes: bool| {
        let mut run = Run::new();
        match writes {
            true => run.writes(path),
            false => run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &[path], 3),
        }
        run.guards()
    };
    assert_eq!(of("/dev/null", true), []);
    assert_eq!(of("/dev/pts/3", true), []);
    assert_eq!(of("/dev/sda", false), [Guard::Devices]);
    assert_eq!(of("/dev/kmsg", false), [Guard::KernelLog, Guard::Devices]);
    assert_eq!(of("/proc/sys/vm/overcommit_memory", false), []);
    assert_eq!(of("/proc/sys/vm/overcommit_memory", true), [Guard::KernelTunables]);
    assert_eq!(of("/sys/fs/cgroup/cgroup.procs", true), [Guard::ControlGroups]);
    assert_eq!(of("/tmp/socket", false), [Guard::SharedTmp]);
    assert_eq!(of("/home/me/.config", false), [Guard::HomeRead]);
    assert_eq!(of("/root/x", true), [Guard::HomeWritten]);
    assert_eq!(of("/rooted", true), []);
    // It was looked for and is not there.
    let mut run = Run::new();
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/root/none"], -(c::ENOENT as i64));
    assert_eq!(run.guards(), [Guard::HomeLooked]);
    assert!(systemd::drop_in(&run.evidence(), false).contains("\nProtectHome=tmpfs\n"));
    // A standard output in /tmp was open before.
    let mut run = Run::new();
    let mut write = call(PID, "write", &[1, 0x3000, 1], Outcome::Value(1));
    const REGULAR: u32 = c::S_IFREG as u32;
    write.descriptors.push(Descriptor { fd: 1, path: b"/tmp/log".to_vec(), mode: REGULAR, ..Descriptor::default() });
    run.event(&Event::Exit(&write));
    assert!(run.needed.files().names.sorted().any(|it| &*it.path == b"/tmp/log"));
    assert_eq!(run.evidence().calls["write"].used.times, 1);
    assert_eq!(run.guards(), []);
    // A file of its own in /tmp is nobody else's.
    let mut run = Run::new();
    run.does("openat", &[CWD, 0x1000, c::O_RDWR | c::O_CREAT | c::O_EXCL, 0o600], &["/tmp/own"], 3);
    run.does("unlink", &[0x1000], &["/tmp/own"], 0);
    assert_eq!(run.guards(), []);
    assert!(run.evidence().written.is_empty());
}

#[test]
fn a_drop_in() {
    let mut run = Run::new();
    run.does("socket", &[c::AF_INET, c::SOCK_STREAM, 0], &[], 3);
    run.does("mkdir", &[0x1000, 0o755], &["/var/lib/tool"], 0);
    run.writes("/var/lib/tool/state");
    run.writes("/srv/out/a");
    run.writes("/srv/out/below/b");
    run.does("unshare", &[c::CLONE_NEWNS], &[], 0);
    let expected = "\
# Made from 1 run: 7 calls were seen, 0 calls were lost.
# Save this as /etc/systemd/system/NAME.service.d/stride.conf, where NAME.service is the unit. Then run
# systemctl daemon-reload and restart the unit.
# Calls that are not listed fail with EPERM. --harden=systemd-log makes rules that only log them: begin with
# those, because a run shows only what the program did in it.

[Service]
# How often each call was made:
#   by tool: execve 1, mkdir 1, openat 3, socket 1, unshare 1
SystemCallArchitectures=native
# Calls within reach of the code are not all known: a replay reads no files of programs
SystemCallFilter=
SystemCallFilter=execve mkdir openat socket unshare
# The other calls of these groups, which need no rights beyond those of ReadWritePaths and of descriptors that
# the service has. Without this line, only calls that were made are allowed:
SystemCallFilter=@file-system
# Calls on sockets, descriptors, children and users that the service has already. Without this line, only calls
# that were made are allowed:
SystemCallFilter=accept accept4 fdatasync fsync getpeername getsockname getsockopt listen recvfrom \\
  recvmmsg recvmsg sendfile sendmmsg sendmsg sendto shutdown syncfs
SystemCallErrorNumber=EPERM

# AF_INET: 1 time by tool
# AF_UNIX: not seen, but systemd and the system's log are told of a service so
RestrictAddressFamilies=
RestrictAddressFamilies=AF_INET AF_UNIX

NoNewPrivileges=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectHome=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
MemoryDenyWriteExecute=yes
LockPersonality=yes
# Not stricter, because the program needs it:
#   no RestrictNamespaces: unshare by tool

# Capabilities that stay, because calls may have needed them:
#   CAP_SYS_ADMIN: unshare by tool
CapabilityBoundingSet=~CAP_CHOWN CAP_KILL CAP_SETGID CAP_SETUID CAP_SETPCAP CAP_LINUX_IMMUTABLE \\
  CAP_NET_BIND_SERVICE CAP_NET_BROADCAST CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_IPC_OWNER \\
  CAP_SYS_MODULE CAP_SYS_RAWIO CAP_SYS_CHROOT CAP_SYS_PTRACE CAP_SYS_PACCT CAP_SYS_BOOT \\
  CAP_SYS_NICE CAP_SYS_TIME CAP_SYS_TTY_CONFIG CAP_MKNOD CAP_LEASE CAP_AUDIT_WRITE \\
  CAP_AUDIT_CONTROL CAP_SETFCAP CAP_MAC_ADMIN CAP_SYSLOG CAP_WAKE_ALARM CAP_BLOCK_SUSPEND \\
  CAP_AUDIT_READ CAP_PERFMON CAP_BPF CAP_CHECKPOINT_RESTORE

ProtectSystem=strict
# /var/lib/tool was made by tool
StateDirectory=tool
# /srv/out/a by tool
ReadWritePaths=\"-/srv/out\"
";
    assert_eq!(systemd::drop_in(&run.evidence(), false), expected);
    let log = systemd::drop_in(&run.evidence(), true);
    assert!(log.contains("\nSystemCallLog=~execve mkdir openat socket unshare\n"), "{log}");
    // Nothing is refused.
    let rules = log.lines().filter(|line| !line.starts_with('#') && line.contains('='));
    let rules: Vec<&str> = rules.map(|line| line.split('=').next().unwrap()).collect();
    assert_eq!(rules, ["SystemCallArchitectures", "SystemCallLog", "SystemCallLog", "SystemCallLog", "SystemCallLog"]);
}

/// Names that a tracee chose stay within their line.
#[test]
fn hostile_names() {
    let mut run = Run::new();
    run.event(&forked(PID, 11, 11, 0));
    run.by(11, "execve", &[0x1000, 0, 0], &["/bin/x\nExecStart=/evil"], 0);
    run.by(11, "openat", &[CWD, 0x1000, c::O_WRONLY | c::O_CREAT, 0o644], &["/srv/a\"b%h\\/c\nd/e\u{7f}"], 3);
    run.by(11, "openat", &[CWD, 0x1000, c::O_WRONLY | c::O_CREAT, 0o644], &["/srv/q\"%h\\/c"], 3);
    let rules = systemd::drop_in(&run.evidence(), false);
    assert!(!rules.lines().any(|line| line.starts_with("ExecStart")), "{rules}");
    let paths: Vec<&str> = rules.lines().filter(|line| line.starts_with("ReadWritePaths")).collect();
    // The first one's directory has a line end in its name, so the directory above stands for it.
    assert_eq!(paths, [r#"ReadWritePaths="-/srv/a\"b%%h\\""#, r#"ReadWritePaths="-/srv/q\"%%h\\""#]);
}

#[test]
fn a_profile() {
    let mut run = Run::new();
    run.does("socket", &[c::AF_INET6, c::SOCK_STREAM, 0], &[], 3);
    run.does("personality", &[0xffff_ffff], &[], 0);
    run.does("clone3", &[0x3000, 88], &[], 11);
    let profile: Value = serde_json::from_str(&seccomp::profile(&run.evidence(), false)).unwrap();
    assert_eq!(profile["defaultAction"], "SCMP_ACT_ERRNO");
    assert_eq!(profile["defaultErrnoRet"], 1);
    let rules = profile["syscalls"].as_array().unwrap();
    let of = |name: &str| -> Vec<&Value> {
        rules.iter().filter(|rule| rule["names"].as_array().unwrap().iter().any(|it| it == name)).collect()
    };
    assert_eq!(of("execve").len(), 1);
    assert!(of("mkdir").is_empty());
    let families: Vec<_> = of("socket").iter().map(|rule| rule["args"][0]["value"].as_u64().unwrap()).collect();
    assert_eq!(families, [c::AF_INET6]);
    assert_eq!(of("personality").len(), 2);
    assert_eq!((&of("clone3")[0]["action"], &of("clone3")[0]["errnoRet"]), (&"SCMP_ACT_ERRNO".into(), &38.into()));
    assert_eq!(of("clone")[0]["args"][0]["value"], 0x7e02_0000);
    let log: Value = serde_json::from_str(&seccomp::profile(&run.evidence(), true)).unwrap();
    assert_eq!(log["defaultAction"], "SCMP_ACT_LOG");
    // With new namespaces, both are allowed as they are.
    run.does("unshare", &[c::CLONE_NEWNS], &[], 0);
    let profile: Value = serde_json::from_str(&seccomp::profile(&run.evidence(), false)).unwrap();
    assert!(profile["syscalls"][0]["names"].as_array().unwrap().contains(&"clone3".into()));
}

#[test]
fn runs_add_up() {
    let mut first = Run::new();
    first.does("getpid", &[], &[], 10);
    first.writes("/srv/one/x");
    let mut second = Run::new();
    second.does("sethostname", &[0, 0], &[], 0);
    let read = HardenEvidence::parse(first.evidence().to_json().as_bytes()).unwrap();
    assert_eq!(read, first.evidence());
    let mut both = second.evidence();
    both.add(read);
    assert_eq!(both.calls.keys().collect::<Vec<_>>(), ["execve", "getpid", "openat", "sethostname"]);
    assert_eq!((both.runs.len(), both.calls["execve"].used.times), (2, 2));
    assert!(both.guards.contains_key(&Guard::HostName) && both.written.contains_key("/srv/one"));
}

/// Calls that no run made come with the function that leads there. Those that are made, or allowed otherwise, do not.
#[test]
fn calls_within_reach() {
    let mut run = Run::new();
    run.does("mkdir", &[0x1000, 0o755], &["/srv/d"], 0);
    let mut evidence = run.evidence();
    evidence.code_unknown.clear();
    for (call, function) in [
        ("mkdir", "mkdir"),
        ("chown", "chown"),
        ("unlinkat", "remove"),
        ("sendfile", "sendfile64"),
        ("getpid", "getpid"),
        ("ptrace", ""),
    ] {
        evidence.reachable.entry(call.to_owned()).or_default().add(0, "tool", function);
    }
    let mut later = Run::new().evidence();
    later.reachable.entry("ptrace".to_owned()).or_default().add(0, "libdebug.so", "trace_child");
    evidence.add(later);
    evidence.code_unknown.clear();
    let rules = systemd::drop_in(&evidence, false);
    // (The group @file-system allows chown and unlinkat, and systemd allows getpid.)
    let expected = "
# Not seen, but within reach: the code of the programs and their libraries can make 2 other calls
#   that are not allowed (in brackets: a function that leads there). Code may be there that never
#   runs. Add the calls that may be needed:
#   by libdebug.so, tool: ptrace (trace_child)
#   by tool: sendfile (sendfile64)
SystemCallFilter=
";
    assert!(rules.contains(expected), "{rules}");
    let profile: serde_json::Value = serde_json::from_str(&seccomp::profile(&evidence, false)).unwrap();
    let comment: Vec<&str> = profile["comment"].as_array().unwrap().iter().filter_map(|line| line.as_str()).collect();
    assert!(comment.contains(&"  by tool: chown, sendfile (sendfile64), unlinkat (remove)"), "{comment:?}");
    assert!(!profile["syscalls"].to_string().contains("sendfile"), "{profile}");
    assert_eq!(HardenEvidence::parse(evidence.to_json().as_bytes()).as_ref(), Ok(&evidence));
}

#[test]
fn evidence_that_somebody_changed() {
    let good = Run::new().evidence().to_json();
    let error = |from: &str, to: &str| {
        assert!(good.contains(from), "{good}");
        HardenEvidence::parse(good.replace(from, to).as_bytes()).unwrap_err()
    };
    assert!(error("\"version\": 4", "\"version\": 5").contains("reads versions 1 to 4"));
    assert!(error("stride-harden", "stride-inputs").contains("another type"));
    assert!(error("\"execve\"", "\"execve ExecStart=x\"").contains("no name of a call"));
    assert!(error("\"tool\"", "\"tool\\nExecStart=x\"").contains("a control character"));
    assert!(error("\"calls\": {", "\"cells\": {").contains("not what --harden=json writes"));
    assert!(HardenEvidence::parse(b"").is_err());
}

/// Calls on things that a service has already: it may make others of them on another day.
#[test]
fn calls_of_the_same_kind() {
    let siblings = |made: &[(&str, &[u64])]| {
        let mut run = Run::new();
        made.iter().for_each(|(name, words)| run.does(name, words, &[], 3));
        let rules = systemd::drop_in(&run.evidence(), false);
        let Some((_, line)) = rules.split_once("# that were made are allowed:\nSystemCallFilter=") else {
            return Vec::new();
        };
        let line = line.split_once("\nSystemCallErrorNumber").unwrap().0.replace('\\', "");
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(siblings(&[("getpid", &[])]), [""; 0]);
    let sockets = siblings(&[("socket", &[c::AF_INET, c::SOCK_STREAM, 0])]);
    for name in ["accept", "accept4", "getpeername", "getsockopt", "recvfrom", "sendmsg", "shutdown"] {
        assert!(sockets.contains(&name.to_owned()), "{name}: {sockets:?}");
    }
    // They would reach others, or take rights.
    for name in ["connect", "bind", "socketpair", "setsockopt", "wait4", "splice"] {
        assert!(!sockets.contains(&name.to_owned()), "{name}: {sockets:?}");
    }
    assert!(siblings(&[("fork", &[])]).contains(&"waitid".to_owned()));
    assert!(siblings(&[("read", &[3, 0x1000, 1])]).contains(&"sendfile".to_owned()));
    assert_eq!(siblings(&[("setgid", &[7])]), ["chown", "fchown", "fchownat", "lchown"]);
    let mut run = Run::new();
    run.writes("/srv/out/a");
    assert!(systemd::drop_in(&run.evidence(), false).contains("fdatasync"));
}
