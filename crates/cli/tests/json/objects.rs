//! The facts that objects contain about calls and their threads.

use crate::common::*;
use crate::schema::*;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[test]
fn bytes_of_the_tracee_stay_bytes() {
    need!("/bin/cat");
    let name = b"\n\"\\\xff<script>\x1b[2J\xc2\x9b\x7f\xe2\x82\xac";
    for engine in engines() {
        let scratch = Scratch::new(&format!("json-hostile{engine}"));
        let file = scratch.path("x").with_file_name(OsStr::from_bytes(name));
        std::fs::write(&file, b"\0\xfe{}").unwrap();
        let args = [engine, "--json", "-y", "-s", "100", "/bin/cat"].map(OsStr::new);
        let run = scratch.stride(args.into_iter().chain([OsStr::from_bytes(name)]));
        assert!(!run.trace.bytes().any(|b| b < 0x20 && b != b'\n' || b == 0x7f), "{}", run.trace);
        assert!(!run.trace.contains('\u{9b}'), "{}", run.trace);
        let seen = valid(&run.trace);
        let text = "\n\"\\\u{fffd}<script>\u{1b}[2J\u{9b}\u{7f}€";
        let hex = "0a225cff3c7363726970743e1b5b324ac29b7fe282ac";
        let open = calls(&seen, "openat").into_iter().find(|call| call["args"]["pathname"]["text"] == text).unwrap();
        assert_eq!(open["args"]["pathname"]["hex"], hex);
        assert!(open["path"].as_str().unwrap().ends_with(text) && open["path_hex"].as_str().unwrap().ends_with(hex));
        assert!(open["ret"]["path"].as_str().unwrap().ends_with(text), "{open}");
        let read = calls(&seen, "read").into_iter().find(|call| call["args"]["buf"]["hex"] == "00fe7b7d").unwrap();
        assert_eq!(read["args"]["buf"]["text"], "\0\u{fffd}{}");
        assert!(read["args"]["fd"]["path_hex"].as_str().unwrap().ends_with(hex), "{read}");
        assert_eq!(only(of_type(&seen, "exec"))["command"][1]["hex"], hex);
        assert_eq!(seen[0]["command_line"].as_array().unwrap().last().unwrap()["hex"], hex);
    }
}

#[test]
fn who_and_what_for() {
    need!("/bin/sh", "/bin/cat");
    for engine in engines() {
        let scratch = Scratch::new(&format!("json-who{engine}"));
        std::fs::write(scratch.path("a"), "aaa\n").unwrap();
        let seen = valid(&scratch.stride([engine, "--json", "-f", "/bin/sh", "-c", "/bin/cat a; exit 3"]).trace);
        let starts = of_type(&seen, "start");
        assert_eq!(starts.len(), 2, "{starts:#?}");
        assert_eq!((&starts[0]["origin"], &starts[1]["origin"]), (&json!("spawned"), &json!("forked")));
        let (sh, cat) = (&starts[0]["pid"], &starts[1]["pid"]);
        assert_eq!(&starts[1]["parent"], sh);
        let exec = *of_type(&seen, "exec").last().unwrap();
        assert_eq!((&exec["pid"], &exec["comm"], &exec["program"]), (cat, &json!("cat"), &json!("/bin/cat")));
        assert_eq!(exec["command"], json!([{"text": "/bin/cat"}, {"text": "a"}]));
        // The file of a descriptor is known without -y.
        let read = calls(&seen, "read").into_iter().find(|call| call["args"]["buf"]["text"] == "aaa\n").unwrap();
        let path = scratch.path("a").to_str().unwrap().to_owned();
        assert_eq!((&read["pid"], &read["comm"], &read["ret"]), (cat, &json!("cat"), &json!(4)));
        assert_eq!(read["args"]["fd"]["path"], path);
        let open = calls(&seen, "openat").into_iter().find(|call| call["args"]["pathname"]["text"] == "a").unwrap();
        assert_eq!(open["path"], path);
        let wait = calls(&seen, "wait4").into_iter().find(|call| call["outcome"] == "ok").unwrap();
        assert_eq!((&wait["ret"]["pid"], &wait["args"]["status"][0]), (cat, &json!({"raw": 0, "exited": 0})));
        let exits: Vec<_> = of_type(&seen, "exit").iter().map(|exit| (&exit["pid"], &exit["status"])).collect();
        assert_eq!(exits, [(cat, &json!(0)), (sh, &json!(3))]);
        let child = only(of_type(&seen, "signal"));
        assert_eq!(child["signal"], json!({"raw": 17, "name": "SIGCHLD"}));
        assert_eq!(&child["info"]["si_pid"]["pid"], cat);
        let counted = of_type(&seen, "call").len();
        assert_eq!(seen.last().unwrap()["calls"], counted);
        let times: Vec<u64> = calls(&seen, "read").iter().map(|call| call["start_ns"].as_u64().unwrap()).collect();
        assert!(times.iter().all(|&t| t >= seen[0]["start_ns"].as_u64().unwrap()), "{times:?}");
    }
}

