//! Definitions that follow from rows: of arguments, results, structs and sets.

use super::super::value::{EXTRA, REST};
use super::parts::{any_of, enumeration, object, quoted, reference};
use std::collections::HashMap;
use stride_syscalls::{Arg, Irregular, Ret, Set, Struct, Syscall, Ty, When, Width};

/// The things that have a definition. Each is defined once.
#[derive(PartialEq, Eq, Hash)]
enum Of {
    Flags(*const Set),
    Enum(*const Set),
    Struct(*const Struct),
    /// A struct whose size the program gives.
    Extensible(*const Struct),
}

#[derive(Default)]
pub struct Definitions {
    names: HashMap<Of, String>,
    taken: HashMap<String, u32>,
    pub done: Vec<(String, String)>,
}

impl Definitions {
    /// A reference to a definition, which is made if it does not exist. Its name is that of its first user.
    fn define(&mut self, of: Of, name: String, make: impl FnOnce(&mut Self) -> String) -> String {
        if let Some(name) = self.names.get(&of) {
            return reference(name);
        }
        let count = self.taken.entry(name.clone()).or_default();
        *count += 1;
        let name = if *count > 1 { format!("{name}.{count}") } else { name };
        self.names.insert(of, name.clone());
        let schema = make(self);
        self.done.push((name.clone(), schema));
        reference(&name)
    }

