//! Counts the system calls of a command, as `strace -c` does.
//!
//! `cargo run -p stride-session --example count_calls -- ls -l`

use std::collections::BTreeMap;
use stride_session::Trace;

fn main() -> anyhow::Result<()> {
    let mut trace = Trace::command(std::env::args_os().skip(1)).follow().start()?;
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    while let Some(call) = trace.next_call()? {
        *counts.entry(call.name().unwrap_or("unknown")).or_default() += 1;
    }
    for (name, count) in &counts {
        println!("{count:>8} {name}");
    }
    if !trace.lost().is_none() {
        eprintln!("The counts are too low: {}.", trace.lost());
    }
    Ok(())
}
