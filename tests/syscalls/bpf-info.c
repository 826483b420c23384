// stride: -e trace=bpf -v -a1
// The answer of BPF_OBJ_GET_INFO_BY_FD about maps and types. The kind of the object decides the struct, and each descriptor is closed or is
// another object's right after the call.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"
#include "shown.h"

/* As in linux/bpf.h, whose struct has grown. */
struct map_info {
	uint32_t type, id, key_size, value_size, max_entries, flags;
	char name[16];
	uint32_t ifindex, value_type;
	uint64_t device, inode;
	uint32_t btf[4];
	uint64_t extra, hash;
	uint32_t hash_size, pad;
};
_Static_assert(sizeof(struct map_info) == 104, "as the kernel has it");

/* A type named "int", as `BPF_BTF_LOAD` takes it. */
static struct {
	struct btf_header head;
	uint32_t type[4];
	char names[5];
} types = {
	{ BTF_MAGIC, BTF_VERSION, 0, sizeof(struct btf_header), 0, 16, 16, 5 },
	{ 1, BTF_KIND_INT << 24, 4, BTF_INT_SIGNED << 24 | 32 },
	"\0int",
};

int main(void)
{
	char attr[72] = { 0 };
	struct map_info info = { 0 };
	struct { uint32_t fd, len; uint64_t info; } ask;
	uint32_t map[6] = { BPF_MAP_TYPE_ARRAY, 4, 8, 3 };

	memcpy(attr, map, sizeof(map));
	memcpy(attr + 28, "counts", 6);
	int fd = syscall(SYS_bpf, BPF_MAP_CREATE, attr, sizeof(attr));
	if (fd < 0) {
		fprintf(stderr, "skip: no bpf(2)\n");
		return 77;
	}
	struct { uint64_t bytes, log; uint32_t size, log_size, log_level; } load = { (uintptr_t) &types, 0, sizeof(struct btf_header) + 16 + 5 };
	int btf = syscall(SYS_bpf, BPF_BTF_LOAD, &load, 28);
	if (btf < 0) {
		fprintf(stderr, "skip: no types\n");
		return 77;
	}
	chdir("MARKER");

	// As much as the first kernels told.
	ask.fd = fd, ask.len = 24, ask.info = (uintptr_t) &info;
	long r = syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &ask, 16);
	printf("bpf(BPF_OBJ_GET_INFO_BY_FD, {info={bpf_fd=%d, info_len=24, info={type=BPF_MAP_TYPE_ARRAY, id=%u, key_size=4, value_size=8, "
	       "max_entries=3, map_flags=0}}}, 16) = %s\n", fd, info.id, result(r));
	// More than any kernel tells: its answer is shorter.
	char room[512] = { 0 };
	ask.len = sizeof(room), ask.info = (uintptr_t) room;
	r = syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &ask, 16);
	memcpy(&info, room, sizeof(info));
	printf("bpf(BPF_OBJ_GET_INFO_BY_FD, {info={bpf_fd=%d, info_len=512 => %u, info={type=BPF_MAP_TYPE_ARRAY, id=%u, key_size=4, value_size=8, "
	       "max_entries=3, map_flags=0, name=\"counts\", ifindex=0, btf_vmlinux_value_type_id=0, netns_dev=makedev(0, 0), netns_ino=0, btf_id=0, "
	       "btf_key_type_id=0, btf_value_type_id=0", fd, ask.len, info.id);
	if (ask.len >= 80)
		printf(", btf_vmlinux_id=0");
	if (ask.len >= 88)
		printf(", map_extra=0");
	if (ask.len >= 96)
		printf(", hash=0");
	if (ask.len >= 100)
		printf(", hash_size=0");
	printf("}}}, 16) = %s\n", result(r));
	ask.fd = -1, ask.len = 8;
	r = syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &ask, 16);
	printf("bpf(BPF_OBJ_GET_INFO_BY_FD, {info={bpf_fd=-1, info_len=8, info=%p}}, 16) = %s\n", room, result(r));

	// The types' number is the map's a moment later.
	struct { uint64_t bytes; uint32_t size, id; uint64_t name; uint32_t name_size, of_kernel; } of_types = { 0 };
	ask.fd = btf, ask.len = sizeof(of_types), ask.info = (uintptr_t) &of_types;
	r = syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &ask, 16);
	dup2(fd, btf);
	wait_until_shown("BPF_OBJ_GET_INFO_BY_FD", 4);
	// (The struct of Linux 5.10 ends behind the id.)
	bool is_whole = ask.len == sizeof(of_types);
	printf("bpf(BPF_OBJ_GET_INFO_BY_FD, {info={bpf_fd=%d, info_len=32%s, info={btf=NULL, btf_size=0 => %u, id=%u%s}}}, 16) = %s\n", btf,
	       is_whole ? "" : " => 16", load.size, of_types.id, is_whole ? ", name=NULL, name_len=0, kernel_btf=0" : "", result(r));
	// Now it is a map, and then there is no such descriptor.
	memset(&info, 0, sizeof(info));
	ask.len = 24, ask.info = (uintptr_t) &info;
	r = syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &ask, 16);
	close(btf);
	printf("bpf(BPF_OBJ_GET_INFO_BY_FD, {info={bpf_fd=%d, info_len=24, info={type=BPF_MAP_TYPE_ARRAY, id=%u, key_size=4, value_size=8, "
	       "max_entries=3, map_flags=0}}}, 16) = %s\n", btf, info.id, result(r));
}
