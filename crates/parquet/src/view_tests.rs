//! The tables of made-up events, as a reader of Parquet has them.

use crate::destination::TableDestination;
use crate::place::TracePlace;
use crate::{ParquetView, tables};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use stride_decode::Options;
use stride_event::{Call, CallWaits, Event, Interrupt, Lost, NamedThread, Outcome, Sleep, Tid, WaitKind, Waker};
use stride_output::{End, RunInfo, View};
use stride_syscalls::Abi;
use stride_test_support::calls::{self, attached, exited, forked, lasting, naming};
use stride_test_support::{Scratch, stacks};
use stride_track::Tracker;

const DAY: u64 = 86_400_000_000_000;

/// Everything that a run needs but events.
struct Run {
    view: ParquetView,
    tracker: Tracker,
}

fn info() -> RunInfo {
    RunInfo { host: "web/1".into(), args: vec!["stride".into(), "a\u{1}b".into()], started: 1, ..RunInfo::default() }
}

impl Run {
    fn new(scratch: &Scratch) -> Run {
        Run::of(&info(), scratch)
    }

    fn of(info: &RunInfo, scratch: &Scratch) -> Run {
        let view = ParquetView::new(
            TableDestination::Directory(scratch.path("dir")),
            true,
            Options::default(),
            Box::new(()),
            info,
            true,
            true,
        )
        .unwrap();
        Run { view, tracker: Tracker::default() }
    }

    fn event(&mut self, event: Event<'_>) {
        self.tracker.event(&event, &());
        self.view.event(&event, &self.tracker);
    }

    fn exit(&mut self, call: Call) {
        self.event(Event::Exit(&call));
    }

    /// The sentences at the end: the failure and the notice of the written files.
    fn finish(mut self, lost: Lost) -> [Option<String>; 2] {
        let end = End { tracker: &self.tracker, lost, with_source: &std::sync::Arc::clone };
        self.view.finish(&end);
        [self.view.take_error().map(|error| error.to_string()), self.view.take_remark()]
    }
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

/// The rows of a table, each with its values as text. Missing values are left out.
fn rows(scratch: &Scratch, table: &str) -> Vec<BTreeMap<String, String>> {
    let mut all = Vec::new();
    let files = files(&scratch.path("dir").join(table));
    for file in files.into_iter().filter(|file| file.extension() == Some("parquet".as_ref())) {
        let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let values = row.get_column_iter().filter(|(_, value)| **value != Field::Null);
            let text = |value: &Field| match value {
                Field::Str(text) => text.clone(),
                Field::TimestampMicros(at) => at.to_string(),
                other => other.to_string(),
            };
            all.push(values.map(|(name, value)| (name.clone(), text(value))).collect());
        }
    }
    all
}

fn open(tid: Tid, path: impl AsRef<[u8]>, at: u64, outcome: Outcome) -> Call {
    lasting(naming(calls::call(tid, "open", &[0x1000, 0], outcome), 0x1000, path), at, 1500)
}

