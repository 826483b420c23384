//! From a wait to the process that is waited for.

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
        std::fs::write(tmux.scratch.path("work"), "while :; do sleep 0.1; done").unwrap();
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
