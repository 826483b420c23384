//! The order of the runs.

use crate::copy::size_of_tree;
use crate::fault::{FaultKind, SweepFault};
use crate::observed::{PlaceOfCall, Site};
use crate::report::SweepReport;
use crate::results::{Results, Tested, rule};
use crate::runner::{NoRun, Ran, RunLimits, Runner};
use crate::verdict::{Plain, SweepVerdict, VerdictKind, end_text, judge};
use anyhow::{Result, anyhow, bail};
use nix::sys::signal::Signal;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use stride_engine_base::signal;
use stride_event::quantity::{bytes, count, duration};
use stride_output::{progress, signal_text};

/// The settings of a sweep.
pub struct SweepOptions {
    /// Stride's name in messages.
    pub program: String,
    /// Options of Stride that are about how the command is started.
    pub passed: Vec<OsString>,
    /// The command.
    pub command: Vec<OsString>,
    pub kinds: BTreeSet<FaultKind>,
    /// The directory of which each run gets a copy.
    pub copied: Option<PathBuf>,
    /// No run begins after this time.
    pub limit: Duration,
    /// The file of results.
    pub results: Option<PathBuf>,
    pub json: bool,
}

/// A run may take so many times as long as without a fault, and not less than this.
const TIMES_LONGER: u32 = 10;
const LEAST_LIMIT: Duration = Duration::from_secs(5);

/// The first run may take so long.
const FIRST_LIMIT: Duration = Duration::from_secs(600);

/// A run may make so many times as many calls as without a fault, and so many more.
const TIMES_MORE: u64 = 20;
const MORE_CALLS: u64 = 20_000;

/// So often a site is looked for elsewhere in a run that took another way.
const TRIES: usize = 3;

/// Exit status if something was found.
const FOUND: i32 = 3;

/// A site with a fault.
struct Job {
    site: Site,
    kind: FaultKind,
    fault: SweepFault,
}

struct Sweeping<'a> {
    runner: &'a Runner,
    plain: Mutex<Plain>,
    limits: RunLimits,
    also: BTreeSet<PathBuf>,
    number: AtomicUsize,
}

/// Makes the runs, and prints the report. Returns the exit status.
pub fn sweep(options: SweepOptions) -> Result<i32> {
    let mut saved = Vec::new();
    signal::catch(&[Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM], &mut saved);
    let ended = prepared(&options);
    signal::restore_signals(&mut saved);
    ended
}

fn prepared(options: &SweepOptions) -> Result<i32> {
    let began = Instant::now();
    let words: Vec<String> = options.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let results = options.results.as_deref().map(|path| Results::open(path, &words)).transpose()?;
    let (mut results, earlier) = results.map_or((None, Vec::new()), |(results, earlier)| (Some(results), earlier));
    let stride = std::env::current_exe()?;
    let runner = Runner::new(stride, options.passed.clone(), options.command.clone(), options.copied.clone())?;
    let (plain, sites, also) = match learn(&runner) {
        Ok(learnt) => learnt,
        Err(NoRun::Interrupted) => bail!("--sweep was interrupted before the first fault"),
        Err(NoRun::Failed(error)) => return Err(error),
    };
    let jobs: Vec<Job> = sites.iter().flat_map(|site| jobs_of(site, &options.kinds)).collect();
    let done: HashSet<_> = earlier.iter().map(|tested| (tested.site, tested.fault.clone())).collect();
    let total = jobs.len();
    let jobs: VecDeque<Job> =
        jobs.into_iter().filter(|job| !done.contains(&(job.site.own_key(), job.fault.term()))).collect();
    let workers = match runner.copied {
        Some(_) => std::thread::available_parallelism().map_or(1, usize::from),
        None => 1,
    };
    announce(options, &plain, sites.len(), jobs.len(), total - jobs.len(), workers)?;
    let time = (plain.took * TIMES_LONGER).max(LEAST_LIMIT);
    let limits = RunLimits { time, calls: plain.calls * TIMES_MORE + MORE_CALLS };
    let sweeping = Sweeping { runner: &runner, plain: Mutex::new(plain), limits, also, number: AtomicUsize::new(10) };
    let ended = sweeping.all(jobs, workers, began + options.limit, &mut results);
    // Results of an earlier sweep count only for sites that there still are.
    let there: HashSet<_> = sites.iter().map(Site::own_key).collect();
    let mut tested: Vec<Tested> = earlier.into_iter().filter(|tested| there.contains(&tested.site)).collect();
    tested.extend(ended.tested);
    let order = |tested: &Tested| sites.iter().position(|site| site.own_key() == tested.site);
    tested.sort_by_key(order);
    let plain = sweeping.plain.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut remarks = ended.remarks;
    if let Some(part) = plain.varying.first() {
        remarks.push(format!(
            "Without faults, {} differs from run to run, so losses there are not seen.",
            match plain.varying.len() {
                1 => part.display().to_string().escape_debug().to_string(),
                n => count(n as u64, "part of the output", "parts of the output"),
            }
        ));
    }
    let report = SweepReport {
        command: repeated(options, &runner),
        program: options.program.clone(),
        tested,
        left: ended.left,
        why_left: ended.why_left,
        remarks,
    };
    let text = if options.json { report.json() } else { report.text() };
    // A reader that closes the pipe early is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(if report.findings() > 0 { FOUND } else { 0 })
}

