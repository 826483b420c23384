/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Signals. Delivered signals are seen as they are. Two kinds are never delivered: ignored ones, and fatal ones, which the
 * kernel turns into a SIGKILL when they are sent. A ptrace tracer sees both, so they are reported when they are sent. But
 * if the receiver is in a call, that call's line comes first: the reader holds the signal until the receiver reports that
 * it has left the call, and gives them that call's stack. No stack is looked for here: their receiver may be running, or this
 * may be an interrupt in which the CPU's scratch is in use.
 *
 * Stops. A SIGSTOP that is delivered stops the thread that takes it. The blocked-call poller finds the other threads of its
 * process, and threads that the terminal's signals stop (or not, which is decided later). A SIGCONT that is ignored ends a
 * stop when it is sent, but the threads that it wakes wait for a lock that the sender holds until this program has ended.
 */
#ifndef STRIDE_SIGNALS_H
#define STRIDE_SIGNALS_H

#define SIGKILL 9
#define SIGSTOP 19
/* linux/signal_types.h: the kernel ends the process by this signal, and neither a handler nor a ptrace tracer gets to see it (seccomp). */
#define SA_IMMUTABLE 0x00800000
/* linux/sched/signal.h */
#define SIGNAL_GROUP_EXIT 4
/* trace/events/signal.h */
#define TRACE_SIGNAL_DELIVERED 0
#define TRACE_SIGNAL_IGNORED 1

/* The kernel passes two constants in place of an info. They mean this. */
static __always_inline void made_up_info(u64 *to, int sig, bool from_kernel)
{
	u32 *words = (u32 *)to;

	__builtin_memset(to, 0, sizeof(((struct rec_signal *)0)->info));
	words[0] = sig;
	if (from_kernel) {
		/* SI_KERNEL */
		words[2] = 0x80;
	} else {
		words[4] = process_id_of(bpf_get_current_task_btf());
		words[5] = bpf_get_current_uid_gid();
	}
}

static __always_inline void copy_info(u64 *to, int sig, const void *info)
{
	u64 special = (u64)info;

	if (special <= 1)
		made_up_info(to, sig, special);
	else if (bpf_probe_read_kernel(to, sizeof(((struct rec_signal *)0)->info), info))
		made_up_info(to, sig, true);
}

/*
 * Looks for the stack that a signal interrupts. If the stack is not known, its copy is sent now. The kernel holds a lock and has
 * interrupts off, so the thread is not delayed: neither because the ring is full, nor until Stride has read what is mapped.
 */
static __always_inline void interrupted(struct stack_state *stack, struct task_struct *task, struct task_state *st)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u32 abi = abi_of(task), used;
	void *ring = ring_of(st);
	u64 fill = fill_of(st);
	struct scratch *s;

	look_for_stack_of(stack, task, regs);
	if (!is_unknown(stack))
		return;
	set_stack(stack, STACK_NONE);
	s = begin(task, st, regs, abi, 0, REC_STACK);
	if (!s || !ring)
		return;
	copy_stack(s);
	used = ONCE(s->used);
	if (used > sizeof(s->data) || fill + sizeof(s->call) + sizeof(s->more) + used > ring_call_limit ||
	    bpf_ringbuf_output(ring, &s->call, sizeof(s->call) + sizeof(s->more) + used, wakeup(fill, true)))
		return;
	st->lost = 0;
	set_stack(stack, STACK_UNKNOWN);
}

static __always_inline void send_signal(struct task_struct *task, struct task_state *st, int sig, const void *info, u32 flags,
					struct stack_state *stack)
{
	void *ring = ring_of(st);
	u64 fill = fill_of(st);
	struct rec_signal *rec = NULL;

	/* The rest of the ring is for beginning and ending threads, because anybody may send any number of signals. */
	if (ring && fill + sizeof(*rec) <= ring_call_limit)
		rec = bpf_ringbuf_reserve(ring, sizeof(*rec), 0);
	/*
	 * Where no calls are shown, signals still fill the ring. (No delay here: the kernel holds a lock and has interrupts
	 * off.)
	 */
	if (delay_writers)
		wake_drain(fill);
	if (!rec) {
		__sync_fetch_and_add(&signals_lost, 1);
		return;
	}
	head(&rec->head, REC_SIGNAL, task, st);
	rec->head.flags = flags;
	rec->at = bpf_ktime_get_ns();
	rec->ip = ip_of((struct pt_regs *)bpf_task_pt_regs(task));
	rec->stack = stack ? ONCE(stack->id) : STACK_NONE;
	copy_info(rec->info, sig, info);
	/* The record has its place, so what a receiver that sees this flag sends comes after it. */
	if (flags & FLAG_HELD)
		__sync_fetch_and_or(&st->flags, TASK_SIGNALLED);
	bpf_ringbuf_submit(rec, wakeup(0, false));
	st->lost = 0;
}

