/* Types that grew after Linux 6.12, as they are in 6.18. Members and their order were read from
 * the BTF of a 6.18 kernel; their source is include/uapi/linux/{bpf,tcp,if_xdp,mount,pidfd,xattr,fs,stat}.h.
 * Kernels extend these at the end, so they describe older ones as well. __aligned_u64 throughout:
 * the kernel reads them by 64-bit offsets from 32-bit programs too. */
#pragma once
#include <linux/types.h>
#include "newer_bpf.h"

struct tcp_info {
	__u8 tcpi_state;
	__u8 tcpi_ca_state;
	__u8 tcpi_retransmits;
	__u8 tcpi_probes;
	__u8 tcpi_backoff;
	__u8 tcpi_options;
	__u8 tcpi_snd_wscale : 4;
	__u8 tcpi_rcv_wscale : 4;
	__u8 tcpi_delivery_rate_app_limited : 1;
	__u8 tcpi_fastopen_client_fail : 2;
	__u32 tcpi_rto;
	__u32 tcpi_ato;
	__u32 tcpi_snd_mss;
	__u32 tcpi_rcv_mss;
	__u32 tcpi_unacked;
	__u32 tcpi_sacked;
	__u32 tcpi_lost;
	__u32 tcpi_retrans;
	__u32 tcpi_fackets;
	__u32 tcpi_last_data_sent;
	__u32 tcpi_last_ack_sent;
	__u32 tcpi_last_data_recv;
	__u32 tcpi_last_ack_recv;
	__u32 tcpi_pmtu;
	__u32 tcpi_rcv_ssthresh;
	__u32 tcpi_rtt;
	__u32 tcpi_rttvar;
	__u32 tcpi_snd_ssthresh;
	__u32 tcpi_snd_cwnd;
	__u32 tcpi_advmss;
	__u32 tcpi_reordering;
	__u32 tcpi_rcv_rtt;
	__u32 tcpi_rcv_space;
	__u32 tcpi_total_retrans;
	__aligned_u64 tcpi_pacing_rate;
	__aligned_u64 tcpi_max_pacing_rate;
	__aligned_u64 tcpi_bytes_acked;
	__aligned_u64 tcpi_bytes_received;
	__u32 tcpi_segs_out;
	__u32 tcpi_segs_in;
	__u32 tcpi_notsent_bytes;
	__u32 tcpi_min_rtt;
	__u32 tcpi_data_segs_in;
	__u32 tcpi_data_segs_out;
	__aligned_u64 tcpi_delivery_rate;
	__aligned_u64 tcpi_busy_time;
	__aligned_u64 tcpi_rwnd_limited;
	__aligned_u64 tcpi_sndbuf_limited;
	__u32 tcpi_delivered;
	__u32 tcpi_delivered_ce;
	__aligned_u64 tcpi_bytes_sent;
	__aligned_u64 tcpi_bytes_retrans;
	__u32 tcpi_dsack_dups;
	__u32 tcpi_reord_seen;
	__u32 tcpi_rcv_ooopack;
	__u32 tcpi_snd_wnd;
	__u32 tcpi_rcv_wnd;
	__u32 tcpi_rehash;
	__u16 tcpi_total_rto;
	__u16 tcpi_total_rto_recoveries;
	__u32 tcpi_total_rto_time;
	__u32 tcpi_received_ce;
	__u32 tcpi_delivered_e1_bytes;
	__u32 tcpi_delivered_e0_bytes;
	__u32 tcpi_delivered_ce_bytes;
	__u32 tcpi_received_e1_bytes;
	__u32 tcpi_received_e0_bytes;
	__u32 tcpi_received_ce_bytes;
	__u16 tcpi_accecn_fail_mode;
	__u16 tcpi_accecn_opt_seen;
};

struct xsk_tx_metadata {
	__aligned_u64 flags;
	union {
		struct {
			__u16 csum_start;
			__u16 csum_offset;
			__aligned_u64 launch_time;
		} request;
		struct {
			__aligned_u64 tx_timestamp;
		} completion;
	};
};

