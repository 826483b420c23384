// Calls with input, with success as far as the machine lets them. The members that a program leaves alone hold a pattern where the kernel
// allows that. A test compares the input with what is there after each call.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <linux/fiemap.h>
#include <linux/filter.h>
#include <mqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define call(...) syscall(__VA_ARGS__)

static void files(void)
{
	char buf[256], path[] = "successes.tmp";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), pipes[2];
	struct { uint64_t flags, mode, resolve; } how = { O_RDONLY };
	struct { uint64_t off, len; } range = { 0, 4096 };
	struct iovec iov[2] = { { "one", 3 }, { "two", 3 } };
	struct timeval tv[2] = { { 1, 2 }, { 3, 4 } };
	struct timespec ts[2] = { { 1, 2 }, { 3, 4 } };
	struct { unsigned bytes; int type; char handle[128]; } handle = { 128 };
	uint64_t attr[8] = { 0 };
	int mount_id;

	call(437 /* openat2 */, AT_FDCWD, path, &how, sizeof(how));
	call(451 /* cachestat */, fd, &range, attr, 0);
	pwritev(fd, iov, 2, 0);
	call(SYS_pwritev2, fd, iov, 2, 0, 0, 0);
	call(SYS_utimensat, AT_FDCWD, path, ts, 0);
#ifdef SYS_utimes
	call(SYS_utimes, path, tv);
	call(SYS_futimesat, AT_FDCWD, path, tv);
	call(SYS_utime, path, (long [2]) { 1, 2 });
#endif
	call(SYS_setxattr, path, "user.a", "value", 5, 0);
	call(SYS_fsetxattr, fd, "user.b", "value", 5, 0);
	call(SYS_lsetxattr, path, "trusted.c", "value", 5, 0);
	call(SYS_fgetxattr, fd, "user.a", buf, sizeof(buf));
	call(468 /* file_getattr */, AT_FDCWD, path, attr, 24, 0);
	call(469 /* file_setattr */, AT_FDCWD, path, attr, 24, 0);
	call(SYS_name_to_handle_at, AT_FDCWD, path, &handle, &mount_id, 0);
	int root = open(".", O_RDONLY);
	call(SYS_open_by_handle_at, root, &handle, O_RDONLY);
	pipe(pipes);
	int64_t in = 0, out = 8;
	call(SYS_splice, fd, &in, pipes[1], 0, 3, 0);
	call(SYS_copy_file_range, fd, &in, fd, &out, 2, 0);
	in = 0;
	call(SYS_sendfile, pipes[1], fd, &in, 2);
	call(SYS_vmsplice, pipes[1], iov, 1, 0);
	struct flock lock = { F_WRLCK, SEEK_SET, 0, 1 };
	for (int command = F_GETLK; command <= F_SETLKW; command++)
		fcntl(fd, command, &lock);
	lock.l_pid = 0;
	for (int command = F_OFD_GETLK; command <= F_OFD_SETLKW; command++)
		fcntl(fd, command, &lock);
	struct { int type, pid; } owner = { 1, 0 };
	owner.pid = getpid();
	fcntl(fd, 15 /* F_SETOWN_EX */, &owner);
	fcntl(fd, 16 /* F_GETOWN_EX */, &owner);
	uint64_t hint = 2;
	fcntl(fd, 1036 /* F_SET_RW_HINT */, &hint);
	fcntl(fd, 1038 /* F_SET_FILE_RW_HINT */, &hint);
	call(SYS_fallocate, fd, 0, 0, 65536);
	struct { uint64_t start, length; uint32_t flags, mapped, count, pad; char extents[56 * 2]; } map = { 0, 1 << 20, 0, 99, 2, 0 };
	ioctl(fd, FS_IOC_FIEMAP, &map);
	int flags = 0;
	ioctl(fd, FS_IOC_GETFLAGS, &flags);
	ioctl(fd, FS_IOC_SETFLAGS, &flags);
	struct fsxattr x;
	ioctl(fd, FS_IOC_FSGETXATTR, &x);
	ioctl(fd, FS_IOC_FSSETXATTR, &x);
	struct { uint64_t off, len; uint16_t count, r1; uint32_t r2; int64_t dest; uint64_t dest_off, deduped; int status; uint32_t r3; } dedupe = {
		0, 4096, 1, 0, 0, fd, 8192, 77, 5,
	};
	ioctl(fd, FIDEDUPERANGE, &dedupe);
	unlink(path);
}

