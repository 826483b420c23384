//! Finds the kernel's functions that serve the wanted calls.
//!
//! The kernel tells the table of native calls. The functions of 32-bit calls follow a rule for names, with exceptions for calls that were given a
//! second form: all forms are taken that the kernel has. A function that serves another call is seen by programs that then do nothing.

use crate::loading::kernel_types;
use crate::wire::function_search;
use std::collections::{BTreeSet, HashMap};

/// The functions of calls, by the ids of their types.
pub struct KernelFunctions {
    pub calls: BTreeSet<u32>,
    /// The function that lets seccomp decide about a call.
    pub seccomp: u32,
    /// The target of programs that look at threads.
    pub threads: u32,
}

const SECCOMP: &str = "__secure_computing";
const THREADS: &str = "bpf_iter_task";

/// From this number on, a call may be newer than the kernel, and what lies there is not in the kernel's table.
const RECENT: u32 = 424;

/// The names under which kallsyms and the kernel's types may list one function: without arguments, `__x64_sys_NAME` is another name of
/// `__do_sys_NAME`.
const PREFIXES: [&str; 2] = ["__x64_sys_", "__do_sys_"];
/// The same for 32-bit calls, the first one that there is. (Those with a form of their own for 32-bit programs have the others, too.)
const OLD_PREFIXES: [&str; 3] = ["__ia32_compat_sys_", "__ia32_sys_", "__do_sys_"];

/// Finds the functions' types, given what the kernel has answered, and the names of 32-bit calls.
pub fn functions(answer: &function_search, old: &BTreeSet<&str>) -> Result<KernelFunctions, String> {
    if answer.failed != 0 {
        return Err("this kernel does not tell its table of calls".to_owned());
    }
    if answer.has_x32 != 0 {
        return Err("this kernel serves x32, too".to_owned());
    }
    let answers = answer.numbers.iter().zip(&answer.names).take(answer.n as usize);
    let native: Vec<String> = answers
        .map(|(&nr, name)| (nr, text(&name.text)))
        .filter(|(nr, name)| *nr < RECENT || PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        .map(|(_, name)| name)
        .collect();
    let old = if answer.has_32bit != 0 { old } else { &BTreeSet::new() };
    let known = kernel_types::read(|kernel| {
        let native = native.iter().flat_map(|name| names(name));
        let old = old
            .iter()
            .flat_map(|name| forms(name))
            .flat_map(|form| OLD_PREFIXES.map(|prefix| format!("{prefix}{form}")));
        let all: Vec<String> = native.chain(old).chain([SECCOMP, THREADS].map(str::to_owned)).collect();
        Some(kernel.functions(&all.iter().map(String::as_str).collect::<Vec<_>>()))
    });
    let known = Known(known.ok_or("this kernel does not tell its types")?);
    let mut calls = BTreeSet::new();
    for name in &native {
        calls.insert(known.first(names(name)).ok_or_else(|| unknown(name))?);
    }
    for name in old {
        let found: Vec<u32> = forms(name)
            .into_iter()
            .filter_map(|form| known.first(OLD_PREFIXES.map(|prefix| format!("{prefix}{form}"))))
            .collect();
        if found.is_empty() {
            return Err(unknown(&format!("{}{name}", OLD_PREFIXES[1])));
        }
        calls.extend(found);
    }
    let one = |name: &str| known.first([name.to_owned()]).ok_or_else(|| unknown(name));
    Ok(KernelFunctions { calls, seccomp: one(SECCOMP)?, threads: one(THREADS)? })
}

fn unknown(name: &str) -> String {
    format!("this kernel does not tell the type of its function {name}")
}

struct Known(HashMap<Vec<u8>, u32>);

impl Known {
    /// The first of these functions that there is.
    fn first(&self, names: impl IntoIterator<Item = String>) -> Option<u32> {
        names.into_iter().find_map(|name| self.0.get(name.as_bytes()).copied())
    }
}

/// The names that the function with this name may have.
fn names(name: &str) -> Vec<String> {
    let call = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    let others = call.into_iter().flat_map(|call| PREFIXES.map(|other| format!("{other}{call}")));
    std::iter::once(name.to_owned()).chain(others).collect()
}

/// Functions that have another name than their 32-bit calls.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("mmap2", "mmap_pgoff"),
    ("umount2", "umount"),
    ("ugetrlimit", "getrlimit"),
    ("oldolduname", "olduname"),
    ("olduname", "uname"),
];

/// The names in the kernel's functions that a 32-bit call of this name may have. (arch/x86/entry/syscalls/syscall_32.tbl)
fn forms(name: &str) -> Vec<String> {
    let exception = EXCEPTIONS.iter().find(|(call, _)| *call == name).map_or(name, |(_, function)| function);
    let mut all = vec![exception.to_owned()];
    all.extend(["16", "32", "_time32"].map(|end| format!("{name}{end}")));
    all.extend(["ia32_", "new", "old", "old_"].map(|start| format!("{start}{name}")));
    all.extend(["_time64", "32", "64"].iter().filter_map(|end| name.strip_suffix(end)).map(str::to_owned));
    all.extend(["_new", "_", "old"].iter().filter_map(|start| name.strip_prefix(start)).map(str::to_owned));
    all
}

/// The string in these words.
fn text(words: &[u64]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_looked_for_by_all_its_names() {
        assert!(names("__x64_sys_vfork").contains(&"__do_sys_vfork".to_owned()));
        assert!(names("__do_sys_vfork").contains(&"__x64_sys_vfork".to_owned()));
        assert_eq!(names("sys_ni_syscall"), ["sys_ni_syscall"]);
    }

    #[test]
    fn calls_with_a_second_form_are_found_by_it() {
        for (name, form) in [
            ("openat", "openat"),
            ("stat", "newstat"),
            ("chown", "chown16"),
            ("chown32", "chown"),
            ("mmap", "ia32_mmap"),
            ("umount", "oldumount"),
            ("futex", "futex_time32"),
            ("futex_time64", "futex"),
            ("_newselect", "select"),
            ("_llseek", "llseek"),
            ("clock_gettime", "clock_gettime32"),
            ("oldfstat", "fstat"),
        ] {
            assert!(forms(name).iter().any(|found| found == form), "{name}");
        }
    }

    #[test]
    fn kernels_with_other_calls_are_left_alone() {
        let refused = |answer| functions(&answer, &BTreeSet::new()).is_err();
        let plain = function_search::default();
        assert!(refused(function_search { failed: 1, ..plain }));
        assert!(refused(function_search { has_x32: 1, ..plain }));
    }

    #[test]
    fn a_text_ends_at_its_zero() {
        assert_eq!(text(&[u64::from_ne_bytes(*b"openat\0x"), 0]), "openat");
    }
}
