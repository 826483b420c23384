/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Stride's kernel side: one record for each call of a traced thread, sent when it returns, with the memory its plan
 * names; and records of threads coming and going and of signals.
 *
 * Every program first asks whether the thread is traced: all others pay for that and for nothing more.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "wire.h"
#include "maps.h"
#include "regs.h"
#include "ring.h"
#include "capture.h"
#include "traced.h"
#include "signals.h"
#include "simple.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline u32 plan_index(u32 abi, u64 nr)
{
	return nr < NUMBERS ? abi * NUMBERS + (u32)nr : ABIS * NUMBERS;
}

static __always_inline u32 call_flags(u32 index)
{
	struct call_plan *plan = bpf_map_lookup_elem(&calls, &index);

	if (!plan)
		return trace_unknown ? CALL_TRACED : 0;
	return plan->flags;
}

/* Starts the CPU's record of the call that `task` is in. */
static __always_inline struct scratch *begin(struct task_struct *task, struct task_state *st, struct pt_regs *regs, u32 abi,
					     u64 nr, u32 kind)
{
	struct scratch *s = scratch();

	if (!s)
		return NULL;
	s->used = 0;
	head(&s->call.head, kind, task, st);
	s->call.head.abi = abi;
	s->call.nr = nr;
	args_of(regs, abi, s->call.args);
	s->call.ret = 0;
	s->call.entered = st->entered;
	s->call.ip = ip_of(regs);
	s->call.sp = sp_of(regs);
	return s;
}

static __always_inline bool send(struct task_state *st, struct scratch *s)
{
	u32 used = ONCE(s->used);

	if (used > sizeof(s->data))
		return false;
	return send_call(st, &s->call, sizeof(s->call) + used);
}

/* Sends what is in memory now, before the kernel overwrites it. */
static __always_inline void send_entry(struct task_struct *task, struct task_state *st, struct pt_regs *regs, u32 abi, u64 nr)
{
	struct scratch *s = begin(task, st, regs, abi, nr, REC_ENTRY);

	if (!s)
		return;
	s->phase = 0;
	s->failed = 0;
	s->room = ~0U;
	run_plan(s, plan_index(abi, nr));
	st->room = s->room;
	if (take_times)
		s->call.head.at = st->entered;
	if (send(st, s))
		st->flags |= TASK_ENTRY_SENT;
}

/* nanosleep(&t, &t): what the kernel is given is where it will write. */
static __always_inline bool same_twice(struct pt_regs *regs, u32 abi)
{
	u64 args[6];

	args_of(regs, abi, args);
	for (int i = 0; i < 4; i++)
		for (int j = i + 1; j < 4; j++)
			if (args[i] > PAGE && args[i] == args[j])
				return true;
	return false;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter, struct pt_regs *regs, long nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st;
	u32 abi, flags;

	if (!task->bpf_storage)
		return 0;
	abi = abi_of(task);
	flags = call_flags(plan_index(abi, nr));
	/* Most calls are none of this program's business; that is found out sooner than who makes them. */
	if (!take_times && !(flags & (CALL_ENTRY | CALL_MIXED | CALL_EXEC)))
		return 0;
	st = traced(task);
	if (!st)
		return 0;
	if (st->flags) {
		st->flags &= ~(TASK_ENTRY_SENT | TASK_NEW);
		if (st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED)) {
			if (!(st->flags & TASK_BEFORE_EXEC) || !(flags & CALL_EXEC))
				return 0;
		}
	}
	if (take_times)
		st->entered = bpf_ktime_get_ns();
	if (!(flags & CALL_TRACED))
		return 0;
	if (flags & CALL_MIXED && same_twice(regs, abi))
		flags |= CALL_ENTRY;
	if (flags & CALL_ENTRY || (flags & CALL_EXEC && !have_prepare_exec))
		send_entry(task, st, regs, abi, nr);
	return 0;
}

/* execve will succeed; the old program's memory and registers are still there. */
SEC("tp_btf/sched_prepare_exec")
int BPF_PROG(on_prepare_exec, struct task_struct *task)
{
	struct task_state *st = traced(task);
	struct pt_regs *regs;
	u64 nr;
	u32 abi;

	if (!st)
		return 0;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	abi = abi_of(task);
	nr = nr_of(regs);
	st->flags &= ~TASK_BEFORE_EXEC;
	st->flags |= TASK_EXECING;
	if (call_flags(plan_index(abi, nr)) & CALL_TRACED)
		send_entry(task, st, regs, abi, nr);
	return 0;
}

