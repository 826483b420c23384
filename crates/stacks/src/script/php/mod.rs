//! PHP.
//!
//! One call of the evaluation function runs a function and those that this function calls, until C code lies between. The last frame that a call runs has a
//! mark. Functions that are written in C have frames of their own in the list, and stand on the native stack as well.

mod code;
mod versions;

use crate::elf::Elf;
use crate::script::known::KnownCode;
use crate::script::objects::{objects, text_behind};
use crate::script::php::code::FunctionNames;
use crate::script::php::versions::{INTERNAL, PhpVersion};
use crate::script::runtime::{FoundRuntime, Runtime};
use std::cell::RefCell;
use std::rc::Rc;
use stride_event::{ScriptFrame, ScriptLayout, SourceLine, StackFrame, Symbol, ThreadMemory};

/// The function that runs PHP code.
pub const EVALUATION: &str = "execute_ex";

/// `php8.2`, `php-fpm8.2`, `libphp.so`
pub fn is_usual(name: &[u8]) -> bool {
    name.starts_with(b"php") || name.starts_with(b"libphp")
}

struct Php {
    version: PhpVersion,
    /// The address of `executor_globals` in the file.
    globals: u64,
    known: RefCell<KnownCode<FunctionNames>>,
}

/// The version of PHP that a file of code has.
pub fn find(elf: &Elf, _: &[u8]) -> Option<FoundRuntime> {
    // (If it is built for threads, each thread has globals of its own.)
    let [globals, globals_of_threads] = objects(elf, [b"executor_globals", b"executor_globals_offset"]);
    globals.or(globals_of_threads)?;
    // PHP tells its version to those that ask a server: `X-Powered-By: PHP/8.2.30`.
    let told = text_behind(elf, b"X-Powered-By: PHP/")?;
    let told = String::from_utf8_lossy(&told);
    let mut numbers = told.split('.').map(|number| number.parse::<u8>().ok());
    let (major, minor) = (numbers.next()??, numbers.next()??);
    let version = versions::of_minor(minor, elf.form.word.into()).filter(|_| major == 8);
    Some(match (version, globals) {
        (Some(version), Some(globals)) => {
            FoundRuntime::Known(Rc::new(Php { version, globals, known: RefCell::default() }))
        }
        _ => {
            let kind = if globals.is_none() { " (thread-safe)" } else { "" };
            FoundRuntime::Unsupported(format!("PHP {major}.{minor}{kind}").into())
        }
    })
}

/// A version that many have, for words of each size. Only tests and `fuzz/` use this.
pub fn samples() -> impl Iterator<Item = Rc<dyn Runtime>> {
    let versions = [8, 4].into_iter().filter_map(|word| versions::of_minor(2, word));
    versions.map(|version| Rc::new(Php { version, globals: 0x1000, known: RefCell::default() }) as Rc<dyn Runtime>)
}

impl Runtime for Php {
    fn layout(&self, bias: u64) -> ScriptLayout {
        let innermost = self.globals.wrapping_add(self.version.innermost).wrapping_add(bias);
        ScriptLayout { interpreters: innermost, ..self.version.layout }
    }

    fn run(&self, frames: &[ScriptFrame]) -> usize {
        /// The frame with which a call of the evaluation function begins.
        const TOP: u64 = 1 << (16 + 1);
        let is_run = |frame: &ScriptFrame| !self.is_hidden(frame);
        match frames.iter().position(|frame| is_run(frame) && frame.kind & TOP != 0) {
            Some(last) => last + 1,
            None if frames.iter().any(is_run) => frames.len(),
            None => 0,
        }
    }

    fn is_hidden(&self, frame: &ScriptFrame) -> bool {
        // (A frame without a function holds the place of one that is resumed.)
        frame.code == 0 || frame.kind & 0xff == INTERNAL.into()
    }

    fn name(&self, layout: &ScriptLayout, frame: &ScriptFrame, memory: &mut dyn ThreadMemory) -> Option<StackFrame> {
        let code =
            self.known.borrow_mut().get(layout, frame, memory, |memory| code::read(layout, frame.code, memory))?;
        let FunctionNames { name, file } = &*code;
        let line = u32::try_from(frame.place).unwrap_or_default();
        Some(StackFrame {
            module: None,
            offset: 0,
            symbol: Some(Symbol { name: name.clone(), offset: 0 }),
            source: Some(SourceLine { file: file.clone(), line }),
            inlined: Box::default(),
        })
    }

    fn compiles(&self) -> bool {
        true
    }

    fn is_stand_in(&self, _: &str) -> bool {
        false
    }
}
