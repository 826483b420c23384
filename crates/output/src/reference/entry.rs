//! The entry of one call.

use super::effects;
use super::memory;
use super::types::{Describer, key};
use std::fmt::Write as _;
use stride_syscalls::rows::CallFamily;
use stride_syscalls::{Abi, Arg, Class, Struct, Syscall, Ty, When};

/// The entry as Markdown. At most so many names of a set are listed.
pub fn text(family: &CallFamily, row: &Syscall, most: usize) -> String {
    let mut text = format!("## {}\n\n", row.name);
    form(&mut text, row, None, most);
    facts(&mut text, row);
    if let Some(forms) = &row.forms {
        let words = Describer { row, most };
        for case in forms.cases {
            let values: Vec<String> = case.values.iter().map(|value| words.key_value(&forms.on, *value)).collect();
            let _ = writeln!(text, "\nIf {} is {}:\n", key(&forms.on), values.join(" or "));
            form(&mut text, &case.row, Some(forms.on.arg), most);
        }
    }
    let other = family.i386.iter().map(|(_, other)| other).find(|other| other.name == row.name);
    if let Some(other) = other.filter(|other| !std::ptr::eq(*other, row)) {
        text.push_str("\nOn i386:\n\n");
        form(&mut text, other, None, most);
    }
    text
}

/// The call's own line, its arguments, and the structs behind them. The argument `described` was described before.
fn form(text: &mut String, row: &Syscall, described: Option<&str>, most: usize) {
    let words = Describer { row, most };
    let shown: Vec<&Arg> = row.args.iter().filter(|arg| !matches!(arg.when, When::Never)).collect();
    let names: Vec<&str> = shown.iter().map(|arg| arg.name).collect();
    let _ = writeln!(text, "    {}({})\n", row.name, names.join(", "));
    for arg in shown.iter().filter(|arg| described != Some(arg.name)) {
        let condition = words.when(&arg.when).map_or_else(String::new, |when| format!(", {when}"));
        let _ = write!(text, "- `{}`{condition}: {}", arg.name, words.ty(&arg.ty));
        if let Some(when) = memory::when(&arg.ty) {
            let _ = write!(text, ". Memory: {when}");
        }
        text.push('\n');
    }
    let _ = writeln!(text, "- returns {}", words.ret(&row.ret));
    let mut structs = Vec::new();
    for arg in &shown {
        structs_of(&arg.ty, &mut structs);
    }
    for shape in structs {
        let (usual, verbose): (Vec<_>, Vec<_>) = shape.fields.iter().partition(|field| !field.verbose);
        let list = |fields: &[&stride_syscalls::Field]| {
            fields.iter().map(|field| format!("`{}`", field.name)).collect::<Vec<_>>().join(", ")
        };
        let _ = write!(text, "- `struct {}`: {}", shape.name, list(&usual));
        if !verbose.is_empty() {
            let _ = write!(text, "{}with `-v` {}", if usual.is_empty() { "" } else { "; " }, list(&verbose));
        }
        text.push('\n');
    }
}

/// The numbers and classes of the call, and its effects.
fn facts(text: &mut String, row: &Syscall) {
    let mut numbers = Vec::new();
    for abi in Abi::ALL {
        let own: Vec<String> =
            abi.numbers().iter().filter(|(_, name)| *name == row.name).map(|(nr, _)| nr.to_string()).collect();
        if !own.is_empty() {
            numbers.push(format!("{} ({})", own.join(" and "), abi.facts().title));
        }
    }
    if !numbers.is_empty() {
        let _ = writeln!(text, "\nNumber: {}.", numbers.join(", "));
    }
    let classes: Vec<String> = Class::ALL
        .iter()
        .filter(|(_, class)| row.class.intersects(*class))
        .map(|(name, _)| format!("`%{name}`"))
        .collect();
    if !classes.is_empty() {
        let _ = writeln!(text, "\nClasses: {}.", classes.join(", "));
    }
    if !row.effects.is_empty() {
        let said: Vec<String> = row.effects.iter().map(effects::words).collect();
        let _ = writeln!(text, "\nEffects: {}.", said.join("; "));
    }
}

/// The structs that an argument's memory has, outermost first, each once.
fn structs_of(ty: &Ty, all: &mut Vec<&'static Struct>) {
    let mut add = |shape: &'static Struct| {
        if all.iter().any(|known| std::ptr::eq(*known, shape)) {
            return;
        }
        all.push(shape);
        for field in shape.fields {
            structs_of(&field.ty, all);
        }
    };
    match ty {
        Ty::Struct(shape) | Ty::Exchange(shape) | Ty::Spread(shape) | Ty::Extensible(_, shape, ..) => add(shape),
        Ty::Turn(before, after) => {
            add(before);
            structs_of(&Ty::Struct(after), all);
        }
        Ty::Shapes(shapes) => shapes.iter().for_each(|shape| structs_of(shape, all)),
        Ty::As(_, shape)
        | Ty::Ptr(_, shape)
        | Ty::Array(_, shape, _)
        | Ty::Table(_, shape, ..)
        | Ty::Reply(shape)
        | Ty::NonZero(shape)
        | Ty::Stack(shape)
        | Ty::Items(shape)
        | Ty::Custom(_, shape) => structs_of(shape, all),
        _ => {}
    }
}
