//! Instructions of AArch64: four bytes each (Arm Architecture Reference Manual, C4.1).

use crate::isa::{Control, Isa, NamedAddress, Step, ValuePlace, ValueSource};

pub struct Arm64;

/// An instruction.
#[derive(Clone, Copy)]
pub struct Word {
    word: u32,
}

impl Word {
    fn bits(self, low: u32, count: u32) -> u32 {
        self.word >> low & ((1 << count) - 1)
    }

    /// A signed number of these bits.
    fn signed(self, low: u32, count: u32) -> i64 {
        let shift = 64 - count;
        ((u64::from(self.bits(low, count)) << shift) as i64) >> shift
    }

    fn is(self, mask: u32, value: u32) -> bool {
        self.word & mask == value
    }

    /// The register that a calculation, a load or a move writes.
    fn target(self) -> u8 {
        self.bits(0, 5) as u8
    }
}

impl Isa for Arm64 {
    type Instruction = Word;
    const NUMBER: ValuePlace = ValuePlace::Register(8);

    fn decode(code: &[u8], at: u64, _: bool, mut take: impl FnMut(Word, Step)) {
        // The page that each register had from the latest `adrp`.
        let mut pages = [None; 32];
        for (bytes, at) in code.as_chunks::<4>().0.iter().zip((at..).step_by(4)) {
            let word = Word { word: u32::from_le_bytes(*bytes) };
            let target = |low, count| at.wrapping_add_signed(word.signed(low, count) * 4);
            let flow = match word.word {
                0xd503_201f => Control::Nothing,
                _ if word.is(0xfc00_0000, 0x9400_0000) => Control::Call(Some(target(0, 26))),
                _ if word.is(0xfc00_0000, 0x1400_0000) => Control::Jump(Some(target(0, 26))),
                // b.cond, cbz and cbnz, tbz and tbnz
                _ if word.is(0xff00_0010, 0x5400_0000) || word.is(0x7e00_0000, 0x3400_0000) => {
                    Control::Branch(target(5, 19))
                }
                _ if word.is(0x7e00_0000, 0x3600_0000) => Control::Branch(target(5, 14)),
                _ if word.is(0xffff_fc1f, 0xd63f_0000) => Control::Call(None),
                _ if word.is(0xffff_fc1f, 0xd61f_0000) => Control::Jump(None),
                _ if word.is(0xffff_fc1f, 0xd65f_0000) || word.is(0xffff_0000, 0) => Control::Stop,
                0xd400_0001 => Control::Syscall,
                _ => Control::Next,
            };
            let from = word.bits(5, 5) as usize;
            let mut names = None;
            let mut page = None;
            if word.is(0x9f00_0000, 0x9000_0000) {
                let pages_away = word.signed(5, 19) << 2 | i64::from(word.bits(29, 2));
                page = Some((at & !0xfff).wrapping_add_signed(pages_away << 12));
            } else if word.is(0x9f00_0000, 0x1000_0000) {
                names = Some(NamedAddress::Address(
                    at.wrapping_add_signed(word.signed(5, 19) << 2 | i64::from(word.bits(29, 2))),
                ));
            } else if word.is(0xff80_0000, 0x9100_0000) {
                // add, with an unsigned number
                names = pages[from].map(|page: u64| NamedAddress::Address(page.wrapping_add(word.bits(10, 12).into())));
            } else if word.is(0xffc0_0000, 0xf940_0000) {
                // ldr of 64 bits, at an unsigned distance
                names = pages[from].map(|page| NamedAddress::Word(page.wrapping_add(8 * u64::from(word.bits(10, 12)))));
            }
            take(word, Step { at, next: at.wrapping_add(4), flow, names });
            match flow {
                Control::Call(_) => pages[..18].fill(None),
                // (Stores and branches have other things at these bits, and then a page is forgotten for nothing.)
                _ => pages[word.target() as usize] = page,
            }
        }
    }

    fn source(word: &Word, place: ValuePlace) -> ValueSource {
        let calls = word.is(0xfc00_0000, 0x9400_0000) || word.is(0xffff_fc1f, 0xd63f_0000);
        match place {
            ValuePlace::Register(register) if calls && register < 19 => ValueSource::Unknown,
            _ if calls => ValueSource::Untouched,
            // str of a register at an unsigned distance
            ValuePlace::Memory { base, offset } => {
                let is_store = word.is(0xbfc0_0000, 0xb900_0000);
                let size = if word.bits(30, 1) == 1 { 8 } else { 4 };
                let stored = i64::from(word.bits(10, 12)) * size;
                if is_store && word.bits(5, 5) as u8 == base && stored == offset {
                    return ValueSource::Copy(ValuePlace::Register(word.target()));
                }
                if writes_register(*word) == Some(base) { ValueSource::Unknown } else { ValueSource::Untouched }
            }
            ValuePlace::Register(register) if writes_register(*word) == Some(register) => {
                if word.is(0x7f80_0000, 0x5280_0000) {
                    // movz
                    return ValueSource::Constant(u64::from(word.bits(5, 16)) << (16 * word.bits(21, 2)));
                }
                if word.is(0x7fe0_ffe0, 0x2a00_03e0) {
                    // mov of a register, which is orr with the zero register
                    return match word.bits(16, 5) {
                        31 => ValueSource::Constant(0),
                        from => ValueSource::Copy(ValuePlace::Register(from as u8)),
                    };
                }
                if word.is(0xbfc0_0000, 0xb940_0000) {
                    let size = if word.bits(30, 1) == 1 { 8 } else { 4 };
                    return ValueSource::Copy(ValuePlace::Memory {
                        base: word.bits(5, 5) as u8,
                        offset: i64::from(word.bits(10, 12)) * size,
                    });
                }
                ValueSource::Unknown
            }
            ValuePlace::Register(_) => ValueSource::Untouched,
        }
    }

    fn is_argument(place: ValuePlace) -> bool {
        matches!(place, ValuePlace::Register(..8))
    }
}

/// The register that the instruction writes, if it is no store and no branch.
fn writes_register(word: Word) -> Option<u8> {
    let group = word.bits(25, 4);
    let is_branch = group >> 1 == 0b101;
    // Loads and stores have 1 in the lowest bit of the group's third one, and bit 22 set if they load.
    let is_store = group & 0b101 == 0b100 && word.bits(22, 1) == 0;
    (!is_branch && !is_store && word.target() != 31).then(|| word.target())
}
