/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Operations of io_uring (--io-uring). A program writes an operation to its submission queue, and the kernel carries it out without a
 * system call of its own. Two records tell of it: one when it is submitted, from the thread that submits, and one for each completion,
 * from wherever the kernel is then (any thread, a worker, an interrupt). The reader joins them (src/operations). These programs are only
 * loaded if operations are asked for.
 *
 * A completion has no traced thread at hand, so it takes ring and id from `uring_rings`.
 */
#ifndef STRIDE_URING_H
#define STRIDE_URING_H

#include "uring-entry.h"

/* By opcode: the arguments that point to texts. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, u32);
	__type(value, struct uring_plan);
} uring_plans SEC(".maps");

struct uring_scratch {
	struct rec_submitted rec;
	u8 data[LIBRARY_ROOM];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct uring_scratch);
} uring_scratches SEC(".maps");

/* The rings to which traced threads submit: the thread that did so last. */
struct uring_owner {
	u32 tid;
	u32 ring;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, u64);
	__type(value, struct uring_owner);
} uring_rings SEC(".maps");

/* Appends the text that an argument points to. */
static __always_inline void add_argument(struct uring_scratch *s, const struct uring_text *text)
{
	u64 from = *(u64 *)(s->rec.sqe + (text->at & 56));
	u64 len = *(u32 *)(s->rec.sqe + (text->len_at & 60));

	if (text->kind != TEXT_NONE && from)
		s->rec.used = add_text(s->data, ONCE(s->rec.used), text->word, from, text->kind, len);
}

static __always_inline int submitted(struct io_kiocb *req, void *entry)
{
	struct task_struct *task = bpf_get_current_task_btf(), *owner = task;
	bool polled = task->flags & PF_IO_WORKER;
	struct io_ring_ctx *ring = BPF_CORE_READ(req, ctx);
	u64 key = (u64)ring;
	struct uring_owner *known, now;
	struct uring_scratch *s;
	struct uring_plan *plan;
	struct task_state *st;
	u32 opcode, used;

	/* The thread that polls the queue belongs to the process of the ring, and has its memory. */
	if (polled)
		owner = task->group_leader;
	st = shown(owner);
	known = bpf_map_lookup_elem(&uring_rings, &key);
	if (!st) {
		/* The kernel gives the addresses of rings that are gone to others. */
		if (known)
			bpf_map_delete_elem(&uring_rings, &key);
		return 0;
	}
	now.tid = id_of(owner);
	now.ring = st->ring;
	if (!known || known->tid != now.tid || known->ring != now.ring)
		bpf_map_update_elem(&uring_rings, &key, &now, BPF_ANY);
	s = bpf_task_storage_get(&uring_scratches, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!s) {
		lose_call(st);
		return 0;
	}
	head(&s->rec.head, REC_SUBMITTED, owner, st);
	s->rec.at = bpf_ktime_get_ns();
	s->rec.req = (u64)req;
	s->rec.ring = key;
	s->rec.user_data = BPF_CORE_READ(req, cqe.user_data);
	s->rec.opcode = BPF_CORE_READ(req, opcode);
	s->rec.polled = polled;
	s->rec.used = 0;
	if (entry)
		s->rec.known = !bpf_probe_read_kernel(s->rec.sqe, SQE_SIZE, entry) &&
			       is_entry_of(s->rec.sqe, s->rec.opcode, s->rec.user_data);
	else
		s->rec.known = read_entry(ring, s->rec.sqe, s->rec.opcode, s->rec.user_data);
	opcode = s->rec.opcode;
	plan = s->rec.known ? bpf_map_lookup_elem(&uring_plans, &opcode) : NULL;
	if (plan) {
		add_argument(s, &plan->texts[0]);
		add_argument(s, &plan->texts[1]);
	}
	used = ONCE(s->rec.used);
	asm volatile("" : "+r"(used));
	if (used > LIBRARY_ROOM || !send_call(st, &s->rec, sizeof(s->rec) + used, false))
		lose_call(st);
	return 0;
}

/* Nobody is delayed here, because this may be an interrupt. */
static __always_inline int completed(u64 ring, u64 req, u64 user_data, s32 res, u32 cqe_flags, u32 overflowed)
{
	struct uring_owner *owner = bpf_map_lookup_elem(&uring_rings, &ring);
	struct rec_completed rec = {};
	struct task_state as = {};
	void *to;
	u64 fill;

	if (!owner)
		return 0;
	rec.head.kind = REC_COMPLETED;
	rec.head.tid = owner->tid;
	rec.at = bpf_ktime_get_ns();
	rec.req = req;
	rec.ring = ring;
	rec.user_data = user_data;
	rec.res = res;
	rec.cqe_flags = cqe_flags;
	rec.overflowed = overflowed;
	as.ring = owner->ring;
	to = ring_of(&as);
	fill = fill_of(&as);
	if (fill + sizeof(rec) > ring_call_limit || !to || bpf_ringbuf_output(to, &rec, sizeof(rec), wakeup(fill, false)))
		__sync_fetch_and_add(&calls_lost, 1);
	return 0;
}

/* Linux 6.3. struct io_kiocb *req */
SEC("raw_tp/io_uring_submit_req")
int on_submit(struct bpf_raw_tracepoint_args *ctx)
{
	return submitted((struct io_kiocb *)ctx->args[0], NULL);
}

/* Before, under another name. struct io_kiocb *req, bool force_nonblock */
SEC("raw_tp/io_uring_submit_sqe")
int on_submit_before(struct bpf_raw_tracepoint_args *ctx)
{
	return submitted((struct io_kiocb *)ctx->args[0], NULL);
}

/* An operation that is refused is not seen above. const struct io_uring_sqe *sqe, struct io_kiocb *req, int error */
SEC("raw_tp/io_uring_req_failed")
int on_refused(struct bpf_raw_tracepoint_args *ctx)
{
	return submitted((struct io_kiocb *)ctx->args[1], (void *)ctx->args[0]);
}

/* struct io_ring_ctx *ctx, void *req, struct io_uring_cqe *cqe */
SEC("raw_tp/io_uring_complete")
int on_complete(struct bpf_raw_tracepoint_args *ctx)
{
	struct cqe cqe = {};

	bpf_probe_read_kernel(&cqe, sizeof(cqe), (void *)ctx->args[2]);
	return completed(ctx->args[0], ctx->args[1], cqe.user_data, cqe.res, cqe.flags, 0);
}

/* Before. void *ctx, void *req, u64 user_data, int res, unsigned cflags, u64 extra1, u64 extra2 */
SEC("raw_tp/io_uring_complete")
int on_complete_before(struct bpf_raw_tracepoint_args *ctx)
{
	return completed(ctx->args[0], ctx->args[1], ctx->args[2], ctx->args[3], ctx->args[4], 0);
}

/* The completion queue is full. void *ctx, unsigned long long user_data, s32 res, u32 cflags, void *ocqe */
SEC("raw_tp/io_uring_cqe_overflow")
int on_overflow(struct bpf_raw_tracepoint_args *ctx)
{
	return completed(ctx->args[0], 0, ctx->args[1], ctx->args[2], ctx->args[3], 1);
}

#endif
