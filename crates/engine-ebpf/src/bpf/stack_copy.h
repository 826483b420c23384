/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Copies a stack, for the reader to unwind.
 *
 * A page that no frame has touched does not exist yet: the middle of a large array. Such pages are left out. No frame has its return
 * address there, so the stack goes on behind them.
 *
 * The stack of a program's first thread ends where the program began. Behind it are its arguments, its environment and then nothing. Each
 * page that does not exist costs a microsecond.
 *
 * A stack may go on elsewhere: behind a signal handler with a stack of its own, and behind Go's runtime. Part of that stack is copied, too.
 */
#ifndef STRIDE_STACK_COPY_H
#define STRIDE_STACK_COPY_H

#include "stack.h"

/* Pages that are looked at, at most: as many as stack_part has bits. */
#define STACK_PAGES 64
/* So many in a row that do not exist are the end. */
#define STACK_ABSENT 17

/*
 * The loop's state lies in the scratch, a map, because the verifier takes a map to hold any value. If the state lay on the stack, the verifier
 * would follow each value that it can have.
 */
static long copy_page(u64 i, void *ctx)
{
	struct scratch *s = scratch();
	u32 len, to;
	u64 from;

	if (!s)
		return 1;
	from = ONCE(s->stack.from);
	if (i)
		from = (from & ~(PAGE - 1ULL)) + i * PAGE;
	if (from > s->stack.top)
		return 1;
	len = PAGE - (u32)(from % PAGE);
	to = ONCE(s->stack.to);
	if (to + len > ONCE(s->stack.end) || ONCE(s->stack.absent) >= STACK_ABSENT)
		return 1;
	/* The bounds are checked on the same registers that are used. */
	asm volatile("" : "+r"(to), "+r"(len));
	if (to > 2 * BLOCK_MAX || len > PAGE)
		return 1;
	if (bpf_probe_read_user(s->data + to, len, (void *)from)) {
		s->stack.absent++;
		return 0;
	}
	s->stack.absent = 0;
	s->stack.pages |= 1ULL << (i & 63);
	s->stack.to = to + len;
	return 0;
}

/* Copies the pages from an address up: the page of the address, and others of `room` bytes in all. Returns where the copy ends. */
static __always_inline u32 copy_part(struct scratch *s, struct stack_part *part, u64 from, u32 to, u32 room)
{
	u64 top = BPF_CORE_READ(bpf_get_current_task_btf(), mm, start_stack);

	s->stack.from = from;
	s->stack.pages = 0;
	s->stack.top = from <= top ? top : ~0ULL;
	s->stack.to = to;
	s->stack.end = to + room + PAGE;
	s->stack.absent = 0;
	bpf_loop(STACK_PAGES, copy_page, NULL, 0);
	part->from = from;
	part->pages = ONCE(s->stack.pages);
	return ONCE(s->stack.to);
}

/* True if a signal handler runs on an alternate stack (sigaltstack), and the thread was on another stack when the signal came. */
static __always_inline bool is_elsewhere(struct task_struct *task, u64 sp, u64 interrupted)
{
	return interrupted && sp - task->sas_ss_sp < task->sas_ss_size && interrupted - task->sas_ss_sp >= task->sas_ss_size;
}

/* Frame pointers that are followed, at most. */
#define FRAME_POINTERS 16

/*
 * Where the frame pointers lead that leave the stack at `sp`: Go's runtime does its work on a stack of the thread's own, and the frame
 * pointers go on to the goroutine's. 0 if they do not leave it. The first of them must lie on this stack: without frame pointers, the register
 * holds anything.
 */
static __always_inline u64 other_stack(u64 sp, u64 bp)
{
	u64 next = bp;

	for (u32 i = 0; i < FRAME_POINTERS; i++) {
		if (next < sp || next - sp >= STACK_COPY)
			return i && next && !(next & 7) ? next : 0;
		bp = next;
		if (bpf_probe_read_user(&next, sizeof(next), (void *)bp) || next == bp)
			return 0;
	}
	return 0;
}

/* So much of the other stack is copied. */
#define OTHER_STACK (2 * PAGE)

/* Copies the returns that are watched. Returns where the copy ends. */
static __always_inline u32 copy_returns(struct scratch *s, struct stack_state *state, struct rec_stack *rec, u32 to)
{
	u32 n = ONCE(state->watched), len;

	if (n > STACK_RETURNS)
		return to;
	len = n * sizeof(struct stack_return);
	asm volatile("" : "+r"(len), "+r"(to));
	if (len > sizeof(state->watched_at) || to > 2 * BLOCK_MAX ||
	    bpf_probe_read_kernel(s->data + to, len, state->watched_at))
		return to;
	rec->watched = n;
	rec->trampoline = state->trampoline;
	rec->returns = state->returns;
	return to + len;
}

/* Appends the stack at the place that the CPU's state holds. */
__noinline int copy_stack(struct scratch *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_state *state = stack_state();
	struct task_state *st = traced(task);
	struct rec_block *block;
	struct rec_stack *rec;
	u32 at, to, end;
	u64 interrupted, other;

	if (!s || !state || !st)
		return 0;
	at = ONCE(s->used);
	asm volatile("" : "+r"(at));
	/* As much behind as the stack may take. */
	if (at > 2 * BLOCK_MAX - STACK_COPY - 4 * PAGE)
		return 0;
	block = (struct rec_block *)(s->data + at);
	rec = (struct rec_stack *)(block + 1);
	to = at + sizeof(*block) + sizeof(*rec);
	rec->space = state->key.space;
	rec->generation = state->key.generation;
	rec->process = process_id_of(task);
	rec->ip = state->key.ip;
	rec->bp = state->bp;
	all_of((struct pt_regs *)bpf_task_pt_regs(task), rec->all);
	rec->is_32bit = state->is_32bit;
	rec->watched = 0;
	rec->returns = 0;
	if (stacks_have_returns)
		to = copy_returns(s, state, rec, to);
	interrupted = st->interrupted;
	if (is_elsewhere(task, state->key.sp, interrupted)) {
		end = copy_part(s, &rec->part[0], state->key.sp, to, STACK_COPY / 2);
		end = copy_part(s, &rec->part[1], interrupted, end, STACK_COPY / 2);
	} else {
		other = state->is_32bit ? 0 : other_stack(state->key.sp, state->bp);
		end = copy_part(s, &rec->part[0], state->key.sp, to, other ? STACK_COPY - OTHER_STACK : STACK_COPY);
		rec->part[1].pages = 0;
		if (other)
			end = copy_part(s, &rec->part[1], other, end, OTHER_STACK);
	}
	block->addr = state->key.sp;
	block->len = end - at - sizeof(*block);
	block->elem = calls_of_stack(state);
	block->op = 0;
	block->flags = BLOCK_COPY;
	s->used = (end + 7) & ~7U;
	return 0;
}

#endif
