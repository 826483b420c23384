//! Compares what tracers show of random calls: `cargo xtask agree`.
//!
//! Calls are made from the rows that describe them ([`made`]), and a program makes them under each tracer ([`run`]). The kernel carries none of them out, and each
//! returns what was chosen for it, so no call does harm and its memory is the same each time. Lines that differ are
//! grouped by what differs ([`compare`]).

mod arena;
mod compare;
mod fields;
mod made;
mod run;

use anyhow::{Result, bail};
use made::MadeCall;
use run::{Player, Tracer};
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

struct Options {
    calls: usize,
    seed: u64,
    only: Option<String>,
    examples: usize,
    tracers: Vec<Tracer>,
}

fn options() -> Result<Options> {
    let mut options = Options { calls: 20_000, seed: fastrand::u64(..), only: None, examples: 2, tracers: Vec::new() };
    for arg in std::env::args().skip(1) {
        let Some((name, value)) = arg.split_once('=') else { bail!("{arg}: {USAGE}") };
        match name {
            "--calls" => options.calls = value.parse()?,
            "--seed" => options.seed = value.parse()?,
            "--only" => options.only = Some(value.to_owned()),
            "--examples" => options.examples = value.parse()?,
            "--tracer" => {
                let command: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
                if command.is_empty() {
                    bail!("--tracer= needs a command");
                }
                let name = options.tracers.len().to_string();
                let sees_entries = !command.iter().any(|word| word == "--engine=ebpf");
                options.tracers.push(Tracer { name, command, sees_entries });
            }
            _ => bail!("{arg}: {USAGE}"),
        }
    }
    if options.tracers.len() < 2 {
        bail!("two tracers are needed: {USAGE}");
    }
    Ok(options)
}

const USAGE: &str =
    "usage: agree --tracer=COMMAND --tracer=COMMAND... [--calls=N] [--seed=N] [--only=NAME] [--examples=N]";

fn main() -> Result<()> {
    let options = options()?;
    println!("seed {}", options.seed);
    let mut rng = fastrand::Rng::with_seed(options.seed);
    let abi = Abi::X86_64;
    let wanted = |name: &str| options.only.as_deref().is_none_or(|only| only == name);
    let entries: Vec<_> =
        table(abi).iter().filter(|entry| !LEFT_OUT.contains(&entry.row.name) && wanted(entry.row.name)).collect();
    if entries.is_empty() {
        bail!("no call is named {}", options.only.unwrap_or_default());
    }
    let player = Player::new()?;
    let mut differences = compare::Differences::default();
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
    differences.print(made, options.examples);
    if differences.unexplained() > 0 {
        bail!("tracers differ, as told above");
    }
    Ok(())
}
