/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Whether a thread is traced: the first question of every program, and for all other threads the only one. */
#ifndef STRIDE_TRACED_H
#define STRIDE_TRACED_H

static __always_inline struct task_state *traced(struct task_struct *task)
{
	/* Threads that no program keeps anything about, which are most, cost one load. */
	if (!task->bpf_storage)
		return NULL;
	return bpf_task_storage_get(&tasks, task, NULL, 0);
}

#endif
