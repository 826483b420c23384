// stride: -e trace=?open,write,?stat64,?_llseek,pread64,preadv2,?ftruncate64,?lchown,?chown32,?fcntl64,?fadvise64_64,fallocate,?utimensat_time64 -a1
// 32-bit calls from a 64-bit program: 64-bit arguments take two registers, and structs have their i386 layout.
#include "i386.h"

#ifdef __x86_64__
int main(void)
{
	char *low = low_memory();
	char *path = low, *buf = low + 4096;
	uint32_t *iov = (uint32_t *)(low + 8192);
	int32_t *words = (int32_t *)(low + 12288);

	strcpy(path, "files-i386-sample");
	chdir("MARKER");

	int fd = call(5, P(path), 0102, 0600, 0, 0, 0);
	printf("open(\"%s\", O_RDWR|O_CREAT, 0600) = %d\n", path, fd);
	call(4, fd, P(path), 10, 0, 0, 0);
	printf("write(%d, \"%.10s\", 10) = 10\n", fd, path);
	call(195, P(path), P(buf), 0, 0, 0, 0);
	printf("stat64(\"%s\", {st_mode=S_IFREG|0600, st_size=10, ...}) = 0\n", path);
	call(140, fd, 1, 5, P(buf), SEEK_SET, 0);
	printf("_llseek(%d, 4294967301, [4294967301], SEEK_SET) = 0\n", fd);
	call(180, fd, P(buf), 5, 3, 1, 0);
	printf("pread64(%d, \"\", 5, 4294967299) = 0\n", fd);
	iov[0] = P(buf), iov[1] = 4, iov[2] = P(buf) + 10, iov[3] = 6;
	call(378, fd, P(iov), 2, 1, 0, 0);
	printf("preadv2(%d, [{iov_base=\"%.4s\", iov_len=4}, {iov_base=\"%.5s\", iov_len=6}], 2, 1, 0) = 9\n", fd, path + 1, path + 5);
	call(194, fd, 100, 0, 0, 0, 0);
	printf("ftruncate64(%d, 100) = 0\n", fd);
	call(16, P(path), 0xffff, -1, 0, 0, 0);
	printf("lchown(\"%s\", -1, -1) = 0\n", path);
	call(212, P(path), -1, -1, 0, 0, 0);
	printf("chown32(\"%s\", -1, -1) = 0\n", path);
	/* l_type and l_whence, l_start in two words, l_len likewise */
	words[0] = 0, words[1] = 1, words[2] = 2, words[3] = words[4] = words[5] = 0;
	call(221, fd, 13, P(words), 0, 0, 0);
	printf("fcntl64(%d, F_SETLK64, {l_type=F_RDLCK, l_whence=SEEK_SET, l_start=8589934593, l_len=0}) = 0\n", fd);
	/* offset and length take two registers each */
	call(272, fd, 1, 1, 50, 2, 3);
	printf("fadvise64_64(%d, 4294967297, 8589934642, POSIX_FADV_WILLNEED) = 0\n", fd);
	call(324, -1, 1, 5, 1, 200, 0);
	printf("fallocate(-1, FALLOC_FL_KEEP_SIZE, 4294967301, 200) = -1 EBADF (Bad file descriptor)\n");
	/* struct __kernel_timespec is 64 bits wide here too */
	memset(words, 0, 32);
	words[1] = 1, words[2] = 1000000000;
	call(412, -100, P(path), P(words), 0, 0, 0);
	printf("utimensat_time64(AT_FDCWD, \"%s\", [{tv_sec=4294967296, tv_nsec=1000000000}, {tv_sec=0, tv_nsec=0}], 0) = -1 %s\n", path,
	       "EINVAL (Invalid argument)");
	unlink(path);
	fflush(stdout);
	_exit(0);
}
#endif
