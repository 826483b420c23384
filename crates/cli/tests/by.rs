//! `--by`: the same table live and replayed, counted in the kernel or by the reader.

mod common;

use common::*;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;

/// The rows of a table without head and total, sorted by their text, so that times do not matter.
fn rows(table: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let body = table.lines().skip_while(|line| !line.starts_with("---")).skip(1);
    let mut rows: Vec<String> = body.take_while(|line| !line.starts_with("---")).map(words).collect();
    rows.sort();
    rows
}

#[track_caller]
fn same(seen: &Vec<String>, expected: &Vec<String>, what: &str) {
    let without = |rows: &Vec<String>, others: &Vec<String>| -> Vec<String> {
        rows.iter().filter(|row| !others.contains(row)).cloned().collect()
    };
    assert_eq!(without(seen, expected), without(expected, seen), "{what}");
    assert_eq!(seen.len(), expected.len(), "{what}");
}

const COLUMNS: [&str; 2] = ["-U", "calls,errors,bytes,name"];
const SCRIPT: &str = "cat a | tr a b > c; ls nothing; (exit 3); rm c; mkdir -p d/e; cd d; : > e/f; cat < e/f";

#[test]
fn a_table_replayed_is_the_table_live() {
    for &engine in engines() {
        for keys in [
            "path",
            "directory,syscall",
            "fd",
            "pid,fd",
            "errno",
            "pid",
            "tid,comm",
            "comm,syscall,errno",
            "size",
            "user",
            "user,comm,syscall",
            "syscall,size,errno,pid,tid,comm",
            "peer",
            "syscall",
        ] {
            let scratch = Scratch::new(&format!("by-{}{engine}", keys.replace(',', "-")));
            std::fs::write(scratch.path("a"), "aaa\n").unwrap();
            let by = format!("--by={keys}");
            let options = [&[by.as_str(), "-w"][..], &COLUMNS].concat();
            let live = scratch.stride([&[engine, "--record=rec", "-f"], &options[..], &["sh", "-c", SCRIPT]].concat());
            let seen = rows(&live.trace);
            assert!(!seen.is_empty(), "{engine} {keys}: {live:?}");
            let again = scratch.replay(&options);
            assert_eq!(again.err, "", "{engine} {keys}");
            same(&rows(&again.out), &seen, &format!("{engine} {keys}"));
        }
    }
}

/// The kernel side's counts equal the reader's.
#[test]
fn engines_agree() {
    need!("/bin/cat");
    need_ebpf!();
    let [ptrace, ebpf] = ENGINES;
    // Each run has its own pipe inodes.
    let pipe = regex::Regex::new(r"pipe:\[\d+\]").unwrap();
    for keys in
        ["path", "directory", "fd", "errno", "comm,syscall", "size", "size,errno,syscall", "peer", "user", "user,size"]
    {
        let table = |engine: &str| {
            let scratch = Scratch::new(&format!("by-agree-{}", keys.replace(',', "-")));
            std::fs::write(scratch.path("a"), "aaa\n").unwrap();
            let by = format!("--by={keys}");
            rows(&scratch.stride([&[engine, by.as_str()], &COLUMNS[..], &["/bin/cat", "a", "nothing"]].concat()).trace)
        };
        let table = |engine| table(engine).iter().map(|row| pipe.replace_all(row, "pipe").into()).collect();
        same(&table(ebpf), &table(ptrace), keys);
    }
}

#[test]
fn rows_are_named_by_what_calls_are_about() {
    need!("/bin/cat");
    for &engine in engines() {
        let scratch = Scratch::new(&format!("by-names{engine}"));
        std::fs::write(scratch.path("a"), "aaa\n").unwrap();
        let here = scratch.path("").canonicalize().unwrap().display().to_string();
        let has = |keys: &str, row: &str| {
            let by = format!("--by={keys}");
            let run = scratch.stride([&[engine, by.as_str()], &COLUMNS[..], &["/bin/cat", "a", "nothing"]].concat());
            let found = rows(&run.trace);
            let row = row.replace("HERE", &regex::escape(&here));
            assert!(found.iter().any(|seen| is(seen, &row)), "{engine} {keys}: no {row} in {found:#?}");
        };
        has("path,syscall", "2 4 HERE/a read");
        has("path,syscall", "1 1 HERE/nothing openat");
        has("path,syscall", r"\d+ - mmap");
        has("directory,errno", r"1 1 HERE ENOENT");
        has("fd,syscall", r"2 4 3<HERE/a> read");
        has("errno", r"1 1 ENOENT|\d+ \d+ ENOENT");
        has("comm", r"\d+ \d+ \d+ cat");
        has("size,syscall", r"1 4 \[4, 8\) read");
    }
}

