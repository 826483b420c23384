use super::*;
use crate::made_up_run::{MadeUpRun, PID};
use stride_event::{Outcome, StartKind};

const OK: Outcome = Outcome::Value(10);
const ENOENT: Outcome = Outcome::Error(2);

fn mistakes(text: &str) -> Vec<String> {
    match Budget::parse("b.toml", text) {
        Ok(_) => panic!("nothing is wrong with {text}"),
        Err(all) => all.iter().map(Mistake::to_string).collect(),
    }
}

#[test]
fn mistakes_have_their_lines() {
    for (text, message) in [
        ("", "b.toml:1: the file has no limits: write limits = [\"total <= 5000\"], or have --budget-write write them"),
        (
            "\nlimits = [\n\"read <= 5\",\n\"raed <= 5\",\n]",
            "b.toml:4: there is no syscall 'raed'; did you mean 'read'?",
        ),
        ("limits = [\"read =< 5\"]", "b.toml:1: '=<' is not a comparison; did you mean '<='?"),
        ("\n\nlimits = \"read <= 5\"", "b.toml:3: limits is a list of strings, such as [\"total <= 5000\"]"),
        ("limits = [\n5]", "b.toml:2: limits is a list of strings, such as [\"total <= 5000\"]"),
        ("limit = [\"read <= 5\"]", "b.toml:1: unknown key 'limit'; did you mean 'limits'?"),
        (
            "\nnewfstatat = 200",
            "b.toml:2: unknown key 'newfstatat': limits are strings in a list, such as limits = [\"newfstatat <= 200\"]",
        ),
        ("colour = 1", "b.toml:1: unknown key 'colour': there are limits and path"),
        ("[[path]]\nlimits = [\"read <= 5\"]", "b.toml:1: this [[path]] has no glob, such as glob = \"/etc/**\""),
        ("\n[[path]]\nglob = \"/etc\"", "b.toml:2: this [[path]] has no limits, such as limits = [\"openat <= 3\"]"),
        ("[[path]]\nglob = 5\nlimits = [\"read <= 5\"]", "b.toml:2: glob is a string, such as \"/etc/**\""),
        (
            "[[path]]\nglob = \"etc/*\"\nlimits = [\"read <= 5\"]",
            "b.toml:2: a glob is matched against whole paths; did you mean \"**/etc/*\"?",
        ),
        (
            "[[path]]\nglob = \"/etc/[a\"\nlimits = [\"read <= 5\"]",
            "b.toml:2: '/etc/[a' is not a glob: unclosed character class; missing ']'",
        ),
        (
            "[[path]]\nglob = \"/etc\"\nlimits = [\"read <= 5\"]\nglop = 1",
            "b.toml:4: unknown key 'glop'; did you mean 'glob'?",
        ),
        (
            "[[path]]\nglob = \"/etc\"\nlimits = [\n\"processes <= 5\"]",
            "b.toml:4: processes cannot be counted by path: put this limit above the first [[path]]",
        ),
        (
            "path = \"/etc\"",
            "b.toml:1: path is a section: write [[path]], and below it glob = \"...\" and limits = [...]",
        ),
    ] {
        assert_eq!(mistakes(text), [message], "{text}");
    }
    // The TOML parser's own words describe invalid TOML.
    let message = mistakes("limits = [\"read <= 5\"]\n\nread <= 5\n");
    assert!(message[0].starts_with("b.toml:3: "), "{message:?}");
    assert!(
        message[0].ends_with("; did you mean limits = [\"read <= 5\"]? Limits are strings in a list"),
        "{message:?}"
    );
    assert!(mistakes("limits = [\"read <= 5\"")[0].starts_with("b.toml:1: "));
    assert!(mistakes("limits = [\"a\u{1b}\"]\n")[0].starts_with("b.toml:1: "));
    // All mistakes are reported at once, in the order of the file.
    let message = mistakes("[[path]]\nlimits = [\"a <= 1\"]\n[[path]]\nglob = \"/x\"\nlimits = [\"read ! 1\"]\n");
    let lines: Vec<&str> = message.iter().map(|message| &message[..9]).collect();
    assert_eq!(lines, ["b.toml:1:", "b.toml:2:", "b.toml:5:"]);
}

fn check(run: &MadeUpRun, text: &str) -> (String, bool) {
    let budget = Budget::parse("b", text).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    let end = run.end();
    let checked = budget.check(&run.tally, &end);
    (checked.text(), checked.is_kept())
}

fn run() -> MadeUpRun {
    let mut run = MadeUpRun::new();
    run.calls(5, "openat", "/etc/a", OK);
    run.calls(2, "openat", "/etc/b/c", ENOENT);
    run.calls(1, "openat", "/tmp/ccQ2w8Xz.s", OK);
    run.calls(1, "openat", "/tmp/ccW8xQ2z.s", OK);
    run.calls(4, "read", "", OK);
    run
}

#[test]
fn kept_to_the_last() {
    let mut run = run();
    run.exit(PID);
    let text = r#"
        limits = ["total <= 13", "total == 13", "total < 14", "total > 12", "total >= 13", "errors.total <= 2",
                  "openat <= 9", "errors.openat <= 2", "read.bytes <= 40", "read.mean_bytes >= 10", "write.mean_bytes >= 10",
                  "processes <= 1", "total.time_ms <= 0.013", "%network == 0", "%desc <= 13"]
        [[path]]
        glob = "/etc/*"
        limits = ["openat <= 5", "errors.total == 0"]
        [[path]]
        glob = "/etc/**"
        limits = ["total <= 7", "errors.openat <= 2"]
    "#;
    assert_eq!(check(&run, text), ("b: all 19 limits are kept\n".into(), true));
}

