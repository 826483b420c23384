/* ioctl requests newer than the Debian 6.12 headers, each with the kernel that brought it, and requests that the kernel keeps in
 * internal headers. The header named is where to check them. */
#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/tee.h>
#include <drm/drm.h>
#include <drm/panthor_drm.h>

/* include/uapi/linux/nsfs.h, 6.18 */
#define NS_GET_ID _IOR(0xb7, 13, __u64)

/* include/uapi/linux/dm-ioctl.h, 6.16 */
#define DM_MPATH_PROBE_PATHS _IO(0xfd, 0x12)

/* include/uapi/linux/tee.h, 6.18 */
#define TEE_IOC_OBJECT_INVOKE _IOR(TEE_IOC_MAGIC, TEE_IOC_BASE + 10, struct tee_ioctl_buf_data)

/* include/scsi/scsi.h */
#define SCSI_IOCTL_PROBE_HOST 0x5385
#define SCSI_IOCTL_GET_BUS_NUMBER 0x5386
#define SCSI_IOCTL_GET_PCI 0x5387

/* include/net/bluetooth/rfcomm.h */
#define RFCOMMCREATEDEV _IOW('R', 200, int)
#define RFCOMMRELEASEDEV _IOW('R', 201, int)
#define RFCOMMGETDEVLIST _IOR('R', 210, int)
#define RFCOMMGETDEVINFO _IOR('R', 211, int)
#define RFCOMMSTEALDLC _IOW('R', 220, int)

/* include/uapi/linux/blk-crypto.h, 6.15 */
struct blk_crypto_import_key_arg { __u64 raw_key_ptr, raw_key_size, lt_key_ptr, lt_key_size, reserved[4]; };
struct blk_crypto_generate_key_arg { __u64 lt_key_ptr, lt_key_size, reserved[4]; };
struct blk_crypto_prepare_key_arg { __u64 lt_key_ptr, lt_key_size, eph_key_ptr, eph_key_size, reserved[4]; };
#define BLKCRYPTOIMPORTKEY _IOWR(0x12, 137, struct blk_crypto_import_key_arg)
#define BLKCRYPTOGENERATEKEY _IOWR(0x12, 138, struct blk_crypto_generate_key_arg)
#define BLKCRYPTOPREPAREKEY _IOWR(0x12, 139, struct blk_crypto_prepare_key_arg)

/* include/uapi/linux/btrfs.h, 6.13 */
struct btrfs_ioctl_subvol_wait { __u64 subvolid;
	__u32 mode; /* BTRFS_SUBVOL_SYNC_* */
	__u32 count;
};
#define BTRFS_SUBVOL_SYNC_WAIT_FOR_ONE 0
#define BTRFS_SUBVOL_SYNC_WAIT_FOR_QUEUED 1
#define BTRFS_SUBVOL_SYNC_COUNT 2
#define BTRFS_SUBVOL_SYNC_PEEK_FIRST 3
#define BTRFS_SUBVOL_SYNC_PEEK_LAST 4
#define BTRFS_IOC_SUBVOL_SYNC_WAIT _IOW(0x94, 65, struct btrfs_ioctl_subvol_wait)

/* include/uapi/drm/drm.h, 6.16: the struct has grown, and the number with it. */
struct drm_syncobj_handle_grown { __u32 handle;
	__u32 flags; /* DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_*, DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_* */
	__s32 fd; __u32 pad; __u64 point;
};
#define DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD_GROWN DRM_IOWR(0xc1, struct drm_syncobj_handle_grown)
#define DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE_GROWN DRM_IOWR(0xc2, struct drm_syncobj_handle_grown)

/* include/uapi/drm/panthor_drm.h: names of 6.15, and requests of 6.16 to 7.0 */
struct drm_panthor_bo_set_label { __u32 handle, pad; __u64 label; };
struct drm_panthor_set_user_mmio_offset { __u64 offset; };
struct drm_panthor_bo_sync { struct drm_panthor_obj_array ops; };
struct drm_panthor_bo_query_info { __u32 handle, extra_flags, create_flags, pad; };
#define DRM_IOCTL_PANTHOR_DEV_QUERY DRM_IOCTL_PANTHOR(WR, DEV_QUERY, dev_query)
#define DRM_IOCTL_PANTHOR_VM_CREATE DRM_IOCTL_PANTHOR(WR, VM_CREATE, vm_create)
#define DRM_IOCTL_PANTHOR_VM_DESTROY DRM_IOCTL_PANTHOR(WR, VM_DESTROY, vm_destroy)
#define DRM_IOCTL_PANTHOR_VM_BIND DRM_IOCTL_PANTHOR(WR, VM_BIND, vm_bind)
#define DRM_IOCTL_PANTHOR_VM_GET_STATE DRM_IOCTL_PANTHOR(WR, VM_GET_STATE, vm_get_state)
#define DRM_IOCTL_PANTHOR_BO_CREATE DRM_IOCTL_PANTHOR(WR, BO_CREATE, bo_create)
#define DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET DRM_IOCTL_PANTHOR(WR, BO_MMAP_OFFSET, bo_mmap_offset)
#define DRM_IOCTL_PANTHOR_GROUP_CREATE DRM_IOCTL_PANTHOR(WR, GROUP_CREATE, group_create)
#define DRM_IOCTL_PANTHOR_GROUP_DESTROY DRM_IOCTL_PANTHOR(WR, GROUP_DESTROY, group_destroy)
#define DRM_IOCTL_PANTHOR_GROUP_SUBMIT DRM_IOCTL_PANTHOR(WR, GROUP_SUBMIT, group_submit)
#define DRM_IOCTL_PANTHOR_GROUP_GET_STATE DRM_IOCTL_PANTHOR(WR, GROUP_GET_STATE, group_get_state)
#define DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE DRM_IOCTL_PANTHOR(WR, TILER_HEAP_CREATE, tiler_heap_create)
#define DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY DRM_IOCTL_PANTHOR(WR, TILER_HEAP_DESTROY, tiler_heap_destroy)
#define DRM_IOCTL_PANTHOR_BO_SET_LABEL DRM_IOWR(DRM_COMMAND_BASE + 13, struct drm_panthor_bo_set_label)
#define DRM_IOCTL_PANTHOR_SET_USER_MMIO_OFFSET DRM_IOWR(DRM_COMMAND_BASE + 14, struct drm_panthor_set_user_mmio_offset)
#define DRM_IOCTL_PANTHOR_BO_SYNC DRM_IOWR(DRM_COMMAND_BASE + 15, struct drm_panthor_bo_sync)
#define DRM_IOCTL_PANTHOR_BO_QUERY_INFO DRM_IOWR(DRM_COMMAND_BASE + 16, struct drm_panthor_bo_query_info)
