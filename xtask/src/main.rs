//! Development tasks: `cargo xtask <task>`.

mod bench;
mod chaos;
mod check;
mod docs;
mod kernels;
mod predictions;
mod size;
mod uapi;
mod verified;

use std::process::Command;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["agree", ref args @ ..] => agree(args),
        ["bench", stride] => bench::run(stride, false),
        ["bench", stride, "--real-time"] => bench::run(stride, true),
        ["bench", stride, "all"] => bench::run_all(stride),
        ["bench", stride, "crowd"] => bench::run_crowd(stride),
        ["bench", stride, "memory", millions] => bench::run_memory(stride, millions),
        ["bench", stride, "replay"] => bench::run_replay(stride),
        ["bench", stride, word] => bench::run_some(stride, word, false),
        ["bench", stride, word, "--real-time"] => bench::run_some(stride, word, true),
        ["chaos", ref args @ ..] => chaos::run(args),
        ["check"] => check::run(),
        ["uapi"] => uapi::run(uapi::Mode::Write),
        ["uapi", "--check"] => uapi::run(uapi::Mode::Check),
        ["docs"] => docs::run(),
        ["kernels"] => kernels::run(),
        ["predictions", stride] => predictions::run(stride),
        ["size", program] => size::run(program),
        ["suite-repeat", ref args @ ..] => chaos::repeat(args),
        ["verified"] => verified::run(None),
        ["verified", log] => verified::run(Some(log)),
        _ => anyhow::bail!(
            "usage: cargo xtask agree --tracer=COMMAND --tracer=COMMAND... [--calls=N] [--seed=N] [--only=NAME] [--examples=N] | bench STRIDE [--real-time | all | crowd | memory MILLIONS | replay | WORD-OF-A-TITLE [--real-time]] | chaos [SECONDS] [--seed=N] [--only=NAME] | check | docs | kernels | predictions STRIDE | size PROGRAM | suite-repeat N [--busy] | uapi [--check] | verified [LOG-OF-TEST-KERNELS]"
        ),
    }
}

/// Compares tracers by random calls. That program is built on its own, because it needs the description of the calls, which `uapi` makes.
fn agree(args: &[&str]) -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--release", "--package=stride-agree", "--"])
        .args(args)
        .status()?;
    anyhow::ensure!(status.success(), "the tracers do not agree");
    Ok(())
}
