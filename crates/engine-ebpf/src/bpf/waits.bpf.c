/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Finds out for how long a call's thread was off its CPUs, and why (--waits): a separate object, which is loaded only if that is asked for.
 *
 * A thread that leaves its CPU either sleeps, until somebody wakes it, or could run on, but the kernel gives the CPU to another thread. A thread
 * that was woken waits for a CPU, too. Whoever wakes a thread is a thread itself, perhaps in a call of its own, or an interrupt.
 * When a thread is on a CPU again, a record tells of the time between. That of a wait in a call comes before the call's own record. Calls during which the thread
 * never left its CPU pay nothing.
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

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Beyond this fill, the rest of the ring is for other records. */
const volatile u64 ring_call_limit;

/* linux/sched.h: a thread that can run, and threads that are stopped by a signal or by a tracer, or frozen. */
#define TASK_RUNNING 0
#define TASK_STOPPED_TRACED_OR_FROZEN 0x800c

/* linux/interrupt.h */
enum { SOFTIRQ_TIMER = 1, SOFTIRQ_NET_TX = 2, SOFTIRQ_NET_RX = 3, SOFTIRQ_BLOCK = 4, SOFTIRQ_POLL = 5, SOFTIRQ_HRTIMER = 8 };

struct wait_state {
	/* When the thread left its CPU. 0: it is on one. */
	u64 left;
	/* When it was woken since it was last on a CPU. 0: not yet. This may be before it left. */
	u64 woken;
	u32 cause;
	/* It left its CPU in a call. */
	u32 in_call;
	struct waker waker;
	/* The next record, as far as it is known. */
	struct rec_wait rec;
};

/* Each thread of the machine has a state from its beginning on, because the scheduler may not wait for memory. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wait_state);
} waits SEC(".maps");

/* Handlers that interrupt this CPU's thread. The numbers of softirqs stand before them. */
enum { HANDLER_DEVICE = 1 << 30, HANDLER_TIMER = 1 << 31 };

/* The interrupts that this CPU handles, and the thread whose packet the network's softirq handles. */
struct interrupted {
	/* Bits of the numbers of softirqs, and HANDLER_... */
	u32 running;
	u32 passed;
	struct waker passer;
	/* The name of the device. */
	char name[COMM_LEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct interrupted);
} interrupts SEC(".maps");

static __always_inline struct interrupted *interrupted(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&interrupts, &zero);
}

static __always_inline int begins(u32 handler)
{
	struct interrupted *by = interrupted();

	if (by)
		by->running |= handler;
	return 0;
}

static __always_inline int ends(u32 handler)
{
	struct interrupted *by = interrupted();

	if (by)
		by->running &= ~handler;
	return 0;
}

static __always_inline struct wait_state *waits_of(struct task_struct *task)
{
	return bpf_task_storage_get(&waits, task, NULL, 0);
}

static __always_inline void copy_comm(u8 *to, struct task_struct *task)
{
	/* (Two words, because the verifier knows these of a task.) */
	((u64 *)to)[0] = *(u64 *)task->comm;
	((u64 *)to)[1] = *(u64 *)(task->comm + 8);
}

/* (The idle thread stands for nobody.) */
static __always_inline void note_ids(struct waker *waker, struct task_struct *task)
{
	waker->kind = task->pid ? WAKER_THREAD : WAKER_UNKNOWN;
	waker->tid = id_of(task);
	waker->process = process_id_of(task);
	copy_comm(waker->comm, task);
	waker->nr = -1;
	waker->abi = 0;
}

static __always_inline void note_thread(struct waker *waker, struct task_struct *task)
{
	struct pt_regs *regs;

	note_ids(waker, task);
	if (task->flags & PF_KTHREAD)
		return;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	if (!is_inside(regs))
		return;
	waker->abi = abi_of(task);
	waker->nr = nr_of(regs);
}

static __always_inline void note_interrupt(struct waker *waker, u32 kind)
{
	waker->kind = kind;
	waker->tid = waker->process = 0;
	waker->nr = -1;
	((u64 *)waker->comm)[0] = ((u64 *)waker->comm)[1] = 0;
}

