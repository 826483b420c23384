//! The caller of a system call with its line, for views that look up lines late.

use crate::{Bottom, Caller, CodeFile, FrameFunction, SourceLine, Stack, StackFrame};
use std::sync::Arc;

/// Gives a frame with its line and its inlined functions, if these are known. Looking lines up takes time and memory, so only the
/// stacks that are shown get theirs.
pub type WithSource<'a> = dyn Fn(&Arc<StackFrame>) -> Arc<StackFrame> + 'a;

/// A function, with the line in it that leads to a call. Callers that are equal are shown as one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallingFunction {
    /// None for code that no file holds, such as a JIT compiler's.
    pub module: Option<Arc<CodeFile>>,
    /// None if the module has no name for it.
    pub function: Option<Box<str>>,
    /// The line in it that leads to the call, if it is known.
    pub source: Option<SourceLine>,
    /// The address in the module, for a function without a name in a module.
    pub offset: Option<u64>,
    /// The package that was installed (Python, Node, PHP, Ruby, Perl) and whose code makes the call for this function, if it does.
    pub package: Option<Box<str>>,
}

impl CallingFunction {
    /// The function of the program that makes a call with this stack ([`Stack::caller`]). If no frame is the program's own (the dynamic
    /// loader loads the program), it is the function that makes the call. None if the stack is not known so far.
    pub fn of(stack: &Stack, with_source: &WithSource<'_>) -> Option<CallingFunction> {
        let frames =
            stack.frames.iter().map(|frame| if frame.is_in_program() { with_source(frame) } else { frame.clone() });
        let stack = Stack { frames: frames.collect(), bottom: stack.bottom };
        match stack.caller() {
            Caller::Function(function) => {
                Some(CallingFunction { package: stack.package().map(Into::into), ..function.into() })
            }
            Caller::Library(_) if stack.bottom == Bottom::Reached => {
                stack.functions().find(|(function, _)| !function.is_merged).map(|(function, _)| function.into())
            }
            Caller::Library(_) | Caller::Unknown => None,
        }
    }
}