#[test]
fn hostile_names_are_text_and_their_bytes_are_there() {
    let scratch = Scratch::new("hostile-names");
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    let names: [&[u8]; 4] = [b"/a\xff\xfe", b"/new\nline\x1b[2J", b"/'; DROP TABLE calls; --", "/ä".as_bytes()];
    for name in names {
        run.exit(open(7, name, 2000, Outcome::Error(2)));
    }
    run.event(exited(7, 9000));
    let [error, notice] = run.finish(Lost::default());
    assert_eq!(error, None);
    assert!(notice.unwrap().contains(": 4 calls, "));
    let rows = rows(&scratch, "calls");
    let paths: Vec<&str> = rows.iter().map(|row| &*row["path"]).collect();
    assert_eq!(paths, ["/a\u{fffd}\u{fffd}", "/new\nline\x1b[2J", "/'; DROP TABLE calls; --", "/ä"]);
    assert_eq!((rows[0]["path_hex"].as_str(), rows[1].get("path_hex")), ("2f61fffe", None));
    // The arguments are JSON, so they are escaped.
    assert_eq!(
        rows[1]["args"],
        r#"{"pathname":{"text":"/new\nline\u001b[2J"},"flags":{"raw":"0x0","set":["O_RDONLY"]}}"#
    );
    let first: Vec<&str> = ["outcome", "errno", "duration_ns", "time", "tid"].map(|name| &*rows[0][name]).into();
    assert_eq!(first, ["error", "ENOENT", "1500", "2", "7"]);
    let trace = &self::rows(&scratch, "traces")[0];
    assert_eq!((&*trace["calls"], &*trace["errors"], &*trace["command_line"]), ("4", "4", r#"["stride","a\u0001b"]"#));
    // The host is part of a directory's name.
    assert!(files(&scratch.path("dir")).iter().all(|file| file.to_str().unwrap().contains("/host=web%2F1/")));
}

#[test]
fn each_day_has_its_directory() {
    let scratch = Scratch::new("days");
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    // The third call returns before the second one, as far as its clock goes.
    for at in [10, DAY + 10, DAY - 5000, 4 * DAY, 4 * DAY + 1] {
        run.exit(open(7, "/x", at, Outcome::Error(2)));
    }
    assert_eq!(run.finish(Lost::default())[0], None);
    let names = files(&scratch.path("dir/calls"));
    let ends: Vec<String> = names
        .iter()
        .map(|name| {
            let day =
                name.components().find_map(|part| part.as_os_str().to_str()?.strip_prefix("date=").map(str::to_owned));
            let number = name.to_str().unwrap().rsplit_once('-').unwrap().1.to_owned();
            format!("{} {number}", day.unwrap())
        })
        .collect();
    assert_eq!(ends, ["1970-01-01 0000.parquet", "1970-01-02 0001.parquet", "1970-01-05 0002.parquet"]);
    assert_eq!(rows(&scratch, "calls").len(), 5);
}

#[test]
fn a_clock_that_jumps_makes_no_end_of_directories() {
    let scratch = Scratch::new("jumps");
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    for day in 0..30 {
        run.exit(open(7, "/x", day * DAY, Outcome::Error(2)));
    }
    assert_eq!(run.finish(Lost::default())[0], None);
    assert_eq!(files(&scratch.path("dir/calls")).len(), 20);
    assert_eq!(rows(&scratch, "calls").len(), 30);
}

#[test]
fn large_tables_have_several_files_and_no_row_is_missing() {
    let scratch = Scratch::new("several");
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    let total = 40_000;
    for i in 0..total {
        // Some values are missing.
        let outcome = if i % 3 == 0 { Outcome::Error(2) } else { Outcome::Value(i) };
        run.exit(open(7, format!("/{}", i * 7919 % 100_003), i as u64 + 1, outcome));
    }
    assert_eq!(run.finish(Lost::default())[0], None);
    assert!(files(&scratch.path("dir/calls")).len() > 2);
    let rows = rows(&scratch, "calls");
    assert_eq!(rows.len(), total as usize);
    for (i, row) in (0..total).zip(&rows) {
        let ret = (i % 3 != 0).then(|| i.to_string());
        assert_eq!((row["path"].clone(), row.get("ret")), (format!("/{}", i * 7919 % 100_003), ret.as_ref()));
        assert_eq!(row["start_ns"], (i + 1).to_string());
    }
}

#[test]
fn processes_and_unfinished_calls() {
    let scratch = Scratch::new("processes");
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    run.event(forked(7, 8, 8, 6000));
    run.event(forked(8, 9, 8, 7000));
    run.event(forked(7, 10, 10, 7000));
    let pause = |tid| Call { entered: Some(9000), returned: 9000, ..calls::call(tid, "pause", &[], Outcome::Pending) };
    run.event(Event::Enter(&pause(9)));
    run.event(Event::Enter(&pause(7)));
    run.event(exited(8, 10_000));
    run.event(Event::Killed { tid: 9, signal: 11, core: false, at: 11_000 });
    run.event(Event::Exited { tid: 10, status: 3, at: 12_000 });
    let lost = Lost::default();
    assert_eq!(run.finish(lost)[0], None);
    let cells = |row: &BTreeMap<String, String>, names: &[&str]| {
        let value = |name: &&str| row.get(*name).map_or("-", String::as_str).to_owned();
        names.iter().map(value).collect::<Vec<_>>().join(" ")
    };
    let ends: Vec<String> = rows(&scratch, "processes")
        .iter()
        .map(|row| cells(row, &["pid", "parent_pid", "started", "ended", "exit_status", "killed_by"]))
        .collect();
    assert_eq!(ends, ["8 7 6 11 - SIGSEGV", "10 7 7 12 3 -", "7 - 0 - - -"]);
    let calls: Vec<String> = rows(&scratch, "calls")
        .iter()
        .map(|row| cells(row, &["pid", "tid", "name", "outcome", "time", "duration_ns"]))
        .collect();
    assert_eq!(calls, ["8 9 pause unfinished 9 -", "7 7 pause unfinished 9 -"]);
}

#[test]
fn losses_add_up() {
    let scratch = Scratch::new("losses");
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    run.event(Event::Lost { tid: 7, count: 30, at: 8000 });
    run.view.note("The recording breaks off");
    assert_eq!(run.finish(Lost { calls: 100, threads: 0, signals: 2 })[0], None);
    let losses: Vec<String> = rows(&scratch, "losses")
        .iter()
        .map(|row| format!("{:?} {} {}", row.get("tid"), row["kind"], row["lost"]))
        .collect();
    assert_eq!(losses, ["Some(\"7\") calls 30", "None calls 70", "None signals 2"]);
    let trace = &rows(&scratch, "traces")[0];
    assert_eq!((&*trace["lost_calls"], &*trace["note"]), ("100", "The recording breaks off"));
}

#[test]
fn stacks_have_a_row_for_each_function() {
    let scratch = Scratch::new("stacks");
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    let frames = [stacks::frame("/lib/libc.so.6", "open"), stacks::frame("/bin/\u{e9}", "main")];
    let stack = stacks::stack(frames, stride_event::Bottom::Reached);
    for at in [1, 2] {
        run.exit(Call { stack: Some(stack.clone()), ..open(7, "/x", at, Outcome::Error(2)) });
    }
    run.exit(open(7, "/x", 3, Outcome::Error(2)));
    assert_eq!(run.finish(Lost::default())[0], None);
    let ids: Vec<Option<String>> = rows(&scratch, "calls").iter().map(|row| row.get("stack_id").cloned()).collect();
    assert_eq!(ids, [Some("0".into()), Some("0".into()), None]);
    let cells: Vec<String> = rows(&scratch, "stacks")
        .iter()
        .map(|row| {
            format!("{} {} {} {} {}", row["stack_id"], row["depth"], row["function"], row["module"], row["is_caller"])
        })
        .collect();
    assert_eq!(cells, ["0 0 open /lib/libc.so.6 false", "0 1 main /bin/é true"]);
}

#[test]
fn nothing_is_left_of_a_run_that_cannot_be_written() {
    let scratch = Scratch::new("unwritable");
    let mut run = Run::new(&scratch);
    // A file takes the place of the directory of calls.
    std::fs::create_dir_all(scratch.path("dir")).unwrap();
    std::fs::write(scratch.path("dir/calls"), "").unwrap();
    run.event(attached(7, 5));
    run.exit(open(7, "/x", 1, Outcome::Error(2)));
    let [error, notice] = run.finish(Lost::default());
    let error = error.unwrap();
    assert!(error.ends_with("; no call is in a complete file, and the rest is dropped"), "{error}");
    assert_eq!(notice, None);
    assert_eq!(files(&scratch.path("dir")), [scratch.path("dir/calls")]);
}

/// The directory is somebody else's, who plants links under the names that files have until they are complete.
#[test]
fn links_are_not_followed() {
    let scratch = Scratch::new("links");
    let place = TracePlace::new(scratch.path("dir"), &info());
    std::fs::write(scratch.path("victim"), "precious").unwrap();
    for table in tables::ALL {
        let partition = place.directory.join(place.partition(table.name, 0));
        std::fs::create_dir_all(&partition).unwrap();
        let temporary = format!(".{}.{}", place.file_name(0), std::process::id());
        std::os::unix::fs::symlink(scratch.path("victim"), partition.join(temporary)).unwrap();
    }
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    run.exit(open(7, "/x", 1, Outcome::Error(2)));
    assert_eq!(run.finish(Lost::default())[0], None);
    assert_eq!(scratch.read("victim"), "precious");
    let whole = files(&scratch.path("dir")).into_iter().filter(|file| file.extension() == Some("parquet".as_ref()));
    assert_eq!(whole.count(), tables::ALL.len());
    assert_eq!(rows(&scratch, "calls").len(), 1);
}

#[test]
fn a_run_is_not_written_twice() {
    let scratch = Scratch::new("twice");
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    run.exit(open(7, "/x", 1, Outcome::Error(2)));
    assert_eq!(run.finish(Lost::default())[0], None);
    let again = ParquetView::new(
        TableDestination::Directory(scratch.path("dir")),
        true,
        Options::default(),
        Box::new(()),
        &info(),
        true,
        true,
    );
    let error = again.err().unwrap();
    assert!(error.to_string().contains("this run is in the directory already"), "{error}");
    assert!(error.is_unopened());
}

/// docs/sql.md has the columns of [`tables`], in the same order and with the same words. With STRIDE_UPDATE_DOCS in the
/// environment, they are written there.
#[test]
fn the_columns_are_documented() {
    const HEAD: &str = "| column | type | contents |\n|---|---|---|\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sql.md");
    let document = std::fs::read_to_string(path).unwrap();
    let mut made = document.clone();
    for table in tables::ALL {
        let line = |column: crate::TableColumn| {
            format!("| `{}` | {} | {} |\n", column.name, column.kind.sql(), column.contents)
        };
        let lines: String = table.columns().map(line).collect();
        let section = made.find(&format!("\n`{}` has ", table.name)).expect(table.name);
        let from = section + made[section..].find(HEAD).expect(table.name) + HEAD.len();
        let to = from + made[from..].find("\n\n").expect(table.name) + 1;
        made.replace_range(from..to, &lines);
    }
    if std::env::var_os("STRIDE_UPDATE_DOCS").is_some() {
        std::fs::write(path, made).unwrap();
    } else {
        assert_eq!(document, made, "docs/sql.md differs: run this test with STRIDE_UPDATE_DOCS=1");
    }
}

#[test]
fn operations_of_io_uring_are_rows_among_calls() {
    let scratch = Scratch::new("operations");
    let mut run = Run::new(&scratch);
    run.event(attached(7, 5));
    for operation in [
        calls::operation(7, "openat", &[-100i64 as u64, 0x1000, 0, 0], &[(1, "/data")], 3),
        calls::operation(7, "read", &[3, 0x1000, 100, 0], &[], 60),
        calls::operation(7, "read", &[9, 0x1000, 100, 0], &[], -9),
    ] {
        run.event(Event::Library(&operation));
    }
    run.exit(lasting(calls::call(7, "close", &[3], Outcome::Value(0)), 5000, 100));
    run.event(exited(7, 9000));
    assert_eq!(run.finish(Lost::default())[0], None);
    let rows = rows(&scratch, "calls");
    let names: Vec<&str> = rows.iter().map(|row| &*row["name"]).collect();
    assert_eq!(names, ["io_uring:openat", "io_uring:read", "io_uring:read", "close"]);
    assert_eq!((&*rows[0]["path"], &*rows[0]["ret"], rows[0].get("abi")), ("/data", "3", None));
    assert_eq!(
        rows[0]["args"],
        r#"{"dirfd":{"fd":-100,"name":"AT_FDCWD"},"path":{"text":"/data"},"flags":{"raw":"0x0","set":["O_RDONLY"]},"mode":"00"}"#
    );
    let read: Vec<&str> = ["path", "fd", "bytes", "outcome", "duration_ns", "pid"].map(|name| &*rows[1][name]).into();
    assert_eq!(read, ["/data", "3", "60", "ok", "2000", "7"]);
    let failed = &rows[2];
    assert_eq!((&*failed["outcome"], &*failed["errno"], failed.get("ret")), ("error", "EBADF", None));
    // A call by the same descriptor is about the file that the operation opened.
    assert_eq!(rows[3]["path"], "/data");
    assert_eq!(self::rows(&scratch, "traces")[0]["calls"], "4");
}

/// The columns that are about waits.
fn wait_columns() -> Vec<String> {
    let columns = tables::ALL[0].columns().map(|column| column.name);
    columns.skip_while(|name| name != "stack_id").skip(1).collect()
}

/// The calls of a run that measures waits, or does not.
fn run_of_waits(scratch: &Scratch, measured: bool) -> Vec<BTreeMap<String, String>> {
    let mut run = Run::of(&RunInfo { waits: measured, ..info() }, scratch);
    run.event(attached(7, 5));
    let sleep = |waker| Some(Sleep { time: 300, kind: WaitKind::Blocked, waker });
    let mut waits = CallWaits { sleeps: 1, ..CallWaits::default() };
    waits.in_call.add(WaitKind::Blocked, 300);
    waits.in_call.add(WaitKind::Runnable, 20);
    waits.before.add(WaitKind::Stopped, 4);
    waits.before.add(WaitKind::Disk, 1);
    waits.before.add(WaitKind::Throttled, 7);
    let waker = NamedThread { tid: 9, process: 8, comm: *b"a\xff\0bcdefghijklmn" };
    let inside = |name| Some((Abi::NATIVE, calls::number(Abi::NATIVE, name)));
    let mut slept = |at, waker| {
        let waits = Some(Box::new(CallWaits { longest: sleep(waker), ..waits }));
        run.exit(Call { waits, ..lasting(calls::call(7, "nanosleep", &[0, 0], Outcome::Value(0)), at, 1000) });
    };
    slept(1000, Some(Waker::Thread(waker, inside("write"))));
    slept(3000, Some(Waker::Interrupt(Interrupt::Device([b'x'; 16]))));
    slept(5000, Some(Waker::Thread(NamedThread { tid: 0, process: 0, ..waker }, None)));
    slept(7000, None);
    slept(8000, Some(Waker::Hidden));
    run.exit(lasting(calls::call(7, "close", &[3], Outcome::Value(0)), 9000, 100));
    // It is not known whether these waited.
    run.exit(Call { entered: None, ..calls::call(7, "close", &[4], Outcome::Value(0)) });
    // Tracing leaves a thread in a call.
    run.event(attached(8, 5));
    let so_far = CallWaits { longest: sleep(None), ..waits };
    let pause = calls::call(8, "pause", &[], Outcome::Pending);
    run.event(Event::Enter(&pause));
    run.event(Event::Detached {
        tid: 8,
        call: Some(&Call { waits: Some(Box::new(so_far)), ..pause.clone() }),
        at: 9400,
    });
    run.exit(lasting(calls::call(7, "pause", &[], Outcome::Gone), 9500, 0));
    run.event(Event::Library(&calls::operation(7, "read", &[3, 0x1000, 100, 0], &[], 60)));
    run.event(exited(7, 9900));
    assert_eq!(run.finish(Lost::default())[0], None);
    rows(scratch, "calls")
}

#[test]
fn waits_have_columns() {
    let rows = run_of_waits(&Scratch::new("waits"), true);
    let cells: Vec<String> = rows
        .iter()
        .map(|row| {
            wait_columns().iter().map(|name| row.get(name).map_or("-", String::as_str)).collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(
        cells,
        [
            "300 0 0 20 0 5 7 timer thread 9 8 a\u{fffd} 61ff write -",
            "300 0 0 20 0 5 7 timer interrupt - - - - - device",
            "300 0 0 20 0 5 7 timer thread - - a\u{fffd} 61ff - -",
            "300 0 0 20 0 5 7 timer - - - - - - -",
            "300 0 0 20 0 5 7 timer hidden - - - - - -",
            "0 0 0 0 0 0 0 - - - - - - - -",
            "- - - - - - - - - - - - - - -",
            "300 0 0 20 0 5 7 signal - - - - - - -",
            "- - - - - - - - - - - - - - -",
            "- - - - - - - - - - - - - - -",
        ]
    );
}

#[test]
fn waits_that_were_not_measured_have_no_values() {
    let rows = run_of_waits(&Scratch::new("no-waits"), false);
    assert_eq!(rows.len(), 10);
    for row in rows {
        assert!(wait_columns().iter().all(|name| !row.contains_key(name)), "{row:?}");
    }
}
