//! From a wait to the process that is waited for, and waits that are measured.

use crate::common::*;
use crate::tmux::Tmux;

/// A shell waits for its child, which waits for input of its parent's pipe.
#[test]
fn a_wait_leads_to_the_process_that_is_waited_for() {
    need_tmux!();
    need!("/bin/dash");
    for &engine in engines() {
        let tmux = Tmux::new(&format!("top-waits{engine}"), 100, 24);
        for name in ["boss", "worker"] {
            copy_program("/bin/dash", tmux.scratch.path(name));
        }
        std::fs::write(tmux.scratch.path("work"), "while [ -e work ]; do sleep 0.1; done").unwrap();
        tmux.top(&format!("{engine} -f ./boss -c './worker work; :'"));
        tmux.wait("row of the worker", |screen| screen.contains(" worker\n"));
        // The boss is in wait4(2) all the time, so it makes no calls that return.
        tmux.keys(&["8"]);
        let screen = tmux.wait("waits", |screen| screen.contains(" boss ") && screen.contains("(worker)"));
        let row = screen.lines().find(|line| line.contains(" boss ")).unwrap();
        assert!(row.contains(" wait4 ") && row.ends_with(" (worker): child"), "{screen}");
        // Only its wait is left, and Enter leads to the worker.
        tmux.keys(&["/"]);
        tmux.run(&["send-keys", "-l", "comm == \"boss\""]);
        tmux.keys(&["Enter"]);
        tmux.wait("only the boss", |screen| screen.contains("filter: ") && !screen.contains(" worker   "));
        tmux.keys(&["Enter"]);
        tmux.wait("page of the worker", |screen| {
            let scope = screen.lines().nth(2).unwrap_or_default();
            scope.starts_with("worker (") && screen.contains("waits for worker (")
        });
        // Nobody but time ends a sleep.
        tmux.keys(&["Escape"]);
        // (A terminal takes a key right after Escape for one together with Alt.)
        tmux.wait("waits again", |screen| !screen.lines().nth(2).unwrap_or_default().starts_with("worker ("));
        tmux.keys(&["/", "C-u"]);
        tmux.run(&["send-keys", "-l", "comm == \"sleep\""]);
        tmux.keys(&["Enter"]);
        tmux.wait("only sleeps", |screen| screen.contains(" time\n") && !screen.contains(" boss "));
        tmux.keys(&["Enter"]);
        tmux.wait("reason", |screen| screen.contains("is not known: only time ends this wait"));
        tmux.keys(&["C-c"]);
        tmux.is_restored();
    }
}

/// With `--waits`, rows have the shares of their time, and the chosen process has its reasons. So has a recording.
#[test]
fn measured_waits_have_columns() {
    need_tmux!();
    need_ebpf!();
    need!("/bin/dash");
    let tmux = Tmux::new("top-measured", 200, 24);
    copy_program("/bin/dash", tmux.scratch.path("sleeper"));
    std::fs::write(tmux.scratch.path("work"), "for i in 1 2 3 4 5 6 7 8; do sleep 0.2; done").unwrap();
    let shows = |screen: &str, name: &str| {
        let row = screen.lines().find(|line| line.ends_with(name)).unwrap_or_default();
        screen.contains(" BLOCKED ")
            && row.contains('%')
            && screen.contains("waits for ")
            && screen.contains("woken by ")
    };
    tmux.top("--waits -f --record=rec ./sleeper work");
    tmux.wait("row of the shell", |screen| screen.contains("[ended]") && shows(screen, "sleeper"));
    tmux.keys(&["/"]);
    tmux.run(&["send-keys", "-l", "comm == \"sleeper\""]);
    tmux.keys(&["Enter"]);
    tmux.wait("its reasons", |screen| {
        screen.contains(" waits for a child ") && screen.contains("; woken by sleep exit_group ")
    });
    tmux.keys(&["q"]);
    tmux.is_restored();
    tmux.top("--replay=rec --waits");
    tmux.wait("row of the recording", |screen| screen.contains("[ended]") && shows(screen, "sleeper"));
    tmux.keys(&["q"]);
    tmux.is_restored();
}
