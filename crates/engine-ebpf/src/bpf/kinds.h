/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Calls whose meaning depends on the kind of file. Only the kernel knows the kind for sure when the call is made.
 *
 * Netlink messages are decoded, so they are copied whole, whatever -s says. A buffer holds a message if its first bytes,
 * which are copied first, are a possible length of a message, and if the socket is a netlink socket.
 *
 * Terminals share some of their requests with other devices.
 */
#ifndef STRIDE_KINDS_H
#define STRIDE_KINDS_H

#include "fd.h"
#include "scratch.h"

#define AF_NETLINK 16

/* The size of the block that describes a descriptor. */
#define NOTE_SIZE (sizeof(struct rec_block) + 8)

static __always_inline void note(struct scratch *s, u32 at, u32 fd, u32 flag, u32 value)
{
	struct rec_block *b = (struct rec_block *)(s->data + at);

	b->addr = fd;
	b->len = sizeof(value);
	b->elem = 0;
	b->op = OP_ROOT;
	b->flags = flag;
	*(u64 *)(b + 1) = value;
}

/* The protocol of a netlink socket, or -1. */
static __always_inline int netlink_protocol(u32 fd)
{
	struct file *file = file_of(bpf_get_current_task_btf(), fd);
	struct socket *socket;

	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return -1;
	socket = BPF_CORE_READ(file, private_data);
	if (BPF_CORE_READ(socket, sk, __sk_common.skc_family) != AF_NETLINK)
		return -1;
	return BPF_CORE_READ(socket, sk, sk_protocol);
}

/*
 * The block at `at` holds the first bytes of a buffer of `all` bytes. If that is a netlink message, puts a block that says
 * so in front of it, and returns how many bytes to copy. Otherwise returns 0, and the block stays as it is.
 */
__noinline int is_message(struct scratch *s, u32 at, u64 all)
{
	int protocol;
	u32 first;

	if (!s || at >= BLOCK_MAX)
		return 0;
	first = number_at(s, at + sizeof(struct rec_block), 4);
	if ((first < MESSAGE_MIN || first > MESSAGE_MAX) && first != UEVENT)
		return 0;
	protocol = netlink_protocol(s->call.args[0]);
	if (protocol < 0)
		return 0;
	note(s, at, s->call.args[0], BLOCK_NETLINK, protocol);
	return all > BLOCK_MAX ? BLOCK_MAX : all;
}

/* Documentation/admin-guide/devices.txt: terminals, their masters and slaves. */
static __always_inline bool is_terminal(u32 fd)
{
	struct file *file = file_of(bpf_get_current_task_btf(), fd);
	u32 major;

	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT) != S_IFCHR)
		return false;
	major = BPF_CORE_READ(file, f_inode, i_rdev) >> 20;
	return major == 4 || major == 5 || (major >= 136 && major <= 143);
}

/* Appends a block that says whether a descriptor is a terminal. */
__noinline int tell_terminal(struct scratch *s, u32 fd)
{
	u32 at;

	if (!s)
		return 0;
	at = ONCE(s->used);
	if (at >= BLOCK_MAX)
		return 0;
	note(s, at, fd, BLOCK_TERMINAL, is_terminal(fd));
	s->used = at + NOTE_SIZE;
	return 0;
}

#endif
