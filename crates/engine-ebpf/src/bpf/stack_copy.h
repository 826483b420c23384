/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Copies a stack, for the reader to unwind.
 *
 * A page that no frame has touched does not exist yet: the middle of a large array. Such pages are left out. No frame has its return
 * address there, so the stack goes on behind them.
 *
 * The stack of a program's first thread ends where the program began. Behind it are its arguments, its environment and then nothing. C
 * libraries put a thread's own data at the end of its stack, where the thread pointer points; no stack reaches over that. Each page that
 * does not exist costs a microsecond.
 *
 * A stack may go on elsewhere: behind a signal handler with a stack of its own, and behind Go's runtime. Part of that stack is copied, too.
 */
#ifndef STRIDE_STACK_COPY_H
#define STRIDE_STACK_COPY_H

#include "stack.h"

/* Pages that are looked at, at most: as many as stack_part has bits. */
#define STACK_PAGES 64
/* Nothing is copied to a place behind this one. Behind it, a page has room. */
#define COPY_END (BLOCKS_END + SCRIPT_COPY)
/* So many in a row that do not exist are the end: of a stack, whose frames may have large arrays, and of a part of another one. */
#define STACK_ABSENT 17
#define OTHER_ABSENT 2
/* So much of another stack is copied. */
#define OTHER_STACK (2 * PAGE)

/*
 * The loop's state lies in the scratch, a map, because the verifier takes a map to hold any value. If the state lay on the stack, the verifier
 * would follow each value that it can have.
 */
static long copy_page(u64 i, void *ctx)
{
	struct scratch *s = scratch();
	u32 len, to;
	u64 from;

	if (!s)
		return 1;
	from = ONCE(s->stack.from);
	if (i)
		from = (from & ~(PAGE - 1ULL)) + i * PAGE;
	if (from > s->stack.top)
		return 1;
	len = PAGE - (u32)(from % PAGE);
	to = ONCE(s->stack.to);
	if (to + len > ONCE(s->stack.end) || ONCE(s->stack.absent) >= ONCE(s->stack.most_absent))
		return 1;
	/* The bounds are checked on the same registers that are used. */
	asm volatile("" : "+r"(to), "+r"(len));
	if (to > COPY_END || len > PAGE)
		return 1;
	if (bpf_probe_read_user(s->data + to, len, (void *)from)) {
		s->stack.absent++;
		return 0;
	}
	s->stack.absent = 0;
	s->stack.pages |= 1ULL << (i & 63);
	s->stack.to = to + len;
	return 0;
}

/* Copies the pages from an address up: the page of the address, and others of `room` bytes in all. Returns where the copy ends. */
__noinline int copy_part(struct scratch *s, struct stack_part *part, u64 from, u32 to, u32 room)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_state *state = stack_state();
	u64 top = BPF_CORE_READ(task, mm, start_stack), own;

	if (!s || !part || !state)
		return to;
	own = thread_pointer_of(task, state->is_32bit);
	s->stack.from = from;
	s->stack.pages = 0;
	if (from > top)
		top = ~0ULL;
	s->stack.top = own > from && own < top ? own : top;
	s->stack.to = to;
	s->stack.end = to + room + PAGE;
	s->stack.absent = 0;
	s->stack.most_absent = room == OTHER_STACK ? OTHER_ABSENT : STACK_ABSENT;
	bpf_loop(STACK_PAGES, copy_page, NULL, 0);
	part->from = from;
	part->pages = ONCE(s->stack.pages);
	return ONCE(s->stack.to);
}

/* True if a signal handler runs on an alternate stack (sigaltstack), and the thread was on another stack when the signal came. */
static __always_inline bool is_elsewhere(struct task_struct *task, u64 sp, u64 interrupted)
{
	return interrupted && sp - task->sas_ss_sp < task->sas_ss_size && interrupted - task->sas_ss_sp >= task->sas_ss_size;
}

/* Frame pointers that are followed, at most. */
#define FRAME_POINTERS 16

/* Goes on from a frame pointer to the next one, or notes where it leads that leaves the stack. */
static long follow_frame(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();
	u64 at, next;

	if (!state)
		return 1;
	at = state->frame_pointer;
	if (at - state->key.sp >= STACK_COPY) {
		if (i && !(at & 7))
			state->other_stack = at;
		return 1;
	}
	if (bpf_probe_read_user(&next, sizeof(next), (void *)at) || next == at)
		return 1;
	state->frame_pointer = next;
	return 0;
}

