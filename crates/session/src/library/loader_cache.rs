//! The libraries that the dynamic loader knows: /etc/ld.so.cache (ldconfig(8)).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

const CACHE: &str = "/etc/ld.so.cache";
const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
const HEADER: usize = 48;
const ENTRY: usize = 24;
/// Real caches have some hundred kilobytes.
const LARGEST: u64 = 64 << 20;

/// The paths of all libraries. None where the C library has no such cache.
pub fn libraries() -> Vec<PathBuf> {
    let small = std::fs::metadata(CACHE).is_ok_and(|cache| cache.len() <= LARGEST);
    std::fs::read(CACHE).ok().filter(|_| small).and_then(|cache| parse(&cache)).unwrap_or_default()
}

fn parse(cache: &[u8]) -> Option<Vec<PathBuf>> {
    // An older table may come before.
    let start = cache.windows(MAGIC.len()).position(|bytes| bytes == MAGIC)?;
    let table = &cache[start..];
    let word = |at: usize| Some(u32::from_ne_bytes(table.get(at..at + 4)?.try_into().ok()?) as usize);
    let count = word(MAGIC.len())?;
    let entries = table.get(HEADER..)?.chunks_exact(ENTRY).take(count);
    let path = |entry: &[u8]| {
        let at = u32::from_ne_bytes(entry.get(8..12)?.try_into().ok()?) as usize;
        let rest = table.get(at..)?;
        let end = rest.iter().position(|&b| b == 0)?;
        Some(PathBuf::from(OsStr::from_bytes(&rest[..end])))
    };
    Some(entries.filter_map(path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_read_and_a_damaged_one_is_not_believed() {
        let mut cache = b"old stuff".to_vec();
        cache.extend(MAGIC);
        cache.extend(1u32.to_ne_bytes());
        cache.resize(9 + HEADER, 0);
        let strings = (HEADER + ENTRY) as u32;
        for word in [0x303, strings, strings + 8, 0, 0, 0u32] {
            cache.extend(word.to_ne_bytes());
        }
        cache.extend(b"libx.so\0/lib/libx.so\0");
        assert_eq!(parse(&cache).unwrap(), [PathBuf::from("/lib/libx.so")]);
        assert!((0..cache.len() - 1).all(|n| parse(&cache[..n]).is_none_or(|found| found.is_empty())));
    }
}
