//! Grants each call to one finding, so that no saving is counted twice.

use crate::counts::callers::CallerLookup;
use crate::counts::index::{CallKey, Index};
use crate::counts::kinds::{CallKind, kind_of, waits_by_nature};
use crate::report::finding::{Candidate, Claim, Finding, Saving};
use crate::rule::RuleInfo;
use crate::thresholds::shared::{EVIDENCE, is_anothers, matters, worth_it};
use rustc_hash::FxHashMap;
use stride_event::Ns;

/// Settles what each candidate saves, the largest candidate first, and drops findings that are not worth telling.
pub fn settle(
    candidates: Vec<(&'static RuleInfo, Candidate)>,
    index: &Index,
    callers: &CallerLookup<'_>,
) -> Vec<Finding> {
    let mut granted: FxHashMap<CallKey, u64> = FxHashMap::default();
    let symptoms: Vec<&str> = candidates.iter().flat_map(|(_, candidate)| candidate.instead_of).copied().collect();
    let causes = candidates.into_iter().filter(|(rule, _)| !symptoms.contains(&rule.id));
    let mut candidates: Vec<_> = causes.map(|(rule, candidate)| (gross(&candidate, index), rule, candidate)).collect();
    candidates
        .sort_by_key(|(gross, rule, _)| (std::cmp::Reverse((gross.expected(), gross.work, gross.calls)), rule.id));
    let mut findings: Vec<Finding> = Vec::new();
    // A run without tracing takes no longer than that, so no change saves more.
    let most = index.untraced_span();
    let run = index.busy_span();
    // Those that stand back for others come last.
    candidates.sort_by_key(|(.., candidate)| (!candidate.unless_told.is_empty(), candidate.unless_saved.is_some()));
    for (gross, rule, candidate) in candidates {
        let says_more = |finding: &Finding| candidate.unless_told.contains(&finding.id);
        if findings.iter().any(|finding| says_more(finding) && !finding.minor) {
            continue;
        }
        let saved = findings.iter().map(|finding| finding.saving.expected()).max().unwrap_or(0);
        if candidate.unless_saved.is_some_and(|enough| saved >= enough) {
            continue;
        }
        let mut worth = Worth::besides(&candidate);
        let mut taken = Vec::with_capacity(candidate.claims.len());
        for claim in &candidate.claims {
            let of_them = grant(claim, granted.get(&claim.key).copied().unwrap_or(0), index);
            worth.add(&of_them);
            taken.push((claim.key, of_them.calls));
        }
        worth.more += computed(&candidate, index);
        worth.settle(&candidate, gross.calls);
        let expected = worth.expected();
        let Worth { time, more, work, calls } = worth;
        let worth_it = candidate.matters || worth_it(calls, index.calls, expected.max(work), run);
        if !worth_it || is_anothers(calls, gross.calls) && !candidate.matters {
            continue;
        }
        findings.retain(|finding| !says_more(finding));
        for &(key, n) in &taken {
            *granted.entry(key).or_default() += n;
        }
        let minor = !candidate.matters && !matters(calls, index.calls, expected, work, run);
        let mut evidence = candidate.evidence;
        evidence.truncate(EVIDENCE);
        findings.push(Finding {
            id: rule.id,
            title: rule.title,
            sentence: candidate.sentence.text,
            figures: candidate.sentence.figures,
            evidence,
            calls: taken.iter().chain(&candidate.makers).filter(|(_, n)| *n > 0).map(|(key, _)| *key).collect(),
            callers: match &candidate.stacks[..] {
                [] => callers.of(taken.into_iter().chain(candidate.makers)),
                stacks => callers.of_stacks(stacks),
            },
            next: callers.of_stacks(&candidate.next),
            table: None,
            advice: candidate.advice,
            confidence: candidate.confidence,
            trial: candidate.trial,
            saving: Saving {
                calls,
                of: index.calls,
                time: time.min(most),
                up_to: (time + more).min(most),
                work,
                how: candidate.estimate,
            },
            minor,
        });
    }
    findings.sort_by_key(|f| std::cmp::Reverse((f.saving.expected(), f.saving.work, f.saving.calls)));
    findings
}

/// The calls that a candidate saves, the time by which the run gets shorter, and the time of the calls.
#[derive(Default)]
struct Worth {
    calls: u64,
    time: Ns,
    /// Perhaps so much more.
    more: Ns,
    work: Ns,
}

impl Worth {
    /// The time that a candidate saves besides that of its calls.
    fn besides(candidate: &Candidate) -> Worth {
        let (time, more) = (candidate.more_time, candidate.perhaps_more);
        Worth { time, more, work: time + candidate.more_work, calls: 0 }
    }

    fn expected(&self) -> Ns {
        self.time + self.more / 2
    }

    fn add(&mut self, other: &Worth) {
        self.calls += other.calls;
        self.time += other.time;
        self.work += other.work;
    }

    /// A rule may know the whole time. If others have some of the claimed calls, they have that part of the time, too.
    fn settle(&mut self, candidate: &Candidate, claimed: u64) {
        let part = if claimed == 0 { 1.0 } else { self.calls as f64 / claimed as f64 };
        self.more = (self.more as f64 * part) as Ns;
        if let Some(whole) = candidate.whole_time {
            self.time = (whole as f64 * part) as Ns;
            self.work = self.work.max(self.time);
        }
    }
}

/// The calls and the time that a candidate would save if it were the only one.
fn gross(candidate: &Candidate, index: &Index) -> Worth {
    let mut worth = Worth::besides(candidate);
    candidate.claims.iter().for_each(|claim| worth.add(&grant(claim, 0, index)));
    let claimed = worth.calls;
    worth.more += computed(candidate, index);
    worth.settle(candidate, claimed);
    worth
}

/// The time that the program computed after the claimed calls, if it may be saved, too. What it does after a file was closed is about other things.
fn computed(candidate: &Candidate, index: &Index) -> Ns {
    let bring = candidate.claims.iter().filter(|claim| kind_of(claim.key) != Some(CallKind::Close));
    let after = bring.map(|claim| index.work_after(claim.key, claim.calls));
    if candidate.work_after { after.sum() } else { 0 }
}

/// The claimed calls that were made and are not granted yet, and their time at the mean of their kind without waits for
/// another end, as far as the run waits for it. Calls that wait are priced at 0, because waiting costs nothing by
/// itself. A rule that saves waiting says so in `more_time`.
fn grant(claim: &Claim, granted: u64, index: &Index) -> Worth {
    let made = index.tally(claim.key);
    let calls = claim.calls.min(made.calls.saturating_sub(granted));
    if calls == 0 || waits_by_nature(claim.key) {
        return Worth { calls, ..Worth::default() };
    }
    let priced = index.prices(claim.key);
    // A thread that waits for storage does no work meanwhile.
    let is_work = kind_of(claim.key) != Some(CallKind::Sync);
    let work = priced.of(calls);
    let time = (work as f64 * index.on_path(claim.key)) as Ns;
    Worth { calls, work: if is_work { work } else { time }, time, more: 0 }
}

#[cfg(test)]
mod tests {
    use crate::Findings;
    use crate::test_run::TestRun;
    use stride_event::{Event, Ns, Outcome, Tid};
    use stride_test_support::calls::{call, exited, forked, lasting, naming, spawned};

    const MS: Ns = 1_000_000;
    const MAIN: Tid = 7;
    const OTHER: Tid = 8;

    /// A run of 10 s, in which one of two processes syncs little pieces for 4 s.
    fn syncs_of(tid: Tid) -> Findings {
        let mut run = TestRun::new(false);
        let mut at = 0;
        let mut next = |name: &str, args: &[u64], value: i64, took: Ns| {
            at += took + MS;
            lasting(call(tid, name, args, Outcome::Value(value)), at - took, took)
        };
        run.show(spawned(MAIN, 0));
        run.show(forked(MAIN, OTHER, OTHER, 0));
        run.show(Event::Exit(&naming(next("open", &[0x1000, 1, 0], 3, MS), 0x1000, "/log")));
        for _ in 0..400 {
            run.show(Event::Exit(&next("write", &[3, 0x2000, 5000], 5000, 1000)));
            run.show(Event::Exit(&next("fsync", &[3], 0, 10 * MS)));
        }
        run.show(exited(OTHER, 9_999 * MS));
        run.show(Event::Exit(&lasting(call(MAIN, "getpid", &[], Outcome::Value(MAIN.into())), 9_999 * MS, 10)));
        run.show(exited(MAIN, 10_000 * MS));
        run.findings()
    }

    /// A process that waits for storage while the run does not wait for the process costs nothing.
    #[test]
    fn waiting_for_storage_is_no_work() {
        let waited_for = syncs_of(MAIN);
        assert_eq!(waited_for.reported.iter().map(|finding| finding.id).collect::<Vec<_>>(), ["sync-storm"]);
        assert!(waited_for.reported[0].saving.time > 3_000 * MS);
        let minor = syncs_of(OTHER);
        assert!(minor.reported.is_empty(), "{:?}", minor.reported);
        assert_eq!(minor.minor.len(), 1);
    }
}
