//! A terminal for tests.

use crate::common::*;
use std::process::Command;
use stride_test_support::picture::Picture;

/// The test needs tmux, and the eBPF engine to see the machine.
macro_rules! need_tmux {
    () => {
        if std::process::Command::new("tmux").arg("-V").output().is_err() {
            skip!("tmux is not installed (make setup)");
        }
    };
}

/// A terminal with a shell in it.
pub struct Tmux {
    pub scratch: Scratch,
}

impl Tmux {
    pub fn new(name: &str, width: u32, height: u32) -> Tmux {
        let tmux = Tmux { scratch: Scratch::new(name) };
        let size = [width.to_string(), height.to_string()];
        tmux.run(&["-f", "/dev/null", "new-session", "-d", "-x", &size[0], "-y", &size[1], "env", "PS1=ready> ", "sh"]);
        tmux.wait("a prompt", |screen| screen.contains("ready>"));
        tmux
    }

    pub fn run(&self, args: &[&str]) -> String {
        let socket = self.scratch.path("tmux");
        let mut command = Command::new("tmux");
        command.arg("-S").arg(socket).args(args).current_dir(self.scratch.path("")).env_remove("TMUX");
        let output = command.env("TERM", "xterm").output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    /// The screen with its colours.
    pub fn picture(&self) -> Picture {
        Picture::of(&self.run(&["capture-pane", "-p", "-e", "-N"]))
    }

    #[track_caller]
    pub fn wait(&self, what: &str, mut shows: impl FnMut(&str) -> bool) -> String {
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
    pub fn settled(&self) -> String {
        let mut before = self.screen();
        self.wait("still screen", |screen| std::mem::replace(&mut before, screen.into()) == screen)
    }

    pub fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    pub fn type_line(&self, line: &str) {
        self.run(&["send-keys", "-l", line]);
        self.keys(&["Enter"]);
    }

    /// Starts Stride and waits until it shows something.
    pub fn top(&self, options: &str) {
        self.type_line(&format!("{STRIDE} --top {options}"));
    }

    /// The terminal is as a shell needs it: it echoes what is typed, on the first screen.
    #[track_caller]
    pub fn is_restored(&self) {
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
pub fn wait_for_state(mut is: impl FnMut() -> bool) -> bool {
    let begun = std::time::Instant::now();
    while begun.elapsed() < std::time::Duration::from_secs(60) {
        if is() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    false
}
