//! The rules, a file each. A new one is added to the list here, and gets its fixture under `crates/cli/tests/advise/`.

mod byte_reads;
mod common;
mod pieces;
mod stat_storm;
mod tiny_reads;
mod tiny_writes;

use crate::rule::RuleInfo;

pub const ALL: &[RuleInfo] = &[byte_reads::RULE, stat_storm::RULE, tiny_reads::RULE, tiny_writes::RULE];
