// stride: -s 6 -e trace=readv,writev,preadv,preadv2,sendfile,splice,copy_file_range,lseek,fallocate,memfd_create,vmsplice,process_vm_readv,pread64,pwrite64 -a1
// Buffers in vectors: each shows the bytes it held or got, and an offset that moves shows both values.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define BADF " = -1 EBADF (Bad file descriptor)\n"

int main(void)
{
	char a[8], b[16];
	int p[2];

	if (pipe(p))
		return 1;
	chdir("MARKER");

	int fd = syscall(SYS_memfd_create, "a long name", 1);
	printf("memfd_create(\"a long\"..., MFD_CLOEXEC) = %d\n", fd);
	syscall(SYS_memfd_create, NULL, 4 | 0x10000 | 30u << 26);
	printf("memfd_create(NULL, MFD_HUGETLB|0x10000|30<<MFD_HUGE_SHIFT) = -1 EINVAL (Invalid argument)\n");
	syscall(SYS_memfd_create, NULL, 0x10000 | 30u << 26);
	printf("memfd_create(NULL, 0x10000 /* MFD_??? */|30<<MFD_HUGE_SHIFT) = -1 EINVAL (Invalid argument)\n");

	struct iovec out[] = { { "0123456789", 10 }, { "", 0 }, { "abcde", 5 } };
	writev(fd, out, 3);
	printf("writev(%d, [{iov_base=\"012345\"..., iov_len=10}, {iov_base=\"\", iov_len=0}, {iov_base=\"abcde\", iov_len=5}], 3) = 15\n", fd);
	writev(-1, out, 0);
	printf("writev(-1, [], 0)" BADF);
	writev(fd, (void *)8, 1);
	printf("writev(%d, 0x8, 1) = -1 EFAULT (Bad address)\n", fd);
	lseek(fd, -5, SEEK_END);
	printf("lseek(%d, -5, SEEK_END) = 10\n", fd);
	struct iovec in[] = { { a, 3 }, { b, sizeof b }, { b, 4 } };
	readv(fd, in, 3);
	printf("readv(%d, [{iov_base=\"abc\", iov_len=3}, {iov_base=\"de\", iov_len=16}, {iov_base=\"\", iov_len=4}], 3) = 5\n", fd);
	readv(-1, in, 1);
	printf("readv(-1, [{iov_base=%p, iov_len=3}], 1)" BADF, a);
	preadv(fd, in, 2, 1);
	printf("preadv(%d, [{iov_base=\"123\", iov_len=3}, {iov_base=\"456789\"..., iov_len=16}], 2, 1) = 14\n", fd);
	syscall(SYS_preadv2, -1, in, 1, -1L, 0, 8 | 0x4000);
	printf("preadv2(-1, [{iov_base=%p, iov_len=3}], 1, -1, RWF_NOWAIT|0x4000)" BADF, a);

	pwrite64(fd, "xyz", 3, 20);
	printf("pwrite64(%d, \"xyz\", 3, 20) = 3\n", fd);
	pread64(fd, b, 16, 21);
	printf("pread64(%d, \"yz\", 16, 21) = 2\n", fd);
	off_t at = 4;
	sendfile(p[1], fd, &at, 3);
	printf("sendfile(%d, %d, [4 => 7], 3) = 3\n", p[1], fd);
	sendfile(-1, fd, &at, 3);
	printf("sendfile(-1, %d, [7], 3)" BADF, fd);
	loff_t to = 50;
	syscall(SYS_copy_file_range, fd, &at, fd, &to, 2ul, 0);
	printf("copy_file_range(%d, [7], %d, [50], 2, 0) = 2\n", fd, fd);
	syscall(SYS_splice, -1, NULL, p[1], &to, 1ul, 1 | 16);
	printf("splice(-1, NULL, %d, [52], 1, SPLICE_F_MOVE|0x10) = -1 EINVAL (Invalid argument)\n", p[1]);
	vmsplice(p[1], out, 1, SPLICE_F_NONBLOCK);
	printf("vmsplice(%d, [{iov_base=\"012345\"..., iov_len=10}], 1, SPLICE_F_NONBLOCK) = 10\n", p[1]);
	fallocate(-1, 1 | 2, 1L << 40, -1);
	printf("fallocate(-1, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 1099511627776, -1)" BADF);
	lseek(-1, 0, 77);
	printf("lseek(-1, 0, 0x4d /* SEEK_??? */)" BADF);

	struct iovec mine = { a, 4 }, theirs = { "remote", 6 };
	int pid = getpid();
	process_vm_readv(pid, &mine, 1, &theirs, 1, 0);
	printf("process_vm_readv(%d, [{iov_base=\"remo\", iov_len=4}], 1, [{iov_base=%p, iov_len=6}], 1, 0) = 4\n", pid, theirs.iov_base);
	fflush(stdout);
	_exit(0);
}
