/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Calls whose meaning depends on the kind of file. Only the kernel knows the kind for sure when the call is made.
 *
 * Netlink messages are decoded, so they are copied whole, whatever -s says. A buffer holds a message if its first bytes,
 * which are copied first, are a possible length of a message, and if the socket is a netlink socket.
 *
 * Terminals share some of their requests with other devices. The answer about an object of bpf(2) is a struct of the object's kind.
 */
#ifndef STRIDE_KINDS_H
#define STRIDE_KINDS_H

#include "fd.h"
#include "scratch.h"

#define AF_NETLINK 16

#define ANON_INODE_MAGIC 0x09041934

/* Documentation/admin-guide/devices.txt: terminals, their masters and slaves. */
static __always_inline bool is_terminal(struct inode *inode)
{
	u32 major = BPF_CORE_READ(inode, i_rdev) >> 20;

	return major == 4 || major == 5 || (major >= 136 && major <= 143);
}

/* The objects of bpf(2) are anonymous files, which differ by the names that the kernel gave them. */
static __always_inline u32 kind_of_anonymous(struct file *file)
{
	/* "bpf-map"; "bpf-prog"; "btf"; "bpf_link"; "bpf-link" */
	const u64 map = 0x70616d2d667062, program = 0x676f72702d667062, types = 0x667462;
	const u64 link = 0x6b6e696c5f667062, older_link = 0x6b6e696c2d667062;
	u64 name[2] = {};

	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(file, f_path.dentry, d_name.name));
	if (name[0] == map)
		return FILE_KIND_BPF_MAP;
	if ((u32)name[0] == types)
		return FILE_KIND_BPF_TYPES;
	/* (The names of the others have eight characters.) */
	if ((u8)name[1])
		return FILE_KIND_OTHER;
	if (name[0] == program)
		return FILE_KIND_BPF_PROGRAM;
	return name[0] == link || name[0] == older_link ? FILE_KIND_BPF_LINK : FILE_KIND_OTHER;
}

/* The kind of the file that a descriptor refers to: an enum file_kind. */
__noinline u32 kind_of_file(u32 fd)
{
	struct file *file = file_of(bpf_get_current_task_btf(), fd);
	struct socket *socket;
	struct inode *inode;
	struct sock *sk;

	if (!file)
		return FILE_KIND_OTHER;
	inode = BPF_CORE_READ(file, f_inode);
	switch (BPF_CORE_READ(inode, i_mode) & S_IFMT) {
	case S_IFSOCK:
		socket = BPF_CORE_READ(file, private_data);
		sk = BPF_CORE_READ(socket, sk);
		if (BPF_CORE_READ(sk, __sk_common.skc_family) == AF_NETLINK)
			return FILE_KIND_NETLINK + BPF_CORE_READ(sk, sk_protocol);
		return FILE_KIND_OTHER;
	case S_IFCHR:
		return is_terminal(inode) ? FILE_KIND_TERMINAL : FILE_KIND_OTHER;
	}
	return BPF_CORE_READ(inode, i_sb, s_magic) == ANON_INODE_MAGIC ? kind_of_anonymous(file) : FILE_KIND_OTHER;
}

/* Appends a block that says what a descriptor refers to. */
__noinline int note_kind(struct scratch *s, u32 fd, u32 kind)
{
	struct rec_block *b;
	u32 at;

	if (!s)
		return 0;
	at = ONCE(s->used);
	if (at >= BLOCKS_END)
		return 0;
	b = (struct rec_block *)(s->data + at);
	b->addr = fd;
	b->len = sizeof(u32);
	b->elem = 0;
	b->op = OP_ROOT;
	b->flags = BLOCK_FILE_KIND;
	*(u64 *)(b + 1) = kind;
	s->used = at + sizeof(*b) + 8;
	return 0;
}

/* True if the block at `at`, of which `got` bytes were read, begins with a possible length of a netlink message. */
static __always_inline bool may_be_message(struct scratch *s, u32 at, u32 got)
{
	u32 first;

	if (got < MESSAGE_MIN || at >= BLOCK_MAX)
		return false;
	first = number_at(s, at + sizeof(struct rec_block), 4);
	return (first >= MESSAGE_MIN && first <= MESSAGE_MAX) || first == UEVENT;
}

#endif
