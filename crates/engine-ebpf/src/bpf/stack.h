/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Stacks of calls, without an unwinder in the kernel (src/stacks/mod.rs tells the whole).
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

#include "stack_state.h"
#include "code_changes.h"

/* By the words' place. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct stack_key);
	__type(value, struct stack_memo);
} stack_memos SEC(".maps");

/* Words of a memo that one loop compares with memory. */
#define STACK_STEP 8

/*
 * True if memory has changed at one of the memo's words: of up to STACK_STEP words, the first of which has the number `from`. A function of its own, because the
 * verifier walks a loop once for each round, but a function only once.
 */
__noinline int differ(struct stack_memo *memo, struct stack_state *state, u32 from)
{
	u64 differences = 0;
	u32 n;

	if (!memo || !state)
		return 1;
	n = ONCE(memo->words);
	for (u32 i = 0; i < STACK_STEP; i++) {
		u32 word = from + i, at;

		asm volatile("" : "+r"(word));
		if (word >= n || word >= STACK_WORDS)
			break;
		at = ONCE(memo->word[word].at);
		asm volatile("" : "+r"(at));
		if (at > STACK_REREAD)
			return 1;
		differences |= *(u64 *)(state->bytes + at) ^ memo->word[word].value;
	}
	/* A word of 4 bytes has others behind it, which do not matter. */
	if (memo->narrow)
		differences = (u32)differences;
	return differences != 0;
}

/* Reads a range of memory that has words of the memo. */
__noinline int read_range(struct stack_memo *memo, struct stack_state *state, u32 i)
{
	u32 to, len;

	if (!memo || !state || i >= STACK_RANGES)
		return 1;
	to = ONCE(memo->range[i].to);
	len = ONCE(memo->range[i].len);
	asm volatile("" : "+r"(to), "+r"(len));
	return to > STACK_REREAD || len > PAGE ||
	       bpf_probe_read_user(state->bytes + to, len, (void *)memo->range[i].from);
}

/* True if memory still holds the words of this memo, and the registers that it depends on are the same: it is the same stack. */
__noinline int is_same(struct stack_memo *memo, struct stack_state *state)
{
	u32 n;

	if (!memo || !state)
		return 0;
	if (memo->uses_bp && memo->bp != state->bp)
		return 0;
	if (memo->returns != state->returns)
		return 0;
	n = ONCE(memo->ranges);
	for (u32 i = 0; i < STACK_RANGES; i++) {
		if (i >= n)
			break;
		if (read_range(memo, state, i))
			return 0;
	}
	n = ONCE(memo->words);
	for (u32 i = 0; i < STACK_WORDS; i += STACK_STEP) {
		if (i >= n)
			break;
		if (differ(memo, state, i))
			return 0;
	}
	return 1;
}

static __always_inline void set_stack(struct stack_state *state, u32 id)
{
	*(volatile u32 *)&state->id = id;
}

static long note_return(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();
	struct return_instance *instance;
	struct stack_return *watched;

	if (!state)
		return 1;
	instance = (struct return_instance *)ONCE(state->next_return);
	if (!instance)
		return 1;
	watched = &state->watched_at[i & (STACK_RETURNS - 1)];
	watched->at = BPF_CORE_READ(instance, stack);
	watched->address = BPF_CORE_READ(instance, orig_ret_vaddr);
	state->returns = (state->returns ^ watched->at) * 0x9e3779b97f4a7c15ULL;
	state->returns = (state->returns ^ state->returns >> 32 ^ watched->address) * 0x9e3779b97f4a7c15ULL;
	state->watched = i + 1;
	state->next_return = BPF_CORE_READ(instance, next);
	return 0;
}

/*
 * Notes which returns of the current thread's functions are watched, by whichever tracer. Such a function has the kernel's return address on
 * the stack, and the kernel knows the program's. A stack depends on that list. A memo has one number for all of it, in which both words of each
 * return count.
 */
