//! Structs around futexes and restartable sequences.

use crate::sets::futex::*;
use crate::{Irregular, Ty, Width, structs};

/// A 64-bit address.
const ADDR64: Ty = Ty::As(Width::W8, &Ty::Addr);
const HEX64: Ty = Ty::As(Width::W8, &Ty::Hex);

structs! {
    /// futex_waitv(2): linux/futex.h
    pub WAITER = futex_waitv {
        val: HEX64, uaddr: ADDR64, flags: Ty::Flags(&FUTEX2), __reserved: Ty::NonZero(&Ty::Hex)
    }
    /// rseq(2): linux/rseq.h
    pub RSEQ = rseq_grown {
        cpu_id_start: Ty::Enum(&RSEQ_CPU), cpu_id: Ty::Enum(&RSEQ_CPU),
        rseq_cs: Ty::As(Width::W8, &Ty::Custom(Irregular::RseqSection, &Ty::Ptr(crate::Dir::In, &Ty::Struct(&RSEQ_CS)))),
        flags: Ty::Flags(&RSEQ_CS_FLAGS), node_id: Ty::UInt, mm_cid: Ty::UInt, slice_ctrl: Ty::Struct(&RSEQ_SLICE),
        __reserved: Ty::As(Width::W1, &Ty::Hex)
    }
    /// linux/rseq.h
    pub RSEQ_SLICE = rseq_slice_ctrl {
        request: Ty::As(Width::W1, &Ty::UInt), granted: Ty::As(Width::W1, &Ty::UInt), __reserved: Ty::As(Width::W2, &Ty::Hex)
    }
    /// A critical section: linux/rseq.h
    pub RSEQ_CS = rseq_cs {
        version: Ty::UInt, flags: Ty::Flags(&RSEQ_CS_FLAGS), start_ip: HEX64, post_commit_offset: HEX64, abort_ip: HEX64
    }
}