impl From<FrameFunction<'_>> for CallingFunction {
    fn from(function: FrameFunction<'_>) -> CallingFunction {
        let FrameFunction { frame, name, source, .. } = function;
        let is_known = name.is_some() || source.is_some();
        CallingFunction {
            module: frame.module.clone(),
            function: name.map(Into::into),
            source: source.cloned(),
            offset: (!is_known && frame.module.is_some()).then_some(frame.offset),
            package: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InlinedFunction, Symbol};

    /// A frame of `path:function@file:line`, the parts behind the path being optional.
    fn frame(text: &str) -> Arc<StackFrame> {
        let (path, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (name, source) = rest.rsplit_once('@').unwrap_or((rest, ""));
        let module =
            (path != "-").then(|| Arc::new(CodeFile { path: path.as_bytes().into(), build_id: Box::default() }));
        let symbol = (!name.is_empty()).then(|| Symbol { name: name.into(), offset: 1 });
        let source = line(source);
        Arc::new(StackFrame { module, offset: 0x10, symbol, source, inlined: Box::default() })
    }

    fn line(text: &str) -> Option<SourceLine> {
        let (file, line) = text.rsplit_once(':')?;
        Some(SourceLine { file: file.into(), line: line.parse().unwrap() })
    }

    fn inlining(text: &str, inlined: &[(&str, &str)]) -> Arc<StackFrame> {
        let function = |&(name, at): &(&str, &str)| InlinedFunction { name: name.into(), source: line(at) };
        let inlined = inlined.iter().map(function).collect();
        Arc::new(StackFrame { inlined, ..(*frame(text)).clone() })
    }

    fn caller(frames: Vec<Arc<StackFrame>>) -> Option<CallingFunction> {
        CallingFunction::of(&Stack { frames: frames.into(), bottom: Bottom::Reached }, &Arc::clone)
    }

    fn described(frames: &[&str]) -> String {
        let caller = caller(frames.iter().map(|text| frame(text)).collect()).unwrap();
        let module = caller.module.map_or("-".into(), |module| String::from_utf8_lossy(&module.path).into_owned());
        let offset = caller.offset.map_or_else(String::new, |offset| format!("+{offset:#x}"));
        let source = caller.source.map_or_else(String::new, |at| format!("@{}:{}", at.file, at.line));
        format!("{module}{offset} {}{source}", caller.function.as_deref().unwrap_or_default())
    }

    #[test]
    fn the_c_library_is_not_the_caller() {
        let libc = "/lib/x86_64-linux-gnu/libc.so.6 ";
        let start = format!("{libc}__libc_start_main");
        assert_eq!(
            described(&[&format!("{libc}stat"), "/bin/walk check@walk.c:41", "/bin/walk main@walk.c:80", &start]),
            "/bin/walk check@walk.c:41"
        );
        // A library that calls back: the innermost counts.
        assert_eq!(
            described(&[&format!("{libc}read"), "/bin/p compare", &format!("{libc}qsort"), "/bin/p main@p.c:9"]),
            "/bin/p compare"
        );
        assert_eq!(described(&[&format!("{libc}read"), "/usr/lib/libz.so.1"]), "/usr/lib/libz.so.1+0x10 ");
    }

    #[test]
    fn if_no_frame_is_the_programs_own() {
        assert_eq!(
            described(&["/lib64/ld-linux-x86-64.so.2 open_path", "/lib64/ld-linux-x86-64.so.2 dl_main"]),
            "/lib64/ld-linux-x86-64.so.2 open_path"
        );
        assert_eq!(caller(Vec::new()), None);
        // Code of which nothing is known may be the program's own.
        assert_eq!(caller(vec![frame("/lib/libc.so.6 write"), frame("- "), frame("/bin/p main")]), None);
        assert_eq!(described(&["/lib/libc.so.6 write", "- py::check:/x.py"]), "- py::check:/x.py");
    }

    #[test]
    fn a_linked_in_c_library_has_no_lines() {
        assert_eq!(
            described(&["/bin/s __read", "/bin/s fgets", "/bin/s load@s.c:7", "/bin/s main@s.c:9"]),
            "/bin/s load@s.c:7"
        );
        assert_eq!(described(&["/bin/s __read", "/bin/s fgets", "/bin/s main"]), "/bin/s __read");
        // A program that makes its calls itself.
        assert_eq!(described(&["/bin/s raw@s.c:3", "/bin/s main@s.c:9"]), "/bin/s raw@s.c:3");
    }

    #[test]
    fn what_was_inlined_counts_as_a_function() {
        // A header's function that was merged into the program, and one of the program's.
        let header = ("read", "/usr/include/x86_64-linux-gnu/bits/unistd.h:28");
        let frames = |inlined: &[_]| vec![frame("/lib/libc.so.6 read"), inlining("/bin/p main@p.c:9", inlined)];
        let found = caller(frames(&[header, ("load", "p.c:5")])).unwrap();
        assert_eq!((found.function.as_deref(), found.source), (Some("load"), line("p.c:5")));
        let found = caller(frames(&[header])).unwrap();
        assert_eq!((found.function.as_deref(), found.source), (Some("main"), line("p.c:9")));
    }

    #[test]
    fn a_languages_library_is_not_the_caller() {
        let go = "/usr/local/go/src";
        let stat = [
            format!("/bin/walk internal/runtime/syscall.Syscall6@{go}/internal/runtime/syscall/asm_linux_amd64.s:36"),
            format!("/bin/walk syscall.fstatat@{go}/syscall/zsyscall_linux_amd64.go:1438"),
            format!("/bin/walk os.Stat@{go}/os/stat.go:13"),
            "/bin/walk main.main.func1@/src/walk/main.go:26".into(),
            format!("/bin/walk path/filepath.WalkDir@{go}/path/filepath/path.go:395"),
            "/bin/walk main.main@/src/walk/main.go:21".into(),
            format!("/bin/walk runtime.goexit.abi0@{go}/runtime/asm_amd64.s:1700"),
        ];
        let stat: Vec<&str> = stat.iter().map(String::as_str).collect();
        assert_eq!(described(&stat), "/bin/walk main.main.func1@/src/walk/main.go:26");
        // Without lines.
        let bare: Vec<&str> = stat.iter().map(|text| text.split_once('@').unwrap().0).collect();
        assert_eq!(described(&bare), "/bin/walk main.main.func1");
        let rust = ["/lib/libc.so.6 open64", "/bin/r std::sys::fs::unix::File::open_c", "/bin/r load@src/main.rs:3"];
        assert_eq!(described(&rust), "/bin/r load@src/main.rs:3");
    }
}
