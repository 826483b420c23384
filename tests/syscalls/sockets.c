// stride: -e trace=%network -a1
// A TCP server and its client in one process, a pair of Unix sockets, messages with descriptors, socket options.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void tcp(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in peer;
	socklen_t len = sizeof(addr);
	int one = 1, port, server, client, conn;
	char buf[64];

	server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	printf("socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = %d\n", server);
	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	printf("setsockopt(%d, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0\n", server);
	bind(server, (void *) &addr, sizeof(addr));
	printf("bind(%d, {sa_family=AF_INET, sin_port=htons(0), sin_addr=inet_addr(\"127.0.0.1\")}, 16) = 0\n", server);
	listen(server, 5);
	printf("listen(%d, 5) = 0\n", server);
	getsockname(server, (void *) &addr, &len);
	port = ntohs(addr.sin_port);
	printf("getsockname(%d, {sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr(\"127.0.0.1\")}, [16]) = 0\n",
	       server, port);
	client = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	printf("socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = %d\n", client);
	connect(client, (void *) &addr, sizeof(addr));
	printf("connect(%d, {sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr(\"127.0.0.1\")}, 16) = 0\n", client, port);
	len = 64;
	conn = accept4(server, (void *) &peer, &len, SOCK_NONBLOCK);
	printf("accept4(%d, {sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr(\"127.0.0.1\")}, [64 => 16], SOCK_NONBLOCK) = %d\n",
	       server, ntohs(peer.sin_port), conn);
	setsockopt(client, SOL_TCP, TCP_NODELAY, &one, sizeof(one));
	printf("setsockopt(%d, SOL_TCP, TCP_NODELAY, [1], 4) = 0\n", client);
	send(client, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL);
	printf("sendto(%d, \"GET / HTTP/1.0\\r\\n\\r\\n\", 18, MSG_NOSIGNAL, NULL, 0) = 18\n", client);
	recv(conn, buf, sizeof(buf), 0);
	printf("recvfrom(%d, \"GET / HTTP/1.0\\r\\n\\r\\n\", 64, 0, NULL, NULL) = 18\n", conn);
	recv(conn, buf, sizeof(buf), 0);
	printf("recvfrom(%d, %p, 64, 0, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable)\n", conn, buf);
	shutdown(client, SHUT_WR);
	printf("shutdown(%d, SHUT_WR) = 0\n", client);
	one = 0;
	len = sizeof(one);
	getsockopt(client, SOL_SOCKET, SO_ERROR, &one, &len);
	printf("getsockopt(%d, SOL_SOCKET, SO_ERROR, [0], [4]) = 0\n", client);
}

