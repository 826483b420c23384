//! What Stride inherited, recorded before Rust's runtime changes it: the runtime ignores SIGPIPE and opens /dev/null in place of
//! closed standard streams. The command must get both as the caller left them.

use std::sync::atomic::{AtomicBool, Ordering};

pub static SIGPIPE_IGNORED: AtomicBool = AtomicBool::new(false);
pub static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

extern "C" fn record() {
    // SAFETY: runs once, on the main thread, before main: sigaction fills the zeroed struct, fcntl takes only numbers.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGPIPE, std::ptr::null(), &mut old) == 0 {
            SIGPIPE_IGNORED.store(old.sa_sigaction == libc::SIG_IGN, Ordering::Relaxed);
        }
        for (fd, closed) in CLOSED.iter().enumerate() {
            closed.store(libc::fcntl(fd as i32, libc::F_GETFD) < 0, Ordering::Relaxed);
        }
    }
}

// SAFETY: the linker calls what stands in this section with C's calling convention before main.
#[used]
#[unsafe(link_section = ".init_array")]
static RECORD: extern "C" fn() = record;
