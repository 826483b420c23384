/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Tracing for a user who may not trace every process. The broker loads the programs for that user, and the rule is ptrace(2)'s. The user's
 * own process opens /proc/PID/mem, which the kernel allows if that process may attach to PID (PTRACE_MODE_ATTACH: ids, dumpable,
 * capabilities, user namespaces, security modules, Yama), and hands the descriptor over as proof. A thread is adopted only if it
 * has the very memory that this descriptor leads to: whoever holds it can read all of that memory by the kernel's own permission. So neither
 * ids that are used again nor descriptors from before an execve prove anything.
 *
 * After that a thread can become privileged in two ways. execve is looked at in `is_privileged_exec`, before the new program runs.
 * Calls that set ids are looked at when they return. Tracing of the thread then ends here, before its next call.
 *
 * docs/security.md tells what follows from that.
 */
#ifndef STRIDE_GUARD_H
#define STRIDE_GUARD_H

#include "fd.h"
#include "user.h"

/* linux/binfmts.h: the program's file may not be read. */
#define BINPRM_FLAGS_ENFORCE_NONDUMP 1

/* Descriptors of the broker: its own /proc/self/mem, and the proof. */
u32 own_memory;
u32 given_proof;

/* True if the thread's memory is the memory that the proof leads to. The current thread is the broker's. */
static __always_inline bool is_proven(struct task_struct *task)
{
	struct file *own = file_of(bpf_get_current_task_btf(), own_memory);
	struct file *proof = file_of(bpf_get_current_task_btf(), given_proof);
	u64 memory;

	/* (Other files of /proc have the same memory behind them, and less is asked of who opens them.) */
	if (!own || !proof || BPF_CORE_READ(own, f_op) != BPF_CORE_READ(proof, f_op))
		return false;
	memory = (u64)BPF_CORE_READ(proof, private_data);
	return memory && (u64)BPF_CORE_READ(task, mm) == memory;
}

/*
 * True if the user may not trace the program that the current thread has just executed: it has other ids or more capabilities, a security
 * module says so (all of which is AT_SECURE), or its file may not be read.
 */
static __always_inline bool is_privileged_exec(struct task_struct *task, struct linux_binprm *program)
{
	return BPF_CORE_READ_BITFIELD_PROBED(program, secureexec) ||
	       BPF_CORE_READ(program, interp_flags) & BINPRM_FLAGS_ENFORCE_NONDUMP || !is_users(task);
}

/*
 * A thread that was given a state may be traced if the proof still holds now. If the thread executes a program meanwhile, either the proof no
 * longer holds, or on_exec has found the state.
 */
static __always_inline bool is_cleared(struct task_struct *task, struct task_state *st)
{
	__sync_fetch_and_add(&st->proof, 0);
	return is_proven(task) && is_users(task) &&
	       __sync_val_compare_and_swap(&st->proof, PROOF_AWAITED, PROOF_GIVEN) == PROOF_AWAITED;
}

#endif
