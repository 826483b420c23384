//! The rules as a profile for AppArmor (apparmor.d(5)).

use super::apparmor_files::{escaped, rules};
use super::evidence::{HardenEvidence, UseOf};
use super::guards::Guard;
use std::fmt::Write;
use stride_track::base_name;

/// The families of sockets that a profile can name (those of its ABI 3.0).
const FAMILIES: [&str; 43] = [
    "unspec",
    "unix",
    "inet",
    "ax25",
    "ipx",
    "appletalk",
    "netrom",
    "bridge",
    "atmpvc",
    "x25",
    "inet6",
    "rose",
    "netbeui",
    "security",
    "key",
    "netlink",
    "packet",
    "ash",
    "econet",
    "atmsvc",
    "rds",
    "sna",
    "irda",
    "pppox",
    "wanpipe",
    "llc",
    "ib",
    "mpls",
    "can",
    "tipc",
    "bluetooth",
    "iucv",
    "rxrpc",
    "isdn",
    "phonet",
    "ieee802154",
    "caif",
    "alg",
    "nfc",
    "vsock",
    "kcm",
    "qipcrtr",
    "smc",
];
const TYPES: [&str; 6] = ["stream", "dgram", "seqpacket", "rdm", "raw", "packet"];
const SIGNALS: [&str; 32] = [
    "hup", "int", "quit", "ill", "trap", "abrt", "bus", "fpe", "kill", "usr1", "segv", "usr2", "pipe", "alrm", "term",
    "stkflt", "chld", "cont", "stop", "stp", "ttin", "ttou", "urg", "xcpu", "xfsz", "vtalrm", "prof", "winch", "io",
    "pwr", "sys", "exists",
];

/// Rules that allow all changes of mounts.
const MOUNT_RULES: [&str; 3] = ["mount,", "umount,", "pivot_root,"];

/// A profile. With `log`, everything is allowed, and the kernel logs what the rules do not allow.
pub fn profile(evidence: &HardenEvidence, log: bool) -> String {
    let mut out = String::new();
    let program = evidence.runs.iter().rev().find_map(|run| run.program.as_deref());
    let name = profile_name(program);
    head(&mut out, evidence, program, &name, log);
    let attachment = program.map_or_else(String::new, |path| format!(" \"{}\"", escaped(path)));
    let flags = if log { " flags=(complain)" } else { "" };
    let _ = writeln!(out, "abi <abi/3.0>,\n\nprofile {name}{attachment}{flags} {{");
    files(&mut out, evidence);
    sockets(&mut out, evidence);
    capabilities(&mut out, evidence);
    processes(&mut out, evidence, &name);
    out.push_str("}\n");
    out
}

/// A name of letters that mean nothing else in a profile.
fn profile_name(program: Option<&str>) -> String {
    let name = program.map_or(&b"program"[..], |path| base_name(path.as_bytes()));
    let is_plain = |c: u8| c.is_ascii_alphanumeric() || b"._-".contains(&c);
    let name: String = name.iter().map(|&c| if is_plain(c) { char::from(c) } else { '_' }).collect();
    format!("stride-{name}")
}

fn head(out: &mut String, evidence: &HardenEvidence, program: Option<&str>, name: &str, log: bool) {
    let mut comment = |line: &str| _ = writeln!(out, "# {line}");
    evidence.about().iter().for_each(|line| comment(line));
    comment(&format!("Save this as /etc/apparmor.d/{name}, and run: apparmor_parser -r /etc/apparmor.d/{name}"));
    match program {
        Some(path) => {
            comment(&format!("From then on, each start of {path} gets the profile. If that is more than the service,"));
            comment(
                "as with a shell or an interpreter, take the path out of the line that begins with \"profile\", and",
            );
            comment(&format!(
                "write AppArmorProfile={name} into the unit, or start the program with: aa-exec -p {name} PROGRAM"
            ));
        }
        None => comment(&format!("The path of the program is not known. Start it with: aa-exec -p {name} PROGRAM")),
    }
    if log {
        comment(
            "Everything is allowed. The kernel logs what has no rule, with apparmor=\"ALLOWED\". If nothing comes, use",
        );
        comment("--harden=apparmor.");
    } else {
        comment(
            "Uses without a rule fail with EACCES or EPERM. --harden=apparmor-log makes a profile that only logs: begin with",
        );
        comment("that one, because a run shows only what the program did in it.");
    }
    comment("Programs that the program executes have the same profile, and so each may do what all of them did.");
    comment("Symbolic links were followed as they were on this machine when this was written.");
}

