/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The frames of functions that an interpreter runs, as they are at the moment of the call.
 *
 * The reader tells where the run-time system of an address space keeps them (struct script_layout), once it has seen a stack that runs some. From then
 * on the list of the thread's frames is walked here with each stack. What stands for all frames and for the code that they run is part of the place by which
 * a stack is known. If the stack is not known, the frames are copied with it, and the reader names them.
 *
 * Code may be gone when the reader looks, and other code may be in its place, at the same addresses. So each frame has a number that tells its code from
 * other code that was there: that of words that never change, and where these do not suffice, of the contents of objects.
 *
 * A thread's frames are walked in the same way if it is stopped (crates/stacks/src/script/walk.rs).
 *
 * Run-time systems that keep no such list have a form of their own (enum script_form).
 */
#ifndef STRIDE_SCRIPT_H
#define STRIDE_SCRIPT_H

#include "stack_state.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, struct script_layout);
} script_layouts SEC(".maps");

/* By address space: set if one of those that count together has a layout. */
u32 script_slots[SPACES] OF_READER = {};

/* By address space: the generation, plus one, in which code was mapped that may have a run-time system; 0 if nobody waits until the reader has looked. */
u32 scripts_wanted[SPACES];
/* The generation, plus one, of the last stack for which the reader has looked for a run-time system. */
u32 scripts_read[SPACES] OF_READER = {};

#define SCRIPT_MULTIPLIER 0x9e3779b97f4a7c15ULL

static __always_inline u64 script_mixed(u64 state, u64 word)
{
	u64 mixed = (state ^ word) * SCRIPT_MULTIPLIER;

	return mixed ^ mixed >> 32;
}

/* 1 if words of the program have 8 bytes, or 0. What depends on it is computed without branches, which the verifier would follow each. */
static __always_inline u64 script_wide(struct script_state *script)
{
	u64 wide = ONCE(script->layout.largest) >> 63;

	asm volatile("" : "+r"(wide));
	return wide;
}

/* One of two numbers: the first if words of the program have 8 bytes, the second, which is not larger, if they have 4. (The verifier knows the bounds of a product, but not those of a number that is shifted by another.) */
#define BY_WIDTH(wide, narrow) ((narrow) + ((wide) - (narrow)) * script_wide(script))

/* The bytes of a word. */
static __always_inline u32 script_word_bytes(struct script_state *script)
{
	return BY_WIDTH(8, 4);
}

/* A pointer to code, without what is no part of its address. */
static __always_inline u64 script_code(struct script_state *script, u64 pointer)
{
	return pointer & script->layout.code_bits;
}

/* Eight bytes of what was read last. */
static __always_inline u64 script_eight(struct script_state *script, u32 at)
{
	asm volatile("" : "+r"(at));
	if (at > SCRIPT_BYTES - sizeof(u64))
		return 0;
	return *(u64 *)(script->bytes + at);
}

/* A word of what was read last. */
static __always_inline u64 script_word(struct script_state *script, u32 at)
{
	return script_eight(script, at) & script->layout.largest;
}

/* Reads up to SCRIPT_BYTES of the program's memory. */
static __always_inline bool script_read(struct script_state *script, u64 from, u32 len)
{
	asm volatile("" : "+r"(len));
	if (len > SCRIPT_BYTES)
		return false;
	return !bpf_probe_read_user(script->bytes, len, (void *)from);
}

static __always_inline bool read_eight(u64 *to, u64 from)
{
	return !bpf_probe_read_user(to, sizeof(*to), (void *)from);
}

/* Reads a word of the program's memory. */
static __always_inline bool script_pointer(struct script_state *script, u64 *to, u64 from)
{
	*to = 0;
	return !bpf_probe_read_user(to, BY_WIDTH(8, 4), (void *)from);
}

/* An object's size and hash, and its data if that is short: one read takes as long as two of half as much. */
#define SCRIPT_SHORT 128

/* Words that are mixed at a time. */
#define SCRIPT_MIXED 8

/* Mixes up to SCRIPT_MIXED words, from this place on, of what was read last into the code's number. (The verifier walks a function once, however often it is called.) */
__noinline int mix_some(u32 at, u32 n)
{
	struct stack_state *state = stack_state();
	u64 identity, *word;

	/* The bound is checked once, on the register that is used. */
	asm volatile("" : "+r"(at));
	if (!state || at > SCRIPT_SHORT + (SCRIPT_CONTENT - SCRIPT_MIXED) * sizeof(u64))
		return 0;
	word = (u64 *)(state->script.bytes + at);
	identity = state->script.identity;
	for (u32 i = 0; i < SCRIPT_MIXED; i++) {
		if (i >= n)
			break;
		identity = script_mixed(identity, word[i]);
	}
	state->script.identity = identity;
	return 0;
}

