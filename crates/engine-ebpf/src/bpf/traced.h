/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Tells if a thread is traced: the first check of every program, and for other threads the only one. */
#ifndef STRIDE_TRACED_H
#define STRIDE_TRACED_H

static __always_inline struct task_state *traced(struct task_struct *task)
{
	/*
	 * For threads without a state, which are most, the helper reads one pointer. (Reading it here would save 2 ns per
	 * call of these threads. But to follow a pointer of the task, the verifier searches all of the kernel's type names:
	 * 1 ms for each program.)
	 */
	struct task_state *st = bpf_task_storage_get(&tasks, task, NULL, 0);

	return guarded && st && *(volatile u32 *)&st->proof != PROOF_GIVEN ? NULL : st;
}

#endif