/* Not inlined, because on_sys_exit has no room on its stack for another record. */
static __noinline void send_left(struct task_struct *task, struct task_state *st)
{
	struct rec_left rec;

	head(&rec.head, REC_LEFT, task, st);
	rec.at = bpf_ktime_get_ns();
	send_control(st, &rec, sizeof(rec), false);
}

/* The thread has left its call, whether its return was seen or not. */
static __always_inline void leave_call(struct task_struct *task, struct task_state *st)
{
	if (!(st->flags & TASK_SIGNALLED))
		return;
	__sync_fetch_and_and(&st->flags, ~TASK_SIGNALLED);
	send_left(task, st);
}

static __always_inline void send_stopped(struct task_struct *task, struct task_state *st, int sig)
{
	struct rec_stopped rec;

	head(&rec.head, REC_STOPPED, task, st);
	rec.at = bpf_ktime_get_ns();
	rec.signal = sig;
	send_control(st, &rec, sizeof(rec), false);
	__sync_fetch_and_or(&st->flags, TASK_STOP_TOLD);
}

/* Tells of a signal that is delivered. */
static __always_inline void tell_signal(struct bpf_raw_tracepoint_args *ctx, struct task_struct *task, struct task_state *st,
					struct stack_state *stack)
{
	send_signal(task, st, ctx->args[0], (const void *)ctx->args[1], 0, stack);
	if ((int)ctx->args[0] == SIGSTOP)
		send_stopped(task, st, SIGSTOP);
}

/* Has `capture_entry` go on, which has the code for stacks: its verification takes milliseconds. */
static __always_inline bool begin_signal(void)
{
	struct scratch *s = scratch();

	if (!take_stacks || sample_stacks || !s)
		return false;
	s->call.head.kind = REC_SIGNAL;
	return true;
}

/* The program went on for a signal, at the same tracepoint. */
static __always_inline bool goes_on_for_signal(struct scratch *s)
{
	return take_stacks && !sample_stacks && s->call.head.kind == REC_SIGNAL;
}

static __always_inline void signal_with_stack(struct bpf_raw_tracepoint_args *ctx, struct task_struct *task, struct task_state *st)
{
	struct stack_state *stack = stack_state();

	if (!st || !stack)
		return;
	interrupted(stack, task, st);
	tell_signal(ctx, task, st, stack);
}

/* int sig, struct kernel_siginfo *info, struct k_sigaction *ka */
SEC("raw_tp/signal_deliver")
int on_signal(struct bpf_raw_tracepoint_args *ctx)
{
	int sig = ctx->args[0];
	struct k_sigaction *action = (void *)ctx->args[2];
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = traced(task);

	if (!st || st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED))
		return 0;
	leave_call(task, st);
	if (st->flags & TASK_STOP_TOLD)
		__sync_fetch_and_and(&st->flags, ~TASK_STOP_TOLD);
	if (take_stacks)
		st->interrupted = sp_of((struct pt_regs *)bpf_task_pt_regs(task));
	/* As under ptrace, these are not shown. (Nothing changes the action of SIGSTOP.) */
	if (sig == SIGKILL || BPF_CORE_READ(action, sa.sa_flags) & SA_IMMUTABLE)
		return 0;
	if (begin_signal())
		go_on(ctx, st->flags);
	tell_signal(ctx, task, st, NULL);
	return 0;
}

/* True if the signal is to be reported behind a call's line. */
static __always_inline bool is_in_wanted_call(struct task_struct *task, struct task_state *st)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u32 index = call_index(abi_of(task), nr_of(regs));

	/* (The registers say so until the kernel has taken the function's result, when the call was reported already.) */
	if (may_hook && *(volatile u32 *)&st->hooks == HOOK_REPORTED)
		return false;
	return is_inside(regs) && flags_of(bpf_map_lookup_elem(&calls, &index)) & CALL_TRACED;
}

SEC("typed_tp/signal_generate")
int BPF_PROG(on_generate, int sig, struct kernel_siginfo *info, struct task_struct *task, int group, int result)
{
	struct task_state *st = traced(task);

	/* A process that has ended may get signals until it is reaped. */
	if (!st || sig == SIGKILL || st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED) || *(volatile u32 *)&st->life & LIFE_ENDED)
		return 0;
	if (result == TRACE_SIGNAL_DELIVERED) {
		struct signal_struct *all = BPF_CORE_READ(task, signal);

		if (!(BPF_CORE_READ(all, flags) & SIGNAL_GROUP_EXIT) || BPF_CORE_READ(all, group_exit_code) != sig)
			return 0;
	} else if (result != TRACE_SIGNAL_IGNORED) {
		return 0;
	}
	send_signal(task, st, sig, info, is_in_wanted_call(task, st) ? FLAG_HELD : 0, NULL);
	return 0;
}

#endif