/* The same for as many words as are read at once, SCRIPT_CONTENT. */
__noinline int mix_words(u32 at, u32 n)
{
	if (at > SCRIPT_SHORT)
		return 0;
	for (u32 i = 0; i < SCRIPT_CONTENT; i += SCRIPT_MIXED) {
		if (i >= n)
			break;
		mix_some(at + i * sizeof(u64), n - i);
	}
	return 0;
}

/* Where the words of code are. */
static __always_inline bool script_words(struct script_state *script, u64 *code)
{
	u32 there = script->layout.code_there;

	return there == SCRIPT_NONE || script_pointer(script, code, *code + there);
}

/* The object of a content, or 0. Returns 0 if that could not be read. */
static __always_inline bool script_object(struct script_state *script, u64 *object, u32 there)
{
	return !*object || there == SCRIPT_NONE || script_pointer(script, object, *object + there);
}

/* Mixes an object's size, the word behind that and its data into a number. Returns 0 if they could not be read. */
__noinline int mix_content(u64 object, u32 there, u32 data)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 from, size, first, second;
	u32 at = 0, len, got;

	if (!state)
		return 0;
	script = &state->script;
	if (!script_object(script, &object, there))
		return 0;
	if (!object)
		return 1;
	from = object + script->layout.content_size;
	got = PAGE - (u32)(from % PAGE);
	if (got > SCRIPT_SHORT)
		got = SCRIPT_SHORT;
	if (got < 2 * sizeof(u64))
		got = 2 * sizeof(u64);
	if (!script_read(script, from, got))
		return 0;
	size = *(volatile u64 *)script->bytes & script->layout.largest;
	/* Two words: sixteen or eight bytes. (No function is called: its caller's numbers would need room, and the stack of Linux 6.1 is full.) */
	first = script_mixed(script->identity, *(volatile u64 *)script->bytes);
	second = script_mixed(first, *(volatile u64 *)(script->bytes + sizeof(u64)));
	script->identity = first ^ ((first ^ second) & -script_wide(script));
	len = size > SCRIPT_CONTENT * sizeof(u64) ? SCRIPT_CONTENT * sizeof(u64) : size;
	data -= ONCE(script->layout.content_size);
	if (data + len <= got)
		at = data;
	else if (!script_read(script, from + data, len))
		return 0;
	/* The bytes behind the last one are 0. */
	asm volatile("" : "+r"(at), "+r"(len));
	if (at > SCRIPT_SHORT || len > SCRIPT_CONTENT * sizeof(u64))
		return 0;
	if (len & 7) {
		u64 *last = (u64 *)(script->bytes + at + (len & ~7U));

		*last &= (1ULL << (len & 7) * 8) - 1;
	}
	mix_words(at, (len + 7) / 8);
	return 1;
}

/* The number of the code at an address, in the state; 0 if it could not be read. */
__noinline int identify_code(u64 code)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 object, identity;
	u32 words;

	if (!state)
		return 0;
	script = &state->script;
	script->identity = SCRIPT_START;
	script->code_kind = 0;
	words = ONCE(script->layout.constant_words);
	if (words > SCRIPT_CONSTANT || !script_words(script, &code) || !script_read(script, code + script->layout.constant, words * sizeof(u64))) {
		script->identity = 0;
		return 0;
	}
	if (script->layout.code_kind != SCRIPT_NONE) {
		script->code_kind = script_word(script, script->layout.code_kind - script->layout.constant) & 0xffff;
		if ((script->code_kind & script->layout.without_mask) == script->layout.without_code) {
			script->identity = 0;
			return 0;
		}
	}
	mix_words(0, words);
	if (ONCE(script->layout.compares_contents)) {
		for (u32 i = 0; i < SCRIPT_CONTENTS; i++)
			script->object[i] = script_word(script, script->layout.content[i] - script->layout.constant);
		identity = script->identity;
		for (u32 i = 0; i < SCRIPT_CONTENTS; i++) {
			object = ONCE(script->object[i]);
			if (object != script->content[i]) {
				script->identity = SCRIPT_START;
				script->content[i] = 0;
				script->content_number[i] = SCRIPT_START;
				if (!mix_content(object, script->layout.content_there[i], script->layout.content_data[i])) {
					script->identity = 0;
					return 0;
				}
				script->content[i] = object;
				script->content_number[i] = script->identity;
			}
			identity = script_mixed(identity, script->content_number[i]);
		}
		script->identity = identity;
	}
	if (!script->identity)
		script->identity = 1;
	return 0;
}

