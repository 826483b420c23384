//! The function of a program that made a call, behind the functions of the C library.
//!
//! Decides, for every view, which frames are a program's own. `runtime_code.rs` has the names that decide. Three things decide it:
//!
//! - **The module.** Code of run-time libraries is not the program's own, and neither is the code that the
//!   kernel provides (`[vdso]`). Every other module is: the main executable, its other libraries, and code that no file holds. Code
//!   outside the distribution's directories comes before the libraries in them.
//! - **The function.** Some languages have their standard library inside the executable. Functions with the names of C++'s and
//!   Rust's standard libraries are not the program's own, nor are those of Go's, in stacks with a function of Go's `runtime`.
//! - **The script.** A function that an interpreter runs, or that a JIT compiler names in its map (`/tmp/perf-PID.map`), is in no module. In
//!   stacks with such a function, the modules of interpreters are not the program's own, nor are the scripts that are part of Python
//!   and Node. Their packages that were installed are the program's own, but its own scripts come first.

use crate::stack::runtime_code::{
    is_file_of_java, is_go_standard, is_installed_package, is_script_before_programs, is_standard, is_standard_file,
    is_standard_method, is_standard_script, is_standard_script_file, package_of,
};
use crate::{Bottom, CodeFile, SourceLine, Stack, StackFrame};
use std::borrow::Cow;

/// The caller of a system call, as far as a stack tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller<'s> {
    /// The innermost function of the program's own.
    Function(FrameFunction<'s>),
    /// The whole stack is known, and it is in run-time libraries alone: the dynamic loader before the program begins, or the end
    /// of a thread. The module is that of the outermost frame.
    Library(&'s CodeFile),
    /// The known part of the stack has no frame of the program's own, or the innermost of them is in code that nothing names.
    Unknown,
}

/// One of the functions at a frame's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameFunction<'s> {
    /// The frame.
    pub frame: &'s StackFrame,
    /// Its name, demangled. `None` if nothing names it.
    pub name: Option<&'s str>,
    /// The line in this function.
    pub source: Option<&'s SourceLine>,
    /// The compiler merged the function into its caller.
    pub is_merged: bool,
}

/// The facts about a stack that decide, together with a function's name, if the function is the program's own.
struct Surroundings {
    /// The stack has a function of Go's run-time system.
    is_go: bool,
    /// The stack has a function of a script.
    has_script: bool,
}

fn is_go_runtime(name: &str) -> bool {
    name.starts_with("runtime.") || name.starts_with("internal/runtime/")
}

impl Surroundings {
    fn of(stack: &Stack) -> Surroundings {
        let is_go = |frame: &StackFrame| frame.symbol_name().is_some_and(is_go_runtime);
        Surroundings {
            is_go: stack.frames.iter().any(|frame| is_go(frame)),
            has_script: stack.frames.iter().any(|frame| frame.is_in_script()),
        }
    }

    fn is_own_module(&self, frame: &StackFrame) -> bool {
        frame.is_in_program() && !(self.has_script && frame.is_in_interpreter())
    }

    fn is_standard(&self, function: &FrameFunction<'_>) -> bool {
        // The line of a whole function may be that of a header's function in it.
        let is_of_header = function.is_merged && function.source.is_some_and(|source| is_standard_file(&source.file));
        is_of_header
            || function.is_standard_file_of_script()
            || function.name.is_some_and(|name| {
                is_standard(name)
                    || self.is_go && is_go_standard(name)
                    || function.frame.is_in_script() && is_standard_script(name)
                    || function.is_of_java() && is_standard_method(name)
            })
    }
}

impl Stack {
    /// The functions of the stack, innermost first, and whether each is the program's own.
    pub fn functions(&self) -> impl Iterator<Item = (FrameFunction<'_>, bool)> {
        let around = Surroundings::of(self);
        let functions = self.frames.iter().flat_map(|frame| frame.functions());
        functions
            .map(move |function| (function, around.is_own_module(function.frame) && !around.is_standard(&function)))
    }

    /// True if the program's own code made the call, and not a run-time system by itself, such as an event loop that waits.
    pub fn is_of_program(&self) -> bool {
        self.functions().any(|(function, is_own)| is_own && !function.frame.is_in_interpreter())
    }

