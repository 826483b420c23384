// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
// Counts the returned calls of every thread of the machine, and how many of them came before its first execve. The
// program shares no code with the engine, whose counts it checks.
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define __uint(name, value) int (*name)[value]
#define __type(name, value) typeof(value) *name

static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;

struct count {
	u64 returned;
	u64 before_exec;
	u64 execs;
};

struct {
	__uint(type, 1 /* BPF_MAP_TYPE_HASH */);
	__uint(max_entries, 1 << 17);
	__uint(map_flags, 1 /* BPF_F_NO_PREALLOC */);
	__type(key, u32);
	__type(value, struct count);
} counts SEC(".maps");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#ifdef __x86_64__
struct pt_regs {
	unsigned long orig_ax;
};
#define NR(regs) ((int)(regs)->orig_ax)
#define EXECVE 59
#else
struct pt_regs {
	int syscallno;
};
#define NR(regs) ((regs)->syscallno)
#define EXECVE 221
#endif
struct task_struct {
	int pid;
};
#pragma clang attribute pop

SEC("tp_btf/sys_exit")
int count(u64 *ctx)
{
	struct pt_regs *regs = (void *)ctx[0];
	u32 tid = bpf_get_current_pid_tgid();
	struct count *n, none = {};

	n = bpf_map_lookup_elem(&counts, &tid);
	if (!n) {
		bpf_map_update_elem(&counts, &tid, &none, 0);
		n = bpf_map_lookup_elem(&counts, &tid);
	}
	if (!n)
		return 0;
	if (NR(regs) == EXECVE && !ctx[1] && !n->execs++)
		n->before_exec = n->returned;
	n->returned++;
	return 0;
}

/* A new thread may reuse the id of one that has ended. */
SEC("tp_btf/task_newtask")
int begin(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	u32 tid = task->pid;

	bpf_map_delete_elem(&counts, &tid);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
