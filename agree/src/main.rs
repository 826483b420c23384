//! Compares what tracers show of random calls: `cargo xtask agree`.

use anyhow::{Result, bail};
use stride_agree::{Options, Tracer, compare};

const USAGE: &str =
    "usage: agree --tracer=COMMAND --tracer=COMMAND... [--calls=N] [--seed=N] [--only=NAME] [--examples=N]";

/// The options, and the number of examples that are printed for each group.
fn options() -> Result<(Options, usize)> {
    let mut options = Options { calls: 20_000, seed: fastrand::u64(..), only: None, tracers: Vec::new() };
    let mut examples = 2;
    for arg in std::env::args().skip(1) {
        let Some((name, value)) = arg.split_once('=') else { bail!("{arg}: {USAGE}") };
        match name {
            "--calls" => options.calls = value.parse()?,
            "--seed" => options.seed = value.parse()?,
            "--only" => options.only = Some(value.to_owned()),
            "--examples" => examples = value.parse()?,
            "--tracer" => {
                let Some(tracer) = Tracer::new(options.tracers.len(), value) else {
                    bail!("--tracer= needs a command")
                };
                options.tracers.push(tracer);
            }
            _ => bail!("{arg}: {USAGE}"),
        }
    }
    if options.tracers.len() < 2 {
        bail!("two tracers are needed: {USAGE}");
    }
    Ok((options, examples))
}

fn main() -> Result<()> {
    let (options, examples) = options()?;
    println!("seed {}", options.seed);
    let differences = compare(&options)?;
    print!("{}", differences.told(examples));
    if differences.unexplained() > 0 {
        bail!("tracers differ, as told above");
    }
    Ok(())
}
