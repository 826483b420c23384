//! The rules, one file each. A new rule goes into the list here and gets a fixture in `tests/advise/`.

mod asked_again;
mod blocked_loop;
mod blocked_pool;
mod busy_wait;
mod byte_reads;
mod child_order;
mod children_in_turn;
mod close_storm;
mod common;
mod direct_refused;
mod dns;
mod eagain_spin;
mod edge_unread;
mod epoll_files;
mod exec_search;
mod facts;
mod failed_connects;
mod fd_leak;
mod few_at_once;
mod goroutine_locks;
mod hand_overs;
mod hang;
mod heap_creep;
mod held_calls;
mod held_lock;
mod held_pipe;
mod interrupted;
mod kept_open;
mod late_end;
mod late_locks;
mod limits;
mod lock_contention;
mod lock_step;
mod lost_time;
mod madvise_storm;
mod map_churn;
mod mkdir_again;
mod name_lookups;
mod network_requests;
mod pieces;
mod placed_reads;
mod polling;
mod ran_out;
mod random_reads;
mod ready_ignored;
mod reconnects;
mod reopened;
mod repeated;
mod request_work;
mod retries;
mod rewritten;
mod search_path;
mod serial_service;
mod set_again;
mod shared_writes;
mod shifted_names;
mod short_children;
mod short_threads;
mod slow_connects;
mod slow_fork;
mod slow_start;
mod small_buffers;
mod small_sends;
mod stat_storm;
mod sync_storm;
mod taken_names;
mod taking_turns;
mod temp_files;
mod threads_in_turn;
mod timed_waits;
mod timer_wakes;
mod tiny_maps;
mod tiny_reads;
mod tiny_writes;
mod turn_group;
mod unanswered;
mod undone;
mod uneven_connections;
mod uneven_workers;
mod unread_pipes;
mod unsynced_rename;
mod vain_wakes;
mod wide_polls;
mod zombies;

use crate::rule::RuleInfo;

/// All rules, in the order of their ids.
pub fn rules() -> &'static [RuleInfo] {
    ALL
}

pub fn find_rule(id: &str) -> Option<&'static RuleInfo> {
    ALL.iter().find(|rule| rule.id == id)
}

const ALL: &[RuleInfo] = &[
    asked_again::RULE,
    blocked_loop::RULE,
    blocked_pool::RULE,
    busy_wait::RULE,
    byte_reads::RULE,
    child_order::RULE,
    children_in_turn::RULE,
    close_storm::RULE,
    direct_refused::RULE,
    eagain_spin::RULE,
    edge_unread::RULE,
    epoll_files::RULE,
    exec_search::RULE,
    facts::RULE,
    failed_connects::RULE,
    fd_leak::RULE,
    goroutine_locks::RULE,
    hand_overs::RULE,
    hang::RULE,
    heap_creep::RULE,
    held_lock::RULE,
    held_pipe::RULE,
    interrupted::RULE,
    kept_open::RULE,
    late_end::RULE,
    late_locks::RULE,
    limits::RULE,
    lock_contention::RULE,
    lock_step::RULE,
    lost_time::RULE,
    madvise_storm::RULE,
    map_churn::RULE,
    mkdir_again::RULE,
    name_lookups::RULE,
    network_requests::RULE,
    polling::RULE,
    random_reads::RULE,
    ready_ignored::RULE,
    reconnects::RULE,
    reopened::RULE,
    repeated::RULE,
    request_work::RULE,
    retries::RULE,
    rewritten::RULE,
    search_path::RULE,
    serial_service::RULE,
    set_again::RULE,
    shared_writes::RULE,
    shifted_names::RULE,
    short_children::RULE,
    short_threads::RULE,
    slow_connects::RULE,
    slow_fork::RULE,
    slow_start::RULE,
    small_buffers::RULE,
    small_sends::RULE,
    stat_storm::RULE,
    sync_storm::RULE,
    taken_names::RULE,
    taking_turns::RULE,
    temp_files::RULE,
    threads_in_turn::RULE,
    timed_waits::RULE,
    timer_wakes::RULE,
    tiny_maps::RULE,
    tiny_reads::RULE,
    tiny_writes::RULE,
    unanswered::RULE,
    undone::RULE,
    unread_pipes::RULE,
    uneven_workers::RULE,
    unsynced_rename::RULE,
    vain_wakes::RULE,
    wide_polls::RULE,
    zombies::RULE,
];
