//! What a change has saved, beside what the findings had predicted.

use super::text;
use crate::spelling::wrap::wrapped;
use stride_advise::{Finding, Findings, Saving, Trial};
use stride_event::Ns;
use stride_event::quantity::{duration, percent};

/// The wall times of runs without tracing, as medians.
#[derive(Clone, Copy, Debug)]
pub struct Verified {
    /// The traced command.
    pub before: Ns,
    /// The command after the change.
    pub after: Ns,
    /// So often each of the two ran.
    pub rounds: usize,
}

impl Verified {
    /// `saved 548 ms (84%)`, or `took 10.0 ms more (2%)`.
    fn outcome(&self) -> String {
        let part = |of: Ns| percent(of, self.before);
        match self.before.checked_sub(self.after) {
            Some(saved) => format!("saved {} ({})", duration(saved), part(saved)),
            None => {
                let more = self.after - self.before;
                format!("took {} more ({})", duration(more), part(more))
            }
        }
    }
}

/// Runs both commands. An error says which one could not be compared, and why.
pub type Verify = Box<dyn FnOnce() -> Result<Verified, String>>;

/// Runs the traced command as it is and with a change, likewise.
pub type Try = Box<dyn FnMut(&Trial) -> Result<Verified, String>>;

/// The end of the report: a line for each change that can be tried without touching the program.
pub fn tried(mut attempt: Try, findings: &Findings) -> String {
    let mut trials: Vec<(Trial, Vec<&Finding>)> = Vec::new();
    for finding in findings.reported.iter().chain(&findings.minor) {
        let Some(trial) = finding.trial else { continue };
        match trials.iter_mut().find(|(known, _)| *known == trial) {
            Some((_, of)) => of.push(finding),
            None => trials.push((trial, vec![finding])),
        }
    }
    if trials.is_empty() {
        return "\nNothing was tried: no finding has a change that needs neither the program nor its files.\n".into();
    }
    let mut out = String::from("\nTried without touching the program and without tracing, medians of runs in turn:\n");
    for (trial, of) in trials {
        let mut ids: Vec<&str> = of.iter().map(|finding| finding.id).collect();
        ids.dedup();
        let told = match attempt(&trial) {
            Ok(verified) => format!(
                "{} with it, {} without: it {}",
                duration(verified.after),
                duration(verified.before),
                verified.outcome()
            ),
            Err(why) => format!("not tried, because {why}"),
        };
        wrapped(&format!("   {trial}  [{}]: {told}", ids.join(", ")), "      ", &mut out);
    }
    out
}

/// The end of the report. `traced` is the time of the traced run, above which no saving goes.
pub fn lines(verified: Result<Verified, String>, findings: &Findings, traced: Ns) -> String {
    let verified = match verified {
        Ok(verified) => verified,
        Err(why) => return format!("\n{}\n", text::sentence(&format!("nothing was verified: {why}"))),
    };
    let Verified { before, after, rounds } = verified;
    let sum =
        |of: fn(&Saving) -> Ns| findings.reported.iter().map(|finding| of(&finding.saving)).sum::<Ns>().min(traced);
    let predicted = text::between(sum(|saving| saving.time), sum(|saving| saving.up_to));
    let prediction = match findings.reported.len() {
        0 => "No finding had predicted that.".into(),
        _ => format!(
            "All findings together predicted {} of the traced run's {}.",
            predicted.unwrap_or_else(|| "nothing".into()),
            duration(traced)
        ),
    };
    format!(
        "\nVerified without tracing, medians of {rounds} runs each, in turn:\n   \
         before   {}\n   after    {}\n   \
         The change {}. {prediction}\n",
        duration(before),
        duration(after),
        verified.outcome(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Ns = 1_000_000;

    #[test]
    fn each_trial_has_a_line() {
        let trial = Trial::Environment(&[("TZ", ":/etc/localtime"), ("A", "1")]);
        let finding = |trial| Finding { id: "facts", trial, ..Finding::default() };
        let reported = vec![finding(Some(trial)), finding(Some(Trial::Buffered)), finding(None)];
        let findings = Findings { reported, minor: vec![finding(Some(trial))], ..Findings::default() };
        let attempt: Try = Box::new(|trial| match trial {
            Trial::Buffered => Err("the command with it ended with status 1".into()),
            _ => Ok(Verified { before: 100 * MS, after: 25 * MS, rounds: 3 }),
        });
        let told = tried(attempt, &findings).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("TZ=:/etc/localtime A=1 [facts]: 25.0 ms with it, 100 ms without: it saved 75.0 ms (75%)"),
            "{told}"
        );
        assert!(told.contains("stdbuf -o65536 [facts]: not tried, because the command with it ended"), "{told}");
        let none = tried(Box::new(|_| panic!()), &Findings::default());
        assert!(none.contains("Nothing was tried"), "{none}");
    }

    #[test]
    fn a_change_may_make_it_worse() {
        let told = |before, after| {
            lines(Ok(Verified { before, after, rounds: 3 }), &Findings::default(), 10 * MS).replace('\n', " ")
        };
        assert!(told(400 * MS, 100 * MS).contains("The change saved 300 ms (75%)"));
        assert!(told(100 * MS, 150 * MS).contains("The change took 50.0 ms more (50%)"));
        let failed = lines(Err("the change's command ended with status 1".into()), &Findings::default(), MS);
        assert_eq!(failed, "\nNothing was verified: the change's command ended with status 1.\n");
    }
}
