//! Names around ptrace(2).

use crate::{Item, Set, sets};

sets! {
    /// ptrace(2): linux/ptrace.h, asm/ptrace-abi.h
    pub PTRACE "PTRACE_???" {
        PTRACE_TRACEME, PTRACE_PEEKTEXT, PTRACE_PEEKDATA, PTRACE_PEEKUSER = 3, PTRACE_POKETEXT, PTRACE_POKEDATA,
        PTRACE_POKEUSER = 6, PTRACE_CONT, PTRACE_KILL, PTRACE_SINGLESTEP, PTRACE_GETREGS, PTRACE_SETREGS,
        PTRACE_GETFPREGS, PTRACE_SETFPREGS, PTRACE_ATTACH, PTRACE_DETACH, PTRACE_GETFPXREGS, PTRACE_SETFPXREGS,
        PTRACE_OLDSETOPTIONS, PTRACE_SYSCALL, PTRACE_GET_THREAD_AREA, PTRACE_SET_THREAD_AREA, PTRACE_ARCH_PRCTL,
        PTRACE_SYSEMU, PTRACE_SYSEMU_SINGLESTEP, PTRACE_SINGLEBLOCK, PTRACE_SETOPTIONS, PTRACE_GETEVENTMSG,
        PTRACE_GETSIGINFO, PTRACE_SETSIGINFO, PTRACE_GETREGSET, PTRACE_SETREGSET, PTRACE_SEIZE, PTRACE_INTERRUPT,
        PTRACE_LISTEN, PTRACE_PEEKSIGINFO, PTRACE_GETSIGMASK, PTRACE_SETSIGMASK, PTRACE_SECCOMP_GET_FILTER,
        PTRACE_SECCOMP_GET_METADATA, PTRACE_GET_SYSCALL_INFO, PTRACE_GET_RSEQ_CONFIGURATION,
        PTRACE_SET_SYSCALL_USER_DISPATCH_CONFIG, PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, PTRACE_SET_SYSCALL_INFO
    }
    /// linux/ptrace.h
    pub PTRACE_OPTIONS "PTRACE_O_???" {
        PTRACE_O_TRACESYSGOOD, PTRACE_O_TRACEFORK, PTRACE_O_TRACEVFORK, PTRACE_O_TRACECLONE, PTRACE_O_TRACEEXEC,
        PTRACE_O_TRACEVFORKDONE, PTRACE_O_TRACEEXIT, PTRACE_O_TRACESECCOMP, PTRACE_O_EXITKILL,
        PTRACE_O_SUSPEND_SECCOMP
    }
    /// `PTRACE_PEEKSIGINFO`: linux/ptrace.h
    pub PEEKSIGINFO "PTRACE_PEEKSIGINFO_???" { PTRACE_PEEKSIGINFO_SHARED }
    /// The event that stopped a tracee: linux/ptrace.h
    pub SYSCALL_INFO "PTRACE_SYSCALL_INFO_???" {
        PTRACE_SYSCALL_INFO_NONE, PTRACE_SYSCALL_INFO_ENTRY, PTRACE_SYSCALL_INFO_EXIT, PTRACE_SYSCALL_INFO_SECCOMP
    }
    /// Register sets by the notes that core dumps keep them in: linux/elf.h
    pub REGSET "NT_???" {
        NT_PRSTATUS, NT_FPREGSET = 0x2, NT_PRPSINFO, NT_PRXREG = 0x4, NT_PLATFORM = 0x5, NT_AUXV, NT_GWINDOWS = 0x7,
        NT_ASRS = 0x8, NT_PSTATUS = 0xa, NT_PSINFO = 0xd, NT_PRCRED = 0xe, NT_UTSNAME = 0xf, NT_LWPSTATUS = 0x10,
        NT_LWPSINFO = 0x11, NT_PRFPXREG = 0x14, NT_PPC_VMX, NT_PPC_SPE, NT_PPC_VSX, NT_PPC_TAR, NT_PPC_PPR,
        NT_PPC_DSCR, NT_PPC_EBB, NT_PPC_PMU, NT_PPC_TM_CGPR, NT_PPC_TM_CFPR, NT_PPC_TM_CVMX, NT_PPC_TM_CVSX,
        NT_PPC_TM_SPR, NT_PPC_TM_CTAR, NT_PPC_TM_CPPR, NT_PPC_TM_CDSCR, NT_PPC_PKEY, NT_PPC_DEXCR, NT_PPC_HASHKEYR,
        NT_386_TLS, NT_386_IOPERM, NT_X86_XSTATE, NT_X86_SHSTK, NT_X86_XSAVE_LAYOUT, NT_S390_HIGH_GPRS, NT_S390_TIMER,
        NT_S390_TODCMP, NT_S390_TODPREG, NT_S390_CTRS, NT_S390_PREFIX, NT_S390_LAST_BREAK, NT_S390_SYSTEM_CALL,
        NT_S390_TDB, NT_S390_VXRS_LOW, NT_S390_VXRS_HIGH, NT_S390_GS_CB, NT_S390_GS_BC, NT_S390_RI_CB,
        NT_S390_PV_CPU_DATA, NT_ARM_VFP, NT_ARM_TLS, NT_ARM_HW_BREAK, NT_ARM_HW_WATCH, NT_ARM_SYSTEM_CALL, NT_ARM_SVE,
        NT_ARM_PAC_MASK, NT_ARM_PACA_KEYS, NT_ARM_PACG_KEYS, NT_ARM_TAGGED_ADDR_CTRL, NT_ARM_PAC_ENABLED_KEYS,
        NT_ARM_SSVE, NT_ARM_ZA, NT_ARM_ZT, NT_ARM_FPMR, NT_ARM_POE, NT_ARM_GCS = 0x410, NT_METAG_CBUF = 0x500,
        NT_METAG_RPIPE = 0x501, NT_METAG_TLS = 0x502, NT_ARC_V2, NT_VMCOREDD, NT_MIPS_DSP, NT_MIPS_FP_MODE,
        NT_MIPS_MSA, NT_RISCV_CSR, NT_RISCV_VECTOR, NT_RISCV_TAGGED_ADDR_CTRL = 0x902, NT_RISCV_USER_CFI = 0x903,
        NT_LOONGARCH_CPUCFG, NT_LOONGARCH_CSR, NT_LOONGARCH_LSX, NT_LOONGARCH_LASX, NT_LOONGARCH_LBT, NT_PRXFPREG,
        NT_SIGINFO, NT_FILE
    }
}

