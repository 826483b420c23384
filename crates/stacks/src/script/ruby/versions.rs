//! Where each version of Ruby keeps its threads, frames and code.

use stride_event::ScriptLayout;

/// In code: the first instruction, the path, the name of the function, and the table of lines; behind that its size and its index.
pub const INSTRUCTIONS: u32 = 8;
pub const PATH: u32 = 64;
pub const NAME: u32 = 80;
pub const LINES: u32 = 120;
pub const LINES_SIZE: u32 = LINES + 16;
pub const LINES_INDEX: u32 = LINES + 24;

/// A call of the evaluation function began with this frame.
pub const FINISH: u64 = 0x20;
/// The frame is one of C.
const OF_C: u32 = 0x80;
/// The frame below all others.
const DUMMY: u32 = 0x7999;

/// Ruby 3.1.
pub const V3_1: ScriptLayout = ScriptLayout {
    next_interpreter: ScriptLayout::NONE,
    // In the machine, its first thread; in threads, the list of those of one machine.
    threads: 40,
    next_thread: 0,
    thread_pointer: 80,
    innermost: 40,
    innermost_there: 16,
    frame_size: 64,
    code: 16,
    code_there: 16,
    place: 0,
    kind: 32,
    kind_there: 0,
    outermost: DUMMY,
    without_code: OF_C,
    without_mask: OF_C,
    constant: 0,
    constant_words: 19,
    contents: [PATH, NAME, LINES],
    has_values: 1,
    ..ScriptLayout::LISTED
};
