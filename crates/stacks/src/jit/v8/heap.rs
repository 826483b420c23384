//! Objects of V8's heap, as they lie in memory. All of them may be anything.

use crate::jit::v8::version::V8;
use stride_event::ThreadMemory;

/// Pointers to objects have this bit, and small integers have not.
const TAG: u64 = 1;
const TAG_MASK: u64 = 3;
/// Longer names are cut.
pub const LONGEST_NAME: usize = 1024;
/// Longer sources are not read.
const LONGEST_SOURCE: usize = 8 << 20;
/// Strings are made of others (concatenated, parts of others): so many are looked through.
const MOST_STRINGS: usize = 4096;

/// A pointer to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeapObject(u64);

impl HeapObject {
    /// The object that a word points to.
    pub fn of(word: u64) -> Option<HeapObject> {
        (word & TAG_MASK == TAG && word > TAG).then_some(HeapObject(word))
    }

    /// The object at an address.
    pub fn at_address(address: u64) -> HeapObject {
        HeapObject(address | TAG)
    }

    /// The address of a member.
    pub fn at(self, offset: u32) -> u64 {
        (self.0 - TAG).wrapping_add(offset.into())
    }
}

/// The number that a word stands for.
pub fn small_integer(word: u64) -> Option<i32> {
    (word & u64::from(u32::MAX) == 0).then_some((word >> 32) as i32)
}

/// Reads objects, as they are now: V8 keeps the pointers between them right when it moves them.
pub struct Heap<'a> {
    pub v8: &'a V8,
    pub memory: &'a mut dyn ThreadMemory,
}

impl Heap<'_> {
    pub fn word(&mut self, object: HeapObject, offset: u32) -> Option<u64> {
        let mut bytes = [0; 8];
        (self.memory.read_now(object.at(offset), &mut bytes) == bytes.len()).then_some(u64::from_le_bytes(bytes))
    }

    /// A word as it was at the moment of the call, if it was copied.
    pub fn word_of_call(&mut self, object: HeapObject, offset: u32) -> Option<u64> {
        let mut bytes = [0; 8];
        (self.memory.read(object.at(offset), &mut bytes) == bytes.len()).then_some(u64::from_le_bytes(bytes))
    }

    pub fn pointer(&mut self, object: HeapObject, offset: u32) -> Option<HeapObject> {
        HeapObject::of(self.word(object, offset)?)
    }

    pub fn integer(&mut self, object: HeapObject, offset: u32) -> Option<i32> {
        small_integer(self.word(object, offset)?)
    }

    /// The object, or where V8 has moved it: then it has its new address in place of its map.
    fn moved(&mut self, object: HeapObject) -> Option<HeapObject> {
        let map = self.word(object, 0)?;
        let is_moved = map & TAG_MASK == 0 && map != 0;
        Some(if is_moved { HeapObject(map | TAG) } else { object })
    }

    /// The type of an object.
    pub fn kind(&mut self, object: HeapObject) -> Option<u16> {
        let map = self.pointer(object, 0)?;
        self.kind_of_map(map)
    }

    /// The type of the objects that have this map.
    pub fn kind_of_map(&mut self, map: HeapObject) -> Option<u16> {
        let mut bytes = [0; 2];
        let at = map.at(self.v8.instance_type);
        (self.memory.read_now(at, &mut bytes) == bytes.len()).then_some(u16::from_le_bytes(bytes))
    }

    pub fn is(&mut self, object: HeapObject, kind: u16) -> bool {
        self.kind(object) == Some(kind)
    }

    /// The bytes of a byte array, if they are no more than `most`.
    pub fn bytes(&mut self, array: HeapObject, most: usize) -> Option<Vec<u8>> {
        let len = self.integer(array, 8)?;
        let len = usize::try_from(len).ok().filter(|&len| len <= most)?;
        let mut bytes = vec![0; len];
        (self.memory.read_now(array.at(16), &mut bytes) == len).then_some(bytes)
    }

    /// The text of a string, as far as it is no longer than `LONGEST_NAME` characters.
    pub fn text(&mut self, string: HeapObject) -> Option<Box<str>> {
        let mut text = Text { characters: Vec::new(), most: LONGEST_NAME };
        self.add_text(string, &mut text)?;
        Some(String::from_utf16_lossy(&text.characters).into())
    }

    /// All characters of a source.
    pub fn source(&mut self, string: HeapObject) -> Option<Vec<u16>> {
        let mut text = Text { characters: Vec::new(), most: LONGEST_SOURCE };
        self.add_text(string, &mut text)?;
        (text.characters.len() < LONGEST_SOURCE).then_some(text.characters)
    }

    /// Adds the characters of a string.
    fn add_text(&mut self, string: HeapObject, text: &mut Text) -> Option<()> {
        // Parts of strings that are still to be added, the next one last: the string, its first character, and the number of characters.
        let mut parts = vec![(string, 0, usize::MAX)];
        for _ in 0..MOST_STRINGS {
            let Some((string, from, most)) = parts.pop() else { return Some(()) };
            if text.characters.len() >= text.most {
                return Some(());
            }
            let string = self.moved(string)?;
            let kind = self.kind(string).filter(|&kind| kind < self.v8.types.first_non_string)?;
            let len = (self.word(string, 8)? >> 32) as usize;
            let len = len.checked_sub(from)?.min(most);
            match kind & 7 {
                SEQUENTIAL => self.add_characters(string.at(16), from, len, kind, text)?,
                // The pointer to the characters is behind that to their owner.
                EXTERNAL if kind & UNCACHED == 0 => {
                    let start = self.word(string, 24)?;
                    self.add_characters(start, from, len, kind, text)?;
                }
                CONS => {
                    let (first, second) = (self.pointer(string, 16)?, self.pointer(string, 24)?);
                    let of_first = (self.word(first, 8)? >> 32) as usize;
                    if from + len > of_first {
                        let skipped = from.saturating_sub(of_first);
                        parts.push((second, skipped, from + len - of_first.max(from)));
                    }
                    if from < of_first {
                        parts.push((first, from, len.min(of_first - from)));
                    }
                }
                SLICED => {
                    let offset = usize::try_from(self.integer(string, 24)?).ok()?;
                    parts.push((self.pointer(string, 16)?, from.checked_add(offset)?, len));
                }
                THIN => parts.push((self.pointer(string, 16)?, from, len)),
                _ => return None,
            }
        }
        None
    }

    fn add_characters(&mut self, start: u64, from: usize, len: usize, kind: u16, text: &mut Text) -> Option<()> {
        let len = len.min(text.most - text.characters.len());
        let is_one_byte = kind & ONE_BYTE != 0;
        let size = if is_one_byte { 1 } else { 2 };
        let mut bytes = vec![0; len.checked_mul(size)?];
        let at = start.wrapping_add(from.checked_mul(size)? as u64);
        (self.memory.read_now(at, &mut bytes) == bytes.len()).then_some(())?;
        if is_one_byte {
            text.characters.extend(bytes.iter().map(|&byte| u16::from(byte)));
        } else {
            text.characters.extend(bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])));
        }
        Some(())
    }
}

struct Text {
    characters: Vec<u16>,
    most: usize,
}

/// The types of strings: how the characters are kept.
const SEQUENTIAL: u16 = 0;
const CONS: u16 = 1;
const EXTERNAL: u16 = 2;
const SLICED: u16 = 3;
const THIN: u16 = 5;
const ONE_BYTE: u16 = 8;
/// An external string that does not keep the address of the characters.
const UNCACHED: u16 = 16;
