/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Netlink messages: they are decoded, so they are copied whole, whatever -s says. That a buffer holds one is known when its
 * first bytes were copied: they are a length that could be a message's, and the socket is a netlink one.
 */
#ifndef STRIDE_MESSAGE_H
#define STRIDE_MESSAGE_H

#include "fd.h"

#define AF_NETLINK 16

/* The block that tells of a message. */
#define MESSAGE_NOTE (sizeof(struct rec_block) + 8)

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
 * The block at `at` holds the first bytes of a buffer of `all`, maybe a message. Says so in a block of its own in front of it,
 * and returns how many bytes to copy; 0 where the block is well as it is.
 */
__noinline int is_message(struct scratch *s, u32 at, u64 all)
{
	struct rec_block *b;
	int protocol;
	u32 first;

	if (!s || at >= BLOCK_MAX)
		return 0;
	first = number_at(s, at + sizeof(*b), 4);
	if ((first < MESSAGE_MIN || first > MESSAGE_MAX) && first != UEVENT)
		return 0;
	protocol = netlink_protocol(s->call.args[0]);
	if (protocol < 0)
		return 0;
	b = (struct rec_block *)(s->data + at);
	b->addr = (u32)s->call.args[0];
	b->len = sizeof(protocol);
	b->elem = 0;
	b->op = OP_ROOT;
	b->flags = BLOCK_NETLINK;
	*(u64 *)(b + 1) = protocol;
	return all > BLOCK_MAX ? BLOCK_MAX : all;
}

#endif
