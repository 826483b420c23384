//! The state that Stride inherited, recorded before Rust's runtime changes it: the runtime ignores SIGPIPE and opens /dev/null in place of
//! closed standard streams; Stride itself ignores others. The command must get both as the caller left them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bit `n - 1`: signal `n` was ignored.
pub static IGNORED: AtomicU64 = AtomicU64::new(0);
pub static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

extern "C" fn record() {
    // SAFETY: runs once, on the main thread, before main: sigaction fills the zeroed struct, fcntl takes only numbers.
    unsafe {
        let mut ignored = 0;
        for signal in 1..=64 {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &mut old) == 0 && old.sa_sigaction == libc::SIG_IGN {
                ignored |= 1 << (signal - 1);
            }
        }
        IGNORED.store(ignored, Ordering::Relaxed);
        for (fd, closed) in CLOSED.iter().enumerate() {
            closed.store(libc::fcntl(fd as i32, libc::F_GETFD) < 0, Ordering::Relaxed);
        }
    }
}

// SAFETY: the linker calls what stands in this section with C's calling convention before main.
#[used]
#[unsafe(link_section = ".init_array")]
static RECORD: extern "C" fn() = record;
