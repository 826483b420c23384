//! The tables in which HotSpot tells debuggers where the members of its objects are (`gHotSpotVMStructs` and others).
//!
//! They are read from the memory of the process, once. Numbers of entries and lengths of names are bounded.

use crate::elf::Elf;
use crate::script::objects::objects;
use crate::script::word_size::word_of;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use stride_event::ThreadMemory;

/// Where a file has the tables, and the forms of their entries.
#[derive(Clone, Copy, Debug)]
pub struct TableSymbols {
    structs: Table<6>,
    types: Table<2>,
}

/// A table. All numbers are addresses of words in the file: of the pointer to the table, of the size of an entry, and of the offsets of its members.
#[derive(Clone, Copy, Debug)]
struct Table<const N: usize> {
    pointer: u64,
    stride: u64,
    members: [u64; N],
}

/// The offsets and sizes that the tables tell, of the types that Stride wants to know.
#[derive(Debug, Default)]
pub struct DebuggerTables {
    /// By type and name: the offset, or the address of a static member.
    members: FxHashMap<(Rc<str>, Rc<str>), u64>,
    sizes: FxHashMap<Rc<str>, u64>,
}

const MOST_ENTRIES: usize = 1 << 13;
const LARGEST_ENTRY: u64 = 256;
const LONGEST_NAME: usize = 64;

impl TableSymbols {
    /// The tables of a file. `None`: it has none.
    pub fn find(elf: &Elf) -> Option<TableSymbols> {
        let names: [&[u8]; 12] = [
            b"gHotSpotVMStructs",
            b"gHotSpotVMStructEntryArrayStride",
            b"gHotSpotVMStructEntryTypeNameOffset",
            b"gHotSpotVMStructEntryFieldNameOffset",
            b"gHotSpotVMStructEntryTypeStringOffset",
            b"gHotSpotVMStructEntryIsStaticOffset",
            b"gHotSpotVMStructEntryOffsetOffset",
            b"gHotSpotVMStructEntryAddressOffset",
            b"gHotSpotVMTypes",
            b"gHotSpotVMTypeEntryArrayStride",
            b"gHotSpotVMTypeEntryTypeNameOffset",
            b"gHotSpotVMTypeEntrySizeOffset",
        ];
        let mut addresses = [0; 12];
        for (address, found) in addresses.iter_mut().zip(objects(elf, names)) {
            *address = found?;
        }
        Some(TableSymbols::at(addresses))
    }

    /// The same with the addresses of the numbers, in the order of `find`.
    pub fn at(addresses: [u64; 12]) -> TableSymbols {
        let [structs, stride, a, b, c, d, e, f, types, types_stride, name, size] = addresses;
        TableSymbols {
            structs: Table { pointer: structs, stride, members: [a, b, c, d, e, f] },
            types: Table { pointer: types, stride: types_stride, members: [name, size] },
        }
    }
}

impl DebuggerTables {
    /// Reads the tables of a process that has loaded the file with this bias. Only what is said of the types in `wanted` is kept.
    pub fn read(
        symbols: &TableSymbols,
        bias: u64,
        wanted: &[&str],
        memory: &mut dyn ThreadMemory,
    ) -> Option<DebuggerTables> {
        let mut tables = DebuggerTables::default();
        let mut texts = Texts::default();
        each(&symbols.structs, bias, memory, |[of_type, field, _, is_static, offset, address], memory| {
            let Some(of_type) = texts.get(of_type, memory).filter(|name| wanted.contains(&&**name)) else { return };
            let Some(field) = texts.get(field, memory) else { return };
            let is_static = is_static & u64::from(u32::MAX) != 0;
            tables.members.insert((of_type, field), if is_static { address } else { offset });
        })?;
        each(&symbols.types, bias, memory, |[name, size], memory| {
            if let Some(name) = texts.get(name, memory).filter(|name| wanted.contains(&&**name)) {
                tables.sizes.insert(name, size);
            }
        })?;
        Some(tables)
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.sizes.is_empty()
    }

    /// The offset of a member, or the address of a static one.
    pub fn member(&self, of_type: &str, name: &str) -> Option<u64> {
        self.members.get(&(of_type.into(), name.into())).copied()
    }

    /// The offset of a member that is not far from the beginning of its object.
    pub fn offset(&self, of_type: &str, name: &str) -> Option<u64> {
        self.member(of_type, name).filter(|&offset| offset < LARGEST_OBJECT)
    }

    pub fn size(&self, of_type: &str) -> Option<u64> {
        self.sizes.get(of_type).copied().filter(|&size| size < LARGEST_OBJECT)
    }
}

const LARGEST_OBJECT: u64 = 1 << 16;

/// Calls a function for the members of each entry of a table.
fn each<const N: usize>(
    table: &Table<N>,
    bias: u64,
    memory: &mut dyn ThreadMemory,
    mut entry: impl FnMut([u64; N], &mut dyn ThreadMemory),
) -> Option<()> {
    let mut global = |address: u64| word(address.wrapping_add(bias), memory);
    let (mut at, stride) = (global(table.pointer)?, global(table.stride)?);
    let mut offsets = [0; N];
    for (offset, &address) in offsets.iter_mut().zip(&table.members) {
        *offset = u32::try_from(global(address)?).ok()?;
    }
    if stride > LARGEST_ENTRY || offsets.iter().any(|&offset| u64::from(offset) + 4 > stride) {
        return None;
    }
    let mut bytes = vec![0; stride as usize];
    for _ in 0..MOST_ENTRIES {
        if memory.read_now(at, &mut bytes) < bytes.len() {
            return None;
        }
        let members = offsets.map(|offset| word_of(&bytes, offset));
        if members[0] == 0 {
            return Some(());
        }
        entry(members, memory);
        at = at.wrapping_add(stride);
    }
    None
}

/// Names by their addresses. Many entries have the same.
#[derive(Default)]
struct Texts(FxHashMap<u64, Option<Rc<str>>>);

impl Texts {
    fn get(&mut self, address: u64, memory: &mut dyn ThreadMemory) -> Option<Rc<str>> {
        self.0.entry(address).or_insert_with(|| text(address, memory).map(Into::into)).clone()
    }
}

/// The text at an address, which ends with a zero byte, if it is no longer than `LONGEST_NAME`.
pub fn text(address: u64, memory: &mut dyn ThreadMemory) -> Option<String> {
    let mut bytes = [0; LONGEST_NAME];
    let n = memory.read_now(address, &mut bytes).min(bytes.len());
    let end = bytes[..n].iter().position(|&byte| byte == 0)?;
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte)).then(|| text.to_owned())
}

/// The word at an address, as it is by now.
pub fn word(address: u64, memory: &mut dyn ThreadMemory) -> Option<u64> {
    let mut bytes = [0; 8];
    (memory.read_now(address, &mut bytes) == bytes.len()).then_some(u64::from_le_bytes(bytes))
}

/// The number of 32 bits at an address.
pub fn half(address: u64, memory: &mut dyn ThreadMemory) -> Option<u32> {
    let mut bytes = [0; 4];
    (memory.read_now(address, &mut bytes) == bytes.len()).then_some(u32::from_le_bytes(bytes))
}

/// The number of 16 bits at an address.
pub fn quarter(address: u64, memory: &mut dyn ThreadMemory) -> Option<u16> {
    let mut bytes = [0; 2];
    (memory.read_now(address, &mut bytes) == bytes.len()).then_some(u16::from_le_bytes(bytes))
}
