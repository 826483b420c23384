/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The pressure valve's kernel side. Up to a mark the ring fills freely; a thread that writes beyond it has the bell rung,
 * once, and Stride holds it until the reader has caught up (src/valve.rs). What lies between mark and limit is for what
 * is written in the meantime.
 *
 * Where calls may be lost instead, mark and limit are the same, and there is no bell.
 */
#ifndef STRIDE_VALVE_H
#define STRIDE_VALVE_H

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} bells SEC(".maps");

const volatile bool hold;
/* Fill of the ring beyond which threads are held. */
const volatile u64 ring_mark;
/* Records of calls beyond this fill are refused; the rest is for those that tell of threads coming and going. */
const volatile u64 ring_call_limit;
/* A thread that goes on writing (it was not held, or is let go again) has the bell rung anew after this time. */
#define BELL_NS 250000ULL

static __always_inline void ring_bell(struct task_struct *task, struct task_state *st)
{
	u64 now = bpf_ktime_get_ns();
	struct bell bell;

	if (now - st->rung < BELL_NS)
		return;
	bell.tid = id_of(task);
	bell.tgid = process_id_of(task);
	if (!bpf_ringbuf_output(&bells, &bell, sizeof(bell), BPF_RB_FORCE_WAKEUP))
		st->rung = now;
}

/* Whether the ring, filled so far, has no room for a call of `task`, which is the current one. */
static __always_inline bool is_full(struct task_struct *task, struct task_state *st, u64 fill)
{
	if (fill <= ring_mark)
		return false;
	if (hold)
		ring_bell(task, st);
	return fill > ring_call_limit;
}

#endif