/*
 * Where the frame pointers lead that leave the thread's stack: Go's runtime does its work on a stack of the thread's own, and the frame
 * pointers go on to the goroutine's. 0 if they do not leave it. The first of them must lie on this stack: without frame pointers, the register
 * holds anything.
 */
static __always_inline u64 other_stack(struct stack_state *state)
{
	state->frame_pointer = state->bp;
	state->other_stack = 0;
	bpf_loop(FRAME_POINTERS, follow_frame, NULL, 0);
	return *(volatile u64 *)&state->other_stack;
}

/* Copies the returns that are watched. Returns where the copy ends. */
__noinline int copy_returns(struct scratch *s, struct rec_stack *rec, u32 to)
{
	struct stack_state *state = stack_state();
	u32 n, len;

	if (!s || !rec || !state)
		return to;
	n = ONCE(state->watched);
	if (n > STACK_RETURNS)
		return to;
	len = n * sizeof(struct stack_return);
	asm volatile("" : "+r"(len), "+r"(to));
	if (len > sizeof(state->watched_at) || to > BLOCKS_END ||
	    bpf_probe_read_kernel(s->data + to, len, state->watched_at))
		return to;
	rec->watched = n;
	rec->trampoline = state->trampoline;
	rec->returns = state->returns;
	return to + len;
}

/* Appends a piece of the program's memory. Returns where its bytes are, or 0 if it could not be read. */
__noinline int copy_piece(struct scratch *s, u64 address, u64 len)
{
	struct script_piece *piece;
	u32 to;

	if (!s)
		return 0;
	to = ONCE(s->stack.to);
	asm volatile("" : "+r"(to), "+r"(len));
	if (to > COPY_END || len > SCRIPT_TABLE || to + len > s->stack.end)
		return 0;
	piece = (struct script_piece *)(s->data + to);
	if (bpf_probe_read_user(piece + 1, len, (void *)address)) {
		/* The page behind the object may not exist. */
		u64 rest = PAGE - address % PAGE;

		if (len > rest)
			len = rest;
		asm volatile("" : "+r"(len));
		if (len > SCRIPT_TABLE || bpf_probe_read_user(piece + 1, len, (void *)address))
			return 0;
	}
	piece->address = address;
	piece->len = len;
	s->stack.to = to + sizeof(*piece) + ((len + 7) & ~7U);
	return to + sizeof(*piece);
}

/* Copies an object of code: its head and its data, or the beginning of its data. */
__noinline int copy_object(struct scratch *s, u64 object, u32 size_at, u64 data, u32 is_table)
{
	struct stack_state *state = stack_state();
	u64 size, len;

	if (!s || !state)
		return 0;
	if (!script_pointer(&state->script, &size, object + size_at) || size > SCRIPT_TABLE)
		size = SCRIPT_TABLE;
	/* (A name may have 4 bytes for each character, and then more in front of them.) */
	len = is_table ? data + size : data + 4 * sizeof(u64) + 4 * size;
	if (len > (is_table ? SCRIPT_TABLE : SCRIPT_NAME))
		len = is_table ? SCRIPT_TABLE : SCRIPT_NAME;
	return copy_piece(s, object, len);
}

/* The first bytes of objects of V8 that are copied. */
#define NATIVE_OBJECT 72

/* Copies a function's object, and what all functions of that code have in common: other objects may be there when the reader looks. */
__noinline int copy_function(struct scratch *s, u64 function)
{
	struct stack_state *state = stack_state();
	u32 at, member;
	u64 object = function;

	if (!s || !state)
		return 1;
	/* From the function to what it has in common with others, and if that has no number, to its script. */
	for (u32 i = 0; i < 3; i++) {
		at = copy_piece(s, object - NATIVE_TAG, NATIVE_OBJECT);
		if (!at || i == 2 || i == 1 && ONCE(state->script.layout.content[1]) == SCRIPT_NONE)
			return 0;
		member = i ? ONCE(state->script.layout.content[0]) : ONCE(state->script.layout.code);
		at += member;
		asm volatile("" : "+r"(at));
		if (at > COPY_END + NATIVE_OBJECT)
			return 1;
		object = *(u64 *)(s->data + at);
	}
	return 0;
}

