/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Whether a thread is traced: the first question of every program, and for all other threads the only one. */
#ifndef STRIDE_TRACED_H
#define STRIDE_TRACED_H

static __always_inline struct task_state *traced(struct task_struct *task)
{
	/*
	 * For threads that no program keeps anything about, which are most, the helper looks at one pointer. (To look at it here would
	 * save 2 ns a call of theirs, but following a pointer of the task makes the verifier search all of the kernel's type names:
	 * 1 ms for each program.)
	 */
	return bpf_task_storage_get(&tasks, task, NULL, 0);
}

#endif
