//! Files, sockets and capabilities, and the formats that need them.

use super::super::access::FileAccess as A;
use super::super::evidence::{HardenEvidence, PortUse};
use super::super::{apparmor, landlock};
use super::{CWD, PID, Run};
use stride_event::{Event, Outcome, Phase};
use stride_syscalls::uapi::consts as c;
use stride_test_support::calls::{call, forked, holding};

#[test]
fn files_by_their_uses() {
    let mut run = Run::new();
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/lib/libx.so"], 3);
    run.does("mmap", &[0, 4096, c::PROT_READ | c::PROT_EXEC, c::MAP_PRIVATE, 3, 0], &[], 0x7000);
    run.does("flock", &[3, c::LOCK_EX], &[], 0);
    run.writes("/srv/out/a");
    run.does("mkdir", &[0x1000, 0o755], &["/srv/d"], 0);
    run.does("rmdir", &[0x1000], &["/srv/d"], 0);
    run.does("unlink", &[0x1000], &["/srv/out/b"], 0);
    run.does("rename", &[0x1000, 0x2000], &["/srv/out/a", "/srv/c"], 0);
    run.does("symlink", &[0x1000, 0x2000], &["target", "/srv/l"], 0);
    run.does("mknod", &[0x1000, c::S_IFIFO | 0o600, 0], &["/srv/pipe"], 0);
    // It fails, or only looks at the file.
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/srv/none"], -(c::ENOENT as i64));
    run.does("openat", &[CWD, 0x1000, c::O_PATH, 0], &["/srv/path"], 4);
    let evidence = run.evidence();
    let of = |path: &str| evidence.files.get(path).map(|it| it.access.iter().copied().collect::<Vec<_>>());
    assert_eq!(of("/usr/lib/libx.so"), Some(vec![A::Read, A::MapCode, A::Lock]));
    assert_eq!(of("/srv/out/a"), Some(vec![A::Write, A::Truncate, A::Make, A::RenameFrom, A::Move]));
    assert_eq!(of("/srv/c"), Some(vec![A::RenameTo, A::Move]));
    assert_eq!(of("/srv/d"), Some(vec![A::RemoveDirectory, A::MakeDirectory]));
    assert_eq!(of("/srv/out/b"), Some(vec![A::RemoveFile]));
    assert_eq!(of("/srv/l"), Some(vec![A::MakeSymlink]));
    assert_eq!(of("/srv/pipe"), Some(vec![A::MakeFifo]));
    assert_eq!(of("/bin/tool"), Some(vec![A::Execute]));
    assert_eq!((of("/srv/none"), of("/srv/path")), (None, None));
    assert_eq!(evidence.runs[0].program.as_deref(), Some("/bin/tool"));
    assert_eq!(HardenEvidence::parse(evidence.to_json().as_bytes()).unwrap(), evidence);
}

#[test]
fn sockets_and_capabilities() {
    let mut run = Run::new();
    let address = |port: u16| [&(c::AF_INET as u16).to_ne_bytes()[..], &port.to_be_bytes(), &[0; 12]].concat();
    run.does("socket", &[c::AF_INET, c::SOCK_STREAM | c::SOCK_CLOEXEC, 0], &[], 3);
    let bind = |port, result| {
        holding(call(PID, "bind", &[3, 0x5000, 16], Outcome::from_raw(result)), Phase::Entry, 0x5000, &address(port))
    };
    run.event(&Event::Exit(&bind(8080, 0)));
    assert!(run.evidence().capabilities.is_empty());
    run.event(&Event::Exit(&bind(80, -(c::EACCES as i64))));
    assert!(run.evidence().capabilities.is_empty());
    run.event(&Event::Exit(&bind(80, 0)));
    run.does("chroot", &[0x1000], &["/srv"], 0);
    run.does("setgid", &[100], &[], 0);
    run.does("kill", &[20, c::SIGTERM], &[], 0);
    run.does("kill", &[20, 0], &[], 0);
    run.does("setpriority", &[0, 0, 5], &[], 0);
    let evidence = run.evidence();
    assert_eq!(evidence.sockets.keys().collect::<Vec<_>>(), ["AF_INET SOCK_STREAM"]);
    assert_eq!(evidence.ports[&PortUse::BindTcp].keys().copied().collect::<Vec<_>>(), [80, 8080]);
    let capabilities: Vec<_> = evidence.capabilities.keys().collect();
    assert_eq!(capabilities, ["CAP_NET_BIND_SERVICE", "CAP_SETGID", "CAP_SYS_CHROOT"]);
    run.does("setpriority", &[0, 0, -5i64 as u64], &[], 0);
    assert!(run.evidence().capabilities.contains_key("CAP_SYS_NICE"));
    let evidence = run.evidence();
    assert_eq!(evidence.signals.keys().collect::<Vec<_>>(), ["0", "SIGTERM"]);
    assert_eq!(HardenEvidence::parse(evidence.to_json().as_bytes()).unwrap(), evidence);
}

