//! ptrace(2): registers, and what is asked about a stop.

use crate::sets::prctl::SECCOMP_FILTER_FLAG;
use crate::sets::ptrace::PEEKSIGINFO;
use crate::{Dir, Len, Ty, Width, structs};

/// A register.
const REG: Ty = Ty::HexLong;

structs! {
    /// General registers: asm/user_64.h
    pub REGS = x86_64 user_regs_struct {
        r15: REG, r14: REG, r13: REG, r12: REG, rbp = "bp": REG, rbx = "bx": REG, r11: REG, r10: REG, r9: REG, r8: REG,
        rax = "ax": REG, rcx = "cx": REG, rdx = "dx": REG, rsi = "si": REG, rdi = "di": REG,
        orig_rax = "orig_ax": REG, rip = "ip": REG, cs: REG, eflags = "flags": REG, rsp = "sp": REG, ss: REG,
        fs_base: REG, gs_base: REG, ds: REG, es: REG, fs: REG, gs: REG
    }
    /// asm/user_32.h
    pub REGS_32 = i386 user_regs_struct {
        ebx = "bx": REG, ecx = "cx": REG, edx = "dx": REG, esi = "si": REG, edi = "di": REG, ebp = "bp": REG,
        eax = "ax": REG, xds = "ds": REG, xes = "es": REG, xfs = "fs": REG, xgs = "gs": REG,
        orig_eax = "orig_ax": REG, eip = "ip": REG, xcs = "cs": REG, eflags = "flags": REG, esp = "sp": REG,
        xss = "ss": REG
    }
    /// Floating-point registers: asm/sigcontext.h, as asm/user_64.h has them
    pub FPREGS = x86_64 _fpstate_64 {
        cwd: Ty::Hex, swd: Ty::Hex, ftw = "twd": Ty::Hex, fop: Ty::Hex, rip: REG, rdp: REG, mxcsr: Ty::Hex,
        mxcr_mask = "mxcsr_mask": Ty::Hex, st_space: Ty::Items(&Ty::Hex), xmm_space: Ty::Items(&Ty::Hex),
        padding = "reserved2": Ty::Items(&Ty::Hex)
    }
    /// `PTRACE_PEEKSIGINFO`: linux/ptrace.h
    pub PEEKSIGINFO_ARGS = ptrace_peeksiginfo_args { off: Ty::U64, flags: Ty::Flags(&PEEKSIGINFO), nr: Ty::UInt }
    /// `PTRACE_SECCOMP_GET_METADATA`: linux/ptrace.h
    pub SECCOMP_METADATA = seccomp_metadata {
        filter_off: Ty::U64, flags: Ty::As(Width::W8, &Ty::Flags(&SECCOMP_FILTER_FLAG))
    }
    /// A buffer for a register set, which the kernel fills: linux/uio.h
    pub REGSET_OUT = iovec { iov_base: Ty::Buffer(Dir::Out, Len::Of("iov_len"), 4096), iov_len: Ty::ULong }
    /// A register set to be set.
    pub REGSET_IN = iovec { iov_base: Ty::Buffer(Dir::In, Len::Of("iov_len"), 4096), iov_len: Ty::ULong }
}
