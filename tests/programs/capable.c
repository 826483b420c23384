// Does one thing that a program may do with a capability (capabilities(7)), as its argument says. Exits with 0 if that worked, with 1 if it was refused, and
// with 77 if this machine cannot do it at all.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { OTHER = 65534 };

static int a_file(void) {
	int fd = open("capable-file", O_CREAT | O_RDWR, 0600);
	unlink("capable-file");
	return fd;
}

// A child with another user's id, which waits until this process ends.
static pid_t other_user(void) {
	int ready[2], alive[2];
	char byte;
	if (pipe(ready) != 0 || pipe(alive) != 0) exit(1);
	pid_t child = fork();
	if (child == 0) {
		close(alive[1]);
		if (setuid(OTHER) != 0 || write(ready[1], "", 1) != 1) _exit(1);
		close(ready[1]);
		_exit((int)read(alive[0], &byte, 1));
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) exit(1);
	return child;
}

static int does_chown(void) { return fchown(a_file(), OTHER, -1); }
static int does_chgrp(void) { return fchown(a_file(), -1, OTHER); }
static int does_kill(void) { return kill(other_user(), SIGTERM); }
static int does_mknod(void) {
	int result = mknod("capable-node", S_IFCHR | 0600, makedev(1, 3));
	unlink("capable-node");
	return result;
}
static int does_setuid(void) { return setuid(OTHER); }
static int does_setfsuid(void) {
	syscall(SYS_setfsuid, OTHER);
	// (The call has no error: it gives the id that was in force before.)
	errno = EPERM;
	return syscall(SYS_setfsuid, -1) == OTHER ? 0 : -1;
}
static int does_groups(void) {
	gid_t group = OTHER;
	return setgroups(1, &group);
}
static int does_chroot(void) { return chroot("/"); }
static int does_nice(void) { return setpriority(PRIO_PROCESS, 0, -5); }
static int does_fifo(void) {
	struct sched_param param = {.sched_priority = 1};
	return sched_setscheduler(0, SCHED_FIFO, &param);
}
static int does_mlock(void) {
	struct rlimit none = {0, 0};
	static char page[8192];
	setrlimit(RLIMIT_MEMLOCK, &none);
	return mlock(page, sizeof page);
}
static int does_locked(void) {
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_MEMLOCK, &none);
	return mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0) == MAP_FAILED ? -1 : 0;
}
static int does_bounding(void) { return prctl(PR_CAPBSET_DROP, 37, 0, 0, 0); }
static int does_mark(void) {
	int mark = 1;
	return setsockopt(socket(AF_INET, SOCK_DGRAM, 0), SOL_SOCKET, SO_MARK, &mark, sizeof mark);
}
static int does_buffer(void) {
	int size = 1 << 20;
	return setsockopt(socket(AF_UNIX, SOCK_STREAM, 0), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
}
static int does_port(void) {
	FILE *start = fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "r");
	int first = 1024;
	if (start && fscanf(start, "%d", &first) == 1 && first < 1024) exit(77);
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	for (int port = 1; port < 1024; port++) {
		address.sin_port = htons(port);
		if (bind(socket(AF_INET, SOCK_STREAM, 0), (void *)&address, sizeof address) == 0) return 0;
		if (errno != EADDRINUSE) return -1;
	}
	exit(77);
}
static int does_raw(void) { return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static int does_packet(void) { return socket(AF_PACKET, SOCK_DGRAM, 0); }
static int does_alarm(void) { return timerfd_create(CLOCK_BOOTTIME_ALARM, 0); }
static int does_namespace(void) { return unshare(CLONE_NEWUTS); }
static int does_clone3(void) {
	struct clone_args args = {.flags = CLONE_NEWUTS, .exit_signal = SIGCHLD};
	long child = syscall(SYS_clone3, &args, sizeof args);
	if (child == 0) _exit(0);
	return child < 0 ? -1 : 0;
}
static int does_other(void) {
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/environ", other_user());
	return open(path, O_RDONLY);
}
// Gives the loopback device of a new network another address.
static int does_address(void) {
	if (unshare(CLONE_NEWNET) != 0) return -1;
	struct {
		struct nlmsghdr head;
		struct ifaddrmsg body;
		struct rtattr attribute;
		uint32_t address;
	} message = {
		.head = {sizeof message, RTM_NEWADDR, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE, 1, 0},
		.body = {AF_INET, 32, 0, 0, 1},
		.attribute = {sizeof(struct rtattr) + 4, IFA_LOCAL},
		.address = htonl(0x7f000009),
	};
	int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[256];
	} answer;
	if (send(netlink, &message, sizeof message, 0) < 0 || recv(netlink, &answer, sizeof answer, 0) < 0) return -1;
	errno = -answer.error.error;
	return errno == 0 ? 0 : -1;
}
// Asks for the addresses, as getaddrinfo(3) does.
static int does_addresses(void) {
	struct {
		struct nlmsghdr head;
		struct rtgenmsg body;
	} message = {.head = {sizeof message, RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP, 1, 0}};
	char answer[8192];
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	if (sendto(netlink, &message, sizeof message, 0, (void *)&kernel, sizeof kernel) < 0) return -1;
	return recv(netlink, answer, sizeof answer, 0) < 0 ? -1 : 0;
}
// Says that it is another user.
static int does_credentials(void) {
	int pair[2];
	struct ucred other = {getpid(), OTHER, OTHER};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof other)];
	} control = {.head = {CMSG_LEN(sizeof other), SOL_SOCKET, SCM_CREDENTIALS}};
	struct iovec byte = {"x", 1};
	struct msghdr message = {.msg_iov = &byte, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	memcpy(CMSG_DATA(&control.head), &other, sizeof other);
	return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 && sendmsg(pair[0], &message, 0) == 1 ? 0 : -1;
}
static int does_lease(void) {
	int fd = open("capable-file", O_CREAT | O_RDONLY, 0600);
	unlink("capable-file");
	return fchown(fd, OTHER, -1) == 0 ? fcntl(fd, F_SETLEASE, F_RDLCK) : -1;
}
static int does_attribute(void) {
	int result = fsetxattr(a_file(), "trusted.capable", "x", 1, 0);
	if (result != 0 && errno == EOPNOTSUPP) exit(77);
	return result;
}
static int does_filter(void) {
	struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
	struct sock_fprog filter = {1, &allow};
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}
// Another user's shared memory.
static int does_memory(void) {
	struct shmid_ds facts;
	int ids[2], segment = -1;
	if (pipe(ids) != 0) return -1;
	if (fork() == 0) {
		if (setuid(OTHER) == 0) segment = shmget(IPC_PRIVATE, 4096, 0600);
		_exit(write(ids[1], &segment, sizeof segment) != sizeof segment);
	}
	if (read(ids[0], &segment, sizeof segment) != sizeof segment || segment < 0) return -1;
	int asked = shmctl(segment, IPC_STAT, &facts);
	return shmctl(segment, IPC_RMID, 0) == 0 ? asked : -1;
}
// Needs nothing.
static int does_plain(void) {
	int status, pair[2], one = 1, fd = a_file();
	if (fd < 0 || write(fd, "x", 1) != 1 || fchmod(fd, 0640) != 0 || fchown(fd, -1, -1) != 0) return -1;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -1;
	int server = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0) return -1;
	if (bind(server, (void *)&address, sizeof address) != 0 || listen(server, 1) != 0) return -1;
	pid_t child = fork();
	if (child == 0) {
		execl("/bin/true", "true", (char *)0);
		_exit(1);
	}
	waitpid(child, &status, 0);
	return status == 0 ? 0 : -1;
}

