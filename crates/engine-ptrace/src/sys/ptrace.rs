//! ptrace(2) and wait4(2).

use nix::errno::Errno;
use std::mem::MaybeUninit;
use stride_event::{CodeKind, Ns, Regs, SIGINFO_SIZE, Tid};
use stride_syscalls::Abi;

/// The C libraries differ in the type of requests.
#[cfg(target_env = "musl")]
type Request = libc::c_int;
#[cfg(not(target_env = "musl"))]
type Request = libc::c_uint;

const PTRACE_GET_SYSCALL_INFO: Request = 0x420e;

/// A request whose address and data are plain numbers, or pointers the kernel does not write through.
fn request(request: Request, tid: Tid, data: usize) -> Result<(), Errno> {
    // SAFETY: none of the requests made through here dereferences its arguments.
    let r = unsafe { libc::ptrace(request, tid, 0usize, data) };
    Errno::result(r).map(drop)
}

pub fn seize(tid: Tid, options: i32) -> Result<(), Errno> {
    request(libc::PTRACE_SEIZE, tid, options as usize)
}

pub fn interrupt(tid: Tid) -> Result<(), Errno> {
    request(libc::PTRACE_INTERRUPT, tid, 0)
}

pub fn listen(tid: Tid) -> Result<(), Errno> {
    request(libc::PTRACE_LISTEN, tid, 0)
}

pub fn cont(tid: Tid, signal: i32) -> Result<(), Errno> {
    request(libc::PTRACE_CONT, tid, signal as usize)
}

pub fn step_syscall(tid: Tid, signal: i32) -> Result<(), Errno> {
    request(libc::PTRACE_SYSCALL, tid, signal as usize)
}

pub fn detach(tid: Tid, signal: i32) -> Result<(), Errno> {
    request(libc::PTRACE_DETACH, tid, signal as usize)
}

pub fn event_msg(tid: Tid) -> Result<u64, Errno> {
    let mut msg: libc::c_ulong = 0;
    // SAFETY: the kernel writes one unsigned long to `msg`, which lives through the call.
    let r = unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, tid, 0usize, &mut msg) };
    Errno::result(r).map(|_| msg as u64)
}

pub fn siginfo(tid: Tid, info: &mut [u8; SIGINFO_SIZE]) -> Result<(), Errno> {
    let mut raw = MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: the kernel writes one siginfo_t, for which there is room.
    let r = unsafe { libc::ptrace(libc::PTRACE_GETSIGINFO, tid, 0usize, raw.as_mut_ptr()) };
    Errno::result(r)?;
    const { assert!(size_of::<libc::siginfo_t>() == SIGINFO_SIZE) };
    // SAFETY: the value was zeroed and then filled: all of its SIGINFO_SIZE bytes are initialized.
    let bytes = unsafe { std::slice::from_raw_parts(raw.as_ptr().cast::<u8>(), SIGINFO_SIZE) };
    info.copy_from_slice(bytes);
    Ok(())
}

/// The answer of `PTRACE_GET_SYSCALL_INFO` about a stop.
#[derive(Clone, Copy, Debug)]
pub enum Info {
    /// Not at a system call.
    None {
        ip: u64,
    },
    Entry(Entered),
    Exit {
        ip: u64,
        rval: i64,
        is_error: bool,
    },
    Seccomp(Entered),
}

/// The registers of a call being entered.
#[derive(Clone, Copy, Debug)]
pub struct Entered {
    pub arch: u32,
    pub ip: u64,
    pub sp: u64,
    pub nr: u64,
    pub args: [u64; 6],
}

impl Info {
    pub fn ip(self) -> u64 {
        match self {
            Info::None { ip } | Info::Exit { ip, .. } => ip,
            Info::Entry(e) | Info::Seccomp(e) => e.ip,
        }
    }
}

pub fn syscall_info(tid: Tid) -> Result<Info, Errno> {
    // struct ptrace_syscall_info: op and arch, ip, sp, and then up to eight words by op.
    let mut w = [0u64; 11];
    let size = size_of_val(&w);
    // SAFETY: the kernel writes at most `size` bytes to `w`.
    let r = unsafe { libc::ptrace(PTRACE_GET_SYSCALL_INFO, tid, size, w.as_mut_ptr()) };
    Errno::result(r)?;
    let head = w[0].to_ne_bytes();
    let arch = u32::from_ne_bytes([head[4], head[5], head[6], head[7]]);
    let entered = Entered { arch, ip: w[1], sp: w[2], nr: w[3], args: [w[4], w[5], w[6], w[7], w[8], w[9]] };
    Ok(match head[0] {
        1 => Info::Entry(entered),
        2 => Info::Exit { ip: w[1], rval: w[3] as i64, is_error: w[4].to_ne_bytes()[0] != 0 },
        3 => Info::Seccomp(entered),
        _ => Info::None { ip: w[1] },
    })
}

/// If a stopped thread was interrupted in a call that restart_syscall(2) will resume: that call.
#[cfg(target_arch = "x86_64")]
pub fn interrupted_call(tid: Tid) -> Option<u64> {
    const ERESTART_RESTARTBLOCK: i64 = 516;
    let regs = nix::sys::ptrace::getregs(nix::unistd::Pid::from_raw(tid)).ok()?;
    (regs.orig_rax as i64 >= 0 && regs.rax as i64 == -ERESTART_RESTARTBLOCK).then_some(regs.orig_rax)
}

