//! The functions behind calls: `--by=caller`, `--by=stack`, `--called-from` and `--flamegraph`.

mod browser;
mod common;

use browser::Browser;
use common::*;
use std::process::Command;

/// Compiles `tests/stacks/callers.c` to `scratch/program`. Returns false if this machine cannot.
fn compiled(scratch: &Scratch, options: &[&str]) -> bool {
    let source = root().join("tests/stacks/callers.c");
    let mut command = Command::new("cc");
    command.args(["-w", "-O1"]).args(options).arg("-o").arg(scratch.path("program")).arg(source);
    command.output().is_ok_and(|output| output.status.success())
}

macro_rules! compile {
    ($scratch:expr, $options:expr) => {
        if !compiled(&$scratch, $options) {
            skip!("no C compiler");
        }
    };
}

const CALLS: [&str; 2] = ["-e", "trace=access,write,getppid"];

/// A run of the program with the text of the trace, for which the program waits.
fn traced(scratch: &Scratch, options: &[&str]) -> Run {
    let _ = std::fs::remove_file(scratch.path("trace"));
    let run = scratch.stride([&["-k"], &CALLS[..], options, &["./program", "trace"]].concat());
    assert_eq!(run.code(), Some(0), "{run:?}");
    run
}

/// The rows of a table without its head and its total, sorted.
fn rows(table: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let body = table.lines().skip_while(|line| !line.starts_with("---")).skip(1);
    let mut rows: Vec<String> = body.take_while(|line| !line.starts_with("---")).map(words).collect();
    rows.sort();
    rows
}

/// The rows of the program's work. How often it waits is not known.
fn work(table: &str) -> Vec<String> {
    rows(table).into_iter().filter(|row| !row.contains("ready") && !row.contains("[")).collect()
}

const COLUMNS: [&str; 2] = ["-U", "calls,errors,name"];

#[test]
fn the_callers_of_calls() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("callers{engine}"));
        compile!(scratch, &["-g"]);
        for (by, expected) in [
            (
                "--by=caller,syscall",
                &["1 compare (program) getppid", "2 save (program) write", "5 5 check (program) access"][..],
            ),
            ("--by=caller", &["1 compare (program)", "2 save (program)", "5 5 check (program)"]),
        ] {
            let options = [by, COLUMNS[0], COLUMNS[1]];
            let run = traced(&scratch, &[&["-C", "--record=rec", engine], &options[..]].concat());
            assert_eq!(work(&run.trace), expected, "{engine} {by}: {}", run.trace);
            let again = scratch.replay(&options);
            assert_eq!(rows(&again.out), rows(&run.trace), "{engine} {by}");
            assert_eq!(again.err, "", "{engine} {by}");
        }
        let options = ["--by=stack", COLUMNS[0], COLUMNS[1]];
        let run = traced(&scratch, &[&["-C", "--record=rec", engine], &options[..]].concat());
        for part in ["main;work;probe;check;access", "main;work;save;write"] {
            assert!(work(&run.trace).iter().any(|row| row.ends_with(part)), "{engine}: {}", run.trace);
        }
        // The C library calls a function of the program, which makes the call.
        assert!(
            work(&run.trace).iter().any(|row| is(row, r"1 .*main;work;qsort.*;compare;syscall")),
            "{engine}: {}",
            run.trace
        );
        assert_eq!(rows(&scratch.replay(&options).out), rows(&run.trace), "{engine}");
    }
}

/// The summary asks for stacks by itself. Without lines of source, a merged function is not known.
#[test]
fn without_further_options() {
    let scratch = Scratch::new("callers-plain");
    compile!(scratch, &[]);
    let run = scratch.stride([&["--by=caller"], &COLUMNS[..], &CALLS, &["./program"]].concat());
    let expected = ["1 compare (program)", "2 save (program)", "5 5 probe (program)"];
    assert_eq!(work(&run.trace), expected, "{}", run.trace);
    // The dynamic loader calls before the program begins, and the C library ends the program.
    let run = scratch.stride([&["--by=caller,syscall"], &COLUMNS[..], &["./program"]].concat());
    assert!(rows(&run.trace).iter().any(|row| is(row, r"\d+ \[ld-linux.*\] mmap")), "{}", run.trace);
    // Without names, the place is told.
    compile!(scratch, &["-s"]);
    let run = scratch.stride([&["--by=caller", "-e", "trace=getppid"], &COLUMNS[..], &["./program"]].concat());
    assert!(is(&rows(&run.trace)[0], r"1 program\+0x[0-9a-f]+"), "{}", run.trace);
    // Only the C library's part of this stack is wanted.
    let limited = ["--by=caller", "-e", "trace=write", "--stack-trace-frame-limit=1", "./program"];
    let run = scratch.stride([&COLUMNS[..], &limited].concat());
    assert_eq!(rows(&run.trace), ["2 [unknown]"], "{}", run.trace);
    assert_eq!(run.err, "", "the limit has an effect");
}

