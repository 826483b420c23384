//! The reference of system calls: each row as text (`--explain=openat`, `docs/syscalls/`).
//!
//! The text is Markdown that also reads well in a terminal. All of it follows from the rows, so it cannot be out of
//! date.

mod effects;
mod entry;
mod memory;
mod types;

use std::fmt::Write as _;
use stride_syscalls::rows::{CallFamily, families};
use stride_syscalls::{Abi, Syscall, row_named};

/// The number of names of a set that are listed in the pages. `--explain` lists all.
const NAMES_IN_PAGES: usize = 32;

/// A file of the reference.
#[derive(Debug)]
pub struct Page {
    /// The file's name.
    pub name: String,
    pub text: String,
}

/// The entry of this call, with all names of its sets.
pub fn explain(name: &str) -> Option<String> {
    let (family, row) = described().find(|(_, row)| row.name == name)?;
    let mut text = entry::text(family, row, usize::MAX);
    text.push_str("\nThe words of the part `Memory` are explained in docs/syscalls/README.md.\n");
    Some(text)
}

/// The names of all calls that have an entry.
pub fn names() -> impl Iterator<Item = &'static str> {
    described().map(|(_, row)| row.name)
}

/// All pages: one for each family of calls, and an index.
pub fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = families().filter(|family| calls_of(family).next().is_some()).map(page).collect();
    pages.insert(0, Page { name: "README.md".to_owned(), text: index() });
    pages
}

/// Every call, with its family. A call that only i386 has follows the others of its family.
fn described() -> impl Iterator<Item = (&'static CallFamily, &'static Syscall)> {
    families().flat_map(|family| calls_of(family).map(move |row| (family, row)))
}

fn calls_of(family: &'static CallFamily) -> impl Iterator<Item = &'static Syscall> {
    // (The entry of the same name describes rows that differ on i386 only.)
    let own = family
        .i386
        .iter()
        .map(|(_, row)| row)
        .filter(|row| row_named(row.name).is_none_or(|named| std::ptr::eq(named, *row)));
    let mut calls: Vec<&Syscall> = family.rows.iter().filter(|row| is_called(row)).chain(own).collect();
    calls.sort_by_key(|row| row.name);
    calls.dedup_by_key(|row| row.name);
    calls.into_iter()
}

/// True if any ABI has a number for the call.
fn is_called(row: &Syscall) -> bool {
    Abi::ALL.iter().any(|abi| abi.numbers().iter().any(|(_, name)| *name == row.name))
}

fn page(family: &'static CallFamily) -> Page {
    let mut text = format!("# {}\n\n{MADE}\n", family.title);
    for row in calls_of(family) {
        text.push('\n');
        text.push_str(&entry::text(family, row, NAMES_IN_PAGES));
    }
    Page { name: format!("{}.md", family.name), text }
}

const MADE: &str = "<!-- Made from the rows in crates/syscalls/src/rows by `cargo xtask docs`. -->";

fn index() -> String {
    let mut text = format!("# System calls\n\n{MADE}\n\n{INTRODUCTION}\n| page | calls |\n|---|---|\n");
    for family in families() {
        let names: Vec<String> =
            calls_of(family).map(|row| format!("[{0}]({1}.md#{0})", row.name, family.name)).collect();
        if !names.is_empty() {
            let _ = writeln!(text, "| [{}]({}.md) | {} |", family.title, family.name, names.join(", "));
        }
    }
    text
}

const INTRODUCTION: &str = "\
The system calls that Stride describes, and what Stride shows of each. `stride --explain=openat` prints one entry, with all names of
flags. Calls without an entry are shown by number, with their registers.

## Memory

Both engines see every call of the traced program. They read the memory behind a pointer at different times:

| an entry says | the program or the kernel writes the memory | ptrace reads it | eBPF reads it |
|---|---|---|---|
| before the call | the program | when the call begins | when the call returns, because the memory still holds the same then (execve: before the old program goes) |
| before the call (overwritten) | the program; the kernel overwrites it | when the call begins | when the call begins |
| after the call | the kernel | when the call has returned with success | the same |
| before and after the call | the program, then the kernel | at both times | at both times |
| ..., also if the call fails | | also if the call fails | the same |

Text and data are read up to the length of `-s`, paths up to 4,096 bytes, arrays up to as many elements as are shown. Where an entry
gives another limit, that limit holds. A record of the eBPF engine has room for 64 KiB; of what is beyond, the pointer is shown. The
eBPF engine does not read memory that is not resident while the program runs on; it lets Stride read such memory afterwards.
";

#[cfg(test)]
mod tests {
    use super::*;
    use stride_syscalls::table;

    #[test]
    fn every_call_of_every_abi_has_an_entry() {
        for abi in Abi::ALL {
            for entry in table(abi).iter() {
                assert!(names().any(|name| name == entry.row.name), "{} of {}", entry.row.name, abi.name());
            }
        }
    }

    #[test]
    fn an_entry_tells_conditions_memory_and_effects() {
        let text = explain("openat").expect("openat has a row");
        for part in [
            "    openat(dirfd, pathname, flags, mode)",
            "- `pathname`: path. Memory: before the call",
            "- `mode`, only if `flags` has `O_CREAT` or `__O_TMPFILE`: permissions, octal",
            "Number: 257 (x86-64), 295 (i386), ",
            "Effects: makes a descriptor of a file, which execve(2) closes if `flags` says so.",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn forms_and_choices_are_named_by_their_values() {
        let text = explain("futex").expect("futex has a row");
        assert!(text.contains("If `futex_op` is `FUTEX_CMP_REQUEUE` or `FUTEX_CMP_REQUEUE_PI`:"), "{text}");
        let text = explain("ioctl").expect("ioctl has a row");
        assert!(text.contains("  - `FIONREAD`: array (1) of: int (after the call)"), "{text}");
        let text = explain("setsockopt").expect("setsockopt has a row");
        assert!(text.contains("`SOL_SOCKET` and `SO_ATTACH_FILTER`: `struct sock_fprog` (before the call)"), "{text}");
    }

    #[test]
    fn a_difference_of_i386_is_told() {
        let text = explain("mmap").expect("mmap has a row");
        assert!(text.contains("On i386:\n\n    mmap(addr)"), "{text}");
    }
}
