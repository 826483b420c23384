//! The destination of the trace, and the messages that go with it.

use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, words};
use crate::flags::stop::Stop;
use crate::flags::{long_run_values, values};
use stride_filter::{Quiet, WordSet};
use stride_output::ReportFormat;
use stride_session::options::Color;

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

pub const FLAGS: &[Flag] = &[
    Flag {
        short: Some('A'),
        long: Some("output-append-mode"),
        help: "append to the file of -o",
        doc: "Appends to the file that -o names rather than replacing its contents.",
        update: |raw, _| {
            raw.options.append = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("color"),
        arg: Arg::Required("WHEN"),
        value: Value::Word(|| words(["always", "auto", "never"])),
        help: "use colour: auto, always or never (default auto)",
        doc: "Says when to print the trace, the findings of --advise and the live view of --top in colour.\n\n\
              * auto: if it goes to a terminal that is not dumb, and NO_COLOR is not set in the environment (default)\n\
              * always: also to files and pipes\n\
              * never: not at all\n\n\
              STRACE_COLORS in the environment changes the colours. It holds KEY=CODES pairs with colons between them, where \
              CODES are SGR parameters such as 1;33, and KEY is one of syscall, argname, argval, call, const, comment, \
              punct, retval and error.",
        update: |raw, given| {
            const WORDS: [(&str, Color); 3] =
                [("auto", Color::Auto), ("always", Color::Always), ("never", Color::Never)];
            raw.options.color = values::word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("format"),
        arg: Arg::Required("FORM"),
        value: Value::Word(|| words(["text", "markdown", "github", "sarif"])),
        own: true,
        help: "write reports as text, or as markdown, github or sarif",
        doc: "Says for whom the reports of --advise, --budget and --diff are written. They go where they would go without this option.\n\n\
              * text: for people at a terminal (default)\n\
              * markdown: for a comment or a summary on GitHub and GitLab\n\
              * github: for the log of GitHub Actions, which shows a note beside each limit that is broken and each line of source that a finding names\n\
              * sarif: findings of --advise in the Static Analysis Results Interchange Format 2.1.0, for code scanning services. Findings that name no line of source are \
              notifications in it\n\n\
              Names of files of source begin below the working directory if they can.",
        update: |raw, given| {
            const WORDS: [(&str, ReportFormat); 4] = [
                ("text", ReportFormat::Text),
                ("markdown", ReportFormat::Markdown),
                ("github", ReportFormat::GitHub),
                ("sarif", ReportFormat::Sarif),
            ];
            raw.options.format = values::word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('o'),
        long: Some("output"),
        arg: Arg::Required("FILE"),
        value: Value::File,
        help: "write the trace to FILE, or with |CMD or !CMD to a command",
        brief: Some(HelpEntry { group: HelpGroup::Lines, place: 1, text: "write into a file" }),
        habits: &["log"],
        doc: "Writes the trace to FILE rather than to stderr. With --output-separately (or -ff), each thread gets a file \
              of its own, named FILE.PID. If FILE begins with | or !, what follows is a shell command, and the trace goes \
              to its standard input; this cannot be combined with --output-separately.",
        update: |raw, given| {
            raw.output = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("output-separately"),
        help: "write a file for each thread, named FILE.PID",
        doc: "With -o FILE, writes the trace of each thread to a file of its own, named by appending a dot and the id of \
              the thread. A file of that name is overwritten, as strace does it, if it is a regular file of yours and has no other name. Otherwise it is \
              left alone (FILE's directory may be somebody else's), and .2 is appended as well.",
        update: |raw, _| {
            raw.output_separately = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('q'),
        help: "leave out some messages; -qq: exit statuses, too; -qqq: all",
        doc: "Leaves out messages about attaching and detaching, changes of personality, and files that were written. -qq \
              also leaves out with which status processes exit, and -qqq leaves out all that --quiet can. That a signal has \
              killed a process is always shown, but not with --all.\n\n\
              With -o and a command, and without -p, -q is the default. With --all, -qq is.",
        update: |raw, _| {
            raw.quiet_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("quiet"),
        aliases: &["silent", "silence"],
        qualifiers: &["quiet", "silent", "silence", "q"],
        arg: Arg::Optional("SET"),
        value: Value::Set(|| words(WordSet::<Quiet>::spellings())),
        help: "leave out these messages; see the man page",
        doc: "Leaves out messages about the tracing itself. Without SET that is attach,files,personality. With --all, \
              attach,exit,personality,thread-execve is the default, and --quiet=none shows them.\n\n\
              * attach: attaching to and detaching from processes\n\
              * backpressure: how many calls were delayed and for how long (see --on-overflow)\n\
              * exit: exit statuses of processes\n\
              * files: what --record, --html and other options have written, and where\n\
              * path-resolution: what the paths of -P resolve to\n\
              * personality: a process changes to another ABI\n\
              * thread-execve: (or superseded) a thread is replaced by another one's execve\n\n\
              The option cannot be combined with -q.",
        update: |raw, given| {
            raw.quiet = Some(match given.value {
                None => WordSet::of(&[Quiet::Attach, Quiet::Files, Quiet::Personality]),
                Some(_) => WordSet::parse(&given.text())?,
            });
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("rotate"),
        arg: Arg::Required("SIZE|TIME[:COUNT]"),
        help: "begin a new file after SIZE or TIME, and keep COUNT files",
        own: true,
        doc: "Bounds the disk that an endless trace takes. When the file of -o or --record has SIZE bytes, or is TIME old, it is renamed to FILE.1 and \
              FILE begins anew; FILE.1 becomes FILE.2, and so on. COUNT is the number of files in all, 5 by default, so --rotate=100M:10 takes at most 1000 MiB. \
              SIZE is a number with K, M or G (or KiB, MiB, GiB), at least 4K; TIME is a number followed by h, m, s or ms.\n\n\
              Each file is whole: lines are never cut, each file of --json begins with the object that says where the trace comes from, and each recording can \
              be replayed on its own, with the names of processes and descriptors from before. Files of the same names from earlier runs count as older \
              files. With -ff, the file of each thread is rotated on its own. A file is rotated when there is something to write.",
        update: |raw, given| {
            let text = given.text();
            raw.options.rotation = Some(long_run_values::rotation(&text).ok_or_else(|| {
                Stop::usage(format!(
                    "invalid --rotate argument: '{text}'; give a size from 4K such as 100M, or a time such as 1h, and perhaps a \
                     number of files behind a colon: 100M:10"
                ))
            })?);
            Ok(())
        },
        ..BASE
    },
];
