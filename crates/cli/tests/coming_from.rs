//! The lines of docs/coming-from.md do what the document says.

mod common;

use common::*;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const DOCUMENT: &str = include_str!("../../../docs/coming-from.md");

/// A command that succeeds and fails.
const PROG: &str = "/bin/cat /etc/hostname nothing";

/// A process that does a bit of everything again and again.
const TARGET: &str = r#"$SIG{CHLD} = 'DEFAULT'; while (1) { open(F, "</etc/hostname"); my $x = <F>; close(F);
    open(F, "<nothing"); open(W, ">/dev/null"); syswrite(W, "some text\n"); close(W); kill(0, $$); system("/bin/true");
    select(undef, undef, undef, 0.012); }"#;

struct Row {
    stride: String,
    shows: String,
}

/// The rows of the tables that have four columns.
fn rows() -> Vec<Row> {
    let lines = DOCUMENT.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| to see"));
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim_matches('|').replace(r"\|", "\u{1}");
        line.split('|').map(|cell| cell.replace('\u{1}', "|").trim().to_owned()).collect()
    };
    let code = |cell: &str| cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`')).unwrap_or("").to_owned();
    let rows = lines.map(|line| match &cells(line)[..] {
        [_, _, stride, shows] => Row { stride: code(stride), shows: code(shows) },
        other => panic!("{} columns: {line}", other.len()),
    });
    rows.collect()
}

impl Row {
    /// True if the line traces the whole machine, which only the eBPF engine can do.
    fn is_of_machine(&self) -> bool {
        ["--all", "--comm"].iter().any(|option| self.stride.contains(option))
    }

    /// The line for a shell, with an end.
    fn line(&self, pid: u32, engine: &str) -> String {
        let mut words = self.stride.strip_prefix("stride ").expect("a line of Stride's").to_owned();
        let mut first = String::new();
        if let Some(rest) = words.strip_prefix("--style=truss ") {
            first = "--style=truss ".into();
            words = rest.to_owned();
        }
        let words: Vec<&str> = words.split(' ').filter(|word| !word.starts_with("--for=")).collect();
        let endless = self.is_of_machine() || self.stride.contains("PID");
        // The files of code are read first, which takes a moment.
        let stacks = ["--by=caller", "--by=stack", "-k "].iter().any(|option| self.stride.contains(option));
        let until = match (endless, stacks) {
            (true, true) => "--for=5s ",
            (true, false) => "--for=1s ",
            (false, _) => "",
        };
        let engine = if self.is_of_machine() { String::new() } else { format!("{engine} ") };
        let line = format!("stride {first}{engine}{until}{}", words.join(" "));
        line.replace("PID", &pid.to_string()).replace("PROG", PROG)
    }
}

#[test]
fn each_line_shows_what_it_should() {
    need!("/bin/cat");
    if Command::new("perl").args(["-e", "1"]).status().is_err() {
        skip!("perl is not here");
    }
    let scratch = Scratch::new("coming-from");
    std::os::unix::fs::symlink(STRIDE, scratch.path("stride")).unwrap();
    let path = format!("{}:{}", scratch.path("").display(), std::env::var("PATH").unwrap());
    let rows = rows();
    assert!(rows.len() > 70, "{}", rows.len());
    let mut runs: Vec<(&Row, &str)> = Vec::new();
    for engine in engines() {
        runs.extend(rows.iter().filter(|row| !row.is_of_machine()).map(|row| (row, *engine)));
    }
    if engines().len() == 2 {
        runs.extend(rows.iter().filter(|row| row.is_of_machine()).map(|row| (row, "")));
    }
    let target = || {
        let mut command = Command::new("perl");
        command.args(["-e", TARGET]).current_dir(scratch.path("")).stdin(Stdio::null());
        Killed(command.stderr(Stdio::null()).spawn().unwrap())
    };
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for worker in 0..3 {
            let (runs, next, wrong, scratch, path, target) = (&runs, &next, &wrong, &scratch, &path, &target);
            scope.spawn(move || {
                // ptrace allows one tracer, so each worker has a process of its own.
                let target = target();
                let dir = scratch.path(&format!("worker{worker}"));
                std::fs::create_dir(&dir).unwrap();
                while let Some((row, engine)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let line = row.line(target.0.id(), engine);
                    let mut command = Command::new("sh");
                    command.args(["-c", &line]).current_dir(&dir).env("PATH", path).env("LC_ALL", "C");
                    let run = Run::of(command);
                    let all = run.out.clone() + &run.err;
                    let accepted = matches!(run.code(), Some(0 | 1)) && !all.contains("for more information");
                    if !accepted || !all.contains(&row.shows) {
                        let text: String = all.chars().take(1500).collect();
                        wrong.lock().unwrap().push(format!("{line}\n  does not show {:?}: {text}", row.shows));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