__noinline int note_returns(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_state *state = stack_state();

	if (!state)
		return 0;
	state->next_return = BPF_CORE_READ(task, utask, return_instances);
	if (!state->next_return)
		return 0;
	state->trampoline = BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr);
	bpf_loop(STACK_RETURNS, note_return, NULL, 0);
	return 0;
}

/* The id of the current thread's stack, at the place that the CPU's state holds. */
static __always_inline int find_stack(struct stack_state *state)
{
	u64 space = ONCE(state->key.space);
	struct stack_memo *memo;

	/* (A thread that ends may have no space any more.) */
	if (!space)
		return STACK_NONE;
	state->key.generation = *(volatile u32 *)&generations[slot_of(space) & (SPACES - 1)];
	if (stacks_have_returns) {
		*(volatile u32 *)&state->watched = 0;
		*(volatile u64 *)&state->returns = 0;
		note_returns();
	}
	if (sample_stacks) {
		state->site = site_of(slot_of(space), space, state->key.ip, state->key.sp);
		state->calls = take_sample(&state->site);
		if (!state->calls)
			return STACK_NONE;
	}
	note_script(state, slot_of(space));
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

/*
 * The same, and notes the thread's address space before. A function of its own, because the verifier searches the names of all kernel
 * types, four times, whenever it comes upon that member: that takes a millisecond. The address goes through memory, which the verifier
 * takes to hold a number: it is one for what follows.
 */
__noinline int find_current_stack(void)
{
	struct stack_state *state = stack_state();

	if (!state)
		return STACK_NONE;
	*(volatile u64 *)&state->key.space = (u64)bpf_get_current_task_btf()->mm;
	return find_stack(state);
}

/* Its address space was noted. */
__noinline int find_stack_in_space(void)
{
	struct stack_state *state = stack_state();

	return state ? find_stack(state) : STACK_NONE;
}

/* Notes where the current thread is. False if its stack cannot be looked for. */
static __always_inline bool note_place(struct stack_state *state, struct pt_regs *regs)
{
	set_stack(state, STACK_NONE);
	if (!runs_known_code(regs))
		return false;
	state->key.ip = ip_of(regs);
	state->key.sp = sp_of(regs);
	state->bp = bp_of(regs);
	state->is_32bit = runs_32bit(regs);
	return true;
}

/* Finds the id of the current thread's stack. */
static __always_inline void look_for_stack(struct stack_state *state, struct pt_regs *regs)
{
	if (note_place(state, regs))
		set_stack(state, find_current_stack());
}

/* The same for the thread `task`, which is the current one, in programs that run rarely. */
static __always_inline void look_for_stack_of(struct stack_state *state, struct task_struct *task, struct pt_regs *regs)
{
	note_space(state, task);
	if (note_place(state, regs))
		set_stack(state, find_stack_in_space());
}

static __always_inline bool is_unknown(struct stack_state *state)
{
	return ONCE(state->id) == STACK_UNKNOWN;
}

/* For how many calls a stack stands. */
static __always_inline u32 calls_of_stack(struct stack_state *state)
{
	return sample_stacks ? state->calls : 1;
}

/* The stack that was found, and for how many calls it stands. */
static __always_inline void tell_stack(struct rec_block *block, struct stack_state *state)
{
	block->addr = ONCE(state->id);
	block->len = 0;
	block->elem = calls_of_stack(state);
	block->op = 0;
	block->flags = BLOCK_STACK;
}

/* In the record that was just begun. */
static __always_inline void put_stack(struct scratch *s, struct stack_state *state)
{
	if (ONCE(state->id) == STACK_NONE || is_unknown(state))
		return;
	tell_stack((struct rec_block *)s->data, state);
	s->used = sizeof(struct rec_block);
}

/* Looks for the stack of the call whose record was just begun. */
static __always_inline void begin_stack(struct scratch *s, struct stack_state *state, struct task_struct *task)
{
	look_for_stack_of(state, task, (struct pt_regs *)bpf_task_pt_regs(task));
	put_stack(s, state);
}

#endif
