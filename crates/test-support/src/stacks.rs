//! Made-up stacks.

use std::sync::Arc;
use stride_event::{Bottom, CodeFile, InlinedFunction, SourceLine, Stack, StackFrame, Symbol};

/// A function at 0x1234 of a module. An empty name stands for none.
pub fn frame(module: &str, function: &str) -> StackFrame {
    let file = || Arc::new(CodeFile { path: module.as_bytes().into(), build_id: [0xab, 0xcd].into() });
    StackFrame {
        module: (!module.is_empty()).then(file),
        offset: 0x1234,
        symbol: (!function.is_empty()).then(|| Symbol { name: function.into(), offset: 4 }),
        source: None,
        inlined: [].into(),
    }
}

/// The frame with functions that were merged into its own, innermost first.
pub fn merging(frame: StackFrame, functions: &[&str]) -> StackFrame {
    let inlined = |name: &&str| InlinedFunction { name: (*name).into(), source: None };
    StackFrame { inlined: functions.iter().map(inlined).collect(), ..frame }
}

/// The frame at a line of source.
pub fn at_line(frame: StackFrame, file: &str, line: u32) -> StackFrame {
    StackFrame { source: Some(SourceLine { file: file.into(), line }), ..frame }
}

/// A stack of these frames, innermost first.
pub fn stack(frames: impl IntoIterator<Item = StackFrame>, bottom: Bottom) -> Arc<Stack> {
    Arc::new(Stack { frames: frames.into_iter().map(Arc::new).collect(), bottom })
}
