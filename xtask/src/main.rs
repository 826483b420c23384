//! Development tasks: `cargo xtask <task>`.

mod bench;
mod check;
mod docs;
mod uapi;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["bench", stride] => bench::run(stride),
        ["check"] => check::run(),
        ["uapi"] => uapi::run(uapi::Mode::Write),
        ["uapi", "--check"] => uapi::run(uapi::Mode::Check),
        ["docs"] => docs::run(),
        _ => anyhow::bail!("usage: cargo xtask bench STRIDE | check | docs | uapi [--check]"),
    }
}
