//! The faults that are plausible for a call. They follow from the effects on its row, and from what its descriptor refers to.

use std::collections::BTreeSet;
use stride_event::Ns;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Data, Effect, Flow, For, Syscall, Thing};

/// A kind of fault, as `--sweep=` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// The error that says most about a program: one for each call.
    Error,
    /// Further errors of the same call.
    More,
    /// EINTR.
    Interrupted,
    /// ENOSPC.
    NoSpace,
    /// A call moves less than it was asked to.
    Short,
    /// The call takes a while.
    Delay,
}

/// The word for all kinds.
const ALL_KINDS: &str = "all";

impl FaultKind {
    pub const ALL: [FaultKind; 6] = [
        FaultKind::Error,
        FaultKind::More,
        FaultKind::Interrupted,
        FaultKind::NoSpace,
        FaultKind::Short,
        FaultKind::Delay,
    ];

    /// All words of a list.
    pub fn words() -> impl Iterator<Item = &'static str> {
        FaultKind::ALL.map(FaultKind::name).into_iter().chain([ALL_KINDS])
    }

    fn name(self) -> &'static str {
        match self {
            FaultKind::Error => "error",
            FaultKind::More => "more",
            FaultKind::Interrupted => "eintr",
            FaultKind::NoSpace => "nospace",
            FaultKind::Short => "short",
            FaultKind::Delay => "delay",
        }
    }

    /// The kinds of a list such as `error,eintr`: `all`, and by default those that say most. The error is the word that is not known.
    pub fn of_list(list: &str) -> Result<BTreeSet<FaultKind>, &str> {
        let words = list.split(',').filter(|word| !word.is_empty());
        let kinds = words.map(|word| match word {
            ALL_KINDS => Ok(FaultKind::ALL.to_vec()),
            word => FaultKind::ALL.into_iter().find(|kind| kind.name() == word).map(|kind| vec![kind]).ok_or(word),
        });
        let kinds: BTreeSet<_> = kinds.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        Ok(if kinds.is_empty() { BTreeSet::from([FaultKind::Error]) } else { kinds })
    }
}

/// The change of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SweepFault {
    /// It fails with this error.
    Errno(u32),
    /// It moves at most so many bytes.
    Short(u64),
    /// Its thread waits so long before it is made.
    Delay(Ns),
}

impl SweepFault {
    /// The term of `--inject`.
    pub fn term(self) -> String {
        match self {
            SweepFault::Errno(errno) => format!("error={}", stride_output::errno_name(errno)),
            SweepFault::Short(most) => format!("short={most}"),
            SweepFault::Delay(time) => format!("delay_enter={}us", time / 1000),
        }
    }

    /// `fails with EIO`, behind the name of a call.
    pub fn sentence(self) -> String {
        match self {
            SweepFault::Errno(errno) => format!("fails with {}", stride_output::errno_name(errno)),
            SweepFault::Short(most) => format!("moves {most} bytes at most"),
            SweepFault::Delay(time) => format!("takes {} longer", stride_event::quantity::duration(time)),
        }
    }

    /// The error, if that is what happens.
    pub fn errno(self) -> Option<u32> {
        match self {
            SweepFault::Errno(errno) => Some(errno),
            SweepFault::Short(_) | SweepFault::Delay(_) => None,
        }
    }
}

/// The bytes that a short call moves: so few that a program cannot go on as if that were all.
const SHORT: u64 = 3;

/// The delay of a call.
const DELAY: Ns = 200_000_000;

/// The thing behind the first descriptor of a call, or the one that it makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum On {
    /// Nothing, or it is not known.
    #[default]
    Unknown,
    /// A file that has a path and is no device.
    File,
    /// A file below /dev, /proc or /sys.
    Device,
    /// A pipe.
    Pipe,
    /// A socket.
    Socket,
    /// The standard error.
    StandardError,
}

/// The circumstances of a call that decide about its faults, beside its row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances {
    pub on: On,
    /// The descriptor was written to, or the call opens a file to write to it.
    pub writes: bool,
    /// The bytes that the call has moved.
    pub moved: u64,
}