#[test]
fn broken_with_evidence() {
    let mut run = run();
    run.exit(PID);
    let text =
        "limits = [\n'total <= 12',\n'openat < 9',\n'errors.openat <= 1',\n'read.mean_bytes >= 10.5',\n'processes > 1']
        [[path]]\nglob = '/tmp/*'\nlimits = ['total == 1']";
    let message = "\
b:2: total <= 12 is broken: 13 (openat 9, read 4)
b:3: openat < 9 is broken: 9 (/etc/a 5, /etc/b/c 2, /tmp/ccXXXXXX.s 2)
b:4: errors.openat <= 1 is broken: 2 (/etc/b/c 2)
b:5: read.mean_bytes >= 10.5 is broken: 10
b:6: processes > 1 is broken: 1
b:9: total == 1 on /tmp/* is broken: 2 (/tmp/ccXXXXXX.s 2)
b: 6 of 6 limits broken
";
    assert_eq!(check(&run, text), (message.into(), false));
    let mut out = Vec::new();
    let budget = Budget::parse("b", "limits = ['openat <= 3', 'read <= 9']").unwrap_or_else(|_| panic!());
    budget.check(&run.tally, &run.end()).json(&mut out);
    let message = r#"{"type":"limit","file":"b","line":1,"limit":"openat <= 3","result":"broken","value":9,"told":"openat <= 3 is broken: 9 (/etc/a 5, /etc/b/c 2, /tmp/ccXXXXXX.s 2)"}
{"type":"limit","file":"b","line":1,"limit":"read <= 9","result":"kept","value":4}
{"type":"budget","file":"b","limits":2,"broken":1,"unknown":0}
"#;
    assert_eq!(String::from_utf8_lossy(&out), message);
}

#[test]
fn what_was_lost_may_have_broken_it() {
    let mut run = run();
    run.exit(PID);
    run.lost_calls = 5;
    let (message, kept) = check(
        &run,
        "limits = ['total <= 18', 'total <= 17', 'total <= 12', 'total >= 13', 'total >= 14', 'read.mean_bytes >= 1',
         'read.bytes <= 100', 'read.bytes >= 10', 'total == 13', 'total == 99', 'processes == 1']",
    );
    let message: Vec<&str> = message.lines().collect();
    assert_eq!(
        message,
        [
            "b:1: total <= 17 cannot be checked: 13 seen, and 5 calls were lost",
            "b:1: total <= 12 is broken: 13 (openat 9, read 4)",
            "b:1: total >= 14 cannot be checked: 13 seen, and 5 calls were lost",
            "b:1: read.mean_bytes >= 1 cannot be checked: 10 seen, and 5 calls were lost",
            "b:2: read.bytes <= 100 cannot be checked: 40 seen, and 5 calls were lost",
            "b:2: total == 13 cannot be checked: 13 seen, and 5 calls were lost",
            "b:2: total == 99 is broken: 13 (openat 9, read 4)",
            "b: 2 of 11 limits broken, 5 cannot be checked",
        ]
    );
    assert!(!kept);
}

#[test]
fn a_trace_that_breaks_off_proves_little() {
    let run = run();
    let (message, kept) = check(&run, "limits = ['total <= 1000', 'total >= 3']");
    assert_eq!(
        message,
        "b:1: total <= 1000 cannot be checked: 13 seen, and the trace ends before the program does\n\
         b: 1 of 2 limits cannot be checked\n"
    );
    assert!(!kept);
}

#[test]
fn programs_are_told_apart() {
    let mut run = run();
    run.start(200, StartKind::Forked { parent: PID });
    run.call(200, "execve", "/usr/bin/a\x1b[2J\n", Outcome::Value(0), 1000);
    run.call(200, "openat", "/x\"\n\x1b\\", OK, 1000);
    run.exit(200);
    run.exit(PID);
    let (message, _) =
        check(&run, "limits = ['processes <= 1', 'openat <= 1']\n[[path]]\nglob='/x*'\nlimits=['total<=0']");
    assert!(message.contains("processes <= 1 is broken: 2 (by program:  1, a\\33[2J\\n 1)\n"), "{message}");
    assert!(message.contains("by program:  9, a\\33[2J\\n 1)\n"), "{message}");
    assert!(message.contains("total <= 0 on /x* is broken: 1 (/x\\\"\\n\\33\\\\ 1)\n"), "{message}");
}

#[test]
fn what_is_written_can_be_read_and_is_kept() {
    let mut run = run();
    run.calls(3, "futex", "", OK);
    run.exit(PID);
    let text = crate::budget::proposal::text(&run.tally, &run.end());
    let expected = format!(
        "{}\n# The figures of one run plus a fifth: 16 calls of 1 process.\nlimits = [\n    \"total <= 20\",\n    \
         \"errors.total <= 3\",\n    \"processes <= 2\",\n    \"openat <= 11\",\n    \"read <= 5\",\n]\n\
         # Not limited, because their number depends on how fast other threads are: futex.\n",
        crate::MARK
    );
    assert_eq!(text, expected);
    assert_eq!(check(&run, &text), ("b: all 5 limits are kept\n".into(), true));
}
