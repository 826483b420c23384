/* Requests that the kernel keeps in files of its own, not in UAPI headers, and those of Android's drivers. Each part names the file that has them. */
#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/kvm.h>
#include <sound/asound.h>

#define STRIDE_IN(type) _IOW(0, 0, type)
#define STRIDE_OUT(type) _IOR(0, 0, type)
#define STRIDE_BOTH(type) _IOWR(0, 0, type)

/* include/linux/falloc.h: 32-bit programs have shorter numbers for these. */
struct space_resv { __s16 l_type, l_whence; __s64 l_start, l_len; __s32 l_sysid; __u32 l_pid; __s32 l_pad[4]; };
#define FS_IOC_RESVSP _IOW('X', 40, struct space_resv)
#define FS_IOC_UNRESVSP _IOW('X', 41, struct space_resv)
#define FS_IOC_RESVSP64 _IOW('X', 42, struct space_resv)
#define FS_IOC_UNRESVSP64 _IOW('X', 43, struct space_resv)
#define FS_IOC_ZERO_RANGE _IOW('X', 57, struct space_resv)

/* fs/ocfs2/ocfs2_ioctl.h */
struct ocfs2_new_group_input { __u64 group; __u32 clusters, frees; __u16 chain, reserved1; __u32 reserved2; };
struct ocfs2_info { __u64 oi_requests; __u32 oi_count, oi_pad; };
struct reflink_arguments { __u64 old_path, new_path, preserve; };
struct ocfs2_move_extents { __u64 me_start, me_len, me_goal, me_threshold;
	__u64 me_flags; /* OCFS2_MOVE_EXT_FL_* */
	__u64 me_moved_len, me_new_offset; __u32 me_reserved[2];
};
#define OCFS2_MOVE_EXT_FL_AUTO_DEFRAG 1
#define OCFS2_MOVE_EXT_FL_PART_DEFRAG 2
#define OCFS2_MOVE_EXT_FL_COMPLETE 4
#define OCFS2_IOC_GROUP_EXTEND _IOW('o', 1, int)
#define OCFS2_IOC_GROUP_ADD _IOW('o', 2, struct ocfs2_new_group_input)
#define OCFS2_IOC_GROUP_ADD64 _IOW('o', 3, struct ocfs2_new_group_input)
#define OCFS2_IOC_REFLINK _IOW('o', 4, struct reflink_arguments)
#define OCFS2_IOC_INFO _IOR('o', 5, struct ocfs2_info)
#define OCFS2_IOC_MOVE_EXT _IOW('o', 6, struct ocfs2_move_extents)

/* drivers/usb/mon/mon_bin.c */
struct mon_bin_stats { __u32 queued, dropped; };
struct mon_bin_get { void *hdr, *data; __kernel_size_t alloc; };
struct mon_bin_mfetch { __u32 *offvec; __u32 nfetch, nflush; };
#define MON_IOCQ_URB_LEN _IO(0x92, 1)
#define MON_IOCG_STATS _IOR(0x92, 3, struct mon_bin_stats)
#define MON_IOCT_RING_SIZE _IO(0x92, 4)
#define MON_IOCQ_RING_SIZE _IO(0x92, 5)
#define MON_IOCX_GET _IOW(0x92, 6, struct mon_bin_get)
#define MON_IOCX_MFETCH _IOWR(0x92, 7, struct mon_bin_mfetch)
#define MON_IOCH_MFLUSH _IO(0x92, 8)
#define MON_IOCX_GETX _IOW(0x92, 10, struct mon_bin_get)

/* drivers/dma-buf/sw_sync.c */
struct sw_sync_create_fence_data { __u32 value; char name[32]; __s32 fence; };
#define SW_SYNC_IOC_CREATE_FENCE _IOWR('W', 0, struct sw_sync_create_fence_data)
#define SW_SYNC_IOC_INC _IOW('W', 1, __u32)

