//! Methods: their names, files and lines.

use crate::jit::hotspot::layout::{FileIndex, MethodLayout};
use crate::jit::hotspot::stream::line_at;
use crate::jit::hotspot::tables::{half, quarter, word};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use stride_event::{SourceLine, StackFrame, Symbol, ThreadMemory};

/// A method as its frames are shown.
#[derive(Debug)]
pub struct JavaMethod {
    /// The class and the method.
    pub name: Box<str>,
    pub file: Option<Box<str>>,
    /// Where its bytecode is.
    bytecode: u64,
    bytecode_size: u32,
    /// The table of lines, or as much of it as is known.
    lines: Box<[u8]>,
    identity: Identity,
    /// When it was last seen to be there.
    checked: Cell<Instant>,
}

/// The members that tell a method from another one that was at its address before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    constant: u64,
    pool: u64,
    name: u16,
    id: u16,
    code_size: u16,
}

/// Methods by their addresses.
#[derive(Default)]
pub struct KnownMethods {
    methods: FxHashMap<u64, Rc<JavaMethod>>,
    bytes: usize,
}

/// When there is more, all goes.
const MOST_METHODS: usize = 1 << 15;
const MOST_BYTES: usize = 16 << 20;
/// Methods go with their classes, which HotSpot seldom drops.
const RECENT: Duration = Duration::from_millis(100);
/// Longer names are cut.
const LONGEST_NAME: usize = 1024;
/// A table of lines has no more bytes.
const LARGEST_TABLE: usize = 256 << 10;
const HAS_LINES: u32 = 1;

impl KnownMethods {
    /// The method of a frame, with the index of its instruction, if the method was known a short time ago and the frame has a place in its bytecode.
    ///
    /// The place shows that the method still has its bytecode where it was, so nothing needs to be read, and the process may be over.
    pub fn running(&self, method: u64, bytecode: u64) -> Option<(&JavaMethod, u32)> {
        let known = self.methods.get(&method).filter(|known| known.checked.get().elapsed() < RECENT)?;
        Some((known, known.index(bytecode)?))
    }

    /// The method at an address. `None`: there is none.
    pub fn get(
        &mut self,
        layout: &MethodLayout,
        excess: u32,
        method: u64,
        memory: &mut dyn ThreadMemory,
    ) -> Option<Rc<JavaMethod>> {
        let identity = Identity::of(layout, method, memory)?;
        if let Some(known) = self.methods.get(&method).filter(|known| known.identity == identity) {
            known.checked.set(Instant::now());
            return Some(known.clone());
        }
        let found = Rc::new(JavaMethod::read(layout, excess, &identity, memory)?);
        // Members that were read late may be those of another method.
        if memory.begin_check() {
            let is_same = Identity::of(layout, method, memory) == Some(identity);
            memory.end_check();
            is_same.then_some(())?;
        }
        self.bytes += found.lines.len() + found.name.len() + size_of::<JavaMethod>();
        if self.methods.len() >= MOST_METHODS || self.bytes > MOST_BYTES {
            self.methods.clear();
            self.bytes = 0;
        }
        self.methods.insert(method, found.clone());
        Some(found)
    }
}

impl Identity {
    fn of(layout: &MethodLayout, method: u64, memory: &mut dyn ThreadMemory) -> Option<Identity> {
        let constant = aligned(word(method.wrapping_add(layout.constant), memory)?)?;
        Some(Identity {
            constant,
            pool: aligned(word(constant.wrapping_add(layout.pool), memory)?)?,
            name: quarter(constant.wrapping_add(layout.name), memory)?,
            id: quarter(constant.wrapping_add(layout.id), memory)?,
            code_size: quarter(constant.wrapping_add(layout.code_size), memory)?,
        })
    }
}

/// An address of an object.
fn aligned(address: u64) -> Option<u64> {
    (address.is_multiple_of(8) && address > 4096 && address >> 47 == 0).then_some(address)
}

impl JavaMethod {
    fn read(
        layout: &MethodLayout,
        excess: u32,
        identity: &Identity,
        memory: &mut dyn ThreadMemory,
    ) -> Option<JavaMethod> {
        let &Identity { constant, pool, name, code_size, .. } = identity;
        let class = aligned(word(pool.wrapping_add(layout.pool_holder), memory)?)?;
        // The class and its constants belong together, which other memory does not have.
        (word(class.wrapping_add(layout.class_pool), memory)? == pool).then_some(())?;
        let len = half(pool.wrapping_add(layout.pool_len), memory)?;
        let constant_text = |index: u16, memory: &mut dyn ThreadMemory| {
            (index != 0 && u32::from(index) < len).then_some(())?;
            let entry = pool.wrapping_add(layout.pool_size + 8 * u64::from(index));
            symbol(layout, word(entry, memory)?, memory)
        };
        let method_name = constant_text(name, memory)?;
        let file = match layout.file {
            FileIndex::InPool(at) => pool.wrapping_add(at),
            FileIndex::InClass(at) => class.wrapping_add(at),
        };
        let file = constant_text(quarter(file, memory)?, memory);
        let class_name = class_name(&symbol(layout, word(class.wrapping_add(layout.class_name), memory)?, memory)?);
        let bytecode = constant.wrapping_add(layout.constant_size);
        let has_lines = half(constant.wrapping_add(layout.flags), memory)? & HAS_LINES != 0;
        let lines = if has_lines { table(bytecode.wrapping_add(code_size.into()), memory) } else { Box::default() };
        Some(JavaMethod {
            name: format!("{class_name}.{method_name}").into(),
            file: file.map(Into::into),
            bytecode,
            bytecode_size: code_size.into(),
            lines: if line_at(&lines, excess, 0).is_some() { lines } else { Box::default() },
            identity: *identity,
            checked: Cell::new(Instant::now()),
        })
    }

