//! Runs every C program in `tests/advise/` twice. Without an argument, it shows the waste that `--advise` must find.
//! With the argument `corrected`, it does the same job, and nothing must be found.
//!
//! Minor findings count as well (`--advise=all`): how much of a run a pattern takes depends on the machine.
//!
//! The first line holds the ids of the findings: `// finds: stat-storm`. The first one must come first, under both
//! engines, live and replayed, and nothing else may be found. Every number in a sentence must be in the JSON as well. A
//! second line `// estimate: WHY NOT` says that the number of saved calls cannot be compared with the corrected
//! program; otherwise, the estimate must be within a factor of two. Lines `// says: TEXT` and `// never: TEXT` contain
//! text that the advice on the wasteful program must or must not have, wherever lines are broken. A line `// only: ENGINE`
//! says that the other engine cannot know, and `// record: OPTION` that a recording must be made with this option. The line with the
//! comment `// FROM FUNCTION` makes the calls, in that function, and the advice must say so. A program that cannot run
//! here exits with status 77 and prints the reason on stderr.

mod common;
mod numbers;

use common::{Killed, Run, RunInScratch, STRIDE, Scratch, cc, cc_with_lines, root, send, skipped, sources, stem, text};
use libtest_mimic::{Arguments, Failed, Trial};
use nix::sys::signal::Signal;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

const SKIP: i32 = 77;

fn main() {
    let args = Arguments::from_args();
    let programs = sources("advise");
    let mut all: BTreeSet<String> = programs.iter().flat_map(|path| Fixture::read(path).finds).collect();
    all.insert(GO_LOCKS.into());
    let every_rule = Trial::test("every_rule_has_a_fixture", move || {
        let without: Vec<_> =
            stride_advise::rules().iter().map(|rule| rule.id).filter(|id| !all.contains(*id)).collect();
        if without.is_empty() { Ok(()) } else { Err(format!("no program in tests/advise finds {without:?}").into()) }
    });
    let missing = Trial::test("missing_numbers_are_found", numbers::missing);
    let each = programs.iter().flat_map(|path| {
        let only = Fixture::read(path).only;
        let is_found_by = move |engine: &&str| only.as_ref().is_none_or(|only| only == engine);
        ["ptrace", "ebpf"].into_iter().filter(is_found_by).map(|engine| {
            let fixture = Fixture::read(path);
            Trial::test(format!("advise::{}::{engine}", fixture.name), move || twice(|| fixture.check(engine)))
        })
    });
    let go = ["ptrace", "ebpf"].map(|engine| Trial::test(format!("advise::go::{engine}"), move || go(engine)));
    let locks =
        ["ptrace", "ebpf"].map(|engine| Trial::test(format!("advise::go_locks::{engine}"), move || go_locks(engine)));
    let attached =
        ["ptrace", "ebpf"].map(|engine| Trial::test(format!("advise::attached::{engine}"), move || attached(engine)));
    libtest_mimic::run(&args, each.chain(go).chain(locks).chain(attached).chain([every_rule, missing]).collect())
        .exit();
}

/// A machine that stands still for a second changes where the time of a run goes, and so what is found. A fault of the advice shows again.
fn twice(check: impl Fn() -> Result<(), Failed>) -> Result<(), Failed> {
    let Err(first) = check() else { return Ok(()) };
    let told = |failed: &Failed| failed.message().unwrap_or_default().to_owned();
    check().map_err(|again| format!("{}\n\nIn a second run:\n{}", told(&first), told(&again)).into())
}

