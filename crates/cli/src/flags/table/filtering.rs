//! The choice of events to report.

use super::sets::{DESCRIPTORS, SYSCALLS};
use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, words};
use crate::flags::values;
use stride_filter::{
    Catalog, FramePattern, SignalSet, Status, WordSet, error_names, parse_descriptors, parse_durations, parse_errors,
    parse_syscalls, signal_names,
};

const BASE: Flag = Flag { category: Category::Filtering, ..Flag::BASE };

/// The expression of an option. Mistakes are reported with the option's name.
pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("called-from"),
        arg: Arg::Required("REGEX"),
        help: "report only calls that a matching function led to",
        own: true,
        doc: "Reports only calls with a function on their stack that matches the POSIX extended regular expression. It is compared \
              with the names of functions, with the paths of the executable and the libraries that they are in, and with the files of \
              their source, where the program was compiled with debug information (-g). ^load$ stands for one function, and \
              /libssl for the calls that this library leads to.\n\n\
              The stacks are shown only with -k. The stack of a call may be known only when the call returns, so a call that waits \
              may be shown late. If parts of stacks are not known, Stride says for how many of the calls that it left out. A replay \
              needs a recording with stacks.",
        update: |raw, given| {
            let text = given.text();
            if text.is_empty() {
                return Err(given.invalid());
            }
            raw.options.filters.called_from = Some(FramePattern::parse(&text)?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("duration"),
        qualifiers: &["duration"],
        arg: Arg::Required("[>|<]TIME"),
        help: "report only calls that took at least TIME, or less",
        own: true,
        doc: "Reports only calls that took at least TIME: a number followed by s, ms, us or ns. A > before it means longer, a < shorter; \
              with both options, --duration='>1ms' --duration='<1s', calls between the two are reported. A number without a unit is refused, because \
              other tools read it differently.\n\n\
              The time is that from entry to return, which -T shows. A call that is still in progress when tracing ends counts with its time so far. \
              The eBPF engine decides in the kernel, and calls that are left out send nothing.",
        update: |raw, given| {
            let time =
                |text: &str| values::duration(text).map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
            let span = parse_durations(&given.text(), time)?;
            raw.options.filters.durations = raw.options.filters.durations.intersection(span);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("errno"),
        qualifiers: &["errno"],
        arg: Arg::Required("SET"),
        value: Value::Set(|| words(error_names())),
        help: "report only calls that failed with these errors",
        own: true,
        doc: "Reports only calls that failed with an error of the set: names such as ENOENT, in any case, or numbers. --errno='!EAGAIN' reports the calls \
              that failed with any other error, and --errno=all is the same as -Z. Calls that did not fail are never reported.",
        update: |raw, given| {
            raw.options.filters.errors = Some(parse_errors(&given.text())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('P'),
        long: Some("trace-path"),
        arg: Arg::Required("PATH"),
        value: Value::File,
        help: "report only calls that touch PATH; may be repeated",
        brief: Some(HelpEntry { group: HelpGroup::Calls, place: 2, text: "only on this file" }),
        doc: "Reports only calls that name PATH, or that use a descriptor of it. PATH matches as given, and as it is with \
              all symbolic links resolved; Stride says so if the two differ.\n\n\
              If no file has that name, PATH may be a pattern with *, ? and [a-z]: -P '/etc/*.conf'. A star stands for slashes, too. A \
              pattern without a slash is compared with the last part of each path.\n\n\
              With --trace-fds, calls that match either option are reported.",
        update: |raw, given| {
            raw.paths.push(given.os().to_owned());
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("show-on-off-events"),
        help: "report the calls of --switch-on and --switch-off, too",
        own: true,
        doc: "Reports also the calls at which --switch-on and --switch-off take effect.",
        update: |raw, _| {
            raw.options.filters.show_switches = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("signal"),
        aliases: &["signals"],
        qualifiers: &["signal", "signals", "s"],
        arg: Arg::Required("SET"),
        value: Value::Set(|| words(signal_names())),
        help: "report only these signals",
        doc: "Reports only the signals of the set; by default all of them, and with --all none. A signal is a number or a name, in any case \
              and with or without SIG. --signal='!SIGIO' and --signal='!io' report all signals but SIGIO.",
        update: |raw, given| {
            raw.options.filters.signals = SignalSet::parse(&given.text())?;
            raw.options.signals_asked = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("status"),
        qualifiers: &["status"],
        arg: Arg::Required("SET"),
        value: Value::Set(|| words(WordSet::<Status>::spellings())),
        help: "report only calls that end in one of these ways",
        doc: "Reports only calls that end in one of the ways in the set; by default all of them.\n\n\
              * successful: they returned no error\n\
              * failed: they returned an error\n\
              * unfinished: they never returned, for example because another thread called execve\n\
              * unavailable: they returned, but the result could not be read\n\
              * detached: tracing ended before they returned\n\n\
              How a call ends is only known afterwards, so with this option the lines of concurrent calls are in the order in which the calls ended.",
        update: |raw, given| {
            raw.options.filters.status = WordSet::parse(&given.text())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("switch-off"),
        arg: Arg::Required("EXPR"),
        help: "stop reporting after a call for which EXPR holds",
        own: true,
        doc: "Stops reporting calls and signals when a call returns for which EXPR holds; --where explains EXPR. --switch-on starts it again. The call itself \
              is reported only with --show-on-off-events. It need not be among the calls that other filters leave in.",
        update: |raw, given| {
            raw.options.filters.switch_off = Some(given.expression()?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("switch-on"),
        arg: Arg::Required("EXPR"),
        help: "report nothing until a call for which EXPR holds",
        own: true,
        doc: "Reports calls and signals only after a call has returned for which EXPR holds; --where explains EXPR. The call itself is reported only with \
              --show-on-off-events. It need not be among the calls that other filters leave in. So --switch-on='name == \"listen\"' leaves out how a server starts.",
        update: |raw, given| {
            raw.options.filters.switch_on = Some(given.expression()?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("trace"),
        qualifiers: &["trace", "t"],
        arg: Arg::Required("SET"),
        value: SYSCALLS,
        help: "report only these system calls",
        brief: Some(HelpEntry { group: HelpGroup::Calls, place: 1, text: "only these calls" }),
        habits: &["list", "syscalls", "calls", "events"],
        doc: "Reports only the system calls of the set; by default all of them. A member is one of\n\n\
              * NAME: the call of that name\n\
              * NUMBER: the calls of that number\n\
              * /REGEX: calls whose name contains a match of the POSIX extended regular expression\n\
              * %CLASS: the calls of a class, see below\n\
              * all: all calls\n\n\
              With a question mark before a member, it is not an error if there is no such call. @64, @32 or @x32 after a \
              member limits it to calls of that ABI; a 64-bit program may make 32-bit calls.\n\n\
              These are the classes:\n\n\
              * %clock: reading and setting the system's clocks\n\
              * %creds: user and group ids, capabilities\n\
              * %desc: calls that use file descriptors\n\
              * %file: calls that take the name of a file\n\
              * %fstat: fstat and its variants\n\
              * %fstatfs: fstatfs and its variants\n\
              * %ipc: System V and POSIX interprocess communication\n\
              * %lstat: lstat and its variants\n\
              * %memory: mapping memory\n\
              * %network: (or %net) sockets\n\
              * %process: creating, ending and waiting for processes, and executing programs\n\
              * %pure: calls without arguments that always succeed, such as getpid\n\
              * %sched: scheduling\n\
              * %signal: sending and handling signals\n\
              * %stat: stat and its variants\n\
              * %%stat: all of %stat, %lstat and %fstat\n\
              * %statfs: statfs and its variants\n\
              * %%statfs: all of %statfs and %fstatfs, and ustat\n\n\
              desc, file, ipc, memory, network, process and signal may also be written without the percent sign.",
        update: |raw, given| {
            raw.options.filters.trace = parse_syscalls(&given.text(), Catalog::native())?;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("trace-fds"),
        qualifiers: &["trace-fds", "trace-fd", "fds", "fd"],
        arg: Arg::Required("SET"),
        value: DESCRIPTORS,
        help: "report only calls that use these file descriptors",
        doc: "Reports only calls that use a file descriptor of the set; calls that use none are not reported. With \
              --trace-path, calls that match either option are reported.",
        update: |raw, given| {
            raw.options.filters.trace_fds = Some(parse_descriptors(&given.text())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("where"),
        arg: Arg::Required("EXPR"),
        help: "report only calls for which EXPR holds; may be repeated",
        brief: Some(HelpEntry { group: HelpGroup::Calls, place: 4, text: "only if EXPR holds" }),
        habits: &["filter"],
        own: true,
        doc: "Reports only calls for which EXPR holds, an expression in the Common Expression Language (CEL), which Kubernetes uses, too. Several --where \
              must all hold. An example is\n\n\
              --where='name in [\"openat\", \"execve\"] && errno == \"ENOENT\" && path.startsWith(\"/usr/\")'\n\n\
              These are the fields:\n\n\
              * name: (string) name of the system call\n\
              * pid, tid: (int) ids of the process and the thread\n\
              * comm: (string) name of the thread when the call returned\n\
              * exe: (string) path of the program that the process runs\n\
              * container: (string) name of the container that the thread is in; with --all and its filters\n\
              * uid: (int) effective user id of the thread\n\
              * path: (string) path that the call names, else what its descriptor refers to, as --by=path shows it\n\
              * fd.kind: (string) what the call's descriptor refers to: file, pipe, socket or other\n\
              * fd.peer: (string) other end of the descriptor's socket\n\
              * args.NAME: an argument of the call by its name in --json: flags are a list of names, one of several constants is its name, structures \
              have members\n\
              * ret: (int) result; -1 if the call failed\n\
              * errno: (string) name of the error\n\
              * duration: (duration) time from entry to return, compared as in duration > duration(\"10ms\")\n\
              * bytes: (int) bytes that the call transferred\n\
              * wait: (string) the thing that the call may wait for: time, readiness, completion, lock, signal, child, peer or turn\n\n\
              A string that the call does not have is empty; has(path) tells the two apart. With a number that the call does not have, such as the bytes of \
              close, a comparison neither holds nor fails, and the call is not reported.\n\n\
              Where that is no valid CEL, spellings of other languages are understood: = for ==, <> for !=, and, or, not, in (...), times such as 10ms and sizes such as 64K. \
              For other habits, such as ~ and the fields of sysdig and perf, Stride says how they are spelt here.\n\n\
              Unknown fields, wrong types and expressions that could take too long are found before the program runs. The parts about the name, the ids, the \
              outcome, the duration and the bytes are decided in the kernel by the eBPF engine; -d tells which.",
        update: |raw, given| {
            raw.options.filters.conditions.push(given.expression()?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('z'),
        long: Some("successful-only"),
        help: "report only calls that succeeded",
        doc: "Reports only calls that returned no error, as --status=successful does.",
        update: |raw, _| {
            raw.options.filters.status = WordSet::of(&[Status::Successful]);
            raw.status_count += 1;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('Z'),
        long: Some("failed-only"),
        aliases: &["failing-only"],
        help: "report only calls that failed",
        brief: Some(HelpEntry { group: HelpGroup::Calls, place: 3, text: "only failures" }),
        doc: "Reports only calls that returned an error, as --status=failed does.",
        update: |raw, _| {
            raw.options.filters.status = WordSet::of(&[Status::Failed]);
            raw.status_count += 1;
            Ok(())
        },
        ..BASE
    },
];
