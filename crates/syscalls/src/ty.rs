//! The closed vocabulary of types: how an argument or a struct member is read, captured and shown.

use crate::{Abi, Set, Struct};

/// When memory behind a pointer holds what is worth reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dir {
    /// The program wrote it before the call.
    In,
    /// As `In`, but the kernel writes over it and what it wrote is not shown (copy_file_range's offsets): an engine that reads
    /// memory when the call returns must read this before.
    InLost,
    /// The kernel fills it in; read at exit, and only after success.
    Out,
    /// Read at entry and again at exit; the decoder tells which it shows, or both.
    InOut,
    /// As `Out`, but the kernel may fill it in although the call fails (nanosleep's remaining time).
    OutAlways,
    /// As `InOut`, read at exit although the call fails (sched_setattr's size).
    InOutAlways,
}

impl Dir {
    /// Whether the program's own bytes, from before the call, are read.
    pub const fn at_entry(self) -> bool {
        matches!(self, Dir::In | Dir::InLost | Dir::InOut | Dir::InOutAlways)
    }

    /// Whether only the program's own bytes are shown.
    pub const fn is_in(self) -> bool {
        matches!(self, Dir::In | Dir::InLost)
    }

    /// Whether the program's bytes are gone once the call returned.
    pub const fn is_lost(self) -> bool {
        matches!(self, Dir::InLost | Dir::InOut | Dir::InOutAlways)
    }

    /// Whether it is read when the call returned, with success or without.
    pub const fn at_exit(self, success: bool) -> bool {
        match self {
            Dir::In | Dir::InLost => false,
            Dir::Out | Dir::InOut => success,
            Dir::OutAlways | Dir::InOutAlways => true,
        }
    }
}

