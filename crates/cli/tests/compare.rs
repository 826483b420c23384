//! `--diff`, `--budget`, `--budget-write`: a program before and after a known change.

mod common;

use common::*;
use std::path::Path;

/// The script before and after the change: the new one asks for each of ten files twice, looks into another directory,
/// and writes byte by byte.
const BEFORE: &str = "for f in 0 1 2 3 4 5 6 7 8 9; do read x < data/$f; done; exit 7";
const AFTER: &str =
    "for f in 0 1 2 3 4 5 6 7 8 9; do read x < data/$f; read x < data/$f; done; read x < other/new; exit 7";

fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    for dir in ["data", "other"] {
        std::fs::create_dir(scratch.path(dir)).unwrap();
    }
    for file in [
        "data/0",
        "data/1",
        "data/2",
        "data/3",
        "data/4",
        "data/5",
        "data/6",
        "data/7",
        "data/8",
        "data/9",
        "other/new",
    ] {
        std::fs::write(scratch.path(file), "x\n").unwrap();
    }
    scratch
}

/// Stride as it stands, in a directory.
fn stride_in(scratch: &Scratch, args: &[&str]) -> Run {
    let mut command = bare_stride();
    command.args(args).current_dir(scratch.path(""));
    Run::of(command)
}

fn write(scratch: &Scratch, name: &str, text: &str) {
    std::fs::write(scratch.path(name), text).unwrap();
}

#[test]
fn a_known_difference() {
    need!("/bin/dash");
    for engine in engines() {
        let scratch = scratch(&format!("diff{engine}"));
        let base = stride_in(&scratch, &[engine, "-q", "--record=base", "/bin/dash", "-c", BEFORE]);
        assert_eq!((base.code(), base.err.as_str()), (Some(7), ""));
        // The run compared with itself, live and replayed.
        let same = stride_in(&scratch, &[engine, "--diff=base", "/bin/dash", "-c", BEFORE]);
        assert!(
            is(&same.err, "Nothing important differs: [0-9]+ calls( in each| against [0-9]+)\\.\n"),
            "{engine}: {same:?}"
        );
        assert_eq!((same.code(), same.out.as_str()), (Some(7), ""));
        let same = stride_in(&scratch, &["--diff=base", "--replay=base"]);
        assert!(is(&same.out, "Nothing important differs: [0-9]+ calls in each\\.\n"), "{engine}: {same:?}");
        assert_eq!((same.code(), same.err.as_str()), (Some(0), ""));
        // The run after the change. The report goes to stderr.
        let changed = stride_in(&scratch, &[engine, "-q", "--record=after", "--diff=base", "/bin/dash", "-c", AFTER]);
        assert_eq!(changed.code(), Some(7));
        let at = scratch.path("").canonicalize().unwrap().display().to_string();
        let table: Vec<String> =
            changed.err.lines().map(|line| line.replace(&format!("{at}/"), "<>").replace("./", "<>")).collect();
        assert!(
            is(
                &table[0],
                r"[0-9.]+% more calls: \d+ against \d+; (most of it|above all) (read|fcntl|openat|close|dup2): \d+ against \d+\."
            ),
            "{table:#?}"
        );
        let has =
            |pattern: &str| assert!(table.iter().any(|line| is(line, pattern)), "{engine}: no {pattern} in {table:#?}");
        has(r" *\d+ +\d+ +[0-9.]+x +.*  openat");
        has(r" *\d+ +\d+ +2\.00x +.*  <>data/\*\* \(10 paths\): .*");
        has(r" *0 +\d+ +new +.*  <>other/new: .*");
        assert!(table.len() <= 14, "{table:#?}");
        // The comparison of two recordings is the same, but for the program's name.
        let replayed = stride_in(&scratch, &["--replay=after", "--diff=base"]);
        assert_eq!((replayed.out, replayed.err), (changed.err, String::new()), "{engine}");
        // The report in a file, which contains nothing else.
        let into = stride_in(&scratch, &["--replay=after", "--diff=base", "-o", "report"]);
        assert_eq!(into.out, "");
        assert_eq!(scratch.read("report").lines().count(), table.len());
        // Calls that filters leave out make no difference.
        let filtered = stride_in(&scratch, &["--replay=after", "--diff=base", "-e", "trace=execve,brk"]);
        assert!(filtered.out.starts_with("Nothing important differs: "), "{filtered:?}");
        let json = stride_in(&scratch, &["--replay=after", "--diff=base", "--json"]);
        assert!(json.out.starts_with("{\"type\":\"diff\",\"verdict\":\""), "{json:?}");
        assert!(
            json.out.lines().any(|line| line.starts_with("{\"type\":\"object\",")
                && line.contains("/other/new\",\"change\":\"appeared\"")),
            "{json:?}"
        );
        assert!(json.out.lines().all(|line| line.starts_with("{\"type\":\"") && line.ends_with('}')), "{json:?}");
        // For other tools.
        let markdown = stride_in(&scratch, &["--replay=after", "--diff=base", "--format=markdown"]).out;
        assert!(markdown.starts_with(&format!("**{}**\n", table[0].replace('_', "&#95;"))), "{markdown}");
        assert!(
            markdown.contains("\n| was | now | ratio |") && markdown.contains("\n| ---: | ---: | ---: |"),
            "{markdown}"
        );
        assert!(markdown.lines().any(|line| is(line, r"\| \d+ \| \d+ \| .* \| <code>openat</code> \|")), "{markdown}");
        let annotated = stride_in(&scratch, &["--replay=after", "--diff=base", "--format=github"]).out;
        assert!(
            annotated.starts_with(&format!("::warning title=System calls::{}", table[0].replace('%', "%25"))),
            "{annotated}"
        );
        assert_eq!(annotated.lines().count(), 1);
    }
}

