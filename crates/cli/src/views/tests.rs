//! Each declaration is consistent with what follows from it.

#[path = "../../tests/hostile/fixtures.rs"]
mod fixtures;

use super::*;
use crate::flags::flag::{Arg, Flag, Value};
use crate::flags::{help, options_of};
use std::path::{Path, PathBuf};
use stride_filter::Quiet;
use stride_session::options::Interruptible;
use stride_session::{Files, Needs, Options, Use};

/// A directory of the test's own, which is removed at the end.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let dir = std::env::temp_dir().join(format!("stride-views-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        Dir(dir)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The options of views that name files.
fn of_files() -> Vec<(&'static Flag, Use)> {
    let mut all = Vec::new();
    for view in ALL {
        for flag in view.flags().iter().filter(|flag| matches!(flag.value, Value::File | Value::Recording)) {
            let long = flag.long.unwrap();
            let file = view.files().iter().find(|file| file.long == long);
            all.push((flag, file.unwrap_or_else(|| panic!("--{long} names a file that is not declared")).how));
        }
        let flags: Vec<_> = view.flags().iter().filter_map(|flag| flag.long).collect();
        for file in view.files() {
            assert!(flags.contains(&file.long), "there is no option --{}", file.long);
        }
    }
    assert!(all.len() >= 6);
    all
}

fn open(options: &Options) -> Result<Files, String> {
    Files::open(&named_files(options)).map_err(|e| e.to_string())
}

/// Options for a command that name these files.
fn naming(files: &[(&str, &Path)]) -> Options {
    let words: Vec<String> = files.iter().map(|(long, path)| format!("--{long}={}", path.display())).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).chain(["x"]).collect();
    options_of(&words)
}

#[test]
fn no_file_is_used_twice() {
    let dir = Dir::new("twice");
    let path = dir.0.join("file.html");
    std::fs::write(&path, "").unwrap();
    let files = of_files();
    for (i, (flag, how)) in files.iter().enumerate() {
        let long = flag.long.unwrap();
        for (other, other_how) in
            files[..i].iter().map(|(flag, how)| (flag.long.unwrap(), how)).chain([("output", how)])
        {
            let options = naming(&[(long, &path), (other, &path)]);
            let both_read = matches!((how, other_how), (Use::Reads, Use::Reads)) && other != "output";
            match open(&options) {
                Ok(_) => assert!(both_read, "--{long} and --{other} share a file"),
                Err(message) => {
                    assert!(!both_read && message.contains("name the same file"), "{message}");
                    assert!([long, other].iter().all(|long| message.contains(&format!("--{long}"))), "{message}");
                }
            }
        }
    }
}

#[test]
fn each_file_that_is_written_is_told_of() {
    let dir = Dir::new("told");
    for (flag, how) in of_files() {
        let long = flag.long.unwrap();
        let path = dir.0.join(format!("{long}.html"));
        let files = open(&naming(&[(long, &path)]));
        let mut files = files.unwrap();
        let notices = files.completion_notices();
        assert_eq!(notices.sentences(7), [""; 0], "nothing was written");
        let target = files.take(long);
        assert_eq!(
            (target.is_some(), path.exists()),
            (matches!(how, Use::Writes(_)), matches!(how, Use::Writes(_))),
            "--{long}"
        );
        if let Some(target) = target {
            target.written.set(1 << 20);
            let message = notices.sentences(7);
            assert!(message.len() == 1 && message[0].starts_with(&format!("{}: ", path.display())), "{message:?}");
            assert!(
                message[0].contains("7 calls") && message[0].contains("1.00 MiB") && message[0].contains("; "),
                "{message:?}"
            );
        }
    }
}

#[test]
fn each_option_that_names_a_file_is_taken_in_and_documented() {
    let usage = help::usage();
    for (flag, _) in of_files() {
        let long = flag.long.unwrap();
        let Arg::Required(name) = flag.arg else { panic!("--{long} needs no file") };
        assert!(usage.contains(&format!("--{long}={name}")), "--{long} is not in --help");
        assert!(flag.own, "--{long} would make abbreviations of strace's options ambiguous");
        let options = naming(&[(long, Path::new("there.html"))]);
        assert_eq!(options.views.path(long), Some(Path::new("there.html")), "--{long}");
        assert!(names_files(&options.views), "--{long}");
        // The trace is elsewhere, so attach messages are left out and CTRL-C belongs to the command.
        assert!(options.is_quiet(Quiet::Attach) && options.spec.interruptible == Interruptible::Never, "--{long}");
    }
}

/// Each view that an option asks for is wanted, and declares its needs.
#[test]
fn each_view_can_be_had() {
    let words = [
        ["-c"],
        ["-C"],
        ["--by=comm"],
        ["--by=path"],
        ["--json"],
        ["--advise"],
        ["--top"],
        ["--tree"],
        ["--inputs"],
        ["--harden=systemd"],
        ["--time-by=process"],
        ["--export=prometheus://:9464"],
    ];
    let mut lines: Vec<Options> =
        words.iter().map(|words| options_of(&[words[0], "x"])).chain([options_of(&["x"])]).collect();
    lines.extend(of_files().iter().map(|(flag, _)| naming(&[(flag.long.unwrap(), Path::new("there.html"))])));
    for view in ALL {
        let asking: Vec<&Options> = lines.iter().filter(|options| view.destination(options).is_some()).collect();
        assert!(!asking.is_empty(), "no option asks for a view");
        for options in asking {
            let needs = view.needs(options);
            assert!(needs.calls || needs.counting.is_some(), "a view is made of calls: {needs:?}");
            // The tracker of a partial trace needs the calls that name things.
            assert!(needs.tracker || !needs.naming_calls, "{needs:?}");
            assert_eq!(needs.clone().and(Needs::default()), needs);
            assert_eq!(Needs::default().and(needs.clone()), needs);
        }
    }
}