/// Small real programs. The findings for `tests/advise/go/wasteful` are exactly its mistakes. `corrected` has no
/// findings.
fn go(engine: &str) -> Result<(), Failed> {
    if engine == "ebpf"
        && let Err(why) = stride_engine_ebpf::available()
    {
        skipped::report_of("go", why);
        return Ok(());
    }
    if let Err(why) = Command::new("go").arg("version").output() {
        skipped::report_of("go", format_args!("the go command does not run: {why}"));
        return Ok(());
    }
    let scratch = Scratch::new(&format!("advise-go-{engine}"));
    for dir in 0..20 {
        std::fs::create_dir_all(scratch.path(&format!("tree/{dir}/below")))?;
        for file in 0..20 {
            let lines = "a line of thirty bytes of text\n\n".repeat(90 + 4 * file);
            std::fs::write(scratch.path(&format!("tree/{dir}/below/{file}.txt")), lines)?;
        }
    }
    let advice = |which: &str| -> Result<Advice, Failed> {
        build_go(&format!("go/{which}"), &scratch, which)?;
        let mut run = Command::new(STRIDE);
        run.args([&format!("--engine={engine}"), "-f", "--advise=all", "-o", "advice"])
            .arg(scratch.path(which))
            .arg("tree");
        let output = run.current_dir(scratch.path(".")).env_remove("LD_LIBRARY_PATH").output()?;
        if !output.status.success() {
            return Err(format!("{which}: {output:?}").into());
        }
        let mut advice = Advice::of(scratch.read("advice"), 0);
        // How Go's threads wait for each other depends on the runtime and on the load of the machine.
        advice.ids.retain(|id| !["busy-wait", "lock-contention"].contains(&id.as_str()));
        Ok(advice)
    };
    let (wasteful, corrected) = (advice("wasteful")?, advice("corrected")?);
    let expected = ["epoll-files", "stat-storm", "tiny-reads"].map(str::to_owned);
    if wasteful.ids != BTreeSet::from(expected) {
        return Err(format!("expected other findings than:\n{}", wasteful.text).into());
    }
    // The line that checks the parents.
    let source = std::fs::read_to_string(root().join("tests/advise/go/wasteful/main.go"))?;
    let line = source.lines().position(|line| line.contains("os.Stat(dir)")).unwrap() + 1;
    let from = format!("from main.main.func1 (main.go:{line})");
    let words = wasteful.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let storm = words.split("[stat-storm]").nth(1).and_then(|rest| rest.split("sure").next()).unwrap_or_default();
    if !storm.contains(&from) {
        return Err(format!("must say {from:?} of the storm:\n{}", wasteful.text).into());
    }
    // The finding that saves more comes first. (How much each saves depends on the machine.)
    let saved = saved_times(&words);
    if saved.len() != 3 || !saved.is_sorted_by(|first, next| first >= next) {
        return Err(format!("findings that save less come first:\n{}", wasteful.text).into());
    }
    if !corrected.ids.is_empty() {
        return Err(format!("the corrected program is well, but:\n{}", corrected.text).into());
    }
    Ok(())
}

/// The times of the run that findings save, in seconds, in the order of the report.
fn saved_times(words: &str) -> Vec<f64> {
    let time =
        regex::Regex::new(r" calls \([\d.]+%\), about (?:[^:]* of work, and )?([\d.]+) (µs|ms|s)(?: of the run)?: ")
            .unwrap();
    let seconds = |found: regex::Captures<'_>| {
        let unit = match &found[2] {
            "µs" => 1e-6,
            "ms" => 1e-3,
            _ => 1.0,
        };
        found[1].parse::<f64>().unwrap() * unit
    };
    time.captures_iter(words).map(seconds).collect()
}

/// Builds a program of `tests/advise/`.
fn build_go(source: &str, scratch: &Scratch, name: &str) -> Result<(), Failed> {
    let mut build = Command::new("go");
    if std::env::var_os("HOME").is_none() {
        // Without a home directory, the go command has no place for its build cache.
        build.env("GOCACHE", scratch.path("cache"));
    }
    let source = root().join(format!("tests/advise/{source}/main.go"));
    let built = build.args(["build", "-o"]).arg(scratch.path(name)).arg(source).output()?;
    if built.status.success() { Ok(()) } else { Err(format!("go build: {}", text(&built.stderr)).into()) }
}

const GO_LOCKS: &str = "goroutine-locks";

