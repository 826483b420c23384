//! Thin wrappers of the system calls used: all `unsafe` of this crate. Each function is safe to call with any argument.

mod cpu;
mod process;
mod ptrace;
mod signal;
mod startup;

pub use cpu::{cpu_of, has_default_policy, may_leave_idle_policy, own_cpus, set_idle_policy, set_own_cpus};
pub use process::{
    Fork, Image, User, capabilities, exec, exit_now, filter_available, fork, kill, message, no_new_privs,
    restore_inherited, set_filter, set_tracer, set_user, strerror, wait_for,
};
pub use ptrace::{
    Entered, Info, cont, detach, event_msg, interrupt, interrupted_call, listen, peek_data, read_memory, seize,
    siginfo, step_syscall, syscall_info, wait,
};
pub use signal::{Timer, catch, caught, die_of, ignore, now, pause_ms, restore_signals};
