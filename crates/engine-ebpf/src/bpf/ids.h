/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The ids of threads, as Stride's own PID namespace has them. For a Stride in the machine's first one, the usual case, that is the
 * number in the task. Elsewhere it is one of a list in the thread's struct pid, at the level of Stride's namespace: every thread
 * that can be traced from there is in it or below it, so that the level is the same for all, and looked for once.
 */
#ifndef STRIDE_IDS_H
#define STRIDE_IDS_H

/* Inode number of Stride's PID namespace; 0 for the first. */
const volatile u32 pid_namespace;
/* How deep it lies; 0 until that is known. */
u32 pid_level;

/* include/linux/pid.h: a namespace is no deeper. */
#define MAX_PID_LEVEL 32

static __always_inline struct upid *upid_at(struct pid *pid, u32 level)
{
	return (void *)pid + bpf_core_field_offset(pid->numbers) + level * sizeof(struct upid);
}

/* The level at which a thread has an id in Stride's namespace; 0 if at none. */
static __always_inline u32 find_level(struct pid *pid)
{
	u32 deepest = BPF_CORE_READ(pid, level);

	for (u32 level = 1; level <= MAX_PID_LEVEL && level <= deepest; level++)
		if (BPF_CORE_READ(upid_at(pid, level), ns, ns.inum) == pid_namespace)
			return level;
	return 0;
}

/* Not inlined, for it is needed rarely and in many places. */
static __noinline u32 id_in_namespace(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = *(volatile u32 *)&pid_level;

	if (!level)
		pid_level = level = find_level(pid);
	if (!level || level > MAX_PID_LEVEL)
		return 0;
	return BPF_CORE_READ(upid_at(pid, level), nr);
}

/* The thread's id. */
static __always_inline u32 id_of(struct task_struct *task)
{
	return pid_namespace ? id_in_namespace(task) : task->pid;
}

/* The kernel does not tell the former id of a thread that called execve as other namespaces have it. */
static __always_inline void note_id_before_exec(struct task_struct *task, struct task_state *st)
{
	if (pid_namespace)
		st->old_id = id_in_namespace(task);
}

/* The id of its process. */
static __always_inline u32 process_id_of(struct task_struct *task)
{
	return pid_namespace ? id_in_namespace(BPF_CORE_READ(task, group_leader)) : task->tgid;
}

/* How a process names the sender of a signal: as its own namespace has it, or 0 if it is none of that. */
static __always_inline u32 sender_of(struct task_struct *receiver)
{
	struct task_struct *sender = bpf_get_current_task_btf();
	struct pid *to = BPF_CORE_READ(receiver, thread_pid), *from = BPF_CORE_READ(sender, group_leader, thread_pid);
	u32 level = BPF_CORE_READ(to, level);

	if (level > BPF_CORE_READ(from, level) || level > MAX_PID_LEVEL)
		return 0;
	if (BPF_CORE_READ(upid_at(from, level), ns) != BPF_CORE_READ(upid_at(to, level), ns))
		return 0;
	return BPF_CORE_READ(upid_at(from, level), nr);
}

#endif
