/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Threads that begin, call execve and end, and those that are there when tracing begins. */
#ifndef STRIDE_THREADS_H
#define STRIDE_THREADS_H

#include "namespaces.h"

/* linux/sched.h */
#define CLONE_PTRACE 0x2000
#define CLONE_UNTRACED 0x800000
/* The number of clone3 in all ABIs. */
#define NR_CLONE3 435

/*
 * True if the parent asked for a child that no tracer follows. The kernel keeps the flags nowhere, so they are read from
 * the call that the parent is in. (With CLONE_PTRACE the child is given to the parent's tracer nevertheless.)
 */
static __always_inline bool is_untraced(struct task_struct *parent)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(parent);
	u32 abi = abi_of(parent);
	s32 nr = nr_of(regs);
	u64 args[6], flags;

	if (nr != NR_CLONE3 && !is_clone(abi, nr))
		return false;
	args_of(regs, abi, args);
	flags = args[0];
	if (nr == NR_CLONE3 && bpf_probe_read_user(&flags, sizeof(flags), (void *)args[0]))
		return false;
	return (flags & (CLONE_PTRACE | CLONE_UNTRACED)) == CLONE_UNTRACED;
}

SEC("typed_tp/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct task_state *st, *new;
	struct rec_start rec;

	if (take_stacks)
		forked_space(parent, child);
	if (!follow)
		return 0;
	st = traced(parent);
	if (all) {
		if (child_is_left_out(parent, child) || !is_wanted(child, 0))
			return 0;
	} else {
		if (!st || st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED))
			return 0;
		if (child->tgid != parent->tgid && st->depth >= max_depth)
			return 0;
		if (is_untraced(parent))
			return 0;
	}
	new = bpf_task_storage_get(&tasks, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!new) {
		__sync_fetch_and_add(&control_lost, 1);
		return 0;
	}
	new->flags = NEW_THREAD_RETURNS ? TASK_NEW : 0;
	if (!all)
		new->depth = child->tgid == parent->tgid || st->depth == 0xffff ? st->depth : st->depth + 1;
	/* If the process is being attached to, its new thread may have been found already. */
	if (!begins(new))
		return 0;
	__sync_fetch_and_add(&threads_alive, 1);
	give_ring(new);
	head(&rec.head, REC_START, child, new);
	rec.head.abi = abi_of(parent);
	rec.at = bpf_ktime_get_ns();
	/* The parent may not be wanted. */
	rec.parent = st ? id_of(parent) : 0;
	rec.process = process_id_of(child);
	rec.cgroup = tell_cgroups ? cgroup_of(child) : 0;
	BPF_CORE_READ_INTO(&rec.comm, child, comm);
	send_control(new, &rec, sizeof(rec), false);
	tell_ids_of(child, new);
	/* Even where no calls are shown, a program that only forks fills the ring. */
	is_full(new, fill_of(new), sizeof(rec));
	return 0;
}

/* -b execve. */
static __always_inline void let_go(struct task_struct *task, struct task_state *st)
{
	struct rec_detach rec;

	head(&rec.head, REC_DETACH, task, st);
	rec.at = bpf_ktime_get_ns();
	send_control(st, &rec, sizeof(rec), true);
	__sync_fetch_and_add(&threads_alive, -1);
	bpf_task_storage_delete(&tasks, task);
}

/* The thread took the place of its process's first thread. */
static __always_inline void send_exec(struct task_struct *task, struct task_state *st, u32 old)
{
	struct rec_exec rec;

	head(&rec.head, REC_EXEC, task, st);
	rec.at = bpf_ktime_get_ns();
	rec.old = old;
	send_control(st, &rec, sizeof(rec), false);
}

/* The current thread has executed a program that the user may not trace. */
static __always_inline void give_up(struct task_struct *task, int old_pid)
{
	struct task_state *st = bpf_task_storage_get(&tasks, task, NULL, 0);

	/* A thread that is just being adopted is left to who adopts it. */
	if (st && __sync_lock_test_and_set(&st->proof, PROOF_VOID) != PROOF_GIVEN)
		return;
	if (task->pid != old_pid)
		st = replace_absent(task, st);
	if (!st)
		return;
	if (task->pid != old_pid)
		send_exec(task, st, nested ? st->old_id : old_pid);
	drop(task, st, FLAG_PRIVILEGED);
}

