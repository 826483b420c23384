//! The table of options: a file per category or topic, sorted by name within it. The options of views are in the views'
//! files.

use super::flag::Flag;
use crate::views;
use std::sync::LazyLock;

mod filtering;
mod format;
mod general;
mod libraries;
mod machine;
mod miscellaneous;
mod sets;
mod startup;
mod stop_condition;
mod tampering;
mod tracing;

pub use sets::SYSCALLS;

/// The options that belong to no view.
static TOPICS: [&[Flag]; 12] = [
    general::FLAGS,
    startup::FLAGS,
    machine::FLAGS,
    tracing::FLAGS,
    filtering::FLAGS,
    libraries::FLAGS,
    format::ARGUMENTS,
    format::LINES,
    format::OUTPUT,
    stop_condition::FLAGS,
    tampering::FLAGS,
    miscellaneous::FLAGS,
];

static ALL: LazyLock<Vec<&'static Flag>> = LazyLock::new(|| {
    let of_views = views::ALL.iter().flat_map(|view| view.flags());
    let mut all: Vec<&Flag> = TOPICS.into_iter().flatten().chain(of_views).collect();
    all.sort_by_cached_key(|flag| (flag.category, flag.sort_key()));
    all
});

/// Every option, in the order of the documentation: by category, and by name within it.
pub fn all() -> impl Iterator<Item = &'static Flag> {
    ALL.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::flag::{Arg, Category, Value};
    use std::collections::HashSet;

    #[test]
    fn no_name_is_given_twice() {
        let mut seen = HashSet::new();
        for flag in all() {
            assert!(flag.short.is_some() || flag.long.is_some(), "{flag:?} has no name");
            for name in flag
                .short
                .map(|c| format!("-{c}"))
                .into_iter()
                .chain(flag.longs().map(|long| format!("--{long}")))
                .chain(flag.qualifiers.iter().map(|qualifier| format!("-e {qualifier}")))
            {
                assert!(seen.insert(name.clone()), "{name} is in the table twice");
            }
        }
    }

    #[test]
    fn every_category_has_its_place_and_is_sorted() {
        let of_views = views::ALL.iter().map(|view| view.flags());
        for flags in TOPICS.into_iter().chain(of_views) {
            let keys: Vec<_> = flags.iter().map(|flag| (flag.category, flag.sort_key())).collect();
            assert!(keys.is_sorted(), "not sorted: {keys:?}");
        }
        for flags in TOPICS {
            assert!(
                flags.iter().all(|flag| flag.category == flags[0].category),
                "{:?} holds a stranger",
                flags[0].category
            );
        }
        let categories: Vec<_> = all().map(|flag| flag.category).collect();
        assert!(categories.is_sorted() && Category::ALL.iter().all(|category| categories.contains(category)));
    }

    #[test]
    fn every_option_is_documented() {
        for flag in all() {
            let name = flag.sort_key();
            assert!(
                !flag.help.is_empty() && !flag.help.ends_with('.') && !flag.help.contains('\n'),
                "help of {name:?}"
            );
            assert!(flag.help.len() <= 64, "help of {name:?} is too long for its line");
            assert!(flag.doc.len() > flag.help.len(), "documentation of {name:?}");
            let last = flag.doc.rsplit("\n\n").next().unwrap();
            assert!(last.starts_with("* ") || last.ends_with('.'), "documentation of {name:?} ends in the middle");
            assert!(!flag.doc.contains("  "), "documentation of {name:?} has a hole");
        }
    }

    #[test]
    fn kinds_of_values_go_with_an_argument() {
        for flag in all() {
            assert!(matches!(flag.value, Value::Free) || flag.arg != Arg::None, "{:?}", flag.sort_key());
            assert!(flag.qualifiers.is_empty() || flag.arg != Arg::None, "{:?}", flag.sort_key());
        }
    }

    /// The spellings that strace 7.2 accepts. A new spelling upstream has to be added to the table, and here.
    #[test]
    fn the_options_of_strace_are_all_known() {
        for short in "AaCbcDdEefFhIiknNoOpPqrsStTuUvVwxXyYzZ".chars() {
            assert!(all().any(|flag| flag.short == Some(short)), "-{short}");
        }
        for long in [
            "abbrev",
            "absolute-timestamps",
            "always-show-pid",
            "arg-names",
            "argv0",
            "attach",
            "color",
            "columns",
            "const-print-style",
            "daemonised",
            "daemonize",
            "daemonized",
            "debug",
            "decode-fds",
            "decode-pids",
            "detach-on",
            "env",
            "failed-only",
            "failing-only",
            "fault",
            "follow-forks",
            "help",
            "inject",
            "instruction-pointer",
            "interruptible",
            "kill-on-exit",
            "kvm",
            "namespace",
            "no-abbrev",
            "output",
            "output-append-mode",
            "output-separately",
            "pidns-translation",
            "quiet",
            "raw",
            "read",
            "relative-timestamps",
            "seccomp-bpf",
            "secontext",
            "signals",
            "silence",
            "silent",
            "stack-trace",
            "stack-trace-frame-limit",
            "stack-traces",
            "status",
            "string-limit",
            "strings-in-hex",
            "successful-only",
            "summary",
            "summary-columns",
            "summary-only",
            "summary-sort-by",
            "summary-syscall-overhead",
            "summary-wall-clock",
            "syscall-limit",
            "syscall-number",
            "syscall-times",
            "timestamps",
            "tips",
            "trace",
            "trace-fds",
            "trace-path",
            "user",
            "verbose",
            "version",
            "write",
        ] {
            assert!(all().any(|flag| flag.longs().any(|known| known == long)), "--{long}");
        }
        for qualifier in [
            "a",
            "abbrev",
            "decode-fd",
            "decode-fds",
            "decode-pid",
            "decode-pids",
            "fault",
            "fd",
            "fds",
            "inject",
            "kvm",
            "namespace",
            "q",
            "quiet",
            "r",
            "raw",
            "read",
            "reads",
            "s",
            "secontext",
            "signal",
            "signals",
            "silence",
            "silent",
            "status",
            "t",
            "trace",
            "trace-fd",
            "trace-fds",
            "v",
            "verbose",
            "w",
            "write",
            "writes",
            "x",
        ] {
            assert!(all().any(|flag| flag.qualifiers.contains(&qualifier)), "-e {qualifier}");
        }
    }
}
