//! Counts made-up calls.

use super::label::cut;
use super::rows::MAX_ROWS;
use super::*;
use stride_decode::Resolver;
use stride_event::{
    CallWaits, Event, Interrupt, NamedThread, Phase, PowerBucket, Sleep, Tid, WaitKind, WaitTimes, Waker,
};
use stride_syscalls::Abi;
use stride_test_support::calls::{self, attached, holding, lasting};

fn call(nr: u64, ns: Ns, outcome: Outcome) -> Call {
    Call { nr, entered: Some(1_000), returned: 1_000 + ns, system_time: ns / 2, outcome, ..Call::default() }
}

fn layout(by: &[Key], columns: &[Column]) -> SummaryLayout {
    SummaryLayout {
        by: by.to_vec(),
        columns: columns.to_vec(),
        sort: SortKey::By(Column::TimePercent),
        wall_clock: true,
        waits: false,
        overhead: 0,
        json: false,
        width: None,
    }
}

#[test]
fn counts_and_sorts() {
    let columns =
        [Column::TimePercent, Column::TimeTotal, Column::TimeAvg, Column::Calls, Column::Errors, Column::Name];
    let mut summary = Summary::new(layout(&[Key::Syscall], &columns));
    summary.add(&call(0, 25_000, Outcome::Value(1)), None);
    summary.add(&call(1, 50_000, Outcome::Error(2)), None);
    summary.add(&call(1, 25_000, Outcome::Value(0)), None);
    summary.add(&call(0, 25_000, Outcome::Gone), None);
    let mut out = String::new();
    summary.render(LostCalls::default(), None, &mut out);
    let expected = "\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 75.00    0.000075          37         2         1 write
 25.00    0.000025          25         1           read
------ ----------- ----------- --------- --------- ----------------
100.00    0.000100          33         3         1 total
";
    assert_eq!(out, expected);
    out.clear();
    summary.render(LostCalls { calls: 1204, counted: false }, None, &mut out);
    assert_eq!(out.strip_prefix(expected), Some("... 1,204 calls lost, not counted here\n"));
    out.clear();
    summary.render(LostCalls { calls: 1, counted: true }, None, &mut out);
    assert_eq!(out.strip_prefix(expected), Some("... 1 call lost, but counted here\n"));
}

/// The table says so if times are estimated.
#[test]
fn estimates_are_called_so() {
    let mut summary = Summary::new(SummaryLayout { wall_clock: false, ..layout(&[Key::Syscall], &[Column::Calls]) });
    let counted = |nr, calls, untimed| Counted {
        call: Some((stride_syscalls::Abi::X86_64, nr)),
        tally: CallStats { calls, untimed, ..CallStats::default() },
        ..Counted::default()
    };
    summary.merge(&counted(0, 1_000, 0));
    assert!(!summary.text(LostCalls::default(), None).contains("estimated"));
    summary.merge(&counted(1, 3_000, 2_900));
    let text = summary.text(LostCalls::default(), None);
    assert!(text.ends_with("... 27.5% of 4,000 calls were timed, because there were so many. The times of the others are estimated (--exact-times times all).\n"), "{text}");
}

/// Most calls take less than a microsecond. Columns keep strace's widths, and sorting by numbers works.
#[test]
fn short_times_have_digits() {
    let columns = [Column::TimeAvg, Column::WallMin, Column::WallMax, Column::P99, Column::Calls, Column::Name];
    let mut summary =
        Summary::new(SummaryLayout { sort: SortKey::By(Column::TimeAvg), ..layout(&[Key::Syscall], &columns) });
    for (nr, times) in [
        (0, [240, 241]),
        (1, [38, 39]),
        (3, [0, 0]),
        (4, [9_949, 9_951]),
        (5, [9_999, 10_010]),
        (8, [2_000_000_000, 1]),
    ] {
        times.into_iter().for_each(|ns| summary.add(&call(nr, ns, Outcome::Value(0)), None));
    }
    let mut out = String::new();
    summary.render(LostCalls::default(), None, &mut out);
    let expected = " usecs/call wall-min wall-max      p99     calls syscall
----------- -------- -------- -------- --------- ----------------
    1000000 0.000000 2.000000 1.946157         2 lseek
         10 0.000010 0.000010 0.000010         2 fstat
          9 0.000010 0.000010 0.000010         2 stat
       0.24 0.000000 0.000000 0.000000         2 read
      0.038 0.000000 0.000000 0.000000         2 write
          0 0.000000 0.000000 0.000000         2 close
----------- -------- -------- -------- --------- ----------------
     166670 0.000000 2.000000 1.946157        12 total
";
    assert_eq!(out, expected);
}

