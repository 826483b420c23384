//! What the advice predicts for each program of `tests/advise/`, and what the corrected program saves: writes docs/predictions.md.

use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Changes that save less are not judged: other programs of the machine change times by as much.
const LEAST: f64 = 0.010;
/// A prediction is near if it is within this factor of what was saved.
const NEAR: f64 = 1.5;

/// What `--verify` said of a program.
struct Row {
    program: String,
    finding: String,
    before: f64,
    after: f64,
    predicted: f64,
}

pub fn run(stride: &str) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the repository")?;
    let stride = fs::canonicalize(stride).with_context(|| format!("{stride} is to be a build of Stride"))?;
    let mut sources: Vec<_> = fs::read_dir(root.join("tests/advise"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    sources.sort();
    let mut rows = Vec::new();
    for source in &sources {
        let finds = fs::read_to_string(source)?;
        let finds = finds.lines().next().and_then(|line| line.strip_prefix("// finds:")).unwrap_or_default().trim();
        if finds.is_empty() {
            continue;
        }
        let program = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        eprintln!("{program}");
        rows.extend(row(&stride, source, program)?);
    }
    ensure!(!rows.is_empty(), "no program of tests/advise could be verified");
    fs::write(root.join("docs/predictions.md"), page(&rows)?)?;
    Ok(())
}

/// None if the program cannot run here, or nothing could be compared.
fn row(stride: &Path, source: &Path, program: String) -> Result<Option<Row>> {
    let directory = std::env::temp_dir().join(format!("stride-predictions-{}", std::process::id()));
    fs::create_dir_all(&directory)?;
    let (binary, advice) = (directory.join("program"), directory.join("advice"));
    let built = Command::new("cc").args(["-g", "-O1", "-w", "-pthread", "-o"]).arg(&binary).arg(source).status();
    ensure!(built.context("running cc, the C compiler")?.success(), "{} could not be compiled", source.display());
    let here = directory.join("here");
    fs::create_dir_all(&here)?;
    // Each run finds an empty directory.
    let mut command = Command::new(stride);
    command.args([
        "-f",
        "--verify=rm -rf ./*; ../program corrected",
        "-o",
        "../advice",
        "sh",
        "-c",
        "rm -rf ./*; ../program",
    ]);
    command.current_dir(&here).output()?;
    let text = fs::read_to_string(&advice).unwrap_or_default();
    fs::remove_dir_all(&directory)?;
    Ok(told(&text, program))
}

/// The numbers of a report.
fn told(text: &str, program: String) -> Option<Row> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let behind = |what: &str| {
        let mut rest = words.rsplit_once(what)?.1.split_whitespace();
        seconds(rest.next()?, rest.next()?)
    };
    let finding = words.split_once('[').and_then(|(_, rest)| rest.split_once("]:")).map_or("none", |(id, _)| id);
    Some(Row {
        program,
        finding: finding.to_owned(),
        before: behind("in turn: before ")?,
        after: behind(" after ")?,
        predicted: behind("together predicted ").unwrap_or(0.0),
    })
}

fn seconds(number: &str, unit: &str) -> Option<f64> {
    let scale = match unit.trim_end_matches(['.', ',']) {
        "s" => 1.0,
        "ms" => 1e-3,
        "µs" => 1e-6,
        "ns" => 1e-9,
        _ => return None,
    };
    Some(number.replace(',', "").parse::<f64>().ok()? * scale)
}

fn page(rows: &[Row]) -> Result<String> {
    let judged: Vec<_> = rows.iter().filter(|row| row.before - row.after >= LEAST).collect();
    let near = judged.iter().filter(|row| {
        let ratio = row.predicted / (row.before - row.after);
        (1.0 / NEAR..=NEAR).contains(&ratio)
    });
    let mut out = format!(
        "<!-- Written by `cargo xtask predictions STRIDE`. -->\n# Predicted and measured\n\n\
         `stride --verify` on each program of `tests/advise/` that wastes calls or time, with its corrected twin as the change: the times without tracing, what the change saved, and what all \
         findings together had predicted, in milliseconds.\n\n\
         Of {} programs whose twin saves 10 ms or more, {} have a prediction within a factor of {NEAR} of that. Predictions count the time of calls, which is longer while \
         they are traced, and they leave out what calls cost besides, such as cold caches. Findings that only name a danger or a place, such as hangs, predict nothing, and count as 0.\n\n\
         | program | first finding | before | after | saved | predicted | ratio |\n|---|---|--:|--:|--:|--:|--:|\n",
        judged.len(),
        near.count(),
    );
    for row in rows {
        let saved = row.before - row.after;
        let ratio = if saved >= LEAST { format!("{:.2}", row.predicted / saved) } else { String::new() };
        let Row { program, finding, before, after, predicted } = row;
        let [before, after, saved, predicted] = [before, after, &saved, predicted].map(|seconds| seconds * 1e3);
        writeln!(
            out,
            "| {program} | `{finding}` | {before:.1} | {after:.1} | {saved:.1} | {predicted:.1} | {ratio} |"
        )?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_report() {
        let text = "1. stat storm [stat-storm]: /tmp was checked.\n\nVerified without tracing, medians of 3 runs each, in turn:\n   before   1.25 s\n   after    105 ms\n   \
                    The change saved 1.15 s (92%). All findings together predicted 385 ms of the traced run's 2.25 s.\n";
        let row = told(text, "x".into()).unwrap();
        assert_eq!((row.finding.as_str(), row.before, row.after), ("stat-storm", 1.25, 0.105));
        assert!((row.predicted - 0.385).abs() < 1e-9);
        assert!(told("Nothing was verified: why.", "x".into()).is_none());
    }
}
