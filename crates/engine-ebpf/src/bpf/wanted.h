/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * --all: which of the machine's threads are traced. That is decided when something changes that the decision depends on: a
 * thread begins, executes a program, gets another name or user, or moves to another cgroup. A thread that is not wanted has
 * no state, as if Stride had never heard of it, so its calls pay for nothing but finding that out.
 */
#ifndef STRIDE_WANTED_H
#define STRIDE_WANTED_H

#include "glob.h"
#include "guard.h"

/* Every process of the machine is looked at. */
const volatile bool all;
/* Only threads in these cgroups or below them are wanted. */
const volatile bool want_cgroups;
/* The cgroups of threads are reported. */
const volatile bool tell_cgroups;
/* Only threads with this effective user id. */
const volatile bool want_user;
const volatile u32 wanted_uid;
/* Patterns for names of threads, which come first among the globs, and for paths of executables. */
const volatile u32 comm_globs;
const volatile u32 exe_globs;

/* Levels of cgroups that are looked at, from the thread's own upwards. */
#define CGROUP_LEVELS 32

/* Processes that are never traced, by id, with an enum left_out_flag: Stride, its children, and those that read its output. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} left_out SEC(".maps");

/* The wanted cgroups by id. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, u64);
	__type(value, u32);
} wanted_cgroups SEC(".maps");

/* The paths of cgroups that are wanted by path, one after the other: a cgroup may be made later, or again. */
const volatile u32 cgroup_part_count;
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct cgroup_part);
} cgroup_parts SEC(".maps");

static __always_inline u64 id_of_cgroup(struct cgroup *cgroup)
{
	return BPF_CORE_READ(cgroup, kn, id);
}

/* Where the thread is in the hierarchy of version 2. */
static __always_inline u64 cgroup_of(struct task_struct *task)
{
	return id_of_cgroup(BPF_CORE_READ(task, cgroups, dfl_cgrp));
}

static long cgroup_step(u64 i, void *ctx)
{
	/* Where the search is; 0 if a wanted cgroup was found. */
	struct cgroup *cgroup = *(struct cgroup **)ctx;
	struct cgroup_subsys_state *above;
	u64 id = id_of_cgroup(cgroup);

	if (bpf_map_lookup_elem(&wanted_cgroups, &id)) {
		*(u64 *)ctx = 0;
		return 1;
	}
	above = BPF_CORE_READ(cgroup, self.parent);
	if (!above)
		return 1;
	*(struct cgroup **)ctx = BPF_CORE_READ(above, cgroup);
	return 0;
}

static __always_inline bool in_wanted_cgroup(struct task_struct *task)
{
	struct cgroup *at = BPF_CORE_READ(task, cgroups, dfl_cgrp);

	bpf_loop(CGROUP_LEVELS, cgroup_step, &at, 0);
	return !at;
}

/* True if the filters want the thread that this CPU is examining. `desk` is the index of its struct wanted_desk. */
__noinline int examine(u32 desk)
{
	struct wanted_desk *d = wanted_desk(desk);
	struct task_struct *task;

	if (!d)
		return 0;
	task = (void *)d->task;
	if (want_cgroups && !in_wanted_cgroup(task))
		return 0;
	if (want_user && BPF_CORE_READ(task, cred, euid.val) != wanted_uid)
		return 0;
	if (comm_globs && !comm_matches(task, desk, comm_globs))
		return 0;
	if (exe_globs && !exe_matches(task, desk, comm_globs, exe_globs))
		return 0;
	return 1;
}

/* (Functions that are verified once each take no pointers to tasks.) */
static __always_inline bool is_wanted(struct task_struct *task, u32 desk)
{
	struct wanted_desk *d = wanted_desk(desk);

	if (!want_cgroups && !want_user && !comm_globs && !exe_globs)
		return true;
	if (!d)
		return false;
	d->task = (u64)task;
	return examine(desk);
}

