//! The names of subs, and the lines and files of statements.

use crate::script::known::NamesCode;
use crate::script::perl::identity::{number, text_at, word_in};
use crate::script::perl::versions::*;
use stride_event::{SourceLine, ThreadMemory};

impl NamesCode for Box<str> {
    fn is_whole(&self) -> bool {
        true
    }

    fn bytes(&self) -> usize {
        self.len()
    }
}

impl NamesCode for SourceLine {
    fn is_whole(&self) -> bool {
        true
    }

    fn bytes(&self) -> usize {
        self.file.len()
    }
}

/// Longer names are cut.
const LONGEST_NAME: usize = 1024;

/// The file and the line of a statement.
pub fn source(offsets: &Offsets, statement: u64, memory: &mut dyn ThreadMemory) -> Option<SourceLine> {
    let line = number(statement, offsets.statement_line, memory)?;
    let file = word_in(offsets, statement, offsets.statement_file, memory)?;
    let (file, is_whole) = text_at(file, LONGEST_NAME, memory);
    is_whole.then_some(())?;
    // (The largest number stands for none.)
    let line = if line == u32::MAX { 0 } else { line };
    Some(SourceLine { file: String::from_utf8_lossy(&file).into(), line })
}

/// The name of a sub, with its package.
pub fn name(offsets: &Offsets, sub: u64, memory: &mut dyn ThreadMemory) -> Option<Box<str>> {
    let (kind, body) = value(offsets, sub, memory)?;
    if !matches!(kind & 0xff, CODE | CODE_OF_FORMAT) {
        return None;
    }
    let flags = number(body, offsets.sub_flags, memory)?;
    let mut at = |member: u32| word_in(offsets, body, member, memory);
    let (package, name) = if flags & SUB_IS_NAMED != 0 {
        (at(offsets.sub_package)?, at(offsets.sub_glob)?)
    } else {
        let glob = at(offsets.sub_glob)?;
        if glob == 0 {
            return Some("(unknown)".into());
        }
        of_glob(offsets, named_glob(offsets, glob, memory)?, memory)?
    };
    let name = text(name, memory)?;
    if flags & SUB_IS_LEXICAL != 0 {
        return Some(name);
    }
    // The package of a sub may be gone.
    let package = package_name(offsets, package, memory)?.unwrap_or_else(|| "__ANON__".into());
    Some(format!("{package}::{name}").into())
}

/// The kind and the flags of a value, and its body.
fn value(offsets: &Offsets, at: u64, memory: &mut dyn ThreadMemory) -> Option<(u32, u64)> {
    if at == 0 {
        return None;
    }
    Some((number(at, offsets.flags, memory)?, word_in(offsets, at, BODY, memory)?))
}

/// The glob whose name a glob has: another one, if it was made equal to that.
fn named_glob(offsets: &Offsets, glob: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let held = word_in(offsets, glob, offsets.held, memory)?;
    let named = (held != 0).then(|| word_in(offsets, held, offsets.held_named, memory)).flatten();
    Some(named.filter(|&named| named != 0).unwrap_or(glob))
}

/// The package and the name of a glob.
fn of_glob(offsets: &Offsets, glob: u64, memory: &mut dyn ThreadMemory) -> Option<(u64, u64)> {
    let (kind, body) = value(offsets, glob, memory)?;
    let mut at = |member: u32| word_in(offsets, body, member, memory);
    if kind & 0xff == GLOB { Some((at(offsets.glob_package)?, at(offsets.glob_name)?)) } else { None }
}

/// The name of a package, if it has one.
fn package_name(offsets: &Offsets, package: u64, memory: &mut dyn ThreadMemory) -> Option<Option<Box<str>>> {
    if package == 0 {
        return Some(None);
    }
    let (kind, body) = value(offsets, package, memory)?;
    if kind & 0xff != HASH || kind & HAS_NAMES == 0 {
        return Some(None);
    }
    let mut name = word_in(offsets, body, offsets.package_name, memory)?;
    if number(body, offsets.package_names, memory)? != 0 {
        name = word_in(offsets, name, 0, memory)?;
    }
    if name == 0 { Some(None) } else { text(name, memory).map(Some) }
}

/// The text of a name.
fn text(name: u64, memory: &mut dyn ThreadMemory) -> Option<Box<str>> {
    if name == 0 {
        return None;
    }
    let len = number(name, NAME_LEN, memory)? as i32;
    let len = usize::try_from(len).ok().filter(|&len| len <= LONGEST_NAME)?;
    // (A zero byte and the flags are behind the text.)
    let mut bytes = vec![0; len + 2];
    (memory.read(name.wrapping_add(NAME_TEXT.into()), &mut bytes) == bytes.len()).then_some(())?;
    let is_utf8 = bytes[len + 1] & NAME_IS_UTF8 != 0;
    let text = &bytes[..len];
    Some(if is_utf8 {
        String::from_utf8_lossy(text).into()
    } else {
        text.iter().copied().map(char::from).collect::<String>().into()
    })
}
