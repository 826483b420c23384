//! The times at which the memory behind an argument is read, in the words that `docs/syscalls/README.md` explains.

use stride_syscalls::{Dir, Ty};

/// The same in parentheses, behind a type. Empty if there is no memory.
pub fn suffix(ty: &Ty) -> String {
    when(ty).map_or_else(String::new, |when| format!(" ({when})"))
}

pub fn when(ty: &Ty) -> Option<&'static str> {
    match ty {
        Ty::Path | Ty::Str | Ty::Spread(_) | Ty::Stack(_) => Some(of(Dir::In)),
        Ty::Bytes(dir, _)
        | Ty::Buffer(dir, ..)
        | Ty::Ptr(dir, _)
        | Ty::Array(dir, ..)
        | Ty::Table(dir, ..)
        | Ty::Extensible(dir, ..)
        | Ty::Iovec(dir, _)
        | Ty::Sockaddr(dir, _)
        | Ty::SigSet(dir, _) => Some(of(*dir)),
        Ty::Exchange(_) | Ty::Turn(..) => Some(of(Dir::InOut)),
        Ty::As(_, shape) | Ty::Custom(_, shape) | Ty::Reply(shape) | Ty::NonZero(shape) => when(shape),
        Ty::Shapes(shapes) => shapes.iter().find_map(when),
        _ => None,
    }
}

fn of(dir: Dir) -> &'static str {
    match dir {
        Dir::In => "before the call",
        Dir::InLost => "before the call (overwritten)",
        Dir::Out => "after the call",
        Dir::InOut => "before and after the call",
        Dir::OutAlways => "after the call, also if the call fails",
        Dir::InOutAlways => "before and after the call, also if the call fails",
    }
}
