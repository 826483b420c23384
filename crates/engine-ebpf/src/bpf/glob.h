/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Patterns as the shell has them, for names of threads and paths of executables. The reader has taken each pattern apart
 * (src/plans/globs.rs). The time for a pattern is bounded: one that takes more steps than that does not match.
 */
#ifndef STRIDE_GLOB_H
#define STRIDE_GLOB_H

#include "mounts.h"

#define GLOB_STEPS (1 << 16)
#define EXE_SIZE 4096
#define TEXT_SIZE 8192

/* The patterns: those for names first. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct glob);
} globs SEC(".maps");

/* Where a thread is examined. Iterators have a desk of their own, because other programs may interrupt them. */
struct wanted_desk {
	/* The matching of a pattern: positions in pattern and text, and those behind the last star. */
	u32 glob;
	u32 p;
	u32 s;
	u32 star_p;
	u32 star_s;
	u32 starred;
	u32 matched;
	/* The text: from here to there. */
	u32 from;
	u32 end;
	u32 pad;
	struct path_climb climb;
	/* The thread that is examined. */
	u64 task;
	/* The thread that is getting this name. */
	u64 renamed;
	u8 comm[COMM_LEN];
	u8 text[TEXT_SIZE];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct wanted_desk);
} wanted_desks SEC(".maps");

static __always_inline struct wanted_desk *wanted_desk(u32 index)
{
	return bpf_map_lookup_elem(&wanted_desks, &index);
}

static __always_inline bool fits(struct glob *glob, u32 atom, u8 c)
{
	if (atom < GLOB_ANY)
		return atom == c;
	if (atom == GLOB_ANY)
		return true;
	return glob->classes[(atom - GLOB_CLASS) % GLOB_CLASSES].bits[c / 64] >> c % 64 & 1;
}

/* One step of the usual search: where it fails, the last star takes one more character. */
static long glob_step(u64 i, void *ctx)
{
	struct wanted_desk *d = wanted_desk(*(u32 *)ctx);
	u32 p, s, at, n, atom = GLOB_STAR;
	struct glob *glob;

	if (!d)
		return 1;
	at = d->glob;
	glob = bpf_map_lookup_elem(&globs, &at);
	if (!glob)
		return 1;
	p = d->p;
	s = d->s;
	n = glob->n;
	if (p < n)
		atom = glob->atoms[p % GLOB_MAX];
	if (p < n && atom == GLOB_STAR) {
		d->star_p = d->p = p + 1;
		d->star_s = s;
		d->starred = 1;
		return 0;
	}
	if (s >= d->end) {
		d->matched = p >= n;
		return 1;
	}
	if (p < n && fits(glob, atom, d->text[s % TEXT_SIZE])) {
		d->p = p + 1;
		d->s = s + 1;
		return 0;
	}
	if (!d->starred)
		return 1;
	d->p = d->star_p;
	d->s = d->star_s = d->star_s + 1;
	return 0;
}

__noinline int glob_matches(u32 desk, u32 index)
{
	struct wanted_desk *d = wanted_desk(desk);

	if (!d)
		return 0;
	d->glob = index;
	d->p = d->starred = d->matched = 0;
	d->s = d->from;
	bpf_loop(GLOB_STEPS, glob_step, &desk, 0);
	return d->matched;
}

/* True if the text on the desk matches a pattern, if there is one to match, and none of the inverted patterns. */
__noinline int text_matches(u32 desk, u32 first, u32 n)
{
	bool some = false, must = false;

	for (u32 i = 0; i < MOST_GLOBS; i++) {
		u32 index = first + i;
		struct glob *glob;
		bool hit;

		if (i >= n)
			break;
		glob = bpf_map_lookup_elem(&globs, &index);
		if (!glob)
			break;
		hit = glob_matches(desk, index);
		if (glob->inverted && hit)
			return 0;
		must |= !glob->inverted;
		some |= hit;
	}
	return some || !must;
}

static __always_inline void put_comm(struct wanted_desk *d, struct task_struct *task)
{
	u8 *text = d->text;

	d->from = d->end = 0;
	if (d->renamed == (u64)task)
		__builtin_memcpy(text, d->comm, COMM_LEN);
	else
		BPF_CORE_READ_INTO((u8(*)[COMM_LEN])text, task, comm);
	for (u32 i = 0; i < COMM_LEN; i++) {
		if (!text[i])
			break;
		d->end = i + 1;
	}
}

/* A thread is wanted by its own name, and by that of its process. */
static __always_inline bool comm_matches(struct task_struct *task, u32 desk, u32 n)
{
	struct task_struct *first = BPF_CORE_READ(task, group_leader);
	struct wanted_desk *d = wanted_desk(desk);

	if (!d)
		return false;
	put_comm(d, task);
	if (text_matches(desk, 0, n))
		return true;
	if (first == task)
		return false;
	put_comm(d, first);
	return text_matches(desk, 0, n);
}

static long exe_step(u64 i, void *ctx)
{
	struct wanted_desk *d = wanted_desk(*(u32 *)ctx);

	return !d || climb_path(&d->climb, d->text, EXE_SIZE, i);
}

/* The path of the executable, from the root of all mounts. */
static __always_inline bool exe_matches(struct task_struct *task, u32 desk, u32 first, u32 n)
{
	struct file *exe = BPF_CORE_READ(task, mm, exe_file);
	struct wanted_desk *d = wanted_desk(desk);

	if (!d || !exe)
		return false;
	d->climb.mnt = BPF_CORE_READ(exe, f_path.mnt);
	d->climb.dentry = BPF_CORE_READ(exe, f_path.dentry);
	d->climb.from = d->end = EXE_SIZE;
	bpf_loop(PATH_STEPS, exe_step, &desk, 0);
	d->from = ONCE(d->climb.from);
	return text_matches(desk, first, n);
}

#endif
