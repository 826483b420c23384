//! Numbers with names as JSON: constants, flags, signals, errors, modes and wait statuses.

use super::Json;
use crate::spelling::{digits, names};
use stride_syscalls::{FlagPart, Set};

impl Json<'_> {
    /// A number, with its name if there is one.
    pub(super) fn named(&mut self, name: Option<&'static str>, number: impl FnOnce(&mut Self)) {
        self.next();
        self.literal("{\"raw\":");
        number(self);
        if let Some(name) = name {
            self.literal(",\"name\":");
            self.own(name);
        }
        self.literal("}");
    }

    /// Decimal or hexadecimal, as the header of the names spells it.
    pub(super) fn number(&mut self, raw: u64, set: &Set) {
        match (set.decimal, u32::try_from(raw)) {
            (false, _) => self.hex(raw),
            (true, Ok(raw)) if set.name_of(raw.into()).is_some() => self.int(raw as i32),
            (true, _) => self.int(raw),
        }
    }

    pub fn signal(&mut self, signal: i32) {
        self.object(|j| {
            j.key("raw").int(signal);
            if (1..=64).contains(&signal) {
                j.key("name").signal_name(signal);
            }
        });
    }

    pub(super) fn signal_name(&mut self, signal: i32) {
        self.next();
        self.out.push(b'"');
        names::signal(self.out, signal);
        self.out.push(b'"');
    }

    /// An error number with its name.
    pub fn errno(&mut self, errno: u32) {
        self.object(|j| {
            j.key("errno").int(errno);
            if let Some((name, _)) = names::errno(errno) {
                j.key("name").own(name);
            }
        });
    }

    pub fn flags(&mut self, raw: u64, set: &Set) {
        self.next();
        self.literal("{\"raw\":");
        self.hex(raw);
        self.literal(",\"set\":[");
        let left = self.parts(raw, set);
        self.literal("]");
        if left != 0 {
            self.literal(",\"unknown\":");
            self.hex(left);
        }
        self.literal("}");
    }

    /// Writes the names of a flag word as elements. Returns the bits without a name.
    pub(super) fn parts(&mut self, raw: u64, set: &Set) -> u64 {
        let mut left = 0;
        let any = set.parts(raw, |part| match part {
            FlagPart::Name(name) => self.own(name),
            FlagPart::Lead(bits) | FlagPart::Rest(bits) => left |= bits,
            FlagPart::Number(number, by) => self.text_of(&format_args!("{number}<<{by}")),
        });
        if any { left } else { raw }
    }

    pub(super) fn mode(&mut self, mode: u64) {
        const TYPE: u64 = 0o170_000;
        const SPECIAL: [(u64, &str); 3] = [(0o4000, "S_ISUID"), (0o2000, "S_ISGID"), (0o1000, "S_ISVTX")];
        self.next();
        self.literal("{\"raw\":");
        self.octal(mode);
        if let Some(kind) = stride_syscalls::sets::files::FILE_TYPE.name_of(mode & TYPE) {
            self.literal(",\"type\":");
            self.own(kind);
        }
        let special = SPECIAL.iter().filter(|(bit, _)| mode & bit != 0);
        self.literal(",\"set\":[");
        special.for_each(|(_, name)| self.own(name));
        self.literal("],\"perm\":");
        self.octal(mode & 0o777);
        self.literal("}");
    }

    pub(super) fn wait_status(&mut self, status: u32) {
        let code = (status >> 8) & 0xff;
        self.object(|j| {
            j.key("raw").int(status);
            match status & 0x7f {
                _ if status == 0xffff => j.key("continued").bool(true),
                0 => j.key("exited").int(code),
                0x7f => j.key("stopped").signal((code & 0x7f) as i32),
                signal => {
                    j.key("killed").signal(signal as i32);
                    j.key("core").bool(status & 0x80 != 0);
                }
            }
        });
    }

    pub(super) fn octal(&mut self, n: u64) {
        self.next();
        self.literal("\"0");
        digits::octal(self.out, n, 1);
        self.literal("\"");
    }
}
