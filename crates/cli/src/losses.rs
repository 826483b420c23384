//! What to say at the end of what was lost, and of what it took not to lose it.

use crate::engine::Engine;
use crate::flags::Options;
use crate::outputs::Outputs;
use stride_engine_ebpf::Held;
use stride_filter::Quiet;
use stride_output::grouped;

pub struct Losses {
    pub calls: u64,
    /// Threads that came or went unseen.
    pub threads: u64,
    held: Held,
}

impl Losses {
    pub fn of(engine: &Engine) -> Losses {
        let (calls, threads) = engine.lost();
        Losses { calls, threads, held: engine.held() }
    }

    pub fn tell(&self, options: &Options, outputs: &Outputs) {
        if self.calls > 0 || self.threads > 0 {
            // What helps is to be tried when it is recorded.
            let told = self.lost();
            outputs.complain(if options.replay.is_some() { told.lines().next().unwrap_or_default() } else { &told });
        }
        if self.held.times > 0 && !options.is_quiet(Quiet::Held) {
            outputs.complain(&self.told_held());
        }
    }

    fn lost(&self) -> String {
        let mut what = Vec::new();
        if self.calls > 0 {
            what.push(format!("{} lost", count(self.calls, "call was", "calls were")));
        }
        if self.threads > 0 {
            what.push(format!("{} of a thread unseen", count(self.threads, "start or end", "starts or ends")));
        }
        let mut text = format!("{}: they came faster than they could be read.", what.join(", "));
        if self.held.refused > 0 {
            text += "\nNot every thread could be held: some have another tracer, or belong to someone else.";
        }
        // With neither held nor refused, nobody tried.
        let wait = if self.held == Held::default() { ", or --on-overflow=wait" } else { "" };
        text + &format!("\nTry a larger --ring-size, fewer calls (-e trace=...){wait}.")
    }

    fn told_held(&self) -> String {
        let aim = if self.calls + self.threads > 0 { "to lose no more calls" } else { "so that no call was lost" };
        format!(
            "tracees were held {}, {:.3} s in all, {aim} (see --on-overflow)",
            count(self.held.times, "time", "times"),
            self.held.time.as_secs_f64()
        )
    }
}

fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_is_said() {
        let held = |times, refused| Held { times, time: Duration::from_micros(34_400), refused };
        let losses = Losses { calls: 1204, threads: 0, held: Held::default() };
        assert_eq!(
            losses.lost(),
            "1,204 calls were lost: they came faster than they could be read.\n\
             Try a larger --ring-size, fewer calls (-e trace=...), or --on-overflow=wait."
        );
        let losses = Losses { calls: 1, threads: 2, held: held(0, 1) };
        assert_eq!(
            losses.lost(),
            "1 call was lost, 2 starts or ends of a thread unseen: they came faster than they could be read.\n\
             Not every thread could be held: some have another tracer, or belong to someone else.\n\
             Try a larger --ring-size, fewer calls (-e trace=...)."
        );
        let losses = Losses { calls: 0, threads: 0, held: held(12, 0) };
        assert_eq!(
            losses.told_held(),
            "tracees were held 12 times, 0.034 s in all, so that no call was lost (see --on-overflow)"
        );
    }
}
