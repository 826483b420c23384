//! Where a run read and wrote, as far as rules can keep a service from there.

use super::evidence::{HardenEvidence, UseOf};
use super::guards::Guard;
use crate::spelling::quote::{is_deceptive, shown};
use crate::views::inputs::{InputsOfRun, UsedPath, Uses, is_below, is_of_kernel};

const WRITTEN: Uses =
    Uses::MADE.or(Uses::CHANGED).or(Uses::REMOVED).or(Uses::TEMPORARY).or(Uses::MOVED).or(Uses::WRITABLE);
/// It was there, and the program came to know something of it.
const READ: Uses = Uses::READ.or(Uses::LISTED).or(Uses::RUN).or(Uses::LIBRARY).or(Uses::INTERPRETER).or(Uses::ASKED);

/// The uses of a file that was open before.
const THROUGH_DESCRIPTORS: Uses = Uses::READ.or(Uses::CHANGED).or(Uses::INHERITED);

/// Devices that each service has (`PrivateDevices=` of systemd.exec(5)).
const COMMON_DEVICES: [&str; 18] = [
    "null",
    "zero",
    "full",
    "random",
    "urandom",
    "tty",
    "ptmx",
    "pts",
    "shm",
    "mqueue",
    "hugepages",
    "log",
    "fd",
    "stdin",
    "stdout",
    "stderr",
    "core",
    "",
];
/// Directories that services share.
const TMP: [&[u8]; 2] = [b"/tmp", b"/var/tmp"];
/// Directories in which each service may have one of its own, and the rule by which systemd makes it.
pub const SERVICE_DIRECTORIES: [(&str, &str); 5] = [
    ("/run", "RuntimeDirectory"),
    ("/var/lib", "StateDirectory"),
    ("/var/cache", "CacheDirectory"),
    ("/var/log", "LogsDirectory"),
    ("/etc", "ConfigurationDirectory"),
];
/// The homes of people: `ProtectHome=` of systemd.exec(5).
const HOMES: [&[u8]; 3] = [b"/home", b"/root", b"/run/user"];

/// Adds the facilities that the files of a run stand for, and the directories that it wrote to.
pub fn of(files: &InputsOfRun, evidence: &mut HardenEvidence) {
    for it in files.names.sorted() {
        let is_used = it.uses != Uses::default() || it.missed > 0 || it.refused > 0;
        // A service's standard output is another one, and open before its rules hold.
        let was_open = it.uses.has(Uses::INHERITED) && THROUGH_DESCRIPTORS.has(it.uses);
        if !is_used || was_open {
            continue;
        }
        let path = shown(&it.path);
        let programs: Vec<String> = files.programs.names(&it.users).into_iter().map(shown).collect();
        let add_to = |used: &mut UseOf| {
            programs.iter().for_each(|program| used.add(0, program, &path));
            used.times += 1;
        };
        guards(it).into_iter().for_each(|guard| add_to(evidence.guards.entry(guard).or_default()));
        // A service has a /tmp of its own, unless it shares files there.
        let is_private = is_of_kernel(&it.path) || TMP.iter().any(|tmp| is_below(&it.path, tmp));
        if it.uses.any(WRITTEN) && !is_private {
            let of = match service_directory(it) {
                Some(path) => evidence.made.entry(path),
                None => evidence.written.entry(place_of(&it.path)),
            };
            add_to(of.or_default());
        }
    }
    if evidence.guards.contains_key(&Guard::SharedTmp) {
        TMP.iter().for_each(|tmp| {
            evidence.written.entry(String::from_utf8_lossy(tmp).into_owned()).or_default();
        });
    }
}

/// True if each service has the device, whose path begins behind `/dev/`.
pub fn is_common_device(device: &[u8]) -> bool {
    let first = device.split(|byte| *byte == b'/').next().unwrap_or_default();
    COMMON_DEVICES.iter().any(|common| common.as_bytes() == first)
}

fn guards(it: &UsedPath) -> Vec<Guard> {
    let mut guards = Vec::new();
    let writes = it.uses.any(WRITTEN);
    let mut add = |applies: bool, guard| {
        if applies {
            guards.push(guard);
        }
    };
    if let Some(device) = it.path.strip_prefix(b"/dev/") {
        let first = device.split(|byte| *byte == b'/').next().unwrap_or_default();
        add(!is_common_device(device) && it.uses != Uses::default(), Guard::Devices);
        add(device == b"kmsg", Guard::KernelLog);
        add(first.starts_with(b"rtc"), Guard::Clock);
    }
    add(&*it.path == b"/proc/kmsg", Guard::KernelLog);
    add(is_below(&it.path, b"/sys/fs/cgroup") && writes, Guard::ControlGroups);
    let tunable = (is_below(&it.path, b"/sys") && !is_below(&it.path, b"/sys/fs/cgroup"))
        || is_below(&it.path, b"/proc/sys")
        || [&b"/proc/sysrq-trigger"[..], b"/proc/latency_stats", b"/proc/acpi", b"/proc/timer_stats", b"/proc/irq"]
            .iter()
            .any(|tunable| is_below(&it.path, tunable));
    add(tunable && writes, Guard::KernelTunables);
    // Other programs made the files that the run did not make.
    let is_shared = TMP.iter().any(|tmp| is_below(&it.path, tmp) && &&*it.path != tmp);
    add(
        is_shared && it.uses.any(READ.or(Uses::CHANGED).or(Uses::REMOVED)) && !it.uses.has(Uses::MADE),
        Guard::SharedTmp,
    );
    if HOMES.iter().any(|home| is_below(&it.path, home)) {
        let reads = it.uses.any(READ) || it.refused > 0;
        add(writes, Guard::HomeWritten);
        add(!writes && reads, Guard::HomeRead);
        add(!writes && !reads, Guard::HomeLooked);
    }
    guards
}

/// The path of a directory of a service's own that the run made, in a directory in which each service has one.
fn service_directory(it: &UsedPath) -> Option<String> {
    let path = std::str::from_utf8(&it.path).ok().filter(|_| it.uses.has(Uses::MADE.or(Uses::DIRECTORY)))?;
    let name = SERVICE_DIRECTORIES.iter().find_map(|(base, _)| path.strip_prefix(base)?.strip_prefix('/'))?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (!name.is_empty() && name.chars().all(is_word)).then(|| path.to_owned())
}

/// The directory that a program must be able to write to, to change the file. Below it, files come and go.
fn place_of(path: &[u8]) -> String {
    let parent = path.iter().rposition(|byte| *byte == b'/').filter(|at| *at > 0).map(|at| &path[..at]);
    // A file of the root directory stands for itself, because that directory is never writable as a whole.
    let mut place = parent.unwrap_or(path);
    loop {
        match std::str::from_utf8(place) {
            Ok(place) if !place.chars().any(is_deceptive) => return place.to_owned(),
            // A rule cannot have a path with such bytes, but it can have the directory above.
            _ => place = &place[..place.iter().rposition(|byte| *byte == b'/').unwrap_or(0)],
        }
    }
}