#[test]
fn as_json() {
    let scratch = Scratch::new("callers-json");
    compile!(scratch, &["-g"]);
    let run = scratch.stride([&["--by=caller,stack", "--json"], &CALLS[..], &["./program"]].concat());
    let objects: Vec<serde_json::Value> = run.trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let check = objects.iter().find(|object| object["by"]["caller"] == "check (program)");
    let check = check.unwrap_or_else(|| panic!("{}", run.trace));
    assert_eq!((&check["calls"], &check["errors"]), (&5.into(), &5.into()));
    assert!(check["by"]["stack"].as_str().unwrap().ends_with("work;probe;check;access"), "{check}");
}

#[test]
fn calls_that_a_function_leads_to() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("called-from{engine}"));
        compile!(scratch, &["-g"]);
        traced(&scratch, &["-k", engine, "--record=rec"]);
        let calls = |text: &str| -> Vec<String> {
            let calls =
                text.lines().filter(|line| !line.starts_with([' ', '+'])).filter(|line| !line.contains("/ready"));
            calls.map(|line| line.split('(').next().unwrap_or_default().to_owned()).collect()
        };
        for (regex, expected) in [
            ("^save$", &["write", "write"][..]),
            ("^check$", &["access"; 5]),
            ("^(compare|save)$", &["write", "write", "getppid"]),
            ("callers\\.c$", &["access", "access", "access", "access", "access", "write", "write", "getppid"]),
            ("/program$", &["access", "access", "access", "access", "access", "write", "write", "getppid"]),
            ("^nowhere$", &[]),
        ] {
            let option = format!("--called-from={regex}");
            // The program waits for a stack of its own, so that function is wanted, too.
            let live = format!("--called-from={regex}|^ready$");
            let run = traced(&scratch, &[engine, &live]);
            assert_eq!(calls(&run.trace), expected, "{engine} {regex}: {}", run.trace);
            let again = scratch.replay(&[&option]);
            assert_eq!(calls(&again.out), expected, "{engine} {regex}: {again:?}");
        }
        // The recorded calls are chosen as well.
        traced(&scratch, &[engine, "--called-from=^(save|ready)$", "--record=chosen"]);
        let mut command = bare_stride();
        command.args(["--replay=chosen"]).current_dir(scratch.path(""));
        let chosen = Run::of(command);
        assert_eq!(calls(&chosen.out), ["write", "write"], "{engine}: {chosen:?}");
        // A summary counts the chosen calls.
        let counted = scratch.replay(&[&["--called-from=^work$", "--by=syscall"], &COLUMNS[..]].concat());
        assert_eq!(rows(&counted.out), ["1 getppid", "2 write", "5 5 access"], "{engine}: {counted:?}");
    }
}

#[test]
fn counted_live_by_function() {
    let scratch = Scratch::new("called-from-counted");
    compile!(scratch, &["-g"]);
    for &engine in engines() {
        let run = scratch.stride([&[engine, "-c", "--called-from=^nowhere$"], &CALLS[..], &["./program"]].concat());
        assert_eq!(rows(&run.trace), [""; 0], "{engine}: {}", run.trace);
    }
    let run = scratch.stride([&["-c", "--called-from=^save$"], &COLUMNS[..], &["./program"]].concat());
    assert_eq!(rows(&run.trace), ["2 write"], "{}", run.trace);
}

