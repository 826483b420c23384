// stride: -e trace=sendto,recvmsg -a1
// A request over netlink, its attributes, and an acknowledgement.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "shown.h"

int main(void)
{
	struct { struct nlmsghdr h; struct ifinfomsg i; struct nlattr a; char name[8]; } get = {
		{ sizeof(get), RTM_GETLINK, NLM_F_REQUEST | NLM_F_ACK, 7, 0 }, { .ifi_family = AF_UNSPEC }, { 12, IFLA_IFNAME }, "nolink0"
	};
	struct { struct nlmsghdr h; struct rtgenmsg g; } dump = {
		{ NLMSG_LENGTH(sizeof(struct rtgenmsg)), 0x3ff, NLM_F_REQUEST, 8, 0 }, { AF_INET }
	};
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	socklen_t len = sizeof(addr);
	char answer[512];
	struct iovec iov = { answer, sizeof(answer) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	if (fd < 0 || bind(fd, (void *) &addr, sizeof(addr))) {
		fprintf(stderr, "skip: no netlink here\n");
		return 77;
	}
	getsockname(fd, (void *) &addr, &len);
	chdir("MARKER");

	sendto(fd, &get, sizeof(get), 0, NULL, 0);
	printf("sendto(%d, [{nlmsg_len=44, nlmsg_type=RTM_GETLINK, nlmsg_flags=NLM_F_REQUEST|NLM_F_ACK, nlmsg_seq=7, nlmsg_pid=0}, "
	       "{ifi_family=AF_UNSPEC, ifi_type=ARPHRD_NETROM, ifi_index=0, ifi_flags=0, ifi_change=0}, "
	       "[{nla_len=12, nla_type=IFLA_IFNAME}, \"nolink0\"]], 44, 0, NULL, 0) = 44\n", fd);
	long got = recvmsg(fd, &msg, 0);
	printf("recvmsg(%d, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=[{nlmsg_len=%ld, nlmsg_type=NLMSG_ERROR, nlmsg_flags=0, "
	       "nlmsg_seq=7, nlmsg_pid=%u}, {error=-ENODEV, msg=[{nlmsg_len=44, nlmsg_type=RTM_GETLINK, "
	       "nlmsg_flags=NLM_F_REQUEST|NLM_F_ACK, nlmsg_seq=7, nlmsg_pid=0}, {ifi_family=AF_UNSPEC, ifi_type=ARPHRD_NETROM, "
	       "ifi_index=0, ifi_flags=0, ifi_change=0}, [{nla_len=12, nla_type=IFLA_IFNAME}, \"nolink0\"]]}], iov_len=512}], "
	       "msg_iovlen=1, msg_controllen=0, msg_flags=0}, 0) = %ld\n", fd, got, addr.nl_pid, got);
	sendto(fd, &dump, dump.h.nlmsg_len, 0, NULL, 0);
	printf("sendto(%d, [{nlmsg_len=17, nlmsg_type=0x3ff /* RTM_??? */, nlmsg_flags=NLM_F_REQUEST, nlmsg_seq=8, nlmsg_pid=0}, "
	       "{family=AF_INET}], 17, 0, NULL, 0) = 17\n", fd);
	/* The end of this message cannot be read. */
	char *end = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;
	munmap(end, 4096);
	memcpy(end - 32, &get, 32);
	sendto(fd, end - 32, sizeof(get), 0, NULL, 0);
	printf("sendto(%d, [{nlmsg_len=44, nlmsg_type=RTM_GETLINK, nlmsg_flags=NLM_F_REQUEST|NLM_F_ACK, nlmsg_seq=7, nlmsg_pid=0}, "
	       "{ifi_family=AF_UNSPEC, ifi_type=ARPHRD_NETROM, ifi_index=0, ifi_flags=0, ifi_change=0}, %p], 44, 0, NULL, 0) = "
	       "-1 EFAULT (Bad address)\n", fd, end);
	sendto(fd, "GET / HTTP/1.0\r\n\r\n", 18, MSG_DONTWAIT, NULL, 0);
	printf("sendto(%d, \"GET / HTTP/1.0\\r\\n\\r\\n\", 18, MSG_DONTWAIT, NULL, 0) = 18\n", fd);
	/* These bytes could be a message, but the socket is another one. A moment later its number is the netlink socket's. */
	int pair[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	sendto(pair[0], "\20\0\0\0binary bytes", 16, 0, NULL, 0);
	dup2(fd, pair[0]);
	wait_until_shown("binary bytes", 1);
	printf("sendto(%d, \"\\20\\0\\0\\0binary bytes\", 16, 0, NULL, 0) = 16\n", pair[0]);
	fflush(stdout);
	_exit(0);
}