static void sockets(void)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	struct sockaddr_in name = { AF_INET, 0, { htonl(INADDR_LOOPBACK) } }, peer;
	socklen_t len = sizeof(name);
	struct ifreq request = { .ifr_name = "lo" };
	char buf[512];

	ioctl(listener, SIOCGIFFLAGS, &request);
	request.ifr_flags |= IFF_UP;
	ioctl(listener, SIOCSIFFLAGS, &request);
	int getters[] = { 0x8910, 0x8913, 0x8915, 0x8917, 0x8919, 0x891b, 0x891d, 0x8921, 0x8927, 0x8933, 0x8942, 0x8970 };
	for (int i = 0; i < sizeof(getters) / sizeof(*getters); i++) {
		memset(&request.ifr_ifru, 0, sizeof(request.ifr_ifru));
		strcpy(request.ifr_name, "lo");
		request.ifr_ifindex = 1;
		ioctl(listener, getters[i], &request);
	}
	struct ifconf conf = { sizeof(buf), { buf } };
	ioctl(listener, SIOCGIFCONF, &conf);
	bind(listener, (void *) &name, sizeof(name));
	listen(listener, 5);
	getsockname(listener, (void *) &name, &len);
	int client = socket(AF_INET, SOCK_STREAM, 0);
	connect(client, (void *) &name, sizeof(name));
	len = sizeof(peer);
	int served = call(SYS_accept4, listener, &peer, &len, 0);
	len = sizeof(peer);
	getpeername(client, (void *) &peer, &len);
	setsockopt(client, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	len = sizeof(one);
	getsockopt(client, SOL_SOCKET, SO_RCVBUF, &one, &len);
	int sizes[] = { 4, 8, 16, 256 };
	for (int level = 0; level < 3; level++)
		for (int option = 0; option < 80; option++)
			for (int i = 0; i < 4; i++) {
				memset(buf, 0, sizeof(buf));
				len = sizes[i];
				getsockopt(client, (int []) { 0, 1, 6 }[level], option, buf, &len);
			}
	struct linger linger = { 1, 2 };
	setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	struct timeval tv = { 1, 0 };
	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	struct sock_filter code[] = { { 6, 0, 0, -1 } };
	struct sock_fprog filter = { 1, code };
	setsockopt(client, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
	int udp = socket(AF_INET, SOCK_DGRAM, 0);
	struct ip_mreqn group = { { inet_addr("239.1.2.3") }, { 0 }, 1 };
	setsockopt(udp, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof(group));

	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { "data", 4 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control), .msg_flags = 0x5a };
	int pair[2];
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);
	c->cmsg_len = CMSG_LEN(sizeof(int)), c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(c), &udp, sizeof(udp));
	sendmsg(pair[0], &message, 0);
	struct iovec into = { buf, sizeof(buf) };
	struct msghdr received = { .msg_name = &peer, .msg_namelen = sizeof(peer), .msg_iov = &into, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control), .msg_flags = 0x5a };
	recvmsg(pair[1], &received, 0);
	struct mmsghdr many[2] = { { { .msg_iov = &iov, .msg_iovlen = 1 }, 99 }, { { .msg_iov = &iov, .msg_iovlen = 1 }, 99 } };
	sendmmsg(pair[0], many, 2, 0);
	struct timespec ts = { 5, 0 };
	struct mmsghdr back[2] = { { { .msg_iov = &into, .msg_iovlen = 1, .msg_flags = 7 }, 99 }, { { .msg_iov = &into, .msg_iovlen = 1 }, 99 } };
	recvmmsg(pair[1], back, 2, 0, &ts);
	len = sizeof(peer);
	sendto(client, "x", 1, 0, NULL, 0);
	recvfrom(served, buf, sizeof(buf), 0, (void *) &peer, &len);
}

