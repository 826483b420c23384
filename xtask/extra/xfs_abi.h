/* Requests of XFS, which the kernel keeps in fs/xfs/libxfs/xfs_fs.h, and programs find in xfslibs. Source: Linux 6.1 to 6.14. */
#ifndef STRIDE_XFS_ABI_H
#define STRIDE_XFS_ABI_H
#include <linux/types.h>
#include <linux/ioctl.h>

/* As in linux/fs.h */
struct fsxattr {
	__u32 fsx_xflags; /* FS_XFLAG_* */
	__u32 fsx_extsize, fsx_nextents, fsx_projid, fsx_cowextsize; unsigned char fsx_pad[8];
};
struct dioattr { __u32 d_mem, d_miniosz, d_maxiosz; };
struct getbmap { __s64 bmv_offset, bmv_block, bmv_length; __s32 bmv_count, bmv_entries; };
struct getbmapx { __s64 bmv_offset, bmv_block, bmv_length; __s32 bmv_count, bmv_entries;
	__s32 bmv_iflags; /* BMV_IF_* */
	__s32 bmv_oflags; /* BMV_OF_* */
	__s32 bmv_unused1, bmv_unused2; };
struct xfs_fsop_geom_v1 { __u32 blocksize, rtextsize, agblocks, agcount, logblocks, sectsize, inodesize, imaxpct; __u64 datablocks, rtblocks,
	rtextents, logstart; __u8 uuid[16]; __u32 sunit, swidth; __s32 version;
	__u32 flags; /* XFS_FSOP_GEOM_FLAGS_* */
	__u32 logsectsize, rtsectsize, dirblocksize; };
struct xfs_fsop_geom_v4 { __u32 blocksize, rtextsize, agblocks, agcount, logblocks, sectsize, inodesize, imaxpct; __u64 datablocks, rtblocks,
	rtextents, logstart; __u8 uuid[16]; __u32 sunit, swidth; __s32 version;
	__u32 flags; /* XFS_FSOP_GEOM_FLAGS_* */
	__u32 logsectsize, rtsectsize, dirblocksize, logsunit; };
struct xfs_fsop_geom { __u32 blocksize, rtextsize, agblocks, agcount, logblocks, sectsize, inodesize, imaxpct; __u64 datablocks, rtblocks, rtextents,
	logstart; __u8 uuid[16]; __u32 sunit, swidth; __s32 version;
	__u32 flags; /* XFS_FSOP_GEOM_FLAGS_* */
	__u32 logsectsize, rtsectsize, dirblocksize, logsunit;
	__u32 sick; /* XFS_FSOP_GEOM_SICK_* */
	__u32 checked; /* XFS_FSOP_GEOM_SICK_* */
	__u64 reserved[17]; };
struct xfs_fsop_counts { __u64 freedata, freertx, freeino, allocino; };
struct xfs_fsop_resblks { __u64 resblks, resblks_avail; };
struct xfs_ag_geometry { __u32 ag_number, ag_length, ag_freeblks, ag_icount, ag_ifree;
	__u32 ag_sick; /* XFS_AG_GEOM_SICK_* */
	__u32 ag_checked; /* XFS_AG_GEOM_SICK_* */
	__u32 ag_flags; __u64 ag_reserved[12]; };
struct xfs_growfs_data { __u64 newblocks; __u32 imaxpct; };
struct xfs_growfs_log { __u32 newblocks, isint; };
struct xfs_growfs_rt { __u64 newblocks; __u32 extsize; };
struct xfs_bstime { __kernel_long_t tv_sec; __s32 tv_nsec; };
struct xfs_bstat { __u64 bs_ino; __u16 bs_mode, bs_nlink; __u32 bs_uid, bs_gid, bs_rdev; __s32 bs_blksize; __s64 bs_size; struct xfs_bstime bs_atime,
	bs_mtime, bs_ctime; __s64 bs_blocks; __u32 bs_xflags; __s32 bs_extsize, bs_extents; __u32 bs_gen; __u16 bs_projid_lo, bs_forkoff, bs_projid_hi,
	bs_sick, bs_checked; __u8 bs_pad[2]; __u32 bs_cowextsize, bs_dmevmask; __u16 bs_dmstate, bs_aextents; };
