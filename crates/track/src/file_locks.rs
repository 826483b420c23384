//! Locks of files: flock(2) and those of fcntl(2).

use stride_event::Call;
use stride_syscalls::uapi::consts as c;
use stride_syscalls::{Effect, Syscall};

/// True if the call takes a lock of a file or gives one back, as far as its numbers tell: a lock in unreadable memory counts.
pub fn sets_file_lock(call: &Call, row: &Syscall) -> bool {
    const SET: [u64; 4] = [c::F_SETLK, c::F_SETLKW, c::F_OFD_SETLK, c::F_OFD_SETLKW];
    let of_fcntl = || row.has_effect(Effect::ControlsDescriptor) && call.arg("op").is_some_and(|op| SET.contains(&op));
    row.has_effect(Effect::LocksFile) || of_fcntl()
}

/// True if the call takes a lock of a file, false if it gives one back. `None`: it does neither.
pub fn takes_file_lock(call: &Call, row: &Syscall) -> Option<bool> {
    if !sets_file_lock(call, row) {
        return None;
    }
    if row.has_effect(Effect::LocksFile) {
        return Some(call.flags("op") & c::LOCK_UN == 0);
    }
    let kind: [u8; 2] = call.bytes("arg", 2).try_into().ok()?;
    Some(u64::from(u16::from_ne_bytes(kind)) != c::F_UNLCK)
}
