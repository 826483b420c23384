/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Stride's kernel side: one record for each call of a traced thread, sent when it returns, with the memory that its plan
 * names. And records of beginning and ending threads, and of signals.
 *
 * Every program first checks whether the thread is traced. Other threads pay for that check and nothing more.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "wire.h"
#include "maps.h"
#include "regs.h"
#include "ids.h"
#include "backpressure.h"
#include "ring.h"
#include "capture.h"
#include "absent.h"
#include "multiplexed.h"
#include "traced.h"
#include "pieces.h"
#include "stack.h"
#include "stack_copy.h"
#include "simple.h"
#include "counts.h"
#include "outcome.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline u32 flags_of(struct call_plan *plan)
{
	if (!plan)
		return trace_unknown ? CALL_TRACED : 0;
	return plan->flags;
}

/* Begins this CPU's record for the call that `task` is in. */
static __always_inline struct scratch *begin(struct task_struct *task, struct task_state *st, struct pt_regs *regs, u32 abi,
					     s32 nr, u32 kind)
{
	struct scratch *s = scratch();

	if (!s)
		return NULL;
	s->used = 0;
	head(&s->call.head, kind, task, st);
	s->call.head.flags = FLAG_MORE;
	s->call.head.abi = abi;
	s->call.head.nr = nr;
	s->call.ret = 0;
	target_args(regs, abi, nr, s->call.args);
	s->more.entered = take_times ? st->entered : 0;
	s->more.at = 0;
	s->more.ip = ip_of(regs);
	s->more.sp = sp_of(regs);
	return s;
}

static __always_inline bool send(struct task_state *st, struct scratch *s, bool urgent)
{
	u32 used = ONCE(s->used);

	if (used > sizeof(s->data))
		return false;
	urgent |= !!(s->call.head.flags & FLAG_FAULTED);
	return send_call(st, &s->call, sizeof(s->call) + sizeof(s->more) + used, urgent);
}

#include "signals.h"
#include "ends.h"
#include "wanted.h"
#include "library.h"
#include "uring.h"

/* The same for a call whose stack was looked for; where it was not known, a copy goes with it. */
static __always_inline bool send_with_stack(struct task_state *st, struct scratch *s, struct stack_state *stack)
{
	bool sent;

	if (!take_stacks || !is_unknown(stack))
		return send(st, s, false);
	copy_stack(s);
	sent = send(st, s, is_urgent_stack(stack));
	if (sent)
		wait_for_maps();
	return sent;
}

/*
 * Copies the memory of the call whose record was begun, and sends it. (Before Linux 6.16, a thread that ends has given back its memory when
 * that is reported.)
 */
static __always_inline int copy_and_send(struct task_struct *task, struct task_state *st, struct scratch *s)
{
	struct stack_state *stack = NULL;

	if (!st || !s)
		return 0;
	if (take_stacks) {
		stack = stack_state();
		if (!stack)
			return 0;
		set_stack(stack, STACK_NONE);
		/* (The command's first execve is Stride's own.) */
		if (!(st->flags & (TASK_FIRST_EXEC | TASK_BEFORE_EXEC)))
			begin_stack(s, stack, task);
	}
	s->phase = 0;
	s->failed = 0;
	s->room = ~0U;
	if (BPF_CORE_READ(task, mm))
		run_plan(s, s->index);
	if (s->call.head.flags & FLAG_BEFORE)
		send_pieces(s);
	st->room = s->room;
	if (s->call.head.flags & FLAG_FAULTED)
		st->flags |= TASK_ENTRY_FAULTED;
	st->flags |= send_with_stack(st, s, stack) ? TASK_ENTRY_SENT : TASK_ENTRY_LOST;
	return 0;
}

