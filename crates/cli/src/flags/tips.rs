//! `--tips`: advice about Stride itself, one piece at the end of a run.

use super::tip::{Tip, TipFormat};
use std::hash::{BuildHasher, RandomState};

/// A piece of advice, with a command that follows it.
struct Advice {
    text: &'static str,
    example: &'static str,
}

const fn advice(text: &'static str, example: &'static str) -> Advice {
    Advice { text, example }
}

/// The ids of tips are their places here.
const ALL: &[Advice] = &[
    advice("--advise says which calls a program need not make, and what each costs.", "stride --advise make"),
    advice(
        "A recording can be looked at again and again, with other options each time.",
        "stride -f --record=run.rec make; stride --replay=run.rec -e trace=%file -Z",
    ),
    advice("--html writes a page on which a whole run can be searched and zoomed.", "stride -f --html=run.html make"),
    advice("-P takes patterns: only calls that touch such files are shown.", "stride -f -P '/etc/*.conf' nginx -t"),
    advice("--where keeps the calls for which an expression holds.", "stride --where 'duration > 10ms' -p 4711"),
    advice("--errno keeps calls that failed with certain errors.", "stride -f --errno=ENOENT,EACCES make"),
    advice(
        "--by counts by more than the call: by file, by process, by the function that called.",
        "stride -c --by=path ls",
    ),
    advice("--diff tells what differs between two runs.", "stride --record=old.rec ./old; stride --diff=old.rec ./new"),
    advice("--budget makes a test fail that makes more calls than it may.", "stride --budget=limits.toml make test"),
    advice("-k shows which functions led to each call.", "stride -k -e trace=connect curl example.org"),
    advice("--fault and --inject try how a program takes failing calls.", "stride --fault=openat:error=EACCES app"),
    advice("--top is a live view of what a machine or a process is doing.", "stride --top --all"),
    advice("--doctor says what this machine allows, and which engine works here.", "stride --doctor"),
    advice("--json writes a line of JSON for each event.", "stride --json -o run.json make"),
    advice(
        "Attach to a server without stopping it: eBPF copies its calls while it runs on.",
        "stride --engine=ebpf -p 4711",
    ),
    advice(
        "-y shows which file each descriptor is, and -yy the addresses of sockets.",
        "stride -yy -e trace=%net curl example.org",
    ),
];

/// The lines of a tip.
pub fn text(tip: Tip) -> String {
    let all = ALL.len() as u64;
    let id = tip.id.map_or_else(|| RandomState::new().hash_one(()), u64::from) % all;
    let Advice { text, example } = ALL[id as usize];
    match tip.format {
        TipFormat::None => String::new(),
        TipFormat::Compact => format!("Tip {id}: {text}\n    $ {example}\n"),
        TipFormat::Full => {
            format!(
                "\nTip {id} of {all}\n{}\n{text}\n\n    $ {example}\n\nThe manual has more: man stride\n",
                "-".repeat(text.len())
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tip_can_be_asked_for() {
        let message = |id| text(Tip { id: Some(id), format: TipFormat::Compact });
        assert!(message(0).starts_with("Tip 0: --advise says"));
        let count = ALL.len() as u32;
        assert_eq!(message(count), message(0));
        let all: std::collections::HashSet<String> = (0..count).map(message).collect();
        assert_eq!(all.len(), ALL.len());
        assert_eq!(text(Tip { id: Some(3), format: TipFormat::None }), "");
        assert!(text(Tip { id: None, format: TipFormat::Full }).contains("\nTip "));
    }

    #[test]
    fn the_examples_are_valid() {
        for advice in ALL {
            for command in advice.example.split("; ") {
                let words = command.split_whitespace().map(|word| std::ffi::OsString::from(word.trim_matches('\'')));
                let parsed = crate::flags::parse(words, true);
                // (Words in quotes are split here.)
                let whole = !command.contains('\'') || command.matches('\'').count() == 2 && !command.contains(" > ");
                let failed = matches!(parsed.outcome, crate::flags::Outcome::Fail);
                assert!(!whole || !failed, "{command}: {:?}", parsed.messages);
            }
        }
    }
}
