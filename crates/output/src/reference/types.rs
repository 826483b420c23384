//! Types in words.

use super::memory;
use std::fmt::Write as _;
use stride_syscalls::{Abi, Irregular, Len, PidKind, Ret, Select, SelectKey, Set, Syscall, Ty, Unit, When, ioctl};

/// Writes about the row of a call.
pub struct Describer<'a> {
    pub row: &'a Syscall,
    /// The most names of a set that are listed.
    pub most: usize,
}

impl Describer<'_> {
    /// A type, as in "`flags`: flags: ...".
    pub fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "int".to_owned(),
            Ty::UInt => "unsigned int".to_owned(),
            Ty::Long => "long".to_owned(),
            Ty::ULong => "unsigned long".to_owned(),
            Ty::I64 => "long long".to_owned(),
            Ty::U64 => "unsigned long long".to_owned(),
            Ty::Hex => "unsigned int, hexadecimal".to_owned(),
            Ty::HexLong => "unsigned long, hexadecimal".to_owned(),
            Ty::Addr => "address".to_owned(),
            Ty::Fd => "descriptor".to_owned(),
            Ty::DirFd => "descriptor of a directory, or `AT_FDCWD`".to_owned(),
            Ty::Pid(kind) => id(*kind).to_owned(),
            Ty::Uid => "user id".to_owned(),
            Ty::Gid => "group id".to_owned(),
            Ty::Signal => "signal".to_owned(),
            Ty::Mode => "file type and permissions".to_owned(),
            Ty::Perm => "permissions, octal".to_owned(),
            Ty::Dev => "device number".to_owned(),
            Ty::Flags(set) => format!("flags: {}", self.names(set)),
            Ty::Enum(set) => format!("one of {}", self.names(set)),
            Ty::ClockId => "clock".to_owned(),
            Ty::Ticks => "clock ticks".to_owned(),
            Ty::As(_, shape) => self.ty(shape),
            Ty::Path => "path".to_owned(),
            Ty::Str => "text".to_owned(),
            Ty::Bytes(_, len) => format!("bytes{}", self.length(*len)),
            Ty::Buffer(_, len, most) => {
                format!("data{}, at most {} bytes of it", self.length(*len), stride_event::grouped(u64::from(*most)))
            }
            Ty::Ptr(_, shape) => self.ty(shape),
            Ty::Array(_, shape, len) => format!("array{} of: {}", self.length(*len), self.ty(shape)),
            Ty::Table(_, shape, len, most) => format!(
                "array{} of: {} (at most {} elements are read)",
                self.length(*len),
                self.ty(shape),
                stride_event::grouped(u64::from(*most))
            ),
            Ty::Extensible(_, shape, len, _) => format!("`struct {}`, which may grow{}", shape.name, self.length(*len)),
            Ty::Iovec(_, len) => format!("buffers{} of `struct iovec`, with their bytes", self.length(*len)),
            Ty::Sockaddr(_, len) => format!("socket address{}", self.length(*len)),
            Ty::SigSet(_, len) => format!("set of signals{}", self.length(*len)),
            Ty::Exchange(shape) => format!("`struct {}`, of which the kernel fills in a part", shape.name),
            Ty::Turn(before, after) => {
                format!("`struct {}` for the kernel, `struct {}` from it", before.name, after.name)
            }
            Ty::Spread(shape) => format!("`struct {}`, which holds the arguments", shape.name),
            Ty::Reply(shape) => self.ty(shape),
            Ty::NonZero(shape) => format!("{}, shown unless zero", self.ty(shape)),
            Ty::Stack(shape) => format!("{}, at the stack pointer", self.ty(shape)),
            Ty::Struct(shape) => format!("`struct {}`", shape.name),
            Ty::CStr => "text".to_owned(),
            Ty::Items(shape) => format!("array of: {}", self.ty(shape)),
            Ty::Blob(_) => "bytes".to_owned(),
            Ty::Select(select) => self.select(select),
            Ty::Shapes(shapes) => shapes.iter().map(|shape| self.ty(shape)).collect::<Vec<_>>().join(", or "),
            Ty::Custom(which, shape) => self.custom(*which, shape),
        }
    }

    fn custom(&self, which: Irregular, shape: &Ty) -> String {
        match which {
            Irregular::IoctlRequest => "request (listed with the next argument)".to_owned(),
            _ => self.ty(shape),
        }
    }

    /// The meaning of a successful return value.
    pub fn ret(&self, ret: &Ret) -> String {
        match ret {
            Ret::Int | Ret::NarrowInt => "int".to_owned(),
            Ret::Size => "size or count".to_owned(),
            Ret::Hex => "hexadecimal number".to_owned(),
            Ret::Octal => "octal number".to_owned(),
            Ret::Fd => "descriptor".to_owned(),
            Ret::Addr => "address".to_owned(),
            Ret::Pid(kind) => id(*kind).to_owned(),
            Ret::Uid => "user or group id".to_owned(),
            Ret::Flags(set) => format!("flags: {}", self.names(set)),
            Ret::Enum(set) => format!("one of {}", self.names(set)),
            Ret::Never => "nothing: the call does not return".to_owned(),
            Ret::Select(select) => {
                let mut text = format!("depends on {}: ", key(&select.on));
                for (value, ret) in select.cases.iter().take(self.most) {
                    let _ = write!(text, "{}: {}; ", self.key_value(&select.on, *value), self.ret(ret));
                }
                self.left(&mut text, select.cases.len());
                let _ = write!(text, "otherwise {}", self.ret(&select.default));
                text
            }
        }
    }

    fn select(&self, select: &Select) -> String {
        let mut text = format!("depends on {}:\n", key(&select.on));
        for case in select.cases {
            let (value, ty) = (self.key_value(&select.on, case.0), &case.1);
            let _ = writeln!(text, "  - {value}: {}{}", self.ty(ty), memory::suffix(ty));
        }
        let _ = write!(text, "  - otherwise: {}{}", self.ty(&select.default), memory::suffix(&select.default));
        text
    }

    /// The names of a set.
    pub fn names(&self, set: &Set) -> String {
        let names: Vec<String> = set.items.iter().take(self.most).map(|item| format!("`{}`", item.name)).collect();
        let mut text = names.join(", ");
        self.left(&mut text, set.items.len());
        text
    }

    fn left(&self, text: &mut String, all: usize) {
        if all > self.most {
            let _ = write!(text, " and {} more (`stride --explain={}`)", all - self.most, self.row.name);
        }
    }

    /// A length, as in "bytes, as many as `count` says".
    fn length(&self, len: Len) -> String {
        match len {
            Len::Fixed(n) => format!(" ({n})"),
            Len::Of(name) => format!(" (as many as `{name}` says)"),
            Len::Ret => " (as many as the call returns)".to_owned(),
            Len::Deref(name) => format!(" (as many as the number behind `{name}` says)"),
            Len::UntilZero => " (up to a zero)".to_owned(),
            Len::Units { of, unit, .. } => {
                let unit = match unit {
                    Unit::Page => "pages",
                    Unit::WordBits => "words of bits",
                    Unit::ByteBits => "bytes of bits",
                    Unit::One => "of them",
                };
                format!(" (as many {unit} as `{of}` needs)")
            }
        }
    }

    /// The condition on which an argument or member exists, as in "only if `flags` has `O_CREAT`".
    pub fn when(&self, when: &When) -> Option<String> {
        Some(match when {
            When::Always => return None,
            When::Never => "not shown".to_owned(),
            When::AnySet(on, masks) => {
                let flags: Vec<String> = masks.iter().map(|mask| self.flags_of(on, *mask)).collect();
                format!("only if `{on}` has {}", flags.join(" or "))
            }
            When::OneOf(on, _, values) => format!("only if `{on}` is {}", self.values_of(on, values)),
            When::NoneOf(on, ..) if matches!(self.set_like(on), Some(Ty::Custom(Irregular::IoctlRequest, _))) => {
                format!("unless `{on}` is a request without an argument")
            }
            When::NoneOf(on, _, values) => format!("unless `{on}` is {}", self.values_of(on, values)),
            When::AnyOf(all) => self.joined(all, " or "),
            When::AllOf(all) => self.joined(all, " and "),
        })
    }

    fn joined(&self, conditions: &[When], word: &str) -> String {
        conditions.iter().filter_map(|condition| self.when(condition)).collect::<Vec<_>>().join(word)
    }

    fn values_of(&self, on: &str, values: &[u64]) -> String {
        let mut names: Vec<String> = values.iter().take(self.most).map(|value| self.value_of(on, *value)).collect();
        if values.len() > self.most {
            names.push(format!("{} more", values.len() - self.most));
        }
        names.join(" or ")
    }

    /// A flag word's bits by their names.
    fn flags_of(&self, on: &str, mask: u64) -> String {
        match self.set_like(on) {
            Some(Ty::Flags(set)) if set.name_of(mask).is_none() => {
                let mut names = Vec::new();
                set.parts(mask, |part| {
                    if let stride_syscalls::FlagPart::Name(name) = part {
                        names.push(format!("`{name}`"));
                    }
                });
                if names.is_empty() { format!("{mask:#x}") } else { names.join(" and ") }
            }
            _ => self.value_of(on, mask),
        }
    }

    /// A value of an argument, by its name if it has one.
    pub fn value_of(&self, on: &str, value: u64) -> String {
        let name = match self.set_like(on) {
            Some(Ty::Flags(set) | Ty::Enum(set)) => set.name_of(value),
            Some(Ty::Custom(Irregular::IoctlRequest, _)) => request(value),
            _ => None,
        };
        name.map_or_else(|| format!("{value:#x}"), |name| format!("`{name}`"))
    }

    /// The value of the key of a choice.
    pub fn key_value(&self, on: &SelectKey, value: u64) -> String {
        let Some(second) = on.second else { return self.value_of(on.arg, value << on.shift) };
        let (first, rest) = (value & 0xffff_ffff, value >> 32);
        let named = self.row.args.iter().find(|arg| arg.name == second).and_then(|arg| match arg.ty {
            Ty::Select(select) => match select.cases.iter().find(|case| case.0 == first)?.1 {
                Ty::Enum(set) => set.name_of(rest),
                _ => None,
            },
            _ => None,
        });
        let rest = named.map_or_else(|| format!("{rest:#x}"), |name| format!("`{name}`"));
        format!("{} and {rest}", self.value_of(on.arg, first))
    }

    /// The type of an argument that has named values, without its size.
    fn set_like(&self, on: &str) -> Option<Ty> {
        let mut ty = self.row.args.iter().find(|arg| arg.name == on)?.ty;
        loop {
            match ty {
                Ty::As(_, shape) => ty = *shape,
                Ty::Custom(Irregular::IoctlRequest, _) => return Some(ty),
                Ty::Custom(_, shape) => ty = *shape,
                _ => return Some(ty),
            }
        }
    }
}

/// The name of a request of ioctl(2).
fn request(value: u64) -> Option<&'static str> {
    let number = u32::try_from(value).ok()?;
    ioctl::name(Abi::X86_64, number).or_else(|| ioctl::name(Abi::I386, number))
}

/// The arguments that decide.
pub fn key(on: &SelectKey) -> String {
    match on.second {
        None => format!("`{}`", on.arg),
        Some(second) => format!("`{}` and `{second}`", on.arg),
    }
}

fn id(kind: PidKind) -> &'static str {
    match kind {
        PidKind::Tid => "thread id",
        PidKind::Tgid => "process id",
        PidKind::Pgid => "process group",
        PidKind::Sid => "session",
    }
}
