//! Classes of syscalls, as `-e trace=%class` names them.

/// A set of classes; one syscall usually belongs to several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Class(pub u32);

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $spelling:literal;)*) => {
        impl Class {
            $($(#[$doc])* pub const $name: Class = Class(1 << $bit);)*
            /// Each class with its spelling after `%`.
            pub const ALL: &'static [(&'static str, Class)] = &[$(($spelling, Class::$name)),*];
        }
    };
}

classes! {
    /// Takes a file name.
    FILE = 0, "file";
    /// Takes or returns a file descriptor.
    DESC = 1, "desc";
    /// Makes, ends, or asks about processes.
    PROCESS = 2, "process";
    /// Concerns sockets.
    NETWORK = 3, "network";
    /// Concerns signals.
    SIGNAL = 4, "signal";
    /// System V IPC.
    IPC = 5, "ipc";
    /// Maps memory, or concerns mapped memory.
    MEMORY = 6, "memory";
    /// Asks for or sets user and group ids or capabilities.
    CREDS = 7, "creds";
    /// Reads or sets a clock.
    CLOCK = 8, "clock";
    /// Cannot fail and has no arguments.
    PURE = 9, "pure";
    /// stat and its close variants.
    STAT = 10, "stat";
    /// lstat and its close variants.
    LSTAT = 11, "lstat";
    /// fstat and its close variants.
    FSTAT = 12, "fstat";
    /// Any of the stat family.
    STAT_LIKE = 13, "%stat";
    /// statfs and its close variants.
    STATFS = 14, "statfs";
    /// fstatfs and its close variants.
    FSTATFS = 15, "fstatfs";
    /// Any of the statfs family.
    STATFS_LIKE = 16, "%statfs";
    /// Concerns the scheduler.
    SCHED = 17, "sched";
}

impl Class {
    /// No class.
    pub const NONE: Class = Class(0);

    /// The classes of both.
    pub const fn or(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }

    /// True if both have a class in common.
    pub const fn intersects(self, other: Class) -> bool {
        self.0 & other.0 != 0
    }
}
