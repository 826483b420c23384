// stride: -v -e trace=ioctl -a1
// Requests of btrfs and of the device mapper. There is no descriptor, so all of them fail: what the kernel would fill in is not shown.
#define _GNU_SOURCE
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <linux/dm-ioctl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "request.h"

int main(void)
{
	struct btrfs_ioctl_vol_args volume = { 3, "snapshot" };
	struct { struct btrfs_qgroup_inherit head; __u64 groups[2]; } inherit = {
		{ BTRFS_QGROUP_INHERIT_SET_LIMITS, 2, 0, 0, { BTRFS_QGROUP_LIMIT_MAX_RFER, 7 } }, { 256, 257 }
	};
	struct btrfs_ioctl_vol_args_v2 created = {
		.fd = 3, .flags = BTRFS_SUBVOL_QGROUP_INHERIT, .size = sizeof inherit, .qgroup_inherit = &inherit.head, .name = "new"
	};
	struct btrfs_ioctl_vol_args_v2 deleted = { .fd = 3, .flags = BTRFS_SUBVOL_SPEC_BY_ID, .subvolid = 257 };
	struct btrfs_ioctl_vol_args_v2 device = { .fd = 3, .flags = BTRFS_DEVICE_SPEC_BY_ID, .devid = 1 };
	struct btrfs_ioctl_balance_args balance = { .flags = BTRFS_BALANCE_DATA, .data = { .pend = -1ULL } };
	struct btrfs_ioctl_defrag_range_args defrag = { 1, -1ULL, BTRFS_DEFRAG_RANGE_START_IO | 24, 4096, 1 };
	struct btrfs_ioctl_search_args search = {
		{ BTRFS_FS_TREE_OBJECTID, 256, -1ULL, 0, -1ULL, 0, 9, BTRFS_INODE_ITEM_KEY, -1U, 10 }
	};
	struct btrfs_ioctl_ino_lookup_args lookup = { 5, 1000 };
	struct btrfs_ioctl_logical_ino_args extent = { 1, 4096, { 0, 2, 0 }, 3, 0 };
	struct btrfs_ioctl_received_subvol_args received = { "0123456789abcdef", 1, .stime = { 1000000000, 5 } };
	__u64 sources[2] = { 5, 300 }, number = 12;
	struct btrfs_ioctl_send_args send = { 4, 2, sources, 256, BTRFS_SEND_FLAG_NO_FILE_DATA };
	struct btrfs_ioctl_feature_flags features[2] = { { 1, 2, BTRFS_FEATURE_INCOMPAT_ZONED }, {} };
	struct btrfs_ioctl_dev_replace_args replace = { .start = { 1, 1, "/dev/a", "/dev/b" } };

	struct { struct dm_ioctl head; struct dm_target_spec target; char text[16]; } table = {
		{ { DM_VERSION_MAJOR, 0, 0 }, sizeof table, sizeof table.head, 1, .name = "disk" }, { 0, 8, 0, 0, "linear" }, "/dev/sda 0"
	};
	struct { struct dm_ioctl head; struct dm_target_msg message; char text[8]; } message = {
		{ { DM_VERSION_MAJOR, 0, 0 }, sizeof message, sizeof message.head, .dev = 0x1234 }, { 9 }, "flush"
	};

	chdir("MARKER");

	TRY(BTRFS_IOC_SNAP_CREATE, &volume, "{fd=3, name=\"snapshot\"}");
	TRY(BTRFS_IOC_SNAP_CREATE_V2, &created, "{fd=3, flags=BTRFS_SUBVOL_QGROUP_INHERIT, size=88, "
	    "qgroup_inherit={flags=BTRFS_QGROUP_INHERIT_SET_LIMITS, num_qgroups=2, num_ref_copies=0, num_excl_copies=0, "
	    "lim={flags=BTRFS_QGROUP_LIMIT_MAX_RFER, max_rfer=7, max_excl=0, rsv_rfer=0, rsv_excl=0}, qgroups=[256, 257]}, name=\"new\"}");
	TRY(BTRFS_IOC_SNAP_DESTROY_V2, &deleted, "{fd=3, flags=BTRFS_SUBVOL_SPEC_BY_ID, subvolid=257}");
	TRY(BTRFS_IOC_RM_DEV_V2, &device, "{fd=3, flags=BTRFS_DEVICE_SPEC_BY_ID, devid=makedev(0, 0x1)}");
	TRY(BTRFS_IOC_SUBVOL_SETFLAGS, &deleted.flags, "0x10 /* BTRFS_SUBVOL_??? */");
	TRY(BTRFS_IOC_BALANCE_V2, &balance, "{flags=BTRFS_BALANCE_DATA, data={profiles=0, usage=0, devid=makedev(0, 0), pstart=0, "
	    "pend=UINT64_MAX, vstart=0, vend=0, target=0, flags=0}}");
	balance.flags = BTRFS_BALANCE_METADATA | BTRFS_BALANCE_SYSTEM;
	TRY(BTRFS_IOC_BALANCE_V2, &balance, "{flags=BTRFS_BALANCE_SYSTEM|BTRFS_BALANCE_METADATA, meta={profiles=0, usage=0, devid=makedev(0, 0), "
	    "pstart=0, pend=0, vstart=0, vend=0, target=0, flags=0}, sys={profiles=0, usage=0, devid=makedev(0, 0), pstart=0, pend=0, vstart=0, "
	    "vend=0, target=0, flags=0}}");
	TRY(BTRFS_IOC_DEFRAG_RANGE, &defrag, "{start=1, len=UINT64_MAX, flags=BTRFS_DEFRAG_RANGE_START_IO|BTRFS_DEFRAG_RANGE_NOCOMPRESS|0x10, extent_thresh=4096, "
	    "compress_type=BTRFS_COMPRESS_ZLIB}");
	TRY(BTRFS_IOC_TREE_SEARCH, &search, "{key={tree_id=BTRFS_FS_TREE_OBJECTID, min_objectid=BTRFS_FIRST_FREE_OBJECTID, "
	    "max_objectid=UINT64_MAX, min_offset=0, max_offset=UINT64_MAX, min_transid=0, max_transid=9, "
	    "min_type=BTRFS_INODE_ITEM_KEY, max_type=UINT32_MAX, nr_items=10}}");
	TRY(BTRFS_IOC_INO_LOOKUP, &lookup, "{treeid=BTRFS_FS_TREE_OBJECTID, objectid=1000}");
	TRY(BTRFS_IOC_LOGICAL_INO, &extent, "{logical=1, size=4096, reserved=[0, 0x2, 0], "
	    "flags=BTRFS_LOGICAL_INO_ARGS_IGNORE_OFFSET|0x2, inodes=NULL}");
	TRY(BTRFS_IOC_SET_RECEIVED_SUBVOL, &received, "{uuid=30313233-3435-3637-3839-616263646566, stransid=1, "
	    "stime={sec=1000000000, nsec=5} /* 2001-09-09T01:46:40.000000005+0000 */, flags=0}");
	TRY(BTRFS_IOC_SEND, &send, "{send_fd=4, clone_sources_count=2, clone_sources=[BTRFS_FS_TREE_OBJECTID, 300], "
	    "parent_root=BTRFS_FIRST_FREE_OBJECTID, flags=BTRFS_SEND_FLAG_NO_FILE_DATA}");
	TRY(BTRFS_IOC_WAIT_SYNC, &number, "[12]");
	TRY(BTRFS_IOC_SET_FEATURES, features, "[{compat_flags=0x1 /* BTRFS_FEATURE_COMPAT_??? */, "
	    "compat_ro_flags=BTRFS_FEATURE_COMPAT_RO_FREE_SPACE_TREE_VALID, incompat_flags=BTRFS_FEATURE_INCOMPAT_ZONED}, "
	    "{compat_flags=0, compat_ro_flags=0, incompat_flags=0}]");
	TRY(BTRFS_IOC_DEV_REPLACE, &replace, "{cmd=BTRFS_IOCTL_DEV_REPLACE_CMD_START, start={srcdevid=makedev(0, 0x1), "
	    "cont_reading_from_srcdev_mode=BTRFS_IOCTL_DEV_REPLACE_CONT_READING_FROM_SRCDEV_MODE_AVOID, srcdev_name=\"/dev/a\", "
	    "tgtdev_name=\"/dev/b\"}}");
	TRY(BTRFS_IOC_FS_INFO, features, "%p", features);
	int r = ioctl(-1, BTRFS_IOC_SYNC, 0);
	printf("ioctl(-1, BTRFS_IOC_SYNC) = %s\n", result(r));

	TRY(DM_VERSION, &table, "[{version=[4, 0, 0], data_size=%zu, name=\"disk\", flags=0}]", sizeof table);
	TRY(DM_TABLE_LOAD, &table, "[{version=[4, 0, 0], data_size=%zu, data_start=%zu, name=\"disk\", target_count=1, flags=0}, "
	    "{sector_start=0, length=8, target_type=\"linear\", string=\"/dev/sda 0\"}]", sizeof table, sizeof table.head);
	table.head.target_count = 2;
	table.head.flags = DM_READONLY_FLAG | 1 << 31;
	TRY(DM_TABLE_LOAD, &table, "[{version=[4, 0, 0], data_size=%zu, data_start=%zu, name=\"disk\", target_count=2, "
	    "flags=DM_READONLY_FLAG|0x80000000}, {sector_start=0, length=8, target_type=\"linear\", string=\"/dev/sda 0\"}, "
	    "??? /* misplaced struct dm_target_spec */]", sizeof table, sizeof table.head);
	TRY(DM_TARGET_MSG, &message, "[{version=[4, 0, 0], data_size=%zu, data_start=%zu, dev=makedev(0x12, 0x34), flags=0}, "
	    "{sector=9, message=\"flush\"}]", sizeof message, sizeof message.head);
	message.head.data_start = sizeof message + 1;
	TRY(DM_DEV_RENAME, &message, "[{version=[4, 0, 0], data_size=%zu, data_start=%zu, dev=makedev(0x12, 0x34), event_nr=0, "
	    "flags=0}, ??? /* misplaced string */]", sizeof message, sizeof message + 1);
	message.head.data_size = 1;
	TRY(DM_DEV_STATUS, &message, "[{version=[4, 0, 0], data_size=1 /* data_size too small */}]");
	message.head.version[0] = 3;
	TRY(DM_DEV_STATUS, &message, "[{version=[3, 0, 0] /* unsupported device mapper ABI version */}]");
	return 0;
}
