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
    PROCESS = 2, "process";
    NETWORK = 3, "network";
    SIGNAL = 4, "signal";
    IPC = 5, "ipc";
    MEMORY = 6, "memory";
    CREDS = 7, "creds";
    CLOCK = 8, "clock";
    /// Cannot fail and has no arguments.
    PURE = 9, "pure";
    /// stat and its close variants.
    STAT = 10, "stat";
    LSTAT = 11, "lstat";
    FSTAT = 12, "fstat";
    /// Any of the stat family.
    STAT_LIKE = 13, "%stat";
    STATFS = 14, "statfs";
    FSTATFS = 15, "fstatfs";
    STATFS_LIKE = 16, "%statfs";
    SCHED = 17, "sched";
}

impl Class {
    pub const NONE: Class = Class(0);

    pub const fn or(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }

    pub const fn intersects(self, other: Class) -> bool {
        self.0 & other.0 != 0
    }
}
