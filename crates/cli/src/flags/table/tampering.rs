//! Changing what calls do.

use crate::flags::flag::{Arg, Category, Flag, Given, Value, ask, words};
use crate::flags::raw_options::RawOptions;
use crate::flags::stop::Stop;
use crate::flags::values;
use stride_filter::{Catalog, Tamper, parse_injection};
use stride_sweep::FaultKind;

const BASE: Flag = Flag { category: Category::Tampering, ..Flag::BASE };

fn add(raw: &mut RawOptions, given: &Given, tamper: Tamper) -> Result<(), Stop> {
    let delay = |text: &str| values::duration(text).map(|time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    raw.injections.push(parse_injection(&given.text(), tamper, Catalog::native(), delay)?);
    Ok(())
}

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("fault"),
        qualifiers: &["fault"],
        arg: Arg::Required("SET[:TERM]..."),
        help: "make calls fail; may be repeated",
        doc: "Makes the calls of the set fail, with ENOSYS unless error= gives another error. It takes the terms error=, syscall=, when=, thread=, prob= and seed= \
              of --inject, and is short for --inject=SET:error=ENOSYS.",
        update: |raw, given| add(raw, given, Tamper::Fault),
        ..BASE
    },
    Flag {
        long: Some("inject"),
        qualifiers: &["inject"],
        arg: Arg::Required("SET[:TERM]..."),
        help: "change what calls do; may be repeated",
        doc: "Changes what the calls of the set do. SET is a set as for --trace. At least one of the terms that change something must be given; error= and \
              retval= exclude each other. These are the terms:\n\n\
              * error=ERRNO: the call is not made, and fails with this error, a name or a number from 1 to 4095\n\
              * retval=VALUE: the call is not made, and succeeds with this value\n\
              * syscall=NAME: with error= or retval=, this call of the class %pure is made in its place; by default, none is made\n\
              * signal=SIGNAL: the thread gets this signal when it enters the call\n\
              * delay_enter=TIME: the thread waits before it makes the call\n\
              * delay_exit=TIME: the thread waits after the call has returned\n\
              * poke_enter=@argN=DATA,...: before the call, the bytes DATA (hexadecimal) are written to the memory that argument N (from 1) points to\n\
              * poke_exit=@argN=DATA,...: the same after the call has returned\n\
              * short=N: the call is asked to move N bytes at most, where a register says how many; with --kill-on-exit only\n\
              * when=FIRST[..LAST][+[STEP]]: not all calls are changed, but those from FIRST to LAST in steps of STEP; FIRST+ stands for all from FIRST on, and \
              FIRST alone for that one call\n\
              * thread=PLACE: only calls of one thread are changed: 1 is the command, 1.2 the second thread or process that it makes, and so on\n\
              * prob=P: each call that when= leaves is changed with the probability P, from 0 to 1\n\
              * seed=NUMBER: the seed of that choice; without it, Stride chooses one and tells it\n\n\
              TIME is a number of microseconds, or a number with the unit s, ms, us or ns. Calls are counted for each thread and each system call by itself. \
              With the same seed, the same calls of a thread are chosen in every run, in whatever order threads run.\n\n\
              Only calls that --trace, -P and --trace-fds select are counted and changed. If several options name a call, the last one counts. A changed call is \
              shown with (INJECTED), (INJECTED: args) if memory was overwritten, and (DELAYED); in --json, the member injected says what was changed.\n\n\
              The thread has to stand still for this, so the ptrace engine is needed, and taken by default. The execve with which the command starts is not changed.",
        update: |raw, given| add(raw, given, Tamper::Inject),
        ..BASE
    },
    Flag {
        long: Some("sweep"),
        arg: Arg::Optional("KINDS"),
        value: Value::List(|| words(FaultKind::words())),
        own: true,
        only_traces: true,
        habits: &["fuzz"],
        help: "make each call site of the command fail once, and report",
        doc: "Runs the command several times. The first runs are without faults and show the places in the program that make calls. Then the call of each place fails once, in a run of its own, \
              and Stride tells what the program did: whether it crashed, hung, tried again without end, lost data although it exited with 0, or left descriptors open. Each finding has the command \
              line that repeats it. The report goes to the standard output, as one object with --json. Children are followed without -f.\n\n\
              The errors follow from what a call does. KINDS are one or more of\n\n\
              * error: one error for each place, such as EIO for a read. This is the default.\n\
              * more: further errors of the same call, such as EMFILE beside EACCES\n\
              * eintr: EINTR for calls that wait\n\
              * nospace: ENOSPC for calls that write or make files\n\
              * short: reads and writes move 3 bytes at most\n\
              * delay: the call takes 0.2 seconds longer\n\
              * all: all of them\n\n\
              All runs are in the same directory, one after the other, so the command must leave it as it was, or find what it has left; see --sweep-in. Each run gets the same standard \
              input: the file or what the pipe has, and otherwise nothing. Calls before main and those of the dynamic loader do not fail.\n\n\
              The exit status is 0 if nothing was found, 3 if something was, and 1 if the command cannot be swept.",
        update: |raw, given| match FaultKind::of_list(&given.text()) {
            Ok(_) => ask(raw, given),
            Err(word) => Err(Stop::unknown_word("sweep", word, &FaultKind::words().collect::<Vec<_>>())),
        },
        ..BASE
    },
    Flag {
        long: Some("sweep-in"),
        arg: Arg::Required("DIR"),
        value: Value::File,
        own: true,
        only_traces: true,
        help: "--sweep, each run in a copy of the directory DIR",
        doc: "Gives each run of --sweep a copy of the directory DIR, in which the command starts. So no run finds what another one has left, runs go on at the same time on all CPUs, and all files in the copy are \
              compared with those of a run without a fault. The copies are below $TMPDIR (/tmp) and are removed.",
        update: ask,
        ..BASE
    },
    Flag {
        long: Some("sweep-limit"),
        arg: Arg::Required("TIME"),
        own: true,
        only_traces: true,
        help: "--sweep, no run begins after TIME; default 10m",
        doc: "Ends --sweep after TIME, a number followed by h, m, s, ms, us or ns, with a report of the runs that were made. The default is ten minutes.",
        update: |raw, given| match values::time(&given.text()) {
            Some(_) => ask(raw, given),
            None => Err(given.no_time()),
        },
        ..BASE
    },
    Flag {
        long: Some("sweep-results"),
        arg: Arg::Required("FILE"),
        value: Value::File,
        own: true,
        only_traces: true,
        help: "--sweep, keep results in FILE, and go on from there",
        doc: "Appends the result of each run of --sweep to FILE. If FILE has results of the same command already, these runs are not made again: a sweep that was ended goes on.",
        update: ask,
        ..BASE
    },
];
