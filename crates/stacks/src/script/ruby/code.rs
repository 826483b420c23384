//! Code: the name of its function, its file and its lines.

use crate::script::identity::words_of;
use crate::script::known::NamesCode;
use crate::script::word_size::{WordSize, word_of};
use stride_event::{ScriptLayout, ThreadMemory};

pub struct RubyCode {
    pub name: Box<str>,
    pub file: Box<str>,
    words: WordSize,
    /// The address of the first instruction.
    start: u64,
    /// Entries of the table of lines.
    lines: Vec<u8>,
    index: Vec<u8>,
    is_whole: bool,
}

impl NamesCode for RubyCode {
    fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn bytes(&self) -> usize {
        self.name.len() + self.file.len() + self.lines.len() + self.index.len()
    }
}

/// The size of an entry of the table of lines.
const ENTRY: usize = 12;
/// Longer names and larger code are not believed.
const LONGEST_NAME: u64 = 1 << 13;
const LARGEST: u64 = 1 << 16;

/// The index tells for each word of instructions how many entries begin up to there: first for these words, in parts of seven bits.
const FIRST: u64 = 54;
const IN_WORD: u64 = 9;
const FIRST_BYTES: usize = (FIRST / IN_WORD) as usize * 8;
/// Then for blocks of as many words: the number up to the block, a word behind that up to each 64 words of it in parts of nine bits, and a bit for each entry.
const BLOCK: u64 = 512;
const PARTS_BYTES: usize = 8 + BLOCK as usize / 8;

impl RubyCode {
    /// The line of the instruction in front of this address.
    pub fn line(&self, place: u64) -> Option<u32> {
        let words = place.checked_sub(self.start)? / self.words.bytes() as u64;
        let entry = match self.lines.len() {
            ENTRY => 0,
            _ => self.entries_up_to(words.saturating_sub(1))?.checked_sub(1)?,
        };
        let at = usize::try_from(entry).ok()?.checked_mul(ENTRY)?;
        let line = self.lines.get(at..at.checked_add(4)?)?;
        u32::try_from(i32::from_le_bytes(line.try_into().ok()?)).ok().filter(|&line| line > 0)
    }

    fn entries_up_to(&self, word: u64) -> Option<u64> {
        let word_at = |at: usize| (at + 8 <= self.index.len()).then(|| word_of(&self.index, at as u32));
        let Some(behind) = word.checked_sub(FIRST) else {
            let counts = word_at((word / IN_WORD) as usize * 8)?;
            return Some(counts >> (word % IN_WORD * 7) & 0x7f);
        };
        let block = FIRST_BYTES + usize::try_from(behind / BLOCK).ok()? * block_bytes(self.words);
        let parts = block + self.words.bytes();
        let (part, bit) = (behind % BLOCK / 64, behind % 64);
        let before = word_at(block)? & u64::from(u32::MAX);
        let in_block = if part == 0 { 0 } else { word_at(parts)? >> ((part - 1) * 9) & 0x1ff };
        let bits = word_at(parts + 8 + part as usize * 8)? << (63 - bit);
        Some(before + in_block + u64::from(bits.count_ones()))
    }
}

/// The bytes that the index has for a block.
fn block_bytes(words: WordSize) -> usize {
    words.bytes() + PARTS_BYTES
}

