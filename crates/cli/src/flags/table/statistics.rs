//! The summary of calls.

use crate::flags::flag::{Arg, Category, Flag};
use crate::flags::stop::Stop;
use crate::flags::{explain, summary, values};

const BASE: Flag = Flag { category: Category::Statistics, ..Flag::BASE };

/// Found while parsing rather than afterwards: it is not about how the rest of the options fits together.
fn one_summary(only: bool, too: bool) -> Result<(), Stop> {
    if only && too {
        return Err(Stop::usage("-c/--summary-only and -C/--summary are mutually exclusive"));
    }
    Ok(())
}

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("advise"),
        own: true,
        help: "say what is wrong with the calls, and what it would save",
        doc: "Looks for patterns that waste calls or time, and says at the end what was found, where, by whom, what changing it \
              would save, and how sure that is; what saves most comes first. It is said where the trace would go, which is not \
              printed unless -o gives it a place. With --replay, a recording is looked at; with --json, each finding is an object on a line of its own.\n\n\
              Nothing is said about what would save less than a fiftieth of the calls or of the time, and no call counts as saved \
              twice. Numbers of lines are those of the trace with the same options. Use -f for programs that start others.",
        update: |draft, _| {
            draft.advise = true;
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("budget"),
        arg: Arg::Required("FILE"),
        help: "check the limits in FILE; exit status 3 if one is broken",
        own: true,
        doc: "Checks the run against limits, in place of the trace. FILE is TOML with a list of them, such as limits = \
              [\"total <= 5000\", \"errors.openat <= 50\"], and with sections [[path]], each with a glob and limits of its own, for \
              the calls on paths that match it. A limit is a metric, one of <=, <, >=, > and ==, and a number. Metrics are:\n\n\
              * NAME: calls of this syscall; total for all calls, and %class for those of a class, as in -e trace=%class\n\
              * errors.NAME: those of them that failed\n\
              * NAME.bytes: bytes that they moved\n\
              * NAME.mean_bytes: bytes that one of them moved that did not fail\n\
              * NAME.time_ms: milliseconds in them, which differ too much from run to run for most machines that test\n\
              * processes: processes that there were\n\n\
              If all limits are kept, the exit status is the program's. Each that is broken is told in a line with what broke \
              it, and the exit status is 3. So it is if a limit cannot be checked because calls were lost. A FILE with a \
              mistake is refused before anything is run.",
        update: |draft, given| {
            draft.budget = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("budget-write"),
        arg: Arg::Required("FILE"),
        help: "write limits for --budget: what this run did, and 20 % more",
        own: true,
        doc: "Writes a file for --budget, with limits for what this run did and a fifth more. Left out is what differs from run \
              to run anyway: times, and calls that are made when others are slow, such as futex. A FILE that is there already is \
              replaced only if --budget-write wrote it, and the line on top that says so is still there.",
        update: |draft, given| {
            draft.budget_write = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("by"),
        arg: Arg::Required("KEYS"),
        choices: &["syscall", "path", "directory", "fd", "errno", "pid", "tid", "comm", "size", "peer"],
        help: "summarise by KEYS rather than by syscall",
        own: true,
        doc: "Counts calls by what they have in common rather than by their name, and prints the summary of -c; with -C, after the \
              trace. KEYS is a list of keys, and there is a row for each combination of what calls have of them:\n\n\
              * syscall: the name of the call\n\
              * path: the path that it names, else what its descriptor refers to; the clients of a port are one\n\
              * directory: the directory of that path\n\
              * fd: the descriptor that it is given, and what that refers to\n\
              * errno: the error that it failed with, or ok\n\
              * pid: the process\n\
              * tid: the thread\n\
              * comm: the name of the thread\n\
              * size: the bytes that it moved, to a power of two; [4K, 8K) stands for 4096 to 8191\n\
              * peer: the other end of its socket: an address, or the host that a client came from\n\n\
              Calls that have none of a key are in its row \"-\". Times are always wall clock time (-w); there are columns for p50 and \
              p99, and where descriptors matter, for the bytes moved. -U and -S choose others; name stands for all keys. \
              After 131,072 rows, what is new is counted in a row (others). On a terminal, long paths lose their middle.\n\n\
              The eBPF engine counts in the kernel if there are no other keys than syscall, errno, pid, tid, comm and size.",
        update: |draft, given| {
            draft.by = Some(summary::keys(&given.text())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('c'),
        long: Some("summary-only"),
        help: "count calls, errors and time, and print only a summary",
        doc: "Counts the calls, the errors and the time spent for each system call, and prints a table of them at the \
              end in place of the trace. The time is what the processor spent in the kernel, unless -w is given. With -f, \
              all traced processes are added up.",
        update: |draft, _| {
            draft.summary_only = true;
            one_summary(draft.summary_only, draft.summary_too)
        },
        ..BASE
    },
    Flag {
        short: Some('C'),
        long: Some("summary"),
        help: "print a summary after the trace",
        doc: "Prints the summary that -c prints after the trace rather than in place of it.",
        update: |draft, _| {
            draft.summary_too = true;
            one_summary(draft.summary_only, draft.summary_too)
        },
        ..BASE
    },
    Flag {
        long: Some("diff"),
        arg: Arg::Required("BASE"),
        help: "tell what differs from the run recorded in BASE",
        own: true,
        doc: "Compares the run with one that --record kept in BASE, in place of the trace: a verdict, then the syscalls and the \
              paths that calls were about, with calls, errors, time and bytes in both, by how much of the whole has changed. \
              What chance explains is left out; so are ids of processes, addresses and the made-up part of temporary names. Filters \
              (-e trace=..., -P, -z) apply to both.\n\n\
              Times are compared only if both runs were traced by the same engine on the same machine.",
        update: |draft, given| {
            draft.diff = given.value.clone();
            Ok(())
        },
        ..BASE
    },
    Flag {
        long: Some("explain"),
        arg: Arg::Required("ID"),
        own: true,
        help: "explain a finding of --advise",
        doc: "Prints the reasoning behind the findings with this id, with an example, and exits. --explain=list lists all ids.",
        update: |_, given| Err(explain::explain(&given.text())),
        ..BASE
    },
    Flag {
        short: Some('O'),
        long: Some("summary-syscall-overhead"),
        arg: Arg::Required("TIME"),
        help: "take this much off the time of each call",
        doc: "Takes TIME off the time of each call in the summary, as the cost of observing it, rather than an estimate. \
              TIME is a decimal number followed by s, ms, us or ns; without a unit it is in microseconds.",
        update: |draft, given| {
            draft.overhead = Some(values::duration(&given.text()).ok_or_else(|| given.invalid())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('S'),
        long: Some("summary-sort-by"),
        arg: Arg::Required("KEY"),
        choices: &[
            "avg-time",
            "bytes",
            "calls",
            "errors",
            "max-time",
            "min-time",
            "name",
            "none",
            "p50",
            "p99",
            "time",
            "total-time",
            "wall-avg",
            "wall-max",
            "wall-min",
            "wall-total",
        ],
        help: "sort the summary by KEY (default time)",
        doc: "Sorts the summary by one of its columns, or by nothing. The keys are the columns that -U lists, under the \
              same names, and none (or nothing). The default is time.",
        update: |draft, given| {
            draft.sort = Some(summary::sort_key(&given.text())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('U'),
        long: Some("summary-columns"),
        arg: Arg::Required("COLUMNS"),
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
              * p50: half of the calls took no longer than this by the wall clock, in seconds, to a sixteenth\n\
              * p99: the same for 99 of 100 calls\n\
              * max: the same as wall-max\n\
              * calls: (or count) number of calls\n\
              * errors: (or error) number of calls that failed\n\
              * bytes: bytes that were read, written or sent through descriptors\n\
              * name: (or syscall, syscall-name) name of the call\n\n\
              The default is time-percent,total-time,avg-time,calls,errors,name. Without name in the list, that column \
              is added at the end.",
        update: |draft, given| {
            draft.summary_columns = Some(summary::columns(&given.text())?);
            Ok(())
        },
        ..BASE
    },
    Flag {
        short: Some('w'),
        long: Some("summary-wall-clock"),
        help: "summarise wall clock time rather than system time",
        doc: "Has the summary show how long calls took by the clock, from beginning to end, rather than the time the \
              processor spent in them. Time a call spends waiting is in the former only.",
        update: |draft, _| {
            draft.wall_clock = true;
            Ok(())
        },
        ..BASE
    },
];
