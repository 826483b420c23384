//! The kernel's type information (BTF), cut down to the types that the programs look into.
//!
//! libbpf compares the name of each such type with those of all 150,000 kernel types, which takes a millisecond each.
//! This module walks over them once for all names, and libbpf gets what it finds. The format:
//! Documentation/bpf/btf.rst. build.rs uses this module to read the programs' own types.

use std::collections::{HashMap, HashSet};

const MAGIC: u16 = 0xeb9f;
const KIND_PTR: u32 = 2;
const KIND_ARRAY: u32 = 3;
const KIND_STRUCT: u32 = 4;
const KIND_UNION: u32 = 5;
const KIND_TYPEDEF: u32 = 8;
const KIND_FUNCTION: u32 = 12;
/// Typedefs and qualifiers, which have no layout of their own.
const TRANSPARENT: [u32; 5] = [8, 9, 10, 11, 18];

/// Raw BTF of the machine's byte order.
pub struct Btf<'a> {
    types: &'a [u8],
    strings: &'a [u8],
    /// Where each type begins, by its id. Id 0 is void.
    at: Vec<u32>,
    /// The ids of those that are looked for by their names: structs and unions, and typedefs. (They are a fifth of all types, and walking over all takes a
    /// fifth of a millisecond.)
    layouts: Vec<u32>,
    typedefs: Vec<u32>,
}

/// A tracepoint of the kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracepoint {
    /// The id of its type.
    pub id: u32,
    pub arguments: usize,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl<'a> Btf<'a> {
    pub fn parse(bytes: &'a [u8]) -> Option<Btf<'a>> {
        if u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?) != MAGIC {
            return None;
        }
        let header = word(bytes, 4)? as usize;
        let section = |at| {
            let start = header + word(bytes, at)? as usize;
            bytes.get(start..start + word(bytes, at + 4)? as usize)
        };
        let (types, strings) = (section(8)?, section(16)?);
        // (A type takes 23 bytes on average.)
        let mut btf =
            Btf { types, strings, at: Vec::with_capacity(types.len() / 20), layouts: vec![], typedefs: vec![] };
        btf.at.push(0);
        let mut at = 0;
        while at < types.len() {
            let (id, info) = (btf.at.len() as u32, word(types, at + 4)?);
            match kind(info) {
                KIND_STRUCT | KIND_UNION => btf.layouts.push(id),
                KIND_TYPEDEF => btf.typedefs.push(id),
                _ => {}
            }
            btf.at.push(at as u32);
            at += 12 + extra(info)?;
        }
        Some(btf)
    }

    /// A type's name and the words behind it: kind and number of members, size or referred type, and what its kind
    /// adds.
    fn get(&self, id: u32) -> Option<(&'a [u8], u32, u32, &'a [u8])> {
        let at = *self.at.get(id as usize).filter(|_| id != 0)? as usize;
        let info = word(self.types, at + 4)?;
        let rest = self.types.get(at + 12..at + 12 + extra(info)?)?;
        Some((self.string(word(self.types, at)?), info, word(self.types, at + 8)?, rest))
    }

    pub fn string(&self, at: u32) -> &'a [u8] {
        let bytes = self.strings.get(at as usize..).unwrap_or_default();
        bytes.split(|&b| b == 0).next().unwrap_or_default()
    }

    /// The name of a type.
    #[allow(dead_code, reason = "build.rs uses it")]
    pub fn name(&self, id: u32) -> &'a [u8] {
        self.get(id).map_or(&[], |ty| ty.0)
    }

    /// The kernel's tracepoints by their names. Each has a typedef `btf_trace_NAME` of a pointer to a function, whose first argument is not the
    /// tracepoint's own.
    pub fn tracepoints(&self) -> HashMap<Vec<u8>, Tracepoint> {
        let found = self.typedefs.iter().filter_map(|&id| {
            let (name, _, pointer, _) = self.get(id)?;
            let name = name.strip_prefix(b"btf_trace_")?;
            let (_, _, function, _) = self.get(pointer)?;
            let (_, info, _, _) = self.get(function)?;
            Some((name.to_vec(), Tracepoint { id, arguments: (info & 0xffff).checked_sub(1)? as usize }))
        });
        found.collect()
    }

    /// The ids of the types of the kernel's functions with these names.
    pub fn functions(&self, names: &[&str]) -> HashMap<Vec<u8>, u32> {
        let wanted: HashSet<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        let ids = (1..self.at.len() as u32).filter(|&id| self.kind(id) == Some(KIND_FUNCTION));
        let named = ids.filter_map(|id| Some((self.get(id)?.0, id))).filter(|(name, _)| wanted.contains(name));
        named.map(|(name, id)| (name.to_vec(), id)).collect()
    }

    fn kind(&self, id: u32) -> Option<u32> {
        let at = *self.at.get(id as usize)? as usize;
        word(self.types, at + 4).map(kind)
    }

    /// BTF of the structs and unions of these names, and of the types that they contain. Pointers' targets are left
    /// out.
    pub fn only(&self, names: &[&str]) -> Option<Vec<u8>> {
        // Few types have a name that begins like one of these.
        let mut by_initial: [Vec<&[u8]>; 256] = std::array::from_fn(|_| Vec::new());
        for name in names.iter().map(|name| name.as_bytes()) {
            by_initial[*name.first()? as usize].push(name);
        }
        // (Some 50 KiB come of it. A vector that grows bit by bit has a further thread ask the kernel for memory each time.)
        let (types, mut strings) = (Vec::with_capacity(1 << 16), Vec::with_capacity(1 << 16));
        strings.push(0);
        let mut cut = Cut { of: self, types, strings, ids: HashMap::new(), next: 1 };
        for &id in &self.layouts {
            let at = *self.at.get(id as usize)? as usize;
            let name = self.strings.get(word(self.types, at)? as usize..)?;
            let is = |wanted: &&[u8]| name.starts_with(wanted) && name.get(wanted.len()) == Some(&0);
            if by_initial[*name.first()? as usize].iter().any(is) {
                cut.copy(id)?;
            }
        }
        Some(cut.finish())
    }
}

