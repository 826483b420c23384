//! Decoded values as JSON. A value's shape depends on its kind alone, never on its size or on what else is known.

use super::Json;
use crate::spelling::names;
use crate::{Style, Writer};
use stride_decode::{Designation, FdNote, Member, Prefix, Tail, Text, TextKind, Value};
use stride_syscalls::{FlagPart, Set};

/// The name of the member of an object, and of the last element of an array, that says what was left out.
pub const REST: &str = "_rest";
/// The name of the bytes behind the last known member of a struct.
pub const EXTRA: &str = "_extra";

impl Json<'_> {
    pub fn value(&mut self, value: &Value<'_>) {
        match *value {
            Value::Int(n) => self.int(n),
            Value::UInt(n) | Value::Ticks(n) => self.int(n),
            Value::Hex(n) | Value::PadHex { raw: n, .. } => self.hex(n),
            Value::Addr(0) => self.null(),
            Value::Addr(n) => self.hex(n),
            Value::Octal(n) => self.octal(n),
            Value::Errno(n) => self.named(names::errno(n.unsigned_abs()).map(|e| e.0), |j| j.int(n)),
            Value::Fd { fd, foreign, note } => self.fd(fd, foreign, note),
            Value::Pid { id, note, .. } => self.object(|j| {
                j.key("pid").int(id);
                if let Some(comm) = note.comm {
                    j.name("comm", comm);
                }
                if let Some(outer) = note.outer {
                    j.key("outer").int(outer);
                }
            }),
            Value::Flags { raw, set } => self.flags(raw, set),
            Value::Enum { raw, set } => self.named(set.name_of(raw), |j| j.number(raw, set)),
            Value::Name { raw, name } => self.named(Some(name), |j| j.hex(raw)),
            Value::Signal(n) => self.signal(n),
            Value::Text(text) => self.text(text),
            Value::Struct(members, tail) => self.object(|j| {
                members.iter().filter(|m| !m.is_left_out()).for_each(|m| j.member(m));
                // A mark at the end stands for members that are left out in the middle.
                let tail = if tail == Tail::End && members.iter().any(Member::is_left_out) { Tail::More } else { tail };
                if tail != Tail::End {
                    j.key(REST).tail(tail);
                }
            }),
            Value::Array(items, tail) => self.array(|j| {
                j.each(items);
                if tail != Tail::End {
                    j.object(|j| j.key(REST).tail(tail));
                }
            }),
            Value::SigSet(mask) => self.array(|j| {
                for signal in (1..=64).filter(|s| mask.get((s - 1) / 8).is_some_and(|b| b & (1 << ((s - 1) % 8)) != 0))
                {
                    j.signal_name(signal as i32);
                }
            }),
            Value::Set(items) | Value::Seq(items) => self.array(|j| j.each(items)),
            Value::Mode(mode) => self.mode(mode),
            Value::WaitStatus(status) => self.wait_status(status),
            // These numbers are in network or kernel form; the host's form is shown.
            Value::Call { name: "htons" | "htonl" | "htobe64" | "htobs", args: [host] } => self.value(host),
            Value::Call { name, args } => self.call(None, name, args),
            Value::Macro { number, name: "makedev", args: [Value::Hex(major), Value::Hex(minor)] } => {
                self.object(|j| {
                    j.key("raw").value(number);
                    j.key("major").int(*major);
                    j.key("minor").int(*minor);
                })
            }
            Value::Macro { number, name, args } => self.call(Some(number), name, args),
            Value::Ip(ip) => self.text_of(&format_args!("{ip}")),
            Value::Or(parts) => self.or(parts),
            Value::Split(_, &Value::Or(parts)) => self.or(parts),
            Value::Bitmap(names, _) => self.value(names),
            Value::Known(_, meaning @ Value::Call { name: "htons" | "htonl" | "htobe64", .. }) => self.value(meaning),
            Value::Known(number, Value::Call { name, args }) => self.call(Some(number), name, args),
            Value::Known(raw, meaning) | Value::Split(raw, meaning) => self.object(|j| {
                j.key("raw").value(raw);
                j.key("means").value(meaning);
            }),
            Value::Change(before, after) => self.object(|j| {
                j.key("before").value(before);
                j.key("after").value(after);
            }),
            // A date says nothing new beside its number of seconds.
            Value::Comment(value, Value::Time { .. }) => self.value(value),
            Value::Comment(value, comment) => self.object(|j| {
                j.key("value").value(value);
                j.key("comment").written(|w| w.remark(comment));
            }),
            Value::Numbered(value)
            | Value::Remarked(value, _)
            | Value::Extra { bytes: value, .. }
            // (Only text has contexts.)
            | Value::Labelled(value, _)
            | Value::Gloss(value)
            | Value::Styled(value)
            | Value::Becomes(value) => self.value(value),
            Value::Absent => self.null(),
            Value::Word(text) => self.str(text),
            Value::Unknown => self.str("unknown"),
            Value::LeftOut => self.object(|j| j.key(REST).tail(Tail::More)),
            Value::Char(byte) | Value::CodeChar(byte) => self.text(Text { bytes: &[byte], cut: false, kind: TextKind::Bytes }),
            Value::Unary(prefix, value) => self.object(|j| {
                j.key(if prefix == Prefix::Minus { "minus" } else { "not" }).value(value);
            }),
            Value::Indexed(index, value) => self.object(|j| {
                j.key("index").value(index);
                j.key("value").value(value);
            }),
            Value::Designation(Designation::Family(name)) => _ = self.bytes(name),
            Value::Namespace { kind, inode } => self.object(|j| j.key(kind).int(inode)),
            Value::Resumes(name) => self.object(|j| j.key("resumes").str(name)),
            Value::NarrowError(raw) => self.int(raw),
            Value::Titled(title, value) => self.object(|j| j.key(title).value(value)),
            Value::Named(name, value) => self.object(|j| j.key(name).value(value)),
            // Expressions of C, amounts with units, and addresses are text in their field's own notation.
            Value::Time { .. }
            | Value::Unnamed(_)
            | Value::Unreadable
            | Value::Binary(..)
            | Value::Range(..)
            | Value::Place { .. }
            | Value::Quantity(..)
            | Value::Decimal { .. }
            | Value::Designation(_)
            | Value::OneOf(_) => self.spelt(value),
        }
    }

    fn each(&mut self, items: &[Value<'_>]) {
        items.iter().for_each(|item| self.value(item));
    }

    pub fn member(&mut self, member: &Member<'_>) {
        self.key(if member.name.is_empty() { EXTRA } else { member.name }).value(&member.value);
    }

    /// The reason why there is no more: brevity, unknown, or the address from which on memory could not be read.
    fn tail(&mut self, tail: Tail) {
        match tail {
            Tail::End => self.null(),
            Tail::More => self.str("abbreviated"),
            Tail::Unknown => self.str("unknown"),
            Tail::Unread(addr) => self.hex(addr),
        }
    }

    /// Bytes as text, or as hexadecimal if they are not UTF-8 text, and whether they were cut.
    pub(super) fn text(&mut self, text: Text<'_>) {
        self.object(|j| {
            let shown = text.kind != TextKind::HexBytes && j.key("text").bytes(text.shown());
            if !shown {
                j.key("hex").octet_string(text.bytes);
            }
            if text.cut {
                j.key("truncated").bool(true);
            }
        });
    }

    /// A number, with its name if there is one.
    fn named(&mut self, name: Option<&str>, number: impl FnOnce(&mut Self)) {
        self.object(|j| {
            number(j.key("raw"));
            if let Some(name) = name {
                j.key("name").str(name);
            }
        });
    }

    /// Decimal or hexadecimal, as the header of the names spells it.
    fn number(&mut self, raw: u64, set: &Set) {
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

    fn signal_name(&mut self, signal: i32) {
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
                j.key("name").str(name);
            }
        });
    }

    pub fn flags(&mut self, raw: u64, set: &Set) {
        self.object(|j| {
            j.key("raw").hex(raw);
            let mut left = 0;
            j.key("set").array(|j| left = j.parts(raw, set));
            if left != 0 {
                j.key("unknown").hex(left);
            }
        });
    }

    /// Writes the names of a flag word as elements. Returns the bits without a name.
    fn parts(&mut self, raw: u64, set: &Set) -> u64 {
        let mut left = 0;
        let any = set.parts(raw, |part| match part {
            FlagPart::Name(name) => self.str(name),
            FlagPart::Lead(bits) | FlagPart::Rest(bits) => left |= bits,
            FlagPart::Number(number, by) => self.text_of(&format_args!("{number}<<{by}")),
        });
        if any { left } else { raw }
    }

    /// A word of several parts looks like a flag word if each part is in its place. Two sets of flags make two words.
    fn or(&mut self, parts: &[Value<'_>]) {
        let mut raw = 0;
        let mut sets = 0;
        for part in parts {
            sets += usize::from(matches!(part, Value::Flags { .. }));
            raw |= match *part {
                _ if sets > 1 => return self.object(|j| j.key("or").array(|j| j.each(parts))),
                Value::Flags { raw, .. } | Value::Enum { raw, .. } | Value::Name { raw, .. } => raw,
                Value::Hex(raw) | Value::Octal(raw) => raw,
                Value::Signal(signal) => signal as u64,
                _ => return self.object(|j| j.key("or").array(|j| j.each(parts))),
            };
        }
        self.object(|j| {
            j.key("raw").hex(raw);
            let mut left = 0;
            j.key("set").array(|j| {
                for part in parts {
                    match *part {
                        Value::Flags { raw, set } => left |= j.parts(raw, set),
                        Value::Enum { raw, set } => match set.name_of(raw) {
                            Some(name) => j.str(name),
                            None => left |= raw,
                        },
                        Value::Name { name, .. } => j.str(name),
                        Value::Signal(signal @ 1..=64) => j.signal_name(signal),
                        Value::Signal(signal) => left |= signal as u64,
                        Value::Hex(raw) | Value::Octal(raw) => left |= raw,
                        _ => {}
                    }
                }
            });
            if left != 0 {
                j.key("unknown").hex(left);
            }
        });
    }

    /// A descriptor, and its referent. The flag is true for a socket.
    pub(crate) fn known_fd(&mut self, fd: i32, referent: Option<(&[u8], bool)>) {
        self.object(|j| {
            j.key("fd").int(fd);
            if let Some((name, socket)) = referent {
                j.referent(name, socket);
            }
        });
    }

    fn fd(&mut self, fd: i32, foreign: bool, note: Option<&FdNote<'_>>) {
        const AT_FDCWD: i32 = -100;
        self.object(|j| {
            j.key("fd").int(fd);
            if fd == AT_FDCWD {
                j.key("name").str("AT_FDCWD");
            }
            match note {
                Some(note) => {
                    let named = !note.path.is_empty();
                    if named {
                        j.referent(note.path, false);
                    }
                    if !note.detail.is_empty() {
                        j.key(if named { "detail" } else { "socket" }).str(note.detail);
                    }
                    if note.deleted {
                        j.key("deleted").bool(true);
                    }
                }
                None => {
                    if let Some((name, socket)) = j.referent_of(fd).filter(|_| !foreign) {
                        j.referent(name, socket);
                    }
                }
            }
        });
    }

    /// A descriptor's referent: a path, a socket, or an object without path and peer.
    fn referent(&mut self, name: &[u8], socket: bool) {
        let key = match name {
            _ if socket => "socket",
            [b'/', ..] => "path",
            name if name.starts_with(b"socket:") => "socket",
            _ => "object",
        };
        self.name(key, name);
    }

    fn mode(&mut self, mode: u64) {
        const TYPE: u64 = 0o170_000;
        const SPECIAL: [(u64, &str); 3] = [(0o4000, "S_ISUID"), (0o2000, "S_ISGID"), (0o1000, "S_ISVTX")];
        self.object(|j| {
            j.key("raw").octal(mode);
            if let Some(kind) = stride_syscalls::sets::files::FILE_TYPE.name_of(mode & TYPE) {
                j.key("type").str(kind);
            }
            let special = SPECIAL.iter().filter(|(bit, _)| mode & bit != 0);
            j.key("set").array(|j| special.for_each(|(_, name)| j.str(name)));
            j.key("perm").octal(mode & 0o777);
        });
    }

    fn wait_status(&mut self, status: u32) {
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

    fn call(&mut self, raw: Option<&Value<'_>>, name: &str, args: &[Value<'_>]) {
        self.object(|j| {
            if let Some(raw) = raw {
                j.key("raw").value(raw);
            }
            j.key("call").str(name);
            j.key("args").array(|j| j.each(args));
        });
    }

    fn octal(&mut self, n: u64) {
        self.text_of(&format_args!("0{n:o}"));
    }

    /// Text that needs no escapes.
    fn text_of(&mut self, text: &dyn std::fmt::Display) {
        use std::io::Write as _;
        self.next();
        // Writing to memory does not fail.
        let _ = write!(self.out, "\"{text}\"");
    }

    /// The value as strace writes it, in a string.
    pub fn spelt(&mut self, value: &Value<'_>) {
        self.written(|w| w.value(value));
    }

    fn written(&mut self, write: impl FnOnce(&mut Writer<'_>)) {
        let mut text = Vec::new();
        write(&mut Writer { out: &mut text, style: Style::default() });
        self.bytes(&text);
    }
}
