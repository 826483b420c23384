//! Which code belongs to a library that every program of a language uses, so that nobody looks for a mistake there.

use crate::Stack;

/// The beginnings of file names: the C library in its parts, the dynamic loader, and the libraries of languages.
const MODULES: &[&str] = &[
    "[vdso]",
    "[vsyscall]",
    "ld-linux",
    "ld-musl-",
    "ld-2.",
    "ld.so",
    "ld64.so",
    "libc.so",
    "libc-2.",
    "libc.musl-",
    "libpthread.so",
    "libpthread-2.",
    "libdl.so",
    "libdl-2.",
    "librt.so",
    "librt-2.",
    "libm.so",
    "libm-2.",
    "libresolv.so",
    "libresolv-2.",
    "libnss_",
    "libanl.so",
    "libutil.so",
    "libgcc_s.so",
    "libstdc++.so",
    "libc++.so",
    "libc++abi.so",
    // Rust's, linked dynamically.
    "libstd-",
    // Sanitizers are called in place of the C library.
    "libasan.so",
    "libtsan.so",
    "libubsan.so",
    "liblsan.so",
];

/// The first elements of the paths of Go's own packages. (Other packages begin with a host's name, and `main`.)
const GO: &[&str] = &[
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

/// The libraries of Rust and C++.
const ROOTS: &[&str] = &["std::", "core::", "alloc::", "__gnu_cxx::", "__cxxabiv1::"];

/// Directories of headers and of Rust's library, whose functions are merged into those of programs.
const DIRECTORIES: &[&str] = &["/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm", "/rustc/"];
const RUSTLIB: &str = "/rustlib/src/rust/library/";

pub fn is_library_module(path: &[u8]) -> bool {
    let name = path.rsplit(|&b| b == b'/').next().unwrap_or_default();
    MODULES.iter().any(|module| name.starts_with(module.as_bytes()))
}

/// Whether the stack is that of a goroutine: Go's runtime began it.
pub fn is_goroutine(stack: &Stack) -> bool {
    let outermost = stack.frames.last().and_then(|frame| frame.symbol.as_ref());
    outermost.is_some_and(|symbol| symbol.name.starts_with("runtime."))
}

/// Whether a function in a program's module is a library's. `file` has its line. `is_inlined`: it was merged into its caller.
/// `of_go`: the stack is that of a goroutine.
pub fn is_library_function(name: &str, file: &str, is_inlined: bool, of_go: bool) -> bool {
    let is_go = of_go || file.ends_with(".go");
    // The line of a whole function may be that of a header's function in it.
    is_inlined && is_library_file(file) || is_go && is_gos(name) || is_std(name)
}

fn is_library_file(file: &str) -> bool {
    DIRECTORIES.iter().any(|directory| file.starts_with(directory)) || file.contains(RUSTLIB)
}

/// `path/filepath.WalkDir`, but not `main.main`, `example.com/log.Print`.
fn is_gos(name: &str) -> bool {
    // Type parameters may have paths of their own.
    let plain = name.split('[').next().unwrap_or_default();
    let (first, _) = plain.split_once('/').or_else(|| plain.split_once('.')).unwrap_or_default();
    GO.contains(&first)
}

/// `std::fs::read`, `<std::fs::File as std::io::Read>::read`, `void std::sort<int*>(int*, int*)`, but not
/// `<alloc::string::String as mine::Check>::check`.
fn is_std(name: &str) -> bool {
    let is_root = |path: &str| {
        let path = path.trim_start_matches(['<', '&', '*']).trim_start_matches("mut ").trim_start_matches("dyn ");
        ROOTS.iter().any(|root| path.starts_with(root))
    };
    if let Some(inner) = name.strip_prefix('<') {
        return match at_depth(inner, " as ") {
            Some((implementor, implemented)) => is_root(implementor) && is_root(implemented),
            None => is_root(inner),
        };
    }
    // C++ tells the type of the result of a template's functions.
    let head = name.split('(').next().unwrap_or_default();
    is_root(at_depth(head, " ").map_or(head, |(_, rest)| rest))
}

/// Splits at the first separator that is in no angle brackets.
fn at_depth<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let mut depth = 0i32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            // `->` is no bracket.
            b'>' if at == 0 || text.as_bytes()[at - 1] != b'-' => depth -= 1,
            _ => {}
        }
        if depth == 0 && text.is_char_boundary(at) && text[at..].starts_with(separator) {
            return Some((&text[..at], &text[at + separator.len()..]));
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules() {
        for path in ["/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/libc-2.31.so", "/lib/ld-musl-x86_64.so.1", "[vdso]"] {
            assert!(is_library_module(path.as_bytes()), "{path}");
        }
        for path in ["/usr/bin/libc", "/usr/lib/libcrypto.so.3", "/opt/libc/walk", "libmine.so", "", "/bin/ld"] {
            assert!(!is_library_module(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn functions_of_go() {
        for name in
            ["os.Stat", "path/filepath.WalkDir", "internal/poll.(*FD).Read", "slices.Sort[go.shape.[]m.dev/x.T]"]
        {
            assert!(is_gos(name), "{name}");
        }
        for name in ["main.main.func1", "example.com/os.Stat", "go.uber.org/zap.New", "walk", "", "main.f[os.File]"] {
            assert!(!is_gos(name), "{name}");
        }
    }

    #[test]
    fn functions_of_rust_and_cpp() {
        for name in [
            "std::fs::read",
            "core::ops::function::FnOnce::call_once",
            "<std::fs::File as std::io::Read>::read",
            "<&mut std::fs::File as std::io::Read>::read",
            "<alloc::vec::Vec<mine::T>>::push",
            "void std::sort<int*>(int*, int*)",
            "std::vector<mine::T, std::allocator<mine::T> >::push_back(mine::T const&)",
        ] {
            assert!(is_std(name), "{name}");
        }
        for name in [
            "main",
            "",
            "<",
            "<<<>",
            "stdx::read",
            "mine::check(std::string const&)",
            "std",
            "<alloc::string::String as mine::Check>::check",
            "<mine::T as core::iter::Iterator>::next",
            "void mine::sort<std::string>(std::string*)",
            "é é",
        ] {
            assert!(!is_std(name), "{name}");
        }
    }
}
