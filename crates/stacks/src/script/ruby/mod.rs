//! Ruby (the usual one, written in C).
//!
//! The frames of a thread lie behind one another. One call of the evaluation function runs frames up to the one that began with that call, which has a mark.
//! Methods that are written in C have frames of their own in between, and stand on the native stack as well.

mod code;
mod machine;
mod versions;

use crate::elf::Elf;
use crate::files::bytes::string_at;
use crate::script::known::KnownCode;
use crate::script::objects::objects;
use crate::script::ruby::code::RubyCode;
use crate::script::ruby::versions::FINISH;
use crate::script::runtime::{FoundRuntime, Runtime};
use crate::script::walk::has_code;
use std::cell::RefCell;
use std::rc::Rc;
use stride_event::{ScriptFrame, ScriptLayout, SourceLine, StackFrame, Symbol, ThreadMemory};

/// The function that runs Ruby code.
pub const EVALUATION: &str = "rb_vm_exec";

/// An object of all versions. Since 3.3, stripped files have no name for the evaluation function.
pub const VERSION: &[u8] = b"ruby_version";

/// `ruby3.1`, `libruby-3.1.so.3.1.2`
pub fn is_usual(name: &[u8]) -> bool {
    name.starts_with(b"ruby") || name.starts_with(b"libruby")
}

struct Ruby {
    layout: ScriptLayout,
    /// The address in the file of the pointer to the virtual machine (`ruby_current_vm_ptr`).
    machine: u64,
    /// Since 3.4, backtraces have no frames for `rescue` and `ensure`, and the line there is that of the function.
    without_rescues: bool,
    known: RefCell<KnownCode<RubyCode>>,
}

/// The version of Ruby that a file of code has.
pub fn find(elf: &Elf, _: &[u8]) -> Option<FoundRuntime> {
    const LONGEST: usize = 16;
    let [machine, version] = objects(elf, [b"ruby_current_vm_ptr", VERSION]);
    let told = elf.loaded(version?, LONGEST)?;
    let told = String::from_utf8_lossy(string_at(&told, 0)).into_owned();
    let layout = versions::layout(&told, elf.form.word.into());
    Some(match (machine.or_else(|| machine::of_readers(elf)), layout) {
        (Some(machine), Some(layout)) => {
            let without_rescues = versions::hides_rescues(&told);
            FoundRuntime::Known(Rc::new(Ruby { layout, machine, without_rescues, known: RefCell::default() }))
        }
        _ => FoundRuntime::Unsupported(format!("Ruby {told}").into()),
    })
}

/// All versions that are known. Only tests and `fuzz/` use this.
pub fn samples() -> impl Iterator<Item = Rc<dyn Runtime>> {
    versions::all().map(|layout| {
        Rc::new(Ruby { layout, machine: 0x1000, without_rescues: false, known: RefCell::default() }) as Rc<dyn Runtime>
    })
}

impl Runtime for Ruby {
    fn layout(&self, bias: u64) -> ScriptLayout {
        ScriptLayout { interpreters: self.machine.wrapping_add(bias), ..self.layout }
    }

    fn run(&self, frames: &[ScriptFrame]) -> usize {
        let is_run = |frame: &ScriptFrame| !self.is_hidden(frame);
        match frames.iter().position(|frame| is_run(frame) && frame.kind & FINISH != 0) {
            Some(last) => last + 1,
            None if frames.iter().any(is_run) => frames.len(),
            None => 0,
        }
    }

    fn is_hidden(&self, frame: &ScriptFrame) -> bool {
        frame.code == 0 || !has_code(&self.layout, frame.kind)
    }

    fn name(&self, layout: &ScriptLayout, frame: &ScriptFrame, memory: &mut dyn ThreadMemory) -> Option<StackFrame> {
        let code =
            self.known.borrow_mut().get(layout, frame, memory, |memory| code::read(layout, frame.code, memory))?;
        let RubyCode { name, file, .. } = &*code;
        Some(StackFrame {
            module: None,
            offset: 0,
            symbol: Some(Symbol { name: name.clone(), offset: 0 }),
            source: Some(SourceLine { file: file.clone(), line: code.line(frame.place).unwrap_or_default() }),
            inlined: Box::default(),
        })
    }

    fn is_part_of_next(&self, named: &StackFrame) -> bool {
        let name = named.symbol.as_ref().map_or("", |symbol| &symbol.name);
        self.without_rescues && ["rescue in ", "ensure in "].iter().any(|part| name.starts_with(part))
    }

    fn is_stand_in(&self, _: &str) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruby(told: &str) -> Ruby {
        let layout = versions::layout(told, 8).unwrap();
        Ruby { layout, machine: 0, without_rescues: versions::hides_rescues(told), known: RefCell::default() }
    }

    #[test]
    fn rescues_have_frames_until_3_4() {
        let named = |name: &str| StackFrame {
            module: None,
            offset: 0,
            symbol: Some(Symbol { name: name.into(), offset: 0 }),
            source: None,
            inlined: Box::default(),
        };
        for part in ["rescue in load", "ensure in block in load"] {
            assert!(ruby("3.4.11").is_part_of_next(&named(part)), "{part}");
            assert!(!ruby("3.3.8").is_part_of_next(&named(part)), "{part}");
        }
        assert!(!ruby("3.4.11").is_part_of_next(&named("block in load")));
        assert!(versions::layout("3.2.9", 8).is_none() && versions::layout("3.4.1", 4).is_none());
    }
}
