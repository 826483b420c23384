//! `--io-uring`: operations among system calls, as tests/programs/uring.c makes them.

mod common;

use common::{Run, Scratch, bare_stride, need_ebpf, root, skip};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::process::{Command, Stdio};

/// A directory with the program `uring`, if the kernel lets programs use io_uring.
fn built(name: &str) -> Result<Scratch, String> {
    if let Some(why) = stride_engine_ebpf::operations_refused() {
        return Err(why.into());
    }
    let scratch = Scratch::new(name);
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-w", "-pthread", "-o"]).arg(scratch.path("uring")).arg(root().join("tests/programs/uring.c"));
    match cc.output() {
        Err(error) => return Err(format!("no C compiler: {error}")),
        Ok(output) if !output.status.success() => panic!("cc: {}", String::from_utf8_lossy(&output.stderr)),
        Ok(_) => {}
    }
    let mut tried = Command::new(scratch.path("uring"));
    let tried = tried.args(["many", "1"]).stdin(Stdio::null()).output().unwrap();
    match tried.status.code() {
        Some(0) => Ok(scratch),
        Some(77) => Err(String::from_utf8_lossy(&tried.stderr).trim().into()),
        _ => panic!("{tried:?}"),
    }
}

macro_rules! built {
    ($name:literal) => {
        match built($name) {
            Ok(scratch) => scratch,
            Err(why) => skip!("{why}"),
        }
    };
}

fn stride(scratch: &Scratch, args: &[&str]) -> Run {
    let mut command = bare_stride();
    command.args(["-a1", "-o"]).arg(scratch.path("trace")).args(args).current_dir(scratch.path(""));
    let mut run = Run::of(command);
    run.trace = std::fs::read_to_string(scratch.path("trace")).unwrap_or_default();
    run
}

/// A scene under Stride, whose trace has operations only.
fn scene(scratch: &Scratch, options: &[&str], name: &str) -> Run {
    stride(scratch, &[&["--io-uring", "-e", "trace=none"], options, &["./uring", name]].concat())
}

fn operations(trace: &str) -> Vec<&str> {
    trace.lines().filter(|line| line.contains("io_uring:")).collect()
}

fn is_as_printed(scratch: &Scratch, name: &str) {
    let run = scene(scratch, &[], name);
    assert_eq!(operations(&run.trace), run.out.lines().collect::<Vec<_>>(), "{name}: {run:?}");
    assert!(!run.out.is_empty(), "{name}: {run:?}");
}

#[test]
fn arguments_and_results_are_those_that_the_program_prints() {
    need_ebpf!();
    let scratch = built!("uring-files");
    for name in ["files", "failures", "ways", "more-files", "overflow"] {
        is_as_printed(&scratch, name);
    }
}

#[test]
fn operations_that_the_kernels_own_thread_submits() {
    need_ebpf!();
    let scratch = built!("uring-polled");
    is_as_printed(&scratch, "polled");
}

/// A multishot operation has several completions, and some operations are never seen to complete.
#[test]
fn several_completions_and_none() {
    need_ebpf!();
    let scratch = built!("uring-several");
    for name in ["several", "sockets"] {
        let run = scene(&scratch, &[], name);
        // A completion of an operation that is removed comes before or after that of the removal.
        let (mut shown, mut printed) = (operations(&run.trace), run.out.lines().collect::<Vec<_>>());
        shown.sort_unstable();
        printed.sort_unstable();
        assert_eq!(shown, printed, "{run:?}");
    }
}

/// Operations stand where they are completed: before the return of the call that submits them.
#[test]
fn operations_and_system_calls_are_in_order() {
    need_ebpf!();
    let scratch = built!("uring-order");
    let run = stride(&scratch, &["--io-uring", "-y", "-e", "trace=io_uring_enter,unlinkat", "./uring", "files"]);
    let lines: Vec<&str> = run.trace.lines().take(4).collect();
    assert!(lines[0].starts_with("io_uring:nop() = 0"), "{run:?}");
    assert!(lines[1].starts_with("io_uring_enter(3<anon_inode:[io_uring]>, 1, 1"), "{run:?}");
    assert!(lines[2].starts_with("io_uring:openat(AT_FDCWD<") && lines[2].contains("/made>"), "{run:?}");
    assert!(lines[3].starts_with("io_uring_enter("), "{run:?}");
    // The file is that of then, and not the one that the descriptor has when the line is written.
    let close = run.trace.lines().find(|line| line.starts_with("io_uring:close("));
    assert!(close.is_some_and(|line| line.contains("/moved>) = 0")), "{run:?}");
    // The call of the name is another matter.
    assert!(!run.trace.contains("\nunlinkat("), "{run:?}");
}

#[test]
fn threads_and_processes() {
    need_ebpf!();
    let scratch = built!("uring-threads");
    let run = scene(&scratch, &["-f"], "threads");
    let mut submitters: Vec<&str> =
        operations(&run.trace).iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(submitters.len(), 3, "{run:?}");
    submitters.sort_unstable();
    submitters.dedup();
    assert_eq!(submitters.len(), 3, "{run:?}");
    // Without -f, only those of the first thread are shown.
    let alone = scene(&scratch, &[], "threads");
    assert_eq!(operations(&alone.trace).len(), 1, "{alone:?}");
}

