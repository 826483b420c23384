//! `-c` where calls are very many: times are estimated from some of them, and calls are counted exactly.

mod common;

use common::*;
use std::path::Path;
use std::time::Instant;

/// A million bytes, one at a time. That takes much longer than the periods in which it is decided whether to time all
/// calls.
const BUSY: [&str; 5] = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=1000000"];
const NOTE: &str = "were timed, because there were so many";

fn table(scratch: &Scratch, options: &[&str]) -> String {
    let command = [&["--engine=ebpf", "-c"], options, &BUSY[..]].concat();
    let run = scratch.stride(command);
    assert_eq!(run.code(), Some(0), "{run:?}");
    run.trace
}

/// The microseconds a call and the number of calls in a row.
fn row(table: &str, syscall: &str) -> (f64, u64) {
    let found = table.lines().find(|line| line.ends_with(&format!(" {syscall}")));
    let words: Vec<&str> = found.unwrap_or_else(|| panic!("no {syscall} in {table}")).split_whitespace().collect();
    (words[2].parse().unwrap(), words[3].parse().unwrap())
}

#[test]
fn of_very_many_calls_some_are_timed() {
    need!("/bin/dd");
    need_ebpf!();
    let scratch = Scratch::new("counts-many");
    let begin = Instant::now();
    let some = table(&scratch, &[]);
    let run = begin.elapsed().as_micros() as f64;
    let all = table(&scratch, &["--exact-times"]);
    assert!(some.contains(NOTE) && !all.contains(NOTE), "{some}\n{all}");
    let share: f64 = some.split("... ").nth(1).and_then(|note| note.split('%').next()).unwrap().parse().unwrap();
    assert!(share > 0.1 && share < 90.0, "{some}");
    for name in ["read", "write"] {
        let (estimated, timed) = (row(&some, name), row(&all, name));
        assert_eq!(estimated.1, timed.1, "{name}: the calls are counted exactly\n{some}\n{all}");
        // (Other programs disturb both. A time that is not scaled up would be far too short.)
        assert!(estimated.0 > timed.0 / 5.0 && estimated.0 < timed.0 * 5.0, "{name}\n{some}\n{all}");
        assert!(estimated.0 * (estimated.1 as f64) < run, "{name} takes longer than the run, {run} us\n{some}\n{all}");
    }
}

/// The time before a call is not the call's, though the kernel accounts for a thread's run time only now and then.
#[test]
fn the_time_of_a_call_begins_with_the_call() {
    need_ebpf!();
    let run = Scratch::new("counts-begin").stride([Path::new("--engine=ebpf"), "-c".as_ref(), program!("spins")]);
    let computed: f64 = run.out.trim().parse().unwrap();
    let line = run.trace.lines().find(|line| line.ends_with("nanosleep")).unwrap_or_else(|| panic!("{run:?}"));
    let seconds: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    // (If the time before counted, too, they would have nearly all of it. Busy machines add to the time inside.)
    assert!(seconds < computed / 2.0, "50 calls that sleep took {seconds} s of a CPU, of {computed}\n{}", run.trace);
}

/// Views that show the times of single calls, or times by the clock, have them of all calls.
#[test]
fn what_needs_all_times_has_them() {
    need!("/bin/dd");
    need_ebpf!();
    let scratch = Scratch::new("counts-all");
    for options in [&["-w"][..], &["-U", "max-time,calls,name"], &["-S", "min-time"], &["--by=errno"]] {
        let text = table(&scratch, options);
        assert!(text.contains("total") && !text.contains(NOTE), "{options:?}: {text}");
    }
}

#[test]
fn of_few_calls_all_are_timed() {
    need_ebpf!();
    let run =
        Scratch::new("counts-few").stride(["--engine=ebpf", "-c", "-f", "sh", "-c", "sleep 0.4; ls / > /dev/null"]);
    assert!(run.trace.contains("execve") && !run.trace.contains(NOTE), "{run:?}");
}
