//! Stacks in text, a line for each frame.

use crate::spelling::quote::{escape_path, legible};
use crate::{HexStrings, Style, Writer};
use std::io::Write;
use std::sync::Arc;
use stride_event::{Bottom, PerStack, Stack, StackFrame};

/// The part of a stack that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowStack {
    Symbol,
    /// With the file and the line.
    Source,
}

/// The lines of stacks that were shown before: a program makes the same calls over and over.
pub struct StackLines {
    show: ShowStack,
    cache: PerStack<Box<[u8]>>,
    /// The bytes of all lines in `cache`, and of those that it has dropped since it was cleared.
    bytes: usize,
}

/// Bytes of lines that are kept. When there are more, all go.
const MOST_BYTES: usize = 16 << 20;

impl StackLines {
    pub fn new(show: ShowStack) -> StackLines {
        StackLines { show, cache: PerStack::default(), bytes: 0 }
    }

    pub fn of(&mut self, stack: &Arc<Stack>, style: Style) -> &[u8] {
        if self.bytes > MOST_BYTES {
            self.cache.clear();
            self.bytes = 0;
        }
        self.cache.get(stack, |stack| {
            let mut lines = Vec::new();
            write(&mut Writer { out: &mut lines, style }, stack, self.show);
            self.bytes += lines.len();
            lines.into()
        })
    }
}

fn write(w: &mut Writer<'_>, stack: &Stack, show: ShowStack) {
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
    if frame.is_interpreted() {
        interpreted(w, frame);
        return;
    }
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

/// A function that an interpreter runs: its file, its name, and the line, which the interpreter always tells.
fn interpreted(w: &mut Writer<'_>, frame: &StackFrame) {
    let name = frame.symbol.as_ref().map_or("", |symbol| &symbol.name);
    match &frame.source {
        Some(source) => {
            legible(w.out, &source.file);
            w.str("(");
            legible(w.out, name);
            w.str(")");
            if source.line > 0 {
                w.str(":");
                w.int(source.line);
            }
        }
        None => legible(w.out, name),
    }
    w.str("\n");
}

/// Unlike other hexadecimal numbers, 0 has its `0x`, too.
fn address(w: &mut Writer<'_>, address: u64) {
    // Writing to a buffer does not fail.
    let _ = write!(w.out, "{address:#x}");
}
