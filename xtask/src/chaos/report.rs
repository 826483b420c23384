//! The table at the end.

use super::Scenario;
use super::field::Field;
use std::time::Duration;

pub struct Row {
    scenario: &'static Scenario,
    rounds: usize,
    pub failures: usize,
    worst: Option<(f64, String)>,
    skipped: Option<String>,
    /// Cases without a round, because the time was over.
    missed: u64,
}

impl Row {
    pub fn of(scenario: &'static Scenario) -> Row {
        Row { scenario, rounds: 0, failures: 0, worst: None, skipped: None, missed: 0 }
    }

    pub fn skipped(scenario: &'static Scenario, why: String) -> Row {
        Row { skipped: Some(why), ..Row::of(scenario) }
    }

    /// Counts the cases that no round has reached. Rounds take the cases in turn.
    pub fn end(&mut self) {
        self.missed = self.scenario.cases.saturating_sub(self.rounds as u64);
    }

    /// Adds the figures of the round that has just ended.
    pub fn add(&mut self, field: &Field) {
        self.rounds += 1;
        for (value, text) in field.figures() {
            if self.worst.as_ref().is_none_or(|(worst, _)| value > *worst) {
                self.worst = Some((value, text));
            }
        }
    }
}

pub fn table(rows: &[Row], took: Duration) {
    println!(
        "\n{:<10} {:>6} {:>10} {:>8}  {:<52} what must hold",
        "scenario", "rounds", "cases", "failures", "the worst figure"
    );
    for row in rows {
        let worst = match (&row.skipped, &row.worst) {
            (Some(why), _) => format!("skipped: {why}"),
            (None, Some((_, text))) => text.clone(),
            (None, None) => "-".to_owned(),
        };
        let Scenario { name, about, cases, .. } = row.scenario;
        let cases = if row.missed > 0 { format!("{} of {cases}", cases - row.missed) } else { cases.to_string() };
        println!("{name:<10} {:>6} {cases:>10} {:>8}  {worst:<52} {about}", row.rounds, row.failures);
    }
    let missed: Vec<&Row> = rows.iter().filter(|row| row.missed > 0).collect();
    if !missed.is_empty() {
        let cases: u64 = missed.iter().map(|row| row.missed).sum();
        println!(
            "{cases} cases of {} scenarios were not played: the time was over (give more SECONDS, or --only=NAME), or {} rounds had failed",
            missed.len(),
            super::ENOUGH
        );
    }
    println!("{} s", took.as_secs());
}
