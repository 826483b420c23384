//! The tables. A table's columns are declared once, as the row that is written into it: the schema, the encodings, the
//! order in which values are written, and the lists in docs/sql.md follow from the declaration. (A test compares the
//! lists, and writes them if STRIDE_UPDATE_DOCS is set.) A row without one of its values, or with a value of another
//! type, does not compile.
//!
//! The derive of the crate `parquet_derive` is not used. It wants rows that stay as structs until a row group is full,
//! with texts of their own, while here a value goes straight into its column, where a text that comes again is a
//! number. And it knows no column that is made of another one, as `path_hex` is.

use crate::cell::{Cell, FlagCell, IdCell, MeasureCell, NameCell, NumberCell, TextCell, TimeCell, WordCell};
use crate::column::{TableColumns, TableField};
use crate::row_group::{RowCells, TableRow, WrittenTable};

macro_rules! table {
    (
        $name:literal: $table:ident of $(#[$about:meta])* $row:ident<$life:lifetime> {
            $($(#[doc = $contents:literal])+ $field:ident: $cell:ty,)*
        }
    ) => {
        pub enum $table {}

        impl WrittenTable for $table {
            const COLUMNS: TableColumns = TableColumns { name: $name, fields: $row::<'static>::FIELDS };
        }

        $(#[$about])*
        pub struct $row<$life> {
            $($(#[doc = $contents])+ pub $field: $cell,)*
        }

        impl<$life> $row<$life> {
            const FIELDS: &'static [TableField] = &[$(TableField {
                name: stringify!($field),
                contents: concat!($($contents),+),
                cells: <$cell as Cell>::COLUMNS,
            }),*];
        }

        impl TableRow for $row<'_> {
            type Table = $table;

            fn put(self, to: &mut RowCells<'_>) {
                $(self.$field.put(to);)*
            }
        }
    };
}

table! {
    "calls": Calls of
    /// The row of a call that returned, or never will.
    CallRow<'r> {
        /// the run
        trace_id: WordCell<'r>,
        /// when the call was made, in microseconds; if its entry was not seen, when it returned
        time: TimeCell,
        /// the same moment on the host's monotonic clock, in nanoseconds: take differences of these
        start_ns: MeasureCell,
        /// how long the call took, if it returned and its entry was seen
        duration_ns: MeasureCell,
        /// the container of the thread
        container: WordCell<'r>,
        /// the process
        pid: IdCell,
        /// the thread
        tid: IdCell,
        /// the name of the thread
        comm: NameCell<'r>,
        /// the program, if an execve of the process was seen
        exe: NameCell<'r>,
        /// the system call, or the operation of io_uring
        name: WordCell<'r>,
        /// `x86_64`, `i386`, `aarch64`; missing for operations of io_uring
        abi: WordCell<'r>,
        /// the first path that the call names, from the root on if its directory is known; else what its descriptor
        /// refers to, which may be a name such as `pipe` or `UNIX socket`
        path: NameCell<'r>,
        /// the first descriptor among the arguments
        fd: IdCell,
        /// what the call is about: `file`, `pipe`, `socket`, `other`
        fd_kind: WordCell<'r>,
        /// the other end of a socket: an address, or the host that a client came from
        peer: WordCell<'r>,
        /// the bytes that the call moved
        bytes: NumberCell,
        /// `ok`, `error`, `unfinished`; for operations of io_uring that succeeded without a completion, `silent`
        outcome: WordCell<'r>,
        /// the result, if it is `ok`
        ret: NumberCell,
        /// the name of the error, such as `ENOENT`
        errno: WordCell<'r>,
        /// the arguments as JSON, as [`--json`](json.md) has them; with `-e raw=...` the registers
        args: TextCell<'r>,
        /// with `-k`: the stack
        stack_id: IdCell,
        /// with [`--waits`](waits.md): how long the thread slept in the call, but for the times of the next two columns; 0 if it did not
        blocked_ns: MeasureCell,
        /// how long it slept until a block device was done
        disk_ns: MeasureCell,
        /// how long a signal, a tracer or the freezer of its cgroup stopped it
        stopped_ns: MeasureCell,
        /// how long it could have run in the call, but had no CPU
        runnable_ns: MeasureCell,
        /// how long it could have run, but its cgroup had used up its share of the CPUs
        throttled_ns: MeasureCell,
        /// how long it slept or was stopped between its last call in the table and this one
        before_asleep_ns: MeasureCell,
        /// how long it could have run between these calls, but had no CPU or was throttled
        before_runnable_ns: MeasureCell,
        /// what it waited for longest in the call, as [`--by=cause`](by.md) has it: `pipe`, `lock`, `timer`, `cpu` and others
        wait_cause: WordCell<'r>,
        /// what ended the longest sleep in the call: `thread`, `interrupt`, or `hidden` for [a process that the user may not see](waits.md#what-it-takes)
        waker_kind: WordCell<'r>,
        /// the thread that ended it, traced or not
        waker_tid: IdCell,
        /// its process
        waker_pid: IdCell,
        /// its name
        waker_comm: NameCell<'r>,
        /// the call that it was in
        waker_call: WordCell<'r>,
        /// the interrupt that ended it: `timer`, `network`, `disk`, `device`, `interrupt`
        waker_interrupt: WordCell<'r>,
    }
}

table! {
    "processes": Processes of
    /// The row of a process.
    ProcessRow<'r> {
        /// the run
        trace_id: WordCell<'r>,
        /// the process; the kernel may use a number again
        pid: IdCell,
        /// the process that made it, if that one was traced
        parent_pid: IdCell,
        /// when it was made, or when tracing of it began
        started: TimeCell,
        /// when it ended, unless it lives on
        ended: TimeCell,
        /// the name of its first thread
        comm: NameCell<'r>,
        /// the program that it executed last
        exe: NameCell<'r>,
        /// the command line of that program, as a JSON array, as far as `-s` and `-v` show it
        command: TextCell<'r>,
        /// the exit status
        exit_status: IdCell,
        /// the signal that killed it, such as `SIGSEGV`
        killed_by: WordCell<'r>,
    }
}