static __always_inline u32 kind_of_softirq(u32 running)
{
	if (running & (1 << SOFTIRQ_TIMER | 1 << SOFTIRQ_HRTIMER))
		return WAKER_TIMER;
	if (running & (1 << SOFTIRQ_NET_TX | 1 << SOFTIRQ_NET_RX))
		return WAKER_NETWORK;
	return running & (1 << SOFTIRQ_BLOCK | 1 << SOFTIRQ_POLL) ? WAKER_DISK : WAKER_INTERRUPT;
}

/* struct task_struct *woken: from whichever context, before the thread may run again. */
SEC("typed_tp/sched_waking")
int BPF_PROG(on_waking, struct task_struct *woken)
{
	struct wait_state *ws = traced(woken) ? waits_of(woken) : NULL;
	struct interrupted *by;

	if (!ws)
		return 0;
	ws->woken = bpf_ktime_get_ns();
	by = interrupted();
	if (!by)
		return 0;
	/* (An interrupt's handler comes on top of a softirq, and a timer's on top of both.) */
	if (by->running & HANDLER_TIMER) {
		note_interrupt(&ws->waker, WAKER_TIMER);
	} else if (by->running & HANDLER_DEVICE) {
		note_interrupt(&ws->waker, WAKER_DEVICE);
		((u64 *)ws->waker.comm)[0] = ((u64 *)by->name)[0];
		((u64 *)ws->waker.comm)[1] = ((u64 *)by->name)[1];
	} else if (by->running & 1 << SOFTIRQ_NET_RX && by->passed) {
		ws->waker = by->passer;
	} else if (by->running) {
		note_interrupt(&ws->waker, kind_of_softirq(by->running));
	} else {
		note_thread(&ws->waker, bpf_get_current_task_btf());
	}
	return 0;
}

/* True if the thread's cgroup has used up its share of the CPUs. */
static __always_inline bool is_throttled(struct task_struct *task)
{
	struct task_struct___throttled *newer = (void *)task;
	struct cfs_rq *queue;

	/* (Before Linux 6.18, whole queues are throttled.) */
	if (bpf_core_field_exists(newer->throttled))
		return BPF_CORE_READ(newer, throttled);
	return bpf_core_field_exists(queue->throttle_count) && BPF_CORE_READ(task, se.cfs_rq, throttle_count) > 0;
}

static __always_inline u32 why_off(struct task_struct *task, bool preempted, u32 state)
{
	if (preempted || state == TASK_RUNNING)
		return is_throttled(task) ? WAIT_THROTTLED : WAIT_FOR_CPU;
	if (state & TASK_STOPPED_TRACED_OR_FROZEN)
		return WAIT_STOPPED;
	return BPF_CORE_READ_BITFIELD(task, in_iowait) ? WAIT_DISK : WAIT_ASLEEP;
}

static __always_inline bool is_sleep(u32 cause)
{
	return cause != WAIT_FOR_CPU && cause != WAIT_THROTTLED;
}

static __always_inline void leaves(struct task_struct *task, struct wait_state *ws, bool preempted, u32 state)
{
	ws->in_call = is_inside((struct pt_regs *)bpf_task_pt_regs(task));
	ws->cause = why_off(task, preempted, state);
	if (!is_sleep(ws->cause))
		ws->woken = 0;
	ws->left = bpf_ktime_get_ns();
}

/* Sends the state's record. Times that find no room are not lost: the next record has them as times before its call. */
static __always_inline void send_waits(struct task_struct *task, struct rec_wait *rec, u64 now)
{
	bool sent;

	rec->head.kind = REC_WAIT;
	rec->head.tid = id_of(task);
	rec->head.lost = 0;
	rec->at = now;
	sent = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) + sizeof(*rec) <= ring_call_limit &&
	       !bpf_ringbuf_output(&ring, rec, sizeof(*rec), BPF_RB_NO_WAKEUP);
	for (int i = 0; i < WAIT_CAUSES; i++) {
		rec->before[i] = sent ? 0 : rec->before[i] + rec->in_call[i];
		rec->in_call[i] = 0;
	}
}