const PID: Tid = 100;

/// A process whose calls the tracker follows and the summary counts.
struct Scene {
    tracker: Tracker,
    summary: Summary,
}

struct Nothing;

impl Resolver for Nothing {
    fn comm(&self, _: Tid) -> Option<Vec<u8>> {
        Some(b"first".to_vec())
    }
}

impl Scene {
    fn new(layout: SummaryLayout) -> Scene {
        let mut scene = Scene { tracker: Tracker::default(), summary: Summary::new(layout) };
        scene.tracker.event(&attached(PID, 0), &Nothing);
        scene
    }

    fn by(keys: &[Key]) -> Scene {
        Scene::new(layout(keys, &[Column::Calls, Column::Errors, Column::Bytes, Column::Name]))
    }

    fn does(&mut self, name: &str, args: &[u64], outcome: Outcome, memory: &[u8]) {
        let call = holding(calls::call(PID, name, args, outcome), Phase::Entry, 0x1000, memory);
        self.call(lasting(call, 1, 10));
    }

    fn call(&mut self, call: Call) {
        self.tracker.event(&Event::Exit(&call), &Nothing);
        self.summary.add(&call, Some(&self.tracker));
    }

    fn opens(&mut self, path: &[u8], outcome: Outcome) {
        self.does("open", &[0x1000, 0, 0], outcome, &[path, b"\0"].concat());
    }

    fn reads(&mut self, fd: u64, outcome: Outcome) {
        self.does("read", &[fd, 0x2000, 10_000], outcome, b"");
    }

    /// Without head and total.
    fn rows(&self) -> Vec<String> {
        let mut out = String::new();
        self.summary.render(LostCalls::default(), Some(&self.tracker), &mut out);
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = out.lines().skip(2).map(words).collect();
        lines.into_iter().take_while(|line| !line.starts_with("---")).collect()
    }
}

#[test]
fn rows_by_each_key() {
    for (keys, rows) in [
        (&[Key::Path][..], &["4 1 5001 /etc/a", "1 1 /etc/b", "1 -"][..]),
        (&[Key::Directory], &["5 2 5001 /etc", "1 -"]),
        (&[Key::Fd], &["3 1 5001 3</etc/a>", "3 1 -"]),
        (&[Key::Errno], &["4 5001 ok", "1 1 ENOENT", "1 1 EIO"]),
        (&[Key::Size], &["1 5000 [4K, 8K)", "1 1 [1]", "4 2 -"]),
        (&[Key::Pid], &["6 2 5001 100"]),
        (&[Key::Tid, Key::Comm], &["6 2 5001 100 first"]),
        (&[Key::Peer], &["6 2 5001 -"]),
        (&[Key::Path, Key::Syscall], &["3 1 5001 /etc/a read", "1 /etc/a open", "1 1 /etc/b open", "1 - getpid"]),
    ] {
        let mut s = Scene::by(keys);
        s.opens(b"/etc/a", Outcome::Value(3));
        s.opens(b"/etc/b", Outcome::Error(2));
        s.reads(3, Outcome::Value(5_000));
        s.reads(3, Outcome::Value(1));
        s.reads(3, Outcome::Error(5));
        s.does("getpid", &[], Outcome::Value(100), b"");
        let mut seen = s.rows();
        let mut expected: Vec<String> = rows.iter().map(|row| row.to_string()).collect();
        // Most rows have equal times, so their order is not checked here.
        seen.sort();
        expected.sort();
        assert_eq!(seen, expected, "{keys:?}");
    }
}

