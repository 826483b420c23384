//! perf_event_open(2): linux/perf_event.h

use crate::{Item, Set, sets};

sets! {
    /// The type of the counted event.
    pub TYPE "PERF_TYPE_???" {
        PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE, PERF_TYPE_TRACEPOINT, PERF_TYPE_HW_CACHE, PERF_TYPE_RAW,
        PERF_TYPE_BREAKPOINT
    }
    /// Sizes of the struct as it grew.
    pub SIZE "PERF_ATTR_SIZE_???" {
        PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER1, PERF_ATTR_SIZE_VER2, PERF_ATTR_SIZE_VER3, PERF_ATTR_SIZE_VER4,
        PERF_ATTR_SIZE_VER5, PERF_ATTR_SIZE_VER6, PERF_ATTR_SIZE_VER7, PERF_ATTR_SIZE_VER8, PERF_ATTR_SIZE_VER9 = 144
    }
    /// Events of the processor.
    pub HARDWARE "PERF_COUNT_HW_???" {
        PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CACHE_REFERENCES,
        PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
        PERF_COUNT_HW_BUS_CYCLES, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
        PERF_COUNT_HW_REF_CPU_CYCLES
    }
    /// Events of the kernel.
    pub SOFTWARE "PERF_COUNT_SW_???" {
        PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES,
        PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
        PERF_COUNT_SW_ALIGNMENT_FAULTS, PERF_COUNT_SW_EMULATION_FAULTS, PERF_COUNT_SW_DUMMY, PERF_COUNT_SW_BPF_OUTPUT,
        PERF_COUNT_SW_CGROUP_SWITCHES
    }
    /// Caches.
    pub CACHE "PERF_COUNT_HW_CACHE_???" {
        PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_L1I, PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_DTLB,
        PERF_COUNT_HW_CACHE_ITLB, PERF_COUNT_HW_CACHE_BPU, PERF_COUNT_HW_CACHE_NODE
    }
    /// The operation on a cache.
    pub CACHE_OP "PERF_COUNT_HW_CACHE_OP_???" {
        PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_OP_PREFETCH
    }
    /// With what result.
    pub CACHE_RESULT "PERF_COUNT_HW_CACHE_RESULT_???" {
        PERF_COUNT_HW_CACHE_RESULT_ACCESS, PERF_COUNT_HW_CACHE_RESULT_MISS
    }
    /// The data that a sample holds.
    pub SAMPLE "PERF_SAMPLE_???" {
        PERF_SAMPLE_IP,
        PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR, PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN,
        PERF_SAMPLE_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_RAW,
        PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER, PERF_SAMPLE_WEIGHT,
        PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_TRANSACTION, PERF_SAMPLE_REGS_INTR,
        PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_AUX, PERF_SAMPLE_CGROUP, PERF_SAMPLE_DATA_PAGE_SIZE,
        PERF_SAMPLE_CODE_PAGE_SIZE, PERF_SAMPLE_WEIGHT_STRUCT
    }
    /// Which branches are recorded.
    pub BRANCH "PERF_SAMPLE_BRANCH_???" {
        PERF_SAMPLE_BRANCH_USER, PERF_SAMPLE_BRANCH_KERNEL, PERF_SAMPLE_BRANCH_HV, PERF_SAMPLE_BRANCH_ANY,
        PERF_SAMPLE_BRANCH_ANY_CALL, PERF_SAMPLE_BRANCH_ANY_RETURN, PERF_SAMPLE_BRANCH_IND_CALL,
        PERF_SAMPLE_BRANCH_ABORT_TX, PERF_SAMPLE_BRANCH_IN_TX, PERF_SAMPLE_BRANCH_NO_TX,
        PERF_SAMPLE_BRANCH_COND, PERF_SAMPLE_BRANCH_CALL_STACK, PERF_SAMPLE_BRANCH_IND_JUMP,
        PERF_SAMPLE_BRANCH_CALL, PERF_SAMPLE_BRANCH_NO_FLAGS, PERF_SAMPLE_BRANCH_NO_CYCLES,
        PERF_SAMPLE_BRANCH_TYPE_SAVE, PERF_SAMPLE_BRANCH_HW_INDEX, PERF_SAMPLE_BRANCH_PRIV_SAVE,
        PERF_SAMPLE_BRANCH_COUNTERS
    }
    /// The data that read(2) gives.
    pub READ "PERF_FORMAT_???" {
        PERF_FORMAT_TOTAL_TIME_ENABLED, PERF_FORMAT_TOTAL_TIME_RUNNING, PERF_FORMAT_ID, PERF_FORMAT_GROUP,
        PERF_FORMAT_LOST
    }
    /// The kind of access that a breakpoint waits for: linux/hw_breakpoint.h
    pub BREAKPOINT "HW_BREAKPOINT_???" {
        HW_BREAKPOINT_EMPTY, HW_BREAKPOINT_R, HW_BREAKPOINT_W, HW_BREAKPOINT_RW, HW_BREAKPOINT_X, HW_BREAKPOINT_INVALID
    }
    /// The call's flags.
    pub OPEN "PERF_FLAG_???" {
        PERF_FLAG_FD_NO_GROUP, PERF_FLAG_FD_OUTPUT, PERF_FLAG_PID_CGROUP, PERF_FLAG_FD_CLOEXEC
    }
}

/// The single bits of the struct from its 40th byte on, by position; `precise_ip` has two.
pub static BITS: Set = Set::new(
    "",
    &[
        bit("disabled", 0),
        bit("inherit", 1),
        bit("pinned", 2),
        bit("exclusive", 3),
        bit("exclude_user", 4),
        bit("exclude_kernel", 5),
        bit("exclude_hv", 6),
        bit("exclude_idle", 7),
        bit("mmap", 8),
        bit("comm", 9),
        bit("freq", 10),
        bit("inherit_stat", 11),
        bit("enable_on_exec", 12),
        bit("task", 13),
        bit("watermark", 14),
        Item { name: "precise_ip", value: 15, mask: 3 },
        bit("mmap_data", 17),
        bit("sample_id_all", 18),
        bit("exclude_host", 19),
        bit("exclude_guest", 20),
        bit("exclude_callchain_kernel", 21),
        bit("exclude_callchain_user", 22),
        bit("mmap2", 23),
        bit("comm_exec", 24),
        bit("use_clockid", 25),
        bit("context_switch", 26),
        bit("write_backward", 27),
        bit("namespaces", 28),
        bit("ksymbol", 29),
        bit("bpf_event", 30),
        bit("aux_output", 31),
        bit("cgroup", 32),
        bit("text_poke", 33),
        bit("build_id", 34),
        bit("inherit_thread", 35),
        bit("remove_on_exec", 36),
        bit("sigtrap", 37),
    ],
    true,
);

/// The first of the bits that have no meaning yet.
pub const BITS_UNUSED: u32 = 38;

const fn bit(name: &'static str, position: u64) -> Item {
    Item { name, value: position, mask: 1 }
}
