//! Requests of userfaultfd(2) and of performance events: linux/userfaultfd.h, linux/perf_event.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, Ty, Width, sets, structs};

sets! {
    pub UFFD_FEATURES "UFFD_FEATURE_???" {
        UFFD_FEATURE_PAGEFAULT_FLAG_WP, UFFD_FEATURE_EVENT_FORK, UFFD_FEATURE_EVENT_REMAP, UFFD_FEATURE_EVENT_REMOVE,
        UFFD_FEATURE_MISSING_HUGETLBFS, UFFD_FEATURE_MISSING_SHMEM, UFFD_FEATURE_EVENT_UNMAP, UFFD_FEATURE_SIGBUS,
        UFFD_FEATURE_THREAD_ID, UFFD_FEATURE_MINOR_HUGETLBFS, UFFD_FEATURE_MINOR_SHMEM, UFFD_FEATURE_EXACT_ADDRESS,
        UFFD_FEATURE_WP_HUGETLBFS_SHMEM, UFFD_FEATURE_WP_UNPOPULATED, UFFD_FEATURE_POISON, UFFD_FEATURE_WP_ASYNC,
        UFFD_FEATURE_MOVE
    }
    /// Bit numbers of requests; what a descriptor and what a range can do.
    pub UFFD_API_IOCTLS "_UFFDIO_???" {
        "1<<_UFFDIO_REGISTER" = 1 in 1, "1<<_UFFDIO_UNREGISTER" = 2 in 2,
        "1<<_UFFDIO_API" = 0x8000_0000_0000_0000 in 0x8000_0000_0000_0000
    }
    pub UFFD_RANGE_IOCTLS "1<<_UFFDIO_???" {
        "1<<_UFFDIO_WAKE" = 4 in 4, "1<<_UFFDIO_COPY" = 8 in 8, "1<<_UFFDIO_ZEROPAGE" = 16 in 16,
        "1<<_UFFDIO_MOVE" = 32 in 32, "1<<_UFFDIO_WRITEPROTECT" = 64 in 64, "1<<_UFFDIO_CONTINUE" = 128 in 128,
        "1<<_UFFDIO_POISON" = 256 in 256
    }
    pub UFFD_REGISTER "UFFDIO_REGISTER_MODE_???" {
        UFFDIO_REGISTER_MODE_MISSING, UFFDIO_REGISTER_MODE_WP, UFFDIO_REGISTER_MODE_MINOR
    }
    pub UFFD_COPY "UFFDIO_COPY_MODE_???" { UFFDIO_COPY_MODE_DONTWAKE, UFFDIO_COPY_MODE_WP }
    pub UFFD_ZEROPAGE "UFFDIO_ZEROPAGE_MODE_???" { UFFDIO_ZEROPAGE_MODE_DONTWAKE }
    pub UFFD_WRITEPROTECT "UFFDIO_WRITEPROTECT_MODE_???" {
        UFFDIO_WRITEPROTECT_MODE_WP, UFFDIO_WRITEPROTECT_MODE_DONTWAKE
    }
    pub UFFD_CONTINUE "UFFDIO_CONTINUE_MODE_???" { UFFDIO_CONTINUE_MODE_DONTWAKE, UFFDIO_CONTINUE_MODE_WP }
    pub UFFD_POISON "UFFDIO_POISON_MODE_???" { UFFDIO_POISON_MODE_DONTWAKE }
    pub UFFD_MOVE "UFFDIO_MOVE_MODE_???" { UFFDIO_MOVE_MODE_DONTWAKE, UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES }
    /// linux/perf_event.h
    pub PERF_FLAGS "PERF_IOC_FLAG_???" { PERF_IOC_FLAG_GROUP }
}

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);

/// A flag word of 64 bits.
macro_rules! wide {
    ($set:ident) => {
        Ty::As(Width::W8, &Ty::Flags(&$set))
    };
}

structs! {
    pub API = uffdio_api {
        api: HEX64, features: Ty::Custom(Irregular::UffdFeatures, &HEX64), ioctls: Ty::Reply(&wide!(UFFD_API_IOCTLS))
    }
    pub RANGE = uffdio_range { start: HEX64, len: HEX64 }
    pub REGISTER = uffdio_register {
        range: Ty::Struct(&RANGE), mode: wide!(UFFD_REGISTER), ioctls: Ty::Reply(&wide!(UFFD_RANGE_IOCTLS))
    }
    pub COPY = uffdio_copy { dst: HEX64, src: HEX64, len: HEX64, mode: wide!(UFFD_COPY), copy: Ty::Reply(&HEX64) }
    pub MOVE = uffdio_move { dst: HEX64, src: HEX64, len: HEX64, mode: wide!(UFFD_MOVE), r#move: Ty::Reply(&HEX64) }
    pub ZEROPAGE = uffdio_zeropage { range: Ty::Struct(&RANGE), mode: wide!(UFFD_ZEROPAGE), zeropage: Ty::Reply(&HEX64) }
    pub WRITEPROTECT = uffdio_writeprotect { range: Ty::Struct(&RANGE), mode: wide!(UFFD_WRITEPROTECT) }
    pub CONTINUE = uffdio_continue { range: Ty::Struct(&RANGE), mode: wide!(UFFD_CONTINUE), mapped: Ty::Reply(&Ty::I64) }
    pub POISON = uffdio_poison { range: Ty::Struct(&RANGE), mode: wide!(UFFD_POISON), updated: Ty::Reply(&Ty::I64) }
}

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::UFFDIO_API, Ty::Exchange(&API)),
    Case(c::UFFDIO_REGISTER, Ty::Exchange(&REGISTER)),
    Case(c::UFFDIO_UNREGISTER, Ty::Ptr(Dir::In, &Ty::Struct(&RANGE))),
    Case(c::UFFDIO_WAKE, Ty::Ptr(Dir::In, &Ty::Struct(&RANGE))),
    Case(c::UFFDIO_COPY, Ty::Exchange(&COPY)),
    Case(c::UFFDIO_MOVE, Ty::Exchange(&MOVE)),
    Case(c::UFFDIO_ZEROPAGE, Ty::Exchange(&ZEROPAGE)),
    Case(c::UFFDIO_WRITEPROTECT, Ty::Ptr(Dir::In, &Ty::Struct(&WRITEPROTECT))),
    Case(c::UFFDIO_CONTINUE, Ty::Exchange(&CONTINUE)),
    Case(c::UFFDIO_POISON, Ty::Exchange(&POISON)),
    Case(c::PERF_EVENT_IOC_ENABLE, Ty::As(Width::W4, &Ty::Flags(&PERF_FLAGS))),
    Case(c::PERF_EVENT_IOC_DISABLE, Ty::As(Width::W4, &Ty::Flags(&PERF_FLAGS))),
    Case(c::PERF_EVENT_IOC_RESET, Ty::As(Width::W4, &Ty::Flags(&PERF_FLAGS))),
    Case(c::PERF_EVENT_IOC_REFRESH, Ty::Int),
    Case(c::PERF_EVENT_IOC_PERIOD, Ty::Array(Dir::In, &Ty::U64, Len::Fixed(1))),
    Case(c::PERF_EVENT_IOC_SET_OUTPUT, Ty::Fd),
    Case(c::PERF_EVENT_IOC_SET_FILTER, Ty::Str),
    Case(c::PERF_EVENT_IOC_ID, Ty::Array(Dir::Out, &Ty::U64, Len::Fixed(1))),
    Case(c::PERF_EVENT_IOC_SET_BPF, Ty::Fd),
    Case(c::PERF_EVENT_IOC_PAUSE_OUTPUT, Ty::ULong),
];
