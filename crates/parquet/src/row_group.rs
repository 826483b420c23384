//! Rows, gathered in columns until they are written.

use crate::chunk::ChunkMaker;
use crate::column::{ColumnKind, TableColumn, TableColumns};
use crate::presence::Presence;
use crate::texts::TextValues;
use parquet::data_type::{BoolType, DataType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use std::io::Write;

/// A table.
pub trait WrittenTable {
    const COLUMNS: TableColumns;
}

/// A row of a table.
pub trait TableRow {
    type Table: WrittenTable;

    /// Adds each value to its column.
    fn put(self, to: &mut RowCells<'_>);
}

/// The rows of a table that are not written yet.
pub struct RowGroup {
    columns: Vec<Values>,
    count: usize,
}

/// The values of a column.
struct Values {
    kind: ColumnKind,
    present: Presence,
    longs: Vec<i64>,
    ints: Vec<i32>,
    flags: Vec<bool>,
    texts: TextValues,
}

impl RowGroup {
    pub fn new(table: &TableColumns) -> RowGroup {
        let values = |column: TableColumn| Values {
            kind: column.kind,
            present: Presence::default(),
            longs: Vec::new(),
            ints: Vec::new(),
            flags: Vec::new(),
            texts: TextValues::default(),
        };
        RowGroup { columns: table.columns().map(values).collect(), count: 0 }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// The memory that the rows take.
    pub fn size(&self) -> usize {
        let size = |column: &Values| {
            column.present.size()
                + size_of_val(&column.longs[..])
                + size_of_val(&column.ints[..])
                + size_of_val(&column.flags[..])
                + column.texts.size()
        };
        self.columns.iter().map(size).sum()
    }

    /// Adds a row of the table.
    pub fn add(&mut self, row: impl TableRow) {
        let mut cells = RowCells { row: self.count, columns: self.columns.iter_mut() };
        row.put(&mut cells);
        debug_assert!(cells.columns.next().is_none());
        self.count += 1;
    }

    /// Drops all rows.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Values::clear);
        self.count = 0;
    }

    /// Writes all rows as a row group.
    pub fn write<W: Write + Send>(&mut self, maker: &mut ChunkMaker, to: &mut SerializedFileWriter<W>) -> Result<()> {
        let descriptions = to.schema_descr().columns().to_vec();
        let mut group = to.next_row_group()?;
        let rows = self.count;
        for (column, description) in self.columns.iter_mut().zip(descriptions) {
            let Values { kind, present, longs, ints, flags, texts } = column;
            match kind {
                ColumnKind::Time | ColumnKind::Measure | ColumnKind::Number if present.count() > 0 => {
                    write_numbers::<Int64Type, W>(&mut group, longs, present.levels(rows))?;
                }
                ColumnKind::Id if present.count() > 0 => {
                    write_numbers::<Int32Type, W>(&mut group, ints, present.levels(rows))?;
                }
                ColumnKind::Flag if present.count() > 0 => {
                    write_numbers::<BoolType, W>(&mut group, flags, present.levels(rows))?;
                }
                _ => {
                    let chunk = maker.chunk(description, *kind, rows, present, texts)?;
                    group.append_column(&chunk.bytes, chunk.description)?;
                }
            }
            column.clear();
        }
        self.count = 0;
        group.close()?;
        Ok(())
    }
}

fn write_numbers<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: &[i16],
) -> Result<()> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    writer.typed::<T>().write_batch(values, Some(levels), None)?;
    writer.close()
}

impl Values {
    fn clear(&mut self) {
        self.present.clear();
        self.longs.clear();
        self.ints.clear();
        self.flags.clear();
        self.texts.clear();
    }
}

/// The columns of a row that have no value yet. A value goes into the next one, whose kind is that of the value's type.
pub struct RowCells<'r> {
    row: usize,
    columns: std::slice::IterMut<'r, Values>,
}

impl RowCells<'_> {
    /// Adds the value, if there is one, to the next column.
    fn add<T, R>(&mut self, kind: ColumnKind, value: Option<T>, add: impl FnOnce(&mut Values, T) -> R) -> Option<R> {
        let column = self.columns.next();
        debug_assert!(column.as_ref().is_some_and(|column| column.kind == kind));
        let (column, value) = (column?, value?);
        column.present.note(self.row);
        Some(add(column, value))
    }

    pub fn long(&mut self, kind: ColumnKind, value: Option<i64>) {
        self.add(kind, value, |column, value| column.longs.push(value));
    }

    pub fn int(&mut self, kind: ColumnKind, value: Option<i32>) {
        self.add(kind, value, |column, value| column.ints.push(value));
    }

    pub fn flag(&mut self, kind: ColumnKind, value: bool) {
        self.add(kind, Some(value), |column, value| column.flags.push(value));
    }

    pub fn text(&mut self, kind: ColumnKind, value: Option<&[u8]>) {
        self.add(kind, value, |column, value| column.texts.text(value));
    }

    /// Tells whether the word is UTF-8, if there is one. `key` is a small number that stands for this word and for no
    /// other of the column.
    pub fn word(&mut self, kind: ColumnKind, key: Option<usize>, value: Option<&[u8]>) -> Option<bool> {
        self.add(kind, value, |column, value| match key {
            Some(key) => column.texts.keyed(key, value),
            None => column.texts.word(value),
        })
    }
}
