//! What tells subs and statements from others that were at the same addresses before. The eBPF engine makes the same numbers in the kernel
//! (`bpf/script_contexts.h`).
//!
//! A number stands for what a name is made of: Perl's own hash of each text and its length, and the text of the file with the line.

use crate::script::identity::{word, word_of};
use crate::script::perl::versions::*;
use stride_event::{MIX, ScriptLayout, ThreadMemory, mix};

/// The numbers of the sub and the statement that were looked at last: subs call themselves.
#[derive(Default)]
pub struct LastIdentities {
    sub: (u64, u64),
    statement: (u64, u64),
}

impl LastIdentities {
    /// The number of a frame. The upper half is that of the sub, and the lower half that of the statement. 0 in place of one that could not be read.
    pub fn of_frame(&mut self, sub: u64, statement: u64, memory: &mut dyn ThreadMemory) -> u64 {
        if sub != 0 && self.sub.0 != sub {
            self.sub = (sub, of_sub(sub, memory).unwrap_or_default());
        }
        if self.statement.0 != statement {
            self.statement = (statement, of_statement(statement, memory).unwrap_or_default());
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
pub fn of_sub(sub: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let mut words = |at: u64, member: u32| word(at.wrapping_add(member.into()), memory);
    let body = words(sub, BODY)?;
    let flags = words(body, SUB_FLAGS & !7)? >> (SUB_FLAGS % 8 * 8);
    let flags = flags & (SUB_IS_NAMED | SUB_IS_LEXICAL);
    let (mut name, mut package) = (words(body, SUB_GLOB)?, words(body, SUB_PACKAGE)?);
    if flags & SUB_IS_NAMED == 0 && name != 0 {
        let held = words(name, HELD)?;
        let named = if held == 0 { None } else { words(held, HELD_NAMED) };
        let glob = named.filter(|&named| named != 0).unwrap_or(name);
        let body = words(glob, BODY)?;
        (name, package) = (words(body, GLOB_NAME)?, words(body, GLOB_PACKAGE)?);
    }
    let number = mix(mix(MIX, flags), of_name(name, memory)?);
    Some(half(mix(number, of_package(package, memory)?)))
}

fn of_package(package: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let mut words = |at: u64, member: u32| word(at.wrapping_add(member.into()), memory);
    let mut name = 0;
    if package != 0 && words(package, FLAGS & !7)? >> (FLAGS % 8 * 8) & HAS_NAMES != 0 {
        let body = words(package, BODY)?;
        name = words(body, PACKAGE_NAME)?;
        if words(body, PACKAGE_NAMES & !7)? >> (PACKAGE_NAMES % 8 * 8) != 0 {
            name = words(name, 0)?;
        }
    }
    Some(mix(MIX, of_name(name, memory)?))
}

/// The hash and the length of a name.
fn of_name(name: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    if name == 0 { Some(0) } else { word(name, memory) }
}

/// Stands for the file and the line of a statement.
pub fn of_statement(statement: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let mut words = |member: u32| word(statement.wrapping_add(member.into()), memory);
    let line = words(STATEMENT_LINE & !7)? >> (STATEMENT_LINE % 8 * 8);
    let file = words(STATEMENT_FILE)?;
    // (Of a longer name, one byte less than fits is looked at, and a zero byte is in its place.)
    const MOST: usize = 8 * ScriptLayout::CONTENT_WORDS - 1;
    let (mut bytes, is_whole) = text_at(file, MOST, memory);
    (is_whole || bytes.len() == MOST).then_some(())?;
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let words = bytes.chunks_exact(8);
    Some(half(words.fold(mix(MIX, line), |number, word| mix(number, word_of(word, 0)))))
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
