// stride: -e trace=bpf -a1
// Members of bpf(2)'s union that the kernel fills in.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"

static long bpf(int command, void *attr, unsigned size)
{
	return syscall(SYS_bpf, command, attr, size);
}

/* A program that returns a number. */
static int load(unsigned type, int result, unsigned attach_type)
{
	uint64_t code[] = { 0xb7 | (uint64_t) result << 32, 0x95 };
	struct { uint32_t type, count; uint64_t code, license; uint32_t log[4], version, flags; char name[16]; uint32_t device, attach_type; } attr = {
		type, 2, (uintptr_t) code, (uintptr_t) "GPL", .attach_type = attach_type,
	};

	return bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
}

static void next(const char *name, int command, unsigned start)
{
	struct { uint32_t start, next; } attr = { start, 7 };
	long r = bpf(command, &attr, sizeof(attr));

	printf("bpf(%s, {start_id=%u, next_id=%u}, 8) = %s\n", name, start, r < 0 ? 7 : attr.next, result(r));
}

static void lookup(int map, int command, const char *name)
{
	uint32_t keys[8], values[8], cursor[8];
	struct { uint64_t in, out, keys, values; uint32_t count, fd; uint64_t flags[2]; } attr = {
		0, (uintptr_t) cursor, (uintptr_t) keys, (uintptr_t) values, 8, map,
	};
	long r = bpf(command, &attr, sizeof(attr));

	printf("bpf(%s, {batch={in_batch=NULL, out_batch=%p, keys=%p, values=%p, count=8 => %u, map_fd=%d, elem_flags=BPF_ANY, flags=0}}, %zu) = %s\n",
	       name, cursor, keys, values, attr.count, map, sizeof(attr), result(r));
}

int main(void)
{
	int filter = load(BPF_PROG_TYPE_SOCKET_FILTER, 5, 0);
	if (filter < 0) {
		fprintf(stderr, "skip: no bpf(2)\n");
		return 77;
	}
	struct { uint32_t type, key, value, count; char rest[56]; } create = { BPF_MAP_TYPE_HASH, 4, 4, 8 };
	int map = bpf(BPF_MAP_CREATE, &create, sizeof(create));
	int dissector = load(BPF_PROG_TYPE_FLOW_DISSECTOR, 0, BPF_FLOW_DISSECTOR);
	int alone = unshare(CLONE_NEWNET) == 0;
	struct { uint32_t target, program, type, flags, replaced; } attach = { 0, dissector, BPF_FLOW_DISSECTOR };
	int attached = alone && bpf(BPF_PROG_ATTACH, &attach, sizeof(attach)) == 0;
	int namespace = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int raw = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0);
	struct { uint64_t name; uint32_t program, pad; } open_raw = { (uintptr_t) "sched_process_hang", raw };
	int tracepoint = bpf(BPF_RAW_TRACEPOINT_OPEN, &open_raw, sizeof(open_raw));

	chdir("MARKER");
	next("BPF_PROG_GET_NEXT_ID", BPF_PROG_GET_NEXT_ID, 0);
	next("BPF_MAP_GET_NEXT_ID", BPF_MAP_GET_NEXT_ID, 0);
	next("BPF_BTF_GET_NEXT_ID", BPF_BTF_GET_NEXT_ID, 0);
	next("BPF_LINK_GET_NEXT_ID", BPF_LINK_GET_NEXT_ID, 0);
	next("BPF_PROG_GET_NEXT_ID", BPF_PROG_GET_NEXT_ID, 0x7ffffffe);

	char in[64] = "a packet", out[64];
	struct { uint32_t fd, retval, in_size, out_size; uint64_t in, out; uint32_t repeat, duration, ctx_in_size, ctx_out_size; uint64_t ctx[2];
		uint32_t flags, cpu, batch, pad; } run = { filter, 9, sizeof(in), sizeof(out), (uintptr_t) in, (uintptr_t) out, 1, 1u << 31 };
	// The kernel takes the first 14 bytes as the header.
	long r = bpf(BPF_PROG_TEST_RUN, &run, 40);
	printf("bpf(BPF_PROG_TEST_RUN, {test={prog_fd=%d, retval=%u, data_size_in=64, data_size_out=64, data_in=%p, data_out=%p, repeat=1, duration=%u}}, 40) = %s\n",
	       filter, run.retval, in, out, run.duration, result(r));
	// The buffer is too small: the kernel says so, and how long the data is.
	run.out_size = 8, run.retval = 9;
	r = bpf(BPF_PROG_TEST_RUN, &run, 40);
	printf("bpf(BPF_PROG_TEST_RUN, {test={prog_fd=%d, retval=%u, data_size_in=64, data_size_out=8 => %u, data_in=%p, data_out=%p, repeat=1, duration=%u}}, 40) = %s\n",
	       filter, run.retval, run.out_size, in, out, run.duration, result(r));

	uint32_t keys[3] = { 1, 2, 3 }, values[3] = { 4, 5, 6 };
	struct { uint64_t in, out, keys, values; uint32_t count, fd; uint64_t flags[2]; } update = {
		0, 0, (uintptr_t) keys, (uintptr_t) values, 3, map,
	};
	r = bpf(BPF_MAP_UPDATE_BATCH, &update, sizeof(update));
	printf("bpf(BPF_MAP_UPDATE_BATCH, {batch={keys=%p, values=%p, count=3, map_fd=%d, elem_flags=BPF_ANY, flags=0}}, %zu) = %s\n",
	       keys, values, map, sizeof(update), result(r));
	// The end of a map is an error, with the elements before it.
	lookup(map, BPF_MAP_LOOKUP_BATCH, "BPF_MAP_LOOKUP_BATCH");
	lookup(map, BPF_MAP_LOOKUP_AND_DELETE_BATCH, "BPF_MAP_LOOKUP_AND_DELETE_BATCH");

	if (attached) {
		uint32_t ids[4] = { 0 };
		struct { uint32_t target, type, query_flags, attach_flags; uint64_t ids; uint32_t count, pad; } query = {
			namespace, BPF_FLOW_DISSECTOR, 0, 0x80, (uintptr_t) ids, 4,
		};
		r = bpf(BPF_PROG_QUERY, &query, 28);
		printf("bpf(BPF_PROG_QUERY, {query={target_fd=%d, attach_type=BPF_FLOW_DISSECTOR, query_flags=0, attach_flags=0, prog_ids=[%u], prog_cnt=4 => 1}}, 28) = %s\n",
		       namespace, ids[0], result(r));
	}
	if (tracepoint >= 0) {
		char name[32];
		struct { uint32_t pid, fd, flags, size; uint64_t buf; uint32_t program, type; uint64_t offset, addr; } query = {
			getpid(), tracepoint, 0, sizeof(name), (uintptr_t) name, -1, -1, -1, -1,
		};
		r = bpf(BPF_TASK_FD_QUERY, &query, sizeof(query));
		printf("bpf(BPF_TASK_FD_QUERY, {task_fd_query={pid=%d, fd=%d, flags=0, buf_len=32 => %u, buf=%p, prog_id=%u, fd_type=BPF_FD_TYPE_RAW_TRACEPOINT, probe_offset=%#llx, probe_addr=%#llx}}, 48) = %s\n",
		       getpid(), tracepoint, query.size, name, query.program, (unsigned long long) query.offset, (unsigned long long) query.addr, result(r));
	}
	return 0;
}
