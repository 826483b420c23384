/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Functions of libraries, and USDT probes: uprobes, whose records go through the rings of calls. Where a word of a probe lies is
 * told by the reader (struct probe_plan). These programs are only loaded if such probes are asked for.
 *
 * Unlike the other programs these can be preempted, so a record is built in memory of the thread's own, not of the CPU's.
 */
#ifndef STRIDE_LIBRARY_H
#define STRIDE_LIBRARY_H

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct probe_plan);
} probes SEC(".maps");

struct library_scratch {
	struct rec_library rec;
	u8 data[LIBRARY_ROOM];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct library_scratch);
} library_scratches SEC(".maps");

/* The most bytes of a text that are copied. */
const volatile u32 library_text;

static __always_inline u64 register_at(struct pt_regs *regs, u32 offset)
{
	u64 value = 0;

	if (offset <= sizeof(*regs) - sizeof(value))
		bpf_probe_read_kernel(&value, sizeof(value), (void *)regs + offset);
	return value;
}

/* The value as the program's own type has it. */
static __always_inline u64 widened(u64 value, u32 size, u32 is_signed)
{
	u32 unused = size >= 8 ? 0 : 64 - size * 8;

	unused &= 63;
	value <<= unused;
	return is_signed ? (u64)((s64)value >> unused) : value >> unused;
}

/* Reads a word. Returns false if it is in memory that is not there. */
static __always_inline bool read_word(struct pt_regs *regs, const struct probe_word *word, u64 *to)
{
	u64 value = word->value;

	if (word->kind == WORD_REGISTER) {
		value = register_at(regs, word->reg);
	} else if (word->kind == WORD_MEMORY) {
		u64 from = register_at(regs, word->reg) + word->value;

		value = 0;
		if (bpf_probe_read_user(&value, sizeof(value), (void *)from))
			return false;
	}
	*to = widened(value, word->size, word->is_signed);
	return true;
}

/*
 * Appends the memory at `from`, a string or `len` bytes, to the LIBRARY_ROOM bytes of `data`, of which `at` are used. Returns how many are
 * used then.
 */
static __always_inline u32 add_text(u8 *data, u32 at, u32 word, u64 from, u32 kind, u64 len)
{
	struct library_text *head;
	u64 most = library_text, want;
	long n;

	if (most > LIBRARY_TEXT_MAX)
		most = LIBRARY_TEXT_MAX;
	/* Bounds are checked on the same registers that are used. */
	asm volatile("" : "+r"(at));
	if (at > LIBRARY_ROOM - sizeof(*head) - LIBRARY_TEXT_MAX - 8)
		return at;
	head = (struct library_text *)(data + at);
	if (kind == TEXT_STRING) {
		want = most + 1;
		asm volatile("" : "+r"(want));
		if (want > LIBRARY_TEXT_MAX + 1)
			return at;
		n = bpf_probe_read_user_str(data + at + sizeof(*head), want, (void *)from);
		if (n < 0)
			return at;
		/* Without its NUL, or that in the place of the next byte. (For an empty string, the helper counts no NUL.) */
		if (n > 0)
			n--;
		head->cut = n == most;
	} else {
		want = len < most ? len : most;
		asm volatile("" : "+r"(want));
		if (want > LIBRARY_TEXT_MAX || bpf_probe_read_user(data + at + sizeof(*head), want, (void *)from))
			return at;
		n = want;
		head->cut = len > most;
	}
	head->word = word;
	head->len = n;
	return at + sizeof(*head) + (((u32)n + 7) & ~7U);
}

static __always_inline struct library_scratch *begin_library(struct task_struct *task, struct task_state *st, struct pt_regs *regs,
							     u32 probe, u32 part)
{
	struct library_scratch *s = bpf_task_storage_get(&library_scratches, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!s)
		return NULL;
	head(&s->rec.head, REC_LIBRARY, task, st);
	s->rec.at = bpf_ktime_get_ns();
	s->rec.sp = sp_of(regs);
	s->rec.probe = probe;
	s->rec.part = part;
	s->rec.result = 0;
	s->rec.words = 0;
	s->rec.used = 0;
	return s;
}

static __always_inline void send_library(struct task_state *st, struct library_scratch *s)
{
	u32 used = s ? ONCE(s->rec.used) : 0;

	asm volatile("" : "+r"(used));
	if (!s || used > LIBRARY_ROOM || !send_call(st, &s->rec, sizeof(s->rec) + used, false))
		lose_call(st);
}

