/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Finds the traced threads that are blocked in a call, and those that are stopped. Other programs never see them, because
 * nothing happens there. The reader runs this from time to time, so calls themselves cost nothing more. It is a separate
 * object, which is loaded when first needed: short runs never pay for it.
 *
 * Only threads that are off their CPU are looked at. When a thread is switched out, one of two counters grows before it is
 * off. So a thread that is found off its CPU twice with the same counts has not run in between. If that still holds after a
 * record got its place in the ring, the record comes before anything that the thread itself will send.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "wire.h"
#include "regs.h"
#include "shared.h"
#include "ids.h"
#include "traced.h"
#include "on_cpu.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The calls to report: a bit each, and whether unknown calls are reported, too. */
const volatile u64 wanted[ABIS * NUMBERS / 64];
const volatile bool want_unknown;
/* Nothing is added to a ring that is fuller than this. There will be another time. */
const volatile u64 ring_limit;
/* Report also calls that are found for the first time. */
u32 at_once;

/* linux/sched/jobctl.h */
#define JOBCTL_STOP_SIGMASK 0xffff

static __always_inline u64 switches(struct task_struct *task)
{
	u64 n = task->nvcsw + task->nivcsw;

	barrier();
	return n;
}

static __always_inline bool is_wanted(u32 abi, s32 nr)
{
	u32 word = call_index(abi, nr) / 64;

	if (word >= ABIS * NUMBERS / 64)
		return want_unknown;
	/* The bound is checked on the very register that is used. */
	asm volatile("" : "+r"(word));
	return word < ABIS * NUMBERS / 64 && wanted[word] >> (nr & 63) & 1;
}

static __always_inline void fill_head(struct rec_head *h, u32 kind, struct task_struct *task)
{
	h->kind = kind;
	h->abi = 0;
	h->flags = 0;
	/* The thread's own records report losses. */
	h->lost = 0;
	h->tid = id_of(task);
	h->nr = 0;
}

/* Sends what was found out, if it still holds. `mark` is set in the thread's flags before that is known. */
static __always_inline void settle(struct task_struct *task, struct task_state *st, void *rec, u64 count, u32 mark)
{
	__sync_fetch_and_or(&st->flags, mark);
	if (on_cpu(task) || switches(task) != count) {
		__sync_fetch_and_and(&st->flags, ~mark);
		bpf_ringbuf_discard(rec, BPF_RB_NO_WAKEUP);
	} else {
		bpf_ringbuf_submit(rec, BPF_RB_NO_WAKEUP);
	}
}

static __always_inline void look_stopped(struct task_struct *task, struct task_state *st, u64 count)
{
	struct rec_stopped *rec;

	if (st->flags & TASK_STOP_TOLD)
		return;
	rec = bpf_ringbuf_reserve(&ring, sizeof(*rec), 0);
	if (!rec)
		return;
	fill_head(&rec->head, REC_STOPPED, task);
	rec->at = bpf_ktime_get_ns();
	rec->signal = task->jobctl & JOBCTL_STOP_SIGMASK;
	settle(task, st, rec, count, TASK_STOP_TOLD);
}

static __always_inline void look_asleep(struct task_struct *task, struct task_state *st, u64 count)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct rec_blocked *rec;
	u32 abi = abi_of(task);
	s32 nr = nr_of(regs);

	if (st->flags & TASK_STOP_TOLD)
		__sync_fetch_and_and(&st->flags, ~TASK_STOP_TOLD);
	if (!is_inside(regs) || !is_wanted(abi, nr))
		return;
	/* The return of the call that it was in may be among the lost records. */
	if (st->lost)
		return;
	/*
	 * The thread clears its flags when a call returns. So if this flag is set, the thread was in this same call the last
	 * time.
	 */
	if (!at_once && !(st->flags & TASK_SEEN_INSIDE)) {
		__sync_fetch_and_or(&st->flags, TASK_SEEN_INSIDE);
		return;
	}
	rec = bpf_ringbuf_reserve(&ring, sizeof(*rec), 0);
	if (!rec)
		return;
	fill_head(&rec->head, REC_BLOCKED, task);
	rec->head.abi = abi;
	rec->head.nr = nr;
	rec->at = bpf_ktime_get_ns();
	args_of(regs, abi, rec->args);
	rec->ip = ip_of(regs);
	rec->sp = sp_of(regs);
	rec->entered = st->entered;
	settle(task, st, rec, count, TASK_BLOCKED_TOLD);
}

SEC("iter/task")
int poller(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *st;
	u64 count;
	u32 state;

	if (!task)
		return 0;
	st = traced(task);
	/* Most of many threads are still where they were the last time. */
	if (!st || st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED | TASK_BLOCKED_TOLD))
		return 0;
	if (on_cpu(task))
		return 0;
	count = switches(task);
	state = task->__state;
	if (!(state & (TASK_ASLEEP | TASK_STOPPED)) || bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) > ring_limit)
		return 0;
	if (state & TASK_STOPPED)
		look_stopped(task, st, count);
	else
		look_asleep(task, st, count);
	return 0;
}
