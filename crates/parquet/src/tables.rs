//! The columns of all tables. docs/sql.md explains them, and a test compares the two.

use crate::column::{Column, Kind};

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind }
}

/// A table and its columns.
pub struct TableColumns {
    pub name: &'static str,
    pub columns: &'static [Column],
}

pub const CALLS: TableColumns = TableColumns {
    name: "calls",
    columns: &[
        column("trace_id", Kind::Word),
        column("time", Kind::Time),
        column("start_ns", Kind::Measure),
        column("duration_ns", Kind::Measure),
        column("container", Kind::Word),
        column("pid", Kind::Id),
        column("tid", Kind::Id),
        column("comm", Kind::Word),
        column("comm_hex", Kind::Word),
        column("exe", Kind::Word),
        column("exe_hex", Kind::Word),
        column("name", Kind::Word),
        column("abi", Kind::Word),
        column("path", Kind::Word),
        column("path_hex", Kind::Word),
        column("fd", Kind::Id),
        column("fd_kind", Kind::Word),
        column("peer", Kind::Word),
        column("bytes", Kind::Number),
        column("outcome", Kind::Word),
        column("ret", Kind::Number),
        column("errno", Kind::Word),
        column("args", Kind::Text),
        column("stack_id", Kind::Id),
    ],
};

pub const PROCESSES: TableColumns = TableColumns {
    name: "processes",
    columns: &[
        column("trace_id", Kind::Word),
        column("pid", Kind::Id),
        column("parent_pid", Kind::Id),
        column("started", Kind::Time),
        column("ended", Kind::Time),
        column("comm", Kind::Word),
        column("comm_hex", Kind::Word),
        column("exe", Kind::Word),
        column("exe_hex", Kind::Word),
        column("command", Kind::Text),
        column("exit_status", Kind::Id),
        column("killed_by", Kind::Word),
    ],
};

pub const STACKS: TableColumns = TableColumns {
    name: "stacks",
    columns: &[
        column("trace_id", Kind::Word),
        column("stack_id", Kind::Id),
        column("depth", Kind::Id),
        column("function", Kind::Word),
        column("module", Kind::Word),
        column("module_hex", Kind::Word),
        column("address", Kind::Number),
        column("file", Kind::Word),
        column("line", Kind::Id),
        column("is_caller", Kind::Flag),
    ],
};

pub const LOSSES: TableColumns = TableColumns {
    name: "losses",
    columns: &[
        column("trace_id", Kind::Word),
        column("time", Kind::Time),
        column("pid", Kind::Id),
        column("tid", Kind::Id),
        column("kind", Kind::Word),
        column("lost", Kind::Number),
    ],
};

pub const TRACES: TableColumns = TableColumns {
    name: "traces",
    columns: &[
        column("trace_id", Kind::Word),
        column("started", Kind::Time),
        column("ended", Kind::Time),
        column("command_line", Kind::Text),
        column("version", Kind::Word),
        column("kernel", Kind::Word),
        column("machine", Kind::Word),
        column("engine", Kind::Word),
        column("calls", Kind::Number),
        column("errors", Kind::Number),
        column("unfinished", Kind::Number),
        column("lost_calls", Kind::Number),
        column("note", Kind::Text),
    ],
};

/// All tables. The one that tells that a trace is complete is the last.
pub const ALL: [&TableColumns; 5] = [&CALLS, &PROCESSES, &STACKS, &LOSSES, &TRACES];
