//! `--secontext`: the SELinux contexts of threads and files, as the kernel has them.

use crate::descriptors::link;
use rustix::fs::{Mode, OFlags, ResolveFlags, getxattr, open, openat2};
use std::fs::{read_link, read_to_string};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::Duration;
use stride_decode::Labelled;
use stride_engine_base::{procfs, signal};
use stride_event::Tid;

const ATTRIBUTE: &str = "security.selinux";
/// Room for a context. The kernel's own limit is a page.
const ROOM: usize = 4096;
/// The time that a test waits for a file.
const LIMIT: Duration = Duration::from_secs(1);
/// So many look-ups that did not come back are left behind, and then no file is asked any longer.
const MOST_STUCK: usize = 8;

/// Look-ups that have not come back.
static STUCK: AtomicUsize = AtomicUsize::new(0);

/// True if the kernel has SELinux, and it is not disabled.
pub fn selinux_enabled() -> bool {
    let kinds = read_to_string("/proc/filesystems").unwrap_or_default();
    kinds.lines().any(|line| line.split_whitespace().last() == Some("selinuxfs"))
}

/// The whole context. `None` if there is no such thread or file, or if it has none.
pub fn read(tid: Tid, of: Labelled<'_>) -> Option<Vec<u8>> {
    match of {
        Labelled::Thread => trimmed(std::fs::read(procfs::path(tid, "attr/current")).ok()?),
        Labelled::Fd(fd) => {
            let at = link::of(tid, fd);
            in_time(move || attribute(&at))
        }
        Labelled::Path { dir, path } => {
            let (within, root) = (within_root(tid, dir, path)?, procfs::path(tid, "root"));
            in_time(move || {
                let root = open(root, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
                let flags = OFlags::PATH | OFlags::CLOEXEC;
                let file = openat2(root, within, flags, Mode::empty(), ResolveFlags::IN_ROOT).ok()?;
                attribute(&format!("/proc/self/fd/{}", file.as_raw_fd()))
            })
        }
    }
}

/// The most telling field of a context: the type. A context that does not have so many is shown whole, such as `kernel`
/// before a policy is loaded.
pub fn type_of(context: &[u8]) -> &[u8] {
    context.split(|&b| b == b':').nth(2).unwrap_or(context)
}

fn attribute(path: &str) -> Option<Vec<u8>> {
    let mut context = vec![0; ROOM];
    let len = getxattr(path, ATTRIBUTE, &mut context[..]).ok()?;
    context.truncate(len);
    trimmed(context)
}

/// Without the NUL or newline at its end.
fn trimmed(mut context: Vec<u8>) -> Option<Vec<u8>> {
    while context.pop_if(|last| matches!(*last, 0 | b'\n')).is_some() {}
    (!context.is_empty()).then_some(context)
}

/// A path as it is below the thread's root directory.
fn within_root(tid: Tid, dir: i32, path: &[u8]) -> Option<Vec<u8>> {
    let path = match path {
        [] => return None,
        [b'/', ..] => path.to_vec(),
        _ => {
            // Links in /proc are written as seen from Stride's root.
            let read = |path| Some(read_link(path).ok()?.into_os_string().into_vec());
            let (base, root) = (read(link::of(tid, dir))?, read(procfs::path(tid, "root"))?);
            let base = if root == b"/" { &base } else { base.strip_prefix(&root[..])? };
            if !base.is_empty() && base[0] != b'/' {
                return None;
            }
            [base, b"/", path].concat()
        }
    };
    // For Stride, these are its own.
    let own = |name: &[u8]| path.strip_prefix(name).is_some_and(|rest| matches!(rest, [] | [b'/', ..]));
    (!own(b"/proc/self") && !own(b"/proc/thread-self")).then_some(path)
}

/// Looks a file up with a time limit. A tracee that waits for Stride may be the one who has to answer (FUSE).
fn in_time<T: Send + 'static>(look: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    if STUCK.load(Ordering::Relaxed) >= MOST_STUCK {
        return None;
    }
    let (done, result) = sync_channel(1);
    STUCK.fetch_add(1, Ordering::Relaxed);
    let worker = Builder::new().name("context".into()).stack_size(128 << 10);
    let spawned = signal::without_signals(|| {
        worker.spawn(move || {
            let found = look();
            STUCK.fetch_sub(1, Ordering::Relaxed);
            // The receiver is gone if the time limit has passed.
            let _ = done.send(found);
        })
    });
    if spawned.is_err() {
        STUCK.fetch_sub(1, Ordering::Relaxed);
        return None;
    }
    result.recv_timeout(LIMIT).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{XattrFlags, setxattr};
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn the_type_is_the_third_field() {
        assert_eq!(type_of(b"system_u:object_r:passwd_file_t:s0:c1,c2"), b"passwd_file_t");
        assert_eq!(type_of(b"kernel"), b"kernel");
        assert_eq!(trimmed(b"a:b:c\n\0".to_vec()).as_deref(), Some(&b"a:b:c"[..]));
        assert_eq!(trimmed(b"\0".to_vec()), None);
    }

    /// Root may write the attribute although the kernel has no SELinux.
    #[test]
    fn files_are_found_by_path_and_descriptor() {
        let own = std::process::id() as Tid;
        let scratch = stride_test_support::Scratch::new("contexts");
        let (file, link) = (scratch.path("file"), scratch.path("link"));
        std::fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let context = &b"system_u:object_r:made_up_t:s0"[..];
        if setxattr(&file, ATTRIBUTE, b"system_u:object_r:made_up_t:s0\0", XattrFlags::empty()).is_err() {
            stride_test_support::skip!("{ATTRIBUTE} cannot be written here");
        }
        let dir = std::fs::File::open(scratch.path(".")).unwrap();
        let dir = dir.as_raw_fd();
        let path = |dir, path| read(own, Labelled::Path { dir, path });
        assert_eq!(path(-1, file.as_os_str().as_bytes()).as_deref(), Some(context));
        assert_eq!(path(-1, link.as_os_str().as_bytes()).as_deref(), Some(context));
        assert_eq!(path(dir, b"file").as_deref(), Some(context));
        assert_eq!(path(dir, b"../../../../../../../../../../../file"), None);
        assert_eq!(path(dir, b"gone"), None);
        assert_eq!(path(dir, b""), None);
        assert_eq!(path(-1, b"file"), None);
        assert_eq!(path(-1, b"/proc/self/exe"), None);
        let open = std::fs::File::open(&file).unwrap();
        assert_eq!(read(own, Labelled::Fd(open.as_raw_fd())).as_deref(), Some(context));
        assert_eq!(read(own, Labelled::Fd(-1)), None);
    }

    #[test]
    fn a_file_that_does_not_answer_is_left_behind() {
        let (go, wait) = std::sync::mpsc::channel::<()>();
        assert_eq!(in_time(move || wait.recv().ok()), None);
        assert_eq!(in_time(|| Some(7)), Some(7));
        drop(go);
    }
}