#[test]
fn calls_that_never_return() {
    need!("/bin/sleep");
    let actor = program!("actor");
    for engine in engines() {
        let scratch = Scratch::new(&format!("json-gone{engine}"));
        // The process is killed once it sleeps.
        let script = "/bin/sleep 100 & until grep -q '(sleep) S' /proc/$!/stat; do sleep 0.01; done; kill -9 $!; wait";
        let seen = valid(&scratch.stride([engine, "--json", "-f", "/bin/sh", "-c", script]).trace);
        let killed = only(of_type(&seen, "killed"));
        assert_eq!((&killed["signal"]["name"], &killed["core"]), (&json!("SIGKILL"), &json!(false)));
        let asleep = calls(&seen, "clock_nanosleep").into_iter().find(|call| call["tid"] == killed["tid"]).unwrap();
        assert_eq!((&asleep["outcome"], &asleep["duration_ns"]), (&json!("unfinished"), &Value::Null));
        assert_eq!(asleep["args"]["request"]["tv_sec"], 100);
        // Tracing leaves the thread in the middle of a call.
        // The script goes on for as long as it is Stride's child.
        let script = "while grep -q \"^PPid:.$PPID$\" /proc/$$/status; do sleep 0.01; done";
        let run = scratch.stride([engine, "--json", "-f", "--syscall-limit=60", "/bin/sh", "-c", script]);
        let seen = valid(&run.trace);
        assert!(!of_type(&seen, "detach").is_empty(), "{seen:#?}");
        // The first thread's call never returns, and the execve goes on under the first thread's id.
        let run = scratch.stride([
            OsStr::new(engine),
            "--json".as_ref(),
            "-f".as_ref(),
            actor.as_os_str(),
            "exec_from_thread".as_ref(),
        ]);
        let seen = valid(&run.trace);
        let superseded = only(of_type(&seen, "superseded"));
        assert_ne!(superseded["by"], superseded["tid"]);
        let after = seen.iter().position(|object| object == superseded).unwrap();
        let execve = only(calls(&seen[after..], "execve"));
        assert_eq!((&execve["tid"], &execve["outcome"]), (&superseded["tid"], &json!("ok")));
    }
}

#[test]
fn options_have_their_meaning() {
    need!("/bin/cat");
    let scratch = Scratch::new("json-options");
    std::fs::write(scratch.path("a"), "aaaaaaaa\n").unwrap();
    let shown = |options: &[&str]| {
        let run = scratch.stride([&["--json"], options, &["/bin/cat", "a", "nothing"]].concat());
        valid(&run.trace)
    };
    let seen = shown(&["-e", "trace=openat", "-Z", "-qqq"]);
    assert!(of_type(&seen, "call").iter().all(|call| call["name"] == "openat" && call["outcome"] == "error"));
    assert_eq!(seen.len(), of_type(&seen, "call").len() + 2, "trace and end: {seen:#?}");
    let seen = shown(&["-s", "3"]);
    let cut = json!({"text": "aaa", "truncated": true});
    assert!(calls(&seen, "read").iter().any(|call| call["args"]["buf"] == cut), "{seen:#?}");
    let seen = shown(&["-e", "raw=read", "-i"]);
    let read = calls(&seen, "read")[0];
    assert!(read["registers"].as_array().unwrap().iter().all(Value::is_string) && read["args"].is_null(), "{read}");
    assert!(
        read["ret"].as_str().unwrap().starts_with("0x") && read["ip"].as_str().unwrap().starts_with("0x"),
        "{read}"
    );
    let seen = shown(&["-v"]);
    let stat = stat(&seen);
    assert!(stat["args"]["statbuf"]["st_dev"]["major"].is_u64(), "{stat}");
    assert!(calls(&seen, "execve")[0]["args"]["envp"].is_array());
    let seen = shown(&["-e", "read=all", "-s", "2"]);
    let data = calls(&seen, "read").into_iter().find(|call| call["data"][0]["text"] == "aaaaaaaa\n").unwrap();
    assert_eq!(data["data"][0]["len"], 9);
    let seen = shown(&["-P", "a"]);
    let about: Vec<_> = of_type(&seen, "call").iter().map(|call| call["name"].as_str().unwrap()).collect();
    assert!(about.contains(&"openat") && about.contains(&"read") && !about.contains(&"mmap"), "{about:?}");
}