    /// The index of the instruction at an address. `None`: it is not of this method.
    pub fn index(&self, address: u64) -> Option<u32> {
        let index = address.checked_sub(self.bytecode)?;
        u32::try_from(index).ok().filter(|&index| index < self.bytecode_size)
    }

    pub fn has_index(&self, index: u32) -> bool {
        index < self.bytecode_size
    }

    /// The frame of the method that is at an instruction, or, in native methods, at none.
    pub fn frame(&self, excess: u32, index: Option<u32>) -> StackFrame {
        let line = index.and_then(|index| line_at(&self.lines, excess, index)).unwrap_or_default();
        let offset = index.unwrap_or_default().into();
        StackFrame {
            module: None,
            offset,
            symbol: Some(Symbol { name: self.name.clone(), offset }),
            source: self.file.as_ref().map(|file| SourceLine { file: file.clone(), line }),
            inlined: Box::default(),
        }
    }
}

/// The table of lines at an address, up to its end. It ends with a zero byte, but a number may have one, too.
fn table(address: u64, memory: &mut dyn ThreadMemory) -> Box<[u8]> {
    const FIRST: usize = 256;
    let mut bytes = Vec::new();
    let mut size = FIRST;
    // How long it is is not known, so more and more is read until its end is there.
    while size <= LARGEST_TABLE {
        bytes.resize(size, 0);
        let n = memory.read_now(address, &mut bytes).min(size);
        bytes.truncate(n);
        if n < size || table_end(&bytes).is_some() {
            break;
        }
        size *= 4;
    }
    bytes.truncate(table_end(&bytes).unwrap_or(0));
    bytes.into()
}

/// Where the table of lines ends.
fn table_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            0 => return Some(at + 1),
            // Two numbers of up to five bytes.
            0xff => {
                at += 1;
                for _ in 0..2 {
                    for place in 0..5 {
                        let byte = *bytes.get(at)?;
                        at += 1;
                        if byte < 192 || place == 4 {
                            break;
                        }
                    }
                }
            }
            _ => at += 1,
        }
    }
}

fn symbol(layout: &MethodLayout, symbol: u64, memory: &mut dyn ThreadMemory) -> Option<String> {
    let symbol = aligned(symbol)?;
    let len = usize::from(quarter(symbol.wrapping_add(layout.symbol_len), memory)?).min(LONGEST_NAME);
    let mut bytes = vec![0; len];
    (len > 0 && memory.read_now(symbol.wrapping_add(layout.symbol_text), &mut bytes) == len).then_some(())?;
    Some(java_text(&bytes))
}

/// Java's text: UTF-8, with the halves of characters that have two in UTF-16.
fn java_text(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut units: Vec<u16> = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, behind @ ..] = rest {
        let low = |place: usize| behind.get(place).map_or(0, |byte| u16::from(byte & 0x3f));
        let (unit, len) = match first {
            0..0x80 => (u16::from(*first), 0),
            0x80..0xe0 => (u16::from(first & 0x1f) << 6 | low(0), 1),
            _ => (u16::from(first & 0x0f) << 12 | low(0) << 6 | low(1), 2),
        };
        units.push(unit);
        rest = behind.get(len..).unwrap_or_default();
    }
    String::from_utf16_lossy(&units)
}

/// A class as Java itself shows it. A hidden class has an address behind its name, and other classes have no `+0x`.
fn class_name(name: &str) -> String {
    let name = name.replace('/', ".");
    match name.rsplit_once("+0x") {
        Some((class, address)) if address.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            format!("{class}/0x{address}")
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_classes() {
        assert_eq!(class_name("java/lang/Thread"), "java.lang.Thread");
        assert_eq!(class_name("Frames$$Lambda+0x00007f00"), "Frames$$Lambda/0x00007f00");
        assert_eq!(class_name("a+0xyz"), "a+0xyz");
    }

    #[test]
    fn text_of_java() {
        assert_eq!(java_text("größe".as_bytes()), "größe");
        // U+10348, as two halves.
        assert_eq!(java_text(&[b'a', 0xed, 0xa0, 0x80, 0xed, 0xbd, 0x88]), "a\u{10348}");
        assert_eq!(java_text(&[0xc0, 0x80, 0xff]).chars().count(), 2);
    }

    #[test]
    fn the_end_of_a_table() {
        assert_eq!(table_end(&[0xff, 0, 200, 0, 9, 0, 7]), Some(6));
        assert_eq!(table_end(&[9, 9]), None);
        assert_eq!(table_end(&[0xff, 255, 255]), None);
    }
}
