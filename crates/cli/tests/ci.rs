//! `ci/stride-ci`, which CI services run: on a git repository with a commit that adds calls, and on others where
//! something is wrong.

mod common;

use common::*;
use std::path::PathBuf;
use std::process::Command;

/// A repository with a program: a script for dash.
struct Repository {
    scratch: Scratch,
}

const BUDGET: &str = "limits = [\n  \"openat <= 8\",\n  \"total <= 500\",\n]\n";

impl Repository {
    fn new(name: &str) -> Repository {
        let repository = Repository { scratch: Scratch::new(name) };
        repository.git(&["init", "-q"]);
        repository.git(&["config", "user.email", "nobody@localhost"]);
        repository.git(&["config", "user.name", "Nobody"]);
        std::fs::create_dir(repository.scratch.path("data")).unwrap();
        for name in ["1", "2", "3", "4"] {
            repository.write(&format!("data/{name}"), "text\n");
        }
        repository.write("budget.toml", BUDGET);
        repository
    }

    fn git(&self, args: &[&str]) {
        let done = Command::new("git").args(args).current_dir(self.scratch.path("")).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.scratch.path(path), text).unwrap();
    }

    /// A commit with this program.
    fn commit(&self, program: &str) -> &Repository {
        self.write("app.sh", program);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "change"]);
        self
    }

    /// Compares the last commit with the one before, two runs each, as in a workflow.
    fn compare(&self, args: &[&str]) -> Run {
        let mut command = Command::new(root().join("ci/stride-ci"));
        command.args(["--engine=ptrace", "--runs=2", &format!("--stride={STRIDE}")]).args(args);
        command.current_dir(self.scratch.path(""));
        command.env("LC_ALL", "C").env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", self.report("step"));
        command.env("GITHUB_OUTPUT", self.report("output")).env_remove("LD_LIBRARY_PATH");
        Run::of(command)
    }

    fn report(&self, name: &str) -> PathBuf {
        let _ = std::fs::create_dir(self.scratch.path("syscalls"));
        self.scratch.path("syscalls").join(name)
    }

    fn read(&self, report: &str) -> String {
        std::fs::read_to_string(self.report(report)).unwrap_or_default()
    }
}

const APP: [&str; 2] = ["/bin/dash", "app.sh"];
const ONCE: &str = "for f in data/*; do read x <$f; done";
const TWICE: &str = "for f in data/*; do read x <$f; read x <$f; done";