/* True if any of the call's descriptors is wanted. (Not inlined: its words would not fit on the stack of `on_sys_exit`.) */
static __noinline bool about_wanted(struct call_plan *plan, struct pt_regs *regs, u32 abi, s32 nr)
{
	u64 args[6];

	target_args(regs, abi, nr, args);
	for (int i = 0; i < 6; i++) {
		u32 fd = args[i];

		if (!(plan->fds & 1 << i))
			continue;
		if (fd < FD_MAX ? wanted_fds[fd / 64] >> fd % 64 & 1 : want_high_fds && (s32)fd >= 0)
			return true;
	}
	return false;
}

/*
 * Sends the memory as it is now, before the kernel overwrites it. At a tracepoint, it does not return if there is something to copy. (A
 * program at a function cannot go on with one at a tracepoint.)
 */
static __always_inline void send_entry(void *ctx, struct task_struct *task, struct task_state *st, struct pt_regs *regs, u32 abi,
				       s32 nr, bool by_function)
{
	struct scratch *s = begin(task, st, regs, abi, nr, REC_ENTRY);

	if (!s)
		return;
	if (st->flags & TASK_EXECING && task->pid != task->tgid)
		s->call.head.flags |= FLAG_TELL;
	s->index = call_index(abi, nr);
	if (by_function)
		copy_and_send(task, st, s);
	else
		go_on(ctx, st->flags);
}

/* nanosleep(&t, &t): the kernel writes to the same address that it reads. */
static __always_inline bool same_twice(struct pt_regs *regs, u32 abi, s32 nr)
{
	u64 args[6];

	target_args(regs, abi, nr, args);
	for (int i = 0; i < 4; i++)
		for (int j = i + 1; j < 4; j++)
			if (args[i] > PAGE && args[i] == args[j])
				return true;
	return false;
}

static __always_inline void note_entry(struct task_struct *task, struct task_state *st)
{
	st->entered = bpf_ktime_get_ns();
	if (count_cpu)
		note_cpu(task, st);
}

/* True if the bit of this syscall number is set. For numbers beyond the table, `others` is the answer. */
static __always_inline bool has_bit(const volatile u64 *bits, s32 nr, bool others)
{
	u32 word = (u32)nr / 64;

	/* The bound is checked on the register that is used. */
	asm volatile("" : "+r"(word));
	if (word >= NUMBERS / 64)
		return others;
	return bits[word] >> (nr & 63) & 1;
}

/* The current thread enters a call of which more has to be done than to note the time. `flags`: those of the call's plan. */
static __always_inline int enter(void *ctx, struct task_struct *task, struct task_state *st, u32 abi, s32 nr, struct call_plan *plan,
				 u32 flags, bool by_function)
{
	struct pt_regs *regs;

	if (st->flags) {
		st->flags &= ~(TASK_ENTRY_SENT | TASK_ENTRY_LOST | TASK_ENTRY_FAULTED | TASK_NEW);
		if (st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED)) {
			if (!(st->flags & TASK_BEFORE_EXEC) || !(flags & CALL_EXEC))
				return 0;
		}
	}
	if (flags & CALL_EXEC && !have_prepare_exec) {
		note_id_before_exec(task, st);
		if (take_stacks)
			leave_space(task);
	}
	if (take_times)
		note_entry(task, st);
	if (count_only || !(flags & CALL_TRACED) || !(flags & (CALL_ENTRY | CALL_MIXED | CALL_EXEC)))
		return 0;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	if (filter_fds && plan && flags & CALL_FDS && !about_wanted(plan, regs, abi, nr))
		return 0;
	if (!(flags & (CALL_NAMES | CALL_EXEC)) && !is_wanted_thread(task))
		return 0;
	if (flags & CALL_MIXED && same_twice(regs, abi, nr))
		flags |= CALL_ENTRY;
	if (flags & CALL_ENTRY || (flags & CALL_EXEC && !have_prepare_exec))
		send_entry(ctx, task, st, regs, abi, nr, by_function);
	return 0;
}

