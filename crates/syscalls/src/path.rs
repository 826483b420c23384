//! Paths among the arguments of a call, the directories where they begin, and the flags of calls that open files.

use crate::sets::files::{OPEN, OPEN_HOW};
use crate::uapi::consts as c;
use crate::{Effect, Irregular, Syscall, Thing, Ty};

/// A path among the arguments of a system call or of an operation of io_uring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathArg {
    /// The position of the path among the arguments.
    pub position: usize,
    /// The directory at which a relative path begins.
    pub start: PathStart,
}

/// The directory at which a relative path begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathStart {
    /// At the working directory of the process, as with `AT_FDCWD`.
    WorkingDirectory,
    /// At the directory whose descriptor is in the argument of this position. The argument may hold `AT_FDCWD`.
    Directory(usize),
    /// Among the POSIX message queues: mq_overview(7). No directory of the process matters.
    Queues,
}

/// The start of a path as its row gives it, where the usual rule does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartsAt {
    /// The usual rule: a descriptor of a directory stands directly before its path (openat(2), renameat(2)). A path
    /// without one begins at the working directory.
    Usual,
    /// At the directory in this argument.
    Argument(&'static str),
    /// Among the message queues.
    Queues,
}

/// The argument with the flags of a call that opens a file: `O_RDONLY`, `O_CREAT`, ...
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenFlags {
    /// In the argument of this position.
    Argument(usize),
    /// In this member of the struct behind the argument of this position.
    Member(usize, &'static str),
    /// The call has no flags and always opens with these: creat(2).
    Always(u64),
}

impl PathArg {
    /// The position of the argument with the directory, if the path has one.
    pub fn directory(&self) -> Option<usize> {
        match self.start {
            PathStart::Directory(position) => Some(position),
            PathStart::WorkingDirectory | PathStart::Queues => None,
        }
    }

    /// The path at this position, by the usual rule. `is_directory` tells which arguments are descriptors of
    /// directories.
    pub(crate) fn usual(position: usize, is_directory: impl FnOnce(usize) -> bool) -> PathArg {
        let start = match position.checked_sub(1) {
            Some(before) if is_directory(before) => PathStart::Directory(before),
            _ => PathStart::WorkingDirectory,
        };
        PathArg { position, start }
    }
}

impl Syscall {
    /// The paths that the call follows, in the order of its arguments. The target of a new symbolic link is only text.
    pub fn paths(&self) -> impl Iterator<Item = PathArg> {
        let paths = self.args.iter().enumerate().filter(|(_, arg)| is_path(&arg.ty));
        paths.map(|(position, arg)| match arg.starts {
            StartsAt::Usual => PathArg::usual(position, |before| is_directory(&self.args[before].ty)),
            StartsAt::Argument(name) => PathArg { position, start: PathStart::Directory(self.index(name)) },
            StartsAt::Queues => PathArg { position, start: PathStart::Queues },
        })
    }

    /// The place of the flags, if the call opens or creates a file.
    pub fn open_flags(&self) -> Option<OpenFlags> {
        self.makes().filter(|thing| *thing == Thing::File)?;
        let found = self.args.iter().enumerate().find_map(|(position, arg)| match arg.ty {
            Ty::Flags(set) if std::ptr::eq(set, &OPEN) => Some(OpenFlags::Argument(position)),
            Ty::Extensible(_, layout, ..) => {
                let is_flags = |ty: &Ty| matches!(ty, Ty::Flags(set) if std::ptr::eq(*set, &OPEN_HOW));
                let member = layout.fields.iter().find(|field| is_flags(&field.ty))?;
                Some(OpenFlags::Member(position, member.name))
            }
            _ => None,
        });
        let creates =
            || self.has_effect(Effect::Truncates).then_some(OpenFlags::Always(c::O_CREAT | c::O_WRONLY | c::O_TRUNC));
        found.or_else(creates)
    }
}

fn is_path(ty: &Ty) -> bool {
    match ty {
        Ty::Path => true,
        Ty::Custom(Irregular::LinkTarget | Irregular::Untouched, _) => false,
        Ty::Custom(_, shape) => is_path(shape),
        _ => false,
    }
}

fn is_directory(ty: &Ty) -> bool {
    match ty {
        Ty::DirFd => true,
        Ty::Custom(_, shape) => is_directory(shape),
        _ => false,
    }
}