#[test]
fn operations_are_counted_apart_from_system_calls() {
    need_ebpf!();
    let scratch = built!("uring-counts");
    let run = stride(&scratch, &["--io-uring", "-c", "./uring", "failures"]);
    let row = |name: &str| run.trace.lines().find(|line| line.ends_with(&format!(" {name}")));
    assert!(row("io_uring_enter").is_some(), "{run:?}");
    let calls = |name| row(name).and_then(|row| row.split_whitespace().nth(3)).map(str::to_owned);
    assert_eq!(calls("io_uring:openat"), Some("2".into()), "{run:?}");
    assert_eq!(calls("io_uring:fsync"), Some("1".into()), "{run:?}");
    // No system call is counted that was not made.
    let plain = stride(&scratch, &["-c", "./uring", "failures"]);
    let names = |trace: &str| -> Vec<String> {
        let words = trace.lines().filter_map(|line| line.split_whitespace().last());
        let mut names: Vec<String> =
            words.filter(|word| !word.contains(':') && *word != "operation").map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    assert_eq!(names(&run.trace), names(&plain.trace));
}

/// The words of the rows of the table of operations.
fn table_of_operations(report: &str) -> Vec<Vec<&str>> {
    let lines = report.lines().skip_while(|line| *line != "Operations of io_uring:").skip(3);
    lines.take_while(|line| !line.starts_with("---")).map(|line| line.split_whitespace().collect()).collect()
}

#[test]
fn operations_by_path_and_thread() {
    need_ebpf!();
    let scratch = built!("uring-by");
    let run = stride(&scratch, &["--io-uring", "--by=syscall,path,errno", "-U", "calls,name", "./uring", "files"]);
    let made = scratch.path("made");
    let made = made.to_str().unwrap();
    let rows = table_of_operations(&run.trace);
    for row in [
        ["1", "io_uring:openat", made, "ok"],
        ["1", "io_uring:write", made, "ok"],
        ["1", "io_uring:read", made, "ok"],
        ["1", "io_uring:fsync", made, "ok"],
        ["1", "io_uring:nop", "-", "ok"],
    ] {
        assert!(rows.contains(&row.to_vec()), "{row:?}: {run:?}");
    }
    // Keys that the kernel counts by.
    let run = stride(&scratch, &["-f", "--io-uring", "--by=comm,tid", "-U", "calls,name", "./uring", "threads"]);
    let rows = table_of_operations(&run.trace);
    assert_eq!(rows.len(), 3, "{run:?}");
    assert!(rows.iter().all(|row| row[..2] == ["1", "uring"]), "{run:?}");
    // In a recording.
    let run = stride(&scratch, &["--io-uring", "--record=run", "./uring", "files"]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let run = stride(&scratch, &["--replay=run", "--by=path", "-U", "calls,name"]);
    assert!(table_of_operations(&run.trace).contains(&vec!["7", made]), "{run:?}");
}

/// A report that counts calls says what it does not count.
#[test]
fn reports_without_operations_say_so() {
    need_ebpf!();
    let scratch = built!("uring-unseen");
    const UNSEEN: &str = "trace the program with --io-uring to see them";
    for report in [&["-c"][..], &["--by=path"], &["-c", "-w"]] {
        let run = stride(&scratch, &[report, &["./uring", "files"]].concat());
        assert_eq!(run.err.matches(UNSEEN).count(), 1, "{run:?}");
        let run = stride(&scratch, &[report, &["--io-uring", "./uring", "files"]].concat());
        assert!(!run.err.contains(UNSEEN), "{run:?}");
        let run = stride(&scratch, &[report, &["true"]].concat());
        assert!(!run.err.contains(UNSEEN), "{run:?}");
    }
    let advice = stride(&scratch, &["--advise", "./uring", "many", "2000"]);
    assert!(advice.trace.contains(UNSEEN), "{advice:?}");
    let advice = stride(&scratch, &["--advise", "--io-uring", "./uring", "many", "2000"]);
    assert!(advice.trace.contains("2,000 operations of io_uring were submitted"), "{advice:?}");
    assert!(!advice.trace.contains(UNSEEN), "{advice:?}");
    let json = stride(&scratch, &["--advise", "--json", "./uring", "many", "2000"]);
    assert!(json.err.contains(UNSEEN), "{json:?}");
}

#[test]
fn operations_are_rows_of_tables() {
    need_ebpf!();
    let scratch = built!("uring-parquet");
    let run = stride(&scratch, &["--io-uring", "--parquet=tables", "-e", "trace=io_uring_enter", "./uring", "files"]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let mut todo = vec![scratch.path("tables/calls")];
    let mut rows = Vec::new();
    while let Some(next) = todo.pop() {
        if next.is_dir() {
            todo.extend(std::fs::read_dir(next).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let reader = SerializedFileReader::new(std::fs::File::open(next).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let column = |name: &str| row.get_column_iter().find(|(column, _)| *column == name).unwrap().1.to_string();
            rows.push(["name", "path", "outcome", "bytes"].map(|name| column(name).trim_matches('"').to_owned()));
        }
    }
    let made = scratch.path("made").to_str().unwrap().to_owned();
    for row in [
        ["io_uring:openat", &made, "ok", "null"],
        ["io_uring:write", &made, "ok", "5"],
        ["io_uring:read", &made, "ok", "4"],
    ] {
        assert!(rows.iter().any(|other| *other == row), "{row:?}: {rows:?}");
    }
    assert!(rows.iter().any(|row| row[0] == "io_uring_enter"), "{rows:?}");
}

#[test]
fn operations_are_compared() {
    need_ebpf!();
    let scratch = built!("uring-diff");
    let record = |options: &[&str], name: &str, scene: &[&str]| {
        let run = stride(&scratch, &[options, &[name, "-e", "trace=all", "./uring"], scene].concat());
        assert_eq!(run.code(), Some(0), "{run:?}");
    };
    record(&["--io-uring"], "--record=few", &["many", "10"]);
    record(&["--io-uring"], "--record=many", &["many", "500"]);
    record(&[], "--record=unseen", &["many", "500"]);
    let more = stride(&scratch, &["--replay=many", "--diff=few"]);
    assert!(more.trace.contains(" io_uring:nop"), "{more:?}");
    let same = stride(&scratch, &["--replay=many", "--diff=many"]);
    assert!(same.trace.starts_with("Nothing important differs"), "{same:?}");
    let other = stride(&scratch, &["--replay=many", "--diff=unseen"]);
    assert!(other.trace.contains("Only this run was traced with --io-uring"), "{other:?}");
    assert!(!other.trace.contains("io_uring:nop"), "{other:?}");
    let neither = stride(&scratch, &["--replay=unseen", "--diff=unseen"]);
    assert!(neither.trace.contains("The program uses io_uring"), "{neither:?}");
}

#[test]
fn as_json() {
    need_ebpf!();
    let scratch = built!("uring-json");
    let run = scene(&scratch, &["--json"], "failures");
    let objects: Vec<serde_json::Value> = run
        .trace
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|object: &serde_json::Value| object["type"] == "io_uring")
        .collect();
    assert_eq!(objects.len(), 4, "{run:?}");
    let first = &objects[0];
    assert_eq!(first["operation"], "openat", "{first}");
    assert_eq!(first["args"][1]["name"], "path", "{first}");
    assert_eq!(first["args"][1]["value"]["text"], "missing", "{first}");
    assert_eq!(first["submitter"], "io_uring_enter", "{first}");
    assert_eq!(first["outcome"], "error", "{first}");
    assert_eq!(first["error"]["name"], "ENOENT", "{first}");
    assert!(first["duration_ns"].as_u64().is_some_and(|time| time > 0), "{first}");
}

#[test]
fn conditions_on_operations() {
    need_ebpf!();
    let scratch = built!("uring-where");
    let run = scene(&scratch, &["--where=name == \"io_uring:read\" && bytes > 5"], "ways");
    let all = operations(&run.trace);
    assert_eq!(all.len(), 2, "{run:?}");
    assert!(all.iter().all(|line| line.starts_with("io_uring:read(") && !line.contains(" = -")), "{run:?}");
    // A file that was renamed has its new name.
    let about = scene(&scratch, &["--where=path.endsWith(\"/made\")"], "files");
    let names: Vec<&str> = operations(&about.trace).iter().filter_map(|line| line.split('(').next()).collect();
    let expected = ["openat", "write", "read", "statx", "fsync", "renameat"].map(|name| format!("io_uring:{name}"));
    assert_eq!(names, expected, "{about:?}");
    let failed = scene(&scratch, &["--where=errno == \"EBADF\""], "ways");
    assert_eq!(operations(&failed.trace).len(), 1, "{failed:?}");
}

#[test]
fn a_recording_has_everything() {
    need_ebpf!();
    let scratch = built!("uring-record");
    let mut command = bare_stride();
    command.args(["-a1", "--io-uring", "-e", "trace=io_uring_setup", "--record=run", "-o"]);
    command.arg(scratch.path("trace")).args(["./uring", "ways"]).current_dir(scratch.path(""));
    let run = Run::of(command);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let replayed = stride(&scratch, &["--replay=run"]);
    assert_eq!(operations(&replayed.trace), run.out.lines().collect::<Vec<_>>(), "{replayed:?}");
    let counted = stride(&scratch, &["--replay=run", "-c"]);
    assert!(counted.trace.contains("io_uring:timeout"), "{counted:?}");
}

#[test]
fn ptrace_does_not_see_operations() {
    let run = {
        let mut command = bare_stride();
        command.args(["--engine=ptrace", "--io-uring", "true"]);
        Run::of(command)
    };
    assert_eq!(run.code(), Some(1), "{run:?}");
    assert!(run.err.contains("--io-uring"), "{run:?}");
}