    /// True if a function of a script is on the stack that is the program's own, or of an installed package.
    pub fn has_own_script(&self) -> bool {
        let is_before = |frame: &StackFrame| {
            frame.is_interpreted()
                && frame.source.as_ref().is_some_and(|source| is_script_before_programs(&source.file))
        };
        let mut functions = self.functions();
        functions.any(|(function, is_own)| is_own && function.frame.is_interpreted())
            && !self.frames.iter().any(|frame| is_before(frame))
    }

    /// True if an interpreter makes the call.
    pub fn is_of_interpreter(&self) -> bool {
        self.frames.iter().any(|frame| frame.is_in_interpreter())
    }

    /// The innermost function of the program's own.
    ///
    /// A static program has the C library linked in. The functions of such a library have no lines of source, and those of the program
    /// do, unless it was compiled without. So if the program itself makes the call, a function with a line is preferred.
    fn innermost_own(&self) -> Option<FrameFunction<'_>> {
        let all_own = || self.functions().filter(|(_, is_own)| *is_own).map(|(function, _)| function);
        if self.frames.iter().any(|frame| frame.is_interpreted()) {
            return all_own().find(|function| !function.is_installed()).or_else(|| all_own().next());
        }
        // A library of the distribution, such as one for a database, serves a program that its user wrote.
        let is_users = |function: &FrameFunction<'_>| {
            function.frame.module.as_ref().is_some_and(|module| !module.is_of_distribution())
        };
        let has_users = all_own().any(|function| is_users(&function));
        let mut own = all_own().filter(|function| !has_users || is_users(function));
        let first = own.next()?;
        let makes_call = self.frames.first().is_some_and(|frame| std::ptr::eq(&raw const **frame, first.frame));
        let mut with_line = || own.find(|function| function.source.is_some());
        Some(if makes_call && first.source.is_none() { with_line().unwrap_or(first) } else { first })
    }

    /// The installed package that makes the call: the innermost function outside the language's own library is part of it.
    pub fn package(&self) -> Option<Cow<'_, str>> {
        self.frames.iter().any(|frame| frame.is_interpreted()).then_some(())?;
        let (function, _) = self.functions().find(|(_, is_own)| *is_own)?;
        package_of(function.path()?)
    }

    /// The origin of the call that was made with this stack.
    pub fn caller(&self) -> Caller<'_> {
        let innermost = self.innermost_own().or_else(|| {
            // A language's standard library also makes calls by itself, such as those of Go's scheduler.
            let around = Surroundings::of(self);
            let library = || {
                self.functions().map(|(function, _)| function).filter(|function| around.is_own_module(function.frame))
            };
            // A goroutine that a package started says most by the function with which the goroutine began.
            let started = library().filter(|function| around.is_go && !function.name.is_some_and(is_go_runtime)).last();
            started.or_else(|| library().next())
        });
        match (innermost, self.frames.last()) {
            // The module of such code may only be unknown because its mapping was gone too soon.
            (Some(FrameFunction { name: None, frame: StackFrame { module: None, .. }, .. }), _) => Caller::Unknown,
            (Some(function), _) => Caller::Function(function),
            (None, Some(last)) if self.bottom == Bottom::Reached => {
                last.module.as_deref().map_or(Caller::Unknown, Caller::Library)
            }
            _ => Caller::Unknown,
        }
    }
}

impl<'s> FrameFunction<'s> {
    /// The file of a function that an interpreter runs.
    pub fn script(&self) -> Option<&'s str> {
        self.frame.source.as_ref().filter(|_| self.frame.is_interpreted()).map(|source| &*source.file)
    }

    /// True if the function is part of Python or Node.
    fn is_standard_file_of_script(&self) -> bool {
        self.script().is_some_and(is_standard_script_file)
    }

    /// True if HotSpot runs the function.
    fn is_of_java(&self) -> bool {
        self.frame.is_interpreted() && self.source.is_none_or(|source| is_file_of_java(&source.file))
    }

    /// True if the function is in a package of Python or Node that was installed, or in a library of the distribution.
    fn is_installed(&self) -> bool {
        let is_library = self.frame.module.as_ref().is_some_and(|module| module.is_of_distribution());
        is_library || self.path().is_some_and(is_installed_package)
    }

    /// The path of the function's script, or of its module.
    fn path(&self) -> Option<&'s [u8]> {
        let module = || self.frame.module.as_ref().map(|module| &*module.path);
        self.script().map(str::as_bytes).or_else(module)
    }
}

