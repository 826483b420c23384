//! The files that the kernel opens to start a program, which no call names: the interpreter of a `#!` line, and the one that an ELF file asks for.
//!
//! They are read from the program's file when the program has been executed. The kernel keeps no note of them.

use super::regular::open_regular;
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use stride_engine_base::procfs;
use stride_event::Tid;

/// The kernel follows so many `#!` lines.
const MOST: usize = 5;
/// `BINPRM_BUF_SIZE`: a `#!` line ends here.
const LINE: usize = 256;
/// `sizeof(Elf64_Ehdr)`.
const HEAD: usize = 64;
/// The kernel takes no more program headers than fit in here.
const HEADERS: u64 = 1 << 16;
/// No path of an interpreter is longer.
const PATH_MAX: u64 = 4096;
const PT_INTERP: u32 = 3;

/// The answer to `Question::Interpreters`. `None` if the program's file cannot be read.
pub fn of(tid: Tid, program: &[u8]) -> Option<Vec<u8>> {
    let mut answer = Vec::new();
    let mut path = program.to_vec();
    for depth in 0..MOST {
        let found = match open(tid, &path) {
            Some(file) => interpreter(&file),
            None if depth == 0 => return None,
            None => None,
        };
        let Some((next, is_script)) = found else { break };
        answer.extend_from_slice(&next);
        answer.push(0);
        // The loader of an ELF file needs no interpreter.
        if !is_script {
            break;
        }
        path = next;
    }
    Some(answer)
}

/// Opens a regular file as the thread sees it, or as Stride does if the thread is gone.
fn open(tid: Tid, path: &[u8]) -> Option<File> {
    let relative = OsStr::from_bytes(path.strip_prefix(b"/").unwrap_or(path));
    let base = if path.starts_with(b"/") { "root" } else { "cwd" };
    let seen: PathBuf = PathBuf::from(procfs::path(tid, base)).join(relative);
    let own = path.starts_with(b"/").then(|| PathBuf::from(OsStr::from_bytes(path)));
    open_regular(&seen).or_else(|| open_regular(&own?))
}

/// The interpreter that the file names, and whether that was a `#!` line.
fn interpreter(file: &File) -> Option<(Vec<u8>, bool)> {
    let mut head = [0; LINE];
    let length = file.read_at(&mut head, 0).ok()?;
    let head = &head[..length];
    match head.strip_prefix(b"#!") {
        Some(line) => script(line).map(|path| (path, true)),
        None => elf(file, head).map(|path| (path, false)),
    }
}

/// The first word behind `#!`. The kernel takes a line that is cut if the word is whole.
fn script(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.split(|byte| *byte == b'\n').next()?;
    let is_blank = |byte: &u8| matches!(*byte, b' ' | b'\t');
    let start = line.iter().position(|byte| !is_blank(byte))?;
    let word = line[start..].split(|byte| is_blank(byte) || *byte == 0).next()?;
    (!word.is_empty()).then(|| word.to_vec())
}

/// The path in the segment `PT_INTERP`.
fn elf(file: &File, head: &[u8]) -> Option<Vec<u8>> {
    let head: &[u8; HEAD] = head.first_chunk()?;
    if !head.starts_with(b"\x7fELF") || head[5] != 1 {
        return None;
    }
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let is_64 = match head[4] {
        1 => false,
        2 => true,
        _ => return None,
    };
    let (offset, size, count) = if is_64 {
        (number(&head[32..40]), number(&head[54..56]), number(&head[56..58]))
    } else {
        (number(&head[28..32]), number(&head[42..44]), number(&head[44..46]))
    };
    let expected = if is_64 { 56 } else { 32 };
    if size != expected || count * size > HEADERS {
        return None;
    }
    for i in 0..count {
        let mut segment = [0; 56];
        let segment = &mut segment[..expected as usize];
        file.read_exact_at(segment, offset.checked_add(i * size)?).ok()?;
        if number(&segment[..4]) != u64::from(PT_INTERP) {
            continue;
        }
        let (at, length) = if is_64 {
            (number(&segment[8..16]), number(&segment[32..40]))
        } else {
            (number(&segment[4..8]), number(&segment[16..20]))
        };
        let mut path = vec![0; length.min(PATH_MAX) as usize];
        file.read_exact_at(&mut path, at).ok()?;
        let path = path.split(|byte| *byte == 0).next().unwrap_or_default();
        return (!path.is_empty()).then(|| path.to_vec());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_scripts() {
        for (line, path) in [
            ("/bin/sh\n", Some("/bin/sh")),
            ("  /usr/bin/env -S python3 -x\nrest", Some("/usr/bin/env")),
            ("\t/bin/sh\t-e", Some("/bin/sh")),
            ("\n/bin/sh", None),
            ("   ", None),
            ("", None),
        ] {
            assert_eq!(script(line.as_bytes()).as_deref(), path.map(str::as_bytes), "{line}");
        }
    }

    #[test]
    fn those_of_this_program() {
        let me = std::env::current_exe().unwrap();
        let found = of(std::process::id() as Tid, me.as_os_str().as_bytes()).unwrap();
        let found = String::from_utf8(found).unwrap();
        assert!(found.ends_with("\0") && found.contains("/ld-linux"), "{found}");
        assert_eq!(of(std::process::id() as Tid, b"/does/not/exist"), None);
        assert_eq!(of(std::process::id() as Tid, b"/dev/null"), None);
    }

    /// Sizes and offsets in a file may be anything.
    #[test]
    fn hostile_files() {
        let path = std::env::temp_dir().join(format!("stride-interpreters-{}", std::process::id()));
        let mut head = [0xff; 600];
        head[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\0");
        for size in [56u16, 32, 0, u16::MAX] {
            head[54..56].copy_from_slice(&size.to_le_bytes());
            std::fs::write(&path, head).unwrap();
            assert_eq!(of(std::process::id() as Tid, path.as_os_str().as_bytes()), Some(Vec::new()));
        }
        std::fs::write(&path, format!("#!{}\n", path.display())).unwrap();
        let found = of(std::process::id() as Tid, path.as_os_str().as_bytes()).unwrap();
        assert_eq!(found.iter().filter(|byte| **byte == 0).count(), MOST, "a script that names itself");
        std::fs::remove_file(&path).unwrap();
    }
}
