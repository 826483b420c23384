//! Structs around signals.

use crate::sets::signal::*;
use crate::uapi::{self, consts as c};
use crate::{Abi, Irregular, Ty, When, Width, structs};

const HANDLER_PTR: Ty = Ty::Custom(Irregular::Handler, &Ty::Addr);
const FLAGS: Ty = Ty::As(Width::Word, &Ty::Flags(&SIGACTION));
const WITH_RESTORER: When = When::AnySet("sa_flags", &[c::SA_RESTORER]);

structs! {
    /// rt_sigaction(2): linux/signal_types.h
    pub SIGACTION_RT = k_sigaction {
        sa_handler: HANDLER_PTR, sa_mask: Ty::Custom(Irregular::SigMask, &Ty::Blob(8)), sa_flags: FLAGS,
        sa_restorer: Ty::Addr => WITH_RESTORER
    }
    /// i386's sigaction(2)
    pub SIGACTION_OLD = old_sigaction {
        sa_handler: HANDLER_PTR, sa_mask: Ty::Custom(Irregular::SigMask, &Ty::HexLong), sa_flags: FLAGS,
        sa_restorer: Ty::Addr => WITH_RESTORER
    }
    /// sigaltstack(2): asm/signal.h
    pub STACK = sigaltstack { ss_sp: Ty::Addr, ss_flags: Ty::Flags(&SIGALTSTACK), ss_size: Ty::ULong }
}

/// `siginfo_t` within a frame: asm-generic/siginfo.h
const SIGINFO: usize = 128;

/// Where the frame that rt_sigreturn(2) finds at the stack pointer holds the mask. On x86-64 a `struct ucontext` is there;
/// i386 has the handler's three arguments and the `siginfo_t` before it (asm/sigframe.h), arm64 the `siginfo_t`.
pub const fn frame_mask(abi: Abi) -> usize {
    match abi {
        Abi::X86_64 => uapi::structs_x86_64::ucontext.at("uc_sigmask").offset as usize,
        Abi::I386 => 12 + SIGINFO + uapi::structs_i386::ucontext.at("uc_sigmask").offset as usize,
        Abi::Aarch64 => SIGINFO + uapi::structs_aarch64::ucontext.at("uc_sigmask").offset as usize,
    }
}

/// Where the frame that i386's sigreturn(2) finds holds the two halves of the mask: in the `struct sigcontext` at its
/// start, and behind the floating point state that follows it (asm/sigframe.h).
pub const OLD_FRAME_MASK: [usize; 2] = {
    let context = &uapi::structs_i386::sigcontext;
    [context.at("oldmask").offset as usize, context.size as usize + 624]
};

/// As many bytes of a frame as it takes to find the mask.
pub const FRAME: usize = 304;
/// The bytes of the old signal frame, up to the end of its mask.
pub const OLD_FRAME: usize = OLD_FRAME_MASK[1] + 4;

const _: () = assert!(
    frame_mask(Abi::X86_64) + 8 <= FRAME && frame_mask(Abi::I386) + 8 <= FRAME && frame_mask(Abi::Aarch64) + 8 <= FRAME
);
