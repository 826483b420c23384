/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* arm64: what kernel.h and regs.h include. */
#ifdef MACHINE_TYPES

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs {
	u64 regs[31];
	u64 sp;
	u64 pc;
	u64 orig_x0;
	s32 syscallno;
};

struct thread_info {
	unsigned long flags;
};

struct user_thread {
	unsigned long tp_value;
};

struct thread_struct {
	struct user_thread uw;
};

#pragma clang attribute pop

#else

/* (The kernel knows it as of the last time that the thread gave up its CPU.) */
static __always_inline u64 thread_pointer_of(struct task_struct *task, u32 is_32bit)
{
	return BPF_CORE_READ(task, thread.uw.tp_value);
}

/* A new thread begins behind the place where calls are traced (ret_from_fork in arch/arm64/kernel/entry.S). */
#define NEW_THREAD_RETURNS 0

static __always_inline u32 abi_of(struct task_struct *task)
{
	return ABI_AARCH64;
}

/* The result of a call that has one. */
static __always_inline s64 result_of(struct pt_regs *regs)
{
	return regs->regs[0];
}

static __always_inline s32 nr_of(struct pt_regs *regs)
{
	return regs->syscallno;
}

/* rt_sigreturn leaves -1, too (NO_SYSCALL). */
static __always_inline s32 nr_at_exit(struct pt_regs *regs, u32 abi, long ret)
{
	s32 nr = nr_of(regs);

	return nr != -1 || ret == -38 ? nr : 139;
}

static __always_inline void args_of(struct pt_regs *regs, u32 abi, u64 *args)
{
	args[0] = regs->orig_x0;
	args[1] = regs->regs[1];
	args[2] = regs->regs[2];
	args[3] = regs->regs[3];
	args[4] = regs->regs[4];
	args[5] = regs->regs[5];
}

static __always_inline u64 ip_of(struct pt_regs *regs)
{
	return regs->pc;
}

static __always_inline u64 sp_of(struct pt_regs *regs)
{
	return regs->sp;
}

/* Stacks are not unwound here yet. */
static __always_inline u64 bp_of(struct pt_regs *regs)
{
	return regs->regs[29];
}

static __always_inline bool runs_32bit(struct pt_regs *regs)
{
	return false;
}

static __always_inline bool runs_known_code(struct pt_regs *regs)
{
	return true;
}

static __always_inline bool hides_mapping(u32 abi, s32 nr)
{
	return false;
}

static __always_inline bool is_clone(u32 abi, s32 nr)
{
	return nr == 220;
}

static __always_inline void all_of(struct pt_regs *regs, u64 *all)
{
}

/* (Threads that entered the kernel otherwise, and signal delivery, leave no number.) */
static __always_inline bool is_inside(struct pt_regs *regs)
{
	return nr_of(regs) >= 0;
}

/* (It is in a register, which is not looked at yet.) */
static __always_inline u64 return_address(struct pt_regs *regs)
{
	return 0;
}

#endif
