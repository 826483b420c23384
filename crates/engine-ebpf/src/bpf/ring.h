/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Sends records, and counts those that found no room. */
#ifndef STRIDE_RING_H
#define STRIDE_RING_H

static __always_inline void head(struct rec_head *h, u32 kind, struct task_struct *task, struct task_state *st)
{
	h->kind = kind;
	h->abi = 0;
	h->flags = 0;
	h->lost = st->lost;
	h->tid = id_of(task);
	h->nr = 0;
}

/* Wakes the reader only if it waits, and then only for much data or for urgent records. */
static __always_inline u64 wakeup(u64 fill, bool urgent)
{
	if ((urgent || fill >= ring_wake_mark) && *(volatile u32 *)&reader_waits)
		return BPF_RB_FORCE_WAKEUP;
	return BPF_RB_NO_WAKEUP;
}

/* The thread's next record carries the count. */
static __always_inline void lose_call(struct task_state *st)
{
	st->lost++;
	__sync_fetch_and_add(&calls_lost, 1);
}

/* A call's record, or its memory at entry. Leaves room for control records. */
static __always_inline bool send_call(struct task_state *st, void *rec, u64 size, bool urgent)
{
	u64 fill = fill_of(st);
	void *ring = ring_of(st);

	if (is_full(st, fill, size) || !ring || bpf_ringbuf_output(ring, rec, size, wakeup(fill, urgent)))
		return false;
	st->lost = 0;
	return true;
}

/* A part of a call that is about to be sent. */
static __always_inline bool send_memory(struct task_state *st, void *rec, u64 size, bool delays)
{
	u64 fill = fill_of(st);
	void *ring = ring_of(st);

	if (delays ? is_full(st, fill, size) : fill + size > ring_call_limit)
		return false;
	return ring && !bpf_ringbuf_output(ring, rec, size, wakeup(fill, false));
}

/* A record of a beginning or ending thread. These are few and small. */
static __always_inline void send_control(struct task_state *st, void *rec, u64 size, bool urgent)
{
	void *ring = ring_of(st);

	if (!ring || bpf_ringbuf_output(ring, rec, size, wakeup(0, urgent)))
		__sync_fetch_and_add(&control_lost, 1);
	else
		st->lost = 0;
}

#endif
