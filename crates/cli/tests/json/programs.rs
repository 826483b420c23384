//! Real programs. The schema refuses wrong objects.

use crate::common::*;
use crate::schema::*;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

#[test]
fn real_programs_are_what_the_schema_says() {
    let script =
        "cat a | tr a b > c; ls -l /proc/self/fd; (exit 3); kill -USR1 $$; rm c; cat nothing; sleep 0.1 & wait";
    let programs: &[&[&str]] = &[
        &["sh", "-c", script],
        &["bash", "-c", "trap : USR1; kill -USR1 $$; echo x > a; exec 3<a; read -u 3 y; ulimit -c; umask"],
        &["date"],
        &["ls", "-laR", "/etc/ssl"],
        &["find", "/usr/share", "-maxdepth", "2", "-name", "*.h"],
        &[
            "python3",
            "-c",
            "import socket, threading, json, subprocess, select, os, mmap, signal; s = socket.socketpair(); s[0].send(b'x\\xff'); \
             print(s[1].recv(5)); t = threading.Thread(target=lambda: 1); t.start(); t.join(); \
             n = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); n.bind(('::1', 0)); print(socket.if_nameindex()); \
             l = socket.socket(); l.bind(('127.0.0.1', 0)); l.listen(); c = socket.create_connection(l.getsockname()); \
             u = socket.socket(socket.AF_UNIX); u.bind('\\0abstract\\xff'); subprocess.run(['true']); select.select([l], [c], [], 0); \
             e = select.epoll(); e.register(l, 1); e.poll(0); os.statvfs('/'); os.getrandom(4); os.listdir('/'); \
             p = select.poll(); p.register(c, 4); p.poll(1); signal.setitimer(signal.ITIMER_REAL, 100, 1); os.sched_getaffinity(0)",
        ],
        &["perl", "-e", "print `id`; system('true'); die 'x'"],
        &["sort", "/etc/passwd"],
        &["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=200"],
        &["tar", "cf", "/dev/null", "/etc/ssl"],
        &["gzip", "-kf", "a"],
        &["ps", "aux"],
        &["df"],
        &["stat", "/", "/dev/null", "/proc/self"],
        &["cp", "-a", "a", "b"],
        &["ip", "address"],
    ];
    for engine in engines() {
        for (i, program) in programs.iter().enumerate() {
            if !Command::new("which").arg(program[0]).stdout(Stdio::null()).status().unwrap().success() {
                println!("skipped: {}: it is not here", program[0]);
                continue;
            }
            let options: &[&str] = [
                &["-f"][..],
                &["-f", "-v", "-s", "100"],
                &["-f", "-yy", "-Y"],
                &["-f", "-i", "-X", "raw", "-s0", "-e", "signal=!chld"],
                &["-f", "-e", "trace=%file,%network,read", "-z", "-y"],
                &["-f", "-e", "raw=all"],
                &["-f", "-e", "read=all", "-e", "write=1", "-e", "verbose=none"],
            ][i % 7];
            let scratch = Scratch::new(&format!("json-{i}{engine}"));
            std::fs::write(scratch.path("a"), "aaa\n").unwrap();
            let live = scratch.stride([&[engine, "--json", "--record=rec"], options, program].concat());
            let seen = valid(&live.trace);
            assert!(seen.len() > 10, "{engine} {program:?}: {live:?}");
            let later: Vec<&str> = options.iter().copied().filter(|option| *option != "-f").collect();
            let again = scratch.replay(&[&["--json"], &later[..]].concat());
            assert_eq!((again.code(), again.err.as_str()), (Some(0), ""));
            for (line, (seen, expected)) in again.out.lines().zip(live.trace.lines()).enumerate() {
                assert_eq!(seen, expected, "{engine} {program:?}, line {}", line + 1);
            }
            assert_eq!(again.out.len(), live.trace.len(), "{engine} {program:?}");
        }
    }
}

