//! The rules, a file each. A new one is added to the list here, and gets its fixture under `crates/cli/tests/advise/`.

mod byte_reads;
mod clock_calls;
mod common;
mod eagain_spin;
mod epoll_files;
mod hang;
mod mkdir_again;
mod pieces;
mod reopened;
mod same_facts;
mod search_path;
mod stat_storm;
mod time_zone;
mod tiny_reads;
mod tiny_writes;

use crate::rule::RuleInfo;

pub const ALL: &[RuleInfo] = &[
    byte_reads::RULE,
    clock_calls::RULE,
    eagain_spin::RULE,
    epoll_files::RULE,
    hang::RULE,
    mkdir_again::RULE,
    reopened::RULE,
    same_facts::RULE,
    search_path::RULE,
    stat_storm::RULE,
    time_zone::RULE,
    tiny_reads::RULE,
    tiny_writes::RULE,
];
