//! The contents of the files that a run used, as SHA-256.

use sha2::{Digest as _, Sha256};
use std::cell::Cell;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use stride_output::{Digest, Digests};
use stride_proc::open_regular;

/// A tracee may name files that take no room and are endless to read. No file beyond this size is hashed, and no more than this in all.
const MOST_OF_FILE: u64 = 16 << 30;
const MOST: u64 = 64 << 30;
/// The file is read in pieces of this size.
const PIECE: usize = 1 << 18;

/// Reads files as they are now.
pub struct FileDigests {
    left: Cell<u64>,
}

impl Default for FileDigests {
    fn default() -> FileDigests {
        FileDigests { left: Cell::new(MOST) }
    }
}

impl Digests for FileDigests {
    fn of(&self, path: &[u8]) -> Digest {
        let path = Path::new(OsStr::from_bytes(path));
        let Ok(metadata) = path.metadata() else { return Digest::Gone };
        if !metadata.is_file() {
            return Digest::NotRegular;
        }
        let Some(mut file) = open_regular(path) else { return Digest::Unreadable };
        // (The name may be another file's by now.)
        let Ok(metadata) = file.metadata() else { return Digest::Unreadable };
        if metadata.len() > MOST_OF_FILE.min(self.left.get()) {
            return Digest::TooLarge;
        }
        let (mut hash, mut piece, mut size) = (Sha256::new(), vec![0; PIECE], 0);
        loop {
            match file.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => {
                    hash.update(&piece[..length]);
                    size += length as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Digest::Unreadable,
            }
            // It grows while it is read.
            if size > MOST_OF_FILE {
                return Digest::TooLarge;
            }
        }
        self.left.set(self.left.get().saturating_sub(size));
        let mut hex = String::with_capacity(64);
        hash.finalize().iter().for_each(|byte| _ = write!(hex, "{byte:02x}"));
        let modified = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        Digest::Sha256 { hex, size, modified }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_are_read() {
        let directory = std::env::temp_dir().join(format!("stride-digests-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let at = |name: &str| directory.join(name);
        std::fs::write(at("file"), "abc").unwrap();
        symlink("file", at("link")).unwrap();
        symlink("/proc/kmsg", at("log")).unwrap();
        nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let huge = std::fs::File::create(at("huge")).unwrap();
        huge.set_len(1 << 40).unwrap();
        let digests = FileDigests::default();
        let of = |name: &str| digests.of(at(name).as_os_str().as_bytes());
        for name in ["file", "link"] {
            let Digest::Sha256 { hex, size, modified } = of(name) else { panic!("{name}: {:?}", of(name)) };
            assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "{name}");
            assert!(size == 3 && modified > 1_600_000_000_000_000_000, "{size} {modified}");
        }
        assert_eq!(of("pipe"), Digest::NotRegular);
        assert_eq!(of("huge"), Digest::TooLarge);
        assert_eq!(of("log"), Digest::Unreadable);
        assert_eq!((of("none"), of(".")), (Digest::Gone, Digest::NotRegular));
        assert_eq!(digests.of(b"/dev/zero"), Digest::NotRegular);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
