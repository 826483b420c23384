//! The frames of scripts: functions that an interpreter runs, which have no frame of their own on the native stack.
//!
//! An interpreter keeps a list of such frames for each thread. Where it does is told by a [`ScriptLayout`] in plain numbers, so that an engine can copy the list
//! at the moment of a call, also in the kernel, and needs to know no language.

/// Where a run-time system keeps the frames of its threads. All offsets are in bytes.
///
/// A list of interpreters has a list of threads each, and a thread has a list of frames, the innermost first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ScriptLayout {
    /// The address of the pointer to the first interpreter; that of the thread itself, if the run-time system has one alone.
    pub interpreters: u64,
    /// In an interpreter: the pointer to the next one. [`ScriptLayout::NONE`] if there is one alone.
    pub next_interpreter: u32,
    /// In an interpreter: the pointer to its first thread.
    pub threads: u32,
    /// In a thread: the pointer to the next one. The list may end where it began.
    pub next_thread: u32,
    /// In a thread: its thread pointer (`pthread_self`). [`ScriptLayout::NONE`] if the run-time system has one thread.
    pub thread_pointer: u32,
    /// In what the thread points to: the thread pointer. [`ScriptLayout::NONE`] if the thread has it.
    pub thread_pointer_there: u32,
    /// In a thread: the pointer to its innermost frame, or to what has that pointer.
    pub innermost: u32,
    /// In what the thread points to: the pointer to the innermost frame. [`ScriptLayout::NONE`] if the thread has it.
    pub innermost_there: u32,
    /// In a frame: the pointer to the frame that called it.
    pub caller: u32,
    /// The frames lie behind one another, and each has so many bytes. 0 if they have pointers to their callers.
    pub frame_size: u32,
    /// In a frame: the pointer to the code that it runs.
    pub code: u32,
    /// In what the frame points to: the pointer to what the words of code are in. [`ScriptLayout::NONE`] if they are there.
    pub code_there: u32,
    /// In a frame: the place in the code, or the pointer to what has the place.
    pub place: u32,
    /// In what the frame points to: the place. [`ScriptLayout::NONE`] if the frame has it.
    pub place_there: u32,
    /// The place has 4 bytes, and not 8.
    pub is_place_short: u32,
    /// In a frame: two bytes that tell its kind. [`ScriptLayout::NONE`] if all are of one kind.
    pub kind: u32,
    /// In what the frame points to: four bytes that tell its kind. [`ScriptLayout::NONE`] if the frame has it.
    pub kind_there: u32,
    /// The upper half of such a kind, if the frame is behind the outermost one.
    pub outermost: u32,
    /// In code, among the constant words: two bytes that tell its kind. They are in front of those of the frame then. [`ScriptLayout::NONE`] if all code is of one kind.
    pub code_kind: u32,
    /// These bits in the kind of frames that run no code. [`ScriptLayout::NONE`] if there are none.
    pub without_code: u32,
    /// The bits that tell this.
    pub without_mask: u32,
    /// In code: the first of the words that never change while the code is there, and their number.
    pub constant: u32,
    /// Their number, of [`ScriptLayout::CONSTANT_WORDS`] at most.
    pub constant_words: u32,
    /// In code, among the constant words: pointers to objects that name it (of Python: the name of the file, the name of the function, and the table of lines),
    /// or to what has that pointer. There may be no object.
    pub contents: [u32; 3],
    /// In what the code points to: the pointer to the object. [`ScriptLayout::NONE`] if the code has it.
    pub content_there: [u32; 3],
    /// In each of these objects: its data.
    pub content_data: [u32; 3],
    /// In each of these objects: its size. The word behind that is constant, too.
    pub content_size: u32,
    /// The constant words do not tell the code from other code that was there before. The contents of these objects do.
    pub compares_contents: u32,
    /// What names code has the form of Ruby's values: the path, alone or in an array, the name, and a table of lines with its size and its index behind.
    pub has_values: u32,
    /// In such a value: its text, if that is short. The word in front is the length, or there is none and the value's first word has that.
    pub value_text: u32,
    /// How the run-time system keeps frames: [`ScriptLayout::IN_LISTS`], [`ScriptLayout::ON_NATIVE_STACK`] or [`ScriptLayout::IN_CONTEXTS`]. Some members have other
    /// meanings in the other forms than lists.
    pub form: u32,
    /// Words of the program have 4 bytes, and not 8: pointers, sizes and most numbers. 0 or 1.
    pub narrow: u32,
    /// The map of objects with bytecode, if frames are on the native stack. 0 if it is not known yet.
    pub code_map: u64,
    /// Where frames of the interpreter go on, if they are on the native stack. 0 if that is not known yet.
    pub interpreter: u64,
    /// The tasks that wait for the one that a thread runs.
    pub tasks: TaskLayout,
}

