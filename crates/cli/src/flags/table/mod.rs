//! The table of options: a file per category, sorted by name within it.

use super::flag::{Flag, Value, words};
use stride_filter::{Catalog, syscall_members};

mod filtering;
mod format;
mod general;
mod miscellaneous;
mod startup;
mod statistics;
mod stop_condition;
mod tampering;
mod tracing;

static CATEGORIES: [&[Flag]; 9] = [
    general::FLAGS,
    startup::FLAGS,
    tracing::FLAGS,
    filtering::FLAGS,
    format::FLAGS,
    statistics::FLAGS,
    stop_condition::FLAGS,
    tampering::FLAGS,
    miscellaneous::FLAGS,
];

/// What options for a set of syscalls take.
pub const SYSCALLS: Value = Value::Set(|| words(syscall_members(Catalog::native())));
/// What options for a set of file descriptors take: those that every program has are worth offering.
const DESCRIPTORS: Value = Value::Set(|| words(["0", "1", "2"]));

/// Every option, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Flag> {
    CATEGORIES.iter().copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::flag::{Arg, Category};
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
        for (flags, category) in CATEGORIES.iter().zip(Category::ALL) {
            assert!(flags.iter().all(|flag| flag.category == category), "{category:?} holds a stranger");
            let keys: Vec<_> = flags.iter().map(|flag| flag.sort_key()).collect();
            assert!(keys.is_sorted(), "{category:?} is not sorted: {keys:?}");
        }
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

    /// The spellings strace 7.2 takes; a new one upstream has to be added to the table, and here.
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