#[test]
fn ends_of_sockets() {
    let inet = |port: u16| [&[2, 0][..], &port.to_be_bytes(), &[10, 0, 0, 1], &[0; 8]].concat();
    let mut s = Scene::by(&[Key::Peer]);
    s.does("socket", &[2, 1, 0], Outcome::Value(3), b"");
    s.does("connect", &[3, 0x1000, 16], Outcome::Value(0), &inet(80));
    s.does("write", &[3, 0, 7], Outcome::Value(7), b"");
    assert_eq!(s.rows(), ["2 7 10.0.0.1:80", "1 -"]);
}

/// A name with escape sequences, or one that imitates other text.
#[test]
fn hostile_names_are_escaped() {
    let name = "/tmp/\x1b[2J\n100.00 total\t\"<a>\\ → \u{202e}é";
    for key in [Key::Path, Key::Directory, Key::Fd] {
        let mut s = Scene::by(&[key]);
        s.opens(&[name.as_bytes(), b"\xff/x"].concat(), Outcome::Value(3));
        s.reads(3, Outcome::Value(1));
        let mut out = String::new();
        s.summary.render(LostCalls::default(), Some(&s.tracker), &mut out);
        let foreign = |c: char| c != '\n' && c != '→' && !(' '..='~').contains(&c);
        assert!(!out.contains(foreign), "{out:?}");
        assert!(out.lines().all(|line| !line.starts_with("100.00 total")), "{out}");
        assert!(out.contains(r#"/tmp/\33[2J\n100.00 total\t\"\74a\76\\ → \342\200\256\303\251\377"#), "{out}");
    }
}

#[test]
fn rows_have_a_limit() {
    let mut s = Scene::by(&[Key::Path]);
    for i in 0..MAX_ROWS + 20 {
        s.opens(format!("/{i}").as_bytes(), Outcome::Error(2));
    }
    s.opens(b"/0", Outcome::Error(2));
    let rows = s.rows();
    assert_eq!(rows.len(), MAX_ROWS + 1);
    assert_eq!((rows[0].as_str(), rows[MAX_ROWS].as_str()), ("2 2 /0", "20 20 (others)"));
    let mut out = String::new();
    s.summary.render(LostCalls::default(), Some(&s.tracker), &mut out);
    assert!(out.ends_with("total\n... more than 100 rows; the row (others) counts the rest\n"), "{out}");
}

#[test]
fn percentiles_are_of_the_row() {
    let mut summary = Summary::new(layout(&[Key::Errno], &[Column::P50, Column::P99, Column::Name]));
    for i in 1..=100 {
        summary.add(&call(0, i * 1_000_000, Outcome::Value(0)), None);
        summary.add(&call(0, 7_000, Outcome::Error(4)), None);
    }
    let mut out = String::new();
    summary.render(LostCalls::default(), None, &mut out);
    let cells: Vec<Vec<&str>> = out.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
    let near = |text: &str, ms: f64| (text.parse::<f64>().unwrap() * 1e3 / ms - 1.0).abs() < 1.0 / 16.0;
    assert!(near(cells[0][0], 50.0) && near(cells[0][1], 99.0), "{out}");
    assert_eq!(cells[1], ["0.000007", "0.000007", "EINTR"]);
}

#[test]
fn a_terminal_is_not_overrun() {
    let columns = [Column::Calls, Column::Name];
    let mut s = Scene::new(SummaryLayout { width: Some(50), ..layout(&[Key::Path, Key::Syscall], &columns) });
    let path = format!("/usr/{}file.so", "long/".repeat(30));
    s.opens(path.as_bytes(), Outcome::Value(3));
    s.reads(3, Outcome::Value(1));
    let mut out = String::new();
    s.summary.render(LostCalls::default(), Some(&s.tracker), &mut out);
    assert!(out.lines().all(|line| line.len() <= 50), "{out}");
    assert!(out.contains("/usr/long/") && out.contains("/file.so") && out.contains("..."), "{out}");
    assert_eq!(cut("0123456789abcdef", 12), "012...abcdef");
    assert_eq!(cut("0123", 4), "0123");
    // In a file nothing is cut.
    s.summary.layout.width = None;
    out.clear();
    s.summary.render(LostCalls::default(), Some(&s.tracker), &mut out);
    assert!(out.contains(&path));
}

#[test]
fn what_an_engine_counted_has_the_same_keys() {
    let columns = [Column::Calls, Column::Errors, Column::Name];
    let keys = [Key::Pid, Key::Comm, Key::Errno, Key::Size];
    let mut summary = Summary::new(SummaryLayout { sort: SortKey::By(Column::Name), ..layout(&keys, &columns) });
    let tally = CallStats { calls: 4, errors: 4, ..CallStats::default() };
    let counted = Counted { pid: 9, comm: b"a\nb".to_vec(), errno: 2, tally, ..Counted::default() };
    summary.merge(&counted);
    summary.merge(&counted);
    summary.merge(&Counted { pid: 10, size: PowerBucket(3), errno: 0, ..counted });
    let mut out = String::new();
    summary.render(LostCalls::default(), None, &mut out);
    let rows: Vec<&str> = out.lines().skip(2).collect();
    assert_eq!(rows[0], "        8         8 9     a\\nb  ENOENT -");
    assert_eq!(rows[1], "        4         4 10    a\\nb  ok     [2, 4)");
}

/// Operations of io_uring have the keys that calls have.
#[test]
fn operations_are_counted_by_any_key() {
    let mut tracker = Tracker::default();
    tracker.event(&attached(7, 5), &());
    let keys = [Key::Syscall, Key::Path, Key::Errno, Key::Pid, Key::Size, Key::Duration];
    let columns = [Column::Calls, Column::Errors, Column::Bytes, Column::Name];
    let mut summary = Summary::of_operations(&layout(&keys, &columns));
    let open = calls::operation(7, "openat", &[0, 0x1000], &[(1, "/data")], 3);
    let missing = calls::operation(7, "openat", &[0, 0x1000], &[(1, "/missing")], -2);
    let read = calls::operation(7, "read", &[3, 0x1000, 100], &[], 60);
    for operation in [open, missing, read.clone(), read] {
        tracker.event(&Event::Library(&operation), &());
        summary.add_operation(&operation, Some(&tracker));
    }
    let rows: Vec<String> = {
        let text = summary.text(LostCalls::default(), Some(&tracker));
        assert!(text.starts_with("Operations of io_uring:\n"), "{text}");
        text.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    assert!(rows[0].contains("operation path errno pid size duration"), "{rows:?}");
    let has = |row: &str| assert!(rows.iter().any(|line| line.contains(row)), "{row}: {rows:?}");
    has("1 io_uring:openat /data ok 7 - [1.02 µs, 2.05 µs)");
    has("1 1 io_uring:openat /missing ENOENT 7 -");
    has("2 120 io_uring:read /data ok 7 [32, 64)");
}

/// A multishot operation has several completions, each with its bytes, and is counted once.
#[test]
fn an_operation_with_several_completions_is_one() {
    let mut summary = Summary::of_operations(&layout(&[Key::Syscall], &[Column::Calls, Column::Bytes, Column::Name]));
    let last = calls::operation(7, "recv", &[3], &[], 0);
    let mut more = calls::operation(7, "recv", &[3], &[], 10);
    if let Some(facts) = &mut more.operation {
        facts.cqe_flags = stride_syscalls::uapi::consts::IORING_CQE_F_MORE as u32;
    }
    [&more, &more, &last].into_iter().for_each(|completion| summary.add_operation(completion, None));
    let text = summary.text(LostCalls::default(), None);
    assert!(text.contains("        1          20 io_uring:recv\n"), "{text}");
}

/// As objects, rows of operations are told apart from those of calls by a member of their own, whatever the keys are.
#[test]
fn operations_as_objects() {
    let layout = SummaryLayout { json: true, ..layout(&[Key::Path], &[Column::Calls]) };
    let mut view = SummaryView::new(layout, false, false, None, true);
    let mut tracker = Tracker::default();
    let operation = calls::operation(7, "openat", &[0, 0x1000], &[(1, "/data")], 3);
    let call = calls::call(7, "read", &[0, 0x1000, 1], Outcome::Value(1));
    for event in [attached(7, 5), Event::Library(&operation), Event::Exit(&call)] {
        tracker.event(&event, &());
        crate::View::event(&mut view, &event, &tracker);
    }
    let end = crate::End { tracker: &tracker, lost: Default::default(), with_source: &std::sync::Arc::<_>::clone };
    let text = crate::View::finish(&mut view, &end);
    let of: Vec<&str> =
        text.lines().map(|line| if line.contains(r#""of":"io_uring""#) { "operations" } else { "calls" }).collect();
    assert_eq!(of, ["operations", "operations", "calls", "calls"], "{text}");
    assert!(text.starts_with(r#"{"type":"summary","of":"io_uring","by":{"path":"/data"},"calls":1,"#), "{text}");
}

/// A program may use io_uring while its operations are not reported.
#[test]
fn unseen_operations_are_told() {
    let has_note = |reported, name| {
        let mut view = SummaryView::new(layout(&[Key::Syscall], &[Column::Calls]), false, false, None, reported);
        let call = calls::call(7, name, &[3, 1], Outcome::Value(1));
        crate::View::event(&mut view, &Event::Exit(&call), &Tracker::default());
        assert_eq!(crate::View::take_remark(&mut view), None, "the run goes on");
        let end = crate::End {
            tracker: &Tracker::default(),
            lost: Default::default(),
            with_source: &std::sync::Arc::<_>::clone,
        };
        crate::View::finish(&mut view, &end);
        let remark = crate::View::take_remark(&mut view);
        assert_eq!(crate::View::take_remark(&mut view), None, "once is enough");
        remark.is_some()
    };
    assert!(has_note(false, "io_uring_enter"));
    assert!(has_note(false, "io_uring_setup"));
    assert!(!has_note(true, "io_uring_enter"));
    assert!(!has_note(false, "read"));
}

#[test]
fn waits_are_counted_by_waker_and_cause() {
    let waker = NamedThread { tid: 7, process: 7, comm: *b"server\0\0\0\0\0\0\0\0\0\0" };
    let wakers = [Some(Waker::Thread(waker, Some((Abi::X86_64, 44)))), Some(Waker::Interrupt(Interrupt::Timer)), None];
    let columns = [Column::Calls, Column::Blocked, Column::Runnable, Column::Name];
    let mut s = Scene::new(layout(&[Key::Waker, Key::Cause], &columns));
    for waker in wakers {
        let in_call = WaitTimes::from_iter([(WaitKind::Blocked, 2_000_000), (WaitKind::Runnable, 500_000)]);
        let longest = Some(Sleep { time: 2_000_000, kind: WaitKind::Blocked, waker });
        let waits = CallWaits { in_call, sleeps: 1, longest, ..CallWaits::default() };
        let sleep = calls::call(PID, "nanosleep", &[0, 0], Outcome::Value(0));
        s.call(Call { waits: Some(Box::new(waits)), ..sleep });
    }
    s.call(calls::call(PID, "getpid", &[], Outcome::Value(1)));
    let rows = s.rows();
    for expected in [
        "1 0.002000 0.000500 server sendto timer",
        "1 0.002000 0.000500 timer timer",
        "1 0.002000 0.000500 - timer",
        "1 0.000000 0.000000 - -",
    ] {
        assert!(rows.iter().any(|row| row == expected), "{expected}: {rows:?}");
    }
}