#[test]
fn it_goes_where_text_goes() {
    need!("/bin/true");
    let run = run(["--json", "/bin/true"]);
    valid(&run.err);
    let piped = Scratch::new("json-piped");
    let out = piped.path("out");
    let mut command = stride();
    command.args(["--json", "-o"]).arg(format!("|cat > {}", out.display())).arg("/bin/true");
    Run::of(command);
    valid(&piped.read("out"));
    // Findings replace the other objects.
    let advised = Scratch::new("json-advised").stride([
        "--json",
        "--advise",
        "/bin/sh",
        "-c",
        "i=0; while [ $i -lt 1000 ]; do [ -e gone ]; i=$((i+1)); done",
    ]);
    for line in advised.trace.lines() {
        SCHEMA.validate(&serde_json::from_str(line).unwrap()).unwrap_or_else(|e| panic!("{e}: {line}"));
    }
    let (findings, time) = advised.trace.trim_end().rsplit_once('\n').unwrap_or_else(|| panic!("{}", advised.trace));
    assert!(findings.lines().all(|line| line.starts_with(r#"{"type":"finding","#)), "{}", advised.trace);
    assert!(time.starts_with(r#"{"type":"time_spent","#), "{time}");
    assert!(advised.trace.contains(r#","callers":[{"#), "{}", advised.trace);
    let full = Scratch::new("json-full");
    let mut command = stride();
    command.args(["--json", "-o", "/dev/full", "/bin/sh", "-c", "echo ran > ran"]).current_dir(full.path(""));
    let run = Run::of(command);
    assert_eq!((run.code(), run.messages()), (Some(0), vec!["/dev/full: No space left on device"]));
    assert_eq!(full.read("ran"), "ran\n");
    let run = crate::common::run(["--json", "-ff", "-o", "x", "/bin/true"]);
    assert_eq!(run.code(), Some(1));
    assert!(run.err.contains("every object tells its pid and tid, so that one file will do"), "{}", run.err);
}

/// If opens and closes are hidden, a known descriptor may refer to another file.
#[test]
fn filters_do_not_mislead() {
    need!("/bin/cat");
    for engine in engines() {
        for filter in ["trace=read", "status=successful", "trace=read,pread64"] {
            let scratch = Scratch::new(&format!("json-filters{engine}"));
            std::fs::write(scratch.path("a"), "first\n").unwrap();
            std::fs::write(scratch.path("b"), "second\n").unwrap();
            let run = scratch.stride([engine, "--json", "--record=rec", "-e", filter, "/bin/cat", "a", "b"]);
            let seen = valid(&run.trace);
            for (name, text) in [("a", "first\n"), ("b", "second\n")] {
                let read = calls(&seen, "read").into_iter().find(|call| call["args"]["buf"]["text"] == text).unwrap();
                assert_eq!(read["args"]["fd"]["path"], scratch.path(name).to_str().unwrap(), "{engine} {filter}");
            }
            assert_eq!(scratch.replay(&["--json"]).out, run.trace, "{engine} {filter}");
        }
    }
}

/// All descriptors of a call are known, not only the first.
#[test]
fn descriptors_everywhere() {
    need!("/usr/bin/python3");
    let script = "import os, select; a = os.open('a', os.O_RDONLY); d = os.open('.', os.O_RDONLY); r, w = os.pipe(); \
                  select.select([a], [w], [], 0); os.open('a', os.O_RDONLY, dir_fd=d); os.dup2(a, 99); os.close(99)";
    for engine in engines() {
        let scratch = Scratch::new(&format!("json-fds{engine}"));
        std::fs::write(scratch.path("a"), "aaa\n").unwrap();
        let seen = valid(&scratch.stride([engine, "--json", "-s", "300", "/usr/bin/python3", "-c", script]).trace);
        let (a, dir) = (scratch.path("a"), scratch.path(""));
        let (a, dir) = (a.to_str().unwrap(), dir.to_str().unwrap().trim_end_matches('/'));
        let select = calls(&seen, "pselect6").into_iter().chain(calls(&seen, "select")).next().unwrap();
        assert_eq!(select["args"]["readfds"][0]["path"], a, "{select}");
        assert!(select["args"]["writefds"][0]["object"].is_string(), "{select}");
        let relative =
            calls(&seen, "openat").into_iter().find(|call| call["args"]["dirfd"]["fd"].as_i64() >= Some(0)).unwrap();
        assert_eq!(relative["args"]["dirfd"]["path"], dir);
        assert_eq!((&relative["path"], &relative["ret"]["path"]), (&json!(a), &json!(a)));
        let dup =
            calls(&seen, "dup2").into_iter().chain(calls(&seen, "dup3")).find(|call| call["ret"]["fd"] == 99).unwrap();
        assert_eq!((&dup["args"]["oldfd"]["path"], &dup["ret"]["path"]), (&json!(a), &json!(a)));
        let close = calls(&seen, "close").into_iter().find(|call| call["args"]["fd"]["fd"] == 99).unwrap();
        assert_eq!(close["args"]["fd"]["path"], a);
    }
}
