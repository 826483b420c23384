/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The kernel side of backpressure (src/ring/backpressure.rs explains all of it). A writer that finds the ring beyond the drain mark
 * wakes the drain thread, which moves records to Stride's own memory. A writer is delayed here if the ring is beyond its high-water
 * mark, or this memory beyond its own, and longer if there is more in them.
 *
 * Where calls may be lost instead, marks and limit are the same, nobody is delayed, and there is no drain thread.
 */
#ifndef STRIDE_BACKPRESSURE_H
#define STRIDE_BACKPRESSURE_H

/* A record in this ring wakes the drain thread. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} drain_wakeups SEC(".maps");

const volatile bool delay_writers;
/* Fill of the ring beyond which the drain thread is woken, and fill beyond which writers are delayed. */
const volatile u64 ring_drain_mark;
const volatile u64 ring_high_mark;
/* Records of calls beyond this fill are refused. The rest is for records of beginning and ending threads. */
const volatile u64 ring_call_limit;
/* Beyond so many bytes in Stride's memory writers are delayed, and from so many on for the longest time. */
const volatile u64 backlog_high_mark;
const volatile u64 backlog_full;

/* The longest delay: of records up to 1 KiB, and of larger ones, which are delayed in proportion to their size. */
#define DELAY_NS 200000ULL
#define DELAY_MOST_NS 1000000ULL
/* About the time that reading the clock takes. */
#define DELAY_LEAST_NS 64
/* More steps than any delay has. */
#define DELAY_STEPS (1 << 20)

/* The thread's ring: the only one, or the one that the thread got when it began. The command has the first. */
static __always_inline void *ring_at(u32 i)
{
	return ring_count > 1 ? bpf_map_lookup_elem(&rings, &i) : &ring;
}

static __always_inline void *ring_of(struct task_state *st)
{
	return ring_at(st->ring);
}

static __always_inline u64 fill_of(struct task_state *st)
{
	void *ring = ring_of(st);

	return ring ? bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) : 0;
}

/* A thread asks for the fill of its ring once for so many small records. */
#define UNLOOKED 8

/*
 * The fill of the thread's ring, as it was when the thread last asked: the helper's call takes as long as sending the rest of a small
 * record. A thread writes a few KiB at most between two questions. A new thread asks first, and beyond the high-water mark each record asks.
 */
static __always_inline u64 late_fill_of(struct task_state *st)
{
	if (st->unlooked && st->fill <= ring_drain_mark) {
		st->unlooked--;
	} else {
		st->unlooked = UNLOOKED - 1;
		st->fill = fill_of(st);
	}
	return st->fill;
}

static __always_inline void give_ring(struct task_state *st)
{
	if (ring_count > 1)
		st->ring = (__sync_fetch_and_add(&rings_given, 1) + 1) % ring_count;
}

static __always_inline void wake_drain(u64 fill)
{
	u64 none = 0;

	if (fill <= ring_drain_mark || !*(volatile u32 *)&pressure.drain_waits)
		return;
	*(volatile u32 *)&pressure.drain_waits = 0;
	bpf_ringbuf_output(&drain_wakeups, &none, sizeof(none), BPF_RB_FORCE_WAKEUP);
}

static long until(u64 i, void *end)
{
	return bpf_ktime_get_ns() >= *(u64 *)end;
}

/* How far `fill` is on the way from the mark to the end, in 1,024ths: 0 up to the mark, and at most 1,024. */
static __always_inline u64 beyond(u64 fill, u64 mark, u64 end)
{
	if (fill <= mark)
		return 0;
	return fill < end ? (fill - mark) * 1024 / (end - mark) : 1024;
}

/*
 * Wakes the drain thread or delays the current thread, which is about to write so many bytes, if the marks say so. (A function, because the
 * verifier walks that once.)
 */
__noinline int press(u64 fill, u64 size)
{
	u64 longest = size <= 1024 ? DELAY_NS : size * DELAY_NS / 1024;
	u64 share, of_backlog, delay, start, end;

	wake_drain(fill);
	if (longest > DELAY_MOST_NS)
		longest = DELAY_MOST_NS;
	share = beyond(fill, ring_high_mark, ring_call_limit);
	of_backlog = beyond(*(volatile u64 *)&pressure.backlog, backlog_high_mark, backlog_full);
	if (share < of_backlog)
		share = of_backlog;
	/* Squared, so that where the reader nearly keeps up, hardly anything waits beyond the marks, and delays are short. */
	delay = longest * share * share >> 20;
	if (delay < DELAY_LEAST_NS)
		return 0;
	start = bpf_ktime_get_ns();
	end = start + delay;
	/* A program cannot sleep, so it loops. */
	bpf_loop(DELAY_STEPS, until, &end, 0);
	__sync_fetch_and_add(&calls_delayed, 1);
	__sync_fetch_and_add(&delayed_ns, bpf_ktime_get_ns() - start);
	return 0;
}

/* True if the ring, at this fill, has no room for a call of so many bytes of the current thread. */
static __always_inline bool is_full(struct task_state *st, u64 fill, u64 size)
{
	if (!delay_writers)
		return fill + size > ring_call_limit;
	if (fill + *(volatile u64 *)&pressure.backlog <= ring_drain_mark)
		return false;
	press(fill, size);
	return fill_of(st) + size > ring_call_limit;
}

#endif