fn kind(info: u32) -> u32 {
    info >> 24 & 0x1f
}

/// Bytes behind the three words that every type has.
fn extra(info: u32) -> Option<usize> {
    let members = (info & 0xffff) as usize;
    Some(match kind(info) {
        1 | 14 | 17 => 4,
        KIND_PTR | 7 | 12 | 16 => 0,
        kind if TRANSPARENT.contains(&kind) => 0,
        KIND_ARRAY => 12,
        KIND_STRUCT | KIND_UNION | 15 | 19 => members * 12,
        6 | 13 => members * 8,
        _ => return None,
    })
}

struct Cut<'b, 'a> {
    of: &'b Btf<'a>,
    types: Vec<u8>,
    strings: Vec<u8>,
    /// New ids of copied types.
    ids: HashMap<u32, u32>,
    next: u32,
}

impl Cut<'_, '_> {
    /// Copies a type and those it contains, and returns its new id. (A type contains itself only by a pointer.)
    fn copy(&mut self, id: u32) -> Option<u32> {
        if id == 0 {
            return Some(0);
        }
        if let Some(&known) = self.ids.get(&id) {
            return Some(known);
        }
        let (name, info, size, rest) = self.of.get(id)?;
        let (size, rest) = match kind(info) {
            kind if TRANSPARENT.contains(&kind) => {
                let new = self.copy(size)?;
                self.ids.insert(id, new);
                return Some(new);
            }
            KIND_PTR => (0, Vec::new()),
            KIND_ARRAY => {
                let (elem, index) = (self.copy(word(rest, 0)?)?, self.copy(word(rest, 4)?)?);
                (0, [elem, index, word(rest, 8)?].iter().flat_map(|w| w.to_ne_bytes()).collect())
            }
            KIND_STRUCT | KIND_UNION => {
                let mut members = Vec::with_capacity(rest.len());
                for member in rest.chunks_exact(12) {
                    let name = self.string(self.of.string(word(member, 0)?));
                    let ty = self.copy(word(member, 4)?)?;
                    members.extend([name, ty, word(member, 8)?].iter().flat_map(|w| w.to_ne_bytes()));
                }
                (size, members)
            }
            // Names of enumerators are not needed, nor are the types of a function's prototype.
            6 | 19 => return self.emit(id, name, info & !0xffff, size, &[]),
            12 | 13 => return Some(0),
            _ => (size, rest.to_vec()),
        };
        self.emit(id, name, info, size, &rest)
    }