struct xfs_bulkstat { __u64 bs_ino, bs_size, bs_blocks, bs_xflags; __s64 bs_atime, bs_mtime, bs_ctime, bs_btime; __u32 bs_gen, bs_uid, bs_gid,
	bs_projectid, bs_atime_nsec, bs_mtime_nsec, bs_ctime_nsec, bs_btime_nsec, bs_blksize, bs_rdev, bs_cowextsize_blks, bs_extsize_blks, bs_nlink,
	bs_extents, bs_aextents; __u16 bs_version, bs_forkoff, bs_sick, bs_checked, bs_mode, bs_pad2; __u64 bs_extents64, bs_pad[6]; };
struct xfs_fsop_bulkreq { __u64 *lastip; __s32 icount; void *ubuffer; __s32 *ocount; };
struct xfs_inogrp { __u64 xi_startino; __s32 xi_alloccount; __u64 xi_allocmask; };
struct xfs_inumbers { __u64 xi_startino, xi_allocmask; __u8 xi_alloccount, xi_version, xi_padding[6]; };
struct xfs_bulk_ireq { __u64 ino;
	__u32 flags; /* XFS_BULK_IREQ_* */
	__u32 icount, ocount, agno; __u64 reserved[5]; };
struct xfs_bulkstat_req { struct xfs_bulk_ireq hdr; struct xfs_bulkstat bulkstat[]; };
struct xfs_inumbers_req { struct xfs_bulk_ireq hdr; struct xfs_inumbers inumbers[]; };
struct xfs_error_injection { __s32 fd, errtag; };
struct xfs_fs_eofblocks { __u32 eof_version;
	__u32 eof_flags; /* XFS_EOF_FLAGS_* */
	__kernel_uid32_t eof_uid; __kernel_gid32_t eof_gid; __u32 eof_prid; __u32 pad32; __u64 eof_min_file_size, pad64[12]; };
struct xfs_fsop_handlereq { __u32 fd; void *path; __u32 oflags; void *ihandle; __u32 ihandlen; void *ohandle; __u32 *ohandlen; };
struct xfs_attrlist_cursor { __u32 opaque[4]; };
struct xfs_attrlist { __s32 al_count, al_more, al_offset[1]; };
struct xfs_attrlist_ent { __u32 a_valuelen; char a_name[1]; };
struct xfs_fsop_attrlist_handlereq { struct xfs_fsop_handlereq hreq; struct xfs_attrlist_cursor pos;
	__u32 flags; /* XFS_IOC_ATTR_* */
	__u32 buflen; void *buffer; };
struct xfs_attr_multiop {
	__u32 am_opcode; /* ATTR_OP_* */
	__s32 am_error; void *am_attrname, *am_attrvalue; __u32 am_length;
	__u32 am_flags; /* XFS_IOC_ATTR_* */
	};
struct xfs_fsop_attrmulti_handlereq { struct xfs_fsop_handlereq hreq; __u32 opcount; struct xfs_attr_multiop *ops; };
struct xfs_fid { __u16 fid_len, fid_pad; __u32 fid_gen; __u64 fid_ino; };
struct xfs_handle { union { __s64 align; __s64 _ha_fsid; } ha_u; struct xfs_fid ha_fid; };
struct xfs_swapext { __s64 sx_version, sx_fdtarget, sx_fdtmp; long long sx_offset, sx_length; char sx_pad[16]; struct xfs_bstat sx_stat; };
struct xfs_scrub_metadata {
	__u32 sm_type; /* XFS_SCRUB_TYPE_* */
	__u32 sm_flags; /* XFS_SCRUB_IFLAG_*, XFS_SCRUB_OFLAG_* */
	__u64 sm_ino; __u32 sm_gen, sm_agno; __u64 sm_reserved[5]; };