static void waiting(void)
{
	int pipes[2], epoll = epoll_create1(0);
	pipe(pipes);
	write(pipes[1], "x", 1);
	struct pollfd fd = { pipes[0], POLLIN, 0x5a5a };
	struct timespec ts = { 0, 1000000 };
	struct timeval tv = { 0, 1000 };
	fd_set set;
	struct { sigset_t *mask; size_t size; } mask = { NULL, 8 };
	sigset_t none;
	sigemptyset(&none);
	call(SYS_ppoll, &fd, 1, &ts, &none, 8);
	FD_ZERO(&set);
	FD_SET(pipes[0], &set);
	call(SYS_pselect6, 10, &set, NULL, NULL, &ts, &mask);
	struct epoll_event event = { EPOLLIN, { .u64 = 7 } };
	epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event);
	call(SYS_epoll_pwait, epoll, &event, 1, 0, &none, 8L);
	call(441 /* epoll_pwait2 */, epoll, &event, 1, &ts, &none, 8L);
	call(SYS_nanosleep, &ts, &ts);
	call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, &ts);
	timer_t timer;
	struct sigevent sev = { .sigev_notify = SIGEV_NONE };
	int id;
	call(SYS_timer_create, CLOCK_MONOTONIC, &sev, &id);
	struct itimerspec its = { { 100, 0 }, { 100, 0 } }, old;
	call(SYS_timer_settime, id, 0, &its, &old);
	int tfd = call(SYS_timerfd_create, CLOCK_MONOTONIC, 0);
	call(SYS_timerfd_settime, tfd, 0, &its, &old);
	struct itimerval it = { { 100, 0 }, { 100, 0 } }, was;
	call(SYS_setitimer, ITIMER_REAL, &it, &was);
	memset(&it, 0, sizeof(it));
	call(SYS_setitimer, ITIMER_REAL, &it, &was);
	struct timex adj = { .modes = 0 };
	call(SYS_adjtimex, &adj);
	call(SYS_clock_adjtime, CLOCK_REALTIME, &adj);
	call(SYS_signalfd4, -1, &none, 8, 0);
#ifdef SYS_signalfd
	call(SYS_signalfd, -1, &none, 8);
#endif
	unsigned word = 1, other = 1;
	struct { uint64_t value, addr; uint32_t flags, reserved; } waits[2] = { { 0, (uintptr_t) &word, 2 }, { 0, (uintptr_t) &other, 2 } };
	struct timespec soon = { 0, 1 };
	call(SYS_futex, &word, FUTEX_WAIT, 1, &soon, 0, 0);
	call(449 /* futex_waitv */, waits, 2, 0, &soon, CLOCK_MONOTONIC);
	call(455 /* futex_wait */, &word, 1, ~0ul, 2, &soon, CLOCK_MONOTONIC);
	call(456 /* futex_requeue */, waits, 0, 0, 0);
}