/// Hidden calls are not counted, but they still tell what the other calls are about.
#[test]
fn filters_choose_calls_and_not_names() {
    need!("/bin/cat");
    for &engine in engines() {
        let scratch = Scratch::new(&format!("by-filters{engine}"));
        std::fs::write(scratch.path("a"), "aaa\n").unwrap();
        std::fs::write(scratch.path("b"), "b\n").unwrap();
        let table = |options: &[&str]| {
            let run = scratch.stride([&[engine], options, &COLUMNS[..], &["/bin/cat", "a", "b", "nothing"]].concat());
            rows(&run.trace)
        };
        let reads = table(&["--by=path,syscall", "-e", "trace=read"]);
        let ours: Vec<&String> = reads.iter().filter(|row| row.contains("by-filters")).collect();
        assert_eq!(ours.len(), 2, "{reads:?}");
        assert!(ours[0].contains("/b read") || ours[1].contains("/b read"), "{reads:?}");
        assert!(reads.iter().all(|row| row.ends_with(" read")), "{reads:?}");
        let failed = table(&["--by=errno,syscall", "-Z"]);
        assert!(!failed.is_empty() && failed.iter().all(|row| !row.contains(" ok ")), "{failed:?}");
        let about = table(&["--by=path", "-P", "b", "-P", scratch.path("b").to_str().unwrap()]);
        assert_eq!(about.len(), 1, "{about:?}");
        let comms = table(&["--by=comm,syscall", "-e", "trace=openat"]);
        assert!(comms.len() == 1 && comms[0].ends_with("cat openat"), "{comms:?}");
    }
}