table! {
    "stacks": Stacks of
    /// The row of a function of a stack.
    StackRow<'r> {
        /// the run
        trace_id: WordCell<'r>,
        /// the stack
        stack_id: IdCell,
        /// 0 is the function that made the call, 1 the one that called it
        depth: IdCell,
        /// its name
        function: WordCell<'r>,
        /// the file of code
        module: NameCell<'r>,
        /// the address in the module
        address: NumberCell,
        /// the file of source
        file: WordCell<'r>,
        /// the line in it
        line: IdCell,
        /// whether it is the innermost function of the program's own: libraries of the system are skipped
        is_caller: FlagCell,
    }
}

table! {
    "losses": Losses of
    /// The row of a gap.
    LossRow<'r> {
        /// the run
        trace_id: WordCell<'r>,
        /// until when, if known
        time: TimeCell,
        /// the process, if known
        pid: IdCell,
        /// the thread, if known
        tid: IdCell,
        /// `calls`, `signals`, `threads` (starts or ends), `stacks` (calls without `stack_id`, because a run has no
        /// more than 65,536 different stacks)
        kind: WordCell<'r>,
        /// how many
        lost: NumberCell,
    }
}

table! {
    "traces": Traces of
    /// The row of a run that was written to its end.
    TraceRow<'r> {
        /// the run
        trace_id: WordCell<'r>,
        /// when tracing began
        started: TimeCell,
        /// the time of the last event
        ended: TimeCell,
        /// Stride's own command line, as a JSON array
        command_line: TextCell<'r>,
        /// Stride's version
        version: WordCell<'r>,
        /// the release of the kernel
        kernel: WordCell<'r>,
        /// such as `x86_64`
        machine: WordCell<'r>,
        /// `ebpf` or `ptrace`
        engine: WordCell<'r>,
        /// the number of rows in `calls`
        calls: NumberCell,
        /// those that failed
        errors: NumberCell,
        /// those that did not return
        unfinished: NumberCell,
        /// calls that are missing
        lost_calls: NumberCell,
        /// such as that the replayed recording breaks off
        note: TextCell<'r>,
    }
}

/// All tables. The one that tells that a trace is complete is the last.
pub const ALL: [TableColumns; 5] =
    [Calls::COLUMNS, Processes::COLUMNS, Stacks::COLUMNS, Losses::COLUMNS, Traces::COLUMNS];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{ColumnKind, TableColumn};
    use crate::row_group::RowGroup;

    table! {
        "two": Two of
        /// A row of both kinds of values: those with one column, and those with two.
        TwoRow<'r> {
            /// a number
            number: NumberCell,
            /// a name
            name: NameCell<'r>,
        }
    }

    #[test]
    fn columns_follow_from_the_row() {
        let columns: Vec<TableColumn> = Two::COLUMNS.columns().collect();
        let columns: Vec<(&str, ColumnKind, &str)> =
            columns.iter().map(|column| (&*column.name, column.kind, column.contents)).collect();
        let hex = ("name_hex", ColumnKind::Word, "its bytes, if they are no UTF-8");
        assert_eq!(columns, [("number", ColumnKind::Number, "a number"), ("name", ColumnKind::Word, "a name"), hex]);
        let mut rows = RowGroup::new(&Two::COLUMNS);
        rows.add(TwoRow { number: NumberCell(Some(1)), name: NameCell::of(Some(b"a")) });
        assert_eq!(rows.count(), 1);
    }
}
