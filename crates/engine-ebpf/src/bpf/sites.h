/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Samples of stacks, for views that only need to know which functions make most calls.
 *
 * A site is a place from which calls are made: address space, instruction and stack pointer. The first stacks of each site are all
 * taken, so that rare callers are found, too; then one of several, after a gap of random length, because a fixed one would meet the
 * same caller again and again where callers take turns. A sample stands for the calls since the sample before.
 *
 * The first threads of all processes that run one program have their sites in common: otherwise every stack of a short process would be
 * a first one. The kernel moves code by whole pages, so such a site has the program, the instruction within its page, and the depth of
 * the stack.
 */
#ifndef STRIDE_SITES_H
#define STRIDE_SITES_H

enum {
	/* Stacks of a site that are all taken. */
	SITE_FIRST = 16,
	/* Calls between two samples behind these, at most: half as many on average. */
	SITE_GAP = 64,
};

struct site {
	u16 taken;
	/* Calls to come without their stacks, and their number when the gap began. */
	u16 left;
	u16 gap;
	u16 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct site);
} stack_sites SEC(".maps");

/* The place of an address space, in bounds that the verifier sees where it is used. */
static __always_inline u32 in_spaces(u32 slot)
{
	asm volatile("" : "+r"(slot));
	return slot & (SPACES - 1);
}

/* By address space: the file of its program, and where the stack of the first thread begins. */
u64 site_programs[SPACES];
u64 site_stacks[SPACES];

/* An address space runs this program. */
static __always_inline void note_program(u32 slot, void *file, u64 stack)
{
	site_programs[in_spaces(slot)] = (u64)file;
	site_stacks[in_spaces(slot)] = stack;
}

/* An address space was copied from another. */
static __always_inline void keep_program(u32 slot, u32 from)
{
	site_programs[in_spaces(slot)] = site_programs[in_spaces(from)];
	site_stacks[in_spaces(slot)] = site_stacks[in_spaces(from)];
}

/* A larger stack is not the first thread's. */
#define LARGEST_STACK (64 << 20)

static __always_inline u32 site_of(u32 slot, u64 space, u64 ip, u64 sp)
{
	u64 program = site_programs[in_spaces(slot)];
	u64 depth = site_stacks[in_spaces(slot)] - sp;
	u64 hash;

	if (program && depth < LARGEST_STACK) {
		space = program;
		ip &= PAGE - 1;
		sp = depth;
	}
	hash = (space ^ ip) * 0x9e3779b97f4a7c15ULL ^ sp;
	return hash * 0x9e3779b97f4a7c15ULL >> 48 & (STACK_SITES - 1);
}

/* The number of calls that this call's stack stands for; 0 if it is not to be taken. Threads of one site may disturb each other's
 * counts a little. */
static __always_inline u32 take_sample(u32 *at)
{
	struct site *site = bpf_map_lookup_elem(&stack_sites, at);
	u32 calls;

	if (!site)
		return 1;
	if (site->taken < SITE_FIRST) {
		site->taken++;
		return 1;
	}
	if (site->left) {
		site->left--;
		return 0;
	}
	calls = site->gap + 1;
	site->gap = site->left = bpf_get_prandom_u32() % SITE_GAP;
	return calls;
}

#endif