static void processes(void)
{
	cpu_set_t cpus;
	struct sched_param param = { 0 };
	struct { uint32_t size, policy; uint64_t flags; int nice; uint32_t priority; uint64_t times[3]; uint32_t util[2]; } attr = { 56 };
	struct rlimit limit;
	stack_t stack = { malloc(65536), 0, 65536 }, old;
	struct { unsigned version; int pid; } header = { 0x20080522, 0 };
	struct { unsigned effective, permitted, inheritable; } caps[2];
	gid_t groups[2] = { 0, 1 };
	siginfo_t info = { .si_signo = SIGCHLD, .si_code = -1 };
	char name[] = "successes";

	call(SYS_sched_getaffinity, 0, sizeof(cpus), &cpus);
	call(SYS_sched_setaffinity, 0, sizeof(cpus), &cpus);
	call(SYS_sched_setparam, 0, &param);
	call(SYS_sched_setscheduler, 0, 0, &param);
	call(SYS_sched_getattr, 0, &attr, 56, 0);
	call(SYS_sched_setattr, 0, &attr, 0);
	getrlimit(RLIMIT_NOFILE, &limit);
	call(SYS_setrlimit, RLIMIT_NOFILE, &limit);
	call(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, &limit);
	call(SYS_sigaltstack, &stack, &old);
	call(SYS_capget, &header, caps);
	call(SYS_capset, &header, caps);
	call(SYS_setgroups, 2, groups);
	call(SYS_rt_sigqueueinfo, getpid(), SIGCHLD, &info);
	call(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGCHLD, &info);
	int pidfd = call(434 /* pidfd_open */, getpid(), 0);
	call(424 /* pidfd_send_signal */, pidfd, SIGCHLD, &info, 0);
	call(SYS_prctl, 15, name);
	struct iovec iov = { name, sizeof(name) };
	char copy[16];
	struct iovec to = { copy, sizeof(copy) };
	call(SYS_process_vm_readv, getpid(), &to, 1, &iov, 1, 0);
	call(SYS_process_vm_writev, getpid(), &iov, 1, &to, 1, 0);
	char *pages = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec advised = { pages, 1 << 16 };
	call(440 /* process_madvise */, pidfd, &advised, 1, 20 /* MADV_COLD */, 0);
	unsigned long nodes[2] = { 1, 0 };
	void *list[2] = { pages, pages + 4096 };
	int target[2] = { 0, 0 }, status[2] = { 5, 5 };
	memset(pages, 1, 1 << 16);
	call(SYS_mbind, pages, 1 << 16, 1, nodes, 64, 0);
	call(SYS_set_mempolicy, 1, nodes, 64);
	call(SYS_set_mempolicy, 0, NULL, 0);
	call(SYS_migrate_pages, 0, 64, nodes, nodes);
	call(SYS_move_pages, 0, 2, list, target, status, 0);
	call(SYS_kcmp, getpid(), getpid(), 0, 0, 1);
#ifdef __x86_64__
	struct { unsigned entry, base, limit, flags; } ldt = { 1, 0, 0xfffff, 0x51 };
	call(SYS_modify_ldt, 1, &ldt, sizeof(ldt));
#endif
	int child = fork();
	if (child == 0)
		pause();
	struct iovec regs = { stack.ss_sp, 4096 };
	call(SYS_ptrace, 0x4206 /* SEIZE */, child, 0, 0);
	call(SYS_ptrace, 0x4207 /* INTERRUPT */, child, 0, 0);
	waitpid(child, 0, 0);
	call(SYS_ptrace, 0x4204 /* GETREGSET */, child, 1, &regs);
	call(SYS_ptrace, 0x4205 /* SETREGSET */, child, 1, &regs);
#ifdef __x86_64__
	call(SYS_ptrace, 12, child, 0, stack.ss_sp);
	call(SYS_ptrace, 13, child, 0, stack.ss_sp);
	call(SYS_ptrace, 14, child, 0, stack.ss_sp);
	call(SYS_ptrace, 15, child, 0, stack.ss_sp);
#endif
	struct { uint64_t off; uint32_t flags, count; } peek = { 0, 0, 1 };
	call(SYS_ptrace, 0x4209 /* PEEKSIGINFO */, child, &peek, &info);
	uint64_t mask = 0;
	call(SYS_ptrace, 0x420a, child, 8, &mask);
	call(SYS_ptrace, 0x420b, child, 8, &mask);
	kill(child, SIGKILL);
	waitpid(child, 0, 0);
}