/// The first runs.
fn learn(runner: &Runner) -> Result<(Plain, Vec<Site>, BTreeSet<PathBuf>), NoRun> {
    let limits = RunLimits { time: FIRST_LIMIT, calls: u64::MAX >> 1 };
    let first = runner.run(0, &[], true, limits, &BTreeSet::new())?;
    let seen = first.observed;
    let Some(end) = seen.end else {
        return Err(anyhow!(
            "the command does not end by itself within {}: --sweep needs one that does",
            duration(FIRST_LIMIT.as_nanos() as u64)
        )
        .into());
    };
    if !seen.is_whole {
        return Err(anyhow!("the recording of the first run is not whole").into());
    }
    if end.is_crash() {
        return Err(anyhow!("the command {} already without a fault", end_text(Some(end))).into());
    }
    let callers = seen.sites.iter().map(|site| (site.key, site.caller.clone())).collect();
    let mut plain = Plain {
        end,
        shape: first.shape,
        varying: BTreeSet::new(),
        messages_vary: false,
        took: first.took,
        calls: seen.calls,
        counts: seen.counts,
        left_open: seen.left_open,
        ends: seen.ends,
        callers,
    };
    let limits =
        RunLimits { time: (plain.took * TIMES_LONGER).max(LEAST_LIMIT), calls: plain.calls * TIMES_MORE + MORE_CALLS };
    // (Looking up lines takes time that later runs do not need.)
    plain.took = Duration::ZERO;
    for number in 1..3 {
        let again = runner.run(number, &[], false, limits, &seen.written)?;
        plain.also(&again).map_err(|why| {
            let hint = if runner.copied.is_none() {
                "; if that is because of files that it leaves, give --sweep-in=DIR"
            } else {
                ""
            };
            anyhow!("{why}{hint}")
        })?;
    }
    Ok((plain, seen.sites, seen.written))
}

fn jobs_of(site: &Site, kinds: &BTreeSet<FaultKind>) -> Vec<Job> {
    let wanted = site.faults.iter().filter(|(kind, _)| kinds.contains(kind));
    wanted.map(|&(kind, fault)| Job { site: site.clone(), kind, fault }).collect()
}

fn announce(
    options: &SweepOptions,
    plain: &Plain,
    sites: usize,
    runs: usize,
    earlier: usize,
    workers: usize,
) -> Result<()> {
    let about = plain.took * u32::try_from(runs / workers + 1).unwrap_or(u32::MAX);
    let place = match &options.copied {
        Some(copied) => {
            let (size, files) = size_of_tree(copied)?;
            let files = count(files, "file", "files");
            format!("each in a copy of '{}' ({files}, {}), {workers} at a time", copied.display(), bytes(size))
        }
        None => "each in this directory, one after the other: give --sweep-in=DIR for runs in copies".to_owned(),
    };
    let known = if earlier > 0 {
        format!(", {} known already", count(earlier as u64, "more is", "more are"))
    } else {
        String::new()
    };
    eprintln!(
        "{}: --sweep runs the command {} more for {}{known}, {place}; about {}",
        options.program,
        count(runs as u64, "time", "times"),
        count(sites as u64, "call site", "call sites"),
        duration(about.as_nanos() as u64)
    );
    Ok(())
}

/// The command as a shell reads it, behind the options that go with it.
fn repeated(options: &SweepOptions, runner: &Runner) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut line = String::new();
    for (i, word) in options.command.iter().enumerate() {
        if i > 0 {
            line.push(' ');
        }
        stride_output::push_word(&mut line, word.as_bytes(), i == 0);
    }
    if matches!(runner.input, crate::runner::Input::Nothing) {
        line.push_str(" </dev/null");
    }
    line + " >out"
}

/// The result of all runs.
#[derive(Default)]
struct AllRuns {
    tested: Vec<Tested>,
    left: usize,
    why_left: Option<String>,
    remarks: Vec<String>,
}

