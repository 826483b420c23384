//! The values of a row. The type of a value says which column it makes, or which two. Any value but a flag may be missing.

use crate::column::ColumnKind;
use crate::row_group::RowCells;
use stride_track::{ObjectId, Tracker};

/// A value that makes columns.
pub trait Cell {
    /// The columns: an ending of the name, and the kind.
    const COLUMNS: &'static [(&'static str, ColumnKind)];

    /// Adds the value to the next columns of a row.
    fn put(self, to: &mut RowCells<'_>);
}

/// Microseconds since 1970.
pub struct Time(pub Option<i64>);

/// A whole number that differs from row to row.
pub struct Measure(pub Option<i64>);

/// A whole number that comes again and again.
pub struct Number(pub Option<i64>);

/// The same in 32 bits.
pub struct Id(pub Option<i32>);

pub struct Flag(pub bool);

/// Text that may be long, and different in each row.
pub struct Text<'r>(pub Option<&'r [u8]>);

/// Text that comes again and again.
pub struct Word<'r> {
    key: Option<usize>,
    bytes: Option<&'r [u8]>,
}

impl<'r> Word<'r> {
    pub fn of(bytes: Option<&'r [u8]>) -> Word<'r> {
        Word { key: None, bytes }
    }

    /// A word that the caller knows by a small number, if there is one. It must stand for no other word of the column.
    pub fn keyed(key: Option<usize>, bytes: Option<&'r [u8]>) -> Word<'r> {
        Word { key, bytes }
    }

    /// The identity of the trace, which is the same in all rows.
    pub fn trace_id(id: &'r [u8]) -> Word<'r> {
        Word::keyed(Some(0), Some(id))
    }
}

/// A name that the program chose. A second column has its bytes in hexadecimal, if they are not all text.
pub struct Name<'r>(Word<'r>);

impl<'r> Name<'r> {
    pub fn of(bytes: Option<&'r [u8]>) -> Name<'r> {
        Name(Word::of(bytes))
    }

    /// The name of an object.
    pub fn of_object(object: Option<ObjectId>, tracker: &'r Tracker) -> Name<'r> {
        Name(Word::keyed(object.map(ObjectId::index), object.map(|object| tracker.name(object))))
    }
}

impl Cell for Time {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Time)];

    fn put(self, to: &mut RowCells<'_>) {
        to.long(ColumnKind::Time, self.0);
    }
}

impl Cell for Measure {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Measure)];

    fn put(self, to: &mut RowCells<'_>) {
        to.long(ColumnKind::Measure, self.0);
    }
}

impl Cell for Number {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Number)];

    fn put(self, to: &mut RowCells<'_>) {
        to.long(ColumnKind::Number, self.0);
    }
}

impl Cell for Id {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Id)];

    fn put(self, to: &mut RowCells<'_>) {
        to.int(ColumnKind::Id, self.0);
    }
}

impl Cell for Flag {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Flag)];

    fn put(self, to: &mut RowCells<'_>) {
        to.flag(ColumnKind::Flag, self.0);
    }
}

impl Cell for Text<'_> {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Text)];

    fn put(self, to: &mut RowCells<'_>) {
        to.text(ColumnKind::Text, self.0);
    }
}

impl Cell for Word<'_> {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Word)];

    fn put(self, to: &mut RowCells<'_>) {
        to.word(ColumnKind::Word, self.key, self.bytes);
    }
}

impl Cell for Name<'_> {
    const COLUMNS: &'static [(&'static str, ColumnKind)] = &[("", ColumnKind::Word), ("_hex", ColumnKind::Word)];

    fn put(self, to: &mut RowCells<'_>) {
        let Word { key, bytes } = self.0;
        let is_text = to.word(ColumnKind::Word, key, bytes);
        let hex = bytes.filter(|_| is_text == Some(false));
        let hex = hex.map(|bytes| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        to.word(ColumnKind::Word, None, hex.as_ref().map(|hex| hex.as_bytes()));
    }
}
