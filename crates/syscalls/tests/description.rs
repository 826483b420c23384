//! The description as a whole: every number has a row, every row a number, names and flags do not contradict.

use std::collections::{BTreeMap, BTreeSet};
use stride_syscalls::{Abi, Item, Ret, Set, Struct, Syscall, Ty, rows, table, uapi};

fn numbers(abi: Abi) -> &'static [(u32, &'static str)] {
    uapi::NUMBERS[abi as usize]
}

#[test]
fn every_number_has_a_row() {
    let mut missing = BTreeMap::new();
    for abi in Abi::ALL {
        for &(nr, name) in numbers(abi) {
            if table(abi).get(nr.into()).is_none() {
                missing.entry(name).or_insert_with(Vec::new).push(abi);
            }
        }
    }
    assert!(missing.is_empty(), "no row for {missing:?}");
}

/// Calls that our ABIs know only as parts of socketcall(2).
const PARTS: [&str; 2] = ["send", "recv"];

#[test]
fn every_row_has_a_number() {
    let known: BTreeSet<&str> = Abi::ALL.iter().flat_map(|&abi| numbers(abi)).map(|n| n.1).collect();
    let common = rows::all().map(|row| row.name).filter(|name| !known.contains(name) && !PARTS.contains(name));
    let known: BTreeSet<&str> = numbers(Abi::I386).iter().map(|n| n.1).collect();
    let i386 = rows::i386().map(|(name, _)| name).filter(|name| !known.contains(name));
    let idle: Vec<&str> = common.chain(i386).collect();
    assert!(idle.is_empty(), "no ABI has a number for {idle:?}");
}

#[test]
fn no_name_is_given_twice() {
    let twice = |names: Vec<&'static str>| -> Vec<&str> {
        let mut seen = BTreeSet::new();
        names.into_iter().filter(|name| !seen.insert(*name)).collect()
    };
    let common = twice(rows::all().map(|row| row.name).collect());
    let i386 = twice(rows::i386().map(|(name, _)| name).collect());
    assert!(common.is_empty() && i386.is_empty(), "more than one row: {common:?}, for i386 {i386:?}");
}

/// Calls `flags` for every set whose bits a type names.
fn visit(ty: &Ty, flags: &mut dyn FnMut(&'static Set)) {
    match *ty {
        Ty::Flags(set) => flags(set),
        Ty::As(_, inner) | Ty::Ptr(_, inner) | Ty::Array(_, inner, _) | Ty::Items(inner) | Ty::Custom(_, inner) => {
            visit(inner, flags);
        }
        Ty::Struct(s) | Ty::Extensible(_, s, _, _) => visit_struct(s, flags),
        Ty::Select(select) => {
            visit(&select.default, flags);
            select.cases.iter().for_each(|case| visit(&case.1, flags));
        }
        _ => {}
    }
}

fn visit_struct(s: &Struct, flags: &mut dyn FnMut(&'static Set)) {
    s.fields.iter().for_each(|field| visit(&field.ty, flags));
}

fn visit_row(row: &Syscall, flags: &mut dyn FnMut(&'static Set)) {
    row.args.iter().for_each(|arg| visit(&arg.ty, flags));
    if let Ret::Flags(set) = row.ret {
        flags(set);
    }
    if let Some(forms) = &row.forms {
        forms.cases.iter().for_each(|form| visit_row(&form.row, flags));
    }
}

/// A flag, as opposed to a value of a field within the word.
fn is_flag(item: &Item) -> bool {
    item.mask == item.value
}

#[test]
fn flags_do_not_hide_each_other() {
    let mut wrong = BTreeSet::new();
    let mut check = |set: &'static Set| {
        for (i, item) in set.items.iter().enumerate().filter(|(_, item)| is_flag(item)) {
            for before in set.items[..i].iter().filter(|before| is_flag(before)) {
                let common = item.value & before.value;
                // A name for several bits stands before the names of its parts; it could never be shown after them.
                if common != 0 && common != item.value {
                    wrong.insert(format!(
                        "{} ({:#x}) after {} ({:#x})",
                        item.name, item.value, before.name, before.value
                    ));
                }
            }
        }
    };
    rows::all().for_each(|row| visit_row(row, &mut check));
    rows::i386().for_each(|(_, row)| visit_row(row, &mut check));
    assert!(wrong.is_empty(), "overlapping flags: {wrong:#?}");
}

/// asm-generic/fcntl.h and arch/arm64/include/uapi/asm/fcntl.h give these flags other values.
#[test]
fn flags_have_the_values_of_their_abi() {
    use stride_syscalls::{FlagPart, sets::files::OPEN};
    let named = |abi, raw| {
        let mut names = Vec::new();
        OPEN.of(abi).parts(raw, |part| match part {
            FlagPart::Name(name) => names.push(name),
            other => panic!("{other:?}"),
        });
        names
    };
    assert_eq!(named(Abi::X86_64, 0o200000), ["O_RDONLY", "O_DIRECTORY"]);
    assert_eq!(named(Abi::I386, 0o200000), ["O_RDONLY", "O_DIRECTORY"]);
    assert_eq!(named(Abi::Aarch64, 0o200000), ["O_RDONLY", "O_DIRECT"]);
    assert_eq!(named(Abi::X86_64, 0o40000), ["O_RDONLY", "O_DIRECT"]);
    assert_eq!(named(Abi::Aarch64, 0o40000), ["O_RDONLY", "O_DIRECTORY"]);
    assert_eq!(OPEN.of(Abi::Aarch64).value("O_NOFOLLOW"), 0o100000);
}

/// All calls that read or write name the flags of one transfer, and messages of audit have names in all ranges.
#[test]
fn names_at_the_ends_of_lists() {
    use stride_syscalls::{netlink::AUDIT, sets::files::RWF, structs::aio::IOCB};
    let flags = IOCB.field("aio_rw_flags").expect("a member");
    assert!(matches!(flags.ty, Ty::NonZero(&Ty::Flags(set)) if std::ptr::eq(set, &RWF)));
    assert_eq!(RWF.value("RWF_NOSIGNAL"), 0x100);
    for (number, name) in [
        (1000, "AUDIT_GET"),
        (1100, "AUDIT_FIRST_USER_MSG"),
        (1200, "AUDIT_DAEMON_START"),
        (1326, "AUDIT_SECCOMP"),
        (1700, "AUDIT_ANOM_PROMISCUOUS"),
        (1808, "AUDIT_INTEGRITY_USERSPACE"),
        (2000, "AUDIT_KERNEL"),
        (2100, "AUDIT_FIRST_USER_MSG2"),
    ] {
        assert_eq!(AUDIT.name_of(number), Some(name));
    }
}

#[test]
fn only_x86_64_knows_numbers_of_x32() {
    let number = stride_syscalls::x32::BIT | 39;
    assert_eq!(table(Abi::X86_64).name(number), "getpid");
    assert_eq!(table(Abi::I386).name(number), "syscall_0x40000027");
    assert!(table(Abi::X86_64).get(number).is_none(), "tables by number have no such row");
}
