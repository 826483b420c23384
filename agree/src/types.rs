//! Facts about the types of arguments and members that decide how values are made.

use stride_syscalls::{Abi, Dir, Irregular, Len, Select, Ty, structs};

/// The type of an element of a member that is an array.
pub fn element(ty: &Ty) -> &Ty {
    match ty {
        Ty::Items(inner) => inner,
        Ty::Custom(_, inner) | Ty::Reply(inner) | Ty::NonZero(inner) => element(inner),
        _ => ty,
    }
}

pub fn select_of(ty: &Ty) -> Option<&'static Select> {
    match ty {
        Ty::Select(select) => Some(select),
        Ty::As(_, inner) | Ty::Custom(_, inner) => select_of(inner),
        _ => None,
    }
}

/// The least room for which the kernel fills in a whole struct.
pub fn needed(ty: &Ty, abi: Abi) -> u64 {
    let layout = match ty {
        Ty::Custom(Irregular::SchedAttr, Ty::Buffer(Dir::Out, ..)) => &structs::sched::ATTR,
        Ty::Custom(Irregular::Statmount, _) => &structs::mount::STATMOUNT,
        _ => return 0,
    };
    layout.size(abi) as u64
}

/// True for an argument or member that is the size of a set of signals.
pub fn is_set_size(name: &str) -> bool {
    ["sigsetsize", "sizemask"].contains(&name)
}

/// True if the call's result is the length of what it wrote here.
pub fn is_as_long_as_result(ty: &Ty) -> bool {
    match ty {
        Ty::Bytes(_, Len::Ret)
        | Ty::Buffer(_, Len::Ret, _)
        | Ty::Array(_, _, Len::Ret)
        | Ty::Table(_, _, Len::Ret, _) => true,
        Ty::Custom(Irregular::PathOut | Irregular::Dirents | Irregular::Dirents64, _) => true,
        Ty::Custom(Irregular::MsgBuf, Ty::Buffer(Dir::Out, ..)) | Ty::Custom(Irregular::MmsghdrOut, _) => true,
        Ty::Custom(_, inner) | Ty::As(_, inner) => is_as_long_as_result(inner),
        _ => false,
    }
}

/// True if a value of this type depends on others, or leads to memory.
pub fn leads_somewhere(ty: &Ty) -> bool {
    ty.is_pointer() || matches!(ty, Ty::Select(_) | Ty::Shapes(_)) || select_of(ty).is_some()
}

/// The names of the siblings that are lengths for this type.
pub fn lengths(ty: &Ty) -> Vec<&'static str> {
    match ty {
        Ty::Bytes(_, len)
        | Ty::Buffer(_, len, _)
        | Ty::Array(_, _, len)
        | Ty::Table(_, _, len, _)
        | Ty::Extensible(_, _, len, _)
        | Ty::Iovec(_, len)
        | Ty::Sockaddr(_, len)
        | Ty::SigSet(_, len) => match len {
            Len::Of(name) | Len::Units { of: name, .. } => vec![name],
            _ => Vec::new(),
        },
        Ty::Custom(_, inner) | Ty::As(_, inner) => lengths(inner),
        Ty::Shapes(shapes) => shapes.iter().flat_map(lengths).collect(),
        Ty::Select(select) => select.cases.iter().flat_map(|case| lengths(&case.1)).collect(),
        _ => Vec::new(),
    }
}
