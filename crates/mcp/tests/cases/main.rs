//! Eleven cases that a client solves by calls of tools alone. Each program has one trouble, and the test compares the conclusion from the answers with the trouble.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../cli/tests/common/python_packages.rs"]
mod packages;

use common::*;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

fn has(value: &Value, text: &str) -> bool {
    value.as_str().is_some_and(|value| value.contains(text))
}

/// A program finds no settings, says nothing, and succeeds.
#[test]
fn a_file_is_missing_and_one_process_looked_for_it() {
    let mut client = client!();
    let scratch = Scratch::new("mcp-missing");
    let script = "cat conf/app.conf >/dev/null 2>&1; head -c 1 conf/app.conf 2>/dev/null | wc -c; exit 0";
    std::fs::create_dir(scratch.path("conf")).unwrap();
    let run = client.tool("run", json!({"command": ["sh", "-c", script], "cwd": path(&scratch, ""), "stacks": false}));
    assert_eq!(run.json["ended"], json!({"exit_status": 0}));
    let filter = json!({"where": "errno == \"ENOENT\" && path.endsWith(\".conf\")"});
    let rows = client.tool("summary", json!({"recording": run.recording(), "by": "path,comm", "filter": filter}));
    let mut who: Vec<_> = rows.list("rows").iter().map(|row| row["by"]["comm"].as_str().unwrap()).collect();
    who.sort_unstable();
    assert_eq!(who, ["cat", "head"]);
    for row in rows.list("rows") {
        assert!(row["by"]["path"].as_str().unwrap().ends_with("/conf/app.conf"), "{row}");
    }
}

/// A program checks a directory again and again. The first finding names the pattern, the function and the line.
#[test]
fn the_line_of_needless_checks() {
    let mut client = client!();
    let scratch = Scratch::new("mcp-storm");
    let program = or_skip!(compiled(&scratch, "advise/stat-storm.c"));
    let run = client.tool("run", json!({"command": [program], "cwd": path(&scratch, "")}));
    // (How much of the time of such a short run a pattern takes depends on the machine.)
    let findings = client.tool("findings", json!({"recording": run.recording(), "all": true}));
    let first = &findings.list("findings")[0];
    assert_eq!(first["id"], "stat-storm");
    let caller = &first["callers"][0];
    assert_eq!(caller["function"], "main");
    assert_eq!(caller["line"], line_of("advise/stat-storm.c", "// FROM main"));
    let page = client.tool("explain", json!({"id": first["id"]}));
    assert!(page.text.contains("Keeping the answer would save"), "{}", page.text);
}

/// One of three children fails, for want of space.
#[test]
fn the_child_that_failed_and_its_errno() {
    need!("/dev/full");
    let mut client = client!();
    let script = "true; head -c 100 /dev/zero | tee /dev/full >/dev/null 2>&1; sleep 0; exit 0";
    let run = client.tool("run", json!({"command": ["sh", "-c", script], "stacks": false}));
    let failed = run.list("failed_processes");
    assert_eq!(failed.len(), 1, "{}", run.text);
    assert_eq!((&failed[0]["comm"], &failed[0]["exit_status"]), (&json!("tee"), &json!(1)));
    let filter = json!({"where": format!("pid == {} && errno != \"\" && name == \"write\"", failed[0]["pid"])});
    let calls = client.tool("calls", json!({"recording": run.recording(), "filter": filter, "form": "json"}));
    let call = &calls.list("calls")[0];
    assert_eq!((&call["error"]["name"], &call["path"]), (&json!("ENOSPC"), &Value::Null));
    assert_eq!(call["args"]["fd"]["path"], "/dev/full");
}

/// Processes wait for the lock of a file, because its holder sleeps.
#[test]
fn the_lock_and_what_its_holder_did() {
    let mut client = client!();
    let scratch = Scratch::new("mcp-lock");
    let program = or_skip!(compiled(&scratch, "advise/turns-flock.c"));
    let run = client.tool("run", json!({"command": [program], "cwd": path(&scratch, "")}));
    // The answer of the run says so in short.
    assert_eq!(run.list("findings")[0]["id"], "held-lock", "{}", run.text);
    assert!(has(&run.list("findings")[0]["from"], "turns-flock.c:"), "{}", run.text);
    let findings = client.tool("findings", json!({"recording": run.recording()}));
    let first = &findings.list("findings")[0];
    assert_eq!(first["id"], "held-lock", "{}", findings.text);
    assert!(has(&first["sentence"], "waited in clock_nanosleep with the lock of"), "{first}");
    assert!(has(&first["sentence"], &real(&scratch.path("lock")).display().to_string()), "{first}");
}

