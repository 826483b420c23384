//! Made-up logs.

use super::explain_denials;
use super::log::Denials;
use crate::views::harden::evidence::HardenEvidence;

const EVIDENCE: &str = r#"{"type": "stride-harden", "version": 2,
    "runs": [{"args": ["stride"], "engine": "eBPF", "calls": 1, "lost": 0, "missing": [], "has_files": true}],
    "calls": {"openat": {"abis": ["x86_64"], "times": 3, "programs": ["sh"], "by": []}},
    "families": {}, "guards": {}, "written": {}, "made": {},
    "files": {"/etc/known": {"access": ["read"], "times": 2, "programs": ["sh"], "by": ["openat"]}},
    "sockets": {"AF_INET SOCK_STREAM": {"times": 1, "programs": ["sh"]}}}"#;

fn explained(log: &str) -> String {
    explain_denials(log.as_bytes(), &HardenEvidence::parse(EVIDENCE.as_bytes()).unwrap())
}

#[test]
fn calls_that_were_refused() {
    let line = |syscall: u32, arch: &str, comm: &str| {
        format!(
            "[ 1.5] audit: type=1326 audit(1.2:3): auid=0 uid=0 pid=7 comm={comm} exe=\"/bin/x\" sig=0 arch={arch} syscall={syscall} compat=0 ip=0x7 code=0x7ffc0000\n"
        )
    };
    let log = [line(83, "c000003e", "\"sh\""), line(83, "c000003e", "612062"), line(257, "c000003e", "\"sh\"")]
        .concat()
        + "type=SECCOMP msg=audit(1.2:3): comm=\"x\" sig=31 arch=40000003 syscall=39 code=0x80000000\nnothing\n"
        + &line(99999, "c000003e", "\"sh\"");
    let expected = "\
2 times: the call mkdir (x86_64), allowed and logged, by a b, sh
  The evidence does not have it. Add a run that does it (--harden=json --harden-with=FILE), or, if that is right:
  SystemCallFilter=mkdir in a drop-in, or \"mkdir\" among the names that a profile allows
1 time: the call mkdir (i386), killed for it, by x
  The evidence does not have it. Add a run that does it (--harden=json --harden-with=FILE), or, if that is right:
  SystemCallFilter=mkdir in a drop-in, or \"mkdir\" among the names that a profile allows
1 time: the call number 99999 (x86_64), allowed and logged, by sh
  This Stride knows no call of that number, so no rule can name it.
1 time: the call openat (x86_64), allowed and logged, by sh
  The evidence has it (3 times by sh), so the rules are older, or others: make them again from this evidence.
";
    assert_eq!(explained(&log), expected);
}

