//! Typed values, which decoders return and all views read.

use stride_syscalls::{PidKind, Set};

/// One decoded value. Slices live in the decoder's arena until the next call is decoded.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Int(i64),
    UInt(u64),
    /// Shown in hexadecimal.
    Hex(u64),
    /// Clock ticks, of which there are 100 a second (`USER_HZ`).
    Ticks(u64),
    /// An error number, which may be negated.
    Errno(i32),
    /// Permission bits and the like, shown in octal.
    Octal(u64),
    /// A pointer that is not followed, or whose target could not be read.
    Addr(u64),
    Fd {
        fd: i32,
        /// True if the descriptor belongs to another process.
        foreign: bool,
        note: Option<&'a FdNote<'a>>,
    },
    Pid {
        id: i32,
        kind: PidKind,
        note: PidNote<'a>,
    },
    /// A flag word with the set that names its bits.
    Flags {
        raw: u64,
        set: &'static Set,
    },
    /// A value of an enumeration.
    Enum {
        raw: u64,
        set: &'static Set,
    },
    /// A symbolic name with its number, for names that are in no set.
    Name {
        raw: u64,
        name: &'static str,
    },
    Signal(i32),
    Text(Text<'a>),
    Struct(&'a [Member<'a>], Tail),
    Array(&'a [Value<'a>], Tail),
    /// The signals of a set, as the kernel's little-endian bit mask.
    SigSet(&'a [u8]),
    /// A set of plain members separated by blanks: `[3 4]` of select.
    Set(&'a [Value<'a>]),
    /// `st_mode`: file type and permissions.
    Mode(u64),
    /// A number in the notation of a C call, such as `makedev(0x8, 0x1)` or `htons(80)`.
    Notation {
        raw: u64,
        name: &'static str,
        args: &'a [Value<'a>],
    },
    /// A number at least as wide as `printf("%#0*x")` makes it: `0x05`, and zero as bare digits. The width includes the `0x`.
    PadHex {
        raw: u64,
        width: u8,
    },
    /// A flag word or enumeration whose number is shown even if names are wanted.
    Numbered(&'a Value<'a>),
    /// An IP address. An IPv6 address in a struct is shown with the name of its member.
    Ip(std::net::IpAddr),
    /// Parts joined by `|`, for words that mix enumerations, flags and numbers.
    Or(&'a [Value<'a>]),
    /// A number with its meaning, where neither hexadecimal nor a set gives it: a key's serial and its special name,
    /// the bytes of a port and `htons(80)`.
    Known(&'a Value<'a>, &'a Value<'a>),
    /// A number written as a C macro's call: `IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4)`.
    Macro {
        number: &'a Value<'a>,
        name: &'static str,
        args: &'a [Value<'a>],
    },
    /// A moment, for a comment: seconds since the epoch and a fraction with this many digits.
    Time {
        sec: i64,
        part: u32,
        digits: u8,
    },
    /// A number, and its parts, each of which is shown as the style says. If only numbers are wanted, the whole number is
    /// shown.
    Split(&'a Value<'a>, &'a Value<'a>),
    /// Names, and the words that hold them as bits.
    Bitmap(&'a Value<'a>, &'a Value<'a>),
    /// A number with a comment in place of a name: how an unknown name is marked, or what the number amounts to. The
    /// comment is left out if only numbers are wanted.
    Nameless(&'a Value<'a>, &'a Value<'a>),
    /// The value before the call and the value after it.
    Change(&'a Value<'a>, &'a Value<'a>),
    /// A value with a comment, which machines may skip.
    Comment(&'a Value<'a>, &'a Value<'a>),
    /// A comment followed by a value.
    Remark(&'a Value<'a>, &'a Value<'a>),
    /// A wait status and its spelling.
    WaitStatus(u32, &'a Value<'a>),
    /// A member that does not exist in this case; it is left out.
    Absent,
    /// A value that is shown by name in every style.
    Symbolic(&'a Value<'a>),
    /// The value of the argument before this one after the call. It has no name of its own.
    Becomes(&'a Value<'a>),
    /// Names in a note. They are left out if names are not wanted.
    Gloss(&'a Value<'a>),
    /// A value in the style of the arguments, within a note that otherwise shows names.
    Styled(&'a Value<'a>),
    /// Stride's own text, such as a shift between parts of a number.
    Literal(&'static str),
    /// Free text without quotes, such as the inside of a comment.
    Plain(&'a [u8]),
    /// Text that a decoder claims is printable ASCII.
    Ascii(&'a str),
    /// `name=value` outside a struct.
    Named(&'static str, &'a Value<'a>),
    /// Values in a row, without brackets: `in [3], left {…}`.
    Seq(&'a [Value<'a>]),
    /// A file with its SELinux context, if views show that.
    Labelled(&'a Value<'a>, &'a [u8]),
    /// Parts without anything between them.
    Glue(&'a [Value<'a>]),
}

/// The note of `--decode-pids` for a process or thread id.
#[derive(Clone, Copy, Debug, Default)]
pub struct PidNote<'a> {
    /// The command's name.
    pub comm: Option<&'a [u8]>,
    /// The id in the tracer's PID namespace, if the tracee is in another.
    pub outer: Option<i32>,
}

/// The referent of a descriptor, from [`crate::FdInfo`].
#[derive(Clone, Copy, Debug)]
pub struct FdNote<'a> {
    pub path: &'a [u8],
    pub detail: &'a str,
    pub deleted: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Empty for bytes outside the description, behind a struct that is larger than known.
    pub name: &'static str,
    pub value: Value<'a>,
}

impl Member<'_> {
    /// Stands for members that are left out in the middle of a struct.
    pub const LEFT_OUT: Member<'static> = Member { name: "", value: Value::Ascii("...") };

    pub fn is_left_out(&self) -> bool {
        self.name.is_empty() && matches!(self.value, Value::Ascii("..."))
    }
}

/// The part after the last member or element that is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tail {
    /// Nothing.
    End,
    /// More, which was left out for brevity.
    More,
    /// More, from this address on, that could not be read.
    Unread(u64),
    /// More, which is unknown.
    Unknown,
}

/// Bytes of the tracee. They are hostile, so every sink escapes them.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    pub bytes: &'a [u8],
    /// True if there are more bytes than these.
    pub cut: bool,
    pub kind: TextKind,
}

impl<'a> Text<'a> {
    /// The bytes that are shown as text.
    pub fn shown(&self) -> &'a [u8] {
        match self.bytes {
            [bytes @ .., 0] if self.kind == TextKind::Terminated && !self.cut => bytes,
            bytes => bytes,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextKind {
    Path,
    Str,
    /// A buffer, in which a NUL has no meaning.
    Bytes,
    /// A buffer that mostly holds a string. Its final NUL is shown only if the bytes are written in hexadecimal.
    Terminated,
    /// A buffer shown as hexadecimal escapes (`"\x00\x01"`), such as a hardware address.
    HexBytes,
}
