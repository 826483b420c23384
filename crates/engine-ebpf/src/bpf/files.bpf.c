/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Finds the files that descriptors refer to (-y, -P): a separate object, which is loaded only if that is asked for. When the reader could
 * ask /proc, a descriptor may be closed or another file, or its process may be gone. So a call's descriptors are looked up
 * at its entry, and those that it makes when it returns. A record for each comes before the call's own.
 */
#include "kernel.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>
#include "wire.h"
#include "regs.h"
#include "shared.h"
#include "fd.h"
#include "mounts.h"
#include "uring-entry.h"

#define NAME_SIZE 256
#define PATH_SIZE 4096

#include "file-detail.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Index: ABI * NUMBERS + number; the calls that are traced and have descriptors. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ABIS * NUMBERS);
	__type(key, u32);
	__type(value, struct fds_plan);
} fds SEC(".maps");

/* By the index of a call and the value that its descriptors depend on: enum fds_all. Its size is set while loading. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct case_key);
	__type(value, u32);
} fd_cases SEC(".maps");

#define DEPTH 256
#define MANY 64

/* Where a record is built, one per CPU, with the state of its loop. */
struct desk {
	struct dentry *dentry;
	struct vfsmount *mnt;
	u32 used;
	u32 pad;
	struct rec_file rec;
	u8 names[PATH_SIZE + NAME_SIZE];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct desk);
} desks SEC(".maps");

/* Not used for records of calls and files. */
const volatile u64 ring_call_limit;

#include "traced.h"

static __always_inline struct desk *desk(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&desks, &zero);
}

/* One step towards the root: one name, or one mount. The root is that of all mounts, as for the reader of /proc. */
static long climb(u64 i, void *ctx)
{
	struct desk *d = desk();
	struct dentry *dentry, *parent;
	enum mount_step step;
	u32 used;
	long n;

	if (!d)
		return 1;
	step = leave_mount(&d->dentry, &d->mnt);
	if (step != BELOW_ROOT)
		return step == AT_TOP;
	dentry = d->dentry;
	parent = BPF_CORE_READ(dentry, d_parent);
	used = *(volatile u32 *)&d->used;
	if (used >= PATH_SIZE || i == DEPTH - 1 || (i && dentry == parent)) {
		d->rec.flags |= FILE_CUT;
		return 1;
	}
	if (dentry == parent)
		d->rec.flags |= FILE_ALONE;
	n = bpf_probe_read_kernel_str(d->names + used, NAME_SIZE, BPF_CORE_READ(dentry, d_name.name));
	if (n <= 0)
		return 1;
	d->used = used + n;
	d->dentry = parent;
	return dentry == parent;
}

/* Without this record, the reader asks /proc. */
static __always_inline int send(struct desk *d, u32 size)
{
	if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) + size <= ring_call_limit)
		bpf_ringbuf_output(&ring, &d->rec, size, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Sends what descriptor `fd`, or the working directory, refers to. */
__noinline int send_file_of(int fd, u32 flags, u64 request)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct desk *d = desk();
	struct dentry *dentry;
	struct inode *inode;
	struct file *file = NULL;
	u32 size;

	if (!d)
		return 0;
	__builtin_memset(&d->rec, 0, sizeof(d->rec));
	d->rec.head.kind = REC_FILE;
	d->rec.head.tid = number_of(BPF_CORE_READ(task, thread_pid));
	d->rec.fd = fd;
	d->rec.request = request;
	d->rec.flags = flags;
	if (fd == AT_FDCWD) {
		d->mnt = BPF_CORE_READ(task, fs, pwd.mnt);
		dentry = BPF_CORE_READ(task, fs, pwd.dentry);
		inode = BPF_CORE_READ(dentry, d_inode);
	} else {
		file = file_of(task, fd);
		if (!file) {
			d->rec.flags |= FILE_NONE;
			return send(d, sizeof(d->rec));
		}
		d->mnt = BPF_CORE_READ(file, f_path.mnt);
		dentry = BPF_CORE_READ(file, f_path.dentry);
		inode = BPF_CORE_READ(file, f_inode);
	}
	d->rec.ino = BPF_CORE_READ(inode, i_ino);
	d->rec.magic = BPF_CORE_READ(inode, i_sb, s_magic);
	d->rec.mode = BPF_CORE_READ(inode, i_mode);
	d->rec.nlink = BPF_CORE_READ(inode, i_nlink);
	d->rec.rdev = BPF_CORE_READ(inode, i_rdev);
	d->dentry = dentry;
	/* The root of a mount is in no directory, and is not gone (d_unlinked of include/linux/dcache.h). */
	if (!BPF_CORE_READ(dentry, d_hash.pprev) && dentry != BPF_CORE_READ(dentry, d_parent))
		d->rec.flags |= FILE_UNHASHED;
	d->used = 0;
	bpf_loop(DEPTH, climb, NULL, 0);
	size = *(volatile u32 *)&d->used;
	if (size >= PATH_SIZE) {
		d->rec.flags |= FILE_CUT;
		size = 0;
	}
	if (file)
		size += file_detail(&d->rec, file, inode, d->names, size);
	size += sizeof(d->rec);
	return size > sizeof(d->rec) + sizeof(d->names) ? 0 : send(d, size);
}