/* drivers/thermal/intel/int340x_thermal/acpi_thermal_rel.h */
#define ACPI_THERMAL_GET_TRT_LEN _IOR('s', 1, unsigned long)
#define ACPI_THERMAL_GET_ART_LEN _IOR('s', 2, unsigned long)
#define ACPI_THERMAL_GET_TRT_COUNT _IOR('s', 3, unsigned long)
#define ACPI_THERMAL_GET_ART_COUNT _IOR('s', 4, unsigned long)
#define ACPI_THERMAL_GET_TRT _IOR('s', 5, unsigned long)
#define ACPI_THERMAL_GET_ART _IOR('s', 6, unsigned long)

/* drivers/crypto/intel/qat/qat_common/adf_cfg_common.h */
struct adf_user_cfg_ctl_data { __u64 config_section; __u8 device_id; } __attribute__((packed));
struct adf_dev_status_info {
	__u32 type, accel_id, instance_id; __u8 num_ae, num_accel, num_logical_accel, banks_per_accel, state, bus, dev, fun; char name[32];
};
#define IOCTL_CONFIG_SYS_RESOURCE_PARAMETERS _IOW('a', 0, struct adf_user_cfg_ctl_data)
#define IOCTL_STOP_ACCEL_DEV _IOW('a', 1, struct adf_user_cfg_ctl_data)
#define IOCTL_START_ACCEL_DEV _IOW('a', 2, struct adf_user_cfg_ctl_data)
#define IOCTL_STATUS_ACCEL_DEV _IOW('a', 3, __u32)
#define IOCTL_STATUS_ACCEL_DEV_ARGUMENT STRIDE_BOTH(struct adf_dev_status_info)
#define IOCTL_GET_NUM_DEVICES _IOW('a', 4, __s32)
#define IOCTL_GET_NUM_DEVICES_ARGUMENT STRIDE_OUT(__s32)

/* drivers/iommu/iommufd/iommufd_test.h: the members that all tests have */
struct iommu_test_cmd { __u32 size, op, id, __reserved; };
#define IOMMU_TEST_CMD _IO(';', 0xa0)
#define IOMMU_TEST_CMD_ARGUMENT STRIDE_BOTH(struct iommu_test_cmd)

