//! Text values of a column.
//!
//! The bytes come from tracees and may be anything, and Parquet's strings are UTF-8: what is not has U+FFFD in its
//! place. The tables have the bytes themselves in another column. Nothing is escaped, because a query compares with the
//! real name.

use hashbrown::HashTable;

/// Text values in the order of rows.
pub struct TextValues {
    bytes: Vec<u8>,
    /// The places of all different texts.
    places: Vec<TextPlace>,
    /// For each row with a value, the number of its text.
    rows: Vec<u32>,
    /// Hashes and numbers of texts that may come again. Tracees make up the texts, so the hash is one that they cannot predict.
    numbers: HashTable<(u64, u32)>,
    hash: ahash::RandomState,
    /// Numbers of texts, plus one, by what the caller knows a text by. 0: the text did not come yet.
    by_key: Vec<u32>,
    /// Numbers of texts that came lately, by [`slot_of`]. Most rows have a text that the rows before had, and this is
    /// faster than a hash.
    recent: [u32; RECENT],
}

/// A power of two.
const RECENT: usize = 64;
/// The bytes that the dictionary of a column may take in a row group. Readers group by numbers where there is a
/// dictionary, which is twice as fast for paths. The memory for rows is a bound as well.
const MOST_DICTIONARY: usize = if cfg!(test) { 1 << 16 } else { 32 << 20 };

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

impl TextPlace {
    fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }
}

impl Default for TextValues {
    fn default() -> TextValues {
        let (bytes, places, rows, numbers, hash, by_key) = Default::default();
        TextValues { bytes, places, rows, numbers, hash, by_key, recent: [0; RECENT] }
    }
}

impl TextValues {
    /// Adds a value that is likely to come again. True if it is UTF-8.
    pub fn word(&mut self, value: &[u8]) -> bool {
        let text = self.number(value);
        self.again(text)
    }

    /// The same for a value that is known by a small number, such as that of the object of which it is the name. It is hashed and compared only when it
    /// comes first. A number must not stand for several values.
    pub fn keyed(&mut self, key: usize, value: &[u8]) -> bool {
        if key >= self.by_key.len() {
            self.by_key.resize(key + 1, 0);
        }
        if self.by_key[key] == 0 {
            self.by_key[key] = self.number(value) + 1;
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
        let recent = self.recent[slot];
        if self.places.get(recent as usize).is_some_and(|place| place.of(&self.bytes) == value) {
            return recent;
        }
        let text = if str::from_utf8(value).is_ok() {
            self.number_of_text(value, false)
        } else {
            self.number_of_text(String::from_utf8_lossy(value).as_bytes(), true)
        };
        self.recent[slot] = text;
        text
    }

    fn number_of_text(&mut self, value: &[u8], is_changed: bool) -> u32 {
        let hash = self.hash.hash_one(value);
        let is_same = |&(other, text): &(u64, u32)| {
            let place = self.places[text as usize];
            other == hash && place.is_changed == is_changed && place.of(&self.bytes) == value
        };
        if let Some(&(_, text)) = self.numbers.find(hash, is_same) {
            return text;
        }
        let text = self.keep(value, is_changed);
        self.numbers.insert_unique(hash, (hash, text), |&(hash, _)| hash);
        text
    }

    /// Adds a value that is unlikely to come again.
    pub fn text(&mut self, value: &[u8]) {
        let text = match str::from_utf8(value) {
            Ok(_) => self.keep(value, false),
            Err(_) => self.keep(String::from_utf8_lossy(value).as_bytes(), true),
        };
        self.rows.push(text);
    }

    fn keep(&mut self, text: &[u8], is_changed: bool) -> u32 {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        // A row group takes far less than 4 GiB.
        self.places.push(TextPlace { start: start as u32, end: self.bytes.len() as u32, is_changed });
        self.places.len() as u32 - 1
    }

    /// The memory that the values take.
    pub fn size(&self) -> usize {
        let known = self.numbers.len() * size_of::<(u64, u32)>();
        let numbers = size_of_val(&self.rows[..]) + size_of_val(&self.by_key[..]);
        self.bytes.len() + known + numbers + size_of_val(&self.places[..])
    }

    /// True if all texts may be in one dictionary.
    pub fn fit_dictionary(&self) -> bool {
        self.bytes.len() + size_of::<u32>() * self.places.len() <= MOST_DICTIONARY
    }

    /// The number of texts.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// All texts, by their numbers.
    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.places.iter().map(|place| place.of(&self.bytes))
    }

    /// The text with this number.
    pub fn get(&self, number: u32) -> &[u8] {
        self.places[number as usize].of(&self.bytes)
    }

    /// For each row with a value, the number of its text.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.rows.clear();
        self.places.clear();
        self.numbers.clear();
        self.by_key.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(texts: &mut TextValues) -> Vec<String> {
        let all = texts.rows().iter().map(|&text| String::from_utf8(texts.get(text).to_vec()).unwrap()).collect();
        texts.clear();
        all
    }

    #[test]
    fn any_bytes_become_utf8() {
        let mut texts = TextValues::default();
        for value in [&b"a\xff\xfeb"[..], b"new\nline\0", b"", b"a\xff\xfeb", b"\xc3", b"\xff", "\u{fffd}".as_bytes()] {
            assert_eq!(texts.word(value), str::from_utf8(value).is_ok(), "{value:?}");
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
        // Two objects of one name.
        texts.keyed(1, b"odd");
        texts.keyed(7, b"odd");
        assert_eq!((texts.bytes.len(), texts.count()), (7, 2));
        let all = taken(&mut texts);
        assert_eq!((all.len(), &*all[9_999], &*all[9_998], &*all[10_001]), (10_002, "even", "odd", "odd"));
    }
}