static __always_inline bool is_left_out(struct task_struct *task)
{
	u32 process = process_id_of(task);

	return task->flags & PF_KTHREAD || is_outside(task) || bpf_map_lookup_elem(&left_out, &process);
}

/* The same for a thread that begins. What a left-out process starts may be left out, too. */
static __always_inline bool child_is_left_out(struct task_struct *parent, struct task_struct *child)
{
	u32 process = process_id_of(child), maker = process_id_of(parent), *out;

	if (child->flags & PF_KTHREAD || is_outside(child))
		return true;
	out = bpf_map_lookup_elem(&left_out, &maker);
	if (!out || (process != maker && !(*out & LEFT_OUT_CHILDREN)))
		return false;
	if (process != maker)
		bpf_map_update_elem(&left_out, &process, out, 0);
	return true;
}

/* A process ends, and its id may become another's. */
static __always_inline void forget_left_out(struct task_struct *task)
{
	u32 process;

	if (task->pid != task->tgid)
		return;
	process = process_id_of(task);
	bpf_map_delete_elem(&left_out, &process);
}

/* The thread is no longer traced. `why`: an enum rec_flag. */
static __always_inline void drop(struct task_struct *task, struct task_state *st, u32 why)
{
	struct rec_detach rec;

	if (!ends(st))
		return;
	head(&rec.head, REC_DETACH, task, st);
	rec.head.flags = why;
	rec.at = bpf_ktime_get_ns();
	send_control(st, &rec, sizeof(rec), true);
	__sync_fetch_and_add(&threads_alive, -1);
	bpf_task_storage_delete(&tasks, task);
}

/*
 * The thread, which existed before, is traced from here on. False if it is about to end: it may be past the program that
 * reports ends. A thread sets PF_EXITING before it gets there, so if that is not set after the adoption, the end will be seen.
 */
static __always_inline bool adopt(struct task_struct *task, u32 flags)
{
	struct task_state fresh = {}, *st;
	struct wanted_desk *desk;
	struct rec_start *rec = NULL;
	void *ring;

	give_ring(&fresh);
	fresh.flags = flags;
	fresh.proof = guarded ? PROOF_AWAITED : PROOF_GIVEN;
	/*
	 * For this trace, the call that it is in begins now. (If it is in none, the next entry sets this. Where not all entries are seen, nothing
	 * is known of the time.)
	 */
	if (take_times && !times_some)
		fresh.entered = bpf_ktime_get_ns();
	/* It may be off its CPU, since an unknown time, so only the accounted run time counts. */
	if (count_cpu) {
		fresh.switches = fresh.migrations = ~0ULL;
		fresh.ran = task->se.sum_exec_runtime;
	}
	/* The record takes its place before the thread can send any. */
	ring = ring_of(&fresh);
	/* (The reader knows of the command, which it has started.) */
	if (ring && !(flags & TASK_BEFORE_EXEC))
		rec = bpf_ringbuf_reserve(ring, sizeof(*rec), 0);
	st = bpf_task_storage_get(&tasks, task, &fresh, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!st)
		__sync_fetch_and_add(&control_lost, 1);
	if (!st || !begins(st)) {
		if (rec)
			bpf_ringbuf_discard(rec, BPF_RB_NO_WAKEUP);
		return true;
	}
	if (guarded && !is_cleared(task, st)) {
		if (rec)
			bpf_ringbuf_discard(rec, BPF_RB_NO_WAKEUP);
		bpf_task_storage_delete(&tasks, task);
		return false;
	}
	__sync_fetch_and_add(&threads_alive, 1);
	if (task->flags & PF_EXITING && ends(st)) {
		__sync_fetch_and_add(&threads_alive, -1);
		if (rec)
			bpf_ringbuf_discard(rec, BPF_RB_NO_WAKEUP);
		return false;
	}
	if (!rec) {
		if (!(flags & TASK_BEFORE_EXEC))
			__sync_fetch_and_add(&control_lost, 1);
		return true;
	}
	head(&rec->head, REC_START, task, st);
	rec->at = bpf_ktime_get_ns();
	rec->parent = 0;
	rec->process = process_id_of(task);
	rec->cgroup = tell_cgroups ? cgroup_of(task) : 0;
	BPF_CORE_READ_INTO(&rec->comm, task, comm);
	desk = wanted_desk(0);
	if (desk && desk->renamed == (u64)task)
		__builtin_memcpy(rec->comm, desk->comm, COMM_LEN);
	bpf_ringbuf_submit(rec, BPF_RB_NO_WAKEUP);
	return true;
}

