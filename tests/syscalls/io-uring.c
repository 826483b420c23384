// stride: -e trace=io_uring_register -a1
// Rings of provided buffers: what io_uring_register(2) is told of them, and what it tells.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "result.h"

// As in linux/io_uring.h. The C library may come with headers that are older than these operations.
enum { REGISTER_PBUF_RING = 22, UNREGISTER_PBUF_RING = 23, REGISTER_PBUF_STATUS = 26 };
#define USE_REGISTERED_RING 0x80000000u
enum { RING_MMAP = 1 };

struct buf_reg {
	uint64_t ring_addr;
	uint32_t ring_entries;
	uint16_t bgid, flags;
	uint32_t min_left, resv[5];
};

struct buf_status {
	uint32_t buf_group, head, resv[8];
};

static const char *pointer(const void *at)
{
	static char text[32];

	snprintf(text, sizeof(text), "%p", at);
	return text;
}

int main(void)
{
	char params[120] = { 0 };
	int fd = syscall(SYS_io_uring_setup, 4, params);
	struct buf_reg ring = { .ring_entries = 8, .bgid = 3 };
	struct buf_reg odd = { .ring_entries = 3, .bgid = 65535, .flags = 0x8001, .min_left = 7, .resv = { 5 } };
	struct buf_status status = { .buf_group = 3, .head = 77 };
	void *memory;
	long r;

	if (fd < 0) {
		fprintf(stderr, "skip: no io_uring\n");
		return 77;
	}
	if (posix_memalign(&memory, 4096, 4096))
		return 1;
	memset(memory, 0, 4096);
	ring.ring_addr = (uintptr_t) memory;
	chdir("MARKER");

	r = syscall(SYS_io_uring_register, fd, REGISTER_PBUF_RING, &ring, 1);
	printf("io_uring_register(%d, IORING_REGISTER_PBUF_RING, {ring_addr=%p, ring_entries=8, bgid=3, flags=0, min_left=0}, 1) = %s\n",
	       fd, memory, result(r));
	r = syscall(SYS_io_uring_register, fd, REGISTER_PBUF_STATUS, &status, 1);
	printf("io_uring_register(%d, IORING_REGISTER_PBUF_STATUS, %s, 1) = %s\n",
	       fd, r ? pointer(&status) : "{buf_group=0x3, head=0}", result(r));
	status.buf_group = 4;
	r = syscall(SYS_io_uring_register, fd, REGISTER_PBUF_STATUS, &status, 1);
	printf("io_uring_register(%d, IORING_REGISTER_PBUF_STATUS, %p, 1) = %s\n", fd, &status, result(r));
	r = syscall(SYS_io_uring_register, fd, UNREGISTER_PBUF_RING, &ring, 1);
	printf("io_uring_register(%d, IORING_UNREGISTER_PBUF_RING, {ring_addr=%p, ring_entries=8, bgid=3, flags=0, min_left=0}, 1) = %s\n",
	       fd, memory, result(r));

	ring.ring_addr = 0;
	ring.flags = RING_MMAP;
	r = syscall(SYS_io_uring_register, fd, REGISTER_PBUF_RING, &ring, 1);
	printf("io_uring_register(%d, IORING_REGISTER_PBUF_RING, {ring_addr=NULL, ring_entries=8, bgid=3, "
	       "flags=0x1, min_left=0}, 1) = %s\n", fd, result(r));
	r = syscall(SYS_io_uring_register, fd, REGISTER_PBUF_RING, &odd, 1);
	printf("io_uring_register(%d, IORING_REGISTER_PBUF_RING, {ring_addr=NULL, ring_entries=3, bgid=65535, "
	       "flags=0x8001, min_left=7, resv=[0x5, 0, 0, 0, 0]}, 1) = %s\n", fd, result(r));
	r = syscall(SYS_io_uring_register, 99, REGISTER_PBUF_RING | USE_REGISTERED_RING, &ring, 1);
	printf("io_uring_register(99, IORING_REGISTER_PBUF_RING|IORING_REGISTER_USE_REGISTERED_RING, {ring_addr=NULL, "
	       "ring_entries=8, bgid=3, flags=0x1, min_left=0}, 1) = %s\n", result(r));
	r = syscall(SYS_io_uring_register, fd, REGISTER_PBUF_RING, NULL, 1);
	printf("io_uring_register(%d, IORING_REGISTER_PBUF_RING, NULL, 1) = %s\n", fd, result(r));
	fflush(stdout);
	_exit(0);
}
