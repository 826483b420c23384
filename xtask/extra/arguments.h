/* Arguments of requests whose numbers tell neither direction nor type: X_ARGUMENT tells them of request X, as if its number had them.
 * The comments of the header that each part names say so, or else the function of the kernel that it names. */
#include <linux/types.h>
#include <linux/ioctl.h>
#include <linux/cdrom.h>
#include <linux/fb.h>
#include <linux/fd.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <linux/if_vlan.h>
#include <linux/iommufd.h>
#include <linux/serial.h>
#include <linux/vfio.h>
#include <linux/vt.h>
#include <linux/watch_queue.h>

#define STRIDE_IN(type) _IOW(0, 0, type)
#define STRIDE_OUT(type) _IOR(0, 0, type)
#define STRIDE_BOTH(type) _IOWR(0, 0, type)

/* linux/cdrom.h, and drivers/cdrom/cdrom.c for the directions */
#define CDROMPLAYMSF_ARGUMENT STRIDE_IN(struct cdrom_msf)
#define CDROMPLAYTRKIND_ARGUMENT STRIDE_IN(struct cdrom_ti)
#define CDROMREADTOCHDR_ARGUMENT STRIDE_OUT(struct cdrom_tochdr)
#define CDROMREADTOCENTRY_ARGUMENT STRIDE_BOTH(struct cdrom_tocentry)
#define CDROMVOLCTRL_ARGUMENT STRIDE_IN(struct cdrom_volctrl)
#define CDROMVOLREAD_ARGUMENT STRIDE_OUT(struct cdrom_volctrl)
#define CDROMSUBCHNL_ARGUMENT STRIDE_BOTH(struct cdrom_subchnl)
#define CDROMREADMODE1_ARGUMENT STRIDE_IN(struct cdrom_msf)
#define CDROMREADMODE2_ARGUMENT STRIDE_IN(struct cdrom_msf)
#define CDROMREADRAW_ARGUMENT STRIDE_IN(struct cdrom_msf)
#define CDROMREADCOOKED_ARGUMENT STRIDE_IN(struct cdrom_msf)
#define CDROMREADALL_ARGUMENT STRIDE_IN(struct cdrom_msf)
#define CDROMREADAUDIO_ARGUMENT STRIDE_IN(struct cdrom_read_audio)
#define CDROMMULTISESSION_ARGUMENT STRIDE_BOTH(struct cdrom_multisession)
#define CDROM_GET_MCN_ARGUMENT STRIDE_OUT(struct cdrom_mcn)
#define CDROMSEEK_ARGUMENT STRIDE_IN(struct cdrom_msf)
#define CDROMPLAYBLK_ARGUMENT STRIDE_IN(struct cdrom_blk)
#define CDROMGETSPINDOWN_ARGUMENT STRIDE_OUT(__u8)
#define CDROMSETSPINDOWN_ARGUMENT STRIDE_IN(__u8)
#define CDROM_NEXT_WRITABLE_ARGUMENT STRIDE_OUT(long)
#define CDROM_LAST_WRITTEN_ARGUMENT STRIDE_OUT(long)
#define CDROM_SEND_PACKET_ARGUMENT STRIDE_BOTH(struct cdrom_generic_command)
#define CDROM_TIMED_MEDIA_CHANGE_ARGUMENT STRIDE_BOTH(struct cdrom_timed_media_change_info)
#define DVD_READ_STRUCT_ARGUMENT STRIDE_BOTH(dvd_struct)
#define DVD_AUTH_ARGUMENT STRIDE_BOTH(dvd_authinfo)

