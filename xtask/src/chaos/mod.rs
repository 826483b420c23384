//! `cargo xtask chaos [SECONDS] [--seed=N] [--only=NAME] [--round=N] [--attach=N] [--stride=FILE]`: bad luck of many kinds, for
//! Stride and for its tracees. It is not part of `make test`, because it takes minutes and looks for rare failures.
//!
//! A scenario is a file here and a line in [`SCENARIOS`]. It runs in rounds until its share of the time is used up. The
//! seed, the scenario's name and the round's number decide all random choices of a round, so that a round can be
//! repeated.

mod attached;
mod churn;
mod counts;
mod dead;
mod disks;
mod exec;
mod field;
mod hogs;
mod ignored;
mod keeper;
mod killed;
mod leaving;
mod loading;
mod notices;
mod pipes;
mod process;
mod recordings;
mod repeat;
mod report;
mod server;
mod servers;
mod stalled;

use anyhow::{Context, Result, bail, ensure};
use field::{Field, Need};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use repeat::run as repeat;

/// The default duration in seconds.
const SECONDS: u64 = 600;
/// A scenario that fails this often ends: more failures tell nothing new.
pub const ENOUGH: usize = 12;

/// One kind of bad luck.
pub struct Scenario {
    pub name: &'static str,
    /// The rule that must hold, for the table.
    pub about: &'static str,
    pub needs: &'static [Need],
    /// The scenario's share of the time, relative to the others.
    pub share: u32,
    /// The number of cases. Rounds take the cases in turn, and each case runs at least once, if time allows.
    pub cases: u64,
    pub round: fn(&Field) -> Result<()>,
}

const SCENARIOS: &[Scenario] = &[
    exec::SCENARIO,
    dead::SCENARIO,
    loading::SCENARIO,
    killed::SCENARIO,
    attached::SCENARIO,
    churn::SCENARIO,
    leaving::SCENARIO,
    counts::SCENARIO,
    servers::SCENARIO,
    stalled::SCENARIO,
    ignored::SCENARIO,
    notices::SCENARIO,
    notices::SUPPLIED,
    notices::SET_UID,
    hogs::SCENARIO,
    pipes::SCENARIO,
    disks::SCENARIO,
    recordings::ARGUMENTS,
    recordings::MUTATED,
    recordings::BAD,
];

struct Options {
    seconds: u64,
    seed: u64,
    only: Option<String>,
    round: Option<u64>,
    stride: Option<PathBuf>,
    attach: Option<u64>,
}

impl Options {
    fn parse(args: &[&str]) -> Result<Options> {
        let mut options = Options {
            seconds: SECONDS,
            seed: fastrand::u64(..1_000_000),
            only: None,
            round: None,
            stride: None,
            attach: None,
        };
        for arg in args {
            let number = |text: &str| text.parse().with_context(|| format!("'{arg}' needs a number"));
            match arg.split_once('=') {
                Some(("--seed", seed)) => options.seed = number(seed)?,
                Some(("--only", name)) => options.only = Some(name.to_owned()),
                Some(("--round", round)) => options.round = Some(number(round)?),
                Some(("--attach", times)) => options.attach = Some(number(times)?),
                Some(("--stride", file)) => options.stride = Some(file.into()),
                _ if arg.starts_with('-') => bail!("there is no option '{arg}': see docs/contributing/tests.md"),
                _ => options.seconds = number(arg)?,
            }
        }
        let names = SCENARIOS.map_names();
        if let Some(only) = &options.only {
            ensure!(names.contains(&only.as_str()), "there is no scenario '{only}', only {}", names.join(", "));
        }
        ensure!(
            options.round.is_none() || options.only.is_some(),
            "--round needs --only: rounds are counted per scenario"
        );
        Ok(options)
    }
}

trait Names {
    fn map_names(&self) -> Vec<&'static str>;
}

impl Names for [Scenario] {
    fn map_names(&self) -> Vec<&'static str> {
        self.iter().map(|s| s.name).collect()
    }
}

pub fn run(args: &[&str]) -> Result<()> {
    let options = Options::parse(args)?;
    let Some(dir) = keeper::directory() else { std::process::exit(keeper::code(keeper::keep()?)) };
    keeper::begin_player()?;
    let mut field = Field::new(options.stride, options.seed, dir)?;
    field.attach = options.attach.unwrap_or(servers::ATTACH);
    recordings::prepare()?;
    let begun = Instant::now();
    println!("chaos with {}, seed {}, {} s", field.stride.display(), options.seed, options.seconds);
    let chosen: Vec<&Scenario> =
        SCENARIOS.iter().filter(|s| options.only.as_ref().is_none_or(|only| only == s.name)).collect();
    let deadline = begun + Duration::from_secs(options.seconds);
    let mut rows = Vec::new();
    for (i, scenario) in chosen.iter().enumerate() {
        if let Some(why) = field.lacks(scenario.needs) {
            println!("skipped: {}: {why}", scenario.name);
            rows.push(report::Row::skipped(scenario, why));
            continue;
        }
        let shares: u32 = chosen[i..].iter().map(|s| s.share).sum();
        let left = deadline.saturating_duration_since(Instant::now());
        let rounds = match options.round {
            Some(round) => round..round + 1,
            None => 0..u64::MAX,
        };
        let mut row = play(&mut field, scenario, rounds, Instant::now() + left * scenario.share / shares, deadline);
        if options.round.is_none() {
            row.end();
        }
        rows.push(row);
    }
    report::table(&rows, begun.elapsed());
    let failed = rows.iter().filter(|row| row.failures > 0).count();
    if failed > 0 {
        println!("{failed} of {} scenarios failed (seed {})", rows.len(), options.seed);
        std::process::exit(1);
    }
    Ok(())
}

/// Plays rounds until the scenario's time is over. Until the deadline of all scenarios, each case is played at least
/// once.
fn play(
    field: &mut Field,
    scenario: &'static Scenario,
    rounds: std::ops::Range<u64>,
    until: Instant,
    deadline: Instant,
) -> report::Row {
    let mut row = report::Row::of(scenario);
    for round in rounds {
        let now = Instant::now();
        if round > 0 && (now >= deadline || now >= until && round >= scenario.cases || row.failures >= ENOUGH) {
            break;
        }
        field.begin(scenario.name, round);
        let ended = (scenario.round)(field);
        let ended = ended.and(field.sweep());
        row.add(field);
        if let Err(error) = ended {
            row.failures += 1;
            println!("FAILED {}, round {round}: {}\n{error:#}", scenario.name, field.steps());
            let attach =
                if field.attach == servers::ATTACH { String::new() } else { format!(" --attach={}", field.attach) };
            println!(
                "    again: cargo xtask chaos --seed={} --only={} --round={round}{attach}",
                field.seed, scenario.name
            );
        }
    }
    row
}
