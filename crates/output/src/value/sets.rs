//! Named numbers and flags.

use super::Writer;
use crate::NameStyle;
use crate::spelling::names;
use stride_syscalls::{FlagPart, Set};

impl Writer<'_> {
    pub(super) fn errno(&mut self, v: i32) {
        match names::errno(v.unsigned_abs()) {
            Some((name, _)) => self.named(
                |w| w.int(v),
                |w| {
                    if v < 0 {
                        w.out.push(b'-');
                    }
                    w.str(name);
                },
            ),
            None => self.int(v),
        }
    }

    /// The names of the bits, joined by `|`. Bits without a name follow as a number.
    pub(super) fn flags(&mut self, raw: u64, set: &Set) {
        match self.style.names {
            NameStyle::Raw => self.number(raw, set),
            NameStyle::Abbrev => {
                if !self.flag_names(raw, set) {
                    self.number(raw, set);
                    if raw != 0 && !set.unknown.is_empty() && !self.style.in_comment {
                        self.comment(|w| w.str(set.unknown));
                    }
                }
            }
            NameStyle::Verbose => {
                self.number(raw, set);
                let from = self.out.len();
                self.str(" /* ");
                if self.flag_names(raw, set) {
                    self.str(" */");
                } else if raw != 0 && !set.unknown.is_empty() {
                    self.str(set.unknown);
                    self.str(" */");
                } else {
                    self.out.truncate(from);
                }
            }
        }
    }

    pub(super) fn number(&mut self, raw: u64, set: &Set) {
        match (set.decimal, u32::try_from(raw)) {
            (false, _) => self.hex(raw),
            // A value with a name is the `int` of its header. A value without one is spelt as the member's type says.
            (true, Ok(raw)) if set.name_of(u64::from(raw)).is_some() => self.int(raw as i32),
            (true, _) => self.int(raw),
        }
    }

    /// Writes the names of the flags that are set. Returns whether there was one.
    pub(super) fn flag_names(&mut self, raw: u64, set: &Set) -> bool {
        let mut first = true;
        set.parts(raw, |part| {
            let is_first = std::mem::take(&mut first);
            if !is_first {
                self.out.push(b'|');
            }
            match part {
                FlagPart::Name(name) => self.str(name),
                FlagPart::Rest(bits) => {
                    self.hex(bits);
                    // (Behind it stands a number, which names none of them.)
                    if is_first && self.style.names == NameStyle::Abbrev && !self.style.in_comment {
                        self.comment(|w| w.str(set.unknown));
                    }
                }
                FlagPart::Lead(field) => {
                    self.hex(field);
                    self.comment(|w| w.str(set.unknown));
                }
                FlagPart::Number(number, name) => {
                    self.int(number);
                    self.str("<<");
                    self.str(name);
                }
            }
        })
    }

    pub(super) fn enumeration(&mut self, raw: u64, set: &Set) {
        match set.name_of(raw) {
            Some(name) => self.named(|w| w.number(raw, set), |w| w.str(name)),
            None => {
                self.number(raw, set);
                if self.style.names != NameStyle::Raw && !set.unknown.is_empty() && !self.style.in_comment {
                    self.comment(|w| w.str(set.unknown));
                }
            }
        }
    }
}
