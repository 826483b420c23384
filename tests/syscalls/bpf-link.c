// stride: -e trace=bpf -a1
// The attach type of a program decides which members the link's struct has. The descriptors are none, so that all calls fail.
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"

/* Newer than some systems' headers. */
enum { TCX_INGRESS = 46, NETFILTER = 45, UPROBE_MULTI = 48, BEFORE = 8, BY_ID = 32, DEFRAG = 1 };

static char attr[128];

static void link_to(unsigned type, unsigned flags, const void *rest, int len)
{
	memset(attr, 0, sizeof(attr));
	int head[] = { -1, -1, (int) type, (int) flags };
	memcpy(attr, head, 16);
	memcpy(attr + 16, rest, len);
}

#define TRY(size, shown, ...) \
	do { \
		long r = syscall(SYS_bpf, BPF_LINK_CREATE, attr, size); \
		printf("bpf(BPF_LINK_CREATE, {link_create={prog_fd=-1, " shown "}, %d) = %s\n", ##__VA_ARGS__, size, result(r)); \
	} while (0)

int main(void)
{
	const char *symbols[] = { "do_exit", NULL };
	uint64_t cookies[] = { 7, 0xffff }, beside[] = { 5, 9 }, tracing[] = { 3, 0x1234 };
	uint64_t kprobes[] = { 1 | 2ull << 32, (uintptr_t) symbols, 0, (uintptr_t) cookies };
	uint64_t uprobes[] = { (uintptr_t) "/bin/true", (uintptr_t) cookies, 0, 0, 2 | 1ull << 32, 0 };
	int netfilter[] = { 2, 1, -5, DEFRAG };

	chdir("MARKER");
	link_to(BPF_TRACE_FENTRY, 0, tracing, 16);
	TRY(32, "target_fd=-1, attach_type=BPF_TRACE_FENTRY, flags=0, tracing={target_btf_id=3, cookie=0x1234}}");
	link_to(BPF_CGROUP_DEVICE, BEFORE | BY_ID, beside, 16);
	TRY(32, "target_fd=-1, attach_type=BPF_CGROUP_DEVICE, flags=BPF_F_BEFORE|BPF_F_ID, cgroup={relative_id=5, expected_revision=0x9}}");
	link_to(BPF_CGROUP_DEVICE, 0, beside, 4);
	TRY(20, "target_fd=-1, attach_type=BPF_CGROUP_DEVICE, flags=0, target_btf_id=5}");
	link_to(TCX_INGRESS, 0, beside, 16);
	TRY(32, "target_ifindex=4294967295, attach_type=BPF_TCX_INGRESS, flags=0, tcx={relative_fd=5, expected_revision=0x9}}");
	link_to(NETFILTER, 0, netfilter, 16);
	TRY(32, "target_fd=-1, attach_type=BPF_NETFILTER, flags=0, netfilter={pf=2, hooknum=1, priority=-5, "
	    "flags=BPF_F_NETFILTER_IP_DEFRAG}}");
	link_to(BPF_TRACE_KPROBE_MULTI, 0, kprobes, 32);
	TRY(48, "target_fd=-1, attach_type=BPF_TRACE_KPROBE_MULTI, flags=0, kprobe_multi={flags=BPF_F_KPROBE_MULTI_RETURN, cnt=2, "
	    "syms=[\"do_exit\", NULL], addrs=NULL, cookies=[0x7, 0xffff]}}");
	link_to(UPROBE_MULTI, 0, uprobes, 44);
	TRY(60, "target_fd=-1, attach_type=BPF_TRACE_UPROBE_MULTI, flags=0, uprobe_multi={path=\"/bin/true\", offsets=[0x7, 0xffff], "
	    "ref_ctr_offsets=NULL, cookies=NULL, cnt=2, flags=BPF_F_UPROBE_MULTI_RETURN, pid=0}}");
	attr[100] = 1;
	TRY(104, "target_fd=-1, attach_type=BPF_TRACE_UPROBE_MULTI, flags=0, uprobe_multi={path=\"/bin/true\", offsets=[0x7, 0xffff], "
	    "ref_ctr_offsets=NULL, cookies=NULL, cnt=2, flags=BPF_F_UPROBE_MULTI_RETURN, pid=0, path_fd=0}}, ...");

	// Without BPF_F_REPLACE the last member is not shown. It is no part of the bytes behind the struct.
	uint32_t update[6] = { -1, -2, 0, 3, 0, 0 };
	long u = syscall(SYS_bpf, BPF_LINK_UPDATE, update, 16);
	printf("bpf(BPF_LINK_UPDATE, {link_update={link_fd=-1, new_prog_fd=-2, flags=0}}, 16) = %s\n", result(u));
	update[4] = 1;
	u = syscall(SYS_bpf, BPF_LINK_UPDATE, update, 24);
	printf("bpf(BPF_LINK_UPDATE, {link_update={link_fd=-1, new_prog_fd=-2, flags=0}, ...}, 24) = %s\n", result(u));

	// A struct that ends before the members of newer programs: what it points to is shown all the same.
	const char *data = "no types";
	memset(attr, 0, sizeof(attr));
	memcpy(attr, &data, sizeof(data));
	attr[16] = 8;
	long r = syscall(SYS_bpf, BPF_BTF_LOAD, attr, 28);
	printf("bpf(BPF_BTF_LOAD, {btf=\"no types\", btf_log_buf=NULL, btf_size=8, btf_log_size=0, btf_log_level=0}, 28) = %s\n", result(r));
	// A log without room has no text that could be cut, and flags that the kernel does not take for a file have names.
	memcpy(attr + 8, &data, sizeof(data));
	r = syscall(SYS_bpf, BPF_BTF_LOAD, attr, 28);
	printf("bpf(BPF_BTF_LOAD, {btf=\"no types\", btf_log_buf=\"\", btf_size=8, btf_log_size=0, btf_log_level=0}, 28) = %s\n", result(r));
	uint32_t object[4] = { 0, 0, -1, 0xffffffff };
	r = syscall(SYS_bpf, BPF_OBJ_GET, object, 16);
	printf("bpf(BPF_OBJ_GET, {pathname=NULL, bpf_fd=-1, file_flags=BPF_F_RDONLY|BPF_F_WRONLY|BPF_F_PATH_FD|BPF_F_VTYPE_BTF_OBJ_FD|"
	       "BPF_F_TOKEN_FD|BPF_F_SEGV_ON_FAULT|BPF_F_NO_USER_CONV|BPF_F_RB_OVERWRITE|0xfff03fe7}, 16) = %s\n", result(r));
	fflush(stdout);
	_exit(0);
}
