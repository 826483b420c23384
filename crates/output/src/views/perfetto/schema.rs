//! Field numbers of Perfetto's public schema (`protos/perfetto/trace/` of <https://github.com/google/perfetto>), for
//! the fields that Stride writes. A module is a message.

pub mod trace {
    pub const PACKET: u32 = 1;
}

pub mod packet {
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE_ID: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    /// Compressed packets (deflate).
    pub const COMPRESSED: u32 = 50;
    pub const CLOCK_ID: u32 = 58;
    pub const DEFAULTS: u32 = 59;
    pub const TRACK_DESCRIPTOR: u32 = 60;

    /// Values of `SEQUENCE_FLAGS`.
    pub const STATE_CLEARED: u64 = 1;
    pub const NEEDS_STATE: u64 = 2;
}

pub mod defaults {
    pub const TRACK_EVENT: u32 = 11;
    pub const CLOCK_ID: u32 = 58;
    /// In the message `TrackEventDefaults`.
    pub const TRACK: u32 = 11;
}

pub mod snapshot {
    pub const CLOCKS: u32 = 1;
    pub const PRIMARY: u32 = 2;
}

pub mod clock {
    pub const ID: u32 = 1;
    pub const TIMESTAMP: u32 = 2;
    pub const IS_INCREMENTAL: u32 = 3;

    pub const REALTIME: u64 = 1;
    pub const MONOTONIC: u64 = 3;
    /// The first of the counters that belong to one packet sequence.
    pub const OWN: u64 = 64;
}

pub mod event {
    pub const CATEGORY: u32 = 3;
    pub const ANNOTATION: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const NAME: u32 = 10;
    pub const TRACK: u32 = 11;
    /// As text, where nothing is interned.
    pub const CATEGORY_TEXT: u32 = 22;
    pub const NAME_TEXT: u32 = 23;
    pub const COUNTER_VALUE: u32 = 30;
    pub const FLOW: u32 = 47;
    pub const TERMINATING_FLOW: u32 = 48;
    /// The number of an interned callstack.
    pub const CALLSTACK: u32 = 56;

    /// Values of `TYPE`.
    pub const SLICE_BEGIN: u64 = 1;
    pub const SLICE_END: u64 = 2;
    pub const INSTANT: u64 = 3;
    pub const COUNTER: u64 = 4;
}

pub mod annotation {
    pub const NAME: u32 = 1;
    pub const BOOL: u32 = 2;
    pub const UINT: u32 = 3;
    pub const INT: u32 = 4;
    pub const STRING: u32 = 6;
    /// The id of an interned string.
    pub const STRING_ID: u32 = 17;
}

pub mod interned {
    pub const CATEGORIES: u32 = 1;
    pub const NAMES: u32 = 2;
    pub const ANNOTATION_NAMES: u32 = 3;
    pub const FUNCTIONS: u32 = 5;
    pub const FRAMES: u32 = 6;
    pub const CALLSTACKS: u32 = 7;
    pub const BUILD_IDS: u32 = 16;
    pub const MAPPING_PATHS: u32 = 17;
    pub const SOURCE_PATHS: u32 = 18;
    pub const MAPPINGS: u32 = 19;
    pub const ANNOTATION_STRINGS: u32 = 29;

    /// `ID` is the same in the messages of all that is interned, and `TEXT` in those of all strings.
    pub const ID: u32 = 1;
    pub const TEXT: u32 = 2;
}

/// In `Frame`, besides `interned::ID`.
pub mod frame {
    pub const FUNCTION: u32 = 2;
    pub const MAPPING: u32 = 3;
    pub const OFFSET: u32 = 4;
    pub const SOURCE_PATH: u32 = 5;
    pub const LINE: u32 = 6;
}

/// In `Callstack`.
pub mod callstack {
    pub const FRAME: u32 = 2;
}

/// In `Mapping`.
pub mod mapping {
    pub const BUILD_ID: u32 = 2;
    pub const PATH: u32 = 7;
}

pub mod descriptor {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PROCESS: u32 = 3;
    pub const THREAD: u32 = 4;
    pub const PARENT: u32 = 5;
    pub const COUNTER: u32 = 8;
}

pub mod process {
    pub const PID: u32 = 1;
    pub const COMMAND_LINE: u32 = 2;
    pub const NAME: u32 = 6;
}

pub mod thread {
    pub const PID: u32 = 1;
    pub const TID: u32 = 2;
    pub const NAME: u32 = 5;
}

pub mod counter {
    pub const UNIT_NAME: u32 = 6;
}
