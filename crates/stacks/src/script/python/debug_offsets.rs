//! Where versions of CPython from 3.13 on keep their frames and code: `_PyRuntime` begins with a table of offsets (`_Py_DebugOffsets`), which debuggers are
//! meant to use.
//!
//! The table has a group for each kind of object: the object's size, and the offsets of some members. New versions add members to groups, and groups. So only the
//! places of groups depend on the version.

use crate::script::python::versions::{OWNED_BY_C_STACK, Version};
use crate::script::word_size::{WordSize, word_of};
use stride_event::{ScriptLayout, TaskLayout};

/// The size of the table, as far as it is read.
pub const DEBUG_OFFSETS: usize = 824;

/// Where the table of a version has the groups that are needed.
struct Groups {
    minor: u8,
    thread: u32,
    /// In the group of threads: which offset is that of the thread pointer.
    thread_pointer: u32,
    frame: u32,
    code: u32,
    object: u32,
    bytes: u32,
    string: u32,
    tasks: Option<TaskGroups>,
    /// These places hold for builds without a global lock, too.
    without_lock: bool,
}

/// The groups of what tasks have.
#[derive(Clone, Copy)]
struct TaskGroups {
    set: u32,
    generator: u32,
    /// Behind the state of a thread: so many words in front of the pointer to the task that it runs, and perhaps a frame.
    before_task: u32,
    has_frame: bool,
    /// The state of a coroutine behind the one in which it awaits something. (Without a global lock, there is one in between.)
    runs: u64,
    /// The value that a coroutine awaits is so many words in front of the end of its frame's values.
    awaited: u32,
}

