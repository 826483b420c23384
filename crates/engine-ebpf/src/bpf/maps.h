/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The maps, and the settings that the loader fills in. Sizes given as 1 are set while loading. */
#ifndef STRIDE_MAPS_H
#define STRIDE_MAPS_H

#include "shared.h"

/* All rings, if there are several. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct {
		__uint(type, BPF_MAP_TYPE_RINGBUF);
		__uint(max_entries, 4096);
	});
} rings SEC(".maps");

/* Index: ABI * NUMBERS + number. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, ABIS * NUMBERS);
	__type(key, u32);
	__type(value, struct call_plan);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct op);
} ops SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct choice);
} choices SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct case_key);
	__type(value, struct op_run);
} cases SEC(".maps");

/* Bytes of a piece (pieces.h). */
#define PIECE_SIZE 32768

/*
 * Where a record is built: one per CPU. (An element of a per-CPU map has at most 32 KiB.) The programs that use it run with
 * preemption off, and never in interrupts. (Those at functions have a map of their own: functions.h.)
 */
struct scratch {
	/* The interpreter's state: the call's plan, bytes of `data` in use, how the call ended, and the state of its loops. */
	u32 index;
	u32 used;
	u32 failed;
	u32 phase;
	u32 room;
	/* A program that may be preempted uses it (functions.h). */
	u32 busy;
	struct {
		u32 first;
		u32 n;
		u32 base;
		u32 pad;
	} run;
	struct {
		u32 op;
		u32 me;
		u32 off;
		u32 at;
		u32 end;
		u32 pad;
	} walk;
	struct {
		u64 ptr;
		u32 to;
		u32 want;
		u32 got;
		u32 pad;
	} read;
	/* The pages of a stack that are copied (stack_copy.h). */
	struct {
		u64 from;
		u64 pages;
		u64 top;
		u32 to;
		u32 end;
		u32 absent;
		u32 most_absent;
	} stack;
	struct {
		u32 from;
		u32 words;
		u32 word;
		u32 found;
	} scan;
	/* The block that is sent in pieces. */
	struct {
		u64 ptr;
		u64 left;
		/* Where it lies in `data`, and the end of what `data` holds of the call. */
		u32 off;
		u32 end;
		/* Bytes that were sent of this call. */
		u32 sent;
		u32 pad;
	} piece;
	struct count_key count_key;
	/* The record: these three, without gaps. */
	struct rec_call call;
	struct rec_more more;
	/*
	 * A block begins below BLOCKS_END and has at most BLOCK_MAX bytes. A word at up to MAX_AT within it may be read. Behind all blocks, a
	 * piece has room.
	 */
	u8 data[BLOCKS_END + BLOCK_MAX + 2 * MAX_AT + sizeof(struct rec_memory) + PIECE_SIZE];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* Index: CPU * COUNT_SLOTS + slot. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct count);
} counts SEC(".maps");

/* Used in place of `counts` if calls are counted by more than their number. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, COUNT_ROWS);
	__type(key, struct count_key);
	__type(value, struct count);
} counts_by SEC(".maps");
/* The beginning of a row. */
struct count nothing_counted;

/*
 * The programs that follow those at entry. So these share one copy of the interpreter, whose verification takes most of the
 * loading time.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(u32));
} steps SEC(".maps");
enum { STEP_ENTRY = 0 };

/* Always empty (see KEEP_ON_KERNEL_STACK). */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(u32));
} no_steps SEC(".maps");

/*
 * From Linux 6.13 on, a program has a stack of its own for each CPU, unless it may go on with another program. The kernel checks the destination of each copy
 * from user space, and for memory that is not on its own stack, this check takes as long as the copy. (The condition is never true, which the
 * verifier finds out only after it has decided about the stack.)
 */
#define KEEP_ON_KERNEL_STACK(ctx, task) \
	do { \
		if (!(task)) \
			bpf_tail_call(ctx, &no_steps, 0); \
	} while (0)

