//! The values of a row. The type of a value says which column it makes, or which two. Any value but a flag may be
//! missing.

use crate::column::ColumnKind;
use crate::row_group::RowCells;
use stride_syscalls::{Abi, table};
use stride_track::{ObjectId, Tracker};

/// A value that makes columns.
pub trait Cell {
    /// The columns: an ending of the name, and the kind.
    const COLUMNS: &'static [(&'static str, ColumnKind)];

    /// Adds the value to the next columns of a row.
    fn put(self, to: &mut RowCells<'_>);
}

/// Microseconds since 1970.
pub struct TimeCell(pub Option<i64>);

/// A whole number that differs from row to row.
pub struct MeasureCell(pub Option<i64>);

/// A whole number that comes again and again.
pub struct NumberCell(pub Option<i64>);

/// The same in 32 bits.
pub struct IdCell(pub Option<i32>);

pub struct FlagCell(pub bool);

/// Text that may be long, and different in each row.
pub struct TextCell<'r>(pub Option<&'r [u8]>);

/// Text that comes again and again.
pub struct WordCell<'r> {
    key: Option<usize>,
    bytes: Option<&'r [u8]>,
}

impl<'r> WordCell<'r> {
    pub fn of(bytes: Option<&'r [u8]>) -> WordCell<'r> {
        WordCell { key: None, bytes }
    }

    /// A word that the caller knows by a small number, if there is one. It must stand for no other word of the column.
    pub fn keyed(key: Option<usize>, bytes: Option<&'r [u8]>) -> WordCell<'r> {
        WordCell { key, bytes }
    }

    /// The name of a call. A system call's number without a row may be any number, and keys must be small.
    pub fn call(syscall: Option<(Abi, u64)>, name: Option<&'r str>) -> WordCell<'r> {
        let known = syscall.filter(|&(abi, nr)| table(abi).get(nr).is_some());
        WordCell::keyed(known.map(|(abi, nr)| (nr as usize) << 2 | abi as usize), name.map(str::as_bytes))
    }

    /// The identity of the trace, which is the same in all rows.
    pub fn trace_id(id: &'r [u8]) -> WordCell<'r> {
        WordCell::keyed(Some(0), Some(id))
    }
}

/// A name that the program chose. A second column has its bytes in hexadecimal, if they are not all text.
pub struct NameCell<'r>(WordCell<'r>);

impl<'r> NameCell<'r> {
    pub fn of(bytes: Option<&'r [u8]>) -> NameCell<'r> {
        NameCell(WordCell::of(bytes))
    }

    /// The name of an object.
    pub fn of_object(object: Option<ObjectId>, tracker: &'r Tracker) -> NameCell<'r> {
        let key = object.filter(|object| object.lasts()).map(ObjectId::index);
        NameCell(WordCell::keyed(key, object.map(|object| tracker.name(object))))
    }
}

/// Implements cells that make one column and are a value of it.
macro_rules! plain_cells {
    ($($cell:ty: $kind:ident by $put:ident,)*) => {$(
        impl Cell for $cell {
            const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::$kind)];

            fn put(self, to: &mut RowCells<'_>) {
                to.$put(ColumnKind::$kind, self.0);
            }
        }
    )*};
}

plain_cells! {
    TimeCell: Time by long,
    MeasureCell: Measure by long,
    NumberCell: Number by long,
    IdCell: Id by int,
    FlagCell: Flag by flag,
    TextCell<'_>: Text by text,
}

impl Cell for WordCell<'_> {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Word)];

    fn put(self, to: &mut RowCells<'_>) {
        to.word(ColumnKind::Word, self.key, self.bytes);
    }
}

impl Cell for NameCell<'_> {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Word), ("_hex", ColumnKind::Word)];

    fn put(self, to: &mut RowCells<'_>) {
        let WordCell { key, bytes } = self.0;
        let is_text = to.word(ColumnKind::Word, key, bytes);
        let hex = bytes.filter(|_| is_text == Some(false));
        let hex = hex.map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        to.word(ColumnKind::Word, None, hex.as_ref().map(|hex| hex.as_bytes()));
    }
}