struct xfs_exchange_range { __s32 file1_fd; __u32 pad; __u64 file1_offset, file2_offset, length;
	__u64 flags; /* XFS_EXCHANGE_RANGE_* */
};
struct xfs_commit_range { __s32 file1_fd; __u32 pad; __u64 file1_offset, file2_offset, length;
	__u64 flags; /* XFS_EXCHANGE_RANGE_* */
	__u64 file2_freshness[6];
};
struct xfs_getparents { struct xfs_attrlist_cursor gp_cursor; __u16 gp_iflags;
	__u16 gp_oflags; /* XFS_GETPARENTS_OFLAG_* */
	__u32 gp_bufsize; __u64 gp_reserved, gp_buffer;
};
struct xfs_getparents_by_handle { struct xfs_handle gph_handle; struct xfs_getparents gph_request; };
struct xfs_scrub_vec {
	__u32 sv_type; /* XFS_SCRUB_TYPE_* */
	__u32 sv_flags; /* XFS_SCRUB_IFLAG_*, XFS_SCRUB_OFLAG_* */
	__s32 sv_ret; __u32 sv_reserved;
};
struct xfs_scrub_vec_head { __u64 svh_ino; __u32 svh_gen, svh_agno, svh_flags; __u16 svh_rest_us, svh_nr; __u64 svh_reserved, svh_vectors; };
struct xfs_rtgroup_geometry { __u32 rg_number, rg_length, rg_sick, rg_checked, rg_flags, rg_reserved[27]; };

