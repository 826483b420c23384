//! Functions whose return is not watched, because the program would notice.
//!
//! To see a return, the kernel puts an address of its own in place of the return address on the stack.

use super::table::FunctionSymbol;
use crate::elf::Elf;

const SAVED: &str = "it saves the return address, which a watched return replaces";
const READ: &str = "it finds out by its return address which library called it, and a watched return replaces that address";
const LEFT: &str = "exceptions may pass through it, and these end the program at a return that is watched";

/// Functions of C libraries, sorted by name.
const FUNCTIONS: &[(&str, &str)] = &[
    ("_Fork", SAVED),
    ("__clone", SAVED),
    ("__clone2", SAVED),
    ("__libc_start_call_main", LEFT),
    ("__libc_start_main", LEFT),
    ("__sigsetjmp", SAVED),
    ("_setjmp", SAVED),
    ("bsearch", LEFT),
    ("call_once", LEFT),
    ("clone", SAVED),
    ("clone3", SAVED),
    ("dl_iterate_phdr", LEFT),
    ("dlmopen", READ),
    ("dlopen", READ),
    ("dlsym", READ),
    ("dlvsym", READ),
    ("ftw", LEFT),
    ("ftw64", LEFT),
    ("getcontext", SAVED),
    ("glob", LEFT),
    ("lfind", LEFT),
    ("lsearch", LEFT),
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
    ("start_thread", LEFT),
    ("swapcontext", SAVED),
    ("thrd_exit", LEFT),
    ("tsearch", LEFT),
    ("twalk", LEFT),
    ("vfork", SAVED),
];
/// How the names of functions of unwinders and of the run-time systems of languages begin.
const BEGINNINGS: &[&str] = &["_Unwind_", "__cxa_", "__gxx_", "__gcc_", "_dl_", "__libc_dlopen", "__libc_dlsym"];

/// Why the return of a function is not watched. `None`: it is.
pub fn reason(name: &str) -> Option<&'static str> {
    if let Ok(at) = FUNCTIONS.binary_search_by(|(known, _)| (*known).cmp(name)) {
        return Some(FUNCTIONS[at].1);
    }
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning)).then_some(LEFT)
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
            "the file is written in C++, Rust or the like, whose exceptions end the program at a return that is watched",
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_sorted() {
        for pair in FUNCTIONS.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{}", pair[1].0);
        }
        assert_eq!((reason("setjmp"), reason("malloc")), (Some(SAVED), None));
        assert!(reason("_Unwind_Resume").is_some());
    }
}
