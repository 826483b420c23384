//! The effects of system calls: what a call does, beyond what the types of its arguments say.
//!
//! The vocabulary is closed. Trackers, rules and views ask a row for its effects and never for its name, so that the
//! 32-bit twin of a call (`futex_time64`, `_newselect`) is understood wherever the call is. Each effect names the man
//! page it is taken from.

/// One thing that a call does. If it may fail or depends on arguments, this is what a successful call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Waiting is the purpose of the call: poll(2), futex(2), wait4(2), nanosleep(2).
    Waits(For),
    /// The call may have to wait for others before it can do its work: accept(2), recv(2), flock(2).
    MayWait(For),
    /// Gives up the CPU: sched_yield(2).
    Yields,
    /// Wakes waiters of a futex: futex(2).
    Wakes,
    /// Resumes the call that a signal interrupted: restart_syscall(2).
    Restarts,
    /// Returns from a signal handler: sigreturn(2).
    ReturnsFromSignal,
    /// Sets the action of the process on a signal: sigaction(2), signal(2).
    SetsDisposition,
    /// Reads a clock: clock_gettime(2), gettimeofday(2), time(2).
    ReadsClock,
    /// Asks for facts that do not change unless the program changes them: its ids, its limits, its working directory,
    /// the name of the system. getpid(2), getrlimit(2), getcwd(2), uname(2).
    AsksOfItself,
    /// Concerns only the thread itself: clock readings, ids, signal mask. A loop of such calls makes no progress.
    Private,
    /// Moves bytes between memory and a descriptor, or between two descriptors.
    Moves(Transfer),
    /// Moves the file position: lseek(2).
    Seeks,
    /// Returns when a file or a file system is on its storage: fsync(2), sync(2).
    Syncs,
    /// One of these calls that writes the files of all programs: sync(2), syncfs(2).
    SyncsAll,
    /// Writes what was changed in mapped memory to the files, and waits for that if a flag says so: msync(2).
    SyncsMapped,
    /// Makes a ring of io_uring, or has the kernel carry out operations in it, which are no system calls:
    /// io_uring_setup(2), io_uring_enter(2).
    DrivesRing,
    /// Returns a new descriptor, or a pair of them in memory.
    Makes(Thing, CloseOnExec),
    /// Returns a new descriptor of the open file that its first argument refers to: dup(2).
    Duplicates(CloseOnExec),
    /// Duplicates a descriptor or sets its flags, as an argument says: fcntl(2).
    ControlsDescriptor,
    /// Controls the thing behind a descriptor, or sets the descriptor's flags, as a request says: ioctl(2).
    ControlsDevice,
    /// May hand descriptors to another process or take them from one, as SCM_RIGHTS: unix(7).
    PassesDescriptors,
    /// close(2)
    Closes,
    /// close_range(2)
    ClosesRange,
    /// Gives a socket its peer: connect(2). Waits for the peer unless the socket is non-blocking.
    Connects,
    /// Gives a socket its own address: bind(2).
    Binds,
    /// Sets the working directory: chdir(2), fchdir(2).
    ChangesDirectory,
    /// Asks for facts about the file that a path names: stat(2), access(2), readlink(2).
    Asks,
    /// Asks for facts about the open file behind its descriptor: fstat(2).
    AsksOfFile,
    /// Locks the open file behind its descriptor, or gives the lock back: flock(2).
    LocksFile,
    /// Asks for an option of a socket: getsockopt(2).
    AsksOfSocket,
    /// Sets an option of a socket: setsockopt(2).
    SetsOfSocket,
    /// Says which descriptor an epoll instance is to watch: epoll_ctl(2).
    Watches,
    /// Sends a signal to a process or a thread; signal 0 only asks whether there is one: kill(2), tgkill(2).
    SendsSignal,
    /// Makes a directory: mkdir(2).
    MakesDirectory,
    /// Renames a file. The new name may have been another file's: rename(2).
    Renames,
    /// Gives a file one more name: link(2), symlink(2).
    Links,
    /// Takes a name away from a file or an empty directory: unlink(2), rmdir(2).
    Unlinks,
    /// The name that the call takes away is a directory's: rmdir(2).
    RemovesDirectory,
    /// Cuts off the content of the file that a path names: truncate(2), creat(2).
    Truncates,
    /// Changes the size of the open file behind its descriptor: ftruncate(2), fallocate(2).
    SetsSize,
    /// Makes a device, a pipe or another file with a name: mknod(2).
    MakesNode,
    /// Sets the mode, the owner, the times or other attributes of the file that its path names, or of the open file behind its descriptor: chmod(2),
    /// chown(2), utimes(2), setxattr(2).
    SetsAttributes,
    /// Changes where paths lead: chroot(2), pivot_root(2), mount(2).
    ChangesPaths,
    /// Maps memory: mmap(2).
    Maps,
    /// munmap(2)
    Unmaps,
    /// Moves mapped memory elsewhere, or changes its size: mremap(2).
    Remaps,
    /// Sets what may be done with mapped memory: mprotect(2).
    Protects,
    /// Says how the program will use its own memory, or that it no longer needs it: madvise(2).
    Advises,
    /// Moves the end of the heap: brk(2).
    MovesHeapEnd,
    /// Maps shared memory: shmat(2).
    Attaches,
    /// Gives bytes that differ from call to call: getrandom(2).
    DrawsRandom,
    /// Makes a process or a thread: fork(2), clone(2).
    Forks,
    /// Gives the process its own copy of a table that it shared: unshare(2).
    Unshares,
    /// Names the word that the kernel clears when the thread ends: set_tid_address(2).
    SetsClearedWord,
    /// Replaces the program: execve(2).
    Executes,
    /// Ends the thread or the process: exit(2).
    Exits,
    /// May set the thread's name: PR_SET_NAME of prctl(2).
    NamesThread,
    /// Sets the thread's effective user id: setuid(2), setreuid(2), setresuid(2).
    SetsUser,
    /// Sets the thread's group ids: setgid(2), setgroups(2).
    SetsGroups,
    /// Sets the priority of threads: nice(2), setpriority(2).
    SetsPriority,
    /// Controls another process as a debugger does: ptrace(2).
    TracesProcess,
    /// Succeeds only for threads with this capability (capabilities(7)), whatever its arguments are: chroot(2), mount(2).
    NeedsCapability(u64),
    /// Controls something that a service can be kept from as a whole (systemd.exec(5)).
    Controls(Facility),
}