    fn emit(&mut self, id: u32, name: &[u8], info: u32, size: u32, rest: &[u8]) -> Option<u32> {
        let name = self.string(name);
        self.types.extend([name, info, size].iter().flat_map(|w| w.to_ne_bytes()));
        self.types.extend(rest);
        let new = self.next;
        self.next += 1;
        self.ids.insert(id, new);
        Some(new)
    }

    fn string(&mut self, name: &[u8]) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let at = self.strings.len() as u32;
        self.strings.extend(name);
        self.strings.push(0);
        at
    }

    fn finish(self) -> Vec<u8> {
        let (types, strings) = (self.types.len() as u32, self.strings.len() as u32);
        let mut out = Vec::with_capacity(24 + self.types.len() + self.strings.len());
        out.extend(MAGIC.to_ne_bytes());
        // Version, flags.
        out.extend([1, 0]);
        out.extend([24, 0, types, types, strings].iter().flat_map(|w: &u32| w.to_ne_bytes()));
        out.extend(self.types);
        out.extend(self.strings);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_out_says_the_same() {
        let Ok(kernel) = std::fs::read("/sys/kernel/btf/vmlinux") else {
            println!("skipped: what_is_cut_out_says_the_same: no /sys/kernel/btf/vmlinux");
            return;
        };
        let whole = Btf::parse(&kernel).unwrap();
        let bytes = whole.only(&["task_struct", "file"]).unwrap();
        assert!(bytes.len() < kernel.len() / 10);
        let cut = Btf::parse(&bytes).unwrap();
        let find = |btf: &Btf<'_>, name: &str| {
            let id = (1..btf.at.len() as u32)
                .find(|&id| btf.name(id) == name.as_bytes() && kind(btf.get(id).unwrap().1) == 4);
            let (_, _, size, members) = btf.get(id?)?;
            let member = |m: &[u8]| Some((btf.string(word(m, 0)?).to_vec(), word(m, 8)?));
            Some((size, members.chunks_exact(12).map(|m| member(m).unwrap()).collect::<Vec<_>>()))
        };
        for name in ["task_struct", "file", "thread_info", "sched_entity"] {
            assert!(find(&whole, name).is_some());
            assert_eq!(find(&cut, name), find(&whole, name), "{name}");
        }
        assert_eq!(find(&cut, "tty_struct"), None);
    }

    #[test]
    fn functions_of_this_kernel() {
        let Ok(kernel) = std::fs::read("/sys/kernel/btf/vmlinux") else {
            println!("skipped: functions_of_this_kernel: no /sys/kernel/btf/vmlinux");
            return;
        };
        let whole = Btf::parse(&kernel).unwrap();
        let found = whole.functions(&["vfs_read", "no_such_function"]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(whole.name(found[&b"vfs_read"[..]]), b"vfs_read");
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Btf::parse(b"").is_none());
        assert!(Btf::parse(&[0x9f, 0xeb, 1, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0]).is_none());
        let mut bytes = vec![0x9f, 0xeb, 1, 0, 24, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0];
        // A type of an unknown kind.
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 0x1f, 0, 0, 0, 0, 0]);
        assert!(Btf::parse(&bytes).is_none());
    }
}
