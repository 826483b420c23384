/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The interpreter of capture plans.
 *
 * It copies the memory that the ops of a plan name into the CPU's scratch record, as blocks. All of its state lies in the
 * scratch map. The verifier assumes that map memory can hold anything, so it need not analyse what loops change. Functions
 * that are not static are verified once each, independent of their callers, which keeps loading fast.
 */
#ifndef STRIDE_CAPTURE_H
#define STRIDE_CAPTURE_H

#include "scratch.h"
#include "read.h"
#include "kinds.h"

#define NOT_LOOKED_UP (~0U)

/* Appends a block: of the `n` elements at `ptr`, as much as op `index` wants. `me` is the op's number in the call. */
__noinline int copy(struct scratch *s, u32 index, u32 me, u64 ptr, u64 n)
{
	struct op *op = op_at(index);
	u32 flags = 0, kind = NOT_LOOKED_UP, what, want, got, at, to;
	struct rec_block *b;
	u64 bytes, all = n;
	u32 before;
	long r;

	if (!s || !op || !ptr || !n || !op->cap)
		return 0;
	at = ONCE(s->used);
	if (at >= BLOCKS_END) {
		s->call.head.flags |= FLAG_FULL;
		return 0;
	}
	bytes = least(n, op->cap) * op->elem;
	want = least(bytes, BLOCK_MAX);
	/* (It never is.) */
	if (want > BLOCK_MAX)
		return 0;
	before = op->leaf & ~differs(op->kind, OP_BYTES) & (above(bytes, BLOCK_MAX) | above(at, BLOCK_MAX - 1));
	b = (struct rec_block *)(s->data + at);
	to = at + sizeof(*b);
	if (before) {
		s->call.head.flags |= FLAG_BEFORE;
		b->addr = ptr;
		b->len = bytes > PIECES_MAX ? PIECES_MAX : bytes;
		b->elem = op->elem;
		b->op = me;
		b->flags = BLOCK_BEFORE | (s->phase && op->dir & DIR_EXIT ? BLOCK_EXIT : 0);
		s->used = to;
		return 0;
	}

	what = ONCE(op->kind);
	if (what == OP_STR) {
		/* One byte more than wanted: the helper puts a NUL in the last byte if it does not find the end. */
		r = bpf_probe_read_user_str(s->data + to, want + 1, (void *)ptr);
		/* Before Linux 6.13 the helper did not count the NUL of an empty string. */
		if (!r)
			r = 1;
		got = r < 0 ? 0 : r > want ? want : r;
		if (r < 0) {
			got = read_pages(s, to, want, ptr);
			if (got < want)
				flags = BLOCK_FAULTED;
		}
	} else if (what == OP_WORDS) {
		got = read_words(s, to, want, ptr);
		flags = BLOCK_WORDS;
		if (s->read.got < s->read.want && !s->scan.found)
			flags |= BLOCK_FAULTED;
	} else {
		got = want;
		if (bpf_probe_read_user(s->data + to, want, (void *)ptr)) {
			got = read_pages(s, to, want, ptr);
			if (got < want)
				flags = BLOCK_FAULTED;
		}
		if (op->message && may_be_message(s, at, got)) {
			kind = kind_of_file(s->call.args[0]);
			if (kind >= FILE_KIND_NETLINK) {
				want = all > BLOCK_MAX ? BLOCK_MAX : all;
				got = read_pages(s, to, want, ptr);
				flags = got < want ? BLOCK_FAULTED : 0;
			}
		}
	}
	FORGET(flags, ptr);
	FORGET(kind, ptr);
	FORGET(got, ptr);
	if (got > BLOCK_MAX)
		return 0;
	if (flags & BLOCK_FAULTED)
		s->call.head.flags |= FLAG_FAULTED;
	if (s->phase && op->dir & DIR_EXIT)
		flags |= BLOCK_EXIT;
	b->addr = ptr;
	b->len = got;
	b->elem = op->elem;
	b->op = me;
	b->flags = flags;
	s->used = to + ((got + 7) & ~7U);
	if (kind != NOT_LOOKED_UP)
		note_kind(s, s->call.args[0], kind);
	return 0;
}

/* The unsigned int behind a pointer argument: the room given at entry, and the true length at exit. */
static __always_inline u64 deref(struct scratch *s, u64 ptr)
{
	u32 now = 0;

	if (bpf_probe_read_user(&now, sizeof(now), (void *)ptr))
		return 0;
	if (!s->phase)
		s->room = now;
	/* The kernel reports the true length, but fills no more than the room. */
	return now < s->room ? now : s->room;
}

static __always_inline u64 arg_at(struct scratch *s, u32 at)
{
	u32 i = at >> 3;

	if (at == AT_STACK)
		return s->more.sp;
	return i < 6 ? s->call.args[i] : 0;
}

static __always_inline u64 in_units(struct op *op, u64 value)
{
	s64 less = op->less;
	u64 rest = less < 0 ? value + -less : value > less ? value - less : 0;
	u32 shift = op->shift & 63;

	return (rest >> shift) + ((rest & ((1ULL << shift) - 1)) != 0);
}

