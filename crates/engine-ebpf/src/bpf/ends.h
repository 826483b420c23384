/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * How threads begin and end. The first thread of a process ends when the process does, as wait(2) tells it. If that thread is
 * gone before the others, traced or not, it is kept here as absent: the last thread to go tells of the end, or the execve of
 * another thread takes the absent one's place and id, and tracing goes on with that.
 *
 * `threads_alive` counts the threads whose end will be told, the absent ones among them: at 0 nothing more comes.
 */
#ifndef STRIDE_ENDS_H
#define STRIDE_ENDS_H

/* linux/sched.h */
#define PF_EXITING 4

struct absent {
	struct task_state st;
	/* With which it went, as wait(2) would give it. */
	u64 status;
};

/* By process. Full, it makes first threads end when they go. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, struct absent);
} absents SEC(".maps");
/* How many there are, for the threads of all other processes to see that there is nothing to look up. */
u32 absent_count;

/* Whether the beginning, or the end, is the caller's to tell. */
static __always_inline bool begins(struct task_state *st)
{
	return !(__sync_fetch_and_or(&st->life, LIFE_BEGUN) & LIFE_BEGUN);
}

static __always_inline bool ends(struct task_state *st)
{
	return !(__sync_fetch_and_or(&st->life, LIFE_ENDED) & LIFE_ENDED);
}

/* Counted off last: when no one is left, nothing more will come. */
static __always_inline void send_exit(struct task_struct *task, struct task_state *st, u32 id, u32 status)
{
	struct rec_exit rec;

	head(&rec.head, REC_EXIT, task, st);
	rec.head.tid = id;
	rec.at = bpf_ktime_get_ns();
	rec.status = status;
	send_control(st, &rec, sizeof(rec), true);
	__sync_fetch_and_add(&threads_alive, -1);
}

/* The thread that takes it tells what has become of it. */
static __always_inline bool take_absent(u32 process)
{
	if (bpf_map_delete_elem(&absents, &process))
		return false;
	__sync_fetch_and_add(&absent_count, -1);
	return true;
}

/* Threads of its process that have not begun to end. (The current one has, before anybody is told.) */
static __always_inline int others_of(struct task_struct *task)
{
	return BPF_CORE_READ(task, signal, live.counter);
}

/* Whether a thread that is gone is kept, as the first of a process that lives on. */
static __always_inline bool is_kept(struct task_struct *task, struct task_state *st)
{
	struct absent left = {};
	u32 process = task->tgid;

	if (task->pid != process || others_of(task) <= 0)
		return false;
	left.st.ring = st->ring;
	left.st.lost = st->lost;
	left.st.life = LIFE_BEGUN;
	left.status = (u32)task->exit_code;
	if (bpf_map_update_elem(&absents, &process, &left, 0))
		return false;
	__sync_fetch_and_add(&absent_count, 1);
	return true;
}

/*
 * Whoever finds itself the last of its process tells of the first one's end. Others may end at the same time, and the first one
 * itself: each counts itself off before it looks here, so that at least one finds both nobody left and the first one kept.
 */
static __always_inline void end_absent(struct task_struct *task)
{
	u32 process = task->tgid, status;
	struct absent *left, was;

	if (others_of(task) > 0)
		return;
	left = bpf_map_lookup_elem(&absents, &process);
	if (!left)
		return;
	was = *left;
	if (!take_absent(process))
		return;
	status = was.status;
	if (BPF_CORE_READ(task, signal, flags) & SIGNAL_GROUP_EXIT)
		status = BPF_CORE_READ(task, signal, group_exit_code);
	send_exit(task, &was.st, process_id_of(task), status);
}

/*
 * The current thread calls execve and takes the place of its process's first one. If only that one was traced, this one is from
 * now on: to whoever watches the process, it is the same thread. Returns the state, if it is traced.
 */
static __always_inline struct task_state *replace_absent(struct task_struct *task, struct task_state *st)
{
	u32 process = task->tgid;
	struct absent *left, was;

	if (!*(volatile u32 *)&absent_count)
		return st;
	left = bpf_map_lookup_elem(&absents, &process);
	if (!left)
		return st;
	was = *left;
	if (!take_absent(process))
		return st;
	if (!st) {
		was.st.flags = TASK_NEW;
		st = bpf_task_storage_get(&tasks, task, &was.st, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (st)
			return st;
		__sync_fetch_and_add(&control_lost, 1);
	}
	__sync_fetch_and_add(&threads_alive, -1);
	return st;
}

#endif
