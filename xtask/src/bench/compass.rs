//! The costs that matter most, in one table: what a traced program pays, what others pay, and what Stride itself needs.
//!
//! Each round runs every row of a group once, in turn, and compares it with the untraced run of the same round. The floor is part of the group:
//! empty programs at the tracepoints of calls, without which no tracer sees every call.

use super::floor::Empty;
use super::{DD, LOG, Load, Server, command, figure, have, losses, median, once, replay};
use anyhow::{Context, Result};
use std::ffi::CStr;
use std::fmt::Write as _;

const ROUNDS: usize = 7;
const HEAD: &str = "| | figure | × untraced | from | to |\n|---|---|---|---|---|";

/// The tracer, or the empty programs, at work while a row's program runs.
enum Beside {
    /// Stride traces it, with these options.
    Traced(&'static [&'static str]),
    /// Nobody traces it; empty programs are attached to these tracepoints.
    Floor(&'static [&'static CStr]),
    /// Nobody traces it; Stride runs with these options.
    Other(&'static [&'static str]),
}

struct Row {
    name: &'static str,
    beside: Beside,
}

const fn traced(name: &'static str, options: &'static [&'static str]) -> Row {
    Row { name, beside: Beside::Traced(options) }
}

struct Group {
    title: &'static str,
    load: Load,
    rows: &'static [Row],
}

const EXIT: &CStr = c"sys_exit";
const BOTH: &[&CStr] = &[EXIT, c"sys_enter"];
const FLOOR_OF_EXIT: Row =
    Row { name: "floor: an empty program at the return of calls", beside: Beside::Floor(&[EXIT]) };
const FLOOR_OF_BOTH: Row = Row { name: "floor: empty programs at entry and return", beside: Beside::Floor(BOTH) };

/// 300 children of a shell.
const SHELL: Load = children(&["bash", "-c", "for i in {1..300}; do /bin/true; done"]);
/// 100 children of Python that each start from many libraries.
const PYTHON: Load = children(&[
    "python3",
    "-c",
    "import subprocess\nfor i in range(100): subprocess.run(['curl', '-s', '-o', '/dev/null', 'file:///etc/hostname'])",
]);

const fn children(program: &'static [&'static str]) -> Load {
    Load::Program { full: program, less: program }
}

const GROUPS: &[Group] = &[
    Group {
        title: "`dd bs=1 count=500k`",
        load: DD,
        rows: &[
            FLOOR_OF_EXIT,
            FLOOR_OF_BOTH,
            traced("text", &["-o", LOG]),
            traced("`-T -ttt`", &["-T", "-ttt", "-o", LOG]),
            traced("`-c`", &["-c", "-o", LOG]),
            traced("`-e accept`", &["-e", "accept", "-o", LOG]),
            traced("`--duration=10ms`", &["--duration=10ms", "-o", LOG]),
            Row {
                name: "not traced, beside `--all -e accept`",
                beside: Beside::Other(&["--all", "-e", "accept", "-o", LOG]),
            },
        ],
    },
    Group {
        title: "redis, `redis-benchmark -n 100000 -c 10 -t get`, requests a second",
        load: Load::Redis,
        rows: &[
            FLOOR_OF_BOTH,
            traced("text", &["-f", "-o", LOG]),
            traced("`-c`", &["-f", "-c", "-o", LOG]),
            traced("`--waits`", &["-f", "--waits", "-o", LOG]),
            traced("`-c --waits`", &["-f", "-c", "--waits", "-o", LOG]),
            traced("`--duration=10ms`", &["-f", "--duration=10ms", "-o", LOG]),
        ],
    },
    Group {
        title: "the same redis, which nobody traces, beside what an agent runs",
        load: Load::Redis,
        rows: &[
            FLOOR_OF_EXIT,
            FLOOR_OF_BOTH,
            Row { name: "`--all -c`", beside: Beside::Other(&["--all", "-c", "-o", LOG]) },
            Row {
                name: "metrics, `?durations=no&by=`",
                beside: Beside::Other(&["--all", "--export=prometheus://:0?durations=no&by="]),
            },
            Row {
                name: "metrics, `?durations=no`",
                beside: Beside::Other(&["--all", "--export=prometheus://:0?durations=no"]),
            },
            Row { name: "metrics", beside: Beside::Other(&["--all", "--export=prometheus://:0"]) },
            Row {
                name: "a flight recorder of `-e accept4`",
                beside: Beside::Other(&[
                    "--all",
                    "-e",
                    "accept4",
                    "--flight=16M",
                    "--record=/dev/null",
                    "--trigger=killed",
                ]),
            },
        ],
    },
    Group {
        title: "bash with 300 children",
        load: SHELL,
        rows: &[
            traced("text", &["-f", "-o", LOG]),
            traced("`--advise`", &["-f", "--advise", "-o", LOG]),
            traced("`--advise --waits`", &["-f", "--advise", "--waits", "-o", LOG]),
            traced("`-k`", &["-f", "-k", "-o", LOG]),
        ],
    },
    Group {
        title: "Python with 100 children (curl)",
        load: PYTHON,
        rows: &[traced("text", &["-f", "-o", LOG]), traced("`--advise`", &["-f", "--advise", "-o", LOG])],
    },
    Group {
        title: "`true`",
        load: children(&["true"]),
        rows: &[
            traced("text", &["-o", LOG]),
            traced("`-c`", &["-c", "-o", LOG]),
            traced("`-k`", &["-k", "-o", LOG]),
            traced("`-e openat`", &["-e", "openat", "-o", LOG]),
        ],
    },
];