static void communication(void)
{
	struct mq_attr attr = { 0, 5, 64 }, got;
	struct timespec ts = { 1 << 30, 0 };
	char buf[64];
	unsigned priority;
	int queue = call(SYS_mq_open, "successes", O_CREAT | O_RDWR, 0600, &attr);
	struct sigevent sev = { .sigev_notify = SIGEV_NONE };
	call(SYS_mq_timedsend, queue, "hello", 5, 1, &ts);
	call(SYS_mq_timedreceive, queue, buf, 64, &priority, &ts);
	call(SYS_mq_getsetattr, queue, &attr, &got);
	call(SYS_mq_notify, queue, &sev);
	call(SYS_mq_unlink, "successes");
	struct { long type; char text[8]; } message = { 1, "text" };
	int msq = msgget(IPC_PRIVATE, 0600), sem = semget(IPC_PRIVATE, 2, 0600), shm = shmget(IPC_PRIVATE, 4096, 0600);
	call(SYS_msgsnd, msq, &message, 4, 0);
	call(SYS_msgrcv, msq, &message, 8, 0, 0);
	struct msqid_ds ds;
	call(SYS_msgctl, msq, IPC_STAT, &ds);
	call(SYS_msgctl, msq, IPC_SET, &ds);
	call(SYS_msgctl, msq, IPC_RMID, 0);
	struct sembuf op = { 0, 1, 0 };
	call(SYS_semtimedop, sem, &op, 1, &ts);
	struct semid_ds sds;
	unsigned short values[2] = { 3, 4 };
	call(SYS_semctl, sem, 0, IPC_STAT, &sds);
	call(SYS_semctl, sem, 0, IPC_SET, &sds);
	call(SYS_semctl, sem, 0, SETALL, values);
	call(SYS_semctl, sem, 0, IPC_RMID, 0);
	struct shmid_ds hds;
	call(SYS_shmctl, shm, IPC_STAT, &hds);
	call(SYS_shmctl, shm, IPC_SET, &hds);
	call(SYS_shmctl, shm, IPC_RMID, 0);
	call(SYS_sethostname, "successes", 9);
	call(SYS_setdomainname, "successes", 9);
	call(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	int key = call(SYS_add_key, "user", "successes", "payload", 7, -3);
	call(SYS_request_key, "user", "successes", NULL, 0);
	call(SYS_keyctl, KEYCTL_UPDATE, key, "payload2", 8);
	call(SYS_keyctl, KEYCTL_SEARCH, -3, "user", "successes", 0);
	struct iovec iov = { "more", 4 };
	call(SYS_keyctl, KEYCTL_DESCRIBE, key, buf, sizeof(buf));
	call(SYS_keyctl, KEYCTL_READ, key, buf, sizeof(buf));
	struct { int private, prime, base; } params = { key, key, key };
	call(SYS_keyctl, KEYCTL_DH_COMPUTE, &params, buf, sizeof(buf), 0);
}

static void mounts(void)
{
	struct { uint32_t size, spare; uint64_t id, param, ns; } request = { 32, 0, -1, 0, 0 };
	uint64_t ids[16], answer[256];
	struct { uint32_t size, spare; uint64_t id; uint32_t type, spare2; uint64_t user; } listed = { 32, 0, 0, 0, 0, 0 };
	struct { uint64_t set, clear, propagation, userns; } attr = { 0, 0, MS_PRIVATE };

	mkdir("successes.dir", 0700);
	mount("none", "successes.dir", "tmpfs", 0, "size=1m");
	long n = call(458 /* listmount */, &request, ids, 16, 0);
	request.id = n > 0 ? ids[0] : 1, request.param = 0x7f;
	call(457 /* statmount */, &request, answer, sizeof(answer), 0);
	call(470 /* listns */, &listed, ids, 16, 0);
	call(442 /* mount_setattr */, AT_FDCWD, "successes.dir", 0, &attr, sizeof(attr));
	call(467 /* open_tree_attr */, AT_FDCWD, "successes.dir", 1, &attr, sizeof(attr));
	int fs = call(430 /* fsopen */, "tmpfs", 0);
	call(431 /* fsconfig */, fs, 1, "size", "1m", 0);
	call(431, fs, 6, 0, 0, 0);
	call(SYS_umount2, "successes.dir", MNT_DETACH);
	rmdir("successes.dir");
	uint32_t size = sizeof(answer);
	call(459 /* lsm_get_self_attr */, 100, answer, &size, 0);
	size = sizeof(answer);
	call(461 /* lsm_list_modules */, answer, &size, 0);
	struct { uint64_t fs, net, scoped; } rules = { 4, 0, 0 };
	int ruleset = call(444 /* landlock_create_ruleset */, &rules, 8, 0);
	struct { uint64_t access; int parent; } __attribute__((packed)) rule = { 4, open(".", O_PATH) };
	call(445 /* landlock_add_rule */, ruleset, 1, &rule, 0);
}

static void programs(void)
{
	struct { uint32_t type, key, value, count; char rest[56]; } create = { BPF_MAP_TYPE_HASH, 4, 4, 8 };
	int map = call(SYS_bpf, BPF_MAP_CREATE, &create, sizeof(create));
	uint32_t key = 1, value = 2, next;
	struct { uint32_t map, pad; uint64_t key, value, flags; } element = { map, 0, (uintptr_t) &key, (uintptr_t) &value };
	struct { uint32_t map, pad; uint64_t key, next; } after = { map, 0, 0, (uintptr_t) &next };
	struct { uint32_t id, next, flags; } by_id = { 0, 7, 0 };
	struct { uint32_t fd, len; uint64_t info; } info = { map, 0, 0 };
	char text[512] = { 0 };

	call(SYS_bpf, BPF_MAP_UPDATE_ELEM, &element, sizeof(element));
	call(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &element, sizeof(element));
	call(SYS_bpf, BPF_MAP_GET_NEXT_KEY, &after, sizeof(after));
	call(SYS_bpf, BPF_MAP_LOOKUP_AND_DELETE_ELEM, &element, sizeof(element));
	call(SYS_bpf, BPF_MAP_GET_NEXT_ID, &by_id, 8);
	by_id.id = by_id.next, by_id.next = 0;
	call(SYS_bpf, BPF_MAP_GET_FD_BY_ID, &by_id, 4);
	info.len = sizeof(text), info.info = (uintptr_t) text;
	call(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &info, sizeof(info));
	call(SYS_bpf, BPF_MAP_FREEZE, &map, 4);
	call(SYS_bpf, BPF_ENABLE_STATS, (uint32_t [1]) { 0 }, 4);
	struct perf_event_attr perf = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(perf), .config = PERF_COUNT_SW_TASK_CLOCK };
	int event = call(SYS_perf_event_open, &perf, 0, -1, -1, 0);
	uint64_t period = 1000;
	ioctl(event, PERF_EVENT_IOC_PERIOD, &period);
	ioctl(event, PERF_EVENT_IOC_ID, &period);
}

