//! A comparison in about ten lines: first the result, then the syscalls, then the paths.

use crate::diff::rollup;
use crate::diff::{Change, ChangeKind, Diff, Wavering};
use crate::profile::figures::Figures;
use crate::profile::range::Range;
use std::cmp::Reverse;
use std::fmt::Write;
use std::rc::Rc;
use stride_event::quantity::{bytes, change, count, decimal, duration, grouped, percent, ratio};
use stride_output::report::annotation::{Severity, annotation as annotate};
use stride_output::report::markdown::{code, plain, table};
use stride_output::{caller_name, shown};

/// The most lines for syscalls, and also the most for paths.
const MOST: usize = 5;
/// The most functions for a syscall.
const MOST_CALLERS: usize = 2;

/// The parts of the report. Each form of it has them in this order.
struct Report {
    verdict: String,
    /// Causes of differences that lie outside the program, and remarks on the runs as a whole.
    sentences: Vec<String>,
    /// Syscalls, then paths. The first line has the heads of the columns.
    table: Vec<Line>,
    /// The columns that say something.
    columns: Vec<usize>,
    /// A line that tells how much more there is.
    rest: Option<String>,
}

impl Report {
    fn new(diff: &Diff<'_>, caveats: &[String]) -> Report {
        let syscalls: Vec<Line> = diff.syscalls.iter().filter(|change| change.of_note).map(line_of).collect();
        let paths = paths(diff);
        let (more_syscalls, more_paths) = (syscalls.len().saturating_sub(MOST), paths.len().saturating_sub(MOST));
        let table = [Some(Line::head()).into_iter().collect(), first(syscalls), first(paths)].concat();
        let mut rest = Vec::new();
        if more_syscalls > 0 {
            rest.push(count(more_syscalls as u64, "more syscall", "more syscalls"));
        }
        if more_paths > 0 {
            rest.push(count(more_paths as u64, "more line with paths", "more lines with paths"));
        }
        Report {
            verdict: verdict(diff),
            sentences: caveats.iter().cloned().chain(frame(diff)).chain(recordings(diff)).collect(),
            columns: columns(&table, diff.times.is_some()),
            table,
            rest: (!rest.is_empty()).then(|| format!("... and {} (--json shows all)", rest.join(", "))),
        }
    }
}

/// `caveats` are the causes of differences that lie outside the program, a sentence each.
pub fn text(diff: &Diff<'_>, caveats: &[String]) -> String {
    let report = Report::new(diff, caveats);
    let mut out = format!("{}\n", report.verdict);
    for sentence in &report.sentences {
        let _ = writeln!(out, "{sentence}");
    }
    if report.table.len() > 1 {
        lay_out(&report.table, &report.columns, &mut out);
    }
    if let Some(rest) = &report.rest {
        let _ = writeln!(out, "{rest}");
    }
    out
}

/// The same for a summary or a comment.
pub fn markdown(diff: &Diff<'_>, caveats: &[String]) -> String {
    let report = Report::new(diff, caveats);
    let mut out = format!("**{}**\n", plain(&report.verdict));
    for sentence in &report.sentences {
        let _ = write!(out, "\n{}\n", plain(sentence));
    }
    if let [head, lines @ ..] = &report.table[..]
        && !lines.is_empty()
    {
        let heads: Vec<String> = report.columns.iter().map(|&column| format!(" {}", head.cells[column])).collect();
        let heads: Vec<&str> = heads.iter().map(String::as_str).chain([&*head.name]).collect();
        let cells = |line: &Line| {
            let numbers = report.columns.iter().map(|&column| plain(&line.cells[column]));
            numbers.chain([code(&line.name)]).collect()
        };
        let rows: Vec<Vec<String>> = lines.iter().map(cells).collect();
        let _ = write!(out, "\n{}", table(&heads, &rows));
    }
    if let Some(rest) = &report.rest {
        let _ = write!(out, "\n{}\n", plain(rest));
    }
    out
}

/// The verdict beside the results of a workflow.
pub fn annotation(diff: &Diff<'_>, caveats: &[String]) -> String {
    let severity = if diff.of_note() { Severity::Warning } else { Severity::Notice };
    let report = Report::new(diff, caveats);
    let message = [vec![report.verdict], report.sentences].concat().join("\n");
    annotate(severity, None, "System calls", &message)
}

fn first(mut lines: Vec<Line>) -> Vec<Line> {
    lines.truncate(MOST);
    lines
}

