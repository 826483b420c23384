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
    /// At least and at most.
    predicted: (f64, f64),
}

impl Row {
    fn saved(&self) -> f64 {
        self.before - self.after
    }

    /// Programs that stop until they are killed have no time that a change could save.
    fn is_judged(&self) -> bool {
        self.saved() >= LEAST && self.finding != "hang"
    }

    /// The predicted saving, or the nearer end of its range, as a multiple of the measured one.
    fn ratio(&self) -> f64 {
        let (least, most) = self.predicted;
        self.saved().clamp(least, most) / self.saved()
    }
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
        predicted: predicted(&words).unwrap_or_default(),
    })
}

/// `All findings together predicted 12.0 to 45.0 ms of the traced run's 2.25 s.`
fn predicted(words: &str) -> Option<(f64, f64)> {
    let told = words.rsplit_once("together predicted ")?.1.split_once(" of the traced run")?.0;
    let words: Vec<&str> = told.split(' ').collect();
    match words[..] {
        ["up", "to", number, unit] => Some((0.0, seconds(number, unit)?)),
        [least, "to", most, unit] => Some((seconds(least, unit)?, seconds(most, unit)?)),
        [least, one, "to", most, other] => Some((seconds(least, one)?, seconds(most, other)?)),
        [number, unit] => seconds(number, unit).map(|time| (time, time)),
        _ => None,
    }
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
    let judged: Vec<_> = rows.iter().filter(|row| row.is_judged()).collect();
    let near = judged.iter().filter(|row| (1.0 / NEAR..=NEAR).contains(&row.ratio()));
    let mut out = format!(
        "<!-- Written by `cargo xtask predictions STRIDE`. -->\n# Predicted and measured\n\n\
         `stride --verify` on each program of `tests/advise/` that wastes calls or time, with its corrected twin as the change: the times without tracing, what the change saved, and what all \
         findings together had predicted, in milliseconds.\n\n\
         {} programs have a twin that saves 10 ms or more. For {} of them, the prediction is within a factor of {NEAR} of that. A prediction may be a range, and then its nearer end counts. Predictions count the \
         time of calls, which is longer while they are traced, and they leave out what calls cost besides, such as cold caches. Programs that hang are not judged: they run until they are killed.\n\n\
         | program | first finding | before | after | saved | predicted | ratio |\n|---|---|--:|--:|--:|--:|--:|\n",
        judged.len(),
        near.count(),
    );
    for row in rows {
        let ratio = if row.is_judged() { format!("{:.2}", row.ratio()) } else { String::new() };
        let Row { program, finding, before, after, predicted: (least, most) } = row;
        let [before, after, saved, least, most] =
            [*before, *after, row.saved(), *least, *most].map(|seconds| seconds * 1e3);
        let predicted = if least == most { format!("{most:.1}") } else { format!("{least:.1} to {most:.1}") };
        writeln!(out, "| {program} | `{finding}` | {before:.1} | {after:.1} | {saved:.1} | {predicted} | {ratio} |")?;
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
        assert_eq!(row.predicted, (0.385, 0.385));
        let range =
            |told: &str| predicted(&format!("All findings together predicted {told} of the traced run's 2.25 s."));
        assert_eq!(range("up to 45.0 ms"), Some((0.0, 0.045)));
        assert_eq!(range("12.0 to 45.0 ms"), Some((0.012, 0.045)));
        assert_eq!(range("12.0 ms to 1.50 s"), Some((0.012, 1.5)));
        assert_eq!(range("nothing"), None);
        let row = |saved: f64| Row {
            before: 1.0,
            after: 1.0 - saved,
            predicted: (0.1, 0.2),
            finding: String::new(),
            program: String::new(),
        };
        assert_eq!(row(0.15).ratio(), 1.0);
        assert!((row(0.05).ratio() - 2.0).abs() < 1e-9 && (row(0.4).ratio() - 0.5).abs() < 1e-9);
        assert!(told("Nothing was verified: why.", "x".into()).is_none());
    }
}
