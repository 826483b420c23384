//! The part of a function that is rarely executed. Compilers put it elsewhere, and only the full table of symbols has its name (`name.cold`), which stripped
//! files lack.

use crate::elf::Elf;
use std::ops::Range;

/// The other part of such a function.
#[derive(Debug)]
pub struct HotCode {
    pub name: &'static str,
    start: u64,
    code: Vec<u8>,
}

/// Larger functions are not looked at.
const LARGEST: u64 = 4 << 20;

impl HotCode {
    pub fn load(elf: &Elf, name: &'static str, at: Range<u64>) -> Option<HotCode> {
        let len = (at.end - at.start).min(LARGEST);
        Some(HotCode { name, start: at.start, code: elf.loaded(at.start, usize::try_from(len).ok()?)? })
    }

    pub fn contains(&self, address: u64) -> bool {
        (self.start..self.start + self.code.len() as u64).contains(&address)
    }

    /// True if several jumps lead from here to the inside of another piece of code. Nothing jumps to the inside of a function but the function itself.
    pub fn leads_into(&self, piece: &Range<u64>) -> bool {
        const FEW: usize = 2;
        let is_inside = |target: u64| piece.start < target && target < piece.end;
        let jump = |(at, bytes): (usize, &[u8])| {
            // jcc with 32 bits
            let &[0x0f, 0x80..=0x8f, a, b, c, d] = bytes else { return None };
            let next = self.start.wrapping_add(at as u64 + 6);
            Some(next.wrapping_add_signed(i32::from_le_bytes([a, b, c, d]).into()))
        };
        !self.contains(piece.start)
            && self.code.windows(6).enumerate().filter_map(jump).filter(|&target| is_inside(target)).take(FEW).count()
                == FEW
    }

    /// The number of bytes held.
    pub fn size(&self) -> usize {
        self.code.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_to_the_inside_of_another_piece() {
        // je +0x100; nop; jne +0x100; ret
        let code = vec![0x0f, 0x84, 0, 1, 0, 0, 0x90, 0x0f, 0x85, 0, 1, 0, 0, 0xc3];
        let hot = HotCode { name: "f", start: 0x1000, code };
        assert!(hot.leads_into(&(0x1100..0x1200)));
        // One leads to the start, as the last call of a function does; one leads behind the end.
        assert!(!hot.leads_into(&(0x1106..0x1200)));
        assert!(!hot.leads_into(&(0x1100..0x110d)));
        assert!(!hot.leads_into(&(0x1000..0x1200)), "the function itself");
    }
}