/* include/linux/vmw_vmci_defs.h */
struct vmci_handle { __u32 context, resource; };
struct vmci_init_blk { __u32 cid, flags; };
struct vmci_ctx_info { __u32 remote_cid; __s32 result; };
struct vmci_ctx_chkpt_buf_info { __u64 cpt_buf; __u32 cpt_type, buf_size; __s32 result; __u32 _pad; };
struct vmci_datagram_snd_rcv_info { __u64 addr; __u32 len; __s32 result; };
struct vmci_ctx_notify_recv_info {
	__u64 db_handle_buf_uva, db_handle_buf_size, qp_handle_buf_uva, qp_handle_buf_size; __s32 result; __u32 _pad;
};
struct vmci_dbell_notify_resource_info { struct vmci_handle handle; __u16 resource, action; __s32 result; };
struct vmci_qp_alloc_info {
	struct vmci_handle handle; __u32 peer, flags; __u64 produce_size, consume_size, ppn_va, num_ppns; __s32 result; __u32 version;
};
struct vmci_qp_dtch_info { struct vmci_handle handle; __s32 result; __u32 _pad; };
struct vmci_qp_page_file_info {
	struct vmci_handle handle; __u64 produce_page_file, consume_page_file, produce_page_file_size, consume_page_file_size;
	__s32 result; __u32 version; __u64 produce_va, consume_va;
};
struct vmci_qp_set_va_info { struct vmci_handle handle; __u64 va, num_ppns; __u32 version; __s32 result; };
struct vmci_set_notify_info { __u64 notify_uva; __s32 result; __u32 _pad; };
#define IOCTL_VMCI_VERSION _IO(7, 0x9f)
#define IOCTL_VMCI_INIT_CONTEXT _IO(7, 0xa0)
#define IOCTL_VMCI_QUEUEPAIR_SETVA _IO(7, 0xa4)
#define IOCTL_VMCI_NOTIFY_RESOURCE _IO(7, 0xa5)
#define IOCTL_VMCI_NOTIFICATIONS_RECEIVE _IO(7, 0xa6)
#define IOCTL_VMCI_VERSION2 _IO(7, 0xa7)
#define IOCTL_VMCI_QUEUEPAIR_ALLOC _IO(7, 0xa8)
#define IOCTL_VMCI_QUEUEPAIR_SETPAGEFILE _IO(7, 0xa9)
#define IOCTL_VMCI_QUEUEPAIR_DETACH _IO(7, 0xaa)
#define IOCTL_VMCI_DATAGRAM_SEND _IO(7, 0xab)
#define IOCTL_VMCI_DATAGRAM_RECEIVE _IO(7, 0xac)
#define IOCTL_VMCI_CTX_ADD_NOTIFICATION _IO(7, 0xaf)
#define IOCTL_VMCI_CTX_REMOVE_NOTIFICATION _IO(7, 0xb0)
#define IOCTL_VMCI_CTX_GET_CPT_STATE _IO(7, 0xb1)
#define IOCTL_VMCI_CTX_SET_CPT_STATE _IO(7, 0xb2)
#define IOCTL_VMCI_GET_CONTEXT_ID _IO(7, 0xb3)
#define IOCTL_VMCI_SET_NOTIFY _IO(7, 0xcb)
#define IOCTL_VMCI_VERSION_ARGUMENT STRIDE_IN(int)
#define IOCTL_VMCI_VERSION2_ARGUMENT STRIDE_IN(int)
#define IOCTL_VMCI_INIT_CONTEXT_ARGUMENT STRIDE_BOTH(struct vmci_init_blk)
#define IOCTL_VMCI_QUEUEPAIR_SETVA_ARGUMENT STRIDE_BOTH(struct vmci_qp_set_va_info)
#define IOCTL_VMCI_NOTIFY_RESOURCE_ARGUMENT STRIDE_BOTH(struct vmci_dbell_notify_resource_info)
#define IOCTL_VMCI_NOTIFICATIONS_RECEIVE_ARGUMENT STRIDE_BOTH(struct vmci_ctx_notify_recv_info)
#define IOCTL_VMCI_QUEUEPAIR_ALLOC_ARGUMENT STRIDE_BOTH(struct vmci_qp_alloc_info)
#define IOCTL_VMCI_QUEUEPAIR_SETPAGEFILE_ARGUMENT STRIDE_BOTH(struct vmci_qp_page_file_info)
#define IOCTL_VMCI_QUEUEPAIR_DETACH_ARGUMENT STRIDE_BOTH(struct vmci_qp_dtch_info)
#define IOCTL_VMCI_DATAGRAM_SEND_ARGUMENT STRIDE_BOTH(struct vmci_datagram_snd_rcv_info)
#define IOCTL_VMCI_DATAGRAM_RECEIVE_ARGUMENT STRIDE_BOTH(struct vmci_datagram_snd_rcv_info)
#define IOCTL_VMCI_CTX_ADD_NOTIFICATION_ARGUMENT STRIDE_BOTH(struct vmci_ctx_info)
#define IOCTL_VMCI_CTX_REMOVE_NOTIFICATION_ARGUMENT STRIDE_BOTH(struct vmci_ctx_info)
#define IOCTL_VMCI_CTX_GET_CPT_STATE_ARGUMENT STRIDE_BOTH(struct vmci_ctx_chkpt_buf_info)
#define IOCTL_VMCI_CTX_SET_CPT_STATE_ARGUMENT STRIDE_BOTH(struct vmci_ctx_chkpt_buf_info)
#define IOCTL_VMCI_SET_NOTIFY_ARGUMENT STRIDE_BOTH(struct vmci_set_notify_info)

