//! The rows of a table that are not handed to the writer yet.

use crate::row_group::{RowGroup, TableRow, WrittenTable};
use crate::tables;
use crate::writer::{Failed, FileWriter};
use std::marker::PhantomData;

/// The rows of a row group, and the memory that they may take. Readers share work out by row groups, so there should be
/// several in a file; but names that come again in a row group are read once, so large ones are read faster. And when
/// the trace ends, the last group is still to be written.
const GROUP_ROWS: usize = 1 << 18;
const GROUP_SIZE: usize = if cfg!(test) { 1 << 20 } else { 128 << 20 };
/// The days for which a table has directories. The clock of a hostile recording may jump with each call.
const MOST_DAYS: u32 = if cfg!(test) { 20 } else { 1000 };

pub struct TableRows<T> {
    /// The place in [`crate::tables::ALL`].
    number: usize,
    rows: RowGroup,
    /// The day of the rows, counted from 1970 on.
    day: i64,
    days: u32,
    of: PhantomData<T>,
}

impl<T: WrittenTable> TableRows<T> {
    /// `day`: when the trace began.
    pub fn new(day: i64) -> TableRows<T> {
        let number = tables::ALL.iter().position(|table| table.name == T::COLUMNS.name).unwrap_or_default();
        TableRows { number, rows: RowGroup::new(&T::COLUMNS), day, days: 1, of: PhantomData }
    }

    pub fn add(&mut self, row: impl TableRow<Table = T>) {
        self.rows.add(row);
    }

    /// The rows from here on are of this day. Days do not go back.
    pub fn day(&mut self, day: i64, writer: &mut FileWriter) -> Result<(), Failed> {
        if day > self.day && self.days < MOST_DAYS {
            if self.rows.count() > 0 {
                writer.write(self.number, self.day, &mut self.rows, false)?;
            }
            self.day = day;
            self.days += 1;
        }
        Ok(())
    }

    /// Hands the rows to the writer if there are enough of them.
    pub fn write_if_due(&mut self, writer: &mut FileWriter) -> Result<(), Failed> {
        // The size is looked at now and then, because adding it up takes time.
        let many = self.rows.count() >= GROUP_ROWS;
        if many || self.rows.count().is_multiple_of(64) && self.rows.size() >= GROUP_SIZE {
            writer.write(self.number, self.day, &mut self.rows, false)?;
        }
        Ok(())
    }

    /// Hands the last rows to the writer. A table without rows has a file, too: readers find its columns.
    pub fn finish(&mut self, writer: &mut FileWriter) -> Result<(), Failed> {
        writer.write(self.number, self.day, &mut self.rows, true)
    }
}
