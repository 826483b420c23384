//! The rows of a stack: one for each function, the innermost first.

use crate::cell::{FlagCell, IdCell, NameCell, NumberCell, WordCell};
use crate::table_rows::TableRows;
use crate::tables::{StackRow, Stacks};
use std::sync::Arc;
use stride_event::{Caller, FrameFunction, Stack};
use stride_track::StackIds;

/// The functions that are written of one stack, at most: the innermost.
const DEEPEST: usize = 256;

#[derive(Default)]
pub struct StackRows {
    ids: StackIds,
    /// The stacks of which the rows are there.
    written: usize,
    /// Calls whose stacks got no number, because there were too many.
    pub without: u64,
}

impl StackRows {
    /// The number of a call's stack. A new stack gets its rows.
    pub fn id(&mut self, stack: &Arc<Stack>, trace_id: &[u8], table: &mut TableRows<Stacks>) -> Option<i32> {
        let Some(id) = self.ids.id(stack) else {
            self.without += 1;
            return None;
        };
        let id = id as i32;
        if self.ids.len() > self.written {
            self.written = self.ids.len();
            write(stack, id, trace_id, table);
        }
        Some(id)
    }
}

fn write(stack: &Stack, id: i32, trace_id: &[u8], table: &mut TableRows<Stacks>) {
    let caller = match stack.caller() {
        Caller::Function(function) => Some(function),
        Caller::Library(_) | Caller::Unknown => None,
    };
    let is_caller = |function: &FrameFunction<'_>| {
        caller.is_some_and(|caller| std::ptr::eq(caller.frame, function.frame) && caller == *function)
    };
    for (depth, (function, _)) in stack.functions().take(DEEPEST).enumerate() {
        let module = function.frame.module.as_ref().map(|module| &*module.path);
        table.add(StackRow {
            trace_id: WordCell::trace_id(trace_id),
            stack_id: IdCell(Some(id)),
            depth: IdCell(Some(depth as i32)),
            function: WordCell::of(function.name.map(str::as_bytes)),
            module: NameCell::of(module),
            address: NumberCell(Some(function.frame.offset as i64)),
            file: WordCell::of(function.source.map(|source| source.file.as_bytes())),
            line: IdCell(function.source.map(|source| source.line as i32).filter(|&line| line > 0)),
            is_caller: FlagCell(is_caller(&function)),
        });
    }
}
