//! Effects in words.

use stride_syscalls::sets::creds::CAP;
use stride_syscalls::{CloseOnExec, Effect, Facility, Flow, For, Thing, Transfer};

/// An effect, as in "Effects: closes a descriptor; ...".
pub fn words(effect: &Effect) -> String {
    match effect {
        Effect::Waits(what) => format!("waits for {}", awaited(*what)),
        Effect::MayWait(what) => format!("may have to wait for {}", awaited(*what)),
        Effect::Moves(transfer) => moved(transfer),
        Effect::Makes(thing, when) => format!("makes a descriptor of {}{}", made(*thing), closed(*when)),
        Effect::Duplicates(when) => format!("makes another descriptor of an open file{}", closed(*when)),
        Effect::Yields => "gives up the CPU".into(),
        Effect::Wakes => "wakes waiters of a futex".into(),
        Effect::Restarts => "resumes the call that a signal interrupted".into(),
        Effect::ReturnsFromSignal => "returns from a signal handler".into(),
        Effect::SetsDisposition => "sets the action on a signal".into(),
        Effect::ReadsClock => "reads a clock".into(),
        Effect::AsksOfItself => "asks for facts about the process".into(),
        Effect::Private => "concerns only the thread itself".into(),
        Effect::Seeks => "moves the file position".into(),
        Effect::Syncs => "returns when data is on its storage".into(),
        Effect::DrivesRing => "makes a ring of io_uring, or has operations in it carried out".into(),
        Effect::SyncsAll => "writes the files of all programs".into(),
        Effect::SyncsMapped => "writes changes of mapped memory to their files".into(),
        Effect::ControlsDescriptor => "duplicates a descriptor or sets its flags, as an argument says".into(),
        Effect::ControlsDevice => "controls the thing behind a descriptor, as a request says".into(),
        Effect::PassesDescriptors => "may pass descriptors between processes".into(),
        Effect::Closes => "closes a descriptor".into(),
        Effect::ClosesRange => "closes a range of descriptors".into(),
        Effect::Connects => "gives a socket its peer".into(),
        Effect::Binds => "gives a socket its own address".into(),
        Effect::ChangesDirectory => "sets the working directory".into(),
        Effect::Asks => "asks for facts about the file that a path names".into(),
        Effect::AsksOfFile => "asks for facts about an open file".into(),
        Effect::LocksFile => "locks an open file, or gives the lock back".into(),
        Effect::AsksOfSocket => "asks for an option of a socket".into(),
        Effect::SetsOfSocket => "sets an option of a socket".into(),
        Effect::Watches => "says which descriptor an epoll instance is to watch".into(),
        Effect::SendsSignal => "sends a signal".into(),
        Effect::MakesDirectory => "makes a directory".into(),
        Effect::Renames => "renames a file".into(),
        Effect::Links => "gives a file one more name".into(),
        Effect::Unlinks => "takes a name away from a file or an empty directory".into(),
        Effect::RemovesDirectory => "removes a directory".into(),
        Effect::Truncates => "cuts off the content of a file".into(),
        Effect::SetsSize => "changes the size of an open file".into(),
        Effect::MakesNode => "makes a device, a pipe or another file with a name".into(),
        Effect::SetsAttributes => "sets attributes of a file".into(),
        Effect::ChangesPaths => "changes where paths lead".into(),
        Effect::Maps => "maps memory".into(),
        Effect::Unmaps => "unmaps memory".into(),
        Effect::Remaps => "moves mapped memory, or changes its size".into(),
        Effect::Protects => "sets what may be done with mapped memory".into(),
        Effect::Advises => "says how the program will use memory".into(),
        Effect::MovesHeapEnd => "moves the end of the heap".into(),
        Effect::Attaches => "maps shared memory".into(),
        Effect::DrawsRandom => "gives random bytes".into(),
        Effect::Forks => "makes a process or a thread".into(),
        Effect::Unshares => "gives the process its own copy of a shared table".into(),
        Effect::SetsClearedWord => "names the word that the kernel clears when the thread ends".into(),
        Effect::Executes => "replaces the program".into(),
        Effect::Exits => "ends the thread or the process".into(),
        Effect::NamesThread => "may set the thread's name".into(),
        Effect::SetsUser => "sets the effective user id".into(),
        Effect::SetsGroups => "sets group ids".into(),
        Effect::SetsPriority => "sets the priority of threads".into(),
        Effect::TracesProcess => "controls another process as a debugger does".into(),
        Effect::NeedsCapability(capability) => {
            format!("needs the capability {}", CAP.name_of(*capability).unwrap_or("of another number"))
        }
        Effect::Controls(facility) => format!("controls {}", controlled(*facility)),
    }
}

fn controlled(facility: Facility) -> &'static str {
    match facility {
        Facility::Clock => "the clocks of the machine",
        Facility::HostName => "the names of the machine",
        Facility::Modules => "the kernel's modules",
        Facility::KernelLog => "the kernel's log",
        Facility::Personality => "the execution domain of the process",
        Facility::Scheduling => "the scheduling policy of a thread",
        Facility::Namespaces => "the namespaces that a thread is in",
    }
}

fn awaited(what: For) -> &'static str {
    match what {
        For::Time => "a span of time to pass",
        For::Readiness => "a descriptor to become ready",
        For::Completion => "asynchronous input or output to finish",
        For::Lock => "another thread to change a word of memory",
        For::Signal => "a signal",
        For::Child => "a child to change its state",
        For::Peer => "a peer",
        For::Turn => "another holder to release something",
    }
}

fn moved(transfer: &Transfer) -> String {
    let flow = match transfer.flow {
        Flow::In => "reads bytes through a descriptor",
        Flow::Out => "writes bytes through a descriptor",
        Flow::Between => "moves bytes from one descriptor to another",
    };
    let asked = transfer.asked.map_or_else(String::new, |name| format!(", as many as `{name}` asks for"));
    format!("{flow}{}{asked}", if transfer.at_offset { " at a given offset" } else { "" })
}

fn made(thing: Thing) -> String {
    match thing {
        Thing::File => "a file".into(),
        Thing::Pipe => "each end of a pipe".into(),
        Thing::SocketPair => "each of two connected sockets".into(),
        Thing::Socket => "a socket".into(),
        Thing::Connection => "a connection".into(),
        Thing::Mount => "a mount".into(),
        Thing::Passed => "a file of another process".into(),
        Thing::Anonymous(name) => format!("a kernel object (`{name}`)"),
    }
}

fn closed(when: CloseOnExec) -> String {
    match when {
        CloseOnExec::Always => ", which execve(2) closes".into(),
        CloseOnExec::Never => String::new(),
        CloseOnExec::If(arg, _) => format!(", which execve(2) closes if `{arg}` says so"),
        CloseOnExec::IfMember(arg, member, _) => format!(", which execve(2) closes if `{member}` of `{arg}` says so"),
    }
}
