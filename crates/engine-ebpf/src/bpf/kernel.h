/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The few kernel types that are used, with only the members used. Offsets are relocated to the running kernel's when the
 * object is loaded (CO-RE), so neither order nor missing members matter.
 */
#ifndef STRIDE_KERNEL_H
#define STRIDE_KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef int s32;
typedef long long s64;

/* Names that the helpers' prototypes use. */
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef short __s16;
typedef s32 __s32;
typedef s64 __s64;
typedef u16 __be16;
typedef u32 __be32;
typedef u32 __wsum;
typedef _Bool bool;
enum { false, true };
#define NULL ((void *)0)

/* linux/sched.h: a thread of the kernel. */
#define PF_KTHREAD 0x200000

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_PROG_ARRAY = 3,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_F_NO_PREALLOC = 1,
	BPF_F_MMAPABLE = 1024,
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
	BPF_RB_AVAIL_DATA = 0,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
};

/* The context of raw tracepoints. */
struct bpf_raw_tracepoint_args {
	u64 args[0];
};

struct bpf_iter_meta;
struct task_struct;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#define MACHINE_TYPES
#include MACHINE
#undef MACHINE_TYPES

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	unsigned long sig[1];
} sigset_t;

struct sigaction {
	unsigned long sa_flags;
};

struct k_sigaction {
	struct sigaction sa;
};

struct sigpending {
	sigset_t signal;
};

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

struct bpf_map {
	atomic64_t usercnt;
};

struct signal_struct {
	atomic_t live;
	unsigned int flags;
	int group_exit_code;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
};

struct hlist_node;

struct hlist_head {
	struct hlist_node *first;
};

struct pid {
	struct hlist_head tasks[1];
	unsigned int level;
	struct upid numbers[1];
};

struct cfs_rq {
	int throttle_count;
};

struct sched_entity {
	u64 exec_start;
	u64 sum_exec_runtime;
	u64 nr_migrations;
	struct cfs_rq *cfs_rq;
};

struct in6_addr {
	u8 in6_u[16];
};

struct socket;

struct sock_common {
	u32 skc_daddr;
	u32 skc_rcv_saddr;
	u16 skc_dport;
	u16 skc_num;
	unsigned short skc_family;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_protocol;
	struct socket *sk_socket;
};

struct netlink_sock {
	u32 portid;
};

struct eventfd_ctx {
	u64 count;
	unsigned int flags;
	int id;
};

struct signalfd_ctx {
	sigset_t sigmask;
};

struct tty_struct {
	int index;
};

struct tty_file_private {
	struct tty_struct *tty;
};

struct socket {
	struct sock *sk;
};

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	unsigned int i_nlink;
	u32 i_rdev;
	s64 i_size;
	/* Linux 6.11 and later. Before, see struct inode___timespec and struct inode___private_timespec. */
	s64 i_mtime_sec;
	u32 i_mtime_nsec;
	void *i_private;
};

struct timespec64 {
	s64 tv_sec;
	long tv_nsec;
};

/* Before Linux 6.7. */
struct inode___timespec {
	struct timespec64 i_mtime;
};

/* Before Linux 6.11. */
struct inode___private_timespec {
	struct timespec64 __i_mtime;
};

struct socket_alloc {
	struct socket socket;
	struct inode vfs_inode;
};

struct sockaddr_un {
	u16 sun_family;
};

struct unix_address {
	int len;
	struct sockaddr_un name[1];
};

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};

struct qstr {
	u32 len;
	const unsigned char *name;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev;
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	unsigned int f_mode;
	const void *f_op;
	void *private_data;
};

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
};

struct mm_struct {
	unsigned long start_code;
	unsigned long end_code;
	unsigned long start_stack;
	struct file *exe_file;
	struct {
		void *vdso;
	} context;
	struct uprobes_state uprobes_state;
};

struct return_instance {
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances;
};

struct kernfs_node {
	u64 id;
	const char *name;
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup_root;

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	struct cgroup_root *root;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

typedef struct {
	u32 val;
} kuid_t;

typedef struct {
	u32 val;
} kgid_t;

struct cred {
	kuid_t uid;
	kgid_t gid;
	kuid_t suid;
	kgid_t sgid;
	kuid_t euid;
	kgid_t egid;
};

struct linux_binprm {
	unsigned int secureexec : 1;
	unsigned int interp_flags;
};

struct fs_struct {
	struct path pwd;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct task_struct {
	struct thread_info thread_info;
	struct thread_struct thread;
	int pid;
	int tgid;
	int exit_code;
	unsigned int flags;
	unsigned int __state;
	/* int, and a smaller type in later kernels. Loads of unsigned members are adapted to the kernel's size. */
	unsigned int on_cpu;
	unsigned long jobctl;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	u64 start_time;
	struct signal_struct *signal;
	const struct cred *real_cred;
	const struct cred *cred;
	struct css_set *cgroups;
	char comm[16];
	struct sigpending pending;
	struct mm_struct *mm;
	struct fs_struct *fs;
	struct files_struct *files;
	struct sched_entity se;
	unsigned long nvcsw;
	unsigned long nivcsw;
	unsigned in_iowait : 1;
	unsigned long sas_ss_sp;
	unsigned long sas_ss_size;
	struct uprobe_task *utask;
};

struct io_cqe {
	u64 user_data;
};

struct io_ring_ctx {
	unsigned int flags;
	unsigned int sq_entries;
	unsigned int cached_sq_head;
	u32 *sq_array;
	void *sq_sqes;
};

struct io_kiocb {
	u8 opcode;
	struct io_cqe cqe;
	struct io_ring_ctx *ctx;
};

/* Linux 6.18 and later. */
struct task_struct___throttled {
	bool throttled;
} __attribute__((preserve_access_index));

struct irqaction {
	const char *name;
};

struct kernel_siginfo {
	int si_signo;
};

#pragma clang attribute pop

#endif