/* net/bluetooth: bnep/bnep.h, cmtp/cmtp.h, hidp/hidp.h */
struct bnep_connadd_req { int sock; __u32 flags; __u16 role; char device[16]; };
struct bnep_conndel_req { __u32 flags; __u8 dst[6]; };
struct bnep_conninfo { __u32 flags; __u16 role, state; __u8 dst[6]; char device[16]; };
struct bnep_connlist_req { __u32 cnum; struct bnep_conninfo *ci; };
struct cmtp_connadd_req { int sock; __u32 flags; };
struct cmtp_conndel_req { __u8 bdaddr[6]; __u32 flags; };
struct cmtp_conninfo { __u8 bdaddr[6]; __u32 flags; __u16 state; int num; };
struct cmtp_connlist_req { __u32 cnum; struct cmtp_conninfo *ci; };
struct hidp_connadd_req {
	int ctrl_sock, intr_sock; __u16 parser, rd_size; __u8 *rd_data; __u8 country, subclass; __u16 vendor, product, version;
	__u32 flags, idle_to; char name[128];
};
struct hidp_conndel_req { __u8 bdaddr[6]; __u32 flags; };
struct hidp_conninfo { __u8 bdaddr[6]; __u32 flags; __u16 state, vendor, product, version; char name[128]; };
struct hidp_connlist_req { __u32 cnum; struct hidp_conninfo *ci; };
#define BNEPCONNADD _IOW('B', 200, int)
#define BNEPCONNDEL _IOW('B', 201, int)
#define BNEPGETCONNLIST _IOR('B', 210, int)
#define BNEPGETCONNINFO _IOR('B', 211, int)
#define BNEPGETSUPPFEAT _IOR('B', 212, int)
#define CMTPCONNADD _IOW('C', 200, int)
#define CMTPCONNDEL _IOW('C', 201, int)
#define CMTPGETCONNLIST _IOR('C', 210, int)
#define CMTPGETCONNINFO _IOR('C', 211, int)
#define HIDPCONNADD _IOW('H', 200, int)
#define HIDPCONNDEL _IOW('H', 201, int)
#define HIDPGETCONNLIST _IOR('H', 210, int)
#define HIDPGETCONNINFO _IOR('H', 211, int)
#define BNEPCONNADD_ARGUMENT STRIDE_BOTH(struct bnep_connadd_req)
#define BNEPCONNDEL_ARGUMENT STRIDE_IN(struct bnep_conndel_req)
#define BNEPGETCONNLIST_ARGUMENT STRIDE_BOTH(struct bnep_connlist_req)
#define BNEPGETCONNINFO_ARGUMENT STRIDE_BOTH(struct bnep_conninfo)
#define CMTPCONNADD_ARGUMENT STRIDE_IN(struct cmtp_connadd_req)
#define CMTPCONNDEL_ARGUMENT STRIDE_IN(struct cmtp_conndel_req)
#define CMTPGETCONNLIST_ARGUMENT STRIDE_BOTH(struct cmtp_connlist_req)
#define CMTPGETCONNINFO_ARGUMENT STRIDE_BOTH(struct cmtp_conninfo)
#define HIDPCONNADD_ARGUMENT STRIDE_IN(struct hidp_connadd_req)
#define HIDPCONNDEL_ARGUMENT STRIDE_IN(struct hidp_conndel_req)
#define HIDPGETCONNLIST_ARGUMENT STRIDE_BOTH(struct hidp_connlist_req)
#define HIDPGETCONNINFO_ARGUMENT STRIDE_BOTH(struct hidp_conninfo)

