//! `--sweep`: makes a call of each call site of a program fail once, in a run of its own, and tells what the program did.
//!
//! - **The first runs** ([`runner`], [`observed`]) are without a fault. They show the call sites ([`site`]), and what a run leaves and how it ends ([`shape`],
//!   [`verdict::Plain`]). What differs between them is no sign of anything later.
//! - **The faults** of a site follow from the effects of its row and from the thing behind its descriptor ([`fault`]).
//! - **One run for each site and fault.** Another Stride traces it, with the rule of `--inject` that the report tells to repeat the run, and records it. The recording shows
//!   whether the call that failed was that of the site. If it was not, the place is looked for again in that recording.
//! - **The judgement** ([`verdict`]) compares the run with those without a fault. What looks like a mistake is run once more, after a run without a fault. Only what happens twice is a
//!   finding.
//! - [`results`] keeps what was found out, and [`report`] tells it.
//!
//! A false finding costs more than a missing one: it makes the user look at code that is right. So whatever is in doubt is not a finding.

mod copy;
mod fault;
mod observed;
mod report;
mod results;
mod runner;
mod shape;
mod site;
mod sweep;
mod verdict;

pub use fault::FaultKind;
pub use sweep::{SweepOptions, sweep};