/// Where a run-time system keeps tasks that wait for one another (asyncio of Python). A thread runs a task. What awaits a task is one object or a set of them, and
/// each is a task or stands between tasks. A task has a coroutine, whose frame may await another coroutine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskLayout {
    /// In a thread: the pointer to the task that it runs. [`ScriptLayout::NONE`] if the run-time system has no tasks; then nothing else counts.
    pub running: u32,
    /// The bytes of a task that are looked at, of [`TaskLayout::BYTES`] at most.
    pub task_bytes: u32,
    /// In a task: the pointer to what awaits it.
    pub awaited_by: u32,
    /// In a task: a byte that is not 0 if that is a set.
    pub by_several: u32,
    /// In a task: a byte that is 0 in what stands between tasks.
    pub is_task: u32,
    /// In a task: the name.
    pub name: u32,
    /// In a task: the coroutine.
    pub coroutine: u32,
    /// The bytes of a coroutine that are looked at, of [`TaskLayout::BYTES`] at most.
    pub coroutine_bytes: u32,
    /// In an object: the type.
    pub kind: u32,
    /// In a coroutine: a byte that tells its state.
    pub state: u32,
    /// In a coroutine: the frame.
    pub frame: u32,
    /// In a frame: the pointer behind the innermost value.
    pub values: u32,
    /// In a set: the number of objects.
    pub used: u32,
    /// In a set: the number of places less one.
    pub mask: u32,
    /// In a set: the pointer to the places, each with an object and a number.
    pub table: u32,
    /// In a text of ASCII characters: the characters.
    pub ascii: u32,
    /// The type of texts. A name may be something else.
    pub text: u64,
    /// The byte of a coroutine's state less this, as a signed byte, is -1 if the coroutine awaits something, and less than that if it has a frame and does not run for another reason.
    pub runs: u64,
    /// The value that a coroutine awaits is so many bytes in front of the end of the frame's values.
    pub awaited: u64,
}

impl TaskLayout {
    /// A run-time system without tasks.
    pub const NONE: TaskLayout = TaskLayout {
        running: ScriptLayout::NONE,
        task_bytes: 0,
        awaited_by: 0,
        by_several: 0,
        is_task: 0,
        name: 0,
        coroutine: 0,
        coroutine_bytes: 0,
        kind: 0,
        state: 0,
        runs: 0,
        awaited: 0,
        frame: 0,
        values: 0,
        used: 0,
        mask: 0,
        table: 0,
        ascii: 0,
        text: 0,
    };
    /// The most bytes of a task, a coroutine, a set or a name that are looked at.
    pub const BYTES: usize = 192;
    /// The places of a set that are looked at.
    pub const PLACES: u64 = 8;
    /// The tasks, coroutines and what stands between that are looked at.
    pub const STEPS: usize = 128;
}

impl Default for TaskLayout {
    fn default() -> TaskLayout {
        TaskLayout::NONE
    }
}

