//! The names of frames and callers, for views that show a stack in few words.

use std::borrow::Cow;
use stride_event::{Bottom, Caller, CodeFile, FrameFunction, SourceLine, Stack, StackFrame};

/// Stands for the unknown part of a stack.
pub const UNKNOWN: &[u8] = b"[unknown]";
/// Stands for frames beyond the limit (`--stack-trace-frame-limit`).
pub const MORE: &[u8] = b"[...]";
/// Stands for code that neither a file nor a map of a JIT compiler names.
const ANONYMOUS: &[u8] = b"[anon]";

/// The longest text of one stack. The outermost frames of longer ones are left out.
const LONGEST: usize = 64 << 10;

/// A function on a stack.
pub struct Function<'s> {
    /// The function's name, or else its place: `prog+0x1234`. The bytes may be anything.
    pub name: Cow<'s, [u8]>,
    pub module: Option<&'s CodeFile>,
    /// The file of a function that an interpreter runs. It has no module.
    pub script: Option<&'s str>,
    /// The line in this function from which the next one was called.
    pub source: Option<&'s SourceLine>,
    /// The address in the module.
    pub offset: u64,
    /// True if the function is the program's own.
    pub is_own: bool,
}

/// The functions of a stack, innermost first. Those that were merged into others are among them.
pub fn of_stack(stack: &Stack) -> impl Iterator<Item = Function<'_>> {
    stack.functions().map(|(function, is_own)| {
        let (FrameFunction { frame, name, source, .. }, script) = (function, function.script());
        let name = name.map_or_else(|| place(frame), |name| Cow::Borrowed(name.as_bytes()));
        Function { name, module: frame.module.as_deref(), script, offset: frame.offset, source, is_own }
    })
}

/// The mark for the frames that a stack lacks, if it lacks any.
pub fn missing(stack: &Stack) -> Option<&'static [u8]> {
    match stack.bottom {
        Bottom::Reached => None,
        Bottom::Limit => Some(MORE),
        Bottom::Unknown => Some(UNKNOWN),
    }
}

impl<'s> Function<'s> {
    /// The path of the module or of the script. Empty if there is none.
    pub fn path(&self) -> &'s [u8] {
        self.module.map_or(self.script.unwrap_or_default().as_bytes(), |module| &module.path)
    }
}

/// A frame without a name.
fn place(frame: &StackFrame) -> Cow<'static, [u8]> {
    match &frame.module {
        Some(module) => [module.file_name(), format!("+{:#x}", frame.offset).as_bytes()].concat().into(),
        None => ANONYMOUS.into(),
    }
}

/// The function of the program that made a call, with its module or script: `load (prog)`, `check (app.py)`. Run-time libraries that act by
/// themselves are in brackets: `[ld-linux-x86-64.so.2]`.
pub fn caller(stack: &Stack) -> Vec<u8> {
    match stack.caller() {
        Caller::Function(function) => {
            let module = function.frame.module.as_ref().map(|module| module.file_name());
            let script = || function.script().map(|file| file.rsplit('/').next().unwrap_or(file).as_bytes());
            match (function.name, module.or_else(script)) {
                (Some(name), Some(file)) => [name.as_bytes(), b" (", file, b")"].concat(),
                (Some(name), None) => name.into(),
                (None, _) => place(function.frame).into_owned(),
            }
        }
        Caller::Library(module) if module.path.starts_with(b"[") => module.path.to_vec(),
        Caller::Library(module) => [b"[", module.file_name(), b"]"].concat(),
        Caller::Unknown => UNKNOWN.to_vec(),
    }
}

/// All functions of a stack, outermost first, with semicolons between them, as tools for flame graphs read them.
pub fn folded(stack: &Stack) -> Vec<u8> {
    let (mut names, mut bytes, mut missing) = (Vec::new(), 0, missing(stack));
    for function in of_stack(stack) {
        bytes += function.name.len() + 1;
        if bytes > LONGEST {
            missing = Some(MORE);
            break;
        }
        names.push(unseparated(function.name));
    }
    names.extend(missing.map(Cow::Borrowed));
    names.reverse();
    names.join(&b';')
}

/// A name without semicolons, which separate names.
pub fn unseparated(name: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if !name.contains(&b';') {
        return name;
    }
    name.iter().map(|&b| if b == b';' { b':' } else { b }).collect::<Vec<u8>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_test_support::stacks::{frame, merging, stack};

    #[test]
    fn callers() {
        let libc = || frame("/lib/libc.so.6", "write");
        for (own, expected) in [
            (frame("/bin/prog", "save"), "save (prog)"),
            (merging(frame("/bin/prog", "main"), &["", "inner", "middle"]), "inner (prog)"),
            (frame("/bin/prog", ""), "prog+0x1234"),
            (frame("", "LazyCompile:~f"), "LazyCompile:~f"),
            (frame("", ""), "[unknown]"),
        ] {
            assert_eq!(String::from_utf8_lossy(&caller(&stack([libc(), own], Bottom::Unknown))), expected);
        }
        assert_eq!(caller(&stack([libc()], Bottom::Reached)), b"[libc.so.6]");
        assert_eq!(caller(&stack([frame("[vdso]", "f")], Bottom::Reached)), b"[vdso]");
        assert_eq!(caller(&stack([libc()], Bottom::Unknown)), UNKNOWN);
    }

    #[test]
    fn whole_stacks() {
        let frames = || {
            let merged = merging(frame("/bin/prog", "main"), &["<[u8; 4]>::save", "middle"]);
            [frame("/lib/libc.so.6", "write"), merged, frame("/bin/prog", "")]
        };
        let text = |bottom| String::from_utf8(folded(&stack(frames(), bottom))).unwrap();
        assert_eq!(text(Bottom::Reached), "prog+0x1234;main;middle;<[u8: 4]>::save;write");
        assert_eq!(text(Bottom::Unknown), "[unknown];prog+0x1234;main;middle;<[u8: 4]>::save;write");
        let long = (0..1000).map(|_| frame("/bin/prog", &"x".repeat(1000)));
        let text = String::from_utf8(folded(&stack(long, Bottom::Reached))).unwrap();
        assert!(text.starts_with("[...];x") && text.len() <= LONGEST + MORE.len(), "{}", text.len());
    }
}
