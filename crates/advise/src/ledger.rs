//! Grants each call to one finding, so that no saving is counted twice.

use crate::callers::CallerLookup;
use crate::finding::{Claim, Draft, Finding, Saving};
use crate::index::{CallKey, Index, waits_by_nature};
use crate::rule::RuleInfo;
use crate::thresholds::{EVIDENCE, is_anothers, matters, worth_it};
use rustc_hash::FxHashMap;
use stride_event::Ns;

/// Settles what each draft saves, the largest draft first, and drops findings that are not worth telling.
pub fn settle(drafts: Vec<(&'static RuleInfo, Draft)>, index: &Index, callers: &CallerLookup<'_>) -> Vec<Finding> {
    let mut granted: FxHashMap<CallKey, u64> = FxHashMap::default();
    let mut drafts: Vec<_> = drafts.into_iter().map(|(rule, draft)| (gross(&draft, index), rule, draft)).collect();
    drafts.sort_by_key(|((time, calls), rule, _)| (std::cmp::Reverse((*time, *calls)), rule.id));
    let mut findings = Vec::new();
    for ((_, claimed), rule, draft) in drafts {
        let mut calls = 0;
        let mut time = draft.more_time;
        let mut taken = Vec::with_capacity(draft.claims.len());
        for claim in &draft.claims {
            let (n, of_them) = grant(claim, granted.get(&claim.key).copied().unwrap_or(0), index);
            calls += n;
            time += of_them;
            taken.push((claim.key, n));
        }
        let worth = draft.matters || worth_it(calls, index.calls, time, index.span());
        if !worth || is_anothers(calls, claimed) && !draft.matters {
            continue;
        }
        for &(key, n) in &taken {
            *granted.entry(key).or_default() += n;
        }
        let minor = !draft.matters && !matters(calls, index.calls, time, index.span());
        let mut evidence = draft.evidence;
        evidence.truncate(EVIDENCE);
        findings.push(Finding {
            id: rule.id,
            title: rule.title,
            sentence: draft.sentence.text,
            figures: draft.sentence.figures,
            evidence,
            calls: taken.iter().chain(&draft.makers).filter(|(_, n)| *n > 0).map(|(key, _)| *key).collect(),
            callers: callers.of(taken.into_iter().chain(draft.makers)),
            table: None,
            advice: draft.advice,
            confidence: draft.confidence,
            saving: Saving {
                calls,
                of: index.calls,
                time: time.min(index.time + draft.more_time),
                how: draft.estimate,
            },
            minor,
        });
    }
    findings.sort_by_key(|f| std::cmp::Reverse((f.saving.time, f.saving.calls)));
    findings
}

/// Time and calls that a draft would save if it were the only one.
fn gross(draft: &Draft, index: &Index) -> (Ns, u64) {
    let each = draft.claims.iter().map(|claim| grant(claim, 0, index));
    each.fold((draft.more_time, 0), |(time, calls), (n, t)| (time + t, calls + n))
}

/// The claimed calls that were made and are not granted yet, and their time at the mean of their kind. Calls that wait
/// are priced at 0, because waiting costs nothing by itself. A rule that saves waiting says so in `more_time`.
fn grant(claim: &Claim, granted: u64, index: &Index) -> (u64, Ns) {
    let made = index.tally(claim.key);
    let calls = claim.calls.min(made.calls.saturating_sub(granted));
    let time = if made.calls == 0 || waits_by_nature(claim.key) {
        0
    } else {
        (u128::from(made.time) * u128::from(calls) / u128::from(made.calls)) as Ns
    };
    (calls, time)
}