/// A facility of the kernel that few programs need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Facility {
    /// The clocks of the machine: clock_settime(2), adjtimex(2).
    Clock,
    /// The names of the machine: sethostname(2).
    HostName,
    /// The kernel's modules: init_module(2).
    Modules,
    /// The kernel's log: syslog(2).
    KernelLog,
    /// The execution domain of the process: personality(2).
    Personality,
    /// The scheduling policy of a thread: sched_setscheduler(2).
    Scheduling,
    /// The namespaces that a thread is in: setns(2), unshare(2).
    Namespaces,
}

/// The thing that a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// A span of time to pass: nanosleep(2).
    Time,
    /// A descriptor to become ready: poll(2), select(2), epoll_wait(2).
    Readiness,
    /// Asynchronous input or output to finish: io_getevents(2), io_uring_enter(2).
    Completion,
    /// Another thread to change a word of memory: futex(2).
    Lock,
    /// A signal: pause(2), sigsuspend(2), sigtimedwait(2).
    Signal,
    /// A child to change its state: wait4(2).
    Child,
    /// A peer to connect or to send: accept(2), recv(2), msgrcv(2), mq_receive(3).
    Peer,
    /// Another holder to release something: flock(2), semop(2).
    Turn,
}

/// Bytes that a call moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The direction.
    pub flow: Flow,
    /// How the call points to the bytes.
    pub data: Data,
    /// The argument that says how many bytes are asked for, where one register holds that.
    pub asked: Option<&'static str>,
    /// At a given offset instead of the file position: pread(2).
    pub at_offset: bool,
}

