//! Stacks in text, a line for each frame.

use crate::quote::{escape_path, legible};
use crate::{HexStrings, Writer};
use std::io::Write;
use stride_event::{Bottom, Stack, StackFrame};

/// How much of a stack is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowStack {
    Symbol,
    /// With the file and the line.
    Source,
}

pub fn write(w: &mut Writer<'_>, stack: &Stack, show: ShowStack) {
    for frame in &stack.frames {
        frame_line(w, frame, show);
    }
    match stack.bottom {
        Bottom::Reached => {}
        Bottom::Limit => w.str(" > too many stack frames\n"),
        Bottom::Unknown => w.str(" > the caller is unknown\n"),
    }
}

fn frame_line(w: &mut Writer<'_>, frame: &StackFrame, show: ShowStack) {
    w.str(" > ");
    match &frame.module {
        Some(module) => escape_path(w.out, &module.path, HexStrings::Never),
        None => w.str("[anon]"),
    }
    w.str("(");
    if let Some(symbol) = &frame.symbol {
        legible(w.out, &symbol.name);
        w.str("+");
        address(w, symbol.offset);
    }
    w.str(") [");
    address(w, frame.offset);
    w.str("]");
    if show == ShowStack::Source
        && let Some(source) = frame.innermost_source()
    {
        w.str(" ");
        legible(w.out, &source.file);
        w.str(":");
        w.int(source.line);
    }
    w.str("\n");
}

/// Unlike other hexadecimal numbers, 0 has its `0x`, too.
fn address(w: &mut Writer<'_>, address: u64) {
    // Writing to a buffer does not fail.
    let _ = write!(w.out, "{address:#x}");
}
