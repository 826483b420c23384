//! The kernel's names of arguments, as `--style=perf` shows them.

use stride_syscalls::{Abi, table};

#[test]
fn rows_have_the_kernels_names() {
    for abi in Abi::ALL {
        let named = |call: &str, arg| table(abi).by_name(call).next().expect("a row").row.kernel_name(arg);
        assert_eq!((named("openat", "dirfd"), named("openat", "pathname")), ("dfd", "filename"), "{abi:?}");
        assert_eq!(named("read", "count"), "count", "{abi:?}");
        // The forms of a multiplexed call have the names of its row.
        assert_eq!((named("futex", "futex_op"), named("futex", "timeout")), ("op", "utime"), "{abi:?}");
    }
}

#[test]
fn only_names_that_differ_are_listed_and_only_once() {
    for entry in Abi::ALL.into_iter().flat_map(|abi| table(abi).iter()) {
        let names = entry.row.kernel_names;
        for (i, (name, kernel)) in names.iter().enumerate() {
            assert_ne!(name, kernel, "{}", entry.row.name);
            assert!(names[..i].iter().all(|(other, _)| other != name), "{} has {name} twice", entry.row.name);
        }
    }
}
