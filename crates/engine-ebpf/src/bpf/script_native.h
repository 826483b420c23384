/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Frames of scripts on the native stack (V8): their code keeps frame pointers, and each frame has its function in a fixed place.
 *
 * The run-time system of the thread (found by the thread pointer) has the innermost frame pointer of its code. From there the frame pointers lead through its
 * frames, up to the one that native code entered by. That one has the frame pointer at which the run-time system was left before.
 *
 * What a frame runs is told by the words in front of the frame pointer: the context (in frames without a function: a small integer that tells their kind),
 * the function, the bytecode and the place in it. Optimised code has neither bytecode nor place.
 */
#ifndef STRIDE_SCRIPT_NATIVE_H
#define STRIDE_SCRIPT_NATIVE_H

/* The words of a frame, from the place in the bytecode to the return address. */
#define NATIVE_BELOW (5 * sizeof(u64))
#define NATIVE_FRAME (7 * sizeof(u64))
/* Pointers to objects are one more than an address. */
#define NATIVE_TAG 1
/* The frames by which native code entered: the kinds, as they are in memory. */
#define NATIVE_ENTRY 2
#define NATIVE_CONSTRUCT_ENTRY 4
/* In place of a place: the frame runs compiled bytecode, or optimised code. */
#define NATIVE_COMPILED 0xfffffffe
#define NATIVE_NO_PLACE 0xffffffff

/* The number of what a frame runs, in the state: of the function's code, and of the bytecode where there is some. 0 if it could not be read. */
static __always_inline void identify_native(struct script_state *script, u64 function, u64 code)
{
	u64 shared, id;

	script->identity = 0;
	if (!read_eight(&shared, function - NATIVE_TAG + script->layout.code) ||
	    !read_eight(&id, shared - NATIVE_TAG + script->layout.content[0]))
		return;
	if (script->layout.content[1] != SCRIPT_NONE && !read_eight(&id, id - NATIVE_TAG + script->layout.content[1]))
		return;
	script->identity = script_mixed(script_mixed(script_mixed(SCRIPT_START, shared), id), code) | 1;
}

/* True if a frame that is not the interpreter's has bytecode. Optimised code has other words in its place. */
static __always_inline bool is_bytecode(struct script_state *script, u64 code)
{
	u64 map;

	return read_eight(&map, code - NATIVE_TAG) && map == script->layout.code_map;
}

/* Reads the stack from the words of a frame on. Returns where they are in the window, or more than the window has. */
static __always_inline u64 read_window(struct script_state *script, u64 from)
{
	u64 off = from - script->window_from;

	if (off <= SCRIPT_WINDOW - NATIVE_FRAME)
		return off;
	script->window_from = from;
	if (!bpf_probe_read_user(script->window, SCRIPT_WINDOW, (void *)from))
		return 0;
	/* The page behind may not exist. */
	if (!bpf_probe_read_user(script->window, NATIVE_FRAME, (void *)from)) {
		script->window_from = 0;
		return 0;
	}
	script->window_from = 0;
	return SCRIPT_WINDOW;
}

static __always_inline u64 window_word(struct script_state *script, u64 off, u32 n)
{
	return *(volatile u64 *)(script->window + off + n * sizeof(u64));
}