/* Something changed that the decision about this thread depends on. A thread that is no longer wanted is dropped. True if it is to be adopted. */
static __always_inline bool decide_to_adopt(struct task_struct *task)
{
	struct task_state *st = traced(task);

	if (is_left_out(task) || !is_wanted(task, 0)) {
		if (st)
			drop(task, st, 0);
		return false;
	}
	return !st && !(task->flags & PF_EXITING);
}

/* `flags` for a thread that is adopted now. */
static __always_inline void decide_again(struct task_struct *task, u32 flags)
{
	if (decide_to_adopt(task))
		adopt(task, flags);
}

/* (On its own, because the stack of the functions that match patterns would have no room beside its own on Linux 6.1.) */
__noinline int adopt_current(u32 flags)
{
	adopt(bpf_get_current_task_btf(), flags);
	return 0;
}

__noinline int decide_current_again(u32 flags)
{
	if (decide_to_adopt(bpf_get_current_task_btf()))
		adopt_current(flags);
	return 0;
}

/* Has the reader decide again about all threads of the process, which cannot be listed here. */
static __always_inline void ask_to_decide(struct task_struct *task)
{
	struct rec_changed rec = {};

	if (others_of(task) <= 1)
		return;
	rec.head.kind = REC_CHANGED;
	rec.head.tid = id_of(task);
	rec.at = bpf_ktime_get_ns();
	rec.process = process_id_of(task);
	if (bpf_ringbuf_output(&ring, &rec, sizeof(rec), wakeup(0, true)))
		__sync_fetch_and_add(&control_lost, 1);
}

static __always_inline bool is_in_execve(struct task_struct *task)
{
	u32 index = call_index(abi_of(task), nr_of((struct pt_regs *)bpf_task_pt_regs(task)));
	struct call_plan *plan = bpf_map_lookup_elem(&calls, &index);

	return plan && plan->flags & CALL_EXEC;
}

/* A thread gets a name, its own or from another thread of its process. The task still has the old one. */
SEC("typed_tp/task_rename")
int BPF_PROG(on_rename, struct task_struct *task, const char *comm)
{
	struct wanted_desk *desk = wanted_desk(0);

	if (!desk)
		return 0;
	/* A name that execve sets is looked at when execve has succeeded. */
	if (task == bpf_get_current_task_btf() && is_in_execve(task))
		return 0;
	desk->renamed = (u64)task;
	bpf_probe_read_kernel_str(desk->comm, sizeof(desk->comm), comm);
	decide_again(task, TASK_NEW);
	desk->renamed = 0;
	if (task->pid == task->tgid)
		ask_to_decide(task);
	return 0;
}

static __always_inline void tell_moved(struct task_struct *task, struct task_state *st, u64 cgroup)
{
	struct rec_moved rec;

	head(&rec.head, REC_MOVED, task, st);
	rec.at = bpf_ktime_get_ns();
	rec.cgroup = cgroup;
	send_control(st, &rec, sizeof(rec), false);
}

static __always_inline bool is_version_2(struct cgroup *cgroup)
{
	return BPF_CORE_READ(cgroup, root) == BPF_CORE_READ(bpf_get_current_task_btf(), cgroups, dfl_cgrp, root);
}