/// Where `struct user` keeps what: asm/user_64.h
pub static USER: Set = Set::new(
    "",
    &[
        at(0, "8*R15"),
        at(8, "8*R14"),
        at(16, "8*R13"),
        at(24, "8*R12"),
        at(32, "8*RBP"),
        at(40, "8*RBX"),
        at(48, "8*R11"),
        at(56, "8*R10"),
        at(64, "8*R9"),
        at(72, "8*R8"),
        at(80, "8*RAX"),
        at(88, "8*RCX"),
        at(96, "8*RDX"),
        at(104, "8*RSI"),
        at(112, "8*RDI"),
        at(120, "8*ORIG_RAX"),
        at(128, "8*RIP"),
        at(136, "8*CS"),
        at(144, "8*EFL"),
        at(152, "8*RSP"),
        at(160, "8*SS"),
        at(216, "offsetof(struct user, u_fpvalid)"),
        at(224, "offsetof(struct user, i387)"),
        at(736, "offsetof(struct user, u_tsize)"),
        at(744, "offsetof(struct user, u_dsize)"),
        at(752, "offsetof(struct user, u_ssize)"),
        at(760, "offsetof(struct user, start_code)"),
        at(768, "offsetof(struct user, start_stack)"),
        at(776, "offsetof(struct user, signal)"),
        at(784, "offsetof(struct user, reserved)"),
        at(792, "offsetof(struct user, u_ar0)"),
        at(800, "offsetof(struct user, u_fpstate)"),
        at(808, "offsetof(struct user, magic)"),
        at(816, "offsetof(struct user, u_comm)"),
        at(848, "offsetof(struct user, u_debugreg)"),
        at(912, "sizeof(struct user)"),
    ],
    false,
);

/// The same of a 32-bit tracer: asm/user_32.h
pub static USER_32: Set = Set::new(
    "",
    &[
        at(0, "4*EBX"),
        at(4, "4*ECX"),
        at(8, "4*EDX"),
        at(12, "4*ESI"),
        at(16, "4*EDI"),
        at(20, "4*EBP"),
        at(24, "4*EAX"),
        at(28, "4*XDS"),
        at(32, "4*XES"),
        at(36, "4*XFS"),
        at(40, "4*XGS"),
        at(44, "4*ORIG_EAX"),
        at(48, "4*EIP"),
        at(52, "4*XCS"),
        at(56, "4*EFL"),
        at(60, "4*UESP"),
        at(64, "4*XSS"),
        at(68, "offsetof(struct user, u_fpvalid)"),
        at(72, "offsetof(struct user, i387)"),
        at(180, "offsetof(struct user, u_tsize)"),
        at(184, "offsetof(struct user, u_dsize)"),
        at(188, "offsetof(struct user, u_ssize)"),
        at(192, "offsetof(struct user, start_code)"),
        at(196, "offsetof(struct user, start_stack)"),
        at(200, "offsetof(struct user, signal)"),
        at(204, "offsetof(struct user, reserved)"),
        at(208, "offsetof(struct user, u_ar0)"),
        at(212, "offsetof(struct user, u_fpstate)"),
        at(216, "offsetof(struct user, magic)"),
        at(220, "offsetof(struct user, u_comm)"),
        at(252, "offsetof(struct user, u_debugreg)"),
        at(284, "sizeof(struct user)"),
    ],
    false,
);

const fn at(value: u64, name: &'static str) -> Item {
    Item { name, value, mask: !0 }
}
