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

/// The signal mask in a `struct ucontext`, by ABI.
const MASK: [stride_uapi::F; Abi::ALL.len()] = uapi::with_abis! { { crate::places } ucontext, "uc_sigmask" };

/// The place of the mask in the frame that rt_sigreturn(2) finds at the stack pointer: in a `struct ucontext`
/// (asm/sigframe.h).
pub const fn frame_mask(abi: Abi) -> usize {
    abi.facts().before_ucontext + MASK[abi as usize].offset as usize
}

/// The places of the two halves of the mask in the frame that i386's sigreturn(2) finds: in the `struct sigcontext` at its
/// start, and behind the floating point state that follows it (asm/sigframe.h).
pub const OLD_FRAME_MASK: [usize; 2] = {
    let context = &uapi::structs_i386::sigcontext;
    [context.at("oldmask").offset as usize, context.size as usize + 624]
};

/// As many bytes of a frame as it takes to find the mask.
pub const FRAME: usize = 304;
/// The bytes of the old signal frame, up to the end of its mask.
pub const OLD_FRAME: usize = OLD_FRAME_MASK[1] + 4;

const _: () = {
    let mut i = 0;
    while i < Abi::ALL.len() {
        assert!(frame_mask(Abi::ALL[i]) + 8 <= FRAME);
        i += 1;
    }
};