/* linux/fb.h: drivers/video/fbdev/core/fb_chrdev.c */
#define FBIOGET_VSCREENINFO_ARGUMENT STRIDE_OUT(struct fb_var_screeninfo)
#define FBIOPUT_VSCREENINFO_ARGUMENT STRIDE_BOTH(struct fb_var_screeninfo)
#define FBIOGET_FSCREENINFO_ARGUMENT STRIDE_OUT(struct fb_fix_screeninfo)
#define FBIOGETCMAP_ARGUMENT STRIDE_IN(struct fb_cmap)
#define FBIOPUTCMAP_ARGUMENT STRIDE_IN(struct fb_cmap)
#define FBIOPAN_DISPLAY_ARGUMENT STRIDE_BOTH(struct fb_var_screeninfo)
#define FBIOGET_CON2FBMAP_ARGUMENT STRIDE_BOTH(struct fb_con2fbmap)
#define FBIOPUT_CON2FBMAP_ARGUMENT STRIDE_IN(struct fb_con2fbmap)

/* linux/fd.h: drivers/block/floppy.c, raw_cmd_ioctl */
#define FDRAWCMD_ARGUMENT STRIDE_BOTH(struct floppy_raw_cmd)

/* linux/fs.h: fs/ioctl.c, ioctl_fibmap and do_vfs_ioctl */
#define FIBMAP_ARGUMENT STRIDE_BOTH(int)
#define FIGETBSZ_ARGUMENT STRIDE_OUT(int)
#define FIOQSIZE_ARGUMENT STRIDE_OUT(long long)

/* linux/i2c-dev.h */
#define I2C_FUNCS_ARGUMENT STRIDE_OUT(unsigned long)
#define I2C_RDWR_ARGUMENT STRIDE_IN(struct i2c_rdwr_ioctl_data)
#define I2C_SMBUS_ARGUMENT STRIDE_IN(struct i2c_smbus_ioctl_data)

/* linux/if_vlan.h: net/8021q/vlan.c, vlan_ioctl_handler */
#define SIOCGIFVLAN_ARGUMENT STRIDE_BOTH(struct vlan_ioctl_args)
#define SIOCSIFVLAN_ARGUMENT STRIDE_IN(struct vlan_ioctl_args)

/* linux/iommufd.h: each struct has the name of its request */
#define IOMMU_DESTROY_ARGUMENT STRIDE_IN(struct iommu_destroy)
#define IOMMU_IOAS_ALLOC_ARGUMENT STRIDE_BOTH(struct iommu_ioas_alloc)
#define IOMMU_IOAS_ALLOW_IOVAS_ARGUMENT STRIDE_IN(struct iommu_ioas_allow_iovas)
#define IOMMU_IOAS_COPY_ARGUMENT STRIDE_BOTH(struct iommu_ioas_copy)
#define IOMMU_IOAS_IOVA_RANGES_ARGUMENT STRIDE_BOTH(struct iommu_ioas_iova_ranges)
#define IOMMU_IOAS_MAP_ARGUMENT STRIDE_BOTH(struct iommu_ioas_map)
#define IOMMU_IOAS_UNMAP_ARGUMENT STRIDE_BOTH(struct iommu_ioas_unmap)
#define IOMMU_OPTION_ARGUMENT STRIDE_BOTH(struct iommu_option)
#define IOMMU_VFIO_IOAS_ARGUMENT STRIDE_BOTH(struct iommu_vfio_ioas)
#define IOMMU_HWPT_ALLOC_ARGUMENT STRIDE_BOTH(struct iommu_hwpt_alloc)
#define IOMMU_GET_HW_INFO_ARGUMENT STRIDE_BOTH(struct iommu_hw_info)
#define IOMMU_HWPT_SET_DIRTY_TRACKING_ARGUMENT STRIDE_IN(struct iommu_hwpt_set_dirty_tracking)
#define IOMMU_HWPT_GET_DIRTY_BITMAP_ARGUMENT STRIDE_IN(struct iommu_hwpt_get_dirty_bitmap)
#define IOMMU_HWPT_INVALIDATE_ARGUMENT STRIDE_BOTH(struct iommu_hwpt_invalidate)
#define IOMMU_FAULT_QUEUE_ALLOC_ARGUMENT STRIDE_BOTH(struct iommu_fault_alloc)


