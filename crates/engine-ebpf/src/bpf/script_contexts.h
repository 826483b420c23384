/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Frames of scripts that are contexts in arrays (Perl). Each context of a sub or an eval has the index of the one before it in its array. An array holds the
 * contexts of one stack of values, and Perl begins a new one where C code calls Perl.
 *
 * The offsets are those of crates/stacks/src/script/perl/versions.rs, and a thread's frames are walked in the same way if it is stopped
 * (crates/stacks/src/script/perl/contexts.rs).
 *
 * A frame's number has two halves. The upper one stands for the name of the sub, and the lower one for the file and the line. They are made of what a name is made of
 * (Perl's own hash of each text, and its length), and of the text of the file: Perl frees code, and makes other code at the same addresses.
 */
#ifndef STRIDE_SCRIPT_CONTEXTS_H
#define STRIDE_SCRIPT_CONTEXTS_H

/* What a stack of contexts is for. */
#define CONTEXTS_OF_PROGRAM 1
#define CONTEXTS_OF_SORT 3
/* The kinds of such stacks, from -1 on; and more contexts are not believed. */
#define CONTEXT_STACK_KINDS 16
#define CONTEXTS (1 << 24)

/* A stack of contexts: its size, its contexts, the one before it, the last context, place and sub, and the kind. */
#define CONTEXTS_BYTES BY_WIDTH(48, 32)
#define CONTEXTS_ARRAY BY_WIDTH(8, 4)
#define CONTEXTS_BEFORE BY_WIDTH(16, 8)
#define CONTEXTS_LAST BY_WIDTH(32, 16)
#define CONTEXTS_PLACES BY_WIDTH(36, 20)
#define CONTEXTS_LAST_SUB BY_WIDTH(40, 24)
#define CONTEXTS_KIND BY_WIDTH(44, 28)

#define CONTEXT_SIZE BY_WIDTH(104, CONTEXT_LEAST)
#define CONTEXT_LEAST 64
/* Where a context has its statement: less than 32. (The verifier knows the bound of this.) */
#define CONTEXT_STATEMENT (ONCE(script->layout.place) & 28)
#define CONTEXT_NEXT BY_WIDTH(48, 32)
#define CONTEXT_BEFORE BY_WIDTH(56, 36)
#define CONTEXT_SUB BY_WIDTH(72, 44)
/* The kinds of contexts. */
#define CONTEXT_KIND 0xf
#define CONTEXT_PLAIN 0
#define CONTEXT_OF_SUB 9
#define CONTEXT_OF_FORMAT 10
#define CONTEXT_OF_EVAL 11
/* The block of an eval, or in a regular expression. */
#define CONTEXT_OF_BLOCK 0x40

/* The kinds of frames. */
#define RUNS_SUB 0
#define RUNS_EVAL 1
#define RUNS_FILE 2
#define RUNS_BLOCK 3
#define RUNS_FIRST 0x100
#define RUNS_EXPRESSION 0x400
#define RUNS_INNERMOST 0x800

/* In a statement: the words with the line, and the file; and both in these words. */
#define STATEMENT_FROM BY_WIDTH(32, 16)
#define STATEMENT_BYTES BY_WIDTH(32, 16)
#define STATEMENT_LINE 4
#define STATEMENT_FILE BY_WIDTH(16, 12)
/* Of a file's name, and more is not looked at. */
#define STATEMENT_NAME (SCRIPT_CONTENT * sizeof(u64))

/* The first words of a value, and the kind in them. */
#define VALUE_HEAD BY_WIDTH(24, 16)
#define VALUE_FLAGS BY_WIDTH(12, 8)
#define VALUE_HELD BY_WIDTH(16, 12)
/* In the body of a sub, and behind that place: its package, its glob or name, and flags. */
#define SUB_FROM BY_WIDTH(32, 16)
#define SUB_BYTES BY_WIDTH(64, 40)
#define SUB_GLOB BY_WIDTH(24, 16)
#define SUB_FLAGS BY_WIDTH(60, 36)
#define SUB_IS_NAMED 0x8000
#define SUB_IS_LEXICAL 0x10000
/* In what a glob holds, and in the body of a glob: its name, and behind it the package. */
#define HELD_NAMED BY_WIDTH(56, 32)
#define GLOB_NAME BY_WIDTH(32, 16)
#define GLOB_PACKAGE 8
/* In the body of a package, and behind that place: its name, or an array of names, and the number of names. */
#define PACKAGE_FROM BY_WIDTH(32, 16)
#define PACKAGE_BYTES BY_WIDTH(32, 20)
#define PACKAGE_NAMES BY_WIDTH(28, 16)
#define PACKAGE_HAS_NAMES 0x2000000

/* An interpreter has no more bytes. Its own statement is that which is being compiled, and changes all the time. */
#define INTERPRETER_BYTES (1 << 14)

/* The steps of a walk, at most: contexts of blocks make no frames, and neither do stacks of contexts. */
#define CONTEXT_STEPS (4 * SCRIPT_FRAMES)

/* (Defined in stack_copy.h.) */
__noinline int copy_piece(struct scratch *s, u64 address, u64 len);

/* Reads memory that names a frame into the state. The same memory is copied with a stack that is not known. Returns 0 if it cannot be read. */
__noinline int look_at(u64 address, u32 len)
{
	struct stack_state *state = stack_state();

	if (!state || !script_read(&state->script, address, len))
		return 0;
	if (ONCE(state->script.copies))
		copy_piece(scratch(), address, len);
	return 1;
}

/* Mixes Perl's hash of a name and its length into the number. Returns false if they cannot be read. */
static __always_inline bool mix_name(struct script_state *script, u64 name)
{
	u64 number = 0, len;

	if (name) {
		if (!read_eight(&number, name))
			return false;
		len = (number >> 32) + 2 * sizeof(u32) + 2;
		if (ONCE(script->copies))
			copy_piece(scratch(), name, len > SCRIPT_NAME ? SCRIPT_NAME : len);
	}
	script->identity = script_mixed(script->identity, number);
	return true;
}

/* Mixes the name of a package into the number. Returns 0 if it cannot be read. */
__noinline int mix_package(u64 package)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 name = 0, before;

	if (!state)
		return 0;
	script = &state->script;
	before = script->identity;
	/* (Subs tend to be of the package of those that they call.) */
	if (!package || package != script->content[0]) {
		if (package) {
			if (!look_at(package, 2 * sizeof(u64)))
				return 0;
			if (script_word(script, VALUE_FLAGS) & PACKAGE_HAS_NAMES) {
				if (!look_at(script_word(script, 0) + PACKAGE_FROM, PACKAGE_BYTES))
					return 0;
				name = script_word(script, 0);
				if ((u32)script_word(script, PACKAGE_NAMES)) {
					if (!look_at(name, BY_WIDTH(8, 4)))
						return 0;
					name = script_word(script, 0);
				}
			}
		}
		script->identity = SCRIPT_START;
		if (!mix_name(script, name))
			return 0;
		script->content[0] = package;
		script->content_number[0] = script->identity;
	}
	script->identity = script_mixed(before, script->content_number[0]);
	return 1;
}

