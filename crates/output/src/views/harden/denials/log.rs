//! Denials in the log of the kernel, or of auditd: records of seccomp, AppArmor and Landlock.

use super::denial::Denial;
use super::fields::AuditFields;
use super::landlock;
use std::collections::{BTreeMap, BTreeSet};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Abi, table};

/// Denials that are told apart, and the programs that are named for each.
const MOST: usize = if cfg!(test) { 8 } else { 4096 };
const MOST_PROGRAMS: usize = 6;
/// A record has no longer line.
const LONGEST_LINE: usize = 1 << 16;
/// Types of records (linux/audit.h).
const SECCOMP: [&[u8]; 2] = [b"1326", b"SECCOMP"];
const SYSCALL: [&[u8]; 2] = [b"1300", b"SYSCALL"];

/// How often, and by which programs.
#[derive(Default, Debug)]
pub struct Denied {
    pub times: u64,
    pub programs: BTreeSet<Vec<u8>>,
}

/// The denials of a log.
#[derive(Default)]
pub struct Denials {
    pub all: BTreeMap<Denial, Denied>,
    pub left_out: u64,
}

impl Denials {
    pub fn of(log: &[u8]) -> Denials {
        let mut denials = Denials::default();
        // The program of Landlock's records is in a later record of the same event.
        let mut awaited: BTreeMap<&[u8], BTreeSet<Denial>> = BTreeMap::new();
        let mut waiting = 0;
        for line in log.split(|byte| *byte == b'\n').filter(|line| line.len() <= LONGEST_LINE) {
            let fields = AuditFields::of(line);
            let program = fields.text(b"comm");
            if let Some(denial) = of_seccomp(&fields).or_else(|| of_apparmor(&fields)) {
                denials.add(denial, Some(program.clone().unwrap_or_default()));
            }
            let Some(event) = event_of(line) else { continue };
            let before =
                if fields.is_of(SYSCALL) { awaited.remove(event).unwrap_or_default() } else { BTreeSet::new() };
            waiting -= before.len();
            before.into_iter().for_each(|denial| denials.add(denial, program.clone()));
            let refused = landlock::denials(&fields);
            if waiting + refused.len() > MOST {
                refused.into_iter().for_each(|denial| denials.add(denial, None));
            } else if !refused.is_empty() {
                let of_event = awaited.entry(event).or_default();
                waiting -= of_event.len();
                of_event.extend(refused);
                waiting += of_event.len();
            }
        }
        awaited.into_values().flatten().for_each(|denial| denials.add(denial, None));
        denials
    }

    fn add(&mut self, denial: Denial, program: Option<Vec<u8>>) {
        if self.all.len() >= MOST && !self.all.contains_key(&denial) {
            self.left_out += 1;
            return;
        }
        let it = self.all.entry(denial).or_default();
        it.times += 1;
        if it.programs.len() < MOST_PROGRAMS {
            it.programs.extend(program);
        }
    }
}

/// The time and number of an event, which all of its records have: `audit(1729738800.268:30)`.
fn event_of(line: &[u8]) -> Option<&[u8]> {
    let at = line.windows(6).position(|w| w == b"audit(")? + 6;
    line[at..].split(|byte| *byte == b')').next()
}

fn of_seccomp(fields: &AuditFields<'_>) -> Option<Denial> {
    if !fields.is_of(SECCOMP) {
        return None;
    }
    let arch = u32::try_from(fields.number(b"arch", 16)?).ok()?;
    let nr = fields.number(b"syscall", 10)?;
    let abi = Abi::from_audit_arch(arch);
    let row = abi.and_then(|abi| table(abi).shown(nr));
    let action = match fields.number(b"code", 16).map(|code| code & c::SECCOMP_RET_ACTION_FULL) {
        Some(c::SECCOMP_RET_LOG) => "allowed and logged",
        Some(c::SECCOMP_RET_ERRNO) => "refused",
        Some(c::SECCOMP_RET_KILL_PROCESS | c::SECCOMP_RET_KILL_THREAD) => "killed for it",
        Some(c::SECCOMP_RET_TRAP) => "sent SIGSYS for it",
        _ => "logged",
    };
    let name = row.map_or_else(|| format!("number {nr}"), |row| row.name.to_owned());
    Some(Denial::Call { name, abi: abi.map_or("an unknown ABI", Abi::name), action })
}

fn of_apparmor(fields: &AuditFields<'_>) -> Option<Denial> {
    let action = match fields.text(b"apparmor")?.as_slice() {
        b"DENIED" => "refused",
        b"ALLOWED" => "allowed and logged",
        _ => return None,
    };
    let manual = "apparmor.d(5)";
    let operation = fields.word(b"operation").unwrap_or_else(|| "an operation".into());
    let word = |key: &[u8]| fields.word(key);
    if let Some(capability) = word(b"capname") {
        let operation = format!("capability {capability}");
        return Some(Denial::Other { rule: Some(operation.clone()), operation, action, manual });
    }
    if let (Some(family), Some(kind)) = (word(b"family"), word(b"sock_type")) {
        let operation = format!("network {family} {kind}");
        return Some(Denial::Other { rule: Some(operation.clone()), operation, action, manual });
    }
    let path = fields.text(b"name").filter(|path| path.starts_with(b"/"));
    if let (Some(path), Some(letters)) = (path, word(b"requested_mask")) {
        return Some(Denial::File { path, letters, action });
    }
    Some(Denial::Other { operation, rule: None, action, manual })
}
