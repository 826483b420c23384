/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Stacks of calls, without an unwinder in the kernel (src/stacks.rs tells the whole).
 *
 * The first time that a thread makes a call from a place (instruction pointer and stack pointer), its stack is copied. The reader
 * unwinds the copy and notes which words of it the frames depend on. From then on these words are read again here, and as long as
 * they hold what they held, the stack is the same: the call's record has its id.
 *
 * The words prove nothing if other code is where the frames' code was. So every address space has a generation, which is part of
 * the place and is raised whenever code is mapped. Unmapping alone cannot do harm: no thread returns to code that is gone.
 *
 * Reading user memory costs 60 ns however few bytes it is; 2 KiB more cost as much again. So words are read in pieces, gaps and all.
 */
#ifndef STRIDE_STACK_H
#define STRIDE_STACK_H

enum {
	/* In place of ids: there is none to be told; or it must be copied. */
	STACK_NONE = 0,
	STACK_UNKNOWN = 0x7fffffff,
};

#define PROT_EXEC 4

#include "sites.h"

/* By the words' place. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct stack_key);
	__type(value, struct stack_memo);
} stack_memos SEC(".maps");

/* Where a call is looked for, and the memory that is read for that: one per CPU, as the scratch. */
struct stack_state {
	struct stack_key key;
	u64 bp;
	/* The index of its site, and the number of calls that its stack stands for. */
	u32 site;
	u32 calls;
	u8 bytes[STACK_REREAD + PAGE];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_state);
} stack_states SEC(".maps");

/* By address space, several of which may count together. */
u32 generations[SPACES];
/* The generation, plus one, whose mappings Stride has read. */
u32 generations_read[SPACES];

static __always_inline struct stack_state *stack_state(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&stack_states, &cpu);
}

static __always_inline u32 slot_of(u64 space)
{
	return space * 0x9e3779b97f4a7c15ULL >> 54;
}

/* Through memory, which the verifier takes to hold a number: it is one for what follows. */
static __always_inline u32 space_of(struct stack_state *state, struct task_struct *task)
{
	*(volatile u64 *)&state->key.space = (u64)task->mm;
	return slot_of(ONCE(state->key.space));
}

/* Code was mapped, or may have been. */
static __always_inline void next_generation(struct task_struct *task)
{
	struct stack_state *state = stack_state();

	if (state)
		__sync_fetch_and_add(&generations[space_of(state, task) & (SPACES - 1)], 1);
}

/* A new address space may lie where another one was. */
static __always_inline void forked_space(struct task_struct *parent, struct task_struct *child)
{
	struct stack_state *state = stack_state();
	u64 theirs;

	if (!state)
		return;
	space_of(state, parent);
	theirs = ONCE(state->key.space);
	space_of(state, child);
	if (theirs != ONCE(state->key.space))
		next_generation(child);
}

/* Whether a call that returned has mapped code. 32-bit programs give arguments in other ways: any of theirs may have. */
static __always_inline bool maps_code(struct pt_regs *regs, u32 abi, u32 flags, long ret)
{
	u64 args[6];

	if (is_error(ret))
		return false;
	if (abi == ABI_I386)
		return true;
	args_of(regs, abi, args);
	return flags & CALL_REMAPS ? args[0] != (u64)ret : args[2] & PROT_EXEC;
}

/* Whether the words of a stack hold what they held. */
__noinline int is_same(struct stack_memo *memo, struct stack_state *state)
{
	u64 differ = 0;
	u32 n;

	if (!memo || !state)
		return 0;
	if (memo->uses_bp && memo->bp != state->bp)
		return 0;
	n = ONCE(memo->ranges);
	for (u32 i = 0; i < STACK_RANGES; i++) {
		u32 to, len;

		if (i >= n)
			break;
		to = ONCE(memo->range[i].to);
		len = ONCE(memo->range[i].len);
		asm volatile("" : "+r"(to), "+r"(len));
		if (to > STACK_REREAD || len > PAGE ||
		    bpf_probe_read_user(state->bytes + to, len, (void *)memo->range[i].from))
			return 0;
	}
	n = ONCE(memo->words);
	for (u32 i = 0; i < STACK_WORDS; i++) {
		u32 at;

		if (i >= n)
			break;
		at = ONCE(memo->word[i].at);
		asm volatile("" : "+r"(at));
		if (at > STACK_REREAD)
			return 0;
		differ |= *(u64 *)(state->bytes + at) ^ memo->word[i].value;
	}
	return !differ;
}

