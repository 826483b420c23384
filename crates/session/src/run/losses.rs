//! The messages at the end about lost calls, and about delays that prevented losses.

use crate::options::Options;
use crate::outputs::Outputs;
use std::time::Duration;
use stride_engine_base::{Delayed, Engine};
use stride_event::Lost;
use stride_event::quantity::count;
use stride_filter::Quiet;

/// A total delay shorter than this is not worth a message.
const WORTH_TELLING: Duration = Duration::from_millis(1);

pub struct Losses {
    pub lost: Lost,
    delayed: Delayed,
}

impl Losses {
    pub fn of(engine: &dyn Engine) -> Losses {
        Losses { lost: engine.lost(), delayed: engine.delayed() }
    }

    pub fn report(&self, options: &Options, outputs: &Outputs) {
        if !self.lost.is_none() {
            // The advice is about recording, so a replay omits it.
            let message = self.loss_message();
            outputs.complain(if options.replay.is_some() {
                message.lines().next().unwrap_or_default()
            } else {
                &message
            });
        }
        if self.delayed.time >= WORTH_TELLING && !options.is_quiet(Quiet::Backpressure) {
            outputs.complain(&self.delay_message());
        }
    }

    fn loss_message(&self) -> String {
        // Backpressure does not delay the senders of signals, and the kernel side does not filter signals.
        let other = match (self.lost.calls + self.lost.threads, self.delayed.calls) {
            (0, _) => "",
            (_, 0) => ", fewer calls (-e trace=...), or --on-overflow=wait",
            _ => ", fewer calls (-e trace=...)",
        };
        format!("{}: they came faster than they could be read.\nTry a larger --ring-size{other}.", self.lost)
    }

    fn delay_message(&self) -> String {
        let aim =
            if self.lost.calls + self.lost.threads > 0 { "to lose no more calls" } else { "so that no call was lost" };
        format!(
            "{} delayed, {:.3} s in all, {aim} (see --on-overflow)",
            count(self.delayed.calls, "call was", "calls were"),
            self.delayed.time.as_secs_f64()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said() {
        let delayed = Delayed { calls: 1200, time: Duration::from_micros(34_400) };
        let losses = Losses { lost: Lost { calls: 1204, ..Lost::default() }, delayed: Delayed::default() };
        assert_eq!(
            losses.loss_message(),
            "1,204 calls were lost: they came faster than they could be read.\n\
             Try a larger --ring-size, fewer calls (-e trace=...), or --on-overflow=wait."
        );
        let losses = Losses { lost: Lost { signals: 1204, ..Lost::default() }, delayed: Delayed::default() };
        assert_eq!(
            losses.loss_message(),
            "1,204 signals were lost: they came faster than they could be read.\nTry a larger --ring-size."
        );
        let losses = Losses { lost: Lost { calls: 1, threads: 2, signals: 0 }, delayed };
        assert_eq!(
            losses.loss_message(),
            "1 call was lost, 2 starts or ends of a thread unseen: they came faster than they could be read.\n\
             Try a larger --ring-size, fewer calls (-e trace=...)."
        );
        let losses = Losses { lost: Lost::default(), delayed };
        assert_eq!(
            losses.delay_message(),
            "1,200 calls were delayed, 0.034 s in all, so that no call was lost (see --on-overflow)"
        );
    }
}
