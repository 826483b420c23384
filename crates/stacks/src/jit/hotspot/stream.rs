//! Numbers as HotSpot compresses them in its tables.

/// The form of compressed numbers.
///
/// A number has up to five bytes. Each byte that is not the last one has at least this value, and each has six bits more weight than the one before.
const LEAST_CONTINUED: u8 = 192;
const MOST_BYTES: u32 = 5;
const BITS: u32 = 6;

/// Reads compressed numbers.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    bytes: &'a [u8],
    /// The number that is added to each byte, so that no byte is 0: 1 in newer versions.
    excess: u32,
}

impl<'a> Stream<'a> {
    pub fn new(bytes: &'a [u8], excess: u32) -> Stream<'a> {
        Stream { bytes, excess }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    pub fn number(&mut self) -> Option<u32> {
        let mut sum = 0u32;
        for place in 0..MOST_BYTES {
            let byte = self.byte()?;
            let digit = u32::from(byte).checked_sub(self.excess)?;
            sum = sum.wrapping_add(digit.wrapping_shl(place * BITS));
            if byte < LEAST_CONTINUED {
                break;
            }
        }
        Some(sum)
    }

    /// A number with its sign in the last bit.
    pub fn signed(&mut self) -> Option<i32> {
        let number = self.number()?;
        Some((number >> 1) as i32 ^ -((number & 1) as i32))
    }
}

/// The line of the instruction of bytecode with this index, by a table of lines. `None`: the table does not end.
pub fn line_at(table: &[u8], excess: u32, index: u32) -> Option<u32> {
    const WITH_NUMBERS: u8 = 0xff;
    let mut stream = Stream::new(table, excess);
    let (mut at, mut line) = (0i32, 0i32);
    let mut best: Option<(i32, i32)> = None;
    let wanted = i32::try_from(index).ok()?;
    loop {
        match stream.byte()? {
            0 => break,
            WITH_NUMBERS => {
                at = at.wrapping_add(stream.signed()?);
                line = line.wrapping_add(stream.signed()?);
            }
            both => {
                at = at.wrapping_add((both >> 3).into());
                line = line.wrapping_add((both & 7).into());
            }
        }
        // (Entries need not be in the order of the instructions. The first one of several for an instruction counts.)
        if at <= wanted && best.is_none_or(|(best, _)| at > best) {
            best = Some((at, line));
        }
    }
    best.and_then(|(_, line)| u32::try_from(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compressed_numbers() {
        let all = |bytes: &[u8], excess| {
            let mut stream = Stream::new(bytes, excess);
            std::iter::from_fn(|| stream.number()).collect::<Vec<_>>()
        };
        assert_eq!(all(&[0, 191, 192, 0, 193, 1, 255], 0), [0, 191, 192, 257]);
        assert_eq!(all(&[1, 191, 192, 1, 193, 2, 0], 1), [0, 190, 191, 256]);
        assert_eq!(all(&[255; 5], 0).len(), 1);
        let mut stream = Stream::new(&[3, 4], 0);
        assert_eq!((stream.signed(), stream.signed(), stream.signed()), (Some(-2), Some(2), None));
    }

    #[test]
    fn tables_of_lines() {
        // Instruction 0: line 7; 3: line 8; 20: line 6.
        let table = [7, 3 << 3 | 1, 0xff, 34, 3, 0];
        for (at, line) in [(0, 7), (2, 7), (3, 8), (19, 8), (20, 6), (1000, 6)] {
            assert_eq!(line_at(&table, 0, at), Some(line), "{at}");
        }
        assert_eq!(line_at(&[0], 0, 3), None);
        assert_eq!(line_at(&table[..5], 0, 3), None, "no end");
    }
}
