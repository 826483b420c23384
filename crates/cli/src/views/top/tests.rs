//! The model, its keys and its picture, without a terminal.

use super::draw::{draw, table_height};
use super::filter::Filter;
use super::keys::{Action, handle};
use super::model::{Model, Sort, Tab, TopScope};
use super::sample::{Sample, SampleKey, SampleTally};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

const SECOND: u64 = 1_000_000_000;

fn row(pid: i32, comm: &str, call: &str, errno: &str, calls: u64) -> (SampleKey, SampleTally) {
    let key = SampleKey { pid, comm: comm.into(), call: call.into(), errno: errno.into(), ..SampleKey::default() };
    let errors = if errno.is_empty() { 0 } else { calls };
    (key, SampleTally { calls, errors, bytes: calls * 10, time: calls * 1000, longest: calls * 100 })
}

fn sample() -> Sample {
    let rows = vec![
        row(812, "redis-server", "read", "", 5000),
        row(812, "io_thd_1", "epoll_wait", "", 2500),
        row(4, "cat", "openat", "ENOENT", 3),
        row(4, "cat", "read", "", 7),
    ];
    Sample { length: SECOND, rows }
}

fn model() -> Model {
    let mut model = Model::new("the machine".into(), false);
    model.count(sample(), |pid| (pid == 812).then(|| "redis-server".into()));
    model
}

fn press(model: &mut Model, keys: &str) -> Vec<Action> {
    let code = |c| match c {
        '\n' => KeyCode::Enter,
        '<' => KeyCode::Esc,
        '^' => KeyCode::Up,
        'v' => KeyCode::Down,
        '\x08' => KeyCode::Backspace,
        c => KeyCode::Char(c),
    };
    keys.chars().map(|c| handle(model, KeyEvent::new(code(c), KeyModifiers::NONE), 24)).collect()
}

/// The lines of the picture, without blanks at their ends.
fn picture(model: &mut Model, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let lines = model.lines();
    model.scroll(&lines, table_height(height));
    terminal.draw(|frame| draw(model, &lines, frame)).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(line).collect()
}

#[test]
fn processes_in_80_by_24() {
    let mut model = model();
    let seen = picture(&mut model, 80, 24);
    assert_eq!(seen[0], "stride --top: the machine  7,510 calls/s, 3.0 errors/s");
    assert_eq!(seen[1], "1 Processes  2 Calls  3 Files  4 Sockets  5 Errors  6 Slowest  7 Callers");
    assert_eq!(seen[3], "    CALLSv   ERRORS      TIME   LONGEST      BYTES PID      COMMAND");
    assert_eq!(seen[4], "     7,500            7.50 ms    500 µs   73.2 KiB 812      redis-server");
    assert_eq!(seen[5], "        10      3.0   10.0 µs    700 ns      100 B 4        cat");
    assert_eq!(seen[6], "");
    assert!(seen[23].starts_with("Enter in  Esc back"), "{seen:#?}");
}

#[test]
fn every_size_can_be_drawn() {
    let mut model = model();
    for keys in ["", "\n", "5", "6", "3", "?", "?p", "/pid == 12345678901234567890"] {
        press(&mut model, keys);
        for (width, height) in [(10, 3), (1, 1), (0, 0), (3, 24), (80, 2), (80, 1), (200, 60), (20, 5), (79, 6)] {
            assert_eq!(picture(&mut model, width, height).len(), usize::from(height));
        }
    }
}

/// A row is to be seen also where there is hardly any room.
#[test]
fn a_row_fits_into_10_by_3() {
    let mut model = model();
    let seen = picture(&mut model, 10, 3);
    assert!(seen[1].starts_with("812"), "{seen:?}");
    press(&mut model, "v");
    let seen = picture(&mut model, 10, 3);
    assert!(seen[1].starts_with('4'), "{seen:?}");
}

#[test]
fn from_a_process_to_its_calls_and_back() {
    let mut model = model();
    press(&mut model, "v\n");
    assert_eq!(model.screen().scope, TopScope { pid: Some(4), comm: Some("cat".into()), ..TopScope::default() });
    let calls: Vec<String> = model.lines().iter().map(|line| line.key.call.to_string()).collect();
    assert_eq!(calls, ["read", "openat"]);
    assert!(picture(&mut model, 80, 24)[2].starts_with("cat (4)"));
    assert_eq!(model.detail_wanted(), None);
    // Files are not counted in the kernel.
    press(&mut model, "\n");
    let wanted = model.detail_wanted().unwrap();
    assert_eq!((wanted.pid, wanted.keys), (Some(4), "pid,comm,syscall,path"));
    assert_eq!(wanted.conditions[0], "name == \"read\"");
    assert!(picture(&mut model, 80, 24)[4].starts_with("looking at single calls"));
    let (key, tally) = row(4, "cat", "read", "", 7);
    let file = SampleKey { path: "/etc/passwd".into(), ..key };
    model.count_detail(Sample { length: SECOND, rows: vec![(file, tally)] }, |_| None);
    assert!(picture(&mut model, 80, 24)[4].ends_with(" /etc/passwd"));
    press(&mut model, "\n");
    assert_eq!(model.screen().tab, Tab::Callers);
    assert_eq!(model.detail_wanted().unwrap().keys, "pid,comm,syscall,path,caller");
    press(&mut model, "<<<");
    assert_eq!((model.screen().tab, model.detail_wanted()), (Tab::Processes, None));
    // The row that was gone into is still the chosen one.
    assert_eq!(model.chosen(&model.lines()), 1);
    press(&mut model, "<<");
    assert_eq!(model.screen().tab, Tab::Processes);
}

