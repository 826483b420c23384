/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The tasks that wait for the one that the thread runs (asyncio of Python). Their frames are noted behind those of the thread, in the same way as
 * crates/stacks/src/script/waiting.rs does it if the thread is stopped.
 *
 * They are part of what a stack is known by: for each task its name, if the program has given it one, and for each coroutine its code and its place.
 */
#ifndef STRIDE_SCRIPT_WAITING_H
#define STRIDE_SCRIPT_WAITING_H

/* The bytes of a name that are looked at. */
#define TASK_NAME 64
/* The first five characters of the names that tasks have by themselves. */
#define TASK_DEFAULT 0x2d6b736154ULL
#define TASK_DEFAULT_MASK 0xffffffffffULL

static __always_inline bool is_waiting_task(struct script_state *script, struct script_frame *frame)
{
	return *(volatile u32 *)&script->layout.form == SCRIPT_IN_LISTS && script->layout.tasks.running != SCRIPT_NONE &&
	       (frame->kind & ~0xffffULL) == WAITING_TASK;
}

static __always_inline u8 script_byte(struct script_state *script, u32 at)
{
	asm volatile("" : "+r"(at));
	return at < SCRIPT_BYTES ? script->bytes[at] : 0;
}

/* Notes what awaits the task that was read last. */
static __always_inline void note_awaiter(struct script_state *script)
{
	script->awaiter = script_word(script, script->layout.tasks.awaited_by);
	script->by_several = script_byte(script, script->layout.tasks.by_several);
}

/* Finds the task that a thread runs. */
__noinline int find_task(u64 thread)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 task;

	if (!state)
		return 0;
	script = &state->script;
	script->task_is_met = 0;
	script->awaiter = 0;
	script->coroutine = 0;
	if (!script_pointer(script, &task, thread + script->layout.tasks.running) || !task ||
	    !script_read(script, task, script->layout.tasks.task_bytes))
		return 0;
	script->task_frame = script_word(script, script->layout.tasks.coroutine) + script->layout.tasks.frame;
	note_awaiter(script);
	return 0;
}

/* The number of a task's name, in the state. 0 if the program has given it none. */
__noinline int identify_name(u64 name)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 text;

	if (!state)
		return 0;
	script = &state->script;
	script->identity = 0;
	if (!script->layout.tasks.text || !script_read(script, name, TASK_NAME) ||
	    script_word(script, script->layout.tasks.kind) != script->layout.tasks.text)
		return 0;
	text = script_eight(script, script->layout.tasks.ascii);
	if ((text & TASK_DEFAULT_MASK) == TASK_DEFAULT && (u8)((text >> 40) - '0') <= 9)
		return 0;
	script->identity = SCRIPT_START;
	if (!mix_content(name, SCRIPT_NONE, script->layout.tasks.ascii))
		script->identity = 0;
	else if (!script->identity)
		script->identity = 1;
	return 0;
}

/* Goes on from a small set to the only object in it, if there is one, and returns 0 then. Otherwise returns the number of objects, or a negative number if they cannot be read. */
__noinline int find_only_one(u64 set)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 used = 0, mask, table, object, number;
	u64 word, half;

	if (!state)
		return 0;
	script = &state->script;
	script->awaiter = 0;
	script->by_several = 0;
	if (!script_pointer(script, &used, set + script->layout.tasks.used) ||
	    !script_pointer(script, &mask, set + script->layout.tasks.mask) ||
	    !script_pointer(script, &table, set + script->layout.tasks.table))
		return -1;
	if (used != 1)
		return used <= 0x7fffffff ? used : -1;
	word = BY_WIDTH(8, 4);
	if (mask >= TASK_PLACES)
		return -1;
	/* Two words for each. (The verifier of Linux 6.1 does not know the bounds of the product of two numbers.) */
	half = (mask + 1) * sizeof(u64);
	if (!script_read(script, table, half + (half & -script_wide(script))))
		return -1;
	for (u32 i = 0; i < TASK_PLACES; i++) {
		object = *(volatile u64 *)(script->bytes + i * 2 * word) & script->layout.largest;
		number = *(volatile u64 *)(script->bytes + (i * 2 + 1) * word) & script->layout.largest;
		/* (Where an object was, the number is -1.) */
		if (i <= mask && object && number != script->layout.largest) {
			script->awaiter = object;
			return 0;
		}
	}
	return -1;
}

/* Notes the next coroutine or task that waits, or goes on to what waits for it. */
static long walk_waiting(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();
	u64 at, code, place = 0, kind, values;
	struct script_state *script;
	struct script_frame *frame;
	int objects;
	s8 suspended;
	u32 n;

	if (!state)
		return 1;
	script = &state->script;
	if (!i) {
		at = script->task_frame - script->layout.tasks.frame;
		if (!script_pointer(script, &script->coroutine_kind, at + script->layout.tasks.kind))
			return 1;
	}
	n = ONCE(script->frames);
	if (n >= SCRIPT_FRAMES)
		return 1;
	at = script->coroutine;
	if (i == TASK_STEPS - 1 || n == SCRIPT_FRAMES - 1) {
		if (!at && !script->awaiter)
			return 1;
		code = 0;
		script->identity = 0;
		script->awaiter = 0;
		script->coroutine = 0;
		kind = WAITING_TASKS;
	} else if (at) {
		script->coroutine = 0;
		if (!script_read(script, at, script->layout.tasks.coroutine_bytes))
			return 0;
		suspended = script_byte(script, script->layout.tasks.state) - script->layout.tasks.runs;
		if (script_word(script, script->layout.tasks.kind) != script->coroutine_kind || suspended >= 0)
			return 0;
		code = script_code(script, script_word(script, script->layout.tasks.frame + script->layout.code));
		place = script_word(script, script->layout.tasks.frame + script->layout.place);
		values = script_word(script, script->layout.tasks.frame + script->layout.tasks.values);
		if (suspended == -1 && script_pointer(script, &values, values - script->layout.tasks.awaited))
			script->coroutine = script_code(script, values);
		kind = WAITING_COROUTINE;
		identify_code(code);
	} else {
		at = script->awaiter;
		if (!at)
			return 1;
		if (script->by_several) {
			objects = find_only_one(at);
			if (!objects)
				return 0;
			place = objects > 0 ? objects : 0;
			code = 0;
			script->identity = 0;
			kind = WAITING_TASKS;
		} else {
			if (script_read(script, at, script->layout.tasks.task_bytes)) {
				note_awaiter(script);
				if (!script_byte(script, script->layout.tasks.is_task))
					return 0;
				script->coroutine = script_word(script, script->layout.tasks.coroutine);
				code = script_word(script, script->layout.tasks.name);
				kind = WAITING_TASK;
				identify_name(code);
			} else {
				script->awaiter = 0;
				code = 0;
				script->identity = 0;
				kind = WAITING_TASKS;
			}
		}
	}
	/* The bound is set on the register that is used. */
	asm volatile("" : "+r"(n));
	frame = &script->frame[n & (SCRIPT_FRAMES - 1)];
	frame->code = code;
	frame->place = place;
	frame->identity = script->identity;
	frame->kind = kind;
	/* (The same name may be in several places.) */
	if (kind == WAITING_TASK)
		code = 0;
	state->key.script = script_mixed(script_mixed(state->key.script, code ^ kind), place ^ script->identity * SCRIPT_MULTIPLIER);
	script->frames = n + 1;
	return 0;
}

#endif
