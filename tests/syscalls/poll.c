// stride: -e trace=?poll,ppoll,?select,pselect6,epoll_create1,epoll_ctl,?epoll_wait -a1
// Waiting: input is shown in the argument, output behind the result.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int p[2], ep;

	if (pipe(p))
		return 1;
	chdir("MARKER");

#ifdef SYS_poll
	struct pollfd fds[] = { { p[0], POLLIN, 0 }, { p[1], POLLOUT, 0 }, { -1, POLLIN, 0 } };
	poll(fds, 3, 0);
	printf("poll([{fd=%d, events=POLLIN}, {fd=%d, events=POLLOUT}, {fd=-1}], 3, 0) = 1 ([{fd=%d, revents=POLLOUT}])\n", p[0], p[1], p[1]);
	poll(fds, 1, 1);
	printf("poll([{fd=%d, events=POLLIN}], 1, 1) = 0 (Timeout)\n", p[0]);
	poll((void *) none, 2, 0);
	printf("poll(%p, 2, 0) = -1 EFAULT (Bad address)\n", none);
	fds[0].fd = 12345;
	poll(fds, 1, -1);
	printf("poll([{fd=12345, events=POLLIN}], 1, -1) = 1 ([{fd=12345, revents=POLLNVAL}])\n");
#endif

	fd_set in, out;
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(p[0], &in);
	FD_SET(p[0], &out);
	FD_SET(p[1], &out);
#ifdef SYS_select
	syscall(SYS_select, p[1] + 1, &in, &out, NULL, NULL);
	printf("select(%d, [%d], [%d %d], NULL, NULL) = 1 (out [%d])\n", p[1] + 1, p[0], p[0], p[1], p[1]);
	struct timeval tv = { 0, 1 };
	FD_ZERO(&in);
	FD_SET(p[0], &in);
	syscall(SYS_select, p[1] + 1, &in, NULL, NULL, &tv);
	printf("select(%d, [%d], NULL, NULL, {tv_sec=0, tv_usec=1}) = 0 (Timeout)\n", p[1] + 1, p[0]);
	syscall(SYS_select, -1, &in, NULL, NULL, NULL);
	printf("select(-1, %p, NULL, NULL, NULL) = -1 EINVAL (Invalid argument)\n", &in);
#endif
	FD_ZERO(&in);
	sigset_t mask;
	struct timespec ts = { 0, 1 };
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	FD_SET(p[0], &in);
	pselect(p[1] + 1, &in, NULL, NULL, &ts, &mask);
	printf("pselect6(%d, [%d], NULL, NULL, {tv_sec=0, tv_nsec=1}, {sigmask=[CHLD], sigsetsize=8}) = 0 (Timeout)\n", p[1] + 1, p[0]);

	ep = epoll_create1(EPOLL_CLOEXEC);
	printf("epoll_create1(EPOLL_CLOEXEC) = %d\n", ep);
	struct epoll_event event = { EPOLLOUT | EPOLLET, { .u64 = 0x123456789 } };
	epoll_ctl(ep, EPOLL_CTL_ADD, p[1], &event);
	printf("epoll_ctl(%d, EPOLL_CTL_ADD, %d, {events=EPOLLOUT|EPOLLET, data=0x123456789}) = 0\n", ep, p[1]);
#ifdef SYS_epoll_wait
	epoll_wait(ep, &event, 1, 5);
	printf("epoll_wait(%d, [{events=EPOLLOUT, data=0x123456789}], 1, 5) = 1\n", ep);
	epoll_wait(ep, &event, 1, 0);
	printf("epoll_wait(%d, [], 1, 0) = 0\n", ep);
#endif
	event.events = 0x20 | EPOLLHUP;
	epoll_ctl(-1, EPOLL_CTL_MOD, p[1], &event);
	printf("epoll_ctl(-1, EPOLL_CTL_MOD, %d, {events=EPOLLHUP|EPOLLNVAL, data=0x123456789}) = -1 EBADF (Bad file descriptor)\n", p[1]);
	epoll_ctl(ep, EPOLL_CTL_DEL, p[1], &event);
	printf("epoll_ctl(%d, EPOLL_CTL_DEL, %d, %p) = 0\n", ep, p[1], &event);
	epoll_ctl(ep, 77, p[1], (void *) none);
	printf("epoll_ctl(%d, 0x4d /* EPOLL_CTL_??? */, %d, %p) = -1 EFAULT (Bad address)\n", ep, p[1], none);
	fflush(stdout);
	_exit(0);
}