/* Ruby's values: the first bytes of one, the words that are looked at and those in front of its length, the type of an array, and the flag of a string whose text is elsewhere. */
#define VALUE_BYTES 40
#define VALUE_WORDS 4
#define VALUE_LENGTH 2
#define VALUE_TYPE 0x1f
#define VALUE_ARRAY 7
#define VALUE_ELSEWHERE (1 << 13)

/* Copies the nth of what names code: a text, or the first in an array; or the beginning of a table of lines. */
__noinline int copy_value(struct scratch *s, u64 object, u32 n, u32 text)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 len;

	if (!s || !state)
		return 0;
	script = &state->script;
	if (n == SCRIPT_CONTENTS - 1)
		return copy_piece(s, object, SCRIPT_TABLE);
	for (u32 i = 0; i < 2; i++) {
		if (!copy_piece(s, object, VALUE_BYTES) || !script_read(script, object, VALUE_WORDS * script_word_bytes(script)))
			return 0;
		/* The length, or an array's first value. */
		len = script_word(script, VALUE_LENGTH * script_word_bytes(script));
		if ((script_word(script, 0) & VALUE_TYPE) != VALUE_ARRAY)
			break;
		object = len;
	}
	if (script_word(script, 0) & VALUE_ELSEWHERE)
		copy_piece(s, script_word(script, (VALUE_LENGTH + 1) * script_word_bytes(script)), len < SCRIPT_TABLE ? len : SCRIPT_TABLE);
	else if (text > VALUE_LENGTH * script_word_bytes(script) && len > VALUE_BYTES - text)
		copy_piece(s, object, text + (len < SCRIPT_TABLE - text ? len : SCRIPT_TABLE - text));
	return 0;
}

/* Copies what names the code of a frame: it may be gone when the reader looks. */
static long copy_code(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();
	struct scratch *s = scratch();
	struct script_layout *layout;
	struct script_frame *frame;
	u64 object, words;
	u32 from;

	if (!state || !s)
		return 1;
	layout = &state->script.layout;
	frame = &state->script.frame[i & (SCRIPT_FRAMES - 1)];
	if (!frame->identity)
		return 0;
	if (*(volatile u32 *)&layout->form == SCRIPT_IN_CONTEXTS) {
		copy_context(&state->script, frame);
		return 0;
	}
	if (is_waiting_task(&state->script, frame)) {
		copy_object(s, frame->code, layout->content_size, layout->tasks.ascii, false);
		return 0;
	}
	if (frame->code == state->script.code)
		return 0;
	state->script.code = frame->code;
	if (*(volatile u32 *)&layout->form == SCRIPT_ON_NATIVE_STACK) {
		copy_function(s, frame->code);
		return 0;
	}
	words = frame->code;
	if (layout->code_there != SCRIPT_NONE)
		copy_piece(s, words + layout->code_there, sizeof(u64));
	if (!script_words(&state->script, &words))
		return 0;
	from = copy_piece(s, words + layout->constant, layout->constant_words * sizeof(u64));
	if (!from)
		return ONCE(s->stack.to) + SCRIPT_CONSTANT * sizeof(u64) > s->stack.end;
	for (u32 n = 0; n < SCRIPT_CONTENTS; n++) {
		u32 at = from + layout->content[n] - layout->constant;

		asm volatile("" : "+r"(at));
		if (at > COPY_END + SCRIPT_TABLE)
			return 1;
		object = *(u64 *)(s->data + at) & layout->largest;
		if (*(volatile u32 *)&layout->has_values) {
			copy_value(s, object, n, layout->value_text);
			continue;
		}
		if (layout->content_there[n] != SCRIPT_NONE && object)
			copy_piece(s, object + layout->content_there[n], sizeof(u64));
		if (script_object(&state->script, &object, layout->content_there[n]) && object)
			copy_object(s, object, layout->content_size, layout->content_data[n], n == SCRIPT_CONTENTS - 1);
	}
	/* The index of the table of lines. */
	if (*(volatile u32 *)&layout->has_values && script_pointer(&state->script, &object, words + layout->content[SCRIPT_CONTENTS - 1] + 3 * script_word_bytes(&state->script)))
		copy_piece(s, object, SCRIPT_NAME);
	return 0;
}

