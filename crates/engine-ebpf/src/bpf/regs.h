/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* A call's number, arguments and ABI from the saved registers. They still hold them when the call returns. */
#ifndef STRIDE_REGS_H
#define STRIDE_REGS_H

enum { ABI_X86_64 = 0, ABI_I386 = 1, ABI_AARCH64 = 2 };

/* Calls of i386 that stand for others (folded.h). */
enum { I386_SELECT = 82, I386_MMAP = 90, I386_SOCKETCALL = 102, I386_IPC = 117 };

/* A call's index in the maps that have all calls. Numbers that no call can have, also negative ones, have none. */
static __always_inline u32 call_index(u32 abi, s32 nr)
{
	return (u32)nr < NUMBERS ? abi * NUMBERS + (u32)nr : ABIS * NUMBERS;
}

/* Results that are errors. Addresses are never among them, though they may be negative, too. */
static __always_inline bool is_error(s64 ret)
{
	return ret < 0 && ret >= -4095;
}

#if defined(__TARGET_ARCH_x86)

/* A new thread's return from the clone that its parent called passes sys_exit. */
#define NEW_THREAD_RETURNS 1

/* The thread entered the kernel by a 32-bit call, ABI_I386 (arch/x86/include/asm/thread_info.h). */
#define TS_COMPAT 2

static __always_inline u32 abi_of(struct task_struct *task)
{
	/* (Without a branch: the verifier would walk what follows for each ABI.) */
	return task->thread_info.status / TS_COMPAT % 2;
}

static __always_inline s32 nr_of(struct pt_regs *regs)
{
	return (s32)regs->orig_ax;
}

/* rt_sigreturn restores the registers from before the signal, without a number. A call of number -1 fails with ENOSYS. */
static __always_inline s32 nr_at_exit(struct pt_regs *regs, u32 abi, long ret)
{
	s32 nr = nr_of(regs);

	if (nr != -1 || ret == -38)
		return nr;
	return abi == ABI_I386 ? 173 : 15;
}

static __always_inline void args_of(struct pt_regs *regs, u32 abi, u64 *args)
{
	if (abi == ABI_I386) {
		args[0] = (u32)regs->bx;
		args[1] = (u32)regs->cx;
		args[2] = (u32)regs->dx;
		args[3] = (u32)regs->si;
		args[4] = (u32)regs->di;
		args[5] = (u32)regs->bp;
	} else {
		args[0] = regs->di;
		args[1] = regs->si;
		args[2] = regs->dx;
		args[3] = regs->r10;
		args[4] = regs->r8;
		args[5] = regs->r9;
	}
}

static __always_inline u64 ip_of(struct pt_regs *regs)
{
	return regs->ip;
}

static __always_inline u64 sp_of(struct pt_regs *regs)
{
	return regs->sp;
}

static __always_inline u64 bp_of(struct pt_regs *regs)
{
	return regs->bp;
}

/* The code segments of 64-bit and of 32-bit programs. A program may make segments of its own (modify_ldt). */
#define USER_CS 0x33
#define USER32_CS 0x23

static __always_inline bool runs_32bit(struct pt_regs *regs)
{
	return regs->cs == USER32_CS;
}

static __always_inline bool runs_known_code(struct pt_regs *regs)
{
	return regs->cs == USER_CS || runs_32bit(regs);
}

/* The first mmap of i386 has its arguments in memory. */
static __always_inline bool hides_mapping(u32 abi, s32 nr)
{
	return abi == ABI_I386 && nr == I386_MMAP;
}

static __always_inline bool is_clone(u32 abi, s32 nr)
{
	return nr == (abi == ABI_I386 ? 120 : 56);
}

/* All general registers, in DWARF's order for x86-64. */
static __always_inline void all_of(struct pt_regs *regs, u64 *all)
{
	all[0] = regs->ax;
	all[1] = regs->dx;
	all[2] = regs->cx;
	all[3] = regs->bx;
	all[4] = regs->si;
	all[5] = regs->di;
	all[6] = regs->bp;
	all[7] = regs->sp;
	all[8] = regs->r8;
	all[9] = regs->r9;
	all[10] = regs->r10;
	all[11] = regs->r11;
	all[12] = regs->r12;
	all[13] = regs->r13;
	all[14] = regs->r14;
	all[15] = regs->r15;
}

/*
 * True if a thread that is not running is in a call. Until there is a result, the result register holds an error that no
 * known call returns.
 */
static __always_inline bool is_inside(struct pt_regs *regs)
{
	return regs->ax == (unsigned long)-38 && nr_of(regs) >= 0;
}

#elif defined(__TARGET_ARCH_arm64)

/* A new thread begins behind the place where calls are traced (ret_from_fork in arch/arm64/kernel/entry.S). */
#define NEW_THREAD_RETURNS 0

static __always_inline u32 abi_of(struct task_struct *task)
{
	return ABI_AARCH64;
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

#endif

/* linux/sched.h: a signal ended the thread; the thread is a worker of io_uring's, or another of the kernel's (since Linux 6.4). */
#define PF_IO_WORKER 0x10
#define PF_SIGNALED 0x400
#define PF_USER_WORKER 0x4000

/*
 * True if the current thread, which ends, is in a call, which never reaches sys_exit: exit, exit_group, a call for which seccomp kills the
 * thread (which does not reach sys_enter either), and reboot in a PID namespace. A thread that a signal ends has left its call by sys_exit.
 */
static __always_inline bool ends_in_call(struct task_struct *task, struct pt_regs *regs)
{
	return !(task->flags & (PF_SIGNALED | PF_IO_WORKER | PF_USER_WORKER)) && is_inside(regs);
}

#endif
