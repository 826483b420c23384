/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Changes of the code in address spaces. Each raises the generation of the space, which is a part of every place that a stack is known by.
 * The mappings of that code are noted (mapped_code.h). Where that fails, and for programs that ran before, Stride reads the mappings from
 * /proc, and threads whose programs may be over soon wait for that.
 */
#ifndef STRIDE_CODE_CHANGES_H
#define STRIDE_CODE_CHANGES_H

#include "sites.h"
#include "script.h"
#include "mapped_code.h"

#define PROT_READ 1
#define PROT_EXEC 4
#define SHM_EXEC 0x8000

/* Each generation's change. It tells Stride which mappings may be newer than a stack. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct change_key);
	__type(value, struct code_change);
} code_changes SEC(".maps");

/*
 * The address spaces of processes that called execve, by process: 0 while it is being replaced. So Stride can tell that the mappings
 * that it has read belong to a stack's program, not to the next one.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} spaces SEC(".maps");

/* By address space, several of which may count together. */
u32 generations[SPACES] OF_READER = {};
/* The generation, plus one, up to which Stride knows the mappings, or need not read them from /proc. */
u32 generations_read[SPACES] OF_READER = {};
/* The generation, plus one, of the last stack that was copied; 0 if none was. */
u32 generations_copied[SPACES];
/* Until when the program counts as one that starts, and maps its libraries; 0 if it has begun to run. */
u64 programs_start[SPACES];
/* For how long threads have waited for Stride to read mappings. */
u64 maps_waited[SPACES];
/* All mappings were noted since the program began. */
bool spaces_noted[SPACES];

/* A process still has its memory when its end is reported (Linux 6.16). */
const volatile bool ends_with_memory;

static __always_inline u32 slot_of(u64 space)
{
	return space * 0x9e3779b97f4a7c15ULL >> 54;
}

/* Notes a thread's address space. (BPF_CORE_READ takes longer than a plain read, and the verifier takes less time: see find_current_stack.) */
static __always_inline void note_space(struct stack_state *state, struct task_struct *task)
{
	state->key.space = (u64)BPF_CORE_READ(task, mm);
}

/* True if Stride has read the mappings up to this generation, plus one. */
static __always_inline bool is_read_to(u32 slot, u32 wanted)
{
	return (s32)(*(volatile u32 *)&generations_read[in_spaces(slot)] - wanted) >= 0;
}

/* Begins with a change of an address space's code between two addresses. */
static __always_inline struct code_change *begin_change(struct stack_state *state, u64 space, u64 start, u64 end)
{
	struct code_change *change = &state->change;

	change->space = space;
	change->start = start;
	change->end = end;
	change->from = 0;
	change->from_generation = 0;
	change->mappings = 0;
	state->may_run_scripts = 0;
	return change;
}

/* Code may run scripts since this generation. */
static __always_inline void want_script(struct stack_state *state, u32 slot, u32 generation)
{
	if (ONCE(state->may_run_scripts))
		*(volatile u32 *)&scripts_wanted[in_spaces(slot)] = generation + 1;
}

/* Raises the generation of the changed address space. Returns the new generation. */
static __always_inline u32 note_change(struct code_change *change)
{
	struct change_key key = { .slot = slot_of(change->space) & (SPACES - 1) };

	key.generation = __sync_fetch_and_add(&generations[in_spaces(key.slot)], 1) + 1;
	bpf_map_update_elem(&code_changes, &key, change, BPF_ANY);
	return key.generation;
}

/* A generation's mappings are noted so far (an enum noted). If Stride knew the mappings `before`, it knows these without reading them. */
static __always_inline void note_known(u32 slot, u32 generation, int noted, bool before)
{
	if (noted == NOTED_NOTHING)
		*(volatile bool *)&spaces_noted[in_spaces(slot)] = false;
	if (noted == NOTED_ALL && before)
		*(volatile u32 *)&generations_read[in_spaces(slot)] = generation + 1;
}

