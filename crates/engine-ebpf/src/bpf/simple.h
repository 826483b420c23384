/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Most calls have no memory to copy, or one small piece of it (read and write at the usual -s). Their records are written
 * straight into the ring, without the interpreter and the scratch.
 *
 * The piece is read to the stack first: the kernel checks where every copy from user space goes, which costs more for
 * mapped memory such as the ring's than the copy itself.
 */
#ifndef STRIDE_SIMPLE_H
#define STRIDE_SIMPLE_H

struct simple {
	struct rec_call call;
	struct rec_block block;
	u64 data[SIMPLE_MAX / 8];
};

static __always_inline u64 simple_arg(const u64 *args, u32 at)
{
	switch (at >> 3) {
	case 0:
		return args[0];
	case 1:
		return args[1];
	case 2:
		return args[2];
	case 3:
		return args[3];
	case 4:
		return args[4];
	case 5:
		return args[5];
	}
	return 0;
}

static __always_inline void simple_fill(struct rec_call *rec, struct task_struct *task, struct task_state *st, struct pt_regs *regs,
					u32 abi, u64 nr, const u64 *args, long ret)
{
	head(&rec->head, REC_CALL, task, st);
	rec->head.abi = abi;
	rec->nr = nr;
	for (int i = 0; i < 6; i++)
		rec->args[i] = args[i];
	rec->ret = ret;
	rec->entered = take_times ? st->entered : 0;
	rec->ip = ip_of(regs);
	rec->sp = sp_of(regs);
	if (take_times)
		rec->head.at = bpf_ktime_get_ns();
}

/* Sends the call's record. False: it is not so simple after all. */
static __always_inline bool simple_exit(struct task_struct *task, struct task_state *st, struct pt_regs *regs, u32 abi, u64 nr,
					u32 index, long ret)
{
	struct call_plan *plan = bpf_map_lookup_elem(&calls, &index);
	u64 args[6], data[SIMPLE_MAX / 8] = {};
	u64 ptr = 0, want = 0;
	struct op *op = NULL;
	struct simple *rec;

	if (!plan)
		return false;
	args_of(regs, abi, args);
	if (plan->ops.n) {
		op = op_at(plan->ops.first);
		if (!op)
			return false;
		if (!(op->dir & DIR_EXIT) || op->dir & DIR_ALWAYS || ret >= 0 || ret < -4095) {
			ptr = simple_arg(args, op->at);
			if (op->count == COUNT_FIXED)
				want = op->n;
			else if (op->count == COUNT_RET)
				want = ret > 0 ? ret : 0;
			else
				want = low_bytes(simple_arg(args, op->n), op->width);
			if (want > op->cap)
				want = op->cap;
			want *= op->elem;
		}
	}
	if (is_full(st, sizeof(*rec)))
		goto lost;
	if (!ptr || !want) {
		struct rec_call *bare = bpf_ringbuf_reserve(&ring, sizeof(*bare), 0);

		if (!bare)
			goto lost;
		simple_fill(bare, task, st, regs, abi, nr, args, ret);
		bpf_ringbuf_submit(bare, wakeup(false));
		st->lost = 0;
		return true;
	}
	if (want > sizeof(data) || bpf_probe_read_user(data, want, (void *)ptr))
		return false;
	rec = bpf_ringbuf_reserve(&ring, sizeof(*rec), 0);
	if (!rec)
		goto lost;
	simple_fill(&rec->call, task, st, regs, abi, nr, args, ret);
	rec->block.addr = ptr;
	rec->block.len = want;
	rec->block.elem = op->elem;
	rec->block.op = 0;
	rec->block.flags = op->dir & DIR_EXIT ? BLOCK_EXIT : 0;
	for (int i = 0; i < SIMPLE_MAX / 8; i++)
		rec->data[i] = data[i];
	bpf_ringbuf_submit(rec, wakeup(false));
	st->lost = 0;
	return true;
lost:
	lose_call(st);
	return true;
}

#endif
