/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Programs at the kernel's functions of the wanted calls, in place of those at sys_enter and sys_exit: other calls then pay nothing. They are
 * loaded only once a run turns out to be long (../functions).
 *
 * While both kinds are attached, `hooks` in the thread's state has each call handled once. The entry is whichever program's that sees it
 * first: the tracepoint's. The return is the function's, because the function ends before sys_exit. A call that was entered before
 * the programs were attached to its function returns by sys_exit only.
 *
 * Unlike programs at tracepoints, these may be preempted. So they have scratch memory of their own, and claim it. If another thread was
 * preempted on this CPU in the middle of such a program, the call is lost, and counted.
 */
#ifndef STRIDE_FUNCTIONS_H
#define STRIDE_FUNCTIONS_H

static __always_inline bool claim_scratch(void)
{
	struct scratch *s = scratch();

	return s && !__sync_lock_test_and_set(&s->busy, 1);
}

static __always_inline void release_scratch(void)
{
	struct scratch *s = scratch();

	barrier();
	if (s)
		*(volatile u32 *)&s->busy = 0;
}

/* The thread's state, if it is traced, and tracing by functions goes on. */
static __always_inline struct task_state *hooked(struct task_struct *task)
{
	return *(volatile u32 *)&hooks_over ? NULL : traced(task);
}

/* A function may serve several numbers, and not all of them need be wanted. */
static __always_inline bool is_for_hooks(u32 flags)
{
	return flags & (CALL_TRACED | CALL_EXEC);
}

SEC("?function/enter")
int on_function_enter(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = hooked(task);
	struct call_plan *plan;
	u32 abi, index, hooks;
	s32 nr;

	if (!st)
		return 0;
	abi = abi_of(task);
	/* (A multiplexed call's target is found in the scratch, too.) */
	if (!claim_scratch()) {
		st->flags |= TASK_ENTRY_LOST;
		return 0;
	}
	nr = target_nr(abi, nr_of((struct pt_regs *)bpf_task_pt_regs(task)));
	index = call_index(abi, nr);
	plan = bpf_map_lookup_elem(&calls, &index);
	if (is_for_hooks(flags_of(plan))) {
		hooks = st->hooks;
		/* Another tracer has changed the programs at the function while the thread was in it: that return was not seen. */
		if (hooks & HOOK_INSIDE)
			lose_call(st);
		st->hooks = HOOK_INSIDE;
		if (!(hooks & HOOK_ENTERED))
			enter(ctx, task, st, abi, nr, plan, flags_of(plan), true);
	}
	release_scratch();
	return 0;
}

/* The current thread's call returns by a function. */
static __always_inline int leave_function(struct task_struct *task, struct task_state *st, s64 ret)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct simple call = { .task = task, .st = st, .regs = regs, .ret = ret, .abi = abi_of(task) };
	struct call_plan *plan;
	u32 index;

	if (!claim_scratch()) {
		st->hooks = HOOK_REPORTED;
		st->flags &= TASK_BEFORE_EXEC | TASK_EXEC_FAILED;
		lose_call(st);
		return 0;
	}
	index = index_at_exit(&call);
	plan = bpf_map_lookup_elem(&calls, &index);
	if (is_for_hooks(flags_of(plan))) {
		leave(&call, plan, index);
		st->hooks = HOOK_REPORTED;
	}
	release_scratch();
	return 0;
}

SEC("?function/exit")
int on_function_exit(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = hooked(task);
	u64 ret = 0;

	if (!st || bpf_get_func_ret(ctx, &ret))
		return 0;
	return leave_function(task, st, ret);
}

/* seccomp lets a call be skipped: no function sees it, and its result is in the registers. */
SEC("?function/skipped")
int on_function_skipped(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *st = hooked(task);
	u64 ret = 0;

	if (!st || bpf_get_func_ret(ctx, &ret) || (s32)ret != -1)
		return 0;
	return leave_function(task, st, result_of((struct pt_regs *)bpf_task_pt_regs(task)));
}

/* Counts the threads that are in a wanted call which no function has seen begin: only sys_exit will see it return. */
SEC("?function/thread")
int count_missing(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *st;
	struct pt_regs *regs;
	u32 abi, index;
	s32 nr;

	if (!task)
		return 0;
	st = traced(task);
	if (!st || *(volatile u32 *)&st->hooks & HOOK_INSIDE)
		return 0;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	if (!is_inside(regs))
		return 0;
	abi = abi_of(task);
	nr = nr_of(regs);
	index = call_index(abi, nr);
	if (is_multiplexed(abi, nr) || is_for_hooks(flags_of(bpf_map_lookup_elem(&calls, &index))))
		hooks_missing++;
	return 0;
}

/* Asks the kernel for the functions of the calls whose numbers are in `functions`. */
SEC("?function/search")
int find_functions(void *ctx)
{
	/* (In a map of their own, because the first object's has no room for them.) */
#define SYMBOL static const char __attribute__((section(".rodata.hooks")))
	SYMBOL table[] = "sys_call_table";
	SYMBOL old[] = "ia32_sys_call_table";
	SYMBOL new[] = "ia32_sys_call";
	SYMBOL int80[] = "do_int80_emulation";
	SYMBOL entry[] = "entry_INT80_compat";
	SYMBOL x32[] = "x32_sys_call";
	SYMBOL x32_old[] = "x32_sys_call_table";
	SYMBOL name[] = "%ps";
#undef SYMBOL
	u64 at = 0, none, function;

#define KNOWN(symbol) (!bpf_kallsyms_lookup_name(symbol, sizeof(symbol), 0, &none))
	functions.has_32bit = KNOWN(old) || KNOWN(new) || KNOWN(int80) || KNOWN(entry);
	functions.has_x32 = KNOWN(x32) || KNOWN(x32_old);
#undef KNOWN
	functions.failed = bpf_kallsyms_lookup_name(table, sizeof(table), 0, &at) != 0;
	for (u32 i = 0; i < MOST_FUNCTIONS; i++) {
		if (i >= functions.n)
			break;
		function = 0;
		if (!at || bpf_probe_read_kernel(&function, sizeof(function), (void *)(at + 8 * functions.numbers[i])) || !function)
			functions.failed = 1;
		bpf_snprintf((char *)functions.names[i].text, FUNCTION_NAME, name, &function, sizeof(function));
	}
	return 0;
}

#endif
