//! Where a syscall's row has what a call is about.

use stride_syscalls::{Abi, Irregular, Syscall, Ty, table};

/// Positions are those of the row's arguments.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub row: &'static Syscall,
    pub fd: Option<u8>,
    pub paths: [Option<PathAt>; 2],
    /// Returns how many bytes it moved.
    pub transfers: bool,
    pub asked: Option<u8>,
    /// The flags among which close-on-exec is.
    pub flags: Option<u8>,
    pub effect: Effect,
    pub idle: Idle,
}

#[derive(Clone, Copy, Debug)]
pub struct PathAt {
    pub path: u8,
    /// The directory it begins at, where that is not the working directory.
    pub dir: Option<u8>,
}

/// What a call has to do with a thread's getting on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idle {
    /// It gets on, unless the answer is to try again.
    No,
    /// Returns 0 if nothing came of it.
    IfZero,
    /// Gets nobody on.
    Always,
}

fn idle(name: &str) -> Idle {
    match name {
        "poll" | "ppoll" | "select" | "pselect6" | "epoll_wait" | "epoll_pwait" | "epoll_pwait2" | "futex" => {
            Idle::IfZero
        }
        "nanosleep" | "clock_nanosleep" | "restart_syscall" | "sched_yield" | "rt_sigaction" | "rt_sigprocmask"
        | "clock_gettime" | "gettimeofday" | "time" | "getpid" | "gettid" | "getrusage" | "times" => Idle::Always,
        _ => Idle::No,
    }
}

/// What a call that succeeds changes, beyond what its row says: a row with [`Ret::Fd`] makes a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    None,
    Close,
    CloseRange,
    /// The new descriptor refers to what the given one does.
    Dup,
    Fcntl,
    /// A pair of descriptors, in memory.
    Pipe,
    SocketPair,
    Socket,
    Accept,
    Connect,
    Bind,
    Exec,
    ChangeDir,
    ChangeDirFd,
    /// What prctl(2) sets may be the thread's name.
    Name,
    /// Makes something of the kernel's that goes by this name.
    Anonymous(&'static str),
}

fn effect(name: &str) -> Effect {
    match name {
        "close" => Effect::Close,
        "close_range" => Effect::CloseRange,
        "dup" | "dup2" | "dup3" => Effect::Dup,
        "fcntl" | "fcntl64" => Effect::Fcntl,
        "pipe" | "pipe2" => Effect::Pipe,
        "socketpair" => Effect::SocketPair,
        "socket" => Effect::Socket,
        "accept" | "accept4" => Effect::Accept,
        "connect" => Effect::Connect,
        "bind" => Effect::Bind,
        "execve" | "execveat" => Effect::Exec,
        "chdir" => Effect::ChangeDir,
        "fchdir" => Effect::ChangeDirFd,
        "prctl" => Effect::Name,
        "epoll_create" | "epoll_create1" => Effect::Anonymous("epoll"),
        "eventfd" | "eventfd2" => Effect::Anonymous("eventfd"),
        "timerfd_create" => Effect::Anonymous("timerfd"),
        "signalfd" | "signalfd4" => Effect::Anonymous("signalfd"),
        "inotify_init" | "inotify_init1" => Effect::Anonymous("inotify"),
        "fanotify_init" => Effect::Anonymous("fanotify"),
        "memfd_create" | "memfd_secret" => Effect::Anonymous("memfd"),
        "pidfd_open" => Effect::Anonymous("pidfd"),
        "userfaultfd" => Effect::Anonymous("userfaultfd"),
        "perf_event_open" => Effect::Anonymous("perf event"),
        "io_uring_setup" => Effect::Anonymous("io_uring"),
        "bpf" => Effect::Anonymous("bpf"),
        _ => Effect::None,
    }
}

impl Shape {
    fn of(row: &'static Syscall) -> Shape {
        let at = |test: &dyn Fn(&Ty) -> bool| row.args.iter().position(|arg| test(&arg.ty)).map(|i| i as u8);
        let mut paths = row.args.iter().enumerate().filter(|(_, arg)| is_path(&arg.ty)).map(|(i, _)| PathAt {
            path: i as u8,
            dir: i.checked_sub(1).filter(|&before| matches!(row.args[before].ty, Ty::DirFd)).map(|i| i as u8),
        });
        let fd = at(&|ty| matches!(ty, Ty::Fd));
        let named = |names: &[&str]| row.args.iter().position(|arg| names.contains(&arg.name)).map(|i| i as u8);
        let transfers = row.transfers();
        Shape {
            row,
            fd,
            paths: [paths.next(), paths.next()],
            transfers,
            asked: if transfers { named(&["count", "len", "size"]) } else { None },
            flags: named(&["flags", "type"]),
            effect: effect(row.name),
            idle: idle(row.name),
        }
    }
}

fn is_path(ty: &Ty) -> bool {
    match ty {
        Ty::Path => true,
        // What a symbolic link shall say is no file of the caller's.
        Ty::Custom(Irregular::LinkTarget | Irregular::Untouched, _) => false,
        Ty::Custom(_, shape) => is_path(shape),
        _ => false,
    }
}

/// The shapes of all syscalls of an ABI, by number.
#[derive(Default)]
pub struct Shapes {
    by_abi: [Vec<Option<Shape>>; 3],
}

impl Shapes {
    pub fn get(&mut self, abi: Abi, nr: u64) -> Option<Shape> {
        let shapes = &mut self.by_abi[abi as usize];
        if shapes.is_empty() {
            let table = table(abi);
            *shapes = (0..table.len() as u64).map(|nr| table.get(nr).map(|entry| Shape::of(entry.row))).collect();
        }
        shapes.get(usize::try_from(nr).ok()?).copied().flatten()
    }
}
