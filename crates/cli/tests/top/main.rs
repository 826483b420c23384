//! `--top` on a real terminal, which tmux provides.

#[path = "../common/mod.rs"]
mod common;
#[macro_use]
mod tmux;
mod colors;
mod pictures;
mod waits;

use common::*;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;
use tmux::{Tmux, wait_for_state};

/// The command makes calls for ever, with its own name.
const BUSY: &str = "./busyloop -c 'echo $$ > pid; while :; do for i in 1 2 3 4 5 6 7 8 9; do : < /dev/null; test -e nothing; done; sleep 0.01; done'";

fn with_busy(tmux: &Tmux) {
    copy_program("/bin/dash", tmux.scratch.path("busyloop"));
}

#[test]
fn a_program_is_looked_at_from_top_to_bottom() {
    need_tmux!();
    need!("/bin/dash");
    for &engine in engines() {
        let tmux = Tmux::new(&format!("top{engine}"), 80, 24);
        with_busy(&tmux);
        tmux.top(&format!("{engine} -f {BUSY}"));
        let screen =
            tmux.wait("row of the program", |screen| screen.contains("busyloop\n") && screen.contains("CALLSv"));
        assert!(screen.starts_with("stride --top: ./busyloop  "), "{screen}");
        // Its calls, and errors first.
        tmux.keys(&["Enter"]);
        tmux.wait("row of a call", |screen| screen.contains("busyloop (") && screen.contains(" openat\n"));
        tmux.keys(&["s"]);
        // (A screen may be looked at while it is drawn: its head may be new, and its rows old.)
        tmux.wait("order by errors", |screen| {
            screen.contains("ERRORSv") && screen.lines().nth(4).is_some_and(|row| row.contains("stat"))
        });
        // A filter.
        tmux.keys(&["/"]);
        tmux.run(&["send-keys", "-l", "name == \"openat\""]);
        tmux.wait("line of the filter", |screen| screen.contains("/name == \"openat\""));
        tmux.keys(&["Enter"]);
        tmux.wait("filtered rows", |screen| {
            screen.contains("filter: name") && screen.contains(" openat\n") && !screen.contains("stat\n")
        });
        // Pause: the numbers stand still. Totals.
        tmux.keys(&["p"]);
        tmux.wait("pause", |screen| screen.contains("[paused]"));
        let paused = tmux.settled();
        // Without the pause, there were other numbers by then.
        std::thread::sleep(std::time::Duration::from_millis(1500));
        assert_eq!(tmux.screen(), paused);
        tmux.keys(&["p", "t"]);
        tmux.wait("totals", |screen| !screen.contains("[paused]") && screen.contains(" calls in "));
        // The terminal shrinks, and grows again.
        tmux.run(&["resize-window", "-x", "10", "-y", "3"]);
        tmux.wait("small screen", |screen| screen.lines().count() <= 3 && screen.contains("openat"));
        tmux.run(&["resize-window", "-x", "80", "-y", "24"]);
        tmux.wait("large screen", |screen| screen.contains("1 Processes") && screen.contains(" openat\n"));
        tmux.keys(&["Escape"]);
        tmux.wait("processes", |screen| screen.contains("busyloop\n"));
        tmux.keys(&["q"]);
        tmux.is_restored();
        // The program runs on.
        tmux.type_line("kill $(cat pid) && echo 'ran' 'on'");
        tmux.wait("program that runs on", |screen| screen.contains("ran on"));
    }
}

/// Files and recordings are other Strides' work.
#[test]
fn files_and_recordings() {
    need_tmux!();
    need_ebpf!();
    need!("/bin/dash");
    let tmux = Tmux::new("top-files", 80, 24);
    with_busy(&tmux);
    tmux.top(&format!("-f {BUSY}"));
    tmux.wait("row of the program", |screen| screen.contains("busyloop\n") && screen.contains("CALLSv"));
    tmux.keys(&["Enter"]);
    tmux.wait("calls", |screen| screen.contains(" openat\n"));
    tmux.keys(&["3"]);
    tmux.wait("files", |screen| screen.contains(" /dev/null\n") && screen.contains("/nothing\n"));
    tmux.keys(&["w"]);
    tmux.wait("recording", |screen| screen.contains("[recording stride-"));
    let written = || {
        let files = std::fs::read_dir(tmux.scratch.path("")).unwrap();
        let named = files.flatten().filter(|file| file.file_name().to_string_lossy().ends_with(".rec"));
        named.map(|file| file.metadata().unwrap().len()).max().unwrap_or(0)
    };
    // More than the beginning.
    assert!(wait_for_state(|| written() > 4096), "{} bytes", written());
    tmux.keys(&["w"]);
    // The sentence may be broken anywhere.
    let message = |screen: &str| screen.split_whitespace().collect::<Vec<_>>().join(" ");
    tmux.wait("end of the recording", |screen| message(screen).contains("look at it with stride --replay="));
    tmux.keys(&["q"]);
    tmux.is_restored();
    // (A line that is typed before the prompt is there leaves a prompt behind itself, which would be taken for that after Stride.)
    tmux.type_line("kill $(cat pid); clear");
    tmux.wait("empty screen", |screen| screen.trim() == "ready>");
    // The recording is shown at once.
    tmux.top("--replay=$(echo stride-*.rec)");
    tmux.wait("totals of the recording", |screen| {
        screen.contains("[ended]") && screen.contains(" calls in ") && screen.contains("busyloop\n")
    });
    tmux.keys(&["q"]);
    tmux.is_restored();
}

