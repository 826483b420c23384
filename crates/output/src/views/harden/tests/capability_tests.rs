//! The capabilities that calls may have needed, and the ones that a drop-in takes away.

use super::super::evidence::HardenEvidence;
use super::super::systemd;
use super::{CWD, PID, Run};
use stride_event::{Call, Event, Outcome, Phase};
use stride_syscalls::uapi::consts as c;
use stride_test_support::calls::{call, holding};

fn kept(run: &mut Run) -> Vec<String> {
    run.evidence().may_need.keys().cloned().collect()
}

/// The capabilities that one call may need.
fn of(name: &str, words: &[u64], paths: &[&str]) -> Vec<String> {
    let mut run = Run::new();
    run.does(name, words, paths, 0);
    kept(&mut run)
}

#[test]
fn calls_and_their_arguments() {
    let cases: &[(&str, &[u64], &[&str])] = &[
        ("kill", &[20, c::SIGTERM], &["CAP_KILL"]),
        ("setfsuid", &[7], &["CAP_SETUID"]),
        ("fchown", &[3, 7, u64::MAX], &["CAP_CHOWN"]),
        ("fchown", &[3, u64::MAX, 7], &["CAP_CHOWN"]),
        ("fchown", &[3, 0xffff_ffff, 0xffff_ffff], &[]),
        ("setpriority", &[0, 0, 5], &["CAP_SYS_NICE"]),
        ("fcntl", &[3, c::F_SETLEASE, 0], &["CAP_LEASE"]),
        ("fcntl", &[3, c::F_GETFL, 0], &[]),
        ("ioctl", &[3, c::FIONREAD, 0], &[]),
        ("ioctl", &[3, c::FS_IOC_SETFLAGS, 0], &["CAP_LINUX_IMMUTABLE"]),
        ("prctl", &[c::PR_CAPBSET_DROP, 3], &["CAP_SETPCAP"]),
        ("prctl", &[c::PR_SET_PDEATHSIG, 9], &[]),
        ("timerfd_create", &[c::CLOCK_BOOTTIME_ALARM, 0], &["CAP_WAKE_ALARM"]),
        ("timerfd_create", &[c::CLOCK_BOOTTIME, 0], &[]),
        ("clock_gettime", &[c::CLOCK_BOOTTIME_ALARM, 0], &[]),
        ("madvise", &[0x1000, 4096, c::MADV_DONTNEED], &[]),
        ("madvise", &[0x1000, 4096, c::MADV_HWPOISON], &["CAP_SYS_ADMIN"]),
        ("mmap", &[0, 4096, 1, c::MAP_PRIVATE | c::MAP_LOCKED, 3, 0], &["CAP_IPC_LOCK"]),
        ("socket", &[c::AF_INET, c::SOCK_STREAM, 0], &[]),
        ("socket", &[c::AF_INET, c::SOCK_RAW, 1], &["CAP_NET_ADMIN", "CAP_NET_RAW"]),
        ("socket", &[c::AF_NETLINK, c::SOCK_RAW, c::NETLINK_ROUTE], &[]),
        ("setsockopt", &[3, c::SOL_SOCKET, c::SO_REUSEADDR, 0x1000, 4], &[]),
        ("setsockopt", &[3, c::SOL_SOCKET, c::SO_MARK, 0x1000, 4], &["CAP_NET_ADMIN", "CAP_NET_RAW"]),
        ("setsockopt", &[3, c::IPPROTO_IP, c::IPT_SO_SET_REPLACE, 0x1000, 4], &["CAP_NET_ADMIN", "CAP_NET_RAW"]),
        ("mlock", &[0x1000, 4096], &["CAP_IPC_LOCK"]),
        ("delete_module", &[0x1000, 0], &["CAP_SYS_MODULE"]),
        ("reboot", &[0, 0, 0, 0], &["CAP_SYS_BOOT"]),
        // Calls do not show when these are needed.
        ("setrlimit", &[0, 0x1000], &[]),
        ("chmod", &[0x1000, 0o600], &[]),
    ];
    for (name, words, expected) in cases {
        assert_eq!(of(name, words, &[]), *expected, "{name} {words:?}");
    }
}

