//! What tells subs and statements from others that were at the same addresses before. The eBPF engine makes the same numbers in the kernel
//! (`bpf/script_contexts.h`).
//!
//! A number stands for what a name is made of: Perl's own hash of each text and its length, and the text of the file with the line.

use crate::script::perl::versions::*;
use crate::script::word_size::{word, word_of};
use stride_event::{MIX, ScriptLayout, ThreadMemory, mix};

/// The numbers of the sub and the statement that were looked at last: subs call themselves.
#[derive(Default)]
pub struct LastIdentities {
    sub: (u64, u64),
    statement: (u64, u64),
}

impl LastIdentities {
    /// The number of a frame. The upper half is that of the sub, and the lower half that of the statement. 0 in place of one that could not be read.
    pub fn of_frame(&mut self, offsets: &Offsets, sub: u64, statement: u64, memory: &mut dyn ThreadMemory) -> u64 {
        if sub != 0 && self.sub.0 != sub {
            self.sub = (sub, of_sub(offsets, sub, memory).unwrap_or_default());
        }
        if self.statement.0 != statement {
            self.statement = (statement, of_statement(offsets, statement, memory).unwrap_or_default());
        }
        let of_sub = if sub == 0 { 0 } else { self.sub.1 };
        of_sub << 32 | self.statement.1
    }
}

/// The lower half of a number that was mixed, which is not 0.
fn half(number: u64) -> u64 {
    number & u64::from(u32::MAX) | 1
}

/// Stands for the name of a sub and its package.
pub fn of_sub(offsets: &Offsets, sub: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let body = word_in(offsets, sub, BODY, memory)?;
    let flags = number(body, offsets.sub_flags, memory)? & (SUB_IS_NAMED | SUB_IS_LEXICAL);
    let mut name = word_in(offsets, body, offsets.sub_glob, memory)?;
    let mut package = word_in(offsets, body, offsets.sub_package, memory)?;
    if flags & SUB_IS_NAMED == 0 && name != 0 {
        let held = word_in(offsets, name, offsets.held, memory)?;
        let named = if held == 0 { None } else { word_in(offsets, held, offsets.held_named, memory) };
        let glob = named.filter(|&named| named != 0).unwrap_or(name);
        let body = word_in(offsets, glob, BODY, memory)?;
        name = word_in(offsets, body, offsets.glob_name, memory)?;
        package = word_in(offsets, body, offsets.glob_package, memory)?;
    }
    let number = mix(mix(MIX, flags.into()), of_name(name, memory)?);
    Some(half(mix(number, of_package(offsets, package, memory)?)))
}

fn of_package(offsets: &Offsets, package: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let mut name = 0;
    if package != 0 && number(package, offsets.flags, memory)? & HAS_NAMES != 0 {
        let body = word_in(offsets, package, BODY, memory)?;
        name = word_in(offsets, body, offsets.package_name, memory)?;
        if number(body, offsets.package_names, memory)? != 0 {
            name = word_in(offsets, name, 0, memory)?;
        }
    }
    Some(mix(MIX, of_name(name, memory)?))
}

/// The hash and the length of a name: four bytes each.
fn of_name(name: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    if name == 0 { Some(0) } else { word(name, memory) }
}

/// Stands for the file and the line of a statement.
pub fn of_statement(offsets: &Offsets, statement: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let line = number(statement, offsets.statement_line, memory)?;
    let file = word_in(offsets, statement, offsets.statement_file, memory)?;
    // (Of a longer name, one byte less than fits is looked at, and a zero byte is in its place.)
    const MOST: usize = 8 * ScriptLayout::CONTENT_WORDS - 1;
    let (mut bytes, is_whole) = text_at(file, MOST, memory);
    (is_whole || bytes.len() == MOST).then_some(())?;
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let words = bytes.chunks_exact(8);
    Some(half(words.fold(mix(MIX, line.into()), |number, word| mix(number, word_of(word, 0)))))
}

/// A member that is a word.
pub fn word_in(offsets: &Offsets, at: u64, member: u32, memory: &mut dyn ThreadMemory) -> Option<u64> {
    offsets.words.word(at.wrapping_add(member.into()), memory)
}

/// A member of four bytes.
pub fn number(at: u64, member: u32, memory: &mut dyn ThreadMemory) -> Option<u32> {
    let mut bytes = [0; 4];
    (memory.read(at.wrapping_add(member.into()), &mut bytes) == 4).then_some(u32::from_le_bytes(bytes))
}

/// The bytes of a text up to its zero byte, so many at most, and if these are all.
pub fn text_at(address: u64, most: usize, memory: &mut dyn ThreadMemory) -> (Vec<u8>, bool) {
    let mut bytes = vec![0; most];
    let mut known = memory.read_of_call(address, &mut bytes);
    let end = |bytes: &[u8]| bytes.iter().position(|&byte| byte == 0);
    if end(&bytes[..known]).is_none() {
        known = memory.read(address, &mut bytes);
    }
    let len = end(&bytes[..known]);
    bytes.truncate(len.unwrap_or(known));
    (bytes, len.is_some())
}