#[test]
fn callers_are_of_one_process() {
    let mut model = model();
    press(&mut model, "7");
    assert_eq!(model.screen().tab, Tab::Processes);
    assert!(model.message.is_some());
    press(&mut model, "\n7");
    assert_eq!((model.screen().tab, model.screen().scope.pid), (Tab::Callers, Some(812)));
}

#[test]
fn rows_are_sorted() {
    let mut model = model();
    let pids = |model: &Model| model.lines().iter().map(|line| line.key.pid).collect::<Vec<_>>();
    assert_eq!(pids(&model), [812, 4]);
    press(&mut model, "s");
    assert_eq!((model.screen().sort, pids(&model)), (Sort::Errors, vec![4, 812]));
    press(&mut model, "r");
    assert_eq!(pids(&model), [812, 4]);
    press(&mut model, "rS");
    assert_eq!((model.screen().sort, pids(&model)), (Sort::Calls, vec![812, 4]));
    press(&mut model, "S");
    assert_eq!((model.screen().sort, pids(&model)), (Sort::Name, vec![4, 812]));
}

#[test]
fn a_chosen_row_stays_chosen() {
    let mut model = model();
    press(&mut model, "v");
    let mut other = sample();
    other.rows.push(row(4, "cat", "close", "", 90_000));
    model.count(other, |_| None);
    let lines = model.lines();
    assert_eq!((lines[0].key.pid, model.chosen(&lines)), (4, 0));
}

#[test]
fn filters() {
    let mut model = model();
    press(&mut model, "/comm == \"cat\"\n");
    assert_eq!(model.lines().len(), 1);
    assert_eq!(model.detail_wanted(), None);
    press(&mut model, "/");
    assert_eq!(model.typing.as_deref(), Some("comm == \"cat\""));
    press(&mut model, "<");
    assert_eq!((model.typing.as_deref(), model.lines().len()), (None, 1));
    press(&mut model, "/ )\n");
    assert!(
        model.message.as_deref().is_some_and(|told| told.contains("')' is not expected here")),
        "{:?}",
        model.message
    );
    assert!(model.filter.is_some());
    press(&mut model, "/");
    assert_eq!(model.typing.as_deref(), Some("comm == \"cat\" )"));
    press(&mut model, "<<");
    assert!(model.filter.is_none() && model.lines().len() == 2);
    // The kernel does not count by durations.
    model.set_filter(Some(Filter::parse("duration > duration(\"1ms\")").unwrap()));
    let wanted = model.detail_wanted().unwrap();
    assert_eq!((wanted.keys, wanted.conditions.len()), ("pid,comm,syscall,errno", 1));
    assert_eq!(model.seen().1, ["duration > duration(\"1ms\")"]);
}

#[test]
fn pause_and_totals() {
    let mut model = model();
    press(&mut model, "p");
    model.count(sample(), |_| None);
    assert!(picture(&mut model, 80, 24)[0].contains("[paused]"));
    press(&mut model, "pt");
    model.count(sample(), |_| None);
    let seen = picture(&mut model, 80, 24);
    assert!(seen[0].contains("15,020 calls in 2.00 s"), "{seen:#?}");
    assert!(seen[4].starts_with("    15,000"), "{seen:#?}");
}

#[test]
fn what_the_model_cannot_do_itself() {
    let mut model = model();
    assert_eq!(press(&mut model, "qw"), [Action::Quit, Action::Record]);
    let with_control = |model: &mut Model, c| handle(model, KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL), 24);
    press(&mut model, "/x");
    for (c, action) in [('c', Action::Interrupt), ('z', Action::Suspend), ('l', Action::Redraw)] {
        assert_eq!(with_control(&mut model, c), action);
    }
    // Letters of an expression are no commands.
    assert_eq!(press(&mut model, "qw"), [Action::None, Action::None]);
    assert_eq!(model.typing.as_deref(), Some("xqw"));
}

/// A machine may have millions of short processes.
#[test]
fn memory_is_bounded() {
    let mut model = Model::new("the machine".into(), true);
    for round in 0..50 {
        let rows = (0..2000).map(|pid| row(round * 2000 + pid, "sh", "read", "", 1)).collect();
        model.count(Sample { length: SECOND, rows }, |_| None);
    }
    assert!(model.base.forgot);
    assert!(model.lines().len() <= 1 << 15);
    assert!(model.lines().iter().any(|line| line.key.pid == 99_999));
}

#[test]
fn quotes_in_names_do_not_end_conditions() {
    let mut model = Model::new("x".into(), false);
    model.count(Sample { length: SECOND, rows: vec![row(1, "a", "x\" || \"", "", 1)] }, |_| None);
    press(&mut model, "2\n");
    assert_eq!(model.seen().1, ["name == \"x\\\" || \\\"\""]);
}
