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
#include "user.h"
#include "on_cpu.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Beyond this fill, the rest of the ring is for other records. */
const volatile u64 ring_call_limit;

/* linux/sched.h: a thread that can run, and threads that are stopped by a signal or by a tracer, or frozen. */
#define TASK_RUNNING 0
#define TASK_STOPPED_TRACED_OR_FROZEN 0x800c

/* linux/interrupt.h */
enum { SOFTIRQ_TIMER = 1, SOFTIRQ_NET_TX = 2, SOFTIRQ_NET_RX = 3, SOFTIRQ_BLOCK = 4, SOFTIRQ_POLL = 5, SOFTIRQ_HRTIMER = 8 };

/* A thread is off its CPUs. */
struct absence {
	/* Since when. 0: it is on one. */
	u64 left;
	u32 cause;
	/* It left its CPU in a call. */
	u32 in_call;
};

struct wait_state {
	struct absence off;
	/* The same of a thread that slept when tracing of it began. It holds until the thread leaves a CPU. */
	struct absence before;
	/* When it was woken since it was last on a CPU. 0: not yet. This may be before it left. */
	u64 woken;
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
	/* By which the user of a broker may know that thread (`hide`). */
	u32 passer_is_traced;
	u64 passer_memory;
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

/* An interrupt, or a thread of which nothing else is told. */
static __always_inline void note_kind(struct waker *waker, u32 kind)
{
	waker->kind = kind;
	waker->tid = waker->process = 0;
	waker->nr = -1;
	waker->abi = 0;
	((u64 *)waker->comm)[0] = ((u64 *)waker->comm)[1] = 0;
}

/* ---- what the user of a broker may see (guard.h) ---- */

/*
 * The user may know traced threads. Of others those that share their memory with the traced thread, because the user may read all of it, and that have the user's
 * ids, which a thread can change without leaving its process. Returns that memory.
 */
static __always_inline u64 memory_of_users(struct task_struct *task)
{
	return task->mm && is_users(task) ? (u64)task->mm : 0;
}

static __always_inline bool shares_memory(u64 memory, struct task_struct *task)
{
	return memory && memory == (u64)task->mm;
}

/* Forgets a thread that the user may not know. (Another thread of the same process is no other process.) */
static __always_inline void hide(struct waker *waker, struct task_struct *task)
{
	if (waker->kind == WAKER_THREAD)
		note_kind(waker, waker->process == process_id_of(task) ? WAKER_UNKNOWN : WAKER_HIDDEN);
}

/* `other` woke the traced thread `task`, or had its CPU. */
static __always_inline void hide_unless_shown(struct waker *waker, struct task_struct *other, struct task_struct *task)
{
	if (guarded && !traced(other) && !shares_memory(memory_of_users(other), task))
		hide(waker, task);
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
	struct task_struct *waker;
	struct interrupted *by;

	if (!ws)
		return 0;
	ws->woken = bpf_ktime_get_ns();
	by = interrupted();
	if (!by)
		return 0;
	/* (An interrupt's handler comes on top of a softirq, and a timer's on top of both.) */
	if (by->running & HANDLER_TIMER) {
		note_kind(&ws->waker, WAKER_TIMER);
	} else if (by->running & HANDLER_DEVICE) {
		note_kind(&ws->waker, WAKER_DEVICE);
		((u64 *)ws->waker.comm)[0] = ((u64 *)by->name)[0];
		((u64 *)ws->waker.comm)[1] = ((u64 *)by->name)[1];
	} else if (by->running & 1 << SOFTIRQ_NET_RX && by->passed) {
		ws->waker = by->passer;
		if (guarded && !by->passer_is_traced && !shares_memory(by->passer_memory, woken))
			hide(&ws->waker, woken);
	} else if (by->running) {
		note_kind(&ws->waker, kind_of_softirq(by->running));
	} else {
		waker = bpf_get_current_task_btf();
		note_thread(&ws->waker, waker);
		hide_unless_shown(&ws->waker, waker, woken);
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
	ws->off.in_call = is_inside((struct pt_regs *)bpf_task_pt_regs(task));
	ws->off.cause = why_off(task, preempted, state);
	if (!is_sleep(ws->off.cause))
		ws->woken = 0;
	ws->off.left = bpf_ktime_get_ns();
}

static __always_inline struct absence *absence_of(struct wait_state *ws)
{
	return *(volatile u64 *)&ws->off.left ? &ws->off : &ws->before;
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

/* Adds the time between the two moments, in the first of which the thread left its CPU for this cause. It was woken at `woken`, if that is not 0. */
static __always_inline void add_wait(u64 *times, u32 cause, u64 left, u64 woken, u64 now)
{
	u64 asleep = 0;

	/* (Both are read while other CPUs may write them.) */
	if (cause >= WAIT_CAUSES || now < left)
		return;
	/* A waker may be faster than the thread that goes to sleep. */
	if (is_sleep(cause))
		asleep = !woken ? now - left : woken > left ? woken - left : 0;
	if (asleep > now - left)
		asleep = now - left;
	if (is_sleep(cause)) {
		times[cause] += asleep;
		times[WAIT_FOR_CPU] += now - left - asleep;
	} else {
		times[cause] += now - left;
	}
}

static __always_inline void comes_back(struct task_struct *task, struct task_state *st, struct wait_state *ws, struct task_struct *before)
{
	struct absence *off = absence_of(ws);
	struct rec_wait *rec = &ws->rec;
	u32 cause = off->cause;
	u64 now;

	if (!off->left)
		return;
	now = bpf_ktime_get_ns();
	add_wait(off->in_call ? rec->in_call : rec->before, cause, off->left, ws->woken, now);
	rec->entered = off->in_call ? st->entered : 0;
	rec->flags = off->in_call ? WAIT_IN_CALL : 0;
	rec->cause = cause;
	if (is_sleep(cause) && ws->woken)
		rec->waker = ws->waker;
	else
		rec->waker.kind = WAKER_UNKNOWN;
	if (cause == WAIT_THROTTLED) {
		rec->taker.kind = WAKER_UNKNOWN;
	} else {
		note_ids(&rec->taker, before);
		hide_unless_shown(&rec->taker, before, task);
	}
	send_waits(task, rec, now);
	ws->off.left = ws->before.left = 0;
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

/* A thread that sleeps when tracing of it begins: that is the first that is known of it. */
static __always_inline void note_sleep(struct task_struct *task, struct task_state *st, struct wait_state *ws)
{
	u32 state = task->__state;

	if (on_cpu(task) || ws->before.left || !(state & (TASK_ASLEEP | TASK_STOPPED)) || st->flags & TASK_BEFORE_EXEC)
		return;
	ws->before.in_call = is_inside((struct pt_regs *)bpf_task_pt_regs(task));
	ws->before.cause = why_off(task, false, state);
	barrier();
	/* (If the thread runs by now, this is forgotten when the thread has left its CPU and is back.) */
	*(volatile u64 *)&ws->before.left = bpf_ktime_get_ns();
}

/* A thread that is off its CPUs in a call when tracing ends. */
static __always_inline void tell_wait(struct task_struct *task, struct task_state *st, struct wait_state *ws)
{
	struct absence *off = absence_of(ws);
	u64 left = *(volatile u64 *)&off->left;
	struct rec_wait rec = {};

	barrier();
	if (!left || !off->in_call || on_cpu(task) || st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED))
		return;
	rec.head.kind = REC_WAIT;
	rec.head.tid = id_of(task);
	rec.at = bpf_ktime_get_ns();
	rec.entered = st->entered;
	rec.flags = WAIT_IN_CALL | WAIT_LASTS;
	rec.cause = off->cause;
	/* (A thread that was woken before it slept, and slept all the same, still has the time of that.) */
	add_wait(rec.in_call, rec.cause, left, task->__state ? 0 : ws->woken, rec.at);
	barrier();
	if (*(volatile u64 *)&off->left == left && !on_cpu(task) &&
	    bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) + sizeof(rec) <= ring_call_limit)
		bpf_ringbuf_output(&ring, &rec, sizeof(rec), BPF_RB_NO_WAKEUP);
}

/* The step that the iterator takes with each thread: to give it a state, or one of the functions above. */
enum { GIVE_STATES, NOTE_SLEEPS, TELL_WAITS };
u32 step;

SEC("iter/task")
int each_thread(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wait_state *ws;
	struct task_state *st;

	if (!task)
		return 0;
	if (step == GIVE_STATES) {
		begin_waits(task);
		return 0;
	}
	st = traced(task);
	ws = st ? waits_of(task) : NULL;
	if (!ws)
		return 0;
	if (step == NOTE_SLEEPS)
		note_sleep(task, st, ws);
	else
		tell_wait(task, st, ws);
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
	struct task_struct *passer = bpf_get_current_task_btf();
	struct interrupted *by = interrupted();

	if (!by || by->running)
		return 0;
	note_thread(&by->passer, passer);
	by->passer_is_traced = guarded && traced(passer);
	by->passer_memory = guarded ? memory_of_users(passer) : 0;
	by->passed = 1;
	return 0;
}