static __always_inline int send_file(int fd, u32 flags)
{
	return send_file_of(fd, flags, 0);
}

static long send_next(u64 fd, void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (file_of(task, fd))
		send_file(fd, *(u32 *)ctx);
	return 0;
}

/* All descriptors of the process, up to a limit. */
static __always_inline void send_all(u32 flags)
{
	bpf_loop(MANY, send_next, &flags, 0);
}

/* The register that a plan counts from 1. */
static __always_inline u64 register_at(const u64 *args, u32 at)
{
	return args[(at - 1) & 7];
}

static __always_inline u32 all_of_call(struct fds_plan *plan, u32 index, const u64 *args)
{
	struct case_key key = { .choice = index };
	u32 *of_case;

	if (!plan->chosen)
		return plan->all;
	key.value = (register_at(args, plan->chosen) >> (plan->shift & 63)) & plan->mask;
	if (plan->second)
		key.value |= register_at(args, plan->second) << 32;
	of_case = bpf_map_lookup_elem(&fd_cases, &key);
	return of_case ? plan->all | *of_case : plan->all;
}

#include "passed.h"

static __always_inline bool is_shown(struct task_struct *task)
{
	struct task_state *st = traced(task);

	return st && !(st->flags & (TASK_BEFORE_EXEC | TASK_EXEC_FAILED));
}

/* The descriptors that the current thread's call was given. */
static __always_inline int send_given(struct task_struct *task, struct pt_regs *regs, s32 nr)
{
	u32 abi = abi_of(task), index = call_index(abi, nr), all;
	struct fds_plan *plan;
	/* Six, and two more because the index has three bits. */
	u64 args[8] = {};

	if (!is_shown(task))
		return 0;
	plan = bpf_map_lookup_elem(&fds, &index);
	if (!plan)
		return 0;
	args_of(regs, abi, args);
	all = all_of_call(plan, index, args);
	if (all & FDS_ALL_GIVEN)
		send_all(0);
	for (int i = 0; i < 6; i++)
		if (plan->args & 1 << i)
			send_file(args[i], 0);
	if (all & FDS_OF_NETLINK && was_netlink())
		send_all(0);
	if (plan->passed & FDS_SENT)
		send_passed(abi, register_at(args, plan->message),
			    plan->passed & FDS_MANY_MESSAGES ? register_at(args, plan->message + 1) : 1, 0);
	if (plan->address)
		send_of_address(register_at(args, plan->address));
	return 0;
}

SEC("typed_tp/sys_enter")
int BPF_PROG(on_fds_given, struct pt_regs *regs, long nr)
{
	return send_given(bpf_get_current_task_btf(), regs, nr);
}

/* A call that seccomp kills its thread for never reaches sys_enter. */
SEC("typed_tp/sched_process_exit")
int BPF_PROG(on_fds_of_last, struct task_struct *task)
{
	struct pt_regs *regs;

	task = bpf_get_current_task_btf();
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	return ends_in_call(task, regs) ? send_given(task, regs, nr_of(regs)) : 0;
}

