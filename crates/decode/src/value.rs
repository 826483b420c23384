//! Typed values, which decoders return and all views read.

use stride_syscalls::{PidKind, Set};

/// One decoded value. Slices live in the decoder's arena until the next call is decoded.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A decimal number.
    Int(i64),
    /// A decimal number without a sign.
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
    /// A descriptor.
    Fd {
        /// Its number, or `AT_FDCWD`.
        fd: i32,
        /// True if the descriptor belongs to another process.
        foreign: bool,
        /// Its referent, if that was asked for.
        note: Option<&'a FdNote<'a>>,
    },
    /// A process, a thread or a group of them.
    Pid {
        /// The id in the PID namespace of the tracee.
        id: i32,
        /// The kind of id.
        kind: PidKind,
        /// Facts about its owner, if they were asked for.
        note: PidNote<'a>,
    },
    /// A flag word with the set that names its bits.
    Flags {
        /// The bits.
        raw: u64,
        /// The names.
        set: &'static Set,
    },
    /// A value of an enumeration.
    Enum {
        /// The number.
        raw: u64,
        /// The names.
        set: &'static Set,
    },
    /// A symbolic name with its number, for names that are in no set.
    Name {
        /// The number.
        raw: u64,
        /// The name.
        name: &'static str,
    },
    /// A signal number.
    Signal(i32),
    /// Bytes of the tracee.
    Text(Text<'a>),
    /// A struct.
    Struct(&'a [Member<'a>], Tail),
    /// An array.
    Array(&'a [Value<'a>], Tail),
    /// The signals of a set, as the kernel's little-endian bit mask.
    SigSet(&'a [u8]),
    /// A set of plain members separated by blanks: `[3 4]` of select.
    Set(&'a [Value<'a>]),
    /// `st_mode`: file type and permissions.
    Mode(u64),
    /// The call of a C macro or function that makes the value: `BPF_STMT(BPF_RET, 0)`, `htons(80)`.
    Call {
        /// The name of the macro or function.
        name: &'static str,
        /// The arguments.
        args: &'a [Value<'a>],
    },
    /// A number at least as wide as `printf("%#0*x")` makes it: `0x05`, and zero as bare digits. The width includes the
    /// `0x`.
    PadHex {
        /// The number.
        raw: u64,
        /// The characters that it takes at least.
        width: u8,
    },
    /// A flag word or enumeration whose number is shown even if names are wanted.
    Numbered(&'a Value<'a>),
    /// An IP address. An IPv6 address in a struct is shown with the name of its member.
    Ip(std::net::IpAddr),
    /// Parts joined by `|`, for words that mix enumerations, flags and numbers.
    Or(&'a [Value<'a>]),
    /// A number with its meaning, where neither hexadecimal nor a set gives it: a key's serial and its special name,
    /// the bytes of a port and the call `htons(80)`.
    Known(&'a Value<'a>, &'a Value<'a>),
    /// A number with the call of the C macro that makes it: `makedev(0x8, 0x1)`. The arguments follow the style.
    Macro {
        /// The number.
        number: &'a Value<'a>,
        /// The name of the macro.
        name: &'static str,
        /// The arguments.
        args: &'a [Value<'a>],
    },
    /// A moment, for a comment: seconds since the epoch and a fraction with this many digits.
    Time {
        /// Seconds since the epoch, which may be negative.
        sec: i64,
        /// The fraction of a second, in units of its last digit.
        part: u32,
        /// The number of digits of the fraction.
        digits: u8,
    },
    /// A number, and its parts, each of which is shown as the style says. If only numbers are wanted, the whole number
    /// is shown.
    Split(&'a Value<'a>, &'a Value<'a>),
    /// Names, and the words that hold them as bits.
    Bitmap(&'a Value<'a>, &'a Value<'a>),
    /// A number with a comment in place of a name: how an unknown name is marked, or what the number amounts to. The
    /// comment is left out if only numbers are wanted.
    Remarked(&'a Value<'a>, &'a Value<'a>),
    /// The value before the call and the value after it.
    Change(&'a Value<'a>, &'a Value<'a>),
    /// A value with a comment, which machines may skip.
    Comment(&'a Value<'a>, &'a Value<'a>),
    /// The bytes of a struct behind the members that Stride knows, and their place in it.
    Extra {
        /// The offset of the first byte in the struct.
        from: u64,
        /// The offset of the last byte.
        to: u64,
        /// The bytes.
        bytes: &'a Value<'a>,
    },
    /// The status that wait(2) returns.
    WaitStatus(u32),
    /// A member that does not exist in this case; it is left out.
    Absent,
    /// The value of the argument before this one after the call. It has no name of its own.
    Becomes(&'a Value<'a>),
    /// Names in a note. They are left out if names are not wanted.
    Gloss(&'a Value<'a>),
    /// A value in the style of the arguments, within a note that otherwise shows names.
    Styled(&'a Value<'a>),
    /// A name from a header, or a few words of Stride's own: `RLIM64_INFINITY`, `Timeout`.
    Word(&'a str),
    /// Stands for the name of a number that is in none of the names of this set.
    Unnamed(&'static Set),
    /// A value that is known to exist and could not be found out.
    Unknown,
    /// An argument of a library's function that lies where it cannot be read.
    Unreadable,
    /// Values that are left out for brevity.
    LeftOut,
    /// A character.
    Char(u8),
    /// A character that is part of a code, such as that of a pixel format. Controls are numbers there.
    CodeChar(u8),
    /// A value with something before it.
    Unary(Prefix, &'a Value<'a>),
    /// Two values and what connects them.
    Binary(&'a Value<'a>, Operator, &'a Value<'a>),
    /// Numbers from the first to the second. An end that is missing has no limit.
    Range(Option<u32>, Option<u32>),
    /// Bytes or bits of a larger whole, and their content where it is shown.
    Place {
        /// The name of the unit, as it is shown.
        unit: &'static str,
        /// The number of the first unit.
        from: u64,
        /// The number of the last unit.
        to: u64,
        /// The value of the place, where it is shown.
        content: Option<&'a Value<'a>>,
    },
    /// An element of an array, with its index.
    Indexed(&'a Value<'a>, &'a Value<'a>),
    /// An amount and its unit.
    Quantity(&'a Value<'a>, &'static str),
    /// A number in units of a power of ten, of which it has this many digits behind the point.
    Decimal {
        /// The number of units.
        raw: i128,
        /// The number of digits behind the point.
        digits: u8,
    },
    /// An address or id that has a notation of its own.
    Designation(Designation<'a>),
    /// A namespace: its kind, and the number of its inode.
    Namespace {
        /// The name of the kind: `net`, `pid`.
        kind: &'static str,
        /// The number of the inode.
        inode: u64,
    },
    /// Names that share a number. It is not known which of them is meant.
    OneOf(&'a [Value<'a>]),
    /// The call that restart_syscall(2) resumes.
    Resumes(&'static str),
    /// A negated error number in an `int` that was not sign-extended.
    NarrowError(i64),
    /// Words that say what a value in a note is: the `left` time, the `old mask`.
    Titled(&'static str, &'a Value<'a>),
    /// `name=value` outside a struct.
    Named(&'static str, &'a Value<'a>),
    /// Values in a row, without brackets: `in [3], left {…}`.
    Seq(&'a [Value<'a>]),
    /// A file with its SELinux context, if views show that.
    Labelled(&'a Value<'a>, &'a [u8]),
}

/// Stands before a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prefix {
    /// A flag that is not set.
    Not,
    /// All members of the set but these.
    Complement,
    /// The number is negative.
    Minus,
}

/// Stands between two values, which may be numbers and names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// The left one shifted left by the right one.
    ShiftLeft,
    /// The sum.
    Plus,
    /// The difference.
    Minus,
    /// The product.
    Times,
    /// The ratio.
    Over,
}

/// An address or id, in the notation of its field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Designation<'a> {
    /// A hardware address, byte by byte.
    Mac(&'a [u8]),
    /// 16 bytes.
    Uuid(&'a [u8]),
    /// The call sign of an amateur radio station, and the number of the station.
    CallSign(&'a str, u8),
    /// The address of no radio station in particular.
    NoCallSign,
    /// The name under which a family of generic netlink was registered. These bytes may be hostile.
    Family(&'a [u8]),
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
    /// A path, or the kernel's name if there is none (`pipe:[4711]`).
    pub path: &'a [u8],
    /// Details besides the path or instead of it, in printable ASCII.
    pub detail: &'a str,
    /// The file was deleted.
    pub deleted: bool,
}

/// A member of a struct.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Empty for bytes outside the description, behind a struct that is larger than known.
    pub name: &'static str,
    /// The value.
    pub value: Value<'a>,
}

impl Member<'_> {
    /// Stands for members that are left out in the middle of a struct.
    pub const LEFT_OUT: Member<'static> = Member { name: "", value: Value::LeftOut };

    /// True for [`Member::LEFT_OUT`].
    pub fn is_left_out(&self) -> bool {
        self.name.is_empty() && matches!(self.value, Value::LeftOut)
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
    /// The bytes, without a NUL at the end unless that is a part of them.
    pub bytes: &'a [u8],
    /// True if there are more bytes than these.
    pub cut: bool,
    /// How the bytes are shown.
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

/// How bytes are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextKind {
    /// A path.
    Path,
    /// The name of an abstract unix socket: a NUL, which is shown as `@`, and bytes without an end.
    Abstract,
    /// A string.
    Str,
    /// A buffer, in which a NUL has no meaning.
    Bytes,
    /// A buffer that mostly holds a string. Its final NUL is shown only if the bytes are written in hexadecimal.
    Terminated,
    /// A buffer shown as hexadecimal escapes (`"\x00\x01"`), such as a hardware address.
    HexBytes,
}
