//! The model, its keys and its picture, without a terminal.

mod navigation;

use crate::input::keys::{Action, handle};
use crate::lookup::wait_source::WaitingThread;
use crate::lookup::waits::{WaitEnd, WaitFor};
use crate::model::Model;
use crate::model::filter::Filter;
use crate::model::sample::{OffCpu, Reason, Sample, SampleKey, SampleTally};
use crate::model::scope::TopScope;
use crate::model::tables::{Sort, Tab};
use crate::screen::colors::TopColors;
use crate::screen::draw::{draw, table_height};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use stride_test_support::noise::Noise;
use stride_track::Cause;

const SECOND: u64 = 1_000_000_000;

fn row(pid: i32, comm: &str, call: &str, errno: &str, calls: u64) -> (SampleKey, SampleTally) {
    let key = SampleKey { pid, comm: comm.into(), call: call.into(), errno: errno.into(), ..SampleKey::default() };
    let errors = if errno.is_empty() { 0 } else { calls };
    let (time, longest) = (calls * 1000, calls * 100);
    (key, SampleTally { calls, errors, bytes: calls * 10, time, longest, ..SampleTally::default() })
}

fn sample() -> Sample {
    let rows = vec![
        row(812, "redis-server", "read", "", 5000),
        row(812, "io_thd_1", "epoll_wait", "", 2500),
        row(4, "cat", "openat", "ENOENT", 3),
        row(4, "cat", "read", "", 7),
    ];
    Sample { length: SECOND, rows, ..Sample::default() }
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

/// The picture with its colours.
fn painted(model: &mut Model, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let lines = model.lines();
    let rows = table_height(model, height);
    model.scroll(&lines, rows);
    terminal.draw(|frame| draw(model, &lines, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// The lines of the picture, without blanks at their ends.
fn picture(model: &mut Model, width: u16, height: u16) -> Vec<String> {
    let buffer = painted(model, width, height);
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(line).collect()
}

#[test]
fn processes_in_80_by_24() {
    let mut model = model();
    model.processes.pretend(812, 1234, "redis");
    model.processes.pretend(4, 4, "a-very-long-user");
    let seen = picture(&mut model, 80, 24);
    assert_eq!(seen[0], "stride --top: the machine  7,510 calls/s, 3.0 errors/s");
    assert_eq!(seen[1], "1 Processes 2 Calls 3 Files 4 Sockets 5 Errors 6 Slowest 7 Callers 8 Waits");
    assert_eq!(seen[3], "    CALLSv LAST 8 S   ERRORS   CPU      TIME PID     USER     COMMAND");
    assert_eq!(seen[4], "     7,500        █           123%   7.50 ms 812     redis    redis-server");
    assert_eq!(seen[5], "        10        █      3.0  0.4%   10.0 µs 4       a-..user cat");
    assert_eq!(seen[6], "");
    assert_eq!(seen[23], "F1 help  q quit  Enter in  Esc back  / filter  s sort  p pause  g graph  t total");
    // Where there is room, there are more columns; in a recording, /proc knows nothing about its processes.
    let seen = picture(&mut model, 100, 24);
    assert_eq!(seen[3], "    CALLSv LAST 8 S   ERRORS   CPU      TIME   LONGEST      BYTES PID     USER     COMMAND");
    model.live = false;
    let seen = picture(&mut model, 80, 24);
    assert_eq!(seen[3], "    CALLSv LAST 8 S   ERRORS      TIME   LONGEST      BYTES PID     COMMAND");
    // Few columns are left of the others.
    let seen = picture(&mut model, 40, 10);
    assert_eq!(seen[0], "the machine  7,510 calls/s, 3.0 errors/s");
    assert_eq!(seen[1], "1 Processes  2  3  4  5  6  7  8");
    assert_eq!(seen[3], "    CALLSv   ERRORS PID     COMMAND");
    assert_eq!(seen[9], "F1 help  q quit  Enter in  Esc back");
}

/// The column by which rows are sorted is never left out.
#[test]
fn the_order_is_explained() {
    let mut model = model();
    for (sort, title) in
        [(Sort::Bytes, "BYTESv"), (Sort::Longest, "LONGESTv"), (Sort::Cpu, "CPUv"), (Sort::Name, "COMMANDv")]
    {
        model.screen_mut().sort = sort;
        for width in [40, 80] {
            assert!(picture(&mut model, width, 24)[3].contains(title), "{sort:?} {width}");
        }
    }
}

/// Numbers stand in the table without colours, too.
#[test]
fn colours_are_on_top() {
    let mut model = model();
    model.processes.pretend(812, 950, "redis");
    let plain = picture(&mut model, 80, 24);
    let is_plain =
        |buffer: &Buffer| buffer.content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset);
    assert!(is_plain(&painted(&mut model, 80, 24)));
    model.colors = TopColors { on: true };
    assert_eq!(picture(&mut model, 80, 24), plain);
    press(&mut model, "v");
    let buffer = painted(&mut model, 80, 24);
    let of = |x, y| buffer[(x, y)].fg;
    // Three of ten calls of cat fail; it is the chosen row, though. The load of redis-server is high.
    assert_eq!((of(31, 4), of(27, 5), of(0, 0)), (Color::Red, Color::Reset, Color::Green));
    press(&mut model, "^");
    assert_eq!(painted(&mut model, 80, 24)[(26, 5)].fg, Color::Red);
}

#[test]
fn the_last_minute() {
    let mut model = model();
    let mut more = sample();
    more.rows[0].1.calls = 12_500;
    model.count(more, |_| None);
    let seen = picture(&mut model, 80, 24);
    assert_eq!(seen[0], "stride --top: the machine  15,010 calls/s, 3.0 errors/s  ▄█");
    assert_eq!(seen[4].get(..24), Some("    15,000       ▄█ "), "{seen:#?}");
    press(&mut model, "g");
    let seen = picture(&mut model, 80, 24);
    let right = |line: &str| line.chars().skip(70).collect::<String>();
    assert_eq!(seen[0], "stride --top: the machine  15,010 calls/s, 3.0 errors/s");
    assert!(seen[1].starts_with("calls/s     15,010 ") && seen[5].starts_with("errors/s       3.0 "), "{seen:#?}");
    assert_eq!(
        seen[1..8].iter().map(|line| right(line)).collect::<Vec<_>>(),
        ["        █", "        █", "       ██", "       ██", "       ██", "       ██", "      now",]
    );
    assert!(seen[7].trim_start().starts_with("60 s ago"), "{seen:#?}");
    assert!(seen[8].starts_with("1 Processes") && seen[11].contains("15,000"), "{seen:#?}");
    // A table of other calls has another minute.
    press(&mut model, "v\n");
    assert!(picture(&mut model, 80, 24)[1].starts_with("calls/s         10 "));
    press(&mut model, "<g");
    assert!(picture(&mut model, 80, 24)[1].starts_with("1 Processes"));
    // A tall terminal has room for both.
    model.graph = None;
    assert!(picture(&mut model, 80, 40)[1].starts_with("calls/s"));
}

#[test]
fn keys_are_listed() {
    let mut model = model();
    handle(&mut model, KeyEvent::new(KeyCode::F(1), KeyModifiers::NONE), 24);
    let seen = picture(&mut model, 80, 24);
    assert!(seen[3].starts_with("Up, Down") && seen[22].starts_with("q   "), "{seen:#?}");
    // The list is longer than a small terminal.
    let last = |model: &mut Model| picture(model, 40, 10)[8].clone();
    assert!(!last(&mut model).contains("leaves it"));
    for _ in 0..100 {
        press(&mut model, "v");
    }
    assert!(last(&mut model).contains("leaves it"), "{:?}", picture(&mut model, 40, 10));
    press(&mut model, "x");
    assert_eq!(model.help, None);
    press(&mut model, "?");
    assert_eq!(model.help, Some(0));
}

#[test]
fn tab_completes_fields() {
    let mut model = model();
    let tab = |model: &mut Model, code| _ = handle(model, KeyEvent::new(code, KeyModifiers::NONE), 24);
    press(&mut model, "/ret == 0 && f");
    tab(&mut model, KeyCode::Tab);
    assert_eq!(model.typing.as_deref(), Some("ret == 0 && fd.kind"));
    tab(&mut model, KeyCode::Tab);
    assert_eq!(model.typing.as_deref(), Some("ret == 0 && fd.peer"));
    tab(&mut model, KeyCode::BackTab);
    press(&mut model, " == \"so");
    tab(&mut model, KeyCode::Tab);
    assert_eq!(model.typing.as_deref(), Some("ret == 0 && fd.kind == \"socket"));
    press(&mut model, "\" && dur");
    assert!(picture(&mut model, 80, 24)[23].ends_with("   Tab: duration"));
    tab(&mut model, KeyCode::Tab);
    assert!(picture(&mut model, 80, 24)[23].ends_with("duration   time from entry to return"));
}

/// The end of a long expression is seen, with the cursor behind it, also if characters are wide or combine.
#[test]
fn the_end_of_an_expression_is_seen() {
    let mut model = model();
    press(&mut model, "/comm == \"日本語\u{301}\" && pid == 12345678901234567890");
    assert!(picture(&mut model, 30, 10)[9].ends_with("pid == 12345678901234567890"));
    let mut terminal = Terminal::new(TestBackend::new(100, 10)).unwrap();
    let lines = model.lines();
    terminal.draw(|frame| draw(&model, &lines, frame)).unwrap();
    let x = terminal.get_cursor_position().unwrap().x;
    assert_eq!(x as usize, "/comm == \"".len() + 6 + "\" && pid == 12345678901234567890".len());
}

/// Long sentences are not cut in narrow terminals.
#[test]
fn messages_have_several_lines() {
    let mut model = model();
    press(&mut model, "7");
    let seen = picture(&mut model, 40, 10);
    assert_eq!(seen[8..], ["Callers are those of one process: choose", "it in 1 Processes with Enter first."]);
}

#[test]
fn tab_passes_over_callers_of_all_processes() {
    let mut model = model();
    let tab = |model: &mut Model, code| _ = handle(model, KeyEvent::new(code, KeyModifiers::NONE), 24);
    let mut seen = Vec::new();
    for _ in 0..8 {
        tab(&mut model, KeyCode::Tab);
        seen.push(model.screen().tab);
    }
    assert_eq!(seen[4..], [Tab::Slowest, Tab::Waits, Tab::Processes, Tab::Calls]);
    tab(&mut model, KeyCode::BackTab);
    tab(&mut model, KeyCode::BackTab);
    assert_eq!(model.screen().tab, Tab::Waits);
}

fn waiting(pid: i32, comm: &str, call: &str, what: &str, end: WaitEnd) -> WaitingThread {
    let wait = WaitFor { what: what.into(), end };
    WaitingThread { pid, comm: comm.into(), call: call.into(), seen: 5 * SECOND, wait }
}

#[test]
fn a_wait_leads_to_the_process_that_is_waited_for() {
    let mut model = model();
    press(&mut model, "8");
    assert!(picture(&mut model, 80, 24)[4].starts_with("looking at threads"));
    let cat = WaitEnd::Process { pid: 4, comm: "cat".into(), more: String::new() };
    let idle = || WaitEnd::Unknown("any thread may signal a condition variable".into());
    model.waiting = Some(vec![
        waiting(9, "make", "wait4", "child 4 (cat)", cat),
        waiting(812, "redis-server", "futex", "condition 0x1", idle()),
        waiting(812, "redis-server", "futex", "condition 0x1", idle()),
        waiting(812, "redis-server", "read", "...", WaitEnd::Unasked),
    ]);
    let seen = picture(&mut model, 80, 24);
    assert_eq!(seen[0], "stride --top: the machine  4 threads wait");
    assert_eq!(seen[3], "SEEN FORv  THREADS PID     COMMAND         CALL        WAITS FOR");
    assert_eq!(seen[4], "   5.00 s        1 9       make            wait4       child 4 (cat)");
    assert_eq!(seen[5], "   5.00 s        2 812     redis-server    futex       condition 0x1");
    press(&mut model, "\n");
    let scope = TopScope { pid: Some(4), comm: Some("cat".into()), ..TopScope::default() };
    assert_eq!((model.screen().tab, &model.screen().scope), (Tab::Calls, &scope));
    let output = model.message.clone().unwrap();
    assert!(output.starts_with("make (9) waits for cat (4). "), "{output}");
    press(&mut model, "<v\n");
    assert_eq!(model.screen().tab, Tab::Waits);
    let output = model.message.clone().unwrap();
    assert!(output.contains("redis-server (812) waits for is not known: any thread may signal"), "{output}");
    press(&mut model, "v\n");
    assert!(model.message.as_deref().is_some_and(|output| output.contains("has not looked yet")));
    // A process has its own waits only, and a filter by names holds for waits, too.
    press(&mut model, "1v\n8");
    assert_eq!(model.lines().len(), 0);
    press(&mut model, "<8/comm == \"make\"\n");
    assert_eq!(model.lines().iter().map(|line| line.key.pid).collect::<Vec<_>>(), [9]);
}

/// With `--waits`, columns have the shares of the time, and a line has the reasons of the chosen process.
#[test]
fn measured_waits() {
    let mut model = Model::new("x".into(), false);
    let mut waits = sample();
    waits.rows[0].1 = SampleTally { blocked: 4_500_000, runnable: 100_000, ..waits.rows[0].1 };
    let reason = |why| Reason { pid: 812, why };
    waits.reasons = vec![
        (reason(OffCpu::NoCpu), 100_000),
        (reason(OffCpu::Cause(Cause::Socket)), 800_000),
        (reason(OffCpu::Cause(Cause::Other)), 100_000),
        (reason(OffCpu::Waker("redis-benchmark sendto".into())), 800_000),
        (Reason { pid: 4, why: OffCpu::NoCpu }, 7),
    ];
    model.count(waits.clone(), |_| None);
    // Nothing is shown that was not measured.
    assert!(!picture(&mut model, 100, 24)[3].contains("BLOCKED"));
    assert!(!model.sorts().contains(&Sort::Blocked));
    model.measured = true;
    let seen = picture(&mut model, 120, 24);
    assert_eq!(
        seen[2],
        "all calls   812 waits for the other end of a socket 80%, a CPU between its calls 10%, something else 10%; woken by redis"
    );
    assert!(seen[3].contains("     TIME  BLOCKED  NO CPU   LONGEST "), "{seen:#?}");
    assert!(seen[4].contains("  7.50 ms      60%    1.3%    500 µs "), "{seen:#?}");
    press(&mut model, "v");
    assert_eq!(picture(&mut model, 120, 24)[2], "all calls   4 waits for a CPU between its calls 100%");
    press(&mut model, "^\n");
    let seen = picture(&mut model, 120, 24);
    assert!(seen[2].starts_with("redis-server (812)   waits for the other end of a socket 80%"), "{seen:#?}");
    // All since the start.
    model.count(waits, |_| None);
    press(&mut model, "t");
    let reasons = model.reasons(812);
    assert!(reasons.contains(&(OffCpu::Cause(Cause::Socket), 1_600_000)), "{reasons:?}");
    assert!(model.sorts().contains(&Sort::Runnable));
}

/// From a call that does nothing but wait, there is no way to files.
#[test]
fn calls_that_wait_lead_to_waits() {
    let mut model = model();
    press(&mut model, "\n");
    press(&mut model, "v\n");
    assert_eq!((model.screen().tab, model.screen().scope.pid), (Tab::Waits, Some(812)));
    assert_eq!(model.detail_wanted(), None);
    press(&mut model, "<^\n");
    assert_eq!(model.screen().tab, Tab::Files);
}

#[test]
fn every_size_can_be_drawn() {
    let mut model = model();
    for keys in ["", "g", "\n", "5", "6", "3", "8", "?", "?p", "7", "/pid == 12345678901234567890"] {
        press(&mut model, keys);
        for (width, height) in
            [(10, 3), (1, 1), (0, 0), (3, 24), (80, 2), (80, 1), (200, 60), (20, 5), (79, 6), (40, 10), (25, 17)]
        {
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
