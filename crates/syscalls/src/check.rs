//! Checks while the description is compiled: a misspelt name fails the build.

use crate::{Arg, CloseOnExec, Effect, Form, Len, Ret, SelectKey, StartsAt, Struct, Syscall, Ty, When};

pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

const fn names_arg(args: &[Arg], name: &str) -> bool {
    let mut i = 0;
    while i < args.len() {
        if same(args[i].name, name) {
            return true;
        }
        i += 1;
    }
    false
}

const fn names_field(s: &Struct, name: &str) -> bool {
    let mut i = 0;
    while i < s.fields.len() {
        if same(s.fields[i].name, name) {
            return true;
        }
        i += 1;
    }
    false
}

/// Checks the names a row's types refer to.
pub(crate) const fn row(row: &Syscall) {
    let mut i = 0;
    while i < row.args.len() {
        let register = match row.args[i].register {
            Some(register) => register as usize,
            None => i,
        };
        assert!(register < 6, "a syscall has at most six arguments");
        ty(&row.args[i].ty, row.args, None);
        when(&row.args[i].when, row.args, None);
        if let StartsAt::Argument(name) = row.args[i].starts {
            assert!(names_arg(row.args, name), "a path starts at no argument of this syscall");
        }
        i += 1;
    }
    if let Ret::Select(choice) = row.ret {
        assert!(names_arg(row.args, choice.on.arg), "Select names no argument of this syscall");
    }
}

/// Checks the siblings that a condition names.
const fn when(condition: &When, args: &[Arg], within: Option<&Struct>) {
    match condition {
        When::Always | When::Never => {}
        When::AnySet(on, _) | When::OneOf(on, _, _) | When::NoneOf(on, _, _) => {
            let known = match within {
                Some(s) => names_field(s, on),
                None => names_arg(args, on),
            };
            assert!(known, "When names no sibling argument or member");
        }
        When::AnyOf(conditions) | When::AllOf(conditions) => {
            let mut i = 0;
            while i < conditions.len() {
                when(&conditions[i], args, within);
                i += 1;
            }
        }
    }
}

/// Checks the forms of a multiplexed call.
pub(crate) const fn forms(row: &Syscall, on: &SelectKey, cases: &[Form]) {
    assert!(names_arg(row.args, on.arg), "a form's key names no argument of this syscall");
    let mut i = 0;
    while i < cases.len() {
        let form = &cases[i].row;
        assert!(same(form.name, row.name), "a form has another name than its syscall");
        let mut j = 0;
        while j < form.args.len() {
            assert!(!matches!(form.args[j].ty, Ty::Select(_)), "a form is chosen already: no Select within");
            j += 1;
        }
        i += 1;
    }
}

/// Checks the arguments for which a row has the kernel's names. Members of a struct in memory may be arguments, too.
pub(crate) const fn kernel_names(row: &Syscall, names: &[(&str, &str)]) {
    let mut i = 0;
    while i < names.len() {
        let spread = !row.args.is_empty() && matches!(row.args[0].ty, Ty::Spread(_));
        assert!(spread || names_arg(row.args, names[i].0), "a kernel's name is that of no argument of this syscall");
        i += 1;
    }
}

/// Checks the arguments that effects name.
pub(crate) const fn effects(row: &Syscall, effects: &[Effect]) {
    let mut i = 0;
    while i < effects.len() {
        let name = match effects[i] {
            Effect::Moves(transfer) => transfer.asked,
            Effect::Makes(_, CloseOnExec::If(arg, _) | CloseOnExec::IfMember(arg, ..))
            | Effect::Duplicates(CloseOnExec::If(arg, _) | CloseOnExec::IfMember(arg, ..)) => Some(arg),
            _ => None,
        };
        if let Some(name) = name {
            assert!(names_arg(row.args, name), "an effect names no argument of this syscall");
        }
        i += 1;
    }
}

const fn len(len: &Len, args: &[Arg], within: Option<&Struct>) {
    if let Len::Of(name) | Len::Deref(name) | Len::Units { of: name, .. } = len {
        let known = match within {
            Some(s) => names_field(s, name),
            None => names_arg(args, name),
        };
        assert!(known, "a length names no sibling argument or member");
    }
}

const fn members(s: &Struct, args: &[Arg]) {
    let mut i = 0;
    while i < s.fields.len() {
        ty(&s.fields[i].ty, args, Some(s));
        when(&s.fields[i].when, args, Some(s));
        i += 1;
    }
}

const fn ty(t: &Ty, args: &[Arg], within: Option<&Struct>) {
    match t {
        Ty::Bytes(_, l) | Ty::Buffer(_, l, _) | Ty::Iovec(_, l) | Ty::Sockaddr(_, l) | Ty::SigSet(_, l) => {
            len(l, args, within)
        }
        Ty::Extensible(_, s, l, _) => {
            len(l, args, within);
            members(s, args);
        }
        Ty::Array(_, inner, l) | Ty::Table(_, inner, l, _) => {
            len(l, args, within);
            ty(inner, args, within);
        }
        Ty::Ptr(_, inner)
        | Ty::As(_, inner)
        | Ty::Custom(_, inner)
        | Ty::Items(inner)
        | Ty::Reply(inner)
        | Ty::NonZero(inner)
        | Ty::Stack(inner) => ty(inner, args, within),
        Ty::Turn(before, after) => {
            members(before, args);
            members(after, args);
        }
        Ty::Struct(s) | Ty::Exchange(s) | Ty::Spread(s) => members(s, args),
        Ty::Shapes(shapes) => {
            let mut i = 0;
            while i < shapes.len() {
                ty(&shapes[i], args, within);
                i += 1;
            }
        }
        Ty::Select(s) => {
            assert!(names_arg(args, s.on.arg), "Select names no argument of this syscall");
            if let Some(second) = s.on.second {
                assert!(names_arg(args, second), "Select names no argument of this syscall");
            }
            ty(&s.default, args, within);
            let mut i = 0;
            while i < s.cases.len() {
                ty(&s.cases[i].1, args, within);
                i += 1;
            }
        }
        Ty::Int | Ty::UInt | Ty::Long | Ty::ULong | Ty::I64 | Ty::U64 | Ty::Hex | Ty::HexLong | Ty::Addr => {}
        Ty::Fd | Ty::DirFd | Ty::Pid(_) | Ty::Uid | Ty::Gid | Ty::Signal | Ty::Mode | Ty::Perm | Ty::Dev => {}
        Ty::Flags(_) | Ty::Enum(_) | Ty::ClockId | Ty::Ticks => {}
        Ty::Path | Ty::Str | Ty::CStr | Ty::Blob(_) => {}
    }
}