/// tests/hostile/ shows hostile input in every view. A view without a fixture there would not be looked at.
#[test]
fn each_view_is_shown_hostile_input() {
    let of_fixture = |fixture: &fixtures::Fixture| options_of(&[fixture.options, &["x"]].concat());
    let lines: Vec<Options> = fixtures::FIXTURES.iter().map(of_fixture).collect();
    for (place, view) in ALL.iter().enumerate() {
        let what = || match view.flags().iter().find_map(|flag| flag.long) {
            Some(long) => format!("the view of --{long}"),
            None => format!("view {place}"),
        };
        let asking: Vec<&Options> = lines.iter().filter(|options| view.destination(options).is_some()).collect();
        assert!(!asking.is_empty(), "{} has no fixture in tests/hostile/fixtures.rs", what());
        for flag in view.flags().iter().filter(|flag| matches!(flag.value, Value::File | Value::Recording)) {
            let long = flag.long.unwrap();
            let named = asking.iter().any(|options| options.views.path(long).is_some());
            assert!(named, "--{long} has no fixture in tests/hostile/fixtures.rs");
        }
        for format in asking.iter().flat_map(|options| view.formats(options)) {
            let shown = asking.iter().any(|options| options.report_format() == *format);
            assert!(shown, "{} has no fixture for {format:?} in tests/hostile/fixtures.rs", what());
        }
    }
}

#[test]
fn what_takes_the_place_of_the_text() {
    let shown = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wanted = Wanted::of(&options_of(&words));
        (wanted.shows_trace(), wanted.outlives_trace())
    };
    for (line, expected) in [
        ("x", (true, false)),
        ("-C x", (true, false)),
        ("-c x", (false, true)),
        ("--by=path -o y x", (false, true)),
        ("--json x", (true, false)),
        ("--json -C x", (true, false)),
        ("--json -c x", (false, true)),
        ("--advise -o y x", (false, true)),
        ("--json --advise x", (false, true)),
        ("--diff=r -o y x", (false, true)),
        ("--budget=b x", (false, true)),
        ("--budget-write=b x", (false, true)),
        ("--budget-write=b -o y x", (true, true)),
        ("--record=r x", (false, true)),
        ("--record=r -o y x", (true, true)),
        ("--record=r --json x", (true, true)),
        ("--perfetto=p x", (false, true)),
        ("--replay=r", (true, false)),
        ("--replay=r --perfetto=p", (false, true)),
        ("--replay=r --perfetto=p -o y", (true, true)),
        ("--html=h -c -o y x", (false, true)),
        ("--export=prometheus:p x", (false, true)),
        ("--export=prometheus:p -o y x", (true, true)),
    ] {
        assert_eq!(shown(line), expected, "{line}");
    }
}

#[test]
fn what_the_engine_is_asked_for() {
    let needs = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        Wanted::of(&options_of(&words)).needs
    };
    let text = needs("x");
    assert!(text.calls && text.entries && text.signals && text.memory && !text.tracker && !text.times, "{text:?}");
    assert!(needs("-T x").times && needs("-r x").times && needs("-t x").times);
    assert!(needs("-y x").descriptors && needs("-Y x").process_ids);
    assert!(!needs("-n x").all_calls && needs("-n -e trace=read x").all_calls);
    let counted = needs("-c x");
    assert!(!counted.calls && !counted.entries && !counted.memory && !counted.tracker && counted.times, "{counted:?}");
    assert!(counted.counting.is_some() && counted.system_times && !needs("-cw x").system_times);
    assert!(needs("-C x").calls && needs("-C x").counting.is_some());
    let by_path = needs("--by=path -e trace=read x");
    assert!(by_path.counting.is_none() && by_path.memory && by_path.tracker && by_path.all_calls, "{by_path:?}");
    assert!(needs("--by=comm x").thread_names && !needs("--by=pid x").memory && needs("--by=pid x").tracker);
    let page = needs("--html=h x");
    assert!(page.tracker && page.naming_calls && page.thread_names && page.times && !page.system_times, "{page:?}");
    let metrics = needs("--export=prometheus:p x");
    assert!(!metrics.calls && !metrics.entries && metrics.counting.is_some(), "{metrics:?}");
    let both = needs("-c --by=pid --export=prometheus:p x").counting.unwrap();
    assert!(both.by.pid && both.by.comm && both.latencies && both.intervals, "{both:?}");
    assert!(needs("-c --export=prometheus:p x").counting.is_some_and(|of| of.cpu_time && !of.estimated));
    assert!(needs("-C -o y --export=prometheus:p x").calls && needs("--waits --export=prometheus:p x").calls);
    let recording = needs("--record=r x");
    assert!(recording.system_times && recording.answers_noted && !page.answers_noted, "{recording:?}");
}
