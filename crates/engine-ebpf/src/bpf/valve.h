/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The pressure valve's kernel side. Up to a mark the ring fills freely; a thread that writes beyond it has the bell rung,
 * once, and Stride holds it until the reader has caught up (src/valve.rs). What lies between mark and limit is for what
 * is written in the meantime.
 *
 * A thread may be late to be held, for the valve itself may be: held up by an execve, or without a CPU. Should half of what lies
 * between mark and limit be used up, calls are made to take long, which there is time for then.
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
/* The thread's ring: one for all, or of several the one it was given when it began. The command has the first. */
static __always_inline void *ring_of(struct task_state *st)
{
	u32 i = st->ring;

	return ring_count > 1 ? bpf_map_lookup_elem(&rings, &i) : &ring;
}

static __always_inline u64 fill_of(struct task_state *st)
{
	void *ring = ring_of(st);

	return ring ? bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) : 0;
}

static __always_inline void give_ring(struct task_state *st)
{
	if (ring_count > 1)
		st->ring = (__sync_fetch_and_add(&rings_given, 1) + 1) % ring_count;
}

/* Fill of the ring beyond which threads are held. */
const volatile u64 ring_mark;
/* Records of calls beyond this fill are refused; the rest is for those that tell of threads coming and going. */
const volatile u64 ring_call_limit;
/* Fill beyond which calls take BRAKE_NS longer. */
const volatile u64 ring_brake_mark;
#define BRAKE_NS 100000ULL
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

static long until(u64 i, void *end)
{
	return bpf_ktime_get_ns() >= *(u64 *)end;
}

/* The current thread writes beyond the mark. */
__noinline int hold_back(struct task_state *st, u64 fill)
{
	u64 end;

	if (!st)
		return 0;
	ring_bell(bpf_get_current_task_btf(), st);
	if (fill > ring_brake_mark) {
		/* A program cannot sleep. This many steps are never taken. */
		end = bpf_ktime_get_ns() + BRAKE_NS;
		bpf_loop(BRAKE_NS, until, &end, 0);
	}
	return 0;
}

/* Whether the ring, filled so far, has no room for a call of the current thread. */
static __always_inline bool is_full(struct task_state *st, u64 fill)
{
	if (fill <= ring_mark)
		return false;
	if (hold)
		hold_back(st, fill);
	return fill > ring_call_limit;
}

#endif