#[test]
fn mistakes() {
    let scratch = Scratch::new("callers-mistakes");
    for (options, message) in [
        (&["--called-from=save("][..], "regcomp: save(: Unmatched ( or \\("),
        (&["--called-from="], "invalid --called-from argument: ''"),
        (&["--by=callers"], "--by: unknown key 'callers'; did you mean 'caller'?"),
        (&["--flamegraph=x.svg"], "--flamegraph: the end of the name 'x.svg' does not say what to write: .html stands"),
        (&["--flamegraph=x"], "--flamegraph: the end of the name 'x' does not say what to write"),
        (&["--flamegraph=no/x.html"], "Can't open 'no/x.html' for --flamegraph: No such file or directory"),
    ] {
        let mut command = stride();
        command.args(options).args(["sh", "-c", "echo ran"]).current_dir(scratch.path(""));
        let run = Run::of(command);
        assert!(run.code() == Some(1) && run.out.is_empty() && run.err.contains(message), "{options:?}: {run:?}");
        assert!(!scratch.path("x.svg").exists() && !scratch.path("x").exists());
    }
    // A recording without stacks.
    scratch.stride(["--record=rec", "true"]);
    for option in ["--by=caller", "--by=syscall,stack", "--called-from=main", "--flamegraph=x.html"] {
        let run = scratch.replay(&[option]);
        let name = option.split('=').next().unwrap();
        let hint = "needs stacks, and the recording 'rec' has none: record the program again with -k";
        assert!(run.code() == Some(1) && run.out.is_empty(), "{option}: {run:?}");
        assert!(run.err.contains(name) && run.err.contains(hint), "{option}: {run:?}");
    }
    // A recording without lines of source.
    if compiled(&scratch, &["-g"]) {
        scratch.stride([&["--record=rec", "-k"], &CALLS[..], &["./program"]].concat());
        let run = scratch.replay(&[&["--by=caller"], &COLUMNS[..]].concat());
        assert!(rows(&run.out).contains(&"5 5 probe (program)".into()), "{run:?}");
        assert!(run.err.contains("functions that the compiler merged into others were not recorded"), "{run:?}");
    }
}

#[test]
fn folded_text() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("folded{engine}"));
        compile!(scratch, &["-g"]);
        let run = traced(&scratch, &[engine, "--record=rec", "--flamegraph=live.folded"]);
        assert!(
            run.err.contains("live.folded: ") && run.err.contains("other tools make a flame graph of it"),
            "{run:?}"
        );
        let live = scratch.read("live.folded");
        for line in [r"program;.*main;work;probe;check;access;access 5", r"program;.*main;work;save;write;write 2"] {
            assert!(live.lines().any(|seen| is(seen, line)), "{engine}: no {line} in {live}");
        }
        // Each line is a stack and a number, and no call is left out.
        let numbers = live.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap());
        let calls = run.trace.lines().filter(|line| line.contains(" = ")).count() as u64;
        assert_eq!(numbers.sum::<u64>(), calls, "{engine}: {live}");
        scratch.replay(&["--flamegraph=again.folded"]);
        assert_eq!(scratch.read("again.folded"), live, "{engine}");
    }
    let scratch = Scratch::new("folded-pipe");
    compile!(scratch, &["-g"]);
    let run = scratch.stride([&["--flamegraph=/dev/stdout"], &CALLS[..], &["./program"]].concat());
    assert!(run.out.lines().any(|line| is(line, r"program;.*;work;save;write;write 2")), "{run:?}");
}

/// Starts a browser, or leaves the test.
macro_rules! browser {
    ($scratch:expr) => {
        match Browser::start(&$scratch.path("")) {
            Some(browser) => browser,
            None => skip!("no chromium"),
        }
    };
}

