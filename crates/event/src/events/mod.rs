//! The stream of events.

pub mod batch;
pub mod library;
pub mod lost;
pub mod ring_use;

use crate::{Call, LibraryCall, Ns, Stack, Tid};
use std::sync::Arc;

/// `sizeof(siginfo_t)`.
pub const SIGINFO_SIZE: usize = 128;

/// How a thread came to be traced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartKind {
    /// It is the command, which Stride started.
    Spawned,
    /// `-p`.
    Attached,
    /// Cloned by a traced thread.
    Forked {
        /// The thread that made it.
        parent: Tid,
    },
}

/// The fate of a process that is not traced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It exited.
    Exited,
    /// A signal killed it.
    Killed,
    /// The kernel had attached it to Stride. Stride released it.
    Detached,
}

/// An event as views get it. It is borrowed from the engine until the next one is asked for.
pub type Event<'a> = EventOf<&'a Call, &'a [u8; SIGINFO_SIZE], Option<&'a Arc<Stack>>, &'a LibraryCall>;

/// An event. `C` is how a call is held, `S` how a `siginfo_t` is held, `K` how a stack is held, and `L` how a call of a
/// library's function is held. Views borrow them. An engine that queues events holds the place of a call, and nothing
/// for its only `siginfo_t`, the stack with it, and its only call of a library's function.
#[derive(Clone, Copy, Debug)]
pub enum EventOf<C, S = (), K = (), L = ()> {
    /// Tracing of a thread begins.
    Started {
        /// The thread.
        tid: Tid,
        /// The process of the thread: its thread group's id.
        process: Tid,
        /// How it came to be traced.
        origin: StartKind,
        /// The monotonic time.
        at: Ns,
    },
    /// The name of a thread, from an engine that knows it. It comes before the thread's start.
    Named {
        /// The thread.
        tid: Tid,
        /// As in the kernel, with zeros behind it.
        name: [u8; 16],
    },
    /// The id of a thread in a PID namespace, which is known by its inode. After a thread has started, there is one such event for each
    /// namespace that has the thread, from Stride's own inwards; or none, if the engine does not know them.
    NamespaceId {
        /// The thread.
        tid: Tid,
        /// The inode of the namespace.
        namespace: u64,
        /// The id of the thread there.
        id: Tid,
    },
    /// A call was entered. Only from engines that see entries.
    Enter(C),
    /// A call returned, or is known never to return.
    Exit(C),
    /// A call that returned and was not asked for, but that sets the program or the name of its thread. Only recordings have
    /// it.
    NamingCall(C),
    /// A function of a library was entered or returned, or a probe was passed.
    Library(L),
    /// A signal is about to be delivered, with the kernel's own `siginfo_t`. `ip` and `stack` are where it
    /// interrupts, if asked for.
    Signal {
        /// The thread.
        tid: Tid,
        /// The kernel's `siginfo_t`.
        info: S,
        /// The instruction pointer that it interrupts. `None` if the engine did not read it.
        ip: Option<u64>,
        /// The stack that it interrupts.
        stack: K,
        /// The monotonic time.
        at: Ns,
    },
    /// A group-stop.
    Stopped {
        /// The thread.
        tid: Tid,
        /// The number of the signal.
        signal: i32,
        /// The monotonic time.
        at: Ns,
    },
    /// The thread is about to be gone: the last moment at which /proc has it. Neither every engine nor every thread
    /// has this event.
    Ending {
        /// The thread.
        tid: Tid,
    },
    /// A thread has ended by itself.
    Exited {
        /// The thread.
        tid: Tid,
        /// The exit status, 0 to 255.
        status: i32,
        /// The monotonic time.
        at: Ns,
    },
    /// A signal ended a thread.
    Killed {
        /// The thread.
        tid: Tid,
        /// The number of the signal.
        signal: i32,
        /// A core was dumped.
        core: bool,
        /// The monotonic time.
        at: Ns,
    },
    /// Thread `old` called execve and took over the id of its thread group leader `tid`. The leader's own call in
    /// flight is gone. The execve, if it was reported as entered or will be reported as returned, is given under its
    /// new id.
    Superseded {
        /// The thread.
        tid: Tid,
        /// The id that the thread had when it called execve.
        old: Tid,
        /// The call that the thread is in, if one is known.
        call: Option<C>,
        /// The monotonic time.
        at: Ns,
    },
    /// Tracing ends for a thread that lives on. Its call in flight, if any, is as it was captured.
    Detached {
        /// The thread.
        tid: Tid,
        /// The call that the thread is in, if one is known.
        call: Option<C>,
        /// The monotonic time.
        at: Ns,
    },
    /// A process that is not traced was noticed: a tracee made it Stride's child (`CLONE_PARENT`, `CLONE_PTRACE`).
    Stranger {
        /// The thread.
        tid: Tid,
        /// Its fate.
        fate: Fate,
    },
    /// The tracee changed the ABI it uses (exec of a 32-bit program).
    Personality {
        /// The thread.
        tid: Tid,
        /// The ABI from here on.
        abi: stride_syscalls::Abi,
        /// The monotonic time.
        at: Ns,
    },
    /// Calls that could not be recorded. They were made before the thread's next event, which is at `at`.
    Lost {
        /// The thread.
        tid: Tid,
        /// The number of lost calls.
        count: u64,
        /// The monotonic time.
        at: Ns,
    },
    /// No event came for a while: the moment to flush.
    Idle,
}