/// Measures the groups that have `word` in their titles. Returns false if there is none.
pub fn measure_some(stride: &str, word: &str, real_time: bool, report: &mut String) -> Result<bool> {
    let first = if real_time { REAL_TIME } else { &[] };
    let mut groups = GROUPS.iter().filter(|group| group.title.contains(word)).peekable();
    if groups.peek().is_none() {
        return Ok(false);
    }
    let _ = writeln!(report, "{HEAD}");
    groups.try_for_each(|group| rows(group, first, stride, report)).map(|()| true)
}

/// Runs the program of a command before those of other users.
const REAL_TIME: &[&str] = &["chrt", "--rr", "1"];

pub fn measure(stride: &str, real_time: bool, report: &mut String) -> Result<()> {
    let first = if real_time { REAL_TIME } else { &[] };
    let _ = writeln!(
        report,
        "Medians of {ROUNDS} rounds, by `make bench`. In each round every row of a group runs once, in turn, and is compared with the untraced run \
         of the same round.{}\n",
        if real_time { " All of it ran with real-time priority." } else { "" }
    );
    let _ = writeln!(report, "{HEAD}");
    for group in GROUPS {
        rows(group, first, stride, report)?;
    }
    let _ = writeln!(report, "| **`find` replayed**, for each second of CPU time | | | | |");
    for (shown, rate) in replay::rates(stride, ROUNDS)? {
        let _ = writeln!(report, "| {shown} | {} thousand | | | |", figure(rate));
    }
    let _ = writeln!(report, "| **`--all`** on this machine's CPUs | | | | |");
    let found = losses::find(stride)?;
    let kept =
        found.kept.map_or_else(|| "none of the rates tried".to_owned(), |rate| format!("{} thousand", rate / 1000));
    let _ = writeln!(report, "| calls a second of which none is lost | {kept} | | | |");
    if let Some((rate, share)) = found.lost {
        let _ = writeln!(report, "| calls a second of which {share:.1} % are lost | {} thousand | | | |", rate / 1000);
    }
    report.push('\n');
    Ok(())
}

fn rows(group: &Group, first: &[&str], stride: &str, report: &mut String) -> Result<()> {
    if matches!(group.load, Load::Redis) && !(have("redis-server") && have("redis-benchmark")) {
        let _ = writeln!(report, "| **{}** | not measured: redis is not installed | | | |", group.title);
        return Ok(());
    }
    let mut base = Vec::new();
    let mut values = vec![Vec::new(); group.rows.len()];
    for round in 0..=ROUNDS {
        eprintln!("{}: round {round} of {ROUNDS}", group.title);
        let untraced = once(&group.load, first, false, stride)?;
        let all: Vec<f64> = group.rows.iter().map(|row| one(row, &group.load, first, stride)).collect::<Result<_>>()?;
        // The first round warms the caches.
        if round > 0 {
            base.push(untraced);
            values.iter_mut().zip(all).for_each(|(values, value)| values.push(value));
        }
    }
    let show = |value: f64| match group.load {
        Load::Redis => figure(value),
        _ => format!("{} ms", figure(value * 1000.0)),
    };
    let _ = writeln!(report, "| **{}** | {} | 1 | | |", group.title, show(median(&base)));
    for (row, values) in group.rows.iter().zip(&values) {
        let ratios: Vec<f64> = values.iter().zip(&base).map(|(value, base)| value / base).collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let [ratio, least, most] = [median(&ratios), least, most].map(figure);
        let _ = writeln!(report, "| {} | {} | {ratio} | {least} | {most} |", row.name, show(median(values)));
    }
    Ok(())
}

fn one(row: &Row, load: &Load, first: &[&str], stride: &str) -> Result<f64> {
    match &row.beside {
        Beside::Traced(options) => once(load, &[first, &["STRIDE", "--engine=ebpf"], options].concat(), false, stride),
        Beside::Floor(tracepoints) => {
            let _attached = Empty::attach(tracepoints)?;
            once(load, first, false, stride)
        }
        Beside::Other(options) => {
            let words = [first, &["STRIDE", "--engine=ebpf"], options].concat();
            let mut other = Server(command(&words, &[], stride)?.spawn()?);
            std::thread::sleep(std::time::Duration::from_millis(700));
            let taken = once(load, first, false, stride);
            nix::sys::signal::kill(nix::unistd::Pid::from_raw(other.0.id() as i32), nix::sys::signal::Signal::SIGINT)?;
            other.0.wait().context("Stride does not end")?;
            taken
        }
    }
}