/* A thread, or the whole process of this first thread, has moved to another cgroup. */
SEC("typed_tp/cgroup_attach_task")
int BPF_PROG(on_cgroup_attach, struct cgroup *cgroup, const char *path, struct task_struct *task, bool whole)
{
	struct task_state *st;

	if (!is_version_2(cgroup))
		return 0;
	decide_again(task, 0);
	st = traced(task);
	if (st && tell_cgroups)
		tell_moved(task, st, id_of_cgroup(cgroup));
	if (whole)
		ask_to_decide(task);
	return 0;
}

/* A cgroup begins or ends. Its path is that below the root of the hierarchy. */
static __always_inline int tell_cgroup(struct cgroup *cgroup, const char *path, u32 gone)
{
	struct rec_cgroup *rec;

	if (!is_version_2(cgroup))
		return 0;
	rec = bpf_ringbuf_reserve(&ring, sizeof(*rec), 0);
	if (!rec) {
		__sync_fetch_and_add(&control_lost, 1);
		return 0;
	}
	__builtin_memset(rec, 0, sizeof(rec->head));
	rec->head.kind = REC_CGROUP;
	rec->at = bpf_ktime_get_ns();
	rec->cgroup = id_of_cgroup(cgroup);
	rec->gone = gone;
	if (bpf_probe_read_kernel_str(rec->path, sizeof(rec->path), path) < 0)
		rec->path[0] = 0;
	bpf_ringbuf_submit(rec, wakeup(0, true));
	return 0;
}

/* A cgroup that was made. */
struct new_cgroup {
	u64 id;
	u64 above;
	u64 name[CGROUP_NAME / sizeof(u64)];
};

/* Compares a cgroup with a part of a path. */
static long part_step(u64 i, void *ctx)
{
	const struct new_cgroup *new = ctx;
	struct cgroup_part *part, *below;
	u32 at = i, next = i + 1, wanted = 1;
	const u64 *name;
	int word;

	part = bpf_map_lookup_elem(&cgroup_parts, &at);
	if (!part || part->above != new->above)
		return 0;
	name = (const u64 *)part->name;
	for (word = 0; word < CGROUP_NAME / sizeof(u64); word++)
		if (name[word] != new->name[word])
			return 0;
	if (part->last) {
		bpf_map_update_elem(&wanted_cgroups, &new->id, &wanted, BPF_ANY);
	} else {
		below = bpf_map_lookup_elem(&cgroup_parts, &next);
		if (below)
			below->above = new->id;
	}
	return 0;
}

/* Nobody is in a new cgroup yet, so the first who enters is seen. */
static __always_inline void follow_paths(struct cgroup *cgroup)
{
	struct cgroup_subsys_state *above = BPF_CORE_READ(cgroup, self.parent);
	struct new_cgroup new = {};

	if (!above || !is_version_2(cgroup))
		return;
	new.id = id_of_cgroup(cgroup);
	new.above = id_of_cgroup(BPF_CORE_READ(above, cgroup));
	if (bpf_probe_read_kernel_str(new.name, sizeof(new.name), BPF_CORE_READ(cgroup, kn, name)) > 0)
		bpf_loop(cgroup_part_count, part_step, &new, 0);
}

SEC("typed_tp/cgroup_mkdir")
int BPF_PROG(on_cgroup_begins, struct cgroup *cgroup, const char *path)
{
	if (cgroup_part_count)
		follow_paths(cgroup);
	return tell_cgroups ? tell_cgroup(cgroup, path, 0) : 0;
}

SEC("typed_tp/cgroup_rmdir")
int BPF_PROG(on_cgroup_ends, struct cgroup *cgroup, const char *path)
{
	u64 id = id_of_cgroup(cgroup);

	if (cgroup_part_count)
		bpf_map_delete_elem(&wanted_cgroups, &id);
	return tell_cgroups ? tell_cgroup(cgroup, path, 1) : 0;
}

#endif
