//! The rules as a Landlock ruleset (landlock(7)), in the TOML form of Landlock Config.

use super::evidence::{HardenEvidence, PortUse, UseOf};
use super::landlock_files::{RIGHTS, beneath};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// If more ports were used in one way, then they follow no list, and are not limited.
const MOST_PORTS: usize = 64;
pub const PORT_RIGHTS: [(PortUse, &str); 2] = [(PortUse::BindTcp, "bind_tcp"), (PortUse::ConnectTcp, "connect_tcp")];

/// A ruleset.
pub fn ruleset(evidence: &HardenEvidence) -> String {
    let mut out = String::new();
    head(&mut out, evidence);
    let (limited, free): (Vec<_>, Vec<_>) = PORT_RIGHTS
        .into_iter()
        .partition(|(way, _)| evidence.ports.get(way).is_none_or(|ports| ports.len() <= MOST_PORTS));
    for (_, right) in free {
        comment(&mut out, &format!("{right} is not limited, because more than {MOST_PORTS} ports were used."));
    }
    let _ = writeln!(out, "\n[[ruleset]]\nhandled_access_fs = [{}]", quoted(&RIGHTS));
    if !limited.is_empty() {
        let rights: Vec<&str> = limited.iter().map(|(_, right)| *right).collect();
        let _ = writeln!(out, "\n[[ruleset]]\nhandled_access_net = [{}]", quoted(&rights));
    }
    files(&mut out, evidence);
    for (way, right) in limited {
        ports(&mut out, evidence.ports.get(&way), right);
    }
    out
}

fn comment(out: &mut String, line: &str) {
    let _ = writeln!(out, "# {line}");
}

fn head(out: &mut String, evidence: &HardenEvidence) {
    evidence.about().iter().for_each(|line| comment(out, line));
    comment(out, "This is the TOML form of Landlock Config, whose programs and library enforce it without root.");
    comment(
        out,
        "Uses without a rule fail with EACCES, and nothing only logs: try the rules with all that the program has to do,",
    );
    comment(out, "because a run shows only what the program did in it.");
    comment(
        out,
        "A rule for a directory is for all that is below. Files and directories must be there when the rules are",
    );
    comment(
        out,
        "enforced. Not limited: asking about files (stat), locks, owners and modes, sockets other than TCP, and",
    );
    comment(out, "descriptors that are open before.");
    comment(out, "Symbolic links were followed as they were on this machine when this was written.");
    if let Some(mounts) = evidence.mounts() {
        comment(out, &format!("Landlock refuses mounts, and the program needs them: {}.", mounts.reason()));
    }
}

fn files(out: &mut String, evidence: &HardenEvidence) {
    let mut alike: BTreeMap<(String, BTreeSet<&str>), Vec<String>> = BTreeMap::new();
    for (path, (rights, used)) in beneath(evidence) {
        // A right on the root is one on each file, and no limit.
        if path == "/" && rights.iter().any(|right| *right != "read_dir") {
            let rights: Vec<&str> = rights.into_iter().collect();
            let (rights, reason) = (rights.join(", "), used.reason());
            let _ = writeln!(out, "\n# \"/\" has no rule for {rights}, which would be for all files: {reason}");
            continue;
        }
        alike.entry((used.reason(), rights)).or_default().push(path);
    }
    for ((reason, rights), paths) in alike {
        let rights: Vec<&str> = RIGHTS.into_iter().filter(|right| rights.contains(right)).collect();
        let _ = writeln!(out, "\n# {reason}\n[[path_beneath]]\nallowed_access = [{}]\nparent = [", quoted(&rights));
        for path in paths {
            let _ = writeln!(out, "  \"{}\",", escaped(&path));
        }
        out.push_str("]\n");
    }
}

fn ports(out: &mut String, ports: Option<&BTreeMap<u16, UseOf>>, right: &str) {
    for (port, used) in ports.into_iter().flatten() {
        let reason = used.reason();
        let _ = writeln!(out, "\n# {reason}\n[[net_port]]\nallowed_access = [\"{right}\"]\nport = [{port}]");
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

/// A path in a basic string of TOML. Landlock Config has variables there, which begin with `$`.
pub fn escaped(path: &str) -> String {
    path.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "$$")
}
