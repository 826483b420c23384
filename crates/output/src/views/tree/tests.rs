//! The tree as a whole, from made-up events.

use super::*;
use crate::Palette;
use stride_event::{Lost, Phase};
use stride_test_support::calls::{attached, call, exited, forked, holding, lasting, naming, spawned};

struct Run {
    view: TreeView,
    tracker: Tracker,
}

/// An execve(2) with these words and variables.
fn execve(tid: Tid, path: &[u8], argv: &[&[u8]], envp: &[&[u8]], at: Ns) -> Call {
    let mut made = naming(call(tid, "execve", &[0x1000, 0x2000, 0x3000], Outcome::Value(0)), 0x1000, path);
    let mut text = 0x10_0000_u64;
    for (array, strings) in [(0x2000, argv), (0x3000, envp)] {
        let mut words = Vec::new();
        for string in strings {
            words.extend_from_slice(&text.to_le_bytes());
            made = naming(made, text, string);
            text += 0x1_0000;
        }
        words.extend_from_slice(&[0; 8]);
        made = holding(made, Phase::Entry, array, &words);
    }
    lasting(made, at, 1_000)
}

impl Run {
    fn new(layout: TreeLayout) -> Run {
        let info = RunInfo { command_text: 4000, ..RunInfo::default() };
        Run { view: TreeView::new(layout, &info), tracker: Tracker::default() }
    }

    fn event(&mut self, event: &Event<'_>) {
        self.tracker.event(event, &());
        self.view.event(event, &self.tracker);
    }

    fn exec(&mut self, tid: Tid, argv: &[&[u8]], envp: &[&[u8]], at: Ns) {
        let path = [b"/bin/", argv[0]].concat();
        self.event(&Event::Exit(&execve(tid, &path, argv, envp, at)));
    }

    fn calls(&mut self, tid: Tid, ok: usize, failed: usize, at: Ns) {
        for i in 0..ok + failed {
            let outcome = if i < ok { Outcome::Value(0) } else { Outcome::Error(2) };
            self.event(&Event::Exit(&lasting(call(tid, "close", &[1], outcome), at, 10)));
        }
    }

    fn finish(mut self, lost: Lost) -> String {
        let end = End { tracker: &self.tracker, lost, with_source: &std::sync::Arc::clone };
        self.view.finish(&end)
    }
}

const MS: Ns = 1_000_000;

/// make(1) starts a shell that starts a compiler, and a child that executes nothing.
fn build(layout: TreeLayout) -> Run {
    let mut run = Run::new(layout);
    run.event(&spawned(10, 0));
    run.exec(10, &[b"make", b"-j2"], &[b"PATH=/bin", b"LANG=C"], 0);
    run.event(&forked(10, 11, 11, 10 * MS));
    run.exec(11, &[b"sh", b"-c", b"cc -c 'a b.c'"], &[b"PATH=/bin", b"CC=cc", b"LANG=de"], 11 * MS);
    run.calls(11, 3, 1, 12 * MS);
    run.event(&forked(11, 12, 12, 13 * MS));
    run.exec(12, &[b"cc", b"-c", b"a b.c"], &[b"PATH=/bin", b"CC=cc", b"LANG=de", b"_=/bin/cc"], 14 * MS);
    run.event(&forked(12, 13, 12, 15 * MS));
    run.calls(13, 2, 0, 16 * MS);
    run.event(&Event::Killed { tid: 12, signal: 11, core: true, at: 20 * MS });
    run.event(&Event::Exited { tid: 11, status: 2, at: 30 * MS });
    run.event(&forked(10, 14, 14, 40 * MS));
    run.event(&exited(14, 41 * MS));
    run.calls(10, 1200, 0, 45 * MS);
    run
}

