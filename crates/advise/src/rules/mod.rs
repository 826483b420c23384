//! The rules, a file each. A new one is added to the list here, and gets its fixture under `crates/cli/tests/advise/`.

mod common;
mod hang;
mod stat_storm;

use crate::rule::RuleInfo;

pub const ALL: &[RuleInfo] = &[hang::RULE, stat_storm::RULE];
