//! `--waits`: programs that wait in known ways, whose waits must have the right times and wakers.

mod browser;
mod common;

use browser::Browser;
use common::waits::*;
use common::*;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

fn waits<S: AsRef<OsStr>>(scratch: &Scratch, options: &[&str], command: &[S]) -> Run {
    let options = ["--engine=ebpf", "--waits", "-f"].iter().chain(options).map(OsStr::new);
    let run = scratch.stride(options.chain(command.iter().map(AsRef::as_ref)));
    assert_eq!(run.code(), Some(0), "{run:?}");
    run
}

/// The name of a waiting call, and of the call that ends the wait; an interrupt ends the wait if there is none.
const IN_CALLS: [(&str, &str, Option<&str>); 7] = [
    ("pipe", "read", Some("write")),
    ("socket", "read", Some("write")),
    // (Its entry is recorded, too.)
    ("recvfrom", "recvfrom", Some("write")),
    ("lock", "futex", Some("futex")),
    ("timer", "clock_nanosleep", None),
    ("child", "wait4", Some("exit_group")),
    ("flock", "flock", Some("flock")),
];

#[test]
fn calls_have_the_times_and_wakers_of_their_waits() {
    need_ebpf!();
    let program = program!("waits").to_str().unwrap().to_string();
    for (way, waiting, waking) in IN_CALLS {
        let run = waits(&Scratch::new("waits-calls"), &["--json"], &[&program, way]);
        let (known, calls) = (known(&run.out), calls(&run.trace));
        let right = found(&known, &calls, |call, wait| is_wait(call, wait, waiting, waking));
        assert!(right >= most_of(known.len()) && right > 0, "{way}: {right} of {}\n{run:?}", known.len());
        // A thread is off its CPUs only while the call lasts.
        for call in calls.iter().filter(|call| call["duration_ns"].is_i64()) {
            assert!(time(call, "in_call", &ALL) <= call["duration_ns"].as_i64().unwrap(), "{way}: {call}");
        }
    }
}

#[test]
fn waits_outside_calls_count_before_the_next_call() {
    need_ebpf!();
    let program = program!("waits").to_str().unwrap().to_string();
    for (way, kind) in [("stopped", "stopped"), ("fault", "blocked"), ("hog", "runnable")] {
        let run = waits(&Scratch::new("waits-before"), &["--json"], &[&program, way]);
        let known = known(&run.out);
        let right = found(&known, &calls(&run.trace), |call, wait| {
            let all = time(call, "before", &[kind]);
            // (The program's own calls and the kernel's clock of CPU time take their part.)
            call["tid"] == wait.tid && all >= wait.least - wait.least / 10 && all <= wait.most + wait.most / 10
        });
        assert!(right >= most_of(known.len()) && right > 0, "{way}: {right} of {}\n{run:?}", known.len());
    }
}

/// A cgroup that may use a twentieth of a CPU, removed when dropped.
struct Slow(PathBuf);

