//! The effects of all rows, held against what man pages say: each list names every call that has the effect, and no
//! other.

use std::collections::BTreeSet;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Abi, Data, Effect, Flow, For, Ret, Syscall, Thing, rows};

/// Every row, those of i386 by their own names, each once.
fn all() -> Vec<&'static Syscall> {
    rows::all().chain(rows::i386().map(|(_, row)| row)).collect()
}

#[track_caller]
fn only(names: &str, has: impl Fn(&Syscall) -> bool) {
    let expected: BTreeSet<&str> = names.split_whitespace().collect();
    let found: BTreeSet<&str> = all().into_iter().filter(|row| has(row)).map(|row| row.name).collect();
    assert_eq!(found, expected);
}

#[test]
fn calls_that_are_made_to_wait() {
    let waits = |what| move |row: &Syscall| row.waits() == Some(what);
    only("nanosleep clock_nanosleep clock_nanosleep_time64", waits(For::Time));
    only(
        "poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64 epoll_wait epoll_pwait epoll_pwait2",
        waits(For::Readiness),
    );
    only("io_getevents io_pgetevents io_pgetevents_time64 io_uring_enter", waits(For::Completion));
    only("futex futex_time64 futex_wait futex_waitv", waits(For::Lock));
    only("pause rt_sigsuspend sigsuspend rt_sigtimedwait rt_sigtimedwait_time64", waits(For::Signal));
    only("wait4 waitid waitpid", waits(For::Child));
    only("", |row| matches!(row.waits(), Some(For::Peer | For::Turn)));
}

/// The row of an operation is asked for the wait of a call.
#[test]
fn operations_of_futex_that_wait() {
    for row in all().into_iter().filter(|row| ["futex", "futex_time64"].contains(&row.name)) {
        let waits = |op| row.form(&[0, op, 0, 0, 0, 0], Abi::NATIVE).waits();
        for op in [c::FUTEX_WAIT, c::FUTEX_WAIT_BITSET, c::FUTEX_LOCK_PI, c::FUTEX_LOCK_PI2, c::FUTEX_WAIT_REQUEUE_PI] {
            assert_eq!((waits(op), waits(op | c::FUTEX_PRIVATE_FLAG)), (Some(For::Lock), Some(For::Lock)), "{op}");
        }
        for op in [c::FUTEX_WAKE, c::FUTEX_CMP_REQUEUE, c::FUTEX_UNLOCK_PI, c::FUTEX_WAKE_BITSET] {
            assert_eq!(waits(op), None, "{op}");
        }
    }
}

#[test]
fn calls_that_may_have_to_wait() {
    only(
        "accept accept4 recv recvfrom recvmsg recvmmsg recvmmsg_time64 msgrcv mq_timedreceive mq_timedreceive_time64",
        |row| row.may_wait() == Some(For::Peer),
    );
    only("flock", |row| row.has_effect(Effect::LocksFile));
    only("fstat fstat64", |row| row.has_effect(Effect::AsksOfFile));
    only("flock semop semtimedop semtimedop_time64", |row| row.may_wait() == Some(For::Turn));
    only("connect", |row| row.has_effect(Effect::Connects));
}

#[test]
fn calls_that_move_bytes() {
    let moves = |flow, data| {
        move |row: &Syscall| row.transfer().is_some_and(|transfer| transfer.flow == flow && transfer.data == data)
    };
    only("read pread64 recv recvfrom mq_timedreceive mq_timedreceive_time64", moves(Flow::In, Data::Bytes));
    only("write pwrite64 send sendto mq_timedsend mq_timedsend_time64", moves(Flow::Out, Data::Bytes));
    only("readv preadv preadv2", moves(Flow::In, Data::Vector));
    only("writev pwritev pwritev2 vmsplice", moves(Flow::Out, Data::Vector));
    only("recvmsg", moves(Flow::In, Data::Message));
    only("sendmsg", moves(Flow::Out, Data::Message));
    only("recvmmsg recvmmsg_time64", moves(Flow::In, Data::Messages));
    only("sendmmsg", moves(Flow::Out, Data::Messages));
    only("getdents getdents64", moves(Flow::In, Data::Records));
    only("sendfile sendfile64 splice tee copy_file_range", moves(Flow::Between, Data::Nowhere));
    only("pread64 pwrite64 preadv preadv2 pwritev pwritev2", |row| row.transfer().is_some_and(|t| t.at_offset));
}

#[test]
fn transfers_are_captured_as_they_say() {
    for row in all() {
        let Some(transfer) = row.transfer() else { continue };
        assert!(
            matches!(row.args[0].ty, stride_syscalls::Ty::Fd),
            "{}: the first argument is the descriptor",
            row.name
        );
        let counted = matches!(transfer.data, Data::Bytes | Data::Records) || transfer.flow == Flow::Between;
        let messages = matches!(row.ret, Ret::Int);
        assert!(
            !counted || transfer.asked.is_some() || row.name.starts_with("mq_"),
            "{}: asked for how much?",
            row.name
        );
        assert!(!messages || !row.returns_moved(), "{}", row.name);
    }
}

