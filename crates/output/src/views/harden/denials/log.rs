//! Denials in the log of the kernel, or of auditd: records of seccomp and of AppArmor. Programs chose names in them, so each line is read as hostile input.

use std::collections::{BTreeMap, BTreeSet};
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Abi, table};

/// Denials that are told apart, and the programs that are named for each.
const MOST: usize = if cfg!(test) { 8 } else { 4096 };
const MOST_PROGRAMS: usize = 6;
/// A record has no longer line.
const LONGEST_LINE: usize = 1 << 16;
/// The kernel's number of records of seccomp.
const SECCOMP: &[u8] = b"1326";

/// A thing that was refused, or logged because rules would refuse it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Denial {
    Call {
        /// The name of the call, or its number if it has none.
        name: String,
        abi: &'static str,
        action: &'static str,
    },
    /// A file, for these uses: letters of AppArmor's log.
    File { path: Vec<u8>, letters: String, action: &'static str },
    /// Something else that AppArmor mediates, by the start of the rule for it, if there is one.
    Other { operation: String, rule: Option<String>, action: &'static str },
}

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
        for line in log.split(|byte| *byte == b'\n').filter(|line| line.len() <= LONGEST_LINE) {
            let fields = Fields::of(line);
            if let Some(denial) = of_seccomp(&fields).or_else(|| of_apparmor(&fields)) {
                denials.add(denial, fields.text(b"comm").unwrap_or_default());
            }
        }
        denials
    }

    fn add(&mut self, denial: Denial, program: Vec<u8>) {
        if self.all.len() >= MOST && !self.all.contains_key(&denial) {
            self.left_out += 1;
            return;
        }
        let it = self.all.entry(denial).or_default();
        it.times += 1;
        if it.programs.len() < MOST_PROGRAMS {
            it.programs.insert(program);
        }
    }
}

/// The `key=value` pairs of a line. The first one of each key counts.
struct Fields<'l>(BTreeMap<&'l [u8], &'l [u8]>);

impl<'l> Fields<'l> {
    fn of(line: &'l [u8]) -> Fields<'l> {
        let mut fields = BTreeMap::new();
        let mut rest = line;
        while let Some(equals) = rest.iter().position(|byte| *byte == b'=') {
            let start = rest[..equals].iter().rposition(|byte| *byte == b' ').map_or(0, |at| at + 1);
            let (key, value) = (&rest[start..equals], &rest[equals + 1..]);
            // The kernel writes a name with a quotation mark, a blank or a control character in hexadecimal.
            let end = match value.strip_prefix(b"\"") {
                Some(quoted) => quoted.iter().position(|byte| *byte == b'"').map(|length| length + 2),
                None => value.iter().position(|byte| *byte == b' '),
            };
            let (value, behind) = value.split_at(end.unwrap_or(value.len()));
            fields.entry(key).or_insert(value);
            rest = behind;
        }
        Fields(fields)
    }

    fn raw(&self, key: &[u8]) -> Option<&'l [u8]> {
        self.0.get(key).copied()
    }

    /// The text of a value: in quotation marks, in hexadecimal, or as it is.
    fn text(&self, key: &[u8]) -> Option<Vec<u8>> {
        let raw = self.raw(key)?;
        if let Some(quoted) = raw.strip_prefix(b"\"") {
            return Some(quoted.strip_suffix(b"\"").unwrap_or(quoted).to_vec());
        }
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let is_hex = !raw.is_empty() && raw.len().is_multiple_of(2) && raw.iter().all(u8::is_ascii_hexdigit);
        let decoded = is_hex.then(|| raw.chunks(2).map(pair).collect::<Option<Vec<u8>>>()).flatten();
        Some(decoded.unwrap_or_else(|| raw.to_vec()))
    }

    /// A word of letters, digits and a few signs, as the kernel writes them itself.
    fn word(&self, key: &[u8]) -> Option<String> {
        let text = String::from_utf8(self.text(key)?).ok()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+".contains(c);
        (!text.is_empty() && text.len() <= 64 && text.chars().all(is_plain)).then_some(text)
    }

    fn number(&self, key: &[u8], radix: u32) -> Option<u64> {
        let text = std::str::from_utf8(self.raw(key)?).ok()?;
        u64::from_str_radix(if radix == 16 { text.trim_start_matches("0x") } else { text }, radix).ok()
    }
}

fn of_seccomp(fields: &Fields<'_>) -> Option<Denial> {
    let kind = fields.raw(b"type")?;
    if kind != SECCOMP && kind != b"SECCOMP" {
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

fn of_apparmor(fields: &Fields<'_>) -> Option<Denial> {
    let action = match fields.text(b"apparmor")?.as_slice() {
        b"DENIED" => "refused",
        b"ALLOWED" => "allowed and logged",
        _ => return None,
    };
    let operation = fields.word(b"operation").unwrap_or_else(|| "an operation".into());
    let word = |key: &[u8]| fields.word(key);
    if let Some(capability) = word(b"capname") {
        let operation = format!("capability {capability}");
        return Some(Denial::Other { rule: Some(operation.clone()), operation, action });
    }
    if let (Some(family), Some(kind)) = (word(b"family"), word(b"sock_type")) {
        let operation = format!("network {family} {kind}");
        return Some(Denial::Other { rule: Some(operation.clone()), operation, action });
    }
    let path = fields.text(b"name").filter(|path| path.starts_with(b"/"));
    if let (Some(path), Some(letters)) = (path, word(b"requested_mask")) {
        return Some(Denial::File { path, letters, action });
    }
    Some(Denial::Other { operation, rule: None, action })
}
