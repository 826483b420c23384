//! No call takes longer than the run, and a time that is not known is shown as not known, in every view.

mod common;
#[path = "../../output/tests/perfetto/reader.rs"]
#[allow(dead_code)]
mod reader;
#[path = "../../output/tests/perfetto/schema.rs"]
#[allow(dead_code)]
mod schema;

use common::*;
use nix::sys::signal::Signal;
use parquet::file::reader::{FileReader, SerializedFileReader};
use reader::Arg;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use stride_event::{Call, Event, Lost, Outcome, StartKind};
use stride_record::{Metadata, Recorder};
use stride_syscalls::Abi;

/// A process that makes calls all the time.
fn busy(program: &Path) -> Killed {
    let mut command = Command::new(program);
    command.args(["if=/dev/zero", "of=/dev/null", "bs=1"]).stderr(Stdio::null());
    Killed(command.spawn().unwrap())
}

/// The seconds behind each call in a text.
fn elapsed(text: &str) -> Vec<f64> {
    let seconds = |line: &str| line.strip_suffix('>')?.rsplit_once('<')?.1.parse().ok();
    text.lines().filter_map(seconds).collect()
}

/// The values of a column of tables that `--parquet` wrote below a directory.
fn column(directory: &Path, name: &str) -> Vec<Option<u64>> {
    fn files(directory: &Path) -> Vec<PathBuf> {
        let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }
    let mut values = Vec::new();
    for file in files(directory).iter().filter(|file| file.extension().is_some_and(|ending| ending == "parquet")) {
        let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let (_, value) = row.get_column_iter().find(|(column, _)| *column == name).unwrap();
            values.push(value.to_string().parse().ok());
        }
    }
    values
}

