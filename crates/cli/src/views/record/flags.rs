//! The options of recordings and of flight recorders.

use crate::flags::flag::{Arg, Category, Flag, HelpEntry, HelpGroup, Value, ask};
use crate::flags::stop::Stop;
use crate::flags::{long_run_values, values};
use stride_session::options::Trigger;

const BASE: Flag = Flag { category: Category::Tracing, only_traces: true, ..Flag::BASE };

pub const FLAGS: &[Flag] = &[
    Flag {
        long: Some("flight"),
        arg: Arg::Required("SIZE|TIME"),
        help: "keep the latest calls in memory, to be written when told to",
        own: true,
        doc: "Keeps the latest calls in memory, and writes a recording when SIGUSR1 comes to Stride (with -p or --all in a terminal, Ctrl-\\ does the same) or a --trigger holds. Until then nothing goes to the \
              disk. SIZE is the memory for calls, from 1M to 64G, as a number with K, M or G (or KiB, MiB, GiB); the calls are compressed in it. TIME is how far back they go: a number followed by h, m, s or \
              ms; they take at most 256M then. Both may be given: --flight=10m,1G.\n\n\
              The recording is written to the file of --record, or else to stride-flight.PID in the working directory, where PID is Stride's own (and a number follows if that name is taken); the second \
              one gets the same name with .2 behind, and so on. --replay=FILE shows it. It begins with the oldest call in memory, and has the names of processes and \
              descriptors from before. While Stride writes, tracees go on, and their calls wait in the ring buffer. If the disk is full, Stride says so, removes what it has written, and goes on.\n\n\
              The trace itself is only printed if -o says where to. Filters decide which calls are kept, as with --record.",
        update: |raw, given| {
            let text = given.text();
            raw.flight.keep = Some(long_run_values::keep(&text).ok_or_else(|| {
                Stop::usage(format!(
                    "invalid --flight argument: '{text}'; give a size from 1M to 64G such as 64M, a time such as 30s, or both: 30s,64M"
                ))
            })?);
            ask(raw, given)
        },
        ..BASE
    },
    Flag {
        long: Some("record"),
        arg: Arg::Required("FILE"),
        value: Value::File,
        help: "record the run in FILE, to be shown with --replay",
        brief: Some(HelpEntry { group: HelpGroup::Later, place: 1, text: "keep the run" }),
        habits: &["capture", "save"],
        own: true,
        doc: "Writes the captured data of the run to FILE, before it becomes text. --replay=FILE shows it later, also on \
                  another machine and with other options. The trace itself is only printed if -o says where to.\n\n\
                  A replay can only show what was captured. Filters (-e trace=..., -P, -z) decide which calls are recorded, -f \
                  whose calls, -s how much of each string, and -v that arrays and structures are captured as a whole. Times are \
                  always recorded. What descriptors refer to is recorded with -y or -P, names of processes with -Y, instruction \
                  pointers with -i, and whole transfers with -e read=... and -e write=....\n\n\
                  With --replay=OTHER, FILE becomes a copy of the recording OTHER: of the part that filters leave in, and without secrets if --redact is given. A copy of a recording that breaks off \
                  breaks off as well.\n\n\
                  FILE is compressed. Stride writes to it at least every fifth of a second, and what was written can be replayed even if Stride is killed. If FILE cannot be written any further, Stride says so and the program runs on.",
        update: ask,
        only_traces: false,
        ..BASE
    },
    Flag {
        long: Some("trigger"),
        arg: Arg::Required("EXPR"),
        help: "with --flight: write when EXPR holds; may be repeated",
        own: true,
        doc: "Has the flight recorder of --flight write a recording when one of these happens. --trigger may be repeated, and any of them will do.\n\n\
              * EXPR: a call returns for which EXPR holds, an expression as for --where: errno == \"EIO\", duration > duration(\"2s\"), name == \"exit_group\" && \
              args.status != 0\n\
              * killed: a signal kills a process\n\
              * failed: a process exits with another status than 0, or is killed\n\n\
              The call must be one that the filters leave in. The recording has it, and what happens in the time of --trigger-after.",
        update: |raw, given| {
            let trigger = match given.text().as_ref() {
                "killed" => Trigger::Killed,
                "failed" => Trigger::Failed,
                _ => Trigger::Call(Box::new(given.expression()?)),
            };
            raw.flight.triggers.push(trigger);
            ask(raw, given)
        },
        ..BASE
    },
    Flag {
        long: Some("trigger-after"),
        arg: Arg::Required("TIME"),
        help: "with --trigger: write so long after it (default 1s)",
        own: true,
        doc: "Says how long after a trigger the recording is written, so that it shows the consequences, too: a number followed by h, m, s or ms. By default that is one second, or a quarter of the time of --flight \
              if that is shorter. If so many calls follow that they take a quarter of the memory, the recording is written earlier, and the call of the trigger is always in it.",
        update: |raw, given| {
            raw.flight.after = Some(values::time(&given.text()).ok_or_else(|| given.no_time())?);
            ask(raw, given)
        },
        ..BASE
    },
    Flag {
        long: Some("trigger-count"),
        arg: Arg::Required("COUNT"),
        help: "with --trigger: write so many times at most (default 1)",
        own: true,
        doc: "Says how many recordings triggers may write, so that the disk that they take is bounded. A trigger while a recording is pending is part of that. Recordings that are asked for do not count.",
        update: |raw, given| {
            let count = values::integer(&given.text(), 10_000).filter(|count| *count > 0);
            raw.flight.most = Some(count.ok_or_else(|| given.invalid())? as u32);
            ask(raw, given)
        },
        ..BASE
    },
];
