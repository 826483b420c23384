//! Finds the file systems that a process serves (FUSE). That process may be a tracee that waits for Stride, so Stride
//! must not wait for its files.

use crate::files::open::read_up_to;
use std::path::{Component, Path, PathBuf};
use stride_engine_base::procfs;
use stride_event::Tid;

#[derive(Debug, Default)]
pub struct Mounts {
    entries: Vec<Mount>,
}

#[derive(Debug)]
struct Mount {
    device: (u32, u32),
    point: PathBuf,
    served: bool,
}

const MOST_MOUNTS: usize = 100_000;
/// The largest `/proc/PID/mountinfo` that is read.
const LARGEST: u64 = 16 << 20;

impl Mounts {
    /// The file systems that a process sees.
    pub fn of(process: Tid) -> Mounts {
        Mounts::parse(&read_up_to(&procfs::path(process, "mountinfo"), LARGEST).unwrap_or_default())
    }

    pub fn parse(text: &[u8]) -> Mounts {
        let entries = text.split(|&b| b == b'\n').take(MOST_MOUNTS).filter_map(mount).collect();
        Mounts { entries }
    }

    pub fn is_served(&self, device: (u32, u32)) -> bool {
        self.entries.iter().any(|mount| mount.served && mount.device == device)
    }

    /// True if looking up this path may lead through a file system that a process serves.
    pub fn leads_through_served(&self, path: &Path) -> bool {
        let plain = path.components().all(|c| matches!(c, Component::RootDir | Component::Normal(_)));
        !plain || self.entries.iter().any(|mount| mount.served && path.starts_with(&mount.point))
    }
}

fn mount(line: &[u8]) -> Option<Mount> {
    let line = String::from_utf8_lossy(line);
    let mut fields = line.split(' ');
    let device = fields.nth(2)?.split_once(':')?;
    let point = fields.nth(1)?.into();
    let kind = fields.skip_while(|&field| field != "-").nth(1)?;
    let served = kind == "fuse" || kind.starts_with("fuse.") || kind == "fuseblk";
    Some(Mount { device: (device.0.parse().ok()?, device.1.parse().ok()?), point, served })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_of_both_kinds() {
        let text = b"22 1 254:0 / / rw - ext4 /dev/vda rw\n\
            30 22 0:45 / /home/u/mnt rw,nosuid shared:1 master:2 - fuse.sshfs host: rw\nrubbish\n";
        let mounts = Mounts::parse(text);
        assert!(mounts.is_served((0, 45)) && !mounts.is_served((254, 0)));
        assert!(mounts.leads_through_served(Path::new("/home/u/mnt/lib.so")));
        assert!(!mounts.leads_through_served(Path::new("/home/u/lib.so")));
        assert!(mounts.leads_through_served(Path::new("/home/../home/u/mnt/x")));
    }
}
