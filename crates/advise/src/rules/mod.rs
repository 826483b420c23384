//! The rules, a file each. A new one is added to the list here, and gets its fixture under `crates/cli/tests/advise/`.

mod busy_wait;
mod byte_reads;
mod common;
mod dns;
mod failed_connects;
mod hang;
mod heap_creep;
mod lock_contention;
mod madvise_storm;
mod map_churn;
mod name_lookups;
mod pieces;
mod reconnects;
mod small_sends;
mod stat_storm;
mod sync_storm;
mod tiny_maps;
mod tiny_reads;
mod tiny_writes;
mod unsynced_rename;

use crate::rule::RuleInfo;

pub const ALL: &[RuleInfo] = &[
    busy_wait::RULE,
    byte_reads::RULE,
    failed_connects::RULE,
    hang::RULE,
    heap_creep::RULE,
    lock_contention::RULE,
    madvise_storm::RULE,
    map_churn::RULE,
    name_lookups::RULE,
    reconnects::RULE,
    small_sends::RULE,
    stat_storm::RULE,
    sync_storm::RULE,
    tiny_maps::RULE,
    tiny_reads::RULE,
    tiny_writes::RULE,
    unsynced_rename::RULE,
];
