// stride: -e trace=bpf -v -a1
// The answer of BPF_OBJ_GET_INFO_BY_FD about a map. The kind of the object decides the struct.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"

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

static char log_text[1 << 16];

/* Waits until Stride has shown so many calls: it asks /proc for the kind of an object while this process still has it. */
static void wait_until_shown(int calls)
{
	for (int left = 2000; left > 0; left--) {
		int fd = open("log", O_RDONLY), shown = 0;
		ssize_t n = fd < 0 ? 0 : read(fd, log_text, sizeof(log_text) - 1);

		close(fd);
		log_text[n > 0 ? n : 0] = 0;
		for (char *at = log_text; (at = strstr(at, "BPF_OBJ_GET_INFO_BY_FD")); at++)
			shown++;
		if (fd < 0 || shown >= calls)
			return;
		usleep(1000);
	}
}

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
	wait_until_shown(3);
	fflush(stdout);
	_exit(0);
}
