//! ptrace(2): registers, and what is asked about a stop.

use crate::sets::prctl::SECCOMP_FILTER_FLAG;
use crate::sets::ptrace::PEEKSIGINFO;
use crate::uapi::F;
use crate::{Dir, Field, Len, Struct, Ty, When, Width, structs};

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

/// Floating-point registers, `struct user_fpregs_struct` of the C library's sys/user.h; the kernel's headers for
/// programs lack it.
pub static FPREGS: Struct = Struct {
    name: "user_fpregs_struct",
    size: [512; crate::Abi::ALL.len()],
    fields: &[
        fpreg("cwd", 0, 2, 1, Ty::Hex),
        fpreg("swd", 2, 2, 1, Ty::Hex),
        fpreg("ftw", 4, 2, 1, Ty::Hex),
        fpreg("fop", 6, 2, 1, Ty::Hex),
        fpreg("rip", 8, 8, 1, REG),
        fpreg("rdp", 16, 8, 1, REG),
        fpreg("mxcsr", 24, 4, 1, Ty::Hex),
        fpreg("mxcr_mask", 28, 4, 1, Ty::Hex),
        fpreg("st_space", 32, 4, 32, Ty::Items(&Ty::Hex)),
        fpreg("xmm_space", 160, 4, 64, Ty::Items(&Ty::Hex)),
        fpreg("padding", 416, 4, 24, Ty::Items(&Ty::Hex)),
    ],
};

const fn fpreg(name: &'static str, offset: u16, size: u16, count: u16, ty: Ty) -> Field {
    let place = F { name, offset, size, signed: false, pointer: false, count, bits: (0, 0), meaning: 0 };
    Field { name, ty, at: [place; crate::Abi::ALL.len()], verbose: false, when: When::Always }
}
