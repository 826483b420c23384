//! The range of the figures of a run's recordings.

/// The lowest and the highest of a figure among the recordings of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range<T> {
    pub lowest: T,
    pub highest: T,
}

impl<T: Copy + PartialOrd> Range<T> {
    pub fn of(values: impl Iterator<Item = T>) -> Option<Range<T>> {
        values.fold(None, |range, value| {
            let Some(Range { lowest, highest }) = range else { return Some(Range { lowest: value, highest: value }) };
            Some(Range {
                lowest: if value < lowest { value } else { lowest },
                highest: if value > highest { value } else { highest },
            })
        })
    }

    pub fn is_single(&self) -> bool {
        self.lowest == self.highest
    }

    /// True if the ranges overlap: some value lies in both.
    pub fn meets(&self, other: &Range<T>) -> bool {
        self.lowest <= other.highest && other.lowest <= self.highest
    }
}

impl Range<u64> {
    /// The distance between the ranges. 0 if they meet.
    pub fn gap(&self, other: &Range<u64>) -> u64 {
        self.lowest.saturating_sub(other.highest).max(other.lowest.saturating_sub(self.highest))
    }
}
