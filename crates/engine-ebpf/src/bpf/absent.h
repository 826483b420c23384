/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Memory that was not present. The reader reads it afterwards (src/memory/absent.rs), which it cannot if the program is over by then.
 */
#ifndef STRIDE_ABSENT_H
#define STRIDE_ABSENT_H

#define EFAULT 14

/* Calls that were sent with FLAG_FAULTED, and those of them that the reader is done with. */
u64 absences_sent OF_READER = 0;
u64 absences_read OF_READER = 0;
/* The time that all threads have waited. */
u64 absences_waited;

/* A reader that is further behind would not come in time. */
#define ABSENCES_MOST 16
#define ABSENCE_NS 1000000ULL
/* A program that passes wild pointers all the time is not delayed all the time. */
#define ALL_ABSENCES_NS (200 * ABSENCE_NS)

struct absence_wait {
	u64 end;
	u64 number;
};

static long until_absent_read(u64 i, void *ctx)
{
	struct absence_wait *wait = ctx;

	return *(volatile u64 *)&absences_read >= wait->number || bpf_ktime_get_ns() >= wait->end;
}

/*
 * Delays the current thread, whose call was just sent with FLAG_FAULTED, until the reader has read what was absent, for a millisecond at
 * most. A call that failed with EFAULT is mostly one with a wild pointer, which the reader cannot read either.
 */
__noinline int wait_for_absent(long ret)
{
	struct absence_wait wait;
	u64 start;

	wait.number = __sync_fetch_and_add(&absences_sent, 1) + 1;
	if (!delay_writers || ret == -EFAULT || *(volatile u64 *)&absences_waited >= ALL_ABSENCES_NS ||
	    wait.number > *(volatile u64 *)&absences_read + ABSENCES_MOST)
		return 0;
	start = bpf_ktime_get_ns();
	wait.end = start + ABSENCE_NS;
	bpf_loop(DELAY_STEPS, until_absent_read, &wait, 0);
	__sync_fetch_and_add(&absences_waited, bpf_ktime_get_ns() - start);
	return 0;
}

#endif