/* The number of elements to copy, before the cap. The caller handles COUNT_AT of nested ops. */
static __always_inline u64 count_of(struct scratch *s, struct op *op)
{
	switch (op->count) {
	case COUNT_FIXED:
		return op->n;
	case COUNT_AT:
		return in_units(op, low_bytes(arg_at(s, op->n), op->width));
	case COUNT_DEREF:
		return deref(s, arg_at(s, op->n));
	case COUNT_RET:
		return s->phase && !s->failed && s->call.ret > 0 ? s->call.ret : 0;
	}
	return 0;
}

/* A number in an element of which `left` bytes were read. 0 if it lies behind them. */
static __always_inline u64 member_at(struct scratch *s, u32 elem, u32 left, u32 at, u32 width)
{
	at &= MAX_AT - 1;
	return at + width > left ? 0 : number_at(s, elem + at, width);
}

/* One step of a nested op: the next element in the next block of its parent. */
static long walk_step(u64 i, void *ctx)
{
	struct scratch *s = scratch();
	struct rec_block *b;
	struct op *op;
	u32 off, at, next, elem, left;
	u64 ptr, n;

	if (!s)
		return 1;
	off = ONCE(s->walk.off);
	at = ONCE(s->walk.at);
	if (off >= BLOCKS_END || off >= s->walk.end)
		return 1;
	op = op_at(s->walk.op);
	if (!op)
		return 1;
	b = (struct rec_block *)(s->data + off);
	next = off + sizeof(*b) + (b->flags & BLOCK_BEFORE ? 0 : (b->len + 7) & ~7U);
	if (b->op != op->parent || !b->elem || at >= b->len) {
		s->walk.off = next;
		s->walk.at = 0;
		return 0;
	}
	/* The last element may be a part: a struct of an older program is shorter. */
	left = b->len - at;
	elem = off + sizeof(*b) + at;
	s->walk.at = at + b->elem;
	if (op->kind == OP_FILE_KIND) {
		n = member_at(s, elem, left, op->at, sizeof(int));
		note_kind(s, n, kind_of_file(n));
		return 0;
	}
	ptr = member_at(s, elem, left, op->at, word_size(s));
	if (!ptr) {
		if (b->flags & BLOCK_WORDS) {
			s->walk.off = next;
			s->walk.at = 0;
		}
		return 0;
	}
	if (op->count == COUNT_AT)
		n = in_units(op, member_at(s, elem, left, op->n, op->width));
	else
		n = count_of(s, op);
	copy(s, s->walk.op, s->walk.me, ptr, n);
	return 0;
}

__noinline int run_op(struct scratch *s, u32 index, u32 me)
{
	struct op *op = op_at(index);

	if (!s || !op)
		return 0;
	/* At exit, memory that the program had filled is read as well, because it was not needed earlier. */
	if (s->phase ? op->dir & DIR_EXIT && s->failed && !(op->dir & DIR_ALWAYS) : !(op->dir & DIR_ENTRY))
		return 0;
	if (op->parent == OP_ROOT && op->kind == OP_FILE_KIND)
		return note_kind(s, arg_at(s, op->at), kind_of_file(arg_at(s, op->at)));
	if (op->parent == OP_ROOT)
		return copy(s, index, me, arg_at(s, op->at), count_of(s, op));
	s->walk.op = index;
	s->walk.me = me;
	s->walk.off = 0;
	s->walk.at = 0;
	s->walk.end = s->used;
	bpf_loop(BLOCKS_END, walk_step, NULL, 0);
	return 0;
}

/* The next op of a run. */
static long next_op(u64 i, void *ctx)
{
	struct scratch *s = scratch();

	if (!s || i >= s->run.n)
		return 1;
	run_op(s, s->run.first + i, s->run.base + i);
	return 0;
}

/* (A loop of bpf_loop is walked once, another one once for each round.) */
static __always_inline void run_ops(struct scratch *s, const struct op_run *run)
{
	s->run.first = run->first;
	s->run.n = run->n;
	s->run.base = run->base;
	bpf_loop(MAX_RUN, next_op, NULL, 0);
}

static __always_inline struct op_run *chosen(struct scratch *s, u32 index)
{
	struct choice *choice = bpf_map_lookup_elem(&choices, &index);
	struct case_key key = { .choice = index };
	struct op_run *run;

	if (!choice)
		return NULL;
	key.value = (arg_at(s, choice->arg * 8) >> (choice->shift & 63)) & choice->mask;
	if (choice->second != OP_ROOT)
		key.value = (u32)key.value | arg_at(s, choice->second * 8) << 32;
	run = bpf_map_lookup_elem(&cases, &key);
	return run ? run : &choice->otherwise;
}

__noinline int run_plan(struct scratch *s, u32 index)
{
	struct call_plan *plan = bpf_map_lookup_elem(&calls, &index);

	if (!s || !plan)
		return 0;
	run_ops(s, &plan->ops);
	for (u32 i = 0; i < MAX_CHOICES; i++) {
		struct op_run *run;

		if (i >= plan->choices)
			break;
		run = chosen(s, plan->choice + i);
		if (run)
			run_ops(s, run);
	}
	return 0;
}

#endif
