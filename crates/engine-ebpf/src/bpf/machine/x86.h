/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* x86: what kernel.h and regs.h include. */
#ifdef MACHINE_TYPES

/* The same in every kernel (asm/ptrace.h), so it needs no relocation. */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	u32 status;
};

struct desc_struct {
	u16 limit0;
};

struct thread_struct {
	struct desc_struct tls_array[3];
	unsigned long fsbase;
};

#pragma clang attribute pop

#else

/* A new thread's return from the clone that its parent called passes sys_exit. */
#define NEW_THREAD_RETURNS 1

/* The thread entered the kernel by a 32-bit call, ABI_I386 (arch/x86/include/asm/thread_info.h). */
#define TS_COMPAT 2

static __always_inline u32 abi_of(struct task_struct *task)
{
	/* (Without a branch: the verifier would walk what follows for each ABI.) */
	return task->thread_info.status / TS_COMPAT % 2;
}

/* The thread pointer. (A program that sets it without a system call is not known; libraries set it so.) */
static __always_inline u64 thread_pointer_of(struct task_struct *task, u32 is_32bit)
{
	u64 segment = 0;

	if (!is_32bit)
		return BPF_CORE_READ(task, thread.fsbase);
	/* That of 32-bit code is where the first of its own segments begins (set_thread_area): bits of the segment's description. */
	bpf_core_read(&segment, sizeof(segment), &task->thread.tls_array);
	return (segment >> 16 & 0xffffff) | segment >> 56 << 24;
}

/* The result of a call that has one. */
static __always_inline s64 result_of(struct pt_regs *regs)
{
	return regs->ax;
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

/* The address to which the function returns that was just called. */
static __always_inline u64 return_address(struct pt_regs *regs)
{
	u64 address = 0;

	bpf_probe_read_user(&address, sizeof(address), (void *)regs->sp);
	return address;
}

#endif
