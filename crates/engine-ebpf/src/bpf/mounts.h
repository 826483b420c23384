/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* On the way from a file to the root of all mounts. */
#ifndef STRIDE_MOUNTS_H
#define STRIDE_MOUNTS_H

enum mount_step {
	/* The file has a name in its mount. */
	BELOW_ROOT,
	/* The file was the root of its mount. Now it is the place where that is mounted. */
	LEFT_MOUNT,
	/* The file is the root of all mounts. */
	AT_TOP,
};

static __always_inline enum mount_step leave_mount(struct dentry **dentry, struct vfsmount **mnt)
{
	struct vfsmount *in = *mnt;
	struct mount *m, *above;

	if (*dentry != BPF_CORE_READ(in, mnt_root))
		return BELOW_ROOT;
	m = (void *)in - bpf_core_field_offset(struct mount, mnt);
	above = BPF_CORE_READ(m, mnt_parent);
	if (above == m)
		return AT_TOP;
	*dentry = BPF_CORE_READ(m, mnt_mountpoint);
	*mnt = (void *)above + bpf_core_field_offset(struct mount, mnt);
	return LEFT_MOUNT;
}

#define NAME_LONGEST 255
/* The most names and mounts of a path. */
#define PATH_STEPS 256

/* A path that is being written, name by name, from its end to the left. */
struct path_climb {
	struct dentry *dentry;
	struct vfsmount *mnt;
	/* Where the path begins by now. */
	u32 from;
	/* It begins at the root of all mounts. */
	u32 is_whole;
};

/* Step `i` towards the root: one name, or one mount. `text` has `size` bytes, which the verifier must know. True at the end. */
static __always_inline bool climb_path(struct path_climb *climb, u8 *text, u32 size, u64 i)
{
	struct dentry *dentry, *parent;
	enum mount_step step;
	u32 at, len;

	step = leave_mount(&climb->dentry, &climb->mnt);
	if (step == AT_TOP)
		climb->is_whole = 1;
	if (step != BELOW_ROOT)
		return step == AT_TOP;
	dentry = climb->dentry;
	parent = BPF_CORE_READ(dentry, d_parent);
	if (dentry == parent && i)
		return true;
	len = BPF_CORE_READ(dentry, d_name.len);
	at = ONCE(climb->from);
	if (len > NAME_LONGEST || at <= len)
		return true;
	at -= len + 1;
	/* The bounds are checked on the same registers that are used. */
	asm volatile("" : "+r"(at), "+r"(len));
	if (at >= size || len > NAME_LONGEST)
		return true;
	text[at] = '/';
	if (bpf_probe_read_kernel(text + at + 1, len, BPF_CORE_READ(dentry, d_name.name)))
		return true;
	climb->from = at;
	climb->dentry = parent;
	/* (A file without a directory, such as one of memfd_create, has a name only.) */
	if (dentry == parent)
		climb->is_whole = 1;
	return dentry == parent;
}

#endif