/* struct task_struct *task: the current one; int old_pid; struct linux_binprm *program */
SEC("raw_tp/sched_process_exec")
int on_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	int old_pid = ctx->args[1];
	struct task_state *st;

	if (take_stacks)
		new_code(task);
	if (guarded && is_privileged_exec(task, (struct linux_binprm *)ctx->args[2])) {
		give_up(task, old_pid);
		return 0;
	}
	if (task->pid == old_pid && !detach_on_exec && !take_stacks && !all)
		return 0;
	st = traced(task);
	if (take_stacks && st)
		enter_space(task);
	if (task->pid != old_pid)
		st = replace_absent(task, st);
	if (!st) {
		/* (The call has not returned yet, which is not shown.) */
		if (all)
			decide_current_again(TASK_NEW);
		return 0;
	}
	if (task->pid != old_pid)
		send_exec(task, st, nested ? st->old_id : old_pid);
	if (detach_on_exec && !(st->flags & (TASK_BEFORE_EXEC | TASK_FIRST_EXEC)))
		let_go(task, st);
	else if (all)
		decide_current_again(0);
	return 0;
}

/* Begins the record of the call that the current thread ends in (`ends_in_call`). False if there is none to show. */
static __always_inline bool begin_last_call(struct task_struct *task, struct task_state *st)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct call_plan *plan;
	u32 abi, index, flags;
	struct scratch *s;
	s32 nr;

	if (!ends_in_call(task, regs))
		return false;
	abi = abi_of(task);
	nr = target_nr(abi, nr_of(regs));
	index = call_index(abi, nr);
	plan = bpf_map_lookup_elem(&calls, &index);
	flags = flags_of(plan);
	if (!(flags & CALL_TRACED) || (filter_fds && plan && flags & CALL_FDS && !about_wanted(plan, regs, abi, nr)))
		return false;
	s = begin(task, st, regs, abi, nr, REC_CALL);
	if (!s)
		return false;
	st->flags &= ~TASK_ENTRY_LOST;
	s->index = index;
	s->call.head.flags |= FLAG_GONE;
	if (stamp)
		s->more.at = bpf_ktime_get_ns();
	/* (seccomp has killed the thread at the call's entry.) */
	if (take_times && !s->more.entered)
		s->more.entered = s->more.at;
	return true;
}

/* Reports the end of the current thread, if it is `traced_one`. */
__noinline int finish_end(u32 traced_one)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = traced(task);
	bool waits = take_stacks && ends_with_memory && traced_one && others_of(task) <= 0;

	if (traced_one && st) {
		leave_call(task, st);
		if (!is_kept(task, st))
			send_exit(task, st, id_of(task), task->exit_code, waits && unread_generation());
	}
	if (*(volatile u32 *)&absent_count)
		end_absent(task);
	if (all)
		forget_left_out(task);
	if (waits)
		wait_before_end();
	return 0;
}

/* struct task_struct *task: the current one */
SEC("raw_tp/sched_process_exit")
int on_exit(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = traced(task);
	bool ended;

	if (take_stacks && st && task->pid == task->tgid)
		keep_space(task);
	ended = st && ends(st);
	/* (If there is something to show, `capture_entry` goes on.) */
	if (ended && !count_only && !(st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED)) && begin_last_call(task, st))
		go_on(ctx, st->flags);
	return finish_end(ended);
}

/* Copies the memory of the call whose record a program at entry, or at the end of the thread, began. Or tells of a signal with its stack. */
SEC("raw_tp")
int capture_entry(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = traced(task);
	struct scratch *s = scratch();

	if (s && goes_on_for_signal(s)) {
		signal_with_stack(ctx, task, st);
		return 0;
	}
	copy_and_send(task, st, s);
	if (!s || !(s->call.head.flags & FLAG_GONE))
		return 0;
	if (st && st->flags & TASK_ENTRY_LOST)
		lose_call(st);
	return finish_end(1);
}

/*
 * Runs over all threads. With -p it adopts those asked for; with --all, those that are wanted, and drops those that are no
 * longer wanted.
 */
SEC("iter/task")
int seed(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *st;

	if (!task || (seed_id && (seed_is_tgid ? process_id_of(task) : id_of(task)) != seed_id))
		return 0;
	st = traced(task);
	if (all && (is_left_out(task) || !is_wanted(task, 1))) {
		if (st)
			drop(task, st, 0);
		return 0;
	}
	if (task->flags & PF_EXITING) {
		seed_ended = 1;
		return 0;
	}
	if (st && tell_cgroups)
		tell_moved(task, st, cgroup_of(task));
	if (guarded && !st && !is_proven(task))
		return 0;
	if (!st && !adopt(task, seed_flags)) {
		seed_ended = 1;
		return 0;
	}
	seed_found = 1;
	/* (Of those that are adopted elsewhere, ids are looked up: an adoption deep in a call chain has no stack left.) */
	if (!st && tell_ids) {
		st = traced(task);
		if (st)
			tell_ids_of(task, st);
	}
	return 0;
}

#endif
