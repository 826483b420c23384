//! The function of a program that made a call, behind the functions of the C library.
//!
//! Which frames are a program's own is decided here, for every view. Three things decide it:
//!
//! - **The module.** Code of the run-time libraries in [`LIBRARIES`] is not the program's own, and neither is the code that the
//!   kernel provides (`[vdso]`). Every other module is: the main executable, its other libraries, and code that no file holds.
//! - **The function.** Some languages have their standard library inside the executable. Functions with the names of C++'s and
//!   Rust's standard libraries are not the program's own, nor are those of Go's, in stacks with a function of Go's `runtime`.
//! - **The script.** A function that an interpreter or a JIT compiler names in its map (`/tmp/perf-PID.map`) is in no module. In
//!   stacks with such a function, the modules of [`INTERPRETERS`] are not the program's own, nor are the scripts that are part of Python
//!   and Node.

use crate::{Bottom, CodeFile, SourceLine, Stack, StackFrame};

/// The origin of a call, as far as a stack tells.
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
    pub frame: &'s StackFrame,
    pub name: Option<&'s str>,
    /// The line in this function.
    pub source: Option<&'s SourceLine>,
}

/// Run-time libraries: the part of a file's name before the first dot, without a version such as `-2.31`. A name that ends with
/// `*` stands for all that begin so.
const LIBRARIES: &[&str] = &[
    // The C library, and the dynamic loader. musl's loader is its C library.
    "libc",
    "libpthread",
    "libdl",
    "librt",
    "libm",
    "libmvec",
    "libresolv",
    "libanl",
    "libutil",
    "libnsl",
    "libnss_*",
    "ld",
    "ld64",
    "ld-linux*",
    "ld-musl*",
    // The run-time libraries of compilers.
    "libgcc_s",
    "libstdc++",
    "libc++",
    "libc++abi",
    "libunwind",
    "libgfortran",
    "libgomp",
    "libgo",
    // The compilers' sanitizers, which wrap functions of the C library.
    "libasan",
    "libhwasan",
    "liblsan",
    "libtsan",
    "libubsan",
];

/// Interpreters and their libraries, in the same form.
const INTERPRETERS: &[&str] = &[
    "python*",
    "libpython*",
    "node",
    "nodejs",
    "libnode",
    "java",
    "libjvm",
    "libjava",
    "libjli",
    "libjimage",
    "libnio",
    "libnet",
    "libzip",
];
/// The directory of the libraries that are part of Python.
const PYTHON_LIBRARIES: &[u8] = b"/lib-dynload/";

/// The packages of Go's standard library, by the first part of their path.
const GO_PACKAGES: &[&str] = &[
    "archive",
    "bufio",
    "bytes",
    "cmp",
    "compress",
    "container",
    "context",
    "crypto",
    "database",
    "debug",
    "embed",
    "encoding",
    "errors",
    "expvar",
    "flag",
    "fmt",
    "go",
    "hash",
    "html",
    "image",
    "index",
    "internal",
    "io",
    "iter",
    "log",
    "maps",
    "math",
    "mime",
    "net",
    "os",
    "path",
    "plugin",
    "reflect",
    "regexp",
    "runtime",
    "slices",
    "sort",
    "strconv",
    "strings",
    "structs",
    "sync",
    "syscall",
    "testing",
    "text",
    "time",
    "unicode",
    "unique",
    "unsafe",
    "vendor",
    "weak",
];

impl Stack {
    /// The origin of the call that was made with this stack.
    pub fn caller(&self) -> Caller<'_> {
        let is_go =
            self.frames.iter().any(|frame| frame.symbol_name().is_some_and(|name| name.starts_with("runtime.")));
        let has_script = self.frames.iter().any(|frame| frame.is_in_script());
        let own = || {
            let frames = self.frames.iter();
            let own = frames.filter(|frame| frame.is_in_program() && !(has_script && frame.is_in_interpreter()));
            own.flat_map(|frame| frame.functions())
        };
        // A language's standard library also makes calls by itself, such as those of Go's scheduler.
        let innermost = own().find(|function| !function.is_standard(is_go)).or_else(|| own().next());
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

impl StackFrame {
    /// The functions at the frame's address, innermost first: those that were merged into another, and the frame's own.
    pub fn functions(&self) -> impl Iterator<Item = FrameFunction<'_>> {
        let merged = self.inlined.iter().filter(|inlined| !inlined.name.is_empty());
        let merged = merged.map(|inlined| (Some(&*inlined.name), inlined.source.as_ref()));
        let all = merged.chain([(self.symbol_name(), self.source.as_ref())]);
        all.map(|(name, source)| FrameFunction { frame: self, name, source })
    }

    fn symbol_name(&self) -> Option<&str> {
        self.symbol.as_ref().map(|symbol| &*symbol.name)
    }

    /// Whether the frame's module is the program's own.
    pub fn is_in_program(&self) -> bool {
        self.module.as_ref().is_none_or(|module| !module.is_run_time_library())
    }

    /// Whether an interpreter or a JIT compiler names the function.
    fn is_in_script(&self) -> bool {
        self.module.is_none() && self.symbol.is_some()
    }