impl<C> EventOf<C> {
    /// The event as views get it. `find` gives the call at a place. If the call is gone, the event says nothing.
    #[inline]
    pub fn borrowed<'a>(
        self,
        siginfo: &'a [u8; SIGINFO_SIZE],
        stack: Option<&'a Arc<Stack>>,
        library: Option<&'a LibraryCall>,
        find: impl FnOnce(C) -> Option<&'a Call>,
    ) -> Event<'a> {
        match self {
            EventOf::Enter(call) => find(call).map_or(Event::Idle, Event::Enter),
            EventOf::Exit(call) => find(call).map_or(Event::Idle, Event::Exit),
            EventOf::NamingCall(call) => find(call).map_or(Event::Idle, Event::NamingCall),
            EventOf::Library(()) => library.map_or(Event::Idle, Event::Library),
            EventOf::Signal { tid, info: (), ip, stack: (), at } => Event::Signal { tid, info: siginfo, ip, stack, at },
            EventOf::Superseded { tid, old, call, at } => Event::Superseded { tid, old, call: call.and_then(find), at },
            EventOf::Detached { tid, call, at } => Event::Detached { tid, call: call.and_then(find), at },
            EventOf::Started { tid, process, origin, at } => Event::Started { tid, process, origin, at },
            EventOf::Named { tid, name } => Event::Named { tid, name },
            EventOf::NamespaceId { tid, namespace, id } => Event::NamespaceId { tid, namespace, id },
            EventOf::Stopped { tid, signal, at } => Event::Stopped { tid, signal, at },
            EventOf::Ending { tid } => Event::Ending { tid },
            EventOf::Exited { tid, status, at } => Event::Exited { tid, status, at },
            EventOf::Killed { tid, signal, core, at } => Event::Killed { tid, signal, core, at },
            EventOf::Stranger { tid, fate } => Event::Stranger { tid, fate },
            EventOf::Personality { tid, abi, at } => Event::Personality { tid, abi, at },
            EventOf::Lost { tid, count, at } => Event::Lost { tid, count, at },
            EventOf::Idle => Event::Idle,
        }
    }
}

impl Event<'_> {
    /// The thread that the event is about.
    pub fn thread(&self) -> Option<Tid> {
        match *self {
            Event::Enter(call) | Event::Exit(call) | Event::NamingCall(call) => Some(call.tid),
            Event::Library(call) => Some(call.tid),
            Event::Started { tid, .. }
            | Event::Named { tid, .. }
            | Event::NamespaceId { tid, .. }
            | Event::Signal { tid, .. }
            | Event::Stopped { tid, .. }
            | Event::Ending { tid }
            | Event::Exited { tid, .. }
            | Event::Killed { tid, .. }
            | Event::Superseded { tid, .. }
            | Event::Detached { tid, .. }
            | Event::Stranger { tid, .. }
            | Event::Personality { tid, .. }
            | Event::Lost { tid, .. } => Some(tid),
            Event::Idle => None,
        }
    }

    /// The time of the event. For a call that returned: of its return.
    pub fn at(&self) -> Option<Ns> {
        match *self {
            Event::Enter(call) => Some(call.began()),
            Event::Exit(call) | Event::NamingCall(call) => Some(call.returned),
            Event::Library(call) => Some(call.at),
            Event::Started { at, .. }
            | Event::Signal { at, .. }
            | Event::Stopped { at, .. }
            | Event::Exited { at, .. }
            | Event::Killed { at, .. }
            | Event::Superseded { at, .. }
            | Event::Detached { at, .. }
            | Event::Personality { at, .. }
            | Event::Lost { at, .. } => Some(at),
            Event::Named { .. }
            | Event::NamespaceId { .. }
            | Event::Ending { .. }
            | Event::Stranger { .. }
            | Event::Idle => None,
        }
    }
}
