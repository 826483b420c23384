// stride: -v -e trace=getdents64,?getdents -a1
// Directory entries in full.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char buf[4096];

int main(void)
{
	char dir[] = "dirents-sample.XXXXXX", path[64];

	if (!mkdtemp(dir))
		return 1;
	sprintf(path, "%s/a \"file\"", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	int fd = open(dir, O_RDONLY | O_DIRECTORY);
	chdir("MARKER");

	long n = syscall(SYS_getdents64, fd, buf, sizeof buf);
	printf("getdents64(%d, [", fd);
	for (long at = 0; at < n;) {
		unsigned long long ino, off;
		unsigned short len;
		memcpy(&ino, buf + at, 8);
		memcpy(&off, buf + at + 8, 8);
		memcpy(&len, buf + at + 16, 2);
		char *name = buf + at + 19;
		printf("%s{d_ino=%llu, d_off=%llu, d_reclen=%u, d_type=%s, d_name=\"%s\"}", at ? ", " : "", ino, off, len,
		       buf[at + 18] == 8 ? "DT_REG" : buf[at + 18] == 4 ? "DT_DIR" : "DT_UNKNOWN",
		       name[0] == 'a' ? "a \\\"file\\\"" : name);
		at += len;
	}
	printf("], 4096) = %ld\n", n);
	syscall(SYS_getdents64, fd, buf, sizeof buf);
	printf("getdents64(%d, [], 4096) = 0\n", fd);
	syscall(SYS_getdents64, fd, NULL, 4096);
	printf("getdents64(%d, [], 4096) = 0\n", fd);
	syscall(SYS_getdents64, -1, buf, 5);
	printf("getdents64(-1, %p, 5) = -1 EBADF (Bad file descriptor)\n", buf);
	lseek(fd, 0, SEEK_SET);
#ifdef SYS_getdents
	syscall(SYS_getdents, fd, buf, 1);
	printf("getdents(%d, %p, 1) = -1 EINVAL (Invalid argument)\n", fd, buf);
#endif
	unlink(path);
	rmdir(dir);
	fflush(stdout);
	_exit(0);
}
