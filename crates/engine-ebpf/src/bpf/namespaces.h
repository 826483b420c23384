/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The ids of a thread in PID namespaces, told when the thread begins: /proc has them only as long as the thread lives. A thread
 * keeps its namespaces and its ids for life, except that execve may give it those of its process's first thread.
 */
#ifndef STRIDE_NAMESPACES_H
#define STRIDE_NAMESPACES_H

const volatile bool tell_ids;

struct told_ids {
	struct rec_id rec;
	/* The thread's struct pid, and its ring. */
	u64 pid;
	u32 ring;
	u32 pad;
};

static long tell_id(u64 i, void *ctx)
{
	struct told_ids *told = ctx;
	struct number number = {};
	struct pid_namespace *space;
	void *ring;

	bpf_probe_read_kernel(&number, sizeof(number), (void *)told->pid + pid_numbers + (pid_level + i) * sizeof(number));
	told->rec.id = (u32)number.nr;
	space = number.ns;
	told->rec.space = BPF_CORE_READ(space, ns.inum);
	ring = ring_at(told->ring);
	if (!ring || bpf_ringbuf_output(ring, &told->rec, sizeof(told->rec), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&control_lost, 1);
	return 0;
}

/* Follows the thread's REC_START. */
static __always_inline void tell_ids_of(struct task_struct *task, struct task_state *st)
{
	struct told_ids told = {};
	struct pid *pid;

	if (!tell_ids)
		return;
	pid = BPF_CORE_READ(task, thread_pid);
	head(&told.rec.head, REC_ID, task, st);
	told.rec.head.lost = 0;
	told.rec.at = bpf_ktime_get_ns();
	told.pid = (u64)pid;
	told.ring = st->ring;
	bpf_loop(BPF_CORE_READ(pid, level) - pid_level + 1, tell_id, &told, 0);
}

#endif
