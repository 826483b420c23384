// stride: -e trace=ioctl -a1
// Requests of disks, clocks, counters, infrared devices, UBI volumes, SCSI devices and virtual machines. There is no descriptor, so all of them fail.
#define _GNU_SOURCE
#include <linux/cdrom.h>
#include <linux/counter.h>
#include <linux/hdreg.h>
#include <linux/kvm.h>
#include <linux/lirc.h>
#include <linux/ptp_clock.h>
#include <mtd/ubi-user.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "request.h"

/* drm/drm_mode.h and drm/drm.h */
struct drm_mode_card_res {
	unsigned long long fb_id_ptr, crtc_id_ptr, connector_id_ptr, encoder_id_ptr;
	unsigned count_fbs, count_crtcs, count_connectors, count_encoders, min_width, max_width, min_height, max_height;
};
struct drm_syncobj_create { unsigned handle, flags; };
#define DRM_IOCTL_MODE_GETRESOURCES _IOWR('d', 0xa0, struct drm_mode_card_res)
#define DRM_IOCTL_SYNCOBJ_CREATE _IOWR('d', 0xbf, struct drm_syncobj_create)
#define DRM_SYNCOBJ_CREATE_SIGNALED 1

int main(void)
{
	unsigned char command[4] = { 0xec, 1, 2, 0 };
	int three[3] = { 1, 2, 3 }, number = 5;
	unsigned carrier = 38000, mode = LIRC_MODE_PULSE;
	struct ptp_extts_request stamps = { 1, PTP_ENABLE_FEATURE | PTP_RISING_EDGE, { 0, 7 } };
	struct ptp_perout_request output = { { { 1000000000, 5 } }, { 1, 0 }, 2, 0 };
	struct ptp_perout_request phase = { { { 0, 500 } }, { 1, 0 }, 2, PTP_PEROUT_PHASE | PTP_PEROUT_DUTY_CYCLE, { { 0, 250 } } };
	struct ptp_sys_offset samples = { 3 };
	struct ptp_pin_desc pin = { "ignored", 1, PTP_PF_PEROUT, 2 };
	struct counter_watch watch = { { COUNTER_COMPONENT_COUNT, COUNTER_SCOPE_COUNT, 0, 1 }, COUNTER_EVENT_INDEX, 4 };
	struct ubi_attach_req attach = { -1, 2, 512, 20 };
	struct ubi_mkvol_req volume = { -1, 1, 4096, UBI_STATIC_VOLUME, 0, 4, {}, "root" };
	struct ubi_rnvol_req renames = { 1, {}, { { 3, 3, {}, "new" } } };

	struct kvm_userspace_memory_region memory = { 1, KVM_MEM_READONLY, 0x1000, 4096, (long) &three };
#ifdef __x86_64__
	struct kvm_regs regs = { .rax = 1, .rip = 0xfff0, .rflags = 2 };
	struct { struct kvm_cpuid2 head; struct kvm_cpuid_entry2 entries[1]; } cpuid = {
		{ 1 }, { { 7, 0, KVM_CPUID_FLAG_SIGNIFCANT_INDEX, 1, 2, 3, 4 } }
	};
#endif

	/* Requests of which only the kernel's headers tell. */
	struct drm_mode_card_res resources = { .crtc_id_ptr = (long) three, .count_crtcs = 3, .max_width = 9 };
	struct drm_syncobj_create syncobj = { 0, DRM_SYNCOBJ_CREATE_SIGNALED | 8 };
	struct cdrom_msf range = { 1, 2, 3, 4, 5, 6 };

	chdir("MARKER");

	TRY(HDIO_DRIVE_CMD, command, "{command=ATA_CMD_ID_ATA, sector_number=1, feature=2, sector_count=0}");
	TRY(HDIO_SCAN_HWIF, three, "[0x1, 0x2, 0x3]");
	TRY(HDIO_SET_DMA, 1L, "1");
	TRY(HDIO_SET_NICE, 0x22L, "1<<IDE_NICE_ATAPI_OVERLAP|0x20");
	TRY(HDIO_SET_BUSSTATE, (long) BUSSTATE_TRISTATE, "BUSSTATE_TRISTATE");
	TRY(HDIO_GETGEO, three, "%p", three);

	TRY(PTP_EXTTS_REQUEST, &stamps, "{index=1, flags=PTP_ENABLE_FEATURE|PTP_RISING_EDGE}");
	TRY(PTP_EXTTS_REQUEST2, &stamps, "{index=1, flags=PTP_ENABLE_FEATURE|PTP_RISING_EDGE, rsv=[0, 0x7]}");
	TRY(PTP_PEROUT_REQUEST, &output, "{start={sec=1000000000, nsec=5} /* 2001-09-09T01:46:40.000000005+0000 */, "
	    "period={sec=1, nsec=0}, index=2, flags=0}");
	TRY(PTP_PEROUT_REQUEST2, &phase, "{phase={sec=0, nsec=500}, period={sec=1, nsec=0}, index=2, "
	    "flags=PTP_PEROUT_DUTY_CYCLE|PTP_PEROUT_PHASE, on={sec=0, nsec=250}}");
	TRY(PTP_ENABLE_PPS, 1L, "0x1");
	TRY(PTP_SYS_OFFSET, &samples, "{n_samples=3}");
	TRY(PTP_PIN_GETFUNC, &pin, "{index=1}");
	TRY(PTP_PIN_SETFUNC, &pin, "{index=1, func=PTP_PF_PEROUT, chan=2}");
	TRY(COUNTER_ADD_WATCH_IOCTL, &watch, "{component={type=COUNTER_COMPONENT_COUNT, scope=COUNTER_SCOPE_COUNT, parent=0, id=1}, "
	    "event=COUNTER_EVENT_INDEX, channel=4}");

	TRY(LIRC_SET_SEND_CARRIER, &carrier, "[38000]");
	TRY(LIRC_SET_SEND_MODE, &mode, "[LIRC_MODE_PULSE]");

	TRY(UBI_IOCATT, &attach, "{ubi_num=-1, mtd_num=2, vid_hdr_offset=512, max_beb_per1024=20, disable_fm=0, need_resv_pool=0}");
	TRY(UBI_IOCMKVOL, &volume,
	    "{vol_id=-1, alignment=1, bytes=4096, vol_type=UBI_STATIC_VOLUME, flags=0, name_len=4, name=\"root\"}");
	TRY(UBI_IOCRNVOL, &renames, "{count=1, ents=[{vol_id=3, name_len=3, name=\"new\"}]}");
	/* A request in a file of OCFS2 has the same number, but no public name. */
	int removed = ioctl(-1, UBI_IOCRMVOL, &number);
	printf("ioctl(-1, UBI_IOCRMVOL, [5]) = %s\n", result(removed));

	TRY(SG_SET_TIMEOUT, &number, "[5]");
	number = SG_SCSI_RESET_DEVICE;
	TRY(SG_SCSI_RESET, &number, "[SG_SCSI_RESET_DEVICE]");
	int r = ioctl(-1, SG_GET_TIMEOUT, 0);
	printf("ioctl(-1, SG_GET_TIMEOUT) = %s\n", result(r));
	TRY(KVM_CHECK_EXTENSION, (long) KVM_CAP_NR_VCPUS, "KVM_CAP_NR_VCPUS");
	TRY(KVM_CREATE_VCPU, 3L, "3");
	TRY(KVM_SET_USER_MEMORY_REGION, &memory, "{slot=1, flags=KVM_MEM_READONLY, guest_phys_addr=0x1000, memory_size=4096, userspace_addr=%p}", three);
#ifdef __x86_64__
	TRY(KVM_SET_REGS, &regs, "{rax=0x1, ..., rsp=0, rbp=0, ..., rip=0xfff0, rflags=0x2}");
	TRY(KVM_SET_CPUID2, &cpuid, "{nent=1, entries=[...]}");
#endif
	TRY(KVM_RUN, 0L, "0");

	TRY(DRM_IOCTL_MODE_GETRESOURCES, &resources, "{fb_id_ptr=NULL, crtc_id_ptr=[1, 2, 3], connector_id_ptr=NULL, encoder_id_ptr=NULL, "
	    "count_fbs=0, count_crtcs=3, count_connectors=0, count_encoders=0, ...}");
	TRY(DRM_IOCTL_SYNCOBJ_CREATE, &syncobj, "{handle=0, flags=DRM_SYNCOBJ_CREATE_SIGNALED|0x8}");
	TRY(CDROMPLAYMSF, &range, "{cdmsf_min0=1, cdmsf_sec0=2, cdmsf_frame0=3, cdmsf_min1=4, cdmsf_sec1=5, cdmsf_frame1=6}");
	return 0;
}
