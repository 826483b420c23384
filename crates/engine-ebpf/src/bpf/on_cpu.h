/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Tells if a thread that is not the current one is on a CPU. */
#ifndef STRIDE_ON_CPU_H
#define STRIDE_ON_CPU_H

/* linux/sched.h */
#define TASK_ASLEEP 3
#define TASK_STOPPED 4

#define barrier() asm volatile("" ::: "memory")

static __always_inline bool on_cpu(struct task_struct *task)
{
	/* A kernel for one CPU has no such member. There, every thread but the current one is off the CPU. */
	bool on = bpf_core_field_exists(task->on_cpu) && task->on_cpu;

	barrier();
	return on;
}

#endif
