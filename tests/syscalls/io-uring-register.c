// stride: -e trace=io_uring_register -a1
// The arguments of io_uring_register(2). The descriptor is none, so that the kernel refuses each call before it looks at the rest.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "result.h"

static long r;

#define REGISTER(op, name, arg, n, format, ...) \
	do { \
		r = syscall(SYS_io_uring_register, -1, op, arg, n); \
		printf("io_uring_register(-1, " name ", " format ", %u) = %s\n", ##__VA_ARGS__, n, result(r)); \
	} while (0)

// As in linux/io_uring.h and the files beside it. The C library may come with headers that are older.
struct rsrc { uint32_t nr, flags; uint64_t resv2, data, tags; };
struct update2 { uint32_t offset, resv; uint64_t data, tags; uint32_t nr, resv2; };
struct update { uint32_t offset, resv; uint64_t data; };
struct restriction { uint16_t opcode; uint8_t op, resv; uint32_t resv2[3]; };
struct cancel { uint64_t addr; int32_t fd; uint32_t flags; int64_t sec, nsec; uint8_t opcode, pad[7]; uint64_t pad2[3]; };
struct range { uint32_t off, len; uint64_t resv; };
struct napi { uint32_t timeout; uint8_t prefer, opcode, pad[2]; uint32_t param, resv; };
struct clock { uint32_t id, resv[3]; };
struct clone { uint32_t fd, flags, src, dst, nr, pad[3]; };
struct sqe { uint8_t opcode, flags; uint16_t ioprio; int32_t fd; uint64_t off, addr; uint32_t len, op_flags; uint64_t data; uint16_t index, personality; uint32_t file; uint64_t last[2]; };
struct ifq { uint32_t index, rxq, entries, flags; uint64_t area, region; uint32_t head, tail, rqes, resv2; uint64_t resv[2]; uint32_t id, len; uint64_t event, more[2]; };
struct control { uint32_t id, op; uint64_t resv[2]; uint32_t words[12]; };
struct region { uint64_t addr, flags, resv[2]; };
struct query { uint64_t next, data; uint32_t op, size; int32_t result; uint32_t resv[3]; };

int main(void)
{
	struct iovec buffers[] = { { (void *) 0x1000, 5 }, { 0, 0 } };
	int files[] = { -1, -2, -3 };
	uint64_t tags[] = { 7, 0, 9 };
	struct update list = { 4, 0, (uintptr_t) files };
	struct rsrc rsrc = { 3, 0x11, 0, (uintptr_t) files, (uintptr_t) tags };
	struct update2 more = { 4, 0, (uintptr_t) buffers, 0, 2, 6 };
	struct restriction limits[] = { { 0, 1 }, { 1, 2 }, { 2, 0x81 }, { 9, 3, 4, { 5 } } };
	struct update rings[] = { { -1, 0, 0xffffffff }, { 2, 5, 0 } };
	struct cancel cancel = { 0x2000, -1, 0x81, 1, -1, 22, { 0 }, { 0, 3 } };
	struct range range = { 2, 3, 4 };
	struct napi napi = { 5, 1, 0, { 0 }, 255 }, add = { 5, 0, 1, { 0, 2 }, 7, 8 };
	struct clock clock = { 1, { 0, 0, 2 } };
	struct clone clone = { -1, 0x9, 1, 2, 3 };
	struct sqe entry[2] = { { 40, 1, 0, -1, 0, 0, 6, 1, 7, 8, 9, 10 }, { 0 } };
	struct sqe accept[2] = { { 13, 0, 5, -1 }, { 0 } };
	struct sqe twice[2] = { { 63, 0, 3, -1, 4, 5, 6, 0x41 }, { 1, 2 } };
	uint64_t integrity[4] = { 0x500020001, 6, 7, 8 };
	struct sqe reading[2] = { { 22, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, { (uintptr_t) integrity, 1 } }, { 0 } };
	struct ifq ifq = { 1, 2, 3, 2, 0x1000, 0, 4, 5, 6, 0, { 0 }, 7 };
	struct control arm = { 3, 2, { 0 }, { 1 } }, flush = { 3, 0 };
	uint32_t resize[30] = { 8, 16, 8 };
	struct region region = { 0x1000, 3 };
	unsigned long long answer[2] = { 5, 6 };
	struct query second = { 0, 0, 99 };
	struct query first = { (uintptr_t) &second, (uintptr_t) answer, 2, sizeof(answer) };
	uint32_t workers[] = { 4, 0 };
	char cpus[] = { 5, 1 };
	char probe[16 + 2 * 8] = { 22, 0 };

	probe[16 + 8] = 1, probe[16 + 10] = 3;
	chdir("MARKER");

	REGISTER(0, "IORING_REGISTER_BUFFERS", buffers, 2, "[{iov_base=0x1000, iov_len=5}, {iov_base=NULL, iov_len=0}]");
	REGISTER(1, "IORING_UNREGISTER_BUFFERS", 0, 0, "NULL");
	REGISTER(2, "IORING_REGISTER_FILES", files, 3, "[-1, -2, -3]");
	REGISTER(4, "IORING_REGISTER_EVENTFD", files, 1, "[-1]");
	REGISTER(6, "IORING_REGISTER_FILES_UPDATE", &list, 3, "{offset=4, fds=[-1, IORING_REGISTER_FILES_SKIP, -3]}");
	REGISTER(6, "IORING_REGISTER_FILES_UPDATE", &list, 0, "{offset=4, fds=[]}");
	REGISTER(8, "IORING_REGISTER_PROBE", probe, 2, "{last_op=IORING_OP_READ, ops_len=0, ops=[{op=IORING_OP_NOP, flags=0}, "
		 "{op=IORING_OP_READV, flags=IO_URING_OP_SUPPORTED|0x2}]}");
	REGISTER(8, "IORING_REGISTER_PROBE", probe, 300, "%p", probe);
	REGISTER(11, "IORING_REGISTER_RESTRICTIONS", limits, 4,
		 "[{opcode=IORING_RESTRICTION_REGISTER_OP, register_op=IORING_UNREGISTER_BUFFERS}, "
		 "{opcode=IORING_RESTRICTION_SQE_OP, sqe_op=IORING_OP_WRITEV}, "
		 "{opcode=IORING_RESTRICTION_SQE_FLAGS_ALLOWED, sqe_flags=IOSQE_FIXED_FILE|0x80}, "
		 "{opcode=0x9 /* IORING_RESTRICTION_??? */ /* op: 0x3 */, resv=0x4, resv2=[0x5, 0, 0]}]");
	REGISTER(13, "IORING_REGISTER_FILES2", &rsrc, 32, "{nr=3, flags=IORING_RSRC_REGISTER_SPARSE|0x10, data=[-1, -2, -3], tags=[0x7, 0, 0x9]}");
	REGISTER(13, "IORING_REGISTER_FILES2", &rsrc, 31, "%p", &rsrc);
	REGISTER(16, "IORING_REGISTER_BUFFERS_UPDATE", &more, 32,
		 "{offset=4, data=[{iov_base=0x1000, iov_len=5}, {iov_base=NULL, iov_len=0}], tags=NULL, nr=2, resv2=0x6}");
	REGISTER(17, "IORING_REGISTER_IOWQ_AFF", cpus, 2, "[0 2 8]");
	REGISTER(19, "IORING_REGISTER_IOWQ_MAX_WORKERS", workers, 2, "[[IO_WQ_BOUND]=4, [IO_WQ_UNBOUND]=0] => %p", workers);
	REGISTER(20, "IORING_REGISTER_RING_FDS", rings, 2, "[{offset=-1, data=-1}, {offset=2, resv=0x5, data=0}]");
	REGISTER(21, "IORING_UNREGISTER_RING_FDS", rings, 2, "[{offset=4294967295, data=0xffffffff}, {offset=2, resv=0x5}]");
	REGISTER(24, "IORING_REGISTER_SYNC_CANCEL", &cancel, 1,
		 "{addr=0x2000, fd=-1, flags=IORING_ASYNC_CANCEL_ALL|0x80, timeout={tv_sec=1, tv_nsec=-1}, opcode=IORING_OP_READ, pad2=[0, 0x3, 0]}");
	REGISTER(24, "IORING_REGISTER_SYNC_CANCEL", &cancel, 2, "%p", &cancel);
	REGISTER(25, "IORING_REGISTER_FILE_ALLOC_RANGE", &range, 0, "{off=2, len=3, resv=0x4}");
	REGISTER(27, "IORING_REGISTER_NAPI", &napi, 1,
		 "{busy_poll_to=0x5, prefer_busy_poll=0x1, opcode=IO_URING_NAPI_REGISTER_OP, op_param=IO_URING_NAPI_TRACKING_INACTIVE}");
	REGISTER(27, "IORING_REGISTER_NAPI", &add, 1,
		 "{busy_poll_to=0x5, prefer_busy_poll=0, opcode=IO_URING_NAPI_STATIC_ADD_ID, pad=[0, 0x2], op_param=0x7, resv=0x8}");
	REGISTER(28, "IORING_UNREGISTER_NAPI", &napi, 1, "%p", &napi);
	REGISTER(29, "IORING_REGISTER_CLOCK", &clock, 0, "{clockid=CLOCK_MONOTONIC, __resv=[0, 0, 0x2]}");
	REGISTER(30, "IORING_REGISTER_CLONE_BUFFERS", &clone, 1, "{src_fd=-1, flags=IORING_REGISTER_SRC_REGISTERED|0x8, src_off=1, dst_off=2, nr=3}");
	REGISTER(31, "IORING_REGISTER_SEND_MSG_RING", entry, 1,
		 "{opcode=IORING_OP_MSG_RING, flags=IOSQE_FIXED_FILE, ioprio=0, fd=-1, off=0, addr=0, len=6, msg_ring_flags=IORING_MSG_RING_CQE_SKIP, "
		 "user_data=0x7, buf_index=0x8, personality=9, file_index=0xa, optval=0}");
	REGISTER(31, "IORING_REGISTER_SEND_MSG_RING", accept, 1,
		 "{opcode=IORING_OP_ACCEPT, flags=0, ioprio=IORING_ACCEPT_MULTISHOT|IORING_ACCEPT_POLL_FIRST, fd=-1, off=0, addr=0, len=0, rw_flags=0, "
		 "user_data=0, buf_index=0, personality=0, file_index=0, optval=0}");
	REGISTER(31, "IORING_REGISTER_SEND_MSG_RING", twice, 1,
		 "{opcode=IORING_OP_NOP128, flags=0, ioprio=3, fd=-1, off=0x4, addr=0x5, len=6, nop_flags=IORING_NOP_INJECT_RESULT|0x40, user_data=0, "
		 "buf_index=0, personality=0, file_index=0, optval=0, cmd=[0x1, 0x2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
		 "0, 0, 0, 0, 0, 0, 0, ...]}");
	REGISTER(31, "IORING_REGISTER_SEND_MSG_RING", reading, 1,
		 "{opcode=IORING_OP_READ, flags=0, ioprio=0, fd=-1, off=0, addr=0, len=0, rw_flags=0, user_data=0, buf_index=0, personality=0, "
		 "file_index=0, attr_type_mask=IORING_RW_ATTR_FLAG_PI, attr_ptr={flags=0x1, app_tag=0x2, len=5, addr=0x6, seed=0x7, rsvd=0x8}}");
	reading[0].opcode = 9;
	reading[0].op_flags = 0x10;
	REGISTER(31, "IORING_REGISTER_SEND_MSG_RING", reading, 1,
		 "{opcode=IORING_OP_SENDMSG, flags=0, ioprio=0, fd=-1, off=0, addr=0, len=0, rw_flags=0x10, user_data=0, buf_index=0, personality=0, "
		 "file_index=0, attr_type_mask=IORING_RW_ATTR_FLAG_PI, attr_ptr={flags=0x1, app_tag=0x2, len=5, addr=0x6, seed=0x7, rsvd=0x8}}");
	REGISTER(32, "IORING_REGISTER_ZCRX_IFQ", &ifq, 1,
		 "{if_idx=1, if_rxq=2, rq_entries=3, flags=ZCRX_REG_NODEV, area_ptr=0x1000, region_ptr=NULL, offsets={head=4, tail=5, rqes=6}, zcrx_id=7, "
		 "rx_buf_len=0, event_desc=NULL}");
	REGISTER(33, "IORING_REGISTER_RESIZE_RINGS", resize, 1, "{sq_entries=8, cq_entries=16, flags=IORING_SETUP_CQSIZE}");
	resize[8] = 6;
	resize[18] = 0x1000;
	REGISTER(33, "IORING_REGISTER_RESIZE_RINGS", resize, 1,
		 "{sq_entries=8, cq_entries=16, flags=IORING_SETUP_CQSIZE, sq_off={user_addr=0x1000}, resv=[0, 0x6, 0]}");
	REGISTER(34, "IORING_REGISTER_MEM_REGION", &region, 1, "{region_uptr=0x1000, flags=IORING_MEM_REGION_REG_WAIT_ARG|0x2}");
	REGISTER(35, "IORING_REGISTER_QUERY", &first, 1, "%p", &first);
	REGISTER(36, "IORING_REGISTER_ZCRX_CTRL", &arm, 1, "{zcrx_id=3, op=ZCRX_CTRL_ARM_EVENT, zc_arm_event={event_type=ZCRX_EVENT_COPY}}");
	REGISTER(36, "IORING_REGISTER_ZCRX_CTRL", &flush, 1, "{zcrx_id=3, op=ZCRX_CTRL_FLUSH_RQ, zc_flush={}}");

	// The kernel answers queries without a ring, if it knows them. The answer stands where the question was.
	r = syscall(SYS_io_uring_register, -1, 35, &first, 0);
	printf("io_uring_register(-1, IORING_REGISTER_QUERY, {query_data=%p, query_op=IO_URING_QUERY_SCQ, size=%u, result=%d, query_data=",
	       answer, first.size, first.result);
	if (first.size < sizeof(answer))
		printf("%p", answer);
	else
		printf("{hdr_size=%llu, hdr_alignment=%llu}", answer[0], answer[1]);
	printf(", next_entry={query_data=NULL, query_op=0x63 /* IO_URING_QUERY_??? */, size=%u, result=%d, next_entry=NULL}}, 0) = %s\n",
	       second.size, second.result, result(r));
	fflush(stdout);
	_exit(0);
}