static __always_inline void returned(struct task_struct *task, struct task_state *st, struct pt_regs *regs, long ret)
{
	struct scratch *s;
	u32 abi, index, flags, was;
	u64 nr;

	abi = abi_of(task);
	nr = nr_at_exit(regs, abi, ret);
	index = plan_index(abi, nr);
	flags = call_flags(index);
	was = st->flags;
	if (was) {
		st->flags = 0;
		/* A new thread's return from the clone which its parent made. */
		if (was & TASK_NEW && ret == 0)
			return;
		if (was & TASK_EXEC_FAILED) {
			st->flags = was;
			return;
		}
		if (was & TASK_BEFORE_EXEC) {
			if (!(flags & CALL_EXEC)) {
				st->flags = was;
				return;
			}
			if (ret)
				st->flags = TASK_EXEC_FAILED;
		}
	}
	if (!(flags & CALL_TRACED) && !(was & TASK_ENTRY_SENT))
		return;
	if (flags & CALL_SIMPLE && !was && !(task->pending.signal.sig[0] & (1UL << (SIGKILL - 1))) &&
	    simple_exit(task, st, regs, abi, nr, index, ret))
		return;
	s = begin(task, st, regs, abi, nr, REC_CALL);
	if (!s)
		return;
	s->call.ret = ret;
	if (was & TASK_ENTRY_SENT)
		s->call.head.flags = FLAG_HAS_ENTRY;
	/* A thread that is being killed never sees this return; but one that its own signal turned into a kill would have. */
	if (!st->mail && task->pending.signal.sig[0] & (1UL << (SIGKILL - 1)))
		s->call.head.flags |= FLAG_GONE;
	/* After execve there is nothing left of what it was given. */
	if (!(was & TASK_EXECING) && !(flags & CALL_EXEC && ret == 0)) {
		s->phase = 1;
		s->failed = ret < 0 && ret >= -4095;
		s->room = was & TASK_ENTRY_SENT ? st->room : ~0U;
		run_plan(s, index);
	}
	if (take_times)
		s->call.head.at = bpf_ktime_get_ns();
	send(st, s);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = traced(task);

	if (!st)
		return 0;
	returned(task, st, regs, ret);
	take_mail(task, st);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct task_state *st, *new;
	struct rec_start rec;

	if (!follow)
		return 0;
	st = traced(parent);
	if (!st || st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED))
		return 0;
	new = bpf_task_storage_get(&tasks, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!new) {
		__sync_fetch_and_add(&control_lost, 1);
		return 0;
	}
	new->flags = TASK_NEW;
	head(&rec.head, REC_START, child, new);
	rec.head.at = bpf_ktime_get_ns();
	rec.parent = parent->pid;
	send_control(new, &rec, sizeof(rec), false);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_pid)
{
	struct task_state *st;
	struct rec_exec rec;

	if (task->pid == old_pid)
		return 0;
	st = traced(task);
	if (!st)
		return 0;
	head(&rec.head, REC_EXEC, task, st);
	rec.head.at = bpf_ktime_get_ns();
	rec.old = old_pid;
	send_control(st, &rec, sizeof(rec), false);
	return 0;
}

/* exit and exit_group never reach sys_exit. */
static __always_inline void send_last_call(struct task_struct *task, struct task_state *st)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u32 abi = abi_of(task), flags;
	u64 nr = nr_of(regs);
	struct scratch *s;

	flags = call_flags(plan_index(abi, nr));
	if (!(flags & CALL_EXIT) || !(flags & CALL_TRACED))
		return;
	s = begin(task, st, regs, abi, nr, REC_CALL);
	if (!s)
		return;
	s->call.head.flags = FLAG_GONE;
	if (take_times)
		s->call.head.at = bpf_ktime_get_ns();
	send(st, s);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	struct task_state *st = traced(task);
	struct rec_exit rec;

	if (!st)
		return 0;
	/* The leader makes way for a thread of its own that calls execve, and which REC_EXEC will tell of. */
	if (task->pid == task->tgid && task->signal->group_exec_task)
		return 0;
	if (!(st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED)))
		send_last_call(task, st);
	take_mail(task, st);
	head(&rec.head, REC_EXIT, task, st);
	rec.head.at = bpf_ktime_get_ns();
	rec.status = (u32)task->exit_code;
	send_control(st, &rec, sizeof(rec), true);
	return 0;
}

/* -p: run once over all threads, adopts those asked for. */
SEC("iter/task")
int seed(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *st;
	struct rec_start rec;

	if (!task || (seed_is_tgid ? task->tgid : task->pid) != seed_id)
		return 0;
	if (bpf_task_storage_get(&tasks, task, NULL, 0))
		return 0;
	st = bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!st)
		return 0;
	head(&rec.head, REC_START, task, st);
	rec.head.at = bpf_ktime_get_ns();
	rec.parent = 0;
	send_control(st, &rec, sizeof(rec), false);
	return 0;
}
