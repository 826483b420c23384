//! The options of the summary.

use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, words};
use crate::flags::stop::Stop;
use crate::flags::{summary, values};
use stride_output::Key;

const BASE: Flag = Flag { category: Category::Statistics, ..Flag::BASE };

/// Checked while parsing, because it does not depend on the other options.
fn one_summary(only: bool, too: bool) -> Result<(), Stop> {
    if only && too {
        return Err(Stop::usage("-c/--summary-only and -C/--summary are mutually exclusive"));
    }
    Ok(())
}

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("by"),
        arg: Arg::Required("KEYS"),
        value: Value::List(|| words(Key::ALL.map(Key::name))),
        help: "summarise by KEYS rather than by syscall",
        brief: Some(HelpEntry { group: HelpGroup::Reports, place: 2, text: "counts by file, ..." }),
        own: true,
        doc: "Counts calls by KEYS rather than by syscall, and prints the summary of -c, or with -C, prints it after the \
              trace. KEYS is a list of the following keys, and the summary has a row for each combination of their values:\n\n\
              * syscall: the name of the call\n\
              * path: the path that the call names, else what its descriptor refers to; all clients of one port have one row\n\
              * directory: the directory of that path\n\
              * fd: the descriptor that the call uses, and what that refers to\n\
              * errno: the error that the call failed with, or ok\n\
              * pid: the process\n\
              * tid: the thread\n\
              * comm: the name of the thread\n\
              * container: the container that the thread is in\n\
              * user: the effective user of the thread\n\
              * duration: the time from entry to return, in powers of two, as a histogram\n\
              * size: the bytes that the call transferred, in powers of two; [4K, 8K) stands for 4096 to 8191\n\
              * peer: the other end of the socket: an address, or the host that a client connected from\n\
              * caller: the innermost function of the program's own that led to the call, with its file: those of the C library, the dynamic \
              loader and other run-time libraries do not count\n\
              * stack: all functions that led to the call, outermost first\n\n\
              Calls without a value for a key are in the row \"-\". Times are always wall clock time (-w). There are \
              columns for p50 and p99, and if a key is about descriptors, for the bytes transferred. If the last key is duration or size, the table is \
              a histogram instead: in order of the keys, with a bar for the calls of each range, for each combination of the other keys. -U and -S choose \
              columns and order; name stands for all keys. After 131,072 rows, calls that would need a new row are counted \
              in the row (others). On a terminal, long paths are shortened in the middle.\n\n\
              The eBPF engine counts in the kernel if all keys are among syscall, errno, pid, tid, comm, container, user, duration and size.",
        update: |raw, given| {
            raw.by = Some(summary::keys(&given.text())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('c'),
        long: Some("summary-only"),
        help: "count calls, errors and time, and print only a summary",
        brief: Some(HelpEntry { group: HelpGroup::Reports, place: 1, text: "counts and times" }),
        habits: &["stat", "stats", "count", "counts"],
        doc: "Counts the calls, the errors and the time spent for each system call, and prints a table at the end instead \
              of the trace. The time is what the processor spent in the kernel, unless -w is given. With -f, all traced processes are counted together.\n\n\
              If more than 50,000 calls are made a second, the eBPF engine times only some of them, because reading the clock takes longer than \
              counting. Calls and errors are counted exactly all the same, times are estimated, and a line below the table says so. --exact-times times all calls.",
        update: |raw, _| {
            raw.summary_only = true;
            one_summary(raw.summary_only, raw.summary_too)
        },
        ..BASE
    },
    Flag {
        short: Some('C'),
        long: Some("summary"),
        help: "print a summary after the trace",
        doc: "Prints the trace and, after it, the summary of -c.",
        update: |raw, _| {
            raw.summary_too = true;
            one_summary(raw.summary_only, raw.summary_too)
        },
        ..BASE
    },
    Flag {
        long: Some("every"),
        arg: Arg::Required("TIME"),
        help: "print a summary of each interval of TIME",
        own: true,
        doc: "Prints the summary of -c, -C or --by for each interval of TIME in place of one at the end: a line with the time at which the \
              interval ended, the number of calls and the interval's length, then the table of the calls that returned in it. TIME is a \
              number followed by h, m, s, ms, us or ns, and 10 ms at least. The last interval ends with the run. In a replay, intervals follow the \
              times of the recording, and those without calls are shown as one. With --json, each object of the summary has time_ns, when the interval \
              ended, and interval_ns, its length.",
        update: |raw, given| {
            let time = values::time(&given.text()).ok_or_else(|| given.no_time())?;
            if time < summary::SHORTEST_INTERVAL {
                return Err(Stop::usage(format!("invalid --every argument: '{}'; give 10ms or more", given.text())));
            }
            raw.every = Some(time);
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("exact-times"),
        help: "time every call of a summary, however many there are",
        own: true,
        doc: "Has -c time every call. Without this option, the eBPF engine times only some of the calls while more than 50,000 are made a second, \
              and estimates the time of the others. All calls are timed anyway for -w, -C, --by, --every, --json, for truss's summary, for the columns that show \
              the shortest or longest calls, and by the ptrace engine.",
        update: |raw, _| {
            raw.exact_times = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('O'),
        long: Some("summary-syscall-overhead"),
        arg: Arg::Required("TIME"),
        help: "subtract TIME from the time of each call",
        doc: "Subtracts TIME from the time of each call in the summary, as the cost of observing it, instead of an estimate. \
              TIME is a decimal number followed by s, ms, us or ns; without a unit it is in microseconds.",
        update: |raw, given| {
            raw.overhead = Some(values::duration(&given.text()).ok_or_else(|| given.invalid())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('S'),
        long: Some("summary-sort-by"),
        arg: Arg::Required("KEY"),
        value: Value::Word(|| words(summary::column_names().chain(["none"]))),
        help: "sort the summary by KEY (default time)",
        doc: "Sorts the summary by one of its columns, or by nothing. The keys are the columns that -U lists, under the \
              same names, and none (or nothing). The default is time.",
        update: |raw, given| {
            raw.sort = Some(summary::sort_key(&given.text())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('U'),
        long: Some("summary-columns"),
        arg: Arg::Required("COLUMNS"),
        value: Value::List(|| words(summary::column_names())),
        help: "show these columns in the summary, in this order",
        doc: "Shows the given columns in the summary, in the given order. COLUMNS is a list of\n\n\
              * time-percent: (or time) share of the total time\n\
              * total-time: (or time-total) time of all calls, in seconds\n\
              * min-time: (or time-min, shortest) time of the shortest call, in seconds\n\
              * max-time: (or time-max, longest) time of the longest call, in seconds\n\
              * avg-time: (or time-avg) average time of a call, in microseconds\n\
              * wall-total: (or total-wall) as total-time, but always by the wall clock\n\
              * wall-min: (or min-wall) as min-time, but always by the wall clock\n\
              * wall-max: (or max-wall) as max-time, but always by the wall clock\n\
              * wall-avg: (or avg-wall) as avg-time, but always by the wall clock\n\
              * min: the same as wall-min\n\
              * p50: median: half of the calls took no longer than this by the wall clock, in seconds, with an error of at \
              most a sixteenth\n\
              * p99: 99 of 100 calls took no longer than this, measured in the same way\n\
              * max: the same as wall-max\n\
              * calls: (or count) number of calls\n\
              * errors: (or error) number of calls that failed\n\
              * distribution: a bar as long as the row's share of the calls among the rows with the same keys but the last\n\
              * bytes: bytes that calls transferred through descriptors\n\
              * name: (or syscall, syscall-name) name of the call\n\n\
              The default is time-percent,total-time,avg-time,calls,errors,name. Without name in the list, that column \
              is added at the end.",
        update: |raw, given| {
            raw.summary_columns = Some(summary::columns(&given.text())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('w'),
        long: Some("summary-wall-clock"),
        help: "summarise wall clock time rather than system time",
        doc: "Makes the summary show how long calls took by the clock, from beginning to end, instead of the processor time \
              spent in them. Only the former includes the time that a call waits.",
        update: |raw, _| {
            raw.wall_clock = true;
            Ok(())
        },
        ..BASE
    },
];