/* Notes the next frame of the list. */
static long walk_frame(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	struct script_frame *frame;
	u64 code, place, kind = 0, at, next;

	if (!state)
		return 1;
	script = &state->script;
	at = script->next;
	if (!at)
		return 1;
	if (i >= SCRIPT_FRAMES) {
		script->end = SCRIPT_LIMIT;
		return 1;
	}
	/* (Nothing may be behind the last of frames that lie behind one another.) */
	if (!script_read(script, at, script->layout.frame_bytes)) {
		script->end = SCRIPT_UNREADABLE;
		return 1;
	}
	code = script_code(script, script_word(script, script->layout.code));
	place = script_word(script, script->layout.place);
	if (script->layout.kind != SCRIPT_NONE)
		kind = script_word(script, script->layout.kind);
	next = script->layout.frame_size ? at + script->layout.frame_size : script_word(script, script->layout.caller);
	script->next = next;
	if (script->layout.kind_there == SCRIPT_NONE)
		kind &= 0xffff;
	else if (script_pointer(script, &kind, kind + script->layout.kind_there))
		kind = (u32)kind;
	else {
		script->end = SCRIPT_UNREADABLE;
		return 1;
	}
	if (kind >> 16 == script->layout.outermost)
		return 1;
	if (script->layout.code_kind == SCRIPT_NONE && script->layout.without_code != SCRIPT_NONE &&
	    (kind & script->layout.without_mask) == script->layout.without_code) {
		script->code = 0;
		script->identity = 0;
	} else if (code != script->code) {
		script->code = code;
		identify_code(code);
	}
	if (script->layout.code_kind != SCRIPT_NONE)
		kind = script->code_kind | kind << 16;
	/* (In frames without code, the pointer may be anything.) */
	if (script->layout.place_there != SCRIPT_NONE &&
	    (!script->identity || !script_pointer(script, &place, place + script->layout.place_there)))
		place = 0;
	if (script->layout.is_place_short)
		place = (u32)place;
	if (at == script->task_frame) {
		kind |= OUTERMOST_OF_TASK;
		script->task_is_met = 1;
	}
	/* The bound is set on the register that is used. */
	asm volatile("" : "+r"(i));
	frame = &script->frame[i & (SCRIPT_FRAMES - 1)];
	frame->code = code;
	frame->place = place;
	frame->identity = script->identity;
	frame->kind = kind;
	state->key.script = script_mixed(script_mixed(state->key.script, code ^ kind), place ^ script->identity * SCRIPT_MULTIPLIER);
	script->frames = i + 1;
	script->end = SCRIPT_REACHED;
	return 0;
}

/* True if this is the current thread, which was read last. What is no thread may be among those that the run-time system lists. */
static __always_inline bool is_current_thread(struct script_state *script)
{
	u64 word;

	if (script->layout.thread_pointer == SCRIPT_NONE)
		return true;
	word = script_word(script, script->layout.thread_pointer);
	if (script->layout.thread_pointer_there != SCRIPT_NONE && !script_pointer(script, &word, word + script->layout.thread_pointer_there))
		return false;
	return word == script->thread_pointer;
}

/* True if the search ends with this thread of the run-time system: it is the current one, and runs functions; or it could not be read. */
static __always_inline bool is_script_thread(struct script_state *script, u64 thread)
{
	u64 frame;

	if (!script_read(script, thread, script->layout.thread_bytes)) {
		script->end = SCRIPT_UNREADABLE;
		return true;
	}
	if (!is_current_thread(script))
		return false;
	frame = script_word(script, script->layout.innermost);
	if (frame && script->layout.innermost_there != SCRIPT_NONE &&
	    !script_pointer(script, &frame, frame + script->layout.innermost_there)) {
		script->end = SCRIPT_UNREADABLE;
		return true;
	}
	script->next = frame;
	return frame;
}

