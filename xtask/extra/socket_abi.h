/* Socket structs and constants that the kernel keeps in internal headers, though they are ABI.
 * Source: include/linux/socket.h, include/linux/net.h of Linux 6.12. */
#ifndef STRIDE_SOCKET_ABI_H
#define STRIDE_SOCKET_ABI_H
#include <linux/types.h>
#include <linux/socket.h>
#include <linux/uio.h>

typedef __kernel_sa_family_t sa_family_t;

struct sockaddr {
	sa_family_t sa_family;
	char sa_data[14];
};

struct linger {
	int l_onoff;
	int l_linger;
};

/* struct user_msghdr: what sendmsg and recvmsg take. */
struct user_msghdr {
	void *msg_name;
	int msg_namelen;
	struct iovec *msg_iov;
	__kernel_size_t msg_iovlen;
	void *msg_control;
	__kernel_size_t msg_controllen;
	unsigned int msg_flags;
};

struct mmsghdr {
	struct user_msghdr msg_hdr;
	unsigned int msg_len;
};

struct cmsghdr {
	__kernel_size_t cmsg_len;
	int cmsg_level;
	int cmsg_type;
};

struct ucred {
	__u32 pid;
	__u32 uid;
	__u32 gid;
};

/* include/linux/net.h: enum sock_type and the flags that go with it. */
enum sock_type {
	SOCK_STREAM = 1,
	SOCK_DGRAM = 2,
	SOCK_RAW = 3,
	SOCK_RDM = 4,
	SOCK_SEQPACKET = 5,
	SOCK_DCCP = 6,
	SOCK_PACKET = 10,
};
#define SOCK_MAX 11
#define SOCK_TYPE_MASK 0xf
#define SOCK_CLOEXEC 02000000
#define SOCK_NONBLOCK 00004000

/* include/linux/net.h: enum sock_shutdown_cmd */
#define SHUT_RD 0
#define SHUT_WR 1
#define SHUT_RDWR 2
#endif