/// The programs that make calls for the text tests cover many arguments.
#[test]
fn test_programs_are_what_the_schema_says() {
    let sources = sources("syscalls");
    let engines = engines();
    let mut names = std::collections::BTreeSet::new();
    for source in sources {
        let scratch = Scratch::new(&format!("json-{}", stem(&source)));
        let program = scratch.path("program");
        or_skip!(cc(&source, &program));
        for (engine, options) in engines.iter().zip([&["-yy", "-s", "200"][..], &["-v"]]) {
            let run = scratch.stride([&[engine, "--json"], options, &[program.to_str().unwrap()]].concat());
            let seen = valid(&run.trace);
            names.extend(seen.iter().filter_map(|object| object["name"].as_str().map(str::to_owned)));
        }
    }
    assert!(names.len() > 200, "{} kinds of calls are few: {names:?}", names.len());
}

/// A schema that accepts everything is useless.
#[test]
fn tampered_objects_are_refused() {
    need!("/bin/cat");
    let scratch = Scratch::new("json-tampered");
    let seen = valid(&scratch.stride(["--json", "/bin/cat", "/dev/null", "nothing"]).trace);
    let open = calls(&seen, "openat").into_iter().find(|call| call["args"]["pathname"]["text"] == "/dev/null").unwrap();
    let failed = calls(&seen, "openat").into_iter().find(|call| call["outcome"] == "error").unwrap();
    let stat = stat(&seen);
    let (exit, start, exec) =
        (only(of_type(&seen, "exit")), only(of_type(&seen, "start")), only(of_type(&seen, "exec")));
    let changes: Vec<(&Value, &str, Value)> = vec![
        (open, "/args/dirfd", json!("AT_FDCWD")),
        (open, "/args/dirfd/fd", json!("3")),
        (open, "/args/dirfd/fd", json!(1u64 << 40)),
        (open, "/args/pathname", json!(7)),
        (open, "/args/pathname/text", json!(null)),
        (open, "/args/pathname/truncated", json!("yes")),
        (open, "/args/pathname/other", json!(1)),
        (open, "/args/flags/raw", json!(2)),
        (open, "/args/flags/set/0", json!("O_NOTHING")),
        (open, "/args/flags/set", json!("O_RDONLY")),
        (open, "/args/mode", json!(420)),
        (open, "/args/other", json!(1)),
        (open, "/args", json!({})),
        (open, "/ret", json!(3)),
        (open, "/ret/fd", json!(3.5)),
        (open, "/error", json!({"errno": 2})),
        (open, "/outcome", json!("fine")),
        (open, "/outcome", json!("unfinished")),
        (open, "/tid", json!("1")),
        (open, "/name", json!("no_such_call")),
        (open, "/name", json!("read")),
        (open, "/abi", json!("x86")),
        (open, "/duration_ns", json!(-1)),
        (open, "/other", json!(1)),
        (open, "/registers", json!(["0x1"])),
        (failed, "/error/name", json!("enoent")),
        (failed, "/error", json!("ENOENT")),
        (failed, "/ret", json!(-1)),
        (stat, "/args/statbuf/st_size", json!("12")),
        (stat, "/args/statbuf/st_mode/perm", json!(420)),
        (stat, "/args/statbuf/st_other", json!(1)),
        (stat, "/args/statbuf/_rest", json!("more")),
        (exit, "/status", json!("0")),
        (start, "/origin", json!("born")),
        (exec, "/command", json!("cat")),
        (&seen[0], "/schema", json!(2)),
        (seen.last().unwrap(), "/calls", json!("7")),
    ];
    for (object, path, value) in changes {
        assert!(SCHEMA.is_valid(object), "{object}");
        let mut tampered = object.clone();
        let (parent, name) = path.rsplit_once('/').unwrap();
        match tampered.pointer_mut(parent).unwrap_or_else(|| panic!("{path}: {object}")) {
            Value::Object(members) => _ = members.insert(name.into(), value.clone()),
            Value::Array(items) => items[name.parse::<usize>().unwrap()] = value.clone(),
            other => panic!("{path}: {other}"),
        }
        assert!(!SCHEMA.is_valid(&tampered), "{path} may not be {value}: {tampered}");
    }
    for missing in ["name", "tid", "args", "outcome", "ret", "time_ns", "nr", "abi"] {
        let mut tampered = open.clone();
        tampered.as_object_mut().unwrap().remove(missing).unwrap();
        assert!(!SCHEMA.is_valid(&tampered), "{missing} may not be missing");
    }
    // The entry of the call was not seen.
    let mut untimed = open.clone();
    untimed.as_object_mut().unwrap().remove("duration_ns").unwrap();
    assert!(SCHEMA.is_valid(&untimed), "{untimed}");
}
