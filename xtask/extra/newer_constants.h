/* Macro constants newer than the Debian 6.12 headers, each with the kernel that brought it.
 * Written by hand; the header named is where to check them. Enum constants are in newer_enums.h. */
#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/ptp_clock.h>
#include <linux/tee.h>
#include "newer_structs.h"

/* include/uapi/linux/fcntl.h */
#define AT_HANDLE_CONNECTABLE 0x002 /* 6.13 */
#define AT_RENAME_NOREPLACE 0x0001 /* 6.13 */
#define AT_RENAME_EXCHANGE 0x0002
#define AT_RENAME_WHITEOUT 0x0004
#define AT_EXECVE_CHECK 0x10000 /* 6.14 */
#define PIDFD_SELF_THREAD -10000 /* 6.14 */
#define PIDFD_SELF_THREAD_GROUP -10001
#define FD_PIDFS_ROOT -10002 /* 6.17 */
#define FD_NSFS_ROOT -10003 /* 6.18 */
#define FD_INVALID -10009

/* include/uapi/asm-generic/mman-common.h */
#define MADV_GUARD_INSTALL 102 /* 6.13 */
#define MADV_GUARD_REMOVE 103

/* include/uapi/linux/fs.h */
#define RWF_DONTCACHE 0x00000080 /* 6.14 */
#define RWF_NOSIGNAL 0x00000100 /* 6.18 */

/* include/uapi/linux/stat.h */
#define STATX_DIO_READ_ALIGN 0x00020000U /* 6.14 */

/* include/uapi/linux/mount.h */
#define STATMOUNT_FS_SUBTYPE 0x00000100U /* 6.13 */
#define STATMOUNT_SB_SOURCE 0x00000200U
#define STATMOUNT_OPT_ARRAY 0x00000400U
#define STATMOUNT_OPT_SEC_ARRAY 0x00000800U
#define STATMOUNT_SUPPORTED_MASK 0x00001000U /* 6.15 */
#define STATMOUNT_MNT_UIDMAP 0x00002000U
#define STATMOUNT_MNT_GIDMAP 0x00004000U
#define MNT_ID_REQ_SIZE_VER0 24
#define MNT_ID_REQ_SIZE_VER1 32

/* include/uapi/linux/xattr.h, 6.13 */
#define XATTR_ARGS_SIZE_VER0 16

/* include/uapi/linux/fs.h, 6.17 */
#define FILE_ATTR_SIZE_VER0 24
#define FILE_ATTR_SIZE_LATEST 24

/* include/uapi/linux/pidfd.h */
#define PIDFD_INFO_PID (1UL << 0) /* 6.13 */
#define PIDFD_INFO_CREDS (1UL << 1)
#define PIDFD_INFO_CGROUPID (1UL << 2)
#define PIDFD_INFO_EXIT (1UL << 3) /* 6.15 */
#define PIDFD_INFO_COREDUMP (1UL << 4) /* 6.16 */
#define PIDFD_INFO_SUPPORTED_MASK (1UL << 5) /* 7.0 */
#define PIDFD_INFO_COREDUMP_SIGNAL (1UL << 6)
#define PIDFD_INFO_COREDUMP_CODE (1UL << 7) /* 7.1 */
#define PIDFD_INFO_SIZE_VER0 64
#define PIDFD_COREDUMPED (1U << 0)
#define PIDFD_COREDUMP_SKIP (1U << 1)
#define PIDFD_COREDUMP_USER (1U << 2)
#define PIDFD_COREDUMP_ROOT (1U << 3)
#define PIDFD_GET_INFO _IOWR(0xFF, 11, struct pidfd_info)

