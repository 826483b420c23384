//! Both engines show the same of random calls.

mod common;

use common::*;
use stride_agree::{Options, Tracer, compare};

/// So many calls take some seconds. All calls of the table have their turn more than ten times.
const CALLS: usize = 6_000;

#[test]
fn engines_agree_about_random_calls() {
    need_ebpf!();
    need!("/usr/bin/cc");
    let tracer = |(number, engine)| Tracer::new(number, &format!("{STRIDE} --engine={engine}")).unwrap();
    let tracers = ["ptrace", "ebpf"].into_iter().enumerate().map(tracer).collect();
    let differences = compare(&Options { calls: CALLS, seed: 5, only: None, tracers }).unwrap();
    assert_eq!(differences.unexplained(), 0, "{}", differences.told(1));
    assert_eq!(differences.compared(), CALLS);
}
