//! The closed vocabulary of types: how an argument or a struct member is read, captured and shown.

use crate::{Abi, Irregular, Set, Struct};

/// The phases in which the memory behind a pointer is valid.
///
/// The kernel may overwrite what a program passed. The ptrace engine reads at entry, before that. The eBPF engine
/// reads as much as it can at exit, in one record, so the direction must say what survives. A wrong direction cannot
/// be seen under ptrace, so the tests run every program under both engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dir {
    /// The program wrote it before the call.
    In,
    /// As `In`, but the kernel overwrites it with something that is not shown (copy_file_range's offsets). An engine
    /// that reads memory when the call returns must read this one earlier.
    InLost,
    /// The kernel fills it in; read at exit, and only after success.
    Out,
    /// Read at entry and again at exit. The decoder decides which of them it shows, or both.
    InOut,
    /// As `Out`, but the kernel may fill it in although the call fails (nanosleep's remaining time).
    OutAlways,
    /// As `InOut`, read at exit although the call fails (sched_setattr's size).
    InOutAlways,
}

impl Dir {
    /// True if the program's own bytes, from before the call, are read.
    pub const fn at_entry(self) -> bool {
        matches!(self, Dir::In | Dir::InLost | Dir::InOut | Dir::InOutAlways)
    }

    /// True if only the program's own bytes are shown.
    pub const fn is_in(self) -> bool {
        matches!(self, Dir::In | Dir::InLost)
    }

    /// True if the program's bytes are gone when the call has returned.
    pub const fn is_lost(self) -> bool {
        matches!(self, Dir::InLost | Dir::InOut | Dir::InOutAlways)
    }

    /// True if memory of this direction is read when the call has returned with success, or without.
    pub const fn at_exit(self, success: bool) -> bool {
        match self {
            Dir::In | Dir::InLost => false,
            Dir::Out | Dir::InOut => success,
            Dir::OutAlways | Dir::InOutAlways => true,
        }
    }
}

/// A length, by the name of the sibling argument, or of the sibling member inside a struct. Never by position.
#[derive(Clone, Copy, Debug)]
pub enum Len {
    /// This many.
    Fixed(usize),
    /// The value of a sibling. For [`Ty::Array`] it counts elements, for [`Ty::Bytes`] bytes.
    Of(&'static str),
    /// The result of the call.
    Ret,
    /// The `unsigned int` behind the sibling pointer (`socklen_t *addrlen`), before and after the call.
    Deref(&'static str),
    /// Elements until one that is zero (argv).
    UntilZero,
    /// The value of a sibling minus `less` (which may be negative), in units, rounded up: pages of a length, words of
    /// a number of bits.
    Units {
        /// The name of the sibling.
        of: &'static str,
        /// The number by which the length is less than the sibling's value.
        less: i8,
        /// The unit in which it is measured.
        unit: Unit,
    },
}

/// The size of the unit by which [`Len::Units`] counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// 4096 bytes.
    Page,
    /// The bits of a `long` of the call's ABI.
    WordBits,
    /// The bits of a byte.
    ByteBits,
    /// One byte, or one of whatever is counted.
    One,
}

impl Unit {
    /// The unit as a power of two.
    pub const fn shift(self, abi: Abi) -> u8 {
        match self {
            Unit::Page => 12,
            Unit::One => 0,
            Unit::ByteBits => 3,
            Unit::WordBits => abi.word().trailing_zeros() as u8 + 3,
        }
    }
}

/// The number of units of `1 << shift` that make up `value - less`, rounded up.
pub const fn units(value: u64, less: i8, shift: u8) -> u64 {
    let rest =
        if less < 0 { value.saturating_add(less.unsigned_abs() as u64) } else { value.saturating_sub(less as u64) };
    (rest >> shift) + (rest & ((1 << shift) - 1) != 0) as u64
}

/// The size of a scalar in memory. In a register, every scalar arrives in 64 bits and is cut to this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// One byte.
    W1,
    /// Two bytes.
    W2,
    /// Four bytes.
    W4,
    /// Eight bytes.
    W8,
    /// `long` or pointer of the call's ABI.
    Word,
}