fn files(out: &mut String, evidence: &HardenEvidence) {
    let _ = writeln!(out, "  # Files");
    for (pattern, (permissions, used)) in rules(evidence) {
        rule(out, &format!("\"{pattern}\" {}", permissions.letters()), &used);
    }
}

/// A rule, and the calls of the programs that need it.
fn rule(out: &mut String, text: &str, used: &UseOf) {
    let _ = writeln!(out, "  {text}, # {}", used.reason());
}

fn sockets(out: &mut String, evidence: &HardenEvidence) {
    if evidence.sockets.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n  # Sockets. Addresses and ports are not limited.");
    for (socket, used) in &evidence.sockets {
        let lower = socket.to_ascii_lowercase();
        let words = lower.split_once(' ').and_then(|(family, kind)| {
            let (family, kind) = (family.strip_prefix("af_")?, kind.strip_prefix("sock_")?);
            (FAMILIES.contains(&family) && TYPES.contains(&kind)).then_some((family, kind))
        });
        let Some((family, kind)) = words else {
            let _ = writeln!(out, "  # {socket} has no rule, because a profile has no name for it: {}", used.reason());
            continue;
        };
        rule(out, &format!("network {family} {kind}"), used);
        if family == "unix" {
            rule(out, &format!("unix type={kind}"), used);
        }
    }
}

fn capabilities(out: &mut String, evidence: &HardenEvidence) {
    let _ = writeln!(
        out,
        "\n  # Capabilities that successful calls may have needed. Calls do not show them all: root needs dac_override"
    );
    let _ = writeln!(
        out,
        "  # or dac_read_search for files of others, fowner to change their modes, kill for processes of others, and"
    );
    let _ = writeln!(
        out,
        "  # net_admin, sys_resource or ipc_lock for some options and limits. If the program runs as root, log first."
    );
    for (capability, used) in &evidence.capabilities {
        if let Some(name) = capability.strip_prefix("CAP_") {
            rule(out, &format!("capability {}", name.to_ascii_lowercase()), used);
        }
    }
    if let Some(used) = evidence.mounts() {
        MOUNT_RULES.iter().for_each(|text| _ = writeln!(out, "  {text} # {}", used.reason()));
    }
}

fn processes(out: &mut String, evidence: &HardenEvidence, name: &str) {
    let _ = writeln!(out, "\n  # Signals. Without the first rule, nobody could end the program.");
    let _ = writeln!(out, "  signal receive peer=unconfined,");
    let _ = writeln!(out, "  signal (send, receive) peer=\"{name}\",");
    for (signal, used) in &evidence.signals {
        match signal_word(signal) {
            // The trace does not tell to which profile a process belonged.
            Some(word) => rule(out, &format!("signal send set=({word})"), used),
            None => {
                let _ =
                    writeln!(out, "  # {signal} has no rule, because a profile has no name for it: {}", used.reason());
            }
        }
    }
    if let Some(used) = evidence.guards.get(&Guard::TracedProcesses) {
        let _ = writeln!(out, "\n  # Only processes with the same profile.");
        rule(out, &format!("ptrace (trace, tracedby) peer=\"{name}\""), used);
    }
}

/// The word of a profile for a signal: `SIGTERM`, `SIGRT_2`, or `0` for none.
fn signal_word(signal: &str) -> Option<String> {
    if signal == "0" {
        return Some("exists".into());
    }
    let name = signal.strip_prefix("SIG")?.to_ascii_lowercase();
    if let Some(number) = name.strip_prefix("rt_") {
        return number.parse::<u8>().ok().filter(|number| *number <= 32).map(|number| format!("rtmin+{number}"));
    }
    let name = if name == "tstp" { "stp" } else { &name };
    SIGNALS.contains(&name).then(|| name.to_owned())
}
