//! The columns of all tables. docs/sql.md explains them, and a test compares the two.

use crate::column::{ColumnKind, TableColumn};

const fn column(name: &'static str, kind: ColumnKind) -> TableColumn {
    TableColumn { name, kind }
}

/// A table and its columns.
pub struct TableColumns {
    pub name: &'static str,
    pub columns: &'static [TableColumn],
}

pub const CALLS: TableColumns = TableColumns {
    name: "calls",
    columns: &[
        column("trace_id", ColumnKind::Word),
        column("time", ColumnKind::Time),
        column("start_ns", ColumnKind::Measure),
        column("duration_ns", ColumnKind::Measure),
        column("container", ColumnKind::Word),
        column("pid", ColumnKind::Id),
        column("tid", ColumnKind::Id),
        column("comm", ColumnKind::Word),
        column("comm_hex", ColumnKind::Word),
        column("exe", ColumnKind::Word),
        column("exe_hex", ColumnKind::Word),
        column("name", ColumnKind::Word),
        column("abi", ColumnKind::Word),
        column("path", ColumnKind::Word),
        column("path_hex", ColumnKind::Word),
        column("fd", ColumnKind::Id),
        column("fd_kind", ColumnKind::Word),
        column("peer", ColumnKind::Word),
        column("bytes", ColumnKind::Number),
        column("outcome", ColumnKind::Word),
        column("ret", ColumnKind::Number),
        column("errno", ColumnKind::Word),
        column("args", ColumnKind::Text),
        column("stack_id", ColumnKind::Id),
    ],
};

pub const PROCESSES: TableColumns = TableColumns {
    name: "processes",
    columns: &[
        column("trace_id", ColumnKind::Word),
        column("pid", ColumnKind::Id),
        column("parent_pid", ColumnKind::Id),
        column("started", ColumnKind::Time),
        column("ended", ColumnKind::Time),
        column("comm", ColumnKind::Word),
        column("comm_hex", ColumnKind::Word),
        column("exe", ColumnKind::Word),
        column("exe_hex", ColumnKind::Word),
        column("command", ColumnKind::Text),
        column("exit_status", ColumnKind::Id),
        column("killed_by", ColumnKind::Word),
    ],
};

pub const STACKS: TableColumns = TableColumns {
    name: "stacks",
    columns: &[
        column("trace_id", ColumnKind::Word),
        column("stack_id", ColumnKind::Id),
        column("depth", ColumnKind::Id),
        column("function", ColumnKind::Word),
        column("module", ColumnKind::Word),
        column("module_hex", ColumnKind::Word),
        column("address", ColumnKind::Number),
        column("file", ColumnKind::Word),
        column("line", ColumnKind::Id),
        column("is_caller", ColumnKind::Flag),
    ],
};

pub const LOSSES: TableColumns = TableColumns {
    name: "losses",
    columns: &[
        column("trace_id", ColumnKind::Word),
        column("time", ColumnKind::Time),
        column("pid", ColumnKind::Id),
        column("tid", ColumnKind::Id),
        column("kind", ColumnKind::Word),
        column("lost", ColumnKind::Number),
    ],
};

pub const TRACES: TableColumns = TableColumns {
    name: "traces",
    columns: &[
        column("trace_id", ColumnKind::Word),
        column("started", ColumnKind::Time),
        column("ended", ColumnKind::Time),
        column("command_line", ColumnKind::Text),
        column("version", ColumnKind::Word),
        column("kernel", ColumnKind::Word),
        column("machine", ColumnKind::Word),
        column("engine", ColumnKind::Word),
        column("calls", ColumnKind::Number),
        column("errors", ColumnKind::Number),
        column("unfinished", ColumnKind::Number),
        column("lost_calls", ColumnKind::Number),
        column("note", ColumnKind::Text),
    ],
};

/// All tables. The one that tells that a trace is complete is the last.
pub const ALL: [&TableColumns; 5] = [&CALLS, &PROCESSES, &STACKS, &LOSSES, &TRACES];
