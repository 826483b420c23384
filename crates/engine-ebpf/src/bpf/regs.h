/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * A call's number, arguments and ABI from the saved registers. They still hold them when the call returns. Each machine has a header of its
 * own: `machine/NAME.h`. The compiler gets its name, and the values of ABIs (ABI_...), from build.rs.
 */
#ifndef STRIDE_REGS_H
#define STRIDE_REGS_H

/* Calls of i386 that stand for others (multiplexed.h). */
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

#include MACHINE

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
