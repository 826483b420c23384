/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Layouts of stacks, of the frames of scripts on them, and of the code that address spaces map. Part of wire.h, which has the bounds. */
#ifndef STRIDE_WIRE_STACKS_H
#define STRIDE_WIRE_STACKS_H

/* ---- stacks (stack.h) ---- */

enum stack_id {
	/* In place of ids: there is none to be told; or it must be copied. */
	STACK_NONE = 0,
	STACK_UNKNOWN = 0x7fffffff,
};

/* Where a thread was when it made a call. */
struct stack_key {
	/* The address space: where the kernel keeps it. */
	u64 space;
	u64 ip;
	u64 sp;
	/* Stands for the frames of scripts that the thread ran. 0 if they were not looked at. */
	u64 script;
	/* How often code was mapped into it, or into others that count with it. */
	u32 generation;
	/* Counts the stacks that were seen in this place. */
	u32 variant;
};

/* ---- frames of scripts (script.h) ---- */

/* How a run-time system keeps frames: in lists (script.h), on the native stack (script_native.h), or as contexts in arrays (script_contexts.h). */
enum script_form {
	SCRIPT_IN_LISTS = 0,
	SCRIPT_ON_NATIVE_STACK = 1,
	SCRIPT_IN_CONTEXTS = 2,
};

/* Where a run-time system keeps tasks that wait for one another. The members are those of stride_event::TaskLayout. */
struct task_layout {
	u32 running;
	u32 task_bytes;
	u32 awaited_by;
	u32 by_several;
	u32 is_task;
	u32 name;
	u32 coroutine;
	u32 coroutine_bytes;
	u32 kind;
	u32 state;
	u32 frame;
	u32 values;
	u32 used;
	u32 mask;
	u32 table;
	u32 ascii;
	u64 text;
	u64 runs;
	u64 awaited;
};

/* Where a run-time system keeps the frames of its threads. The members are those of stride_event::ScriptLayout. */
struct script_layout {
	/* Tells the layout from others. */
	u64 id;
	u64 interpreters;
	u32 next_interpreter;
	u32 threads;
	u32 next_thread;
	u32 thread_pointer;
	u32 thread_pointer_there;
	u32 innermost;
	u32 innermost_there;
	u32 caller;
	u32 frame_size;
	u32 code;
	u32 code_there;
	u32 place;
	u32 place_there;
	u32 is_place_short;
	u32 kind;
	u32 kind_there;
	u32 outermost;
	u32 code_kind;
	u32 without_code;
	u32 without_mask;
	u32 constant;
	u32 constant_words;
	u32 content[SCRIPT_CONTENTS];
	u32 content_there[SCRIPT_CONTENTS];
	u32 content_data[SCRIPT_CONTENTS];
	u32 content_size;
	u32 compares_contents;
	u32 has_values;
	u32 value_text;
	/* enum script_form */
	u32 form;
	/* The largest word. Its upper half is 0 if words have 4 bytes. */
	u64 largest;
	/* The bits of a pointer to code that are part of its address. */
	u64 code_bits;
	/* The bytes of a frame and of a thread that are looked at. */
	u32 frame_bytes;
	u32 thread_bytes;
	u64 code_map;
	u64 interpreter;
	struct task_layout tasks;
};

/* As stride_event::ScriptFrame. */
struct script_frame {
	u64 code;
	u64 place;
	u64 identity;
	u64 kind;
};

/* In the kind of a frame (stride_event::ScriptLayout::OUTERMOST_OF_TASK and so on). */
enum script_waiting {
	OUTERMOST_OF_TASK = 1 << 16,
	WAITING_TASK = 2 << 16,
	WAITING_COROUTINE = 3 << 16,
	WAITING_TASKS = 4 << 16,
};

/* A piece of memory that names the code of frames. `len` bytes follow, padded to 8. */
struct script_piece {
	u64 address;
	u64 len;
};

enum script_end {
	/* The space has no layout yet. */
	SCRIPT_NOT_LOOKED_AT = 0,
	/* And the ends of stride_event::ScriptEnd. */
	SCRIPT_NO_FRAMES = 1,
	SCRIPT_REACHED = 2,
	SCRIPT_LIMIT = 3,
	SCRIPT_UNREADABLE = 4,
};

/* A change of the code that an address space maps: by the place of its count (slot_of), and what the change raised the count to. */
struct change_key {
	u32 slot;
	u32 generation;
};

enum code_backing {
	CODE_ANONYMOUS = 0,
	CODE_VDSO = 1,
	CODE_OF_FILE = 2,
	/* In place of a number of mappings. */
	MAPPINGS_UNKNOWN = 0xffffffff,
};

struct code_file_key {
	u64 inode;
	/* In the kernel's own encoding. */
	u32 device;
	u32 pad;
};

/* Code in an address space, and the version of the file that it comes from. */
struct code_mapping {
	u64 start;
	u64 end;
	u64 offset;
	struct code_file_key file;
	u64 size;
	/* Seconds and nanoseconds. */
	u64 modified;
	u32 modified_ns;
	/* enum code_backing */
	u32 backing;
};

struct code_change {
	u64 space;
	u64 start;
	u64 end;
	/* The address space that fork(2) copied, and its generation at that time; 0 for other changes. */
	u64 from;
	u32 from_generation;
	/* The number of mappings of code that follow, or MAPPINGS_UNKNOWN. */
	u32 mappings;
	struct code_mapping mapping[CODE_MAPPINGS];
};

/* A file that code was mapped from, under its inode and device. */
struct code_file {
	u64 size;
	u64 modified;
	u32 modified_ns;
	/* The reader has opened this version of the file. */
	u32 opened;
	/* The path, from the root of all mounts: text[from..]. */
	u32 from;
	u32 pad;
	u8 text[CODE_PATH];
};

struct stack_range {
	u64 from;
	u32 len;
	/* Where its bytes go. */
	u32 to;
};

struct stack_word {
	u64 value;
	/* In the bytes of the ranges. */
	u64 at;
};

/* The return of a function is watched: the kernel has replaced the return address at a place by its own, and knows the program's. */
struct stack_return {
	u64 at;
	u64 address;
};

/* A stack, and the words of memory that make it this one. */
struct stack_memo {
	u32 id;
	/* Set when it was met again. */
	u32 used;
	u64 bp;
	u32 uses_bp;
	u32 ranges;
	u32 words;
	/* Words have 4 bytes, and not 8. */
	u32 narrow;
	/* Stands for the returns that are watched (note_returns). */
	u64 returns;
	struct stack_range range[STACK_RANGES];
	struct stack_word word[STACK_WORDS];
};

#endif
