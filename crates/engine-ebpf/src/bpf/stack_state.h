/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The place where the stack of a call is looked for, as each CPU keeps it meanwhile. */
#ifndef STRIDE_STACK_STATE_H
#define STRIDE_STACK_STATE_H

#include "mounts.h"

#define SCRIPT_NONE 0xffffffff
/* The start value of script_mixed (stride_event::MIX). */
#define SCRIPT_START 0x5f0e3b219c47d8a3ULL
/* The bytes that are read at a time, and more. */
#define SCRIPT_BYTES (SCRIPT_CONTENT * 8 + 128 + 8)
/* The bytes of the native stack that are read at a time: several frames. */
#define SCRIPT_WINDOW 1024

/* Threads have values of so many keys in a fixed place (pthread_getspecific in glibc). */
#define SCRIPT_KEYS 32

/* A stack of contexts. */
struct context_stack {
	u64 contexts;
	u64 before;
	s32 last;
	s32 places;
	s32 last_sub;
	s32 kind;
};

/* The frames of scripts that the thread runs, and the state of the search for them. */
struct script_state {
	struct script_layout layout;
	u64 thread_pointer;
	/* The next interpreter, thread and frame to look at. */
	u64 interpreter;
	u64 thread;
	u64 first_thread;
	u64 next;
	/* The code that was looked at last, and its number. */
	u64 code;
	u64 identity;
	u64 code_kind;
	/* The objects that named the code before, and their numbers: functions tend to have the file in common with their callers. */
	u64 content[SCRIPT_CONTENTS];
	u64 content_number[SCRIPT_CONTENTS];
	/* The objects of the code that is identified now. (They have no room on the stack of Linux 6.1.) */
	u64 object[SCRIPT_CONTENTS];
	/* Where the next frame goes on, on the native stack; and the piece of the stack that was read last. */
	u64 pc;
	u64 window_from;
	/* What stands for the words of the frames that were found last, by which thread, when they were identified, and the number that came of it. */
	u64 raw;
	u64 raw_thread;
	u64 identified_at;
	u64 identified;
	/* The stack of contexts that is walked; the statement that was looked at last; and the halves of numbers (script_contexts.h). */
	struct context_stack contexts;
	u64 place;
	u64 place_number;
	u64 code_number;
	/* The number of frames of the call before whose statements are known (begin_contexts). */
	u32 known;
	/*
	 * The frame of the coroutine of the task that the thread runs, or 0; the type of coroutines; what awaits the task, or the one before; and the coroutine that is
	 * looked at next (script_waiting.h).
	 */
	u64 task_frame;
	u64 coroutine_kind;
	u64 awaiter;
	u64 coroutine;
	/* The awaiter is a set. */
	u32 by_several;
	/* The frame was met. */
	u32 task_is_met;
	/* The next frame is the innermost one of its stack of contexts. */
	u32 innermost;
	/* What is looked at is copied, too. */
	u32 copies;
	u32 unused;
	u32 frames;
	/* enum script_end */
	u32 end;
	struct script_frame frame[SCRIPT_FRAMES];
	u8 bytes[SCRIPT_BYTES];
	u8 window[SCRIPT_WINDOW];
};

/* Where a call is looked for, and the memory that is read for that: one per CPU, as the scratch. */
struct stack_state {
	struct stack_key key;
	u64 bp;
	/*
	 * The stack's id. It stays here, because the verifier takes memory of a map to hold any number. Of an id in a register, it would
	 * know that it is none, or unknown, and walk all that follows for each of these.
	 */
	u32 id;
	u32 pad;
	/* The index of its site, and the number of calls that its stack stands for. */
	u32 site;
	u32 calls;
	/* The thread runs 32-bit code. */
	u32 is_32bit;
	/* The returns that are watched: their number, the return address that all of them have, and what stands for all of them. */
	u32 watched;
	u64 trampoline;
	u64 returns;
	struct return_instance *next_return;
	/* The frame pointer that is followed, and the other stack that one leads to. */
	u64 frame_pointer;
	u64 other_stack;
	struct stack_return watched_at[STACK_RETURNS];
	struct script_state script;
	/* The change of code that is being noted, and where the mapping ends that was looked at last. */
	struct code_change change;
	u64 looked_to;
	/* One of its mappings may have a run-time system of scripts. */
	u64 may_run_scripts;
	struct path_climb climb;
	u8 bytes[STACK_REREAD + PAGE];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct stack_state);
} stack_states SEC(".maps");

static __always_inline struct stack_state *stack_state(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&stack_states, &cpu);
}

#endif
