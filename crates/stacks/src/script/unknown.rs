//! Frames that say what is missing, or what stands for no function.

use stride_event::{StackFrame, Symbol};

/// A frame with such a text.
pub fn unknown(text: &str) -> StackFrame {
    let symbol = Some(Symbol { name: text.into(), offset: 0 });
    StackFrame { module: None, offset: 0, symbol, source: None, inlined: Box::default() }
}