SEC("typed_tp/sys_exit")
int BPF_PROG(on_fds_made, struct pt_regs *regs, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 abi = abi_of(task), index = call_index(abi, nr_of(regs));
	struct fds_plan *plan;
	u64 args[8] = {};
	int pair[2];

	if (ret < 0 || !is_shown(task))
		return 0;
	plan = bpf_map_lookup_elem(&fds, &index);
	if (!plan)
		return 0;
	if (plan->returned)
		send_file(ret, FILE_MADE);
	if (!(plan->all | plan->chosen | plan->passed | plan->pair))
		return 0;
	args_of(regs, abi, args);
	if (all_of_call(plan, index, args) & FDS_ALL_MADE)
		send_all(FILE_MADE);
	if (plan->passed & FDS_RECEIVED)
		send_passed(abi, register_at(args, plan->message), plan->passed & FDS_MANY_MESSAGES ? ret : 1, FILE_MADE);
	if (!plan->pair || bpf_probe_read_user(pair, sizeof(pair), (void *)register_at(args, plan->pair)))
		return 0;
	send_file(pair[0], FILE_MADE);
	send_file(pair[1], FILE_MADE);
	return 0;
}

/* By opcode: the descriptors of operations of io_uring. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 256);
	__type(key, u32);
	__type(value, struct uring_fds);
} uring_fds SEC(".maps");

/* True if the operations of this thread are shown. io_uring's own threads have the files of the process that they belong to. */
static __always_inline bool is_shown_for(struct task_struct *task)
{
	return is_shown(task->flags & PF_IO_WORKER ? task->group_leader : task);
}

static __always_inline struct uring_fds *uring_fds_of(struct io_kiocb *req)
{
	u32 opcode = BPF_CORE_READ(req, opcode);

	return bpf_map_lookup_elem(&uring_fds, &opcode);
}

static __always_inline int operation_begins(struct io_kiocb *req)
{
	struct uring_fds *plan;
	u8 sqe[SQE_SIZE];

	if (!is_shown_for(bpf_get_current_task_btf()))
		return 0;
	plan = uring_fds_of(req);
	if (!plan || !plan->at[0] ||
	    !read_entry(BPF_CORE_READ(req, ctx), sqe, BPF_CORE_READ(req, opcode), BPF_CORE_READ(req, cqe.user_data)) ||
	    sqe[1] & IOSQE_FIXED_FILE)
		return 0;
	send_file_of(*(int *)(sqe + (plan->at[0] & 60)), FILE_OPERATION, (u64)req);
	if (plan->at[1])
		send_file_of(*(int *)(sqe + (plan->at[1] & 60)), FILE_OPERATION, (u64)req);
	return 0;
}

/* A thread with the process's files carries out an operation that makes a descriptor, and its completion. */
static __always_inline int operation_ends(struct io_kiocb *req, s32 res)
{
	struct uring_fds *plan;

	if (!req || res < 0 || !is_shown_for(bpf_get_current_task_btf()))
		return 0;
	plan = uring_fds_of(req);
	if (plan && plan->returned)
		send_file_of(res, FILE_OPERATION | FILE_MADE, (u64)req);
	return 0;
}

SEC("raw_tp/io_uring_submit_req")
int on_operation_begins(struct bpf_raw_tracepoint_args *ctx)
{
	return operation_begins((struct io_kiocb *)ctx->args[0]);
}

SEC("raw_tp/io_uring_submit_sqe")
int on_operation_begins_before(struct bpf_raw_tracepoint_args *ctx)
{
	return operation_begins((struct io_kiocb *)ctx->args[0]);
}

SEC("raw_tp/io_uring_complete")
int on_operation_ends(struct bpf_raw_tracepoint_args *ctx)
{
	struct cqe cqe = {};

	bpf_probe_read_kernel(&cqe, sizeof(cqe), (void *)ctx->args[2]);
	return operation_ends((struct io_kiocb *)ctx->args[1], cqe.res);
}

SEC("raw_tp/io_uring_complete")
int on_operation_ends_before(struct bpf_raw_tracepoint_args *ctx)
{
	return operation_ends((struct io_kiocb *)ctx->args[1], ctx->args[3]);
}
