//! Thin wrappers of system calls. All `unsafe` of this crate is here. Each function is safe to call with any
//! argument.

mod cpu;
mod ptrace;

pub use cpu::{cpu_of, cpu_time, has_default_policy, may_leave_idle_policy, own_cpus, set_cpus, set_idle_policy};
pub use ptrace::{
    Entered, Info, cont, detach, event_msg, interrupt, interrupted_call, listen, peek_data, poke_data, replace_call,
    seize, set_argument, siginfo, stack_regs, step_syscall, syscall_info, wait,
};
pub use stride_engine_base::process::{capabilities, filter_available, kill, read_memory, strerror};
pub use stride_engine_base::signal::{now, own_tid, pause_ms};

/// Bytes in a page.
pub fn page_size() -> u64 {
    // SAFETY: takes only a number.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).ok().filter(|&size| size > 0).unwrap_or(4096)
}
