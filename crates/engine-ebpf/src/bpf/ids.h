/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The ids of threads in Stride's own PID namespace. In the machine's first namespace, the usual case, that is the number in
 * the task. Elsewhere it is one of a list in the thread's struct pid, at the level of Stride's namespace. Every thread that
 * can be traced from there is in that namespace or below it, so the level is the same for all.
 */
#ifndef STRIDE_IDS_H
#define STRIDE_IDS_H

/* Stride is not in the first PID namespace. */
const volatile bool nested;
/* The depth of its namespace, and where the list lies in struct pid. */
u32 pid_level;
u32 pid_numbers;
/* The namespace itself. */
u64 pid_space;

/* include/linux/pid.h */
struct number {
	int nr;
	void *ns;
};

/*
 * A nested Stride runs this once, and so does one that is told ids in namespaces (namespaces.h). (If other programs did
 * this, each would pay for the search for struct pid in the kernel's type information.)
 */
SEC("raw_tp")
int learn_ids(void *ctx)
{
	struct pid *pid = BPF_CORE_READ(bpf_get_current_task_btf(), thread_pid);

	pid_level = BPF_CORE_READ(pid, level);
	pid_numbers = bpf_core_field_offset(pid->numbers);
	bpf_probe_read_kernel(&pid_space, sizeof(pid_space),
			      (void *)pid + pid_numbers + pid_level * sizeof(struct number) + __builtin_offsetof(struct number, ns));
	return 0;
}

static __noinline u32 id_in_namespace(struct task_struct *task)
{
	void *pid = BPF_CORE_READ(task, thread_pid);
	int nr = 0;

	bpf_probe_read_kernel(&nr, sizeof(nr), pid + pid_numbers + pid_level * sizeof(struct number));
	return nr;
}

/* True if the task has no id in Stride's PID namespace. */
static __noinline bool is_outside_namespace(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct number own = {};

	if (BPF_CORE_READ(pid, level) < pid_level)
		return true;
	bpf_probe_read_kernel(&own, sizeof(own), (void *)pid + pid_numbers + pid_level * sizeof(struct number));
	return (u64)own.ns != pid_space;
}

static __always_inline bool is_outside(struct task_struct *task)
{
	return nested && is_outside_namespace(task);
}

static __always_inline u32 id_of(struct task_struct *task)
{
	return nested ? id_in_namespace(task) : task->pid;
}

/* The id of its process. */
static __always_inline u32 process_id_of(struct task_struct *task)
{
	return nested ? id_in_namespace(BPF_CORE_READ(task, group_leader)) : task->tgid;
}

/* The kernel does not give the former id of a thread that called execve in other namespaces. */
static __always_inline void note_id_before_exec(struct task_struct *task, struct task_state *st)
{
	if (nested)
		st->old_id = id_in_namespace(task);
}

#endif