/// A length: never by position. Names refer to the sibling argument, or to the sibling member inside a struct.
#[derive(Clone, Copy, Debug)]
pub enum Len {
    Fixed(usize),
    /// The value of a sibling. For [`Ty::Array`] it counts elements, for [`Ty::Bytes`] bytes.
    Of(&'static str),
    /// What the call returned.
    Ret,
    /// The `unsigned int` behind the sibling pointer (`socklen_t *addrlen`), before and after the call.
    Deref(&'static str),
    /// Elements until one that is zero (argv).
    UntilZero,
    /// The value of a sibling less `less` (or more, where that is negative), in units, rounded up: pages of a length,
    /// words of a number of bits.
    Units {
        of: &'static str,
        less: i8,
        unit: Unit,
    },
}

/// What [`Len::Units`] divides by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    Page,
    /// The bits of a `long` of the call's ABI.
    WordBits,
    /// The bits of a byte.
    ByteBits,
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

/// How many units of `1 << shift` make up `value - less`, the last one counted though it be not full.
pub const fn units(value: u64, less: i8, shift: u8) -> u64 {
    let rest =
        if less < 0 { value.saturating_add(less.unsigned_abs() as u64) } else { value.saturating_sub(less as u64) };
    (rest >> shift) + (rest & ((1 << shift) - 1) != 0) as u64
}

/// Size of a scalar in memory. In a register every scalar arrives in 64 bits and is cut to this.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    W1,
    W2,
    W4,
    W8,
    /// `long` or pointer of the call's ABI.
    Word,
}

impl Width {
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

/// Which kind of id a pid-like number is, for `--decode-pids` and JSON.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PidKind {
    /// A thread.
    Tid,
    /// A process.
    Tgid,
    Pgid,
    Sid,
}

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
    U64,
    /// `unsigned int` in hexadecimal (`0` for zero).
    Hex,
    /// `unsigned long` in hexadecimal.
    HexLong,
    /// An address that is not followed; `NULL` for zero.
    Addr,
    Fd,
    /// A directory descriptor, or `AT_FDCWD`.
    DirFd,
    Pid(PidKind),
    /// User or group id; `-1` when all bits are set.
    Uid,
    Gid,
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
    /// Pointer to a buffer that a decoder reads whole: captured up to so many bytes, whatever `-s` says.
    Buffer(Dir, Len, u32),
    /// Pointer to one value.
    Ptr(Dir, &'static Ty),
    /// Pointer to several values.
    Array(Dir, &'static Ty, Len),
    /// Pointer to several values that a decoder reads whole: captured up to so many, whatever `-s` says.
    Table(Dir, &'static Ty, Len, u32),
    /// Pointer to a struct that grows from kernel to kernel, with the size the program says it has. Below the
    /// minimum it is not followed; bytes beyond the known struct are shown unless all zero.
    Grown(Dir, &'static Struct, Len, usize),
    /// A pointer to iovecs with their buffers.
    Iovec(Dir, Len),
    /// Pointer to a socket address of the given size.
    Sockaddr(Dir, Len),
    /// Pointer to a signal set of the given size in bytes.
    SigSet(Dir, Len),

    /// Pointer to a struct of which the program fills in a part and the kernel another: members are shown as the
    /// program left them, but for those that are a [`Ty::Reply`].
    Exchange(&'static Struct),
    /// Pointer to a struct of which other members matter to the kernel than it fills in: shown as what went in and,
    /// after success, what came out.
    Turn(&'static Struct, &'static Struct),

    /// Pointer to a struct whose members stand as arguments of their own (calls that take their arguments from memory).
    Spread(&'static Struct),

    // --- members of structs ---
    /// What the kernel filled in of a [`Ty::Exchange`]: read at exit, and shown only after success.
    Reply(&'static Ty),
    /// Shown unless all its bytes are zero (reserved members).
    NonZero(&'static Ty),

    /// What lies at the stack pointer when the call is entered; it takes the place of an argument but no register.
    Stack(&'static Ty),

    // --- inline, behind a pointer or inside a struct ---
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
    /// Decoded by a function of its own; the shape declares what is captured.
    Custom(Irregular, &'static Ty),
}

/// A choice by the value of a sibling argument (ioctl's request, fcntl's cmd).
#[derive(Debug)]
pub struct Select {
    pub on: Key,
    pub cases: &'static [Case],
    pub default: Ty,
}

/// The value chosen on: `(arg >> shift) & mask`, of one argument or of two (`level`, `optname`: the second in the upper half).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    pub arg: &'static str,
    pub second: Option<&'static str>,
    pub shift: u8,
    pub mask: u64,
}

impl Key {
    pub const fn of(arg: &'static str) -> Key {
        Key { arg, second: None, shift: 0, mask: 0xffff_ffff }
    }

    pub const fn masked(arg: &'static str, mask: u64) -> Key {
        Key { arg, second: None, shift: 0, mask }
    }

    pub const fn pair(first: &'static str, second: &'static str) -> Key {
        Key { arg: first, second: Some(second), shift: 0, mask: 0xffff_ffff }
    }

    /// The key of a pair, as [`Case`] values spell it.
    pub const fn both(first: u64, second: u64) -> u64 {
        (first & 0xffff_ffff) | (second << 32)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Case(pub u64, pub Ty);

/// Decoders that need code: the names that `stride-decode` implements in `irregular/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Irregular {
    // files, paths, fcntl
    /// getdents64(2) records.
    Dirents64,
    /// getdents(2) records.
    Dirents,
    /// readdir(2)'s one record.
    OldDirent,
    /// A path that the kernel wrote, with its NUL, shown whole.
    PathOut,
    /// Seconds since the epoch with their date; the next member in memory holds the nanoseconds.
    DatedNsec,
    /// Seconds since the epoch with their date.
    Dated,
    /// A timeval or timespec with its date.
    DatedTime,
    /// A timespec of utimensat(2), which may stand for now or for no change.
    FileTime,
    /// A file offset before the call and, where it moved, after it.
    OffsetChange,
    /// An offset whose upper half lies in the argument before.
    SplitOffset,
    /// `mode` of `struct open_how`.
    OpenHowMode,
    /// `struct file_handle`.
    FileHandle,
    /// A path that is only written down, not followed: what a symbolic link points at.
    LinkTarget,
    /// A name of memfd_create(2), of which the kernel reads no more than fits a file name.
    MemfdName,
    /// A [`Ty::Grown`] that the kernel does not read when it is said to be larger than a page.
    UpToPage,
    // mount, xattr, notify, aio, keys
    /// The value of an extended attribute; a sibling `size` is its room.
    XattrValue,
    /// The names of extended attributes, each with its NUL.
    XattrList,
    /// mount(2): flags with the old mark, and what follows from them.
    MountFlags,
    MountType,
    MountData,
    /// fsconfig(2): strings and blobs of bounded length.
    FsString,
    FsBlob,
    SwapFlags,
    /// What `-P` does not go by, although it is a descriptor or path.
    Untouched,
    QuotaOp,
    StatmountReq,
    ListmountReq,
    Statmount,
    MountIds,
    /// A string of statmount(2)'s answer by its offset; several, as many as the named member says.
    StatmountStr,
    StatmountStrs(&'static str),
    /// Keys: serial numbers with the special ones named, and what keyctl(2) exchanges.
    KeySerial,
    KeyDefault,
    KeyError,
    KeyText,
    KeyData,
    KeyCaps,
    KeyOtherInfo,
    /// Bytes whose length is this member of the parameters.
    PkeyData(&'static str),
    LandlockRuleset,
    LsmContexts,
    LsmContext,
    FanotifyInit,
    FanotifyDir,
    /// io_submit(2)'s control blocks, io_cancel(2)'s, and members of them.
    Iocbs,
    IocbCancel,
    IocbPriority,
    /// A block's vectors, and their number where they cannot be shown.
    IocbVector,
    IocbVectorLen,
    IoPriority,
    UringFd,
    UringOpcode,
    /// An array of one number that the kernel may have changed.
    Change,

    // process, prctl, creds, limits, bpf, system
    /// execve(2)'s environment.
    Environ,
    /// The capability sets of capget(2).
    CapData,
    /// What wait4(2) fills in only when it reaped a child.
    Reaped,
    /// A child's wait status.
    WaitStatus,
    /// waitid(2)'s id, which its type tells the kind of.
    WaitId,
    /// clone(2)'s flags with the exit signal.
    CloneFlags,
    /// A signal number in 64 bits.
    WideSignal,
    /// prctl(2): SVE's and SME's vector length with flags, tagged addresses, RISC-V's vectors, a ptracer.
    SveLength,
    SmeLength,
    TaggedAddr,
    RiscvVector,
    PtracerPid,
    /// A string in a buffer, of which no more than so many bytes are looked at.
    CString(u8),
    /// `union bpf_attr`: the struct within it, and how many bytes are always shown.
    BpfAttr(&'static str, u16),
    /// The operation of an instruction, the verifier's log, a kernel's version, a NUMA node.
    BpfCode,
    BpfLog,
    KernelVersion,
    NumaNode,
    /// Followed only with `-v`.
    InFull,
    /// `struct perf_event_attr`.
    PerfAttr,
    /// An offset into `struct user`.
    UserOffset,
    /// A register set in an iovec, got or set.
    RegsetOut,
    RegsetIn,
    /// `struct seccomp_metadata`.
    SeccompMetadata,
    /// `struct ptrace_syscall_info`.
    SyscallInfo,
    /// The instructions of a seccomp program.
    SeccompInstructions,
    /// A seccomp program: `struct sock_fprog` behind a pointer.
    SeccompFilter,
    /// What clone3(2) answers through pointers of its struct.
    CloneReply,
    /// A descriptor of the process that this argument names.
    FdOf(&'static str),
    /// A descriptor of the process that this argument's pidfd refers to.
    FdOfPidfd(&'static str),
    /// A resource limit.
    Limit,
    /// personality(2): a domain and flags.
    Persona,
    /// An x86 segment descriptor, where the sibling `bytecount` says there is one.
    LdtEntry,
    /// Hexadecimal of at least this width with its prefix.
    PadHex(u8),
    /// A number, or `-1` when all bits are set.
    OrMinusOne,
    /// An enumeration in signed decimal, its name in a comment.
    NumberedInt,
    /// An array or buffer that is looked at only if it has no fewer and no more elements than these.
    Between(u32, u32),
    /// get_thread_area(2)'s descriptor: its number goes in, the rest comes out.
    ThreadAreaOut,
    /// A buffer shown as hexadecimal escapes.
    HexBytes,
    /// kexec_load(2)'s flags, which an architecture leads.
    KexecFlags,
    /// set_thread_area(2)'s descriptor, as the program filled it in.
    ThreadArea,
    // memory, sched, signal, time, futex
    /// `siginfo_t`.
    Siginfo,
    /// A `sigset_t` held in a word, or inline.
    SigMask,
    /// The call that restart_syscall(2) resumes.
    Resumed,
    /// A signal's disposition.
    Handler,
    /// A signal frame's mask, as sigreturn finds it on the stack.
    SigFrame,
    /// `struct sigevent`.
    Sigevent,
    /// What is left of a sleep that a signal interrupted.
    Remaining,
    /// Seconds since the epoch.
    Moment,
    /// A bit set of NUMA nodes, shown word by word.
    NodeMask,
    /// One such word.
    MaskWord,
    /// A byte of mincore(2)'s answer.
    Residency,
    /// What became of a page: its node, or why it did not move.
    NodeOrError,
    /// An offset in pages, shown in bytes.
    PageOffset,
    /// A set of CPUs.
    CpuSet,
    /// `struct sched_attr`, as long as it says it is.
    SchedAttr,
    /// Whom a priority is for.
    PrioWho,
    /// The operation of `FUTEX_WAKE_OP`.
    FutexWakeOp,
    /// `struct futex_waitv`.
    FutexWaiters,
    /// `struct rseq`.
    Rseq,
    /// Its critical section.
    RseqSection,
    // socket, sockopt, poll, ipc
    /// A socket's type with the flags that share its word.
    SockType,
    /// An enumeration or flag word whose number is always shown.
    Numbered,
    /// A packet socket's protocol.
    PacketProtocol,
    /// An interface index.
    Ifindex,
    /// An IPv4 or IPv6 address, by its size.
    Ip,
    /// A socket address inside a struct.
    SockaddrStorage,
    /// `struct msghdr`, and a vector of them.
    Msghdr,
    Mmsghdr,
    MmsghdrOut,
    /// A number in network order.
    NetOrder,
    /// Flags given by their bit positions: `1<<TCP_LISTEN`; or by one more than those.
    Bits,
    BitsFromOne,
    /// A netlink protocol, or all of them.
    NetlinkProtocol,
    /// `struct inet_diag_sockid`.
    InetDiagId,
    /// What is sent or received.
    Payload,
    /// A socket option's value, as it comes and as it goes.
    SockoptGet,
    SockoptSet,
    /// A packet filter to attach.
    SockFilter,
    /// poll(2)'s descriptors, as they go in; what came out is a note.
    PollFds,
    /// A set of descriptors, likewise.
    FdSet,
    /// A time to wait, likewise.
    Timeout,
    /// A System V IPC call's flags with the permissions in their low bits; shmget(2)'s hold a page size besides.
    IpcFlags,
    ShmFlags,
    /// An operation that may ask for the newer structs of System V IPC.
    IpcOp,
    IpcKey,
    IpcCall,
    /// A message with its type in front.
    MsgBuf,
    /// `int *` that the call changes: `[128 => 16]`.
    LenChange,

    // ioctl
    /// The request's name, or what its number is made of.
    IoctlRequest,
    /// The argument of a request that terminals share with other devices.
    OfTerminal,
    /// The argument of a request that is not described.
    IoctlUnknown,
    Keycode,
    UffdFeatures,
    RtcParam,
    /// Control characters of a terminal.
    ControlChars,
    /// A byte array of which the named member counts those in use; in hexadecimal.
    Counted(&'static str, bool),
    CountedText(&'static str),
    Dedupe,
    DedupeStatus,
    Fiemap,
    /// A text in an array behind a pointer.
    Label,
    HardwareAddr,
    InterfaceName,
    Ifconf,
    Entropy,
    UdmabufList,
    Microseconds,
}

impl Irregular {
    /// Whether its buffers may hold netlink messages.
    pub const fn holds_messages(self) -> bool {
        matches!(self, Irregular::Payload | Irregular::Msghdr | Irregular::Mmsghdr | Irregular::MmsghdrOut)
    }

    /// Whether it shows what the program handed in, although memory is captured again when the call returns.
    pub const fn shown_at_entry(self) -> bool {
        matches!(self, Irregular::PollFds | Irregular::FdSet | Irregular::Timeout)
    }
}

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
            | Ty::Grown(..)
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
            Ty::Custom(_, shape) | Ty::Reply(shape) | Ty::NonZero(shape) => shape.size(abi),
        }
    }

    /// Whether the value lies behind a pointer held in the argument or member.
    pub const fn is_pointer(&self) -> bool {
        match self {
            Ty::Path
            | Ty::Str
            | Ty::Bytes(..)
            | Ty::Buffer(..)
            | Ty::Ptr(..)
            | Ty::Array(..)
            | Ty::Table(..)
            | Ty::Grown(..)
            | Ty::Exchange(_)
            | Ty::Turn(..)
            | Ty::Iovec(..)
            | Ty::Sockaddr(..)
            | Ty::SigSet(..)
            | Ty::Spread(_)
            | Ty::Stack(_) => true,
            Ty::As(_, shape) | Ty::Custom(_, shape) | Ty::Reply(shape) | Ty::NonZero(shape) => shape.is_pointer(),
            _ => false,
        }
    }

    /// Whether, as an argument, it takes two registers (low half first): 64-bit values on 32-bit ABIs.
    pub const fn is_wide(&self, abi: Abi) -> bool {
        match self {
            Ty::I64 | Ty::U64 | Ty::As(Width::W8, _) => abi.word() == 4,
            Ty::Custom(_, shape) => shape.is_wide(abi),
            _ => false,
        }
    }

    /// Whether it lies inline in memory (a struct or array member), so that it is named by an address and not held in a register.
    pub const fn is_inline(&self) -> bool {
        match self {
            Ty::Struct(_) | Ty::Blob(_) | Ty::Items(_) | Ty::CStr => true,
            Ty::Custom(_, shape) | Ty::Reply(shape) | Ty::NonZero(shape) => shape.is_inline(),
            _ => false,
        }
    }

    /// Whether it can be shown only once the call has returned.
    pub const fn needs_exit(&self) -> bool {
        match self {
            Ty::Bytes(d, l) | Ty::Buffer(d, l, _) | Ty::Iovec(d, l) | Ty::Sockaddr(d, l) | Ty::SigSet(d, l) => {
                !d.is_in() || matches!(l, Len::Ret)
            }
            Ty::Array(d, inner, l) | Ty::Table(d, inner, l, _) => {
                !d.is_in() || matches!(l, Len::Ret) || inner.needs_exit()
            }
            Ty::Grown(d, s, l, _) => !d.is_in() || matches!(l, Len::Ret) || Ty::Struct(s).needs_exit(),
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
            Ty::Exchange(_) | Ty::Turn(..) | Ty::Reply(_) => true,
            Ty::Custom(which, shape) => !which.shown_at_entry() && shape.needs_exit(),
            Ty::NonZero(shape) => shape.needs_exit(),
            _ => false,
        }
    }
}
