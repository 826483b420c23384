//! `--json`: every line is what the published schema says, for real programs, live and replayed, from either engine.

mod common;

use common::*;
use serde_json::{Map, Value, json};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let path = root().join("docs/json.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::meta::validate(&schema).unwrap_or_else(|e| panic!("the schema is none: {e}"));
    jsonschema::validator_for(&schema).unwrap_or_else(|e| panic!("{e}"))
});

/// The objects of an output, which must be complete.
#[track_caller]
fn objects(output: &str) -> Vec<Value> {
    let objects: Vec<Value> = output
        .lines()
        .map(|line| {
            let object: Unique = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
            object.0
        })
        .collect();
    let kinds: Vec<&str> = objects.iter().map(|object| object["type"].as_str().unwrap_or_default()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"trace"), Some(&"end")), "{output}");
    assert!(!kinds[1..kinds.len() - 1].iter().any(|kind| matches!(*kind, "trace" | "end")), "{output}");
    objects
}

/// The same, and they are what the schema says.
#[track_caller]
fn valid(output: &str) -> Vec<Value> {
    let objects = objects(output);
    for object in &objects {
        if let Some(error) = SCHEMA.iter_errors(object).next() {
            panic!("{}: {error}\n{object}", error.instance_path());
        }
    }
    objects
}

/// A value in which no object has two members of one name, which serde_json would not mind.
struct Unique(Value);

impl<'de> serde::Deserialize<'de> for Unique {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Unique, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Unique;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }

            fn visit_bool<E>(self, v: bool) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_i64<E>(self, v: i64) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_u64<E>(self, v: u64) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_f64<E>(self, v: f64) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_str<E>(self, v: &str) -> Result<Unique, E> {
                Ok(Unique(v.into()))
            }

            fn visit_unit<E>(self) -> Result<Unique, E> {
                Ok(Unique(Value::Null))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut from: A) -> Result<Unique, A::Error> {
                let mut items = Vec::new();
                while let Some(Unique(item)) = from.next_element()? {
                    items.push(item);
                }
                Ok(Unique(Value::Array(items)))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut from: A) -> Result<Unique, A::Error> {
                let mut members = Map::new();
                while let Some((name, Unique(value))) = from.next_entry::<String, Unique>()? {
                    if members.insert(name.clone(), value).is_some() {
                        return Err(serde::de::Error::custom(format!("{name} is there twice")));
                    }
                }
                Ok(Unique(Value::Object(members)))
            }
        }
        from.deserialize_any(Visitor)
    }
}

fn calls<'o>(objects: &'o [Value], name: &str) -> Vec<&'o Value> {
    objects.iter().filter(|object| object["type"] == "call" && object["name"] == name).collect()
}

/// Of an open file, under one name or another.
fn stat(objects: &[Value]) -> &Value {
    let all = calls(objects, "newfstatat").into_iter().chain(calls(objects, "fstat"));
    all.into_iter().find(|call| call["outcome"] == "ok").unwrap()
}

fn of_type<'o>(objects: &'o [Value], kind: &str) -> Vec<&'o Value> {
    objects.iter().filter(|object| object["type"] == kind).collect()
}

#[track_caller]
fn only(found: Vec<&Value>) -> &Value {
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0]
}

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

/// The programs that make calls for the text have much to show here, too.
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

/// A schema that lets everything pass says nothing.
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
    for missing in ["name", "tid", "args", "outcome", "ret", "duration_ns", "time_ns", "nr", "abi"] {
        let mut tampered = open.clone();
        tampered.as_object_mut().unwrap().remove(missing).unwrap();
        assert!(!SCHEMA.is_valid(&tampered), "{missing} may not be missing");
    }
}

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
        // What a descriptor refers to is known without -y.
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
        // It is killed once it sleeps.
        let script = "/bin/sleep 100 & until grep -q '(sleep) S' /proc/$!/stat; do sleep 0.01; done; kill -9 $!; wait";
        let seen = valid(&scratch.stride([engine, "--json", "-f", "/bin/sh", "-c", script]).trace);
        let killed = only(of_type(&seen, "killed"));
        assert_eq!((&killed["signal"]["name"], &killed["core"]), (&json!("SIGKILL"), &json!(false)));
        let asleep = calls(&seen, "clock_nanosleep").into_iter().find(|call| call["tid"] == killed["tid"]).unwrap();
        assert_eq!((&asleep["outcome"], &asleep["duration_ns"]), (&json!("unfinished"), &Value::Null));
        assert_eq!(asleep["args"]["request"]["tv_sec"], 100);
        // Tracing that leaves a thread leaves it in the middle of a call.
        // It goes on for as long as it is Stride's child.
        let script = "while grep -q \"^PPid:.$PPID$\" /proc/$$/status; do sleep 0.01; done";
        let run = scratch.stride([engine, "--json", "-f", "--syscall-limit=60", "/bin/sh", "-c", script]);
        let seen = valid(&run.trace);
        assert!(!of_type(&seen, "detach").is_empty(), "{seen:#?}");
        // The first thread's call is gone with it, and the execve goes on under its id.
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

