/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Which calls are wanted by how they return, and by their thread. The reader has the same rules (stride_event::Endings, WantedThreads). */
#ifndef STRIDE_OUTCOME_H
#define STRIDE_OUTCOME_H

enum { ERRNO_WORDS = 4096 / 64 };

/* Calls with these outcomes are not wanted. */
const volatile bool skip_failed;
const volatile bool skip_successful;
/* Failed calls are wanted only with some errors: bit n % 64 of word n / 64 stands for error n. */
const volatile bool choose_errors;
const volatile u64 wanted_errors[ERRNO_WORDS];
/* Only results in a range are wanted. Calls that failed have -1. */
const volatile bool choose_results;
const volatile s64 least_result;
const volatile s64 most_result;
/* Only calls that moved so many bytes are wanted. */
const volatile bool choose_bytes;
const volatile u64 least_bytes;
const volatile u64 most_bytes;
/* Only calls that took so long are wanted. */
const volatile bool choose_durations;
const volatile u64 least_duration;
const volatile u64 most_duration;
/* A call that takes less than a tick of the kernel's is too short to be wanted. */
const volatile bool skip_below_tick;

/* Only calls of threads with ids in these ranges are wanted. */
const volatile bool choose_ids;
const volatile s64 least_process;
const volatile s64 most_process;
const volatile s64 least_thread;
const volatile s64 most_thread;
/* Only calls of threads of this name are wanted. */
const volatile bool choose_comm;
const volatile u64 wanted_comm[2];

static __always_inline bool is_wanted_thread(struct task_struct *task)
{
	s64 process, thread;

	/* (The kernel fills names up with zeros.) */
	if (choose_comm && (*(u64 *)task->comm != wanted_comm[0] || *(u64 *)(task->comm + 8) != wanted_comm[1]))
		return false;
	if (!choose_ids)
		return true;
	process = process_id_of(task);
	thread = id_of(task);
	return process >= least_process && process <= most_process && thread >= least_thread && thread <= most_thread;
}

static __always_inline bool ends_right(struct task_state *st, struct call_plan *plan, s64 ret)
{
	bool failed = is_error(ret);
	u64 took;

	if (failed ? skip_failed : skip_successful)
		return false;
	if (choose_errors && failed) {
		u32 error = -ret;

		/* clang knows the bound of an error, and would leave out the mask. The verifiers of Linux 6.1 and 6.12 need the mask. */
		asm volatile("" : "+r"(error));
		if (!(wanted_errors[error / 64 & (ERRNO_WORDS - 1)] >> error % 64 & 1))
			return false;
	}
	if (choose_results) {
		s64 result = failed ? -1 : ret;

		if (result < least_result || result > most_result)
			return false;
	}
	if (choose_bytes) {
		u64 bytes = ret > 0 ? ret : 0;

		if (failed || !plan || !(plan->flags & CALL_MOVES) || bytes < least_bytes || bytes > most_bytes)
			return false;
	}
	/* Where the entry was not seen, the reader decides. */
	if (choose_durations && st->entered) {
		took = bpf_ktime_get_ns() - st->entered;
		if (took < least_duration || took > most_duration)
			return false;
	}
	return true;
}

/* True if the filters want the call. Those that look at its number are not asked here. */
static __always_inline bool is_chosen(struct task_struct *task, struct task_state *st, struct call_plan *plan, s64 ret)
{
	return is_wanted_thread(task) && ends_right(st, plan, ret);
}

/*
 * True if the call of the current thread, which returns, surely is too short. The kernel accounts run time to a thread at each tick that the
 * thread is on a CPU, and when it leaves the CPU. So if nothing was accounted since this was last asked, when an earlier call returned, there
 * was no tick. (That takes 2 ns, and reading the clock 39.) To be asked once a call.
 */
static __always_inline bool is_below_tick(struct task_struct *task, struct task_state *st)
{
	u64 was = st->accounted;

	if (!skip_below_tick)
		return false;
	st->accounted = task->se.exec_start;
	return st->entered && was == st->accounted;
}

#endif
