//! Names around memory: protection, mapping, advice, NUMA policies.

use crate::uapi::consts as c;
use crate::{Set, items, sets};

/// `MAP_HUGE_MASK << MAP_HUGE_SHIFT`: linux/mman.h
const MAP_HUGE: u64 = 0x3f << 26;

/// mmap(2) flags: asm-generic/mman.h, asm/mman.h. The mapping's type is always shown, `MAP_FILE` standing for none.
pub static MAP: Set = Set::new(
    "MAP_???",
    items!(x86_64 []
        MAP_FILE in MAP_TYPE, MAP_SHARED in MAP_TYPE, MAP_PRIVATE in MAP_TYPE, MAP_SHARED_VALIDATE in MAP_TYPE,
        MAP_DROPPABLE in MAP_TYPE, MAP_FIXED, MAP_ANONYMOUS, MAP_32BIT, MAP_ABOVE4G, MAP_NORESERVE, MAP_POPULATE,
        MAP_NONBLOCK, MAP_GROWSDOWN, MAP_DENYWRITE, MAP_EXECUTABLE, MAP_LOCKED, MAP_STACK, MAP_HUGETLB, MAP_SYNC,
        MAP_FIXED_NOREPLACE
    ),
    false,
)
.led_by(c::MAP_TYPE)
.with_number(MAP_HUGE, "MAP_HUGE_SHIFT");

sets! {
    /// asm-generic/mman-common.h
    pub PROT "PROT_???" { PROT_NONE, PROT_READ, PROT_WRITE, PROT_EXEC, PROT_SEM, PROT_GROWSDOWN, PROT_GROWSUP }
    /// linux/mman.h
    pub MREMAP "MREMAP_???" { MREMAP_MAYMOVE, MREMAP_FIXED, MREMAP_DONTUNMAP }
    /// asm-generic/mman-common.h
    pub MSYNC "MS_???" { MS_SYNC, MS_ASYNC, MS_INVALIDATE }
    /// asm-generic/mman-common.h
    pub ADVICE "MADV_???" {
        MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED, MADV_FREE, MADV_REMOVE, MADV_DONTFORK,
        MADV_DOFORK, MADV_MERGEABLE, MADV_UNMERGEABLE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP, MADV_DODUMP,
        MADV_WIPEONFORK, MADV_KEEPONFORK, MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ, MADV_POPULATE_WRITE,
        MADV_DONTNEED_LOCKED, MADV_COLLAPSE, MADV_HWPOISON, MADV_SOFT_OFFLINE, MADV_GUARD_INSTALL, MADV_GUARD_REMOVE
    }
    /// asm-generic/mman-common.h; `PKEY_DISABLE_EXECUTE` is of other architectures
    pub PKEY_RIGHTS "PKEY_???" {
        PKEY_UNRESTRICTED = 0, PKEY_DISABLE_ACCESS, PKEY_DISABLE_WRITE, PKEY_DISABLE_EXECUTE = 4
    }
    /// asm-generic/mman.h
    pub MLOCKALL "MCL_???" { MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT }
    /// asm-generic/mman-common.h
    pub MLOCK2 "MLOCK_???" { MLOCK_ONFAULT }
    /// asm/mman.h
    pub SHADOW_STACK "SHADOW_STACK_???" { SHADOW_STACK_SET_TOKEN }
    /// A policy's mode with its flags: linux/mempolicy.h
    pub MPOL_MODE "MPOL_???" {
        MPOL_DEFAULT = 0 in 0xffff_ffff_ffff_1fff, MPOL_PREFERRED in 0xffff_ffff_ffff_1fff,
        MPOL_BIND in 0xffff_ffff_ffff_1fff, MPOL_INTERLEAVE in 0xffff_ffff_ffff_1fff, MPOL_LOCAL in 0xffff_ffff_ffff_1fff,
        MPOL_PREFERRED_MANY in 0xffff_ffff_ffff_1fff, MPOL_WEIGHTED_INTERLEAVE in 0xffff_ffff_ffff_1fff,
        MPOL_F_STATIC_NODES, MPOL_F_RELATIVE_NODES, MPOL_F_NUMA_BALANCING
    }
    /// A policy's mode as get_mempolicy(2) returns it
    pub MPOL_MODES "MPOL_???" {
        MPOL_DEFAULT, MPOL_PREFERRED, MPOL_BIND, MPOL_INTERLEAVE, MPOL_LOCAL, MPOL_PREFERRED_MANY, MPOL_WEIGHTED_INTERLEAVE
    }
    /// get_mempolicy(2) flags: linux/mempolicy.h
    pub MPOL_QUERY "MPOL_F_???" { MPOL_F_NODE, MPOL_F_ADDR, MPOL_F_MEMS_ALLOWED }
    /// mbind(2) and move_pages(2) flags: linux/mempolicy.h
    pub MPOL_MOVE "MPOL_MF_???" { MPOL_MF_STRICT, MPOL_MF_MOVE, MPOL_MF_MOVE_ALL }
}
