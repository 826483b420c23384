// stride: -e trace=getsockopt,setsockopt -a1
// Socket options: numbers, structs, strings, values that are too short, and unknown options.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void)
{
	char *none = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct linger linger = { 1, 30 };
	struct ucred cred;
	struct ip_mreq mreq = { { htonl(0xe0000001) }, { htonl(0x7f000001) } };
	int sv[2], tcp, value = 0, seven = 7;
	socklen_t len;

	tcp = socket(AF_INET, SOCK_STREAM, 0);
	if (tcp < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sv))
		return 1;
	chdir("MARKER");

	setsockopt(tcp, SOL_SOCKET, SO_KEEPALIVE, &seven, sizeof(seven));
	printf("setsockopt(%d, SOL_SOCKET, SO_KEEPALIVE, [7], 4) = 0\n", tcp);
	len = sizeof(value);
	getsockopt(tcp, SOL_SOCKET, SO_KEEPALIVE, &value, &len);
	printf("getsockopt(%d, SOL_SOCKET, SO_KEEPALIVE, [1], [4]) = 0\n", tcp);
	setsockopt(tcp, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	printf("setsockopt(%d, SOL_SOCKET, SO_LINGER, {l_onoff=1, l_linger=30}, 8) = 0\n", tcp);
	setsockopt(tcp, SOL_SOCKET, SO_LINGER, &linger, 4);
	printf("setsockopt(%d, SOL_SOCKET, SO_LINGER, %p, 4) = -1 EINVAL (Invalid argument)\n", tcp, &linger);
	len = sizeof(cred);
	getsockopt(sv[0], SOL_SOCKET, SO_PEERCRED, &cred, &len);
	printf("getsockopt(%d, SOL_SOCKET, SO_PEERCRED, {pid=%d, uid=%d, gid=%d}, [12]) = 0\n", sv[0], getpid(), getuid(), getgid());
	len = 20;
	getsockopt(sv[0], SOL_SOCKET, SO_PEERCRED, &cred, &len);
	printf("getsockopt(%d, SOL_SOCKET, SO_PEERCRED, {pid=%d, uid=%d, gid=%d}, [20 => 12]) = 0\n", sv[0], getpid(), getuid(), getgid());
	setsockopt(-1, SOL_IP, IP_ADD_MEMBERSHIP, &mreq, sizeof(mreq));
	printf("setsockopt(-1, SOL_IP, IP_ADD_MEMBERSHIP, {imr_multiaddr=inet_addr(\"224.0.0.1\"), "
	       "imr_interface=inet_addr(\"127.0.0.1\")}, 8) = -1 EBADF (Bad file descriptor)\n");
	setsockopt(-1, SOL_TCP, TCP_CONGESTION, "cubic", 5);
	printf("setsockopt(-1, SOL_TCP, TCP_CONGESTION, \"cubic\", 5) = -1 EBADF (Bad file descriptor)\n");
	setsockopt(-1, SOL_TCP, 999, &seven, sizeof(seven));
	printf("setsockopt(-1, SOL_TCP, 0x3e7 /* TCP_??? */, [7], 4) = -1 EBADF (Bad file descriptor)\n");
	setsockopt(-1, 999, 42, &seven, sizeof(seven));
	printf("setsockopt(-1, 0x3e7 /* SOL_?? */, 42, [7], 4) = -1 EBADF (Bad file descriptor)\n");
	setsockopt(-1, SOL_SOCKET, SO_SNDBUF, none, 4);
	printf("setsockopt(-1, SOL_SOCKET, SO_SNDBUF, %p, 4) = -1 EBADF (Bad file descriptor)\n", none);
	getsockopt(-1, SOL_SOCKET, SO_SNDBUF, &value, (void *) none);
	printf("getsockopt(-1, SOL_SOCKET, SO_SNDBUF, %p, %p) = -1 EBADF (Bad file descriptor)\n", &value, none);
	// The kernel reads an int of a longer value.
	setsockopt(-1, 271, 138, "\0\0\0\322\0E", 6);
	printf("setsockopt(-1, SOL_TIPC, TIPC_NODELAY, [-771751936], 6) = -1 EBADF (Bad file descriptor)\n");
	setsockopt(-1, 271, 136, "\7\0\0\0\0\0", 6);
	printf("setsockopt(-1, SOL_TIPC, TIPC_GROUP_LEAVE, [7], 6) = -1 EBADF (Bad file descriptor)\n");
	setsockopt(-1, 271, 137, &seven, sizeof(seven));
	printf("setsockopt(-1, SOL_TIPC, TIPC_SOCK_RECVQ_USED, [7], 4) = -1 EBADF (Bad file descriptor)\n");
	fflush(stdout);
	_exit(0);
}
