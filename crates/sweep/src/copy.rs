//! A copy of a directory for one run.

use std::fs::{self, File, FileTimes};
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

/// Copies what is in `from` into the directory `to`, which exists: files, directories and symbolic links, with their modes and times. Sockets, pipes and devices are left
/// out.
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            symlink(fs::read_link(&old)?, &new)?;
        } else if kind.is_dir() {
            fs::create_dir(&new)?;
            copy_tree(&old, &new)?;
            // (The mode comes last: it may forbid to write.)
            fs::set_permissions(&new, entry.metadata()?.permissions())?;
            set_times(&old, &new)?;
        } else if kind.is_file() {
            fs::copy(&old, &new)?;
            set_times(&old, &new)?;
        }
    }
    Ok(())
}

fn set_times(of: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs::metadata(of)?;
    let times = FileTimes::new().set_accessed(metadata.accessed()?).set_modified(metadata.modified()?);
    // A file that may only be read is opened for that: its owner may set its times.
    File::open(to)?.set_times(times)
}

/// The bytes in the files of a directory, and their number.
pub fn size_of_tree(of: &Path) -> io::Result<(u64, u64)> {
    let (mut bytes, mut files) = (0, 0);
    for entry in fs::read_dir(of)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_dir() {
            let (more, others) = size_of_tree(&entry.path())?;
            bytes += more;
            files += others;
        }
        bytes += if metadata.is_file() { metadata.size() } else { 0 };
        files += 1;
    }
    Ok((bytes, files))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use stride_test_support::Scratch;

    #[test]
    fn a_copy_is_like_the_original() {
        let scratch = Scratch::new("sweep-copy");
        let (from, to) = (scratch.path("from"), scratch.path("to"));
        fs::create_dir_all(from.join("sub/empty")).unwrap();
        fs::create_dir(&to).unwrap();
        fs::write(from.join("sub/run"), "x").unwrap();
        fs::set_permissions(from.join("sub/run"), fs::Permissions::from_mode(0o555)).unwrap();
        symlink("sub/run", from.join("link")).unwrap();
        symlink("nowhere", from.join("broken")).unwrap();
        nix::unistd::mkfifo(&from.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        copy_tree(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("link")).unwrap(), "x");
        assert_eq!(fs::metadata(to.join("sub/run")).unwrap().mode() & 0o777, 0o555);
        assert_eq!(
            fs::metadata(to.join("sub/run")).unwrap().mtime(),
            fs::metadata(from.join("sub/run")).unwrap().mtime()
        );
        assert_eq!(fs::read_link(to.join("broken")).unwrap(), Path::new("nowhere"));
        assert!(to.join("sub/empty").is_dir() && !to.join("pipe").exists());
        assert_eq!(size_of_tree(&to).unwrap(), (1, 5));
    }
}