/* Goes on from a frame to the next, and notes the frame if it runs a function. */
static long walk_native(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();
	u64 at, kind, next, pc, function, code, place, off;
	struct script_state *script;
	struct script_frame *frame;
	u32 n;

	if (!state)
		return 1;
	script = &state->script;
	at = script->next;
	if (!at)
		return 1;
	n = *(volatile u32 *)&script->frames;
	if (n >= SCRIPT_FRAMES) {
		script->end = SCRIPT_LIMIT;
		return 1;
	}
	off = read_window(script, at - NATIVE_BELOW);
	/* The bound is checked on the register that is used. */
	FORGET(off, at);
	if (off > SCRIPT_WINDOW - NATIVE_FRAME) {
		script->end = SCRIPT_UNREADABLE;
		return 1;
	}
	place = window_word(script, off, 0);
	code = window_word(script, off, 1);
	function = window_word(script, off, 3);
	kind = window_word(script, off, 4);
	next = window_word(script, off, 5);
	pc = script->pc;
	script->pc = window_word(script, off, 6);
	if (kind == NATIVE_ENTRY || kind == NATIVE_CONSTRUCT_ENTRY) {
		if (!read_eight(&next, at + (s64)(s32)script->layout.caller))
			next = 1;
	}
	if (next && next <= at) {
		script->end = SCRIPT_UNREADABLE;
		return 1;
	}
	script->next = next;
	if (!(kind & NATIVE_TAG))
		return 0;
	place = (u32)place ? NATIVE_COMPILED : place >> 32;
	/* The bound is set on the register that is used. */
	asm volatile("" : "+r"(n));
	frame = &script->frame[n & (SCRIPT_FRAMES - 1)];
	/* Optimised code was here at the call before, so it is now, if that is not long ago (find_native). Its words change all the time. */
	if (script->raw_thread && frame->place == pc && (u32)frame->kind == NATIVE_NO_PLACE) {
		place = NATIVE_NO_PLACE;
		code = 0;
	}
	frame->code = function;
	frame->place = pc;
	/* (It is identified later.) */
	frame->identity = code ? code : 1;
	frame->kind = (u32)place | (at - state->key.sp) << 32;
	script->identity = script_mixed(script_mixed(script->identity, pc ^ (code ? code : function)), frame->kind);
	script->frames = n + 1;
	script->end = SCRIPT_REACHED;
	return 0;
}

/* Identifies what a frame runs, of which the words were noted. */
static long identify_frame(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	struct script_frame *frame;
	u64 code, kind;

	if (!state)
		return 1;
	script = &state->script;
	asm volatile("" : "+r"(i));
	frame = &script->frame[i & (SCRIPT_FRAMES - 1)];
	code = frame->identity;
	kind = frame->kind;
	if ((u32)kind == NATIVE_NO_PLACE ||
	    (frame->place != script->layout.interpreter || (u32)kind == NATIVE_COMPILED) && !is_bytecode(script, code)) {
		code = 0;
		kind |= NATIVE_NO_PLACE;
	}
	/* (Functions that call themselves.) */
	if (frame->code != script->code || code != script->thread) {
		script->code = frame->code;
		script->thread = code;
		identify_native(script, frame->code, code);
	}
	frame->identity = script->identity;
	frame->kind = kind;
	state->key.script = script_mixed(script_mixed(state->key.script, frame->place ^ script->identity), kind);
	return 0;
}

/* What was identified is not identified again for so long, if the frames have the same words. */
#define NATIVE_SAME_NS 200000ULL

/*
 * Notes the frames of the current thread, and what stands for all of them.
 *
 * Each frame takes several reads to identify what it runs: other bytecode may be where its bytecode was, after V8 has collected old objects. That takes the
 * thread some time, so frames that have the same words as a moment ago run the same. (The function of a frame may be a new object. Its bytecode tells, and
 * of optimised code the address.)
 */
__noinline int find_native(void)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 system = 0, innermost = 0, now, thread, raw;
	bool is_recent;

	if (!state)
		return 0;
	script = &state->script;
	script->pc = 0;
	script->window_from = 0;
	script->code = 0;
	script->thread = 0;
	script->identity = SCRIPT_START ^ script->layout.id;
	now = bpf_ktime_get_ns();
	thread = (u64)bpf_get_current_task_btf();
	is_recent = script->raw_thread == thread && now - script->identified_at < NATIVE_SAME_NS;
	/* What is left of other frames tells nothing of these. */
	if (!is_recent)
		script->raw_thread = 0;
	state->key.script = SCRIPT_START ^ script->layout.id;
	if (read_eight(&system, script->thread_pointer + script->layout.interpreters) && system) {
		read_eight(&innermost, system + script->layout.innermost);
		if (!innermost && script->layout.innermost_there != SCRIPT_NONE)
			read_eight(&innermost, system + script->layout.innermost_there);
	}
	if (innermost > state->key.sp) {
		script->next = innermost;
		bpf_loop(2 * SCRIPT_FRAMES, walk_native, NULL, 0);
	}
	raw = script_mixed(script->identity, script->end);
	if (is_recent && raw == script->raw) {
		state->key.script = script->identified;
		return 0;
	}
	bpf_loop(*(volatile u32 *)&script->frames, identify_frame, NULL, 0);
	state->key.script = script_mixed(state->key.script, script->end) | 1;
	script->raw = raw;
	script->raw_thread = thread;
	script->identified_at = now;
	script->identified = state->key.script;
	return 0;
}

#endif
