//! `-c` where calls are very many: times are estimated from some of them, and calls are counted exactly.

mod common;

use common::*;

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

/// Microseconds a call, calls and errors of a row.
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
    let some = table(&scratch, &[]);
    let all = table(&scratch, &["--exact-times"]);
    assert!(some.contains(NOTE) && !all.contains(NOTE), "{some}\n{all}");
    let share: f64 = some.split("... ").nth(1).and_then(|note| note.split('%').next()).unwrap().parse().unwrap();
    assert!(share > 0.1 && share < 90.0, "{some}");
    for name in ["read", "write"] {
        let (one, other) = (row(&some, name), row(&all, name));
        assert_eq!(one.1, other.1, "{name}: the calls are counted exactly\n{some}\n{all}");
        // (Other programs disturb both. A time that is not scaled up would be far too short.)
        assert!(one.0 > other.0 / 5.0 && one.0 < other.0 * 5.0, "{name}\n{some}\n{all}");
    }
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
