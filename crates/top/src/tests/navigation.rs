//! From table to table, filters, and the actions that the model leaves to the view.

use super::*;

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
    model.count_detail(Sample { length: SECOND, rows: vec![(file, tally)], ..Sample::default() }, |_| None);
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
        model.message.as_deref().is_some_and(|output| output.contains("')' is not expected here")),
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
        model.count(Sample { length: SECOND, rows, ..Sample::default() }, |_| None);
    }
    assert!(model.base.forgot);
    assert!(model.lines().len() <= 1 << 15);
    assert!(model.lines().iter().any(|line| line.key.pid == 99_999));
}

#[test]
fn quotes_in_names_do_not_end_conditions() {
    let mut model = Model::new("x".into(), false);
    model.count(Sample { length: SECOND, rows: vec![row(1, "a", "x\" || \"", "", 1)], ..Sample::default() }, |_| None);
    press(&mut model, "2\n");
    assert_eq!(model.seen().1, ["name == \"x\\\" || \\\"\""]);
}

/// Keys in any order, samples of any length and terminals of any size.
#[test]
fn nothing_is_assumed_about_keys_and_sizes() {
    let mut noise = Noise(7);
    let mut below = move |n: u64| noise.number() % n;
    let mut model = model();
    model.colors = TopColors { on: true };
    let codes = [
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Backspace,
        KeyCode::F(1),
    ];
    let letters: Vec<char> = "12345678sSrgtp/?fd. =\"日\u{301}q\n".chars().collect();
    for _ in 0..3000 {
        let (width, height) = (below(130) as u16, below(50) as u16);
        let code = match below(3) {
            0 => codes[below(codes.len() as u64) as usize],
            _ => KeyCode::Char(letters[below(letters.len() as u64) as usize]),
        };
        handle(&mut model, KeyEvent::new(code, KeyModifiers::NONE), height);
        match below(8) {
            0 => {
                let rows = (0..below(60)).map(|pid| row(pid as i32, "many", "read", "", below(1 << 40)));
                let rows = rows.collect();
                model.count(Sample { length: below(3) * SECOND, rows, ..Sample::default() }, |_| None);
            }
            1 => model.waiting = Some(vec![waiting(7, "a", "futex", "lock 0x1", WaitEnd::Unasked)]),
            2 => model.waiting = None,
            _ => {}
        }
        assert_eq!(picture(&mut model, width, height).len(), usize::from(height));
    }
}
