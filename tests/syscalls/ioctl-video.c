// stride: -e trace=ioctl -a1
// Requests of video devices. There is no descriptor, so all of them fail: what the kernel would fill in is not shown.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "request.h"

int main(void)
{
	struct v4l2_clip clips[2] = { { { 1, -2, 3, 4 } }, { { 5, 6, 7, 8 } } };
	struct v4l2_format pixels = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
	pixels.fmt.pix = (struct v4l2_pix_format) {
		640, 480, V4L2_PIX_FMT_YUYV, V4L2_FIELD_NONE, 1280, 614400, V4L2_COLORSPACE_SRGB
	};
	struct v4l2_format planes = { .type = V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE };
	planes.fmt.pix_mp.pixelformat = v4l2_fourcc('\'', '\\', '~', 0x7f);
	planes.fmt.pix_mp.num_planes = 2;
	planes.fmt.pix_mp.plane_fmt[1].sizeimage = 9;
	struct v4l2_format window = { .type = V4L2_BUF_TYPE_VIDEO_OVERLAY };
	window.fmt.win.clips = clips;
	window.fmt.win.clipcount = 2;
	struct v4l2_format lines = { .type = V4L2_BUF_TYPE_VBI_CAPTURE };
	lines.fmt.vbi = (struct v4l2_vbi_format) { 1, 2, 3, V4L2_PIX_FMT_GREY, { 4, -5 }, { 6, 7 }, V4L2_VBI_INTERLACED | 0x10 };
	struct v4l2_format radio = { .type = V4L2_BUF_TYPE_SDR_CAPTURE };
	radio.fmt.sdr.pixelformat = V4L2_SDR_FMT_CU8;
	struct v4l2_format other = { .type = 0x80 };
	struct v4l2_create_buffers create = { .count = 3, .memory = V4L2_MEMORY_DMABUF, .format = pixels };
	struct v4l2_requestbuffers request = { 4, V4L2_BUF_TYPE_VIDEO_CAPTURE, V4L2_MEMORY_MMAP };
	struct v4l2_exportbuffer export = { V4L2_BUF_TYPE_VIDEO_CAPTURE, 1, 2, O_CLOEXEC };
	struct v4l2_buffer buffer = { 1, V4L2_BUF_TYPE_VIDEO_CAPTURE };
	struct v4l2_streamparm stream = { .type = V4L2_BUF_TYPE_VIDEO_CAPTURE };
	stream.parm.capture = (struct v4l2_captureparm) { V4L2_CAP_TIMEPERFRAME, 0, { 1, 30 }, 0, 2 };
	struct v4l2_control control = { V4L2_CID_BRIGHTNESS, -7 };
	struct v4l2_queryctrl query = { V4L2_CTRL_FLAG_NEXT_CTRL | V4L2_CID_GAIN };
	struct v4l2_queryctrl first = { V4L2_CTRL_FLAG_NEXT_CTRL };
	struct v4l2_querymenu menu = { V4L2_CTRL_CLASS_CAMERA + 0xfff, 1 };
	struct v4l2_ext_control values[2] = { { .id = V4L2_CID_CONTRAST, .value = 5 }, { .id = 1, .size = 3, .string = "abc" } };
	struct v4l2_ext_controls controls = { { V4L2_CTRL_CLASS_USER }, 2, 1, .controls = values };
	struct v4l2_tuner tuner = {
		1, "radio", V4L2_TUNER_RADIO, V4L2_TUNER_CAP_STEREO, 2, 3, V4L2_TUNER_SUB_MONO, V4L2_TUNER_MODE_STEREO, 4, -5
	};
	struct v4l2_crop crop = { V4L2_BUF_TYPE_VIDEO_CAPTURE, { 1, 2, 3, 4 } };
	struct v4l2_frmsizeenum size = { 2, V4L2_PIX_FMT_MJPEG };
	struct v4l2_input input = { 3 };
	int type = V4L2_BUF_TYPE_VIDEO_OUTPUT, number = 5;
	v4l2_std_id standard = V4L2_STD_PAL;

	chdir("MARKER");

	TRY(VIDIOC_QUERYCAP, NULL, "NULL");
	TRY(VIDIOC_QUERYCAP, clips, "%p", clips);
	TRY(VIDIOC_G_FMT, &pixels, "{type=V4L2_BUF_TYPE_VIDEO_CAPTURE}");
	TRY(VIDIOC_S_FMT, &pixels, "{type=V4L2_BUF_TYPE_VIDEO_CAPTURE, fmt.pix={width=640, height=480, "
	    "pixelformat=v4l2_fourcc('Y', 'U', 'Y', 'V') /* V4L2_PIX_FMT_YUYV */, field=V4L2_FIELD_NONE, bytesperline=1280, "
	    "sizeimage=614400, colorspace=V4L2_COLORSPACE_SRGB}}");
	TRY(VIDIOC_TRY_FMT, &planes, "{type=V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE, fmt.pix_mp={width=0, height=0, "
	    "pixelformat=v4l2_fourcc('\\'', '\\\\', '~', '\\x7f'), field=V4L2_FIELD_ANY, colorspace=V4L2_COLORSPACE_DEFAULT, "
	    "plane_fmt=[{sizeimage=0, bytesperline=0}, {sizeimage=9, bytesperline=0}], num_planes=2}}");
	TRY(VIDIOC_S_FMT, &window, "{type=V4L2_BUF_TYPE_VIDEO_OVERLAY, fmt.win={w={left=0, top=0, width=0, height=0}, "
	    "field=V4L2_FIELD_ANY, chromakey=0, clips=[{c={left=1, top=-2, width=3, height=4}}, {c={left=5, top=6, width=7, "
	    "height=8}}], clipcount=2, bitmap=NULL}}");
	TRY(VIDIOC_S_FMT, &lines, "{type=V4L2_BUF_TYPE_VBI_CAPTURE, fmt.vbi={sampling_rate=1, offset=2, samples_per_line=3, "
	    "sample_format=v4l2_fourcc('G', 'R', 'E', 'Y') /* V4L2_PIX_FMT_GREY */, start=[4, -5], count=[6, 7], "
	    "flags=V4L2_VBI_INTERLACED|0x10}}");
	TRY(VIDIOC_S_FMT, &radio, "{type=V4L2_BUF_TYPE_SDR_CAPTURE, fmt.sdr={pixelformat=v4l2_fourcc('C', 'U', '0', '8') "
	    "/* V4L2_SDR_FMT_CU8 */}}");
	TRY(VIDIOC_S_FMT, &other, "{type=0x80 /* V4L2_BUF_TYPE_??? */}");
	TRY(VIDIOC_CREATE_BUFS, &create, "{count=3, memory=V4L2_MEMORY_DMABUF, format={type=V4L2_BUF_TYPE_VIDEO_CAPTURE, "
	    "fmt.pix={width=640, height=480, pixelformat=v4l2_fourcc('Y', 'U', 'Y', 'V') /* V4L2_PIX_FMT_YUYV */, "
	    "field=V4L2_FIELD_NONE, bytesperline=1280, sizeimage=614400, colorspace=V4L2_COLORSPACE_SRGB}}}");
	TRY(VIDIOC_REQBUFS, &request, "{type=V4L2_BUF_TYPE_VIDEO_CAPTURE, memory=V4L2_MEMORY_MMAP, count=4}");
	TRY(VIDIOC_EXPBUF, &export, "{type=V4L2_BUF_TYPE_VIDEO_CAPTURE, index=1, plane=2, flags=O_RDONLY|O_CLOEXEC}");
	TRY(VIDIOC_QBUF, &buffer, "{type=V4L2_BUF_TYPE_VIDEO_CAPTURE, index=1}");
	TRY(VIDIOC_DQBUF, &buffer, "{type=V4L2_BUF_TYPE_VIDEO_CAPTURE}");
	TRY(VIDIOC_STREAMON, &type, "[V4L2_BUF_TYPE_VIDEO_OUTPUT]");
	TRY(VIDIOC_G_PARM, &stream, "{type=V4L2_BUF_TYPE_VIDEO_CAPTURE}");
	TRY(VIDIOC_S_PARM, &stream, "{type=V4L2_BUF_TYPE_VIDEO_CAPTURE, parm.capture={capability=V4L2_CAP_TIMEPERFRAME, "
	    "capturemode=0, timeperframe=1/30, extendedmode=0, readbuffers=2}}");
	TRY(VIDIOC_S_STD, &standard, "[0xff]");
	TRY(VIDIOC_ENUMINPUT, &input, "{index=3}");
	TRY(VIDIOC_S_INPUT, &number, "[5]");
	TRY(VIDIOC_G_CTRL, &control, "{id=V4L2_CID_BRIGHTNESS}");
	TRY(VIDIOC_S_CTRL, &control, "{id=V4L2_CID_BRIGHTNESS, value=-7}");
	control.id = 2;
	TRY(VIDIOC_S_CTRL, &control, "{id=0x2 /* V4L2_CID_??? */, value=-7}");
	TRY(VIDIOC_QUERYCTRL, &query, "{id=V4L2_CTRL_FLAG_NEXT_CTRL|V4L2_CID_GAIN}");
	TRY(VIDIOC_QUERYCTRL, &first, "{id=V4L2_CTRL_FLAG_NEXT_CTRL}");
	TRY(VIDIOC_QUERYMENU, &menu, "{id=V4L2_CTRL_CLASS_CAMERA+0xfff, index=1}");
	TRY(VIDIOC_S_EXT_CTRLS, &controls, "{ctrl_class=V4L2_CTRL_CLASS_USER, count=2, controls=[{id=V4L2_CID_CONTRAST, size=0, "
	    "value=5, value64=5}, {id=0x1 /* V4L2_CID_??? */, size=3, string=\"abc\"}]} => {controls=[{id=V4L2_CID_CONTRAST, "
	    "size=0, value=5, value64=5}, {id=0x1 /* V4L2_CID_??? */, size=3, string=\"abc\"}], error_idx=1}");
	TRY(VIDIOC_G_TUNER, &tuner, "{index=1}");
	TRY(VIDIOC_S_TUNER, &tuner, "{index=1, name=\"radio\", type=V4L2_TUNER_RADIO, capability=V4L2_TUNER_CAP_STEREO, "
	    "rangelow=2, rangehigh=3, rxsubchans=V4L2_TUNER_SUB_MONO, audmode=V4L2_TUNER_MODE_STEREO, signal=4, afc=-5}");
	TRY(VIDIOC_S_CROP, &crop, "{type=V4L2_BUF_TYPE_VIDEO_CAPTURE, c={left=1, top=2, width=3, height=4}}");
	TRY(VIDIOC_ENUM_FRAMESIZES, &size, "{index=2, pixel_format=v4l2_fourcc('M', 'J', 'P', 'G') /* V4L2_PIX_FMT_MJPEG */}");
	return 0;
}
