//! `--parquet`: files that are whole or absent, live and replayed. tests/sql/ asks questions of them.

mod common;

use common::*;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

/// The files that readers see.
fn visible(directory: &Path) -> Vec<PathBuf> {
    let is_visible = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.ends_with(".parquet") && !name.starts_with('.')
    };
    files(directory).into_iter().filter(is_visible).collect()
}

/// The rows of a table, as text.
fn rows(directory: &Path, table: &str) -> Vec<BTreeMap<String, String>> {
    let mut all = Vec::new();
    for file in visible(&directory.join(table)) {
        let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            all.push(row.get_column_iter().map(|(name, value)| (name.clone(), value.to_string())).collect());
        }
    }
    all
}

/// The names and outcomes of calls by thread, in order.
fn outcomes<'a>(calls: impl Iterator<Item = [&'a str; 3]>) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::<String, Vec<String>>::new();
    calls.for_each(|[tid, name, outcome]| all.entry(tid.to_owned()).or_default().push(format!("{name} {outcome}")));
    all
}

const SCRIPT: &str = "cat a | tr a b > c; (exit 3); cat nothing; sleep 0 & wait; rm c";

#[test]
fn the_calls_of_the_json_live_and_replayed() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("rows{engine}"));
        fs::write(scratch.path("a"), "a").unwrap();
        let run = scratch.stride(["-f", "--json", "--record=rec", "--parquet=live", engine, "sh", "-c", SCRIPT]);
        assert!(run.err.contains(" as Parquet; the trace_id is "), "{run:?}");
        let json: Vec<serde_json::Value> = run.trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let calls = json.iter().filter(|line| line["type"] == "call");
        let tids: Vec<(String, &serde_json::Value)> = calls.map(|call| (call["tid"].to_string(), call)).collect();
        let expected = outcomes(
            tids.iter().map(|(tid, call)| [tid, call["name"].as_str().unwrap(), call["outcome"].as_str().unwrap()]),
        );
        let again = scratch.replay(&["--parquet=replayed"]);
        assert_eq!(again.code(), Some(0), "{again:?}");
        let [live, replayed] = ["live", "replayed"].map(|name| scratch.path(name));
        for directory in [&live, &replayed] {
            let rows = rows(directory, "calls");
            let word = |row: &BTreeMap<String, String>, name: &str| row[name].trim_matches('"').to_owned();
            let message: Vec<[String; 3]> =
                rows.iter().map(|row| ["tid", "name", "outcome"].map(|name| word(row, name))).collect();
            assert_eq!(outcomes(message.iter().map(|row| row.each_ref().map(String::as_str))), expected, "{engine}");
        }
        // A replay is the same run, so its files have the same names.
        let names = |directory: &Path| -> Vec<PathBuf> {
            visible(directory).iter().map(|file| file.strip_prefix(directory).unwrap().to_owned()).collect()
        };
        assert_eq!(names(&live), names(&replayed));
        assert_eq!((names(&live).len(), files(&live).len()), (5, 5));
        let args = |directory: &Path| -> Vec<String> {
            rows(directory, "calls").iter().map(|row| row["args"].clone()).collect()
        };
        assert_eq!(args(&live), args(&replayed));
        let twice = scratch.replay(&["--parquet=live"]);
        assert_eq!(twice.code(), Some(1));
        assert!(twice.err.contains("this run is in the directory already"), "{twice:?}");
        assert_eq!(names(&live).len(), 5);
    }
}