#[test]
fn a_commit_that_adds_calls_is_found() {
    need!("/bin/dash", "/usr/bin/git");
    let repository = Repository::new("ci-regression");
    repository.commit(ONCE).commit(TWICE);
    let run = repository.compare(&["--budget=budget.toml", APP[0], APP[1]]);
    assert_eq!(run.code(), Some(3), "{run:?}");
    let annotations: Vec<&str> = run.out.lines().filter(|line| line.starts_with("::")).collect();
    assert!(is(annotations[0], r"::warning title=System calls::\d+%25 more calls: .*"), "{run:?}");
    assert!(
        is(annotations[1], r"::error file=budget\.toml,line=2,title=System call budget::openat <= 8 is broken: .*"),
        "{run:?}"
    );
    assert_eq!(annotations.len(), 2);
    let summary = repository.read("summary.md");
    assert!(is(&summary, r"(?s)### System calls of `/bin/dash app\.sh`\n.*\*\*\d+% more calls: .*"), "{summary}");
    assert!(
        summary.contains("<code>./data/&#42;&#42; (4 paths): ") && summary.contains("budget.toml: 1 of 2"),
        "{summary}"
    );
    assert_eq!(repository.read("step"), summary);
    assert!(repository.read("output").starts_with("result=broken\nreports=/"));
    // For GitLab.
    let junit = repository.read("junit.xml");
    assert!(junit.contains(r#"tests="2" failures="1""#) && junit.contains("openat &lt;= 8 is broken"), "{junit}");
    let quality: serde_json::Value = serde_json::from_str(&repository.read("codequality.json")).unwrap();
    assert_eq!(quality[0]["location"], serde_json::json!({"path": "budget.toml", "lines": {"begin": 2}}));
    assert_eq!(quality.as_array().unwrap().len(), 1);
    // Nothing is left in the repository but the reports.
    let worktrees = Command::new("git").args(["worktree", "list"]).current_dir(repository.scratch.path("")).output();
    assert_eq!(text(&worktrees.unwrap().stdout).lines().count(), 1);
    // The difference alone fails a workflow only if that is wanted.
    assert_eq!(repository.compare(&APP).code(), Some(0));
    let strict = repository.compare(&["--fail-on=difference", "--findings", "--", APP[0], APP[1]]);
    assert_eq!(strict.code(), Some(3), "{strict:?}");
    let findings: serde_json::Value = serde_json::from_str(&repository.read("findings.sarif")).unwrap();
    assert_eq!(findings["version"], "2.1.0");
}

#[test]
fn a_commit_that_changes_nothing_is_quiet() {
    need!("/bin/dash", "/usr/bin/git");
    let repository = Repository::new("ci-same");
    repository.commit(ONCE).commit(ONCE);
    let run = repository.compare(&["--fail-on=difference", "--run=. ./app.sh"]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    assert!(run.out.starts_with("Nothing important differs: "), "{run:?}");
    assert!(repository.read("output").starts_with("result=same\n"));
}

/// Calls that differ from run to run are told apart from calls that the commit has changed.
#[test]
fn what_wavers_is_told_apart() {
    need!("/bin/dash", "/usr/bin/git");
    let repository = Repository::new("ci-wavers");
    // Each further run reads a file once more.
    let state = repository.report("state").display().to_string();
    let wavers =
        format!("read n <{state}; echo $((n + 1)) >{state}; while [ $n -gt 0 ]; do read x <data/1; n=$((n-1)); done;");
    repository.commit(&wavers).commit(&format!("{wavers} cd data; cd ..; cd data"));
    repository.write("syscalls/state", "1\n");
    let run = repository.compare(&["--runs=3", APP[0], APP[1]]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    assert!(run.out.lines().any(|line| is(line, " *0 +3 +new .*  chdir")), "{run:?}");
    assert!(
        run.out.lines().any(|line| is(line, r"Left out because they differ from recording to recording: .*read \(\d+ to \d+ calls against \d+ to \d+\).*")),
        "{run:?}"
    );
    assert!(!run.out.lines().any(|line| line.ends_with("  read")), "{run:?}");
    let json = repository.read("diff.json");
    assert!(
        json.lines().any(|line| line.starts_with(r#"{"type":"wavering","name":"read","base":{"lowest":"#)),
        "{json}"
    );
}

#[test]
fn a_base_and_a_head_that_fail_differently() {
    need!("/bin/dash", "/usr/bin/git");
    let repository = Repository::new("ci-fail");
    repository.commit("exit 4").commit("echo it is broken >&2; exit 5");
    let run = repository.compare(&APP);
    assert_eq!(run.code(), Some(2), "{run:?}");
    let message = "The command ends with status 5 at HEAD and with status 4 at BASE";
    assert!(
        run.out.starts_with(&format!("::error title=System calls::{message}")) && run.err.contains(message),
        "{run:?}"
    );
    let summary = repository.read("summary.md");
    assert!(
        summary.contains(message) && summary.contains("\nThe end of what it says at HEAD:\n\n    it is broken\n"),
        "{summary}"
    );
    assert!(repository.read("output").starts_with("result=ends-differ\n"));
    // Both fail alike: that is said, and compared.
    repository.commit("exit 5");
    repository.commit("exit 5");
    let run = repository.compare(&APP);
    assert_eq!(run.code(), Some(0), "{run:?}");
    assert!(repository.read("summary.md").contains("\nThe command ends with status 5 at both commits.\n"));
}

#[test]
fn mistakes_are_told() {
    need!("/bin/dash", "/usr/bin/git");
    let repository = Repository::new("ci-mistakes");
    repository.commit(ONCE).commit(TWICE);
    for (args, message) in [
        (&["--base=nothing", "true"][..], "there is no commit 'nothing' in this repository"),
        (&["--runs=0", "true"], "--runs=0: give a number of runs, at least 1"),
        (&["--fail-on=rain", "true"], "--fail-on=rain: it may be budget, difference or nothing"),
        (&["--wrong", "true"], "there is no option --wrong"),
        (&[], "no command to run is given"),
        (&["--stride=/no/stride", "true"], "there is no program '/no/stride'"),
        (&["--budget=none.toml", "true"], "HEAD has no file none.toml"),
        (&["./no-such-program"], "Stride could not trace the command at BASE: "),
    ] {
        let run = repository.compare(args);
        assert!(run.code() == Some(1) && run.err.contains(message), "{args:?}: {run:?}");
        assert!(run.out.contains(&format!("::error title=System calls::{message}")), "{args:?}: {run:?}");
    }
    let unbuilt = repository.compare(&["--build=echo no compiler; exit 7", "true"]);
    assert!(
        unbuilt.code() == Some(1)
            && unbuilt.err.contains(
                "cannot be built: 'echo no compiler; exit 7' fails with status 7. The end of its output: no compiler"
            ),
        "{unbuilt:?}"
    );
    // Zeros are what services say if there is no commit before.
    assert_eq!(repository.compare(&["--base=0000000000000000000000000000000000000000", "true"]).code(), Some(0));
    // Outside of a repository.
    let mut alone = Command::new(root().join("ci/stride-ci"));
    alone.arg(format!("--stride={STRIDE}")).arg("true").current_dir("/").env("GIT_CEILING_DIRECTORIES", "/");
    let alone = Run::of(alone);
    assert!(alone.err.contains("this is no git repository"), "{alone:?}");
}
