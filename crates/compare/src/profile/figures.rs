//! The figures that are added up for calls.

use crate::profile::range::Range;
use stride_event::{Call, LibraryCall, Ns, Outcome};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    pub calls: u64,
    pub errors: u64,
    /// Bytes moved through descriptors.
    pub bytes: u64,
    /// Time from entry to return.
    pub time: Ns,
    /// The sum of the squares of the times, for the variance.
    squares: f64,
}

impl Figures {
    /// The figures of one call. None if the call did not return.
    pub fn of(call: &Call, bytes: Option<u64>) -> Option<Figures> {
        let errors = match call.outcome {
            Outcome::Value(_) => 0,
            Outcome::Error(_) => 1,
            Outcome::Pending | Outcome::Gone => return None,
        };
        let time = call.took().unwrap_or(0);
        Some(Figures { calls: 1, errors, bytes: bytes.unwrap_or(0), time, squares: (time as f64).powi(2) })
    }

    /// The figures of an operation of io_uring. If it has several completions, it counts with the last one.
    pub fn of_operation(call: &LibraryCall) -> Figures {
        let is_counted = u64::from(call.is_counted_here());
        let time = call.duration().unwrap_or(0) * is_counted;
        Figures {
            calls: is_counted,
            errors: is_counted * u64::from(call.error().is_some()),
            bytes: call.moved().unwrap_or(0),
            time,
            squares: (time as f64).powi(2),
        }
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

    /// The square of how far the mean may be off. A few calls say little about their variance. Their standard deviation
    /// is therefore assumed to be at least a quarter of the mean, and more if there are very few calls.
    pub fn uncertainty(&self) -> f64 {
        let n = self.calls.max(1) as f64;
        let mean = self.mean_time();
        let variance = self.squares / n - mean * mean;
        variance.max(mean * mean * (1.0 / 16.0_f64).max(1.0 / n)) / n
    }

    /// The mean number of bytes of the calls that did not fail. None if no call succeeded.
    pub fn mean_bytes(&self) -> Option<f64> {
        let moved = self.calls - self.errors;
        (moved > 0).then(|| self.bytes as f64 / moved as f64)
    }
}

/// The figures of a row that is compared: a syscall's or an object's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    pub figures: Figures,
    /// Calls whose number depends on how fast other threads and processes happen to be.
    pub wavering: u64,
    /// Between which figures the recordings of the run differ, if there are several.
    pub spread: Option<Spread>,
}

impl Row {
    pub fn add(&mut self, figures: &Figures, wavers: bool) {
        self.figures.add(figures);
        self.wavering += if wavers { figures.calls } else { 0 };
    }

    pub fn spread(&self) -> Spread {
        self.spread.unwrap_or_else(|| Spread::of(std::iter::once(&self.figures)))
    }
}

/// The ranges of the figures that are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub calls: Range<u64>,
    pub errors: Range<u64>,
    pub bytes: Range<u64>,
    pub mean_time: Range<f64>,
}

impl Spread {
    /// The spread of one recording, or of several.
    pub fn of<'f>(figures: impl Iterator<Item = &'f Figures> + Clone) -> Spread {
        Spread {
            calls: Range::of(figures.clone().map(|f| f.calls)).unwrap_or_default(),
            errors: Range::of(figures.clone().map(|f| f.errors)).unwrap_or_default(),
            bytes: Range::of(figures.clone().map(|f| f.bytes)).unwrap_or_default(),
            mean_time: Range::of(figures.map(Figures::mean_time)).unwrap_or_default(),
        }
    }
}
