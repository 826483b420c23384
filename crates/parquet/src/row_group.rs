//! Rows, gathered in columns until they are written.

use crate::column::{ColumnKind, TableColumn, TableColumns};
use crate::texts::TextValues;
use parquet::data_type::{BoolType, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::writer::SerializedFileWriter;
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
    /// 1 for each row that has a value, else 0: Parquet's definition levels.
    present: Vec<i16>,
    longs: Vec<i64>,
    ints: Vec<i32>,
    flags: Vec<bool>,
    texts: TextValues,
}

impl RowGroup {
    pub fn new(table: &TableColumns) -> RowGroup {
        let values = |column: TableColumn| Values {
            kind: column.kind,
            present: Vec::new(),
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
            size_of_val(&column.present[..])
                + size_of_val(&column.longs[..])
                + size_of_val(&column.ints[..])
                + size_of_val(&column.flags[..])
                + column.texts.size()
        };
        self.columns.iter().map(size).sum()
    }

    /// Adds a row of the table.
    pub fn add(&mut self, row: impl TableRow) {
        self.count += 1;
        let mut cells = RowCells { columns: self.columns.iter_mut() };
        row.put(&mut cells);
        debug_assert!(cells.columns.next().is_none());
    }

    /// Writes all rows as a row group.
    pub fn write<W: Write + Send>(&mut self, to: &mut SerializedFileWriter<W>) -> Result<()> {
        let mut group = to.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            let present = Some(&column.present[..]);
            match column.kind {
                ColumnKind::Time | ColumnKind::Measure | ColumnKind::Number => {
                    writer.typed::<Int64Type>().write_batch(&column.longs, present, None)?;
                }
                ColumnKind::Id => {
                    writer.typed::<Int32Type>().write_batch(&column.ints, present, None)?;
                }
                ColumnKind::Flag => {
                    writer.typed::<BoolType>().write_batch(&column.flags, present, None)?;
                }
                ColumnKind::Word | ColumnKind::Text => {
                    let writer = writer.typed::<ByteArrayType>();
                    let mut rest = &column.present[..];
                    column.texts.take(|values| {
                        // The rows of these values, with those between them that have none.
                        let mut left = values.len();
                        let of_values = rest.iter().take_while(|&&present| {
                            let more = left > 0;
                            left -= usize::from(more && present > 0);
                            more
                        });
                        let (rows, others) = rest.split_at(of_values.count());
                        rest = others;
                        writer.write_batch(values, Some(rows), None).map(drop)
                    })?;
                    writer.write_batch(&[], Some(rest), None)?;
                }
            }
            writer.close()?;
            column.clear();
        }
        self.count = 0;
        group.close()?;
        Ok(())
    }
}

impl Values {
    fn clear(&mut self) {
        self.present.clear();
        self.longs.clear();
        self.ints.clear();
        self.flags.clear();
    }
}

/// The columns of a row that have no value yet. A value goes into the next one, whose kind is that of the value's type.
pub struct RowCells<'r> {
    columns: std::slice::IterMut<'r, Values>,
}

impl RowCells<'_> {
    /// Adds the value, if there is one, to the next column.
    fn add<T, R>(&mut self, kind: ColumnKind, value: Option<T>, add: impl FnOnce(&mut Values, T) -> R) -> Option<R> {
        let column = self.columns.next();
        debug_assert!(column.as_ref().is_some_and(|column| column.kind == kind));
        let column = column?;
        column.present.push(value.is_some().into());
        value.map(|value| add(column, value))
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