/// A goroutine's wait makes no call, but the stack of an unlock tells of it: live, and in a recording with stacks. Not
/// every unlock finds a thread to wake, so the numbers differ from run to run.
fn go_locks(engine: &str) -> Result<(), Failed> {
    if engine == "ebpf"
        && let Err(why) = stride_engine_ebpf::available()
    {
        skipped::report_of("go_locks", why);
        return Ok(());
    }
    if let Err(why) = Command::new("go").arg("version").output() {
        skipped::report_of("go_locks", format_args!("the go command does not run: {why}"));
        return Ok(());
    }
    let scratch = Scratch::new(&format!("advise-go-locks-{engine}"));
    build_go("go-locks", &scratch, "program")?;
    let run = |options: &[&str], args: &[&str]| -> Result<String, Failed> {
        let output = Command::new(STRIDE).args(options).args(args).current_dir(scratch.path(".")).output()?;
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(format!("{args:?}: {output:?}").into()) }
    };
    let engine = format!("--engine={engine}");
    let advice = |args: &[&str]| -> Result<[String; 2], Failed> {
        run(&[&engine, "-f", "--advise=all", "-o", "advice"], args)?;
        run(&[&engine, "-f", "--record=recording", "--stack-trace=source"], args)?;
        Ok([scratch.read("advice"), run(&["--replay=recording", "--advise=all"], &[])?])
    };
    // The line that gives the lock back.
    let source = std::fs::read_to_string(root().join("tests/advise/go-locks/main.go"))?;
    let line = source.lines().position(|line| line.contains("// UNLOCK")).unwrap() + 1;
    let from = format!("from main.wasteful (main.go:{line})");
    let is_found = |text: &String| {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Advice::of(text.clone(), 0).ids.contains(GO_LOCKS) && words.contains(&from)
    };
    // (Where each call takes long, Go's scheduler may keep all goroutines on one thread for a run. Then none waits for the lock.)
    const ATTEMPTS: usize = 8;
    let mut found = [false; 2];
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        for (found, text) in found.iter_mut().zip(advice(&["./program"])?) {
            *found |= is_found(&text);
            last = text;
        }
        if found == [true; 2] {
            break;
        }
    }
    if found != [true; 2] {
        return Err(format!("must find {GO_LOCKS} {from}, live and in a replay ({found:?}):\n{last}").into());
    }
    for text in advice(&["./program", "corrected"])? {
        if Advice::of(text.clone(), 0).ids.contains(GO_LOCKS) {
            return Err(format!("the corrected program waits for no lock:\n{text}").into());
        }
    }
    Ok(())
}

/// About a process that was running before, the advice only mentions the threads that were traced.
fn attached(engine: &str) -> Result<(), Failed> {
    if engine == "ebpf"
        && let Err(why) = stride_engine_ebpf::available()
    {
        skipped::report_of("attached", why);
        return Ok(());
    }
    let scratch = Scratch::new(&format!("advise-attached-{engine}"));
    if let Err(why) = cc(&root().join("tests/advise/attached/threads.c"), &scratch.path("program")) {
        skipped::report_of("attached", why);
        return Ok(());
    }
    const NOT_LOOKED_AT: &str = "Other threads, if it has any, were not looked at.";
    for (alone, follows, says, never) in [
        (false, false, NOT_LOOKED_AT, "only thread"),
        (true, false, NOT_LOOKED_AT, "only thread"),
        (false, true, "2 of 2 threads were waiting", "not looked at"),
        (true, true, "the only thread of program (", "not looked at"),
    ] {
        let mut program = Command::new(scratch.path("program"));
        let mut program = program.args(alone.then_some("alone")).stdout(Stdio::piped()).spawn()?;
        // The program is ready.
        std::io::Read::read_exact(program.stdout.as_mut().unwrap(), &mut [0; 6])?;
        let err = std::fs::File::create(scratch.path("err"))?;
        let mut tracer = Command::new(STRIDE);
        // A recording has no more than was asked for.
        let output = if follows { ["--advise", "-o", "advice"] } else { ["--record=rec", "-o", "trace"] };
        tracer.arg(format!("--engine={engine}")).args(output).stderr(err).args(["-p", &program.id().to_string()]);
        let mut tracer = Killed(tracer.current_dir(scratch.path(".")).spawn()?);
        scratch.wait_attached(if !follows || alone { 1 } else { 2 });
        // The rule is about threads that wait for a second.
        std::thread::sleep(Duration::from_millis(1500));
        send(&tracer, Signal::SIGINT);
        tracer.0.wait()?;
        program.kill()?;
        program.wait()?;
        let text = if follows { scratch.read("advice") } else { scratch.replay(&["--advise"]).out };
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let advised = words.contains("Record with -f to see all threads.");
        if !words.contains(says) || words.contains(never) || advised == follows {
            return Err(format!(
                "alone: {alone}, follows: {follows}: must say {says:?}, not {never:?}:\n{text}\n{}",
                scratch.read("err")
            )
            .into());
        }
    }
    Ok(())
}

/// Stride with all its tracees, at a higher priority than other processes, if that is allowed. Rules judge times: a
/// child that lives for a tenth of a second does not count as short, even if others had the CPU meanwhile.
fn first_served() -> Command {
    static CHRT: LazyLock<bool> = LazyLock::new(|| {
        let trial = Command::new("chrt").args(["-r", "1", "true"]).stderr(Stdio::null()).status();
        trial.is_ok_and(|status| status.success())
    });
    if !*CHRT {
        return Command::new(STRIDE);
    }
    let mut command = Command::new("chrt");
    command.args(["-r", "1", STRIDE]);
    command
}