#[test]
fn files_of_the_kernel() {
    let opened = |path: &str, flags| of("openat", &[CWD, 0x1000, flags, 0], &[path]);
    assert_eq!(opened("/proc/77/stat", c::O_RDONLY), ["CAP_SYS_PTRACE"]);
    assert_eq!(opened(&format!("/proc/{PID}/stat"), c::O_RDONLY), [""; 0]);
    assert_eq!(opened("/proc/self/stat", c::O_RDONLY), [""; 0]);
    assert_eq!(opened("/proc", c::O_RDONLY), ["CAP_SYS_PTRACE"]);
    assert_eq!(opened("/proc/sys/net/core/somaxconn", c::O_RDONLY), [""; 0]);
    assert_eq!(opened("/proc/sys/net/core/somaxconn", c::O_WRONLY), ["CAP_NET_ADMIN", "CAP_SYS_ADMIN"]);
    assert_eq!(opened("/dev/null", c::O_RDWR), [""; 0]);
    assert!(opened("/dev/sda", c::O_RDWR).contains(&"CAP_SYS_RAWIO".to_owned()));
    assert_eq!(opened("/procession", c::O_RDONLY), [""; 0]);
}

/// A call with memory of the program.
fn with(name: &str, words: &[u64], memory: &[(u64, &[u8])]) -> Call {
    let call = call(PID, name, words, Outcome::Value(1));
    memory.iter().fold(call, |call, (addr, bytes)| holding(call, Phase::Entry, *addr, bytes))
}

#[test]
fn messages_to_the_kernel_and_beside_others() {
    let netlink = |kind: u16| {
        let mut run = Run::new();
        run.does("socket", &[c::AF_NETLINK, c::SOCK_RAW, c::NETLINK_ROUTE], &[], 3);
        let message = [&20u32.to_ne_bytes()[..], &kind.to_ne_bytes(), &[0; 14]].concat();
        run.event(&Event::Exit(&with("sendto", &[3, 0x5000, 20, 0, 0, 0], &[(0x5000, &message)])));
        kept(&mut run)
    };
    assert_eq!(netlink(c::RTM_GETADDR as u16), [""; 0]);
    assert_eq!(netlink(c::RTM_NEWADDR as u16), ["CAP_NET_ADMIN"]);
    let beside = |kind: u64, is_seen: bool| {
        let mut run = Run::new();
        let header: Vec<u8> = [0u64, 0, 0x6000, 1, 0x7000, 24, 0].iter().flat_map(|word| word.to_ne_bytes()).collect();
        let control =
            [&24u64.to_ne_bytes()[..], &(c::SOL_SOCKET as u32).to_ne_bytes(), &(kind as u32).to_ne_bytes(), &[0; 8]]
                .concat();
        let memory: &[(u64, &[u8])] = &[(0x5000, &header), (0x7000, if is_seen { &control } else { &[] })];
        run.event(&Event::Exit(&with("sendmsg", &[3, 0x5000, 0], memory)));
        kept(&mut run)
    };
    assert_eq!(beside(c::SCM_RIGHTS, true), [""; 0]);
    assert_eq!(beside(c::SCM_CREDENTIALS, true), ["CAP_SETGID", "CAP_SETUID", "CAP_SYS_ADMIN"]);
    // Memory that was not seen may hold anything.
    assert!(beside(c::SCM_RIGHTS, false).contains(&"CAP_SETUID".to_owned()));
}

#[test]
fn a_drop_in_takes_away_the_others() {
    let mut run = Run::new();
    run.does("kill", &[20, c::SIGTERM], &[], -(c::EPERM as i64));
    let rules = systemd::drop_in(&run.evidence(), false);
    assert!(rules.contains("\n#   CAP_KILL: kill by tool\n"), "{rules}");
    let (_, away) = rules.split_once("\nCapabilityBoundingSet=~").unwrap();
    let away = away.split_once("\n\n").unwrap().0;
    assert!(away.contains("CAP_SYS_ADMIN") && !away.contains("CAP_KILL") && !away.contains("CAP_DAC_"), "{away}");
    let log = systemd::drop_in(&run.evidence(), true);
    assert!(log.contains("\n#CapabilityBoundingSet=~") && !log.contains("\nCapabilityBoundingSet="), "{log}");
    // Operations in a ring of io_uring are no calls, so anything may be needed.
    run.does("io_uring_setup", &[8, 0x3000], &[], 5);
    let rules = systemd::drop_in(&run.evidence(), false);
    assert!(!rules.contains("CapabilityBoundingSet=") && rules.contains(": io_uring_setup by tool"), "{rules}");
}

/// Earlier versions did not write down which capabilities calls may have needed.
#[test]
fn evidence_of_earlier_versions_takes_nothing_away() {
    let older = Run::new().evidence().to_json().replace("\"version\": 4", "\"version\": 3");
    let mut both = Run::new().evidence();
    both.add(HardenEvidence::parse(older.as_bytes()).unwrap());
    let rules = systemd::drop_in(&both, false);
    assert!(!rules.contains("CapabilityBoundingSet="), "{rules}");
    assert_eq!(both.may_need["CAP_KILL"].reason(), "not written down by an earlier run");
}
