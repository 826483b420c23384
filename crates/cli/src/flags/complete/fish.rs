//! For fish: one `complete` command per option.

use super::{Kind, kind, offered, takes_argument};
use std::fmt::Write;

pub fn script() -> String {
    let mut out = String::from(
        "# Generated from the option table by `cargo xtask docs`; change it there.\n\
         complete -c stride -x -a '(__fish_complete_subcommand)'\n",
    );
    for flag in offered() {
        out.push_str("complete -c stride");
        if let Some(short) = flag.short {
            let _ = write!(out, " -s {short}");
        }
        if let Some(long) = flag.long {
            let _ = write!(out, " -l {long}");
        }
        let required = if takes_argument(flag) { " -r" } else { "" };
        match kind(flag) {
            None => (),
            Some(Kind::Words(words)) => {
                let _ = write!(out, "{required} -f -a '{}'", words.join(" "));
            }
            Some(Kind::File) => {
                let _ = write!(out, "{required} -F");
            }
            Some(Kind::Pid) => {
                let _ = write!(out, "{required} -f -a '(__fish_complete_pids)'");
            }
            Some(Kind::User) => {
                let _ = write!(out, "{required} -f -a '(__fish_complete_users)'");
            }
            Some(Kind::Other) => {
                let _ = write!(out, "{required} -f");
            }
        }
        let _ = writeln!(out, " -d '{}'", flag.help.replace('\\', "\\\\").replace('\'', "\\'"));
    }
    out
}