#[test]
fn hostile_names() {
    need!("/bin/cat");
    let name = std::ffi::OsStr::from_bytes(b"x\n\x1b[2Jtotal\t\"<\xff\xe2\x80\xae");
    for &engine in engines() {
        for keys in ["path", "fd", "directory", "path,syscall"] {
            let scratch = Scratch::new(&format!("by-hostile{engine}-{keys}"));
            std::fs::create_dir(scratch.path("").join(name)).unwrap();
            let file = scratch.path("").join(name).join("f");
            std::fs::write(&file, "x").unwrap();
            let by = format!("--by={keys}");
            let args = [engine, "--record=rec", by.as_str(), "/bin/cat"];
            let run = scratch.stride(args.iter().map(std::ffi::OsStr::new).chain([file.as_os_str()]));
            for table in [&run.trace, &scratch.replay(&[by.as_str()]).out] {
                assert!(table.contains(r#"x\n\33[2Jtotal\t\"\74\377\342\200\256"#), "{table}");
                assert!(!table.contains(|c: char| c != '\n' && !(' '..='~').contains(&c)), "{table:?}");
            }
        }
    }
}

#[test]
fn options_that_go_with_it() {
    need!("/bin/cat");
    let scratch = Scratch::new("by-options");
    std::fs::write(scratch.path("a"), "aaa\n").unwrap();
    let table = |options: &[&str]| scratch.stride([options, &["/bin/cat", "a"]].concat()).trace;
    // The table is the same as with -c.
    let by_name = table(&["--by=syscall", "-S", "name"]);
    assert!(by_name.starts_with("% time     seconds  usecs/call     calls    errors syscall\n"), "{by_name}");
    assert_eq!(cells(&by_name, None), cells(&table(&["-c", "-S", "name"]), None));
    let both = table(&["-C", "--by=path"]);
    assert!(both.starts_with("execve(") && both.contains("\n% time     seconds      p50"), "{both}");
    // Sorted by name, and by a column.
    let sorted = cells(&table(&["--by=path", "-S", "name"]), None);
    assert!(sorted.len() > 3 && sorted.is_sorted(), "{sorted:?}");
    let bytes = cells(&table(&["--by=path", "-S", "bytes", "-U", "bytes,calls,name", "-e", "trace=read"]), Some(0));
    let bytes: Vec<u64> = bytes.iter().map(|cell| cell.parse().unwrap()).collect();
    assert!(bytes.len() > 1 && bytes.is_sorted_by(|a, b| a >= b), "{bytes:?}");
    let refused = run(["--by=path,color", "true"]);
    assert_eq!(refused.code(), Some(1));
    assert!(refused.err.contains("--by: unknown key 'color'; the keys are syscall, path,"), "{refused:?}");
}

/// The cell with this number of each row. None means the last cell.
fn cells(table: &str, column: Option<usize>) -> Vec<String> {
    let body = table.lines().skip(2).take_while(|line| !line.starts_with("---"));
    let cell = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words[column.unwrap_or(words.len() - 1)].to_owned()
    };
    body.map(cell).collect()
}

/// All clients of a port count as one. Their addresses are a key of their own.
#[test]
fn ends_of_sockets() {
    need!("/usr/bin/python3");
    const TALK: &str = "
import socket
server = socket.socket(); server.bind(('127.0.0.1', 0)); server.listen()
for i in range(5):
    client = socket.create_connection(server.getsockname()); there, _ = server.accept()
    client.sendall(b'12345'); there.recv(9); there.close(); client.close()
print(server.getsockname()[1])";
    for &engine in engines() {
        let scratch = Scratch::new(&format!("by-ends-of-sockets{engine}"));
        let run = scratch.stride([&[engine, "--by=path,peer"], &COLUMNS[..], &["python3", "-c", TALK]].concat());
        let port = run.out.trim().to_owned();
        let found: BTreeMap<String, String> = rows(&run.trace)
            .into_iter()
            .filter(|row| row.contains("TCP"))
            .filter_map(|row| row.split_once("TCP").map(|(count, name)| (name.to_owned(), count.trim().to_owned())))
            .collect();
        let bytes = |name: &str| found.get(name).and_then(|count| count.split(' ').next_back().map(str::to_owned));
        assert_eq!(bytes(&format!(" → 127.0.0.1:{port} 127.0.0.1:{port}")).as_deref(), Some("25"), "{found:#?}");
        let clients = found.keys().filter(|name| name.contains("← clients")).count();
        assert!(clients == 1, "{found:#?}");
    }
}

/// Nobody listens. The calls about the socket are about the peer that it should have had.
#[test]
fn ends_of_refused_connections() {
    need!("/usr/bin/python3");
    const REFUSED: &str = "
import socket
taken = socket.socket(); taken.bind(('127.0.0.1', 0))
client = socket.socket(); print(taken.getsockname()[1], client.connect_ex(taken.getsockname()))";
    for &engine in engines() {
        let scratch = Scratch::new(&format!("by-refused{engine}"));
        let options = [&[engine, "--by=peer,syscall", "-e", "trace=connect"], &COLUMNS[..]].concat();
        let run = scratch.stride([&options[..], &["/usr/bin/python3", "-c", REFUSED]].concat());
        let (port, errno) = run.out.trim().split_once(' ').unwrap();
        assert_eq!(errno, "111", "{run:?}");
        let of_peer = |row: &String| row.contains(&format!("127.0.0.1:{port} connect"));
        assert_eq!(rows(&run.trace).iter().filter(|row| of_peer(row)).count(), 1, "{}", run.trace);
    }
}

/// The program knows how long its calls took.
#[test]
fn durations_are_a_histogram() {
    need!("/bin/sleep");
    for &engine in engines() {
        let scratch = Scratch::new(&format!("by-duration{engine}"));
        let run = scratch.stride([engine, "--record=rec", "--by=syscall,duration", "/bin/sleep", "0.3"]);
        let again = scratch.replay(&["--by=syscall,duration"]);
        for table in [&run.trace, &again.out] {
            let seen = rows(table);
            let is_long = |row: &String| is(row, r"[\d.]+ 1 clock_nanosleep \[268 ms, 537 ms\) #{24}");
            assert!(seen.iter().any(is_long), "{engine}: {table}");
            assert!(table.starts_with("% time     calls    errors syscall"), "{engine}: {table}");
            // Each syscall has a longest bar.
            let of = |row: &str| {
                row.split(' ').find(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).unwrap_or("").to_string()
            };
            for call in seen.iter().map(|row| of(row)) {
                let longest = "#".repeat(24);
                assert!(seen.iter().any(|row| of(row) == call && row.ends_with(&longest)), "{engine} {call}: {table}");
            }
        }
    }
}

/// The sums of all intervals are those of the run, and each interval has the calls that returned in it.
#[test]
fn every_interval_has_its_own_summary() {
    const SLEEPS: &str = "sleep 0.25; sleep 0.25; sleep 0.25; sleep 0.25";
    for &engine in engines() {
        for (how, rows) in [
            (&["-c"][..], "clock_nanosleep"),
            (&["--by=comm,syscall"], "sleep clock_nanosleep"),
            (&["--by=path,syscall"], "- clock_nanosleep"),
        ] {
            let scratch = Scratch::new(&format!("every{engine}{}", how.concat()));
            let options = [&["-U", "calls,name", "--every=400ms"], how].concat();
            let live = scratch.stride([&[engine, "-q", "-f"], &options[..], &["sh", "-c", SLEEPS]].concat());
            let recorded = scratch.stride([engine, "-q", "-f", "--record=rec", "sh", "-c", SLEEPS]);
            assert!(recorded.status.success());
            for (shown, by_events) in [(&live.trace, how[0].contains("path")), (&scratch.replay(&options).out, true)] {
                let table = &one_blank(shown);
                let headings: Vec<u64> = shown.lines().filter_map(heading).collect();
                // The counts of the kernel are taken when Stride gets to it, which may be late on a busy machine.
                if by_events {
                    assert!(headings.len() >= 3, "{engine} {how:?}: {table}");
                    let with_sleep = table.split("\n\n").filter(|block| block.contains(rows)).count();
                    assert!(with_sleep >= 2, "{engine} {how:?}: {table}");
                }
                let sleeps: u64 = table
                    .lines()
                    .filter(|line| line.ends_with(rows))
                    .filter_map(|line| line.split_whitespace().next()?.parse::<u64>().ok())
                    .sum();
                assert_eq!(sleeps, 4, "{engine} {how:?}: {table}");
                let totals: u64 = table
                    .lines()
                    .filter(|line| line.ends_with(" total"))
                    .filter_map(|line| line.split_whitespace().next()?.parse::<u64>().ok())
                    .sum();
                assert_eq!(headings.iter().sum::<u64>(), totals, "{engine} {how:?}: {table}");
            }
            let whole = scratch.replay(&["-c", "-U", "calls,name"]).out;
            let again = scratch.replay(&options).out;
            let sum: u64 = again.lines().filter_map(heading).sum();
            let total = whole.lines().last().and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            assert_eq!(Some(sum), total, "{engine} {how:?}: {again}{whole}");
        }
    }
}

/// The same text with one blank where there are several.
fn one_blank(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

/// The number of calls in the line above a table of an interval.
fn heading(line: &str) -> Option<u64> {
    let (time, rest) = line.split_once("  ")?;
    if !is(time, r"\d\d:\d\d:\d\d\.\d{6}") {
        return None;
    }
    if rest.starts_with("no calls in") { Some(0) } else { rest.split_once(" call")?.0.replace(',', "").parse().ok() }
}

#[test]
fn intervals_as_json() {
    need!("/bin/sleep");
    for &engine in engines() {
        let scratch = Scratch::new(&format!("every-json{engine}"));
        let run = scratch.stride([engine, "-c", "--json", "--every=100ms", "/bin/sleep", "0.5"]);
        let totals: Vec<serde_json::Value> = run
            .trace
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|row: &serde_json::Value| row["type"] == "summary_total")
            .collect();
        assert!(totals.len() >= 2, "{engine}: {}", run.trace);
        let times: Vec<u64> = totals.iter().map(|row| row["time_ns"].as_u64().unwrap()).collect();
        assert!(times.is_sorted() && totals.iter().all(|row| row["interval_ns"].as_u64().is_some()), "{engine}");
    }
}

#[test]
fn intervals_that_make_no_sense() {
    for (options, message) in [
        (&["--every=1s", "true"][..], "--every divides a summary into intervals: give"),
        (&["-c", "--every=1ms", "true"], "invalid --every argument: '1ms'"),
        (&["-c", "--every=x", "true"], "invalid --every argument: 'x'"),
    ] {
        let run = stride().args(options).output().unwrap();
        assert!(String::from_utf8_lossy(&run.stderr).contains(message), "{options:?}: {run:?}");
    }
}
