//! Tables that map places in code to places in source, and these to lines. They may be anything; reading ends with the table.

/// Reads numbers of seven bits a byte, the lowest first; the highest bit says that more follow.
struct Numbers<'a> {
    rest: &'a [u8],
}

impl Numbers<'_> {
    fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..63).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// The lowest bit says that the number is negative.
    fn signed(&mut self) -> Option<i64> {
        let number = self.unsigned()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

/// A place in the source of a function, or in that of one which was merged into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// Counts characters of the script.
    pub at: u32,
    /// The index of the function that was merged; `None` if it is the function itself.
    pub merged: Option<u32>,
}

impl SourcePosition {
    /// Bit 0: it is not of a script. 30 bits: the place, plus one. 16 bits: the index of the function, plus one.
    pub fn of(word: u64) -> Option<SourcePosition> {
        let at = (word >> 1 & 0x3fff_ffff) as u32;
        let merged = (word >> 31 & 0xffff) as u32;
        (word & 1 == 0 && at > 0).then(|| SourcePosition { at: at - 1, merged: merged.checked_sub(1) })
    }
}

/// The place in source of a place in code, by a table of source positions. An entry holds up to the next one.
pub fn source_position(table: &[u8], place: u32) -> Option<SourcePosition> {
    let mut numbers = Numbers { rest: table };
    // The first entry is that of the function's beginning, in front of the code.
    let (mut at, mut position) = (-1i64, 0i64);
    let mut found = None;
    while !numbers.rest.is_empty() {
        // A negative number says that the entry is of an expression, and not of a statement.
        let by = numbers.signed()?;
        at = at.checked_add(if by < 0 { -(by + 1) } else { by })?;
        position = position.checked_add(numbers.signed()?)?;
        if at > place.into() {
            break;
        }
        found = SourcePosition::of(position as u64);
    }
    found
}

/// The index of the bytecode that a place in baseline code belongs to. The table has the length of the code of each bytecode, behind that of the function's
/// beginning.
pub fn bytecode_of_baseline(table: &[u8], place: u32) -> Option<usize> {
    let mut numbers = Numbers { rest: table };
    let mut end = numbers.unsigned()?;
    if u64::from(place) < end {
        return None;
    }
    for index in 0.. {
        end = end.checked_add(numbers.unsigned()?)?;
        if u64::from(place) < end {
            return Some(index);
        }
    }
    None
}

/// The offsets at which lines end in a source.
pub struct LineEnds {
    ends: Box<[u32]>,
    /// The number of characters.
    pub len: u32,
}

impl LineEnds {
    pub fn of(source: &[u16]) -> LineEnds {
        const RETURN: u16 = b'\r' as u16;
        const FEED: u16 = b'\n' as u16;
        let is_end = |&(at, &character): &(usize, &u16)| match character {
            FEED | 0x2028 | 0x2029 => true,
            RETURN => source.get(at + 1) != Some(&FEED),
            _ => false,
        };
        let ends = source.iter().enumerate().filter(is_end).map(|(at, _)| at as u32).collect();
        LineEnds { ends, len: source.len() as u32 }
    }

    /// The line of a place, counted from 0.
    pub fn line(&self, position: u32) -> Option<u32> {
        (position <= self.len).then(|| self.ends.partition_point(|&end| end < position) as u32)
    }

    /// The bytes that they take.
    pub fn size(&self) -> usize {
        size_of_val(&*self.ends)
    }
}
