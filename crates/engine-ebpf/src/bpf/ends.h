/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * How threads begin and end. The first thread of a process ends when the process does, as wait(2) reports it. If that
 * thread is gone before the others, traced or not, it is kept here as absent. Then either the last thread to end reports
 * the end, or the execve of another thread takes the absent thread's place and id, and tracing goes on with that thread.
 *
 * `threads_alive` counts the threads whose end will be reported, absent ones included. At 0 nothing more comes.
 */
#ifndef STRIDE_ENDS_H
#define STRIDE_ENDS_H

/* linux/sched.h */
#define PF_EXITING 4

struct absent {
	struct task_state st;
	/* Its exit status, in the form of wait(2). */
	u64 status;
};

/* Absent threads by process. If the map is full, first threads end when they are gone. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, struct absent);
} absents SEC(".maps");
/* The number of absent threads, so that the threads of all other processes need no look-up. */
u32 absent_count;

/* True if the caller is the one to report the beginning, or the end. */
static __always_inline bool begins(struct task_state *st)
{
	return !(__sync_fetch_and_or(&st->life, LIFE_BEGUN) & LIFE_BEGUN);
}

static __always_inline bool ends(struct task_state *st)
{
	return !(__sync_fetch_and_or(&st->life, LIFE_ENDED) & LIFE_ENDED);
}

/*
 * Counted off last, because at 0 nothing more will come. `awaited`: the thread is about to wait for the reader. The reader is woken then, and for the last
 * thread. (If the last two end at once, its patience ends.) It finds the end of others with their records: waking it takes a thread some microseconds, and on a virtual machine 30.
 */
static __always_inline void send_exit(struct task_struct *task, struct task_state *st, u32 id, u32 status, bool awaited)
{
	bool last = *(volatile u64 *)&threads_alive <= 1;
	struct rec_exit rec;

	head(&rec.head, REC_EXIT, task, st);
	rec.head.tid = id;
	rec.at = bpf_ktime_get_ns();
	rec.status = status;
	send_control(st, &rec, sizeof(rec), awaited || last);
	__sync_fetch_and_add(&threads_alive, -1);
}

/* Whoever takes an absent thread out reports its end or its successor. */
static __always_inline bool take_absent(u32 process)
{
	if (bpf_map_delete_elem(&absents, &process))
		return false;
	__sync_fetch_and_add(&absent_count, -1);
	return true;
}

/* Threads of the process that have not begun to end. (The current thread has, before its end is reported.) */
static __always_inline int others_of(struct task_struct *task)
{
	return BPF_CORE_READ(task, signal, live.counter);
}

/* True if an ended thread is kept, because it is the first of a process that lives on. */
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
 * If the current thread finds itself the last of its process, it reports the first one's end. Other threads may end at the
 * same time, also the first one. Each counts itself off before it looks here, so at least one of them finds that nobody is
 * left and that the first one is kept.
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
	send_exit(task, &was.st, process_id_of(task), status, false);
}

/*
 * The current thread calls execve and takes the place of its process's first thread. If only that one was traced, the
 * current one is traced from now on: from outside it is the same thread. Returns the state if the thread is traced.
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