/* include/linux/mISDNif.h */
struct mISDN_devinfo { __u32 id, Dprotocols, Bprotocols, protocol; __u8 channelmap[16]; __u32 nrbchan; char name[20]; };
struct mISDN_devrename { __u32 id; char name[20]; };
struct mISDN_ctrl_req { int op, channel, p1, p2; };
#define IMADDTIMER _IOR('I', 64, int)
#define IMDELTIMER _IOR('I', 65, int)
#define IMGETVERSION _IOR('I', 66, int)
#define IMGETCOUNT _IOR('I', 67, int)
#define IMGETDEVINFO _IOR('I', 68, int)
#define IMCTRLREQ _IOR('I', 69, int)
#define IMCLEAR_L2 _IOR('I', 70, int)
#define IMSETDEVNAME _IOR('I', 71, struct mISDN_devrename)
#define IMHOLD_L1 _IOR('I', 72, int)
#define IMADDTIMER_ARGUMENT STRIDE_BOTH(int)
#define IMDELTIMER_ARGUMENT STRIDE_BOTH(int)
#define IMGETDEVINFO_ARGUMENT STRIDE_BOTH(struct mISDN_devinfo)
#define IMCTRLREQ_ARGUMENT STRIDE_BOTH(struct mISDN_ctrl_req)
#define IMCLEAR_L2_ARGUMENT STRIDE_IN(int)
#define IMSETDEVNAME_ARGUMENT STRIDE_IN(struct mISDN_devrename)
#define IMHOLD_L1_ARGUMENT STRIDE_IN(int)

/* sound/core: requests with times of 32 bits, and parameters of old programs. */
#define OSS_ALSAEMULVER _IOR('M', 249, int)
struct snd_pcm_hw_params_old {
	__u32 flags, masks[3]; struct snd_interval intervals[12]; __u32 rmask, cmask, info, msbits, rate_num, rate_den;
	unsigned long fifo_size; __u8 reserved[64];
};
#define SNDRV_PCM_IOCTL_HW_REFINE_OLD _IOWR('A', 0x10, struct snd_pcm_hw_params_old)
#define SNDRV_PCM_IOCTL_HW_PARAMS_OLD _IOWR('A', 0x11, struct snd_pcm_hw_params_old)
#if __BITS_PER_LONG == 64
struct snd_rawmidi_status32 { __s32 stream, tstamp_sec, tstamp_nsec; __u32 avail, xruns; __u8 reserved[16]; };
struct snd_timer_status32 { __s32 tstamp_sec, tstamp_nsec; __u32 resolution, lost, overrun, queue; __u8 reserved[64]; };
struct snd_pcm_status32 {
	snd_pcm_state_t state; __s32 trigger_tstamp_sec, trigger_tstamp_nsec, tstamp_sec, tstamp_nsec; __u32 appl_ptr, hw_ptr; __s32 delay;
	__u32 avail, avail_max, overrange; snd_pcm_state_t suspended_state; __u32 audio_tstamp_data;
	__s32 audio_tstamp_sec, audio_tstamp_nsec, driver_tstamp_sec, driver_tstamp_nsec; __u32 audio_tstamp_accuracy; __u8 reserved[36];
};
#define SNDRV_RAWMIDI_IOCTL_STATUS32 _IOWR('W', 0x20, struct snd_rawmidi_status32)
#define SNDRV_TIMER_IOCTL_STATUS32 _IOR('T', 0x14, struct snd_timer_status32)
#define SNDRV_PCM_IOCTL_STATUS32 _IOR('A', 0x20, struct snd_pcm_status32)
#define SNDRV_PCM_IOCTL_STATUS_EXT32 _IOWR('A', 0x24, struct snd_pcm_status32)
#endif

/* linux/kvm.h before Linux 6.12 */
struct kvm_assigned_msix_nr { __u32 assigned_dev_id; __u16 entry_nr, padding; };
struct kvm_assigned_msix_entry { __u32 assigned_dev_id, gsi; __u16 entry, padding[3]; };
#define KVM_ASSIGN_SET_MSIX_NR _IOW(KVMIO, 0x73, struct kvm_assigned_msix_nr)
#define KVM_ASSIGN_SET_MSIX_ENTRY _IOW(KVMIO, 0x74, struct kvm_assigned_msix_entry)

