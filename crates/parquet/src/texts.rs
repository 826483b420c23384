//! Text values of a column.
//!
//! The bytes come from tracees and may be anything, and Parquet's strings are UTF-8: what is not has U+FFFD in its
//! place. The tables have the bytes themselves in another column. Nothing is escaped, because a query compares with the
//! real name.

use bytes::Bytes;
use parquet::data_type::ByteArray;
use std::collections::HashMap;

/// Text values in the order of rows.
pub struct TextValues {
    bytes: Vec<u8>,
    /// The places of all different texts.
    places: Vec<TextPlace>,
    /// For each row, the number of its text.
    rows: Vec<u32>,
    /// Numbers of texts. Tracees make up the keys, so the hash is one that they cannot predict.
    numbers: HashMap<Box<[u8]>, u32>,
    /// Numbers of texts, plus one, by what the caller knows a text by. 0: the text did not come yet.
    by_key: Vec<u32>,
    /// Numbers of texts that came lately, by [`slot_of`]. Most rows have a text that the rows before had, and this is
    /// faster than a hash.
    recent: [u32; RECENT],
    /// The bytes that the encoder has. Their memory is used again: the kernel would have to clear other memory first.
    taken: Bytes,
}

/// A power of two.
const RECENT: usize = 64;

/// The place of a text among the recent ones. Texts that share a place are told apart by their bytes.
fn slot_of(text: &[u8]) -> usize {
    let at = |part: usize| text.get(part).map_or(0, |byte| usize::from(*byte));
    (text.len() + at(0) + 5 * at(text.len() / 2) + 11 * at(text.len().saturating_sub(1))) % RECENT
}

/// The beginning and the end of a text.
#[derive(Clone, Copy)]
struct TextPlace {
    start: u32,
    end: u32,
    /// The value was not UTF-8.
    is_changed: bool,
}

/// The values that are handed to the encoder at a time, so that they stay in the CPU's cache.
pub const PIECE: usize = 1 << 12;

impl Default for TextValues {
    fn default() -> TextValues {
        let (bytes, places, rows, numbers, by_key, taken) = Default::default();
        TextValues { bytes, places, rows, numbers, by_key, recent: [0; RECENT], taken }
    }
}

impl TextValues {
    /// Adds a value that is likely to come again. True if it is UTF-8.
    pub fn word(&mut self, value: &[u8]) -> bool {
        let text = self.number(value);
        self.again(text)
    }

    /// The same for a value that is known by a small number, such as that of the object of which it is the name. It is
    /// neither hashed nor compared, so two numbers for the same value keep it twice. A number must not stand for several values.
    pub fn keyed(&mut self, key: usize, value: &[u8]) -> bool {
        if key >= self.by_key.len() {
            self.by_key.resize(key + 1, 0);
        }
        if self.by_key[key] == 0 {
            self.by_key[key] = self.keep(value) + 1;
        }
        self.again(self.by_key[key] - 1)
    }

    /// Adds a row with this text. True if the text is as it was given.
    fn again(&mut self, text: u32) -> bool {
        self.rows.push(text);
        !self.places[text as usize].is_changed
    }

    /// The number of a text that is likely to come again.
    fn number(&mut self, value: &[u8]) -> u32 {
        let slot = slot_of(value);
        // A text that was changed to be UTF-8 is another one here, and is found below.
        let is_same = |text: &u32| {
            let place = self.places.get(*text as usize);
            place.is_some_and(|place| self.bytes[place.start as usize..place.end as usize] == *value)
        };
        let text = match Some(self.recent[slot]).filter(is_same) {
            Some(recent) => recent,
            None => match self.numbers.get(value) {
                Some(text) => *text,
                None => {
                    let text = self.keep(value);
                    self.numbers.insert(value.into(), text);
                    text
                }
            },
        };
        self.recent[slot] = text;
        text
    }

    /// Adds a value that is unlikely to come again.
    pub fn text(&mut self, value: &[u8]) {
        let text = self.keep(value);
        self.rows.push(text);
    }

    fn keep(&mut self, value: &[u8]) -> u32 {
        if self.bytes.capacity() == 0 {
            self.take_back();
        }
        let start = self.bytes.len();
        let is_changed = str::from_utf8(value).is_err();
        if is_changed {
            self.bytes.extend_from_slice(String::from_utf8_lossy(value).as_bytes());
        } else {
            self.bytes.extend_from_slice(value);
        }
        // A row group takes far less than 4 GiB.
        self.places.push(TextPlace { start: start as u32, end: self.bytes.len() as u32, is_changed });
        self.places.len() as u32 - 1
    }

    /// Takes the memory back that the encoder had, if the encoder needs it no more.
    fn take_back(&mut self) {
        if let Ok(bytes) = std::mem::take(&mut self.taken).try_into_mut() {
            self.bytes = Vec::from(bytes);
            self.bytes.clear();
        }
    }

    /// The memory that the values take.
    pub fn size(&self) -> usize {
        let keys: usize = self.numbers.len() * size_of::<(Box<[u8]>, u32)>();
        // A known text is there twice.
        let bytes = if self.numbers.is_empty() { self.bytes.len() } else { 2 * self.bytes.len() };
        let numbers = size_of_val(&self.rows[..]) + size_of_val(&self.by_key[..]);
        bytes + keys + numbers + size_of_val(&self.places[..])
    }

    /// Takes all values, and hands them on in pieces.
    pub fn take<E>(&mut self, mut piece: impl FnMut(&[ByteArray]) -> Result<(), E>) -> Result<(), E> {
        let bytes = Bytes::from(std::mem::take(&mut self.bytes));
        let mut values = Vec::with_capacity(PIECE);
        for rows in self.rows.chunks(PIECE) {
            values.clear();
            values.extend(rows.iter().map(|&text| {
                let TextPlace { start, end, .. } = self.places[text as usize];
                ByteArray::from(bytes.slice(start as usize..end as usize))
            }));
            piece(&values)?;
        }
        self.rows.clear();
        self.places.clear();
        self.numbers.clear();
        self.by_key.clear();
        self.taken = bytes;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(texts: &mut TextValues) -> Vec<String> {
        let mut all = Vec::new();
        let piece = |values: &[ByteArray]| {
            all.extend(values.iter().map(|value| String::from_utf8(value.data().to_vec()).unwrap()));
            Ok::<(), ()>(())
        };
        texts.take(piece).unwrap();
        all
    }

    #[test]
    fn any_bytes_become_utf8() {
        let mut texts = TextValues::default();
        for value in [&b"a\xff\xfeb"[..], b"new\nline\0", b"", b"a\xff\xfeb", b"\xc3", b"\xff", "\u{fffd}".as_bytes()] {
            texts.word(value);
        }
        texts.text(b"\xff");
        let bad = "a\u{fffd}\u{fffd}b";
        let one = "\u{fffd}";
        assert_eq!(taken(&mut texts), [bad, "new\nline\0", "", bad, one, one, one, one]);
        assert!(taken(&mut texts).is_empty());
    }

    #[test]
    fn words_are_kept_once() {
        let mut texts = TextValues::default();
        for i in 0..10_000 {
            texts.word(if i % 3 == 0 { b"even" } else { b"odd" });
        }
        assert_eq!(texts.bytes.len(), 7);
        let all = taken(&mut texts);
        assert_eq!((all.len(), &*all[9_999], &*all[9_998]), (10_000, "even", "odd"));
    }
}
