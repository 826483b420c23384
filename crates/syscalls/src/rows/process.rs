//! Processes: creation, execution, end.

use crate::{Class, Dir, Irregular, Len, Ret, Syscall, Ty, arg, syscall};

pub static ROWS: &[Syscall] = &[
    syscall("execve", Class::FILE.or(Class::PROCESS), Ret::Int, &[
        arg("pathname", Ty::Path),
        arg("argv", Ty::Array(Dir::In, &Ty::Str, Len::UntilZero)),
        arg("envp", Ty::Custom(Irregular::Environ, &Ty::Array(Dir::In, &Ty::Str, Len::UntilZero))),
    ]),
    syscall("exit_group", Class::PROCESS, Ret::Never, &[arg("status", Ty::Int)]),
];

pub static I386: &[(&str, Syscall)] = &[];
