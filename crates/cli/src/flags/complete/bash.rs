//! For bash, whose completion works on words.

use super::{filled, long_with_argument, offered, short_with_argument};
use crate::flags::flag::{Arg, Flag, Value};
use crate::flags::table;
use std::fmt::Write;

pub fn script() -> String {
    let mut cases = String::new();
    let mut options = Vec::new();
    for flag in offered() {
        options.extend(flag.short.map(|short| format!("-{short}")));
        if let Some(long) = flag.long {
            match flag.arg {
                Arg::None => options.push(format!("--{long}")),
                Arg::Required(_) => options.push(format!("--{long}=")),
                Arg::Optional(_) => options.extend([format!("--{long}"), format!("--{long}=")]),
            }
        }
        let action = action(flag);
        if !action.is_empty() {
            let _ = writeln!(cases, "    {}) {action} ;;", patterns(flag).join(" | "));
        }
    }
    let syscalls = words(table::SYSCALLS);
    let qualifiers = offered().filter_map(|flag| Some(format!("{}=", flag.qualifiers.first()?))).collect::<Vec<_>>();
    let table = format!(
        "_stride_options='{options}'\n\
         _stride_long_with_value='{long}'\n\
         _stride_short_with_value='{short}'\n\
         _stride_qualifiers='{qualifiers}'\n\
         _stride_syscalls='{syscalls}'\n\
         \n\
         # Completes $value, the value of an option.\n\
         _stride_value() {{\n  case $1 in\n{cases}  esac\n}}\n",
        options = options.join(" "),
        long = long_with_argument().map(|long| format!("--{long}")).collect::<Vec<_>>().join(" "),
        short = short_with_argument(),
        qualifiers = qualifiers.join(" "),
    );
    filled(include_str!("template.bash"), &table)
}

/// The ways to write the option, as the word before its value.
fn patterns(flag: &Flag) -> Vec<String> {
    let short = flag.short.filter(|_| matches!(flag.arg, Arg::Required(_)));
    short
        .map(|short| format!("-{short}"))
        .into_iter()
        .chain(flag.longs().map(|long| format!("--{long}")))
        .chain(flag.qualifiers.iter().map(|qualifier| format!("{qualifier}=")))
        .collect()
}

fn words(value: Value) -> String {
    value.words().iter().map(|word| word.name).collect::<Vec<_>>().join(" ")
}

fn action(flag: &Flag) -> String {
    let words = || words(flag.value);
    match flag.value {
        Value::Free => String::new(),
        Value::Word(_) => format!("_stride_words {}", words()),
        Value::List(_) => format!("_stride_list {}", words()),
        // The script has the hundreds of syscalls only once, because several options take them.
        Value::Set(_) if words() == self::words(table::SYSCALLS) => "_stride_set $_stride_syscalls".into(),
        Value::Set(_) => format!("_stride_set {}", words()),
        Value::File => "_stride_files".into(),
        Value::Recording => "_stride_files recordings".into(),
        Value::Pids => "_stride_pids".into(),
        Value::User => "_stride_words $(compgen -u)".into(),
        Value::Variable => "_stride_words -n $(compgen -e)".into(),
        Value::Expression => "_stride_expression".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_need_no_quotes() {
        for flag in offered() {
            for word in flag.value.words() {
                let plain = |c: char| c.is_ascii_alphanumeric() || "-_%+".contains(c);
                assert!(word.name.chars().all(plain), "{}", word.name);
            }
        }
    }
}
