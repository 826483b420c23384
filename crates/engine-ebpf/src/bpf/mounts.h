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

#endif
