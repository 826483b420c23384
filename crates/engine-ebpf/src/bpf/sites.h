/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Samples of stacks, for views that only need to know which functions make most calls.
 *
 * A site is a place from which calls are made: address space, instruction and stack pointer. The first stacks of each site are all
 * taken, so that rare callers are found, too; then one of several, after a gap of random length, because a fixed one would meet the
 * same caller again and again where callers take turns. A sample stands for the calls since the sample before.
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

static __always_inline u32 site_of(u64 space, u64 ip, u64 sp)
{
	u64 hash = (space ^ ip) * 0x9e3779b97f4a7c15ULL ^ sp;

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
