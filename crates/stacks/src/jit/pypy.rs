//! PyPy, whose functions are not found: it tells debuggers nothing of where it keeps them, and writes no map of its code. So a sentence has to say that they are missing.

use crate::elf::Elf;
use crate::jit::runtime::{FoundJit, Jit, JitFile, JitFrame, JitStack, NativeStack};
use crate::script::mixed::ScriptNames;
use std::rc::Rc;
use stride_event::ThreadMemory;

const NAME: &[u8] = b"pypy";

/// `libpypy3.9-c.so`, `pypy3.9-c`
pub fn is_usual(name: &[u8]) -> bool {
    name.strip_prefix(b"lib").unwrap_or(name).starts_with(NAME)
}

/// PyPy in a file of code. The name of the file tells its version.
pub fn find(_: &Elf, path: &[u8]) -> Option<FoundJit> {
    Some(FoundJit::Known(Rc::new(PyPy(version(path)?))))
}

/// `PyPy 3.9` of `/usr/lib/libpypy3.9-c.so`
fn version(path: &[u8]) -> Option<Rc<str>> {
    let name = path.rsplit(|&b| b == b'/').next()?;
    let number = name.strip_prefix(b"lib").unwrap_or(name).strip_prefix(NAME)?;
    let end = number.iter().position(|b| !b.is_ascii_digit() && *b != b'.').unwrap_or(number.len());
    let number = String::from_utf8_lossy(&number[..end]);
    Some(format!("PyPy {}", number.trim_end_matches('.')).trim_end().into())
}

#[derive(Clone)]
struct PyPy(Rc<str>);

impl JitFile for PyPy {
    fn in_process(&self, _: u64) -> Box<dyn Jit> {
        Box::new(self.clone())
    }
}

impl Jit for PyPy {
    fn unsupported(&self) -> Option<Rc<str>> {
        Some(self.0.clone())
    }

    fn mix(&mut self, native: &mut NativeStack<'_>, _: &mut dyn ThreadMemory, _: &mut ScriptNames) -> JitStack {
        JitStack { frames: (0..native.addresses.len()).map(JitFrame::Native).collect(), lacks: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_in_names() {
        let told = |path: &str| version(path.as_bytes()).as_deref().map(str::to_owned);
        assert_eq!(told("/usr/lib/x86_64-linux-gnu/libpypy3.9-c.so").as_deref(), Some("PyPy 3.9"));
        assert_eq!(told("/opt/pypy3.10-c").as_deref(), Some("PyPy 3.10"));
        assert_eq!(told("/opt/libpypy-c.so").as_deref(), Some("PyPy"));
        assert_eq!(told("/usr/bin/python3.9"), None);
        assert!(is_usual(b"libpypy3.9-c.so") && is_usual(b"pypy3") && !is_usual(b"libpython3.9.so"));
    }
}
