//! Files on network file systems.
//!
//! The resolver is asked for the mounts that a process sees when one of its open files has moved many large pieces. The answer is kept for the
//! process, so the tracker asks seldom.

use crate::descriptors::File;
use crate::{ObjectId, ObjectKind, Tracker};
use std::rc::Rc;
use stride_decode::{NetworkMount, Resolver, is_within};
use stride_event::Tid;

/// Transfers of one open file, each of at least a page.
const MANY: u32 = 32;
const PAGE: u64 = 4096;
/// Files beyond this many are not remembered.
const MAX_FILES: usize = 1 << 16;

impl Tracker {
    /// The type of the network file system that a file is on. It is known for files of which many large pieces were moved.
    pub fn network_file_system(&self, object: ObjectId) -> Option<&str> {
        self.on_network.get(&object).map(|kind| &**kind)
    }

    /// Counts a transfer.
    pub(crate) fn moved_through(&mut self, file: &File, tid: Tid, pid: Tid, bytes: u64, resolver: &dyn Resolver) {
        let object = file.object.get();
        if bytes < PAGE || self.kind(object) != ObjectKind::Path {
            return;
        }
        file.pieces.set(file.pieces.get().saturating_add(1));
        if file.pieces.get() != MANY || self.on_network.len() >= MAX_FILES {
            return;
        }
        let Some(process) = self.processes.get_mut(&pid) else { return };
        let mounts = process.network_mounts.get_or_insert_with(|| resolver.network_mounts(tid).into()).clone();
        if let Some(kind) = file_system(&mounts, self.name(object)) {
            self.on_network.insert(object, kind.into());
        }
    }
}

/// The type of the network file system that has this path.
fn file_system<'m>(mounts: &'m Rc<[NetworkMount]>, path: &[u8]) -> Option<&'m str> {
    let with_path = mounts.iter().filter(|mount| is_within(path, &mount.point));
    // The later one of two mounts at one place covers the other.
    with_path.max_by_key(|mount| mount.point.len())?.kind.as_deref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_has_the_path() {
        let mount = |kind: &str, point: &str| NetworkMount {
            kind: (!kind.is_empty()).then(|| kind.into()),
            point: point.as_bytes().to_vec(),
        };
        let mounts: Rc<[NetworkMount]> =
            [mount("nfs4", "/srv"), mount("", "/srv/tmp"), mount("cifs", "/mnt/a"), mount("nfs", "/mnt/a")].into();
        for (path, kind) in [
            ("/srv/x", Some("nfs4")),
            ("/srv", Some("nfs4")),
            ("/srv/tmp/x", None),
            ("/srv/tmpx", Some("nfs4")),
            ("/srvx", None),
            ("/mnt/a/b", Some("nfs")),
            ("/", None),
        ] {
            assert_eq!(file_system(&mounts, path.as_bytes()), kind, "{path}");
        }
        assert_eq!(file_system(&[mount("9p", "/")].into(), b"/etc/passwd"), Some("9p"));
    }
}
