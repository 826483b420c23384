//! Rows, gathered in columns until they are written.

use crate::column::{ColumnKind, TableColumn};
use crate::texts::TextValues;
use parquet::data_type::{BoolType, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::file::writer::SerializedFileWriter;
use std::io::Write;
use stride_track::{ObjectId, Tracker};

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
    pub fn new(columns: &[TableColumn]) -> RowGroup {
        let values = |column: &TableColumn| Values {
            kind: column.kind,
            present: Vec::new(),
            longs: Vec::new(),
            ints: Vec::new(),
            flags: Vec::new(),
            texts: TextValues::default(),
        };
        RowGroup { columns: columns.iter().map(values).collect(), count: 0 }
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

    /// Begins a row. It gets a value for each column, in the order of the columns.
    pub fn begin(&mut self) -> TableRow<'_> {
        self.count += 1;
        TableRow { columns: self.columns.iter_mut() }
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

/// A row that is being filled in.
pub struct TableRow<'r> {
    columns: std::slice::IterMut<'r, Values>,
}

impl TableRow<'_> {
    /// The next column, which gets a value if there is one. It must have one of these types.
    fn next<T>(&mut self, value: Option<T>, kinds: &[ColumnKind], add: impl FnOnce(&mut Values, T)) -> &mut Self {
        self.add(value, kinds, add);
        self
    }

    fn add<T, R>(
        &mut self,
        value: Option<T>,
        kinds: &[ColumnKind],
        add: impl FnOnce(&mut Values, T) -> R,
    ) -> Option<R> {
        let column = self.columns.next();
        debug_assert!(column.as_ref().is_some_and(|column| kinds.contains(&column.kind)));
        let column = column?;
        column.present.push(value.is_some().into());
        value.map(|value| add(column, value))
    }

    pub fn number(&mut self, value: Option<i64>) -> &mut Self {
        self.next(value, &[ColumnKind::Time, ColumnKind::Measure, ColumnKind::Number], |column, value| {
            column.longs.push(value)
        })
    }

    pub fn id(&mut self, value: Option<i32>) -> &mut Self {
        self.next(value, &[ColumnKind::Id], |column, value| column.ints.push(value))
    }

    pub fn flag(&mut self, value: bool) -> &mut Self {
        self.next(Some(value), &[ColumnKind::Flag], |column, value| column.flags.push(value))
    }

    pub fn word(&mut self, value: Option<&[u8]>) -> &mut Self {
        self.next(value, &[ColumnKind::Word], |column, value| _ = column.texts.word(value))
    }

    /// A word that the caller knows by a small number, if there is one. It must stand for no other word of the column.
    pub fn keyed(&mut self, key: Option<usize>, value: Option<&[u8]>) -> &mut Self {
        let Some(key) = key else { return self.word(value) };
        self.next(value, &[ColumnKind::Word], |column, value| _ = column.texts.keyed(key, value))
    }

    pub fn text(&mut self, value: Option<&[u8]>) -> &mut Self {
        self.next(value, &[ColumnKind::Text], |column, value| column.texts.text(value))
    }

    /// A name, and then its bytes in hexadecimal if they are not all text.
    pub fn name(&mut self, value: Option<&[u8]>) -> &mut Self {
        let is_text = self.add(value, &[ColumnKind::Word], |column, value| column.texts.word(value));
        self.hex(value.filter(|_| is_text == Some(false)))
    }

    /// The same for the name of an object.
    pub fn name_of(&mut self, object: Option<ObjectId>, tracker: &Tracker) -> &mut Self {
        let name = object.map(|object| tracker.name(object));
        let both = object.zip(name);
        let is_text =
            self.add(both, &[ColumnKind::Word], |column, (object, name)| column.texts.keyed(object.index(), name));
        self.hex(name.filter(|_| is_text == Some(false)))
    }

    fn hex(&mut self, value: Option<&[u8]>) -> &mut Self {
        match value {
            None => self.word(None),
            Some(value) => {
                let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
                self.word(Some(hex.as_bytes()))
            }
        }
    }

    /// The end of the row.
    pub fn end(&mut self) {
        debug_assert!(self.columns.next().is_none());
    }
}
