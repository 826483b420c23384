//! The columns of a table: their types, and how each is encoded.

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::sync::Arc;

/// A table and its columns.
#[derive(Clone, Copy, Debug)]
pub struct TableColumns {
    pub name: &'static str,
    pub fields: &'static [TableField],
}

/// A value of a row, which makes one column or two.
#[derive(Clone, Copy, Debug)]
pub struct TableField {
    pub name: &'static str,
    /// The sentence about it in docs/sql.md.
    pub contents: &'static str,
    /// An ending of the name for each column, and the column's kind.
    pub cells: &'static [(&'static str, ColumnKind)],
}

/// A column, as the schema has it.
#[derive(Clone, Debug)]
pub struct TableColumn {
    pub name: String,
    pub kind: ColumnKind,
    pub contents: &'static str,
}

impl TableColumns {
    pub fn columns(&self) -> impl Iterator<Item = TableColumn> {
        self.fields.iter().flat_map(|field| {
            field.cells.iter().map(|&(ending, kind)| TableColumn {
                name: format!("{}{ending}", field.name),
                kind,
                contents: if ending.is_empty() { field.contents.trim() } else { "its bytes, if they are no UTF-8" },
            })
        })
    }
}

/// The types of columns. Any value may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Microseconds since 1970, in UTC. The type does not say UTC: otherwise days and seconds would be those of each
    /// reader's time zone.
    Time,
    /// Whole numbers that differ from row to row, such as times.
    Measure,
    /// Whole numbers that come again and again.
    Number,
    /// The same in 32 bits.
    Id,
    Flag,
    /// Text that comes again and again.
    Word,
    /// Text that may be long, and different in each row.
    Text,
}

impl ColumnKind {
    /// The name of the type in SQL.
    pub fn sql(self) -> &'static str {
        match self {
            ColumnKind::Time => "TIMESTAMP",
            ColumnKind::Measure | ColumnKind::Number => "BIGINT",
            ColumnKind::Id => "INTEGER",
            ColumnKind::Flag => "BOOLEAN",
            ColumnKind::Word | ColumnKind::Text => "VARCHAR",
        }
    }
}

/// The rows between which pages of a column end. Readers skip whole pages.
pub const ROWS_OF_PAGE: usize = 1 << 17;

/// The schema of a table.
pub fn schema(table: &TableColumns) -> Result<TypePtr> {
    let fields = table.columns().map(field).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder("row").with_fields(fields).build()?))
}

fn field(column: TableColumn) -> Result<TypePtr> {
    let (physical, logical) = match column.kind {
        ColumnKind::Time => (Physical::INT64, Some(LogicalType::timestamp(false, TimeUnit::MICROS))),
        ColumnKind::Measure | ColumnKind::Number => (Physical::INT64, None),
        ColumnKind::Id => (Physical::INT32, None),
        ColumnKind::Flag => (Physical::BOOLEAN, None),
        ColumnKind::Word | ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let builder = Type::primitive_type_builder(&column.name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(Arc::new(builder.with_logical_type(logical).build()?))
}

/// How strongly pages are compressed.
pub fn zstd_level() -> ZstdLevel {
    ZstdLevel::default()
}

/// How the columns are encoded. All encodings are ones that DuckDB, Spark and Trino read.
pub fn properties(table: &TableColumns) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(zstd_level()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_data_page_row_count_limit(ROWS_OF_PAGE)
        .set_created_by(concat!("stride version ", env!("CARGO_PKG_VERSION")).to_owned());
    for column in table.columns() {
        let path = ColumnPath::from(column.name);
        properties = match column.kind {
            // Differences take fewer bytes than a dictionary of values of which none comes again.
            ColumnKind::Time | ColumnKind::Measure => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            ColumnKind::Number | ColumnKind::Id | ColumnKind::Flag => properties,
            // (Chunks of texts are made in `chunk`.)
            ColumnKind::Word | ColumnKind::Text => properties,
        };
    }
    properties.build()
}