#define BMV_IF_ATTRFORK 0x1
#define BMV_IF_NO_DMAPI_READ 0x2
#define BMV_IF_PREALLOC 0x4
#define BMV_IF_DELALLOC 0x8
#define BMV_IF_NO_HOLES 0x10
#define BMV_IF_COWFORK 0x20
#define BMV_OF_PREALLOC 0x1
#define BMV_OF_DELALLOC 0x2
#define BMV_OF_LAST 0x4
#define BMV_OF_SHARED 0x8
#define XFS_FSOP_GEOM_SICK_COUNTERS (1 << 0)
#define XFS_FSOP_GEOM_SICK_UQUOTA (1 << 1)
#define XFS_FSOP_GEOM_SICK_GQUOTA (1 << 2)
#define XFS_FSOP_GEOM_SICK_PQUOTA (1 << 3)
#define XFS_FSOP_GEOM_SICK_RT_BITMAP (1 << 4)
#define XFS_FSOP_GEOM_SICK_RT_SUMMARY (1 << 5)
#define XFS_FSOP_GEOM_FLAGS_ATTR (1 << 0)
#define XFS_FSOP_GEOM_FLAGS_NLINK (1 << 1)
#define XFS_FSOP_GEOM_FLAGS_QUOTA (1 << 2)
#define XFS_FSOP_GEOM_FLAGS_IALIGN (1 << 3)
#define XFS_FSOP_GEOM_FLAGS_DALIGN (1 << 4)
#define XFS_FSOP_GEOM_FLAGS_SHARED (1 << 5)
#define XFS_FSOP_GEOM_FLAGS_EXTFLG (1 << 6)
#define XFS_FSOP_GEOM_FLAGS_DIRV2 (1 << 7)
#define XFS_FSOP_GEOM_FLAGS_LOGV2 (1 << 8)
#define XFS_FSOP_GEOM_FLAGS_SECTOR (1 << 9)
#define XFS_FSOP_GEOM_FLAGS_ATTR2 (1 << 10)
#define XFS_FSOP_GEOM_FLAGS_PROJID32 (1 << 11)
#define XFS_FSOP_GEOM_FLAGS_DIRV2CI (1 << 12)
#define XFS_FSOP_GEOM_FLAGS_LAZYSB (1 << 14)
#define XFS_FSOP_GEOM_FLAGS_V5SB (1 << 15)
#define XFS_FSOP_GEOM_FLAGS_FTYPE (1 << 16)
#define XFS_FSOP_GEOM_FLAGS_FINOBT (1 << 17)
#define XFS_FSOP_GEOM_FLAGS_SPINODES (1 << 18)
#define XFS_FSOP_GEOM_FLAGS_RMAPBT (1 << 19)
#define XFS_FSOP_GEOM_FLAGS_REFLINK (1 << 20)
#define XFS_FSOP_GEOM_FLAGS_BIGTIME (1 << 21)
#define XFS_FSOP_GEOM_FLAGS_INOBTCNT (1 << 22)
#define XFS_FSOP_GEOM_FLAGS_NREXT64 (1 << 23)
#define XFS_AG_GEOM_SICK_SB (1 << 0)
#define XFS_AG_GEOM_SICK_AGF (1 << 1)
#define XFS_AG_GEOM_SICK_AGFL (1 << 2)
#define XFS_AG_GEOM_SICK_AGI (1 << 3)
#define XFS_AG_GEOM_SICK_BNOBT (1 << 4)
#define XFS_AG_GEOM_SICK_CNTBT (1 << 5)
#define XFS_AG_GEOM_SICK_INOBT (1 << 6)
#define XFS_AG_GEOM_SICK_FINOBT (1 << 7)
#define XFS_AG_GEOM_SICK_RMAPBT (1 << 8)
#define XFS_AG_GEOM_SICK_REFCNTBT (1 << 9)
#define XFS_BULK_IREQ_AGNO (1 << 0)
#define XFS_BULK_IREQ_SPECIAL (1 << 1)
#define XFS_BULK_IREQ_NREXT64 (1 << 2)
#define XFS_EOF_FLAGS_SYNC (1 << 0)
#define XFS_EOF_FLAGS_UID (1 << 1)
#define XFS_EOF_FLAGS_GID (1 << 2)
#define XFS_EOF_FLAGS_PRID (1 << 3)
#define XFS_EOF_FLAGS_MINFILESIZE (1 << 4)
#define XFS_EOF_FLAGS_UNION (1 << 5)
#define XFS_IOC_ATTR_ROOT 0x0002
#define XFS_IOC_ATTR_SECURE 0x0008
#define XFS_IOC_ATTR_CREATE 0x0010
#define XFS_IOC_ATTR_REPLACE 0x0020
#define XFS_SCRUB_TYPE_PROBE 0
#define XFS_SCRUB_TYPE_SB 1
#define XFS_SCRUB_TYPE_AGF 2
#define XFS_SCRUB_TYPE_AGFL 3
#define XFS_SCRUB_TYPE_AGI 4
#define XFS_SCRUB_TYPE_BNOBT 5
#define XFS_SCRUB_TYPE_CNTBT 6
#define XFS_SCRUB_TYPE_INOBT 7
#define XFS_SCRUB_TYPE_FINOBT 8
#define XFS_SCRUB_TYPE_RMAPBT 9
#define XFS_SCRUB_TYPE_REFCNTBT 10
#define XFS_SCRUB_TYPE_INODE 11
#define XFS_SCRUB_TYPE_BMBTD 12
#define XFS_SCRUB_TYPE_BMBTA 13
#define XFS_SCRUB_TYPE_BMBTC 14
#define XFS_SCRUB_TYPE_DIR 15
#define XFS_SCRUB_TYPE_XATTR 16
#define XFS_SCRUB_TYPE_SYMLINK 17
#define XFS_SCRUB_TYPE_PARENT 18
#define XFS_SCRUB_TYPE_RTBITMAP 19
#define XFS_SCRUB_TYPE_RTSUM 20
#define XFS_SCRUB_TYPE_UQUOTA 21
#define XFS_SCRUB_TYPE_GQUOTA 22
#define XFS_SCRUB_TYPE_PQUOTA 23
#define XFS_SCRUB_TYPE_FSCOUNTERS 24
#define XFS_SCRUB_IFLAG_REPAIR (1 << 0)
#define XFS_SCRUB_OFLAG_CORRUPT (1 << 1)
#define XFS_SCRUB_OFLAG_PREEN (1 << 2)
#define XFS_SCRUB_OFLAG_XFAIL (1 << 3)
#define XFS_SCRUB_OFLAG_XCORRUPT (1 << 4)
#define XFS_SCRUB_OFLAG_INCOMPLETE (1 << 5)
#define XFS_SCRUB_OFLAG_WARNING (1 << 6)
#define XFS_SCRUB_OFLAG_NO_REPAIR_NEEDED (1 << 7)
#define XFS_FSOP_GEOM_FLAGS_EXCHANGE_RANGE (1 << 24)
#define XFS_FSOP_GEOM_FLAGS_PARENT (1 << 25)
#define XFS_EXCHANGE_RANGE_TO_EOF (1ULL << 0)
#define XFS_EXCHANGE_RANGE_DSYNC (1ULL << 1)
#define XFS_EXCHANGE_RANGE_DRY_RUN (1ULL << 2)
#define XFS_EXCHANGE_RANGE_FILE1_WRITTEN (1ULL << 3)
#define XFS_GETPARENTS_OFLAG_ROOT (1 << 0)
#define XFS_GETPARENTS_OFLAG_DONE (1 << 1)
#define ATTR_OP_GET 1
#define ATTR_OP_SET 2
#define ATTR_OP_REMOVE 3

