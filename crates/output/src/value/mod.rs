//! Values as strace writes them.

mod compound;
mod notation;
mod sets;

use crate::spelling::quote::quote;
use crate::spelling::{clock, digits, names};
use crate::{HexStrings, NameStyle, Style, escape_path};
use stride_decode::{FdNote, Operator, Prefix, Text, TextKind, Value};

/// Appends values to a buffer.
pub struct Writer<'w> {
    pub out: &'w mut Vec<u8>,
    pub style: Style,
}

impl Writer<'_> {
    pub fn str(&mut self, s: &str) {
        self.out.extend_from_slice(s.as_bytes());
    }

    pub fn int(&mut self, v: impl itoa::Integer) {
        self.out.extend_from_slice(itoa::Buffer::new().format(v).as_bytes());
    }

    /// `0x1f`; zero is `0`.
    pub fn hex(&mut self, v: u64) {
        if v == 0 {
            self.out.push(b'0');
            return;
        }
        self.str("0x");
        digits::hex(self.out, v);
    }

    pub fn addr(&mut self, v: u64) {
        if v == 0 { self.str("NULL") } else { self.hex(v) }
    }

    pub fn comment(&mut self, f: impl FnOnce(&mut Self)) {
        self.str(" /* ");
        f(self);
        self.str(" */");
    }

    /// A number with a name. The style decides which of the two is shown.
    fn named(&mut self, number: impl FnOnce(&mut Self), name: impl FnOnce(&mut Self)) {
        match self.style.names {
            NameStyle::Raw => number(self),
            NameStyle::Abbrev => name(self),
            NameStyle::Verbose => {
                number(self);
                self.comment(name);
            }
        }
    }

    pub fn value(&mut self, value: &Value<'_>) {
        match *value {
            Value::Int(v) => self.int(v),
            Value::UInt(v) => self.int(v),
            Value::Hex(v) => self.hex(v),
            Value::Ticks(v) => self.ticks(v),
            Value::Errno(v) => self.errno(v),
            Value::Octal(v) => self.octal(v),
            Value::Addr(v) => self.addr(v),
            Value::Fd { fd, note, .. } => self.fd(fd, note),
            Value::Pid { id, note, .. } => {
                self.int(id);
                if let Some(comm) = note.comm {
                    self.angled(comm);
                }
                if let Some(outer) = note.outer {
                    self.comment(|w| {
                        w.int(outer);
                        w.str(" in strace's PID NS");
                    });
                }
            }
            Value::Flags { raw, set } => self.flags(raw, set),
            Value::Enum { raw, set } => self.enumeration(raw, set),
            Value::Name { raw, name } => self.named(|w| w.hex(raw), |w| w.str(name)),
            Value::Signal(s) => {
                if (1..=64).contains(&s) {
                    self.named(|w| w.int(s), |w| names::signal(w.out, s))
                } else {
                    self.int(s)
                }
            }
            Value::Text(text) => self.text(text),
            Value::Struct(members, tail) => self.strukt(members, tail),
            Value::Array(items, tail) => self.array(items, tail),
            Value::SigSet(mask) => self.sigset(mask),
            Value::Set(items) => {
                self.out.push(b'[');
                self.list(items, " ");
                self.out.push(b']');
            }
            Value::Mode(raw) => self.mode(raw),
            Value::Call { name, args } => self.macro_call(name, args),
            Value::PadHex { raw, width } => self.pad_hex(raw, width.into()),
            Value::Numbered(value) => {
                let style = self.style.names;
                if style == NameStyle::Abbrev {
                    self.style.names = NameStyle::Verbose;
                }
                self.value(value);
                self.style.names = style;
            }
            Value::Ip(ip) => self.named(|w| w.ip_octets(ip), |w| w.ip(ip, None)),
            Value::Or(parts) => self.list(parts, "|"),
            Value::Known(number, meaning) => self.named(|w| w.value(number), |w| w.by_name(meaning)),
            Value::Macro { number, name, args } => self.named(|w| w.value(number), |w| w.macro_call(name, args)),
            Value::Split(number, parts) => self.value(if self.style.names == NameStyle::Raw { number } else { parts }),
            Value::Bitmap(names, words) => match self.style.names {
                NameStyle::Raw => self.value(words),
                NameStyle::Abbrev => self.value(names),
                NameStyle::Verbose => {
                    self.value(names);
                    self.comment(|w| w.value(words));
                }
            },
            Value::Remarked(number, remark) => {
                self.value(number);
                if self.style.names != NameStyle::Raw {
                    self.comment(|w| w.remark(remark));
                }
            }
            Value::Extra { from, to, bytes } => {
                self.str("/* bytes ");
                self.range(from, to);
                self.str(" */ ");
                self.value(bytes);
            }
            Value::Absent => {}
            Value::WaitStatus(status) => self.wait_status(status),
            Value::Time { sec, part, digits } => clock::moment(self.out, sec, part, digits),
            Value::Change(before, after) => {
                self.value(before);
                self.str(" => ");
                self.value(after);
            }
            Value::Comment(value, comment) => {
                self.value(value);
                self.comment(|w| w.remark(comment));
            }
            Value::Labelled(value, context) => {
                self.value(value);
                self.str(" [");
                escape_path(self.out, context, HexStrings::Never);
                self.str("]");
            }
            Value::Styled(value) => self.value(value),
            Value::Gloss(value) => self.by_name(value),
            Value::Becomes(value) => {
                self.str(" => ");
                self.value(value);
            }
            Value::Word(text) => self.ascii(text),
            Value::Unnamed(set) => self.str(set.unknown),
            Value::Unknown => self.str("???"),
            Value::Unreadable => self.str("?"),
            Value::LeftOut => self.str("..."),
            Value::Char(byte) => self.character(byte, true),
            Value::CodeChar(byte) => self.character(byte, false),
            Value::Unary(prefix, value) => {
                self.out.push(match prefix {
                    Prefix::Not => b'!',
                    Prefix::Complement => b'~',
                    Prefix::Minus => b'-',
                });
                self.value(value);
            }
            Value::Binary(left, operator, right) => self.binary(left, operator, right, false),
            Value::Range(from, to) => {
                from.into_iter().for_each(|n| self.int(n));
                self.str("..");
                to.into_iter().for_each(|n| self.int(n));
            }
            Value::Place { unit, from, to, content } => {
                self.str(unit);
                self.out.push(b' ');
                self.range(from, to);
                if let Some(content) = content {
                    self.str(": ");
                    self.value(content);
                }
            }
            Value::Indexed(index, value) => {
                self.out.push(b'[');
                self.value(index);
                self.str("]=");
                self.value(value);
            }
            Value::Quantity(amount, unit) => {
                self.value(amount);
                match unit {
                    "percent" => self.out.push(b'%'),
                    _ => {
                        self.out.push(b' ');
                        self.str(unit);
                    }
                }
            }
            Value::Decimal { raw, digits } => self.decimal(raw, digits),
            Value::Designation(of) => self.identity(of),
            Value::Namespace { kind, inode } => {
                self.str(kind);
                self.str(":[");
                self.int(inode);
                self.out.push(b']');
            }
            Value::OneOf(names) => self.list(names, " or "),
            Value::Resumes(name) => {
                self.str("<... resuming interrupted ");
                self.str(name);
                self.str(" ...>");
            }
            Value::NarrowError(raw) => {
                self.int(raw);
                if let Some((name, _)) = names::errno((raw as i32).unsigned_abs()) {
                    self.out.push(b' ');
                    self.str(name);
                }
            }
            Value::Titled(title, value) => {
                self.str(title);
                self.out.push(b' ');
                self.value(value);
            }
            Value::Named(name, value) => {
                self.str(name);
                self.out.push(b'=');
                self.value(value);
            }
            Value::Seq(items) => self.list(items, ", "),
        }
    }

    /// The inside of a comment. Sums have blanks there, and a name is followed by a colon.
    pub fn remark(&mut self, remark: &Value<'_>) {
        match *remark {
            Value::Binary(left, operator @ (Operator::Plus | Operator::Times), right) => {
                self.binary(left, operator, right, true);
            }
            Value::Named(name, value) => {
                self.str(name);
                self.str(": ");
                self.value(value);
            }
            _ => self.value(remark),
        }
    }

    /// Two values and what stands between them. The place of a shift that is not a plain number is put in parentheses.
    fn binary(&mut self, left: &Value<'_>, operator: Operator, right: &Value<'_>, blanks: bool) {
        let blank = if blanks { " " } else { "" };
        self.value(left);
        self.str(blank);
        self.str(match operator {
            Operator::ShiftLeft => "<<",
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Times => "*",
            Operator::Over => "/",
        });
        self.str(blank);
        if operator == Operator::ShiftLeft && matches!(right, Value::Binary(..)) {
            self.out.push(b'(');
            self.value(right);
            self.out.push(b')');
        } else {
            self.value(right);
        }
    }

    fn range(&mut self, from: u64, to: u64) {
        self.int(from);
        self.str("..");
        self.int(to);
    }

    /// The meaning of a number, in angle brackets. The bytes are the tracee's.
    pub fn angled(&mut self, bytes: &[u8]) {
        self.out.push(b'<');
        self.escaped(bytes);
        self.out.push(b'>');
    }

    /// A name without quotes.
    pub fn escaped(&mut self, bytes: &[u8]) {
        escape_path(self.out, bytes, HexStrings::Never);
    }

    fn fd(&mut self, fd: i32, note: Option<&FdNote<'_>>) {
        const AT_FDCWD: i32 = -100;
        if fd == AT_FDCWD {
            self.named(|w| w.int(fd), |w| w.str("AT_FDCWD"));
        } else {
            self.int(fd);
        }
        if let Some(note) = note {
            self.out.push(b'<');
            escape_path(self.out, note.path, HexStrings::Never);
            self.ascii(note.detail);
            self.out.push(b'>');
            if note.deleted {
                self.str("(deleted)");
            }
        }
    }

    /// Text that a decoder claims is printable ASCII. Other bytes are dropped all the same, so none reaches a terminal.
    fn ascii(&mut self, text: &str) {
        self.out.extend(text.bytes().filter(|b| (0x20..0x7f).contains(b)));
    }

    fn text(&mut self, text: Text<'_>) {
        let hex = if text.kind == TextKind::HexBytes { HexStrings::All } else { self.style.hex_strings };
        if let (TextKind::Abstract, Some((0, name))) = (text.kind, text.bytes.split_first()) {
            self.out.push(b'@');
            return quote(self.out, name, hex);
        }
        quote(self.out, if hex.all_of(text.bytes) { text.bytes } else { text.shown() }, hex);
        if text.cut {
            self.str("...");
        }
    }

    /// A macro call. Its arguments follow the style.
    pub fn macro_call(&mut self, name: &str, args: &[Value<'_>]) {
        self.str(name);
        self.out.push(b'(');
        self.list(args, ", ");
        self.out.push(b')');
    }

    /// Shows a value by its name alone, where its number is shown already.
    fn by_name(&mut self, value: &Value<'_>) {
        let style = self.style;
        self.style = Style { names: NameStyle::Abbrev, in_comment: style.names == NameStyle::Verbose, ..style };
        self.value(value);
        self.style = style;
    }
}