/* The id of the stack at the place that the CPU's state holds. */
__noinline int find_stack(void)
{
	struct stack_state *state = stack_state();
	struct stack_memo *memo;

	if (!state)
		return STACK_NONE;
	if (sample_stacks) {
		state->site = site_of(state->key.space, state->key.ip, state->key.sp);
		state->calls = take_sample(&state->site);
		if (!state->calls)
			return STACK_NONE;
	}
	for (u32 i = 0; i < STACK_VARIANTS; i++) {
		state->key.variant = i;
		memo = bpf_map_lookup_elem(&stack_memos, &state->key);
		if (!memo)
			break;
		if (is_same(memo, state)) {
			if (!memo->used)
				memo->used = 1;
			return memo->id;
		}
	}
	return STACK_UNKNOWN;
}

/* The id of the current thread's stack. */
static __always_inline u32 stack_of(struct task_struct *task, struct pt_regs *regs, u32 abi)
{
	struct stack_state *state = stack_state();
	u32 slot;

	if (!state || abi == ABI_I386)
		return STACK_NONE;
	slot = space_of(state, task);
	/* (A thread that ends may have none any more.) */
	if (!ONCE(state->key.space))
		return STACK_NONE;
	state->key.generation = *(volatile u32 *)&generations[slot & (SPACES - 1)];
	state->key.ip = ip_of(regs);
	state->key.sp = sp_of(regs);
	state->bp = bp_of(regs);
	return find_stack();
}

/* For how many calls the stack at the place that the CPU's state holds stands. */
static __always_inline u16 calls_of_stack(void)
{
	struct stack_state *state;

	if (!sample_stacks)
		return 1;
	state = stack_state();
	return state ? state->calls : 1;
}

static __always_inline void tell_stack(struct rec_block *block, u32 id)
{
	block->addr = id;
	block->len = 0;
	block->elem = calls_of_stack();
	block->op = 0;
	block->flags = BLOCK_STACK;
}

/* In the record that was just begun. */
static __always_inline void put_stack(struct scratch *s, u32 id)
{
	if (id == STACK_NONE || id == STACK_UNKNOWN)
		return;
	tell_stack((struct rec_block *)s->data, id);
	s->used = sizeof(struct rec_block);
}

static __always_inline u32 begin_stack(struct scratch *s, struct task_struct *task)
{
	u32 id = stack_of(task, (struct pt_regs *)bpf_task_pt_regs(task), s->call.head.abi);

	put_stack(s, id);
	return id;
}

/* Appends the stack at the place that the CPU's state holds. */
__noinline int copy_stack(struct scratch *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_state *state = stack_state();
	struct rec_block *block;
	struct rec_stack *rec;
	u32 at, to, got;

	if (!s || !state)
		return 0;
	at = ONCE(s->used);
	asm volatile("" : "+r"(at));
	/* As much behind as the stack may take. */
	if (at > 2 * BLOCK_MAX - STACK_COPY - PAGE)
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
	got = by_page(s, to, STACK_COPY, state->key.sp);
	block->addr = state->key.sp;
	block->len = sizeof(*rec) + got;
	block->elem = calls_of_stack();
	block->op = 0;
	block->flags = BLOCK_COPY;
	s->used = to + ((got + 7) & ~7U);
	return 0;
}

#define MAPS_NS 1000000ULL

struct maps_wait {
	u64 end;
	u32 slot;
	u32 generation;
};

static long until_read(u64 i, void *ctx)
{
	struct maps_wait *wait = ctx;

	return *(volatile u32 *)&generations_read[wait->slot & (SPACES - 1)] == wait->generation + 1 ||
	       bpf_ktime_get_ns() >= wait->end;
}

/*
 * Delays the current thread, whose copied stack was just sent, until Stride has read the mappings of this generation, for a
 * millisecond at most: a program that is over soon would take them with it. Threads whose stacks are known are not delayed.
 */
__noinline int wait_for_maps(void)
{
	struct stack_state *state = stack_state();
	struct maps_wait wait;

	if (!state)
		return 0;
	wait.slot = slot_of(ONCE(state->key.space));
	wait.generation = state->key.generation;
	if (*(volatile u32 *)&generations_read[wait.slot & (SPACES - 1)] == wait.generation + 1)
		return 0;
	wait.end = bpf_ktime_get_ns() + MAPS_NS;
	bpf_loop(DELAY_STEPS, until_read, &wait, 0);
	return 0;
}

#endif