/* Code was mapped between two addresses of the space that the CPU's state holds, or may have been. */
static __always_inline void change_code(struct stack_state *state, u64 start, u64 end)
{
	struct code_change *change = begin_change(state, ONCE(state->key.space), start, end);
	u32 slot = slot_of(change->space) & (SPACES - 1), generation;
	int noted = NOTED_NOTHING;

	if (start || end != ~0ULL)
		noted = note_mappings(start, end);
	else
		change->mappings = MAPPINGS_UNKNOWN;
	generation = note_change(change);
	note_known(slot, generation, noted, is_read_to(slot, generation));
	want_script(state, slot, generation);
}

/* execve is about to replace the address space. */
static __always_inline void leave_space(struct task_struct *task)
{
	u32 process = process_id_of(task);
	u64 none = 0;

	bpf_map_update_elem(&spaces, &process, &none, BPF_ANY);
}

/* execve has replaced it. */
static __always_inline void enter_space(struct task_struct *task)
{
	u32 process = process_id_of(task);
	struct stack_state *state = stack_state();
	u64 space;

	if (!state)
		return;
	note_space(state, task);
	space = ONCE(state->key.space);
	bpf_map_update_elem(&spaces, &process, &space, BPF_ANY);
}

/* execve has failed, or the process is over. */
static __always_inline void keep_space(struct task_struct *task)
{
	u32 process = process_id_of(task);

	bpf_map_delete_elem(&spaces, &process);
}

/* For how long the threads of this address space have waited (wait_for_maps). */
static __always_inline volatile u64 *waited_for_maps(u64 space)
{
	return &maps_waited[slot_of(space) & (SPACES - 1)];
}

/* The longest start: a program that seals no data does not tell when its libraries are mapped. */
#define START_NS 10000000ULL

/* An address space is new. It may lie where another one was. */
static __always_inline void begin_space(struct code_change *change, bool starts, bool is_noted)
{
	u32 slot = slot_of(change->space) & (SPACES - 1);
	u32 parents = slot_of(change->from) & (SPACES - 1);

	if (*(volatile u32 *)&script_slots[in_spaces(slot)] || change->from && *(volatile u32 *)&script_slots[in_spaces(parents)]) {
		if (begin_script(change->space, change->from, parents))
			*(volatile u32 *)&script_slots[in_spaces(slot)] = 1;
	}

	*waited_for_maps(change->space) = 0;
	*(volatile u32 *)&scripts_wanted[in_spaces(slot)] = 0;
	generations_copied[in_spaces(slot)] = 0;
	programs_start[in_spaces(slot)] = starts ? bpf_ktime_get_ns() + START_NS : 0;
	*(volatile bool *)&spaces_noted[in_spaces(slot)] = is_noted;
}

/* All code of a thread's address space is new. */
static __always_inline void new_code(struct task_struct *task)
{
	struct stack_state *state = stack_state();
	struct code_change *change;
	u32 slot, generation;
	int noted;

	if (!state)
		return;
	note_space(state, task);
	change = begin_change(state, ONCE(state->key.space), 0, ~0ULL);
	slot = slot_of(change->space) & (SPACES - 1);
	begin_space(change, true, true);
	noted = note_program_mappings();
	generation = note_change(change);
	note_known(slot, generation, noted, true);
	want_script(state, slot, generation);
	if (sample_stacks)
		note_program(slot, BPF_CORE_READ(task, mm, exe_file, f_inode), BPF_CORE_READ(task, mm, start_stack));
}

/* The mappings of libraries have been made. */
static __always_inline void end_start(struct stack_state *state)
{
	programs_start[in_spaces(slot_of(ONCE(state->key.space)))] = 0;
}

static __always_inline bool is_starting(u32 slot)
{
	u64 end = *(volatile u64 *)&programs_start[in_spaces(slot)];

	return end && bpf_ktime_get_ns() < end;
}