/// Temporary names, process ids and the directory make no difference.
#[test]
fn noise_is_no_difference() {
    need!("/bin/dash", "/bin/mktemp", "/bin/cat");
    let script = "t=$(/bin/mktemp); /bin/cat /proc/$$/stat > $t; read x < $t; rm $t; /bin/cat here";
    for engine in engines() {
        let scratch = scratch(&format!("noise{engine}"));
        let run = |dir: &str, option: &str| {
            write(&scratch, &format!("{dir}/here"), "");
            let mut command = std::process::Command::new(STRIDE);
            command
                .args([engine, "-f", option, "/bin/dash", "-c", script])
                .current_dir(scratch.path(dir))
                .env("LC_ALL", "C");
            command.env("TMPDIR", "/tmp").env_remove("PWD").env_remove("OLDPWD");
            Run::of(command)
        };
        let base = run("data", "--record=../base");
        assert_eq!(base.code(), Some(0), "{base:?}");
        let same = run("data", "--diff=../base");
        assert!(is(&same.err, "Nothing important differs: .*\n"), "{engine}: {same:?}");
        let elsewhere = run("other", "--diff=../base");
        let message: Vec<&str> = elsewhere.err.lines().collect();
        assert!(message[0].starts_with("Nothing important differs: "), "{engine}: {elsewhere:?}");
        assert!(
            is(
                message[1],
                "The base began in .*/data, this run in .*/other: paths below these are compared as \\./\\.\\.\\."
            ),
            "{message:?}"
        );
        assert_eq!(message.len(), 2);
    }
}

/// Causes outside the program are reported.
#[test]
fn circumstances_are_told() {
    need!("/bin/dash");
    let scratch = scratch("circumstances");
    let script = "(read x < data/1; :); read x < data/2; read x < data/3";
    let base = stride_in(
        &scratch,
        &["--engine=ptrace", "--record=base", "-f", "-e", "trace=openat,read,execve", "/bin/dash", "-c", script],
    );
    assert_eq!(base.code(), Some(0));
    let message = stride_in(&scratch, &["--engine=ptrace", "--diff=base", "-z", "/bin/dash", "-c", script]).err;
    for sentence in [
        "The two runs traced different calls (-e trace=...): only calls that both were asked for are compared.\n",
        "Only the base was traced with -f: it has the calls of the program's children, too.\n",
        "The run: 1 process against 2.\n",
    ] {
        // The report may have times beside the processes.
        let sentence = sentence.replace("The run: ", "");
        assert!(message.contains(&sentence), "{sentence} is not in {message}");
    }
    assert!(!message.contains("mmap") && !message.contains("close"), "{message}");
    if engines().len() > 1 {
        let message = stride_in(
            &scratch,
            &["--engine=ebpf", "-f", "--diff=base", "-e", "trace=openat,execve", "/bin/dash", "-c", script],
        )
        .err;
        assert!(
            message.ends_with(
                "Times are not compared: the base was traced with --engine=ptrace, this run with --engine=ebpf.\n"
            ),
            "{message}"
        );
        assert!(message.starts_with("Nothing important differs: "), "{message}");
    }
    // A recording that breaks off.
    let whole = std::fs::read(scratch.path("base")).unwrap();
    std::fs::write(scratch.path("cut"), &whole[..whole.len() - 10]).unwrap();
    let message = stride_in(
        &scratch,
        &["--engine=ptrace", "-f", "--diff=cut", "-e", "trace=openat,read,execve", "/bin/dash", "-c", script],
    )
    .err;
    assert!(message.contains("The base is incomplete: 'cut' breaks off at byte "), "{message}");
}

