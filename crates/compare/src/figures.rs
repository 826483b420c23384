//! What is added up of calls.

use stride_event::{Call, Ns, Outcome};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    pub calls: u64,
    pub errors: u64,
    /// Moved through descriptors.
    pub bytes: u64,
    /// From entry to return.
    pub time: Ns,
    /// The sum of the squares of the times: how much they vary.
    squares: f64,
}

impl Figures {
    /// Those of one call; none if it did not return.
    pub fn of(call: &Call, bytes: Option<u64>) -> Option<Figures> {
        let errors = match call.outcome {
            Outcome::Value(_) => 0,
            Outcome::Error(_) => 1,
            Outcome::Pending | Outcome::Gone => return None,
        };
        let time = call.returned.saturating_sub(call.entered);
        Some(Figures { calls: 1, errors, bytes: bytes.unwrap_or(0), time, squares: (time as f64).powi(2) })
    }

    pub fn add(&mut self, more: &Figures) {
        self.calls += more.calls;
        self.errors += more.errors;
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.time = self.time.saturating_add(more.time);
        self.squares += more.squares;
    }

    pub fn mean_time(&self) -> f64 {
        self.time as f64 / self.calls.max(1) as f64
    }

    /// How far the mean may be off, squared. Few calls say little of how much they vary: that they do by a quarter of the mean is
    /// taken for granted, and by more if there are next to none.
    pub fn uncertainty(&self) -> f64 {
        let n = self.calls.max(1) as f64;
        let mean = self.mean_time();
        let variance = self.squares / n - mean * mean;
        variance.max(mean * mean * (1.0 / 16.0_f64).max(1.0 / n)) / n
    }

    /// Bytes that a call moved that did not fail; none if there was none.
    pub fn mean_bytes(&self) -> Option<f64> {
        let moved = self.calls - self.errors;
        (moved > 0).then(|| self.bytes as f64 / moved as f64)
    }
}

/// The figures of a row that is compared: a syscall's or an object's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    pub figures: Figures,
    /// Calls of which there are now more, now fewer, as others happen to be faster or slower.
    pub wavering: u64,
}

impl Row {
    pub fn add(&mut self, figures: &Figures, wavers: bool) {
        self.figures.add(figures);
        self.wavering += if wavers { figures.calls } else { 0 };
    }
}
