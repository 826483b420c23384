//! For zsh: specifications for `_arguments`.

use super::{filled, offered, quoted, takes_argument, words};
use crate::flags::flag::{Flag, Value};
use crate::flags::table;
use std::fmt::Write;

pub fn script() -> String {
    let mut specs = String::new();
    let mut cases = String::new();
    for flag in offered() {
        let help = escape(flag.help);
        let argument = flag.arg.name().map(|name| {
            let action = match flag.value {
                Value::Free => String::new(),
                // With a blank before it, _arguments calls the function with these arguments only.
                _ => format!(
                    " _stride_value {}",
                    flag.long.map_or(format!("-{}", flag.short.unwrap_or_default()), |l| format!("--{l}"))
                ),
            };
            format!("{}:{action}", escape(&name.to_lowercase()))
        });
        let required = takes_argument(flag);
        if let Some(short) = flag.short {
            let argument = argument.as_ref().filter(|_| required).map_or(String::new(), |arg| format!(":{arg}"));
            let plus = if required { "+" } else { "" };
            let _ = writeln!(specs, "    '*-{short}{plus}[{help}]{argument}'");
        }
        if let Some(long) = flag.long {
            let (sign, colons) = match (&argument, required) {
                (None, _) => ("", ""),
                (Some(_), true) => ("=", ":"),
                (Some(_), false) => ("=-", "::"),
            };
            let argument = argument.unwrap_or_default();
            let _ = writeln!(specs, "    '*--{long}{sign}[{help}]{colons}{argument}'");
        }
        let action = action(flag);
        if !action.is_empty() {
            let _ = writeln!(cases, "    {}) {action} ;;", patterns(flag).join("|"));
        }
    }
    let qualifiers = offered().filter_map(|flag| Some(described(flag.qualifiers.first()?, flag.help)));
    let table = format!(
        "_stride_value() {{\n  case $1 in\n{cases}  esac\n}}\n\n\
         _stride_syscalls() {{\n  _stride_set {syscalls}\n}}\n\n\
         _stride_qualifiers() {{\n  local -a qualifiers=({qualifiers})\n  \
         _describe -t qualifiers 'kind of expression' qualifiers -S = -q\n}}\n\n\
         _stride() {{\n  local -a specs=(\n{specs}  )\n",
        syscalls = words(table::all().find(|flag| flag.long == Some("trace")), table::SYSCALLS, described),
        qualifiers = qualifiers.collect::<Vec<_>>().join(" "),
    );
    filled(include_str!("template.zsh"), &table)
}

fn patterns(flag: &Flag) -> Vec<String> {
    let names = flag.long.map(|long| format!("--{long}")).or(flag.short.map(|short| format!("-{short}")));
    names.into_iter().chain(flag.qualifiers.iter().map(|qualifier| format!("{qualifier}="))).collect()
}

/// `'WORD:what it means'`, for _describe.
fn described(word: &str, description: &str) -> String {
    let text =
        if description.is_empty() { escape_colons(word) } else { format!("{}:{description}", escape_colons(word)) };
    quoted(&text)
}

fn action(flag: &Flag) -> String {
    let words = || words(Some(flag), flag.value, described);
    match flag.value {
        Value::Free => String::new(),
        Value::Word(_) => format!("_stride_words {}", words()),
        Value::List(_) => format!("_stride_list {}", words()),
        Value::Set(_) if flag.value.words() == table::SYSCALLS.words() => "_stride_syscalls".into(),
        Value::Set(_) => format!("_stride_set {}", words()),
        Value::File => "_files".into(),
        Value::Recording => "_stride_recordings".into(),
        Value::Pids => "_stride_pids".into(),
        Value::User => "_users".into(),
        Value::Variable => "_stride_variables".into(),
        Value::Expression => "_stride_expression".into(),
    }
}

fn escape_colons(text: &str) -> String {
    text.replace(':', "\\:")
}

/// Inside single quotes, where brackets and colons have a meaning.
fn escape(text: &str) -> String {
    text.replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:")
}
