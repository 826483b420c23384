//! Thin wrappers of the system calls used: all `unsafe` of this crate. Each function is safe to call with any argument.

mod cpu;
mod ptrace;

pub use cpu::{cpu_of, has_default_policy, may_leave_idle_policy, own_cpus, set_idle_policy, set_own_cpus};
pub use ptrace::{
    Entered, Info, cont, detach, event_msg, interrupt, interrupted_call, listen, peek_data, read_memory, seize,
    siginfo, step_syscall, syscall_info, wait,
};
pub use stride_engine_base::process::{capabilities, filter_available, kill, strerror};
pub use stride_engine_base::signal::{now, pause_ms};
