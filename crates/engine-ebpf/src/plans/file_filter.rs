//! Which calls can be about a descriptor or path, for filters by descriptor or path.

use stride_syscalls::{Abi, Irregular, Syscall, Ty};

/// Where a call names descriptors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fds {
    /// In these registers (a bit mask) and nowhere else.
    Registers(u32),
    /// In memory, or depending on other arguments.
    Somewhere,
}

pub fn fds(row: &Syscall, abi: Abi) -> Fds {
    if row.forms.is_some() {
        return Fds::Somewhere;
    }
    let mut mask = 0;
    for (position, arg) in row.args.iter().enumerate() {
        match &arg.ty {
            Ty::Fd | Ty::DirFd => mask |= 1 << row.register(position, abi).min(5),
            ty if mentions(ty, &|ty| matches!(ty, Ty::Fd | Ty::DirFd)) => return Fds::Somewhere,
            _ => {}
        }
    }
    Fds::Registers(mask)
}

/// True if a call names a path or a descriptor anywhere.
pub fn names_files(row: &Syscall) -> bool {
    let file = |ty: &Ty| matches!(ty, Ty::Fd | Ty::DirFd | Ty::Path);
    row.forms.is_some() || row.args.iter().any(|arg| mentions(&arg.ty, &file))
}

fn mentions(ty: &Ty, is: &dyn Fn(&Ty) -> bool) -> bool {
    match ty {
        Ty::Custom(Irregular::PollFds | Irregular::FdSet, _) | Ty::Select(_) => true,
        Ty::Custom(_, inner) | Ty::As(_, inner) => mentions(inner, is),
        ty => is(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_syscalls::table;

    fn row(name: &str) -> &'static Syscall {
        table(Abi::X86_64).iter().find(|e| e.row.name == name).unwrap().row
    }

    #[test]
    fn where_descriptors_are() {
        let fds = |name| fds(row(name), Abi::X86_64);
        assert_eq!(fds("read"), Fds::Registers(1));
        assert_eq!(fds("dup2"), Fds::Registers(0b11));
        assert_eq!(fds("mmap"), Fds::Registers(1 << 4));
        assert_eq!(fds("getpid"), Fds::Registers(0));
        assert_eq!(fds("poll"), Fds::Somewhere);
        assert!(names_files(row("openat")) && names_files(row("stat")) && !names_files(row("brk")));
    }
}