struct Fixture {
    source: PathBuf,
    name: String,
    finds: BTreeSet<String>,
    /// The finding that comes first.
    first: Option<String>,
    /// The engine that measures what the finding needs, if not both do.
    only: Option<String>,
    /// The options that a recording needs, so that the same is found in a replay.
    record: Vec<String>,
    estimated: bool,
    says: Vec<String>,
    never: Vec<String>,
    /// The function, file and line that make the calls, as the advice names them.
    from: Option<String>,
}

/// The output of `--advise`.
struct Advice {
    text: String,
    ids: BTreeSet<String>,
    /// The calls that all findings together save.
    saves: u64,
    calls: u64,
    /// The outputs, live and replayed.
    all: Vec<String>,
}

impl Fixture {
    fn read(source: &Path) -> Fixture {
        let text = std::fs::read_to_string(source).unwrap();
        let finds = text.lines().next().and_then(|line| line.strip_prefix("// finds:"));
        let finds = finds.unwrap_or_else(|| panic!("{}: the first line must be `// finds: IDS`", source.display()));
        let lines = |which: &str| text.lines().filter_map(|line| Some(line.strip_prefix(which)?.to_owned())).collect();
        let name = source.file_name().unwrap().display();
        let from = (1..)
            .zip(text.lines())
            .find_map(|(number, line)| Some(format!("from {} ({name}:{number})", line.split_once("// FROM ")?.1)));
        Fixture {
            source: source.to_owned(),
            name: stem(source),
            from,
            finds: finds.split_whitespace().map(str::to_owned).collect(),
            first: finds.split_whitespace().next().map(str::to_owned),
            only: text.lines().find_map(|line| Some(line.strip_prefix("// only: ")?.to_owned())),
            record: lines("// record: "),
            says: lines("// says: "),
            never: lines("// never: "),
            estimated: !text.lines().nth(1).is_some_and(|line| line.starts_with("// estimate:")),
        }
    }

    fn check(&self, engine: &str) -> Result<(), Failed> {
        if engine == "ebpf"
            && let Err(why) = stride_engine_ebpf::available()
        {
            skipped::report_of(&self.name, why);
            return Ok(());
        }
        let scratch = Scratch::new(&format!("advise-{engine}-{}", self.name));
        let program = scratch.path("program");
        if let Err(why) = cc_with_lines(&self.source, &program) {
            skipped::report_of(&self.name, why);
            return Ok(());
        }
        let Some(mut wasteful) = self.advice(engine, &scratch, &program, &[])? else { return Ok(()) };
        // A program that is over before Stride has read its mappings has no callers. On a busy machine that happens now
        // and then, but not again and again.
        for _ in 0..3 {
            if wasteful.all.iter().any(|text| self.from.is_some() && !text.contains("\n   from ")) {
                let Some(again) = self.advice(engine, &scratch, &program, &[])? else { return Ok(()) };
                wasteful = again;
            }
        }
        let Some(corrected) = self.advice(engine, &scratch, &program, &["corrected"])? else { return Ok(()) };
        if wasteful.ids != self.finds {
            return Err(format!("expected {:?}, and found:\n{}", self.finds, wasteful.text).into());
        }
        if wasteful.first() != self.first {
            return Err(format!("the first must be {:?}:\n{}", self.first, wasteful.text).into());
        }
        if !corrected.ids.is_empty() {
            return Err(format!("the corrected program is well, but:\n{}", corrected.text).into());
        }
        if let Some(live) = wasteful.all.first().filter(|live| live.contains(" on line ")) {
            return Err(format!("a reader without a trace is told of its lines:\n{live}").into());
        }
        for advice in &wasteful.all {
            let words = advice.split_whitespace().collect::<Vec<_>>().join(" ");
            let has = |text: &&String| words.contains(&text.split_whitespace().collect::<Vec<_>>().join(" "));
            let (missing, wrong) = (self.says.iter().find(|text| !has(text)), self.never.iter().find(has));
            if missing.is_some() || wrong.is_some() {
                return Err(format!("must say {missing:?}, must not say {wrong:?}:\n{advice}").into());
            }
            if let Some(from) = self.from.as_ref().filter(|from| !words.contains(*from)) {
                return Err(format!("must say {from:?}:\n{advice}").into());
            }
        }
        let saved = wasteful.calls.saturating_sub(corrected.calls);
        // A few calls are chance, such as a loop that had to wait once more.
        let near = wasteful.saves * 2 >= saved && wasteful.saves <= saved * 2 || wasteful.saves.abs_diff(saved) <= 16;
        if self.estimated && !near {
            let text = &wasteful.text;
            return Err(format!("{} calls were said to be saved, and {saved} are:\n{text}", wasteful.saves).into());
        }
        Ok(())
    }

