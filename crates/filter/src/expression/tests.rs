use super::*;
use std::time::Duration;
use stride_event::{Bounds, CallSet, Ns, WantedThreads};
use stride_syscalls::Abi;

/// A call of which some facts are known.
#[derive(Default)]
struct Known {
    fields: Vec<(CallField, Datum<'static>)>,
    arguments: Vec<(&'static str, Datum<'static>)>,
}

impl CallFacts for Known {
    fn field(&self, field: CallField) -> Result<Option<Datum<'_>>, Fault> {
        Ok(self.fields.iter().find(|(known, _)| *known == field).map(|(_, value)| value.clone()))
    }

    fn argument(&self, name: &str) -> Result<Option<Datum<'_>>, Fault> {
        Ok(self.arguments.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()))
    }
}

fn text(text: &'static str) -> Datum<'static> {
    Datum::Text(text.into())
}

/// An openat(2) that failed after 15 ms.
fn failed() -> Known {
    Known {
        fields: vec![
            (CallField::Name, text("openat")),
            (CallField::Pid, Datum::Int(4711)),
            (CallField::Path, text("/etc/hosts")),
            (CallField::Ret, Datum::Int(-1)),
            (CallField::Errno, text("ENOENT")),
            (CallField::Duration, Datum::Duration(15_000_000)),
        ],
        arguments: vec![
            ("flags", Datum::List(vec![text("O_RDONLY"), text("O_CLOEXEC")])),
            ("dirfd", Datum::Int(-100)),
            ("addr", Datum::Map(vec![("sin_port".into(), Datum::Int(80))])),
        ],
    }
}

#[track_caller]
fn check(source: &str, expected: Result<bool, Fault>) {
    let expression = Expression::parse(source).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(expression.holds(&failed()), expected, "{source}");
}

#[test]
fn expressions_about_a_call() {
    for source in [
        r#"name == "openat""#,
        r#"name in ["open", "openat"] && errno == 'ENOENT'"#,
        r#"path.startsWith("/etc/") && path.endsWith("hosts") && path.contains("c/h")"#,
        r#"path.matches("^/[a-z]+/hosts$")"#,
        r#"duration > duration("10ms") && duration < duration("1s")"#,
        r#"duration == duration("15ms")"#,
        "ret < 0 && ret == -1 && pid > 4710",
        r#""O_CLOEXEC" in args.flags"#,
        r#"args.flags.exists(flag, flag.startsWith("O_RD"))"#,
        r#"args.flags.all(flag, flag != "O_CREAT") && size(args.flags) == 2"#,
        r#"args.flags.filter(f, f != "O_RDONLY") == ["O_CLOEXEC"]"#,
        r#"args.flags.map(f, size(f)) == [8, 9] && args.flags[1] == "O_CLOEXEC""#,
        r#"args.flags.exists_one(f, f == "O_RDONLY")"#,
        "args.dirfd == -100 && args.addr.sin_port == 80 && has(args.addr.sin_port)",
        "has(path) && !has(fd.peer) && has(args.flags) && !has(args.count)",
        r#"fd.peer == "" && fd.kind != "socket""#,
        r#"pid % 10 == 1 && pid / 10 == 471 && pid * 2 + 1 - 1 == 9422"#,
        r#"ret < 0 ? errno == "ENOENT" : false"#,
        r#"string(pid) == "4711" && int("12") == 12"#,
        "!false && (true || false)",
        // A missing value is neither true nor false.
        r#"bytes > 5 || name == "openat""#,
        r#"!(bytes > 5 && name == "read")"#,
    ] {
        check(source, Ok(true));
    }
    for source in ["false", r#"name == "read""#, "bytes > 5 && false", r#"args.flags == 5"#] {
        check(source, Ok(false));
    }
    check("bytes > 5", Err(Fault::Absent));
    check("bytes > 5 || false", Err(Fault::Absent));
    check("args.count > 5", Err(Fault::Absent));
    check("args.flags > 5", Err(Fault::Mismatch));
    check("pid / (ret + 1) == 1", Err(Fault::DivisionByZero));
    check("args.flags[2] == \"\"", Err(Fault::Absent));
}

#[track_caller]
fn mistake(source: &str) -> String {
    Expression::parse(source).expect_err(source).to_string()
}

#[test]
fn mistakes_are_found_before_the_run() {
    for (source, message, caret) in [
        ("pth == \"x\"", "unknown field 'pth'; did you mean 'path'?", 0),
        ("name == ENOENT", "unknown field 'ENOENT'; text stands in quotes: \"ENOENT\"", 8),
        ("true && nme == \"read\"", "unknown field 'nme'; did you mean 'name'?", 8),
        ("name == \"opne\"", "there is no system call 'opne'; did you mean 'open'?", 8),
        ("name in [\"read\", \"wirte\"]", "there is no system call 'wirte'; did you mean 'write'?", 17),
        ("errno == \"ENOETN\"", "there is no error 'ENOETN'; did you mean 'ENOENT'?", 9),
        ("errno == 2", "string cannot be compared with int; errors have names: \"ENOENT\"", 6),
        ("pid == \"1\"", "int cannot be compared with string; quotes make text of a number", 4),
        ("duration > 10", "duration cannot be compared with int; a time is written duration(\"10ms\")", 9),
        (
            "duration > duration(\"10\")",
            "duration() takes a time in quotes, with units h, m, s, ms, us or ns: duration(\"10ms\")",
            20,
        ),
        (
            "duration > duration(pid)",
            "duration() takes a time in quotes, with units h, m, s, ms, us or ns: duration(\"10ms\")",
            19,
        ),
        ("args.flgas == 1", "no system call has an argument 'flgas'; did you mean 'flags'?", 4),
        ("args == 1", "args needs the name of an argument, such as args.flags", 0),
        ("fd.knd == \"pipe\"", "unknown field 'fd.knd'; did you mean 'fd.kind'?; there are fd.kind and fd.peer", 2),
        ("pid", "the expression is of type int, and must say yes or no (bool)", 0),
        ("path.startWith(\"/\")", "unknown function 'startWith'; did you mean 'startsWith'?", 14),
        ("path.matches(\"(\")", "the regular expression is invalid: unclosed group", 13),
        (
            "path.matches(comm)",
            "the regular expression must be text in quotes, because it is compiled before the run",
            13,
        ),
        (
            "ret > 1.5",
            "fractions are not supported: all fields are whole numbers, and duration(\"1.5ms\") is a time",
            6,
        ),
        ("pid.exists(x, x == 1)", "exists() goes through a list, and this is int", 0),
        ("pid && true", "bool is needed here, and this is int", 0),
        ("path - comm == \"\"", "string - string is not possible", 5),
        ("has(1)", "has() takes a field or an argument: has(path), has(args.flags)", 4),
        ("true ? 1 : \"x\"", "both results must be of one type, and these are int and string", 11),
    ] {
        let explanation = mistake(source);
        let lines: Vec<&str> = explanation.lines().collect();
        assert_eq!(lines[0], message, "{source}");
        assert_eq!(lines[1..], [format!("  {source}"), format!("  {:>1$}", "^", caret + 1)], "{source}");
    }
    for (source, begins) in [
        ("", "the expression is empty"),
        ("name ==", "the expression is not understood: something is missing at the end; fields are name, pid, "),
        ("name == \"read", "the expression is not understood: a quote is not closed; fields are "),
        ("(name == \"read\"", "the expression is not understood: ')' is missing at the end; fields are "),
        ("name == \"read\" true", "the expression is not understood: 'true' is not expected here; fields are "),
        ("name @ \"read\"", "the expression is not understood: there is no sign '@'; fields are "),
        (
            "comm ~ \"redis*\" and ret > 0",
            "there is no operator '~': write comm.startsWith(\"redis\")\n  comm ~ \"redis*\" && ret",
        ),
        ("fd.name contains etc", "there is no operator 'contains': write path.contains(\"etc\")"),
        ("evt.type = open", "sysdig's evt.type is name here\n  evt.type == open"),
        ("proc.name in (nginx, redis)", "sysdig's proc.name is comm here"),
        ("evt.dir == \"<\"", "sysdig's evt.dir has no counterpart: a call is one event here"),
        ("evt.nonsense == 1", "sysdig's evt.nonsense has no counterpart; fields are name,"),
        ("fd.type == \"ipv4\"", "sysdig's fd.type is fd.kind here"),
        ("common_pid == 1", "perf's common_pid is tid here"),
        ("comm = nginx", "unknown field 'nginx'; text stands in quotes: \"nginx\"\n  comm == nginx\n          ^"),
        ("name in (open, foo)", "unknown field 'open'; text stands in quotes: \"open\""),
        ("name = \"opne\"", "there is no system call 'opne'; did you mean 'open'?"),
        ("count > 10", "count is an argument of calls: args.count"),
        ("latency > 10ms", "latency is duration here"),
        ("{1: 2} == {1: 2}", "maps are not supported"),
        ("x.y.z == 1", "unknown field 'x'"),
        ("null", "the expression is of type null"),
    ] {
        let explanation = mistake(source);
        assert!(explanation.starts_with(begins), "{source}: {explanation}");
    }
}

#[test]
fn spellings_of_other_languages() {
    for source in [
        "name = 'openat' and errno = \"ENOENT\"",
        "not name = 'read' and not (ret > 0 or pid = 1)",
        "duration > 10ms and duration < 1.5s",
        "name in ('open', 'openat') OR false",
        "name not in ('read', 'write')",
        "name <> 'read'",
        "not(pid == 1)",
    ] {
        check(source, Ok(true));
    }
    // The translation decides early what its own spelling decides.
    let (theirs, ours) = ("name = 'read' and duration > 10ms", "name == 'read' && duration > duration('10ms')");
    let [theirs, ours] = [theirs, ours].map(|source| Expression::parse(source).unwrap());
    assert!(theirs.is_early() && theirs.early().calls == ours.early().calls);
    assert_eq!(theirs.source(), "name = 'read' and duration > 10ms");
}

#[test]
fn expressions_that_cost_too_much_are_refused() {
    let nested = "args.flags.exists(a, args.flags.exists(b, args.flags.exists(c, a == b && b == c)))";
    assert!(mistake(nested).contains("steps for a call, and at most 30000 are allowed"), "{}", mistake(nested));
    assert!(mistake(&"(".repeat(3000)).starts_with("the expression is nested more than 64 levels deep"));
    let long = format!("name == \"{}\"", "x".repeat(5000));
    assert!(mistake(&long).starts_with("the expression has 5010 characters, and at most 4096 are allowed"));
    assert!(mistake("path.matches(\"(a{1000}){1000}\")").contains("Compiled regex exceeds size limit"));
    // These must end, one way or the other, and soon.
    for source in [
        format!("{}true", "!".repeat(4000)),
        format!("ret == 1{}", "+1".repeat(2000)),
        format!("true{}", " && true".repeat(500)),
        format!("true{}", " ? true : true".repeat(250)),
        format!("{}1{}", "[".repeat(60), "]".repeat(60)),
        format!("{}1", "-".repeat(4000)),
        "[".repeat(4000),
        "a.".repeat(2000),
        "a(".repeat(2000),
        "\"".repeat(4001),
        "? : ".repeat(1000),
        "in in in in in ".repeat(200),
        format!("path{}", ".matches(\"a\")".repeat(300)),
        format!("path{} == \"\"", "+path".repeat(800)),
    ] {
        let began = std::time::Instant::now();
        let _ = Expression::parse(&source);
        assert!(began.elapsed() < Duration::from_secs(20), "{}", &source[..40]);
    }
    assert!(Expression::parse("args.flags.exists(a, args.flags.exists(b, a == b))").is_ok());
    assert!(Expression::parse("args.buf.matches(\"a.*b\") && path.matches(\"c\")").is_ok());
}

fn number(name: &str) -> u64 {
    let call = crate::Catalog::native().iter().find(|call| call.abi == Abi::NATIVE && call.name == name).unwrap();
    call.nr.into()
}

#[test]
fn numbers_of_calls_are_decided_early() {
    for (source, yes, no) in [
        (r#"name == "accept""#, &["accept"][..], &["read", "accept4"][..]),
        (r#"name.startsWith("accept")"#, &["accept", "accept4"], &["read"]),
        (r#"name in ["read", "write"] && path == "x""#, &["read", "write"], &["openat"]),
        (r#"name == "read" && bytes > 1 || name == "write""#, &["read", "write"], &["openat"]),
        (r#"name == "read" || path == "x""#, &["read", "openat"], &[]),
        (r#"(name == "read") == (path == "x")"#, &["read", "openat"], &[]),
        (r#"!(name == "read")"#, &["openat"], &["read"]),
        (r#"path.startsWith(name == "read" ? "a" : "b")"#, &["read", "openat"], &[]),
        (r#"name == "read" ? path == "x" : false"#, &["read"], &["openat"]),
        (r#"has(path) || name == "read""#, &["read", "openat"], &[]),
    ] {
        let calls = Expression::parse(source).unwrap().early().calls.clone();
        let has = |name: &&str| calls.contains(Abi::NATIVE, number(name));
        assert!(yes.iter().all(has) && !no.iter().any(has), "{source}");
    }
    let nameless = Expression::parse(r#"name == "syscall_0x3ff""#).unwrap().early().calls.clone();
    assert!(nameless.contains(Abi::NATIVE, 0x3ff) && !nameless.contains(Abi::NATIVE, number("read")));
    assert_eq!(Expression::parse("pid == 1").unwrap().early().calls, CallSet::all());
}

#[test]
fn returns_are_decided_early() {
    let endings = |source: &str| Expression::parse(source).unwrap().early().endings.clone();
    let found = endings(r#"errno == "ENOENT" && path == "x""#);
    assert!(found.errors.contains(2) && !found.errors.contains(1) && !found.successes);
    let found = endings(r#"errno != "EAGAIN""#);
    assert!(found.errors.contains(2) && !found.errors.contains(11) && found.successes);
    let found = endings(r#"errno == """#);
    assert!(found.errors.is_empty() && found.successes);
    let found = endings("ret < 0");
    assert_eq!(found.results, Bounds { least: i64::MIN, most: -1 });
    let ms = 1_000_000;
    for (source, least, most) in [
        (r#"duration > duration("10ms")"#, 10 * ms + 1, Ns::MAX),
        (r#"duration >= duration("10ms")"#, 10 * ms, Ns::MAX),
        (r#"duration("10ms") > duration && name == "read""#, 0, 10 * ms - 1),
        (r#"duration("1ms") <= duration && duration <= duration("1ms") + duration("1ms")"#, ms, 2 * ms),
        (r#"duration > duration("10ms") || name == "read""#, 0, Ns::MAX),
    ] {
        assert_eq!(endings(source).durations, Bounds { least, most }, "{source}");
    }
    let found = endings("bytes >= 100");
    assert_eq!(found.bytes, Some(Bounds { least: 100, most: u64::MAX }));
    assert!(!found.errors.contains(2) || found.bytes.is_some());
    assert!(endings("bytes < 100 || true").is_all());
}

#[test]
fn threads_are_decided_early() {
    let threads_of = |source: &str| Expression::parse(source).unwrap().early().threads;
    let (all, only) = (Bounds::<i64>::ALL, |id| Bounds { least: id, most: id });
    for (source, processes, threads) in [
        ("pid == 7", only(7), all),
        (r#"7 == tid && name == "read""#, all, only(7)),
        ("pid > 7 && pid <= 9 && tid < 9", Bounds { least: 8, most: 9 }, Bounds { least: i64::MIN, most: 8 }),
        ("pid == 7 && pid == 8", Bounds { least: 8, most: 7 }, all),
        (r#"pid == 7 || name == "read""#, all, all),
        ("pid != 7", all, all),
    ] {
        assert_eq!(threads_of(source), WantedThreads { processes, threads, comm: None }, "{source}");
    }
    let cat = WantedThreads::named(b"cat");
    for (source, wanted) in [
        (r#"comm == "cat""#, cat),
        (r#""c" + "at" == comm && name == "read""#, cat),
        (r#"comm == "cat" && pid == 7"#, WantedThreads { processes: only(7), ..cat }),
        (r#"comm == "cat" && comm == "dog""#, WantedThreads::NONE),
        (r#"comm == "cat" || comm == "dog""#, WantedThreads::default()),
        (r#"comm != "cat""#, WantedThreads::default()),
        (r#"comm == exe"#, WantedThreads::default()),
    ] {
        assert_eq!(threads_of(source), wanted, "{source}");
    }
}

#[test]
fn parts_that_are_decided_early() {
    let parts = |source: &str| {
        let parts = Expression::parse(source).unwrap().parts();
        (parts.iter().filter(|part| part.early).count(), parts.len())
    };
    assert_eq!(parts(r#"name == "read" && duration > duration("1ms") && errno != "EAGAIN" && ret >= 0"#), (4, 4));
    assert_eq!(parts(r#"name == "read" && path == "x" && pid == 3"#), (2, 3));
    assert_eq!(parts(r#"comm == "cat" && comm.startsWith("c")"#), (1, 2));
    assert_eq!(parts("pid == 3 || tid == 4"), (0, 1));
    assert_eq!(parts(r#"name == "read" || path == "x""#), (0, 1));
    assert!(Expression::parse(r#"name == "read""#).unwrap().decides_at_entry());
    assert!(!Expression::parse(r#"name == "read" && ret == 0"#).unwrap().decides_at_entry());
    assert!(!Expression::parse(r#"args.fd == 3"#).unwrap().decides_at_entry());
}