impl StackFrame {
    /// The functions at the frame's address, innermost first: those that were merged into another, and the frame's own.
    pub fn functions(&self) -> impl Iterator<Item = FrameFunction<'_>> {
        let merged = self.inlined.iter().filter(|inlined| !inlined.name.is_empty());
        let merged = merged.map(|inlined| (Some(&*inlined.name), inlined.source.as_ref(), true));
        let all = merged.chain([(self.symbol_name(), self.source.as_ref(), false)]);
        all.map(|(name, source, is_merged)| FrameFunction { frame: self, name, source, is_merged })
    }

    fn symbol_name(&self) -> Option<&str> {
        self.symbol.as_ref().map(|symbol| &*symbol.name)
    }

    /// True if the frame's module belongs to the program, and not to the system's run-time libraries.
    pub(crate) fn is_in_program(&self) -> bool {
        self.module.as_ref().is_none_or(|module| !module.is_run_time_library())
    }

    /// True if an interpreter or a JIT compiler gave the function its name.
    fn is_in_script(&self) -> bool {
        self.module.is_none() && self.symbol.is_some()
    }

    fn is_in_interpreter(&self) -> bool {
        self.module.as_ref().is_some_and(|module| module.is_interpreter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InlinedFunction, Symbol};
    use std::sync::Arc;

    fn frame(module: &str, function: &str) -> StackFrame {
        let module =
            (!module.is_empty()).then(|| Arc::new(CodeFile { path: module.as_bytes().into(), build_id: [].into() }));
        let symbol = (!function.is_empty()).then(|| Symbol { name: function.into(), offset: 4 });
        StackFrame { module, offset: 0x1234, symbol, source: None, inlined: [].into() }
    }

    /// A stack of modules and functions, innermost first.
    fn stack(frames: &[(&str, &str)], bottom: Bottom) -> Stack {
        Stack { frames: frames.iter().map(|(module, name)| Arc::new(frame(module, name))).collect(), bottom }
    }

    #[track_caller]
    fn called_by(frames: &[(&str, &str)], expected: &str) {
        let stack = stack(frames, Bottom::Reached);
        let Caller::Function(caller) = stack.caller() else { panic!("{:?}", stack.caller()) };
        assert_eq!(caller.name, Some(expected));
    }

    #[test]
    fn libraries_of_the_distribution_serve_what_users_wrote() {
        const DATABASE: &str = "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0.8.6";
        let caller = |frames: &[(&str, &str)]| match stack(frames, Bottom::Reached).caller() {
            Caller::Function(function) => function.name.unwrap_or_default().to_owned(),
            other => panic!("{other:?}"),
        };
        let with = |program: &str| caller(&[("/usr/lib/libc.so.6", "fsync"), (DATABASE, "commit"), (program, "save")]);
        assert_eq!(with("/home/me/app"), "save");
        assert_eq!(with("/opt/app/libmodel.so"), "save");
        // A program of the distribution is no more the user's than its libraries are.
        assert_eq!(with("/usr/bin/app"), "commit");
    }

    #[test]
    fn calls_of_event_loops_are_not_the_programs_own() {
        let is_of_program = |frames: &[(&str, &str)]| stack(frames, Bottom::Reached).is_of_program();
        assert!(!is_of_program(&[("/usr/bin/node", "uv__io_poll"), ("/usr/bin/node", "main")]));
        assert!(is_of_program(&[("/usr/bin/node", "uv__write"), ("", "answer"), ("/usr/bin/node", "main")]));
        assert!(!is_of_program(&[("/bin/p", "runtime.futex.abi0"), ("/bin/p", "runtime.sysmon")]));
        assert!(is_of_program(&[
            ("/bin/p", "os.(*File).Write"),
            ("/bin/p", "main.commit"),
            ("/bin/p", "runtime.goexit.abi0")
        ]));
    }

    #[test]
    fn the_innermost_frame_of_the_program() {
        let libc = "/lib/libc.so.6";
        called_by(&[(libc, "write"), ("/bin/p", "save"), ("/bin/p", "main"), (libc, "__libc_start_main")], "save");
        called_by(&[(libc, "write"), ("/lib/libz.so.1", "gzwrite"), ("/bin/p", "main")], "gzwrite");
        let rust = "std::fs::File::open_c";
        called_by(&[(libc, "open64"), ("/bin/p", rust), ("/bin/p", "tool::load"), ("/bin/p", "main")], "tool::load");
        let go = [("/bin/p", "syscall.Syscall6"), ("/bin/p", "os.lstatNolog"), ("/bin/p", "main.walk")];
        called_by(&[&go[..], &[("/bin/p", "runtime.goexit.abi0")]].concat(), "main.walk");
        // A goroutine of a package, and Go's scheduler.
        let socket = [
            ("/bin/p", "syscall.socket"),
            ("/bin/p", "net.(*Dialer).DialContext"),
            ("/bin/p", "net/http.(*Transport).dialConnFor"),
        ];
        called_by(&[&socket[..], &[("/bin/p", "runtime.goexit.abi0")]].concat(), "net/http.(*Transport).dialConnFor");
        called_by(&[("/bin/p", "runtime.futex.abi0"), ("/bin/p", "runtime.mstart.abi0")], "runtime.futex.abi0");
        // Functions of a C program may be called like packages of Go.
        called_by(&[(libc, "write"), ("/bin/p", "log.part.0"), ("/bin/p", "main")], "log.part.0");
        // Scripts, and an interpreter's own calls.
        let python = ("/usr/lib/libpython3.12.so.1.0", "os_stat");
        let script =
            [("", "py::exists:<frozen genericpath>"), ("", "py::check:/srv/app.py"), ("/usr/bin/python3.12", "main")];
        called_by(&[&[(libc, "fstatat"), python], &script[..]].concat(), "py::check:/srv/app.py");
        called_by(&[(libc, "fstatat"), python, ("/usr/bin/python3.12", "main")], "os_stat");
        let numpy = [(libc, "madvise"), ("/usr/lib/numpy/_umath.so", "allocate"), python];
        called_by(&[&numpy, &script[..]].concat(), "allocate");
        let node = [
            (libc, "access"),
            ("/usr/bin/node", "uv_fs_access"),
            ("", "JS:~existsSync node:fs:285:20"),
            ("", "JS:~check /srv/a.js:2:15"),
        ];
        called_by(&node, "JS:~check /srv/a.js:2:15");
        // Go's own threads.
        called_by(&[("/bin/p", "runtime.futex"), ("/bin/p", "runtime.sysmon")], "runtime.futex");
    }

    /// The class tells which methods are part of Java. Classes that HotSpot makes have no file.
    #[test]
    fn methods_of_java() {
        let made = |name: &str| {
            let symbol = Some(Symbol { name: name.into(), offset: 3 });
            Arc::new(StackFrame { module: None, offset: 3, symbol, source: None, inlined: Box::default() })
        };
        let native = |module: &str, function: &str| Arc::new(frame(module, function));
        let (inner, outer) =
            (native("/jvm/libjava.so", "getBooleanAttributes0"), native("/jvm/libjvm.so", "call_helper"));
        let (library, hidden) =
            (script("File.java", "java.io.File.exists"), made("java.lang.invoke.LambdaForm$MH.invoke"));
        let (routine, own) = (made("[HotSpot: StubRoutines (1)]"), script("Shop.java", "shop.Shop.check"));
        let with = |frames: &[&Arc<StackFrame>]| {
            let all = [&inner].into_iter().chain(frames.iter().copied()).chain([&outer]).cloned().collect();
            let stack = Stack { frames: all, bottom: Bottom::Reached };
            let Caller::Function(caller) = stack.caller() else { panic!("{:?}", stack.caller()) };
            caller.name.unwrap().to_owned()
        };
        assert_eq!(with(&[&library, &own, &hidden, &routine]), "shop.Shop.check");
        assert_eq!(with(&[&library, &hidden, &own, &routine]), "shop.Shop.check");
        // The same names are a program's own in other languages.
        assert_eq!(with(&[&script("/srv/planets.py", "sun.rise"), &own]), "sun.rise");
    }

    /// A function that an interpreter runs.
    fn script(file: &str, function: &str) -> Arc<StackFrame> {
        let source = Some(SourceLine { file: file.into(), line: 7 });
        Arc::new(StackFrame { source, offset: 4, ..frame("", function) })
    }

    #[test]
    fn functions_that_python_runs() {
        let native = |module: &str, function: &str| Arc::new(frame(module, function));
        let caller = |frames: &[Arc<StackFrame>]| {
            let stack = Stack { frames: frames.into(), bottom: Bottom::Reached };
            let Caller::Function(caller) = stack.caller() else { panic!("{:?}", stack.caller()) };
            caller.name.unwrap().to_owned()
        };
        let stat = [native("/lib/libc.so.6", "fstatat"), native("/usr/lib/libpython3.12.so.1.0", "os_stat")];
        let frozen = script("<frozen genericpath>", "exists");
        let library = script("/usr/lib/python3.11/shutil.py", "copy");
        let package = script("/usr/lib/python3/dist-packages/requests/api.py", "get");
        let other = script("/srv/venv/lib/python3.12/site-packages/flask/app.py", "run");
        let own = script("/srv/app.py", "check");
        let main = native("/usr/bin/python3.12", "main");
        let with = |frames: &[&Arc<StackFrame>]| {
            let all: Vec<_> = stat.iter().chain(frames.iter().copied()).chain([&main]).cloned().collect();
            caller(&all)
        };
        assert_eq!(with(&[&frozen, &library, &own]), "check");
        assert_eq!(with(&[&own, &library, &script("/srv/app.py", "outer")]), "check");
        assert_eq!(with(&[&package, &library, &own, &other]), "check");
        assert_eq!(with(&[&library, &package, &other]), "get");
        let (internal, express) = (script("node:fs", "statSync"), script("/srv/node_modules/express/a.js", "handle"));
        assert_eq!(with(&[&internal, &express, &own, &express]), "check");
        assert_eq!(with(&[&internal, &express, &other]), "handle");
        assert_eq!(with(&[&frozen, &library]), "exists");
        // A library of the distribution in C, one of the user's, and one that is part of an installed package.
        let ssl = native("/usr/lib/libssl.so.3", "SSL_read");
        assert_eq!(with(&[&ssl, &own]), "check");
        assert_eq!(with(&[&ssl, &library]), "SSL_read");
        assert_eq!(with(&[&native("/srv/libown.so", "load"), &own]), "load");
        let extension = native("/srv/venv/lib/python3.12/site-packages/numpy/_umath.so", "allocate");
        assert_eq!(with(&[&extension, &own]), "check");
        assert_eq!(with(&[&extension, &library]), "allocate");
    }

    /// Python runs a script of its own before each program, which runs code of installed packages.
    #[test]
    fn scripts_of_a_program() {
        let stack = |frames: &[(&str, &str)]| Stack {
            frames: frames.iter().map(|(file, function)| script(file, function)).collect(),
            bottom: Bottom::Reached,
        };
        let (app, import) = (("/srv/app.py", "load"), ("<frozen importlib._bootstrap>", "_find_and_load"));
        assert!(stack(&[import, app]).has_own_script());
        assert!(!stack(&[import]).has_own_script());
        assert!(!stack(&[import, ("<string>", "<module>"), ("<frozen site>", "addpackage")]).has_own_script());
        assert!(!stack(&[("<string>", "<module>"), ("/usr/lib/python3.8/site.py", "main")]).has_own_script());
        assert!(stack(&[("/srv/site.py", "main")]).has_own_script());
    }

    #[test]
    fn no_frame_of_the_program() {
        let libc = "/lib/libc.so.6";
        let whole = stack(&[(libc, "madvise"), (libc, "start_thread"), (libc, "clone3")], Bottom::Reached);
        assert!(matches!(whole.caller(), Caller::Library(file) if file.file_name() == b"libc.so.6"));
        for bottom in [Bottom::Unknown, Bottom::Limit] {
            assert_eq!(stack(&[(libc, "write")], bottom).caller(), Caller::Unknown);
        }
        assert_eq!(stack(&[], Bottom::Reached).caller(), Caller::Unknown);
        assert_eq!(stack(&[(libc, "write"), ("", ""), ("/bin/p", "main")], Bottom::Reached).caller(), Caller::Unknown);
    }

    #[test]
    fn merged_functions() {
        let inlined = |name: &str| InlinedFunction { name: name.into(), source: None };
        let merging = |functions: &[&str]| {
            let inlined = functions.iter().map(|name| inlined(name)).collect();
            let frame = Arc::new(StackFrame { inlined, ..frame("/bin/p", "main.count") });
            Stack { frames: [frame, Arc::new(self::frame("/bin/p", "runtime.main"))].into(), bottom: Bottom::Reached }
        };
        for (functions, expected) in
            [(&["", "inner", "middle"][..], "inner"), (&["os.Open"], "main.count"), (&["os.Open", "main.f"], "main.f")]
        {
            let stack = merging(functions);
            let Caller::Function(caller) = stack.caller() else { panic!("{:?}", stack.caller()) };
            assert_eq!(caller.name, Some(expected));
        }
    }
}
