//! What a change has saved, beside what the findings had predicted.

use super::text;
use stride_advise::{Findings, Saving};
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

/// Runs both commands. An error says which one could not be compared, and why.
pub type Verify = Box<dyn FnOnce() -> Result<Verified, String>>;

/// The end of the report. `traced` is the time of the traced run, above which no saving goes.
pub fn lines(verified: Result<Verified, String>, findings: &Findings, traced: Ns) -> String {
    let Verified { before, after, rounds } = match verified {
        Ok(verified) => verified,
        Err(why) => return format!("\n{}\n", text::sentence(&format!("nothing was verified: {why}"))),
    };
    let sum =
        |of: fn(&Saving) -> Ns| findings.reported.iter().map(|finding| of(&finding.saving)).sum::<Ns>().min(traced);
    let predicted = text::between(sum(|saving| saving.time), sum(|saving| saving.up_to));
    let part = |of: Ns| percent(of, before);
    let saved = match before.checked_sub(after) {
        Some(saved) => format!("saved {} ({})", duration(saved), part(saved)),
        None => format!("took {} more ({})", duration(after - before), part(after - before)),
    };
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
         The change {saved}. {prediction}\n",
        duration(before),
        duration(after),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Ns = 1_000_000;

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
