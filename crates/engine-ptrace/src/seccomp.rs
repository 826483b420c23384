//! A seccomp filter, so that only the calls asked for stop the command.
//!
//! # The filter
//! It returns `SECCOMP_RET_TRACE` for wanted calls and `SECCOMP_RET_ALLOW` for others. For each ABI it does a binary
//! search over the boundaries between runs of numbers with the same answer. The filter looks only at architecture and
//! number, so the kernel (since 5.11) finds out once which numbers are always allowed, and skips the filter for them.
//! Calls of an unknown architecture are traced.
//!
//! # What is visible, and when it is used
//! - The filter outlives the tracer, and without a tracer `RET_TRACE` makes the call *fail* with ENOSYS. So a command
//!   with a filter cannot be released. When Stride ends for whatever reason, the command and its descendants are
//!   killed (`PTRACE_O_EXITKILL`). strace's `--seccomp-bpf` implies `--kill-on-exit` for the same reason.
//! - Without `-f`, children inherit the filter but are not traced, so their calls would fail. So the option has no
//!   effect without `-f`, as in strace, nor with `--max-depth`.
//! - Installing the filter needs CAP_SYS_ADMIN or `PR_SET_NO_NEW_PRIVS`, under which setuid programs do not change
//!   ids.
//! - `/proc/PID/status` shows `Seccomp: 2`. On kernels before 5.16, the mitigation of speculative store bypass may be
//!   switched on.
//! - If another filter of the command denies a call, this one does not see it.
//!
//! [`Seccomp::On`] accepts all that, as strace does. [`Seccomp::Auto`] must not cost anything that the user did not
//! ask for. So it uses a filter only if `--kill-on-exit` was given and CAP_SYS_ADMIN (or an inherited `no_new_privs`)
//! makes the prctl unnecessary. Then only the line in `/proc/PID/status` is visible.

use stride_engine_base::SeccompFilter;
use stride_event::{CallSet, Seccomp, TraceSpec};
use stride_syscalls::{Abi, multiplexed, table};

/// The filter to use for this command, if one is to be used.
pub fn filter(spec: &TraceSpec) -> Option<SeccompFilter> {
    let all_traced = spec.follow && spec.max_depth.is_none();
    let able = spec.command.is_some() && spec.attach.is_empty() && all_traced && !spec.reported().is_all();
    let privileged = privileged();
    let use_it = match spec.seccomp {
        Seccomp::Off => false,
        Seccomp::Auto => able && spec.kill_on_exit && privileged,
        Seccomp::On => able,
    };
    if !use_it || !available() {
        return None;
    }
    let program = program(&spec.reported());
    (program.len() <= MAX).then_some(SeccompFilter { program, no_new_privs: !privileged })
}

/// True if the kernel gets as far as reading the filter.
fn available() -> bool {
    crate::sys::filter_available()
}

/// True if CAP_SYS_ADMIN is effective, or no_new_privs is set already.
fn privileged() -> bool {
    const CAP_SYS_ADMIN: u64 = 1 << 21;
    crate::sys::capabilities() & CAP_SYS_ADMIN != 0 || nix::sys::prctl::get_no_new_privs() == Ok(true)
}

/// `BPF_MAXINSNS`. Only a set of a thousand scattered numbers is larger.
const MAX: usize = 4096;
const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const TRACE: u32 = libc::SECCOMP_RET_TRACE;
/// Offsets in `struct seccomp_data`.
const NR: u32 = 0;
const ARCH: u32 = 4;

const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
const IF_EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
const IF_AT_LEAST: u32 = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
const JUMP: u32 = libc::BPF_JMP | libc::BPF_JA;
const RETURN: u32 = libc::BPF_RET | libc::BPF_K;

fn op(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}

