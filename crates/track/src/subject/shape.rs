//! The arguments of a syscall that name the subject of a call: descriptors and paths.

use stride_event::CallSet;
use stride_syscalls::{Abi, Effect, For, PathArg, Ret, Syscall, Ty, table};

/// Positions are those of the row's arguments.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub row: &'static Syscall,
    pub fd: Option<u8>,
    pub paths: [Option<PathArg>; 2],
    /// The call returns how many bytes it moved.
    pub transfers: bool,
    pub asked: Option<u8>,
    /// If it succeeds, its path may be that of a descriptor, a program or a working directory.
    pub keeps_path: bool,
    pub idle: Idle,
}

/// Says whether a call is progress of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Idle {
    /// Progress, unless the result is EAGAIN.
    No,
    /// No progress if it returns 0.
    IfZero,
    /// Never progress.
    Always,
}

fn idle(row: &Syscall) -> Idle {
    let gets_nowhere = |effect: &Effect| {
        matches!(effect, Effect::Waits(For::Time) | Effect::Restarts | Effect::Yields | Effect::Private)
    };
    match row.waits() {
        Some(For::Readiness | For::Lock) => Idle::IfZero,
        _ if row.effects.iter().any(gets_nowhere) => Idle::Always,
        _ => Idle::No,
    }
}

fn keeps_path(row: &Syscall) -> bool {
    let keeps = |effect: &Effect| matches!(effect, Effect::Makes(..) | Effect::Executes | Effect::ChangesDirectory);
    matches!(row.ret, Ret::Fd | Ret::Select(_)) || row.effects.iter().any(keeps)
}

/// True if the call changes what its thread runs or is called.
pub fn names_thread(row: &Syscall) -> bool {
    row.has_effect(Effect::Executes) || row.has_effect(Effect::NamesThread)
}

/// The calls by which programs change what their threads run or are called.
pub fn naming_calls() -> CallSet {
    let mut calls = CallSet::empty();
    for abi in Abi::ALL {
        let naming = table(abi).iter().filter(|entry| names_thread(entry.row));
        naming.for_each(|entry| calls.insert(abi, entry.nr));
    }
    calls
}

impl Shape {
    fn of(row: &'static Syscall) -> Shape {
        let at = |test: &dyn Fn(&Ty) -> bool| row.args.iter().position(|arg| test(&arg.ty)).map(|i| i as u8);
        let mut paths = row.paths();
        let fd = at(&|ty| matches!(ty, Ty::Fd));
        let transfers = row.returns_moved();
        Shape {
            row,
            fd,
            paths: [paths.next(), paths.next()],
            transfers,
            asked: row.transfer().filter(|_| transfers).and_then(|t| t.asked).map(|name| row.index(name) as u8),
            keeps_path: keeps_path(row),
            idle: idle(row),
        }
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
