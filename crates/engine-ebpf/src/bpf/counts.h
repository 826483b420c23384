/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Counts calls and their times per CPU in the kernel. No record goes to the reader. */
#ifndef STRIDE_COUNTS_H
#define STRIDE_COUNTS_H

/* Without branches, because the verifier would follow all their combinations. */
static __always_inline u32 log_of(u64 rest)
{
	u32 log = 0;

	for (u32 step = 32, i = 5; step; step >>= 1, i--) {
		u64 above = rest >> step, negative = -above;
		u32 shift;

		asm volatile("" : "+r"(negative));
		shift = ((above | negative) >> 63) << i;
		rest >>= shift;
		log += shift;
	}
	return log;
}

/*
 * Values below 2^BUCKET_BITS have a bucket each. Above, each power of two is divided into 2^BUCKET_BITS buckets of equal
 * width, so that no bucket is wider than an eighth of its values. stride_event::Histogram has the same buckets.
 */
static __always_inline u32 bucket_of(u64 ns)
{
	u32 log = log_of(ns);

	if (log < BUCKET_BITS)
		return ns;
	return ((log - BUCKET_BITS) << BUCKET_BITS) + (u32)(ns >> (log - BUCKET_BITS));
}

static __always_inline void add_time(struct count_times *times, u64 ns)
{
	times->total += ns;
	if (times->least < ~ns)
		times->least = ~ns;
	if (times->most < ns)
		times->most = ns;
}

/* The counter on this CPU for calls of this plan. */
static __always_inline struct count *count_at(struct call_plan *plan)
{
	u32 slot = plan->slot, none = 0;

	if (!slot) {
		slot = __sync_fetch_and_add(&slots_used, 1) + 1;
		none = __sync_val_compare_and_swap(&plan->slot, 0, slot);
		if (none)
			slot = none;
	}
	if (slot > COUNT_SLOTS)
		return NULL;
	slot += bpf_get_smp_processor_id() * COUNT_SLOTS - 1;
	return bpf_map_lookup_elem(&counts, &slot);
}

/*
 * The counter on this CPU for calls of this key. The key is built in the scratch map, because on_sys_exit has no stack to
 * spare.
 */
static __always_inline struct count *count_by(struct task_struct *task, struct task_state *st, struct call_plan *plan, u32 index,
					      long ret, u64 wall)
{
	struct scratch *s = scratch();
	struct count *count;
	struct count_key *key;

	if (!s)
		return NULL;
	key = &s->count_key;
	if (by_call)
		key->call = index;
	if (by_error)
		key->error = ret < 0 && ret >= -4095 ? -ret : 0;
	if (by_pid)
		key->pid = process_id_of(task);
	if (by_tid)
		key->tid = id_of(task);
	if (by_size)
		key->size = !(plan->flags & CALL_MOVES) || ret < 0 ? 0 : ret ? log_of(ret) + 2 : 1;
	if (by_cgroup)
		key->cgroup = bpf_get_current_cgroup_id();
	if (by_duration)
		key->duration = !st->entered ? 0 : wall ? log_of(wall) + 2 : 1;
	if (by_user)
		key->user = BPF_CORE_READ(task, cred, euid.val);
	key->interval = *(volatile u32 *)&interval;
	if (by_comm)
		bpf_get_current_comm(key->comm, sizeof(key->comm));
	count = bpf_map_lookup_elem(&counts_by, key);
	if (count)
		return count;
	bpf_map_update_elem(&counts_by, key, &nothing_counted, BPF_NOEXIST);
	return bpf_map_lookup_elem(&counts_by, key);
}

/*
 * How long the thread has been off CPUs, counted from an unknown start. The kernel accounts for run time from time to time, always up to a moment
 * that it notes (exec_start). When the thread comes back to a CPU, the kernel sets that moment to the time of its return, and adds
 * no run time. So the difference of both grows only by time off CPUs.
 */
static __always_inline u64 off_cpu(struct task_struct *task)
{
	return task->se.exec_start - task->se.sum_exec_runtime;
}

/* The entry of a call notes this for `counted`. */
static __always_inline void note_cpu(struct task_struct *task, struct task_state *st)
{
	st->switches = task->nvcsw + task->nivcsw;
	st->migrations = task->se.nr_migrations;
	st->off_cpu = off_cpu(task);
	st->ran = task->se.sum_exec_runtime;
}

/*
 * The time that the call spent on a CPU. If the thread never left its CPU, that is all of it. If the thread came back to another CPU, only the run
 * time tells, because each CPU has a clock of its own for this. The run time was not up to date at entry, so time before the call is in it.
 */
static __always_inline u64 time_on_cpu(struct task_struct *task, struct task_state *st, u64 wall)
{
	u64 off, ran;

	if (task->nvcsw + task->nivcsw == st->switches)
		return wall;
	if (task->se.nr_migrations == st->migrations) {
		off = off_cpu(task) - st->off_cpu;
		return off < wall ? wall - off : 0;
	}
	ran = task->se.sum_exec_runtime - st->ran;
	return ran < wall ? ran : wall;
}

/* Counts a call that returned. False: there is no place to count it, so a record must be sent. */
static __always_inline bool counted(struct task_struct *task, struct task_state *st, struct call_plan *plan, u32 index,
				    long ret)
{
	/* (Reading the clock takes longer than all the rest.) */
	u64 wall = st->entered ? bpf_ktime_get_ns() - st->entered : 0;
	bool more = count_more && !(count_failures && !is_error(ret));
	struct count *count = more ? count_by(task, st, plan, index, ret, wall) : count_at(plan);
	u32 bucket;

	if (!count)
		return false;
	count->calls++;
	if (is_error(ret))
		count->errors++;
	if (count_bytes && plan->flags & CALL_MOVES && ret > 0)
		count->bytes += ret;
	/* Its entry was not seen: tracing began later, or only some entries are seen (counting/timing.rs). */
	if (!st->entered)
		return true;
	count->timed++;
	add_time(&count->wall, wall);
	if (count_cpu)
		add_time(&count->cpu, time_on_cpu(task, st, wall));
	if (count_latencies) {
		bucket = bucket_of(wall);
		/* The bound is checked on the same register that is used. */
		asm volatile("" : "+r"(bucket));
		if (bucket >= BUCKETS)
			bucket = BUCKETS - 1;
		count->wall_buckets[bucket]++;
	}
	return true;
}

#endif
