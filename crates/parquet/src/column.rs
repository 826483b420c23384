//! The columns of a table: their types, and how each is encoded.

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::sync::Arc;

/// A column, as the schema has it.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    pub name: &'static str,
    pub kind: ColumnKind,
}

/// The types of columns. Any value may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Microseconds since 1970, in UTC. The type does not say UTC: otherwise days and seconds would be those of each reader's time zone.
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
const ROWS_OF_PAGE: usize = 1 << 17;
/// The bytes that the dictionary of a column may take in a row group. Readers group by numbers where there is a dictionary, which is twice
/// as fast for paths. The memory for rows is a bound as well.
const MOST_DICTIONARY: usize = 32 << 20;

/// The schema of a table.
pub fn schema(columns: &[TableColumn]) -> Result<TypePtr> {
    let fields = columns.iter().map(field).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder("row").with_fields(fields).build()?))
}

fn field(column: &TableColumn) -> Result<TypePtr> {
    let (physical, logical) = match column.kind {
        ColumnKind::Time => (Physical::INT64, Some(LogicalType::timestamp(false, TimeUnit::MICROS))),
        ColumnKind::Measure | ColumnKind::Number => (Physical::INT64, None),
        ColumnKind::Id => (Physical::INT32, None),
        ColumnKind::Flag => (Physical::BOOLEAN, None),
        ColumnKind::Word | ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let builder = Type::primitive_type_builder(column.name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(Arc::new(builder.with_logical_type(logical).build()?))
}

/// How the columns are encoded. All encodings are ones that DuckDB, Spark and Trino read.
pub fn properties(columns: &[TableColumn]) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_data_page_row_count_limit(ROWS_OF_PAGE)
        .set_created_by(concat!("stride version ", env!("CARGO_PKG_VERSION")).to_owned());
    for column in columns {
        let path = ColumnPath::from(column.name);
        properties = match column.kind {
            // Differences take fewer bytes than a dictionary of values of which none comes again.
            ColumnKind::Time | ColumnKind::Measure => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            // Nobody asks for a range of them.
            ColumnKind::Text => properties.set_column_statistics_enabled(path, EnabledStatistics::None),
            ColumnKind::Word => properties.set_column_dictionary_page_size_limit(path, MOST_DICTIONARY),
            ColumnKind::Number | ColumnKind::Id | ColumnKind::Flag => properties,
        };
    }
    properties.build()
}