static __always_inline void comes_back(struct task_struct *task, struct task_state *st, struct wait_state *ws, struct task_struct *before)
{
	u64 asleep = 0, runnable, left = ws->left, now, *times;
	struct rec_wait *rec = &ws->rec;
	u32 cause = ws->cause;

	if (!left || cause >= WAIT_CAUSES)
		return;
	now = bpf_ktime_get_ns();
	times = ws->in_call ? rec->in_call : rec->before;
	/* A waker may be faster than the thread that goes to sleep. */
	if (is_sleep(cause))
		asleep = !ws->woken ? now - left : ws->woken > left ? ws->woken - left : 0;
	if (asleep > now - left)
		asleep = now - left;
	runnable = now - left - asleep;
	if (is_sleep(cause)) {
		times[cause] += asleep;
		times[WAIT_FOR_CPU] += runnable;
	} else {
		times[cause] += runnable;
	}
	rec->entered = ws->in_call ? st->entered : 0;
	rec->cause = cause;
	if (is_sleep(cause) && ws->woken)
		rec->waker = ws->waker;
	else
		rec->waker.kind = WAKER_UNKNOWN;
	if (cause == WAIT_THROTTLED)
		rec->taker.kind = WAKER_UNKNOWN;
	else
		note_ids(&rec->taker, before);
	send_waits(task, rec, now);
	ws->left = 0;
	ws->woken = 0;
}

/* bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state */
SEC("typed_tp/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int state)
{
	struct task_state *st = traced(prev);
	struct wait_state *ws;

	if (st) {
		ws = waits_of(prev);
		if (ws)
			leaves(prev, ws, preempt, state);
	}
	st = traced(next);
	if (st) {
		ws = waits_of(next);
		if (ws)
			comes_back(next, st, ws, prev);
	}
	return 0;
}

static __always_inline void begin_waits(struct task_struct *task)
{
	bpf_task_storage_get(&waits, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

/* Each thread that exists. */
SEC("iter/task")
int begin_all(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task)
		begin_waits(task);
	return 0;
}

/* struct task_struct *parent, struct task_struct *child */
SEC("typed_tp/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	begin_waits(child);
	return 0;
}

/* ---- interrupts of this CPU's thread ---- */

/* int irq, struct irqaction *action */
SEC("typed_tp/irq_handler_entry")
int BPF_PROG(on_device_begins, int irq, struct irqaction *action)
{
	struct interrupted *by = interrupted();

	if (by)
		bpf_probe_read_kernel_str(by->name, sizeof(by->name), action->name);
	return begins(HANDLER_DEVICE);
}

SEC("raw_tp/irq_handler_exit")
int on_device_ends(void *ctx)
{
	return ends(HANDLER_DEVICE);
}

SEC("raw_tp/hrtimer_expire_entry")
int on_timer_begins(void *ctx)
{
	return begins(HANDLER_TIMER);
}

SEC("raw_tp/hrtimer_expire_exit")
int on_timer_ends(void *ctx)
{
	return ends(HANDLER_TIMER);
}

/* unsigned int number: below 10 (linux/interrupt.h) */
SEC("raw_tp/softirq_entry")
int on_softirq_begins(struct bpf_raw_tracepoint_args *ctx)
{
	return begins(1 << (ctx->args[0] & 15));
}

SEC("raw_tp/softirq_exit")
int on_softirq_ends(struct bpf_raw_tracepoint_args *ctx)
{
	struct interrupted *by = interrupted();

	if (by && ctx->args[0] == SOFTIRQ_NET_RX)
		by->passed = 0;
	return ends(1 << (ctx->args[0] & 15));
}

/* A packet to this machine itself is queued by its sender, in the sender's call, for the softirq that follows. */
SEC("raw_tp/netif_rx")
int on_own_packet(void *ctx)
{
	struct interrupted *by = interrupted();

	if (!by || by->running)
		return 0;
	note_thread(&by->passer, bpf_get_current_task_btf());
	by->passed = 1;
	return 0;
}
