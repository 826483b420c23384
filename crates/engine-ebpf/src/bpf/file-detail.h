/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* Facts about a file besides its path (-yy). */
#ifndef STRIDE_FILE_DETAIL_H
#define STRIDE_FILE_DETAIL_H

/* linux/magic.h */
#define SOCKFS 0x534f434b
#define ANON_INODEFS 0x09041934
#define PIDFS 0x50494446

#define AF_UNIX 1
#define UNIX_PATH_MAX 108
#define AF_INET 2
#define AF_INET6 10
#define AF_NETLINK 16

/* Character device 5:2 in the kernel's own encoding. */
#define PTMX (5 << 20 | 2)

/* The first eight bytes of the names of anonymous files. */
#define NAME8(a, b, c, d, e, f, g, h)                                                                                   \
	((u64)(a) | (u64)(b) << 8 | (u64)(c) << 16 | (u64)(d) << 24 | (u64)(e) << 32 | (u64)(f) << 40 | (u64)(g) << 48 |  \
	 (u64)(h) << 56)
#define EVENTFD NAME8('[', 'e', 'v', 'e', 'n', 't', 'f', 'd')
#define SIGNALFD NAME8('[', 's', 'i', 'g', 'n', 'a', 'l', 'f')
#define PIDFD NAME8('[', 'p', 'i', 'd', 'f', 'd', ']', 0)

/* How deep Stride's PID namespace is. */
const volatile u32 level;

/* The id of a thread or process in that namespace. */
static __always_inline int number_of(struct pid *pid)
{
	int nr = 0;

	bpf_probe_read_kernel(&nr, sizeof(nr),
			      (void *)pid + bpf_core_field_offset(pid->numbers) + level * bpf_core_type_size(struct upid));
	return nr;
}

static __always_inline void detail_pid(struct file_detail *to, struct pid *pid)
{
	/* As in /proc: a process that is gone has no number. */
	to->numbers[0] = BPF_CORE_READ(pid, tasks[0].first) ? number_of(pid) : -1;
}

/* Appends the file's name. Returns its length. */
static __always_inline u32 detail_unix(struct file_detail *to, struct unix_sock *sk, u8 *names, u32 used)
{
	struct socket *peer = BPF_CORE_READ(sk, peer, sk_socket);
	struct unix_address *address = BPF_CORE_READ(sk, addr);
	u32 n;

	if (peer) {
		struct socket_alloc *whole = (void *)peer - bpf_core_field_offset(struct socket_alloc, socket);

		to->numbers[0] = BPF_CORE_READ(whole, vfs_inode.i_ino);
	}
	if (!address)
		return 0;
	n = BPF_CORE_READ(address, len) - sizeof(u16);
	if (n > UNIX_PATH_MAX || used > PATH_SIZE ||
	    bpf_probe_read_kernel(names + used, n, (void *)address + bpf_core_field_offset(address->name) + sizeof(u16)))
		return 0;
	return n;
}

static __always_inline u32 detail_socket(struct file_detail *to, struct socket *socket, u8 *names, u32 used)
{
	struct sock *sk = BPF_CORE_READ(socket, sk);
	struct sock_common *c = &sk->__sk_common;

	to->family = BPF_CORE_READ(c, skc_family);
	switch (to->family) {
	case AF_NETLINK:
		to->numbers[0] = BPF_CORE_READ(sk, sk_protocol);
		to->numbers[1] = BPF_CORE_READ((struct netlink_sock *)sk, portid);
		return 0;
	case AF_UNIX:
		return bpf_core_type_exists(struct unix_sock) ? detail_unix(to, (void *)sk, names, used) : 0;
	case AF_INET:
		to->addresses[0] = BPF_CORE_READ(c, skc_rcv_saddr);
		to->addresses[4] = BPF_CORE_READ(c, skc_daddr);
		break;
	case AF_INET6:
		if (!bpf_core_field_exists(c->skc_v6_daddr))
			return 0;
		BPF_CORE_READ_INTO((struct in6_addr *)&to->addresses[0], c, skc_v6_rcv_saddr);
		BPF_CORE_READ_INTO((struct in6_addr *)&to->addresses[4], c, skc_v6_daddr);
		break;
	default:
		return 0;
	}
	to->ports[0] = BPF_CORE_READ(c, skc_num);
	to->ports[1] = __builtin_bswap16(BPF_CORE_READ(c, skc_dport));
	return 0;
}

/* `names` begins with the file's names, which take `used` bytes. Returns how many more bytes are used now. */
static __always_inline u32 file_detail(struct rec_file *rec, struct file *file, struct inode *inode, u8 *names, u32 used)
{
	u64 name = *(u64 *)names;
	struct file_detail *to = &rec->detail;
	void *data = BPF_CORE_READ(file, private_data);

	if (rec->magic == SOCKFS) {
		return detail_socket(to, data, names, used);
	} else if (rec->magic == PIDFS) {
		detail_pid(to, BPF_CORE_READ(inode, i_private));
	} else if (rec->magic == ANON_INODEFS && name == EVENTFD) {
		struct eventfd_ctx *ctx = data;

		to->numbers[0] = BPF_CORE_READ(ctx, count);
		to->numbers[1] = BPF_CORE_READ(ctx, id);
		to->numbers[2] = BPF_CORE_READ(ctx, flags);
	} else if (rec->magic == ANON_INODEFS && name == SIGNALFD) {
		struct signalfd_ctx *ctx = data;

		/* The kernel keeps the signals that are not in the mask. */
		to->numbers[0] = ~BPF_CORE_READ(ctx, sigmask.sig[0]);
	} else if (rec->magic == ANON_INODEFS && name == PIDFD) {
		detail_pid(to, data);
	} else if (rec->rdev == PTMX && (rec->mode & S_IFMT) == S_IFCHR) {
		struct tty_file_private *tty = data;

		to->numbers[0] = BPF_CORE_READ(tty, tty, index);
	}
	return 0;
}

#endif
