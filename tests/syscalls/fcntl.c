// stride: -e trace=fcntl,flock,dup3,pipe2 -a1
// The operation decides the types of argument and result.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "result.h"

#define INVALID " = -1 EINVAL (Invalid argument)\n"

int main(void)
{
	char name[] = "fcntl-sample.XXXXXX";
	int fd = mkstemp(name), p[2];

	if (fd < 0)
		return 1;
	unlink(name);
	chdir("MARKER");

	syscall(SYS_pipe2, p, O_CLOEXEC | O_NONBLOCK);
	printf("pipe2([%d, %d], O_NONBLOCK|O_CLOEXEC) = 0\n", p[0], p[1]);
	syscall(SYS_pipe2, p, 3);
	printf("pipe2(%p, 0x3 /* O_??? */)" INVALID, p);
	syscall(SYS_fcntl, p[0], F_GETFD);
	printf("fcntl(%d, F_GETFD) = 0x1 (flags FD_CLOEXEC)\n", p[0]);
	syscall(SYS_fcntl, p[0], F_SETFD, 0);
	printf("fcntl(%d, F_SETFD, 0) = 0\n", p[0]);
	syscall(SYS_fcntl, p[0], F_GETFD);
	printf("fcntl(%d, F_GETFD) = 0\n", p[0]);
	syscall(SYS_fcntl, p[1], F_GETFL);
	printf("fcntl(%d, F_GETFL) = 0x801 (flags O_WRONLY|O_NONBLOCK)\n", p[1]);
	syscall(SYS_fcntl, p[1], F_SETFL, O_APPEND | O_NONBLOCK);
	printf("fcntl(%d, F_SETFL, O_RDONLY|O_APPEND|O_NONBLOCK) = 0\n", p[1]);
	int copy = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 50);
	printf("fcntl(%d, F_DUPFD_CLOEXEC, 50) = %d\n", fd, copy);
	syscall(SYS_fcntl, fd, F_GETOWN);
	printf("fcntl(%d, F_GETOWN) = 0\n", fd);
	syscall(SYS_fcntl, fd, F_SETSIG, SIGIO);
	printf("fcntl(%d, F_SETSIG, SIGIO) = 0\n", fd);
	syscall(SYS_fcntl, fd, F_GETSIG);
	printf("fcntl(%d, F_GETSIG) = 29 (SIGIO)\n", fd);
	struct f_owner_ex owner = { F_OWNER_PID, getpid() };
	syscall(SYS_fcntl, fd, F_SETOWN_EX, &owner);
	printf("fcntl(%d, F_SETOWN_EX, {type=F_OWNER_PID, pid=%d}) = 0\n", fd, owner.pid);

	struct flock lock = { F_WRLCK, SEEK_SET, 10, -3 };
	syscall(SYS_fcntl, fd, F_SETLK, &lock);
	printf("fcntl(%d, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=10, l_len=-3}) = 0\n", fd);
	syscall(SYS_fcntl, fd, F_GETLK, &lock);
	printf("fcntl(%d, F_GETLK, {l_type=F_UNLCK, l_whence=SEEK_SET, l_start=10, l_len=-3, l_pid=0}) = 0\n", fd);
	lock.l_type = 7;
	syscall(SYS_fcntl, fd, F_SETLKW, &lock);
	printf("fcntl(%d, F_SETLKW, {l_type=0x7 /* F_??? */, l_whence=SEEK_SET, l_start=10, l_len=-3})" INVALID, fd);
	syscall(SYS_fcntl, fd, F_GETLK, 8);
	printf("fcntl(%d, F_GETLK, 0x8) = -1 EFAULT (Bad address)\n", fd);
	int sealed = memfd_create("sealed", MFD_ALLOW_SEALING);
	syscall(SYS_fcntl, sealed, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SEAL);
	printf("fcntl(%d, F_ADD_SEALS, F_SEAL_SEAL|F_SEAL_GROW) = 0\n", sealed);
	syscall(SYS_fcntl, sealed, F_GET_SEALS);
	printf("fcntl(%d, F_GET_SEALS) = 0x5 (seals F_SEAL_SEAL|F_SEAL_GROW)\n", sealed);
	syscall(SYS_fcntl, fd, 999, 0xabcL);
	printf("fcntl(%d, 0x3e7 /* F_??? */, 0xabc)" INVALID, fd);

	flock(fd, LOCK_EX | LOCK_NB);
	printf("flock(%d, LOCK_EX|LOCK_NB) = 0\n", fd);
	int unlocked = flock(-1, 0x300);
	printf("flock(-1, 0x300 /* LOCK_??? */) = %s\n", result(unlocked));
	syscall(SYS_dup3, fd, fd, O_CLOEXEC);
	printf("dup3(%d, %d, O_CLOEXEC)" INVALID, fd, fd);
	fflush(stdout);
	_exit(0);
}
