/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The entries of io_uring's queues. */
#ifndef STRIDE_URING_ENTRY_H
#define STRIDE_URING_ENTRY_H

/* include/uapi/linux/io_uring.h */
#define IOSQE_FIXED_FILE 1
#define IORING_SETUP_SQE128 (1U << 10)
#define IORING_SETUP_NO_SQARRAY (1U << 16)

/* struct io_uring_cqe, as all of them have it. */
struct cqe {
	u64 user_data;
	s32 res;
	u32 flags;
};

/* True if the entry is that of this request. A program may write to its queue at any time. */
static __always_inline bool is_entry_of(const u8 *sqe, u8 opcode, u64 user_data)
{
	return sqe[0] == opcode && *(u64 *)(sqe + 32) == user_data;
}

/* Copies the entry that the kernel took last. */
static __always_inline bool read_entry(struct io_ring_ctx *ring, u8 *sqe, u8 opcode, u64 user_data)
{
	u32 flags = BPF_CORE_READ(ring, flags);
	u32 mask = BPF_CORE_READ(ring, sq_entries) - 1;
	u32 at = (BPF_CORE_READ(ring, cached_sq_head) - 1) & mask;
	void *sqes = BPF_CORE_READ(ring, sq_sqes);
	u32 *array = BPF_CORE_READ(ring, sq_array);

	if (!(flags & IORING_SETUP_NO_SQARRAY) && array && bpf_probe_read_kernel(&at, sizeof(at), array + at))
		return false;
	at &= mask;
	if (flags & IORING_SETUP_SQE128)
		at <<= 1;
	return !bpf_probe_read_kernel(sqe, SQE_SIZE, sqes + (u64)at * SQE_SIZE) && is_entry_of(sqe, opcode, user_data);
}

#endif
