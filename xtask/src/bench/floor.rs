//! The price that no tracer at the tracepoints of calls can avoid: programs that do nothing, attached to them.

use anyhow::{Context, Result};
use nix::errno::Errno;
use std::os::fd::{FromRawFd, OwnedFd};

/// Empty programs, attached to these tracepoints while this lives.
pub struct Empty {
    _attached: Vec<OwnedFd>,
}

/// The beginning of `union bpf_attr` for BPF_PROG_LOAD (linux/bpf.h). The kernel takes the rest to be zero.
#[repr(C)]
struct Load {
    prog_type: u32,
    instructions: u32,
    at: u64,
    license: u64,
}

/// The same for BPF_RAW_TRACEPOINT_OPEN.
#[repr(C)]
struct Open {
    name: u64,
    program: u32,
    pad: u32,
}

const LOAD: libc::c_int = 5;
const OPEN: libc::c_int = 17;
const RAW_TRACEPOINT: u32 = 17;
/// `r0 = 0; exit`.
const NOTHING: [u64; 2] = [0xb7, 0x95];

impl Empty {
    pub fn attach(tracepoints: &[&std::ffi::CStr]) -> Result<Empty> {
        let attach = |name: &&std::ffi::CStr| {
            let program = bpf(
                LOAD,
                &Load {
                    prog_type: RAW_TRACEPOINT,
                    instructions: NOTHING.len() as u32,
                    at: NOTHING.as_ptr() as u64,
                    license: c"GPL".as_ptr() as u64,
                },
            )?;
            let number = std::os::fd::AsRawFd::as_raw_fd(&program) as u32;
            bpf(OPEN, &Open { name: name.as_ptr() as u64, program: number, pad: 0 })
        };
        let attached: Result<_, Errno> = tracepoints.iter().map(attach).collect();
        Ok(Empty { _attached: attached.context("an empty program cannot be attached; this needs root")? })
    }
}

/// The descriptor that bpf(2) returns.
#[allow(unsafe_code)]
fn bpf<T>(command: libc::c_int, attributes: &T) -> Result<OwnedFd, Errno> {
    // SAFETY: the kernel reads the attributes, and the instructions and strings that they lead to. All outlive the call.
    let fd = unsafe { libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attributes), size_of::<T>()) };
    // SAFETY: the descriptor is new, and nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(Errno::result(fd)? as libc::c_int) })
}
