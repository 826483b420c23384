//! CPython.
//!
//! Up to 3.10, each Python function that runs has a call of the evaluation function. Since 3.11, one call runs a Python function and those that this function
//! calls, until C code lies between. The last frame that a call runs has a mark of its own.

mod code;
mod debug_offsets;
mod known_tables;
mod lines;
mod versions;

use crate::elf::Elf;
use crate::files::bytes::u32_at;
use crate::script::known::KnownCode;
use crate::script::objects::objects;
use crate::script::python::code::CodeNames;
use crate::script::python::debug_offsets::DEBUG_OFFSETS;
use crate::script::python::versions::{OWNED_BY_C_STACK, Version};
use crate::script::runtime::{FoundRuntime, Runtime};
use crate::script::word_size::WordSize;
use std::cell::RefCell;
use std::rc::Rc;
use stride_event::{ScriptFrame, ScriptLayout, SourceLine, StackFrame, Symbol, TaskLayout, ThreadMemory};

/// The function that runs Python code.
pub const EVALUATION: &str = "_PyEval_EvalFrameDefault";

/// `libpython3.12.so.1.0`, `python3.12`
pub fn is_usual(name: &[u8]) -> bool {
    name.starts_with(b"libpython3.") || name.starts_with(b"python3")
}

struct Python {
    version: Version,
    /// The address of `_PyRuntime` in the file.
    runtime: u64,
    /// The address of the type of texts. 0 if it is not known.
    text: u64,
    known: RefCell<KnownCode<CodeNames>>,
}

/// The version of CPython that a file of code has.
pub fn find(elf: &Elf, path: &[u8]) -> Option<FoundRuntime> {
    let [runtime, version, text] = objects(elf, [b"_PyRuntime", b"Py_Version", b"PyUnicode_Type"]);
    let named = || {
        let name = path.rsplit(|&b| b == b'/').next()?;
        let at = name.windows(8).position(|part| part == b"python3.")? + 8;
        let digits: Vec<u8> = name[at..].iter().copied().take_while(u8::is_ascii_digit).take(3).collect();
        std::str::from_utf8(&digits).ok()?.parse::<u8>().ok()
    };
    // Since 3.11, `Py_Version` is 0x030b01f0 for 3.11.1.
    let told = version.and_then(|at| u32_at(&elf.loaded(at, 4)?, 0)).map(|version| (version >> 16) as u8);
    let minor = told.or_else(named)?;
    let words = if elf.form.word == 4 { WordSize::FOUR } else { WordSize::EIGHT };
    let version = match runtime {
        Some(at) if minor >= 13 => {
            elf.loaded(at, DEBUG_OFFSETS).and_then(|bytes| debug_offsets::version(&bytes, words))
        }
        Some(_) => versions::before_debug_offsets(minor, words.bytes()),
        None => None,
    };
    Some(match (version, runtime) {
        (Some(version), Some(runtime)) => {
            let text = text.unwrap_or_default();
            FoundRuntime::Known(Rc::new(Python { version, runtime, text, known: RefCell::default() }))
        }
        _ => FoundRuntime::Unsupported(format!("Python 3.{minor}{}", kind(elf, runtime)).into()),
    })
}

/// Tells builds of one version apart.
fn kind(elf: &Elf, runtime: Option<u64>) -> &'static str {
    let offsets = runtime.and_then(|at| elf.loaded(at, DEBUG_OFFSETS));
    if offsets.is_some_and(|bytes| debug_offsets::is_free_threaded(&bytes)) { " (free-threaded)" } else { "" }
}

/// A version for each way in which frames, code and tasks are kept. Only tests and `fuzz/` use this.
pub fn samples() -> Vec<Rc<dyn Runtime>> {
    let of_tables = [(8, 8), (10, 8), (11, 8), (11, 4), (12, 8)];
    let of_tables = of_tables.into_iter().filter_map(|(minor, word)| versions::before_debug_offsets(minor, word));
    let versions = of_tables.chain(debug_offsets::version(&known_tables::table(&[]), WordSize::EIGHT));
    let versions = versions.chain(debug_offsets::version(&known_tables::table_of_3_15(&[]), WordSize::EIGHT));
    let versions = versions.chain(debug_offsets::version(&known_tables::narrow_table(&[]), WordSize::FOUR));
    let sample = |version| -> Rc<dyn Runtime> {
        Rc::new(Python { version, runtime: 0x1000, text: 0x2000, known: RefCell::default() })
    };
    versions.map(sample).collect()
}

