//! Paths that lead elsewhere than their text says, as far as the run itself shows where.

use super::names::{PathId, UsedPaths, is_below, tidy};
use rustc_hash::FxHashMap;
use stride_event::Tid;
use stride_track::{ObjectKind, Tracker};

/// The links from one path to the next that are followed (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// The symbolic links that the run made, with the paths that they stand for.
#[derive(Default)]
pub struct MadeLinks(FxHashMap<PathId, PathId>);

impl MadeLinks {
    /// The run made a link, whose text is this.
    pub fn made(&mut self, link: PathId, text: &[u8], names: &mut UsedPaths) {
        let path = names.get(link).path.clone();
        let directory = path.iter().rposition(|byte| *byte == b'/').map_or(&path[..0], |at| &path[..at]);
        let target = if text.starts_with(b"/") { tidy(text) } else { tidy(&[directory, b"/", text].concat()) };
        if let Some(target) = names.id(&target) {
            self.0.insert(link, target);
        }
    }

    /// The path is no longer that of a link.
    pub fn gone(&mut self, path: PathId) {
        self.0.remove(&path);
    }

    pub fn renamed(&mut self, from: PathId, to: PathId) {
        match self.0.remove(&from) {
            Some(target) => _ = self.0.insert(to, target),
            None => self.gone(to),
        }
    }

    /// The path at which the links of the run end. (Links that were there before are not known.)
    pub fn end(&self, path: PathId) -> PathId {
        let next = |path: &PathId| self.0.get(path).copied();
        std::iter::successors(Some(path), next).take(MOST_LINKS).last().unwrap_or(path)
    }
}

/// Processes that are remembered with a root directory of their own.
const MOST_ROOTS: usize = 1 << 14;

/// The root directories of processes that changed theirs, from this machine's root on.
#[derive(Default)]
pub struct ChangedRoots(FxHashMap<Tid, Vec<u8>>);

impl ChangedRoots {
    /// chroot(2) with this path, as the process saw it. False: there is no room.
    pub fn changed(&mut self, pid: Tid, path: &[u8]) -> bool {
        let root = self.placed(tidy(path), pid);
        let has_room = self.0.len() < MOST_ROOTS || self.0.contains_key(&pid);
        if has_room {
            self.0.insert(pid, root);
        }
        has_room
    }

    /// A child has the root of its parent.
    pub fn inherited(&mut self, child: Tid, parent: Tid) {
        if self.0.len() < MOST_ROOTS
            && let Some(root) = self.0.get(&parent).cloned()
        {
            self.0.insert(child, root);
        }
    }

    pub fn forget(&mut self, pid: Tid) {
        self.0.remove(&pid);
    }

    /// A path as the process sees it, from this machine's root on. (Paths that were known before the change are so already.)
    pub fn placed(&self, path: Vec<u8>, pid: Tid) -> Vec<u8> {
        match self.0.get(&pid) {
            Some(root) if *root != b"/" && !is_below(&path, root) => tidy(&[&root[..], &path].concat()),
            _ => path,
        }
    }
}

/// The file that a path of /proc leads to, from the root on: `/proc/self/cwd/a.c`, `/proc/self/fd/3/a.c` (proc(5)). `None` for other paths.
pub fn through_proc(path: &[u8], pid: Tid, tracker: &Tracker) -> Option<Vec<u8>> {
    let mut parts = path.strip_prefix(b"/proc/")?.splitn(3, |byte| *byte == b'/');
    let (process, way, rest) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
    let of = match process {
        b"self" | b"thread-self" => pid,
        number => std::str::from_utf8(number).ok()?.parse().ok()?,
    };
    let (object, rest) = match way {
        b"cwd" => (tracker.working_directory(of)?, rest),
        b"root" => return Some(tidy(&[b"/", rest].concat())),
        b"fd" => {
            // (The entry itself stands for the open file, which is no file of this name.)
            let at = rest.iter().position(|byte| *byte == b'/')?;
            let fd = std::str::from_utf8(&rest[..at]).ok()?.parse().ok()?;
            (tracker.open_file(of, fd)?.1, &rest[at + 1..])
        }
        _ => return None,
    };
    let directory = tracker.name(object);
    let is_known = tracker.kind(object) == ObjectKind::Path && directory.starts_with(b"/");
    is_known.then(|| tidy(&[directory, b"/", rest].concat()))
}

/// The path from the root on. `None` if it is relative, and the working directory of the process is not known.
pub fn from_root(path: &[u8], pid: Tid, tracker: &Tracker) -> Option<Vec<u8>> {
    if path.starts_with(b"/") {
        return Some(tidy(path));
    }
    let directory = tracker.name(tracker.working_directory(pid)?);
    directory.starts_with(b"/").then(|| tidy(&[directory, b"/", path].concat()))
}