    pub fn row(&mut self, row: &'static Syscall) -> String {
        let forms = row.forms.iter().flat_map(|forms| forms.cases).map(|form| &form.row);
        let args: Vec<String> = forms.chain([row]).map(|row| self.args(row)).collect();
        let mut rets = Vec::new();
        for row in row.forms.iter().flat_map(|forms| forms.cases).map(|form| &form.row).chain([row]) {
            self.ret(row, &row.ret, &mut rets);
        }
        // Some arguments are known only at return. A call that never returns lacks them.
        let whole = match (&row.forms, required(row.args)) {
            (None, names) if !names.is_empty() => format!(
                r#","if":{{"properties":{{"outcome":{{"enum":["ok","error"]}}}}}},"then":{{"properties":{{"args":{{"required":[{}]}}}}}}"#,
                quoted(names.into_iter())
            ),
            _ => String::new(),
        };
        format!(r#"{{"properties":{{"args":{},"ret":{}}}{whole}}}"#, any_of(args), any_of(rets))
    }

    fn args(&mut self, row: &'static Syscall) -> String {
        let mut members = Members::default();
        for arg in row.args {
            match arg.ty {
                Ty::Spread(s) => members.0.extend(self.members(s).0),
                Ty::Custom(Irregular::CloneReply, _) => {
                    let before = members.0.last().map_or("", |(name, _)| name);
                    members.add(&format!("{before}_after"), reference("value"));
                }
                ref ty => members.add(arg.name, self.ty(ty, &format!("{}.{}", row.name, arg.name), true)),
            }
        }
        object(&members.0, &[])
    }

    fn ret(&mut self, row: &'static Syscall, ret: &Ret, to: &mut Vec<String>) {
        to.push(match *ret {
            Ret::Int | Ret::NarrowInt => reference("long"),
            Ret::Size => reference("ulong"),
            Ret::Hex => reference("hex"),
            Ret::Octal => reference("octal"),
            Ret::Fd => reference("fd"),
            Ret::Addr => reference("hex"),
            Ret::Pid(_) => reference("pid"),
            Ret::Uid => reference("uint"),
            Ret::Flags(set) => self.flags(set, &format!("{}.ret", row.name)),
            Ret::Enum(set) => self.enumeration(set, &format!("{}.ret", row.name)),
            Ret::Never => "false".into(),
            Ret::Select(select) => {
                select.cases.iter().map(|case| &case.1).chain([&select.default]).for_each(|ret| self.ret(row, ret, to));
                return;
            }
        });
    }

    /// The value of an argument or of a struct member, whose size follows from its layout.
    fn ty(&mut self, ty: &Ty, whose: &str, argument: bool) -> String {
        let pointer = |schema: String| any_of([schema, reference("address")]);
        match *ty {
            Ty::Int | Ty::UInt if argument => reference(if matches!(ty, Ty::Int) { "int" } else { "uint" }),
            Ty::Int | Ty::Long | Ty::I64 => reference("long"),
            Ty::UInt | Ty::ULong | Ty::U64 | Ty::Ticks => reference("ulong"),
            Ty::As(Width::W4, &Ty::Int) => reference("int"),
            Ty::As(Width::W1 | Width::W2 | Width::W4, &Ty::UInt) => reference("uint"),
            Ty::As(_, inner) => self.ty(inner, whose, false),
            Ty::Hex | Ty::HexLong => reference("hex"),
            Ty::Addr | Ty::Stack(_) | Ty::Buffer(..) => reference("address"),
            Ty::Fd => reference("fd_argument"),
            Ty::DirFd => reference("fd"),
            Ty::Pid(_) => reference("pid"),
            Ty::Uid | Ty::Gid => reference("uid"),
            Ty::Signal => reference("signal_number"),
            Ty::Mode => reference("mode"),
            Ty::Perm => reference("octal"),
            Ty::Dev => reference("dev"),
            Ty::Flags(set) => self.flags(set, whose),
            Ty::Enum(set) => self.enumeration(set, whose),
            Ty::ClockId => self.enumeration(&stride_syscalls::sets::time::CLOCKS, whose),
            Ty::Path | Ty::Str | Ty::Bytes(..) => pointer(reference("text")),
            Ty::CStr | Ty::Blob(_) => reference("text"),
            Ty::Ptr(_, inner) => pointer(self.ty(inner, whose, false)),
            Ty::Array(_, inner, _) | Ty::Table(_, inner, ..) => pointer(self.array(inner, whose)),
            Ty::Items(inner) => self.array(inner, whose),
            Ty::Struct(s) => self.strukt(s),
            Ty::Exchange(s) => pointer(self.strukt(s)),
            Ty::Extensible(_, s, ..) => pointer(self.extensible(s)),
            Ty::Turn(before, after) => {
                let (before, after) = (self.strukt(before), any_of([self.strukt(after), reference("address")]));
                let change = [("before".into(), before.clone()), ("after".into(), after)];
                pointer(any_of([before, object(&change, &["before", "after"])]))
            }
            Ty::SigSet(..) => pointer(reference("signals")),
            Ty::Select(select) => {
                let types = select.cases.iter().map(|case| &case.1).chain([&select.default]);
                any_of(types.map(|ty| self.ty(ty, whose, argument)).collect::<Vec<_>>())
            }
            Ty::Shapes(shapes) => self.ty(&shapes[0], whose, argument),
            Ty::Reply(inner) | Ty::NonZero(inner) => self.ty(inner, whose, argument),
            Ty::Custom(Irregular::WaitStatus, _) => reference("wait_status"),
            Ty::Custom(Irregular::PathOut | Irregular::LinkTarget | Irregular::MemfdName, _) => {
                pointer(reference("text"))
            }
            Ty::Custom(Irregular::SigMask, _) => reference("signals"),
            // These decide whether the value is shown at all, or only how the text view shows it.
            Ty::Custom(
                Irregular::Reaped
                | Irregular::InFull
                | Irregular::UpToPage
                | Irregular::Untouched
                | Irregular::Remaining
                | Irregular::Numbered
                | Irregular::DatedTime,
                shape,
            ) => self.ty(shape, whose, argument),
            // Types that take code to decode take code to describe.
            Ty::Iovec(..) | Ty::Sockaddr(..) | Ty::Custom(..) | Ty::Spread(_) => reference("value"),
        }
    }

    fn array(&mut self, inner: &Ty, whose: &str) -> String {
        let items = any_of([self.ty(inner, whose, false), reference("rest")]);
        format!(r#"{{"type":"array","items":{items}}}"#)
    }

    fn flags(&mut self, set: &'static Set, whose: &str) -> String {
        self.define(Of::Flags(set), format!("flags.{whose}"), |_| {
            let names = enumeration(set.items.iter().map(|item| item.name));
            let number = set.number.map(|n| format!(r#"{{"type":"string","pattern":"^[0-9]+<<{}$"}}"#, n.name));
            let names = format!(r#"{{"type":"array","items":{}}}"#, any_of([names].into_iter().chain(number)));
            let members =
                [("raw".into(), reference("hex")), ("set".into(), names), ("unknown".into(), reference("hex"))];
            object(&members, &["raw", "set"])
        })
    }

    fn enumeration(&mut self, set: &'static Set, whose: &str) -> String {
        self.define(Of::Enum(set), format!("enum.{whose}"), |_| {
            let raw = reference(if set.decimal { "integer" } else { "hex" });
            let names = enumeration(set.items.iter().map(|item| item.name));
            object(&[("raw".into(), raw), ("name".into(), names)], &["raw"])
        })
    }

    fn strukt(&mut self, s: &'static Struct) -> String {
        self.define(Of::Struct(s), format!("struct.{}", s.name), |defs| {
            let mut members = defs.members(s);
            members.add(REST, reference("tail"));
            object(&members.0, &present(s))
        })
    }

    fn extensible(&mut self, s: &'static Struct) -> String {
        self.define(Of::Extensible(s), format!("extensible.{}", s.name), |defs| {
            let mut members = defs.members(s);
            members.add(REST, reference("tail"));
            members.add(EXTRA, reference("text"));
            object(&members.0, &[])
        })
    }

    fn members(&mut self, s: &'static Struct) -> Members {
        let mut members = Members::default();
        for field in s.fields {
            let name = if field.name.is_empty() { EXTRA } else { field.name };
            members.add(name, self.ty(&field.ty, &format!("{}.{}", s.name, field.name), false));
        }
        members
    }
}

/// Names with their schemas. Of several with the same name, only one exists at a time.
#[derive(Default)]
struct Members(Vec<(String, String)>);

impl Members {
    fn add(&mut self, name: &str, schema: String) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, other)) => *other = any_of([std::mem::take(other), schema]),
            None => self.0.push((name.into(), schema)),
        }
    }
}

/// The arguments that every returned call has.
fn required(args: &'static [Arg]) -> Vec<&'static str> {
    let always = |arg: &&Arg| matches!(arg.when, When::Always) && !matches!(arg.ty, Ty::Spread(_) | Ty::Custom(..));
    args.iter().filter(always).map(|arg| arg.name).collect()
}

/// The members that a struct always has.
fn present(s: &'static Struct) -> Vec<&'static str> {
    let always = s.fields.iter().filter(|field| {
        matches!(field.when, When::Always)
            && !field.verbose
            && !matches!(field.ty, Ty::Reply(_) | Ty::NonZero(_) | Ty::Custom(..))
    });
    always.map(|field| field.name).collect()
}