/* linux/serial.h: drivers/tty/serial/serial_core.c, and tty_io.c */
#define TIOCGSERIAL_ARGUMENT STRIDE_OUT(struct serial_struct)
#define TIOCSSERIAL_ARGUMENT STRIDE_IN(struct serial_struct)
#define TIOCGRS485_ARGUMENT STRIDE_OUT(struct serial_rs485)
#define TIOCSRS485_ARGUMENT STRIDE_BOTH(struct serial_rs485)
#define TIOCGICOUNT_ARGUMENT STRIDE_OUT(struct serial_icounter_struct)
#define TIOCSERGETLSR_ARGUMENT STRIDE_OUT(unsigned int)

/* linux/vfio.h */
#define VFIO_GROUP_GET_STATUS_ARGUMENT STRIDE_BOTH(struct vfio_group_status)
#define VFIO_GROUP_SET_CONTAINER_ARGUMENT STRIDE_IN(__s32)
#define VFIO_DEVICE_GET_INFO_ARGUMENT STRIDE_BOTH(struct vfio_device_info)
#define VFIO_DEVICE_GET_REGION_INFO_ARGUMENT STRIDE_BOTH(struct vfio_region_info)
#define VFIO_DEVICE_GET_IRQ_INFO_ARGUMENT STRIDE_BOTH(struct vfio_irq_info)
#define VFIO_DEVICE_SET_IRQS_ARGUMENT STRIDE_IN(struct vfio_irq_set)
#define VFIO_DEVICE_GET_PCI_HOT_RESET_INFO_ARGUMENT STRIDE_BOTH(struct vfio_pci_hot_reset_info)
#define VFIO_DEVICE_PCI_HOT_RESET_ARGUMENT STRIDE_IN(struct vfio_pci_hot_reset)
#define VFIO_DEVICE_QUERY_GFX_PLANE_ARGUMENT STRIDE_BOTH(struct vfio_device_gfx_plane_info)
#define VFIO_DEVICE_GET_GFX_DMABUF_ARGUMENT STRIDE_IN(__u32)
#define VFIO_DEVICE_IOEVENTFD_ARGUMENT STRIDE_IN(struct vfio_device_ioeventfd)
#define VFIO_DEVICE_FEATURE_ARGUMENT STRIDE_BOTH(struct vfio_device_feature)
#define VFIO_DEVICE_BIND_IOMMUFD_ARGUMENT STRIDE_BOTH(struct vfio_device_bind_iommufd)
#define VFIO_DEVICE_ATTACH_IOMMUFD_PT_ARGUMENT STRIDE_BOTH(struct vfio_device_attach_iommufd_pt)
#define VFIO_DEVICE_DETACH_IOMMUFD_PT_ARGUMENT STRIDE_IN(struct vfio_device_detach_iommufd_pt)
#define VFIO_MIG_GET_PRECOPY_INFO_ARGUMENT STRIDE_BOTH(struct vfio_precopy_info)
#define VFIO_IOMMU_GET_INFO_ARGUMENT STRIDE_BOTH(struct vfio_iommu_type1_info)
#define VFIO_IOMMU_MAP_DMA_ARGUMENT STRIDE_IN(struct vfio_iommu_type1_dma_map)
#define VFIO_IOMMU_UNMAP_DMA_ARGUMENT STRIDE_BOTH(struct vfio_iommu_type1_dma_unmap)
#define VFIO_IOMMU_DIRTY_PAGES_ARGUMENT STRIDE_BOTH(struct vfio_iommu_type1_dirty_bitmap)
#define VFIO_IOMMU_SPAPR_REGISTER_MEMORY_ARGUMENT STRIDE_IN(struct vfio_iommu_spapr_register_memory)
#define VFIO_IOMMU_SPAPR_UNREGISTER_MEMORY_ARGUMENT STRIDE_IN(struct vfio_iommu_spapr_register_memory)
#define VFIO_IOMMU_SPAPR_TCE_CREATE_ARGUMENT STRIDE_BOTH(struct vfio_iommu_spapr_tce_create)
#define VFIO_IOMMU_SPAPR_TCE_REMOVE_ARGUMENT STRIDE_IN(struct vfio_iommu_spapr_tce_remove)
#define VFIO_IOMMU_SPAPR_TCE_GET_INFO_ARGUMENT STRIDE_BOTH(struct vfio_iommu_spapr_tce_info)
#define VFIO_EEH_PE_OP_ARGUMENT STRIDE_IN(struct vfio_eeh_pe_op)

