/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Multiplexed calls of i386, such as socketcall. The description of syscalls says which call is the target, and where its arguments
 * are (`syscalls/src/multiplexed.rs`). Arguments in memory are read when the call is entered or returns, whichever a program sees.
 */
#ifndef STRIDE_MULTIPLEXED_H
#define STRIDE_MULTIPLEXED_H

/* Behind this are words of memory (`multiplexed::MEMORY`). */
#define TARGET_MEMORY 8

/* The targets: those of socketcall by their number, then those of ipc, and those of ipc's newer version. */
const volatile struct target_call target_calls[3 * TARGET_CALLS];

/* The call that was demultiplexed last: one per CPU, as the scratch. */
struct demultiplexed {
	u64 args[6];
	/* The words from which the target's arguments are taken: 0, the arguments but the first, and from TARGET_MEMORY on the words of memory. */
	u64 source[2 * TARGET_MEMORY];
	u64 target[6];
	u32 words[TARGET_MEMORY];
	s32 nr;
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct demultiplexed);
} demultiplexings SEC(".maps");

static __always_inline struct demultiplexed *demultiplexed(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&demultiplexings, &cpu);
}

static __always_inline u32 target_index(s32 nr, u32 first)
{
	u32 call = first & 0xffff;

	if (nr == I386_SELECT)
		return TARGET_SELECT;
	if (nr == I386_MMAP)
		return TARGET_MMAP;
	if (nr == I386_SOCKETCALL)
		return first < TARGET_SELECT ? first : 3 * TARGET_CALLS;
	if (call >= TARGET_CALLS)
		return 3 * TARGET_CALLS;
	return (first >> 16 ? 2 * TARGET_CALLS : TARGET_CALLS) + call;
}

/* Finds the call that the current thread's call stands for, and its arguments. Without one, the number stays as it is. */
__noinline int demultiplex(struct demultiplexed *u)
{
	const volatile struct target_call *target;
	u32 index, len;

	if (!u)
		return 0;
	index = target_index(u->nr, u->args[0]);
	FORGET(index, u->args[0]);
	if (index >= 3 * TARGET_CALLS)
		return 0;
	target = &target_calls[index];
	if (!target->nr)
		return 0;
	len = target->words * sizeof(u->words[0]);
	asm volatile("" : "+r"(len));
	if (len > sizeof(u->words))
		return 0;
	if (len && bpf_probe_read_user(u->words, len, (void *)(target->pointer ? (target->pointer == 1 ? u->args[1] : u->args[4]) : u->args[0])))
		return 0;
	for (u32 i = 1; i < 6; i++)
		u->source[i] = u->args[i];
	for (u32 i = 0; i < TARGET_MEMORY; i++)
		u->source[TARGET_MEMORY + i] = u->words[i];
	for (u32 i = 0; i < 6; i++)
		u->target[i] = u->source[target->from[i] & (2 * TARGET_MEMORY - 1)];
	u->nr = target->nr;
	return 0;
}

static __always_inline bool is_multiplexed(u32 abi, s32 nr)
{
	return abi == ABI_I386 && (nr == I386_SOCKETCALL || nr == I386_IPC || nr == I386_SELECT || nr == I386_MMAP);
}

/* A function of its own, so that the caller need not hold the registers, of which the verifier wants to know where they are. */
__noinline int demultiplex_current(u32 nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct demultiplexed *u = demultiplexed();

	if (!u)
		return nr;
	args_of((struct pt_regs *)bpf_task_pt_regs(task), ABI_I386, u->args);
	u->nr = nr;
	demultiplex(u);
	return u->nr;
}

/* The number of the target of the current thread's call of this number; this number, if it is not multiplexed. */
static __always_inline s32 target_nr(u32 abi, s32 nr)
{
	return is_multiplexed(abi, nr) ? demultiplex_current(nr) : nr;
}

/* The arguments of the current thread's call. Its number is that of the target. */
static __always_inline void target_args(struct pt_regs *regs, u32 abi, s32 nr, u64 *args)
{
	struct demultiplexed *u;

	args_of(regs, abi, args);
	if (!is_multiplexed(abi, nr_of(regs)) || nr == nr_of(regs))
		return;
	u = demultiplexed();
	if (!u || u->nr != nr)
		return;
	/* (Volatile, so that the compiler does not read these and the registers by one instruction, which the verifier of Linux 6.1 refuses.) */
	for (int i = 0; i < 6; i++)
		args[i] = *(volatile u64 *)&u->target[i];
}

#endif