    fn is_in_interpreter(&self) -> bool {
        self.module.as_ref().is_some_and(|module| {
            module.is_one_of(INTERPRETERS)
                || module.path.windows(PYTHON_LIBRARIES.len()).any(|part| part == PYTHON_LIBRARIES)
        })
    }
}

impl FrameFunction<'_> {
    /// Whether the function is part of a language's standard library.
    fn is_standard(&self, is_go: bool) -> bool {
        self.name.is_some_and(|name| {
            is_standard(name) || is_go && is_go_standard(name) || self.frame.is_in_script() && is_standard_script(name)
        })
    }
}

impl CodeFile {
    /// The file's name without its directory.
    pub fn file_name(&self) -> &[u8] {
        self.path.rsplit(|&b| b == b'/').next().unwrap_or(&self.path)
    }

    /// Whether the module belongs to the system's run-time libraries.
    fn is_run_time_library(&self) -> bool {
        let name = self.file_name();
        if &*self.path == b"[vdso]" {
            return true;
        }
        let is_library = name.ends_with(b".so") || name.windows(4).any(|part| part == b".so.");
        is_library && self.is_one_of(LIBRARIES)
    }

    fn is_one_of(&self, names: &[&str]) -> bool {
        let stem = self.file_name().split(|&b| b == b'.').next().unwrap_or_default();
        let version = stem.windows(2).position(|two| two[0] == b'-' && two[1].is_ascii_digit());
        let stem = &stem[..version.unwrap_or(stem.len())];
        names.iter().any(|name| match name.strip_suffix('*') {
            Some(beginning) => stem.starts_with(beginning.as_bytes()),
            None => stem == name.as_bytes(),
        })
    }
}

/// Whether a function's name is one of C++'s or Rust's standard library. In Rust, `<T as Trait>::f` is if both are.
fn is_standard(name: &str) -> bool {
    let begins = |name: &str| {
        let name = name.trim_start_matches(['&', '*', '(', '[']).trim_start_matches("mut ").trim_start_matches("dyn ");
        ["std::", "core::", "alloc::", "__gnu_cxx::", "__cxxabiv1::"].iter().any(|space| name.starts_with(space))
    };
    match name.strip_prefix('<') {
        None => begins(name),
        Some(inside) => begins(inside) && inside.rsplit_once(" as ").is_none_or(|(_, implemented)| begins(implemented)),
    }
}

/// Whether a function's name is one of Go's standard library: a package's path, a dot, and the function.
fn is_go_standard(name: &str) -> bool {
    let first = name.split(['/', '.']).next().unwrap_or_default();
    name.len() > first.len() && GO_PACKAGES.contains(&first)
}

/// Whether a function of a script is part of Python or Node: `py::exists:<frozen genericpath>`, `JS:~existsSync node:fs:285:20`.
fn is_standard_script(name: &str) -> bool {
    name.starts_with("py::") && name.contains(":<frozen ") || name.starts_with("JS:") && name.contains(" node:")
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
    fn modules_of_the_run_time() {
        for name in [
            "/lib/x86_64-linux-gnu/libc.so.6",
            "/lib/x86_64-linux-gnu/libc-2.31.so",
            "/lib/x86_64-linux-gnu/libpthread-2.31.so",
            "/usr/lib/libnss_files.so.2",
            "/lib64/ld-linux-x86-64.so.2",
            "/lib/x86_64-linux-gnu/ld-2.31.so",
            "/lib/ld-musl-x86_64.so.1",
            "/lib/libc.musl-x86_64.so.1",
            "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
            "/usr/lib/x86_64-linux-gnu/libgcc_s.so.1",
            "/usr/lib/libc++abi.so.1",
            "[vdso]",
        ] {
            assert!(!frame(name, "f").is_in_program(), "{name}");
        }
        for name in [
            "/usr/bin/git",
            "/usr/bin/ld",
            "/tmp/libc",
            "/usr/lib/libcrypto.so.3",
            "/usr/lib/libpython3.11.so.1.0",
            "/usr/lib/libcurl.so.4",
            "/usr/lib/libm17n.so.0",
            "/opt/libc.so.d/prog",
            "",
        ] {
            assert!(frame(name, "f").is_in_program(), "{name}");
        }
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

    #[test]
    fn standard_libraries() {
        for name in [
            "std::io::stdio::Stdout::write",
            "<std::fs::File as std::io::Write>::write",
            "<&mut std::fs::File as core::fmt::Write>::write_str",
            "<alloc::vec::Vec<u8>>::push",
            "std::basic_filebuf<char, std::char_traits<char> >::overflow(int)",
        ] {
            assert!(is_standard(name), "{name}");
        }
        for name in
            ["<std::fs::File as tool::Save>::save", "<tool::Log as std::io::Write>::write", "stdio_write", "main"]
        {
            assert!(!is_standard(name), "{name}");
        }
        assert!(is_go_standard("internal/poll.(*FD).Read") && is_go_standard("os.ReadFile"));
        for name in ["main.main", "example.com/os.Read", "os", "osquery.Run"] {
            assert!(!is_go_standard(name), "{name}");
        }
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