/// The version 3.11 of 32 bits.
#[cfg(test)]
pub fn narrow_sample_of_3_11() -> Rc<dyn Runtime> {
    let version = versions::before_debug_offsets(11, 4).unwrap_or_else(|| unreachable!("it is in the table"));
    Rc::new(Python { version, runtime: 0x1000, text: 0, known: RefCell::default() })
}

impl Python {
    fn with_texts(&self, tasks: TaskLayout, bias: u64) -> TaskLayout {
        let has_texts = self.text != 0 && tasks.running != ScriptLayout::NONE;
        TaskLayout { text: if has_texts { self.text.wrapping_add(bias) } else { 0 }, ..tasks }
    }
}

impl Runtime for Python {
    fn layout(&self, bias: u64) -> ScriptLayout {
        let layout = self.version.layout;
        let interpreters = layout.interpreters.wrapping_add(self.runtime).wrapping_add(bias);
        ScriptLayout { interpreters, tasks: self.with_texts(layout.tasks, bias), ..layout }
    }

    fn run(&self, frames: &[ScriptFrame]) -> usize {
        let is_last = |frame: &ScriptFrame| match self.version.minor {
            ..11 => true,
            // `is_entry`, in front of the owner.
            11 => frame.kind & 0xff != 0,
            _ => self.is_hidden(frame),
        };
        frames.iter().position(is_last).map_or(frames.len(), |last| last + 1)
    }

    fn is_hidden(&self, frame: &ScriptFrame) -> bool {
        self.version.minor > 11 && frame.kind & 0xff == OWNED_BY_C_STACK.into()
    }

    /// Since 3.15, each thread has a frame below all others (`base_frame`).
    fn may_lack_evaluation(&self, run: &[ScriptFrame]) -> bool {
        self.version.minor > 14 && run.iter().all(|frame| self.is_hidden(frame))
    }

    fn name(&self, layout: &ScriptLayout, frame: &ScriptFrame, memory: &mut dyn ThreadMemory) -> Option<StackFrame> {
        let code = self
            .known
            .borrow_mut()
            .get(layout, frame, memory, |memory| code::read(&self.version, frame.code, memory))?;
        let CodeNames { name, file, .. } = &*code;
        let place = place(&self.version, frame)?;
        let line = code.line(&self.version, place);
        let offset = place.max(0).unsigned_abs();
        Some(StackFrame {
            module: None,
            offset,
            symbol: Some(Symbol { name: name.clone(), offset }),
            source: Some(SourceLine { file: file.clone(), line: line.unwrap_or_default() }),
            inlined: Box::default(),
        })
    }

    fn text(&self, object: u64, memory: &mut dyn ThreadMemory) -> Option<Box<str>> {
        code::text(&self.version, object, memory)
    }

    fn is_of_tasks(&self, name: &[u8]) -> bool {
        name.starts_with(b"_asyncio.") || is_usual(name)
    }

    fn tasks(&self, section: &dyn Fn(&[u8]) -> Option<Vec<u8>>, bias: u64) -> Option<TaskLayout> {
        let (layout, section) = (&self.version.layout, section(debug_offsets::OF_TASKS)?);
        let tasks = debug_offsets::of_tasks(&layout.tasks, WordSize::of(layout), &section)?;
        Some(self.with_texts(tasks, bias))
    }

    /// Since 3.13, a call of `__init__` may have code behind it that is part of the interpreter (`_Py_InitCleanup`): of a file with the name of the function.
    fn is_never_shown(&self, named: &StackFrame) -> bool {
        const INIT: &str = "__init__";
        let (name, source) = (named.symbol.as_ref(), named.source.as_ref());
        name.is_some_and(|symbol| &*symbol.name == INIT) && source.is_some_and(|source| &*source.file == INIT)
    }

    fn is_stand_in(&self, name: &str) -> bool {
        name.starts_with("py::")
    }
}

/// The place of a frame in its code, in bytes. It is negative in front of the first instruction.
fn place(version: &Version, frame: &ScriptFrame) -> Option<i64> {
    /// Larger code is not believed.
    const LARGEST: i64 = 1 << 30;
    let place = match version.minor {
        ..10 => (frame.place as i32).into(),
        10 => i64::from(frame.place as i32) * 2,
        _ => frame.place.wrapping_sub(frame.code.wrapping_add(version.instructions.into())) as i64,
    };
    (-2..LARGEST).contains(&place).then_some(place)
}
