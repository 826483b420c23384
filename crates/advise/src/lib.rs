//! Advice: which calls and how much time a program wastes, where, and what a change would save.
//!
//! Every event comes with what the tracker knows about it. The index counts what all rules need: calls by syscall and by what
//! they are about, open files from open to close, how far each thread has come. A rule (a file under `rules/`) names the calls
//! that it wants to see, keeps little state, and writes drafts at the end: a sentence, evidence, and **claims**, which say which
//! calls, by syscall and thing, need not be made. The ledger grants each call once, the largest draft first, and prices it at
//! what is usual for its syscall (`Usual`). Findings that are not worth the reader's time in a run of this size are dropped. All
//! numbers that decide are in [`thresholds`].
//!
//! Rules see events only, no /proc and no clock, so a recording gets the same advice as the run. Waits of threads come from the
//! tracker (`track::Wait`).
//!
//! Architecture invariant: no finding claims more calls than there are, and no two findings claim the same call.

mod advisor;
mod finding;
mod index;
mod ledger;
mod lines;
mod rule;
mod rules;
pub mod thresholds;

pub use advisor::Advisor;
pub use finding::{Confidence, Evidence, EvidenceKind, FactTable, Finding, Saving};
pub use index::Scope;
pub use rule::RuleInfo;
pub use rules::{find_rule, rules};