pub fn read(layout: &ScriptLayout, code: u64, memory: &mut dyn ThreadMemory) -> Option<RubyCode> {
    /// In code: the number of words of its instructions, and the pointer to them. In its table of lines: the words in front of the size, and of the index.
    const INSTRUCTIONS: u32 = 4;
    const START: u32 = 8;
    const SIZE: usize = 2;
    const INDEX: usize = 3;
    let words = WordSize::of(layout);
    let code = words_of(layout, code, memory)?;
    let [path, name, lines] = layout.contents;
    let in_lines = |n: usize| lines + (n * words.bytes()) as u32;
    let mut member = |at: u32| words.word(code.wrapping_add(at.into()), memory);
    let (start, path, name) = (member(START)?, member(path)?, member(name)?);
    let entries = member(in_lines(SIZE))? & u64::from(u32::MAX);
    let (lines, index) = (member(lines)?, member(in_lines(INDEX))?);
    let instructions = member(INSTRUCTIONS)? & u64::from(u32::MAX);
    if entries > LARGEST || instructions > LARGEST {
        return None;
    }
    let blocks = instructions.saturating_sub(FIRST).div_ceil(BLOCK) as usize;
    let has_index = entries > 1;
    let mut table = |address: u64, len: usize| {
        let mut bytes = vec![0; len];
        let got = memory.read(address, &mut bytes);
        bytes.truncate(got);
        bytes
    };
    let (lines_len, index_len) =
        (entries as usize * ENTRY, if has_index { FIRST_BYTES + blocks * block_bytes(words) } else { 0 });
    let (lines, index) = (table(lines, lines_len), table(index, index_len));
    let is_whole = lines.len() == lines_len && index.len() == index_len;
    let name = text(layout, name, memory)?;
    let name = if &*name == OF_EVAL { name_around(layout, code, memory).unwrap_or(name) } else { name };
    Some(RubyCode { name, file: text(layout, path, memory)?, words, start, lines, index, is_whole })
}

/// The name of code that `eval` runs. Since 3.4, backtraces have the name of the code around instead.
const OF_EVAL: &str = "<compiled>";

/// The name of the code around the code of an `eval`.
fn name_around(layout: &ScriptLayout, code: u64, memory: &mut dyn ThreadMemory) -> Option<Box<str>> {
    /// In code: so many words behind the table of lines is the code around.
    const AROUND: usize = 6;
    const DEEPEST: usize = 8;
    let words = WordSize::of(layout);
    let [_, name, lines] = layout.contents;
    let mut code = code;
    for _ in 0..DEEPEST {
        let around = words.word(code.wrapping_add(u64::from(lines) + (AROUND * words.bytes()) as u64), memory)?;
        code = words.word(around.wrapping_add(layout.code_there.into()), memory)?;
        let name = words.word(code.wrapping_add(name.into()), memory)?;
        let name = text(layout, name, memory)?;
        if &*name != OF_EVAL {
            return Some(name);
        }
    }
    None
}