/* Android: drivers/staging/android/uapi/ashmem.h before Linux 5.18 */
struct ashmem_pin { __u32 offset, len; };
#define ASHMEM_SET_NAME _IOW(0x77, 1, char[256])
#define ASHMEM_GET_NAME _IOR(0x77, 2, char[256])
#define ASHMEM_SET_SIZE _IOW(0x77, 3, __kernel_size_t)
#define ASHMEM_GET_SIZE _IO(0x77, 4)
#define ASHMEM_SET_PROT_MASK _IOW(0x77, 5, unsigned long)
#define ASHMEM_GET_PROT_MASK _IO(0x77, 6)
#define ASHMEM_PIN _IOW(0x77, 7, struct ashmem_pin)
#define ASHMEM_UNPIN _IOW(0x77, 8, struct ashmem_pin)
#define ASHMEM_GET_PIN_STATUS _IO(0x77, 9)
#define ASHMEM_PURGE_ALL_CACHES _IO(0x77, 10)

/* Android: incfs, and trusty */
struct incfs_new_file_args {
	__u8 file_id[16]; __u64 size; __u16 mode, reserved1; __u32 reserved2; __u64 directory_path, file_name, file_attr;
	__u32 file_attr_len, reserved4; __u64 signature_info, signature_size, reserved6;
};
struct incfs_get_file_sig_args { __u64 file_signature; __u32 file_signature_buf_size, file_signature_len_out; };
struct incfs_fill_blocks { __u64 count, fill_blocks; };
struct incfs_permit_fill { __u32 file_descriptor; };
struct incfs_get_filled_blocks_args {
	__u64 range_buffer; __u32 range_buffer_size, start_index, end_index, total_blocks_out, data_blocks_out, range_buffer_size_out, index_out;
};
#define INCFS_IOC_CREATE_FILE _IOWR('g', 30, struct incfs_new_file_args)
#define INCFS_IOC_READ_FILE_SIGNATURE _IOR('g', 31, struct incfs_get_file_sig_args)
#define INCFS_IOC_FILL_BLOCKS _IOR('g', 32, struct incfs_fill_blocks)
#define INCFS_IOC_PERMIT_FILL _IOW('g', 33, struct incfs_permit_fill)
#define INCFS_IOC_GET_FILLED_BLOCKS _IOR('g', 34, struct incfs_get_filled_blocks_args)
#define TIPC_IOC_CONNECT _IOW('r', 0x80, char *)

/* include/net/bluetooth/hci_sock.h */
#define HCIDEVUP _IOW('H', 201, int)
#define HCIDEVDOWN _IOW('H', 202, int)
#define HCIDEVRESET _IOW('H', 203, int)
#define HCIDEVRESTAT _IOW('H', 204, int)
#define HCIGETDEVLIST _IOR('H', 210, int)
#define HCIGETDEVINFO _IOR('H', 211, int)
#define HCIGETCONNLIST _IOR('H', 212, int)
#define HCIGETCONNINFO _IOR('H', 213, int)
#define HCIGETAUTHINFO _IOR('H', 215, int)
#define HCISETRAW _IOW('H', 220, int)
#define HCISETSCAN _IOW('H', 221, int)
#define HCISETAUTH _IOW('H', 222, int)
#define HCISETENCRYPT _IOW('H', 223, int)
#define HCISETPTYPE _IOW('H', 224, int)
#define HCISETLINKPOL _IOW('H', 225, int)
#define HCISETLINKMODE _IOW('H', 226, int)
#define HCISETACLMTU _IOW('H', 227, int)
#define HCISETSCOMTU _IOW('H', 228, int)
#define HCIBLOCKADDR _IOW('H', 230, int)
#define HCIUNBLOCKADDR _IOW('H', 231, int)
#define HCIINQUIRY _IOR('H', 240, int)