/// A server asks a slow service: the time is the service's, and the client waited in a receive.
#[test]
fn the_wait_for_a_slow_service() {
    need_ebpf!();
    let python = or_skip!(python());
    let mut client = client!();
    let source = root().join("tests/waiting/slow-service.py");
    let run = client.tool("run", json!({"command": [python, source], "engine": "ebpf", "stacks": false}));
    let time = client.tool("where_time_went", json!({"recording": run.recording()}));
    // (On a busy machine, processes wait for a CPU even longer.)
    let largest = time.list("parts").iter().find(|part| part["activity"] == "blocked").expect("a wait");
    assert!(["clock_nanosleep", "select", "pselect6"].iter().any(|call| largest["call"] == *call), "{largest}");
    assert_eq!(largest["awaited_by"][0]["call"], "recvfrom", "{largest}");
    assert_eq!(time.json["traced"]["run"]["waits_measured"], true);
}

/// A program syncs its journal after each page.
#[test]
fn the_file_that_is_synced_too_often() {
    let mut client = client!();
    let scratch = Scratch::new("mcp-sync");
    let program = or_skip!(compiled(&scratch, "advise/sync-storm.c"));
    let run = client.tool("run", json!({"command": [program], "cwd": path(&scratch, ""), "stacks": false}));
    let findings = client.tool("findings", json!({"recording": run.recording(), "all": true}));
    let storm = findings.list("findings").iter().find(|finding| finding["id"] == "sync-storm").expect("sync-storm");
    assert_eq!(storm["evidence"][0]["name"], real(&scratch.path("journal")).display().to_string());
    assert!(storm["saves"]["calls"].as_u64().unwrap() > 250, "{storm}");
}

/// A signal ends a child, and another process has sent it.
#[test]
fn the_process_that_was_killed_and_its_killer() {
    let mut client = client!();
    let script = "sleep 100 & sh -c 'kill -SEGV '$!; wait; exit 0";
    let run = client.tool("run", json!({"command": ["sh", "-c", script], "stacks": false}));
    let killed = &run.list("failed_processes")[0];
    assert_eq!(killed["killed_by"], "SIGSEGV", "{}", run.text);
    let filter = json!({"expressions": ["trace=kill"]});
    let calls = client.tool("calls", json!({"recording": run.recording(), "filter": filter, "form": "json"}));
    assert_eq!(calls.list("calls").len(), 1, "{}", calls.text);
    let call = &calls.list("calls")[0];
    assert_eq!(call["args"]["pid"]["pid"], killed["pid"]);
    assert_ne!(call["pid"], killed["pid"]);
}

/// Nobody listens at an address.
#[test]
fn the_address_that_refuses() {
    let python = or_skip!(python());
    let mut client = client!();
    let script = "import socket\ns = socket.create_server(('127.0.0.1', 0)); at = s.getsockname(); s.close()\n\
                  try: socket.create_connection(at)\nexcept OSError: print(at[1])";
    let run = client.tool("run", json!({"command": [python, "-c", script], "stacks": false}));
    let port = run.list("stdout")[0].as_str().unwrap();
    let filter = json!({"errno": "ECONNREFUSED"});
    let calls = client.tool("calls", json!({"recording": run.recording(), "filter": filter}));
    let line = calls.list("lines")[0].as_str().unwrap();
    assert!(line.contains("connect(3") && line.contains(&format!("htons({port})")), "{line}");
    assert!(line.contains("127.0.0.1"), "{line}");
}