/* A child has the code of its parent. If Stride has read the parent's mappings, it knows the child's. */
static __always_inline void forked_space(struct task_struct *parent, struct task_struct *child)
{
	struct stack_state *state = stack_state();
	struct code_change *change;
	u32 slot, parents;
	bool waited;
	u64 from;

	if (!state)
		return;
	note_space(state, parent);
	from = ONCE(state->key.space);
	note_space(state, child);
	change = begin_change(state, ONCE(state->key.space), 0, ~0ULL);
	if (from == change->space)
		return;
	slot = slot_of(change->space) & (SPACES - 1);
	parents = slot_of(from) & (SPACES - 1);
	change->from = from;
	change->from_generation = *(volatile u32 *)&generations[in_spaces(parents)];
	waited = *waited_for_maps(from);
	begin_space(change, false, *(volatile bool *)&spaces_noted[in_spaces(parents)]);
	note_known(slot, note_change(change), NOTED_ALL, is_read_to(parents, change->from_generation + 1));
	/* The child runs its parent's program, which has had its FIRST_MAPS_NS. */
	if (waited)
		*waited_for_maps(change->space) = 1;
	if (sample_stacks)
		keep_program(slot, parents);
}

/* Looks whether the call that the current thread returns from has mapped code. */
__noinline int note_code(u32 flags, s64 ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct stack_state *state = stack_state();
	u32 abi = abi_of(task);
	u64 args[6];

	if (!state || is_error(ret))
		return 0;
	note_space(state, task);
	if (hides_mapping(abi, nr_of(regs))) {
		change_code(state, 0, ~0ULL);
		return 0;
	}
	if (abi == ABI_I386)
		ret = (u32)ret;
	args_of(regs, abi, args);
	if (flags & CALL_ATTACHES) {
		/* (Its size is known to the kernel alone.) */
		if (args[2] & SHM_EXEC)
			change_code(state, ret, ~0ULL);
	} else if (flags & CALL_REMAPS) {
		if (args[0] != (u64)ret)
			change_code(state, ret, ret + args[2]);
	} else if (args[2] & PROT_EXEC) {
		/* mmap(2) returns the address; mprotect(2) gets it, and returns 0. */
		u64 start = ret ? ret : args[0];

		change_code(state, start, start + args[1]);
	} else if (!ret && args[2] == PROT_READ) {
		/* mprotect(2): the dynamic linker seals data when all libraries are mapped. */
		end_start(state);
	}
	return 0;
}

#define MAPS_NS 1000000ULL
/* The first wait of a program is longer: it may be the only one, and when the command begins, Stride is often not asleep, but waits for
 * the CPU that the command runs on, until another CPU takes it over. */
#define FIRST_MAPS_NS (5 * MAPS_NS)
/* A program that maps code all the time is not delayed all the time. */
#define ALL_MAPS_NS (200 * MAPS_NS)

/* True if the space has mapped code that may run scripts, and the reader has not looked at that. */
static __always_inline bool awaits_script(u32 slot)
{
	u32 wanted = *(volatile u32 *)&scripts_wanted[in_spaces(slot)];

	return wanted && (s32)(*(volatile u32 *)&scripts_read[in_spaces(slot)] - wanted) < 0;
}

struct maps_wait {
	u64 end;
	u32 slot;
	/* The generation, plus one, that is to be read. */
	u32 wanted;
};

static long until_read(u64 i, void *ctx)
{
	struct maps_wait *wait = ctx;

	return is_read_to(wait->slot, wait->wanted) || bpf_ktime_get_ns() >= wait->end;
}