impl ScriptLayout {
    /// In the kind of a frame: it is the outermost one of the task that the thread runs. The frames of the tasks that wait are behind all others.
    pub const OUTERMOST_OF_TASK: u64 = 1 << 16;
    /// A task that waits; `code` is its name, if the frame has a number. The frames of its coroutines follow, the outermost first.
    pub const WAITING_TASK: u64 = 2 << 16;
    /// A coroutine that waits.
    pub const WAITING: u64 = 3 << 16;
    /// Several tasks wait; `place` is their number.
    pub const WAITING_TASKS: u64 = 4 << 16;
    /// The bits that tell this.
    pub const WAITING_MASK: u64 = 0xff << 16;
    /// In place of an offset.
    pub const NONE: u32 = u32::MAX;
    /// Frames are in lists of threads, which are in lists of interpreters.
    pub const IN_LISTS: u32 = 0;
    /// The frames are on the native stack, each with a frame pointer (V8). `interpreters` is the distance from the thread pointer
    /// to the pointer to the run-time system, which has the innermost frame pointer at `innermost`, or at `innermost_there`; `caller` is the distance from
    /// the frame pointer of a frame by which native code entered to the one at which it was left before; `code` is where a function has what all functions of that
    /// code have in common, and `contents` where that has a number that tells it from others: directly, or in the object there. A frame's `code` is then the function, its `place` is where the frame goes on, and `kind` has the place in the bytecode in the lower half
    /// ([`ScriptLayout::NONE`]: it is not known) and in the upper half the distance of the frame pointer from the stack pointer.
    pub const ON_NATIVE_STACK: u32 = 1;
    /// Frames are contexts in arrays (Perl). `interpreters` is the distance from the thread pointer to the pointer to the interpreter. If `threads` is no
    /// [`ScriptLayout::NONE`], it is the address of a key of threads, `threads` is the distance from the thread pointer to the value of the first key, and `next_thread` the distance to that of
    /// the next. In the interpreter, `innermost` is the statement that it has reached, and `innermost_there` the innermost stack of contexts; `constant` is a number of four bytes that rises with all that is compiled. In a context, `place` is the statement that led to it. A frame's `code` is its sub, and its `place` the statement.
    pub const IN_CONTEXTS: u32 = 2;
    /// Threads have values of so many keys in a fixed place (`pthread_getspecific` in glibc).
    pub const KEYS: u64 = 32;
    /// A layout of lists without any of what a run-time system need not have.
    pub const LISTED: ScriptLayout = ScriptLayout {
        interpreters: 0,
        next_interpreter: 0,
        threads: 0,
        next_thread: 0,
        thread_pointer: Self::NONE,
        thread_pointer_there: Self::NONE,
        innermost: 0,
        innermost_there: Self::NONE,
        caller: 0,
        frame_size: 0,
        code: 0,
        code_there: Self::NONE,
        place: 0,
        place_there: Self::NONE,
        is_place_short: 0,
        kind: Self::NONE,
        kind_there: Self::NONE,
        outermost: Self::NONE,
        code_kind: Self::NONE,
        without_code: Self::NONE,
        without_mask: 0xff,
        constant: 0,
        constant_words: 0,
        contents: [0; 3],
        content_there: [Self::NONE; 3],
        content_data: [0; 3],
        content_size: 16,
        compares_contents: 0,
        has_values: 0,
        value_text: 0,
        form: Self::IN_LISTS,
        narrow: 0,
        code_map: 0,
        interpreter: 0,
        tasks: TaskLayout::NONE,
    };
    /// The lowest bits of a pointer to code. They are no part of its address: code lies at multiples of 8, and Python since 3.14 tells there who owns it.
    pub const TAG: u64 = 7;
    /// In place of a place in bytecode: it follows from where the frame goes on.
    pub const COMPILED: u32 = u32::MAX - 1;
    /// The bytes of a frame that are looked at. (Half of that and of the next ones, if words have 4 bytes.)
    pub const FRAME: usize = 112;
    /// The bytes of a thread that are looked at.
    pub const THREAD: usize = 192;
    /// The most constant words of code.
    pub const CONSTANT_WORDS: usize = 24;
    /// The words of an object's data that are looked at.
    pub const CONTENT_WORDS: usize = 64;
    /// The frames of a thread that are looked at.
    pub const FRAMES: usize = 512;
    /// The interpreters and threads that are looked at to find a thread.
    pub const THREADS: usize = 1024;
}

/// A frame, as it was found in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct ScriptFrame {
    /// The address of the code that it runs.
    pub code: u64,
    /// The place in the code, in the form of the run-time system.
    pub place: u64,
    /// Tells the code from other code that was at this address before ([`mix`]). 0 if the code could not be read.
    pub identity: u64,
    /// The kind, in the form of the run-time system.
    pub kind: u64,
}

/// Why a list of frames ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ScriptEnd {
    /// The run-time system does not know the thread, or the thread runs none of its functions.
    #[default]
    NoFrames,
    /// There are no more frames.
    Reached,
    /// There are more frames than are looked at.
    Limit,
    /// Memory could not be read, or made no sense.
    Unreadable,
}

/// The frames of a thread at the moment of its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptFrames {
    /// Innermost first.
    pub frames: Vec<ScriptFrame>,
    /// Why there are no more.
    pub end: ScriptEnd,
    /// The process had several interpreters, or that is not known.
    pub several: bool,
}

/// The start value of [`mix`].
pub const MIX: u64 = 0x5f0e_3b21_9c47_d8a3;

/// Mixes another word into a number that stands for all words so far.
pub fn mix(state: u64, word: u64) -> u64 {
    let mixed = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}

/// The memory of the thread whose stack is made, and of its process.
pub trait ThreadMemory {
    /// A word of the stack as it was at the moment of the call. A word is as large as an address of the thread's code ([`crate::CodeKind::word`]).
    fn word(&mut self, address: u64) -> Option<u64>;

    /// Reads the process's memory: as it was at the moment of the call where it was copied, and as it is now elsewhere. Returns how many bytes there are.
    fn read(&mut self, address: u64, to: &mut [u8]) -> usize;

    /// The same, and where memory was copied at the moment of the call, reads it as it is now all the same.
    fn read_now(&mut self, address: u64, to: &mut [u8]) -> usize {
        self.read(address, to)
    }

    /// Reads memory as it was at the moment of the call. Returns how many bytes are known.
    fn read_of_call(&mut self, _address: u64, _to: &mut [u8]) -> usize {
        0
    }

    /// Asks for a check of what was read. If part of it was read later than the moment of the call, it returns true, and reads memory as it is now until
    /// [`ThreadMemory::end_check`].
    fn begin_check(&mut self) -> bool {
        false
    }

    /// The check is over.
    fn end_check(&mut self) {}

    /// The frames of scripts that were copied together with the stack. `None`: the engine copied none, because it did not know where they are.
    fn script(&self, layout: &ScriptLayout) -> Option<ScriptFrames>;

    /// The thread stands still, so memory is as it was at the moment of the call.
    fn is_still(&self) -> bool {
        false
    }
}
