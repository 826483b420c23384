/* include/uapi/linux/rseq.h as of 7.0, where the area got its time slice control. */
#include <linux/types.h>

struct rseq_slice_ctrl {
	__u8 request;
	__u8 granted;
	__u16 __reserved;
};

struct rseq_grown {
	__u32 cpu_id_start;
	__u32 cpu_id;
	__u64 rseq_cs;
	__u32 flags;
	__u32 node_id;
	__u32 mm_cid;
	struct rseq_slice_ctrl slice_ctrl;
	__u8 __reserved;
} __attribute__((aligned(32)));