static void messages(void)
{
	int sv[2], passed = 1;
	char text[32], control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov[2] = { { "one", 3 }, { "two", 3 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2, .msg_control = control, .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	socketpair(AF_UNIX, SOCK_STREAM, 0, sv);
	printf("socketpair(AF_UNIX, SOCK_STREAM, 0, [%d, %d]) = 0\n", sv[0], sv[1]);
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	memcpy(CMSG_DATA(cmsg), &passed, sizeof(int));
	sendmsg(sv[0], &msg, 0);
	printf("sendmsg(%d, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"one\", iov_len=3}, {iov_base=\"two\", iov_len=3}], "
	       "msg_iovlen=2, msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[1]}], "
	       "msg_controllen=24, msg_flags=0}, 0) = 6\n", sv[0]);
	iov[0] = (struct iovec) { text, sizeof(text) };
	msg.msg_iovlen = 1;
	recvmsg(sv[1], &msg, MSG_CMSG_CLOEXEC);
	memcpy(&passed, CMSG_DATA(cmsg), sizeof(int));
	printf("recvmsg(%d, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"onetwo\", iov_len=32}], msg_iovlen=1, "
	       "msg_control=[{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[%d]}], msg_controllen=24, "
	       "msg_flags=MSG_CMSG_CLOEXEC}, MSG_CMSG_CLOEXEC) = 6\n", sv[1], passed);
	recvmsg(sv[1], &msg, MSG_DONTWAIT);
	printf("recvmsg(%d, {msg_namelen=0}, MSG_DONTWAIT) = -1 EAGAIN (Resource temporarily unavailable)\n", sv[1]);

	/* Data of another size than the type has. */
	char short_of[2][CMSG_SPACE(16)] = { 0 };
	struct { int type; unsigned size; } kinds[] = { { IP_RECVERR, 16 }, { IP_PKTINFO, 4 } };
	for (int i = 0; i < 2; i++) {
		struct cmsghdr *c = (void *) short_of[i];
		char shown[80] = "";
		*c = (struct cmsghdr) { CMSG_LEN(kinds[i].size), IPPROTO_IP, kinds[i].type };
		for (unsigned j = 0; j < kinds[i].size; j++)
			sprintf(shown + 4 * j, "\\x%02x", CMSG_DATA(c)[j] = 0x40 + j);
		struct msghdr odd = { .msg_control = c, .msg_controllen = c->cmsg_len };
		sendmsg(-1, &odd, 0);
		printf("sendmsg(-1, {msg_name=NULL, msg_namelen=0, msg_iov=NULL, msg_iovlen=0, msg_control=[{cmsg_len=%zu, cmsg_level=SOL_IP, "
		       "cmsg_type=%s, cmsg_data=\"%s\"}], msg_controllen=%zu, msg_flags=0}, 0) = -1 EBADF (Bad file descriptor)\n",
		       (size_t) c->cmsg_len, i ? "IP_PKTINFO" : "IP_RECVERR", shown, (size_t) c->cmsg_len);
	}

	/* More data than the type needs. */
	struct { int type; const char *shown; } longer[] = {
		{ IP_TTL, "IP_TTL, cmsg_data=[16843009, 16843009]" }, { IP_TOS, "IP_TOS, cmsg_data=[0x1, 0x1, 0x1, 0x1, 0x1, 0x1, 0x1, 0x1]" },
	};
	for (int i = 0; i < 2; i++) {
		struct cmsghdr *c = (void *) short_of[0];
		*c = (struct cmsghdr) { CMSG_LEN(8), IPPROTO_IP, longer[i].type };
		memset(CMSG_DATA(c), 1, 8);
		struct msghdr odd = { .msg_control = c, .msg_controllen = c->cmsg_len };
		sendmsg(-1, &odd, 0);
		printf("sendmsg(-1, {msg_name=NULL, msg_namelen=0, msg_iov=NULL, msg_iovlen=0, msg_control=[{cmsg_len=%zu, cmsg_level=SOL_IP, "
		       "cmsg_type=%s}], msg_controllen=%zu, msg_flags=0}, 0) = -1 EBADF (Bad file descriptor)\n",
		       (size_t) c->cmsg_len, longer[i].shown, (size_t) c->cmsg_len);
	}

	struct mmsghdr many[2] = { { .msg_hdr = { .msg_iov = iov, .msg_iovlen = 1 } }, { .msg_hdr = { .msg_iovlen = 0 } } };
	iov[0] = (struct iovec) { "x", 1 };
	sendmmsg(sv[0], many, 2, 0);
	printf("sendmmsg(%d, [{msg_hdr={msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"x\", iov_len=1}], msg_iovlen=1, "
	       "msg_controllen=0, msg_flags=0}, msg_len=1}, {msg_hdr={msg_name=NULL, msg_namelen=0, msg_iov=NULL, msg_iovlen=0, "
	       "msg_controllen=0, msg_flags=0}, msg_len=0}], 2, 0) = 2\n", sv[0]);
}

static void names(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/nonexistent/socket" };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(443), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	connect(-1, (void *) &un, sizeof(un));
	printf("connect(-1, {sa_family=AF_UNIX, sun_path=\"/nonexistent/socket\"}, 110) = -1 EBADF (Bad file descriptor)\n");
	memcpy(un.sun_path, "\0abstract", 9);
	bind(-1, (void *) &un, offsetof(struct sockaddr_un, sun_path) + 9);
	printf("bind(-1, {sa_family=AF_UNIX, sun_path=@\"abstract\"}, 11) = -1 EBADF (Bad file descriptor)\n");
	connect(-1, (void *) &in6, sizeof(in6));
	printf("connect(-1, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), "
	       "inet_pton(AF_INET6, \"::1\", &sin6_addr), sin6_scope_id=0}, 28) = -1 EBADF (Bad file descriptor)\n");
	connect(-1, (void *) none, 16);
	printf("connect(-1, %p, 16) = -1 EBADF (Bad file descriptor)\n", none);
	accept(-1, (void *) none, (void *) none);
	printf("accept(-1, %p, %p) = -1 EBADF (Bad file descriptor)\n", none, none);
	// Addresses that are longer than their struct: the name of an algorithm may be, and the rest of the other one is shown.
	char longer[100] = { 0 };
	longer[0] = AF_ALG;
	memset(longer + 24, 'a', 70);
	bind(-1, (void *) longer, 100);
	printf("bind(-1, {sa_family=AF_ALG, salg_type=\"\", salg_feat=0, salg_mask=0, "
	       "salg_name=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}, 100) = -1 EBADF (Bad file descriptor)\n");
	memset(longer, 0, sizeof(longer));
	longer[0] = AF_RXRPC;
	longer[6] = 60;
	longer[8] = 99;
	longer[39] = 'x';
	bind(-1, (void *) longer, 40);
	printf("bind(-1, {sa_family=AF_RXRPC, srx_service=0 /* ???_SERVICE */, transport_type=0 /* SOCK_??? */, transport_len=60, transport={family=0x63 /* AF_??? */, "
	       "\"\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0x\"}}, 40) = -1 EBADF (Bad file descriptor)\n");
	// A negative number of digipeaters is none.
	memset(longer, 0x10, sizeof(longer));
	longer[0] = AF_AX25;
	longer[1] = 0;
	memset(longer + 12, -1, 4);
	bind(-1, (void *) longer, 37);
	printf("bind(-1, {sa_family=AF_AX25, fsa_ax25={sax25_call={ax25_call=\"\\x10\\x10\\x10\\x10\\x10\\x10\\x10\"}, sax25_ndigis=-1}}, 37) = "
	       "-1 EBADF (Bad file descriptor)\n");
	socket(AF_NETLINK, 0xfd, 99);
	printf("socket(AF_NETLINK, 0xfd /* SOCK_??? */, 0x63 /* NETLINK_??? */) = -1 EINVAL (Invalid argument)\n");
	socket(99, 0, 0);
	printf("socket(0x63 /* AF_??? */, 0, 0) = -1 EAFNOSUPPORT (Address family not supported by protocol)\n");
}

int main(void)
{
	chdir("MARKER");
	tcp();
	messages();
	names();
	fflush(stdout);
	_exit(0);
}
