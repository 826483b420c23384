//! The names by which code is known that is not a program's own: of run-time libraries, interpreters and standard libraries.

use crate::CodeFile;

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

impl CodeFile {
    /// The file's name without its directory.
    pub fn file_name(&self) -> &[u8] {
        self.path.rsplit(|&b| b == b'/').next().unwrap_or(&self.path)
    }

    /// Whether the module belongs to the system's run-time libraries.
    pub(crate) fn is_run_time_library(&self) -> bool {
        let name = self.file_name();
        if &*self.path == b"[vdso]" {
            return true;
        }
        let is_library = name.ends_with(b".so") || name.windows(4).any(|part| part == b".so.");
        is_library && self.is_one_of(LIBRARIES)
    }

    /// Whether the module belongs to an interpreter.
    pub(crate) fn is_interpreter(&self) -> bool {
        self.is_one_of(INTERPRETERS) || self.path.windows(PYTHON_LIBRARIES.len()).any(|part| part == PYTHON_LIBRARIES)
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
pub fn is_standard(name: &str) -> bool {
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
pub fn is_go_standard(name: &str) -> bool {
    let first = name.split(['/', '.']).next().unwrap_or_default();
    name.len() > first.len() && GO_PACKAGES.contains(&first)
}

/// Whether a function of a script is part of Python, Node or Java: `py::exists:<frozen genericpath>`, `JS:~existsSync node:fs:285:20`,
/// `int java.io.File.length()`, and the routines of Java's interpreter.
pub fn is_standard_script(name: &str) -> bool {
    let method = name.split_once(' ').map_or("", |(_, method)| method);
    name.starts_with("py::") && name.contains(":<frozen ")
        || name.starts_with("JS:") && name.contains(" node:")
        || ["java.", "javax.", "jdk.", "sun.", "com.sun."].iter().any(|package| method.starts_with(package))
        || name == "Interpreter"
        || name.starts_with("StubRoutines")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str) -> CodeFile {
        CodeFile { path: path.as_bytes().into(), build_id: [].into() }
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
            assert!(module(name).is_run_time_library(), "{name}");
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
        ] {
            assert!(!module(name).is_run_time_library(), "{name}");
        }
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
    fn standard_scripts() {
        for name in [
            "py::exists:<frozen genericpath>",
            "JS:~existsSync node:fs:285:20",
            "int java.io.UnixFileSystem.getBooleanAttributes0(java.io.File)",
            "Interpreter",
            "StubRoutines (1)",
        ] {
            assert!(is_standard_script(name), "{name}");
        }
        for name in [
            "py::check:/srv/app.py",
            "JS:~check /srv/a.js:2:15",
            "int Main.load()",
            "void org.java.Main.f(java.io.File)",
        ] {
            assert!(!is_standard_script(name), "{name}");
        }
    }
}
