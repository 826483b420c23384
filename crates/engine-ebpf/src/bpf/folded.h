/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Calls of i386 that are others in disguise, such as socketcall. The description of syscalls says which call is meant, and where its arguments
 * are (`syscalls/src/multiplexed.rs`). Arguments in memory are read when the call is entered or returns, whichever a program sees.
 */
#ifndef STRIDE_FOLDED_H
#define STRIDE_FOLDED_H

/* Behind this are words of memory (`folded::MEMORY`). */
#define MEANT_MEMORY 8

/* The calls that are meant: those of socketcall by their number, then those of ipc, and those of ipc's newer version. */
const volatile struct meant_call meant_calls[3 * MEANT_CALLS];

/* The call that was unfolded last: one per CPU, as the scratch. */
struct unfolded {
	u64 args[6];
	u64 meant[6];
	u32 words[8];
	s32 nr;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct unfolded);
} unfoldeds SEC(".maps");

static __always_inline struct unfolded *unfolded(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&unfoldeds, &cpu);
}

static __always_inline u32 meant_index(s32 nr, u32 first)
{
	u32 call = first & 0xffff;

	if (nr == I386_SELECT)
		return MEANT_SELECT;
	if (nr == I386_MMAP)
		return MEANT_MMAP;
	if (nr == I386_SOCKETCALL)
		return first < MEANT_SELECT ? first : 3 * MEANT_CALLS;
	if (call >= MEANT_CALLS)
		return 3 * MEANT_CALLS;
	return (first >> 16 ? 2 * MEANT_CALLS : MEANT_CALLS) + call;
}

/* Finds the call that the current thread's call stands for, and its arguments. Without one, the number stays as it is. */
__noinline int unfold(struct unfolded *u)
{
	const volatile struct meant_call *meant;
	u32 index, len;

	if (!u)
		return 0;
	index = meant_index(u->nr, u->args[0]);
	asm volatile("" : "+r"(index));
	if (index >= 3 * MEANT_CALLS)
		return 0;
	meant = &meant_calls[index];
	if (!meant->nr)
		return 0;
	len = meant->words * sizeof(u->words[0]);
	asm volatile("" : "+r"(len));
	if (len > sizeof(u->words))
		return 0;
	if (len && bpf_probe_read_user(u->words, len, (void *)(meant->pointer ? (meant->pointer == 1 ? u->args[1] : u->args[4]) : u->args[0])))
		return 0;
	for (u32 i = 0; i < 6; i++) {
		u32 from = meant->from[i];

		if (from >= MEANT_MEMORY)
			u->meant[i] = u->words[from & 7];
		else
			u->meant[i] = from && from < 6 ? u->args[from] : 0;
	}
	u->nr = meant->nr;
	return 0;
}

static __always_inline bool folds(u32 abi, s32 nr)
{
	return abi == ABI_I386 && (nr == I386_SOCKETCALL || nr == I386_IPC || nr == I386_SELECT || nr == I386_MMAP);
}

/* A function of its own, so that the caller need not hold the registers, of which the verifier wants to know where they are. */
__noinline int unfold_current(u32 nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct unfolded *u = unfolded();

	if (!u)
		return nr;
	args_of((struct pt_regs *)bpf_task_pt_regs(task), ABI_I386, u->args);
	u->nr = nr;
	unfold(u);
	return u->nr;
}

/* The number of the call that is meant by the current thread's call of this number. */
static __always_inline s32 meant_nr(u32 abi, s32 nr)
{
	return folds(abi, nr) ? unfold_current(nr) : nr;
}

/* The arguments of the current thread's call. Its number is that of the call that is meant. */
static __always_inline void meant_args(struct pt_regs *regs, u32 abi, s32 nr, u64 *args)
{
	struct unfolded *u;

	args_of(regs, abi, args);
	if (!folds(abi, nr_of(regs)) || nr == nr_of(regs))
		return;
	u = unfolded();
	if (!u || u->nr != nr)
		return;
	/* (Volatile, so that the compiler does not read these and the registers by one instruction, which the verifier of Linux 6.1 refuses.) */
	for (int i = 0; i < 6; i++)
		args[i] = *(volatile u64 *)&u->meant[i];
}

#endif