/* linux/vt.h: drivers/tty/vt/vt_ioctl.c */
#define VT_OPENQRY_ARGUMENT STRIDE_OUT(int)
#define VT_GETMODE_ARGUMENT STRIDE_OUT(struct vt_mode)
#define VT_SETMODE_ARGUMENT STRIDE_IN(struct vt_mode)
#define VT_GETSTATE_ARGUMENT STRIDE_OUT(struct vt_stat)
#define VT_RESIZE_ARGUMENT STRIDE_IN(struct vt_sizes)
#define VT_RESIZEX_ARGUMENT STRIDE_IN(struct vt_consize)
#define VT_WAITEVENT_ARGUMENT STRIDE_BOTH(struct vt_event)
#define VT_SETACTIVATE_ARGUMENT STRIDE_IN(struct vt_setactivate)
#define VT_GETHIFONTMASK_ARGUMENT STRIDE_OUT(unsigned short)

/* linux/watch_queue.h: kernel/watch_queue.c */
#define IOC_WATCH_QUEUE_SET_FILTER_ARGUMENT STRIDE_IN(struct watch_notification_filter)

/* include/scsi/scsi.h: drivers/scsi/scsi_ioctl.c */
#define SCSI_IOCTL_GET_BUS_NUMBER_ARGUMENT STRIDE_OUT(int)

/* Requests whose numbers have another direction than the argument: X_GOES_TO tells that of request X, as the function that serves it has it. */
#define STRIDE_KERNEL 1
#define STRIDE_PROGRAM 2
#define STRIDE_KERNEL_AND_BACK 3

/* drivers/usb/core/devio.c */
#define USBDEVFS_RESETEP_GOES_TO STRIDE_KERNEL
#define USBDEVFS_CLEAR_HALT_GOES_TO STRIDE_KERNEL
#define USBDEVFS_SETINTERFACE_GOES_TO STRIDE_KERNEL
#define USBDEVFS_SETCONFIGURATION_GOES_TO STRIDE_KERNEL
#define USBDEVFS_SUBMITURB_GOES_TO STRIDE_KERNEL
#define USBDEVFS_DISCSIGNAL_GOES_TO STRIDE_KERNEL
#define USBDEVFS_CLAIMINTERFACE_GOES_TO STRIDE_KERNEL
#define USBDEVFS_RELEASEINTERFACE_GOES_TO STRIDE_KERNEL
#define USBDEVFS_CLAIM_PORT_GOES_TO STRIDE_KERNEL
#define USBDEVFS_RELEASE_PORT_GOES_TO STRIDE_KERNEL
#define USBDEVFS_DISCONNECT_CLAIM_GOES_TO STRIDE_KERNEL
#define USBDEVFS_ALLOC_STREAMS_GOES_TO STRIDE_KERNEL
#define USBDEVFS_FREE_STREAMS_GOES_TO STRIDE_KERNEL
#define USBDEVFS_GETDRIVER_GOES_TO STRIDE_KERNEL_AND_BACK
#define USBDEVFS_CONNECTINFO_GOES_TO STRIDE_PROGRAM

/* drivers/comedi/comedi_fops.c */
#define COMEDI_CHANINFO_GOES_TO STRIDE_KERNEL_AND_BACK
#define COMEDI_RANGEINFO_GOES_TO STRIDE_KERNEL_AND_BACK
#define COMEDI_CMD_GOES_TO STRIDE_KERNEL_AND_BACK
#define COMEDI_CMDTEST_GOES_TO STRIDE_KERNEL_AND_BACK
#define COMEDI_INSNLIST_GOES_TO STRIDE_KERNEL_AND_BACK
#define COMEDI_INSN_GOES_TO STRIDE_KERNEL_AND_BACK
#define COMEDI_BUFCONFIG_GOES_TO STRIDE_KERNEL_AND_BACK

