//! Values as strace writes them.

use crate::{HexStrings, NameStyle, Style, clock, escape_path, names, quote};
use std::io::Write as _;
use std::net::IpAddr;
use stride_decode::{Designation, FdNote, Member, Operator, Prefix, Tail, Text, TextKind, Value};
use stride_syscalls::sets::process::PTRACE_EVENT;
use stride_syscalls::{FlagPart, Set};

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
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.str("0x");
        let digits = (67 - v.leading_zeros()) / 4;
        for i in (0..digits).rev() {
            self.out.push(DIGITS[(v >> (4 * i)) as usize & 15]);
        }
    }

    /// As many digits as fit the width. Zero has no `0x`, as with printf's `%#0*x`.
    fn ticks(&mut self, v: u64) {
        self.int(v);
        if v != 0 && self.style.names != NameStyle::Raw {
            self.comment(|w| {
                w.int(v / 100);
                w.out.extend_from_slice(&[b'.', b'0' + (v / 10 % 10) as u8, b'0' + (v % 10) as u8]);
                w.str(" s");
            });
        }
    }

    fn errno(&mut self, v: i32) {
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

    /// Octal with at least three digits, as permissions are written.
    pub fn octal(&mut self, v: u64) {
        let digits = match v {
            0 => 3,
            _ => {
                self.out.push(b'0');
                ((66 - v.leading_zeros()) / 3).max(2)
            }
        };
        for i in (0..digits).rev() {
            self.out.push(b'0' + ((v >> (3 * i)) & 7) as u8);
        }
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
                self.out.push(b' ');
                self.str(unit);
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

    /// A character as C has it, with or without the letters for controls: `\n`.
    fn character(&mut self, byte: u8, letters: bool) {
        self.out.push(b'\'');
        match byte {
            b'"' => self.out.push(b'"'),
            b'\'' => self.str("\\'"),
            b'\\' => self.str("\\\\"),
            byte => match quote::letter(byte).filter(|_| letters) {
                Some(letter) => self.out.extend_from_slice(&[b'\\', letter]),
                None if quote::is_plain(byte) => self.out.push(byte),
                // Writing to memory does not fail.
                None => _ = write!(self.out, "\\x{byte:02x}"),
            },
        }
        self.out.push(b'\'');
    }

    fn decimal(&mut self, raw: i128, digits: u8) {
        let one = 10u128.pow(digits.min(38).into());
        if raw < 0 {
            self.out.push(b'-');
        }
        let size = raw.unsigned_abs();
        self.int(size / one);
        if digits > 0 {
            // Writing to memory does not fail.
            let _ = write!(self.out, ".{:0width$}", size % one, width = digits.into());
        }
    }

    fn identity(&mut self, of: Designation<'_>) {
        let mut bytes = |bytes: &[u8], between: &dyn Fn(usize) -> Option<char>| {
            for (i, byte) in bytes.iter().enumerate() {
                if let Some(between) = between(i) {
                    self.out.push(between as u8);
                }
                // Writing to memory does not fail.
                let _ = write!(self.out, "{byte:02x}");
            }
        };
        match of {
            Designation::Mac(mac) => bytes(mac, &|i| (i > 0).then_some(':')),
            Designation::Uuid(uuid) => bytes(uuid, &|i| matches!(i, 4 | 6 | 8 | 10).then_some('-')),
            Designation::CallSign(letters, station) => {
                self.ascii(letters);
                self.out.push(b'-');
                self.int(station);
            }
            Designation::NoCallSign => self.out.push(b'*'),
            Designation::Family(name) => escape_path(self.out, name, HexStrings::Never),
        }
    }

    /// A wait status, in the notation of the macros that test it. Bits that the macros do not cover follow as a number.
    fn wait_status(&mut self, status: u32) {
        let code = (status >> 8) & 0xff;
        let signal = |w: &mut Self, number: u32| match number {
            1..=64 => names::signal(w.out, number as i32),
            _ => w.int(number),
        };
        let mut rest = 0;
        match (status & 0x7f, status & 0x80 != 0) {
            _ if status == 0xffff => self.str("{WIFCONTINUED(s)}"),
            (0, _) => {
                self.str("{WIFEXITED(s) && WEXITSTATUS(s) == ");
                self.int(code);
                self.out.push(b'}');
                rest = status & 0x80;
            }
            (0x7f, true) => return self.hex(status.into()),
            (0x7f, false) => {
                self.str("{WIFSTOPPED(s) && WSTOPSIG(s) == ");
                signal(self, code & 0x7f);
                // Bit 7 marks the stop at a system call (PTRACE_O_TRACESYSGOOD).
                self.str(if code & 0x80 != 0 { " | 0x80}" } else { "}" });
            }
            (number, core) => {
                self.str("{WIFSIGNALED(s) && WTERMSIG(s) == ");
                signal(self, number);
                self.str(if core { " && WCOREDUMP(s)}" } else { "}" });
                rest = status & 0xff00;
            }
        }
        if rest != 0 {
            self.out.push(b'|');
            self.hex(rest.into());
        }
        let event = status >> 16;
        if event != 0 {
            self.out.push(b'|');
            self.enumeration(event.into(), &PTRACE_EVENT);
            self.str("<<16");
        }
    }

    /// The meaning of a number, in angle brackets. The bytes are the tracee's.
    pub fn angled(&mut self, bytes: &[u8]) {
        self.out.push(b'<');
        escape_path(self.out, bytes, HexStrings::Never);
        self.out.push(b'>');
    }

    fn list(&mut self, items: &[Value<'_>], between: &str) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.str(between);
            }
            self.value(item);
        }
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

    fn pad_hex(&mut self, raw: u64, width: usize) {
        let from = self.out.len();
        if raw == 0 {
            self.out.resize(from + width, b'0');
            return;
        }
        self.hex(raw);
        let missing = width.saturating_sub(self.out.len() - from);
        self.out.splice(from + 2..from + 2, std::iter::repeat_n(b'0', missing));
    }

    fn ip_octets(&mut self, ip: IpAddr) {
        match ip {
            IpAddr::V4(ip) => quote(self.out, &ip.octets(), HexStrings::All),
            IpAddr::V6(ip) => quote(self.out, &ip.octets(), HexStrings::All),
        }
    }

    /// The C call that makes this address, with the struct member that holds it.
    fn ip(&mut self, ip: IpAddr, member: Option<&str>) {
        // Writing to memory does not fail.
        let _ = match (ip, member) {
            (IpAddr::V6(ip), member) if embeds_ipv4(ip) => {
                let [.., a, b, c, d] = ip.octets();
                match member {
                    None => write!(self.out, "inet_pton(AF_INET6, \"::{a}.{b}.{c}.{d}\")"),
                    Some(member) => write!(self.out, "inet_pton(AF_INET6, \"::{a}.{b}.{c}.{d}\", &{member})"),
                }
            }
            (IpAddr::V4(ip), _) => write!(self.out, "inet_addr(\"{ip}\")"),
            (IpAddr::V6(ip), None) => write!(self.out, "inet_pton(AF_INET6, \"{ip}\")"),
            (IpAddr::V6(ip), Some(member)) => write!(self.out, "inet_pton(AF_INET6, \"{ip}\", &{member})"),
        };
    }

    fn tail(&mut self, empty: bool, tail: Tail) {
        match tail {
            Tail::End => {}
            Tail::More => self.str(if empty { "..." } else { ", ..." }),
            Tail::Unknown => self.str(if empty { "???" } else { ", ???" }),
            Tail::Unread(addr) => {
                self.str(if empty { "... /* " } else { ", ... /* " });
                self.hex(addr);
                self.str(" */");
            }
        }
    }

    fn strukt(&mut self, members: &[Member<'_>], tail: Tail) {
        self.out.push(b'{');
        for (i, m) in members.iter().enumerate() {
            if i > 0 {
                self.str(", ");
            }
            match m.value {
                Value::Ip(ip @ IpAddr::V6(_)) if self.style.names == NameStyle::Abbrev => self.ip(ip, Some(m.name)),
                value if m.name.is_empty() => self.value(&value),
                value => {
                    self.str(m.name);
                    self.out.push(b'=');
                    self.value(&value);
                }
            }
        }
        self.tail(members.is_empty(), tail);
        self.out.push(b'}');
    }

    fn array(&mut self, items: &[Value<'_>], tail: Tail) {
        self.out.push(b'[');
        self.list(items, ", ");
        self.tail(items.is_empty(), tail);
        self.out.push(b']');
    }

    /// The names of the bits, joined by `|`. Bits without a name follow as a number.
    fn flags(&mut self, raw: u64, set: &Set) {
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

    fn number(&mut self, raw: u64, set: &Set) {
        match (set.decimal, u32::try_from(raw)) {
            (false, _) => self.hex(raw),
            // A value with a name is the `int` of its header. A value without one is spelt as the member's type says.
            (true, Ok(raw)) if set.name_of(u64::from(raw)).is_some() => self.int(raw as i32),
            (true, _) => self.int(raw),
        }
    }

    /// Writes the names of the flags that are set. Returns whether there was one.
    fn flag_names(&mut self, raw: u64, set: &Set) -> bool {
        let mut first = true;
        set.parts(raw, |part| {
            if !std::mem::take(&mut first) {
                self.out.push(b'|');
            }
            match part {
                FlagPart::Name(name) => self.str(name),
                FlagPart::Rest(bits) => self.hex(bits),
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

    fn enumeration(&mut self, raw: u64, set: &Set) {
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

    /// The file type and the special bits as names, the permissions as a number. Permissions alone, or with an unknown
    /// type, are a bare number.
    fn mode(&mut self, raw: u64) {
        const TYPE: u64 = 0o170_000;
        const SPECIAL: [(u64, &str); 3] = [(0o4000, "S_ISUID"), (0o2000, "S_ISGID"), (0o1000, "S_ISVTX")];
        let kind = stride_syscalls::sets::files::FILE_TYPE.name_of(raw & TYPE);
        if kind.is_none() && (raw & TYPE != 0 || raw & 0o7000 == 0) {
            return self.octal(raw);
        }
        let special = SPECIAL.iter().filter(|(bit, _)| raw & bit != 0).map(|(_, name)| *name);
        self.named(
            |w| w.octal(raw),
            |w| {
                for name in kind.into_iter().chain(special) {
                    w.str(name);
                    w.out.push(b'|');
                }
                w.octal(raw & !(TYPE | 0o7000));
            },
        );
    }

    /// The members of a signal set. A set of most signals is written as its complement.
    fn sigset(&mut self, mask: &[u8]) {
        let has = |s: usize| mask.get((s - 1) / 8).is_some_and(|b| b & (1 << ((s - 1) % 8)) != 0);
        let total = mask.len() * 8;
        let count: usize = mask.iter().map(|b| b.count_ones() as usize).sum();
        let inverted = count >= total * 2 / 3 && total > 0;
        self.str(if inverted { "~[" } else { "[" });
        let mut first = true;
        for s in 1..=total {
            if has(s) == inverted {
                continue;
            }
            if !first {
                self.out.push(b' ');
            }
            first = false;
            // Inside a set the prefix is left out.
            self.named(|w| w.int(s), |w| names::signal_short(w.out, s as i32));
        }
        self.out.push(b']');
    }
}

/// True if inet_ntop(3) ends this IPv4-compatible address with a dotted quad, which Rust does not.
fn embeds_ipv4(ip: std::net::Ipv6Addr) -> bool {
    let s = ip.segments();
    s[..6].iter().all(|&s| s == 0) && s[6] != 0
}
