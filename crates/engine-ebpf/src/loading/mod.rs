//! Loading the programs: what this machine allows, the settings, the kernel's types, the programs themselves, and why the kernel refuses them.

pub mod bare;
pub mod btf;
pub mod cgroup_parts;
pub mod config;
pub mod constants;
pub mod ids;
pub mod iterate;
pub mod kernel_types;
pub mod object;
pub mod privileges;
pub mod probe;
pub mod programs;
pub mod raw;
pub mod refusal;
pub mod relocate;
pub mod second_thread;
pub mod specialize;
pub mod tracepoints;