/* The number of what names a sub, in the state; 0 if it cannot be read. */
__noinline int identify_sub(u64 sub)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 name, package, body, named;
	u32 flags;

	if (!state)
		return 0;
	script = &state->script;
	script->identity = 0;
	if (!look_at(sub, 2 * sizeof(u64)) || !look_at(script_word(script, 0) + SUB_FROM, SUB_BYTES))
		return 0;
	package = script_word(script, 0);
	name = script_word(script, SUB_GLOB);
	flags = script_word(script, SUB_FLAGS) & (SUB_IS_NAMED | SUB_IS_LEXICAL);
	if (!(flags & SUB_IS_NAMED) && name) {
		if (!look_at(name, VALUE_HEAD))
			return 0;
		body = script_word(script, 0);
		named = script_word(script, VALUE_HELD);
		/* The glob has the name of another one, if it was made equal to that. */
		if (named && look_at(named + HELD_NAMED, BY_WIDTH(8, 4))) {
			named = script_word(script, 0);
			if (named && named != name) {
				if (!look_at(named, 2 * sizeof(u64)))
					return 0;
				body = script_word(script, 0);
			}
		}
		if (!look_at(body + GLOB_NAME, 2 * sizeof(u64)))
			return 0;
		name = script_word(script, 0);
		package = script_word(script, GLOB_PACKAGE);
	}
	script->identity = script_mixed(SCRIPT_START, flags);
	if (!mix_name(script, name) || !mix_package(package)) {
		script->identity = 0;
		return 0;
	}
	script->identity = (u32)script->identity | 1;
	return 0;
}