#[test]
fn a_tree() {
    let mut run = build(TreeLayout::default());
    run.exec(10, &[b"make", b"-j3"], &[], 50 * MS);
    run.event(&exited(10, 60 * MS));
    let expected = "   \
   time  calls  errors  threads            end  pid  command
60.0 ms  1,202       0        1         exit 0   10  make -j3
                                                     │    before: make -j2
20.0 ms      5       1        1         exit 2   11  ├─ sh -c 'cc -c '\\''a b.c'\\'''
                                                     │  │    env: +CC ~LANG
7.00 ms      3       0        2  SIGSEGV (core)   12  │  └─ cc -c 'a b.c'
1.00 ms      0       0        1         exit 0   14  └─ (fork of make)
env: variables that differ from the parent's: + added, - removed, ~ changed
";
    let tree = run.finish(Lost::default());
    let words =
        |text: &str| text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>();
    assert_eq!(words(&tree), words(expected), "{tree}");
    // Columns are aligned.
    let at: Vec<_> = tree.lines().filter_map(|line| line.find(['├', '└'])).collect();
    assert!(at.len() == 3 && at[0] == at[2], "{tree}");
}

#[test]
fn lines_fit_the_terminal() {
    for width in [1, 20, 60, 70] {
        let tree = build(TreeLayout { width: Some(width), palette: None }).finish(Lost::default());
        for line in tree.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        assert!(tree.contains('…'), "{tree}");
    }
    let whole = build(TreeLayout::default()).finish(Lost::default());
    let wide = build(TreeLayout { width: Some(200), palette: None }).finish(Lost::default());
    assert_eq!(wide, whole);
    // Colours take no room.
    let painted = TreeLayout { width: Some(70), palette: Some(Palette::default()) };
    let painted = build(painted).finish(Lost::default());
    let plain = build(TreeLayout { width: Some(70), palette: None }).finish(Lost::default());
    assert!(painted.contains("\x1b[31m"), "{painted}");
    let mut bare = String::new();
    let mut rest = painted.as_str();
    while let Some((before, after)) = rest.split_once('\x1b') {
        bare.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    bare.push_str(rest);
    assert_eq!(bare, plain);
}

#[test]
fn hostile_names_stay_text() {
    let mut run = Run::new(TreeLayout::default());
    run.event(&spawned(1, 0));
    run.exec(1, &[b"a"], &[b"A=1"], 0);
    run.event(&forked(1, 2, 2, MS));
    let evil: &[u8] = b"\x1b]0;x\x07\n'\xff\xe2\x80\xae";
    run.exec(2, &[evil, evil], &[evil, b"B\r\n=2"], MS);
    let tree = run.finish(Lost { calls: 3, ..Lost::default() });
    assert!(!tree.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{tree:?}");
    assert!(tree.contains(r"$'\x1b]0;x\x07\n\'\xff\xe2\x80\xae'"), "{tree}");
    assert!(tree.contains(r"env: +\x1b]0;x"), "{tree}");
    assert!(tree.lines().last().unwrap().starts_with("... 3 calls were lost"), "{tree}");
    assert_eq!(tree.lines().count(), 6, "{tree}");
}

#[test]
fn processes_from_before_and_those_without_number() {
    let mut run = Run::new(TreeLayout::default());
    run.event(&attached(1, 0));
    for pid in 2..3000 {
        run.event(&forked(1, pid, pid, pid as Ns));
        run.event(&exited(pid, pid as Ns + 1));
    }
    let tree = run.finish(Lost::default());
    assert!(tree.lines().count() < 1100, "{}", tree.lines().count());
    assert!(tree.lines().nth(1).is_some_and(|line| line.ends_with("  []")), "{tree}");
    let last = tree.lines().last().unwrap();
    assert!(last.contains("└─ ... and ") && last.ends_with(" more processes"), "{last}");
    assert_eq!(Run::new(TreeLayout::default()).finish(Lost::default()), "No process was traced.\n");
}

/// Nobody ends, and all have long command lines.
#[test]
fn long_commands_of_the_living_are_bounded() {
    let mut run = Run::new(TreeLayout::default());
    run.event(&spawned(1, 0));
    let long = vec![b'x'; 3000];
    let words: Vec<&[u8]> = std::iter::once(&b"a"[..]).chain(std::iter::repeat_n(&long[..], 20)).collect();
    for pid in 2..100 {
        run.event(&forked(pid - 1, pid, pid, pid as Ns));
        run.exec(pid, &words, &[], pid as Ns);
    }
    let tree = run.finish(Lost::default());
    let longest = tree.lines().map(str::len).max().unwrap();
    assert!(longest < COMMAND + 4000 && tree.lines().nth(50).unwrap().ends_with(" …"), "{longest}");
}
