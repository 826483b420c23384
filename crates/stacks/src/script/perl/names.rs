//! The names of subs, and the lines and files of statements.

use crate::script::identity::{word, word_of};
use crate::script::known::NamesCode;
use crate::script::perl::identity::text_at;
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
pub fn source(statement: u64, memory: &mut dyn ThreadMemory) -> Option<SourceLine> {
    let line = number(statement, STATEMENT_LINE, memory)?;
    let file = word(statement.wrapping_add(STATEMENT_FILE.into()), memory)?;
    let (file, is_whole) = text_at(file, LONGEST_NAME, memory);
    is_whole.then_some(())?;
    // (The largest number stands for none.)
    let line = if line == u32::MAX { 0 } else { line };
    Some(SourceLine { file: String::from_utf8_lossy(&file).into(), line })
}

/// The name of a sub, with its package.
pub fn name(sub: u64, memory: &mut dyn ThreadMemory) -> Option<Box<str>> {
    let (kind, body) = value(sub, memory)?;
    if !matches!(kind & 0xff, CODE | CODE_OF_FORMAT) {
        return None;
    }
    let flags = u64::from(number(body, SUB_FLAGS, memory)?);
    let mut at = |member: u32| word(body.wrapping_add(member.into()), memory);
    let (package, name) = if flags & SUB_IS_NAMED != 0 {
        (at(SUB_PACKAGE)?, at(SUB_GLOB)?)
    } else {
        let glob = at(SUB_GLOB)?;
        if glob == 0 {
            return Some("(unknown)".into());
        }
        of_glob(named_glob(glob, memory)?, memory)?
    };
    let name = text(name, memory)?;
    if flags & SUB_IS_LEXICAL != 0 {
        return Some(name);
    }
    // The package of a sub may be gone.
    let package = package_name(package, memory)?.unwrap_or_else(|| "__ANON__".into());
    Some(format!("{package}::{name}").into())
}

/// The kind and the flags of a value, and its body.
fn value(at: u64, memory: &mut dyn ThreadMemory) -> Option<(u64, u64)> {
    let mut head = [0; 16];
    (at != 0 && memory.read(at, &mut head) == head.len()).then(|| (word_of(&head, FLAGS), word_of(&head, BODY)))
}

/// The glob whose name a glob has: another one, if it was made equal to that.
fn named_glob(glob: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let held = word(glob.wrapping_add(HELD.into()), memory)?;
    let named = (held != 0).then(|| word(held.wrapping_add(HELD_NAMED.into()), memory)).flatten();
    Some(named.filter(|&named| named != 0).unwrap_or(glob))
}

/// The package and the name of a glob.
fn of_glob(glob: u64, memory: &mut dyn ThreadMemory) -> Option<(u64, u64)> {
    let (kind, body) = value(glob, memory)?;
    let mut at = |member: u32| word(body.wrapping_add(member.into()), memory);
    if kind & 0xff == GLOB { Some((at(GLOB_PACKAGE)?, at(GLOB_NAME)?)) } else { None }
}

/// The name of a package, if it has one.
fn package_name(package: u64, memory: &mut dyn ThreadMemory) -> Option<Option<Box<str>>> {
    if package == 0 {
        return Some(None);
    }
    let (kind, body) = value(package, memory)?;
    if kind & 0xff != HASH || kind & HAS_NAMES == 0 {
        return Some(None);
    }
    let mut name = word(body.wrapping_add(PACKAGE_NAME.into()), memory)?;
    if number(body, PACKAGE_NAMES, memory)? != 0 {
        name = word(name, memory)?;
    }
    if name == 0 { Some(None) } else { text(name, memory).map(Some) }
}

/// A number of four bytes.
fn number(at: u64, member: u32, memory: &mut dyn ThreadMemory) -> Option<u32> {
    let mut bytes = [0; 4];
    (memory.read(at.wrapping_add(member.into()), &mut bytes) == 4).then_some(u32::from_le_bytes(bytes))
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
