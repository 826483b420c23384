//! A table: rows in, files out.

use crate::column::{Column, properties, schema};
use crate::file::{FileError, TableFile};
use crate::place::Place;
use crate::rows::{Row, Rows};
use parquet::file::properties::WriterPropertiesPtr;
use parquet::schema::types::TypePtr;
use std::io;
use std::sync::Arc;

/// A file is complete from this size on.
const FILE_SIZE: u64 = 128 << 20;
/// The rows of a row group, and the memory that they may take. Readers share work out by row groups.
const GROUP_ROWS: usize = 1 << 18;
const GROUP_SIZE: usize = 96 << 20;
/// The days for which a table has directories. The clock of a hostile recording may jump with each call.
const MOST_DAYS: u32 = 1000;

pub struct Table {
    place: Arc<Place>,
    name: &'static str,
    schema: TypePtr,
    properties: WriterPropertiesPtr,
    rows: Rows,
    file: Option<TableFile>,
    /// The day of the rows that are gathered, counted from 1970 on.
    day: i64,
    days: u32,
    /// Files so far.
    files: u32,
    /// Rows and bytes in complete files, and the rows in the file that is being written.
    pub whole_rows: u64,
    pub whole_bytes: u64,
    pending_rows: u64,
}

impl Table {
    /// `day`: when the trace began.
    pub fn new(place: &Arc<Place>, name: &'static str, columns: &[Column], day: i64) -> Result<Table, FileError> {
        let of_schema = |e| FileError::new(&place.directory, io::Error::other(e));
        Ok(Table {
            place: place.clone(),
            name,
            schema: schema(columns).map_err(of_schema)?,
            properties: Arc::new(properties(columns)),
            rows: Rows::new(columns),
            file: None,
            day,
            days: 1,
            files: 0,
            whole_rows: 0,
            whole_bytes: 0,
            pending_rows: 0,
        })
    }

    /// Begins a row, to be filled in at once.
    pub fn row(&mut self) -> Row<'_> {
        self.rows.begin()
    }

    /// The rows from here on are of this day. Days do not go back.
    pub fn day(&mut self, day: i64) -> Result<(), FileError> {
        if day > self.day && self.days < MOST_DAYS {
            self.complete()?;
            self.day = day;
            self.days += 1;
        }
        Ok(())
    }

    /// Writes the gathered rows if there are enough of them.
    pub fn write_if_due(&mut self) -> Result<(), FileError> {
        // The size is looked at now and then, because adding it up takes time.
        let many = self.rows.count() >= GROUP_ROWS;
        if many || self.rows.count().is_multiple_of(64) && self.rows.size() >= GROUP_SIZE {
            self.write()?;
            if self.file.as_ref().is_some_and(|file| file.size() >= FILE_SIZE) {
                self.complete()?;
            }
        }
        Ok(())
    }

    /// Writes the gathered rows as a row group.
    fn write(&mut self) -> Result<(), FileError> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let directory = self.place.partition(self.name, self.day);
                let name = self.place.file_name(self.files);
                let file = TableFile::create(&directory, &name, self.schema.clone(), self.properties.clone())?;
                self.files += 1;
                self.file.insert(file)
            }
        };
        self.pending_rows += self.rows.count() as u64;
        file.write(&mut self.rows)
    }

    /// Writes all rows and completes the file, if there are any.
    pub fn complete(&mut self) -> Result<(), FileError> {
        if self.rows.count() > 0 {
            self.write()?;
        }
        if let Some(file) = self.file.take() {
            self.whole_bytes += file.finish()?;
            self.whole_rows += std::mem::take(&mut self.pending_rows);
        }
        Ok(())
    }

    /// Gives up what is not in a complete file.
    pub fn give_up(&mut self) {
        self.file = None;
    }
}
