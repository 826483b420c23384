//! Functions that are not traced, and functions whose return is not watched, because the program would notice.
//!
//! To see a return, the kernel puts an address of its own in place of the return address on the stack. Where there is
//! no return address, it would overwrite something else.

use super::table::{FunctionSymbol, imported};
use crate::elf::Elf;

const SAVED: &str = "the return address is saved, and a watched return replaces that address";
const READ: &str = "the calling library is found by the return address, which a watched return replaces";
const LEFT: &str = "an exception that passes through would end the program at a return that is watched";
const BEGINS: &str = "the program begins there, so there is no return";

/// Functions of C libraries, sorted by name, without the underscores and other marks that their aliases begin with.
const FUNCTIONS: &[(&str, &str)] = &[
    ("Fork", SAVED),
    ("bsearch", LEFT),
    ("call_once", LEFT),
    ("clone", SAVED),
    ("clone2", SAVED),
    ("clone3", SAVED),
    ("clone_internal", SAVED),
    ("dl_iterate_phdr", LEFT),
    ("dlmopen", READ),
    ("dlopen", READ),
    ("dlsym", READ),
    ("dlvsym", READ),
    ("ftw", LEFT),
    ("ftw64", LEFT),
    ("getcontext", SAVED),
    ("glob", LEFT),
    ("glob64", LEFT),
    ("lfind", LEFT),
    ("lsearch", LEFT),
    ("makecontext", SAVED),
    ("nftw", LEFT),
    ("nftw64", LEFT),
    ("on_exit", LEFT),
    ("pthread_cancel", LEFT),
    ("pthread_exit", LEFT),
    ("pthread_once", LEFT),
    ("qsort", LEFT),
    ("qsort_r", LEFT),
    ("scandir", LEFT),
    ("scandir64", LEFT),
    ("setcontext", SAVED),
    ("setjmp", SAVED),
    ("sigsetjmp", SAVED),
    ("start", BEGINS),
    ("start_call_main", LEFT),
    ("start_context", BEGINS),
    ("start_main", LEFT),
    ("start_main_impl", LEFT),
    ("start_thread", BEGINS),
    ("swapcontext", SAVED),
    ("thrd_exit", LEFT),
    ("thread_start", BEGINS),
    ("tsearch", LEFT),
    ("twalk", LEFT),
    ("twalk_r", LEFT),
    ("vfork", SAVED),
];
/// The marks of aliases.
const MARKS: [&str; 4] = ["GI_", "libc_", "pthread_GI_", "new_"];
/// How the names of functions of unwinders, loaders and run-time systems of languages begin.
const BEGINNINGS: &[&str] = &[
    "_Unwind_",
    "__cxa_",
    "__gxx_",
    "__gcc_",
    "_dl_",
    "__dl_",
    "__libc_dl",
    "_Ux86_64_",
    "_ULx86_64_",
    "__morestack",
    "__fentry",
    "__x86_indirect",
    "__x86_return",
    "_mcount",
    "mcount",
    "__mcount",
];
/// Functions that switch stacks, in libraries of coroutines. A name contains one of these.
const SWITCHES: [&str; 4] = ["fcontext", "slp_switch", "co_switch", "swapcontext"];
/// Pieces of code that are no functions, although symbol tables have them as such: they are jumped to, or the kernel
/// goes there. Also what compilers add to every file, which a pattern is not meant for.
const NO_FUNCTIONS: &[&str] = &[
    "__do_global_dtors_aux",
    "__libc_csu_fini",
    "__libc_csu_init",
    "__restore",
    "__restore_rt",
    "_dl_relocate_static_pie",
    "_dl_runtime_profile",
    "_dl_runtime_resolve",
    "_dl_start_user",
    "_fini",
    "_init",
    "deregister_tm_clones",
    "frame_dummy",
    "register_tm_clones",
];

/// True for a symbol that is no function in the sense of its language.
pub fn is_no_function(name: &str) -> bool {
    // Parts of functions that are rarely needed are moved away, and jumped to.
    name.contains(".cold") || NO_FUNCTIONS.contains(&name) || name.starts_with("_dl_runtime_")
}

/// Why the return of a function is not watched. `None`: it is.
pub fn reason(name: &str) -> Option<&'static str> {
    if BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)) {
        return Some(LEFT);
    }
    if SWITCHES.iter().any(|part| name.contains(part)) {
        return Some(SAVED);
    }
    let mut bare = name.trim_start_matches('_');
    while let Some(rest) = MARKS.iter().find_map(|mark| bare.strip_prefix(mark)) {
        bare = rest.trim_start_matches('_');
    }
    FUNCTIONS.binary_search_by(|(known, _)| (*known).cmp(bare)).ok().map(|at| FUNCTIONS[at].1)
}

/// Why the return of the code at a program's first address is not watched.
pub fn begins() -> &'static str {
    BEGINS
}

/// True for a program written in Go.
pub fn is_go(elf: &Elf) -> bool {
    [&b".gopclntab"[..], b".data.rel.ro.gopclntab", b".go.buildinfo"].iter().any(|name| elf.section(name).is_some())
}

/// Why no return in the whole file is watched.
pub fn unwinds(elf: &Elf, symbols: &[FunctionSymbol]) -> Option<&'static str> {
    if is_go(elf) {
        return Some("Go moves its stacks, and would end at a return address that is not its own");
    }
    let mangled = |symbol: &FunctionSymbol| symbol.name.starts_with("_Z") || symbol.name.starts_with("_R");
    let needed = elf.needed();
    let needs = |library: &str| needed.iter().any(|name| name.starts_with(library.as_bytes()));
    if symbols.iter().any(mangled) || needs("libstdc++.so") || needs("libc++.so") || needs("libgnat") {
        return Some(
            "the file is written in C++, Rust or the like, whose exceptions would end the program at a return that is watched",
        );
    }
    let switches = |name: &str| name == "makecontext" || SWITCHES.iter().any(|part| name.contains(part));
    let imports = imported(elf);
    // (The C library has such functions, and does not use them.)
    if imports.iter().any(|name| switches(name)) || !is_c_library(symbols) && symbols.iter().any(|s| switches(&s.name))
    {
        return Some(
            "the program switches between stacks of its own, where a return that is watched would lead to the wrong place",
        );
    }
    None
}

fn is_c_library(symbols: &[FunctionSymbol]) -> bool {
    let has = |name: &str| symbols.iter().any(|symbol| &*symbol.name == name);
    has("malloc") && has("qsort") && has("makecontext")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_sorted() {
        for pair in FUNCTIONS.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{}", pair[1].0);
        }
    }

    #[test]
    fn aliases_are_known() {
        for name in [
            "setjmp",
            "_setjmp",
            "__sigsetjmp",
            "__GI__setjmp",
            "__vfork",
            "__libc_start_main",
            "_start",
            "jump_fcontext",
        ] {
            assert!(reason(name).is_some(), "{name}");
        }
        for name in ["malloc", "__libc_malloc", "start_work", "write", "fork"] {
            assert_eq!(reason(name), None, "{name}");
        }
        assert!(is_no_function("main.cold") && is_no_function("frame_dummy") && !is_no_function("main"));
    }
}
