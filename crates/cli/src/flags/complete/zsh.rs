//! For zsh: specifications for `_arguments`.

use super::{Kind, kind, offered, takes_argument};
use std::fmt::Write;

pub fn script() -> String {
    let mut specs = String::new();
    for flag in offered() {
        let help = escape(flag.help);
        let argument = kind(flag).map(|kind| {
            let action = match kind {
                Kind::Words(words) => format!("({})", words.join(" ")),
                Kind::File => "_files".into(),
                Kind::Pid => "_pids".into(),
                Kind::User => "_users".into(),
                Kind::Other => String::new(),
            };
            format!("{}:{action}", escape(&flag.arg.name().unwrap_or_default().to_lowercase()))
        });
        let required = takes_argument(flag);
        if let Some(short) = flag.short {
            let argument = argument.as_ref().filter(|_| required).map_or(String::new(), |arg| format!(":{arg}"));
            let plus = if required { "+" } else { "" };
            let _ = writeln!(specs, "  '*-{short}{plus}[{help}]{argument}' \\");
        }
        if let Some(long) = flag.long {
            let (sign, colons) = match (&argument, required) {
                (None, _) => ("", ""),
                (Some(_), true) => ("=", ":"),
                (Some(_), false) => ("=-", "::"),
            };
            let argument = argument.unwrap_or_default();
            let _ = writeln!(specs, "  '*--{long}{sign}[{help}]{colons}{argument}' \\");
        }
    }
    format!(
        "#compdef stride\n\
         # Generated from the option table by `cargo xtask docs`; change it there.\n\
         _arguments -s -S : \\\n{specs}  '(-):command:_command_names -e' \\\n  '*::arguments:_normal'\n"
    )
}

/// Inside single quotes, where brackets and colons have a meaning.
fn escape(text: &str) -> String {
    text.replace('\'', "'\\''").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:")
}
