//! The names of the decoders that are code.

use crate::PidKind;

/// Decoders that are code. `stride-decode` implements each in `irregular/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
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
    /// A file offset before the call and, if it has changed, after it.
    OffsetChange,
    /// An offset whose upper half lies in the argument before.
    SplitOffset,
    /// `mode` of `struct open_how`.
    OpenHowMode,
    /// `struct file_handle`.
    FileHandle,
    /// A path that is only stored, not followed: the target of a symbolic link.
    LinkTarget,
    /// A name of memfd_create(2). The kernel reads only as much as fits a file name.
    MemfdName,
    /// A [`crate::Ty::Extensible`] that the kernel does not read if its size is given as more than a page.
    UpToPage,
    // mount, xattr, notify, aio, keys
    /// The value of an extended attribute; a sibling `size` is its room.
    XattrValue,
    /// The names of extended attributes, each with its NUL.
    XattrList,
    /// mount(2): flags with the old magic number, and what depends on them.
    MountFlags,
    /// mount(2): the type of the file system, which only some flags need.
    MountType,
    /// mount(2): the data of the file system, which only some flags need.
    MountData,
    /// fsconfig(2): strings and blobs of bounded length.
    FsString,
    /// fsconfig(2): a blob, whose length the kernel bounds.
    FsBlob,
    /// swapon(2): flags, and a priority in the low bits.
    SwapFlags,
    /// A descriptor or path that `-P` does not match.
    Untouched,
    /// quotactl(2): an operation and the kind of quota, in one word.
    QuotaOp,
    /// `struct mnt_id_req` of statmount(2).
    StatmountReq,
    /// `struct mnt_id_req` of listmount(2).
    ListmountReq,
    /// `struct statmount`, with its strings.
    Statmount,
    /// Ids, of which there is room for as many as the named argument says.
    Ids(&'static str),
    /// `struct ns_id_req` of listns(2).
    ListnsReq,
    /// A string of statmount(2)'s answer by its offset. Several strings, as many as the named member says.
    StatmountStr,
    /// Several strings of statmount(2)'s answer. The named member counts them.
    StatmountStrs(&'static str),
    /// Keys: serial numbers with the special ones named, and what keyctl(2) exchanges.
    KeySerial,
    /// The keyring into which request_key(2) puts keys by default.
    KeyDefault,
    /// The error for callers that ask for a rejected key.
    KeyError,
    /// Text that keyctl(2) returns, with its NUL.
    KeyText,
    /// Bytes that keyctl(2) returns.
    KeyData,
    /// The capabilities of the kernel's key service.
    KeyCaps,
    /// Further input of a key derivation.
    KeyOtherInfo,
    /// Bytes whose length is this member of the parameters.
    PkeyData(&'static str),
    /// `struct landlock_ruleset_attr`.
    LandlockRuleset,
    /// The contexts that lsm_get_self_attr(2) returns.
    LsmContexts,
    /// The ids that lsm_list_modules(2) returns.
    LsmIds,
    /// The context that lsm_set_self_attr(2) is given.
    LsmContext,
    /// The flags of fanotify_init(2), with a class among them.
    FanotifyInit,
    /// The directory of fanotify_mark(2), which may stand for no directory.
    FanotifyDir,
    /// io_submit(2)'s control blocks, io_cancel(2)'s, and members of them.
    Iocbs,
    /// The control block of io_cancel(2).
    IocbCancel,
    /// The priority of a control block. A flag says whether it is one.
    IocbPriority,
    /// A block's vectors, or their number if they cannot be shown.
    IocbVector,
    /// The number of a block's vectors, if they cannot be shown.
    IocbVectorLen,
    /// An I/O priority: a class and a level.
    IoPriority,
    /// The descriptor of a ring, or the index of a registered one.
    UringFd,
    /// The operation of io_uring_register(2), with a flag in its top bit.
    UringOpcode,
    /// A descriptor, or the number that stands for a slot to leave alone.
    UringFdOrSkip,
    /// The operations that a ring supports.
    UringProbe,
    /// The subject of a restriction.
    UringLimit,
    /// The most workers of each kind.
    UringWorkers,
    /// A submitted entry, and its offset, which may hold an operation on a socket.
    UringEntry,
    /// The offset of a submitted entry, or its operation on a socket.
    UringOffset,
    /// Queries in a chain.
    UringQuery,
    /// An array of a struct of which this argument tells the length.
    CountedByArg(&'static str),
    /// A pointer that is followed only if this argument is within these limits.
    WithArg(&'static str, u32, u32),
    /// An array of one number, which the kernel may have changed.
    Change,
    /// The named member of a struct: a number that is also shown after the call if the kernel has changed it.
    Changed(&'static str),
    /// The named member of a struct, which the kernel fills in if the program leaves it zero. It is shown only then.
    FilledIn(&'static str),

    // process, prctl, creds, limits, bpf, system
    /// execve(2)'s environment.
    Environ,
    /// The capability sets of capget(2).
    CapData,
    /// A value that wait4(2) fills in only if it reaped a child.
    Reaped,
    /// A child's wait status.
    WaitStatus,
    /// waitid(2)'s id, whose kind its type gives.
    WaitId,
    /// clone(2)'s flags with the exit signal.
    CloneFlags,
    /// A signal number in 64 bits.
    WideSignal,
    /// prctl(2): SVE's and SME's vector length with flags, tagged addresses, RISC-V's vectors, a ptracer.
    SveLength,
    /// prctl(2): the vector length of SME, with flags.
    SmeLength,
    /// prctl(2): how tagged addresses are treated.
    TaggedAddr,
    /// prctl(2): the use of vectors on RISC-V.
    RiscvVector,
    /// prctl(2): the process that may trace this one.
    PtracerPid,
    /// A string in a buffer, of which only so many bytes are read.
    CString(u8),
    /// `union bpf_attr`: the struct within it, and how many bytes are always shown.
    BpfAttr(&'static str, u16),
    /// The operation of an instruction, the verifier's log, a kernel's version, a NUMA node.
    BpfCode,
    /// The log of the verifier of BPF programs.
    BpfLog,
    /// A kernel version in one word.
    KernelVersion,
    /// The number of a NUMA node, or none.
    NumaNode,
    /// The map that an iterator goes over
    IteratedMap,
    /// The answer of BPF_OBJ_GET_INFO_BY_FD. The kind of the object decides the struct.
    BpfInfo,
    /// An array for whose elements the named member gave room before the call, and which the kernel filled in. The
    /// member counts units of this power of two.
    Filled(&'static str, u8),
    /// Followed only with `-v`.
    InFull,
    /// `struct perf_event_attr`.
    PerfAttr,
    /// An offset into `struct user`.
    UserOffset,
    /// A register set in an iovec, read or written.
    RegsetOut,
    /// A register set in an iovec, as the tracer writes it.
    RegsetIn,
    /// `struct seccomp_metadata`.
    SeccompMetadata,
    /// `struct ptrace_syscall_info`.
    SyscallInfo,
    /// The instructions of a seccomp program.
    SeccompInstructions,
    /// A seccomp program: `struct sock_fprog` behind a pointer.
    SeccompFilter,
    /// The answers that clone3(2) gives through pointers of its struct.
    CloneReply,
    /// An id whose kind this sibling gives. With any other value, the id is a number.
    PidBy(&'static str, &'static [(u64, PidKind)]),
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
    /// An array or buffer that is read only if its number of elements is within these limits.
    Between(u32, u32),
    /// get_thread_area(2)'s descriptor: its number is input, the rest is output.
    ThreadAreaOut,
    /// A buffer shown as hexadecimal escapes.
    HexBytes,
    /// kexec_load(2)'s flags. The architecture comes first.
    KexecFlags,
    /// set_thread_area(2)'s descriptor, as the program filled it in.
    ThreadArea,
    // memory, sched, signal, time, futex
    /// `siginfo_t`.
    Siginfo,
    /// A `sigset_t` held in a word, or inline.
    SigMask,
    /// The pending signals, whose set may be shorter than the kernel's.
    PendingSignals,
    /// The call that restart_syscall(2) resumes.
    Resumed,
    /// A signal's disposition.
    Handler,
    /// A signal frame's mask, as sigreturn finds it on the stack.
    SigFrame,
    /// Likewise, of the older sigreturn(2) on i386.
    OldSigFrame,
    /// `struct sigevent`.
    Sigevent,
    /// The rest of a sleep that a signal interrupted.
    Remaining,
    /// Seconds since the epoch.
    Moment,
    /// A bit set of NUMA nodes, shown word by word.
    NodeMask,
    /// One such word.
    MaskWord,
    /// A byte of mincore(2)'s answer.
    Residency,
    /// The fate of a page: its node, or the reason why it did not move.
    NodeOrError,
    /// An array of them. Of no pages, the array is empty, whatever the call returned.
    NodesOrErrors,
    /// An offset in pages, shown in bytes.
    PageOffset,
    /// A set of CPUs.
    CpuSet,
    /// `struct sched_attr`, with the length that it gives itself.
    SchedAttr,
    /// Whom a priority is for.
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
    /// A vector of `struct mmsghdr` that is sent.
    Mmsghdr,
    /// A vector of `struct mmsghdr` that is received.
    MmsghdrOut,
    /// A number in network order.
    NetOrder,
    /// Flags given by their bit positions: `1<<TCP_LISTEN`; or by one more than those.
    Bits,
    /// Flags given by one more than their bit positions.
    BitsFromOne,
    /// An Ethernet protocol in network order.
    NetEtherType,
    /// A hardware address.
    Mac,
    /// An address of the family that the named member holds.
    FamilyAddress(&'static str),
    /// `struct br_ip`: the address of a multicast group.
    MdbAddress,
    /// An address family, or one of those that multicast routers have in their messages.
    RouteFamily,
    /// A counter for each direction of multicast traffic.
    McastDirections,
    /// Bits of a byte that have no name, from the first to the last. A comment tells their place.
    BitsOfByte(u8, u8),
    /// A netlink protocol, or all of them.
    NetlinkProtocol,
    /// `struct inet_diag_sockid`.
    InetDiagId,
    /// The data that is sent or received.
    Payload,
    /// A socket option's value, as input and as output.
    SockoptGet,
    /// The value of a socket option, as the program sets it.
    SockoptSet,
    /// A packet filter to attach.
    SockFilter,
    /// poll(2)'s descriptors as input. The output is a note.
    PollFds,
    /// A set of descriptors, with the output as a note.
    FdSet,
    /// A time to wait, with the remaining time as a note.
    Timeout,
    /// A System V IPC call's flags, with the permissions in their low bits. shmget(2)'s also hold a page size.
    IpcFlags,
    /// The flags of shmget(2), with permissions and a page size.
    ShmFlags,
    /// An operation that may ask for the newer structs of System V IPC.
    IpcOp,
    /// A key of System V IPC.
    IpcKey,
    /// The call that ipc(2) stands for, with a version in its upper half.
    IpcCall,
    /// A message with its type in front.
    MsgBuf,
    /// `int *` that the call changes: `[128 => 16]`.
    LenChange,

    // ioctl
    /// The request's name, or the parts of its number.
    IoctlRequest,
    /// The argument of a request that terminals share with other devices.
    OfTerminal,
    /// The argument of a request that is not described.
    IoctlUnknown,
    /// A scan code and its key.
    Keycode,
    /// The features that userfaultfd(2) is asked for, and those that it has.
    UffdFeatures,
    /// A parameter of a real-time clock.
    RtcParam,
    /// Control characters of a terminal.
    ControlChars,
    /// A byte array in hexadecimal. The named member counts the bytes in use.
    Counted(&'static str, bool),
    /// A text in a byte array. The named member counts its bytes.
    CountedText(&'static str),
    /// An array of which the first elements are in use. The member is their number.
    FirstItems(&'static str),
    /// An attribute of a GPIO line.
    GpioAttr,
    /// An attribute of the configuration of GPIO lines.
    GpioConfigAttr,
    /// Ranges of files that are to share their storage, and the result for each.
    Dedupe,
    /// The result of sharing a range: a number of bytes, or an error.
    DedupeStatus,
    /// The extents of a file: `struct fiemap`.
    Fiemap,
    /// A text in an array behind a pointer.
    Label,
    /// A hardware address, with its kind.
    HardwareAddr,
    /// The name of a network interface behind a pointer.
    InterfaceName,
    /// A list of network interfaces: `struct ifconf`.
    Ifconf,
    /// Entropy for the random number generator.
    Entropy,
    /// Ranges of memory for a DMA buffer.
    UdmabufList,
    /// A number of microseconds, also shown in seconds.
    Microseconds,
    /// A number of nanoseconds, also shown in seconds.
    Nanoseconds,
    /// A character in quotes.
    Character,
    /// Consoles: the pitch and the length of a tone, a port of graphics cards, a keyboard's mode.
    Pitch,
    /// The pitch and the length of a tone, in one word.
    Tone,
    /// A port of a graphics card.
    GraphicsPort,
    /// A keyboard's mode.
    KeyboardMode,
    /// The action of a key, the text of a function key, and keys that together make one character (of Unicode).
    KeyboardEntry,
    /// The text of a function key.
    KeyboardString,
    /// Keys that together make one character; of Unicode, if the flag is set.
    Composed(bool),
    /// The characters of a font, and fonts.
    ScreenMap,
    /// A character, or a place in the font.
    Glyph,
    /// A font of a console.
    Font,
    /// An operation on a font.
    FontOp,
    /// A time of a PTP clock.
    PtpTime,
    /// The CPUID entries of a virtual CPU, and its registers.
    KvmCpuid,
    /// The registers of a virtual CPU.
    KvmRegisters,
    /// A volume's name, with its length in the member before.
    VolumeName,
    /// As [`Irregular::FirstItems`], with a number that may be negative.
    FirstOfSigned(&'static str),
    /// An array of rows with this many elements.
    Rows(u8),
    /// A struct whose first member the kernel replaces by a number.
    NumberReply,
    /// A system call's number on the architecture that the named member holds.
    CallNumber(&'static str),
    /// A number, or a negated error number.
    ErrorNumber,
    /// A call that waits for a seccomp listener.
    Notification,
    /// A [`crate::Ty::Turn`] whose answer is shown as further members of the struct that was passed. The flag says that
    /// the struct has more members, which are never shown.
    Joined(bool),
    /// A struct of which the kernel may change all members but the named ones, which are not shown again.
    Answer(&'static [&'static str]),
    /// A four-character code with the name that the shape's set has for it.
    FourCc,
    /// A numerator and a denominator.
    Fraction,
    /// The id of a video device's control. The flag says that the word also has flags.
    ControlId(bool),
    /// The controls of a video device, to be set or (the flag) to be read.
    VideoControls(bool),
    /// The flags of a video buffer, among which are two enumerations.
    VideoBufferFlags,
    /// 16 bytes as groups of hexadecimal digits.
    Uuid,
    /// An unsigned number of seconds, and the date.
    UnsignedDate,
    /// Thousandths, which are also shown in percent if there are no more than a thousand.
    Thousandths,
    /// A number that has this name if all its bits are set.
    Most(&'static str),
    /// A member that is left out without `-v` if it has this value.
    Unusual(u64),
    /// btrfs: the quota groups of a new subvolume, items of a tree (of a buffer with its own size), kinds of space,
    /// paths of an inode, files that share an extent, errors of a device, features.
    QgroupInherit,
    /// btrfs: items of a tree. The flag says that the buffer has its own size.
    TreeSearch(bool),
    /// btrfs: the kinds of space.
    Spaces,
    /// btrfs: the paths of an inode.
    InodePaths,
    /// btrfs: the files that share an extent.
    InodesOfExtent,
    /// btrfs: the errors of a device.
    DeviceStats,
    /// btrfs: the features that a file system has or may have.
    SupportedFeatures,
    /// A request of the device mapper.
    MapperRequest,
    /// A call into a trusted execution environment, and parameters behind it. The shapes are the pointer's, and the
    /// structs before the parameters as they are passed and as they come back.
    TeeCall,
    /// A command for a SCSI device, in one of two forms.
    ScsiCommand,
    /// The programs of a perf event.
    PerfPrograms,
    /// A command for a disk, and what became of it.
    DriveCommand,
    /// The times of a PTP clock and of the system, in turn; or in threes.
    PtpSamples,
    /// The times of two clocks, in threes.
    PtpTriples,
}

impl Irregular {
    /// True if the decoder reads buffers that may hold netlink messages.
    pub const fn holds_messages(self) -> bool {
        matches!(self, Irregular::Payload | Irregular::Msghdr | Irregular::Mmsghdr | Irregular::MmsghdrOut)
    }

    /// The argument with the descriptor whose kind of file decides how this is read. For a member of a struct, it is
    /// another member.
    pub const fn depends_on_file(self) -> Option<&'static str> {
        match self {
            Irregular::OfTerminal => Some("fd"),
            Irregular::BpfInfo => Some("bpf_fd"),
            _ => None,
        }
    }

    /// True if the decoder shows the input, although memory is captured again when the call returns.
    pub const fn shown_at_entry(self) -> bool {
        matches!(self, Irregular::PollFds | Irregular::FdSet | Irregular::Timeout)
    }
}
