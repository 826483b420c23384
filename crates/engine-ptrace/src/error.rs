//! The reasons why attaching failed, in strace's words, and remedies.

use nix::errno::Errno;
use stride_engine_base::{AttachFailure, process, procfs};
use stride_event::Tid;

/// Attaching to a thread failed.
pub fn refused(tid: Tid, errno: Errno) -> AttachFailure {
    let what = format!("attach: ptrace(PTRACE_SEIZE, {tid}): {}", crate::sys::strerror(errno));
    let explained = AttachFailure { tid, what, hint: None }.explained();
    AttachFailure { hint: explained.hint.or_else(|| hint(tid, errno)), ..explained }
}

/// Why, and what to do next; strace's own sentence where it has one.
fn hint(tid: Tid, errno: Errno) -> Option<String> {
    if errno != Errno::EPERM {
        return None;
    }
    let read = |path: &str| std::fs::read_to_string(path).ok();
    if let Some(tracer) = procfs::tracer(tid) {
        return Some(format!("Process {tid} is already being traced by pid {tracer}"));
    }
    let yama = read("/proc/sys/kernel/yama/ptrace_scope").and_then(|s| s.trim().parse::<u8>().ok());
    const CAP_SYS_PTRACE: u64 = 1 << 19;
    let lacks = process::is_root() && process::capabilities() & CAP_SYS_PTRACE == 0;
    let remedy = if lacks {
        // Root already: the capability was taken away, most often by a container.
        format!("this root lacks cap_sys_ptrace: start the container with `{}`", process::cap_add("cap_sys_ptrace"))
    } else {
        "try as root".to_owned()
    };
    match yama {
        Some(scope @ 1..) => {
            let what = match scope {
                1 => {
                    format!("it allows attaching only to descendants; {remedy}, or `sysctl kernel.yama.ptrace_scope=0`")
                }
                2 => format!("it allows attaching only with CAP_SYS_PTRACE; {remedy}"),
                _ => "it forbids attaching until the next boot".to_owned(),
            };
            Some(format!("sysctl kernel.yama.ptrace_scope = {scope} may be restricting this attach: {what}"))
        }
        _ if tid == 1 && !lacks => None,
        _ => Some(format!("Process {} belongs to another user, or is protected: {remedy}", tid)),
    }
}
