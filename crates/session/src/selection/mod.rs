//! The choice of calls to show.

mod called_from;
mod conditions;
mod evaluator;
mod fields;
mod identities;
mod select;

pub use conditions::{Conditions, facts};
pub use evaluator::Evaluator;
pub use identities::{Identities, NamedUsers};
pub use select::{PathSelector, Selector};
