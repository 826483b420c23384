//! `--top` on a real terminal, which tmux provides.

mod common;

use common::*;
use std::process::Command;

/// A terminal with a shell in it.
struct Tmux {
    scratch: Scratch,
}

/// The test needs tmux, and the eBPF engine to see the machine.
macro_rules! need_tmux {
    () => {
        if Command::new("tmux").arg("-V").output().is_err() {
            skip!("tmux is not installed (make setup)");
        }
    };
}

impl Tmux {
    fn new(name: &str, width: u32, height: u32) -> Tmux {
        let tmux = Tmux { scratch: Scratch::new(name) };
        let size = [width.to_string(), height.to_string()];
        tmux.run(&["-f", "/dev/null", "new-session", "-d", "-x", &size[0], "-y", &size[1], "env", "PS1=ready> ", "sh"]);
        tmux.wait("a prompt", |screen| screen.contains("ready>"));
        tmux
    }

    fn run(&self, args: &[&str]) -> String {
        let socket = self.scratch.path("tmux");
        let mut command = Command::new("tmux");
        command.arg("-S").arg(socket).args(args).current_dir(self.scratch.path("")).env_remove("TMUX");
        let output = command.env("TERM", "xterm").output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    #[track_caller]
    fn wait(&self, what: &str, mut shows: impl FnMut(&str) -> bool) -> String {
        let mut last = String::new();
        let seen = wait_for_state(|| {
            last = self.screen();
            shows(&last)
        });
        assert!(seen, "no {what}:\n{last}");
        last
    }

    /// The screen when nothing draws on it: two looks show the same. A single look may come while the screen is drawn.
    #[track_caller]
    fn settled(&self) -> String {
        let mut before = self.screen();
        self.wait("still screen", |screen| std::mem::replace(&mut before, screen.into()) == screen)
    }

    fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    fn type_line(&self, line: &str) {
        self.run(&["send-keys", "-l", line]);
        self.keys(&["Enter"]);
    }

    /// Starts Stride and waits until it shows something.
    fn top(&self, options: &str) {
        self.type_line(&format!("{STRIDE} --top {options}"));
    }

    /// The terminal is as a shell needs it: it echoes what is typed, on the first screen.
    #[track_caller]
    fn is_restored(&self) {
        self.wait("prompt", |screen| screen.trim_end().ends_with("ready>"));
        assert_eq!(self.run(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]).trim(), "0 1");
        self.type_line("stty -a; echo 'modes''-told'");
        let modes = self.wait("modes", |screen| screen.contains("modes-told"));
        for mode in ["icanon", "echo", "isig", "opost"] {
            assert!(modes.split([' ', ';', '\n']).any(|word| word == mode), "{mode}: {modes}");
        }
        self.type_line("clear");
        self.wait("empty screen", |screen| screen.trim() == "ready>");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

/// Waits for a state, for as long as a busy machine may take.
fn wait_for_state(mut is: impl FnMut() -> bool) -> bool {
    let begun = std::time::Instant::now();
    while begun.elapsed() < std::time::Duration::from_secs(60) {
        if is() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    false
}

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
    tmux.wait("end of the recording", |screen| screen.contains("look at it with stride --replay="));
    tmux.keys(&["q"]);
    tmux.is_restored();
    tmux.type_line("kill $(cat pid)");
    // The recording is shown at once.
    tmux.top("--replay=$(echo stride-*.rec)");
    tmux.wait("totals of the recording", |screen| {
        screen.contains("[ended]") && screen.contains(" calls in ") && screen.contains("busyloop\n")
    });
    tmux.keys(&["q"]);
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
        let tmux = Tmux::new(&format!("top-hostile{engine}"), 80, 24);
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
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(told.contains("--top draws on the terminal, and standard output is none"), "{told}");
    for (options, what) in [
        (&["--top", "-c", "true"][..], "--top has the terminal to itself, and -c/--summary-only asks for other output"),
        (&["--top", "--json", "true"], "and --json asks for other output"),
        (&["--top", "-o", "x", "true"], "and -o/--output asks for other output"),
        (&["--top-output=x", "true"], "give --top as well"),
    ] {
        let run = Command::new(STRIDE).args(options).output().unwrap();
        let told = String::from_utf8_lossy(&run.stderr);
        assert!(told.contains(what), "{options:?}: {told}");
    }
}
