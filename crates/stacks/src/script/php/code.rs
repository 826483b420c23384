//! Functions: their names and files.

use crate::script::known::NamesCode;
use crate::script::php::versions::{OF_PHP, STRING, TYPE};
use crate::script::word_size::WordSize;
use stride_event::{ScriptLayout, ThreadMemory};

pub struct FunctionNames {
    pub name: Box<str>,
    pub file: Box<str>,
}

impl NamesCode for FunctionNames {
    fn is_whole(&self) -> bool {
        true
    }

    fn bytes(&self) -> usize {
        self.name.len() + self.file.len()
    }
}

/// Longer names are not believed: the longest path has 4,096 bytes, and names of closures have a path in them.
const LONGEST_NAME: u64 = 1 << 13;

pub fn read(layout: &ScriptLayout, function: u64, memory: &mut dyn ThreadMemory) -> Option<FunctionNames> {
    let words = WordSize::of(layout);
    let mut pointer = |at: u32| words.word(function.wrapping_add(at.into()), memory);
    if !OF_PHP.contains(&(pointer(0)? & 0xff)) {
        return None;
    }
    let [class, name, file] = layout.contents;
    let (class, name, file) = (pointer(class)?, pointer(name)?, pointer(file)?);
    // The code of a whole file has no name.
    let name = if name == 0 { "{main}".into() } else { text(layout, name, memory)? };
    let name = if class == 0 {
        name
    } else {
        let [name_of_class, ..] = layout.content_there;
        let class = text(layout, words.word(class.wrapping_add(name_of_class.into()), memory)?, memory)?;
        // (The name of a class without a name goes on with the place where it is made, behind a zero byte.)
        format!("{}::{name}", class.split('\0').next().unwrap_or_default()).into()
    };
    Some(FunctionNames { name, file: text(layout, file, memory)? })
}

/// The text of a string. Anything else is not believed: another build of this version may have other offsets.
fn text(layout: &ScriptLayout, string: u64, memory: &mut dyn ThreadMemory) -> Option<Box<str>> {
    let words = WordSize::of(layout);
    if words.word(string.wrapping_add(TYPE.into()), memory)? & 0xf != STRING {
        return None;
    }
    let [bytes_at, ..] = layout.content_data;
    let len = words.word(string.wrapping_add(layout.content_size.into()), memory)?;
    let mut bytes = vec![0; usize::try_from(len).ok().filter(|_| len <= LONGEST_NAME)?];
    (memory.read(string.wrapping_add(bytes_at.into()), &mut bytes) == bytes.len()).then_some(())?;
    Some(String::from_utf8_lossy(&bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::php::versions::of_minor;
    use stride_event::ScriptFrames;

    /// Memory from address 0 on.
    struct Bytes(Vec<u8>);

    impl ThreadMemory for Bytes {
        fn word(&mut self, _: u64) -> Option<u64> {
            None
        }

        fn read(&mut self, address: u64, to: &mut [u8]) -> usize {
            let from = usize::try_from(address).ok().and_then(|from| self.0.get(from..)).unwrap_or_default();
            let len = from.len().min(to.len());
            to[..len].copy_from_slice(&from[..len]);
            len
        }

        fn script(&self, _: &ScriptLayout) -> Option<ScriptFrames> {
            None
        }
    }

    const FUNCTION: u64 = 0x100;
    const TEXT: usize = 0x300;
    const TEXT_OF_CLASS: usize = 0x400;
    const FILE: usize = 152;
    const CLASS: u32 = 16;
    const NAME: u32 = 8;
    const CLASS_NAME: u32 = 8;
    const LENGTH: u32 = 16;
    const BYTES: u32 = 24;

    /// A method of a class, in version 8.2.
    fn method() -> Bytes {
        let mut bytes = Bytes(vec![0; 0x500]);
        let mut word = |at: usize, value: u64| bytes.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
        let function = FUNCTION as usize;
        word(function, OF_PHP[0]);
        word(function + NAME as usize, TEXT as u64);
        word(function + CLASS as usize, 0x200);
        word(0x200 + CLASS_NAME as usize, TEXT_OF_CLASS as u64);
        word(function + FILE, TEXT as u64);
        for text in [TEXT, TEXT_OF_CLASS] {
            word(text, STRING << 32);
            word(text + LENGTH as usize, 3);
            word(text + BYTES as usize, u64::from_le_bytes(*b"run\0\0\0\0\0"));
        }
        bytes
    }

    fn named(mut bytes: Bytes) -> Option<String> {
        let names = read(&of_minor(2, 8).unwrap().layout, FUNCTION, &mut bytes)?;
        Some(format!("{} {}", names.name, names.file))
    }

    fn changed(at: usize, value: u64) -> Option<String> {
        let mut bytes = method();
        bytes.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
        named(bytes)
    }

    #[test]
    fn functions_that_make_no_sense() {
        let function = FUNCTION as usize;
        assert_eq!(named(method()).unwrap(), "run::run run");
        assert_eq!(changed(function + CLASS as usize, 0).unwrap(), "run run");
        assert_eq!(changed(function + NAME as usize, 0).unwrap(), "run::{main} run");
        let length = |text: usize, len: u64| (text + LENGTH as usize, len);
        for (at, value) in [
            // A function of C, no function at all, pointers to nothing and beyond the end.
            (function, 1),
            (function, 0x77),
            (function + NAME as usize, u64::MAX),
            (function + FILE, 0),
            (function + FILE, FUNCTION),
            (function + CLASS as usize, u64::MAX - 3),
            // Not a string, and strings that are too long.
            (TEXT, 7 << 32),
            length(TEXT, u64::MAX),
            length(TEXT_OF_CLASS, 0x200),
            length(TEXT, LONGEST_NAME + 1),
        ] {
            assert_eq!(changed(at, value), None, "{at:#x} {value:#x}");
        }
    }
}
