//! Where versions of CPython from 3.13 on keep their frames and code: `_PyRuntime` begins with a table of offsets (`_Py_DebugOffsets`), which debuggers are
//! meant to use.
//!
//! The table has a group for each kind of object: the object's size, and the offsets of some members. New versions add members to groups, and groups. So only the
//! places of groups depend on the version.

use crate::script::python::versions::{BYTES, OWNED_BY_C_STACK, Version};
use crate::script::walk::word_of;
use stride_event::ScriptLayout;

/// The size of the table, as far as it is read.
pub const DEBUG_OFFSETS: usize = 648;

/// Where the table of a version has the groups that are needed.
struct Groups {
    minor: u8,
    thread: u32,
    frame: u32,
    code: u32,
    string: u32,
}

const VERSIONS: [Groups; 2] = [
    Groups { minor: 13, thread: 152, frame: 224, code: 272, string: 536 },
    Groups { minor: 14, thread: 176, frame: 248, code: 312, string: 616 },
];

/// The places of groups that all versions have in common.
const RUNTIME: u32 = 24;
const INTERPRETER: u32 = 48;

struct Table<'a>(&'a [u8]);

impl<'a> Table<'a> {
    fn of(bytes: &'a [u8]) -> Option<Table<'a>> {
        (bytes.starts_with(b"xdebugpy") && bytes.len() >= DEBUG_OFFSETS).then_some(Table(bytes))
    }

    fn number(&self, at: u32) -> u64 {
        word_of(self.0, at)
    }

    /// The major and the minor version.
    fn version(&self) -> (u8, u8) {
        let version = self.number(8);
        ((version >> 24) as u8, (version >> 16) as u8)
    }

    fn is_free_threaded(&self) -> bool {
        self.number(16) != 0
    }

    /// The nth offset of a group. One beyond its object or beyond the first MiB is not believed.
    fn offset(&self, group: u32, n: u32) -> Option<u32> {
        const LARGEST: u64 = 1 << 20;
        let offset = self.number(group + 8 * n);
        u32::try_from(offset).ok().filter(|_| offset < self.number(group).min(LARGEST))
    }
}

/// True if the version with these debug offsets has no global lock.
pub fn is_free_threaded(bytes: &[u8]) -> bool {
    Table::of(bytes).is_some_and(|table| table.is_free_threaded())
}

/// The version that has these debug offsets.
pub fn version(bytes: &[u8]) -> Option<Version> {
    let table = Table::of(bytes)?;
    let (3, minor) = table.version() else { return None };
    let groups = VERSIONS.iter().find(|groups| groups.minor == minor).filter(|_| !table.is_free_threaded())?;
    let in_code = |n| table.offset(groups.code, n);
    let (file, name, lines, first_line) = (in_code(1)?, in_code(3)?, in_code(4)?, in_code(5)?);
    let constant = first_line & !7;
    let constant_words = (lines + 8).checked_sub(constant)? / 8;
    let is_constant = |at: u32| (constant..constant + 8 * constant_words).contains(&at);
    if constant_words as usize > ScriptLayout::CONSTANT_WORDS || ![file, name].into_iter().all(is_constant) {
        return None;
    }
    let within = |bytes: usize| move |offset: &u32| *offset as usize <= bytes - 8;
    let in_thread = |n| table.offset(groups.thread, n).filter(within(ScriptLayout::THREAD));
    let in_frame = |n| table.offset(groups.frame, n).filter(within(ScriptLayout::FRAME));
    // (The last one is the size of what is in front of the text of ASCII strings.)
    let ascii = table.offset(groups.string, 3)?;
    Some(Version {
        minor,
        layout: ScriptLayout {
            interpreters: table.offset(RUNTIME, 2)?.into(),
            next_interpreter: table.offset(INTERPRETER, 2)?,
            threads: table.offset(INTERPRETER, 3)?,
            next_thread: in_thread(2)?,
            thread_pointer: in_thread(5)?,
            innermost: in_thread(4)?,
            innermost_there: ScriptLayout::NONE,
            caller: in_frame(1)?,
            code: in_frame(2)?,
            place: in_frame(3)?,
            is_place_short: 0,
            kind: in_frame(5)?,
            without_code: OWNED_BY_C_STACK,
            constant,
            constant_words,
            contents: [file, name, lines],
            content_data: [ascii, ascii, BYTES],
            compares_contents: 0,
            ..ScriptLayout::LISTED
        },
        first_line,
        file,
        name,
        lines,
        instructions: in_code(9)?,
        ascii,
        text: ascii + 16,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of a build of 3.14.3, as far as it is read: pairs of a place and a number. The rest is 0.
    const V3_14_3: [(usize, u64); 24] = [
        (8, 0x30e_03f0),
        (24, 316_576),
        (40, 808),
        (48, 225_824),
        (64, 7272),
        (72, 7344),
        (80, 7360),
        (176, 824),
        (192, 8),
        (208, 72),
        (216, 152),
        (248, 88),
        (256, 8),
        (272, 56),
        (288, 74),
        (312, 216),
        (320, 112),
        (328, 120),
        (336, 128),
        (344, 136),
        (352, 68),
        (384, 208),
        (616, 64),
        (640, 40),
    ];

    fn table(changes: &[(usize, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; DEBUG_OFFSETS];
        bytes[..8].copy_from_slice(b"xdebugpy");
        for &(at, number) in V3_14_3.iter().chain(changes) {
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn offsets_of_3_14() {
        let version = version(&table(&[])).unwrap();
        let layout = version.layout;
        assert_eq!((version.minor, version.instructions, version.ascii, version.text), (14, 208, 40, 56));
        assert_eq!((layout.interpreters, layout.next_interpreter, layout.threads), (808, 7272, 7344));
        assert_eq!((layout.next_thread, layout.thread_pointer, layout.innermost), (8, 152, 72));
        assert_eq!((layout.caller, layout.code, layout.place, layout.kind), (8, 0, 56, 74));
        assert_eq!((layout.constant, layout.constant_words, layout.contents), (64, 10, [112, 128, 136]));
        assert!(!is_free_threaded(&table(&[])));
    }

    #[test]
    fn tables_that_are_not_believed() {
        let is_known = |changes: &[(usize, u64)]| version(&table(changes)).is_some();
        assert!(is_known(&[]));
        // Another version, a build without a global lock, and one that tells another beginning.
        assert!(!is_known(&[(8, 0x30f_00f0)]) && !is_known(&[(8, 0x40e_00f0)]) && !is_known(&[(0, 1)]));
        assert!(!is_known(&[(16, 1)]) && is_free_threaded(&table(&[(16, 1)])));
        // Offsets beyond the object, beyond what is read of it, and none at all.
        assert!(
            !is_known(&[(64, 225_824)]) && !is_known(&[(208, 816)]) && !is_known(&[(64, u64::MAX), (48, u64::MAX)])
        );
        assert!(!is_known(&[(344, 0)]) && !is_known(&[(320, 8)]));
        assert!(version(&table(&[])[..DEBUG_OFFSETS - 1]).is_none() && version(&[]).is_none());
    }
}
