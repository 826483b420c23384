//! `--parquet`: tables of a run, as files that databases read. docs/sql.md describes the tables, and has questions to
//! them in SQL.
//!
//! [`tables`] declares each table as the row that is written. Rows are gathered in columns ([`row_group`]) and written
//! as a row group when there are many of them, because Parquet stores a column of a row group in one piece. A thread
//! does that ([`writer`]), and takes one row group at a time, so no more than two of each table are in memory. The crate
//! `parquet` encodes numbers, and this one encodes texts ([`chunk`]).
//!
//! A file is whole or absent ([`file`]): it gets its name when it is complete and on the disk. So a run that is killed
//! leaves the files that were complete, and has no row in `traces`, which is written last.
//!
//! The crate `parquet` is used without Arrow, whose arrays would be filled only to be emptied again.

mod call;
mod call_columns;
mod cell;
mod chunk;
mod clock;
mod column;
mod destination;
mod file;
mod hybrid;
mod notices;
mod operation;
mod place;
mod presence;
mod process;
mod row_group;
mod stacks;
mod table_rows;
mod tables;
mod texts;
mod view;
#[cfg(test)]
mod view_tests;
mod waits;
mod writer;

pub use column::{ColumnKind, TableColumn, TableColumns, TableField};
pub use destination::{PreparedStore, StoreLimits, TableDestination};
pub use tables::ALL;
pub use view::{ParquetView, check_directory};
