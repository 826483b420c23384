//! Reads the executable mappings from `/proc/PID/maps`.

use std::ops::Range;
use stride_event::{CodeBacking, CodeMapping};

/// The kernel's limit is lower unless an administrator raises it. Mappings beyond this number are ignored.
const MOST_MAPPINGS: usize = 1 << 20;

/// The executable mappings, in order of their addresses.
pub fn parse(text: &[u8]) -> Vec<CodeMapping> {
    text.split(|&b| b == b'\n').take(MOST_MAPPINGS).filter_map(mapping).collect()
}

/// The files that are mapped as code: the inode and the path of each, as often as it is mapped.
pub fn code_files(text: &[u8]) -> impl Iterator<Item = (u64, Box<[u8]>)> {
    parse(text).into_iter().filter_map(|mapping| match mapping.backing {
        CodeBacking::File { inode, path, .. } => Some((inode, path)),
        CodeBacking::Vdso | CodeBacking::Nothing => None,
    })
}

/// All mappings that the kernel makes for its own code ([vdso], and its data: [vvar], [vvar_vclock]).
pub fn of_kernel(text: &[u8]) -> Vec<Range<u64>> {
    let lines = text.split(|&b| b == b'\n').filter(|line| {
        let name = line.rsplit(|&b| b == b' ').next().unwrap_or_default();
        name.starts_with(b"[vdso") || name.starts_with(b"[vvar")
    });
    lines.filter_map(|line| halves(line.split(|&b| b == b' ').next()?, b'-')).map(|(start, end)| start..end).collect()
}

fn mapping(line: &[u8]) -> Option<CodeMapping> {
    let mut rest = line;
    let mut field = || {
        let from = rest.iter().position(|&b| b != b' ')?;
        let len = rest[from..].iter().position(|&b| b == b' ').unwrap_or(rest.len() - from);
        let field = &rest[from..from + len];
        rest = &rest[from + len..];
        Some(field)
    };
    let (range, permissions) = (field()?, field()?);
    if permissions.get(2) != Some(&b'x') {
        return None;
    }
    let (offset, device, inode) = (hex(field()?)?, field()?, std::str::from_utf8(field()?).ok()?.parse().ok()?);
    let (start, end) = halves(range, b'-')?;
    let (major, minor) = halves(device, b':')?;
    let from = rest.iter().position(|&b| b != b' ').unwrap_or(rest.len());
    let path = &rest[from..];
    let backing = match path {
        b"[vdso]" => CodeBacking::Vdso,
        _ if inode != 0 && path.starts_with(b"/") => {
            let path = unescaped(path.strip_suffix(b" (deleted)").unwrap_or(path));
            CodeBacking::File { offset, device: (major as u32, minor as u32), inode, path }
        }
        _ => CodeBacking::Nothing,
    };
    (start < end).then_some(CodeMapping { start, end, backing })
}

/// The kernel writes a newline in a name as `\012`.
fn unescaped(path: &[u8]) -> Box<[u8]> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&first, behind)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(b"\\012") {
            out.push(b'\n');
            rest = after;
        } else {
            out.push(first);
            rest = behind;
        }
    }
    out.into()
}

fn halves(text: &[u8], separator: u8) -> Option<(u64, u64)> {
    let at = text.iter().position(|&b| b == separator)?;
    Some((hex(&text[..at])?, hex(&text[at + 1..])?))
}

fn hex(text: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds() {
        let text = b"\
55d0-55e0 r--p 00000000 fe:00 12 /bin/x
55e0-55f0 r-xp 00001000 fe:00 12                         /bin/a b\\012c (deleted)
7f00-7f10 rwxp 00000000 00:00 0
7f10-7f20 r-xp 00000000 00:00 0                          [vdso]
7f20-7f20 r-xp 00000000 00:00 0 
7f30-7f20 r-xp
garbage
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]";
        let file =
            CodeBacking::File { offset: 0x1000, device: (0xfe, 0), inode: 12, path: b"/bin/a b\nc".as_slice().into() };
        let expected = [
            CodeMapping { start: 0x55e0, end: 0x55f0, backing: file },
            CodeMapping { start: 0x7f00, end: 0x7f10, backing: CodeBacking::Nothing },
            CodeMapping { start: 0x7f10, end: 0x7f20, backing: CodeBacking::Vdso },
            CodeMapping { start: 0xffffffffff600000, end: 0xffffffffff601000, backing: CodeBacking::Nothing },
        ];
        assert_eq!(parse(text), expected);
    }
}
