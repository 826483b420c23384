//! What is wrong with how a program uses the kernel, where, and what it would save.
//!
//! Events go in, findings come out. The [`Index`] counts what all rules need; each rule, a file under `rules/`, looks at the
//! calls it wants and says at the end what it found, and which calls could be saved. The ledger grants each call once: so no
//! finding claims more than there is, and none is counted twice.

mod advisor;
mod finding;
mod index;
mod ledger;
mod lines;
mod rule;
mod rules;
pub mod thresholds;

pub use advisor::Advisor;
pub use finding::{Confidence, Evidence, EvidenceKind, Finding, Saving, Table};
pub use rule::{RuleInfo, find_rule, rules};