/// A run that panicked leaves its data usable.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sweeping<'_> {
    fn all(&self, jobs: VecDeque<Job>, workers: usize, until: Instant, results: &mut Option<Results>) -> AllRuns {
        let total = jobs.len();
        let jobs = Mutex::new(jobs);
        let all = Mutex::new((AllRuns::default(), results));
        let stop = |why: String| {
            let mut all = locked(&all);
            all.0.why_left.get_or_insert(why);
        };
        let is_shown = std::io::stderr().is_terminal();
        std::thread::scope(|scope| {
            for _ in 0..workers.min(total) {
                scope.spawn(|| {
                    loop {
                        {
                            let all = locked(&all);
                            if all.0.why_left.is_some() {
                                return;
                            }
                        }
                        if Instant::now() > until {
                            return stop("--sweep-limit was reached".into());
                        }
                        let job = locked(&jobs).pop_front();
                        let Some(job) = job else { return };
                        match self.test(&job) {
                            Ok(tested) => {
                                let mut all = locked(&all);
                                let (runs, results) = &mut *all;
                                if let Some(Err(error)) = results.as_mut().map(|results| results.add(&tested)) {
                                    runs.why_left = Some(format!("{error:#}"));
                                }
                                runs.tested.push(tested);
                                if is_shown {
                                    let findings = runs.tested.iter().filter(|t| t.verdict.kind.is_finding()).count();
                                    progress::show_line(&format!(
                                        "{} of {total} faults, {}",
                                        runs.tested.len(),
                                        count(findings as u64, "finding", "findings")
                                    ));
                                }
                            }
                            Err(NoRun::Interrupted) => {
                                let signal = signal::caught().map(signal_text).unwrap_or_default();
                                return stop(format!("Stride was told to end, by {signal}"));
                            }
                            Err(NoRun::Failed(error)) => return stop(format!("{error:#}")),
                        }
                    }
                });
            }
        });
        progress::erase();
        let (mut all, _) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.left = total - all.tested.len();
        all
    }

    fn run(&self, rule: Option<&str>) -> Result<Ran, NoRun> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let faults: Vec<String> = rule.map(|rule| format!("--inject={rule}")).into_iter().collect();
        self.runner.run(number, &faults, false, self.limits, &self.also)
    }

    /// A run in which a call of the site is changed. `None` if no run came by there in the same way. The place is the one that was hit.
    fn hit(&self, job: &Job, place: &mut PlaceOfCall) -> Result<Option<Ran>, NoRun> {
        for _ in 0..TRIES {
            let ran = self.run(Some(&rule(job.site.call, job.fault, place, false)))?;
            if ran.observed.changed.as_ref().is_some_and(|changed| job.site.is_of(changed)) {
                return Ok(Some(ran));
            }
            // Where it was this time.
            if let Some(elsewhere) = job.site.place_in(&ran.observed) {
                *place = elsewhere.clone();
            }
        }
        Ok(None)
    }

    fn judge(&self, ran: &Ran, job: &Job) -> SweepVerdict {
        let plain = locked(&self.plain);
        judge(&plain, ran, &job.site, job.fault, self.limits.time)
    }

    fn test(&self, job: &Job) -> Result<Tested, NoRun> {
        let mut place = job.site.place.clone();
        let tested = |verdict, place: &PlaceOfCall, lasts| {
            let again = if lasts { " from there on" } else { "" };
            let happens = format!("{}{again}", job.fault.sentence());
            Tested::new(&job.site, job.fault, rule(job.site.call, job.fault, place, lasts), happens, verdict)
        };
        let Some(ran) = self.hit(job, &mut place)? else {
            return Ok(tested(SweepVerdict::new(VerdictKind::NotReached, ""), &place, false));
        };
        let verdict = self.judge(&ran, job);
        if verdict.kind.is_finding() || verdict.kind == VerdictKind::OtherOutput {
            return Ok(tested(self.confirmed(job, &mut place, verdict)?, &place, false));
        }
        let retried = ran.observed.changed.is_some_and(|changed| changed.retried);
        if retried && job.fault.errno().is_some() && job.kind != FaultKind::Interrupted {
            // It tried again. What if that never helps? (Other calls of the thread fail, too, so nothing else is judged.)
            let lasting = self.run(Some(&rule(job.site.call, job.fault, &place, true)))?;
            let again = self.judge(&lasting, job);
            let is_there = lasting.observed.changed.is_some_and(|changed| job.site.is_of(&changed));
            if is_there && again.kind == VerdictKind::Endless {
                return Ok(tested(again, &place, true));
            }
        }
        Ok(tested(verdict, &place, false))
    }

    /// The verdict, if the same happens again after a run without a fault that is like the first ones.
    fn confirmed(&self, job: &Job, place: &mut PlaceOfCall, verdict: SweepVerdict) -> Result<SweepVerdict, NoRun> {
        let without = self.run(None)?;
        {
            let mut plain = locked(&self.plain);
            plain.also(&without).map_err(|why| {
                let hint = if self.runner.copied.is_none() {
                    "; give --sweep-in=DIR, so that no run finds what another one has left"
                } else {
                    ""
                };
                anyhow!(
                    "after {} of {} {}, the command does no longer run as before: {why}{hint}",
                    job.site.call,
                    job.site.caller,
                    job.fault.sentence()
                )
            })?;
        }
        let Some(ran) = self.hit(job, place)? else {
            return Ok(SweepVerdict::new(VerdictKind::NotRepeated, verdict.what));
        };
        let again = self.judge(&ran, job);
        Ok(if again.kind == verdict.kind { again } else { SweepVerdict::new(VerdictKind::NotRepeated, verdict.what) })
    }
}
