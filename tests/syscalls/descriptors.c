// stride: -e trace=fsync,openat,?dup2,close,pipe2,socketpair,?poll -yy -a1
// The referents of descriptors.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
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

/* The number of an eventfd, as /proc shows it. */
static void id(int fd, char *text)
{
	char path[64], line[128];
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = fopen(path, "r");
	while (info && fgets(line, sizeof(line), info))
		sscanf(line, "eventfd-id: %31s", text);
}

int main(void)
{
	char path[64], cwd[4096];
	int fd, event, sv[2], p[2], made[2];
	char text[32];

	snprintf(path, sizeof(path), "/tmp/stride-descriptors-%d", getpid());
	getcwd(cwd, sizeof(cwd));
	fd = open("/dev/null", O_RDONLY);
	if (pipe(p) || socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		return 1;
	event = eventfd(5, EFD_SEMAPHORE);
	id(event, text);
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
	// The descriptor as it was passed, and as it is after the call.
	fd = open("/dev/zero", O_RDONLY);
	printf("openat(AT_FDCWD<%s>, \"/dev/zero\", O_RDONLY) = %d</dev/zero<char 1:5>>\n", cwd, fd);
#ifdef SYS_dup2
	dup2(fd, p[0]);
	printf("dup2(%d</dev/zero<char 1:5>>, %d<pipe:[%lu]>) = %d</dev/zero<char 1:5>>\n", fd, p[0], inode(p[1]), p[0]);
#endif
	close(fd);
	printf("close(%d</dev/zero<char 1:5>>) = 0\n", fd);
	close(fd);
	printf("close(%d) = -1 EBADF (Bad file descriptor)\n", fd);
	pipe2(made, O_CLOEXEC);
	printf("pipe2([%d<pipe:[%lu]>, %d<pipe:[%lu]>], O_CLOEXEC) = 0\n", made[0], inode(made[0]), made[1], inode(made[1]));
#ifdef SYS_poll
	struct pollfd polled = { made[1], POLLOUT };
	poll(&polled, 1, 0);
	printf("poll([{fd=%d<pipe:[%lu]>, events=POLLOUT}], 1, 0) = 1 ([{fd=%d<pipe:[%lu]>, revents=POLLOUT}])\n",
	       made[1], inode(made[1]), made[1], inode(made[1]));
#endif
	socketpair(AF_UNIX, SOCK_DGRAM, 0, sv);
	printf("socketpair(AF_UNIX, SOCK_DGRAM, 0, [%d<UNIX:[%lu->%lu]>, %d<UNIX:[%lu->%lu]>]) = 0\n", sv[0], inode(sv[0]),
	       inode(sv[1]), sv[1], inode(sv[1]), inode(sv[0]));
	fsync(event);
	printf("fsync(%d<{eventfd-count=0x5, eventfd-id=%s, eventfd-semaphore=1}>) = -1 EINVAL (Invalid argument)\n", event, text);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	fd = signalfd(-1, &set, 0);
	fsync(fd);
	printf("fsync(%d<signalfd:[USR1]>) = -1 EINVAL (Invalid argument)\n", fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in in = { AF_INET };
	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	bind(fd, (void *)&in, sizeof(in));
	socklen_t len = sizeof(in);
	getsockname(fd, (void *)&in, &len);
	fsync(fd);
	printf("fsync(%d<TCP:[127.0.0.1:%d]>) = -1 EINVAL (Invalid argument)\n", fd, ntohs(in.sin_port));
	fsync(99);
	printf("fsync(99) = -1 EBADF (Bad file descriptor)\n");
	fflush(stdout);
	_exit(0);
}