/// The plausible faults of a call, each once.
pub fn plausible(row: &Syscall, around: Circumstances) -> Vec<(FaultKind, SweepFault)> {
    let mut faults: Vec<(FaultKind, SweepFault)> = Vec::new();
    for effect in row.effects {
        for (kind, errno) in of_effect(row, effect, around) {
            // A call has one most telling error.
            let has_error = faults.iter().any(|(known, _)| *known == FaultKind::Error);
            let kind = if kind == FaultKind::Error && has_error { FaultKind::More } else { kind };
            let fault = SweepFault::Errno(errno as u32);
            if !faults.iter().any(|(_, known)| *known == fault) {
                faults.push((kind, fault));
            }
        }
    }
    // A pipe or a socket may give or take less at any time, and a disk that is nearly full may take less. But a file gives all that it has.
    let is_short =
        row.transfer().filter(|transfer| transfer.asked.is_some()).is_some_and(|transfer| match transfer.flow {
            Flow::In => matches!(around.on, On::Pipe | On::Socket),
            Flow::Out => matches!(around.on, On::File | On::Pipe | On::Socket),
            Flow::Between => true,
        });
    if is_short && around.moved > SHORT {
        faults.push((FaultKind::Short, SweepFault::Short(SHORT)));
    }
    if !faults.is_empty() {
        faults.push((FaultKind::Delay, SweepFault::Delay(DELAY)));
    }
    faults
}