/// A program that has started others before their files are looked at.
#[test]
fn files_of_children() {
    need_tmux!();
    need_ebpf!();
    need!("/bin/dash");
    let tmux = Tmux::new("top-children", 80, 24);
    with_busy(&tmux);
    // (Many calls about the file, so that its row is among the first. SIGINT does not end a child in the background; the loop ends with
    // the directory.)
    let child = "while test -e child; do for i in 1 2 3 4 5 6 7 8 9; do test -e /nothing/here; done; sleep 0.05; done";
    std::fs::write(tmux.scratch.path("child"), child).unwrap();
    // A name that is no text hides no process.
    copy_program("/bin/dash", tmux.scratch.path("").join(std::ffi::OsStr::from_bytes(b"odd\xff")));
    tmux.top("-f ./busyloop -c './odd* child & wait'");
    tmux.wait("row of the child", |screen| screen.contains(" odd\\377\n") && screen.contains("CALLSv"));
    tmux.keys(&["3"]);
    tmux.wait("file of the child", |screen| screen.contains(" /nothing/here\n"));
    tmux.keys(&["C-c"]);
    tmux.is_restored();
}

#[test]
fn the_machine_is_shown_and_the_terminal_always_restored() {
    need_tmux!();
    need_ebpf!();
    let tmux = Tmux::new("top-restored", 80, 24);
    let shown = |screen: &str| screen.starts_with("stride --top: the machine") && screen.contains("COMMAND");
    for (end, wait) in [("kill -TERM", false), ("kill -INT", false), ("C-c", true), ("q", true)] {
        tmux.top("");
        tmux.wait("view of the machine", shown);
        if wait {
            tmux.keys(&[end]);
        } else {
            let pane = tmux.run(&["display-message", "-p", "#{pane_pid}"]);
            let shell: u32 = pane.trim().parse().unwrap();
            let stride = first_child(shell).unwrap().to_string();
            assert!(Command::new("kill").arg(end.replace("kill ", "")).arg(&stride).status().unwrap().success());
        }
        tmux.is_restored();
    }
    // Suspended and continued.
    tmux.top("");
    tmux.wait("view of the machine", shown);
    tmux.keys(&["C-z"]);
    tmux.is_restored();
    tmux.type_line("fg");
    tmux.wait("view after fg", shown);
    tmux.keys(&["q"]);
    tmux.is_restored();
}

/// The result stays until it was read.
#[test]
fn a_program_that_ends() {
    need_tmux!();
    for &engine in engines() {
        let tmux = Tmux::new(&format!("top-ends{engine}"), 80, 24);
        tmux.top(&format!("{engine} --top-output=out sh -c 'echo hello; echo world >&2; exit 3'; echo status=$?"));
        tmux.wait("totals", |screen| screen.contains("[ended]") && screen.contains(" calls in "));
        tmux.keys(&["q"]);
        tmux.wait("status", |screen| screen.contains("status=3"));
        assert_eq!(std::fs::read_to_string(tmux.scratch.path("out")).unwrap(), "hello\nworld\n");
        tmux.is_restored();
    }
}

/// A name cannot write to the terminal.
#[test]
fn hostile_names() {
    need_tmux!();
    need!("/bin/dash");
    for &engine in engines() {
        let tmux = Tmux::new(&format!("top-hostile{engine}"), 120, 24);
        let name = "a\u{1b}[2Jb\u{202e}";
        copy_program("/bin/dash", tmux.scratch.path(name));
        std::fs::write(tmux.scratch.path("run"), "exec ./a* -c 'while :; do sleep 0.05; done'").unwrap();
        tmux.top(&format!("{engine} sh run"));
        let screen = tmux.wait("escaped name", |screen| screen.contains("a\\33[2Jb"));
        assert!(screen.contains("1 Processes"), "{screen}");
        tmux.keys(&["C-c"]);
        tmux.is_restored();
    }
}

#[test]
fn without_a_terminal() {
    let run = Command::new(STRIDE).args(["--top", "true"]).output().unwrap();
    let message = String::from_utf8_lossy(&run.stderr);
    assert!(message.contains("--top draws on the terminal, and standard output is none"), "{message}");
    for (options, what) in [
        (&["--top", "-c", "true"][..], "--top has the terminal to itself, and -c/--summary-only asks for other output"),
        (&["--top", "--json", "true"], "and --json asks for other output"),
        (&["--top", "-o", "x", "true"], "and -o/--output asks for other output"),
        (&["--top-output=x", "true"], "give --top as well"),
    ] {
        let run = Command::new(STRIDE).args(options).output().unwrap();
        let message = String::from_utf8_lossy(&run.stderr);
        assert!(message.contains(what), "{options:?}: {message}");
    }
}
