/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* A task's descriptors. */
#ifndef STRIDE_FD_H
#define STRIDE_FD_H

#define AT_FDCWD -100
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define S_IFCHR 0020000

static __always_inline struct file *file_of(struct task_struct *task, u32 fd)
{
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file *file = NULL;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), BPF_CORE_READ(table, fd) + fd);
	return file;
}

#endif