/// The question for which path is written most is one in SQL.
#[test]
fn the_path_that_is_written_most() {
    let python = or_skip!(packages::with("duckdb"));
    let mut client = client!(format!("--duckdb={}", python.display()));
    let scratch = Scratch::new("mcp-sql");
    let script = "for i in 1 2 3 4 5 6 7 8 9; do echo $i >> little; head -c 70000 /dev/zero >> much; done";
    let run = client.tool("run", json!({"command": ["sh", "-c", script], "cwd": path(&scratch, ""), "stacks": false}));
    let question = "SELECT path, CAST(SUM(bytes) AS BIGINT) AS written FROM calls WHERE name = 'write' GROUP BY path ORDER BY written DESC LIMIT 2";
    let answer = client.tool("sql", json!({"recording": run.recording(), "sql": question}));
    let much = real(&scratch.path("much")).display().to_string();
    assert_eq!(answer.list("rows")[0], json!({"path": much, "written": 630_000}));
}

/// Two processes wait for one another. The client attaches to both, and they run on.
#[test]
fn the_processes_that_wait_for_one_another() {
    let python = or_skip!(python());
    let mut client = client!("--allow-attach");
    let source = root().join("tests/hangs/knot.py");
    let knot = Killed(Command::new(python).arg(source).stdin(Stdio::null()).spawn().unwrap());
    let parent = knot.tid();
    let child = wait_for("the child", || stride_test_support::state::first_child(parent as u32));
    let pids = [parent, child];
    for pid in pids {
        wait_until("both to sleep", || state(pid) == Some('S'));
    }
    // The calls in which they wait.
    #[cfg(target_arch = "x86_64")]
    for (pid, call) in [(parent, 61), (child, 45)] {
        stride_test_support::state::wait_until_inside(pid, call);
    }
    let attached = client.tool("attach", json!({"pids": pids, "seconds": 2}));
    let finding = &attached.list("findings")[0];
    assert_eq!(finding["id"], "hang", "{}", attached.text);
    assert!(has(&finding["sentence"], "wait for one another"), "{finding}");
    let findings = client.tool("findings", json!({"recording": attached.recording()}));
    let rows = findings.list("findings")[0]["table"].to_string();
    assert!(rows.contains("wait4") && rows.contains("recvfrom"), "{rows}");
    // Nothing stays stopped or traced.
    for pid in pids {
        assert_eq!(state(pid), Some('S'));
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        assert!(status.contains("TracerPid:\t0\n"), "{status}");
    }
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child), nix::sys::signal::Signal::SIGKILL).unwrap();
}

/// A password is in the environment, on a command line and in the output of a program. No answer has it.
#[test]
fn a_secret_appears_nowhere() {
    const SECRET: &str = "hunter2-correct-horse";
    let script = "env DB_PASSWORD=\"$DB_PASSWORD\" sh -c 'echo \"password=$DB_PASSWORD\" | tee file'; cat file >/dev/null; false --token \"$DB_PASSWORD\"";
    let ask = |client: &mut Client, scratch: &Scratch| {
        let run = json!({"command": ["sh", "-c", script], "cwd": path(scratch, ""), "env": {"DB_PASSWORD": SECRET}, "stacks": false});
        let id = client.tool("run", run).recording().to_owned();
        client.tool(
            "calls",
            json!({"recording": id, "filter": {"expressions": ["trace=execve,write,read"]}, "string_limit": 4096}),
        );
        let filter = json!({"expressions": ["trace=execve,write"]});
        client.tool("calls", json!({"recording": id, "form": "json", "filter": filter, "limit": 20}));
        client.tool("summary", json!({"recording": id, "by": "path"}));
        client.tool("findings", json!({"recording": id, "all": true}));
        client.tool("recordings", json!({}));
        client.texts.iter().filter(|text| text.contains(SECRET)).count()
    };
    let scratch = Scratch::new("mcp-secret");
    let kept = |name: &str| format!("--recordings={}", path(&scratch, name));
    assert_eq!(ask(&mut client!(kept("redacted")), &scratch), 0);
    // The user may want to see it.
    assert!(ask(&mut client!(kept("open"), "--no-redact"), &scratch) > 1);
    // The recordings themselves have it, or have it not.
    for (dir, has_it) in [("redacted", false), ("open", true)] {
        let replay = format!("--replay={}", path(&scratch, &format!("{dir}/r1.rec")));
        let stride = stride().unwrap();
        let replay = Command::new(stride.trim_start_matches("--stride=")).args(["-s", "4096", "-v", &replay]).output();
        assert_eq!(text(&replay.unwrap().stdout).contains(SECRET), has_it, "{dir}");
    }
}
