//! The names by which code is known that is not a program's own: of run-time libraries, interpreters and standard libraries.

use crate::CodeFile;
use std::borrow::Cow;

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
    // The run-time libraries of compilers and languages.
    "libstd",
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
    "php*",
    "libphp*",
    "ruby*",
    "libruby*",
    "perl*",
    "libperl*",
    "java",
    "libjvm",
    "libjava",
    "libjli",
    "libjimage",
    "libnio",
    "libnet",
    "libzip",
];
/// The directories of the libraries that are part of Python, PHP, Ruby and Perl.
const INTERPRETERS_LIBRARIES: [&str; 6] =
    ["/lib-dynload/", "/lib/php/", "/lib64/php/", "/ruby/3.", "/perl/5.", "/perl-base/"];

/// The directories of a distribution's programs and libraries.
const DISTRIBUTION: [&[u8]; 7] =
    [b"/usr/lib/", b"/usr/lib64/", b"/usr/bin/", b"/usr/sbin/", b"/lib/", b"/lib64/", b"/bin/"];

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

/// The roots of the standard libraries of Rust and C++.
const ROOTS: &[&str] = &["std::", "core::", "alloc::", "__gnu_cxx::", "__cxxabiv1::"];

/// Directories of headers and of Rust's library.
const DIRECTORIES: &[&str] = &["/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm", "/rustc/"];
const RUSTLIB: &str = "/rustlib/src/rust/library/";

impl CodeFile {
    /// The file's name without its directory.
    pub fn file_name(&self) -> &[u8] {
        self.path.rsplit(|&b| b == b'/').next().unwrap_or(&self.path)
    }

    /// True if the module is a run-time library of the system, such as the C library or the dynamic loader.
    pub(crate) fn is_run_time_library(&self) -> bool {
        let name = self.file_name();
        if &*self.path == b"[vdso]" {
            return true;
        }
        let is_library = name.ends_with(b".so") || name.windows(4).any(|part| part == b".so.");
        is_library && self.is_one_of(LIBRARIES)
    }

    /// True if the module is an interpreter or one of its libraries.
    pub fn is_interpreter(&self) -> bool {
        self.is_one_of(INTERPRETERS) || is_below(&self.path, &INTERPRETERS_LIBRARIES)
    }