static __always_inline u64 library_word(struct library_scratch *s, u32 i)
{
	return i < LIBRARY_WORDS ? *(u64 *)(s->data + (i & 15) * 8) : 0;
}

static __always_inline int at_function(struct task_struct *task, struct task_state *st, struct pt_regs *regs, u32 probe,
				       struct probe_plan *plan)
{
	struct library_scratch *s = begin_library(task, st, regs, probe, plan->returns ? LIBRARY_ENTERED : LIBRARY_PASSED);
	u32 n = 0;

	if (!s) {
		lose_call(st);
		return 0;
	}
	if (plan->returns)
		s->rec.result = return_address(regs);
	for (int i = 0; i < LIBRARY_WORDS; i++) {
		if (i >= plan->n || !read_word(regs, &plan->words[i], (u64 *)(s->data + i * 8)))
			break;
		n = i + 1;
	}
	s->rec.words = n;
	/* All words have their places, also those that are not there. */
	s->rec.used = LIBRARY_WORDS * 8;
	for (int i = 0; i < LIBRARY_WORDS; i++) {
		u32 kind = plan->words[i].text;

		if (kind != TEXT_NONE && i < n)
			s->rec.used = add_text(s->data, ONCE(s->rec.used), i, library_word(s, i), kind,
					       plan->words[i].len < n ? library_word(s, plan->words[i].len) : 0);
	}
	send_library(st, s);
	return 0;
}

static __always_inline int at_return(struct task_struct *task, struct task_state *st, struct pt_regs *regs, u32 probe,
				     struct probe_plan *plan)
{
	struct library_scratch *s = begin_library(task, st, regs, probe, LIBRARY_RETURNED);

	if (returns_are_calls)
		__sync_fetch_and_or(&st->flags, TASK_IN_RETURN);
	if (!s) {
		lose_call(st);
		return 0;
	}
	read_word(regs, &plan->result, &s->rec.result);
	if (plan->result.text)
		s->rec.used = add_text(s->data, 0, TEXT_OF_RESULT, s->rec.result, TEXT_STRING, 0);
	send_library(st, s);
	return 0;
}

static __always_inline struct task_state *shown(struct task_struct *task)
{
	struct task_state *st = traced(task);

	return st && !(st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED)) ? st : NULL;
}

static __always_inline int library(struct pt_regs *regs, bool returned)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = shown(task);
	u32 probe = bpf_get_attach_cookie(regs);
	struct probe_plan *plan;

	if (!st)
		return 0;
	plan = bpf_map_lookup_elem(&probes, &probe);
	if (!plan)
		return 0;
	return returned ? at_return(task, st, regs, probe, plan) : at_function(task, st, regs, probe, plan);
}

/* Linux 6.13: one program for both, which decides whether the return is watched. */
SEC("uprobe.session")
int on_function_session(struct pt_regs *regs)
{
	/* At its entry a function's address is the instruction pointer, and at its return never. */
	bool returned = bpf_get_func_ip(regs) != ip_of(regs);

	/* The return address of threads that are not traced is left as it is. */
	if (!returned && !shown(bpf_get_current_task_btf()))
		return 1;
	return library(regs, returned);
}

/* Linux 6.6: many functions at once. */
SEC("uprobe.multi")
int on_functions(struct pt_regs *regs)
{
	return library(regs, false);
}

SEC("uretprobe.multi")
int on_function_returns(struct pt_regs *regs)
{
	return library(regs, true);
}

/* Before: one by one. */
SEC("uprobe")
int on_function(struct pt_regs *regs)
{
	return library(regs, false);
}

SEC("uretprobe")
int on_function_return(struct pt_regs *regs)
{
	return library(regs, true);
}

/* The return of a library's function is watched by a call that looks like rt_sigreturn at its exit, and is nobody's call. */
static __always_inline bool is_watched_return(struct task_state *st, struct pt_regs *regs)
{
	if (!(st->flags & TASK_IN_RETURN))
		return false;
	__sync_fetch_and_and(&st->flags, ~TASK_IN_RETURN);
	/* Where nothing is seen of that call, this is the exit of the next one, which has its own time. */
	if (nr_of(regs) != -1)
		return false;
	if (take_times)
		st->entered = 0;
	return true;
}

#endif
