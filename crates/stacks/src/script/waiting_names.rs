//! The frames on a stack that stand for tasks that wait ([`crate::script::waiting`]).

use crate::script::runtime::ProcessRuntime;
use crate::script::unknown::unknown;
use stride_event::{ScriptFrame, ScriptLayout, StackFrame, Symbol, ThreadMemory};

/// A frame for each task, and behind it those of its coroutines, the innermost first. The second value is true if
/// something is missing.
pub fn named_tasks(
    process: &ProcessRuntime,
    frames: &[ScriptFrame],
    memory: &mut dyn ThreadMemory,
) -> (Vec<StackFrame>, bool) {
    let ProcessRuntime { runtime, layout, .. } = process;
    let mut named = Vec::new();
    let mut lacks = false;
    for task in frames.chunk_by(|_, next| next.kind & ScriptLayout::WAITING_MASK == ScriptLayout::WAITING) {
        let Some((task, coroutines)) = task.split_first() else { continue };
        named.push(unknown(&match task.kind & ScriptLayout::WAITING_MASK {
            ScriptLayout::WAITING_TASKS if task.place == 0 => "[awaited by tasks that were not read]".to_owned(),
            ScriptLayout::WAITING_TASKS => format!("[awaited by {} tasks]", task.place),
            _ if task.identity == 0 => "[awaited by a task]".to_owned(),
            _ => match runtime.text(task.code, memory) {
                Some(name) => format!("[awaited by the task {name}]"),
                None => "[awaited by a task]".to_owned(),
            },
        }));
        for coroutine in coroutines.iter().rev() {
            let frame = runtime.name(layout, coroutine, memory);
            lacks |= frame.is_none();
            named.push(match frame {
                Some(frame) => {
                    let symbol = frame.symbol.map(|it| Symbol { name: format!("await {}", it.name).into(), ..it });
                    StackFrame { symbol, ..frame }
                }
                None => unknown("[a coroutine whose code is gone]"),
            });
        }
    }
    (named, lacks)
}
