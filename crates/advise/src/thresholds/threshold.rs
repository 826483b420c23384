//! The numbers that make a pattern a pattern. Each stands in the file of its rule, with its unit and a sentence, and
//! `--advise-config` can set it.

use std::collections::HashMap;
use std::sync::OnceLock;
use stride_event::Ns;

/// A number that decides whether a rule reports something.
#[derive(Debug)]
pub struct Threshold {
    /// Unique among all rules.
    pub name: &'static str,
    pub unit: Measure,
    pub default: f64,
    /// The meaning of the threshold: a clause without a full stop.
    pub means: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    Count,
    Bytes,
    /// Nanoseconds. In the file, a string such as "100ms".
    Time,
    /// A part or a multiple.
    Part,
}

/// The values of `--advise-config`, by name. They are set once, before the first event, and never after that.
static CHOSEN: OnceLock<HashMap<&'static str, f64>> = OnceLock::new();

/// Sets thresholds for the whole process. Only the first call has an effect.
pub fn choose(values: HashMap<&'static str, f64>) {
    let _ = CHOSEN.set(values);
}

impl Threshold {
    pub const fn count(name: &'static str, default: u64, means: &'static str) -> Threshold {
        Threshold { name, unit: Measure::Count, default: default as f64, means }
    }

    pub const fn bytes(name: &'static str, default: u64, means: &'static str) -> Threshold {
        Threshold { name, unit: Measure::Bytes, default: default as f64, means }
    }

    pub const fn time(name: &'static str, default: Ns, means: &'static str) -> Threshold {
        Threshold { name, unit: Measure::Time, default: default as f64, means }
    }

    pub const fn part(name: &'static str, default: f64, means: &'static str) -> Threshold {
        Threshold { name, unit: Measure::Part, default, means }
    }

    fn value(&self) -> f64 {
        CHOSEN.get().and_then(|chosen| chosen.get(self.name)).copied().unwrap_or(self.default)
    }

    /// A count, a number of bytes, or nanoseconds.
    pub fn get(&self) -> u64 {
        self.value() as u64
    }

    /// A part or a multiple.
    pub fn ratio(&self) -> f64 {
        self.value()
    }
}
