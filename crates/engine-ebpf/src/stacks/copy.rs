//! The copy of a stack that the kernel side could not name (`bpf/stack_copy.h`).

use crate::wire::{read, rec_stack, script_end, script_frame, script_piece, stack_part, stack_return};
use stride_event::{CodeKind, ScriptEnd, ScriptFrame, ScriptFrames};

const PAGE: u64 = 4096;

/// The registers of a thread, and the pages of its stack that existed.
pub struct StackCopy<'r> {
    pub place: rec_stack,
    /// The list of `stack_return`.
    pub returns: &'r [u8],
    /// The list of `script_frame`.
    pub script: &'r [u8],
    /// Each `script_piece`, with its bytes.
    pub pieces: &'r [u8],
    pub memory: &'r [u8],
}

impl<'r> StackCopy<'r> {
    /// The copy that a block of a record holds.
    pub fn of(bytes: &'r [u8]) -> Option<StackCopy<'r>> {
        let place: rec_stack = read(bytes)?;
        let returns = usize::try_from(place.watched).ok()?.checked_mul(size_of::<stack_return>())?;
        let script = usize::try_from(place.script_frames).ok()?.checked_mul(size_of::<script_frame>())?;
        let (returns, rest) = bytes[size_of::<rec_stack>()..].split_at_checked(returns)?;
        let (script, rest) = rest.split_at_checked(script)?;
        let (pieces, memory) = rest.split_at_checked(usize::try_from(place.script_pieces).ok()?)?;
        Some(StackCopy { place, returns, script, pieces, memory })
    }

    pub fn kind(&self) -> CodeKind {
        if self.place.is_32bit != 0 { CodeKind::I386 } else { CodeKind::X86_64 }
    }

    /// The frames of scripts. `None` if they were not looked at.
    pub fn script_frames(&self) -> Option<ScriptFrames> {
        const ENDS: [(script_end, ScriptEnd); 3] = [
            (script_end::SCRIPT_NO_FRAMES, ScriptEnd::NoFrames),
            (script_end::SCRIPT_REACHED, ScriptEnd::Reached),
            (script_end::SCRIPT_LIMIT, ScriptEnd::Limit),
        ];
        if self.place.script_end == script_end::SCRIPT_NOT_LOOKED_AT.0 {
            return None;
        }
        let end = ENDS.iter().find(|(end, _)| end.0 == self.place.script_end);
        let frame = |script_frame { code, place, identity, kind }| ScriptFrame { code, place, identity, kind };
        let frames = self.script.chunks_exact(size_of::<script_frame>()).filter_map(read::<script_frame>).map(frame);
        let end = end.map_or(ScriptEnd::Unreadable, |(_, end)| *end);
        Some(ScriptFrames { frames: frames.collect(), end, several: self.place.script_several != 0 })
    }

    /// The pieces of memory that name the code of scripts: their addresses and bytes.
    pub fn pieces(&self) -> impl Iterator<Item = (u64, &'r [u8])> {
        let mut rest = self.pieces;
        std::iter::from_fn(move || {
            let script_piece { address, len } = read(rest)?;
            let len = usize::try_from(len).ok()?;
            let bytes = rest.get(size_of::<script_piece>()..)?;
            let piece = bytes.get(..len)?;
            rest = bytes.get(len.checked_next_multiple_of(8)?..).unwrap_or_default();
            Some((address, piece))
        })
    }

    pub fn sp(&self) -> u64 {
        self.place.part[0].from
    }

    /// The word at an address as the program has written it, if it was copied: the kernel replaces the return addresses of functions whose
    /// return is watched by its own.
    pub fn word(&self, address: u64) -> Option<u64> {
        let word = self.word_now(address)?;
        if self.returns.is_empty() || word != self.place.trampoline {
            return Some(word);
        }
        let mut returns = self.returns.chunks_exact(size_of::<stack_return>()).filter_map(read::<stack_return>);
        Some(returns.find(|watched| watched.at == address).map_or(word, |watched| watched.address))
    }

    /// The word at an address as it is in memory.
    pub fn word_now(&self, address: u64) -> Option<u64> {
        let word = u64::from(self.kind().word());
        let mut rest = self.memory;
        for part in &self.place.part {
            let (of_part, behind) = rest.split_at_checked(size(part) as usize)?;
            if let Some(at) = position(part, address, word) {
                let mut bytes = [0; size_of::<u64>()];
                bytes[..word as usize].copy_from_slice(of_part.get(at as usize..)?.get(..word as usize)?);
                return Some(u64::from_le_bytes(bytes));
            }
            rest = behind;
        }
        None
    }
}

/// How many bytes were copied of a part.
fn size(part: &stack_part) -> u64 {
    let first = if part.pages & 1 != 0 { part.from % PAGE } else { 0 };
    u64::from(part.pages.count_ones()) * PAGE - first
}

/// The place of a word within the bytes of a part. All of the word is there.
fn position(part: &stack_part, address: u64, word: u64) -> Option<u64> {
    let first = part.from - part.from % PAGE;
    let has = |address: u64| {
        let page = address.checked_sub(first)? / PAGE;
        (page < u64::BITS.into() && part.pages >> page & 1 != 0).then_some(page)
    };
    let page = has(address).filter(|_| address >= part.from)?;
    has(address.checked_add(word - 1)?)?;
    let before = part.pages & ((1 << page) - 1);
    Some(size(&stack_part { from: part.from, pages: before }) + address - (first + page * PAGE).max(part.from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::bytes_of;

    /// The kernel's return address is replaced by the program's where the return is watched, and nowhere else.
    #[test]
    fn watched_returns() {
        const TRAMPOLINE: u64 = 0x7fff_f000;
        let mut place = rec_stack { trampoline: TRAMPOLINE, watched: 2, ..rec_stack::default() };
        place.part[0] = stack_part { from: 0x1fe0, pages: 1 };
        let memory: Vec<u8> =
            [TRAMPOLINE, 0x1234, TRAMPOLINE, TRAMPOLINE].into_iter().flat_map(u64::to_le_bytes).collect();
        // The function at the second place has returned, and other things are there now.
        let returns =
            [stack_return { at: 0x1fe0, address: 0x40_1000 }, stack_return { at: 0x1fe8, address: 0x40_2000 }];
        let copy = [bytes_of(&[place]), bytes_of(&returns), &memory].concat();
        let copy = StackCopy::of(&copy).unwrap();
        let words = |word: &dyn Fn(u64) -> Option<u64>| [0x1fe0, 0x1fe8, 0x1ff0, 0x1ff8].map(|at| word(at).unwrap());
        assert_eq!(words(&|at| copy.word(at)), [0x40_1000, 0x1234, TRAMPOLINE, TRAMPOLINE]);
        assert_eq!(words(&|at| copy.word_now(at)), [TRAMPOLINE, 0x1234, TRAMPOLINE, TRAMPOLINE]);
        // A record that is cut.
        let place = rec_stack { watched: u32::MAX, ..place };
        assert!(StackCopy::of(bytes_of(&[place])).is_none());
    }

    /// Words of 32-bit code have four bytes.
    #[test]
    fn narrow_words() {
        let mut place = rec_stack { is_32bit: 1, ..rec_stack::default() };
        place.part[0] = stack_part { from: 0x1ff8, pages: 1 };
        let copy = StackCopy { place, returns: &[], script: &[], pieces: &[], memory: &[1, 0, 0, 0, 2, 0, 0, 0x80] };
        assert_eq!([0x1ff8, 0x1ffc, 0x1ffd].map(|at| copy.word(at)), [Some(1), Some(0x8000_0002), None]);
    }

    /// A copy in which each word holds its own address.
    fn copy_of(parts: [stack_part; 2]) -> (rec_stack, Vec<u8>) {
        let mut memory = Vec::new();
        for part in parts {
            let first = part.from - part.from % PAGE;
            for page in (0..64).filter(|page| part.pages >> page & 1 != 0) {
                let start = (first + page * PAGE).max(part.from);
                memory.extend((start..first + (page + 1) * PAGE).step_by(8).flat_map(u64::to_le_bytes));
            }
        }
        (rec_stack { part: parts, ..rec_stack::default() }, memory)
    }

    #[test]
    fn words_are_found_where_they_were() {
        let low = stack_part { from: 0x7000_0ff0, pages: 0b1000_0101 };
        let high = stack_part { from: 0x9000_0010, pages: 1 << 63 | 0b110 };
        let (place, memory) = copy_of([low, high]);
        let copy = StackCopy { place, returns: &[], script: &[], pieces: &[], memory: &memory };
        let copied =
            [0x7000_0ff0, 0x7000_0ff8, 0x7000_2000, 0x7000_2ff8, 0x7000_7000, 0x9000_1000, 0x9000_2ff8, 0x9003_fff8];
        for address in copied {
            assert_eq!(copy.word(address), Some(address), "{address:x}");
        }
        // A word over two pages, of which both were copied.
        assert_eq!(copy.word(0x9000_1ffc), Some(0x9000_2000 << 32));
        // Below the stack pointer; pages that did not exist, also behind half a word; behind the last page.
        for address in [
            0x7000_0fe8,
            0x7000_1000,
            0x7000_0ffc,
            0x7000_3000,
            0x9000_0010,
            0x9000_0ff8,
            0x9003_ffff,
            0x9004_0000,
            u64::MAX,
        ] {
            assert_eq!(copy.word(address), None, "{address:x}");
        }
    }

    #[test]
    fn a_part_without_pages_is_none() {
        let (place, memory) = copy_of([stack_part { from: 0x1008, pages: 1 }, stack_part::default()]);
        let copy = StackCopy { place, returns: &[], script: &[], pieces: &[], memory: &memory };
        assert_eq!((copy.sp(), copy.word(0x1008), copy.word(0)), (0x1008, Some(0x1008), None));
        // A copy that was cut.
        assert_eq!(
            StackCopy { place, returns: &[], script: &[], pieces: &[], memory: &memory[..16] }.word(0x1008),
            None
        );
    }
}
