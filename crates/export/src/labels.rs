//! The labels that were asked for.

/// The labels of calls besides the syscall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportLabels {
    pub thread: bool,
    pub container: bool,
}

impl ExportLabels {
    pub const ALL: ExportLabels = ExportLabels { thread: true, container: true };
}