/// Many files of one directory are one rule, and there is an end to rules.
#[test]
fn files_are_bounded() {
    let mut run = Run::new();
    for n in 0..33 {
        run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &[&format!("/many/{n}")], 3);
    }
    for n in 0..32 {
        run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &[&format!("/few/{n}")], 3);
    }
    let evidence = run.evidence();
    assert_eq!(evidence.directories.keys().collect::<Vec<_>>(), ["/many"]);
    assert_eq!(evidence.directories["/many"].used.times, 33);
    assert_eq!((evidence.files.len(), evidence.runs[0].missing.len()), (33, 0));
    for n in 0..300 {
        run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &[&format!("/d{n}/x")], 3);
    }
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/a/line\nend"], 3);
    let evidence = run.evidence();
    assert_eq!(evidence.files.len(), 200);
    let missing = &evidence.runs[0].missing;
    assert!(missing[0].contains("/a/line\\nend"), "{missing:?}");
    assert_eq!(missing[1], "More files were used than rules can have: 133 uses are left out.");
}

/// Version 1 is read, and has no files.
#[test]
fn evidence_of_version_1() {
    const OLD: &str = r#"{"type": "stride-harden", "version": 1, "calls": {"execve": {"abis": ["x86_64"], "times": 1, "programs": ["sh"]}},
        "runs": [{"args": ["stride"], "engine": "eBPF", "calls": 1, "lost": 0, "missing": []}],
        "families": {}, "guards": {}, "written": {}, "made": {}}"#;
    let old = HardenEvidence::parse(OLD.as_bytes()).unwrap();
    assert!(!old.has_files() && old.calls.contains_key("execve"));
    let mut both = Run::new().evidence();
    assert!(both.has_files());
    both.add(old);
    assert!(!both.has_files() && both.to_json().contains("\"version\": 4"));
    assert!(both.code_unknown.iter().any(|why| why.contains("an earlier run")), "{:?}", both.code_unknown);
}

#[test]
fn an_apparmor_profile() {
    let mut run = Run::new();
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/lib/libx.so"], 3);
    run.does("mmap", &[0, 4096, c::PROT_READ | c::PROT_EXEC, c::MAP_PRIVATE, 3, 0], &[], 0x7000);
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/proc/self/task/12/stat"], 4);
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/proc/77/task/13/stat"], 4);
    run.does("openat", &[CWD, 0x1000, c::O_WRONLY | c::O_APPEND, 0], &["/var/log/x"], 4);
    run.does("openat", &[CWD, 0x1000, c::O_WRONLY | c::O_APPEND | c::O_CREAT, 0o644], &["/var/log/new"], 4);
    run.does("mkdir", &[0x1000, 0o755], &["/srv/d"], 0);
    run.does("socket", &[c::AF_UNIX, c::SOCK_STREAM, 0], &[], 5);
    run.does("chroot", &[0x1000], &["/srv"], 0);
    run.does("kill", &[20, c::SIGTSTP], &[], 0);
    let expected = "
profile stride-tool \"/bin/tool\" {
  # Files
  \"/bin/tool\" mrix, # execve by tool
  \"/proc/[0-9]*/task/[0-9]*/stat\" r, # openat by tool
  \"/srv/d/\" w, # mkdir by tool
  \"/usr/lib/libx.so\" mr, # mmap, openat by tool
  \"/var/log/new\" w, # openat by tool
  \"/var/log/x\" a, # openat by tool

  # Sockets. Addresses and ports are not limited.
  network unix stream, # socket by tool
  unix type=stream, # socket by tool

  # Capabilities that successful calls may have needed.";
    let profile = apparmor::profile(&run.evidence(), false);
    assert!(profile.contains(expected), "{profile}");
    for rule in ["capability sys_chroot, # chroot by tool", "signal send set=(stp), # kill by tool"] {
        assert!(profile.contains(rule), "{profile}");
    }
    assert!(!profile.contains("mount,"), "{profile}");
    let log = apparmor::profile(&run.evidence(), true);
    assert!(log.contains("profile stride-tool \"/bin/tool\" flags=(complain) {"), "{log}");
}