/* Settings: constants for the verifier, which drops the code that they switch off. */
const volatile bool follow;
const volatile bool take_times;
const volatile bool take_stacks;
/* Only of some calls (sites.h). */
const volatile bool sample_stacks;
/* Calls' records always have times, because those of several rings are sorted by them. */
const volatile bool stamp;
const volatile u32 ring_count;
/* Records have the members that are rarely asked for: times, instruction and stack pointer. */
const volatile bool tell_more;
/* Calls are counted here, and no records are made of them. */
const volatile bool count_calls;
const volatile bool count_only;
/* Counting separates time on a CPU from time spent waiting. */
const volatile bool count_cpu;
/* Not all entries of calls are seen (counting/timing.rs). */
const volatile bool times_some;
/* It keeps histograms. */
const volatile bool count_latencies;
/* And bytes moved. */
const volatile bool count_bytes;
/* Counting uses other keys than the calls' numbers: these. */
const volatile bool count_more;
/* But calls that succeed are counted by their numbers. */
const volatile bool count_failures;
const volatile bool by_call;
const volatile bool by_error;
const volatile bool by_pid;
const volatile bool by_tid;
const volatile bool by_comm;
const volatile bool by_size;
const volatile bool by_cgroup;
const volatile bool by_duration;
const volatile bool by_user;
/* There are calls with CALL_FDS: the descriptors that are wanted, and whether those from FD_MAX on are. */
const volatile bool filter_fds;
const volatile u64 wanted_fds[FD_MAX / 64];
const volatile bool want_high_fds;
/* Only some calls are wanted. */
const volatile bool few_calls;
/* When a call returns, its thread is asked about first, and then how it returned, because nothing else is needed of most calls. */
const volatile bool thread_first;
const volatile bool outcome_first;
/* The numbers, in any ABI, of calls that have to be looked at closer: when they are entered, and when they return if few are wanted. */
const volatile u64 seen_entering[NUMBERS / 64];
const volatile u64 seen_leaving[NUMBERS / 64];
const volatile bool trace_unknown;
/* execve is seen when it has succeeded (or nearly so), not when it is entered. */
const volatile bool have_prepare_exec;
const volatile bool detach_on_exec;
/* The children of threads at this depth are not traced. */
const volatile u32 max_depth;
/* Watched returns of libraries' functions are system calls (uretprobe, Linux 6.11), which are not the program's own. */
const volatile bool returns_are_calls;
/* Returns of functions are watched, and stacks are taken. */
const volatile bool stacks_have_returns;
/* The fill at which a waiting reader is woken. */
const volatile u64 ring_wake_mark;
/* Programs may be attached to the functions of the wanted calls, once the run turns out to be long. */
const volatile bool may_hook;

/*
 * The words that the programs and the reader share. The reader may be a user without privileges, who can write anything here: so no
 * program decides by them which threads are traced, or what is read of them. (They delay writers and wake readers.)
 */
#define OF_READER SEC(".data.reader")

/* Set by the reader while it waits. */
u32 reader_waits OF_READER = 0;
/* Calls, control records and signals that found no room. */
u64 calls_lost OF_READER = 0;
u64 control_lost OF_READER = 0;
u64 signals_lost OF_READER = 0;
/* How many calls were delayed, and by how much in all. */
u64 calls_delayed OF_READER = 0;
u64 delayed_ns OF_READER = 0;
/* On a cache line of its own, which nobody writes to as long as the reader keeps up. */
struct pressure pressure __attribute__((aligned(64))) OF_READER = {};
/* Traced threads that have not ended. The records may have gaps, this has none. */
u64 threads_alive OF_READER = 0;
/* The interval whose calls are counted now. The reader begins the next one. */
u32 interval OF_READER = 0;

/* How many threads have got a ring. */
u32 rings_given;
/* The thread or process that the task iterator adopts, and the flags that it gives to the threads. */
u32 seed_id;
u32 seed_is_tgid;
u32 seed_flags;
/* Set if there was such a thread, and if one had ended but was not reaped. */
u32 seed_found;
u32 seed_ended;
/* Slots of `counts` given out. */
u32 slots_used;
/* The functions of the wanted calls, while they are looked for; the threads in calls that those functions did not see begin, when they were
 * counted last; and whether tracing by functions is over. */
struct function_search functions = {};
u32 hooks_missing = 0;
u32 hooks_over = 0;

/* Only here to put these types into the object's type information, from which the Rust mirror is made. */
struct wire_types {
	struct rec_head head;
	struct rec_call call;
	struct rec_more more;
	struct rec_block block;
	struct rec_memory memory;
	struct rec_start start;
	struct rec_signal signal;
	struct rec_exit exit;
	struct rec_exec exec;
	struct rec_file file;
	struct fds_plan fds;
	enum file_flag file_flag;
	enum fds_all fds_all;
	enum fds_passed fds_passed;
	struct rec_blocked blocked;
	struct rec_stopped stopped;
	struct rec_detach detach;
	struct rec_completed completed;
	struct rec_id id;
	enum rec_kind rec_kind;
	enum rec_flag rec_flag;
	enum block_flag block_flag;
	enum op_kind op_kind;
	enum file_kind file_kind;
	enum op_dir op_dir;
	enum op_count op_count;
	enum bound bound;
	enum record_bound record_bound;
	enum call_flag call_flag;
	enum task_flag task_flag;
	struct function_search function_search;
	enum hook_flag hook_flag;
	struct pressure pressure;
	enum life_flag life_flag;
	enum proof_state proof_state;
	struct rec_left left;
	struct count count;
	struct count_key count_key;
	struct rec_stack stack;
	enum stack_id stack_id;
	struct script_layout script_layout;
	struct task_layout task_layout;
	struct script_frame script_frame;
	struct script_piece script_piece;
	enum script_end script_end;
	struct stack_key stack_key;
	struct stack_memo stack_memo;
	struct change_key change_key;
	struct code_change code_change;
	struct code_file code_file;
	enum code_backing code_backing;
	struct rec_moved moved;
	struct rec_changed changed;
	struct rec_cgroup cgroup;
	struct glob glob;
	enum glob_atom glob_atom;
	enum left_out_flag left_out_flag;
	struct rec_library library;
	struct library_text library_text;
	struct probe_plan probe_plan;
	enum library_part library_part;
	enum word_kind word_kind;
	enum text_kind text_kind;
	struct rec_wait wait;
	enum wait_cause wait_cause;
	enum wait_flag wait_flag;
	enum waker_kind waker_kind;
};
const volatile struct wire_types wire_types;

#endif