/// The whole program: dispatch on the architecture, then that ABI's search.
pub fn program(calls: &CallSet) -> Vec<libc::sock_filter> {
    let mut out = vec![op(LOAD, ARCH, 0, 0)];
    for &abi in Abi::SERVED {
        let mut part = vec![op(LOAD, NR, 0, 0)];
        search(&runs(calls, abi), &mut part);
        // Conditional jumps reach 255 instructions only: the unconditional one goes anywhere.
        out.push(op(IF_EQUAL, abi.audit_arch(), 1, 0));
        out.push(op(JUMP, part.len() as u32, 0, 0));
        out.extend(part);
    }
    out.push(op(RETURN, TRACE, 0, 0));
    out
}

/// The numbers at which the answer changes, as `(first number, answer)`, beginning with number 0.
fn runs(calls: &CallSet, abi: Abi) -> Vec<(u32, u32)> {
    let mut calls = calls.clone();
    if abi == Abi::I386 {
        let multiplexers = table(abi)
            .iter()
            .filter(|entry| calls.contains(abi, entry.nr.into()))
            .filter_map(|e| multiplexed::multiplexer(e.nr));
        multiplexers.collect::<Vec<_>>().into_iter().for_each(|nr| calls.insert(abi, nr));
    }
    let answer = |nr: u32| if calls.contains(abi, u64::from(nr)) { TRACE } else { ALLOW };
    let mut runs = vec![(0, answer(0))];
    // The answer for the last number holds for all numbers beyond the bitmaps.
    for nr in 1..=CallSet::NUMBERS as u32 {
        if answer(nr) != runs[runs.len() - 1].1 {
            runs.push((nr, answer(nr)));
        }
    }
    runs
}

/// Binary search. The number is in the accumulator.
fn search(runs: &[(u32, u32)], out: &mut Vec<libc::sock_filter>) {
    if let [(_, answer)] = runs {
        out.push(op(RETURN, *answer, 0, 0));
        return;
    }
    let (low, high) = runs.split_at(runs.len() / 2);
    let mut part = Vec::new();
    search(low, &mut part);
    match u8::try_from(part.len()) {
        Ok(skip) => out.push(op(IF_AT_LEAST, high[0].0, skip, 0)),
        Err(_) => {
            out.push(op(IF_AT_LEAST, high[0].0, 0, 1));
            out.push(op(JUMP, part.len() as u32, 0, 0));
        }
    }
    out.extend(part);
    search(high, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The action that the kernel would take, and the number of steps to it.
    fn run(program: &[libc::sock_filter], arch: u32, nr: u32) -> (u32, usize) {
        let (mut pc, mut a, mut steps) = (0, 0, 0);
        loop {
            let i = program[pc];
            pc += 1;
            steps += 1;
            match u32::from(i.code) {
                LOAD => a = if i.k == NR { nr } else { arch },
                IF_EQUAL => pc += if a == i.k { i.jt } else { i.jf } as usize,
                IF_AT_LEAST => pc += if a >= i.k { i.jt } else { i.jf } as usize,
                JUMP => pc += i.k as usize,
                RETURN => return (i.k, steps),
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    fn check(calls: &CallSet) {
        let program = program(calls);
        assert!(program.len() <= MAX);
        for abi in [Abi::X86_64, Abi::I386] {
            for nr in (0..2000).chain([0x4000_0000, u32::MAX]) {
                let (answer, steps) = run(&program, abi.audit_arch(), nr);
                assert_eq!(answer == TRACE, calls.contains(abi, u64::from(nr)), "{abi:?} {nr}");
                assert!(steps <= 28, "{steps} steps for {nr}");
            }
        }
        assert_eq!(run(&program, 0x1234, 1).0, TRACE, "unknown architecture");
    }

    #[test]
    fn answers_as_the_set_does() {
        check(&CallSet::empty());
        check(&CallSet::all());
        let mut some = CallSet::empty();
        for nr in [0, 1, 59, 257, 1023] {
            some.insert(Abi::X86_64, nr);
        }
        check(&some);
        check(&some.clone().inverted());
        let mut worst = CallSet::empty();
        for nr in (0..1024).step_by(2) {
            worst.insert(Abi::X86_64, nr);
        }
        check(&worst);
    }
}
