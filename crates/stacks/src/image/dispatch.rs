//! The function that runs scripts, in a file that lacks its name. A fast interpreter jumps from instruction to instruction through a table of addresses in its own code. No other
//! table leads so often into one function.

use crate::elf::Elf;
use crate::files::bytes::{u32_at, u64_at};
use std::ops::Range;

/// The fewest entries of such a table. Ruby has 200 instructions. Its second largest table, that of regular expressions, has 98.
const FEWEST: usize = 128;
/// Larger sections are not looked at.
const LARGEST: usize = 16 << 20;

/// The piece of code into which the largest table leads.
pub fn evaluation(elf: &Elf, piece: &dyn Fn(u64) -> Option<Range<u64>>) -> Option<Range<u64>> {
    let mut largest: Option<(usize, Range<u64>)> = None;
    let mut current: Option<(usize, Range<u64>)> = None;
    for address in addresses(elf)? {
        match &mut current {
            Some((entries, piece)) if piece.contains(&address) => *entries += 1,
            _ => current = piece(address).map(|piece| (1, piece)),
        }
        if let Some((entries, piece)) = &current
            && largest.as_ref().is_none_or(|(most, _)| entries > most)
        {
            largest = Some((*entries, piece.clone()));
        }
    }
    largest.filter(|(entries, _)| *entries >= FEWEST).map(|(_, piece)| piece)
}

/// The addresses in the tables that the loader adjusts, in their order: what the file has there, or what its relocations say.
fn addresses(elf: &Elf) -> Option<Vec<u64>> {
    const ENTRY: usize = 24;
    /// `R_X86_64_RELATIVE`
    const RELATIVE: u64 = 8;
    let tables = elf.section(b".data.rel.ro")?;
    let bytes = elf.bytes(tables, LARGEST)?;
    if elf.form.word == 4 {
        // (Relocations of 32 bits add to what the file has there.)
        return Some(bytes.chunks_exact(4).filter_map(|word| u32_at(word, 0)).map(u64::from).collect());
    }
    let mut words: Vec<u64> = bytes.chunks_exact(8).filter_map(|word| u64_at(word, 0)).collect();
    let relocations = elf.section(b".rela.dyn").and_then(|section| elf.bytes(section, LARGEST)).unwrap_or_default();
    for entry in relocations.chunks_exact(ENTRY) {
        let member = |at| u64_at(entry, at);
        let (Some(at), Some(RELATIVE), Some(address)) = (member(0), member(8), member(16)) else { continue };
        let Some(inside) = at.checked_sub(tables.address).filter(|inside| inside % 8 == 0) else { continue };
        if let Some(word) = usize::try_from(inside / 8).ok().and_then(|at| words.get_mut(at)) {
            *word = address;
        }
    }
    Some(words)
}
