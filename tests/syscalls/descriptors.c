// stride, stopped: -e trace=fsync,openat -yy -a1
// What descriptors refer to.
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
# define SYS_pidfd_open 434
#endif

static unsigned long inode(int fd)
{
	struct stat st;

	fstat(fd, &st);
	return st.st_ino;
}

int main(void)
{
	char path[64], cwd[4096];
	int fd, sv[2], p[2];

	snprintf(path, sizeof(path), "/tmp/stride-descriptors-%d", getpid());
	getcwd(cwd, sizeof(cwd));
	fd = open("/dev/null", O_RDONLY);
	if (pipe(p) || socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		return 1;
	chdir("MARKER");

	fsync(fd);
	printf("fsync(%d</dev/null<char 1:3>>) = -1 EINVAL (Invalid argument)\n", fd);
	fsync(p[0]);
	printf("fsync(%d<pipe:[%lu]>) = -1 EINVAL (Invalid argument)\n", p[0], inode(p[0]));
	fsync(sv[0]);
	printf("fsync(%d<UNIX-STREAM:[%lu->%lu]>) = -1 EINVAL (Invalid argument)\n", sv[0], inode(sv[0]), inode(sv[1]));
	fd = open(path, O_RDWR | O_CREAT, 0600);
	printf("openat(AT_FDCWD<%s>, \"%s\", O_RDWR|O_CREAT, 0600) = %d<%s>\n", cwd, path, fd, path);
	unlink(path);
	fsync(fd);
	printf("fsync(%d<%s>(deleted)) = 0\n", fd, path);
	fd = syscall(SYS_pidfd_open, getpid(), 0);
	if (fd >= 0) {
		fsync(fd);
		printf("fsync(%d<pid:%d>) = -1 EINVAL (Invalid argument)\n", fd, getpid());
	}
	fsync(99);
	printf("fsync(99) = -1 EBADF (Bad file descriptor)\n");
	fflush(stdout);
	_exit(0);
}
