//! Advice: which calls and how much time a program wastes, where, and what a change would save.
//!
//! Every event comes with what the tracker knows about it. The index counts what all rules need: calls by syscall and
//! object, open files from open to close, and each thread's pace. A rule (a file under `rules/`) names the calls that
//! it wants to see, keeps little state, and writes candidates at the end. A candidate is a sentence, evidence, and
//! **claims**: which calls, by syscall and object, need not be made. The ledger grants each call once, the largest
//! candidate first, and prices it at the usual time of its syscall (`Usual`), as far as its threads are on the critical
//! path (`track::CriticalPath`). Findings that are too small for a run of this size are dropped. A rule's own limits
//! stand in its file, those that rules share in `thresholds/`, and `--advise-config` can set both ([`config`]).
//! Sentences are made with `say!` (`report/statement.rs`), which keeps the numbers in them: each number is of a
//! quantity with a name for scripts.
//!
//! Rules know nothing of stacks: which functions make the claimed calls (`counts/callers.rs`) follows from the claims.
//!
//! Rules see events only, no /proc and no clock, so a recording gets the same advice as the run. Waits of threads come
//! from the tracker (`track::Wait`).
//!
//! Architecture invariant: no finding claims more calls than there are, and no two findings claim the same call.

mod advisor;
mod counts;
mod ledger;
mod report;
mod rule;
mod rules;
#[cfg(test)]
mod test_run;
mod thresholds;

pub use advisor::Advisor;
pub use counts::callers::Callers;
pub use counts::index::{CallKey, Scope};
pub use report::finding::{Confidence, Evidence, EvidenceKind, FactRow, FactTable, Finding, Findings, Saving};
pub use report::quantity::{ALL as QUANTITIES, Quantity, QuantityKind};
pub use report::statement::{Amount, Figure};
pub use report::trial::Trial;
pub use rule::RuleInfo;
pub use rules::{find_rule, rules};
pub use thresholds::config;
pub use thresholds::threshold::choose;