/* The number of a statement's file and line, in the state; 0 if they cannot be read. */
__noinline int identify_statement(u64 statement)
{
	struct stack_state *state = stack_state();
	struct script_state *script;
	u64 file;
	long len;

	if (!state)
		return 0;
	script = &state->script;
	script->identity = 0;
	if (!look_at(statement + STATEMENT_FROM, STATEMENT_BYTES))
		return 0;
	file = script_word(script, STATEMENT_FILE);
	script->identity = script_mixed(SCRIPT_START, (u32)script_word(script, STATEMENT_LINE));
	len = bpf_probe_read_user_str(script->bytes, STATEMENT_NAME, (void *)file);
	asm volatile("" : "+r"(len));
	if (len <= 0 || len > STATEMENT_NAME) {
		script->identity = 0;
		return 0;
	}
	if (ONCE(script->copies))
		copy_piece(scratch(), file, len);
	/* The bytes behind the last one are 0. */
	len--;
	if (len & 7)
		*(u64 *)(script->bytes + (len & ~7ULL)) &= (1ULL << (len & 7) * 8) - 1;
	mix_words(0, (len + 7) / 8);
	script->identity = (u32)script->identity | 1;
	return 0;
}

/* A word of a context in the window. */
static __always_inline u64 context_word(struct script_state *script, u64 off, u32 at)
{
	return *(volatile u64 *)(script->window + off + at) & script->layout.largest;
}

/* Reads a context. Returns where it is in the window, or more than the window has. */
static __always_inline u64 read_context(struct script_state *script, s32 index)
{
	u64 at = script->contexts.contexts + (u64)(u32)index * CONTEXT_SIZE, off = at - script->window_from;

	if (off <= SCRIPT_WINDOW - CONTEXT_SIZE)
		return off;
	/* Those that are read next lie in front. */
	script->window_from = at + CONTEXT_SIZE - SCRIPT_WINDOW;
	if (!bpf_probe_read_user(script->window, SCRIPT_WINDOW, (void *)script->window_from))
		return SCRIPT_WINDOW - CONTEXT_SIZE;
	script->window_from = 0;
	return bpf_probe_read_user(script->window, CONTEXT_SIZE, (void *)at) ? SCRIPT_WINDOW : 0;
}

/* Goes on to the stack of contexts that was in use before. Returns true if the walk is over. */
static __always_inline bool next_contexts(struct script_state *script)
{
	u64 from = script->contexts.before;
	struct context_stack *stack = &script->contexts;

	if (!from) {
		script->end = SCRIPT_REACHED;
		return true;
	}
	if (!script_read(script, from, CONTEXTS_BYTES)) {
		script->end = SCRIPT_UNREADABLE;
		return true;
	}
	stack->contexts = script_word(script, CONTEXTS_ARRAY);
	stack->before = script_word(script, CONTEXTS_BEFORE);
	stack->last = script_word(script, CONTEXTS_LAST);
	stack->places = script_word(script, CONTEXTS_PLACES);
	stack->last_sub = script_word(script, CONTEXTS_LAST_SUB);
	stack->kind = script_word(script, CONTEXTS_KIND);
	if (stack->last_sub < -1 || stack->last_sub > stack->last || stack->last > stack->places || stack->places >= CONTEXTS ||
	    stack->kind < -1 || stack->kind > CONTEXT_STACK_KINDS) {
		script->end = SCRIPT_UNREADABLE;
		return true;
	}
	script->innermost = RUNS_INNERMOST;
	return false;
}

