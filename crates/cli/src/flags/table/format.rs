//! Where the trace goes and how it looks.

use super::{DESCRIPTORS, SYSCALLS};
use crate::flags::draft::TimestampsDraft;
use crate::flags::flag::{Arg, Category, Flag, Given, Spelling, Value, words};
use crate::flags::options::{Color, ConstStyle, HexStrings, Precision, TimeFormat};
use crate::flags::stop::Stop;
use crate::flags::values;
use stride_filter::{CallSet, FdDetail, PidDetail, Quiet, WordSet, parse_descriptors, parse_syscalls};
use stride_output::ShowStack;

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

/// Longest string that may be asked for, strace's limit.
const STRING_LIMIT_MAX: u64 = (1 << 30) - 1;

const PRECISIONS: Value = Value::Word(|| words(["ms", "ns", "s", "us"]));

/// An optional precision; microseconds if there is none.
fn precision(given: &Given) -> Result<Option<Precision>, Stop> {
    match given.value {
        None => Ok(Some(Precision::Micros)),
        Some(_) => values::precision(&given.text()).map(Some).ok_or_else(|| given.invalid()),
    }
}

/// `[[format:]FORMAT][,[precision:]PRECISION]`, in any order and number. Empty members are allowed.
fn timestamps(given: &Given, earlier: Option<TimestampsDraft>) -> Result<TimestampsDraft, Stop> {
    const FORMATS: [(&str, Option<TimeFormat>); 3] =
        [("none", None), ("time", Some(TimeFormat::Time)), ("unix", Some(TimeFormat::Unix))];
    let mut result = earlier.unwrap_or(TimestampsDraft { format: None, precision: Precision::Seconds });
    let text = given.text();
    let mut format = None;
    for member in text.split(',') {
        let (kind, word) = member.split_once(':').map_or((None, member), |(kind, word)| (Some(kind), word));
        let may_be = |name: &str| kind.is_none_or(|kind| kind.eq_ignore_ascii_case(name));
        let as_format = may_be("format").then(|| values::word(word, &FORMATS)).flatten();
        let as_precision = may_be("precision").then(|| values::precision(word)).flatten();
        match (as_format, as_precision) {
            (Some(value), _) => format = Some(value),
            (_, Some(value)) => result.precision = value,
            _ if member.is_empty() => (),
            _ => return Err(given.invalid()),
        }
    }
    result.format = match (format, &given.value) {
        (Some(format), _) => format,
        (None, None) => Some(TimeFormat::Time),
        (None, Some(_)) => result.format.or(Some(TimeFormat::Time)),
    };
    Ok(result)
}

