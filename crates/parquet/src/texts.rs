//! Text values of a column.
//!
//! The bytes come from tracees and may be anything, and Parquet's strings are UTF-8: what is not has U+FFFD in its place. The tables have
//! the bytes themselves in another column. Nothing is escaped, because a query compares with the real name.

use bytes::Bytes;
use parquet::data_type::ByteArray;
use std::collections::HashMap;

/// Text values in the order of rows.
#[derive(Default)]
pub struct Texts {
    bytes: Vec<u8>,
    /// The place of each row's value.
    places: Vec<Place>,
    /// The place of each text. Tracees make up the keys, so the hash is one that they cannot predict.
    known: HashMap<Box<[u8]>, Place>,
    /// Calls that follow each other are often alike.
    latest: Vec<u8>,
    latest_place: Option<Place>,
}

type Place = (usize, usize);

impl Texts {
    /// Adds a value that is likely to come again.
    pub fn word(&mut self, value: &[u8]) {
        if let Some(place) = self.latest_place.filter(|_| self.latest == value) {
            return self.places.push(place);
        }
        let place = match self.known.get(value) {
            Some(place) => *place,
            None => {
                let place = self.keep(value);
                self.known.insert(value.into(), place);
                place
            }
        };
        self.latest.clear();
        self.latest.extend_from_slice(value);
        self.latest_place = Some(place);
        self.places.push(place);
    }

    /// Adds a value that is unlikely to come again.
    pub fn text(&mut self, value: &[u8]) {
        let place = self.keep(value);
        self.places.push(place);
    }

    fn keep(&mut self, value: &[u8]) -> Place {
        let start = self.bytes.len();
        for chunk in value.utf8_chunks() {
            self.bytes.extend_from_slice(chunk.valid().as_bytes());
            if !chunk.invalid().is_empty() {
                self.bytes.extend_from_slice("\u{fffd}".as_bytes());
            }
        }
        (start, self.bytes.len())
    }

    /// The memory that the values take.
    pub fn size(&self) -> usize {
        // A known text is there twice.
        2 * self.bytes.len() + size_of::<Place>() * self.places.len()
    }

    /// Takes all values.
    pub fn take(&mut self) -> Vec<ByteArray> {
        let bytes = Bytes::from(std::mem::take(&mut self.bytes));
        self.known.clear();
        self.latest_place = None;
        self.places.drain(..).map(|(start, end)| ByteArray::from(bytes.slice(start..end))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_become_utf8() {
        let mut texts = Texts::default();
        for value in [&b"a\xff\xfeb"[..], b"new\nline\0", b"", b"a\xff\xfeb", b"\xc3"] {
            texts.word(value);
        }
        texts.text(b"\xff");
        let taken = texts.take();
        let taken: Vec<&str> = taken.iter().map(|value| std::str::from_utf8(value.data()).unwrap()).collect();
        assert_eq!(taken, ["a\u{fffd}\u{fffd}b", "new\nline\0", "", "a\u{fffd}\u{fffd}b", "\u{fffd}", "\u{fffd}"]);
        assert!(texts.take().is_empty());
    }

    #[test]
    fn words_are_kept_once() {
        let mut texts = Texts::default();
        for i in 0..10_000 {
            texts.word(if i % 2 == 0 { b"even" } else { b"odd" });
        }
        assert_eq!(texts.bytes.len(), 7);
    }
}