/* Notes the frame of the next context. */
static long walk_context(u64 i, void *ctx)
{
	struct stack_state *state = stack_state();
	u64 code = 0, kind, after = 0, off = 0, raw, known;
	struct script_state *script;
	struct script_frame *frame;
	s32 index, before;
	u64 is_last = 0, is_known;
	u32 n;

	if (!state)
		return 1;
	script = &state->script;
	index = ONCE(script->contexts.last_sub);
	if (index < 0) {
		kind = RUNS_FIRST;
		if (script->contexts.kind == CONTEXTS_OF_PROGRAM) {
			kind |= RUNS_FILE;
			is_last = 1;
		} else if (script->contexts.kind == CONTEXTS_OF_SORT && script->contexts.last >= 0) {
			/* Its first context is that of a block, or of a sub. */
			script->contexts.kind = 0;
			kind |= RUNS_BLOCK;
			index = 0;
		} else {
			return next_contexts(script);
		}
	} else {
		kind = RUNS_SUB;
	}
	if (!is_last) {
		off = read_context(script, index);
		FORGET(off, script->next);
		if (off > SCRIPT_WINDOW - CONTEXT_LEAST) {
			script->end = SCRIPT_UNREADABLE;
			return 1;
		}
		raw = context_word(script, off, 0);
		after = context_word(script, off, CONTEXT_STATEMENT);
		if (kind) {
			if ((raw & CONTEXT_KIND) != CONTEXT_PLAIN)
				return 0;
		} else {
			before = context_word(script, off, CONTEXT_BEFORE);
			script->contexts.last_sub = before;
			if (!context_word(script, off, CONTEXT_NEXT))
				kind = RUNS_FIRST;
			/* (So the walk ends.) */
			if (before >= index || before < -1)
				raw = 0;
			switch (raw & CONTEXT_KIND) {
			case CONTEXT_OF_SUB:
				if (raw & CONTEXT_OF_BLOCK)
					kind |= RUNS_EXPRESSION;
			case CONTEXT_OF_FORMAT:
				code = context_word(script, off, CONTEXT_SUB);
				break;
			case CONTEXT_OF_EVAL:
				/* (The block of an eval is part of the sub around it, which has reached a statement in the block.) */
				if (raw & CONTEXT_OF_BLOCK)
					return 0;
				kind |= RUNS_EVAL;
				break;
			default:
				script->end = SCRIPT_UNREADABLE;
				return 1;
			}
		}
	}
	n = ONCE(script->frames);
	if (n >= SCRIPT_FRAMES)
		return 1;
	FORGET(code, script->raw);
	FORGET(is_last, script->raw);
	/* The bound is set on the register that is used. */
	asm volatile("" : "+r"(n));
	frame = &script->frame[n & (SCRIPT_FRAMES - 1)];
	known = frame->identity;
	is_known = n < script->known && frame->place == script->next &&
		   script->next - script->interpreter >= INTERPRETER_BYTES;
	frame->code = code;
	frame->place = script->next;
	frame->kind = kind | script->innermost;
	script->innermost = 0;
	script->next = after;
	/* (Subs that call themselves.) */
	if (code && code != script->code) {
		script->code = code;
		identify_sub(code);
		script->code_number = script->identity << 32;
	}
	if (frame->place != script->place) {
		script->place = frame->place;
		if (is_known) {
			script->place_number = (u32)known;
		} else {
			identify_statement(script->place);
			script->place_number = script->identity;
		}
	}
	frame->identity = script->place_number | (code ? script->code_number : 0);
	state->key.script = script_mixed(script_mixed(state->key.script, code ^ frame->kind), frame->place ^ frame->identity * SCRIPT_MULTIPLIER);
	script->frames = n + 1;
	if (is_last)
		script->end = SCRIPT_REACHED;
	/* (The verifier has forgotten that it is no other number.) */
	return is_last & 1;
}

/*
 * Begins with the innermost context of the thread. Returns false if it has none.
 *
 * Statements are made by compiling alone, and the interpreter has a number that rises with all that is compiled. As long as that is the same, the statements of the
 * frames that this thread had at its call before need not be looked at again. (Subs can get other names without that.)
 */
static __always_inline bool begin_contexts(struct script_state *script, struct task_struct *task)
{
	u64 at = script->layout.interpreters, interpreter = 0, compiled, raw;

	script->end = SCRIPT_UNREADABLE;
	if (script->layout.threads == SCRIPT_NONE) {
		at += script->thread_pointer;
	} else {
		/* The thread has it among its values of keys. */
		if (!script_pointer(script, &at, at) || (u32)at >= SCRIPT_KEYS)
			return false;
		at = script->thread_pointer + script->layout.threads + (u64)(u32)at * script->layout.next_thread;
	}
	if (!script_pointer(script, &interpreter, at))
		return false;
	if (!interpreter) {
		script->end = SCRIPT_NO_FRAMES;
		return false;
	}
	if (!script_pointer(script, &compiled, interpreter + script->layout.constant) ||
	    !script_pointer(script, &script->next, interpreter + script->layout.innermost) ||
	    !script_pointer(script, &script->contexts.before, interpreter + script->layout.innermost_there))
		return false;
	raw = script_mixed(script_mixed(script->layout.id ^ task->start_time, interpreter), (u32)compiled);
	if (script->raw_thread != (u64)task || script->raw != raw)
		script->known = 0;
	script->interpreter = interpreter;
	script->raw_thread = (u64)task;
	script->raw = raw;
	script->contexts.last_sub = -1;
	script->contexts.kind = 0;
	script->window_from = 0;
	script->place = 0;
	script->place_number = 0;
	script->innermost = 0;
	script->copies = 0;
	script->end = SCRIPT_LIMIT;
	return true;
}

/* Copies what names a frame. */
static __always_inline void copy_context(struct script_state *script, struct script_frame *frame)
{
	if (frame->code && frame->code != script->code) {
		script->code = frame->code;
		identify_sub(frame->code);
	}
	if (frame->place != script->place) {
		script->place = frame->place;
		identify_statement(frame->place);
	}
}

#endif
