//! `--html`: the page in a browser, and how it is made.

mod browser;
mod common;

use browser::Browser;
use common::*;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::process::Stdio;
use stride_test_support::calls::lasting;

/// Starts a browser, or leaves the test.
macro_rules! browser {
    ($scratch:expr) => {
        match Browser::start(&$scratch.path("")) {
            Some(browser) => browser,
            None => skip!("no chromium"),
        }
    };
}

/// `stride --html=page`, without the text.
fn page<S: AsRef<OsStr>>(scratch: &Scratch, args: impl IntoIterator<Item = S>) -> Run {
    let mut command = stride();
    command.arg("--html=page.html").args(args).current_dir(scratch.path(""));
    let run = Run::of(command);
    assert!(scratch.path("page.html").metadata().is_ok_and(|m| m.len() > 10_000), "{run:?}");
    run
}

/// A shell with two children.
const SCRIPT: &str =
    "ls / > /dev/null; i=0; while [ $i -lt 300 ]; do test -e /nothing/here; i=$((i+1)); done; sleep 0.2; exit 3";

#[test]
fn a_page_is_drawn_and_asks_nobody() {
    let scratch = Scratch::new("html-drawn");
    let mut browser = browser!(scratch);
    let run = page(&scratch, ["-f", "sh", "-c", SCRIPT]);
    assert_eq!((run.code(), run.out.as_str()), (Some(3), ""));
    assert!(!run.err.contains("execve("), "no text was asked for: {run:?}");
    for scheme in ["light", "dark"] {
        browser.open(&scratch.path("page.html"), scheme);
        assert_eq!(browser.complaints(), [""; 0]);
        let requests = browser.requests();
        let foreign: Vec<_> = requests.iter().filter(|url| !url.starts_with("data:")).collect();
        assert_eq!(foreign, [&format!("file://{}", scratch.path("page.html").display())]);
    }
    let sentence = browser.text("document.querySelector('#sentence').textContent");
    assert!(is(&sentence, r"Ran for .* and made [\d,]+ system calls in 3 processes; .* failed .*"), "{sentence}");
    assert!(browser.text("document.querySelector('h1').textContent").starts_with("sh -c 'ls /"));
    for section in ["timeline", "calls", "latency", "files", "errors", "slowest", "processes"] {
        let empty = browser.eval(&format!("document.querySelector('#{section}-body').childElementCount === 0"));
        assert_eq!(empty, false, "{section}");
    }
    assert_eq!(browser.number("document.querySelectorAll('#processes-body tbody tr').length"), 3.0);
    let errors = browser.text("document.querySelector('#errors-body').textContent");
    assert!(errors.contains("ENOENT") && errors.contains("/nothing/here300"), "{errors}");
    // The page is as narrow as a telephone.
    let size = serde_json::json!({ "width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    browser.call("Emulation.setDeviceMetricsOverride", size);
    browser.wait("document.documentElement.scrollWidth <= 420");
}

#[test]
fn names_stay_text() {
    let scratch = Scratch::new("html-hostile");
    let mut browser = browser!(scratch);
    let markup = "</script><img src=x onerror=window.hacked=1><b id=bold>";
    let names: Vec<OsString> = vec![
        markup.replace('/', "\\").into(),
        markup.into(),
        "new\nline".into(),
        "\u{5d0}\u{202e}gpj.exe".into(),
        OsString::from_vec(b"not\xffutf-8\x1b[31m".to_vec()),
        "{{script}}<!--".into(),
    ];
    // The program's name contains markup, which must not take effect.
    let program = scratch.path("<i id=it>&amp;");
    copy_program("/bin/cat", &program);
    page(&scratch, [vec!["-s".into(), "200".into(), "-f".into(), program.into()], names].concat());
    browser.open(&scratch.path("page.html"), "light");
    browser.click("#timeline summary");
    browser.wait("document.querySelector('#timeline details table') !== null");
    assert_eq!(browser.complaints(), [""; 0]);
    let brought = "document.querySelectorAll('img, b, i, iframe, main script').length";
    assert_eq!((browser.number(brought), browser.number("document.scripts.length")), (0.0, 2.0));
    assert_eq!(browser.eval("window.hacked === undefined"), true);
    let errors = browser.text("document.querySelector('#errors-body').textContent");
    for shown in [
        "</script><img src=x onerror=window.hacked=1><b id=bold>",
        r"new\nline",
        r"\u{202e}gpj.exe",
        r"not\xffutf-8\x1b[31m",
        "{{script}}<!--",
    ] {
        assert!(errors.contains(shown), "{shown}: {errors}");
    }
    let title = browser.text("document.querySelector('h1').textContent");
    assert!(title.contains("<i id=it>&amp;") && title.contains("onerror"), "{title}");
    assert!(browser.text("document.querySelector('#timeline details').textContent").contains("<i id=it>&amp;"));
}

/// The page's script shows the same as the other views.
#[test]
fn quantities_are_written_as_elsewhere() {
    let scratch = Scratch::new("html-quantities");
    let mut browser = browser!(scratch);
    page(&scratch, ["true"]);
    browser.open(&scratch.path("page.html"), "light");
    for row in include_str!("../../event/src/quantity.tsv").lines() {
        let [function, given, text] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        assert_eq!(browser.text(&format!("{function}({})", given.replace(' ', ", "))), text, "{row}");
    }
}

#[test]
fn columns_sort() {
    let scratch = Scratch::new("html-sort");
    let mut browser = browser!(scratch);
    page(&scratch, ["-f", "sh", "-c", SCRIPT]);
    browser.open(&scratch.path("page.html"), "light");
    let head = |n: usize| format!("#calls-body th:nth-child({n}) button");
    let column = |browser: &mut Browser, n: usize| -> Vec<String> {
        let cells = format!(
            "[...document.querySelectorAll('#calls-body td:nth-child({n})')].map(td => td.textContent).join('|')"
        );
        browser.text(&cells).split('|').map(str::to_owned).collect()
    };
    let sorted = |browser: &mut Browser, n: usize| {
        browser.text(&format!("document.querySelector('#calls-body th:nth-child({n})').ariaSort"))
    };
    let numbers =
        |cells: &[String]| -> Vec<u64> { cells.iter().map(|c| c.replace(',', "").parse().unwrap()).collect() };
    assert_eq!(sorted(&mut browser, 3), "descending");
    browser.click(&head(2));
    let most = numbers(&column(&mut browser, 2));
    assert!(most.len() > 5 && most.is_sorted_by(|a, b| a >= b) && most[0] >= 300, "{most:?}");
    assert_eq!((sorted(&mut browser, 2), sorted(&mut browser, 3)), ("descending".into(), "none".into()));
    browser.click(&head(2));
    let least = numbers(&column(&mut browser, 2));
    assert!(least.is_sorted() && least[0] < most[0], "{least:?}");
    // Sorts by name, with the keyboard.
    browser.eval(&format!("document.querySelector({:?}).focus()", head(1)));
    browser.key("Enter");
    let names = column(&mut browser, 1);
    assert!(names.is_sorted() && !names.is_empty(), "{names:?}");
    assert_eq!(sorted(&mut browser, 1), "ascending");
    let rows = names.len();
    browser.click("#calls-body .table > button");
    assert!(column(&mut browser, 1).len() > rows);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_timeline_zooms_and_pans() {
    let scratch = Scratch::new("html-timeline");
    let mut browser = browser!(scratch);
    page(&scratch, ["-f", "sh", "-c", SCRIPT]);
    browser.open(&scratch.path("page.html"), "light");
    // The visible range. It is drawn with the next frame.
    let view = |browser: &mut Browser| {
        browser.settle();
        let part = |browser: &mut Browser, name: &str| {
            browser.number(&format!("Number(document.querySelector('#lanes').dataset.{name})"))
        };
        (part(browser, "from"), part(browser, "to"))
    };
    let whole = view(&mut browser);
    assert!(whole.0 == 0.0 && whole.1 > 5e7, "{whole:?}");
    // The lanes do not stop a user who scrolls past them.
    browser.wheel("#lanes", -300.0);
    assert_eq!(view(&mut browser), whole);
    browser.click("#lanes");
    assert_eq!(browser.text("document.activeElement.id"), "lanes");
    browser.wheel("#lanes", -300.0);
    let near = view(&mut browser);
    assert!(near.1 - near.0 < 0.6 * whole.1 && near.0 > 0.0, "{near:?}");
    browser.drag("#lanes", 200.0);
    let dragged = view(&mut browser);
    assert!(dragged.0 < near.0 && (dragged.1 - dragged.0 - near.1 + near.0).abs() < 2.0, "{near:?} {dragged:?}");
    browser.wheel("#lanes", 3000.0);
    browser.wheel("#lanes", 3000.0);
    assert_eq!(view(&mut browser), whole);
    browser.key("+");
    let key = view(&mut browser);
    assert!((key.1 - key.0 - whole.1 / 2.0).abs() < 2.0, "{key:?}");
    browser.key("ArrowRight");
    let right = view(&mut browser);
    assert!(right.0 > key.0, "{right:?}");
    browser.key("-");
    browser.key("0");
    assert_eq!(view(&mut browser), whole);
    // Steps from call to call, and reads the details of each.
    let detail = "document.querySelector('.detail').textContent";
    browser.key("Escape");
    browser.key("ArrowUp");
    let thread = browser.text(detail);
    browser.key("n");
    let first = browser.text(detail);
    browser.key("n");
    let second = browser.text(detail);
    assert!(
        thread.contains(" calls · ") && first.contains("took ") && second.contains("took "),
        "{thread} {first} {second}"
    );
    assert!(thread != first && first != second, "{first} {second}");
    browser.key("p");
    assert_eq!(browser.text(detail), first);
    // The second call is brk, which is short unless the machine is very busy.
    browser.key("n");
    browser.key("Enter");
    let call = view(&mut browser);
    assert!(call.1 - call.0 < 0.9 * whole.1, "{call:?}");
    // Goes from the list of the slowest calls to the call's place.
    browser.click("#slowest-body tbody tr button");
    assert!(browser.text(detail).contains("took "));
    browser.click(".tools button:last-child");
    assert_eq!(view(&mut browser), whole);
    browser.pinch("#lanes", 50.0, 100.0);
    let pinched = view(&mut browser);
    assert!((pinched.1 - pinched.0 - whole.1 / 2.0).abs() < whole.1 / 50.0, "{pinched:?}");
    browser.click(".tools button:last-child");
    // At the end, ls and its thread are gone.
    let threads = |browser: &mut Browser| {
        view(browser);
        browser.text("document.querySelector('#lanes').dataset.threads")
    };
    assert_eq!(threads(&mut browser), "3");
    browser.click(".tools input");
    assert_eq!(threads(&mut browser), "3");
    browser.eval("document.querySelector('#lanes').focus()");
    // The last 64th of the run, because ls may have taken most of the run on a busy machine. By then sleep may be gone,
    // too.
    ["+", "+", "+", "+", "+", "+", "End"].iter().for_each(|key| browser.key(key));
    let last = threads(&mut browser);
    assert!(["1", "2"].contains(&last.as_str()), "{last}");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn dark_and_light() {
    let scratch = Scratch::new("html-dark");
    let mut browser = browser!(scratch);
    page(&scratch, ["true"]);
    let paper = "getComputedStyle(document.body).backgroundColor";
    let bright = |browser: &mut Browser| {
        let colour = browser.text(paper);
        let sum: u32 = colour.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u32>().ok()).take(3).sum();
        sum > 384
    };
    browser.open(&scratch.path("page.html"), "light");
    assert!(bright(&mut browser));
    // The page follows the system's colours until the user chooses others.
    browser.prefer("dark");
    assert!(!bright(&mut browser));
    browser.click("#scheme");
    assert!(bright(&mut browser));
    browser.prefer("light");
    assert!(bright(&mut browser));
    browser.click("#scheme");
    assert!(!bright(&mut browser));
    // The first element that Tab reaches is the link past the bar. It is visible.
    browser.open(&scratch.path("page.html"), "dark");
    browser.key("Tab");
    assert_eq!(browser.text("document.activeElement.className"), "skip");
    assert!(browser.number("document.activeElement.getBoundingClientRect().top") >= 0.0);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn many_calls_make_a_small_page() {
    need!("/bin/dd");
    let scratch = Scratch::new("html-many");
    page(&scratch, ["/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=60000"]);
    let size = scratch.path("page.html").metadata().unwrap().len();
    assert!(size < 5_000_000, "{size}");
    let mut browser = browser!(scratch);
    browser.open(&scratch.path("page.html"), "light");
    let sentence = browser.text("document.querySelector('#sentence').textContent");
    assert!(is(&sentence, r"Ran for .* and made 120,\d{3} system calls; .*"), "{sentence}");
    let zero = browser.text("document.querySelector('#files-body').textContent");
    assert!(zero.contains("/dev/zero") && zero.contains("58.6 KiB"), "{zero}");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn replayed_it_is_the_page_of_the_live_trace() {
    for engine in engines() {
        let scratch = Scratch::new(&format!("html-replay{engine}"));
        page(&scratch, [engine, "--record=rec", "-f", "sh", "-c", SCRIPT]);
        let live = scratch.page_data();
        std::fs::remove_file(scratch.path("page.html")).unwrap();
        let run = scratch.replay(&["-q", "--html=page.html"]);
        assert_eq!((run.code(), run.out.as_str(), run.err.as_str()), (Some(0), "", ""));
        let again = scratch.page_data();
        assert_eq!(live, again);
        assert!(again["numbers"]["calls"].as_u64().unwrap() > 300);
        let files = again["files"]["rows"].as_array().unwrap();
        assert!(files.iter().any(|file| file["name"] == "/nothing/here" && file["errors"] == 300));
    }
}

#[test]
fn with_text_beside_it() {
    let scratch = Scratch::new("html-text");
    let run = scratch.stride(["--html=page.html", "echo", "x"]);
    assert!(run.trace.contains("execve(") && run.trace.contains("write(1, \"x\\n\", 2)"), "{run:?}");
    let calls = run.trace.lines().filter(|line| line.contains(" = ") && !line.contains(" = ?")).count() as u64;
    assert_eq!(scratch.page_data()["numbers"]["calls"], calls);
}

/// With `--waits`, the details of a call tell who ended its sleep, an arrow leads from there, and colours show the states of threads. So does the page
/// of a recording.
#[test]
fn waits_of_a_call() {
    need_ebpf!();
    let scratch = Scratch::new("html-waits");
    let mut browser = browser!(scratch);
    let program = program!("waits").to_str().unwrap().to_string();
    page(&scratch, ["--engine=ebpf", "--waits", "--record=rec", "-f", &program, "pipe"]);
    let live = scratch.page_data();
    browser.open(&scratch.path("page.html"), "light");
    browser.eval(
        "{ const reads = view.lanes.flatMap(lane => [...lane.call.keys()].map(slice => ({ lane, slice })))\
             .filter(({ lane, slice }) => callName(lane.call[slice]) === 'read');\
           const blocked = ({ lane, slice }) => lane.took[slice] * (sharesOf(lane.state, slice)?.[1] ?? 0);\
           view.pick(reads.reduce((a, b) => (blocked(b) > blocked(a) ? b : a))); }",
    );
    let detail = browser.text("document.querySelector('.detail').textContent");
    assert!(
        is(
            &detail,
            r"read\(.*took [\d.]+ m?s · waited for the other end of a pipe: blocked [\d.]+ m?s by .*\[\d+\] write.* · at .*"
        ),
        "{detail}"
    );
    assert_eq!(browser.complaints(), [""; 0]);
    browser.settle();
    let arrow = browser.text("document.querySelector('#lanes').dataset.arrow");
    let threads = browser.text("`${view.lanes[1].tid} ${view.lanes[0].tid}`");
    assert_eq!(arrow, threads, "from the child's lane to the parent's");
    let colour = |browser: &mut Browser| {
        browser.settle();
        browser.text(
            "{ const { lane, slice } = view.picked; const scale = window.devicePixelRatio || 1;\
               const x = Math.round(view.x(lane.at[slice] + 0.6 * lane.took[slice]) * scale);\
               const y = Math.round((4 + view.rows.indexOf(lane) * LANE + 3) * scale);\
               const [r, g, b] = view.body.getContext('2d').getImageData(x, y, 1, 1).data;\
               '#' + [r, g, b].map(n => n.toString(16).padStart(2, '0')).join('') }",
        )
    };
    let variable =
        |name: &str| format!("getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()");
    let (blocked, family) = (browser.text(&variable("state-blocked")), browser.text(&variable("transfer")));
    assert_eq!(colour(&mut browser), blocked);
    let legend = browser.text("document.querySelector('.states .legend').textContent");
    assert!(legend.contains("on a CPU") && legend.contains("blocked"), "{legend}");
    browser.click(".by-state input");
    assert_eq!(colour(&mut browser), family);
    assert_eq!(browser.eval("document.querySelector('.states').hidden"), true);
    browser.click(".by-state input");
    browser.eval("document.querySelector('#lanes').focus()");
    browser.key("w");
    let waker = browser.text("document.querySelector('.detail').textContent");
    assert!(waker.starts_with("write("), "{waker}");
    // (The browser advises about the way in which this test reads colours.)
    let complaints = browser.complaints();
    assert!(complaints.iter().all(|it| it.contains("willReadFrequently")), "{complaints:?}");
    scratch.replay(&["--waits", "--html=page.html"]);
    assert_eq!(scratch.page_data(), live);
}

#[test]
fn where_it_cannot_be_written() {
    let scratch = Scratch::new("html-unwritable");
    let mut command = stride();
    command.args(["--html=/nowhere/page.html", "touch", "ran"]).current_dir(scratch.path(""));
    let run = Run::of(command);
    let message = "Can't open '/nowhere/page.html' for --html: No such file or directory";
    assert_eq!((run.code(), run.messages()), (Some(1), vec![message]));
    assert!(!scratch.path("ran").exists());
    // A full disk is only noticed later, so the command still runs to its end.
    let run = common::run(["--html=/dev/full", "sh", "-c", "exit 7"]);
    assert_eq!(run.code(), Some(7));
    assert!(run.messages().contains(&"Can't write the page '/dev/full': No space left on device"), "{run:?}");
}

/// After an interrupt, the page has the calls seen so far, and the unfinished call.
#[test]
fn interrupted() {
    let scratch = Scratch::new("html-interrupted");
    let mut sleeper = Killed(std::process::Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap());
    let stat = format!("/proc/{}/stat", sleeper.0.id());
    let asleep = || std::fs::read_to_string(&stat).ok()?.contains("(sleep) S ").then_some(());
    wait_for("sleep to sleep", asleep);
    let mut command = stride();
    command
        .args(["--html=page.html", "-o", "trace", "-p"])
        .arg(sleeper.0.id().to_string())
        .current_dir(scratch.path(""));
    command.stderr(std::fs::File::create(scratch.path("err")).unwrap());
    let mut tracer = Killed(command.spawn().unwrap());
    scratch.wait_attached(1);
    // The page knows all that the text shows.
    wait_until("the call under way", || scratch.read("trace").contains("restart_syscall("));
    // The process was stopped for attaching. It sleeps again.
    wait_for("sleep to sleep on", asleep);
    kill(Pid::from_raw(tracer.0.id() as i32), Signal::SIGINT).unwrap();
    tracer.0.wait().unwrap();
    assert!(sleeper.0.try_wait().unwrap().is_none(), "it lives on");
    let data = scratch.page_data();
    assert_eq!(data["processes"]["rows"][0]["end"], "lives on");
    let text = data["texts"].to_string();
    assert!(text.contains("nanosleep"), "{text}");
}

/// The findings of `--advise` have a section of their own, and are also printed as text.
#[test]
fn with_advice() {
    let scratch = Scratch::new("html-advice");
    let many = "i=0; while [ $i -lt 3000 ]; do test -e /nothing/here; i=$((i+1)); done";
    let run = page(&scratch, ["--advise", "sh", "-c", many]);
    assert!(run.err.contains("stat storm"), "{run:?}");
    let data = scratch.page_data();
    let finding = &data["findings"][0];
    assert_eq!((finding["id"].as_str(), finding["title"].as_str()), (Some("stat-storm"), Some("stat storm")));
    assert!(finding["evidence"][0].as_str().unwrap().starts_with("/nothing/here: 3,000 calls"), "{finding}");
    let mut browser = browser!(scratch);
    browser.open(&scratch.path("page.html"), "light");
    browser.click(".finding summary");
    browser.wait("document.querySelector('.finding details').open");
    let shown = browser.text("document.querySelector('#findings').innerText");
    assert!(shown.contains("/nothing/here: 3,000 calls") && shown.contains("stride --explain stat-storm"), "{shown}");
    assert!(browser.text("document.querySelector('#nav').textContent").starts_with("Findings"));
    marks(&mut browser);
    page(&scratch, ["true"]);
    browser.open(&scratch.path("page.html"), "light");
    assert_eq!(browser.eval("document.querySelector('#findings').hidden"), true);
    assert_eq!(browser.complaints(), [""; 0]);
}

/// A card marks its calls in the timeline, and `N` leads from one to the next.
fn marks(browser: &mut Browser) {
    for (width, beside) in [(1300, true), (700, false)] {
        let size = serde_json::json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        let place = |what: &str| format!("document.querySelector('{what}').getBoundingClientRect()");
        let timeline_ends = format!("{}.right <= {}.left", place("#timeline"), place(".finding"));
        // (The page draws itself anew soon after its size has changed.)
        browser.wait(&format!("({timeline_ends}) === {beside}"));
        browser.wait(&format!("document.documentElement.scrollWidth <= {width}"));
    }
    let marked = "document.querySelector('#lanes').dataset.marked";
    browser.wait(&format!("{marked} === ''"));
    browser.click(".finding .mark");
    browser.wait(&format!("{marked} === '0'"));
    assert_eq!(browser.eval("document.querySelector('.finding .mark').getAttribute('aria-pressed')"), "true");
    browser.click("#lanes");
    browser.key("Home");
    browser.key("Escape");
    for _ in 0..20 {
        browser.key("n");
        let message = browser.text("document.querySelector('.detail').textContent");
        assert!(message.contains("/nothing/here"), "{message}");
    }
    browser.click(".finding .mark");
    browser.wait(&format!("{marked} === ''"));
}

/// A marked bin has calls of the finding.
#[test]
fn bins_are_marked() {
    let scratch = Scratch::new("html-marks");
    let many = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; i=0; while [ $i -lt 30000 ]; do test -e /nothing/here; i=$((i+1)); done";
    page(&scratch, ["--advise", "sh", "-c", many]);
    let data = scratch.page_data();
    let lane = &data["timeline"]["lanes"][0];
    let (bins, marks) = (lane["bins"].as_array().unwrap(), lane["bin_marks"].as_array().unwrap());
    assert_eq!(bins.len(), 5 * marks.len());
    let calls: u64 =
        bins.chunks(5).zip(marks).filter(|(_, mark)| **mark == 1).map(|(bin, _)| bin[1].as_u64().unwrap()).sum();
    assert!(calls > 10_000, "{calls}");
    let slices = lane["marks"].as_array().unwrap();
    // The first calls start the shell.
    assert_eq!(slices[0], 0);
}

/// The page of a made-up run: calls of getpid(2), each with its start, counted from the run's, and its duration.
fn made_up(scratch: &Scratch, calls: impl IntoIterator<Item = (u64, u64)>) {
    // (In a recording, 0 stands for a time that is not known.)
    const BEGAN: u64 = 1_000_000;
    let mut run = Recorded::new(scratch);
    run.started(7, None, BEGAN);
    let mut end = BEGAN;
    for (after, took) in calls {
        let entered = BEGAN + after;
        end = entered + took + 100;
        run.exit(&lasting(Recorded::call("getpid", 7, &[], entered), entered, took));
    }
    run.ended(7, end);
    run.finish();
    assert_eq!(scratch.replay(&["--html=page.html"]).code(), Some(0));
}

/// `N` does not stop at a bin in which no call begins, even if a call reaches into it.
#[test]
fn steps_lead_from_call_to_call() {
    let scratch = Scratch::new("html-steps");
    let mut browser = browser!(scratch);
    // The first 2,000 calls are a microsecond apart, the others follow without a pause.
    made_up(&scratch, (0..21_000).map(|i| (i * 500 + i.min(2_000) * 500 + 100, 500)));
    let bins = scratch.page_data()["timeline"]["lanes"][0]["bins"].as_array().unwrap().clone();
    let begun: Vec<_> = bins.chunks(5).map(|bin| bin[1].as_u64().unwrap()).collect();
    assert!(begun.iter().take(30).any(|calls| *calls == 0), "{:?}", &begun[..30]);
    browser.open(&scratch.path("page.html"), "light");
    browser.click("#lanes");
    browser.key("Home");
    let detail = "document.querySelector('.detail').textContent";
    browser.key("Escape");
    let mut seen = std::collections::BTreeSet::new();
    for key in ["n"; 30].iter().chain(&["p"; 20]) {
        browser.key(key);
        let message = browser.text(detail);
        assert!(message.starts_with("1 call, mostly getpid"), "{message}");
        seen.insert(message);
    }
    assert_eq!(seen.len(), 30, "each key leads on");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_tip_goes_when_its_call_does() {
    let scratch = Scratch::new("html-tip");
    let mut browser = browser!(scratch);
    made_up(&scratch, (0..10).map(|i| (i * 1000, 500)));
    browser.open(&scratch.path("page.html"), "light");
    browser.settle();
    let hover = "(() => { const it = document.querySelector('#lanes'), box = it.getBoundingClientRect();
        it.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 180, clientY: box.top + 12, bubbles: true }));
        return document.querySelector('.timeline .tip').hidden; })()";
    let hidden = "document.querySelector('.timeline .tip').hidden";
    assert_eq!(browser.eval(hover), false, "there is a call");
    browser.eval("document.querySelector('#lanes').focus()");
    browser.key("+");
    assert_eq!(browser.eval(hidden), true);
    browser.key("0");
    browser.settle();
    assert_eq!(browser.eval(hover), false);
    browser.click(".tools button:nth-child(1)");
    assert_eq!(browser.eval(hidden), true);
}

#[test]
fn labels_of_latencies_have_room() {
    let scratch = Scratch::new("html-labels");
    let mut browser = browser!(scratch);
    // The scale ends at one of its labels: at 100 ms.
    made_up(&scratch, [(0, 120), (1_000, 90_000_000)]);
    browser.open(&scratch.path("page.html"), "light");
    for width in (700..1500).step_by(50) {
        let size = serde_json::json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        browser.settle();
        let overlaps = "(() => { const of = (it) => { const range = document.createRange(); range.selectNodeContents(it);
            return range.getBoundingClientRect(); };
            const head = document.querySelector('.latency .head'), facts = of(head.querySelector('.facts'));
            const labels = [...head.querySelectorAll('.axis span')].map(of);
            return [...labels, facts].some((a, i, all) => all.slice(i + 1).some((b) => a.left < b.right && b.left < a.right
                && a.top < b.bottom && b.top < a.bottom)); })()";
        let head = "[...document.querySelectorAll('.latency .head span')].map((it) => { const r = it.getBoundingClientRect(); return [it.textContent, r.left, r.right, r.top]; })";
        assert_eq!(browser.eval(overlaps), false, "{width}: {}", browser.eval(head));
    }
}

/// Calls refer to the names in the page's table of files.
#[test]
fn calls_name_their_files() {
    for engine in engines() {
        let scratch = Scratch::new("html-files");
        std::fs::write(scratch.path("numbers"), "1\n2\n").unwrap();
        page(&scratch, [engine, "cat", "numbers"]);
        let data = scratch.page_data();
        let texts: Vec<_> = data["texts"].as_array().unwrap().iter().filter_map(|text| text.as_str()).collect();
        let whole = |begin: &str| texts.iter().any(|text| text.starts_with(begin) && text.contains("/numbers>"));
        assert!(whole("read(3<"), "{texts:#?}");
        assert!(whole("close(3<"), "{texts:#?}");
        assert!(
            texts.iter().any(|text| text.starts_with("openat(AT_FDCWD, \"numbers\"") && text.ends_with("/numbers>"))
        );
    }
}
