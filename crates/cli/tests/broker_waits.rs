//! `--waits` of an ordinary user, through a broker: threads that the user may not see have no names.

mod common;

use common::broker::{Place, USER};
use common::waits::*;
use common::*;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::{Value, json};
use std::fs::{OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

/// Runs `waits.c` for the user, and returns its own account with the calls that Stride shows.
fn traced(place: &Place, options: &[&str], way: &str) -> Result<(Vec<Known>, Vec<Value>), String> {
    let program = place.scratch.path("waits");
    copy_program(compile("waits")?, &program);
    let options = [&["--engine=ebpf", "--waits", "--json"], options].concat();
    let run = place.run(USER, &[&options[..], &[program.to_str().unwrap(), way]].concat());
    assert_eq!(run.code(), Some(0), "{run:?}");
    Ok((known(&run.out), calls(&run.err)))
}

/// Threads that are traced for the user, and others that have their memory, are named.
#[test]
fn a_user_is_told_of_wakers_that_are_the_users_own() {
    let place = or_skip!(Place::new("waits-own"));
    for (options, way, waiting, waking) in [
        (&["-f"][..], "pipe", "read", Some("write")),
        (&["-f"], "child", "wait4", Some("exit_group")),
        (&["-f"], "lock", "futex", Some("futex")),
        // Another thread of the process, which is not traced.
        (&[], "lock", "futex", Some("futex")),
        (&[], "timer", "clock_nanosleep", None),
    ] {
        let (known, calls) = or_skip!(traced(&place, options, way));
        let right = found(&known, &calls, |call, wait| is_wait(call, wait, waiting, waking));
        assert!(right >= most_of(known.len()) && right > 0, "{options:?} {way}: {right} of {}", known.len());
    }
}

/// A process that is not traced may be anybody's.
#[test]
fn a_user_is_told_nothing_of_threads_that_are_not_traced() {
    let place = or_skip!(Place::new("waits-untraced"));
    let hidden = json!({"hidden": true});
    let (known, calls) = or_skip!(traced(&place, &[], "pipe"));
    let slept: Vec<&Value> =
        calls.iter().filter(|call| call["name"] == "read" && call["waits"]["sleeps"] == 1).collect();
    let of_child = slept.iter().filter(|call| call["waits"]["waker"] == hidden).count();
    assert!(of_child >= most_of(known.len()) && of_child > 0, "{slept:?}");

    // Likewise the thread that has the CPU. (On a busy machine that is rarely the program's own other process.)
    for options in [&["-f"][..], &[]] {
        let (known, calls) = or_skip!(traced(&place, options, "hog"));
        let takers: Vec<&Value> = calls.iter().map(|call| &call["waits"]["cpu_taken_by"]).collect();
        let takers: Vec<&Value> = takers.into_iter().filter(|taker| !taker.is_null()).collect();
        let of_program =
            |taker: &Value| known.iter().any(|wait| [wait.tid, wait.waker].map(Value::from).contains(&taker["tid"]));
        let right = |taker: &Value| *taker == hidden || !options.is_empty() && of_program(taker);
        assert!(!takers.is_empty() && takers.iter().all(|taker| right(taker)), "{options:?}: {takers:?}");
    }
}

/// Has the user's `cat` read from a pipe that this thread, which is root's, writes to. Returns what Stride shows.
fn woken_by_root(place: &Place, options: &[&str]) -> String {
    let fifo = place.scratch.path("fifo");
    let _ = std::fs::remove_file(&fifo);
    mkfifo(&fifo, Mode::S_IRUSR).unwrap();
    std::fs::set_permissions(&fifo, Permissions::from_mode(0o644)).unwrap();
    // (Opened for both, the pipe waits for nobody.)
    let mut input = OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
    let args = [&["--engine=ebpf", "-e", "read"], options, &["cat", fifo.to_str().unwrap()]].concat();
    let mut stride = place.command(USER, &args);
    let mut stride = Killed(stride.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let cat = wait_for("the program", || first_child(stride.0.id()).filter(|&tid| is_inside(tid, libc::SYS_read)));
    wait_until("cat", || std::fs::read_to_string(format!("/proc/{cat}/comm")).is_ok_and(|comm| comm == "cat\n"));
    wait_until_inside(cat, libc::SYS_read);
    input.write_all(b"through\n").unwrap();
    let mut line = [0; 8];
    stride.0.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    wait_until_inside(cat, libc::SYS_read);
    drop(input);
    let mut said = String::new();
    stride.0.stderr.as_mut().unwrap().read_to_string(&mut said).unwrap();
    stride.0.stdout.as_mut().unwrap().read_to_string(&mut said).unwrap();
    assert!(stride.0.wait().unwrap().success(), "{said}");
    said
}

#[test]
fn no_view_tells_of_another_users_process() {
    let place = or_skip!(Place::new("waits-others"));
    let comm = std::fs::read_to_string("/proc/thread-self/comm").unwrap();
    let tid = nix::unistd::gettid().to_string();
    for (options, shown) in [
        (&["--waits"][..], " by another process"),
        (&["--waits", "--json"], r#""waker":{"hidden":true}"#),
        (&["--by=waker"], " another process"),
    ] {
        let said = woken_by_root(&place, options);
        assert!(said.contains(shown), "{options:?}: {said}");
        assert!(!said.contains(comm.trim()) && !said.contains(&format!("[{tid}]")), "{options:?}: {said}");
    }
}

/// A program that becomes privileged is no longer the user's.
#[test]
fn a_waker_that_became_privileged_has_no_name() {
    let place = or_skip!(Place::new("waits-suid"));
    let suid = place.set_user_id("/bin/sleep");
    let script = format!("{} 0.2 | cat", suid.display());
    let run = place.run(USER, &["--engine=ebpf", "--waits", "--json", "-f", "-e", "read", "sh", "-c", &script]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    assert!(run.err.contains("became privileged"), "{run:?}");
    let json: String = run.err.lines().filter(|line| line.starts_with('{')).collect::<Vec<_>>().join("\n");
    let wakers: Vec<Value> = calls(&json).iter().map(|call| call["waits"]["waker"].clone()).collect();
    assert!(wakers.contains(&json!({"hidden": true})), "{run:?}");
    assert!(wakers.iter().all(|waker| waker["comm"] != "suid" && waker["comm"] != "sleep"), "{run:?}");
}

/// Waits that last are told, as they are to root.
#[test]
fn calls_that_last_are_told_through_the_broker() {
    let place = or_skip!(Place::new("waits-left"));
    let left = left_in_read(place.command(USER, &["--engine=ebpf", "--waits", "-e", "read"]), USER);
    left.is_told(&left.said);
}