/// The direction in which bytes move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// From the first descriptor into memory.
    In,
    /// From memory to the first descriptor.
    Out,
    /// From one descriptor to another, without memory.
    Between,
}

/// How a call points to the bytes that it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// Pointer and length: the second argument and the third.
    Bytes,
    /// A vector of buffers: likewise.
    Vector,
    /// One `struct msghdr`: the second argument.
    Message,
    /// A vector of `struct mmsghdr`: the second argument and the third.
    Messages,
    /// Records from the kernel, such as directory entries.
    Records,
    /// None: [`Flow::Between`].
    Nowhere,
}

/// The thing that a new descriptor refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thing {
    /// The file that the call's path names.
    File,
    /// The two ends of a pipe, in memory.
    Pipe,
    /// Two connected sockets, in memory.
    SocketPair,
    /// A socket without a peer.
    Socket,
    /// A connection that a listening socket was given.
    Connection,
    /// A mount, or a file system that is being set up: fsmount(2), open_tree(2), fsopen(2).
    Mount,
    /// A file that another process has open: pidfd_getfd(2).
    Passed,
    /// A kernel object with this name and no path.
    Anonymous(&'static str),
}

/// The cases in which a new descriptor is closed by execve(2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseOnExec {
    /// In every case.
    Always,
    /// In no case.
    Never,
    /// If any of these bits is set in this argument.
    If(&'static str, u64),
    /// If any of these bits is set in this member of the struct behind this argument.
    IfMember(&'static str, &'static str, u64),
}

/// The call reads through its first descriptor.
pub const fn reads(data: Data) -> Effect {
    moves(Flow::In, data)
}

/// The call writes through its first descriptor.
pub const fn writes(data: Data) -> Effect {
    moves(Flow::Out, data)
}

/// The call moves bytes from one of its descriptors to the other.
pub const fn copies() -> Effect {
    moves(Flow::Between, Data::Nowhere)
}

const fn moves(flow: Flow, data: Data) -> Effect {
    Effect::Moves(Transfer { flow, data, asked: None, at_offset: false })
}

/// The call makes a descriptor, which stays open across execve(2).
pub const fn makes(thing: Thing) -> Effect {
    Effect::Makes(thing, CloseOnExec::Never)
}

/// The call gives an open file another descriptor, which stays open across execve(2).
pub const fn duplicates() -> Effect {
    Effect::Duplicates(CloseOnExec::Never)
}

impl Effect {
    /// This argument counts the bytes that are asked for.
    pub const fn asked(self, arg: &'static str) -> Effect {
        match self {
            Effect::Moves(transfer) => Effect::Moves(Transfer { asked: Some(arg), ..transfer }),
            _ => panic!("only a transfer is asked for so many bytes"),
        }
    }

    /// The bytes are moved at a given offset.
    pub const fn at_offset(self) -> Effect {
        match self {
            Effect::Moves(transfer) => Effect::Moves(Transfer { at_offset: true, ..transfer }),
            _ => panic!("only a transfer has an offset"),
        }
    }

    /// The new descriptor is closed by execve(2).
    pub const fn cloexec(self) -> Effect {
        self.closing(CloseOnExec::Always)
    }

    /// The new descriptor is closed by execve(2) if this argument has any of these bits.
    pub const fn cloexec_if(self, arg: &'static str, bits: u64) -> Effect {
        self.closing(CloseOnExec::If(arg, bits))
    }

    /// The same, where a member of the struct behind the argument has the bits.
    pub const fn cloexec_if_member(self, arg: &'static str, member: &'static str, bits: u64) -> Effect {
        self.closing(CloseOnExec::IfMember(arg, member, bits))
    }

    const fn closing(self, when: CloseOnExec) -> Effect {
        match self {
            Effect::Makes(thing, _) => Effect::Makes(thing, when),
            Effect::Duplicates(_) => Effect::Duplicates(when),
            _ => panic!("only a new descriptor is closed by execve"),
        }
    }
}