/// Objects that are what the schema says, and how many of each kind there are.
#[track_caller]
fn summarised(output: &str) -> (Vec<Value>, Value) {
    let mut rows: Vec<Value> = output.lines().map(|line| serde_json::from_str::<Unique>(line).unwrap().0).collect();
    for object in &rows {
        if let Some(error) = SCHEMA.iter_errors(object).next() {
            panic!("{}: {error}\n{object}", error.instance_path());
        }
    }
    let total = rows.pop().unwrap();
    assert_eq!(total["type"], "summary_total", "{output}");
    (rows, total)
}

#[test]
fn summaries() {
    need!("/bin/cat");
    // A new line, an escape sequence, quotes, and what is no UTF-8.
    let name = OsStr::from_bytes(b"x\n\x1b[2J\"\xff");
    for engine in engines() {
        let scratch = Scratch::new(&format!("json-summaries{engine}"));
        let file = scratch.path("").join(name);
        std::fs::write(&file, "abc").unwrap();
        for by in ["syscall", "path", "directory,fd", "errno,pid,tid", "comm,size", "peer,path"] {
            let by = format!("--by={by}");
            let args = [engine, "--record=rec", "--json", "-w", &by, "/bin/cat"].map(OsStr::new).to_vec();
            let run = scratch.stride([args, vec![file.as_os_str()]].concat());
            let (rows, total) = summarised(&run.trace);
            assert!(rows.iter().all(|row| row["type"] == "summary"), "{engine} {by}");
            assert_eq!(total["rows"], rows.len());
            let sum = |key: &str| rows.iter().map(|row| row[key].as_u64().unwrap()).sum::<u64>();
            for key in ["calls", "errors", "bytes"] {
                assert_eq!(total[key], sum(key), "{engine} {by} {key}");
            }
            assert!(total["wall_ns"]["p50"].as_u64() <= total["wall_ns"]["p99"].as_u64(), "{total}");
            assert!(total["wall_ns"]["p99"].as_u64() > Some(0), "{total}");
            let mut again = Command::new(STRIDE);
            again.args(["--replay=rec", "--json", "-w", &by]).current_dir(scratch.path(""));
            let (replayed, _) = summarised(&Run::of(again).out);
            let counts = |rows: &[Value]| {
                let mut counts: Vec<String> = rows
                    .iter()
                    .map(|row| format!("{} {} {} {}", row["by"], row["calls"], row["errors"], row["bytes"]))
                    .collect();
                counts.sort();
                counts
            };
            assert_eq!(counts(&replayed), counts(&rows), "{engine} {by}");
        }
        let table = scratch.stride(
            [engine, "--by=path,syscall", "--json", "/bin/cat"].map(OsStr::new).into_iter().chain([file.as_os_str()]),
        );
        let (rows, _) = summarised(&table.trace);
        let read = rows.iter().find(|row| row["by"]["syscall"] == "read" && row["bytes"] == 3).unwrap();
        assert!(read["by"]["path"].as_str().unwrap().ends_with("/x\n\u{1b}[2J\"\u{fffd}"), "{read}");
        assert!(read["by"]["path_hex"].as_str().unwrap().ends_with("ff"), "{read}");
        // Calls first, and their end.
        let both = scratch.stride([engine, "-C", "--by=errno", "--json", "/bin/true"]);
        let (objects, total) = summarised(&both.trace);
        let end = objects.iter().position(|object| object["type"] == "end").unwrap();
        assert!(objects[end + 1..].iter().all(|object| object["type"] == "summary") && end + 1 < objects.len());
        assert_eq!(objects[end]["errors"], total["errors"]);
    }
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
    // Findings take the place of the rest.
    let advised = Scratch::new("json-advised").stride([
        "--json",
        "--advise",
        "/bin/sh",
        "-c",
        "i=0; while [ $i -lt 300 ]; do [ -e gone ]; i=$((i+1)); done",
    ]);
    for line in advised.trace.lines() {
        SCHEMA.validate(&serde_json::from_str(line).unwrap()).unwrap_or_else(|e| panic!("{e}: {line}"));
    }
    assert!(advised.trace.lines().all(|line| line.starts_with(r#"{"type":"finding","#)), "{}", advised.trace);
    let full = Scratch::new("json-full");
    let mut command = stride();
    command.args(["--json", "-o", "/dev/full", "/bin/sh", "-c", "echo ran > ran"]).current_dir(full.path(""));
    let run = Run::of(command);
    assert_eq!((run.code(), run.messages()), (Some(0), vec!["/dev/full: No space left on device"]));
    assert_eq!(full.read("ran"), "ran\n");
    let run = common::run(["--json", "-ff", "-o", "x", "/bin/true"]);
    assert_eq!(run.code(), Some(1));
    assert!(run.err.contains("every object tells its pid and tid, so that one file will do"), "{}", run.err);
}

/// Where opens and closes are not seen, descriptors are not what they were.
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

/// What `--diff` and `--budget` write: every line is what the schema says, and each kind that is expected is there.
#[track_caller]
fn compared(run: &str, kinds: &[&str]) -> Vec<Value> {
    let objects: Vec<Value> = run.lines().map(|line| serde_json::from_str::<Unique>(line).unwrap().0).collect();
    for object in &objects {
        if let Some(error) = SCHEMA.iter_errors(object).next() {
            panic!("{}: {error}\n{object}", error.instance_path());
        }
    }
    let seen: std::collections::BTreeSet<&str> =
        objects.iter().map(|object| object["type"].as_str().unwrap()).collect();
    assert_eq!(seen, kinds.iter().copied().collect(), "{run}");
    objects
}

#[test]
fn comparisons_are_what_the_schema_says() {
    need!("/bin/cat", "/usr/bin/python3");
    for engine in engines() {
        let scratch = Scratch::new(&format!("json-compared{engine}"));
        for file in ["a", "b"] {
            std::fs::write(scratch.path(file), "x\n").unwrap();
        }
        let hostile = scratch.path("x").with_file_name(OsStr::from_bytes(b"\xff\x1b\"\n"));
        std::fs::write(&hostile, "x\n").unwrap();
        let stride = |args: &[&OsStr]| scratch.stride([&[OsStr::new(engine)], args].concat()).trace;
        let words = |text: &'static str| text.split(' ').map(OsStr::new).collect::<Vec<&OsStr>>();
        stride(&words("--record=rec /bin/cat a"));
        // Nothing of note; another path with hostile bytes; another program altogether.
        compared(&stride(&words("--diff=rec --json /bin/cat b")), &["diff", "syscall", "object"]);
        let seen = compared(
            &stride(&[words("--diff=rec --json /bin/cat a"), vec![hostile.as_os_str()]].concat()),
            &["diff", "syscall", "object"],
        );
        assert!(seen.iter().any(|object| object.get("name_hex").is_some()), "{seen:#?}");
        let seen = compared(&stride(&words("--diff=rec --json /usr/bin/python3 -c 0")), &["diff", "syscall", "object"]);
        assert!(seen.iter().any(|object| object["change"] == "vanished"), "{seen:#?}");
        let only = compared(&scratch.replay(&["--diff=rec", "--json"]).out, &["diff"]);
        assert_eq!(only[0]["of_note"], false, "the same recording");

        let budget = "limits = [\"total <= 5000\", \"openat <= 0\", \"read.mean_bytes >= 0.5\", \"sendto.mean_bytes >= 9\", \
                      \"read.time_ms >= 1000\", \"processes == 1\"]\n[[path]]\nglob = \"**/a\"\nlimits = [\"read <= 1\"]\n";
        std::fs::write(scratch.path("b.toml"), budget).unwrap();
        let seen = compared(&stride(&words("--budget=b.toml --json /bin/cat a")), &["limit", "budget"]);
        let results: Vec<&str> =
            of_type(&seen, "limit").iter().map(|limit| limit["result"].as_str().unwrap()).collect();
        assert_eq!(results, ["kept", "broken", "kept", "kept", "broken", "kept", "broken"], "{seen:#?}");
        // A recording that breaks off: what was not seen may have broken a limit.
        // What comes when the first part has been written is in a batch of its own.
        nix::unistd::mkfifo(&scratch.path("go"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                wait_until("the first part", || {
                    let mut command = bare_stride();
                    command.args(["--replay=cut", "-e", "trace=read"]).current_dir(scratch.path(""));
                    Run::of(command).out.contains(r#"read(0, "x", 1)"#)
                });
                std::fs::write(scratch.path("go"), "x\n").unwrap();
            });
            scratch.stride([engine, "--record=cut", "/bin/sh", "-c", "read x < a; read x < go; read x < a"]);
        });
        std::fs::remove_file(scratch.path("go")).unwrap();
        let bytes = std::fs::read(scratch.path("cut")).unwrap();
        std::fs::write(scratch.path("cut"), &bytes[..bytes.len() - 140]).unwrap();
        let run = |options: &[&str]| {
            let mut command = Command::new(STRIDE);
            command.arg("--replay=cut").args(options).current_dir(scratch.path("")).env("LC_ALL", "C");
            Run::of(command)
        };
        let cut = run(&["--budget=b.toml", "--json"]);
        let seen = compared(&cut.out, &["limit", "budget"]);
        assert!(seen.iter().any(|object| object["result"] == "unknown" && object["told"].is_string()), "{seen:#?}");
        // Both, and with findings.
        std::fs::write(scratch.path("b.toml"), "limits = [\"total <= 1\"]").unwrap();
        compared(
            &stride(&words("--diff=rec --budget=b.toml --json /bin/cat a b")),
            &["diff", "syscall", "object", "limit", "budget"],
        );
    }
}

#[test]
fn comparisons_that_lost_calls_are_what_the_schema_says() {
    if stride_engine_ebpf::available().is_err() {
        skip!("needs eBPF to lose calls");
    }
    let scratch = Scratch::new("json-compared-lost");
    let dd = "--engine=ebpf --on-overflow=drop --ring-size=64K --json dd if=/dev/zero of=/dev/null bs=1 count=200000 status=none";
    let dd: Vec<&str> = dd.split(' ').collect();
    scratch.stride(["--engine=ebpf", "--record=rec", "true"]);
    std::fs::write(scratch.path("b.toml"), "limits = [\"total <= 5000\", \"read <= 400_001\", \"read == 200_000\"]")
        .unwrap();
    let seen = compared(
        &scratch.stride([&["--diff=rec", "--budget=b.toml"], &dd[..]].concat()).trace,
        &["diff", "syscall", "object", "limit", "budget"],
    );
    let diff = only(of_type(&seen, "diff"));
    let lost = diff["this"]["lost_calls"].as_u64().unwrap();
    let told = diff["circumstances"].to_string();
    assert_eq!(lost > 0, told.contains("lost"), "{diff:#}");
}

/// A schema that lets everything pass says nothing.
#[test]
fn tampered_comparisons_are_refused() {
    need!("/bin/cat");
    let scratch = Scratch::new("json-compared-tampered");
    std::fs::write(scratch.path("a"), "x\n").unwrap();
    std::fs::write(scratch.path("b.toml"), "limits = [\"total <= 1\"]").unwrap();
    scratch.stride(["--record=rec", "/bin/cat", "/dev/null"]);
    let seen = compared(
        &scratch.stride(["--diff=rec", "--budget=b.toml", "--json", "/bin/cat", "a", "a"]).trace,
        &["diff", "syscall", "object", "limit", "budget"],
    );
    for (kind, member, value) in [
        ("diff", "verdict", json!(1)),
        ("diff", "other", json!(1)),
        ("diff", "base", json!({})),
        ("syscall", "name", json!("")),
        ("syscall", "change", json!("new")),
        ("syscall", "this", json!({"calls": 1})),
        ("object", "syscalls", json!([])),
        ("object", "other", json!(1)),
        ("limit", "result", json!("kept")),
        ("limit", "value", json!("3")),
        ("limit", "line", json!(-1)),
        ("budget", "broken", json!(null)),
    ] {
        let mut tampered = of_type(&seen, kind)[0].clone();
        assert!(SCHEMA.is_valid(&tampered), "{tampered}");
        tampered[member] = value;
        assert!(!SCHEMA.is_valid(&tampered), "{tampered}");
    }
}