static void rings(void)
{
	struct io_uring_params params = { .flags = 0 };
	int ring = call(425, 8, &params);
	char *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec iov = { page, 4096 };
	int fds[2] = { 0, 1 }, event = call(SYS_eventfd2, 0, 0);
	struct { uint32_t offset, reserved; uint64_t fds; } update = { 0, 0, (uintptr_t) fds };
	struct { uint32_t offset, reserved; uint64_t data; } own = { -1, 0, ring };
	uint32_t workers[2] = { 0, 0 };
	struct { uint64_t addr; uint32_t entries; uint16_t group, flags; uint64_t reserved[3]; } buffers = { 0, 8, 1, 1 };

	call(427, ring, 0, &iov, 1);
	call(427, ring, 2, fds, 2);
	call(427, ring, 6, &update, 2);
	call(427, ring, 3, 0, 0);
	call(427, ring, 4, &event, 1);
	call(427, ring, 20, &own, 1);
	call(427, ring, 21, &own, 1);
	call(427, ring, 19, workers, 2);
	call(427, ring, 22, &buffers, 1);
	buffers.entries = 0;
	call(427, ring, 23, &buffers, 1);
	char probe[16 + 64 * 8] = { 0 };
	call(427, ring, 8, probe, 64);
	struct { uint64_t mask; uint32_t size, wait; uint64_t ts; } extended = { 0, 8, 0, 0 };
	struct { int64_t seconds, ns; } soon = { 0, 1000 };
	extended.ts = (uintptr_t) &soon;
	call(426, ring, 0, 0, 9, &extended, sizeof(extended));
	struct { uint32_t clock, reserved[3]; } clock = { CLOCK_BOOTTIME };
	call(427, ring, 29, &clock, 0);
}

static void terminals(void)
{
	int terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY), on = 1, n = 0;
	struct termios t;
	char buf[128] = { 0 };
	ioctl(terminal, TIOCSPTLCK, &n);
	ioctl(terminal, TCGETS, buf);
	ioctl(terminal, TCSETS, buf);
	ioctl(terminal, TCGETA, buf);
	ioctl(terminal, TCSETA, buf);
	ioctl(terminal, 0x802c542a, buf);
	ioctl(terminal, 0x402c542b, buf);
	ioctl(terminal, TIOCPKT, &on);
	ioctl(terminal, FIONBIO, &on);
	ioctl(terminal, FIOASYNC, &on);
	ioctl(terminal, TIOCGWINSZ, buf);
	ioctl(terminal, TIOCSWINSZ, buf);
	int loop = open("/dev/random", O_RDWR);
	ioctl(loop, 0x80045200, &n);
	int uffd = call(SYS_userfaultfd, O_CLOEXEC);
	struct { uint64_t api, features, ioctls; } api = { 0xaa, 0, 0x5a5a };
	char *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct { uint64_t start, len, mode, ioctls; } range = { (uintptr_t) page, 8192, 1, 0x5a5a };
	struct { uint64_t to, from, len, mode; int64_t copied; } copy = { (uintptr_t) page, 0, 4096, 0, 0x5a5a };
	struct { uint64_t start, len, mode; int64_t zeroed; } zero = { (uintptr_t) page + 4096, 4096, 0, 0x5a5a };
	char *from = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	from[0] = 1, copy.from = (uintptr_t) from;
	ioctl(uffd, 0xc018aa3f, &api);
	ioctl(uffd, 0xc020aa00, &range);
	ioctl(uffd, 0xc028aa03, &copy);
	ioctl(uffd, 0xc020aa04, &zero);
	ioctl(uffd, 0x8010aa02, &range);
	ioctl(uffd, 0x8010aa01, &range);
}

int main(void)
{
	unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC);
	mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
	// No call may keep the test waiting.
	alarm(60);
	signal(SIGCHLD, SIG_IGN);
	files();
	sockets();
	waiting();
	communication();
	mounts();
	programs();
	rings();
	terminals();
	signal(SIGCHLD, SIG_DFL);
	processes();
	return 0;
}