/* True if the program has several interpreters, or if that cannot be read. */
__noinline int has_several(void)
{
	struct stack_state *state = stack_state();
	struct script_layout *layout;
	u64 first, next;

	if (!state)
		return 0;
	layout = &state->script.layout;
	if (layout->thread_pointer == SCRIPT_NONE || layout->next_interpreter == SCRIPT_NONE)
		return false;
	return !script_pointer(&state->script, &first, layout->interpreters) || !script_pointer(&state->script, &next, first + layout->next_interpreter) || next;
}

/* Copies the frames of scripts, and notes where the copy ends. */
static __always_inline void copy_script(struct scratch *s, struct stack_state *state, struct rec_stack *rec, u32 to)
{
	u32 n = ONCE(state->script.frames), len;

	if (n > SCRIPT_FRAMES)
		return;
	len = n * sizeof(struct script_frame);
	asm volatile("" : "+r"(len), "+r"(to));
	if (len > sizeof(state->script.frame) || to > BLOCKS_END ||
	    bpf_probe_read_kernel(s->data + to, len, state->script.frame))
		return;
	rec->script_frames = n;
	rec->script_end = state->script.end;
	rec->script_several = *(volatile u32 *)&state->script.layout.form == SCRIPT_IN_LISTS && has_several();
	rec->script_layout = state->script.layout.id;
	s->stack.to = to + len;
	s->stack.end = to + len + SCRIPT_COPY;
	state->script.code = 0;
	state->script.place = 0;
	state->script.content[0] = 0;
	state->script.copies = 1;
	bpf_loop(n, copy_code, NULL, 0);
	state->script.copies = 0;
	rec->script_pieces = ONCE(s->stack.to) - (to + len);
}

/* Appends the stack at the place that the CPU's state holds. */
__noinline int copy_stack(struct scratch *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct stack_state *state = stack_state();
	struct task_state *st = traced(task);
	struct rec_block *block;
	struct rec_stack *rec;
	u32 at, to, end;
	u64 interrupted, other;

	if (!s || !state || !st)
		return 0;
	at = ONCE(s->used);
	asm volatile("" : "+r"(at));
	/* As much behind as the stack may take. */
	if (at > COPY_END - STACK_COPY - sizeof(state->script.frame) - SCRIPT_COPY - 4 * PAGE)
		return 0;
	block = (struct rec_block *)(s->data + at);
	rec = (struct rec_stack *)(block + 1);
	to = at + sizeof(*block) + sizeof(*rec);
	rec->space = state->key.space;
	rec->generation = state->key.generation;
	rec->process = process_id_of(task);
	rec->ip = state->key.ip;
	rec->bp = state->bp;
	all_of((struct pt_regs *)bpf_task_pt_regs(task), rec->all);
	rec->is_32bit = state->is_32bit;
	rec->watched = 0;
	rec->returns = 0;
	if (stacks_have_returns)
		to = copy_returns(s, rec, to);
	rec->script = state->key.script;
	rec->script_frames = 0;
	rec->script_end = SCRIPT_NOT_LOOKED_AT;
	rec->script_several = 0;
	rec->pad2 = 0;
	rec->script_layout = 0;
	rec->script_pieces = 0;
	s->stack.to = to;
	if (ONCE(state->script.end) != SCRIPT_NOT_LOOKED_AT)
		copy_script(s, state, rec, to);
	/* (The verifier takes memory of a map to hold anything, so it walks what follows once.) */
	to = ONCE(s->stack.to);
	interrupted = st->interrupted;
	if (is_elsewhere(task, state->key.sp, interrupted)) {
		end = copy_part(s, &rec->part[0], state->key.sp, to, STACK_COPY / 2);
		end = copy_part(s, &rec->part[1], interrupted, end, STACK_COPY / 2);
	} else {
		other = state->is_32bit ? 0 : other_stack(state);
		end = copy_part(s, &rec->part[0], state->key.sp, to, other ? STACK_COPY - OTHER_STACK : STACK_COPY);
		rec->part[1].pages = 0;
		if (other)
			end = copy_part(s, &rec->part[1], other, end, OTHER_STACK);
	}
	block->addr = state->key.sp;
	block->len = end - at - sizeof(*block);
	block->elem = calls_of_stack(state);
	block->op = 0;
	block->flags = BLOCK_COPY;
	s->used = (end + 7) & ~7U;
	return 0;
}

#endif