/* struct pt_regs *regs, long nr */
SEC("raw_tp/sys_enter")
int on_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task;
	struct task_state *st = NULL;
	s32 nr = ctx->args[1];
	struct call_plan *plan;
	u32 abi, index, flags;

	/* Most calls are not for this program. That is found out by their number faster than by their thread. */
	if (!take_times && !has_bit(seen_entering, nr, false))
		return 0;
	task = bpf_get_current_task_btf();
	if (take_times && !few_calls) {
		st = traced(task);
		if (!st)
			return 0;
		if (!st->flags && (count_only || !has_bit(seen_entering, nr, false))) {
			note_entry(task, st);
			return 0;
		}
	}
	abi = abi_of(task);
	nr = target_nr(abi, nr);
	index = call_index(abi, nr);
	plan = bpf_map_lookup_elem(&calls, &index);
	flags = flags_of(plan);
	if (!(flags & (CALL_ENTRY | CALL_MIXED | CALL_EXEC)) &&
	    (!take_times || (few_calls && !(flags & (CALL_TRACED | CALL_CLONE)))))
		return 0;
	if (!st)
		st = traced(task);
	if (!st)
		return 0;
	if (may_hook && flags & (CALL_TRACED | CALL_EXEC))
		st->hooks = HOOK_ENTERED;
	return enter(ctx, task, st, abi, nr, plan, flags, false);
}

/* execve will succeed. The old program's memory and registers are still there. struct task_struct *task: the current one. */
SEC("raw_tp/sched_prepare_exec")
int on_prepare_exec(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = traced(task);
	struct pt_regs *regs;
	u32 abi, index;
	s32 nr;

	if (!st)
		return 0;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	abi = abi_of(task);
	nr = nr_of(regs);
	note_id_before_exec(task, st);
	if (take_stacks) {
		wait_before_end();
		leave_space(task);
	}
	if (st->flags & TASK_BEFORE_EXEC)
		st->flags |= TASK_FIRST_EXEC;
	index = call_index(abi, nr);
	st->flags &= ~TASK_BEFORE_EXEC;
	st->flags |= TASK_EXECING;
	/* (Its entry was not seen if tracing began or ended meanwhile.) */
	if (take_times && !st->entered)
		note_entry(task, st);
	if (flags_of(bpf_map_lookup_elem(&calls, &index)) & CALL_TRACED)
		send_entry(ctx, task, st, regs, abi, nr, false);
	return 0;
}

/*
 * Before Linux 6.10: execve has read its arguments (so they are in memory, which they need not be at entry), and may still
 * fail. The kernel calls this again for the interpreter of a script.
 */
SEC("kprobe/security_bprm_check")
int on_check_exec(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = traced(task);
	struct scratch *s;
	struct pt_regs *regs;
	u32 abi, index;

	if (!st || st->flags & TASK_EXECING)
		return 0;
	if (take_stacks)
		leave_space(task);
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	abi = abi_of(task);
	index = call_index(abi, nr_of(regs));
	st->flags |= TASK_EXECING;
	if (!(flags_of(bpf_map_lookup_elem(&calls, &index)) & CALL_TRACED))
		return 0;
	s = begin(task, st, regs, abi, nr_of(regs), REC_ENTRY);
	if (!s)
		return 0;
	s->index = index;
	return copy_and_send(task, st, s);
}

/*
 * A thread that is being killed never sees its call return. But a call whose thread's own signal became a kill would have
 * returned.
 */
static __always_inline bool being_killed(struct task_struct *task, u32 was)
{
	return task->pending.signal.sig[0] & (1UL << (SIGKILL - 1)) && !(was & TASK_SIGNALLED);
}

/*
 * True if the stack that a call returns to is the stack that it was made from. A call that was reported when it was entered had its stack
 * then, and after execve there is another. But the command's first execve is Stride's own, so its stack is the beginning of the new program.
 */
static __always_inline bool has_stack_at_exit(u32 flags, s64 ret, u32 was)
{
	u64 executed = differs(flags & CALL_EXEC, 0) & ~differs(ret, 0);
	u64 begins = differs(was & (TASK_BEFORE_EXEC | TASK_FIRST_EXEC), 0);

	/* (Without branches, of which the verifier would follow each.) */
	return (begins & executed) | (~begins & ~executed & ~differs(was & (TASK_ENTRY_SENT | TASK_EXECING), 0) & 1);
}

