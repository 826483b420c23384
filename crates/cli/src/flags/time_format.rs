//! The notation of times: `-t`, `-r`, `-T` and their long forms.

/// The time of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeFormat {
    /// `HH:MM:SS` in the local time zone.
    Time,
    /// Seconds since 1970.
    Unix,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Precision {
    Seconds,
    Millis,
    #[default]
    Micros,
    Nanos,
}

impl Precision {
    /// Digits after the decimal point.
    pub fn digits(self) -> u8 {
        match self {
            Precision::Seconds => 0,
            Precision::Millis => 3,
            Precision::Micros => 6,
            Precision::Nanos => 9,
        }
    }
}