#[test]
fn calls_that_make_descriptors() {
    let makes = |thing| move |row: &Syscall| row.makes() == Some(thing);
    only("open openat openat2 creat open_by_handle_at mq_open", makes(Thing::File));
    only("fsopen fsmount fspick open_tree open_tree_attr", makes(Thing::Mount));
    only("pidfd_getfd", makes(Thing::Passed));
    only("pipe pipe2", makes(Thing::Pipe));
    only("socket", makes(Thing::Socket));
    only("socketpair", makes(Thing::SocketPair));
    only("accept accept4", makes(Thing::Connection));
    only(
        "epoll_create epoll_create1 eventfd eventfd2 timerfd_create signalfd signalfd4 inotify_init inotify_init1 \
         fanotify_init memfd_create memfd_secret pidfd_open userfaultfd perf_event_open io_uring_setup bpf \
         landlock_create_ruleset",
        |row| matches!(row.makes(), Some(Thing::Anonymous(_))),
    );
    only("dup dup2 dup3", |row| row.effects.iter().any(|effect| matches!(effect, Effect::Duplicates(_))));
    only("fcntl fcntl64", |row| row.has_effect(Effect::ControlsDescriptor));
    only("sendmsg sendmmsg recvmsg recvmmsg recvmmsg_time64 pidfd_getfd", |row| {
        row.has_effect(Effect::PassesDescriptors)
    });
    only("ioctl", |row| row.has_effect(Effect::ControlsDevice));
    only("close", |row| row.has_effect(Effect::Closes));
    only("close_range", |row| row.has_effect(Effect::ClosesRange));
}

#[test]
fn what_else_calls_do() {
    let has = |effect| move |row: &Syscall| row.has_effect(effect);
    only("sched_yield rseq_slice_yield", has(Effect::Yields));
    only("futex futex_time64 futex_wake", has(Effect::Wakes));
    only("restart_syscall", has(Effect::Restarts));
    only("rt_sigreturn sigreturn", has(Effect::ReturnsFromSignal));
    only(
        "rt_sigaction rt_sigprocmask sigaction sigprocmask signal clock_gettime clock_gettime64 gettimeofday time getpid \
         gettid getrusage times",
        has(Effect::Private),
    );
    only("lseek _llseek", has(Effect::Seeks));
    only("fsync fdatasync sync syncfs", has(Effect::Syncs));
    only("sync syncfs", has(Effect::SyncsAll));
    only("io_uring_setup io_uring_enter", has(Effect::DrivesRing));
    only("bind", has(Effect::Binds));
    only("chdir fchdir", has(Effect::ChangesDirectory));
    only(
        "stat lstat stat64 lstat64 oldstat oldlstat statx newfstatat fstatat64 access faccessat faccessat2 readlink \
         readlinkat",
        has(Effect::Asks),
    );
    only("getsockopt", has(Effect::AsksOfSocket));
    only("setsockopt", has(Effect::SetsOfSocket));
    only("epoll_ctl", has(Effect::Watches));
    only("kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal", has(Effect::SendsSignal));
    only("mkdir mkdirat", has(Effect::MakesDirectory));
    only("rename renameat renameat2", has(Effect::Renames));
    only("link linkat symlink symlinkat", has(Effect::Links));
    only("unlink unlinkat rmdir", has(Effect::Unlinks));
    only("truncate truncate64 creat", has(Effect::Truncates));
    only(
        "chmod fchmodat fchmodat2 chown lchown chown32 lchown32 fchownat file_setattr utime utimes futimesat utimensat utimensat_time64 fchmod fchown fchown32 setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat",
        has(Effect::SetsAttributes),
    );
    only("mknod mknodat", has(Effect::MakesNode));
    only("ftruncate ftruncate64 fallocate", has(Effect::SetsSize));
    only("chroot pivot_root mount umount umount2 move_mount", has(Effect::ChangesPaths));
    only("rt_sigaction sigaction signal", has(Effect::SetsDisposition));
    only("clock_gettime clock_gettime64 gettimeofday time", has(Effect::ReadsClock));
    only(
        "getpid gettid getppid getuid geteuid getgid getegid getuid32 geteuid32 getgid32 getegid32 getresuid getresgid \
         getresuid32 getresgid32 getpgrp getpgid getsid getgroups getgroups32 uname getcwd getrlimit ugetrlimit prlimit64 \
         sched_getaffinity",
        has(Effect::AsksOfItself),
    );
    only("mmap mmap2", has(Effect::Maps));
    only("munmap", has(Effect::Unmaps));
    only("mremap", has(Effect::Remaps));
    only("mprotect pkey_mprotect", has(Effect::Protects));
    only("madvise", has(Effect::Advises));
    only("brk", has(Effect::MovesHeapEnd));
    only("shmat", has(Effect::Attaches));
    only("getrandom", has(Effect::DrawsRandom));
    only("fork vfork clone clone3", has(Effect::Forks));
    only("unshare", has(Effect::Unshares));
    only("set_tid_address", has(Effect::SetsClearedWord));
    only("execve execveat", has(Effect::Executes));
    only("exit exit_group", has(Effect::Exits));
    only("prctl", has(Effect::NamesThread));
    only("setuid setreuid setresuid setuid32 setreuid32 setresuid32", has(Effect::SetsUser));
}
