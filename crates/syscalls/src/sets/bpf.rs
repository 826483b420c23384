//! bpf(2), and the instructions of classic filters.

use crate::sets;

sets! {
    /// bpf(2): linux/bpf.h
    pub COMMAND "BPF_???" {
        BPF_MAP_CREATE, BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM, BPF_MAP_DELETE_ELEM, BPF_MAP_GET_NEXT_KEY,
        BPF_PROG_LOAD, BPF_OBJ_PIN, BPF_OBJ_GET, BPF_PROG_ATTACH, BPF_PROG_DETACH, BPF_PROG_TEST_RUN,
        BPF_PROG_GET_NEXT_ID, BPF_MAP_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID, BPF_MAP_GET_FD_BY_ID,
        BPF_OBJ_GET_INFO_BY_FD, BPF_PROG_QUERY, BPF_RAW_TRACEPOINT_OPEN, BPF_BTF_LOAD, BPF_BTF_GET_FD_BY_ID,
        BPF_TASK_FD_QUERY, BPF_MAP_LOOKUP_AND_DELETE_ELEM, BPF_MAP_FREEZE, BPF_BTF_GET_NEXT_ID,
        BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH, BPF_MAP_UPDATE_BATCH, BPF_MAP_DELETE_BATCH,
        BPF_LINK_CREATE, BPF_LINK_UPDATE, BPF_LINK_GET_FD_BY_ID, BPF_LINK_GET_NEXT_ID, BPF_ENABLE_STATS,
        BPF_ITER_CREATE, BPF_LINK_DETACH, BPF_PROG_BIND_MAP, BPF_TOKEN_CREATE, BPF_PROG_STREAM_READ_BY_FD,
        BPF_PROG_ASSOC_STRUCT_OPS = 38
    }
    /// The class of an instruction: linux/bpf_common.h
    pub INSN_CLASS "BPF_???" { BPF_LD, BPF_LDX, BPF_ST, BPF_STX, BPF_ALU, BPF_JMP, BPF_RET, BPF_MISC }
    /// The size of what is loaded: linux/bpf_common.h, linux/bpf.h
    pub INSN_SIZE "BPF_???" { BPF_W, BPF_H, BPF_B, BPF_DW }
    /// Where it is loaded from: linux/bpf_common.h
    pub INSN_MODE "BPF_???" { BPF_IMM, BPF_ABS, BPF_IND, BPF_MEM, BPF_LEN, BPF_MSH, BPF_XADD }
    /// Where an operand comes from: linux/bpf_common.h
    pub INSN_SOURCE "BPF_???" { BPF_K, BPF_X }
    /// linux/bpf_common.h
    pub INSN_ALU "BPF_???" {
        BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR, BPF_AND, BPF_LSH, BPF_RSH, BPF_NEG, BPF_MOD, BPF_XOR,
        BPF_MOV, BPF_ARSH, BPF_END
    }
    /// linux/bpf_common.h
    pub INSN_JUMP "BPF_???" { BPF_JA, BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT, BPF_JSGE, BPF_CALL, BPF_EXIT, BPF_JLT, BPF_JLE,
        BPF_JSLT, BPF_JSLE, BPF_JCOND }
    /// What a filter returns: linux/bpf_common.h, linux/filter.h
    pub INSN_RETURN "BPF_???" { BPF_K, BPF_X, BPF_A }
    /// linux/filter.h
    pub INSN_MISC "BPF_???" { BPF_TAX, BPF_TXA }
    /// Offsets that stand for what is no packet data: linux/filter.h
    pub ANCILLARY "SKF_AD_???" {
        SKF_AD_PROTOCOL, SKF_AD_PKTTYPE, SKF_AD_IFINDEX, SKF_AD_NLATTR, SKF_AD_NLATTR_NEST, SKF_AD_MARK, SKF_AD_QUEUE,
        SKF_AD_HATYPE, SKF_AD_RXHASH, SKF_AD_CPU, SKF_AD_ALU_XOR_X, SKF_AD_VLAN_TAG, SKF_AD_VLAN_TAG_PRESENT,
        SKF_AD_PAY_OFFSET, SKF_AD_RANDOM, SKF_AD_VLAN_TPID
    }
    /// The bases of negative offsets: linux/filter.h
    pub OFFSET_BASE "" { SKF_AD_OFF = 0xfffff000, SKF_NET_OFF = 0xfff00000, SKF_LL_OFF = 0xffe00000 }
}