/* `was`: the thread's flags during the call. */
static __always_inline void returned(struct simple *call, struct call_plan *plan, u32 index, u32 was)
{
	struct task_state *st = call->st;
	u32 flags = flags_of(plan);
	struct scratch *s;

	if (was) {
		st->flags = 0;
		/* A new thread's return from the clone that its parent called. */
		if (was & TASK_NEW && call->ret == 0)
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
			if (call->ret)
				st->flags = TASK_EXEC_FAILED;
		}
	}
	FORGET(was, ip_of(call->regs));
	FORGET(flags, ip_of(call->regs));
	FORGET(call->ret, ip_of(call->regs));
	if (!(flags & CALL_TRACED) && !(was & TASK_ENTRY_SENT))
		return;
	if (!is_chosen(call->task, st, plan, call->ret) && !(flags & CALL_NAMES) && !being_killed(call->task, was))
		return;
	if (filter_fds && plan && flags & CALL_FDS && !about_wanted(plan, call->regs, call->abi, call->nr))
		return;
	if (count_calls && plan && !(flags & CALL_NAMES) && counted(call->task, st, plan, index, call->ret)) {
		if (count_only)
			return;
		call->flags = FLAG_COUNTED;
	}
	if (take_stacks) {
		set_stack(call->stack, STACK_NONE);
		if (!(flags & CALL_UNSHOWN) && has_stack_at_exit(flags, call->ret, was))
			look_for_stack(call->stack, call->regs);
	}
	if (!count_only && plan && flags & CALL_SIMPLE && !was && !being_killed(call->task, was) && (!take_stacks || !is_unknown(call->stack)) &&
	    simple_exit(call, plan))
		return;
	/* The arguments of a successful execve are known only from its entry. */
	if (was & TASK_ENTRY_LOST && flags & CALL_EXEC && call->ret == 0) {
		lose_call(st);
		return;
	}
	FORGET(was, ip_of(call->regs));
	FORGET(flags, ip_of(call->regs));
	FORGET(call->ret, ip_of(call->regs));
	s = begin(call->task, st, call->regs, call->abi, call->nr, REC_CALL);
	if (!s)
		return;
	if (take_stacks)
		put_stack(s, call->stack);
	s->call.ret = call->ret;
	s->call.head.flags |= call->flags;
	if (stamp)
		s->more.at = bpf_ktime_get_ns();
	if (was & TASK_ENTRY_SENT)
		s->call.head.flags |= FLAG_HAS_ENTRY;
	if (being_killed(call->task, was))
		s->call.head.flags |= FLAG_GONE;
	/* After execve, its arguments are gone. */
	if (!count_only && !(was & TASK_EXECING) && !(flags & CALL_EXEC && call->ret == 0)) {
		s->phase = 1;
		s->failed = is_error(call->ret);
		s->room = was & TASK_ENTRY_SENT ? st->room : ~0U;
		run_plan(s, index);
		if (s->call.head.flags & FLAG_BEFORE)
			send_pieces(s);
	}
	if (was & TASK_ENTRY_FAULTED)
		s->call.head.flags |= FLAG_FAULTED;
	if (!send_with_stack(st, s, call->stack))
		lose_call(st);
	else if (s->call.head.flags & FLAG_FAULTED)
		wait_for_absent(call->ret);
}

/* The index of the call that the current thread returns from. */
static __always_inline u32 index_at_exit(struct simple *call)
{
	call->nr = target_nr(call->abi, nr_at_exit(call->regs, call->abi, call->ret));
	FORGET(call->nr, ip_of(call->regs));
	FORGET(call->abi, ip_of(call->regs));
	FORGET(call->ret, ip_of(call->regs));
	return call_index(call->abi, call->nr);
}

