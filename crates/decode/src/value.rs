//! Typed values: what a decoder returns and every view reads.

use stride_syscalls::{PidKind, Set};

/// One decoded value. Slices live in the decoder's arena until the next call is decoded.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Int(i64),
    UInt(u64),
    /// Shown in hexadecimal.
    Hex(u64),
    /// Hexadecimal with leading zeros, this wide with its `0x` (words of a bit mask).
    HexWide {
        raw: u64,
        width: u8,
    },
    /// Clock ticks, of which there are 100 a second (`USER_HZ`).
    Ticks(u64),
    /// An error number, which may be negated.
    Errno(i32),
    /// Permission bits and the like, shown in octal.
    Octal(u64),
    /// A pointer, shown as such because it is not followed, or because what it points at could not be read.
    Addr(u64),
    Fd {
        fd: i32,
        /// It is one of another process.
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
    /// A bare symbolic name with the number behind it, for names that no set holds.
    Name {
        raw: u64,
        name: &'static str,
    },
    Signal(i32),
    Text(Text<'a>),
    Struct(&'a [Member<'a>], Tail),
    Array(&'a [Value<'a>], Tail),
    /// The signals of a set: little-endian bit mask as the kernel keeps it.
    SigSet(&'a [u8]),
    /// A set of plain members separated by blanks: `[3 4]` of select.
    Set(&'a [Value<'a>]),
    /// `st_mode`: file type and permissions.
    Mode(u64),
    /// A notation in the form of a C call for a number, such as `makedev(0x8, 0x1)` or `htons(80)`.
    Notation {
        raw: u64,
        name: &'static str,
        args: &'a [Value<'a>],
    },
    /// A number as wide as `printf("%#0*x")` makes it: `0x05`, and zero as bare digits.
    PadHex {
        raw: u64,
        width: u8,
    },
    /// A flag word or enumeration whose number is shown even where names are wanted.
    Numbered(&'a Value<'a>),
    /// An IP address. As a member of a struct an IPv6 one is spelt with the member it is stored in.
    Ip(std::net::IpAddr),
    /// Parts joined by `|`, for words that mix enumerations, flags and numbers.
    Or(&'a [Value<'a>]),
    /// A number and what it means, where neither hexadecimal nor a set says it: a key's serial and its special name, the
    /// bytes of a port and `htons(80)`.
    Known(&'a Value<'a>, &'a Value<'a>),
    /// A number written as a C macro's call: `IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4)`.
    Macro {
        number: &'a Value<'a>,
        name: &'static str,
        args: &'a [Value<'a>],
    },
    /// A moment, for a comment: seconds since the epoch and a part of a second in this many digits.
    Time {
        sec: i64,
        part: u32,
        digits: u8,
    },
    /// A number with a comment that belongs to names: what a name would look like, were there one, or what the number
    /// amounts to. Who wants numbers only sees none.
    Nameless(&'a Value<'a>, &'a Value<'a>),
    /// What went in and what came out.
    Change(&'a Value<'a>, &'a Value<'a>),
    /// A value with a comment, which machines may skip.
    Comment(&'a Value<'a>, &'a Value<'a>),
    /// A value behind a comment.
    Remark(&'a Value<'a>, &'a Value<'a>),
    /// A wait status, and how it is spelt.
    WaitStatus(u32, &'a Value<'a>),
    /// A member that does not exist in this case; it is left out.
    Absent,
    /// By name, whatever the style.
    Symbolic(&'a Value<'a>),
    /// What the call made of the argument before this one; as an argument of its own it has no name.
    Becomes(&'a Value<'a>),
    /// Of a note: names, which are left out where there are to be none.
    Gloss(&'a Value<'a>),
    /// Written in the style of the arguments where the rest of a note keeps to names.
    Styled(&'a Value<'a>),
    /// Text of Stride's own, such as a shift between parts of a number.
    Literal(&'static str),
    /// Free text without quotes, such as the inside of a comment.
    Plain(&'a [u8]),
    /// Printable ASCII that a decoder vouches for.
    Ascii(&'a str),
    /// `name=value` outside a struct.
    Named(&'static str, &'a Value<'a>),
    /// Values in a row, without brackets: `in [3], left {…}`.
    Seq(&'a [Value<'a>]),
    /// The parts one after another with nothing between.
    Glue(&'a [Value<'a>]),
}

/// What `--decode-pids` adds to a process or thread id.
#[derive(Clone, Copy, Debug, Default)]
pub struct PidNote<'a> {
    /// The command's name.
    pub comm: Option<&'a [u8]>,
    /// The id in the tracer's PID namespace, if the tracee is in another.
    pub outer: Option<i32>,
}

/// What a descriptor refers to, as [`crate::FdInfo`] tells it.
#[derive(Clone, Copy, Debug)]
pub struct FdNote<'a> {
    pub path: &'a [u8],
    pub detail: &'a str,
    pub deleted: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Empty for what is no member of the description: the bytes behind a struct that is larger than known.
    pub name: &'static str,
    pub value: Value<'a>,
}

/// What follows the last shown member or element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tail {
    /// That was all.
    End,
    /// There is more that was left out for brevity.
    More,
    /// The rest, from this address on, could not be read.
    Unread(u64),
    /// There is more, and what it is could not be known.
    Unknown,
}

/// Bytes of the tracee. Hostile: every sink escapes for itself.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    pub bytes: &'a [u8],
    /// There is more than `bytes`.
    pub cut: bool,
    pub kind: TextKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextKind {
    Path,
    Str,
    /// A buffer: a NUL ends nothing.
    Bytes,
    /// A buffer shown as hexadecimal escapes (`"\x00\x01"`), such as a hardware address.
    HexBytes,
}