fn of_effect(row: &Syscall, effect: &Effect, around: Circumstances) -> Vec<(FaultKind, u64)> {
    use FaultKind::{Error, Interrupted, More, NoSpace};
    // Reading and writing files is not interrupted by signals. Pipes, sockets and terminals are.
    let is_slow = !matches!(around.on, On::File);
    let mut faults = match effect {
        Effect::Makes(Thing::File, _) if around.writes => {
            vec![(Error, c::EACCES), (NoSpace, c::ENOSPC), (More, c::EMFILE)]
        }
        Effect::Makes(Thing::File, _) => vec![(Error, c::EACCES), (More, c::EMFILE), (More, c::ENOENT)],
        Effect::Makes(Thing::Connection, _) => vec![(Error, c::EMFILE), (More, c::ECONNABORTED)],
        // A descriptor whose number the caller chooses (dup2) is there already, most of the time.
        Effect::Duplicates(_) if row.args.len() > 1 => vec![],
        Effect::Makes(..) | Effect::Duplicates(_) => vec![(Error, c::EMFILE)],
        Effect::Moves(transfer) => match (transfer.flow, around.on) {
            (_, On::StandardError) => vec![],
            (_, On::Device) => vec![],
            (Flow::Out, On::Pipe) => vec![(Error, c::EPIPE)],
            (Flow::In, On::Pipe) => vec![],
            (_, On::Socket) => vec![(Error, c::ECONNRESET), (More, c::ETIMEDOUT)],
            (Flow::In, _) => vec![(Error, c::EIO)],
            (Flow::Out | Flow::Between, _) => vec![(Error, c::EIO), (NoSpace, c::ENOSPC)],
        },
        Effect::Syncs => vec![(Error, c::EIO), (NoSpace, c::ENOSPC)],
        // The kernel has closed the descriptor also if it says so. Only what was written is in doubt.
        Effect::Closes if around.writes && around.on == On::File => vec![(Error, c::EIO), (NoSpace, c::ENOSPC)],
        Effect::SetsSize => vec![(Error, c::EIO), (NoSpace, c::ENOSPC)],
        Effect::Connects => vec![(Error, c::ECONNREFUSED), (More, c::ETIMEDOUT)],
        Effect::Binds => vec![(Error, c::EADDRINUSE), (More, c::EACCES)],
        Effect::ChangesDirectory | Effect::Asks => vec![(Error, c::EACCES)],
        Effect::LocksFile => vec![(Error, c::ENOLCK)],
        Effect::Watches => vec![(Error, c::ENOMEM), (NoSpace, c::ENOSPC)],
        Effect::MakesDirectory | Effect::Renames | Effect::Links | Effect::MakesNode => {
            vec![(Error, c::EACCES), (NoSpace, c::ENOSPC)]
        }
        Effect::Unlinks | Effect::Truncates => vec![(Error, c::EACCES)],
        Effect::SetsAttributes => vec![(Error, c::EPERM)],
        Effect::Maps | Effect::Remaps | Effect::Attaches => vec![(Error, c::ENOMEM)],
        Effect::Forks => vec![(Error, c::EAGAIN), (More, c::ENOMEM)],
        Effect::Executes => vec![(Error, c::EACCES), (More, c::ENOMEM)],
        Effect::SetsUser => vec![(Error, c::EAGAIN)],
        _ => vec![],
    };
    let is_interruptible = match effect {
        // Locks and completions are waited for by libraries, which start such a wait again.
        Effect::Waits(on) | Effect::MayWait(on) => !matches!(on, For::Lock | For::Completion),
        Effect::Moves(transfer) => {
            is_slow
                && !matches!(around.on, On::Unknown | On::StandardError)
                && !matches!(transfer.data, Data::Records | Data::Nowhere)
        }
        Effect::Connects => true,
        _ => false,
    };
    faults.extend(is_interruptible.then_some((Interrupted, c::EINTR)));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_syscalls::{Abi, table};

    fn errors(name: &str, kind: FaultKind, around: Circumstances) -> Vec<String> {
        let entry = table(Abi::X86_64).iter().find(|entry| entry.row.name == name).unwrap();
        let faults = plausible(entry.row, around);
        let of_kind = faults.iter().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, fault)| fault.term().replace("error=", "")).collect()
    }

    #[test]
    fn errors_follow_from_effects() {
        let on = |on| Circumstances { on, ..Circumstances::default() };
        let written = Circumstances { on: On::File, writes: true, moved: 0 };
        for (name, around, expected) in [
            ("openat", on(On::File), &["EACCES"][..]),
            ("read", on(On::File), &["EIO"]),
            ("read", on(On::Pipe), &[]),
            ("write", on(On::StandardError), &[]),
            ("write", on(On::File), &["EIO"]),
            ("sendto", on(On::Socket), &["ECONNRESET"]),
            ("close", on(On::File), &[]),
            ("close", written, &["EIO"]),
            ("mmap", on(On::Unknown), &["ENOMEM"]),
            ("clone", on(On::Unknown), &["EAGAIN"]),
            ("rename", on(On::Unknown), &["EACCES"]),
            // These do not fail, or their failure says nothing.
            ("dup", on(On::File), &["EMFILE"]),
            ("dup2", on(On::File), &[]),
            ("getpid", on(On::Unknown), &[]),
            ("brk", on(On::Unknown), &[]),
            ("munmap", on(On::Unknown), &[]),
            ("fstat", on(On::File), &[]),
            ("exit_group", on(On::Unknown), &[]),
        ] {
            assert_eq!(errors(name, FaultKind::Error, around), expected, "{name} on {:?}", around.on);
        }
        assert_eq!(errors("write", FaultKind::NoSpace, on(On::File)), ["ENOSPC"]);
        assert_eq!(errors("read", FaultKind::Interrupted, on(On::Pipe)), ["EINTR"]);
        assert_eq!(errors("read", FaultKind::Interrupted, on(On::File)), [""; 0]);
        let moved = |moved| Circumstances { on: On::File, writes: false, moved };
        assert_eq!(errors("write", FaultKind::Short, moved(4)), ["short=3"]);
        assert_eq!(errors("write", FaultKind::Short, moved(3)), [""; 0]);
        assert_eq!(errors("read", FaultKind::Short, moved(4)), [""; 0]);
        assert_eq!(errors("writev", FaultKind::Short, moved(4)), [""; 0]);
        assert_eq!(errors("poll", FaultKind::Interrupted, on(On::Unknown)), ["EINTR"]);
    }

    #[test]
    fn lists_of_kinds() {
        use FaultKind::{Error, Interrupted};
        assert_eq!(FaultKind::of_list(""), Ok([Error].into()));
        assert_eq!(FaultKind::of_list("eintr,error,eintr"), Ok([Error, Interrupted].into()));
        assert_eq!(FaultKind::of_list("all"), Ok(FaultKind::ALL.into()));
        assert_eq!(FaultKind::of_list("error,eros"), Err("eros"));
    }

    /// A call has at most one error of the default kind, and no fault twice.
    #[test]
    fn every_row_has_few_faults() {
        for entry in table(Abi::X86_64).iter().chain(table(Abi::I386).iter()) {
            for on in [On::Unknown, On::File, On::Pipe, On::Socket] {
                let faults = plausible(entry.row, Circumstances { on, writes: true, moved: 9 });
                let errors = faults.iter().filter(|(kind, _)| *kind == FaultKind::Error).count();
                assert!(errors <= 1 && faults.len() <= 7, "{}: {faults:?}", entry.row.name);
            }
        }
    }
}