#define XFS_IOC_DIOINFO _IOR('X', 30, struct dioattr)
#define XFS_IOC_GETBMAP _IOWR('X', 38, struct getbmap)
#define XFS_IOC_GETBMAPA _IOWR('X', 44, struct getbmap)
#define XFS_IOC_FSGETXATTRA _IOR('X', 45, struct fsxattr)
#define XFS_IOC_GETBMAPX _IOWR('X', 56, struct getbmap)
#define XFS_IOC_FREE_EOFBLOCKS _IOR('X', 58, struct xfs_fs_eofblocks)
#define XFS_IOC_SCRUB_METADATA _IOWR('X', 60, struct xfs_scrub_metadata)
#define XFS_IOC_AG_GEOMETRY _IOWR('X', 61, struct xfs_ag_geometry)
#define XFS_IOC_FSGEOMETRY_V1 _IOR('X', 100, struct xfs_fsop_geom_v1)
#define XFS_IOC_FSBULKSTAT _IOWR('X', 101, struct xfs_fsop_bulkreq)
#define XFS_IOC_FSBULKSTAT_SINGLE _IOWR('X', 102, struct xfs_fsop_bulkreq)
#define XFS_IOC_FSINUMBERS _IOWR('X', 103, struct xfs_fsop_bulkreq)
#define XFS_IOC_PATH_TO_FSHANDLE _IOWR('X', 104, struct xfs_fsop_handlereq)
#define XFS_IOC_PATH_TO_HANDLE _IOWR('X', 105, struct xfs_fsop_handlereq)
#define XFS_IOC_FD_TO_HANDLE _IOWR('X', 106, struct xfs_fsop_handlereq)
#define XFS_IOC_OPEN_BY_HANDLE _IOWR('X', 107, struct xfs_fsop_handlereq)
#define XFS_IOC_READLINK_BY_HANDLE _IOWR('X', 108, struct xfs_fsop_handlereq)
#define XFS_IOC_SWAPEXT _IOWR('X', 109, struct xfs_swapext)
#define XFS_IOC_FSGROWFSDATA _IOW('X', 110, struct xfs_growfs_data)
#define XFS_IOC_FSGROWFSLOG _IOW('X', 111, struct xfs_growfs_log)
#define XFS_IOC_FSGROWFSRT _IOW('X', 112, struct xfs_growfs_rt)
#define XFS_IOC_FSCOUNTS _IOR('X', 113, struct xfs_fsop_counts)
#define XFS_IOC_SET_RESBLKS _IOWR('X', 114, struct xfs_fsop_resblks)
#define XFS_IOC_GET_RESBLKS _IOR('X', 115, struct xfs_fsop_resblks)
#define XFS_IOC_ERROR_INJECTION _IOW('X', 116, struct xfs_error_injection)
#define XFS_IOC_ERROR_CLEARALL _IOW('X', 117, struct xfs_error_injection)
#define XFS_IOC_ATTRLIST_BY_HANDLE _IOW('X', 122, struct xfs_fsop_attrlist_handlereq)
#define XFS_IOC_ATTRMULTI_BY_HANDLE _IOW('X', 123, struct xfs_fsop_attrmulti_handlereq)
#define XFS_IOC_FSGEOMETRY_V4 _IOR('X', 124, struct xfs_fsop_geom_v4)
#define XFS_IOC_FSGEOMETRY _IOR('X', 126, struct xfs_fsop_geom)
#define XFS_IOC_BULKSTAT _IOR('X', 127, struct xfs_bulkstat_req)
#define XFS_IOC_INUMBERS _IOR('X', 128, struct xfs_inumbers_req)
#define XFS_IOC_GETPARENTS _IOWR('X', 62, struct xfs_getparents)
#define XFS_IOC_GETPARENTS_BY_HANDLE _IOWR('X', 63, struct xfs_getparents_by_handle)
#define XFS_IOC_SCRUBV_METADATA _IOWR('X', 64, struct xfs_scrub_vec_head)
#define XFS_IOC_RTGROUP_GEOMETRY _IOWR('X', 65, struct xfs_rtgroup_geometry)
#define XFS_IOC_EXCHANGE_RANGE _IOW('X', 129, struct xfs_exchange_range)
#define XFS_IOC_START_COMMIT _IOR('X', 130, struct xfs_commit_range)
#define XFS_IOC_COMMIT_RANGE _IOW('X', 131, struct xfs_commit_range)
#endif
