// stride: -e trace=io_setup,io_submit,io_getevents,io_cancel,io_destroy,io_uring_setup,ioprio_get,ioprio_set -a1
// Asynchronous I/O: control blocks with their data, events, and I/O priorities.
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	unsigned long ctx = 0;
	struct io_event events[4];
	struct timespec second = { 1, 5 };
	int fd = open("written", O_CREAT | O_WRONLY, 0600);
	struct iocb block = {
		.aio_data = 0x1234, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = fd,
		.aio_buf = (uintptr_t) "four", .aio_nbytes = 4, .aio_offset = 8,
	};
	struct iocb strange = { .aio_lio_opcode = 99, .aio_fildes = -1 };
	struct iocb *blocks[] = { &block, NULL }, *odd[] = { &strange };
	char params[120];

	chdir("MARKER");

	if (syscall(SYS_io_setup, 4, &ctx)) {
		fprintf(stderr, "skip: no asynchronous I/O\n");
		return 77;
	}
	printf("io_setup(4, [%#lx]) = 0\n", ctx);
	syscall(SYS_io_submit, ctx, 1L, blocks);
	printf("io_submit(%#lx, 1, [{aio_data=0x1234, aio_lio_opcode=IOCB_CMD_PWRITE, aio_fildes=%d, aio_buf=\"four\", "
	       "aio_nbytes=4, aio_offset=8}]) = 1\n", ctx, fd);
	syscall(SYS_io_getevents, ctx, 1L, 4L, events, &second);
	printf("io_getevents(%#lx, 1, 4, [{data=0x1234, obj=%p, res=4, res2=0}], {tv_sec=1, tv_nsec=5}) = 1\n", ctx, &block);
	syscall(SYS_io_submit, ctx, 1L, odd);
	printf("io_submit(%#lx, 1, [{aio_data=0, aio_lio_opcode=99 /* IOCB_CMD_??? */, aio_fildes=-1}]) = "
	       "-1 EBADF (Bad file descriptor)\n", ctx);
	syscall(SYS_io_submit, ctx, -1L, odd);
	printf("io_submit(%#lx, -1, %p) = -1 EINVAL (Invalid argument)\n", ctx, odd);
	// More vectors than the kernel takes.
	struct iocb vectors = { .aio_lio_opcode = IOCB_CMD_PWRITEV, .aio_fildes = -1, .aio_nbytes = 41110 };
	odd[0] = &vectors;
	syscall(SYS_io_submit, ctx, 1L, odd);
	printf("io_submit(%#lx, 1, [{aio_data=0, aio_lio_opcode=IOCB_CMD_PWRITEV, aio_fildes=-1, aio_buf=NULL, aio_nbytes=41110, aio_offset=0}]) = "
	       "-1 EBADF (Bad file descriptor)\n", ctx);
	syscall(SYS_io_cancel, ctx, NULL, NULL);
	printf("io_cancel(%#lx, NULL, NULL) = -1 EFAULT (Bad address)\n", ctx);
	syscall(SYS_io_destroy, ctx);
	printf("io_destroy(%#lx) = 0\n", ctx);
	memset(params, 0, sizeof(params));
	params[11] = 0x40;
	if (syscall(SYS_io_uring_setup, 1, params) < 0)
		printf("io_uring_setup(1, {flags=0x40000000 /* IORING_SETUP_??? */, sq_thread_cpu=0, sq_thread_idle=0}) = "
		       "-1 EINVAL (Invalid argument)\n");
	syscall(SYS_ioprio_set, 1, 0, 0x4007);
	printf("ioprio_set(IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 7)) = 0\n");
	syscall(SYS_ioprio_get, 1, 0);
	printf("ioprio_get(IOPRIO_WHO_PROCESS, 0) = 16391 (IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 7))\n");
	syscall(SYS_ioprio_get, 9, 0);
	printf("ioprio_get(0x9 /* IOPRIO_WHO_??? */, 0) = -1 EINVAL (Invalid argument)\n");
	fflush(stdout);
	_exit(0);
}