struct statmount {
	__u32 size;
	__u32 mnt_opts;
	__aligned_u64 mask;
	__u32 sb_dev_major;
	__u32 sb_dev_minor;
	__aligned_u64 sb_magic;
	__u32 sb_flags;
	__u32 fs_type;
	__aligned_u64 mnt_id;
	__aligned_u64 mnt_parent_id;
	__u32 mnt_id_old;
	__u32 mnt_parent_id_old;
	__aligned_u64 mnt_attr;
	__aligned_u64 mnt_propagation;
	__aligned_u64 mnt_peer_group;
	__aligned_u64 mnt_master;
	__aligned_u64 propagate_from;
	__u32 mnt_root;
	__u32 mnt_point;
	__aligned_u64 mnt_ns_id;
	__u32 fs_subtype;
	__u32 sb_source;
	__u32 opt_num;
	__u32 opt_array;
	__u32 opt_sec_num;
	__u32 opt_sec_array;
	__aligned_u64 supported_mask;
	__u32 mnt_uidmap_num;
	__u32 mnt_uidmap;
	__u32 mnt_gidmap_num;
	__u32 mnt_gidmap;
	__aligned_u64 __spare2[43];
	char str[];
};

struct mnt_id_req {
	__u32 size;
	__u32 mnt_ns_fd;
	__aligned_u64 mnt_id;
	__aligned_u64 param;
	__aligned_u64 mnt_ns_id;
};

struct pidfd_info {
	__aligned_u64 mask;
	__aligned_u64 cgroupid;
	__u32 pid;
	__u32 tgid;
	__u32 ppid;
	__u32 ruid;
	__u32 rgid;
	__u32 euid;
	__u32 egid;
	__u32 suid;
	__u32 sgid;
	__u32 fsuid;
	__u32 fsgid;
	__s32 exit_code;
	__u32 coredump_mask;
	__u32 coredump_signal;
	__u32 coredump_code;
	__u32 coredump_pad;
	__aligned_u64 supported_mask;
};

struct xattr_args {
	__aligned_u64 value;
	__u32 size;
	__u32 flags;
};

struct file_attr {
	__aligned_u64 fa_xflags;
	__u32 fa_extsize;
	__u32 fa_nextents;
	__u32 fa_projid;
	__u32 fa_cowextsize;
};

struct statx_timestamp {
	__s64 tv_sec;
	__u32 tv_nsec;
	__s32 __reserved;
};

struct statx {
	__u32 stx_mask;
	__u32 stx_blksize;
	__aligned_u64 stx_attributes;
	__u32 stx_nlink;
	__u32 stx_uid;
	__u32 stx_gid;
	__u16 stx_mode;
	__u16 __spare0[1];
	__aligned_u64 stx_ino;
	__aligned_u64 stx_size;
	__aligned_u64 stx_blocks;
	__aligned_u64 stx_attributes_mask;
	struct statx_timestamp stx_atime;
	struct statx_timestamp stx_btime;
	struct statx_timestamp stx_ctime;
	struct statx_timestamp stx_mtime;
	__u32 stx_rdev_major;
	__u32 stx_rdev_minor;
	__u32 stx_dev_major;
	__u32 stx_dev_minor;
	__aligned_u64 stx_mnt_id;
	__u32 stx_dio_mem_align;
	__u32 stx_dio_offset_align;
	__aligned_u64 stx_subvol;
	__u32 stx_atomic_write_unit_min;
	__u32 stx_atomic_write_unit_max;
	__u32 stx_atomic_write_segments_max;
	__u32 stx_dio_read_offset_align;
	__u32 stx_atomic_write_unit_max_opt;
	__u32 __spare2[1];
	__aligned_u64 __spare3[8];
};

struct io_uring_clone_buffers {
	__u32 src_fd;
	__u32 flags;
	__u32 src_off;
	__u32 dst_off;
	__u32 nr;
	__u32 pad[3];
};

struct io_uring_napi {
	__u32 busy_poll_to;
	__u8 prefer_busy_poll;
	__u8 opcode;
	__u8 pad[2];
	__u32 op_param;
	__u32 resv;
};

/* F_GETDELEG, F_SETDELEG: linux/fcntl.h, 6.19. */
struct delegation {
	__u32 d_flags;
	__u16 d_type;
	__u16 __pad;
};

/* linux/landlock.h: the last three since 7.0. */
struct landlock_ruleset_attr {
	__u64 handled_access_fs;
	__u64 handled_access_net;
	__u64 scoped;
	__u64 quiet_access_fs;
	__u64 quiet_access_net;
	__u64 quiet_scoped;
};