/* drivers/hid/hidraw.c, usbhid/hiddev.c, drivers/input/evdev.c */
#define HIDIOCGRDESC_GOES_TO STRIDE_KERNEL_AND_BACK
#define HIDIOCGSTRING_GOES_TO STRIDE_KERNEL_AND_BACK
#define EVIOCGMASK_GOES_TO STRIDE_KERNEL_AND_BACK

/* virt/kvm/kvm_main.c, arch/x86/kvm/x86.c */
#define KVM_MEMORY_ENCRYPT_REG_REGION_GOES_TO STRIDE_KERNEL
#define KVM_MEMORY_ENCRYPT_UNREG_REGION_GOES_TO STRIDE_KERNEL
#define KVM_SET_IRQCHIP_GOES_TO STRIDE_KERNEL
#define KVM_SET_PIT_GOES_TO STRIDE_KERNEL

/* drivers/net/tun.c */
#define TUNSETSTEERINGEBPF_GOES_TO STRIDE_KERNEL
#define TUNSETFILTEREBPF_GOES_TO STRIDE_KERNEL

/* kernel/power/user.c */
#define SNAPSHOT_CREATE_IMAGE_GOES_TO STRIDE_PROGRAM

/* drivers/isdn/capi/capi.c */
#define CAPI_SET_FLAGS_GOES_TO STRIDE_KERNEL
#define CAPI_CLR_FLAGS_GOES_TO STRIDE_KERNEL
#define CAPI_NCCI_OPENCOUNT_GOES_TO STRIDE_KERNEL
#define CAPI_NCCI_GETUNIT_GOES_TO STRIDE_KERNEL

/* file systems: fs/fuse/dev.c, fs/btrfs/ioctl.c, fs/ext4/ioctl.c, fs/crypto/policy.c, fs/nilfs2/ioctl.c, fs/ocfs2/ioctl.c, fs/xfs/xfs_ioctl.c */
#define FUSE_DEV_IOC_CLONE_GOES_TO STRIDE_KERNEL
#define FS_IOC_SET_ENCRYPTION_POLICY_GOES_TO STRIDE_KERNEL
#define OCFS2_IOC_INFO_GOES_TO STRIDE_KERNEL
#define XFS_IOC_FREE_EOFBLOCKS_GOES_TO STRIDE_KERNEL
#define EXT4_IOC_GETSTATE_GOES_TO STRIDE_PROGRAM
#define FS_IOC_GET_ENCRYPTION_POLICY_GOES_TO STRIDE_PROGRAM
#define BTRFS_IOC_ENCODED_READ_GOES_TO STRIDE_KERNEL_AND_BACK
#define BTRFS_IOC_SUBVOL_SYNC_WAIT_GOES_TO STRIDE_KERNEL_AND_BACK
#define NILFS_IOCTL_GET_CPINFO_GOES_TO STRIDE_KERNEL_AND_BACK
#define NILFS_IOCTL_GET_SUINFO_GOES_TO STRIDE_KERNEL_AND_BACK
#define OCFS2_IOC_MOVE_EXT_GOES_TO STRIDE_KERNEL_AND_BACK
#define XFS_IOC_BULKSTAT_GOES_TO STRIDE_KERNEL_AND_BACK
#define XFS_IOC_INUMBERS_GOES_TO STRIDE_KERNEL_AND_BACK
#define XFS_IOC_ATTRLIST_BY_HANDLE_GOES_TO STRIDE_KERNEL_AND_BACK
#define XFS_IOC_ATTRMULTI_BY_HANDLE_GOES_TO STRIDE_KERNEL_AND_BACK
#define INCFS_IOC_FILL_BLOCKS_GOES_TO STRIDE_KERNEL_AND_BACK
#define INCFS_IOC_READ_FILE_SIGNATURE_GOES_TO STRIDE_KERNEL_AND_BACK
#define INCFS_IOC_GET_FILLED_BLOCKS_GOES_TO STRIDE_KERNEL_AND_BACK