pub const FLAGS: &[Flag] = &[
    Flag {
        short: Some('a'),
        long: Some("columns"),
        arg: Arg::Required("COLUMN"),
        help: "put the results of calls in this column (default 40)",
        doc: "Prints the results of calls in column COLUMN, or further right if a call is longer than that. The default is 40.",
        update: |draft, given| {
            let column = values::integer(&given.text(), i32::MAX as u64).ok_or_else(|| given.invalid())?;
            draft.columns = column as usize;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('A'),
        long: Some("output-append-mode"),
        help: "append to the file of -o",
        doc: "Appends to the file that -o names rather than replacing its contents.",
        update: |draft, _| {
            draft.append = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("abbrev"),
        qualifiers: &["abbrev", "a"],
        arg: Arg::Required("SET"),
        value: SYSCALLS,
        help: "shorten the structures of these calls (default all)",
        doc: "Leaves out the less important members of structures for the calls of the set, which is written as for \
              --trace. The default is all; -v means none.",
        update: |draft, given| {
            draft.abbrev = parse_syscalls(&given.text(), draft.catalog)?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("absolute-timestamps"),
        aliases: &["timestamps"],
        arg: Arg::Optional("[format:]FORMAT,[precision:]PRECISION"),
        value: Value::List(|| words(["none", "time", "unix", "ms", "ns", "s", "us"])),
        help: "begin lines with the time of day; see the man page",
        doc: "Begins each line with the time. FORMAT is one of\n\n\
              * none: no time; cancels an earlier option\n\
              * time: the time of day, HH:MM:SS (default)\n\
              * unix: the seconds since 1970\n\n\
              and PRECISION is s (default), ms, us or ns. The words format: and precision: may be left out. The option may be given several times, to set the two one by one. It cannot be combined with -t.",
        update: |draft, given| {
            draft.timestamps = Some(timestamps(given, draft.timestamps)?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("always-show-pid"),
        help: "begin every line with the id of the thread",
        doc: "Begins every line with the id of its thread, even while only one thread is traced. With -f and -o together, \
              lines always begin with it.",
        update: |draft, _| {
            draft.always_show_pid = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("color"),
        arg: Arg::Required("WHEN"),
        value: Value::Word(|| words(["always", "auto", "never"])),
        help: "use colour: auto, always or never (default auto)",
        doc: "Says when to print the trace in colour.\n\n\
              * auto: if it goes to a terminal that is not dumb, and NO_COLOR is not set in the environment (default)\n\
              * always: also to files and pipes\n\
              * never: not at all\n\n\
              STRACE_COLORS in the environment changes the colours. It holds KEY=CODES pairs with colons between them, where \
              CODES are SGR parameters such as 1;33, and KEY is one of syscall, argname, argval, call, const, comment, \
              punct, retval and error.",
        update: |draft, given| {
            const WORDS: [(&str, Color); 3] =
                [("auto", Color::Auto), ("always", Color::Always), ("never", Color::Never)];
            draft.color = values::word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("decode-fds"),
        qualifiers: &["decode-fds", "decode-fd"],
        arg: Arg::Optional("SET"),
        value: Value::Set(|| words(WordSet::<FdDetail>::spellings())),
        help: "say what file descriptors refer to; see the man page",
        doc: "Prints after each file descriptor what it refers to. Without SET, that means path.\n\n\
              * path: the path of the file, and for AT_FDCWD, the working directory\n\
              * socket: protocol and addresses\n\
              * dev: device numbers of character and block devices\n\
              * eventfd: state of the eventfd\n\
              * pidfd: the id of the process\n\
              * signalfd: the set of signals\n\n\
              The option cannot be combined with -y.",
        update: |draft, given| {
            draft.decode_fds = Some(match given.value {
                None => WordSet::of(&[FdDetail::Path]),
                Some(_) => WordSet::parse(&given.text())?,
            });
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("decode-pids"),
        qualifiers: &["decode-pids", "decode-pid"],
        arg: Arg::Required("SET"),
        value: Value::Set(|| words(WordSet::<PidDetail>::spellings())),
        help: "say more about process ids: comm, pidns",
        doc: "Prints more about the ids of processes, threads, process groups and sessions.\n\n\
              * comm: the name of the command\n\
              * pidns: the id in Stride's own PID namespace, if the process is in another",
        update: |draft, given| {
            draft.decode_pids = WordSet::parse(&given.text())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("html"),
        arg: Arg::Required("FILE"),
        value: Value::File,
        help: "write a report about the run to FILE, for a browser",
        own: true,
        doc: "Writes a report of the whole run as one HTML page, which needs no other file and loads nothing from the \
              network. It has a summary, a timeline of all threads that can be zoomed, calls by count and by time, the \
              distribution of their times, the busiest files and sockets, errors, the slowest calls, the tree of processes, \
              and the number of lost calls.\n\n\
              The page stays below 5 MB, however long the run is: if there are very many calls, the timeline shows the long \
              ones one by one and sums up the others, and tables list the most important rows and say how many are left \
              out.\n\n\
              Options that choose which calls are shown, and how arguments look (-e, -P, -s, -v, -x, -X, -y), apply to the \
              page, too. The text of the trace is only printed if -o says where to.\n\n\
              FILE is opened before the program starts, and written when tracing ends, also after an interrupt. If FILE cannot be written, Stride says so.",
        update: |draft, given| {
            draft.html = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('i'),
        long: Some("instruction-pointer"),
        help: "print the address each call is made from",
        doc: "Prints the instruction pointer at the time of each call.",
        update: |draft, _| {
            draft.instruction_pointer = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("json"),
        help: "write JSON instead of text, one object per line",
        own: true,
        doc: "Writes one JSON object per line for each call and each signal, for processes that start, execute a program or \
              end, and for calls that were lost. The first object says where the trace comes from, and the last has the \
              totals. They go where the text would go: to the file of -o, else to stderr, or to stdout with --replay. \
              Stride's own messages go to stderr as well, so -o is the better choice.\n\n\
              Filters apply, and so do options that choose how much is shown (-s, -v, -y, -Y, -i, -e read=..., -q). Options \
              that choose how text looks have no effect: times, thread ids, numbers and names are always there. With -e \
              raw=..., a call has its registers instead of arguments.\n\n\
              docs/json.md in Stride's documentation describes the objects for people, and docs/json.schema.json describes them for programs.",
        update: |draft, _| {
            draft.json = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('k'),
        long: Some("stack-trace"),
        aliases: &["stack-traces"],
        arg: Arg::Optional("symbol|source"),
        value: Value::Word(|| words(["source", "symbol"])),
        help: "print the stack at each call: which functions led to it",
        doc: "Prints the stack of the program behind each call and each signal: a line for each function that led to it, with \
              the file that the function is in, its name, and the address in the file. With source, or with -k given twice, \
              the file and the line of the source follow where the program was compiled with debug information (-g). \
              Functions that the compiler merged into others are only told by --json.\n\n\
              Stacks of programs without frame pointers are found by the tables that compilers make for exceptions. The \
              functions of JIT compilers are named if the compiler writes /tmp/perf-PID.map, as node --perf-basic-prof \
              and python3 -X perf do.\n\n\
              It works with the ptrace engine, and with recordings made with -k.",
        update: |draft, given| {
            draft.stack_trace = Some(match (&given.value, given.spelling) {
                (None, Spelling::Short(_)) => match draft.stack_trace {
                    None => ShowStack::Symbol,
                    Some(ShowStack::Symbol) => ShowStack::Source,
                    Some(ShowStack::Source) => return Err(Stop::fail("too many -k options")),
                },
                (None, _) => ShowStack::Symbol,
                (Some(_), _) => match &*given.text() {
                    "symbol" => ShowStack::Symbol,
                    "source" => ShowStack::Source,
                    _ => return Err(given.invalid()),
                },
            });
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("kvm"),
        qualifiers: &["kvm"],
        arg: Arg::Required("vcpu|vcpu+"),
        value: Value::Word(|| words(["vcpu", "vcpu+"])),
        missing: Some("Stride does not read the state of virtual processors; use strace for this"),
        help: "print why virtual processors exit (not implemented yet)",
        doc: "Prints why a virtual processor returned from KVM_RUN. Not implemented yet.",
        ..BASE
    },
    Flag {
        short: Some('n'),
        long: Some("syscall-number"),
        help: "print the number of each call",
        doc: "Prints the number of each call before its name.",
        update: |draft, _| {
            draft.syscall_number = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('N'),
        long: Some("arg-names"),
        help: "print the names of arguments",
        doc: "Prints the arguments of calls as name=value.",
        update: |draft, _| {
            draft.arg_names = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("namespace"),
        qualifiers: &["namespace"],
        arg: Arg::Optional("new"),
        value: Value::Word(|| words(["new"])),
        missing: Some("Stride does not follow changes of namespaces; look at /proc/PID/ns, or use strace"),
        help: "print the namespaces that are entered (not implemented yet)",
        doc: "Prints the ids of the namespaces that a process enters. Not implemented yet.",
        ..BASE
    },
    Flag {
        short: Some('o'),
        long: Some("output"),
        arg: Arg::Required("FILE"),
        value: Value::File,
        help: "write the trace to FILE, or with |CMD or !CMD to a command",
        doc: "Writes the trace to FILE rather than to stderr. With --output-separately (or -ff), each thread gets a file \
              of its own, named FILE.PID. If FILE begins with | or !, what follows is a shell command, and the trace goes \
              to its standard input; this cannot be combined with --output-separately.",
        update: |draft, given| {
            draft.output = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("output-separately"),
        help: "write a file for each thread, named FILE.PID",
        doc: "With -o FILE, writes the trace of each thread to a file of its own, named by appending a dot and the id of \
              the thread.",
        update: |draft, _| {
            draft.output_separately = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("perfetto"),
        arg: Arg::Required("FILE"),
        value: Value::File,
        help: "write a trace for ui.perfetto.dev to FILE",
        own: true,
        doc: "Writes a trace for https://ui.perfetto.dev and Perfetto's trace_processor. It has a track for each thread \
              under its process; a slice for each call with its arguments, its result and what its descriptor refers to; a flow from each fork to the child; marks for signals, execve, ends of threads and lost calls; and a counter of calls per second. Calls that failed have the category error, and a name with the error in it, such as \"openat ENOENT\".\n\n\
              Options that choose which calls are shown, and how arguments look (-e, -P, -s, -v, -x, -X, -y), apply to this \
              trace, too. The text of the trace is only printed if -o says where to.\n\n\
              FILE is written while the program runs. If it cannot be written any further, Stride says so, and everything else goes on.",
        update: |draft, given| {
            draft.perfetto = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("pidns-translation"),
        help: "the same as --decode-pids=pidns",
        doc: "Prints process ids in Stride's own PID namespace too, as --decode-pids=pidns does.",
        update: |draft, _| {
            draft.decode_pids = draft.decode_pids.with(PidDetail::Pidns);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('q'),
        help: "leave out some messages; -qq: exit statuses, too; -qqq: all",
        doc: "Leaves out messages about attaching and detaching, changes of personality, and files that were written. -qq \
              also leaves out messages about how processes exit, and -qqq leaves out all that --quiet can.\n\n\
              With -o and a command, and without -p, -q is the default.",
        update: |draft, _| {
            draft.quiet_count += 1;
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
        doc: "Leaves out messages about the tracing itself. Without SET that is attach,files,personality.\n\n\
              * attach: attaching to and detaching from processes\n\
              * backpressure: how many calls were delayed and for how long (see --on-overflow)\n\
              * exit: exit statuses of processes\n\
              * files: what --record, --html and other options have written, and where\n\
              * path-resolution: what the paths of -P resolve to\n\
              * personality: a process changes to another ABI\n\
              * thread-execve: (or superseded) a thread is replaced by another one's execve\n\n\
              The option cannot be combined with -q.",
        update: |draft, given| {
            draft.quiet = Some(match given.value {
                None => WordSet::of(&[Quiet::Attach, Quiet::Files, Quiet::Personality]),
                Some(_) => WordSet::parse(&given.text())?,
            });
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('r'),
        long: Some("relative-timestamps"),
        arg: Arg::Optional("PRECISION"),
        value: PRECISIONS,
        help: "begin lines with the time since the previous call",
        doc: "Begins each line with the time since the previous call began, measured by a clock that cannot be set. \
              PRECISION is s, ms, us (default) or ns.",
        update: |draft, given| {
            draft.relative_timestamps = precision(given)?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("raw"),
        qualifiers: &["raw", "x"],
        arg: Arg::Required("SET"),
        value: SYSCALLS,
        help: "print the arguments of these calls as plain numbers",
        doc: "Prints the arguments of the calls of the set as hexadecimal numbers, without decoding them; see --trace for \
              what the set may be.",
        update: |draft, given| {
            draft.raw = parse_syscalls(&given.text(), draft.catalog)?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("read"),
        qualifiers: &["read", "reads", "r"],
        arg: Arg::Required("SET"),
        value: DESCRIPTORS,
        help: "dump all data read from these file descriptors",
        doc: "Prints all data read from the file descriptors of the set, in hexadecimal and ASCII, below the calls that \
              read it. --read=3,5 prints the data read from descriptors 3 and 5. This does not change which calls are reported.",
        update: |draft, given| {
            draft.dump_read = parse_descriptors(&given.text())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('s'),
        long: Some("string-limit"),
        arg: Arg::Required("SIZE"),
        help: "print at most SIZE bytes of each string (default 32)",
        doc: "Prints at most SIZE bytes of each string and SIZE elements of each array. The default is 32. File names \
              are always printed in full.",
        update: |draft, given| {
            let size = values::integer(&given.text(), STRING_LIMIT_MAX).ok_or_else(|| given.invalid())?;
            draft.string_limit = size as usize;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("secontext"),
        qualifiers: &["secontext"],
        arg: Arg::Optional("FORMAT"),
        value: Value::Word(|| words(["full", "mismatch"])),
        missing: Some("Stride does not read SELinux contexts; use strace built with libselinux for this"),
        help: "print SELinux contexts (not implemented yet)",
        doc: "Prints the SELinux contexts of processes and files. Not implemented yet.",
        ..BASE
    },
    Flag {
        long: Some("stack-trace-frame-limit"),
        arg: Arg::Required("LIMIT"),
        help: "print at most LIMIT frames of a stack (default 256)",
        doc: "Prints at most LIMIT frames of each stack that -k prints; 256 by default.",
        update: |draft, given| {
            let most = u64::from(u32::MAX / 4);
            let limit = values::integer(&given.text(), most).filter(|limit| *limit > 0);
            draft.stack_trace_frame_limit = Some(limit.ok_or_else(|| given.invalid())? as usize);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("strings-in-hex"),
        arg: Arg::Optional("WHICH"),
        value: Value::Word(|| words(["all", "non-ascii", "non-ascii-chars", "none"])),
        help: "use hexadecimal escapes in strings; see the man page",
        doc: "Says which strings are printed as hexadecimal escapes rather than octal ones where needed. Without WHICH that \
              is all.\n\n\
              * none: none\n\
              * non-ascii-chars: only the characters that need an escape\n\
              * non-ascii: all of a string that has such a character\n\
              * all: all of all strings\n\n\
              The option cannot be combined with -x.",
        update: |draft, given| {
            const WORDS: [(&str, HexStrings); 4] = [
                ("none", HexStrings::No),
                ("non-ascii-chars", HexStrings::NonAsciiChars),
                ("non-ascii", HexStrings::NonAscii),
                ("all", HexStrings::All),
            ];
            draft.hex_strings = Some(match given.value {
                None => HexStrings::All,
                Some(_) => values::word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?,
            });
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('t'),
        help: "begin lines with the time; -tt: with us; -ttt: unix time",
        doc: "Begins each line with the time of day. -tt adds microseconds, and -ttt prints the seconds since 1970 with \
              microseconds.",
        update: |draft, _| {
            draft.timestamps_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('T'),
        long: Some("syscall-times"),
        arg: Arg::Optional("PRECISION"),
        value: PRECISIONS,
        help: "print how long each call took",
        doc: "Prints after the result of each call how long it took, from its beginning to its end. PRECISION is s, ms, us \
              (default) or ns.",
        update: |draft, given| {
            draft.syscall_times = precision(given)?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('v'),
        long: Some("no-abbrev"),
        help: "print structures in full",
        doc: "Prints structures, arrays, environments and the like in full, as --abbrev=none does.",
        update: |draft, _| {
            draft.abbrev = CallSet::empty();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("verbose"),
        qualifiers: &["verbose", "v"],
        arg: Arg::Required("SET"),
        value: SYSCALLS,
        help: "read the structures of these calls (default all)",
        doc: "Prints what pointers to structures point to for the calls of the set, and only addresses for other calls; \
              see --trace for what the set may be. The default is all.",
        update: |draft, given| {
            draft.verbose = parse_syscalls(&given.text(), draft.catalog)?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("write"),
        qualifiers: &["write", "writes", "w"],
        arg: Arg::Required("SET"),
        value: DESCRIPTORS,
        help: "dump all data written to these file descriptors",
        doc: "Prints all data written to the file descriptors of the set, in hexadecimal and ASCII, below the calls that \
              write it. This does not change which calls are reported.",
        update: |draft, given| {
            draft.dump_write = parse_descriptors(&given.text())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('x'),
        help: "print non-ASCII strings in hexadecimal; -xx: all strings",
        doc: "Prints strings that are not plain ASCII as hexadecimal escapes, and with -xx, all strings.",
        update: |draft, _| {
            draft.hex_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('X'),
        long: Some("const-print-style"),
        arg: Arg::Required("STYLE"),
        value: Value::Word(|| words(["abbrev", "raw", "verbose"])),
        help: "print constants and flags as raw, abbrev or verbose",
        doc: "Says how named constants and flags are printed.\n\n\
              * raw: as numbers\n\
              * abbrev: by name if they have one (default)\n\
              * verbose: as numbers with the name in a comment",
        update: |draft, given| {
            const WORDS: [(&str, ConstStyle); 3] =
                [("raw", ConstStyle::Raw), ("abbrev", ConstStyle::Abbrev), ("verbose", ConstStyle::Verbose)];
            draft.const_style = values::exact_word(&given.text(), &WORDS).ok_or_else(|| given.invalid())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('y'),
        help: "print the paths of descriptors; -yy: all their details",
        doc: "Prints the path of the file after each descriptor, and the working directory after AT_FDCWD, as \
              --decode-fds=path does. -yy prints all the details of --decode-fds=all.",
        update: |draft, _| {
            draft.decode_fds_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('Y'),
        help: "print the command names of process ids",
        doc: "Prints the command name after each process id, as --decode-pids=comm does.",
        update: |draft, _| {
            draft.decode_pids = draft.decode_pids.with(PidDetail::Comm);
            Ok(())
        },
        ..BASE
    },
];

#[cfg(test)]
mod tests {
    use crate::flags::options::*;
    use crate::flags::parser::{failure_of, options_of};

    fn times(words: &[&str]) -> Option<(TimeFormat, Precision)> {
        let words: Vec<&str> = words.iter().copied().chain(["prog"]).collect();
        options_of(&words).timestamps.map(|t| (t.format, t.precision))
    }

    #[test]
    fn timestamps_add_up() {
        use Precision::*;
        use TimeFormat::*;
        assert_eq!(times(&["--timestamps"]), Some((Time, Seconds)));
        assert_eq!(times(&["--timestamps="]), Some((Time, Seconds)));
        assert_eq!(times(&["--timestamps=,"]), Some((Time, Seconds)));
        assert_eq!(times(&["--timestamps=unix", "--timestamps=ns"]), Some((Unix, Nanos)));
        assert_eq!(times(&["--timestamps=unix,ns", "--timestamps"]), Some((Time, Nanos)));
        assert_eq!(times(&["--timestamps=none", "--timestamps=ns"]), Some((Time, Nanos)));
        assert_eq!(times(&["--timestamps=FORMAT:Unix,precision:US"]), Some((Unix, Micros)));
        assert_eq!(times(&["--timestamps=us", "--timestamps=none"]), None);
        assert_eq!(times(&["-t"]), Some((Time, Seconds)));
        assert_eq!(times(&["-tt"]), Some((Time, Micros)));
        assert_eq!(times(&["-tttt"]), Some((Unix, Micros)));
    }

    #[test]
    fn timestamps_quote_a_bad_list_in_full() {
        for argument in ["ss", "format:s", "s,non", "precision:none", "format:", "time,x,s"] {
            let message = format!("invalid --timestamps argument: '{argument}'");
            assert_eq!(failure_of(&[&format!("--timestamps={argument}")])[0], message);
        }
    }

    #[test]
    fn arguments_in_their_limits() {
        assert_eq!(options_of(&["-s", "1073741823", "x"]).string_limit, 1073741823);
        for (words, message) in [
            (&["-s", "1073741824"][..], "invalid -s argument: '1073741824'"),
            (&["--string-limit=-42"], "invalid --string-limit argument: '-42'"),
            (&["-a", "-42"], "invalid -a argument: '-42'"),
            (&["-Xa"], "invalid -X argument: 'a'"),
            (&["--color=foo"], "invalid --color argument: 'foo'"),
            (&["--color="], "invalid --color argument: ''"),
            (&["--relative-timestamps=n"], "invalid --relative-timestamps argument: 'n'"),
            (&["--syscall-times="], "invalid --syscall-times argument: ''"),
            (&["--strings-in-hex=al"], "invalid --strings-in-hex argument: 'al'"),
            (&["--daemonised=pgr"], "invalid --daemonised argument: 'pgr'; did you mean 'pgrp'?"),
            (&["--syscall-limit=0"], "invalid --syscall-limit argument: '0'"),
            (&["-I0"], "invalid -I argument: '0'"),
            (&["-Inev"], "invalid -I argument: 'nev'"),
            (&["-O", "-42"], "invalid -O argument: '-42'"),
        ] {
            assert_eq!(failure_of(words)[0], message);
        }
    }

    #[test]
    fn short_forms_have_the_default_precision() {
        assert_eq!(options_of(&["--relative-timestamps=ns", "-r", "x"]).relative_timestamps, Some(Precision::Micros));
        assert_eq!(options_of(&["-T", "--syscall-times=ms", "x"]).syscall_times, Some(Precision::Millis));
    }
}