/* include/uapi/linux/prctl.h */
#define PR_GET_SHADOW_STACK_STATUS 74 /* 6.13 */
#define PR_SET_SHADOW_STACK_STATUS 75
#define PR_SHADOW_STACK_ENABLE (1UL << 0)
#define PR_SHADOW_STACK_WRITE (1UL << 1)
#define PR_SHADOW_STACK_PUSH (1UL << 2)
#define PR_LOCK_SHADOW_STACK_STATUS 76
#define PR_PMLEN_SHIFT 24
#define PR_PMLEN_MASK (0x7fUL << PR_PMLEN_SHIFT)
#define PR_TIMER_CREATE_RESTORE_IDS 77 /* 6.15 */
#define PR_TIMER_CREATE_RESTORE_IDS_OFF 0
#define PR_TIMER_CREATE_RESTORE_IDS_ON 1
#define PR_TIMER_CREATE_RESTORE_IDS_GET 2
#define PR_FUTEX_HASH 78 /* 6.16 */
#define PR_FUTEX_HASH_SET_SLOTS 1
#define PR_FUTEX_HASH_GET_SLOTS 2
#define PR_THP_DISABLE_EXCEPT_ADVISED (1 << 1) /* 6.18 */
#define PR_RSEQ_SLICE_EXTENSION 79 /* 7.0 */
#define PR_RSEQ_SLICE_EXTENSION_GET 1
#define PR_RSEQ_SLICE_EXTENSION_SET 2
#define PR_RSEQ_SLICE_EXT_ENABLE 0x01

/* include/uapi/linux/fanotify.h */
#define FAN_PRE_ACCESS 0x00100000 /* 6.14 */
#define FAN_MNT_ATTACH 0x01000000 /* 6.15 */
#define FAN_MNT_DETACH 0x02000000
#define FAN_REPORT_FD_ERROR 0x00002000 /* 6.13 */
#define FAN_REPORT_MNT 0x00004000 /* 6.15 */
#define FAN_MARK_MNTNS 0x00000110

/* include/uapi/linux/landlock.h, 6.15 */
#define LANDLOCK_CREATE_RULESET_ERRATA (1U << 1)
#define LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF (1U << 0)
#define LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON (1U << 1)
#define LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF (1U << 2)

/* include/uapi/linux/ptrace.h, 6.16 */
#define PTRACE_SET_SYSCALL_INFO 0x4212

/* include/uapi/asm-generic/socket.h */
#define SCM_TS_OPT_ID 81 /* 6.13 */
#define SO_RCVPRIORITY 82 /* 6.14 */
#define SO_PASSRIGHTS 83 /* 6.16 */
#define SO_INQ 84 /* 7.0 */
#define SCM_INQ SO_INQ

/* include/uapi/linux/fs.h, 6.19 */
#ifndef FS_IOC_SHUTDOWN
#define FS_IOC_SHUTDOWN _IOR('X', 125, __u32)
#endif

/* include/uapi/linux/fs.h, 6.17 */
#define FS_IOC_GETLBMD_CAP _IOWR(0x15, 2, struct logical_block_metadata_cap)

/* include/uapi/linux/seccomp.h, as 5.0 to 5.16 had the number */
#define SECCOMP_IOCTL_NOTIF_ID_VALID_WRONG_DIR _IOR('!', 2, __u64)

/* include/uapi/linux/ptp_clock.h */
#define PTP_SYS_OFFSET_PRECISE_CYCLES _IOWR(PTP_CLK_MAGIC, 21, struct ptp_sys_offset_precise) /* 6.15 */
#define PTP_SYS_OFFSET_EXTENDED_CYCLES _IOWR(PTP_CLK_MAGIC, 22, struct ptp_sys_offset_extended)

/* include/uapi/linux/videodev2.h, 6.14 */
#define V4L2_CTRL_FLAG_HAS_WHICH_MIN_MAX 0x1000

/* include/uapi/linux/tee.h */
#define TEE_GEN_CAP_OBJREF (1 << 4) /* 6.18 */
#define TEE_IMPL_ID_QTEE 4
#define TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INPUT 8
#define TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_OUTPUT 9
#define TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INOUT 10
#define TEE_IOCTL_PARAM_ATTR_TYPE_OBJREF_INPUT 11
#define TEE_IOCTL_PARAM_ATTR_TYPE_OBJREF_OUTPUT 12
#define TEE_IOCTL_PARAM_ATTR_TYPE_OBJREF_INOUT 13
#define TEE_IOC_SHM_REGISTER_FD _IOWR(TEE_IOC_MAGIC, TEE_IOC_BASE + 8, struct tee_ioctl_shm_register_fd_data) /* 6.18 */
