/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Descriptors in messages: those that control messages pass (cmsg(3)), and those in addresses. A part of files.bpf.c. */
#ifndef STRIDE_PASSED_H
#define STRIDE_PASSED_H

#define SOL_SOCKET 1
#define SCM_RIGHTS 1
#define SCM_PIDFD 4
#define AF_XDP 44

/* Some call has messages. Otherwise the verifier, which takes milliseconds for these loops, drops them. */
const volatile bool have_messages;

/* Control messages of one message, and messages of one call, that are looked at. */
#define MOST_CONTROLS 16
#define MOST_MESSAGES 64

struct passed {
	/* Message headers: the next one, its size, whether words have 4 bytes. */
	u64 message;
	u32 size;
	u32 narrow;
	/* Control messages: the next one, and the end of all. */
	u64 control;
	u64 end;
	/* Descriptors, and the flags for their records. */
	u64 fd;
	u32 flags;
};

static long send_passed_fd(u64 i, void *ctx)
{
	struct passed *p = ctx;
	int fd;

	if (bpf_probe_read_user(&fd, sizeof(fd), (void *)(p->fd + i * sizeof(fd))))
		return 1;
	send_file(fd, p->flags);
	return 0;
}

/* The next control message: a length, a level, a type, and then the data. */
static long send_of_control(u64 i, void *ctx)
{
	struct passed *p = ctx;
	u32 word = p->narrow ? 4 : 8, head = word + 8;
	u64 len = 0, room = p->end - p->control;
	u32 what[2];

	if (p->control >= p->end || room < head || bpf_probe_read_user(&len, p->narrow ? 4 : 8, (void *)p->control) || len < head ||
	    len > room || bpf_probe_read_user(what, sizeof(what), (void *)(p->control + word)))
		return 1;
	if (what[0] == SOL_SOCKET && (what[1] == SCM_RIGHTS || what[1] == SCM_PIDFD)) {
		u64 n = (len - head) / sizeof(int);

		p->fd = p->control + head;
		bpf_loop(n < MANY ? n : MANY, send_passed_fd, p, 0);
	}
	p->control += (len + word - 1) & -(u64)word;
	return 0;
}

/* The next struct msghdr. */
static long send_of_message(u64 i, void *ctx)
{
	struct passed *p = ctx;
	/* msg_control and msg_controllen. */
	u64 wide[2] = {};
	u32 narrow[2] = {};

	if (p->narrow) {
		if (bpf_probe_read_user(narrow, sizeof(narrow), (void *)(p->message + 16)))
			return 1;
		wide[0] = narrow[0];
		wide[1] = narrow[1];
	} else if (bpf_probe_read_user(wide, sizeof(wide), (void *)(p->message + 32))) {
		return 1;
	}
	p->message += p->size;
	p->control = wide[0];
	p->end = wide[0] + wide[1];
	if (wide[0])
		bpf_loop(MOST_CONTROLS, send_of_control, p, 0);
	return 0;
}

/* Sends what the descriptors refer to that `n` messages pass. The headers of several are members of struct mmsghdr. */
static __always_inline void send_passed(u32 abi, u64 message, u64 n, u32 flags)
{
	struct passed p = { .message = message, .narrow = abi == ABI_I386, .flags = flags };

	p.size = p.narrow ? 32 : 64;
	if (have_messages && message)
		bpf_loop(n < MOST_MESSAGES ? n : MOST_MESSAGES, send_of_message, &p, 0);
}

/* struct sockaddr_xdp shares the memory of another socket. */
static __always_inline void send_of_address(u64 address)
{
	struct {
		u16 family;
		u16 flags;
		u32 ifindex;
		u32 queue_id;
		int shared_umem_fd;
	} xdp;

	if (address && !bpf_probe_read_user(&xdp, sizeof(xdp), (void *)address) && xdp.family == AF_XDP)
		send_file(xdp.shared_umem_fd, 0);
}

/* True if the descriptor that was sent last is a netlink socket. */
static __always_inline bool was_netlink(void)
{
	struct desk *d = desk();

	return d && d->rec.magic == SOCKFS && d->rec.detail.family == AF_NETLINK;
}

#endif
