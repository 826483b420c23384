//! Names around signals.

use crate::sets;

sets! {
    /// asm-generic/signal-defs.h
    pub HOW "SIG_???" { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK }
    /// Dispositions that are no address: asm-generic/signal-defs.h
    pub HANDLER "" { SIG_DFL = 0, SIG_IGN = 1, SIG_ERR = 0xffff_ffff_ffff_ffff }
    /// The same in 32 bits
    pub HANDLER32 "" { SIG_DFL = 0, SIG_IGN = 1, SIG_ERR = 0xffff_ffff }
    /// asm/signal.h; `SA_INTERRUPT` did nothing and is gone from the headers
    pub SIGACTION "SA_???" {
        SA_RESTORER, SA_ONSTACK, SA_RESTART, SA_INTERRUPT = 0x2000_0000, SA_NODEFER, SA_RESETHAND, SA_SIGINFO, SA_NOCLDSTOP,
        SA_NOCLDWAIT
    }
    /// linux/signal.h, asm-generic/signal-defs.h
    pub SIGALTSTACK "SS_???" { SS_ONSTACK, SS_DISABLE, SS_AUTODISARM }
    /// linux/signalfd.h
    pub SIGNALFD "SFD_???" { SFD_CLOEXEC, SFD_NONBLOCK }
    /// `si_code` of any signal, an `int`: asm-generic/siginfo.h
    pub SI_CODE "" {
        SI_USER, SI_KERNEL, SI_QUEUE = 0xffff_ffff, SI_TIMER = 0xffff_fffe, SI_MESGQ = 0xffff_fffd, SI_ASYNCIO = 0xffff_fffc,
        SI_SIGIO = 0xffff_fffb, SI_TKILL = 0xffff_fffa, SI_DETHREAD = 0xffff_fff9, SI_ASYNCNL = 0xffff_ffc4
    }
    /// `si_code` of SIGILL
    pub ILL_CODE "" {
        ILL_ILLOPC, ILL_ILLOPN, ILL_ILLADR, ILL_ILLTRP, ILL_PRVOPC, ILL_PRVREG, ILL_COPROC, ILL_BADSTK, ILL_BADIADDR
    }
    /// `si_code` of SIGFPE
    pub FPE_CODE "" {
        FPE_INTDIV, FPE_INTOVF, FPE_FLTDIV, FPE_FLTOVF, FPE_FLTUND, FPE_FLTRES, FPE_FLTINV, FPE_FLTSUB, FPE_FLTUNK,
        FPE_CONDTRAP
    }
    /// `si_code` of SIGSEGV
    pub SEGV_CODE "" {
        SEGV_MAPERR, SEGV_ACCERR, SEGV_BNDERR, SEGV_PKUERR, SEGV_ACCADI, SEGV_ADIDERR, SEGV_ADIPERR, SEGV_MTEAERR,
        SEGV_MTESERR, SEGV_CPERR
    }
    /// `si_code` of SIGBUS
    pub BUS_CODE "" { BUS_ADRALN, BUS_ADRERR, BUS_OBJERR, BUS_MCEERR_AR, BUS_MCEERR_AO }
    /// `si_code` of SIGTRAP
    pub TRAP_CODE "" { TRAP_BRKPT, TRAP_TRACE, TRAP_BRANCH, TRAP_HWBKPT, TRAP_UNK, TRAP_PERF }
    /// `si_code` of SIGCHLD
    pub CLD_CODE "" { CLD_EXITED, CLD_KILLED, CLD_DUMPED, CLD_TRAPPED, CLD_STOPPED, CLD_CONTINUED }
    /// `si_code` of SIGIO
    pub POLL_CODE "" { POLL_IN, POLL_OUT, POLL_MSG, POLL_ERR, POLL_PRI, POLL_HUP }
    /// `si_code` of SIGSYS
    pub SYS_CODE "" { SYS_SECCOMP, SYS_USER_DISPATCH }
    /// linux/audit.h
    pub AUDIT_ARCH "AUDIT_ARCH_???" { AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM }
}
