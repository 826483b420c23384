// stride: -e trace=sendmsg,recvmsg,sendmmsg,recvmmsg,connect,sendto,getsockopt,ioctl,io_uring_register,pidfd_getfd -e signal=none -y -a1
// Descriptors in the memory of calls. Right after each call, their numbers mean another file.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "result.h"

#ifndef SYS_io_uring_register
# define SYS_io_uring_register 427
#endif
#ifndef SYS_pidfd_open
# define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
# define SYS_pidfd_getfd 438
#endif
#ifndef SO_PEERPIDFD
# define SO_PEERPIDFD 77
#endif
#define UDMABUF_CREATE_LIST _IOW('u', 0x43, unsigned long)
#define REGISTER_EVENTFD 4

static int null, zero;

static unsigned long inode(int fd)
{
	struct stat st;

	fstat(fd, &st);
	return st.st_ino;
}

/* `zero` is /dev/zero again. */
static void begin(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	dup2(fd, zero);
	close(fd);
}

static void end(int fd)
{
	dup2(null, fd);
}

struct message {
	struct iovec iov;
	char text[2];
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
};

static void fill(struct mmsghdr *head, struct message *m, const char *text)
{
	memset(head, 0, sizeof(*head));
	memset(m, 0, sizeof(*m));
	m->text[0] = *text;
	m->iov = (struct iovec) { m->text, 1 };
	head->msg_hdr = (struct msghdr) {
		.msg_iov = &m->iov, .msg_iovlen = 1, .msg_control = &m->control, .msg_controllen = sizeof(m->control)
	};
	m->control.head = (struct cmsghdr) { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
	memcpy(CMSG_DATA(&m->control.head), &zero, sizeof(zero));
}

static int received(struct message *m)
{
	int fd;

	memcpy(&fd, CMSG_DATA(&m->control.head), sizeof(fd));
	return fd;
}

/* A message, and what it is part of. */
static void show(const char *text, int fd, const char *flags)
{
	printf("{msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"%s\", iov_len=1}], msg_iovlen=1, "
	       "msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[%d</dev/zero>]}], "
	       "msg_controllen=24, msg_flags=%s}", text, fd, flags);
}

int main(void)
{
	struct mmsghdr heads[2];
	struct message two[2];
	int sv[2], got, last;

	null = open("/dev/null", O_RDONLY);
	zero = open("/dev/zero", O_RDONLY);
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sv))
		return 1;
	chdir("MARKER");

	begin();
	fill(heads, two, "a");
	sendmsg(sv[0], &heads->msg_hdr, 0);
	end(zero);
	printf("sendmsg(%d<socket:[%lu]>, ", sv[0], inode(sv[0]));
	show("a", zero, "0");
	printf(", 0) = 1\n");

	recvmsg(sv[1], &heads->msg_hdr, MSG_CMSG_CLOEXEC);
	got = received(two);
	end(got);
	printf("recvmsg(%d<socket:[%lu]>, ", sv[1], inode(sv[1]));
	show("a", got, "MSG_CMSG_CLOEXEC");
	printf(", MSG_CMSG_CLOEXEC) = 1\n");

	begin();
	fill(&heads[0], &two[0], "b");
	fill(&heads[1], &two[1], "c");
	syscall(SYS_sendmmsg, sv[0], heads, 2, 0);
	end(zero);
	printf("sendmmsg(%d<socket:[%lu]>, [{msg_hdr=", sv[0], inode(sv[0]));
	show("b", zero, "0");
	printf(", msg_len=1}, {msg_hdr=");
	show("c", zero, "0");
	printf(", msg_len=1}], 2, 0) = 2\n");

	syscall(SYS_recvmmsg, sv[1], heads, 2, 0, NULL);
	got = received(&two[0]);
	last = received(&two[1]);
	end(got);
	end(last);
	printf("recvmmsg(%d<socket:[%lu]>, [{msg_hdr=", sv[1], inode(sv[1]));
	show("b", got, "0");
	printf(", msg_len=1}, {msg_hdr=");
	show("c", last, "0");
	printf(", msg_len=1}], 2, 0, NULL) = 2\n");

	// An address.
	struct { unsigned short family, flags; unsigned ifindex, queue_id, fd; } xdp = { 44, 1, 0, 7, zero };
	begin();
	connect(-1, (struct sockaddr *)&xdp, sizeof(xdp));
	end(zero);
	printf("connect(-1, {sa_family=AF_XDP, sxdp_flags=XDP_SHARED_UMEM, sxdp_ifindex=0, sxdp_queue_id=7, "
	       "sxdp_shared_umem_fd=%d</dev/zero>}, 16) = -1 EBADF (Bad file descriptor)\n", zero);

	// An attribute of a netlink message.
	int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	struct {
		struct nlmsghdr head;
		struct ifinfomsg info;
		struct nlattr attr;
		int fd;
	} link = { { sizeof(link), RTM_GETLINK, NLM_F_DUMP }, {}, { 8, IFLA_NET_NS_FD }, zero };
	struct sockaddr_nl any = { AF_NETLINK };
	if (netlink >= 0 && !bind(netlink, (struct sockaddr *)&any, sizeof(any))) {
		begin();
		long r = sendto(netlink, &link, sizeof(link), 0, NULL, 0);
		end(zero);
		printf("sendto(%d<socket:[%lu]>, [{nlmsg_len=40, nlmsg_type=RTM_GETLINK, nlmsg_flags=NLM_F_DUMP, nlmsg_seq=0, "
		       "nlmsg_pid=0}, {ifi_family=AF_UNSPEC, ifi_type=ARPHRD_NETROM, ifi_index=0, ifi_flags=0, ifi_change=0}, "
		       "[{nla_len=8, nla_type=IFLA_NET_NS_FD}, %d</dev/zero>]], 40, 0, NULL, 0) = %s\n", netlink, inode(netlink), zero,
		       result(r));
	}

	// Descriptors whose place depends on another argument, or on two.
	socklen_t size = sizeof(got);
	if (!socketpair(AF_UNIX, SOCK_STREAM, 0, sv)) {
		long r = getsockopt(sv[0], SOL_SOCKET, SO_PEERPIDFD, &got, &size);
		if (r == 0) {
			end(got);
			printf("getsockopt(%d<socket:[%lu]>, SOL_SOCKET, SO_PEERPIDFD, [%d<anon_inode:[pidfd]>], [4]) = 0\n", sv[0],
			       inode(sv[0]), got);
		} else {
			printf("getsockopt(%d<socket:[%lu]>, SOL_SOCKET, SO_PEERPIDFD, %p, [4]) = %s\n", sv[0], inode(sv[0]), &got,
			       result(r));
		}
	}

	struct { unsigned flags, count; struct { int fd, pad; unsigned long long offset, size; } item; } list = { 0, 1, { zero, 0, 4096, 8192 } };
	begin();
	ioctl(-1, UDMABUF_CREATE_LIST, &list);
	end(zero);
	printf("ioctl(-1, UDMABUF_CREATE_LIST, {flags=0, count=1, list=[{memfd=%d</dev/zero>, offset=4096, size=8192}]}) = "
	       "-1 EBADF (Bad file descriptor)\n", zero);

	begin();
	long r = syscall(SYS_io_uring_register, -1, REGISTER_EVENTFD, &zero, 1);
	const char *shown = result(r);
	end(zero);
	printf("io_uring_register(-1, IORING_REGISTER_EVENTFD, [%d</dev/zero>], 1) = %s\n", zero, shown);

	// A descriptor of another process, which is over soon.
	begin();
	int child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	int pidfd = syscall(SYS_pidfd_open, child, 0);
	got = syscall(SYS_pidfd_getfd, pidfd, zero, 0);
	end(zero);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("pidfd_getfd(%d<anon_inode:[pidfd]>, %d</dev/zero>, 0) = %d</dev/zero>\n", pidfd, zero, got);
	return 0;
}
