/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The CPU's scratch record, and the plans' ops. */
#ifndef STRIDE_SCRATCH_H
#define STRIDE_SCRATCH_H

/*
 * Loads memory that the verifier takes to hold anything, exactly once: the compiler must not repeat the load after the
 * value was checked.
 */
#define ONCE(x) (*(volatile typeof(x) *)&(x))

/*
 * Makes the verifier forget what it knows of a number: XOR it twice with a number of which the verifier knows nothing. Then the verifier
 * walks the code behind that once, and not once for each value of the number that led there.
 */
#define FORGET(number, unknown)                                                   \
	({                                                                        \
		u64 _number = (number), _unknown = (unknown);                     \
		asm volatile("%0 ^= %1\n\t%0 ^= %1" : "+r"(_number) : "r"(_unknown)); \
		(number) = _number;                                               \
	})

/*
 * Comparisons without a branch. The verifier walks both ways of a branch, and what follows for each, until it comes to a place where it has been with the same
 * knowledge. 1 if a is above b (the subtraction borrows); 1 if they differ; and the smaller of them, of which the verifier knows no bound.
 */
static __always_inline u64 above(u64 a, u64 b)
{
	u64 less = b - a;

	asm volatile("" : "+r"(less));
	return (a & ~b | (a | ~b) & less) >> 63;
}

static __always_inline u64 differs(u64 a, u64 b)
{
	u64 difference = a ^ b, negative = -difference;

	asm volatile("" : "+r"(negative));
	return (difference | negative) >> 63;
}

static __always_inline u64 least(u64 a, u64 b)
{
	return a ^ ((a ^ b) & -above(a, b));
}

static __always_inline struct scratch *scratch(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&scratches, &cpu);
}

/*
 * Goes on with the program that follows those at entry. If the verifier knew which one it is, the kernel would write the jump into the code of each of these programs
 * when it is put into the map, and have all CPUs wait for that each time. `unknown`: a number of which the verifier knows nothing.
 */
static __always_inline void go_on(void *ctx, u64 unknown)
{
	u64 step = STEP_ENTRY;

	FORGET(step, unknown);
	bpf_tail_call(ctx, &steps, step);
}

static __always_inline struct op *op_at(u32 index)
{
	return bpf_map_lookup_elem(&ops, &index);
}

static __always_inline u64 low_bytes(u64 value, u32 width)
{
	return width >= 8 ? value : value & ((1ULL << ((width & 7) * 8)) - 1);
}

static __always_inline u32 word_size(struct scratch *s)
{
	return s->call.head.abi == ABI_I386 ? 4 : 8;
}

/* A number within the captured data. The bound is checked on the same register that is used. */
static __always_inline u64 number_at(struct scratch *s, u32 at, u32 width)
{
	asm volatile("" : "+r"(at));
	if (at > BLOCKS_END + BLOCK_MAX + MAX_AT)
		return 0;
	switch (width) {
	case 8:
		return *(u64 *)(s->data + at);
	case 4:
		return *(u32 *)(s->data + at);
	case 2:
		return *(u16 *)(s->data + at);
	case 1:
		return s->data[at];
	}
	return 0;
}

#endif
