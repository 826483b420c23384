/* Requests of video devices with times of 32 bits, which 64-bit programs may make, too. The kernel keeps them in an internal header.
 * Source: include/media/v4l2-ioctl.h of Linux 6.12. */
#ifndef STRIDE_VIDEO_ABI_H
#define STRIDE_VIDEO_ABI_H
#include <linux/types.h>
#include <linux/videodev2.h>

struct v4l2_timeval32 {
	__s32 tv_sec;
	__s32 tv_usec;
};

struct v4l2_buffer_time32 {
	__u32 index;
	__u32 type;
	__u32 bytesused;
	__u32 flags;
	__u32 field;
	struct v4l2_timeval32 timestamp;
	struct v4l2_timecode timecode;
	__u32 sequence;
	__u32 memory;
	union {
		__u32 offset;
		unsigned long userptr;
		struct v4l2_plane *planes;
		__s32 fd;
	} m;
	__u32 length;
	__u32 reserved2;
	__s32 request_fd;
};

/* In 32-bit programs these are the plain requests. */
#if __BITS_PER_LONG == 64
#define VIDIOC_QUERYBUF_TIME32 _IOWR('V', 9, struct v4l2_buffer_time32)
#define VIDIOC_QBUF_TIME32 _IOWR('V', 15, struct v4l2_buffer_time32)
#define VIDIOC_DQBUF_TIME32 _IOWR('V', 17, struct v4l2_buffer_time32)
#define VIDIOC_PREPARE_BUF_TIME32 _IOWR('V', 93, struct v4l2_buffer_time32)
#endif
#endif
