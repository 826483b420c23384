//! Decoded values as JSON. A value's shape depends on its kind alone, never on its size or on what else is known.

use super::Json;
use crate::spelling::names;
use crate::{Style, Writer};
use stride_decode::{Designation, FdNote, Member, Prefix, Tail, Text, TextKind, Value};

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
            j.literal("\"fd\":");
            j.int(fd);
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

    fn call(&mut self, raw: Option<&Value<'_>>, name: &str, args: &[Value<'_>]) {
        self.object(|j| {
            if let Some(raw) = raw {
                j.key("raw").value(raw);
            }
            j.key("call").str(name);
            j.key("args").array(|j| j.each(args));
        });
    }

    /// Text that needs no escapes.
    pub(super) fn text_of(&mut self, text: &dyn std::fmt::Display) {
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