#[test]
fn what_cannot_be_compared_with_is_refused() {
    let scratch = scratch("refused");
    write(&scratch, "text", "no recording\n");
    for (base, why) in [
        ("nothing", "No such file or directory"),
        ("text", "it is not a recording. --diff takes what --record=FILE wrote"),
        ("data", "it is a directory"),
    ] {
        let run = stride_in(&scratch, &["--engine=ptrace", &format!("--diff={base}"), "touch", "made"]);
        assert_eq!(run.code(), Some(1));
        assert_eq!(run.messages(), [format!("Can't compare with '{base}': {why}.")]);
    }
    let alone = stride_in(&scratch, &["--engine=ptrace", "--repeated=text", "touch", "made"]);
    assert_eq!(alone.code(), Some(1));
    assert!(alone.err.contains("--repeated names further recordings of a run for --diff: give --diff=BASE, too"));
    assert!(!scratch.path("made").exists(), "it was run all the same");
}

const BUDGET: &str = "\
# Before the change.
limits = [
    \"openat <= 16\",
    \"errors.total <= 100\",
    \"processes == 1\",
    \"read.mean_bytes >= 1\",
]

[[path]]
glob = \"**/data/*\"
limits = [\"openat <= 10\", \"total <= 1000\"]
";

#[test]
fn budgets_met_and_broken() {
    need!("/bin/dash");
    for engine in engines() {
        let scratch = scratch(&format!("budget{engine}"));
        write(&scratch, "b.toml", BUDGET);
        let met = stride_in(&scratch, &[engine, "-q", "--record=before", "--budget=b.toml", "/bin/dash", "-c", BEFORE]);
        assert_eq!((met.code(), met.err.as_str()), (Some(7), "b.toml: all 6 limits are kept\n"), "{engine}");
        let broken =
            stride_in(&scratch, &[engine, "-q", "--record=after", "--budget=b.toml", "/bin/dash", "-c", AFTER]);
        assert_eq!(broken.code(), Some(3), "{broken:?}");
        let lines: Vec<&str> = broken.err.lines().collect();
        assert!(
            is(
                lines[0],
                r"b\.toml:3: openat <= 16 is broken: 2[0-9] \(\S+/data/0 2, \S+/data/1 2, \S+/data/2 2, \d+ more\)"
            ),
            "{broken:?}"
        );
        assert!(
            is(lines[1], r"b\.toml:11: openat <= 10 on \*\*/data/\* is broken: 20 \(\S+/data/0 2, .*\)"),
            "{broken:?}"
        );
        assert_eq!(lines[2..], ["b.toml: 2 of 6 limits broken"]);
        for (recording, status) in [("before", 0), ("after", 3)] {
            let replayed = stride_in(&scratch, &[&format!("--replay={recording}"), "--budget=b.toml"]);
            assert_eq!(replayed.code(), Some(status), "{replayed:?}");
            assert_eq!(replayed.err, "");
        }
        let annotated = stride_in(&scratch, &["--replay=after", "--budget=b.toml", "--format=github"]);
        assert!(
            annotated.out.starts_with("::error file=b.toml,line=3,title=System call budget::openat <= 16 is broken: ")
                && annotated.out.lines().count() == 2
                && annotated.code() == Some(3),
            "{annotated:?}"
        );
        let kept = stride_in(&scratch, &["--replay=before", "--budget=b.toml", "--format=github"]).out;
        assert_eq!(kept, "::notice title=System call budget::b.toml: all 6 limits are kept\n");
        let markdown = stride_in(&scratch, &["--replay=after", "--budget=b.toml", "--format=markdown"]).out;
        assert!(
            markdown.starts_with(
                "**b.toml: 2 of 6 limits broken**\n\n| line | limit |\n| ---: | :--- |\n| 3 | <code>openat &#60;= 16 is"
            ),
            "{markdown}"
        );
        let killed = stride_in(&scratch, &[engine, "--budget=b.toml", "/bin/dash", "-c", "kill -TERM $$"]);
        assert_eq!(killed.signal(), Some(15), "the program's own end: {killed:?}");
        let json = stride_in(&scratch, &["--replay=after", "--budget=b.toml", "--json"]);
        assert_eq!(json.code(), Some(3));
        assert_eq!(
            json.out.lines().last(),
            Some(r#"{"type":"budget","file":"b.toml","limits":6,"broken":2,"unknown":0}"#)
        );
    }
}

#[test]
fn budgets_with_mistakes_run_nothing() {
    let scratch = scratch("mistakes");
    for (text, message) in [
        ("limits = [\"opnat <= 1\"]", "b.toml:1: there is no syscall 'opnat'; did you mean 'openat'?"),
        ("\nlimits = [\n  \"read =< 1\",\n]", "b.toml:3: '=<' is not a comparison; did you mean '<='?"),
        ("\n\nlimit = []", "b.toml:3: unknown key 'limit'; did you mean 'limits'?"),
        (
            "limits = [\"close <= 1\"]\n[[path]]\nglob = \"etc\"\nlimits = [\"read <= 1\"]",
            "b.toml:3: a glob is matched against whole paths; did you mean \"**/etc\"?",
        ),
    ] {
        write(&scratch, "b.toml", text);
        let run = stride_in(&scratch, &["--engine=ptrace", "--budget=b.toml", "touch", "made"]);
        assert_eq!((run.code(), run.messages()), (Some(1), vec![message]), "{text}");
    }
    write(&scratch, "b.toml", "read <= 5\n");
    let run = stride_in(&scratch, &["--engine=ptrace", "--budget=b.toml", "touch", "made"]);
    assert!(run.messages()[0].starts_with("b.toml:1: "), "{run:?}");
    write(&scratch, "b.toml", "limits = [\n\"read <= 5\",\n\"errors.total <= 1\"]");
    for (option, message) in [
        ("trace=openat", "b.toml:2: read <= 5 cannot be checked: read is not traced (-e trace=...)"),
        (
            "status=successful",
            "b.toml:3: errors.total <= 1 cannot be checked: calls that fail are left out (-z or -e status=...)",
        ),
    ] {
        let run = stride_in(&scratch, &["--engine=ptrace", "--budget=b.toml", "-e", option, "touch", "made"]);
        assert_eq!((run.code(), run.messages()), (Some(1), vec![message]));
    }
    for (file, why) in [("nothing", "No such file or directory"), ("data", "Is a directory")] {
        let run = stride_in(&scratch, &["--engine=ptrace", &format!("--budget={file}"), "touch", "made"]);
        assert_eq!((run.code(), run.messages()), (Some(1), vec![&*format!("Can't read the budget '{file}': {why}")]));
    }
    assert!(!scratch.path("made").exists(), "it was run all the same");
}

#[test]
fn budgets_are_written() {
    need!("/bin/dash");
    for engine in engines() {
        let scratch = scratch(&format!("written{engine}"));
        let run =
            |program: &str, option: &str| stride_in(&scratch, &[engine, "-q", option, "/bin/dash", "-c", program]);
        let first = run(BEFORE, "--budget-write=b.toml");
        assert_eq!((first.code(), first.out.as_str(), first.err.as_str()), (Some(7), "", ""), "{engine}");
        let written = scratch.read("b.toml");
        assert!(written.starts_with("# Written by `stride --budget-write`, "), "{written}");
        assert!(written.contains("\n    \"total <= ") && written.contains("\n    \"openat <= "), "{written}");
        assert_eq!(run(BEFORE, "--budget=b.toml").code(), Some(7));
        assert_eq!(run(AFTER, "--budget=b.toml").code(), Some(3));
        // The file is replaced as long as it has the mark.
        assert_eq!(run(AFTER, "--budget-write=b.toml").code(), Some(7));
        assert_eq!(run(AFTER, "--budget=b.toml").code(), Some(7));
        write(&scratch, "b.toml", BUDGET);
        let refused = run("touch made", "--budget-write=b.toml");
        assert_eq!(refused.code(), Some(1));
        assert!(refused.messages()[0].starts_with("'b.toml' is not replaced: "), "{refused:?}");
        assert_eq!(scratch.read("b.toml"), BUDGET);
        assert!(!scratch.path("made").exists());
        let both =
            stride_in(&scratch, &[engine, "--budget=b.toml", "--budget-write=b.toml", "/bin/dash", "-c", "touch made"]);
        assert_eq!(
            both.messages(),
            ["--budget and --budget-write name the same file, 'b.toml': give one of them another name"]
        );
        assert_eq!(scratch.read("b.toml"), BUDGET);
    }
    if Path::new("/dev/full").exists() {
        let scratch = scratch("full");
        let full = stride_in(&scratch, &["--engine=ptrace", "--budget-write=/dev/full", "/bin/dash", "-c", "exit 7"]);
        assert_eq!(
            (full.code(), full.err.as_str()),
            (Some(1), "Can't write the budget '/dev/full': No space left on device.\n")
        );
    }
}

#[test]
fn hostile_names_stay_text() {
    need!("/bin/cat");
    for engine in engines() {
        let scratch = scratch(&format!("hostile{engine}"));
        let name = "a\u{1b}[31m\n\"<script>\u{202e}";
        write(&scratch, name, "");
        write(
            &scratch,
            "b.toml",
            "limits = [\"openat <= 0\"]\n[[path]]\nglob = \"**/a*\"\nlimits = [\"total <= 0\"]\n",
        );
        assert_eq!(stride_in(&scratch, &[engine, "--record=base", "/bin/cat"]).code(), Some(0));
        let message = stride_in(&scratch, &[engine, "--diff=base", "--budget=b.toml", "/bin/cat", name]);
        assert_eq!(message.code(), Some(3));
        assert!(message.err.chars().all(|c| matches!(c, '\n' | 'µ' | ' '..='~')), "{message:?}");
        let shown = r#"/a\33[31m\n\"\74script\76\342\200\256"#;
        assert_eq!(message.err.matches(shown).count(), 3, "{message:?}");
    }
}

/// With stacks on both sides, the comparison names the function whose calls grew, and its line. (A program that is over
/// soon may take its mappings with it before the eBPF engine reads them; then callers are not known, and none is
/// named.)
#[test]
fn the_caller_whose_calls_grew() {
    let source = root().join("tests/programs/callers.c");
    let text = std::fs::read_to_string(&source).unwrap();
    let line = text.lines().position(|line| line.ends_with("/* load_config */")).unwrap() + 1;
    for engine in engines() {
        let scratch = scratch(&format!("diff-callers{engine}"));
        or_skip!(cc_with_lines(&source, &scratch.path("program")));
        let run = |args: &[&str]| stride_in(&scratch, &[&[engine, "-q"], args].concat());
        run(&["--record=base", "--stack-trace=source", "./program", "27", "200"]);
        run(&["--record=after", "--stack-trace=source", "./program", "1027", "200"]);
        run(&["--record=symbols", "-k", "./program", "27", "200"]);
        let is_known = |run: &str| {
            let stacks = stride_in(&scratch, &[&format!("--replay={run}"), "-k"]).out;
            !stacks.contains("the caller is unknown")
        };
        if !["base", "after", "symbols"].into_iter().all(is_known) {
            skipped::report_of(engine, "the machine was too busy to read the program's mappings in time");
            continue;
        }
        let mut message = vec![stride_in(&scratch, &["--replay=after", "--diff=base"]).out];
        if engine.contains("ptrace") {
            message.push(run(&["--diff=base", "--stack-trace=source", "./program", "1027", "200"]).err);
        }
        for message in &message {
            // close(2) is called two lines below.
            for (name, line) in [("openat", line), ("close", line + 2)] {
                let more = format!("  {name}: 1,000 more from load_config (callers.c:{line})\n");
                assert!(message.contains(&more), "{engine} {more}: {message}");
            }
            assert!(!message.contains("write_log"), "{engine}: {message}");
        }
        // The other way round, and as JSON.
        let fewer = stride_in(&scratch, &["--replay=base", "--diff=after"]).out;
        assert!(fewer.contains("openat: 1,000 fewer from load_config (callers.c:"), "{engine}: {fewer}");
        let json = stride_in(&scratch, &["--replay=after", "--diff=base", "--json"]).out;
        let openat = json.lines().find(|line| line.contains(r#""name":"openat""#)).unwrap();
        assert!(
            openat.contains(r#""function":"load_config""#) && openat.contains(r#""base":27,"this":1027"#),
            "{openat}"
        );
        // If only one run has lines, functions are compared without. If only one has stacks, none are named.
        let message = stride_in(&scratch, &["--replay=after", "--diff=symbols"]).out;
        assert!(message.contains("openat: 1,000 more from load_config (program)"), "{engine}: {message}");
        run(&["--record=bare", "./program", "27", "200"]);
        for (this, base) in [("after", "bare"), ("bare", "after")] {
            let (this, base) = (format!("--replay={this}"), format!("--diff={base}"));
            let message = stride_in(&scratch, &[&this, &base]).out;
            assert!(message.contains("openat") && !message.contains(" from "), "{engine}: {message}");
        }
    }
}