    /// The advice on a live run, and on a replay of another run. On a busy machine, the times of two runs may differ so
    /// much that their findings do. That does not happen again and again.
    fn advice(&self, engine: &str, scratch: &Scratch, program: &Path, args: &[&str]) -> Result<Option<Advice>, Failed> {
        for _ in 0..2 {
            if let Ok(advice) = self.advice_once(engine, scratch, program, args) {
                return Ok(advice);
            }
        }
        self.advice_once(engine, scratch, program, args)
    }

    fn advice_once(
        &self,
        engine: &str,
        scratch: &Scratch,
        program: &Path,
        args: &[&str],
    ) -> Result<Option<Advice>, Failed> {
        let run = |options: &[&str], traced: bool| -> std::io::Result<Run> {
            let mut command = first_served();
            // A search of cargo's library directories would be a finding of its own.
            command.args(options).current_dir(scratch.path(".")).env_remove("LD_LIBRARY_PATH");
            if traced {
                // Each run finds an empty directory.
                let _ = std::fs::remove_dir_all(scratch.path("here"));
                std::fs::create_dir(scratch.path("here"))?;
                command
                    .args([&format!("--engine={engine}"), "-f"])
                    .arg(program)
                    .args(args)
                    .current_dir(scratch.path("here"));
            }
            Ok(Run::of(command))
        };
        let live = run(&["--advise=all", "-o", "../advice"], true)?;
        if live.code() == Some(SKIP) {
            skipped::report_of(&self.name, live.err.trim());
            return Ok(None);
        }
        let with_stacks: &[&str] = if self.from.is_some() { &["--stack-trace=source"] } else { &[] };
        let options = self.record.iter().map(String::as_str).chain(with_stacks.iter().copied());
        let recorded = run(&["--record=../recording"].into_iter().chain(options).collect::<Vec<_>>(), true)?;
        let replayed = run(&["--replay=recording", "--advise=all"], false)?;
        let json = run(&["--replay=recording", "--advise=all", "--json"], false)?;
        let counted = run(&["--replay=recording", "-c", "-w", "-U", "calls,name"], false)?;
        for output in [&live, &recorded, &replayed, &json, &counted] {
            if !output.status.success() {
                return Err(format!("{args:?}: {output:?}").into());
            }
        }
        let total = counted.out.lines().rev().find_map(|line| line.trim().strip_suffix(" total")).ok_or("no total")?;
        let calls = total.trim().parse()?;
        let live = Advice::of(scratch.read("advice"), calls);
        let replayed = Advice::of(replayed.out, calls);
        if self.from.is_none() && replayed.text.contains("\n   from ") {
            return Err(format!("the recording has no stacks, and the advice names callers:\n{}", replayed.text).into());
        }
        if live.ids != replayed.ids || live.first() != replayed.first() {
            return Err(format!("live:\n{}\nreplayed:\n{}", live.text, replayed.text).into());
        }
        numbers::all_told(&json.out)?;
        Ok(Some(Advice { all: vec![live.text, replayed.text.clone()], ..replayed }))
    }
}

impl Advice {
    /// The id of the first finding.
    fn first(&self) -> Option<String> {
        let (_, rest) = self.text.strip_prefix("1. ")?.split_once('[')?;
        Some(rest.split_once("]:")?.0.to_owned())
    }

    fn of(text: String, calls: u64) -> Advice {
        let ids = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        let ids = ids.filter_map(|line| Some(line.split_once('[')?.1.split_once("]:")?.0.to_owned())).collect();
        let saves = text.lines().filter_map(|line| {
            let number = line.strip_prefix("   saves    ")?.split_once(" of ")?.0;
            number.replace(',', "").parse::<u64>().ok()
        });
        Advice { ids, saves: saves.sum(), calls, text, all: Vec::new() }
    }
}