/* Delays the current thread until Stride has read the mappings of an address space up to a generation, for some milliseconds at most. */
static __always_inline void wait_until_read(u64 space, u32 wanted)
{
	struct maps_wait wait = { .slot = slot_of(space), .wanted = wanted };
	volatile u64 *waited = waited_for_maps(space);
	u64 start;

	if (is_read_to(wait.slot, wanted) || *waited >= ALL_MAPS_NS)
		return;
	start = bpf_ktime_get_ns();
	wait.end = start + (*waited ? MAPS_NS : FIRST_MAPS_NS);
	bpf_loop(DELAY_STEPS, until_read, &wait, 0);
	__sync_fetch_and_add(waited, bpf_ktime_get_ns() - start);
}

static long until_script(u64 i, void *ctx)
{
	struct maps_wait *wait = ctx;

	return !awaits_script(wait->slot) || bpf_ktime_get_ns() >= wait->end;
}

/*
 * Delays the current thread until Stride knows where its scripts have their frames, once, and for some milliseconds at most: the calls that it makes
 * before have stacks without scripts.
 */
static __always_inline void wait_for_script(u32 slot)
{
	struct maps_wait wait = { .slot = slot, .end = bpf_ktime_get_ns() + FIRST_MAPS_NS };

	bpf_loop(DELAY_STEPS, until_script, &wait, 0);
	*(volatile u32 *)&scripts_wanted[in_spaces(slot)] = 0;
}

/* True if a thread whose stack was just copied may go on: the mappings are noted, and before they go, the thread waits (wait_before_end). */
static __always_inline bool goes_on(u32 slot)
{
	return ends_with_memory && *(volatile bool *)&spaces_noted[in_spaces(slot)];
}

/*
 * True if Stride is to be woken for the stack that was just copied. While a program maps its libraries, only the first stack wakes Stride:
 * it has the mappings read long before the program may end. A sample wakes Stride only if mappings are to be read.
 */
static __always_inline bool is_urgent_stack(struct stack_state *state)
{
	u32 slot = slot_of(ONCE(state->key.space));

	if (awaits_script(slot))
		return true;
	if ((sample_stacks || goes_on(slot)) && is_read_to(slot, state->key.generation + 1))
		return false;
	if (sample_stacks)
		return true;
	return !*(volatile u32 *)&generations_copied[in_spaces(slot)] || !is_starting(slot);
}

/*
 * Delays the current thread, whose copied stack was just sent, until Stride has read the mappings of this generation: a program that is
 * over soon would take them with it, and code that a program maps while it runs may soon be gone. A program that starts is not delayed: its
 * libraries stay, and one reading is enough for all of them. Threads whose stacks are known are not delayed. Nor are those of a program
 * that has waited for long in all: it is not over soon.
 */
__noinline int wait_for_maps(void)
{
	struct stack_state *state = stack_state();
	u32 slot, wanted;

	if (!state)
		return 0;
	slot = slot_of(ONCE(state->key.space)) & (SPACES - 1);
	wanted = state->key.generation + 1;
	generations_copied[in_spaces(slot)] = wanted;
	if (!goes_on(slot) && !is_starting(slot))
		wait_until_read(ONCE(state->key.space), wanted);
	if (awaits_script(slot))
		wait_for_script(slot);
	return 0;
}

/* The generation up to which Stride has yet to read the mappings for stacks of the current thread's program, or 0. */
__noinline int unread_generation(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_state *state = stack_state();
	u64 space;
	u32 wanted;

	if (!state)
		return 0;
	note_space(state, task);
	space = ONCE(state->key.space);
	wanted = *(volatile u32 *)&generations_copied[in_spaces(slot_of(space))];
	return space && !is_read_to(slot_of(space), wanted) ? wanted : 0;
}

/* Delays the current thread until Stride has read the mappings for all stacks of its program, which is about to be over. */
__noinline int wait_before_end(void)
{
	u32 wanted = unread_generation();
	struct stack_state *state = stack_state();

	if (state && wanted)
		wait_until_read(ONCE(state->key.space), wanted);
	return 0;
}

#endif