/// The columns about waits say what the JSON of the same run says, live and replayed, and are empty in a run without `--waits`.
#[test]
fn the_waits_of_the_json() {
    need_ebpf!();
    let scratch = Scratch::new("parquet-waits");
    let program = program!("waits").to_str().unwrap().to_string();
    let options = ["--engine=ebpf", "-f", "--json", "--parquet=live"];
    let run = scratch.stride(options.iter().copied().chain(["--waits", "--record=rec", &*program, "pipe"]));
    let json: Vec<serde_json::Value> = run.trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = json.iter().filter(|line| line["type"] == "call" && line["waits"]["waker"].is_object());
    let expected: Vec<[String; 10]> = told
        .map(|call| {
            let (waits, waker) = (&call["waits"], &call["waits"]["waker"]);
            let sum = |times: &serde_json::Value, kinds: &[&str]| -> String {
                kinds.iter().filter_map(|kind| times[*kind].as_i64()).sum::<i64>().to_string()
            };
            let text = |value: &serde_json::Value| match value {
                serde_json::Value::Null => "null".to_owned(),
                value => value.to_string(),
            };
            [
                text(&call["tid"]),
                text(&call["start_ns"]),
                sum(&waits["in_call"], &["blocked"]),
                sum(&waits["in_call"], &["runnable"]),
                sum(&waits["before"], &["blocked", "disk", "stopped"]),
                text(&waker["tid"]),
                text(&waker["pid"]),
                text(&waker["comm"]),
                text(&waker["call"]),
                text(&waker["interrupt"]),
            ]
        })
        .collect();
    // (All of the ten waits, unless the machine is busy.)
    assert!(expected.iter().filter(|row| row[8] == "\"write\"").count() >= 7, "{run:?}");
    scratch.replay(&["--parquet=replayed"]);
    for directory in ["live", "replayed"] {
        let rows = rows(&scratch.path(directory), "calls");
        let woken = rows.iter().filter(|row| row["waker_comm"] != "null" || row["waker_interrupt"] != "null");
        let columns = [
            "tid",
            "start_ns",
            "blocked_ns",
            "runnable_ns",
            "before_asleep_ns",
            "waker_tid",
            "waker_pid",
            "waker_comm",
            "waker_call",
            "waker_interrupt",
        ];
        let woken: Vec<[String; 10]> = woken.map(|row| columns.map(|name| row[name].clone())).collect();
        assert_eq!(woken, expected, "{directory}");
        let of_pipes = rows.iter().filter(|row| row["wait_cause"] == "\"pipe\"" && row["name"] == "\"read\"").count();
        assert!(of_pipes >= 7, "{of_pipes}");
        assert!(
            rows.iter().any(|row| row["blocked_ns"] == "0" && row["waker_comm"] == "null"),
            "calls that did not wait"
        );
    }
    let plain = scratch.path("plain");
    scratch.stride(["-f", "--parquet=plain", &*program, "pipe"]);
    let rows = rows(&plain, "calls");
    assert!(rows.len() > 20);
    assert!(rows.iter().all(|row| row["blocked_ns"] == "null" && row["wait_cause"] == "null"), "{:?}", rows[0]);
}

#[test]
fn directories_that_cannot_be_written_are_refused() {
    let scratch = Scratch::new("refused");
    fs::write(scratch.path("file"), "").unwrap();
    assert_eq!(refused(&scratch, &["--parquet=file"]), "Can't write files to 'file' for --parquet: File exists");
    assert_eq!(
        refused(&scratch, &["--parquet=file/below"]),
        "Can't write files to 'file/below' for --parquet: Not a directory"
    );
    assert!(
        refused(&scratch, &["--parquet=/proc/none"]).starts_with("Can't write files to '/proc/none' for --parquet: ")
    );
    let mut nobody = or_skip!(as_nobody());
    let copy = PublicCopy::new("parquet");
    let run = Run::of({
        nobody.arg(copy.stride()).args(["--engine=ptrace", "--parquet=/usr/none", "true"]);
        nobody
    });
    assert_eq!(run.code(), Some(1));
    assert!(run.err.ends_with("Can't write files to '/usr/none' for --parquet: Permission denied\n"), "{run:?}");
}