/// Each character of a name stands for itself, and no name ends its quotation marks.
#[test]
fn hostile_names_for_apparmor() {
    let mut run = Run::new();
    let path = "/srv/a\" rw, #*?[x]{y,z}^@{HOME}${v}\\";
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &[path], 3);
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/srv/line\n/** rwix,"], 3);
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/srv/\u{202e}drowssap"], 3);
    run.event(&forked(PID, 11, 11, 0));
    run.by(11, "execve", &[0x1000, 0, 0], &["/srv/n\",\n/** rwix,"], 0);
    let profile = apparmor::profile(&run.evidence(), false);
    let rule = r#"  "/srv/a\" rw, #\*\?\[x\]\{y,z\}\^\@\{HOME\}\$\{v\}[\\]" r, # openat by tool"#;
    assert!(profile.lines().any(|line| line == rule), "{profile}");
    assert!(!profile.lines().any(|line| line.starts_with("/**")), "{profile}");
    assert!(profile.contains("3 files have names that rules cannot have"), "{profile}");
}

#[test]
fn a_ruleset_for_landlock() {
    let mut run = Run::new();
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/lib/libx.so"], 3);
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY | c::O_DIRECTORY, 0], &["/srv/$x\"\\"], 3);
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/proc/77/stat"], 4);
    // Files in a directory that the run made are below the one that was there.
    run.does("mkdir", &[0x1000, 0o755], &["/srv/d"], 0);
    run.writes("/srv/d/f");
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/srv/d/f"], 3);
    run.does("mkdir", &[0x1000, 0o755], &["/top"], 0);
    let ruleset = landlock::ruleset(&run.evidence());
    let rules = "
# execve by tool
[[path_beneath]]
allowed_access = [\"execute\", \"read_file\"]
parent = [
  \"/bin/tool\",
]

# mkdir, openat by tool
[[path_beneath]]
allowed_access = [\"read_file\", \"write_file\", \"truncate\", \"make_reg\", \"make_dir\"]
parent = [
  \"/srv\",
]

# openat by tool
[[path_beneath]]
allowed_access = [\"read_dir\"]
parent = [
  \"/srv/$$x\\\"\\\\\",
]

# openat by tool
[[path_beneath]]
allowed_access = [\"read_file\"]
parent = [
  \"/proc\",
  \"/usr/lib/libx.so\",
]
";
    let end = ruleset.find("\n# execve").unwrap();
    assert_eq!(&ruleset[end..], rules);
    assert!(ruleset.contains("\n# \"/\" has no rule for make_dir, which would be for all files: mkdir by tool\n"));
    assert!(ruleset.contains("\nhandled_access_net = [\"bind_tcp\", \"connect_tcp\"]\n"));
}

/// Places that the program has to be able to write to, although nothing of it is left there.
#[test]
fn places_that_files_came_from() {
    let mut run = Run::new();
    run.writes("/var/lib/a/new");
    run.does("rename", &[0x1000, 0x2000], &["/var/lib/a/new", "/srv/b/final"], 0);
    // It was opened so that it could be written, and nothing was written.
    run.does("openat", &[CWD, 0x1000, c::O_RDWR, 0], &["/srv/c/lock"], 6);
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY, 0], &["/srv/d/data"], 7);
    assert_eq!(run.evidence().written.keys().collect::<Vec<_>>(), ["/srv/b", "/srv/c", "/var/lib/a"]);
}

/// Paths of a process with another root directory are those of this machine.
#[test]
fn paths_in_another_root() {
    let mut run = Run::new();
    run.does("openat", &[CWD, 0x1000, c::O_RDONLY | c::O_DIRECTORY, 0], &["/srv/before"], 5);
    run.event(&forked(PID, 11, 11, 0));
    run.by(11, "chroot", &[0x1000], &["/srv/jail"], 0);
    run.by(11, "chdir", &[0x1000], &["/"], 0);
    run.by(11, "openat", &[CWD, 0x1000, c::O_WRONLY | c::O_CREAT | c::O_TRUNC, 0], &["/up/file"], 6);
    run.by(11, "mkdir", &[0x1000, 0o755], &["relative/d"], 0);
    run.event(&forked(11, 12, 12, 0));
    run.by(12, "chroot", &[0x1000], &["/deeper"], 0);
    run.by(12, "unlink", &[0x1000], &["/x/y"], 0);
    run.writes("/var/lib/outside");
    let written = run.evidence().written;
    let places: Vec<&str> = written.keys().map(String::as_str).collect();
    assert_eq!(places, ["/srv/jail/deeper/x", "/srv/jail/relative", "/srv/jail/up", "/var/lib"]);
}
