/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Most calls have no memory to copy, or one small piece of it (read and write at the usual -s). Their records are written
 * straight into the ring, without the interpreter and the scratch.
 *
 * The piece is read to the stack first. The kernel checks the destination of every copy from user space. For mapped memory
 * such as the ring's, that check costs more than the copy itself.
 */
#ifndef STRIDE_SIMPLE_H
#define STRIDE_SIMPLE_H

/* No branch for each argument, because the verifier would follow all of them. */
static __always_inline u64 simple_arg(const u64 *args, u32 at)
{
	return args[at >> 3 & 7];
}

/* A call that has returned, as the fields of its record are made from it. */
struct simple {
	struct task_struct *task;
	struct task_state *st;
	struct pt_regs *regs;
	/* Six, and two more because the index has three bits. */
	u64 args[8];
	s64 ret;
	/* Where its stack is looked for, if stacks are taken. */
	struct stack_state *stack;
	s32 nr;
	/* Small types: on_sys_exit and the interpreter behind it must fit the 512 bytes of stack of Linux 6.1. */
	u16 flags;
	u8 abi;
};

static __always_inline struct rec_block *simple_fill(struct rec_call *rec, const struct simple *of, u64 at)
{
	struct rec_block *block;

	head(&rec->head, REC_CALL, of->task, of->st);
	rec->head.abi = of->abi;
	rec->head.nr = of->nr;
	rec->head.flags = tell_more ? of->flags | FLAG_MORE : of->flags;
	rec->ret = of->ret;
	for (int i = 0; i < 6; i++)
		rec->args[i] = of->args[i];
	rec++;
	if (tell_more) {
		struct rec_more *more = (struct rec_more *)rec;

		more->entered = take_times ? of->st->entered : 0;
		more->at = at;
		more->ip = ip_of(of->regs);
		more->sp = sp_of(of->regs);
		block = (struct rec_block *)(more + 1);
	} else {
		block = (struct rec_block *)rec;
	}
	if (take_stacks)
		tell_stack(block++, of->stack);
	return block;
}

/* The settings are constants for the verifier, and so are sizes computed from them. */
static __always_inline void *simple_reserve(struct task_state *st, u64 memory)
{
	void *ring = ring_of(st);
	u64 size = sizeof(struct rec_call) + memory + (take_stacks ? sizeof(struct rec_block) : 0);

	if (!ring)
		return NULL;
	return bpf_ringbuf_reserve(ring, tell_more ? size + sizeof(struct rec_more) : size, 0);
}

static __always_inline void simple_block(struct rec_block *block, struct op *op, u64 ptr, u32 len)
{
	block->addr = ptr;
	block->len = len;
	block->elem = op->elem;
	block->op = 0;
	block->flags = op->dir & DIR_EXIT ? BLOCK_EXIT : 0;
}

/* Sends the call's record. False if the call is not so simple after all. */
static __always_inline bool simple_exit(struct simple *of, struct call_plan *plan)
{
	u64 data[SIMPLE_MAX / 8] = {};
	u64 ptr = 0, want = 0, fill, at;
	struct rec_block *block;
	struct op *op = NULL;
	void *rec;

	target_args(of->regs, of->abi, of->nr, of->args);
	if (plan->ops.n) {
		op = op_at(plan->ops.first);
		if (!op)
			return false;
		if (!(op->dir & DIR_EXIT) || op->dir & DIR_ALWAYS || !is_error(of->ret)) {
			ptr = simple_arg(of->args, op->at);
			if (op->count == COUNT_FIXED)
				want = op->n;
			else if (op->count == COUNT_RET)
				want = of->ret > 0 ? of->ret : 0;
			else
				want = low_bytes(simple_arg(of->args, op->n), op->width);
			if (want > op->cap)
				want = op->cap;
			want *= op->elem;
		}
	}
	if (want > SIMPLE_MAX)
		return false;
	/* Backpressure may delay the thread from here on, which is no part of the call. */
	at = stamp ? bpf_ktime_get_ns() : 0;
	fill = late_fill_of(of->st);
	if (is_full(of->st, fill, sizeof(struct rec_call) + sizeof(struct rec_more) + 2 * sizeof(*block) + SIMPLE_MAX))
		goto lost;
	if (!ptr || !want) {
		rec = simple_reserve(of->st, 0);
		if (!rec)
			goto lost;
		simple_fill(rec, of, at);
	} else {
		/* The bound is checked on the same register that is used: 6.1's verifier does not know the bound of a copy. */
		u64 len = want;

		asm volatile("" : "+r"(len));
		if (len > sizeof(data) || bpf_probe_read_user(data, len, (void *)ptr))
			return false;
		if (want <= SIMPLE_FEW) {
			rec = simple_reserve(of->st, sizeof(*block) + SIMPLE_FEW);
			if (!rec)
				goto lost;
			block = simple_fill(rec, of, at);
			*(u64 *)(block + 1) = data[0];
		} else {
			rec = simple_reserve(of->st, sizeof(*block) + SIMPLE_MAX);
			if (!rec)
				goto lost;
			block = simple_fill(rec, of, at);
			for (int i = 0; i < SIMPLE_MAX / 8; i++)
				((u64 *)(block + 1))[i] = data[i];
		}
		simple_block(block, op, ptr, want);
	}
	bpf_ringbuf_submit(rec, wakeup(fill, false));
	of->st->lost = 0;
	return true;
lost:
	lose_call(of->st);
	return true;
}

#endif