#[test]
fn things_that_apparmor_refused() {
    let line = |rest: &str| {
        format!(
            "audit: type=1400 audit(1.2:3): apparmor=\"DENIED\" operation=\"open\" profile=\"p\" {rest} comm=\"sh\"\n"
        )
    };
    let advice = |rest: &str| explained(&line(rest)).lines().skip(1).map(str::trim).collect::<Vec<_>>().join("|");
    assert!(
        advice(r#"name="/etc/known" requested_mask="r" denied_mask="r""#)
            .starts_with("The evidence has it (2 times by sh)")
    );
    assert!(advice(r#"name="/etc/known" requested_mask="wc" denied_mask="wc""#).ends_with("|\"/etc/known\" w,"));
    assert!(advice(r#"name="/etc/other" requested_mask="r" denied_mask="r""#).ends_with("|\"/etc/other\" r,"));
    assert!(advice(r#"family="inet" sock_type="stream""#).starts_with("The evidence has it"));
    assert!(advice(r#"family="inet6" sock_type="dgram""#).ends_with("|network inet6 dgram,"));
    assert!(advice(r#"capability=21 capname="sys_admin""#).ends_with("|capability sys_admin,"));
    assert!(advice("").contains("Stride has no rule for open"));
}

#[test]
fn things_that_landlock_refused() {
    let access = |event: u32, rest: &str| format!("audit: type=1423 audit(1.2:{event}): domain=1a blockers={rest}\n");
    let call = |event: u32, comm: &str| {
        format!("audit: type=1300 audit(1.2:{event}): arch=c000003e syscall=257 success=no comm=\"{comm}\"\n")
    };
    let domain =
        "audit: type=1424 audit(1.2:3): domain=1a status=allocated mode=enforcing exe=\"/bin/box\" comm=\"box\"\n";
    let log = [
        &access(3, "fs.read_file path=\"/etc/known\" dev=\"vda2\" ino=3"),
        domain,
        &call(3, "cat"),
        &access(4, "fs.read_file path=\"/etc/known\" dev=\"vda2\" ino=3"),
        &call(9, "other"),
        &call(4, "sh"),
        "type=LANDLOCK_ACCESS msg=audit(1.2:5): domain=1a blockers=fs.make_reg,fs.refer path=\"/a$b\" dev=\"x\" ino=4\n",
        &access(6, "net.connect_tcp daddr=127.0.0.1 dest=80"),
        &access(7, "scope.signal opid=7 ocomm=\"x\""),
    ]
    .map(String::from)
    .concat();
    let expected = "\
2 times: /etc/known for read_file, refused, by cat, sh
  The evidence has it (2 times by sh), so the rules are older, or others: make them again from this evidence.
1 time: /a$b for make_reg, refused
  The evidence does not have it. Add a run that does it (--harden=json --harden-with=FILE), or, if that is right:
  [[path_beneath]] with allowed_access = [\"make_reg\"] and parent = [\"/a$$b\"]
1 time: /a$b for refer, refused
  The evidence does not have it. Add a run that does it (--harden=json --harden-with=FILE), or, if that is right:
  [[path_beneath]] with allowed_access = [\"refer\"] and parent = [\"/a$$b\"]
1 time: port 80 for connect_tcp, refused
  The evidence does not have it. Add a run that does it (--harden=json --harden-with=FILE), or, if that is right:
  [[net_port]] with allowed_access = [\"connect_tcp\"] and port = [80]
1 time: scope.signal, refused
  Stride has no rule for scope.signal: see landlock(7).
";
    assert_eq!(explained(&log), expected);
}

/// Names in the log bring no lines and no rules of their own.
#[test]
fn hostile_logs() {
    // "/a\"\n/** rwix," in hexadecimal, which the kernel writes, and a line end that it would not write.
    let name: String = b"/a\"\n/** rwix,".iter().map(|byte| format!("{byte:02x}")).collect();
    let log = format!("apparmor=\"DENIED\" operation=\"x\" name={name} requested_mask=\"r\" comm=0a2b\u{1b}[31m\n");
    let said = explained(&log);
    assert!(said.contains("No rule can have this name.") && said.lines().count() == 2, "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    // A blank in a name that is in hexadecimal, and signs of patterns.
    let name: String = b"/a b*\"".iter().map(|byte| format!("{byte:02X}")).collect();
    let said = explained(&format!("apparmor=\"ALLOWED\" name={name} requested_mask=\"r\" comm=\"x\"\n"));
    assert!(said.ends_with("  \"/a b\\*\\\"\" r,\n"), "{said}");
    for odd in [
        "=",
        "==\"",
        "type=1326",
        "type=1326 arch= syscall=",
        "apparmor=\"",
        "type=1326 arch=c000003e syscall=-1",
        " =\" = ",
    ] {
        assert!(explained(odd).starts_with("The log has no denial"), "{odd}");
    }
    assert!(explained("").starts_with("The log has no denial"));
    let many: String = (0..20).map(|n| format!("type=1326 arch=c000003e syscall={n} comm=\"x\"\n")).collect();
    assert_eq!((Denials::of(many.as_bytes()).all.len(), Denials::of(many.as_bytes()).left_out), (8, 12));
    assert!(explained(&many).ends_with("12 further lines are about other denials, for which there was no room.\n"));
    let long = format!("{} type=1326 arch=c000003e syscall=1", "x".repeat(1 << 17));
    assert!(Denials::of(long.as_bytes()).all.is_empty());
}