/* A call of a traced thread returns. */
static __always_inline int leave(struct simple *call, struct call_plan *plan, u32 index)
{
	u32 was;

	if (take_stacks) {
		call->stack = stack_state();
		if (!call->stack)
			return 0;
		if (flags_of(plan) & CALL_EXEC && is_error(call->ret))
			keep_space(call->task);
	}
	if (returns_are_calls && is_watched_return(call->st, call->regs))
		return 0;
	was = call->st->flags;
	returned(call, plan, index, was);
	/* The next call's entry may not be seen, if tracing ends meanwhile. */
	if (take_times)
		call->st->entered = 0;
	if (was & TASK_SIGNALLED)
		send_left(call->task, call->st);
	if (guarded && flags_of(plan) & CALL_SETS_USER && !is_users(call->task)) {
		drop(call->task, call->st, FLAG_PRIVILEGED);
		return 0;
	}
	if (want_user && flags_of(plan) & CALL_SETS_USER)
		decide_current_again(0);
	return 0;
}

/* Counts a call of which no more has to be looked at than its number, its result and its time. False for others. */
static __always_inline bool counted_at_once(struct task_struct *task, struct task_state *st, struct pt_regs *regs, long ret)
{
	u32 abi = abi_of(task), index, other = CALL_EXEC | CALL_NAMES | CALL_FDS | (guarded ? CALL_SETS_USER : 0);
	s32 nr = nr_at_exit(regs, abi, ret);
	struct call_plan *plan;

	if (st->flags || is_multiplexed(abi, nr))
		return false;
	index = call_index(abi, nr);
	plan = bpf_map_lookup_elem(&calls, &index);
	/* (execve changes what the thread is known by.) */
	if (!plan || (plan->flags & (CALL_TRACED | other)) != CALL_TRACED)
		return false;
	if (!is_chosen(task, st, plan, ret) || being_killed(task, 0) || !counted(task, st, plan, index, ret))
		return false;
	st->entered = 0;
	return true;
}

/* (A typed tracepoint, because it hands over the registers, for which others call bpf_task_pt_regs.) */
SEC("typed_tp/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = NULL;
	struct call_plan *plan;
	u32 index;

	KEEP_ON_KERNEL_STACK(ctx, task);
	if (thread_first) {
		st = traced(task);
		/* (A thread that found no room for its state may share its code with others.) */
		if (!st && !(take_stacks && *(volatile u64 *)&control_lost))
			return 0;
		if (outcome_first && st && !st->flags && (is_below_tick(task, st) || !is_chosen(task, st, NULL, ret)) &&
		    !being_killed(task, 0)) {
			st->entered = 0;
			return 0;
		}
		if (count_only && st && counted_at_once(task, st, regs, ret))
			return 0;
	}
	/* If few calls are wanted, most are not. That is found out faster than whether the thread is traced. */
	if (few_calls) {
		s32 nr = nr_of(regs);

		if (nr != -1 && !has_bit(seen_leaving, nr, trace_unknown))
			return 0;
	}
	struct simple call = { .task = task, .st = st, .regs = regs, .ret = ret, .abi = abi_of(task) };

	index = index_at_exit(&call);
	plan = bpf_map_lookup_elem(&calls, &index);
	if (take_stacks && flags_of(plan) & (CALL_MAPS | CALL_REMAPS | CALL_ATTACHES))
		note_code(flags_of(plan), ret);
	if (few_calls && !(flags_of(plan) & (CALL_TRACED | CALL_EXEC | CALL_CLONE | (want_user || guarded ? CALL_SETS_USER : 0))))
		return 0;
	if (!thread_first)
		call.st = traced(task);
	if (!call.st) {
		if (want_user && flags_of(plan) & CALL_SETS_USER)
			decide_current_again(0);
		return 0;
	}
	if (may_hook && call.st->hooks) {
		bool reported = call.st->hooks & HOOK_REPORTED;

		call.st->hooks = 0;
		if (reported)
			return 0;
	}
	return leave(&call, plan, index);
}

#include "threads.h"
