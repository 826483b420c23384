//! Compares what tracers show of random calls: `cargo xtask agree`, and a test of the engines.
//!
//! Calls are made from the rows that describe them ([`made`]), and a program makes them under each tracer ([`run`]). The kernel carries none of them out, and each
//! returns what was chosen for it, so no call does harm and its memory is the same each time. Lines that differ are
//! grouped by what differs ([`compare`]), without those that are known ([`known`]).

mod arena;
mod compare;
mod fields;
mod known;
mod made;
mod places;
mod run;
mod types;

pub use compare::Differences;
pub use run::Tracer;

use anyhow::{Result, bail, ensure};
use made::MadeCall;
use run::Player;
use stride_syscalls::{Abi, table};

/// Calls that are made in one run of the program.
const BATCH: usize = 2_000;
/// Calls that end or change the process when they succeed, as a tracer believes.
const LEFT_OUT: &[&str] = &[
    "exit",
    "exit_group",
    "execve",
    "execveat",
    "fork",
    "vfork",
    "clone",
    "clone3",
    "rt_sigreturn",
    "restart_syscall",
    "uprobe",
    "uretprobe",
];

/// What is to be compared.
pub struct Options {
    pub calls: usize,
    /// Runs with one seed make the same calls.
    pub seed: u64,
    /// Only calls of this name.
    pub only: Option<String>,
    /// Lines are compared with those of the first one.
    pub tracers: Vec<Tracer>,
}

/// Makes the calls under each tracer and compares their lines.
pub fn compare(options: &Options) -> Result<Differences> {
    ensure!(options.tracers.len() >= 2, "two tracers are needed");
    let mut rng = fastrand::Rng::with_seed(options.seed);
    let abi = Abi::X86_64;
    let wanted = |name: &str| options.only.as_deref().is_none_or(|only| only == name);
    let entries: Vec<_> =
        table(abi).iter().filter(|entry| !LEFT_OUT.contains(&entry.row.name) && wanted(entry.row.name)).collect();
    if entries.is_empty() {
        bail!("no call is named {}", options.only.as_deref().unwrap_or_default());
    }
    let player = Player::new()?;
    let mut differences = Differences::default();
    let mut made = 0;
    while made < options.calls {
        let count = BATCH.min(options.calls - made);
        let calls: Vec<MadeCall> = (0..count)
            .map(|number| made::call(&mut rng, abi, entries[(made + number) % entries.len()], number as u64))
            .collect();
        let lines: Vec<_> = options.tracers.iter().map(|tracer| player.lines(&calls, tracer)).collect::<Result<_>>()?;
        for (i, call) in calls.iter().enumerate() {
            let lines: Option<Vec<&str>> = lines.iter().map(|lines| lines.get(&i).map(String::as_str)).collect();
            // (A tracer that ended has no more lines.)
            if let Some(lines) = lines {
                differences.add(call, &options.tracers, &lines);
            }
        }
        made += count;
    }
    Ok(differences)
}
