//! Completions for shells, from the table.

use super::flag::{Arg, Flag};
use super::table;

pub mod bash;
pub mod fish;
pub mod zsh;

/// What an argument is, as far as shells can help with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Words(&'static [&'static str]),
    File,
    Pid,
    User,
    Other,
}

fn kind(flag: &Flag) -> Option<Kind> {
    let name = flag.arg.name()?;
    Some(match name {
        _ if !flag.choices.is_empty() => Kind::Words(flag.choices),
        "FILE" | "PATH" => Kind::File,
        "PID" => Kind::Pid,
        _ if name.starts_with("USER") => Kind::User,
        _ => Kind::Other,
    })
}

/// The options worth offering: what is refused is not.
fn offered() -> impl Iterator<Item = &'static Flag> {
    table::all().filter(|flag| flag.missing.is_none())
}

fn takes_argument(flag: &Flag) -> bool {
    matches!(flag.arg, Arg::Required(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offered_option_is_in_every_script() {
        let scripts = [bash::script(), zsh::script(), fish::script()];
        for script in &scripts {
            for long in offered().filter_map(|flag| flag.long) {
                assert!(script.contains(long), "--{long}");
            }
            for flag in table::all().filter(|flag| flag.missing.is_some()) {
                assert!(!script.contains(flag.help), "{}", flag.help);
            }
        }
    }
}