    /// True if the module is part of the distribution, and not one that a user built or installed.
    pub(crate) fn is_of_distribution(&self) -> bool {
        DISTRIBUTION.iter().any(|directory| self.path.starts_with(directory))
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

/// True if a file of source belongs to a standard library. Functions of headers and of Rust's library are merged into those of programs.
pub fn is_standard_file(file: &str) -> bool {
    DIRECTORIES.iter().any(|directory| file.starts_with(directory)) || file.contains(RUSTLIB)
}

/// True if a function's name is one of Go's standard library: `path/filepath.WalkDir`, but not `main.main`, `example.com/log.Print`.
pub fn is_go_standard(name: &str) -> bool {
    // Type parameters may have paths of their own.
    let plain = name.split('[').next().unwrap_or_default();
    let (first, _) = plain.split_once('/').or_else(|| plain.split_once('.')).unwrap_or_default();
    GO_PACKAGES.contains(&first)
}

/// True if a function's name is one of C++'s or Rust's standard library: `std::fs::read`, `<std::fs::File as std::io::Read>::read`,
/// `void std::sort<int*>(int*, int*)`, but not `<alloc::string::String as mine::Check>::check`.
pub fn is_standard(name: &str) -> bool {
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

/// The directories in which packages of Python, Node, PHP, Ruby and Perl are installed.
const PACKAGES: [&str; 14] = [
    "/site-packages/",
    "/dist-packages/",
    "/node_modules/",
    "/vendor/",
    "/share/php/",
    "/gems/",
    "/site_ruby/",
    "/vendor_ruby/",
    "/share/perl5/",
    "/lib/perl5/",
    "-linux-gnu/perl5/",
    "/site_perl/",
    "/vendor_perl/",
    "/local/share/perl/",
];

/// True if a file of scripts is part of Python, Node, Ruby or Perl: `<frozen os>`, `/usr/lib/python3.11/os.py`, `node:fs`, `<internal:kernel>`,
/// `/usr/lib/ruby/3.1.0/set.rb`, `/usr/share/perl/5.36/Carp.pm`.
pub fn is_standard_script_file(file: &str) -> bool {
    let in_library = || {
        let libraries = ["/lib/python3.", "/lib64/python3.", "/lib/ruby/3.", "/lib64/ruby/3."];
        let (_, below) = libraries.iter().find_map(|library| file.split_once(library))?;
        let (version, _) = below.split_once('/')?;
        version.bytes().next().filter(u8::is_ascii_digit)
    };
    file.starts_with("node:")
        || file.starts_with("<frozen ")
        || file.starts_with("<internal:")
        || file.contains("/vendor_ruby/rubygems/")
        || file.contains("/perl/5.") && !file.contains("/local/")
        || file.contains("/perl-base/")
        || in_library().is_some() && !is_installed_package(file.as_bytes())
}

/// True if a file of scripts is the one that Python runs before each program, and which runs code of installed packages (`.pth` files): `<frozen site>`,
/// `/usr/lib/python3.8/site.py`.
pub fn is_script_before_programs(file: &str) -> bool {
    file == "<frozen site>" || file.ends_with("/site.py") && is_standard_script_file(file)
}

/// True if a file belongs to a package of Python, Node, PHP, Ruby or Perl that was installed.
pub fn is_installed_package(path: &[u8]) -> bool {
    is_below(path, &PACKAGES)
}

/// The name of the installed package that a file belongs to: `flask` of `/srv/venv/lib/python3.11/site-packages/flask/app.py`, `@org/name` of
/// `/srv/node_modules/@org/name/index.js`.
pub fn package_of(path: &[u8]) -> Option<Cow<'_, str>> {
    let behind = |directory: &&str| {
        let at = path.windows(directory.len()).rposition(|part| part == directory.as_bytes())?;
        Some((at, directory.len()))
    };
    // The innermost directory counts: packages have packages of their own.
    let (at, len) = PACKAGES.iter().filter_map(behind).max()?;
    let below = path.get(at + len..)?;
    // Perl's directories have one for each version.
    let is_version = |part: &&[u8]| part.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    let version = below.split(|&b| b == b'/').next().filter(is_version).map_or(0, |version| version.len() + 1);
    let below = below.get(version..)?;
    let mut parts = below.split(|&b| b == b'/');
    let first = parts.next().filter(|first| !first.is_empty())?;
    let is_vendor = path.get(at..at + len) == Some(b"/vendor/".as_slice());
    let name = match parts.next() {
        // The package is a file.
        None => first.split(|&b| b == b'.').next().unwrap_or_default(),
        // Node's scopes, and the vendors of PHP.
        Some(second) if (first.starts_with(b"@") || is_vendor) && parts.next().is_some() => {
            below.get(..first.len() + 1 + second.len())?
        }
        Some(_) => first,
    };
    Some(String::from_utf8_lossy(name))
}

fn is_below(path: &[u8], directories: &[&str]) -> bool {
    directories.iter().any(|directory| path.windows(directory.len()).any(|part| part == directory.as_bytes()))
}

/// True if a function of a script is part of Python, Node or Java: `py::exists:<frozen genericpath>`, `JS:~existsSync node:fs:285:20`,
/// `int java.io.File.length()`, and the routines of HotSpot, such as Java's interpreter.
pub fn is_standard_script(name: &str) -> bool {
    let method = name.split_once(' ').map_or("", |(_, method)| method);
    name.starts_with("py::") && name.contains(":<frozen ")
        || name.starts_with("JS:") && name.contains(" node:")
        || is_standard_method(method)
        || name == "Interpreter"
        || name.starts_with("StubRoutines")
        || name.starts_with("[HotSpot: ")
}

/// True if a method is part of Java, by the name of its class: `java.nio.file.Files.exists`.
pub fn is_standard_method(name: &str) -> bool {
    ["java.", "javax.", "jdk.", "sun.", "com.sun."].iter().any(|package| name.starts_with(package))
}

/// True if a file of scripts is one of Java's. Classes tell it without a directory, and those that were made while the program runs have none: `Files.java`, `LambdaForm$MH`.
pub fn is_file_of_java(file: &str) -> bool {
    file.ends_with(".java") && !file.contains('/') || file.starts_with("LambdaForm$") || file.ends_with("$Holder")
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
    fn packages() {
        for (path, package) in [
            ("/srv/venv/lib/python3.11/site-packages/flask/app.py", "flask"),
            ("/usr/lib/python3/dist-packages/six.py", "six"),
            ("/srv/site-packages/fast.cpython-311-x86_64-linux-gnu.so", "fast"),
            ("/srv/node_modules/express/node_modules/send/index.js", "send"),
            ("/srv/node_modules/@org/name/lib/index.js", "@org/name"),
            ("/srv/vendor/guzzle/psr7/src/Stream.php", "guzzle/psr7"),
            ("/srv/vendor/autoload.php", "autoload"),
            ("/srv/vendor/composer/ClassLoader.php", "composer"),
            ("/var/lib/gems/3.1.0/gems/rack-2.2.4/lib/rack.rb", "rack-2.2.4"),
            ("/usr/share/perl5/Mojo/File.pm", "Mojo"),
            ("/usr/lib/x86_64-linux-gnu/perl5/5.36/DBI.pm", "DBI"),
        ] {
            assert_eq!(package_of(path.as_bytes()).as_deref(), Some(package), "{path}");
        }
        for path in ["/srv/app.py", "", "/srv/node_modules/", "node:fs", "/usr/lib/python3.11/os.py"] {
            assert_eq!(package_of(path.as_bytes()), None, "{path}");
        }
    }

    #[test]
    fn functions_of_go() {
        for name in
            ["os.Stat", "path/filepath.WalkDir", "internal/poll.(*FD).Read", "slices.Sort[go.shape.[]m.dev/x.T]"]
        {
            assert!(is_go_standard(name), "{name}");
        }
        for name in ["main.main.func1", "example.com/os.Stat", "go.uber.org/zap.New", "walk", "", "main.f[os.File]"] {
            assert!(!is_go_standard(name), "{name}");
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
            assert!(is_standard(name), "{name}");
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
            assert!(!is_standard(name), "{name}");
        }
    }

    #[test]
    fn files_of_scripts() {
        for file in [
            "<frozen importlib._bootstrap>",
            "/usr/lib/python3.11/os.py",
            "/opt/x/lib64/python3.13t/json/a.py",
            "node:fs",
            "<internal:kernel>",
            "/usr/lib/ruby/3.1.0/set.rb",
            "/usr/lib/ruby/vendor_ruby/rubygems/specification.rb",
            "/usr/share/perl/5.36/File/Find.pm",
            "/usr/lib/x86_64-linux-gnu/perl/5.36/List/Util.pm",
            "/usr/lib/x86_64-linux-gnu/perl-base/POSIX.pm",
        ] {
            assert!(is_standard_script_file(file), "{file}");
        }
        for file in [
            "/srv/app.py",
            "<string>",
            "/usr/lib/python3/dist-packages/requests/api.py",
            "/srv/venv/lib/python3.12/site-packages/flask/app.py",
            "/home/me/lib/python3.x/a.py",
            "/srv/node_modules/express/lib/express.js",
            "/usr/lib/python3.11",
            "/usr/lib/ruby/gems/3.1.0/gems/rack-3.0/lib/rack.rb",
            "/usr/lib/ruby/vendor_ruby/rack.rb",
            "/usr/share/perl5/JSON.pm",
            "/usr/local/share/perl/5.36.0/Plack.pm",
            "/srv/app.pl",
            "(eval 3)",
        ] {
            assert!(!is_standard_script_file(file), "{file}");
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
            "[HotSpot: StubRoutines (1)]",
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
