//! Number to row, per ABI.

use crate::{Abi, Effect, Syscall, multiplexed, rows, x32};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// How the name of a call without a row begins.
pub const NAMELESS: &str = "syscall_0x";

/// The name of a call without a row.
pub fn nameless(nr: u64) -> String {
    format!("{NAMELESS}{nr:x}")
}

/// A system call of an ABI.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its number.
    pub nr: u32,
    /// The row that describes the call.
    pub row: &'static Syscall,
}

/// All syscalls of one ABI.
#[derive(Debug)]
pub struct Table {
    /// The ABI whose numbers these are.
    pub abi: Abi,
    by_nr: Vec<Option<Entry>>,
}

impl Table {
    /// The call of this number, if there is one.
    pub fn get(&self, nr: u64) -> Option<Entry> {
        self.by_nr.get(usize::try_from(nr).ok()?).copied().flatten()
    }

    /// The row by which a call is shown. Calls of x32 have one, though no entry.
    pub fn shown(&self, nr: u64) -> Option<&'static Syscall> {
        let x32 = || if self.abi == Abi::X86_64 { x32::row(nr) } else { None };
        self.get(nr).map(|entry| entry.row).or_else(x32)
    }

    /// The name of a call, or one made of its number.
    pub fn name(&self, nr: u64) -> Cow<'static, str> {
        self.shown(nr).map_or_else(|| Cow::Owned(nameless(nr)), |row| Cow::Borrowed(row.name))
    }

    /// True if the call of this number has an effect. A call without a row has none.
    pub fn has_effect(&self, nr: u64, effect: Effect) -> bool {
        self.get(nr).is_some_and(|entry| entry.row.has_effect(effect))
    }

    /// All calls, by number.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        self.by_nr.iter().copied().flatten()
    }

    /// Several numbers may share a name (i386 has two `select`s).
    pub fn by_name<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Entry> + 'a {
        self.iter().filter(move |e| e.row.name == name)
    }

    /// One more than the largest number.
    pub fn len(&self) -> usize {
        self.by_nr.len()
    }

    /// True if the table has no calls.
    pub fn is_empty(&self) -> bool {
        self.by_nr.is_empty()
    }
}

fn build(abi: Abi) -> Table {
    let common: HashMap<&str, &'static Syscall> = rows::all().map(|row| (row.name, row)).collect();
    let own: HashMap<&str, &'static Syscall> = rows::i386().filter(|_| abi == Abi::I386).collect();
    let mut by_nr = Vec::new();
    for &(nr, name) in abi.numbers() {
        // A call that another one stands for has its arguments as anywhere else.
        let own = own.get(name).filter(|_| !multiplexed::NUMBERS.iter().any(|(number, _)| *number == nr));
        let Some(&row) = own.or_else(|| common.get(name)) else { continue };
        if by_nr.len() <= nr as usize {
            by_nr.resize(nr as usize + 1, None);
        }
        by_nr[nr as usize] = Some(Entry { nr, row });
    }
    Table { abi, by_nr }
}

/// The row of this name. If there are several, the ABI's own. Comparisons of runs identify calls by their names.
pub fn row_named(name: &str) -> Option<&'static Syscall> {
    static ROWS: LazyLock<HashMap<&str, &'static Syscall>> = LazyLock::new(|| {
        let others = rows::i386().map(|(_, row)| (row.name, row));
        others.chain(rows::all().map(|row| (row.name, row))).collect()
    });
    ROWS.get(name).copied()
}

/// The table of an ABI, built on first use.
pub fn table(abi: Abi) -> &'static Table {
    static TABLES: [OnceLock<Table>; Abi::ALL.len()] = [const { OnceLock::new() }; Abi::ALL.len()];
    TABLES[abi as usize].get_or_init(|| build(abi))
}