/// The seconds in a summary's line of totals. A run that ended at once has none.
fn total(table: &str) -> f64 {
    let line = table.lines().find(|line| line.ends_with(" total"));
    line.map_or(0.0, |line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
}

/// Replays a recording of one thread in every view, and checks that no duration exceeds `most`, nor their sum in one
/// thread.
#[track_caller]
fn within_in_all_views(scratch: &Scratch, most: Duration, what: &str) {
    let seconds = most.as_secs_f64();
    let check = |longest: f64, view: &str| assert!(longest <= seconds, "{what}, {view}: {longest} s of {seconds} s");
    let longest = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
    let replay = |options: &[&str]| {
        let run = scratch.replay(options);
        assert_eq!(run.code(), Some(0), "{options:?}: {run:?}");
        run.out
    };
    let text = elapsed(&replay(&["-T"]));
    check(longest(&text), "-T");
    let json = replay(&["--json"]);
    let json = json.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let json: Vec<f64> = json.filter_map(|line| Some(line["duration_ns"].as_f64()? / 1e9)).collect();
    check(longest(&json), "JSON");
    for view in [&["-c", "-w"][..], &["--by=path"], &["--by=syscall", "-w"], &["--by=pid"]] {
        check(total(&replay(view)), &format!("{view:?}"));
    }
    let maxima = replay(&["-c", "-w", "-U", "max-time,name"]);
    let maxima: Vec<f64> = maxima.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
    check(longest(&maxima), "max-time");
    let files = scratch.path("pq");
    replay(&["--html=page.html", "--perfetto=pf", "--parquet=pq", "-o", "unused"]);
    let data = scratch.page_data();
    let calls = data["calls"]["rows"].as_array().unwrap();
    let times = calls.iter().map(|row| (row["max"].as_f64().unwrap(), row["time"].as_f64().unwrap()));
    times.for_each(|(longest, sum)| {
        check(longest / 1e9, "page");
        check(sum / 1e9, "page, sum");
    });
    let trace = reader::read(&std::fs::read(scratch.path("pf")).unwrap());
    let slices: Vec<f64> = trace.calls().iter().filter_map(|s| Some((s.end? - s.begin) as f64 / 1e9)).collect();
    check(longest(&slices), "Perfetto");
    let table: Vec<f64> =
        column(&files.join("calls"), "duration_ns").into_iter().flatten().map(|ns| ns as f64 / 1e9).collect();
    check(longest(&table), "Parquet");
}

/// Runs Stride for a moment on a busy process. The engine given last counts.
fn attached(scratch: &Scratch, options: &[&str], program: &Path, ends: &str) -> Duration {
    let busy = busy(program);
    let began = Instant::now();
    std::fs::write(scratch.path("trace"), "").unwrap();
    let mut command = bare_stride();
    command.args(["--on-overflow=wait", "-o"]).arg(scratch.path("trace")).args(options).current_dir(scratch.path(""));
    command.stderr(File::create(scratch.path("err")).unwrap());
    if ends != "--comm" {
        command.arg("-p").arg(busy.tid().to_string());
    }
    if ends.starts_with("--for") {
        command.arg(ends);
    }
    let mut stride = Killed(command.spawn().unwrap());
    if !ends.starts_with("--for") {
        let written = || std::fs::metadata(scratch.path("trace")).is_ok_and(|trace| trace.len() > 20_000);
        wait_until("a trace", written);
        send(&stride, Signal::SIGINT);
    }
    wait_for("Stride's end", || stride.0.try_wait().unwrap());
    began.elapsed()
}

/// The calls at the beginning and at the end of tracing are those of which the engine may have seen only a half.
#[test]
fn a_busy_process_is_attached_to_and_left() {
    need!("/bin/dd");
    for engine in engines() {
        let scratch = Scratch::new(&format!("busy{engine}"));
        // (A short name: the kernel keeps 15 characters.)
        let program = scratch.path(&format!("dd{}", std::process::id()));
        copy_program("/bin/dd", &program);
        let comm = format!("--comm={}", program.file_name().unwrap().to_str().unwrap());
        for ends in ["--for=0.3s", "SIGINT", "--comm"] {
            let machine = ends == "--comm";
            if machine && *engine != ENGINES[1] {
                continue;
            }
            let _ = std::fs::remove_dir_all(scratch.path("pq"));
            let more: &[&str] = if machine { &[&comm] } else { &[] };
            let took = attached(&scratch, &[&["-T", "--record=rec", engine], more].concat(), &program, ends);
            let text = elapsed(&scratch.read("trace"));
            assert!(text.iter().all(|&seconds| seconds <= took.as_secs_f64()), "{engine} {ends}: {text:?} of {took:?}");
            within_in_all_views(&scratch, took, &format!("{engine} {ends}"));
        }
        for view in [&["-c", "-w"][..], &["--by=path"], &["--by=pid", "-w"], &["--by=comm,syscall", "-w"]] {
            let took = attached(&scratch, &[view, &[engine]].concat(), &program, "--for=0.3s");
            let sum = total(&scratch.read("trace"));
            assert!(sum <= took.as_secs_f64(), "{engine} {view:?}: {sum} s of {took:?}");
        }
    }
}

/// A thread that sleeps when it is attached to uses no CPU time in that call, however much it has used before.
#[test]
fn a_sleep_takes_no_cpu_time() {
    need!("/bin/sleep");
    need_ebpf!();
    let scratch = Scratch::new("asleep");
    // The shell has used time, and sleeps in wait4 until its child ends.
    let mut command = Command::new("/bin/bash");
    command.args(["-c", "for ((i = 0; i < 300000; i++)); do :; done; read x"]).stdin(Stdio::piped());
    let mut shell = Killed(command.spawn().unwrap());
    wait_until_inside(shell.tid(), libc::SYS_read);
    let mut stride = bare_stride();
    stride
        .args([ENGINES[1], "-c", "-U", "total-time,name", "-p", &shell.tid().to_string(), "-o"])
        .arg(scratch.path("trace"));
    let mut stride = Killed(stride.stderr(File::create(scratch.path("err")).unwrap()).spawn().unwrap());
    scratch.wait_attached(1);
    let attached = Instant::now();
    std::thread::sleep(Duration::from_millis(300));
    let slept = attached.elapsed();
    drop(shell.0.stdin.take());
    wait_for("Stride's end", || stride.0.try_wait().unwrap());
    let table = scratch.read("trace");
    let read = table.lines().find(|line| line.ends_with(" read")).unwrap_or_else(|| panic!("{table}"));
    let seconds: f64 = read.split_whitespace().next().unwrap().parse().unwrap();
    assert!(seconds < slept.as_secs_f64() / 2.0, "{slept:?}: {table}");
}

const UPTIME: u64 = 5_000_000_000_000;

/// A recording of a machine that has been up for long. The entries of the calls with an odd number were not seen; the
/// others take a millisecond.
fn half_known(file: &Path, calls: u64) {
    let metadata =
        Metadata { args: vec!["stride".into()], engine: "ebpf".into(), several: true, ..Metadata::default() };
    let mut to = Recorder::new(File::create(file).unwrap(), &metadata).unwrap();
    to.event(&Event::Started { tid: 7, process: 7, origin: StartKind::Attached, at: UPTIME }).unwrap();
    for i in 1..=calls {
        let returned = UPTIME + i * 2_000_000;
        let call = Call {
            tid: 7,
            abi: Abi::X86_64,
            // getppid, as far as x86-64 is concerned.
            nr: 110,
            entered: (i % 2 == 0).then_some(returned - 1_000_000),
            returned,
            outcome: Outcome::Value(1),
            ..Call::default()
        };
        to.event(&Event::Exit(&call)).unwrap();
    }
    to.finish(Lost::default()).unwrap();
}

/// Old recordings have such calls, too.
#[test]
fn an_entry_that_was_not_seen() {
    let scratch = Scratch::new("half-known");
    half_known(&scratch.path("rec"), 400);
    within_in_all_views(&scratch, Duration::from_millis(400), "half of the entries");
    let replay = |options: &[&str]| {
        let run = scratch.replay(options);
        assert_eq!(run.code(), Some(0), "{options:?}: {run:?}");
        run.out
    };
    let lines = |text: &str, what: &str| text.lines().filter(|line| line.contains(what)).count();
    let text = replay(&["-T", "-a1"]);
    assert_eq!(lines(&text, "getppid() = 1 <unavailable>"), 200, "{text}");
    assert_eq!(lines(&text, " = 1 <0.001000>"), 200, "{text}");
    // The time of such a call is that of its return.
    let relative = replay(&["-r", "-e", "trace=getppid"]);
    assert_eq!(lines(&relative, "0.001000 getppid"), 200, "{relative}");
    assert_eq!(lines(&replay(&["--style=perf"]), "(         ): "), 200);
    assert_eq!(lines(&replay(&["--style=perf"]), "( 1.000 ms): "), 200);
    let json = replay(&["--json"]);
    assert_eq!(lines(&json, r#","duration_ns":1000000,"#), 200);
    assert_eq!(lines(&json, r#""name":"getppid""#), 400);
    assert_eq!(lines(&json, r#""start_ns":5000002000000,"nr":110"#), 1, "{json}");
    let summary = replay(&["-c", "-w", "-U", "min-time,max-time,total-time,calls"]);
    let numbers: Vec<&str> = summary.lines().nth(2).unwrap().split_whitespace().take(4).collect();
    assert_eq!(numbers, ["0.001000", "0.001000", "0.200000", "400"], "{summary}");
    let by_duration = replay(&["--by=duration", "-U", "calls"]);
    assert_eq!(lines(&by_duration, "200 "), 2, "{by_duration}");
    for condition in ["--duration=<1s", "--where=duration >= duration(\"0s\")"] {
        assert_eq!(lines(&replay(&[condition]), "getppid()"), 200, "{condition}");
    }
    replay(&["--parquet=again", "--perfetto=pf", "--html=page.html", "-o", "unused"]);
    let durations = column(&scratch.path("again/calls"), "duration_ns");
    assert_eq!(durations.iter().filter(|duration| duration.is_none()).count(), 200);
    assert!(durations.iter().flatten().all(|&duration| duration == 1_000_000));
    assert!(column(&scratch.path("again/calls"), "start_ns").iter().flatten().all(|&at| at > UPTIME));
    let trace = reader::read(&std::fs::read(scratch.path("pf")).unwrap());
    let unseen = |slice: &&&reader::Slice| slice.args.get("entry_unseen") == Some(&Arg::Bool(true));
    assert_eq!(trace.calls().iter().filter(unseen).count(), 200);
    let data = scratch.page_data();
    assert_eq!(data["calls"]["rows"][0]["time"], 200_000_000, "{}", data["calls"]);
}

/// In a time namespace, clock_gettime(2) tells another monotonic time than the kernel tells eBPF programs.
#[test]
fn in_a_time_namespace() {
    need!("/usr/bin/unshare");
    let inside = |args: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["-T", "--monotonic", "100000", "--boottime", "7000000"]).args(args);
        Run::of(command)
    };
    if inside(&["true"]).code() != Some(0) {
        skip!("no time namespace can be made");
    }
    let epoch = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs_f64();
    for engine in engines() {
        let began = epoch();
        let run = inside(&[STRIDE, engine, "-ttt", "true"]);
        let ended = epoch();
        let times: Vec<f64> = run.err.lines().filter_map(|line| line.split(' ').next()?.parse().ok()).collect();
        assert!(times.len() > 5, "{run:?}");
        assert!(times.iter().all(|at| (began - 1.0..ended + 1.0).contains(at)), "{began} {ended}: {run:?}");
    }
}
