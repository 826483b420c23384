//! How Stride ends.

use crate::common::*;

#[test]
fn the_exit_status_is_the_programs() {
    for status in [0, 1, 42, 255] {
        let run = run(["-e", "trace=none", "sh", "-c", &format!("exit {status}")]);
        assert_eq!(run.code(), Some(status));
        assert_eq!(run.err, format!("+++ exited with {status} +++\n"));
    }
}

#[test]
fn stride_dies_as_the_program_did() {
    for (name, signal) in [("KILL", 9), ("TERM", 15), ("SEGV", 11), ("HUP", 1), ("PIPE", 13)] {
        let run = run(["-e", "trace=none", "-e", "signal=none", "sh", "-c", &format!("ulimit -c 0; kill -{name} $$")]);
        assert_eq!(run.signal(), Some(signal), "{run:?}");
        assert_eq!(run.err, format!("+++ killed by SIG{name} +++\n"));
    }
}

#[test]
fn quiet() {
    let quiet = |args: &[&str]| {
        run(args.iter().copied().chain(["-f", "-e", "trace=none", "-e", "signal=none", "sh", "-c", "(exit 1); exit 2"]))
            .err
    };
    let loud = quiet(&[]);
    assert!(loud.contains(" attached\n") && loud.matches("+++ exited with").count() == 2, "{loud}");
    let exits = quiet(&["-q"]);
    assert!(!exits.contains(" attached\n") && exits.matches("+++ exited with").count() == 2, "{exits}");
    assert_eq!(quiet(&["-qq"]), "");
    assert_eq!(quiet(&["-e", "quiet=attach,exit"]), "");
    // No quiet option leaves out that a signal has killed a process.
    for option in ["-q", "-qq", "-qqq", "--quiet=all"] {
        for format in [&[][..], &["--json"]] {
            let script = ["-e", "trace=none", "-e", "signal=none", "sh", "-c", "kill -KILL $$"];
            let run = run([option].iter().chain(format).chain(&script).copied());
            let expected = if format.is_empty() { "+++ killed by SIGKILL +++" } else { "\"type\":\"killed\"" };
            assert!(run.err.contains(expected), "{option} {format:?}: {run:?}");
        }
    }
}
