//! Which rows of a column have a value.

use crate::hybrid;
use std::ops::Range;

/// Most columns have a value in each row or in none. These keep no list.
#[derive(Default)]
pub struct Presence {
    /// The rows with a value.
    present: usize,
    /// 1 for each row that has a value, else 0: Parquet's definition levels, up to the last value. Empty as long as no row before a value is without one.
    levels: Vec<i16>,
}

impl Presence {
    /// The row has a value, those between it and the last such row have none.
    #[inline]
    pub fn note(&mut self, row: usize) {
        if self.levels.is_empty() && self.present == row {
            self.present += 1;
        } else {
            self.note_behind_gap(row);
        }
    }

    fn note_behind_gap(&mut self, row: usize) {
        if self.levels.is_empty() {
            self.levels.resize(self.present, 1);
        }
        self.levels.resize(row, 0);
        self.levels.push(1);
        self.present += 1;
    }

    /// The rows with a value.
    pub fn count(&self) -> usize {
        self.present
    }

    /// True if this row has a value.
    pub fn has(&self, row: usize) -> bool {
        if self.levels.is_empty() { row < self.present } else { self.levels.get(row).is_some_and(|&level| level > 0) }
    }

    /// The rows of the range with a value.
    pub fn count_in(&self, rows: Range<usize>) -> usize {
        match self.alike(&rows) {
            Some(is_present) => rows.len() * usize::from(is_present),
            None => rows.filter(|&row| self.has(row)).count(),
        }
    }

    /// Whether the rows of the range have a value, if that is known to be the same for all.
    fn alike(&self, rows: &Range<usize>) -> Option<bool> {
        match self.levels.is_empty() {
            true if self.present >= rows.end => Some(true),
            true if self.present <= rows.start => Some(false),
            _ => None,
        }
    }

    /// The levels of all rows.
    pub fn levels(&mut self, rows: usize) -> &[i16] {
        if self.levels.is_empty() {
            self.levels.resize(self.present, 1);
        }
        self.levels.resize(rows, 0);
        &self.levels
    }

    /// Appends the levels of these rows, as a page has them.
    pub fn put(&self, out: &mut Vec<u8>, rows: Range<usize>) {
        let from = out.len();
        out.extend_from_slice(&[0; 4]);
        match self.alike(&rows) {
            Some(is_present) => hybrid::put_run(out, rows.len(), is_present.into(), 1),
            None => hybrid::put(out, &rows.map(|row| self.has(row).into()).collect::<Vec<u32>>(), 1),
        }
        let len = (out.len() - from - 4) as u32;
        out[from..from + 4].copy_from_slice(&len.to_le_bytes());
    }

    /// The memory that the list takes.
    pub fn size(&self) -> usize {
        size_of_val(&self.levels[..])
    }

    pub fn clear(&mut self) {
        self.present = 0;
        self.levels.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_kept_only_where_rows_differ() {
        const LISTS: [(&[bool], usize); 6] = [
            (&[], 0),
            (&[true, true], 0),
            (&[false, false, false], 0),
            (&[true, true, false], 0),
            (&[true, false, true, false], 3),
            (&[false, true], 2),
        ];
        for (rows, kept) in LISTS {
            let mut presence = Presence::default();
            (0..rows.len()).filter(|&row| rows[row]).for_each(|row| presence.note(row));
            assert_eq!(presence.levels.len(), kept, "{rows:?}");
            assert_eq!(presence.count(), rows.iter().filter(|row| **row).count());
            for from in 0..=rows.len() {
                let part = &rows[from..];
                assert_eq!(presence.count_in(from..rows.len()), part.iter().filter(|row| **row).count(), "{rows:?}");
                let (mut put, mut expected) = (Vec::new(), vec![0; 4]);
                presence.put(&mut put, from..rows.len());
                hybrid::put(&mut expected, &part.iter().map(|&row| row.into()).collect::<Vec<u32>>(), 1);
                assert_eq!(put[..4], (put.len() as u32 - 4).to_le_bytes());
                assert!(put[4..] == expected[4..] || presence.alike(&(from..rows.len())).is_some());
            }
            assert_eq!(presence.levels(rows.len()), rows.iter().map(|&row| i16::from(row)).collect::<Vec<_>>());
        }
    }
}
