// stride: -e trace=epoll_ctl,mremap,rt_sigprocmask,?select,poll,getsockopt,getpeername,io_destroy,fcntl,writev,mount,recvfrom -a1
// Arguments that no careful program passes. The kernel looks at some parts of these and not at others, and so does the trace.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
	/* The memory behind the last byte of it is not there. */
	char *none = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(none + 4096, 4096);
	unsigned long word = 1;
	int len = 16;

	chdir("MARKER");

	struct epoll_event event = { EPOLLIN | EPOLLERR | EPOLLHUP | EPOLLRDNORM | EPOLLET, { .u64 = 7 } };
	epoll_ctl(-1, EPOLL_CTL_ADD, 0, &event);
	printf("epoll_ctl(-1, EPOLL_CTL_ADD, 0, {events=EPOLLIN|EPOLLERR|EPOLLHUP|EPOLLRDNORM|EPOLLET, data=0x7}) = -1 EBADF (Bad file descriptor)\n");

	/* The new address counts without MREMAP_FIXED, too. */
	mremap(none + 4096, 4096, 4096, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, none);
	printf("mremap(%p, 4096, 4096, MREMAP_MAYMOVE|MREMAP_DONTUNMAP, %p) = -1 EFAULT (Bad address)\n", none + 4096, none);

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &word, NULL, 4L);
	printf("rt_sigprocmask(SIG_BLOCK, %p, NULL, 4) = -1 EINVAL (Invalid argument)\n", &word);
#ifdef SYS_select
	struct timeval tv = { 0, 0 };
	syscall(SYS_select, 0, &word, NULL, NULL, &tv);
	printf("select(0, %p, NULL, NULL, {tv_sec=0, tv_usec=0}) = 0 (Timeout)\n", &word);
#endif
	/* AT_FDCWD is no descriptor here. */
	struct pollfd fd = { AT_FDCWD, POLLIN, 0 };
	poll(&fd, 1, 0);
	printf("poll([{fd=-100}], 1, 0) = 0 (Timeout)\n");

	getsockopt(-1, 0x7777, 1, &word, &(socklen_t){ 4 });
	printf("getsockopt(-1, 0x7777 /* SOL_?? */, 1, %p, [4]) = -1 EBADF (Bad file descriptor)\n", &word);
	syscall(SYS_getpeername, -1, NULL, &len);
	printf("getpeername(-1, NULL, %p) = -1 EBADF (Bad file descriptor)\n", &len);
	syscall(SYS_recvfrom, -1, &word, 8L, 0, NULL, &len);
	printf("recvfrom(-1, %p, 8, 0, NULL, %p) = -1 EBADF (Bad file descriptor)\n", &word, &len);

	syscall(SYS_io_destroy, 0L);
	printf("io_destroy(NULL) = -1 EINVAL (Invalid argument)\n");
	fcntl(-1, F_SETPIPE_SZ, -1);
	printf("fcntl(-1, F_SETPIPE_SZ, -1) = -1 EBADF (Bad file descriptor)\n");

	/* No memory holds so many. */
	syscall(SYS_writev, -1, &word, 1UL << 60);
	printf("writev(-1, %p, 1152921504606846976) = -1 EBADF (Bad file descriptor)\n", &word);

	/* A remount looks at its data, whatever else is to be done. */
	mount("none", "/no/such/place", NULL, MS_REMOUNT | MS_BIND, "size=1");
	printf("mount(\"none\", \"/no/such/place\", NULL, MS_REMOUNT|MS_BIND, \"size=1\") = -1 ENOENT (No such file or directory)\n");
	return 0;
}
