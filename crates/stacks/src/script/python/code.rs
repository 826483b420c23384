//! Code objects: the names of functions and files, and the table of lines.

use crate::script::known::NamesCode;
use crate::script::python::lines;
use crate::script::python::versions::Version;
use crate::script::word_size::{WordSize, word_of};
use stride_event::ThreadMemory;

pub struct CodeNames {
    pub name: Box<str>,
    pub file: Box<str>,
    first_line: u32,
    lines: Box<[u8]>,
    /// The table of lines is whole.
    is_whole: bool,
}

/// Longer names are cut, and longer tables are not believed.
const LONGEST_NAME: usize = 1024;
const LONGEST_TABLE: usize = 1 << 18;

impl NamesCode for CodeNames {
    fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn bytes(&self) -> usize {
        self.name.len() + self.file.len() + self.lines.len()
    }
}

impl CodeNames {
    /// The line of a place in the code. A place in front of the code is in the line with which the function begins.
    pub fn line(&self, version: &Version, place: i64) -> Option<u32> {
        let Ok(place) = u32::try_from(place) else { return Some(self.first_line) };
        match version.minor {
            ..10 => lines::lnotab(&self.lines, self.first_line, place, self.is_whole),
            10 => lines::table_of_3_10(&self.lines, self.first_line, place),
            _ => lines::locations(&self.lines, self.first_line, place),
        }
    }
}

pub fn read(version: &Version, code: u64, memory: &mut dyn ThreadMemory) -> Option<CodeNames> {
    let words = WordSize::of(&version.layout);
    let mut pointer = |at: u32| words.word(code.wrapping_add(at.into()), memory);
    let (file, name, lines) = (pointer(version.file)?, pointer(version.name)?, pointer(version.lines)?);
    let mut first_line = [0; 4];
    (memory.read(code.wrapping_add(version.first_line.into()), &mut first_line) == 4).then_some(())?;
    let (lines, is_whole) = table(version, code, lines, memory)?;
    Some(CodeNames {
        name: text(version, name, memory)?,
        file: text(version, file, memory)?,
        first_line: u32::from_le_bytes(first_line),
        lines,
        is_whole,
    })
}

/// The text of a `str`.
pub fn text(version: &Version, object: u64, memory: &mut dyn ThreadMemory) -> Option<Box<str>> {
    let mut head = [0; 64];
    let head = head.get_mut(..version.form as usize + 8)?;
    (memory.read(object, head) == head.len()).then_some(())?;
    let len = usize::try_from(WordSize::of(&version.layout).word_of(head, version.layout.content_size))
        .ok()?
        .min(LONGEST_NAME);
    // interned: 2 bits, kind: 3, compact: 1, ascii: 1
    let state = word_of(head, version.form);
    let (kind, is_compact, is_ascii) = ((state >> 2 & 7) as usize, state >> 5 & 1 != 0, state >> 6 & 1 != 0);
    if !is_compact || !matches!(kind, 1 | 2 | 4) {
        return None;
    }
    let at = object.wrapping_add(if is_ascii { version.ascii } else { version.text }.into());
    let mut bytes = vec![0; len * kind];
    (memory.read(at, &mut bytes) == bytes.len()).then_some(())?;
    let number = |unit: &[u8]| unit.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
    let character = |unit| char::from_u32(number(unit)).unwrap_or(char::REPLACEMENT_CHARACTER);
    Some(bytes.chunks_exact(kind).map(character).collect::<String>().into())
}

/// The bytes of a table of lines (a `bytes`), and if these are all of them.
fn table(version: &Version, code: u64, object: u64, memory: &mut dyn ThreadMemory) -> Option<(Box<[u8]>, bool)> {
    let size = object.wrapping_add(version.layout.content_size.into());
    let len =
        usize::try_from(WordSize::of(&version.layout).word(size, memory)?).ok().filter(|&len| len <= LONGEST_TABLE)?;
    let at = object.wrapping_add(version.bytes.into());
    let mut table = vec![0; len];
    let of_call = memory.read_of_call(at, &mut table);
    let mut known = of_call;
    if known < len {
        known = memory.read(at, &mut table);
        // The rest was read later. When the program drops code, the table goes first, and other things take its memory while the code still looks as it was.
        let may_be_gone = version.minor > 10 && !memory.is_still();
        if may_be_gone && !is_for(version, code, &table, memory) {
            known = of_call;
        }
    }
    table.truncate(known);
    Some((table.into(), known == len))
}

/// True if the table has an entry for each instruction of the code, and no more.
fn is_for(version: &Version, code: u64, table: &[u8], memory: &mut dyn ThreadMemory) -> bool {
    // The size of a code object is the number of instructions, each of two bytes.
    let instructions = code.wrapping_add(version.layout.content_size.into());
    WordSize::of(&version.layout).word(instructions, memory).is_some_and(|units| lines::units(table) == units)
}