static const struct {
	const char *name;
	int (*does)(void);
} things[] = {
	{"chown", does_chown}, {"chgrp", does_chgrp}, {"kill", does_kill}, {"mknod", does_mknod}, {"setuid", does_setuid},
	{"setfsuid", does_setfsuid}, {"groups", does_groups}, {"chroot", does_chroot}, {"nice", does_nice}, {"fifo", does_fifo},
	{"mlock", does_mlock}, {"locked", does_locked}, {"bounding", does_bounding}, {"mark", does_mark}, {"buffer", does_buffer},
	{"port", does_port}, {"raw", does_raw}, {"packet", does_packet}, {"alarm", does_alarm}, {"namespace", does_namespace},
	{"clone3", does_clone3}, {"other", does_other}, {"address", does_address}, {"addresses", does_addresses},
	{"credentials", does_credentials}, {"lease", does_lease}, {"attribute", does_attribute}, {"filter", does_filter},
	{"memory", does_memory}, {"plain", does_plain},
};

int main(int argc, char **argv) {
	for (size_t i = 0; argc == 2 && i < sizeof things / sizeof *things; i++) {
		if (strcmp(things[i].name, argv[1]) == 0) {
			if (things[i].does() >= 0) return 0;
			perror(argv[1]);
			return 1;
		}
	}
	fprintf(stderr, "usage: capable THING\n");
	return 2;
}