/* Looks at the next thread of the run-time system, or goes over to the next interpreter. */
static long search_thread(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 next;

	if (!state)
		return 1;
	script = &state->script;
	if (script->thread) {
		if (is_script_thread(script, script->thread))
			return 1;
		script->thread = script_word(script, script->layout.next_thread);
		if (script->thread == script->first_thread)
			script->thread = 0;
		return 0;
	}
	next = script->interpreter;
	if (!next)
		return 1;
	script->interpreter = 0;
	if (!script_pointer(script, &script->thread, next + script->layout.threads) ||
	    script->layout.next_interpreter != SCRIPT_NONE &&
	    !script_pointer(script, &script->interpreter, next + script->layout.next_interpreter)) {
		script->end = SCRIPT_UNREADABLE;
		return 1;
	}
	script->first_thread = script->thread;
	return 0;
}

#include "script_waiting.h"
#include "script_native.h"
#include "script_contexts.h"

/* Notes the frames of the current thread, and what stands for all of them. Its address space was noted. */
__noinline int find_script(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_state *state = stack_state();
	struct task_state *st = traced(task);
	struct script_layout *layout;
	struct script_state *script;
	bool is_alone;

	if (!state || !st)
		return 0;
	script = &state->script;
	layout = bpf_map_lookup_elem(&script_layouts, &state->key.space);
	if (!layout)
		return 0;
	if (script->layout.id != layout->id)
		script->layout = *layout;
	script->frames = 0;
	script->end = SCRIPT_NO_FRAMES;
	script->code = 0;
	script->identity = 0;
	script->code_kind = 0;
	for (u32 i = 0; i < SCRIPT_CONTENTS; i++) {
		script->content[i] = 0;
		script->content_number[i] = SCRIPT_START;
	}
	script->next = 0;
	script->thread_pointer = thread_pointer_of(task, state->is_32bit);
	switch (*(volatile u32 *)&script->layout.form) {
	case SCRIPT_ON_NATIVE_STACK:
		find_native();
		return 0;
	case SCRIPT_IN_CONTEXTS:
		state->key.script = SCRIPT_START ^ script->layout.id;
		if (begin_contexts(script, task)) {
			bpf_loop(CONTEXT_STEPS, walk_context, NULL, 0);
			script->known = script->frames;
		}
		state->key.script = script_mixed(state->key.script, script->end) | 1;
		return 0;
	}
	/* What the thread before had is written over. */
	script->raw_thread = 0;
	/* The thread is the only one, or where it was, or it is searched. */
	is_alone = script->layout.thread_pointer == SCRIPT_NONE;
	script->thread = is_alone ? script->layout.interpreters : st->script_thread;
	if (!script->thread || !is_script_thread(script, script->thread) || script->end == SCRIPT_UNREADABLE) {
		script->end = SCRIPT_NO_FRAMES;
		script->thread = 0;
		script->next = 0;
		if (!is_alone && script_pointer(script, &script->interpreter, script->layout.interpreters))
			bpf_loop(SCRIPT_THREADS, search_thread, NULL, 0);
	}
	st->script_thread = script->next ? script->thread : 0;
	state->key.script = SCRIPT_START ^ script->layout.id;
	script->task_frame = 0;
	script->task_is_met = 0;
	if (script->next) {
		if (script->layout.tasks.running != SCRIPT_NONE)
			find_task(script->thread);
		bpf_loop(SCRIPT_FRAMES + 1, walk_frame, NULL, 0);
		if (script->task_is_met && script->awaiter && script->end == SCRIPT_REACHED)
			bpf_loop(TASK_STEPS, walk_waiting, NULL, 0);
	}
	state->key.script = script_mixed(state->key.script, script->end) | 1;
	return 0;
}

/* The same, if the address space has a run-time system. */
static __always_inline void note_script(struct stack_state *state, u32 slot)
{
	state->key.script = 0;
	*(volatile u32 *)&state->script.end = SCRIPT_NOT_LOOKED_AT;
	*(volatile u32 *)&state->script.frames = 0;
	if (*(volatile u32 *)&script_slots[in_spaces(slot)])
		find_script();
}

/* An address space is new: nothing that was known of one at its place holds. A child of fork has the run-time system of its parent. */
__noinline int begin_script(u64 space, u64 parent, u32 parents)
{
	struct stack_state *state = stack_state();
	struct script_layout *layout;

	if (!state)
		return 0;
	bpf_map_delete_elem(&script_layouts, &space);
	if (!parent || !*(volatile u32 *)&script_slots[in_spaces(parents)])
		return 0;
	layout = bpf_map_lookup_elem(&script_layouts, &parent);
	if (!layout)
		return 0;
	/* (The map takes no value out of itself.) */
	state->script.layout = *layout;
	bpf_map_update_elem(&script_layouts, &space, &state->script.layout, BPF_ANY);
	return 1;
}

#endif
