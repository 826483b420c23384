//! As much of BTF as it takes to learn the sizes and members of structs and unions
//! (Documentation/bpf/btf.rst).

use std::collections::HashMap;

const STRUCT: u32 = 4;
const UNION: u32 = 5;

pub struct Struct {
    pub size: u32,
    /// Name and offset in bits; unnamed members are left out.
    pub members: Vec<(String, u32)>,
}

/// Structs and unions by name. None if the data is not BTF or is cut short.
pub fn structs(data: &[u8]) -> Option<HashMap<String, Struct>> {
    let word = |at: usize| Some(u32::from_le_bytes(data.get(at..at + 4)?.try_into().ok()?));
    if word(0)? & 0xffff != 0xeb9f {
        return None;
    }
    let header = word(4)? as usize;
    let mut at = header + word(8)? as usize;
    let end = at + word(12)? as usize;
    let strings = data.get(header + word(16)? as usize..)?;
    let text = |at: usize| {
        let bytes = strings.get(at..)?.split(|byte| *byte == 0).next()?;
        String::from_utf8(bytes.to_vec()).ok()
    };
    let mut found = HashMap::new();
    while at < end {
        let (name, info, size) = (word(at)? as usize, word(at + 4)?, word(at + 8)?);
        let (kind, count) = (info >> 24 & 31, (info & 0xffff) as usize);
        // With this flag a member's offset shares its word with a bit field's width.
        let mask = if info >> 31 == 1 { 0xff_ffff } else { u32::MAX };
        if kind == STRUCT || kind == UNION {
            let mut members = Vec::new();
            for member in (0..count).map(|index| at + 12 + 12 * index) {
                members.push((text(word(member)? as usize)?, word(member + 8)? & mask));
            }
            members.retain(|(name, _)| !name.is_empty());
            found.entry(text(name)?).or_insert(Struct { size, members });
        }
        at += 12 + trailing(kind, count)?;
    }
    Some(found)
}

/// Bytes after the common part of a type, by kind.
fn trailing(kind: u32, members: usize) -> Option<usize> {
    Some(match kind {
        1 | 14 | 17 => 4, // INT, VAR, DECL_TAG
        3 => 12,          // ARRAY
        STRUCT | UNION => 12 * members,
        6 | 13 => 8 * members,     // ENUM, FUNC_PROTO
        15 | 19 => 12 * members,   // DATASEC, ENUM64
        2 | 7..=12 | 16 | 18 => 0, // PTR, FWD, TYPEDEF, qualifiers, FUNC, FLOAT, TYPE_TAG
        _ => return None,
    })
}
