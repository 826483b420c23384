//! Facts about this machine that can be found without loading the engine.

use crate::error::Why;
use crate::loading::privileges::missing_capabilities;
use nix::errno::Errno;
use std::io::{self, Read};
use std::sync::LazyLock;
use stride_engine_base::process;

/// The kernel's BTF, to which the programs are relocated.
pub const BTF: &str = "/sys/kernel/btf/vmlinux";
/// The first bytes of any BTF, in the byte order of the machine.
const MAGIC: u16 = 0xeb9f;
const LOCKDOWN: &str = "/sys/kernel/security/lockdown";

/// True if kernel lockdown keeps tracing programs from reading the kernel's memory.
pub fn locked_down() -> bool {
    std::fs::read_to_string(LOCKDOWN).is_ok_and(|modes| modes.contains("[confidentiality]"))
}

/// Looks for the most frequent obstacles to the engine on this machine. That takes microseconds, and finding none is no promise.
pub fn trial() -> Result<(), Why> {
    uninterrupted(load_nothing).map_err(|errno| match errno {
        Errno::ENOSYS => Why::Refused("it was built without bpf(2)".to_owned()),
        _ => {
            let what = format!("bpf(BPF_PROG_LOAD): {}", process::strerror(errno));
            Why::Denied { missing: missing_capabilities(), what }
        }
    })?;
    has_btf().map_err(Why::NoBtf)
}

/// True if the kernel has BTF.
pub fn has_btf() -> Result<(), String> {
    let mut magic = [0; 2];
    match std::fs::File::open(BTF).and_then(|mut file| file.read_exact(&mut magic)) {
        Ok(()) if u16::from_ne_bytes(magic) == MAGIC => Ok(()),
        Ok(()) => Err(format!("{BTF} is not BTF")),
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(format!("{BTF} is empty")),
        Err(e) => Err(format!("{BTF}: {}", e.raw_os_error().map_or(e.to_string(), strerror))),
    }
}

fn strerror(errno: i32) -> String {
    process::strerror(Errno::from_raw(errno))
}

/// Where execve is seen while its input still exists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExecSeen {
    /// When it can no longer fail: `sched_prepare_exec`, since Linux 6.10.
    Prepared,
    /// When the new program is checked: `security_bprm_check`, a kernel function, if functions can be traced.
    Checked,
    /// When it is entered. Memory that was absent then is missing.
    Entered,
}

/// The first two numbers of the kernel's release.
pub fn release() -> (u32, u32) {
    let [major, minor, _] = *NUMBERS;
    (major, minor)
}

/// The third one.
pub fn patch_level() -> u32 {
    NUMBERS[2]
}

static NUMBERS: LazyLock<[u32; 3]> = LazyLock::new(|| {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(['.', '-', '+']).map(|n| n.trim().parse::<u32>().unwrap_or(0));
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
});

/// The best one here.
pub fn exec_seen() -> ExecSeen {
    if release() >= (6, 10) {
        return ExecSeen::Prepared;
    }
    // If this is 0, programs can be attached to functions, but never run.
    let traced = std::fs::read_to_string("/proc/sys/kernel/ftrace_enabled").unwrap_or_default();
    if traced.trim() == "1" { ExecSeen::Checked } else { ExecSeen::Entered }
}

/// True if Stride is outside the machine's first PID namespace, in which the kernel's own thread numbers are the ids.
pub fn is_nested() -> bool {
    use std::os::unix::fs::MetadataExt;
    // include/linux/proc_ns.h
    const FIRST: u64 = 0xEFFF_FFFC;
    std::fs::metadata("/proc/self/ns/pid").is_ok_and(|namespace| namespace.ino() != FIRST)
}

/// The verifier gives up with EAGAIN if a signal is pending. The signal's handler has run when the call returns, so
/// another attempt fails only if another signal comes.
fn uninterrupted(load: impl Fn() -> Result<(), Errno>) -> Result<(), Errno> {
    const ATTEMPTS: usize = 20;
    (1..ATTEMPTS).map(|_| load()).find(|result| *result != Err(Errno::EAGAIN)).unwrap_or_else(&load)
}

/// Loads a program that does nothing, of a type that needs the same privileges as the engine's programs.
fn load_nothing() -> Result<(), Errno> {
    /// The beginning of `union bpf_attr` for BPF_PROG_LOAD. The kernel takes the rest to be zero.
    #[repr(C)]
    struct ProgLoad {
        prog_type: u32,
        insn_cnt: u32,
        insns: u64,
        license: u64,
    }
    const BPF_PROG_LOAD: libc::c_int = 5;
    const RAW_TRACEPOINT: u32 = 17;
    // r0 = 0; exit
    const PROGRAM: [u64; 2] = [0xb7, 0x95];
    let attr = ProgLoad {
        prog_type: RAW_TRACEPOINT,
        insn_cnt: PROGRAM.len() as u32,
        insns: PROGRAM.as_ptr() as u64,
        license: c"GPL".as_ptr() as u64,
    };
    // SAFETY: the kernel reads the struct, the instructions and the string, all of which outlive the call.
    let fd = unsafe { libc::syscall(libc::SYS_bpf, BPF_PROG_LOAD, &raw const attr, size_of::<ProgLoad>()) };
    // SAFETY: just opened, and nobody else's.
    unsafe { libc::close(Errno::result(fd)? as i32) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_while_loading_is_no_refusal() {
        use std::cell::Cell;
        let left = Cell::new(3);
        let load = |end| {
            left.set(left.get() - 1);
            if left.get() >= 0 { Err(Errno::EAGAIN) } else { end }
        };
        assert_eq!(uninterrupted(|| load(Ok(()))), Ok(()));
        left.set(1);
        assert_eq!(uninterrupted(|| load(Err(Errno::EPERM))), Err(Errno::EPERM));
        assert_eq!(uninterrupted(|| Err(Errno::EAGAIN)), Err(Errno::EAGAIN));
    }
}