impl Width {
    /// The size in bytes.
    pub const fn bytes(self, abi: Abi) -> usize {
        match self {
            Width::W1 => 1,
            Width::W2 => 2,
            Width::W4 => 4,
            Width::W8 => 8,
            Width::Word => abi.word(),
        }
    }
}

/// The kind of id that a pid-like number is, for `--decode-pids` and JSON.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PidKind {
    /// A thread.
    Tid,
    /// A process.
    Tgid,
    /// A process group.
    Pgid,
    /// A session.
    Sid,
}

/// The type of an argument or member: how its bytes are read and what they mean.
#[derive(Clone, Copy, Debug)]
pub enum Ty {
    // --- scalars; widths are those in memory when no struct layout says otherwise ---
    /// `int`, decimal.
    Int,
    /// `unsigned int`, decimal.
    UInt,
    /// `long`, decimal.
    Long,
    /// `unsigned long` or `size_t`, decimal.
    ULong,
    /// `long long`, decimal; as an argument, two registers on 32-bit ABIs.
    I64,
    /// `unsigned long long`, decimal; as an argument, two registers on 32-bit ABIs.
    U64,
    /// `unsigned int` in hexadecimal (`0` for zero).
    Hex,
    /// `unsigned long` in hexadecimal.
    HexLong,
    /// An address that is not followed; `NULL` for zero.
    Addr,
    /// A descriptor.
    Fd,
    /// A directory descriptor, or `AT_FDCWD`.
    DirFd,
    /// An id of this kind.
    Pid(PidKind),
    /// User or group id; `-1` when all bits are set.
    Uid,
    /// A group id; all bits set is -1.
    Gid,
    /// A signal number.
    Signal,
    /// `st_mode`: file type and permissions (`S_IFREG|0644`).
    Mode,
    /// Permission bits alone, octal (`0644`).
    Perm,
    /// `dev_t`, shown as `makedev(major, minor)`.
    Dev,
    /// `int` flag word.
    Flags(&'static Set),
    /// `int` enumeration.
    Enum(&'static Set),
    /// A clock: clock_gettime(2).
    ClockId,
    /// `clock_t`, decimal, in ticks of which there are 100 a second.
    Ticks,
    /// The same scalar with another width: `As(Width::Word, &Ty::Flags(&X))` for an `unsigned long` flag word.
    As(Width, &'static Ty),

    // --- memory ---
    /// Pointer to a NUL-terminated path, read whole.
    Path,
    /// Pointer to a NUL-terminated string, cut at `-s`.
    Str,
    /// Pointer to a buffer, cut at `-s`.
    Bytes(Dir, Len),
    /// Pointer to a buffer that a decoder reads whole: captured up to so many bytes, regardless of `-s`.
    Buffer(Dir, Len, u32),
    /// Pointer to one value.
    Ptr(Dir, &'static Ty),
    /// Pointer to several values.
    Array(Dir, &'static Ty, Len),
    /// Pointer to several values that a decoder reads whole: captured up to so many, regardless of `-s`.
    Table(Dir, &'static Ty, Len, u32),
    /// Pointer to an extensible struct, with the size that the program gives. It is not followed below the minimum
    /// size. Bytes beyond the known struct are shown unless all of them are zero.
    Extensible(Dir, &'static Struct, Len, usize),
    /// A pointer to iovecs with their buffers.
    Iovec(Dir, Len),
    /// Pointer to a socket address of the given size.
    Sockaddr(Dir, Len),
    /// Pointer to a signal set of the given size in bytes.
    SigSet(Dir, Len),

    /// Pointer to a struct that the program fills in partly, and the kernel partly. Members are shown as the program
    /// left them, except those that are a [`Ty::Reply`].
    Exchange(&'static Struct),
    /// Pointer to a struct of which the kernel reads other members than it fills in. Shown are the input and, after
    /// success, the output.
    Turn(&'static Struct, &'static Struct),

    /// Pointer to a struct whose members are the call's arguments. Only i386's first mmap(2) has one. Engines report
    /// the call that is meant ([`crate::multiplexed`]), so the row serves calls whose arguments could not be read, and
    /// older recordings.
    Spread(&'static Struct),

    // --- members of structs ---
    /// A member of a [`Ty::Exchange`] that the kernel filled in: read at exit, and shown only after success.
    Reply(&'static Ty),
    /// Shown unless all its bytes are zero (reserved members).
    NonZero(&'static Ty),

    /// The memory at the stack pointer at entry. It takes the place of an argument, but no register.
    Stack(&'static Ty),

    // --- inline, behind a pointer or inside a struct ---
    /// A struct within another one, or behind a [`Ty::Ptr`].
    Struct(&'static Struct),
    /// A `char[]` member holding a NUL-terminated string.
    CStr,
    /// A member that is an array of a scalar; the count comes from the layout.
    Items(&'static Ty),
    /// Uninterpreted bytes, of this size when no layout gives one.
    Blob(usize),

    // --- choice ---
    /// The type depends on a sibling argument.
    Select(&'static Select),
    /// Several shapes for one place. A decoder chooses between them, and all of them are captured. The first one says
    /// what the place holds.
    Shapes(&'static [Ty]),
    /// Decoded by a function. The shape declares what is captured.
    Custom(Irregular, &'static Ty),
}

/// A choice by the value of a sibling argument (ioctl's request, fcntl's cmd).
#[derive(Debug)]
pub struct Select {
    /// The argument that decides.
    pub on: SelectKey,
    /// The types by the argument's value.
    pub cases: &'static [Case],
    /// The type for all other values.
    pub default: Ty,
}

/// The value that a choice depends on: `(arg >> shift) & mask`, of one argument or of two (`level`, `optname`: the
/// second in the upper half).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectKey {
    /// The name of the argument.
    pub arg: &'static str,
    /// The name of a second argument, if two decide.
    pub second: Option<&'static str>,
    /// The argument's value is shifted right by so many bits.
    pub shift: u8,
    /// The bits that count, after the shift.
    pub mask: u64,
    /// The value is a request of ioctl(2), which may have another number on i386.
    pub request: bool,
}

impl SelectKey {
    /// The key that is a request of ioctl(2).
    pub const fn request(arg: &'static str) -> SelectKey {
        SelectKey { request: true, ..SelectKey::of(arg) }
    }

    /// The key that is the lower half of an argument.
    pub const fn of(arg: &'static str) -> SelectKey {
        SelectKey { arg, second: None, shift: 0, mask: 0xffff_ffff, request: false }
    }

    /// The key that is these bits of an argument.
    pub const fn masked(arg: &'static str, mask: u64) -> SelectKey {
        SelectKey { arg, second: None, shift: 0, mask, request: false }
    }

    /// The key that is two arguments together.
    pub const fn pair(first: &'static str, second: &'static str) -> SelectKey {
        SelectKey { arg: first, second: Some(second), shift: 0, mask: 0xffff_ffff, request: false }
    }

    /// The key of a pair, as [`Case`] values spell it.
    pub const fn both(first: u64, second: u64) -> u64 {
        (first & 0xffff_ffff) | (second << 32)
    }
}

/// A value of the key and the type that it selects.
#[derive(Debug, Clone, Copy)]
pub struct Case(pub u64, pub Ty);

impl Ty {
    /// Size in memory, in bytes.
    pub const fn size(&self, abi: Abi) -> usize {
        match self {
            Ty::Int
            | Ty::UInt
            | Ty::Hex
            | Ty::Fd
            | Ty::DirFd
            | Ty::Pid(_)
            | Ty::Uid
            | Ty::Gid
            | Ty::Signal
            | Ty::Mode
            | Ty::Perm
            | Ty::Flags(_)
            | Ty::Enum(_)
            | Ty::ClockId => 4,
            Ty::I64 | Ty::U64 | Ty::Dev => 8,
            Ty::Long | Ty::ULong | Ty::HexLong | Ty::Addr | Ty::Ticks => abi.word(),
            Ty::Path
            | Ty::Str
            | Ty::Bytes(..)
            | Ty::Buffer(..)
            | Ty::Ptr(..)
            | Ty::Array(..)
            | Ty::Table(..)
            | Ty::Extensible(..)
            | Ty::Exchange(_)
            | Ty::Turn(..)
            | Ty::Iovec(..)
            | Ty::Sockaddr(..)
            | Ty::SigSet(..)
            | Ty::Spread(_)
            | Ty::Stack(_) => abi.word(),
            Ty::As(width, _) => width.bytes(abi),
            Ty::Struct(s) => s.size(abi),
            Ty::Blob(n) => *n,
            Ty::Items(_) | Ty::CStr => 0,
            Ty::Select(_) => abi.word(),
            Ty::Shapes(shapes) => shapes[0].size(abi),
            Ty::Custom(_, shape) | Ty::Reply(shape) | Ty::NonZero(shape) => shape.size(abi),
        }
    }

    /// True if the value lies behind a pointer held in the argument or member.
    pub const fn is_pointer(&self) -> bool {
        match self {
            Ty::Path
            | Ty::Str
            | Ty::Bytes(..)
            | Ty::Buffer(..)
            | Ty::Ptr(..)
            | Ty::Array(..)
            | Ty::Table(..)
            | Ty::Extensible(..)
            | Ty::Exchange(_)
            | Ty::Turn(..)
            | Ty::Iovec(..)
            | Ty::Sockaddr(..)
            | Ty::SigSet(..)
            | Ty::Spread(_)
            | Ty::Stack(_) => true,
            Ty::Shapes(shapes) => shapes[0].is_pointer(),
            Ty::As(_, shape) | Ty::Custom(_, shape) | Ty::Reply(shape) | Ty::NonZero(shape) => shape.is_pointer(),
            _ => false,
        }
    }

    /// True if an argument of this type takes two registers (low half first): 64-bit values on 32-bit ABIs.
    pub const fn is_wide(&self, abi: Abi) -> bool {
        match self {
            Ty::I64 | Ty::U64 | Ty::As(Width::W8, _) => abi.word() == 4,
            Ty::Custom(_, shape) => shape.is_wide(abi),
            _ => false,
        }
    }

    /// True if a value of this type lies inline in memory (a struct or array member), so that an address identifies it,
    /// and no register holds it.
    pub const fn is_inline(&self) -> bool {
        match self {
            Ty::Struct(_) | Ty::Blob(_) | Ty::Items(_) | Ty::CStr => true,
            Ty::Custom(_, shape) | Ty::Reply(shape) | Ty::NonZero(shape) => shape.is_inline(),
            _ => false,
        }
    }

    /// True if a value of this type can be shown only when the call has returned.
    pub const fn needs_exit(&self) -> bool {
        match self {
            Ty::Bytes(d, l) | Ty::Buffer(d, l, _) | Ty::Iovec(d, l) | Ty::Sockaddr(d, l) | Ty::SigSet(d, l) => {
                !d.is_in() || matches!(l, Len::Ret)
            }
            Ty::Array(d, inner, l) | Ty::Table(d, inner, l, _) => {
                !d.is_in() || matches!(l, Len::Ret) || inner.needs_exit()
            }
            Ty::Extensible(d, s, l, _) => !d.is_in() || matches!(l, Len::Ret) || Ty::Struct(s).needs_exit(),
            Ty::Ptr(d, inner) => !d.is_in() || inner.needs_exit(),
            Ty::Struct(s) => {
                let mut i = 0;
                while i < s.fields.len() {
                    if s.fields[i].ty.needs_exit() {
                        return true;
                    }
                    i += 1;
                }
                false
            }
            Ty::Shapes(shapes) => shapes[0].needs_exit(),
            Ty::Exchange(_) | Ty::Turn(..) | Ty::Reply(_) => true,
            Ty::Custom(which, shape) => !which.shown_at_entry() && shape.needs_exit(),
            Ty::NonZero(shape) => shape.needs_exit(),
            _ => false,
        }
    }
}