const VERSIONS: [Groups; 3] = [
    Groups {
        minor: 13,
        thread: 152,
        thread_pointer: 5,
        frame: 224,
        code: 272,
        object: 352,
        bytes: 512,
        string: 536,
        tasks: None,
        without_lock: true,
    },
    // (Without a global lock, threads have copies of code, of which nothing is known here.)
    Groups {
        minor: 14,
        thread: 176,
        thread_pointer: 5,
        frame: 248,
        code: 312,
        object: 400,
        bytes: 592,
        string: 616,
        tasks: Some(TaskGroups { set: 496, generator: 664, before_task: 5, has_frame: false, runs: 0, awaited: 1 }),
        without_lock: false,
    },
    Groups {
        minor: 15,
        thread: 176,
        thread_pointer: 8,
        frame: 312,
        code: 376,
        object: 464,
        bytes: 688,
        string: 712,
        tasks: Some(TaskGroups { set: 592, generator: 792, before_task: 7, has_frame: true, runs: 3, awaited: 2 }),
        without_lock: false,
    },
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

/// The version that has these debug offsets, in programs whose words have this size. (The numbers in the table have 8 bytes always.)
pub fn version(bytes: &[u8], words: WordSize) -> Option<Version> {
    let word = words.bytes() as u32;
    let table = Table::of(bytes)?;
    let (3, minor) = table.version() else { return None };
    let is_known = |groups: &&Groups| groups.without_lock || !table.is_free_threaded();
    let groups = VERSIONS.iter().find(|groups| groups.minor == minor).filter(is_known)?;
    let in_code = |n| table.offset(groups.code, n);
    let (file, name, lines, first_line) = (in_code(1)?, in_code(3)?, in_code(4)?, in_code(5)?);
    let constant = first_line & !7;
    let constant_words = (lines + word).checked_sub(constant)? / 8;
    let is_constant = |at: u32| (constant..=(constant + 8 * constant_words).saturating_sub(word)).contains(&at);
    if constant_words as usize > ScriptLayout::CONSTANT_WORDS || ![file, name, lines].into_iter().all(is_constant) {
        return None;
    }
    let within = |bytes: usize| move |offset: &u32| *offset as usize <= words.part_of(bytes) - words.bytes();
    let in_thread = |n| table.offset(groups.thread, n).filter(within(ScriptLayout::THREAD));
    let in_frame = |n| table.offset(groups.frame, n).filter(within(ScriptLayout::FRAME));
    // (The last one is the size of what is in front of the text of ASCII strings.)
    let ascii = table.offset(groups.string, 3)?;
    let size = table.offset(groups.string, 2).filter(|&size| table.offset(groups.bytes, 1) == Some(size))?;
    let form = table.offset(groups.string, 1).filter(|&form| form <= LARGEST_HEAD)?;
    let bytes = table.offset(groups.bytes, 2)?;
    let tasks = groups.tasks.and_then(|of| tasks(&table, words, groups, of, ascii)).unwrap_or_default();
    let layout = ScriptLayout {
        narrow: u32::from(words == WordSize::FOUR),
        interpreters: table.offset(RUNTIME, 2)?.into(),
        next_interpreter: table.offset(INTERPRETER, 2)?,
        threads: table.offset(INTERPRETER, 3)?,
        next_thread: in_thread(2)?,
        thread_pointer: in_thread(groups.thread_pointer)?,
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
        content_data: [ascii, ascii, bytes],
        content_size: size,
        compares_contents: 0,
        ..ScriptLayout::LISTED
    };
    Some(Version {
        minor,
        layout: ScriptLayout { tasks, ..layout },
        first_line,
        file,
        name,
        lines,
        instructions: in_code(9)?,
        form,
        ascii,
        text: ascii + 2 * word,
        bytes,
    })
}

/// The most bytes of a string in front of its form.
const LARGEST_HEAD: u32 = 56;

/// The offsets of a task's members, which the module of tasks tells.
struct Task {
    awaited_by: u32,
    is_task: u32,
    by_several: u32,
    coroutine: u32,
    /// The last of what is looked at.
    name: u32,
}

/// The offsets of 3.14.
const TASK: Task = Task { awaited_by: 96, is_task: 108, by_several: 109, coroutine: 128, name: 136 };
/// The offsets of 3.14 in programs of 32 bits.
const TASK_NARROW: Task = Task { awaited_by: 48, is_task: 56, by_several: 57, coroutine: 68, name: 72 };

/// The offsets in what tasks have. Those in tasks are told by the module of tasks, and these are those of 3.14: a program that loads the module may be far ahead when Stride
/// looks. A task is believed only if one of the thread's frames is that of its coroutine.
fn tasks(table: &Table<'_>, words: WordSize, groups: &Groups, of: TaskGroups, ascii: u32) -> Option<TaskLayout> {
    let word = words.bytes() as u32;
    let task = if words == WordSize::FOUR { TASK_NARROW } else { TASK };
    let frame = table.offset(of.generator, 2)?;
    let values = table.offset(groups.frame, 6)?;
    let [code, place] = [table.offset(groups.frame, 2)?, table.offset(groups.frame, 3)?];
    let coroutine_bytes = frame + code.max(place).max(values) + word;
    let behind_thread = if of.has_frame { table.number(groups.frame) } else { 0 } + u64::from(of.before_task * word);
    let layout = TaskLayout {
        running: u32::try_from(table.number(groups.thread).checked_add(behind_thread)?).ok()?,
        task_bytes: task.name + word,
        awaited_by: task.awaited_by,
        is_task: task.is_task,
        by_several: task.by_several,
        coroutine: task.coroutine,
        name: task.name,
        coroutine_bytes,
        kind: table.offset(groups.object, 1)?,
        state: table.offset(of.generator, 3)?,
        runs: of.runs,
        awaited: (of.awaited * word).into(),
        frame,
        values,
        used: table.offset(of.set, 1)?,
        table: table.offset(of.set, 2)?,
        mask: table.offset(of.set, 3)?,
        ascii,
        ..TaskLayout::NONE
    };
    let is_within = [layout.kind, layout.state].into_iter().all(|at| at <= coroutine_bytes - word);
    (is_within && coroutine_bytes as usize <= TaskLayout::BYTES && ascii <= LARGEST_HEAD).then_some(layout)
}

/// The section in which the module of tasks tells where they are (`_AsyncioDebug`).
pub const OF_TASKS: &[u8] = b".AsyncioDebug";

/// Where tasks are, by that section and by what the interpreter tells.
pub fn of_tasks(known: &TaskLayout, words: WordSize, section: &[u8]) -> Option<TaskLayout> {
    /// The groups of tasks and of threads.
    const TASK: u32 = 0;
    const THREAD: u32 = 72;
    let table = Table(section.get(..104)?);
    let in_task = |n| table.offset(TASK, n);
    let [name, awaited_by, is_task, by_several, coroutine] =
        [in_task(1)?, in_task(2)?, in_task(3)?, in_task(4)?, in_task(5)?];
    let task_bytes = [name, awaited_by, is_task, by_several, coroutine].into_iter().max()? + words.bytes() as u32;
    let is_known = known.coroutine_bytes != 0 && task_bytes as usize <= TaskLayout::BYTES;
    let running = table.offset(THREAD, 2)?;
    is_known.then_some(TaskLayout { running, task_bytes, awaited_by, by_several, is_task, name, coroutine, ..*known })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::python::known_tables::{narrow_table, table, table_of_3_15};

    const WIDE: WordSize = WordSize::EIGHT;

    /// The section of the module of tasks: pairs of a place and a number.
    const TASKS: [(usize, u64); 8] =
        [(0, 168), (8, 136), (16, 96), (24, 108), (32, 109), (40, 128), (72, 936), (88, 872)];

    #[test]
    fn offsets_of_3_14() {
        let version = version(&table(&[]), WIDE).unwrap();
        let layout = version.layout;
        assert_eq!((version.minor, version.instructions, version.ascii, version.text), (14, 208, 40, 56));
        assert_eq!((layout.interpreters, layout.next_interpreter, layout.threads), (808, 7272, 7344));
        assert_eq!((layout.next_thread, layout.thread_pointer, layout.innermost), (8, 152, 72));
        assert_eq!((layout.caller, layout.code, layout.place, layout.kind), (8, 0, 56, 74));
        assert_eq!((layout.constant, layout.constant_words, layout.contents), (64, 10, [112, 128, 136]));
        assert!(!is_free_threaded(&table(&[])));
    }

    /// Groups are elsewhere, threads tell their pointer by another offset, and a frame lies between the state of a thread and its task.
    #[test]
    fn offsets_of_3_15() {
        let version = version(&table_of_3_15(&[]), WIDE).unwrap();
        let layout = version.layout;
        assert_eq!((version.minor, version.instructions, version.ascii, version.text), (15, 208, 40, 56));
        assert_eq!((layout.interpreters, layout.next_interpreter, layout.threads), (936, 7264, 7336));
        assert_eq!((layout.next_thread, layout.thread_pointer, layout.innermost), (8, 176, 72));
        assert_eq!((layout.caller, layout.code, layout.place, layout.kind), (8, 0, 56, 74));
        assert_eq!((layout.constant, layout.constant_words, layout.contents), (64, 10, [112, 128, 136]));
        let tasks = layout.tasks;
        assert_eq!((tasks.running, tasks.state, tasks.runs, tasks.awaited), (888 + 88 + 7 * 8, 67, 3, 16));
        assert_eq!((tasks.used, tasks.table, tasks.mask), (24, 40, 32));
        assert!(super::version(&table_of_3_15(&[(16, 1)]), WIDE).is_none(), "without a global lock");
    }

    fn tasks(changes: &[(usize, u64)]) -> Option<TaskLayout> {
        let mut bytes = vec![0; 104];
        for &(at, number) in TASKS.iter().chain(changes) {
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        of_tasks(&version(&table(&[]), WIDE)?.layout.tasks, WIDE, &bytes)
    }

    #[test]
    fn offsets_of_tasks() {
        let layout = tasks(&[]).unwrap();
        // They are as expected, but for the size of a thread, which was another then.
        let expected = version(&table(&[(176, 832)]), WIDE).unwrap().layout.tasks;
        assert_eq!(layout, expected);
        assert_eq!((layout.running, layout.task_bytes, layout.coroutine_bytes), (872, 144, 144));
        assert_eq!((layout.name, layout.awaited_by, layout.coroutine), (136, 96, 128));
        assert_eq!((layout.is_task, layout.by_several), (108, 109));
        assert_eq!((layout.kind, layout.state, layout.frame, layout.values, layout.ascii), (8, 67, 72, 64, 40));
        assert_eq!((layout.used, layout.table, layout.mask), (24, 40, 32));
        // Beyond the task, beyond what is read of it, beyond the thread; and another version of Python, which tells nothing of tasks.
        assert!(
            tasks(&[(8, 168)]).is_none() && tasks(&[(0, 400), (8, 300)]).is_none() && tasks(&[(88, 936)]).is_none()
        );
        assert!(of_tasks(&TaskLayout::NONE, WIDE, &[0; 104]).is_none() && of_tasks(&layout, WIDE, &[1; 103]).is_none());
        let of_interpreter = |changes: &[(usize, u64)]| version(&table(changes), WIDE).unwrap().layout.tasks;
        assert_eq!(of_interpreter(&[(680, 159)]), TaskLayout::NONE);
        assert_eq!(of_interpreter(&[(688, 160)]), TaskLayout::NONE);
    }

    /// In programs of 32 bits, the table has the same places, and tells other offsets.
    #[test]
    fn offsets_of_3_14_of_32_bits() {
        const NARROW: WordSize = WordSize::FOUR;
        let version = version(&narrow_table(&[]), NARROW).unwrap();
        let layout = version.layout;
        assert_eq!((version.minor, version.instructions, version.ascii, version.text), (14, 128, 20, 28));
        assert_eq!((layout.narrow, layout.interpreters, layout.next_interpreter, layout.threads), (1, 792, 3648, 3696));
        assert_eq!((layout.next_thread, layout.thread_pointer, layout.innermost), (4, 92, 52));
        assert_eq!((layout.caller, layout.code, layout.place, layout.kind), (4, 0, 28, 38));
        assert_eq!((layout.constant, layout.constant_words, layout.contents), (40, 7, [80, 88, 92]));
        assert_eq!((layout.content_data, layout.content_size), ([20, 20, 16], 8));
        let tasks = layout.tasks;
        assert_eq!((tasks.running, tasks.task_bytes, tasks.coroutine_bytes), (720, 76, 72));
        // The module of tasks tells the same.
        let numbers = [88, 72, 48, 56, 57, 68, 80, 115_440, 5648, 752, 716, 720, 724_u64];
        let section: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        assert_eq!(of_tasks(&tasks, NARROW, &section).unwrap(), tasks);
        // Not among the constant words; beyond what is read of a thread and of a frame.
        assert!(super::version(&narrow_table(&[(344, 96)]), NARROW).is_none());
        assert!(super::version(&narrow_table(&[(216, 93)]), NARROW).is_none());
        assert!(super::version(&narrow_table(&[(248, 100), (272, 53)]), NARROW).is_none());
        assert!(super::version(&narrow_table(&[(248, 100), (272, 52)]), NARROW).is_some());
    }

    /// Builds without a global lock have larger objects.
    #[test]
    fn offsets_of_3_13_without_lock() {
        let changes = [
            (8, 0x30d_05f0),
            (16, 1),
            (152, 400),
            (168, 8),
            (184, 72),
            (192, 152),
            (224, 80),
            (232, 8),
            (248, 56),
            (264, 70),
            (272, 248),
            (280, 136),
            (296, 152),
            (304, 160),
            (312, 92),
            (344, 232),
            (512, 64),
            (520, 32),
            (528, 48),
            (536, 80),
            (544, 48),
            (552, 32),
            (560, 56),
        ];
        let version = version(&table(&changes), WIDE).unwrap();
        assert_eq!((version.form, version.ascii, version.text, version.bytes), (48, 56, 72, 48));
        assert_eq!((version.layout.content_size, version.layout.content_data), (32, [56, 56, 48]));
        assert_eq!(version.layout.tasks, TaskLayout::NONE);
    }

    #[test]
    fn tables_that_are_not_believed() {
        let is_known = |changes: &[(usize, u64)]| version(&table(changes), WIDE).is_some();
        assert!(is_known(&[]));
        // Another version, a build without a global lock, and one that tells another beginning.
        assert!(!is_known(&[(8, 0x30f_00f0)]) && !is_known(&[(8, 0x40e_00f0)]) && !is_known(&[(0, 1)]));
        assert!(!is_known(&[(16, 1)]) && is_free_threaded(&table(&[(16, 1)])));
        // Offsets beyond the object, beyond what is read of it, and none at all.
        assert!(
            !is_known(&[(64, 225_824)]) && !is_known(&[(208, 816)]) && !is_known(&[(64, u64::MAX), (48, u64::MAX)])
        );
        assert!(!is_known(&[(344, 0)]) && !is_known(&[(320, 8)]));
        assert!(version(&table(&[])[..DEBUG_OFFSETS - 1], WIDE).is_none() && version(&[], WIDE).is_none());
    }
}