/// The limit for the size of files stops writing as a full disk does.
#[test]
fn a_full_disk_leaves_no_half_file() {
    let scratch = Scratch::new("full");
    let mut command = Command::new("sh");
    let script = "ulimit -f 1; exec \"$0\" \"$@\"";
    command.args([
        "-c",
        script,
        STRIDE,
        "--engine=ptrace",
        "-f",
        "--parquet=dir",
        "sh",
        "-c",
        "ls -l /usr/bin > /dev/null; echo ran",
    ]);
    command.current_dir(scratch.path(""));
    let run = Run::of(command);
    assert_eq!((run.code(), run.out.as_str()), (Some(0), "ran\n"), "{run:?}");
    assert!(run.err.contains("File too large; no call is in a complete file, and the rest is dropped"), "{run:?}");
    assert!(!run.err.contains("as Parquet"), "{run:?}");
    assert_eq!(files(&scratch.path("dir")), [] as [PathBuf; 0]);
}

/// The same on a real disk that is full.
#[test]
fn a_full_tmpfs_leaves_no_half_file() {
    need!("/usr/bin/unshare", "/bin/mount");
    let scratch = Scratch::new("tmpfs");
    fs::create_dir(scratch.path("disk")).unwrap();
    let mut probe = Command::new("unshare");
    probe.args(["--mount", "--map-root-user", "mount", "-t", "tmpfs", "none", "disk"]).current_dir(scratch.path(""));
    if !probe.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        skip!("no tmpfs can be mounted");
    }
    let script = "mount -t tmpfs -o size=8k none disk && \"$0\" --engine=ptrace -f --parquet=disk sh -c 'ls -l /usr/bin > /dev/null; echo ran'; \
                  find disk -type f";
    let mut command = Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-c", script, STRIDE]).current_dir(scratch.path(""));
    let run = Run::of(command);
    assert_eq!(run.out, "ran\n", "{run:?}");
    assert!(run.err.contains("No space left on device; no call is in a complete file"), "{run:?}");
}

#[test]
fn a_killed_run_leaves_no_half_file() {
    let scratch = Scratch::new("killed");
    let mut command = stride();
    command
        .args(["-f", "--parquet=dir", "sh", "-c", "echo ready > ready; while :; do :; done"])
        .current_dir(scratch.path(""));
    let traced = Killed(command.stderr(Stdio::null()).spawn().unwrap());
    wait_until("the program to run", || scratch.path("ready").exists());
    let shell = wait_for("the program", || first_child(traced.0.id()));
    send(&traced, nix::sys::signal::Signal::SIGKILL);
    wait_until("the end of Stride", || state(traced.tid()).is_none_or(|state| state == 'Z'));
    assert_eq!(visible(&scratch.path("dir")), [] as [PathBuf; 0]);
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(shell), nix::sys::signal::Signal::SIGKILL);
}

#[test]
fn an_interrupted_run_has_its_tables() {
    let scratch = Scratch::new("interrupted");
    let sleeper = Killed(Command::new("sleep").arg("1000").spawn().unwrap());
    let mut command = stride();
    command.args(["--parquet=dir", "-p", &sleeper.tid().to_string()]).current_dir(scratch.path(""));
    let mut traced = Killed(command.stderr(File::create(scratch.path("err")).unwrap()).spawn().unwrap());
    scratch.wait_attached(1);
    send(&traced, nix::sys::signal::Signal::SIGINT);
    traced.0.wait().unwrap();
    assert_eq!(visible(&scratch.path("dir")).len(), 5);
    let traces = rows(&scratch.path("dir"), "traces");
    assert_eq!(traces[0]["calls"], rows(&scratch.path("dir"), "calls").len().to_string());
}

#[test]
fn hostile_names_of_a_real_program() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new("names");
    let name = std::ffi::OsStr::from_bytes(b"a\xff\n\x1b]0;x\x07'\"b");
    let run = scratch.stride([std::ffi::OsStr::new("--parquet=dir"), "touch".as_ref(), name]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let rows = rows(&scratch.path("dir"), "calls");
    let hex: String = name.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let made = rows.iter().find(|row| row["path_hex"].trim_matches('"').ends_with(&hex)).expect("the file");
    assert!(made["path"].contains("a\u{fffd}\n\u{1b}]0;x\u{7}'"), "{made:?}");
}
