//! The parts of a line besides the call's arguments: times, threads, numbers.

use crate::flags::flag::{Arg, Category, Flag, Given, HelpEntry, HelpGroup, Value, words};
use crate::flags::raw_options::RawTimestamps;
use crate::flags::stop::Stop;
use crate::flags::time_format::{Precision, TimeFormat};
use crate::flags::{truss, values};
use stride_event::{CallSet, VcpuDetail};
use stride_filter::{ContextDetail, WordSet};
use stride_output::ShowStack;
use stride_session::options::LineStyle;
use stride_session::options::Spelling;

const BASE: Flag = Flag { category: Category::Format, ..Flag::BASE };

const PRECISIONS: Value = Value::Word(|| words(["ms", "ns", "s", "us"]));

/// The digits after the decimal point, by an optional precision. The default is microseconds.
fn digits(given: &Given) -> Result<Option<u8>, Stop> {
    let precision = match given.value {
        None => Precision::Micros,
        Some(_) => values::precision(&given.text()).ok_or_else(|| given.invalid())?,
    };
    Ok(Some(precision.digits()))
}

/// `[[format:]FORMAT][,[precision:]PRECISION]`, in any order and number. Empty members are allowed.
fn timestamps(given: &Given, earlier: Option<RawTimestamps>) -> Result<RawTimestamps, Stop> {
    const FORMATS: [(&str, Option<TimeFormat>); 3] =
        [("none", None), ("time", Some(TimeFormat::Time)), ("unix", Some(TimeFormat::Unix))];
    let mut result = earlier.unwrap_or(RawTimestamps { format: None, precision: Precision::Seconds });
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
        update: |raw, given| {
            let column = values::integer(&given.text(), i32::MAX as u64).ok_or_else(|| given.invalid())?;
            raw.options.lines.column = column as usize;
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
        update: |raw, given| {
            raw.timestamps = Some(timestamps(given, raw.timestamps)?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("always-show-pid"),
        help: "begin every line with the id of the thread",
        doc: "Begins every line with the id of its thread, even while only one thread is traced. With -f and -o together, \
              lines always begin with it.",
        update: |raw, _| {
            raw.always_show_pid = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("debuginfod"),
        help: "get missing debug information for -k from DEBUGINFOD_URLS",
        doc: "Asks the servers in DEBUGINFOD_URLS for the names, and with -kk the lines, of modules whose debug information is not on \
              this machine. The servers learn the build ids of these modules. The program debuginfod-find of elfutils does \
              the asking, and keeps the files for the next time. Without this option Stride never uses the network.",
        update: |raw, _| {
            raw.options.debuginfod = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('i'),
        long: Some("instruction-pointer"),
        help: "print the address each call is made from",
        doc: "Prints the instruction pointer at the time of each call.",
        update: |raw, _| {
            raw.options.lines.leader.ip = true;
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
        brief: Some(HelpEntry { group: HelpGroup::Lines, place: 6, text: "stack of each call" }),
        habits: &["stack", "stacks", "backtrace"],
        doc: "Prints the stack of the program behind each call and each signal: a line for each function that led to it, with \
              the file that the function is in, its name, and the address in the file. With source, or with -k given twice, \
              the file and the line of the source follow where the program was compiled with debug information (-g). \
              Functions that the compiler merged into others are only told by --json.\n\n\
              Stacks of programs without frame pointers are found by the tables that compilers make for exceptions. The \
              functions of programs in Python, JavaScript (Node), PHP, Ruby and Java, and under the ptrace engine those in Perl, \
              stand among the others, each with its file and line; docs/stacks.md has the versions. The functions of other JIT \
              compilers are named if the compiler writes /tmp/perf-PID.map.\n\n\
              Under the eBPF engine, signals that are ignored have no stacks, and the ends of threads only since Linux 6.16. \
              A replay shows stacks if the recording was made with -k.",
        update: |raw, given| {
            raw.options.stack_trace = Some(match (&given.value, given.spelling) {
                (None, Spelling::Short(_)) => match raw.options.stack_trace {
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
        help: "print why virtual processors stop running",
        doc: "With vcpu, prints after ioctl(KVM_RUN) why the virtual processor stopped running. With vcpu+, prints in lines of \
              their own the whole struct kvm_run before the call (VCPU:0< for the processor with the id 0) and after it \
              (VCPU:0>). Needs the ptrace engine and Linux 4.16: Stride looks in the program's memory map for the struct, which \
              KVM shares with the program, at each such call.",
        update: |raw, given| {
            raw.options.spec.vcpus = match &*given.text() {
                "vcpu" => VcpuDetail::Reason,
                "vcpu+" => VcpuDetail::State,
                _ => return Err(Stop::fail(format!("invalid -e kvm= argument: '{}'", given.text()))),
            };
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('n'),
        long: Some("syscall-number"),
        help: "print the number of each call",
        doc: "Prints the number of each call before its name.",
        update: |raw, _| {
            raw.options.lines.leader.number = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("namespace"),
        qualifiers: &["namespace"],
        arg: Arg::Optional("new"),
        value: Value::Word(|| words(["new"])),
        help: "print the namespaces that calls enter",
        doc: "Prints after clone, clone3, setns and unshare the namespaces that the call has entered, or those of the child \
              that it has made, by the numbers that /proc/PID/ns has. Only the kinds that the flags of the call name are \
              printed.",
        update: |raw, given| {
            if given.value.is_some() && given.os() != "new" {
                return Err(Stop::fail(format!("invalid -e namespace= argument: '{}'", given.text())));
            }
            raw.options.decoding.namespaces = true;
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
        update: |raw, given| {
            raw.options.lines.leader.relative = digits(given)?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("secontext"),
        qualifiers: &["secontext"],
        arg: Arg::Optional("FORMAT"),
        value: Value::Word(|| words(["full"])),
        missing: || {
            let why = "SELinux context printing (--secontext option) is not supported by this build of strace";
            (!stride_session::facts::selinux_enabled()).then_some(why)
        },
        help: "print SELinux contexts: their types, or full",
        doc: "Prints in square brackets the SELinux contexts of threads, and of files behind their paths and descriptors. Without \
              FORMAT, that is the type; full means the whole context: user, role, type and level. mismatch, the context that \
              the policy's database has for a file, is refused: Stride does not read that database.\n\n\
              Stride looks the contexts up while threads stand still, so it takes the ptrace engine. Only the text of the \
              trace has them, and a recording does not. Where the kernel has no SELinux, the option is refused as by a strace \
              that was built without it.",
        update: |raw, given| {
            let detail = if given.value.is_some() { WordSet::parse(&given.text())? } else { WordSet::NONE };
            if detail.contains(ContextDetail::Mismatch) {
                return Err(Stop::fail(
                    "--secontext=mismatch is not supported: Stride does not read the database of the contexts that files should \
                     have (file_contexts). Use --secontext or --secontext=full",
                ));
            }
            raw.options.contexts = Some(detail);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("stack-trace-frame-limit"),
        arg: Arg::Required("LIMIT"),
        help: "print at most LIMIT frames of a stack (default 256)",
        doc: "Prints at most LIMIT frames of each stack that -k prints; 256 by default. Other options that look at stacks (--by=caller, \
              --flamegraph, --called-from) know no more frames, either.",
        update: |raw, given| {
            let most = u64::from(u32::MAX / 4);
            let limit = values::integer(&given.text(), most).filter(|limit| *limit > 0);
            raw.stack_trace_frame_limit = Some(limit.ok_or_else(|| given.invalid())? as usize);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("style"),
        arg: Arg::Required("TOOL"),
        value: Value::Word(|| words(stride_output::STYLES)),
        help: "write lines as this tool does: strace, perf or truss",
        habits: &["dtruss", "truss"],
        own: true,
        doc: "Writes the lines of the trace as another tool does, for people and scripts that know that tool.\n\n\
              * strace: (default)\n\
              * perf: perf trace. Children of a command are followed, and structures are addresses unless --verbose names the call\n\
              * truss: truss of Solaris and illumos. If --style=truss is the first option, or Stride is called as truss, the options that follow are truss's: -c -t -p -o -f -a -e -d -D \
              -E -l -v -x -s -r -w -i. The others are refused, with the reason. Long options are Stride's own. -c prints truss's totals\n\n\
              A call is written when it has returned. docs/coming-from.md has the commands of other tools with Stride's.",
        update: |raw, given| {
            let text = given.text();
            raw.options.style = match text.split_once(':').unwrap_or((&text, "")) {
                ("strace", "") => LineStyle::Strace,
                ("perf", "") => LineStyle::Perf,
                // The letters are truss's options about lines.
                ("truss", letters) => LineStyle::Truss(truss::form(letters).ok_or_else(|| given.invalid())?),
                _ => return Err(given.invalid()),
            };
            if raw.options.style != LineStyle::Strace {
                raw.options.decoding.verbose = CallSet::empty();
            }
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('t'),
        help: "begin lines with the time; -tt: with us; -ttt: unix time",
        brief: Some(HelpEntry { group: HelpGroup::Lines, place: 3, text: "time; -tt: with us" }),
        doc: "Begins each line with the time of day. -tt adds microseconds, and -ttt prints the seconds since 1970 with \
              microseconds.",
        update: |raw, _| {
            raw.timestamps_count += 1;
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
        brief: Some(HelpEntry { group: HelpGroup::Lines, place: 4, text: "how long calls took" }),
        doc: "Prints after the result of each call how long it took, from its beginning to its end. PRECISION is s, ms, us \
              (default) or ns.",
        update: |raw, given| {
            raw.options.lines.elapsed = digits(given)?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("waits"),
        help: "print what each call waited for, and who ended the wait",
        habits: &["blocked", "off-cpu", "offcpu", "waker", "sched"],
        doc: "Prints behind the time of each call (-T) for how long its thread slept in the call, who woke the thread, and for how long the \
              thread could have run but had no CPU: \
              = 1 <0.040131 blocked 0.040020 by redis-server[412] sendto, waited for a CPU 0.000103 (dd[99] had it)>. The rest of the time the thread \
              was on a CPU. The waker is a thread and the call that it was in, traced or not, or an interrupt: of a timer, the network, a disk or \
              another device. If a call slept several times, the waker of the longest sleep is shown.\n\n\
              --json has the same, and --record keeps it. The eBPF engine does this, as root or through stride-broker, which names no process that is not traced. Under ptrace the times are upper bounds, and \
              nobody is named. With eBPF, each change of threads on a CPU gets \
              slower by a fraction of a microsecond while Stride runs, on the whole machine.",
        own: true,
        update: |raw, _| {
            raw.options.spec.waits = true;
            Ok(())
        },
        ..BASE
    },
];

#[cfg(test)]
mod tests {
    use crate::flags::parser::{failure_of, options_of};
    use crate::flags::time_format::{Precision, TimeFormat};
    use stride_session::options::WallClock;

    fn times(words: &[&str]) -> Option<WallClock> {
        let words: Vec<&str> = words.iter().copied().chain(["prog"]).collect();
        options_of(&words).lines.leader.wall
    }

    fn wall(format: TimeFormat, precision: Precision) -> Option<WallClock> {
        Some(WallClock { epoch: format == TimeFormat::Unix, digits: precision.digits() })
    }

    #[test]
    fn timestamps_add_up() {
        use Precision::*;
        use TimeFormat::*;
        assert_eq!(times(&["--timestamps"]), wall(Time, Seconds));
        assert_eq!(times(&["--timestamps="]), wall(Time, Seconds));
        assert_eq!(times(&["--timestamps=,"]), wall(Time, Seconds));
        assert_eq!(times(&["--timestamps=unix", "--timestamps=ns"]), wall(Unix, Nanos));
        assert_eq!(times(&["--timestamps=unix,ns", "--timestamps"]), wall(Time, Nanos));
        assert_eq!(times(&["--timestamps=none", "--timestamps=ns"]), wall(Time, Nanos));
        assert_eq!(times(&["--timestamps=FORMAT:Unix,precision:US"]), wall(Unix, Micros));
        assert_eq!(times(&["--timestamps=us", "--timestamps=none"]), None);
        assert_eq!(times(&["-t"]), wall(Time, Seconds));
        assert_eq!(times(&["-tt"]), wall(Time, Micros));
        assert_eq!(times(&["-tttt"]), wall(Unix, Micros));
    }

    #[test]
    fn timestamps_quote_a_bad_list_in_full() {
        for argument in ["ss", "format:s", "s,non", "precision:none", "format:", "time,x,s"] {
            let message = format!("invalid --timestamps argument: '{argument}'");
            assert_eq!(failure_of(&[&format!("--timestamps={argument}")])[0], message);
        }
    }

    #[test]
    fn short_forms_have_the_default_precision() {
        assert_eq!(
            options_of(&["--relative-timestamps=ns", "-r", "x"]).lines.leader.relative,
            Some(Precision::Micros.digits())
        );
        assert_eq!(options_of(&["-T", "--syscall-times=ms", "x"]).lines.elapsed, Some(Precision::Millis.digits()));
    }
}