/// The text of a string, or of the first in an array.
fn text(layout: &ScriptLayout, value: u64, memory: &mut dyn ThreadMemory) -> Option<Box<str>> {
    const TYPE: u64 = 0x1f;
    const STRING: u64 = 5;
    const ARRAY: u64 = 7;
    /// A string's text is elsewhere. Otherwise these bits are its length, if no word in front of the text is.
    const ELSEWHERE: u64 = 1 << 13;
    const LEN: u32 = 14;
    /// An array holds its values itself.
    const HOLDS: u64 = 1 << 13;
    let words = WordSize::of(layout);
    // Two words are in front of what an object holds.
    let at_held = 2 * words.bytes() as u64;
    let mut value = value;
    let mut flags = words.word(value, memory)?;
    if flags & TYPE == ARRAY && flags & HOLDS != 0 {
        value = words.word(value.wrapping_add(at_held), memory)?;
        flags = words.word(value, memory)?;
    }
    if flags & TYPE != STRING {
        return None;
    }
    let mut held = |at: usize| words.word(value.wrapping_add(at_held + at as u64), memory);
    let inside = u64::from(layout.value_text);
    let (address, len) = match flags & ELSEWHERE == 0 {
        true if inside == at_held => (value.wrapping_add(inside), flags >> LEN & 0x1f),
        true => (value.wrapping_add(inside), held(0)?),
        false => (held(words.bytes())?, held(0)?),
    };
    let mut bytes = vec![0; usize::try_from(len).ok().filter(|_| len <= LONGEST_NAME)?];
    (memory.read(address, &mut bytes) == bytes.len()).then(|| String::from_utf8_lossy(&bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jit::test_memory::TestMemory;

    /// A table with these lines, of which entry `i` begins `starts[i]` words behind the start, for words of this size.
    fn code(size: WordSize, starts: &[u64], lines: &[i32], words: u64) -> RubyCode {
        let up_to = |word: u64| starts.iter().filter(|&&start| start <= word).count() as u64;
        let mut index = Vec::new();
        for part in 0..FIRST / IN_WORD {
            let counts = (0..IN_WORD).fold(0, |counts, i| counts | up_to(part * IN_WORD + i) << (i * 7));
            index.extend(counts.to_le_bytes());
        }
        for block in (FIRST..words).step_by(BLOCK as usize) {
            let before = up_to(block - 1);
            let parts = (1..8).fold(0, |parts, i| parts | (up_to(block + i * 64 - 1) - before) << ((i - 1) * 9));
            index.extend(&before.to_le_bytes()[..size.bytes()]);
            index.extend(parts.to_le_bytes());
            for part in 0..8 {
                let is_start = |bit: u64| u64::from(starts.contains(&(block + part * 64 + bit)));
                index.extend((0..64).fold(0, |bits, bit| bits | is_start(bit) << bit).to_le_bytes());
            }
        }
        let lines = lines.iter().flat_map(|line| [line.to_le_bytes(), [0; 4], [0; 4]].concat()).collect();
        RubyCode { name: "".into(), file: "".into(), words: size, start: 0x1000, lines, index, is_whole: true }
    }

    #[test]
    fn lines_of_instructions() {
        let starts = [0, 3, 53, 54, 60, 117, 118, 565, 566, 1100];
        let lines = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
        for size in [WordSize::EIGHT, WordSize::FOUR] {
            let code = code(size, &starts, &lines, 1200);
            for word in 0..1200 {
                let entry = starts.iter().filter(|&&start| start <= word).count() - 1;
                // (The place is that of the next instruction.)
                let next = 0x1000 + size.bytes() as u64 * (word + 1);
                assert_eq!(code.line(next), Some(lines[entry] as u32), "{size:?} {word}");
            }
            assert_eq!(code.line(0x1000), Some(5));
        }
    }

    #[test]
    fn tables_that_make_no_sense() {
        let mut code = code(WordSize::EIGHT, &[0, 3], &[5, -6], 40);
        assert_eq!(code.line(0x1000 + 8 * 5), None, "a line below 0");
        for place in [0, 0xfff, 0x1000 + 8 * 56, u64::MAX] {
            assert_eq!(code.line(place), None, "{place:#x}");
        }
        code.index = vec![0xff; 20];
        assert_eq!(code.line(0x1008), None, "an entry behind the table");
        assert_eq!(code.line(0x1000 + 8 * 30), None, "an index that ends");
        code.index.clear();
        assert_eq!(code.line(0x1008), None);
        code.lines.clear();
        assert_eq!(code.line(0x1008), None);
    }

    /// The code of an `eval` in the code of another one has the name of the code around both.
    #[test]
    fn the_name_of_evaluated_code() {
        let layout = crate::script::ruby::versions::layout("3.4.11", 8).unwrap();
        let mut memory = TestMemory::all(|_| None);
        let string = |memory: &mut TestMemory, at: u64, text: &str| {
            // A string with its length, and its text inside.
            memory.words.insert(at, 5);
            memory.words.insert(at + 16, text.len() as u64);
            for (i, bytes) in text.as_bytes().chunks(8).enumerate() {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                memory.words.insert(at + 24 + 8 * i as u64, u64::from_le_bytes(word));
            }
        };
        string(&mut memory, 0x100, OF_EVAL);
        string(&mut memory, 0x200, "load");
        // Code, the object that has the code, and the code around.
        for (code, name, around) in [(0x1000, 0x100, 0x5000), (0x2000, 0x100, 0x6000), (0x3000, 0x200, 0)] {
            memory.words.insert(code + 80, name);
            memory.words.insert(code + 160, around);
        }
        memory.words.extend([(0x5010, 0x2000), (0x6010, 0x3000)]);
        assert_eq!(name_around(&layout, 0x1000, &mut memory).as_deref(), Some("load"));
        memory.words.insert(0x6010, 0x1000);
        assert_eq!(name_around(&layout, 0x1000, &mut memory), None, "a circle");
        memory.words.remove(&0x5010);
        assert_eq!(name_around(&layout, 0x1000, &mut memory), None, "code that is gone");
    }
}
