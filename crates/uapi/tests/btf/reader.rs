//! As much of BTF as it takes to learn the sizes of structs and unions
//! (Documentation/bpf/btf.rst).

use std::collections::HashMap;

const STRUCT: u32 = 4;
const UNION: u32 = 5;

/// Size by name. None if the data is not BTF or is cut short.
pub fn sizes(data: &[u8]) -> Option<HashMap<String, u32>> {
    let word = |at: usize| Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?));
    if word(0)? & 0xffff != 0xeb9f {
        return None;
    }
    let header = word(4)? as usize;
    let mut at = header + word(8)? as usize;
    let end = at + word(12)? as usize;
    let strings = data.get(header + word(16)? as usize..)?;
    let mut found = HashMap::new();
    while at < end {
        let (name, info, size) = (word(at)? as usize, word(at + 4)?, word(at + 8)?);
        let (kind, members) = (info >> 24 & 31, (info & 0xffff) as usize);
        if kind == STRUCT || kind == UNION {
            let name: Vec<u8> = strings.get(name..)?.iter().copied().take_while(|byte| *byte != 0).collect();
            if !name.is_empty() {
                found.entry(String::from_utf8(name).ok()?).or_insert(size);
            }
        }
        at += 12 + trailing(kind, members)?;
    }
    Some(found)
}

/// Bytes after the common part of a type, by kind.
fn trailing(kind: u32, members: usize) -> Option<usize> {
    Some(match kind {
        1 | 14 | 17 => 4,            // INT, VAR, DECL_TAG
        3 => 12,                     // ARRAY
        STRUCT | UNION => 12 * members,
        6 | 13 => 8 * members,       // ENUM, FUNC_PROTO
        15 | 19 => 12 * members,     // DATASEC, ENUM64
        2 | 7..=12 | 16 | 18 => 0,   // PTR, FWD, TYPEDEF, qualifiers, FUNC, FLOAT, TYPE_TAG
        _ => return None,
    })
}