#[cfg(not(target_arch = "x86_64"))]
pub fn interrupted_call(_tid: Tid) -> Option<u64> {
    None
}

/// The registers with which unwinding the stack of a stopped thread begins.
#[cfg(target_arch = "x86_64")]
pub fn stack_regs(tid: Tid) -> Option<Regs> {
    /// The code segments of 64-bit and of 32-bit programs.
    const USER_CS: u64 = 0x33;
    const USER32_CS: u64 = 0x23;
    let r = nix::sys::ptrace::getregs(nix::unistd::Pid::from_raw(tid)).ok()?;
    let low = [r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp];
    let high = [r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15];
    let all = std::array::from_fn(|i| if i < 8 { low[i] } else { high[i - 8] });
    let kind = match r.cs {
        USER_CS => CodeKind::X86_64,
        USER32_CS => CodeKind::I386,
        // A program may make segments of its own (modify_ldt(2)).
        _ => return None,
    };
    let thread_pointer = if kind == CodeKind::I386 { r.gs_base } else { r.fs_base };
    Some(Regs { kind, ip: r.rip, sp: r.rsp, bp: r.rbp, all: Some(all), thread_pointer })
}

#[cfg(not(target_arch = "x86_64"))]
pub fn stack_regs(_tid: Tid) -> Option<Regs> {
    None
}

/// Changes the number of the call that a thread is entering or has returned from, and its result. Both change at once.
/// A call of number -1 is not made.
#[cfg(target_arch = "x86_64")]
pub fn replace_call(tid: Tid, number: i64, result: Option<i64>) -> Result<(), Errno> {
    let pid = nix::unistd::Pid::from_raw(tid);
    let mut regs = nix::sys::ptrace::getregs(pid)?;
    regs.orig_rax = number as u64;
    if let Some(result) = result {
        regs.rax = result as u64;
    }
    nix::sys::ptrace::setregs(pid, regs)
}

#[cfg(not(target_arch = "x86_64"))]
pub fn replace_call(_tid: Tid, _number: i64, _result: Option<i64>) -> Result<(), Errno> {
    Err(Errno::ENOSYS)
}

/// Puts a value into the register of an argument, and returns the one that was there. `number` is that of the call: for another one, registers hold other things.
#[cfg(target_arch = "x86_64")]
pub fn set_argument(tid: Tid, abi: Abi, number: Option<u64>, position: usize, value: u64) -> Result<u64, Errno> {
    let pid = nix::unistd::Pid::from_raw(tid);
    let mut regs = nix::sys::ptrace::getregs(pid)?;
    if number.is_some_and(|number| number != abi.cut(regs.orig_rax)) {
        return Err(Errno::EINVAL);
    }
    let registers = match abi.word() {
        8 => [&mut regs.rdi, &mut regs.rsi, &mut regs.rdx, &mut regs.r10, &mut regs.r8, &mut regs.r9],
        _ => [&mut regs.rbx, &mut regs.rcx, &mut regs.rdx, &mut regs.rsi, &mut regs.rdi, &mut regs.rbp],
    };
    let old = std::mem::replace(registers.into_iter().nth(position).ok_or(Errno::EINVAL)?, value);
    nix::sys::ptrace::setregs(pid, regs)?;
    Ok(old)
}

#[cfg(not(target_arch = "x86_64"))]
pub fn set_argument(_tid: Tid, _abi: Abi, _number: Option<u64>, _position: usize, _value: u64) -> Result<u64, Errno> {
    Err(Errno::ENOSYS)
}

/// wait4(2) for this thread's children and tracees: the tid, its status, and its CPU time in the kernel when asked for.
/// A tid of 0 means that nothing was there (`WNOHANG`).
pub fn wait(nohang: bool, want_system_time: bool) -> Result<(Tid, i32, Ns), Errno> {
    let mut status = 0;
    let flags = libc::__WALL | libc::__WNOTHREAD | if nohang { libc::WNOHANG } else { 0 };
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    let usage_ptr = if want_system_time { usage.as_mut_ptr() } else { std::ptr::null_mut() };
    // SAFETY: the kernel writes one int and, unless the pointer is null, one struct rusage; both outlive the call.
    let tid = Errno::result(unsafe { libc::wait4(-1, &mut status, flags, usage_ptr) })?;
    // SAFETY: struct rusage is made of integers, and was zeroed.
    let t = unsafe { usage.assume_init() }.ru_stime;
    Ok((tid, status, t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1000))
}

/// One word of the memory of a stopped tracee.
pub fn peek_data(tid: Tid, addr: u64) -> Result<[u8; 8], Errno> {
    let mut word = 0u64;
    // The bare system call, because the C library's wrapper returns the word in place of the error.
    // SAFETY: the kernel writes one word to `word`, which outlives the call, and reads only the tracee at `addr`.
    let r = unsafe { libc::syscall(libc::SYS_ptrace, libc::PTRACE_PEEKDATA, tid, addr, &mut word) };
    Errno::result(r).map(|_| word.to_ne_bytes())
}

/// Overwrites one word of the memory of a stopped tracee, whatever its protection is.
pub fn poke_data(tid: Tid, addr: u64, word: [u8; 8]) -> Result<(), Errno> {
    let word = u64::from_ne_bytes(word);
    // SAFETY: the kernel writes to the tracee's memory only, at `addr`.
    let r = unsafe { libc::ptrace(libc::PTRACE_POKEDATA, tid, addr, word) };
    Errno::result(r).map(drop)
}