/* linux/fs.h, 6.17 */
struct logical_block_metadata_cap {
	__u32 lbmd_flags;
	__u16 lbmd_interval;
	__u8 lbmd_size;
	__u8 lbmd_opaque_size;
	__u8 lbmd_opaque_offset;
	__u8 lbmd_pi_size;
	__u8 lbmd_pi_offset;
	__u8 lbmd_guard_tag_type;
	__u8 lbmd_app_tag_size;
	__u8 lbmd_ref_tag_size;
	__u8 lbmd_storage_tag_size;
	__u8 pad;
};

/* The element of ubi_rnvol_req.ents, which has no name in mtd/ubi-user.h. */
struct ubi_rename_entry {
	__s32 vol_id;
	__s16 name_len;
	__s8 padding2[2];
	char name[128];
};

/* linux/nsfs.h, 6.18 */
struct ns_id_req {
	__u32 size;
	__u32 spare;
	__aligned_u64 ns_id;
	__u32 ns_type;
	__u32 spare2;
	__aligned_u64 user_ns_id;
};

/* include/uapi/linux/tee.h, 6.18 */
struct tee_ioctl_shm_register_fd_data {
	__s64 fd;
	__u64 size;
	__u32 flags;
	__s32 id;
};

struct tee_ioctl_object_invoke_arg {
	__u64 id;
	__u32 op;
	__u32 ret;
	__u32 num_params;
	__u32 : 32;
};

/* linux/io_uring.h, linux/io_uring/query.h, linux/io_uring/zcrx.h: newer than 6.12. */
struct io_uring_attr_pi {
	__u16 flags;
	__u16 app_tag;
	__u32 len;
	__u64 addr;
	__u64 seed;
	__u64 rsvd;
};

struct io_uring_mem_region_reg {
	__u64 region_uptr;
	__u64 flags;
	__u64 __resv[2];
};

struct io_uring_query_hdr {
	__u64 next_entry;
	__u64 query_data;
	__u32 query_op;
	__u32 size;
	__s32 result;
	__u32 __resv[3];
};

struct io_uring_query_opcode {
	__u32 nr_request_opcodes;
	__u32 nr_register_opcodes;
	__u64 feature_flags;
	__u64 ring_setup_flags;
	__u64 enter_flags;
	__u64 sqe_flags;
	__u32 nr_query_opcodes;
	__u32 __pad;
};

struct io_uring_query_zcrx {
	__u64 register_flags;
	__u64 area_flags;
	__u32 nr_ctrl_opcodes;
	__u32 features;
	__u32 rq_hdr_size;
	__u32 rq_hdr_alignment;
	__u64 __resv2;
};

struct io_uring_query_zcrx_event {
	__u32 event_flags;
	__u32 stats_size;
	__u32 stats_off_alignment;
	__u32 __resv1;
	__u64 __resv2[4];
};

struct io_uring_query_scq {
	__u64 hdr_size;
	__u64 hdr_alignment;
};

struct io_uring_zcrx_offsets {
	__u32 head;
	__u32 tail;
	__u32 rqes;
	__u32 __resv2;
	__u64 __resv[2];
};

struct io_uring_zcrx_ifq_reg {
	__u32 if_idx;
	__u32 if_rxq;
	__u32 rq_entries;
	__u32 flags;
	__u64 area_ptr;
	__u64 region_ptr;
	struct io_uring_zcrx_offsets offsets;
	__u32 zcrx_id;
	__u32 rx_buf_len;
	__u64 event_desc;
	__u64 __resv[2];
};

struct zcrx_ctrl_flush_rq {
	__u64 __resv[6];
};

struct zcrx_ctrl_export {
	__u32 zcrx_fd;
	__u32 __resv1[11];
};

struct zcrx_ctrl_arm_event {
	__u32 event_type;
	__u32 __resv[11];
};

struct zcrx_ctrl {
	__u32 zcrx_id;
	__u32 op;
	__u64 __resv[2];
	union {
		struct zcrx_ctrl_export zc_export;
		struct zcrx_ctrl_flush_rq zc_flush;
		struct zcrx_ctrl_arm_event zc_arm_event;
	};
};