pub fn verdict(diff: &Diff<'_>) -> String {
    let (was, now) = (diff.base.total.calls, diff.this.total.calls);
    let numbers = if was == now {
        format!("{} in each", count(now, "call", "calls"))
    } else {
        format!("{} against {}", count(now, "call", "calls"), grouped(was))
    };
    if !diff.of_note() {
        return format!("Nothing important differs: {numbers}.");
    }
    let cause = cause(diff);
    if !diff.total_differs() {
        return format!("About as many calls, but not the same: {numbers}; {cause}.");
    }
    let how = match now as f64 / was.max(1) as f64 {
        _ if was == 0 || now == 0 => return format!("{numbers}; {cause}."),
        times @ 1.995.. => format!("{} times as many calls", decimal(times)),
        1.0.. => format!("{} more calls", percent(now - was, was)),
        _ => format!("{} fewer calls", percent(was - now, was)),
    };
    format!("{how}: {} against {}; {cause}.", grouped(now), grouped(was))
}

/// The most important difference.
fn cause(diff: &Diff<'_>) -> String {
    let more = diff.this.total.calls as i64 - diff.base.total.calls as i64;
    let noted = || diff.syscalls.iter().filter(|change| change.of_note);
    // If the total has changed, the syscall that changed the total most, whatever time its calls took; otherwise the change with the largest weight.
    let in_total = noted().filter(|change| diff.total_differs() && change.more().signum() == more.signum());
    let with_total = in_total.max_by_key(|change| (change.more().abs(), Reverse(&change.name)));
    if let Some(change) = with_total.or_else(|| noted().next()) {
        let share = change.more() as f64 / more as f64;
        let how = if with_total.is_some() && share > 0.5 { "most of it" } else { "above all" };
        let name = shown(&change.name);
        if change.by_time && with_total.is_none() {
            let (was, now) = (change.base.mean_time().max(1.0), change.this.mean_time());
            return match now / was {
                times @ 1.0.. => format!("above all, {name} takes {} times as long", decimal(times)),
                _ => format!("above all, {name} takes {} less time", percent((was - now) as u64, was as u64)),
            };
        }
        let errors = change.base.calls == change.this.calls && change.base.errors != change.this.errors;
        let (was, now, what) = match errors {
            true => (change.base.errors, change.this.errors, "errors of "),
            false => (change.base.calls, change.this.calls, ""),
        };
        if was == now {
            let moved = |figures: &Figures| bytes(figures.bytes);
            return format!("above all, bytes of {name}: {} against {}", moved(&change.this), moved(&change.base));
        }
        return format!("{how} {what}{name}: {} against {}", grouped(now), grouped(was));
    }
    let of_kind = |kind| diff.objects.iter().filter(|change| change.of_note && change.kind() == kind).count() as u64;
    let parts = [
        (of_kind(ChangeKind::Appeared), "appeared"),
        (of_kind(ChangeKind::Vanished), "vanished"),
        (of_kind(ChangeKind::Changed), "changed"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{} {what}", count(*n, "path", "paths")))
        .collect();
    parts.join(", ")
}

/// The duration and the number of processes of both runs, where they differ.
fn frame(diff: &Diff<'_>) -> Option<String> {
    let (base, this) = (diff.base, diff.this);
    let mut parts = Vec::new();
    if diff.times.is_some() && diff.of_note() {
        parts.push(format!("{} against {}", duration(this.elapsed), duration(base.elapsed)));
    }
    if this.processes != base.processes {
        parts.push(format!("{} against {}", count(this.processes, "process", "processes"), grouped(base.processes)));
    }
    (!parts.is_empty()).then(|| format!("The run: {}.", parts.join(", ")))
}

/// Sentences for runs that were recorded several times: the numbers are medians, and some syscalls differ from
/// recording to recording.
fn recordings(diff: &Diff<'_>) -> Vec<String> {
    let (base, this) = (diff.base.recordings, diff.this.recordings);
    if base.max(this) <= 1 {
        return Vec::new();
    }
    let of_this = count(this as u64, "recording", "recordings");
    let mut sentences = vec![format!("The numbers are medians: of {of_this} of this run, and of {base} of the base.")];
    if !diff.wavering.is_empty() {
        let range = |range: &Range<u64>| match range.is_single() {
            true => grouped(range.lowest),
            false => format!("{} to {}", grouped(range.lowest), grouped(range.highest)),
        };
        let of = |of: &Wavering| format!("{} ({} calls against {})", of.name, range(&of.this), range(&of.base));
        let mut left_out: Vec<String> = diff.wavering.iter().take(MOST).map(of).collect();
        if diff.wavering.len() > MOST {
            left_out.push(count((diff.wavering.len() - MOST) as u64, "more syscall", "more syscalls"));
        }
        let pronoun = if diff.wavering.len() == 1 { "it differs" } else { "they differ" };
        sentences.push(format!("Left out because {pronoun} from recording to recording: {}.", left_out.join(", ")));
    }
    sentences
}

/// A line of the table.
#[derive(Clone)]
struct Line {
    cells: [String; 6],
    name: String,
}

const TIME: usize = 4;

impl Line {
    fn head() -> Line {
        let cells = ["was", "now", "ratio", "errors", "time", "bytes"].map(str::to_owned);
        Line { cells, name: "syscall or path".into() }
    }

    fn new(base: &Figures, this: &Figures, name: String) -> Line {
        let how_much = match (base.calls, this.calls) {
            (0, _) => "new".into(),
            (_, 0) => "gone".into(),
            (a, b) if a == b => String::new(),
            (a, b) => ratio(a, b),
        };
        let cells = [
            grouped(base.calls),
            grouped(this.calls),
            how_much,
            change(base.errors, this.errors, grouped),
            change(base.time, this.time, duration),
            change(base.bytes, this.bytes, bytes),
        ];
        Line { cells, name }
    }
}

fn line_of(change: &Change) -> Line {
    let callers = callers(change);
    let from = if callers.is_empty() { String::new() } else { format!(": {}", callers.join(", ")) };
    Line::new(&change.base, &change.this, shown(&change.name) + &from)
}

/// `1,000 more from load_config (config.c:41)`: the functions that account for most of the change.
fn callers(change: &Change) -> Vec<String> {
    let more = change.more();
    let callers = change.callers.iter().filter(|caller| caller.more().signum() == more.signum());
    // Functions with less than a tenth of the change explain little.
    let callers = callers.filter(|caller| caller.more().unsigned_abs() * 10 >= more.unsigned_abs()).take(MOST_CALLERS);
    let callers = callers.map(|caller| {
        let how = if more > 0 { "more" } else { "fewer" };
        format!("{} {how} from {}", grouped(caller.more().unsigned_abs()), caller_name(&caller.function))
    });
    if more == 0 { Vec::new() } else { callers.collect() }
}

/// The paths that appeared, vanished or changed, by directory.
fn paths(diff: &Diff<'_>) -> Vec<Line> {
    let mut lines: Vec<(f64, Line)> = Vec::new();
    for kind in [ChangeKind::Appeared, ChangeKind::Vanished, ChangeKind::Changed] {
        let changes: Vec<&Change> = diff.objects.iter().filter(|c| c.of_note && c.kind() == kind).collect();
        let items: Vec<(Rc<[u8]>, f64)> = changes.iter().map(|change| (change.name.clone(), change.weight)).collect();
        for group in rollup::groups(&items, MOST) {
            let (mut base, mut this) = (Figures::default(), Figures::default());
            let mut syscalls: Vec<&str> = Vec::new();
            for &i in &group.items {
                base.add(&changes[i].base);
                this.add(&changes[i].this);
                for name in changes[i].syscalls.iter().take(2) {
                    if !syscalls.contains(&&**name) {
                        syscalls.push(name);
                    }
                }
            }
            let several = group.items.len() > 1;
            let paths = if several {
                format!("** ({})", count(group.items.len() as u64, "path", "paths"))
            } else {
                String::new()
            };
            let dots = if syscalls.len() > 3 { ", ..." } else { "" };
            syscalls.truncate(3);
            let by = if syscalls.is_empty() { String::new() } else { format!(": {}{dots}", syscalls.join(", ")) };
            lines.push((group.weight, Line::new(&base, &this, format!("{}{paths}{by}", shown(&group.name)))));
        }
    }
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    lines.into_iter().map(|(_, line)| line).collect()
}

/// The columns that say something.
fn columns(lines: &[Line], times: bool) -> Vec<usize> {
    let says = |column: usize| lines[1..].iter().any(|line| !line.cells[column].is_empty());
    (0..lines[0].cells.len()).filter(|&column| says(column) && (times || column != TIME)).collect()
}

/// Lays the lines out in these columns.
fn lay_out(lines: &[Line], columns: &[usize], out: &mut String) {
    let width = |column: usize| lines.iter().map(|line| line.cells[column].chars().count()).max().unwrap_or(0);
    let columns: Vec<(usize, usize)> = columns.iter().map(|&column| (column, width(column))).collect();
    for line in lines {
        for &(column, width) in &columns {
            let _ = write!(out, "{:>width$}  ", line.cells[column]);
        }
        let _ = writeln!(out, "{}", line.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up_run::{MadeUpRun, PID};
    use crate::profile::Profile;
    use stride_event::Outcome;

    const OK: Outcome = Outcome::Value(10);
    const ENOENT: Outcome = Outcome::Error(2);

    /// A run of one thread with these numbers of calls on these paths.
    fn run(calls: &[(u64, &str, &str)]) -> Profile {
        let mut run = MadeUpRun::new();
        for (n, name, path) in calls {
            run.calls(*n, name, path, if path.contains("none") { ENOENT } else { OK });
        }
        run.exit(PID);
        run.profile()
    }

    fn rendered(base: &Profile, this: &Profile) -> String {
        text(&Diff::new(base, this, Some(0)), &[])
    }

    #[test]
    fn the_same() {
        let base = run(&[(3, "openat", "/a"), (1, "stat", "/tmp/ccQ2w8Xz.s")]);
        let this = run(&[(3, "openat", "/a"), (1, "stat", "/tmp/ccW8xQ2z.s")]);
        assert_eq!(rendered(&base, &this), "Nothing important differs: 4 calls in each.\n");
    }

    /// Operations of io_uring have lines of their own, and are no calls.
    #[test]
    fn operations() {
        let run = |n| {
            let mut run = MadeUpRun::new();
            run.calls(20, "read", "", OK);
            run.operations(n);
            run.exit(PID);
            run
        };
        let report = rendered(&run(10).profile(), &run(300).profile());
        assert!(report.contains("io_uring:read"), "{report}");
        assert_eq!(run(300).profile().total.calls, 20);
        let same = rendered(&run(10).profile(), &run(10).profile());
        assert_eq!(same, "Nothing important differs: 20 calls in each.\n");
        // Budgets are about system calls.
        assert_eq!((run(5).tally.total().calls, run(5).tally.calls().count()), (20, 1));
    }

    #[test]
    fn more_calls() {
        let many: Vec<String> = (0..50).map(|i| format!("/usr/include/{}/{i}.h", i % 7)).collect();
        let base = [(10, "openat", "/etc/a"), (20, "read", ""), (3, "stat", "/old"), (2, "access", "/etc/none")];
        let mut this = vec![(14, "openat", "/etc/a"), (20, "read", ""), (7, "access", "/etc/none")];
        this.extend(many.iter().map(|path| (2, "newfstatat", path.as_str())));
        let expected = "\
4.03 times as many calls: 141 against 35; most of it newfstatat: 100 against 0.
The run: 283 µs against 71.0 µs.
was  now  ratio  errors      time  syscall or path
  0  100    new           +100 µs  newfstatat
  2    7  3.50x      +5  +5.00 µs  access
 10   14  1.40x          +4.00 µs  openat
  3    0   gone          -3.00 µs  stat
  0  100    new           +100 µs  /usr/include/** (50 paths): newfstatat
  2    7  3.50x      +5  +5.00 µs  /etc/none: access
 10   14  1.40x          +4.00 µs  /etc/a: openat
  3    0   gone          -3.00 µs  /old: stat
";
        assert_eq!(rendered(&run(&base), &run(&this)), expected);
    }

    #[test]
    fn in_markdown() {
        let (base, this) = (run(&[(1, "openat", "/a_b")]), run(&[(3, "openat", "/a_b"), (1, "openat", "/x|y`@you")]));
        let diff = Diff::new(&base, &this, Some(0));
        assert_eq!(
            markdown(&diff, &["Seen *elsewhere*.".into()]),
            "\
**4 times as many calls: 4 against 1; most of it openat: 4 against 1.**

Seen &#42;elsewhere&#42;.

The run: 9.00 µs against 3.00 µs.

| was | now | ratio | time | syscall or path |
| ---: | ---: | ---: | ---: | :--- |
| 1 | 4 | 4.00x | +3.00 µs | <code>openat</code> |
| 1 | 3 | 3.00x | +2.00 µs | <code>/a&#95;b: openat</code> |
| 0 | 1 | new | +1.00 µs | <code>/x&#124;y&#96;&#64;you: openat</code> |
"
        );
    }

    #[test]
    fn beside_a_workflow() {
        let (few, many) = (run(&[(1, "openat", "/a")]), run(&[(3, "openat", "/a")]));
        let rendered = |base, this| annotation(&Diff::new(base, this, None), &["Times are not compared.".into()]);
        assert!(
            rendered(&few, &many).starts_with("::warning title=System calls::3 times as many calls: 3 against 1; ")
        );
        let same =
            "::notice title=System calls::Nothing important differs: 1 call in each.%0ATimes are not compared.\n";
        assert_eq!(rendered(&few, &few), same);
    }

    #[test]
    fn fewer_calls_and_none() {
        let many = run(&[(100, "getppid", "")]);
        let few = run(&[(40, "getppid", "")]);
        assert!(
            rendered(&many, &few).starts_with("60% fewer calls: 40 against 100; most of it getppid: 40 against 100.\n")
        );
        let none = rendered(&many, &run(&[]));
        assert!(none.starts_with("0 calls against 100; most of it getppid: 0 against 100.\n"), "{none}");
        let slightly = rendered(&many, &run(&[(110, "getppid", "")]));
        assert!(slightly.starts_with("10% more calls: 110 against 100; most of it getppid"), "{slightly}");
    }

    #[test]
    fn as_many_but_others() {
        let base = run(&[(100, "getppid", ""), (2, "openat", "/a")]);
        let paths = rendered(&base, &run(&[(100, "getppid", ""), (1, "openat", "/a"), (1, "openat", "/b")]));
        let expected = "About as many calls, but not the same: 102 calls in each; 1 path appeared, 1 path changed.\n";
        assert!(paths.starts_with(expected), "{paths}");
        let errors = rendered(&base, &run(&[(100, "getppid", ""), (1, "openat", "/a"), (1, "openat", "/none")]));
        assert!(errors.contains("; above all errors of openat: 1 against 0.\n"), "{errors}");
    }

    #[test]
    fn time_alone() {
        let slow = |ns| {
            let mut run = MadeUpRun::new();
            (0..50).for_each(|_| run.call(PID, "fsync", "", OK, ns));
            run.exit(PID);
            run.profile()
        };
        let (base, this) = (slow(1_000_000), slow(3_000_000));
        let expected =
            "About as many calls, but not the same: 50 calls in each; above all, fsync takes 3 times as long.\n";
        assert!(rendered(&base, &this).starts_with(expected), "{}", rendered(&base, &this));
        let without = text(&Diff::new(&base, &this, None), &["Times are not compared.".into()]);
        assert_eq!(without, "Nothing important differs: 50 calls in each.\nTimes are not compared.\n");
    }

    /// How long calls take differs from run to run. The call that changed the total is told by its number.
    #[test]
    fn the_total_is_about_numbers() {
        let of = |calls: [(u64, &str, u64); 2]| {
            let mut run = MadeUpRun::new();
            for (n, name, ns) in calls {
                (0..n).for_each(|_| run.call(PID, name, "/a", OK, ns));
            }
            run.exit(PID);
            run.profile()
        };
        let base = of([(300, "close", 1_000), (300, "openat", 900_000)]);
        let this = of([(20, "close", 1_000), (20, "openat", 1_000)]);
        let told = rendered(&base, &this);
        assert!(told.starts_with("93% fewer calls: 40 against 600; above all close: 20 against 300.\n"), "{told}");
    }

    #[test]
    fn no_more_lines_than_can_be_read() {
        let names = ["getppid", "getpid", "gettid", "getuid", "geteuid", "getgid", "getegid"];
        let calls: Vec<(u64, &str, &str)> = names.iter().map(|name| (5, *name, "")).collect();
        let rendered = rendered(&run(&[(1, "read", "")]), &run(&calls));
        assert_eq!(rendered.lines().count(), 9, "{rendered}");
        assert!(rendered.ends_with("... and 3 more syscalls (--json shows all)\n"), "{rendered}");
    }

    #[test]
    fn hostile_names() {
        let name = "/a\x1b[2J\n\"</script>";
        let (base, this) = (run(&[]), run(&[(1, "openat", name)]));
        let rendered = rendered(&base, &this);
        assert!(rendered.ends_with("  /a\\33[2J\\n\\\"\\74/script\\76: openat\n"), "{rendered}");
        assert!(rendered.chars().all(|c| matches!(c, '\n' | 'µ' | ' '..='~')));
        let mut out = Vec::new();
        crate::diff::json::diff(&mut out, &Diff::new(&base, &this, Some(0)), &[]);
        let out = String::from_utf8(out).unwrap();
        let last = out.lines().last().unwrap();
        assert!(
            last.starts_with(
                r#"{"type":"object","name":"/a\u001b[2J\n\"</script>","change":"appeared","of_note":true,"#
            ),
            "{last}"
        );
        assert_eq!(out.lines().count(), 3);
    }
}
