/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The user of a broker, for whom threads are traced (guard.h). */
#ifndef STRIDE_USER_H
#define STRIDE_USER_H

u32 guarded_uid;
u32 guarded_gid;

/* True if all user and group ids of the thread are those of the user. */
static __always_inline bool is_users(struct task_struct *task)
{
	const struct cred *cred = BPF_CORE_READ(task, real_cred);

	return BPF_CORE_READ(cred, uid.val) == guarded_uid && BPF_CORE_READ(cred, euid.val) == guarded_uid &&
	       BPF_CORE_READ(cred, suid.val) == guarded_uid && BPF_CORE_READ(cred, gid.val) == guarded_gid &&
	       BPF_CORE_READ(cred, egid.val) == guarded_gid && BPF_CORE_READ(cred, sgid.val) == guarded_gid;
}

#endif
