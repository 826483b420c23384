//! For fish: one `complete` command per option.

use super::{filled, long_with_argument, offered, short_with_argument, takes_argument, words};
use crate::flags::flag::{Flag, Value};
use crate::flags::table;
use std::fmt::Write;

pub fn script() -> String {
    let mut out = String::new();
    let mut cases = String::new();
    for flag in offered() {
        out.push_str("complete -c stride -n __stride_before_program");
        if let Some(short) = flag.short {
            let _ = write!(out, " -s {short}");
        }
        if let Some(long) = flag.long {
            let _ = write!(out, " -l {long}");
        }
        if flag.arg.name().is_some() {
            if takes_argument(flag) {
                out.push_str(" -r");
            }
            let _ = match flag.value {
                Value::Free => write!(out, " -f"),
                Value::File => write!(out, " -F"),
                _ => write!(out, " -f -a '(__stride_value {})'", name(flag)),
            };
        }
        let _ = writeln!(out, " -d {}", quoted(flag.help));
        if flag.arg.name().is_some() && !matches!(flag.value, Value::Free) {
            let names: Vec<String> = std::iter::once(name(flag))
                .chain(flag.qualifiers.iter().map(|qualifier| format!("{qualifier}=")))
                .collect();
            let _ = writeln!(cases, "        case {}\n            {}", names.join(" "), action(flag));
        }
    }
    let syscalls = table::all().find(|flag| flag.long == Some("trace"));
    let qualifiers = offered().filter_map(|flag| Some(described(&format!("{}=", flag.qualifiers.first()?), flag.help)));
    let table = format!(
        "set -g __stride_long_with_value {long}\n\
         set -g __stride_long_without_value {without}\n\
         set -g __stride_short_with_value '{short}'\n\
         set -g __stride_qualifiers {qualifiers}\n\
         set -g __stride_syscalls {syscalls}\n\n\
         # Candidates for the value of an option, or of an expression.\n\
         function __stride_value\n    switch $argv[1]\n{cases}    end\nend\n\n{out}",
        long = long_with_argument().map(|long| format!("--{long}")).collect::<Vec<_>>().join(" "),
        without = offered()
            .filter(|flag| !takes_argument(flag))
            .flat_map(Flag::longs)
            .map(|long| format!("--{long}"))
            .collect::<Vec<_>>()
            .join(" "),
        short = short_with_argument(),
        qualifiers = qualifiers.collect::<Vec<_>>().join(" "),
        syscalls = words(syscalls, table::SYSCALLS, described),
    );
    filled(include_str!("template.fish"), &table)
}

/// How the script names an option.
fn name(flag: &Flag) -> String {
    flag.long.map(|long| format!("--{long}")).unwrap_or(format!("-{}", flag.short.unwrap_or_default()))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// A candidate and what it means, with a tab between them.
fn described(word: &str, description: &str) -> String {
    if description.is_empty() { word.into() } else { quoted(&format!("{word}\t{description}")) }
}

fn action(flag: &Flag) -> String {
    let words = || words(Some(flag), flag.value, described);
    match flag.value {
        Value::Free => String::new(),
        Value::Word(_) => format!("printf '%s\\n' {}", words()),
        Value::List(_) => format!("__stride_list {}", words()),
        Value::Set(_) if flag.value.words() == table::SYSCALLS.words() => "__stride_set $__stride_syscalls".into(),
        Value::Set(_) => format!("__stride_set {}", words()),
        Value::File => "__stride_files".into(),
        Value::Recording => "__stride_recordings".into(),
        Value::Pids => "__stride_list (__fish_complete_pids)".into(),
        Value::User => "__fish_complete_users".into(),
        Value::Variable => "set -nx | string replace -r '$' =".into(),
        Value::Expression => "__stride_expression".into(),
    }
}