#[test]
fn the_page_in_a_browser() {
    let scratch = Scratch::new("flame-page");
    compile!(scratch, &["-g"]);
    let mut browser = browser!(scratch);
    for &engine in engines() {
        traced(&scratch, &[engine, "--flamegraph=page.html"]);
        for scheme in ["light", "dark"] {
            browser.open(&scratch.path("page.html"), scheme);
            assert_eq!(browser.complaints(), [""; 0]);
            assert_eq!(browser.requests().iter().filter(|url| !url.starts_with("data:")).count(), 1);
        }
        // The width of a box is its share of the calls.
        let all = browser.number("tree.weights.calls[0]");
        browser.eval("window.box = (name) => [...document.querySelectorAll('.box')].find(box => tree.name(Number(box.dataset.box)) === name)");
        let share =
            browser.number("box('save').getBoundingClientRect().width / document.querySelector('#boxes').clientWidth");
        assert!((share - 2.0 / all).abs() < 0.01, "{share} of {all}");
        assert!(browser.text("box('check').className").contains("k-own"));
        // Failed calls alone: check is as wide as those of `ready` leave it, and save is gone.
        browser.click("#measures input[value=errors]");
        assert_eq!(browser.eval("box('save') === undefined && box('check') !== undefined"), true);
        browser.click("#measures input[value=time]");
        browser.click("#measures input[value=calls]");
        // A box in view is as wide as the graph.
        browser.click(".box[aria-label^='probe, ']");
        let wide =
            browser.number("box('probe').getBoundingClientRect().width / document.querySelector('#boxes').clientWidth");
        assert!(wide > 0.99, "{wide}");
        assert!(browser.text("document.querySelector('#detail').textContent").starts_with("probe in "));
        assert_eq!(browser.eval("box('save') === undefined"), true);
        // By the keyboard to what it calls, and back to all.
        browser.key("ArrowDown");
        assert!(browser.text("document.querySelector('#detail').textContent").starts_with("check in "));
        browser.key("ArrowUp");
        browser.key("ArrowUp");
        assert!(browser.text("document.activeElement.ariaLabel").starts_with("work, "));
        browser.key("Escape");
        assert_eq!(browser.eval("box('save') !== undefined"), true);
        // The search says how much the functions led to, and counts no call twice.
        browser.key("/");
        assert_eq!(browser.text("document.activeElement.id"), "search");
        browser
            .eval("document.activeElement.value = 'PROBE'; document.activeElement.dispatchEvent(new Event('input'))");
        assert!(browser.text("document.querySelector('#found').textContent").starts_with("Found: 5 calls, "));
        assert!(browser.number("document.querySelectorAll('.match').length") >= 1.0);
        let functions = browser.text("document.querySelector('#functions-body').textContent");
        assert!(functions.contains("work") && functions.contains("libc"), "{functions}");
        assert_eq!(browser.complaints(), [""; 0]);
    }
    let size = serde_json::json!({ "width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    browser.call("Emulation.setDeviceMetricsOverride", size);
    browser.wait("document.documentElement.scrollWidth <= 420");
}

#[test]
fn hostile_names_in_the_page() {
    let scratch = Scratch::new("flame-hostile");
    compile!(scratch, &["-g"]);
    let mut browser = browser!(scratch);
    // The name of the file is the module's path and the name of its threads.
    let name = "<i id=x>;\n&";
    copy_program(scratch.path("program"), scratch.path(name));
    let program = format!("./{name}");
    scratch.stride([&["--flamegraph=page.html"], &CALLS[..], &[&program]].concat());
    browser.open(&scratch.path("page.html"), "light");
    assert_eq!(browser.complaints(), [""; 0]);
    assert_eq!(browser.number("document.querySelectorAll('i, img').length + document.scripts.length"), 2.0);
    assert!(browser.text("document.querySelector('h1').textContent").contains(r"<i id=x>;\n&"));
    scratch.stride([&["--flamegraph=page.folded"], &CALLS[..], &[&program]].concat());
    let folded = scratch.read("page.folded");
    assert!(folded.lines().all(|line| line.starts_with(r"<i id=x>:\n&;")), "{folded}");
}

/// In the page of `--html`, a click on a call shows its stack.
#[test]
fn stacks_in_the_page_of_the_run() {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("html-stacks{engine}"));
        compile!(scratch, &["-g"]);
        let mut browser = browser!(scratch);
        traced(&scratch, &[engine, "-k", "--record=rec", "--html=page.html"]);
        let live = scratch.page_data();
        scratch.replay(&["--html=page.html"]);
        assert_eq!(scratch.page_data(), live, "{engine}");
        browser.open(&scratch.path("page.html"), "light");
        assert_eq!(browser.complaints(), [""; 0]);
        let functions = "[...document.querySelectorAll('#errors-body .frames li')].map(li => li.textContent).join('|')";
        assert_eq!(browser.text(functions), "");
        browser.eval("[...document.querySelectorAll('#errors-body tbody tr')].find(tr => tr.textContent.includes('/nothing/here')).id = 'row'");
        browser.click("#row summary");
        browser.wait("document.querySelector('#row .frames') !== null");
        let stack = browser.text(functions);
        let expected = r".*access.*libc.*\|check.*program, .*callers\.c:\d+\|probe.*\|work.*\|main.*";
        assert!(is(&stack, expected), "{engine}: {stack}");
        // In the timeline, too, from call to call.
        browser.eval("document.querySelector('#lanes').focus()");
        browser.key("n");
        let detail = browser.text("document.querySelector('.detail').textContent");
        assert!(detail.contains("took ") && detail.contains("main"), "{engine}: {detail}");
        browser.click("#slowest-body summary");
        browser.wait("document.querySelectorAll('#slowest-body .frames li').length > 2");
        assert_eq!(browser.complaints(), [""; 0]);
        // Without stacks there is nothing to click.
        scratch.stride(["--html=page.html", "./program"]);
        browser.open(&scratch.path("page.html"), "light");
        assert_eq!(browser.number("document.querySelectorAll('td summary').length"), 0.0);
    }
}