impl Slow {
    fn new() -> Option<Slow> {
        let name = format!("stride-waits-{}", std::process::id());
        let (old, new) = (PathBuf::from("/sys/fs/cgroup/cpu").join(&name), PathBuf::from("/sys/fs/cgroup").join(&name));
        let _ = std::fs::write("/sys/fs/cgroup/cgroup.subtree_control", "+cpu");
        for (place, file, share) in [(old, "cpu.cfs_quota_us", "5000"), (new, "cpu.max", "5000 100000")] {
            if place.parent().is_some_and(|parent| parent.exists()) && std::fs::create_dir(&place).is_ok() {
                let slow = Slow(place);
                if std::fs::write(slow.0.join(file), share).is_ok() {
                    return Some(slow);
                }
            }
        }
        None
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
fn a_thread_whose_cgroup_is_slowed_down_is_throttled() {
    need_ebpf!();
    let Some(slow) = Slow::new() else { skip!("no cgroup can be made whose share of the CPUs is limited") };
    let program = program!("waits").to_str().unwrap().to_string();
    let script = format!("echo $$ > {}/cgroup.procs; exec {program} computes", slow.0.display());
    let run = waits(&Scratch::new("waits-throttled"), &["--json"], &["sh", "-c", &script]);
    let without: i64 = known(&run.out).iter().map(|wait| wait.least).sum();
    let calls = calls(&run.trace);
    let sum = |kinds: &[&str]| calls.iter().map(|call| time(call, "before", kinds)).sum::<i64>();
    let (throttled, all) = (sum(&["throttled"]), sum(&["throttled", "runnable"]));
    assert!(throttled > without / 2, "{throttled} of {without}\n{run:?}");
    // (The program is throttled before and behind its rounds, too. A machine's host that takes the CPU away for a while shortens the thread's own
    // clock of CPU time and not the time for which the scheduler lets the thread run: up to a tenth of a busy machine's time.)
    let at = |call: Option<&Value>| call.and_then(|call| call["start_ns"].as_i64()).unwrap();
    let whole = at(calls.last()) - at(calls.first());
    assert!(all > without - without / 4 && all < whole, "{all} of {without}, in {whole}\n{run:?}");
}

/// The text says who ended a wait, also who is not traced, and recordings keep it.
#[test]
fn lines_and_recordings_tell_of_waits() {
    need_ebpf!();
    let scratch = Scratch::new("waits-lines");
    let program = program!("waits").to_str().unwrap().to_string();
    let run = scratch.stride(["--engine=ebpf", "--waits", "-e", "read", &program, "pipe"]);
    let waker = known(&run.out)[0].waker;
    let end = format!("[{waker}] write");
    let told = run.trace.lines().filter(|line| line.contains(" blocked 0.0") && line.contains(&end)).count();
    assert!(told >= 7, "{run:?}");

    let recorded = waits(&scratch, &["--record=rec", "-y"], &[&program, "pipe"]);
    let known = known(&recorded.out);
    let replayed = scratch.replay(&["--json", "--waits"]);
    let right = found(&known, &calls(&replayed.out), |call, wait| is_wait(call, wait, "read", Some("write")));
    assert!(right >= most_of(known.len()) && right > 0, "{right} of {}\n{replayed:?}", known.len());
    let text = scratch.replay(&["--waits"]);
    let end = format!("[{}] write", known[0].waker);
    assert!(text.out.contains(" blocked 0.0") && text.out.contains(&end), "{text:?}");
    // Without the option the text is as ever.
    let plain = scratch.replay(&["-T"]);
    assert!(plain.out.contains("read(") && !plain.out.contains(" blocked 0.0"), "{plain:?}");
}

/// Summaries add the times up, by what was waited for, and by who ended that.
#[test]
fn summaries_tell_of_waits() {
    need_ebpf!();
    let scratch = Scratch::new("waits-summary");
    let program = program!("waits").to_str().unwrap().to_string();
    let row = |table: &str, end: &str| -> Vec<f64> {
        let line = table.lines().find(|line| line.ends_with(end)).unwrap_or_else(|| panic!("{end}: {table}"));
        line.split_whitespace().filter_map(|word| word.parse().ok()).collect()
    };
    let by = ["--by=cause", "-U", "calls,blocked,runnable,name"];
    let run = scratch.stride(["--engine=ebpf", "-f"].iter().chain(&by).copied().chain([&*program, "pipe"]));
    let least = known(&run.out).iter().map(|wait| wait.least).sum::<i64>() as f64 / 1e9;
    // (Some waits may be short on a busy machine, because their thread loses its CPU before they begin.)
    assert!(row(&run.trace, " pipe")[1] > least * 0.7, "{run:?}");
    assert!(row(&run.trace, " timer")[0] >= 10.0, "{run:?}");

    let recorded = waits(&scratch, &["--record=rec"], &[&program, "lock"]);
    let least = known(&recorded.out).iter().map(|wait| wait.least).sum::<i64>() as f64 / 1e9;
    let by_waker = scratch.replay(&["--by=waker", "-U", "blocked,name"]);
    assert!(row(&by_waker.out, " futex")[0] > least * 0.7, "{by_waker:?}");
    let table = scratch.replay(&["-c", "--waits"]);
    assert!(table.out.contains(" blocked ") && table.out.contains(" runnable "), "{table:?}");
    let futex = row(&table.out, " futex");
    assert!(futex[3] > least * 0.7 && futex[3] <= futex[1], "{table:?}");
}

/// If children are traced, the argument of the program, what most of the time goes to, and the least part of it. (On a busy machine, much goes to waits for a
/// CPU.)
type KnownRun = (bool, &'static str, fn(&Value) -> bool, f64);

const RUNS: [KnownRun; 7] = [
    (true, "timer", |part| part["activity"] == "blocked" && part["waker"]["interrupt"] == "timer", 0.3),
    // The child is on the critical path, and its own wait with it.
    (true, "pipe", |part| part["call"] == "clock_nanosleep" && part["waker"]["interrupt"] == "timer", 0.3),
    // The child is not traced.
    (false, "pipe", |part| part["call"] == "read" && part["waker"]["pid"].is_i64(), 0.3),
    (false, "child", |part| part["call"] == "wait4" && part["waker"]["pid"].is_i64(), 0.3),
    // The parent sleeps, and only then lets the child go on.
    (true, "stopped", |part| part["call"] == "clock_nanosleep" && part["waker"]["interrupt"] == "timer", 0.3),
    (true, "fault", |part| part["activity"] == "blocked" && part["call"].is_null(), 0.3),
    (true, "hog", |part| part["activity"] == "runnable", 0.15),
];

/// All parts of the time add up to the time of the run, and the largest is the right one.
#[test]
fn advice_accounts_for_the_whole_run() {
    need_ebpf!();
    let scratch = Scratch::new("waits-advice");
    let program = program!("waits").to_str().unwrap().to_string();
    for (follows, way, is_it, least) in RUNS {
        // A recording has no more than was asked for.
        let options: &[&str] = if follows { &["--advise", "--json"] } else { &["--record=rec"] };
        let run = scratch.stride(["--engine=ebpf", "--waits"].iter().chain(options).copied().chain([&*program, way]));
        let trace = if follows { run.trace.clone() } else { scratch.replay(&["--advise", "--json"]).out };
        let mut objects = trace.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let spent = objects.find(|object| object["type"] == "time_spent").unwrap_or_else(|| panic!("{run:?}"));
        let parts = spent["parts"].as_array().unwrap();
        let time = |part: &Value| part["time_ns"].as_i64().unwrap();
        let (total, sum) = (spent["total_ns"].as_i64().unwrap(), parts.iter().map(time).sum::<i64>());
        assert!(spent["of"] == "run" && (total - sum).abs() <= total / 100, "{way}: {spent}");
        // The waits that the program knows are part of the run.
        let known: i64 = known(&run.out).iter().map(|wait| wait.least).sum();
        assert!(total > known - known / 50, "{way}: {total} of {known}\n{run:?}");
        let right: i64 = parts.iter().filter(|part| is_it(part)).map(time).sum();
        assert!(right as f64 > total as f64 * least, "{way}: {right} of {total}: {spent}");
    }
}

/// The flame graph of waits has who ended them below the calls, live and from a recording.
#[test]
fn flame_graphs_tell_of_waits() {
    need_ebpf!();
    let scratch = Scratch::new("waits-flames");
    let program = program!("waits").to_str().unwrap().to_string();
    let options = ["--engine=ebpf", "-f", "--flamegraph=waits:live.folded", "--record=rec"];
    let run = scratch.stride(options.iter().chain(&[&*program, "pipe"]));
    assert_eq!(run.code(), Some(0), "{run:?}");
    let least = known(&run.out).iter().map(|wait| wait.least).sum::<i64>() as f64 / 1e3;
    let live = scratch.read("live.folded");
    let time = |pattern: &str| -> f64 {
        let lines = live.lines().filter(|line| is(line, pattern)).filter_map(|line| line.rsplit_once(' '));
        lines.map(|(_, time)| time.parse::<f64>().unwrap()).sum()
    };
    // (Some waits may be short on a busy machine, because their thread loses its CPU before they begin.)
    assert!(time(".*;read;blocked;woken by waits.*: write.*") > least * 0.7, "{live}");
    // The functions of the waker follow, the innermost first.
    assert!(
        time(".*;main;.*;read;blocked;woken by waits.*: write;write;pair;pipe_pair;main;.*") > least * 0.7,
        "{live}"
    );
    assert!(time(".*;clock_nanosleep;blocked;woken by a timer .*") > 0.0, "{live}");
    let replayed = scratch.replay(&["--flamegraph=waits:again.folded"]);
    assert_eq!(
        (scratch.read("again.folded"), replayed.err.contains("was not recorded")),
        (live, false),
        "{replayed:?}"
    );
    // Calls are still counted as calls.
    scratch.replay(&["--flamegraph=calls.folded"]);
    assert!(!scratch.read("calls.folded").contains("woken by"));
}

/// The page of the graph has one measure, and says who ended the waits.
#[test]
fn the_page_of_a_graph_of_waits() {
    need_ebpf!();
    let scratch = Scratch::new("waits-flame-page");
    let Some(mut browser) = Browser::start(&scratch.path("")) else { skip!("no chromium") };
    let program = program!("waits").to_str().unwrap().to_string();
    scratch.stride(["--engine=ebpf", "-f", "--flamegraph=waits:page.html", &program, "pipe"]);
    for scheme in ["light", "dark"] {
        browser.open(&scratch.path("page.html"), scheme);
        assert_eq!(browser.complaints(), [""; 0]);
    }
    let sentence = browser.text("document.querySelector('#sentence').textContent");
    assert!(is(&sentence, r"Threads were asleep or without a CPU for [\d.]+ m?s in their calls.*"), "{sentence}");
    assert_eq!(browser.eval("document.querySelector('#measures').hidden"), true);
    let legend = browser.text("document.querySelector('#legend').textContent");
    assert!(legend.contains("Asleep") && legend.contains("Woken by"), "{legend}");
    browser.eval(
        "window.box = [...document.querySelectorAll('.box.k-waker')].find(box => /^woken by .*: write$/.test(tree.name(Number(box.dataset.box))))",
    );
    // It stands below the sleep in the call.
    let above =
        "tree.path(Number(box.dataset.box)).slice(-4).map(its => tree.kind(its) + ' ' + tree.name(its)).join('|')";
    let above = browser.text(above);
    assert!(above.contains("|transfer read|asleep blocked|waker woken by "), "{above}");
    let label = browser.text("box.ariaLabel");
    assert!(is(&label, r"woken by .*: write, [\d.]+ m?s, \d+% of all"), "{label}");
    let functions = browser.text("document.querySelector('#functions-body').textContent");
    assert!(functions.contains("Off the CPU") && !functions.contains("Failed"), "{functions}");
    assert_eq!(browser.complaints(), [""; 0]);
}

/// A call that has not returned when tracing ends has the time that its thread slept until then.
#[test]
fn calls_that_last_are_told_with_their_waits_so_far() {
    need_ebpf!();
    let scratch = Scratch::new("waits-left");
    let stride = |options: &[&str]| {
        let mut command = bare_stride();
        command.current_dir(scratch.path("")).arg("--engine=ebpf").args(options);
        command
    };
    let user = nix::unistd::getuid().as_raw();
    let left = left_in_read(stride(&["--waits", "-e", "read"]), user);
    left.is_told(&left.said);

    let left = left_in_read(stride(&["--waits", "--json", "-e", "read"]), user);
    let last = calls(&left.said).pop().unwrap();
    let asleep = time(&last, "in_call", &["blocked"]);
    assert!(last["outcome"] == "unfinished" && asleep >= left.least && asleep <= left.most, "{last}");
    assert!(last["waits"]["sleeps"] == 1 && last["waits"]["waker"].is_null(), "{last}");

    let left = left_in_read(stride(&["--waits", "--record=rec"]), user);
    let replayed = scratch.replay(&["--waits", "-e", "read"]);
    left.is_told(&format!("{}{}", replayed.out, replayed.err));
    // Most of the time of the thread went there.
    let advice = scratch.replay(&["--advise", "--json"]);
    let mut objects = advice.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let spent = objects.find(|object| object["type"] == "time_spent").unwrap_or_else(|| panic!("{advice:?}"));
    let parts = spent["parts"].as_array().unwrap();
    let of = |activity: &str| {
        let of_reads = parts.iter().filter(|part| part["call"] == "read" && part["activity"] == activity);
        of_reads.map(|part| part["time_ns"].as_i64().unwrap()).sum::<i64>()
    };
    assert!(of("blocked") >= left.least && of("call") < left.least, "{spent}");
}

/// A thread that slept when tracing began has slept since then, as far as is known.
#[test]
fn a_thread_that_slept_before_is_measured_from_then_on() {
    need_ebpf!();
    let mut cat = Killed(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap());
    wait_until_inside(cat.tid(), libc::SYS_read);
    let mut stride = bare_stride();
    stride.args(["--engine=ebpf", "--waits", "--json", "-e", "read", "-p", &cat.tid().to_string()]);
    let mut stride = Killed(stride.stderr(Stdio::piped()).spawn().unwrap());
    let (mut output, mut said) = (BufReader::new(stride.0.stderr.take().unwrap()), String::new());
    while !said.contains("attached") {
        assert!(output.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let attached = Instant::now();
    assert!(Command::new("sleep").arg("0.1").status().unwrap().success());
    let least = attached.elapsed().as_nanos() as i64;
    drop(cat.0.stdin.take());
    output.read_to_string(&mut said).unwrap();
    let calls = calls(&said);
    let asleep = time(&calls[0], "in_call", &ASLEEP);
    assert!(asleep >= least && asleep <= calls[0]["duration_ns"].as_i64().unwrap(), "{said}");
}

/// Under ptrace, calls have the times of their waits at most, without wakers, and that is said.
#[test]
fn ptrace_knows_times_without_wakers() {
    let scratch = Scratch::new("waits-ptrace");
    let program = program!("waits").to_str().unwrap().to_string();
    for (way, waiting, _) in IN_CALLS {
        let run = scratch.stride(["--engine=ptrace", "--waits", "--json", "-f", &program, way]);
        assert_eq!(run.code(), Some(0), "{run:?}");
        let (known, calls) = (known(&run.out), calls(&run.trace));
        let right = found(&known, &calls, |call, wait| {
            let all = time(call, "in_call", &ALL);
            call["tid"] == wait.tid && call["name"] == waiting && all >= wait.least - wait.least / 50
        });
        assert!(right >= most_of(known.len()) && right > 0, "{way}: {right} of {}\n{run:?}", known.len());
        for call in &calls {
            let waits = &call["waits"];
            assert!(waits["waker"].is_null() && waits["cpu_taken_by"].is_null(), "{way}: {call}");
            if let Some(took) = call["duration_ns"].as_i64() {
                assert!(time(call, "in_call", &ALL) <= took, "{way}: {call}");
            }
        }
        assert!(run.err.contains("it is not known who ended a wait"), "{run:?}");
    }
}

/// A call that did not leave its CPU did not wait, although ptrace stopped its thread twice.
#[test]
fn stops_of_ptrace_are_no_waits() {
    let scratch = Scratch::new("waits-stops");
    let dd = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=1000", "status=none"];
    let run = scratch.stride(["--engine=ptrace", "--waits", "-e", "read,write"].iter().chain(&dd));
    let calls = run.trace.lines().filter(|line| line.contains("= 1 <")).count();
    let blocked = run.trace.lines().filter(|line| line.contains(" blocked ")).count();
    assert!(calls == 2000 && blocked < 200, "{blocked} of {calls}: {run:?}");
}

/// A call in which ptrace leaves a thread has its waits so far, too.
#[test]
fn ptrace_tells_waits_of_calls_that_last() {
    let mut stride = stride();
    stride.args(["--waits", "-e", "read"]);
    let left = left_in_read(stride, nix::unistd::getuid().as_raw());
    left.is_told(&left.said);
}

#[test]
fn what_knows_nothing_of_waits_says_so() {
    let scratch = Scratch::new("waits-none");
    scratch.stride(["--record=rec", "true"]);
    let replayed = scratch.replay(&["--waits"]);
    assert!(replayed.err.contains("was not recorded") && replayed.err.contains("--waits"), "{replayed:?}");

    scratch.stride(["--record=rec", "-k", "true"]);
    let replayed = scratch.replay(&["--flamegraph=waits:none.folded"]);
    assert!(replayed.err.contains("was not recorded") && replayed.err.contains("--waits"), "{replayed:?}");
    assert_eq!(scratch.read("none.folded"), "");
    scratch.replay(&["--flamegraph=waits:none.html"]);
    assert!(scratch.read("none.html").contains("What threads waited for was not recorded."));
}
