//! Requests of video devices: linux/videodev2.h.

use super::video_names::{CONTROLS, FORMATS};
use crate::sets::files::OPEN;
use crate::structs::time::TIMEVAL;
use crate::uapi::{consts as c, consts_i386 as i386};
use crate::{Case, Dir, Irregular, Len, Ty, When, Width, sets, structs};

sets! {
    pub CAPABILITIES "V4L2_CAP_???" {
        V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_VIDEO_OUTPUT, V4L2_CAP_VIDEO_OVERLAY, V4L2_CAP_VBI_CAPTURE, V4L2_CAP_VBI_OUTPUT,
        V4L2_CAP_SLICED_VBI_CAPTURE, V4L2_CAP_SLICED_VBI_OUTPUT, V4L2_CAP_RDS_CAPTURE, V4L2_CAP_VIDEO_OUTPUT_OVERLAY,
        V4L2_CAP_HW_FREQ_SEEK, V4L2_CAP_RDS_OUTPUT, V4L2_CAP_VIDEO_CAPTURE_MPLANE, V4L2_CAP_VIDEO_OUTPUT_MPLANE,
        V4L2_CAP_VIDEO_M2M_MPLANE, V4L2_CAP_VIDEO_M2M, V4L2_CAP_TUNER, V4L2_CAP_AUDIO, V4L2_CAP_RADIO, V4L2_CAP_MODULATOR,
        V4L2_CAP_SDR_CAPTURE, V4L2_CAP_EXT_PIX_FORMAT, V4L2_CAP_SDR_OUTPUT, V4L2_CAP_META_CAPTURE, V4L2_CAP_READWRITE,
        V4L2_CAP_EDID, V4L2_CAP_STREAMING, V4L2_CAP_META_OUTPUT, V4L2_CAP_TOUCH, V4L2_CAP_DEVICE_CAPS
    }
    pub BUFFER_TYPES "V4L2_BUF_TYPE_???" {
        V4L2_BUF_TYPE_VIDEO_CAPTURE, V4L2_BUF_TYPE_VIDEO_OUTPUT, V4L2_BUF_TYPE_VIDEO_OVERLAY, V4L2_BUF_TYPE_VBI_CAPTURE,
        V4L2_BUF_TYPE_VBI_OUTPUT, V4L2_BUF_TYPE_SLICED_VBI_CAPTURE, V4L2_BUF_TYPE_SLICED_VBI_OUTPUT,
        V4L2_BUF_TYPE_VIDEO_OUTPUT_OVERLAY, V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE, V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE,
        V4L2_BUF_TYPE_SDR_CAPTURE, V4L2_BUF_TYPE_SDR_OUTPUT, V4L2_BUF_TYPE_META_CAPTURE, V4L2_BUF_TYPE_META_OUTPUT
    }
    pub FORMAT_FLAGS "V4L2_FMT_FLAG_???" {
        V4L2_FMT_FLAG_COMPRESSED, V4L2_FMT_FLAG_EMULATED, V4L2_FMT_FLAG_CONTINUOUS_BYTESTREAM, V4L2_FMT_FLAG_DYN_RESOLUTION,
        V4L2_FMT_FLAG_ENC_CAP_FRAME_INTERVAL, V4L2_FMT_FLAG_CSC_COLORSPACE, V4L2_FMT_FLAG_CSC_XFER_FUNC,
        V4L2_FMT_FLAG_CSC_YCBCR_ENC, V4L2_FMT_FLAG_CSC_QUANTIZATION, V4L2_FMT_FLAG_META_LINE_BASED
    }
    pub FIELDS "V4L2_FIELD_???" {
        V4L2_FIELD_ANY, V4L2_FIELD_NONE, V4L2_FIELD_TOP, V4L2_FIELD_BOTTOM, V4L2_FIELD_INTERLACED, V4L2_FIELD_SEQ_TB,
        V4L2_FIELD_SEQ_BT, V4L2_FIELD_ALTERNATE, V4L2_FIELD_INTERLACED_TB, V4L2_FIELD_INTERLACED_BT
    }
    pub COLORSPACES "V4L2_COLORSPACE_???" {
        V4L2_COLORSPACE_DEFAULT, V4L2_COLORSPACE_SMPTE170M, V4L2_COLORSPACE_SMPTE240M, V4L2_COLORSPACE_REC709,
        V4L2_COLORSPACE_BT878, V4L2_COLORSPACE_470_SYSTEM_M, V4L2_COLORSPACE_470_SYSTEM_BG, V4L2_COLORSPACE_JPEG,
        V4L2_COLORSPACE_SRGB, V4L2_COLORSPACE_OPRGB, V4L2_COLORSPACE_BT2020, V4L2_COLORSPACE_RAW, V4L2_COLORSPACE_DCI_P3
    }
    pub VBI_FLAGS "V4L2_VBI_???" { V4L2_VBI_UNSYNC, V4L2_VBI_INTERLACED }
    /// Services whose data are cut out of the blanking interval
    pub SERVICES "V4L2_SLICED_???" {
        V4L2_SLICED_VBI_625, V4L2_SLICED_TELETEXT_B, V4L2_SLICED_VPS, V4L2_SLICED_CAPTION_525, V4L2_SLICED_WSS_625
    }
    pub MEMORY "V4L2_MEMORY_???" { V4L2_MEMORY_MMAP, V4L2_MEMORY_USERPTR, V4L2_MEMORY_OVERLAY, V4L2_MEMORY_DMABUF }
    pub BUFFER_FLAGS "V4L2_BUF_FLAG_???" {
        V4L2_BUF_FLAG_MAPPED, V4L2_BUF_FLAG_QUEUED, V4L2_BUF_FLAG_DONE, V4L2_BUF_FLAG_KEYFRAME, V4L2_BUF_FLAG_PFRAME,
        V4L2_BUF_FLAG_BFRAME, V4L2_BUF_FLAG_ERROR, V4L2_BUF_FLAG_IN_REQUEST, V4L2_BUF_FLAG_TIMECODE,
        V4L2_BUF_FLAG_M2M_HOLD_CAPTURE_BUF, V4L2_BUF_FLAG_PREPARED, V4L2_BUF_FLAG_NO_CACHE_INVALIDATE,
        V4L2_BUF_FLAG_NO_CACHE_CLEAN, V4L2_BUF_FLAG_LAST, V4L2_BUF_FLAG_REQUEST_FD
    }
    /// The clock of a buffer's time, and the moment at which it was taken. Both are fields of the flags.
    pub TIMESTAMPS "V4L2_BUF_FLAG_TIMESTAMP_???" {
        V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN, V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC, V4L2_BUF_FLAG_TIMESTAMP_COPY
    }
    pub TIMESTAMP_SOURCES "V4L2_BUF_FLAG_TSTAMP_SRC_???" { V4L2_BUF_FLAG_TSTAMP_SRC_EOF, V4L2_BUF_FLAG_TSTAMP_SRC_SOE }
    pub STREAM_CAPABILITIES "V4L2_CAP_???" { V4L2_CAP_TIMEPERFRAME }
    pub STREAM_MODES "V4L2_MODE_???" { V4L2_MODE_HIGHQUALITY }
    pub STANDARDS "V4L2_STD_???" {
        V4L2_STD_PAL_B, V4L2_STD_PAL_B1, V4L2_STD_PAL_G, V4L2_STD_PAL_H, V4L2_STD_PAL_I, V4L2_STD_PAL_D, V4L2_STD_PAL_D1,
        V4L2_STD_PAL_K, V4L2_STD_PAL_M, V4L2_STD_PAL_N, V4L2_STD_PAL_Nc = 0x400, V4L2_STD_PAL_60, V4L2_STD_NTSC_M,
        V4L2_STD_NTSC_M_JP, V4L2_STD_NTSC_443, V4L2_STD_NTSC_M_KR, V4L2_STD_SECAM_B, V4L2_STD_SECAM_D, V4L2_STD_SECAM_G,
        V4L2_STD_SECAM_H, V4L2_STD_SECAM_K, V4L2_STD_SECAM_K1, V4L2_STD_SECAM_L, V4L2_STD_SECAM_LC, V4L2_STD_ATSC_8_VSB,
        V4L2_STD_ATSC_16_VSB
    }
    pub INPUT_TYPES "V4L2_INPUT_TYPE_???" { V4L2_INPUT_TYPE_TUNER, V4L2_INPUT_TYPE_CAMERA, V4L2_INPUT_TYPE_TOUCH }
    pub INPUT_STATUS "V4L2_IN_ST_???" {
        V4L2_IN_ST_NO_POWER, V4L2_IN_ST_NO_SIGNAL, V4L2_IN_ST_NO_COLOR, V4L2_IN_ST_HFLIP, V4L2_IN_ST_VFLIP,
        V4L2_IN_ST_NO_H_LOCK, V4L2_IN_ST_COLOR_KILL, V4L2_IN_ST_NO_V_LOCK, V4L2_IN_ST_NO_STD_LOCK, V4L2_IN_ST_NO_SYNC,
        V4L2_IN_ST_NO_EQU, V4L2_IN_ST_NO_CARRIER, V4L2_IN_ST_MACROVISION, V4L2_IN_ST_NO_ACCESS, V4L2_IN_ST_VTR
    }
    pub INPUT_CAPABILITIES "V4L2_IN_CAP_???" { V4L2_IN_CAP_DV_TIMINGS, V4L2_IN_CAP_STD, V4L2_IN_CAP_NATIVE_SIZE }
    pub TUNERS "V4L2_TUNER_???" {
        V4L2_TUNER_RADIO, V4L2_TUNER_ANALOG_TV, V4L2_TUNER_DIGITAL_TV, V4L2_TUNER_SDR, V4L2_TUNER_RF
    }
    pub TUNER_CAPABILITIES "V4L2_TUNER_CAP_???" {
        V4L2_TUNER_CAP_LOW, V4L2_TUNER_CAP_NORM, V4L2_TUNER_CAP_HWSEEK_BOUNDED, V4L2_TUNER_CAP_HWSEEK_WRAP,
        V4L2_TUNER_CAP_STEREO, V4L2_TUNER_CAP_LANG2, V4L2_TUNER_CAP_LANG1, V4L2_TUNER_CAP_RDS, V4L2_TUNER_CAP_RDS_BLOCK_IO,
        V4L2_TUNER_CAP_RDS_CONTROLS, V4L2_TUNER_CAP_FREQ_BANDS, V4L2_TUNER_CAP_HWSEEK_PROG_LIM, V4L2_TUNER_CAP_1HZ
    }
    pub SUBCHANNELS "V4L2_TUNER_SUB_???" {
        V4L2_TUNER_SUB_MONO, V4L2_TUNER_SUB_STEREO, V4L2_TUNER_SUB_LANG2, V4L2_TUNER_SUB_LANG1, V4L2_TUNER_SUB_RDS
    }
    pub AUDIO_MODES "V4L2_TUNER_MODE_???" {
        V4L2_TUNER_MODE_MONO, V4L2_TUNER_MODE_STEREO, V4L2_TUNER_MODE_LANG2, V4L2_TUNER_MODE_LANG1, V4L2_TUNER_MODE_LANG1_LANG2
    }
    pub CONTROL_CLASSES "V4L2_CTRL_CLASS_???" {
        V4L2_CTRL_CLASS_USER, V4L2_CTRL_CLASS_CODEC, V4L2_CTRL_CLASS_CAMERA, V4L2_CTRL_CLASS_FM_TX, V4L2_CTRL_CLASS_FLASH,
        V4L2_CTRL_CLASS_JPEG, V4L2_CTRL_CLASS_IMAGE_SOURCE, V4L2_CTRL_CLASS_IMAGE_PROC, V4L2_CTRL_CLASS_DV,
        V4L2_CTRL_CLASS_FM_RX, V4L2_CTRL_CLASS_RF_TUNER, V4L2_CTRL_CLASS_DETECT, V4L2_CTRL_CLASS_CODEC_STATELESS,
        V4L2_CTRL_CLASS_COLORIMETRY
    }
    /// Flags in the id of the control that is asked for
    pub NEXT_CONTROL "V4L2_CTRL_FLAG_???" { V4L2_CTRL_FLAG_NEXT_CTRL, V4L2_CTRL_FLAG_NEXT_COMPOUND }
    pub CONTROL_TYPES "V4L2_CTRL_TYPE_???" {
        V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_TYPE_BOOLEAN, V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_BUTTON, V4L2_CTRL_TYPE_INTEGER64,
        V4L2_CTRL_TYPE_CTRL_CLASS, V4L2_CTRL_TYPE_STRING, V4L2_CTRL_TYPE_BITMASK, V4L2_CTRL_TYPE_INTEGER_MENU,
        V4L2_CTRL_TYPE_U8, V4L2_CTRL_TYPE_U16, V4L2_CTRL_TYPE_U32, V4L2_CTRL_TYPE_AREA, V4L2_CTRL_TYPE_RECT,
        V4L2_CTRL_TYPE_HDR10_CLL_INFO, V4L2_CTRL_TYPE_HDR10_MASTERING_DISPLAY, V4L2_CTRL_TYPE_H264_SPS,
        V4L2_CTRL_TYPE_H264_PPS, V4L2_CTRL_TYPE_H264_SCALING_MATRIX, V4L2_CTRL_TYPE_H264_SLICE_PARAMS,
        V4L2_CTRL_TYPE_H264_DECODE_PARAMS, V4L2_CTRL_TYPE_H264_PRED_WEIGHTS, V4L2_CTRL_TYPE_FWHT_PARAMS,
        V4L2_CTRL_TYPE_VP8_FRAME, V4L2_CTRL_TYPE_MPEG2_QUANTISATION, V4L2_CTRL_TYPE_MPEG2_SEQUENCE,
        V4L2_CTRL_TYPE_MPEG2_PICTURE, V4L2_CTRL_TYPE_VP9_COMPRESSED_HDR, V4L2_CTRL_TYPE_VP9_FRAME, V4L2_CTRL_TYPE_HEVC_SPS,
        V4L2_CTRL_TYPE_HEVC_PPS, V4L2_CTRL_TYPE_HEVC_SLICE_PARAMS, V4L2_CTRL_TYPE_HEVC_SCALING_MATRIX,
        V4L2_CTRL_TYPE_HEVC_DECODE_PARAMS, V4L2_CTRL_TYPE_AV1_SEQUENCE, V4L2_CTRL_TYPE_AV1_TILE_GROUP_ENTRY,
        V4L2_CTRL_TYPE_AV1_FRAME, V4L2_CTRL_TYPE_AV1_FILM_GRAIN
    }
    pub CONTROL_FLAGS "V4L2_CTRL_FLAG_???" {
        V4L2_CTRL_FLAG_DISABLED, V4L2_CTRL_FLAG_GRABBED, V4L2_CTRL_FLAG_READ_ONLY, V4L2_CTRL_FLAG_UPDATE,
        V4L2_CTRL_FLAG_INACTIVE, V4L2_CTRL_FLAG_SLIDER, V4L2_CTRL_FLAG_WRITE_ONLY, V4L2_CTRL_FLAG_VOLATILE,
        V4L2_CTRL_FLAG_HAS_PAYLOAD, V4L2_CTRL_FLAG_EXECUTE_ON_WRITE, V4L2_CTRL_FLAG_MODIFY_LAYOUT,
        V4L2_CTRL_FLAG_DYNAMIC_ARRAY, V4L2_CTRL_FLAG_HAS_WHICH_MIN_MAX
    }
    pub FRAME_SIZES "V4L2_FRMSIZE_TYPE_???" {
        V4L2_FRMSIZE_TYPE_DISCRETE, V4L2_FRMSIZE_TYPE_CONTINUOUS, V4L2_FRMSIZE_TYPE_STEPWISE
    }
    pub FRAME_INTERVALS "V4L2_FRMIVAL_TYPE_???" {
        V4L2_FRMIVAL_TYPE_DISCRETE, V4L2_FRMIVAL_TYPE_CONTINUOUS, V4L2_FRMIVAL_TYPE_STEPWISE
    }
}

const TYPE: Ty = Ty::Enum(&BUFFER_TYPES);
const FORMAT_CODE: Ty = Ty::Custom(Irregular::FourCc, &Ty::Enum(&FORMATS));
const FRACTION: Ty = Ty::Custom(Irregular::Fraction, &Ty::Blob(8));
const FIELD: Ty = Ty::Enum(&FIELDS);
const COLORSPACE: Ty = Ty::Enum(&COLORSPACES);
const STANDARD: Ty = Ty::As(Width::W8, &Ty::Flags(&STANDARDS));
const CONTROL_ID: Ty = Ty::Custom(Irregular::ControlId(false), &Ty::Enum(&CONTROLS));
const NEXT_CONTROL_ID: Ty = Ty::Custom(Irregular::ControlId(true), &Ty::Enum(&CONTROLS));
const RESERVED: Ty = Ty::NonZero(&Ty::Items(&Ty::Hex));

/// The member exists for buffers of these types.
const fn of(types: &'static [u64]) -> When {
    When::OneOf("type", !0, types)
}

const PIXELS: When = of(&[c::V4L2_BUF_TYPE_VIDEO_CAPTURE, c::V4L2_BUF_TYPE_VIDEO_OUTPUT]);
const PLANES: When = of(&[c::V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE, c::V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE]);
const OVERLAYS: When = of(&[c::V4L2_BUF_TYPE_VIDEO_OVERLAY, c::V4L2_BUF_TYPE_VIDEO_OUTPUT_OVERLAY]);
const BLANKING: When = of(&[c::V4L2_BUF_TYPE_VBI_CAPTURE, c::V4L2_BUF_TYPE_VBI_OUTPUT]);
const SLICES: When = of(&[c::V4L2_BUF_TYPE_SLICED_VBI_CAPTURE, c::V4L2_BUF_TYPE_SLICED_VBI_OUTPUT]);
const SIGNALS: When = of(&[c::V4L2_BUF_TYPE_SDR_CAPTURE, c::V4L2_BUF_TYPE_SDR_OUTPUT]);
const METADATA: When = of(&[c::V4L2_BUF_TYPE_META_CAPTURE, c::V4L2_BUF_TYPE_META_OUTPUT]);

structs! {
    pub CAPABILITY = v4l2_capability {
        driver: Ty::CStr, card: Ty::CStr, bus_info: Ty::CStr, version: Ty::Custom(Irregular::KernelVersion, &Ty::Hex),
        capabilities: Ty::Flags(&CAPABILITIES), device_caps: Ty::NonZero(&Ty::Flags(&CAPABILITIES))
    }
    pub FORMAT_INDEX = v4l2_fmtdesc { index: Ty::UInt, r#type: TYPE }
    pub FORMAT_DESCRIPTION = v4l2_fmtdesc { flags: Ty::Flags(&FORMAT_FLAGS), description: Ty::CStr, pixelformat: FORMAT_CODE }

    pub RECT = v4l2_rect { left: Ty::Int, top: Ty::Int, width: Ty::UInt, height: Ty::UInt }
    pub CLIP = v4l2_clip { c: Ty::Struct(&RECT) }
    pub PIX = v4l2_pix_format {
        width: Ty::UInt, height: Ty::UInt, pixelformat: FORMAT_CODE, field: FIELD, bytesperline: Ty::UInt, sizeimage: Ty::UInt,
        colorspace: COLORSPACE
    }
    pub PLANE = v4l2_plane_pix_format { sizeimage: Ty::UInt, bytesperline: Ty::UInt }
    pub PIX_MP = v4l2_pix_format_mplane {
        width: Ty::UInt, height: Ty::UInt, pixelformat: FORMAT_CODE, field: FIELD, colorspace: COLORSPACE,
        plane_fmt: Ty::Custom(Irregular::FirstItems("num_planes"), &Ty::Items(&Ty::Struct(&PLANE))), num_planes: Ty::UInt
    }
    pub WINDOW = v4l2_window {
        w: Ty::Struct(&RECT), field: FIELD, chromakey: Ty::Hex, clips: Ty::Array(Dir::In, &Ty::Struct(&CLIP), Len::Of("clipcount")),
        clipcount: Ty::UInt, bitmap: Ty::Addr, global_alpha: Ty::NonZero(&Ty::Hex)
    }
    pub VBI = v4l2_vbi_format {
        sampling_rate: Ty::UInt, offset: Ty::UInt, samples_per_line: Ty::UInt, sample_format: FORMAT_CODE,
        start: Ty::Items(&Ty::Int), count: Ty::Items(&Ty::UInt), flags: Ty::Flags(&VBI_FLAGS)
    }
    pub SLICED = v4l2_sliced_vbi_format {
        service_set: Ty::Flags(&SERVICES),
        service_lines: Ty::Custom(Irregular::Rows(24), &Ty::Items(&Ty::As(Width::W2, &Ty::Hex))), io_size: Ty::UInt
    }
    pub SDR = v4l2_sdr_format { pixelformat: FORMAT_CODE, buffersize: Ty::NonZero(&Ty::UInt) }
    pub META = v4l2_meta_format { dataformat: FORMAT_CODE, buffersize: Ty::UInt }
    pub FORMAT_TYPE = v4l2_format { r#type: TYPE }
    pub FORMAT = v4l2_format {
        r#type: TYPE, pix as "fmt.pix": Ty::Struct(&PIX) => PIXELS, pix_mp as "fmt.pix_mp": Ty::Struct(&PIX_MP) => PLANES,
        win as "fmt.win": Ty::Struct(&WINDOW) => OVERLAYS, vbi as "fmt.vbi": Ty::Struct(&VBI) => BLANKING,
        sliced as "fmt.sliced": Ty::Struct(&SLICED) => SLICES, sdr as "fmt.sdr": Ty::Struct(&SDR) => SIGNALS,
        meta as "fmt.meta": Ty::Struct(&META) => METADATA
    }
    pub CREATE = v4l2_create_buffers { count: Ty::UInt, memory: Ty::Enum(&MEMORY), format: Ty::Struct(&FORMAT) }
}

/// A buffer. One that was taken from the queue has the time of its data, too.
macro_rules! buffer {
    ($NAME:ident = $layout:ident $(, $time:ident)?) => {
        structs! {
            pub $NAME = $layout {
                r#type: TYPE, index: Ty::UInt, memory: Ty::Enum(&MEMORY),
                offset as "m.offset": Ty::Hex => When::OneOf("memory", !0, &[c::V4L2_MEMORY_MMAP]),
                userptr as "m.userptr": Ty::Addr => When::OneOf("memory", !0, &[c::V4L2_MEMORY_USERPTR]),
                fd as "m.fd": Ty::Fd => When::OneOf("memory", !0, &[c::V4L2_MEMORY_DMABUF]), length: Ty::UInt,
                bytesused: Ty::UInt, flags: Ty::Custom(Irregular::VideoBufferFlags, &Ty::Flags(&BUFFER_FLAGS))
                $(, timestamp: Ty::Struct(&$time))?
            }
        }
    };
}
buffer!(BUFFER = v4l2_buffer);
buffer!(TAKEN_BUFFER = v4l2_buffer, TIMEVAL);
buffer!(OLD_BUFFER = v4l2_buffer_time32);
buffer!(OLD_TAKEN_BUFFER = v4l2_buffer_time32, OLD_TIMEVAL);

structs! {
    /// `struct v4l2_requestbuffers`
    /// `struct v4l2_requestbuffers`
    /// `struct v4l2_requestbuffers`
    /// `struct v4l2_requestbuffers`
    pub REQUEST_BUFFERS = v4l2_requestbuffers {
        r#type: TYPE, memory: Ty::Enum(&MEMORY), count: Ty::Custom(Irregular::Changed("count"), &Ty::UInt)
    }
    /// `struct v4l2_exportbuffer`
    /// `struct v4l2_exportbuffer`
    /// `struct v4l2_exportbuffer`
    /// `struct v4l2_exportbuffer`
    pub EXPORT = v4l2_exportbuffer { r#type: TYPE, index: Ty::UInt, plane: Ty::UInt, flags: Ty::Flags(&OPEN) }
    /// `struct v4l2_exportbuffer`
    /// `struct v4l2_exportbuffer`
    /// `struct v4l2_exportbuffer`
    /// `struct v4l2_exportbuffer`
    pub EXPORTED = v4l2_exportbuffer { fd: Ty::Fd }
    /// `struct v4l2_buffer`
    /// `struct v4l2_buffer`
    /// `struct v4l2_buffer`
    /// `struct v4l2_buffer`
    pub BUFFER_TYPE = v4l2_buffer { r#type: TYPE }
    /// `struct v4l2_buffer`
    /// `struct v4l2_buffer`
    /// `struct v4l2_buffer`
    /// `struct v4l2_buffer`
    pub BUFFER_INDEX = v4l2_buffer { r#type: TYPE, index: Ty::UInt }
    // The buffers of 64-bit programs that ask for times of 32 bits.
    /// `struct v4l2_timeval32`
    /// `struct v4l2_timeval32`
    /// `struct v4l2_timeval32`
    /// `struct v4l2_timeval32`
    pub OLD_TIMEVAL = v4l2_timeval32 { tv_sec: Ty::Int, tv_usec: Ty::Int }
    /// `struct v4l2_buffer_time32`
    /// `struct v4l2_buffer_time32`
    /// `struct v4l2_buffer_time32`
    /// `struct v4l2_buffer_time32`
    pub OLD_BUFFER_TYPE = v4l2_buffer_time32 { r#type: TYPE }
    /// `struct v4l2_buffer_time32`
    /// `struct v4l2_buffer_time32`
    /// `struct v4l2_buffer_time32`
    /// `struct v4l2_buffer_time32`
    pub OLD_BUFFER_INDEX = v4l2_buffer_time32 { r#type: TYPE, index: Ty::UInt }
    /// `struct v4l2_framebuffer`
    /// `struct v4l2_framebuffer`
    /// `struct v4l2_framebuffer`
    /// `struct v4l2_framebuffer`
    pub FRAMEBUFFER = v4l2_framebuffer { capability: Ty::Hex, flags: Ty::Hex, base: Ty::Addr }
    /// `struct v4l2_captureparm`
    /// `struct v4l2_captureparm`
    /// `struct v4l2_captureparm`
    /// `struct v4l2_captureparm`
    pub CAPTURE = v4l2_captureparm {
        capability: Ty::Flags(&STREAM_CAPABILITIES), capturemode: Ty::Flags(&STREAM_MODES), timeperframe: FRACTION,
        extendedmode: Ty::Hex, readbuffers: Ty::UInt
    }
    /// `struct v4l2_outputparm`
    /// `struct v4l2_outputparm`
    /// `struct v4l2_outputparm`
    /// `struct v4l2_outputparm`
    pub OUTPUT = v4l2_outputparm {
        capability: Ty::Flags(&STREAM_CAPABILITIES), outputmode: Ty::Flags(&STREAM_MODES), timeperframe: FRACTION,
        extendedmode: Ty::Hex, writebuffers: Ty::UInt
    }
    /// `struct v4l2_streamparm`
    /// `struct v4l2_streamparm`
    /// `struct v4l2_streamparm`
    /// `struct v4l2_streamparm`
    pub STREAM_TYPE = v4l2_streamparm { r#type: TYPE }
    /// `struct v4l2_streamparm`
    /// `struct v4l2_streamparm`
    /// `struct v4l2_streamparm`
    /// `struct v4l2_streamparm`
    pub STREAM = v4l2_streamparm {
        r#type: TYPE, capture as "parm.capture": Ty::Struct(&CAPTURE) => of(&[c::V4L2_BUF_TYPE_VIDEO_CAPTURE]),
        output as "parm.output": Ty::Struct(&OUTPUT) => of(&[c::V4L2_BUF_TYPE_VIDEO_OUTPUT])
    }
}

structs! {
    pub STANDARD_INDEX = v4l2_standard { index: Ty::UInt }
    pub STANDARD_REPLY = v4l2_standard { name: Ty::CStr, frameperiod: FRACTION, framelines: Ty::UInt }
    pub INPUT_INDEX = v4l2_input { index: Ty::UInt }
    pub INPUT = v4l2_input {
        name: Ty::CStr, r#type: Ty::Enum(&INPUT_TYPES), audioset: Ty::Hex, tuner: Ty::UInt, std: STANDARD,
        status: Ty::Flags(&INPUT_STATUS), capabilities: Ty::Flags(&INPUT_CAPABILITIES)
    }
    pub TUNER_INDEX = v4l2_tuner { index: Ty::UInt }
    pub TUNER = v4l2_tuner {
        index: Ty::UInt, name: Ty::CStr, r#type: Ty::Enum(&TUNERS), capability: Ty::Flags(&TUNER_CAPABILITIES),
        rangelow: Ty::UInt, rangehigh: Ty::UInt, rxsubchans: Ty::Flags(&SUBCHANNELS), audmode: Ty::Enum(&AUDIO_MODES),
        signal: Ty::Int, afc: Ty::Int
    }
    pub CROP_TYPE = v4l2_cropcap { r#type: TYPE }
    pub CROP_LIMITS = v4l2_cropcap { bounds: Ty::Struct(&RECT), defrect: Ty::Struct(&RECT), pixelaspect: FRACTION }
    pub CROP_ASKED = v4l2_crop { r#type: TYPE }
    pub CROP = v4l2_crop { r#type: TYPE, c: Ty::Struct(&RECT) }

    pub CONTROL_ASKED = v4l2_control { id: CONTROL_ID }
    pub CONTROL_VALUE = v4l2_control { value: Ty::Int }
    pub CONTROL = v4l2_control { id: CONTROL_ID, value: Ty::Custom(Irregular::Changed("value"), &Ty::Int) }
    pub QUERY_ID = v4l2_queryctrl { id: NEXT_CONTROL_ID }
    pub QUERY = v4l2_queryctrl {
        id: NEXT_CONTROL_ID, r#type: Ty::Enum(&CONTROL_TYPES), name: Ty::CStr, [v] minimum: Ty::Int, [v] maximum: Ty::Int,
        [v] step: Ty::Int, [v] default_value: Ty::Int, [v] flags: Ty::Flags(&CONTROL_FLAGS), [v] reserved: RESERVED
    }
    pub EXTENDED_QUERY_ID = v4l2_query_ext_ctrl { id: NEXT_CONTROL_ID }
    pub EXTENDED_QUERY = v4l2_query_ext_ctrl {
        id: NEXT_CONTROL_ID, r#type: Ty::Enum(&CONTROL_TYPES), name: Ty::CStr, [v] minimum: Ty::I64, [v] maximum: Ty::I64,
        [v] step: Ty::U64, [v] default_value: Ty::I64, [v] flags: Ty::Flags(&CONTROL_FLAGS), [v] elem_size: Ty::UInt,
        [v] elems: Ty::UInt, [v] nr_of_dims: Ty::UInt,
        [v] dims: Ty::Custom(Irregular::FirstItems("nr_of_dims"), &Ty::Items(&Ty::UInt)), [v] reserved: RESERVED
    }
    pub MENU = v4l2_querymenu { id: CONTROL_ID, index: Ty::UInt }
    pub MENU_ITEM = v4l2_querymenu { name: Ty::CStr, value: Ty::I64 }
    pub EXTENDED_CONTROL = v4l2_ext_control {
        id: CONTROL_ID, size: Ty::UInt, string: Ty::Bytes(Dir::InOutAlways, Len::Of("size")), value: Ty::Int, value64: Ty::I64
    }
    pub EXTENDED_CONTROLS = v4l2_ext_controls {
        ctrl_class: Ty::Enum(&CONTROL_CLASSES), count: Ty::UInt,
        controls: Ty::Array(Dir::InOutAlways, &Ty::Struct(&EXTENDED_CONTROL), Len::Of("count")), error_idx: Ty::UInt
    }

    pub SIZE = v4l2_frmsize_discrete { width: Ty::UInt, height: Ty::UInt }
    pub SIZE_STEPS = v4l2_frmsize_stepwise {
        min_width: Ty::UInt, max_width: Ty::UInt, step_width: Ty::UInt, min_height: Ty::UInt, max_height: Ty::UInt,
        step_height: Ty::UInt
    }
    pub SIZE_INDEX = v4l2_frmsizeenum { index: Ty::UInt, pixel_format: FORMAT_CODE }
    pub SIZE_REPLY = v4l2_frmsizeenum {
        r#type: Ty::Enum(&FRAME_SIZES), discrete: Ty::Struct(&SIZE) => of(&[c::V4L2_FRMSIZE_TYPE_DISCRETE]),
        stepwise: Ty::Struct(&SIZE_STEPS) => of(&[c::V4L2_FRMSIZE_TYPE_STEPWISE])
    }
    pub INTERVAL_STEPS = v4l2_frmival_stepwise { min: FRACTION, max: FRACTION, step: FRACTION }
    pub INTERVAL_INDEX = v4l2_frmivalenum { index: Ty::UInt, pixel_format: FORMAT_CODE, width: Ty::UInt, height: Ty::UInt }
    pub INTERVAL_REPLY = v4l2_frmivalenum {
        r#type: Ty::Enum(&FRAME_INTERVALS), discrete: FRACTION => of(&[c::V4L2_FRMIVAL_TYPE_DISCRETE]),
        stepwise: Ty::Struct(&INTERVAL_STEPS) => of(&[c::V4L2_FRMIVAL_TYPE_CONTINUOUS, c::V4L2_FRMIVAL_TYPE_STEPWISE])
    }
}

const SET_TYPE: Ty = Ty::Array(Dir::In, &TYPE, Len::Fixed(1));
const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);
const ENUM_FORMAT: Ty = Ty::Custom(Irregular::Joined(false), &Ty::Turn(&FORMAT_INDEX, &FORMAT_DESCRIPTION));
const GET_FORMAT: Ty = Ty::Custom(Irregular::Joined(false), &Ty::Turn(&FORMAT_TYPE, &FORMAT));
/// The clips of a window are the program's, and its other members are seldom changed.
const SET_FORMAT: Ty = Ty::Custom(Irregular::Answer(&["type", "fmt.win"]), &Ty::Turn(&FORMAT, &FORMAT));
const QUERY_BUFFER: Ty = Ty::Custom(Irregular::Joined(true), &Ty::Turn(&BUFFER_INDEX, &BUFFER));
const TAKE_BUFFER: Ty = Ty::Custom(Irregular::Joined(true), &Ty::Turn(&BUFFER_TYPE, &TAKEN_BUFFER));
const QUERY_OLD_BUFFER: Ty = Ty::Custom(Irregular::Joined(true), &Ty::Turn(&OLD_BUFFER_INDEX, &OLD_BUFFER));
const TAKE_OLD_BUFFER: Ty = Ty::Custom(Irregular::Joined(true), &Ty::Turn(&OLD_BUFFER_TYPE, &OLD_TAKEN_BUFFER));
const GET_FRAMEBUFFER: Ty = Ty::Ptr(Dir::Out, &Ty::Struct(&FRAMEBUFFER));
const SET_FRAMEBUFFER: Ty = Ty::Ptr(Dir::In, &Ty::Struct(&FRAMEBUFFER));
const ENUM_STANDARD: Ty = Ty::Custom(Irregular::Joined(false), &Ty::Turn(&STANDARD_INDEX, &STANDARD_REPLY));
const ENUM_INPUT: Ty = Ty::Custom(Irregular::Joined(false), &Ty::Turn(&INPUT_INDEX, &INPUT));
const GET_CONTROLS: Ty =
    Ty::Custom(Irregular::VideoControls(true), &Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&EXTENDED_CONTROLS)));
const SET_CONTROLS: Ty =
    Ty::Custom(Irregular::VideoControls(false), &Ty::Ptr(Dir::InOutAlways, &Ty::Struct(&EXTENDED_CONTROLS)));
/// The answer is a note.
const CREATE_BUFFERS: Ty = Ty::Exchange(&CREATE);

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::VIDIOC_QUERYCAP, Ty::Ptr(Dir::Out, &Ty::Struct(&CAPABILITY))),
    Case(c::VIDIOC_ENUM_FMT, ENUM_FORMAT),
    Case(c::VIDIOC_G_FMT, GET_FORMAT),
    Case(c::VIDIOC_S_FMT, SET_FORMAT),
    Case(c::VIDIOC_TRY_FMT, SET_FORMAT),
    Case(c::VIDIOC_REQBUFS, Ty::Exchange(&REQUEST_BUFFERS)),
    Case(c::VIDIOC_EXPBUF, Ty::Turn(&EXPORT, &EXPORTED)),
    Case(c::VIDIOC_QUERYBUF, QUERY_BUFFER),
    Case(c::VIDIOC_QBUF, QUERY_BUFFER),
    Case(c::VIDIOC_DQBUF, TAKE_BUFFER),
    Case(c::VIDIOC_QUERYBUF_TIME32, QUERY_OLD_BUFFER),
    Case(c::VIDIOC_QBUF_TIME32, QUERY_OLD_BUFFER),
    Case(c::VIDIOC_DQBUF_TIME32, TAKE_OLD_BUFFER),
    Case(c::VIDIOC_G_FBUF, GET_FRAMEBUFFER),
    Case(c::VIDIOC_S_FBUF, SET_FRAMEBUFFER),
    Case(c::VIDIOC_STREAMON, SET_TYPE),
    Case(c::VIDIOC_STREAMOFF, SET_TYPE),
    Case(c::VIDIOC_G_PARM, Ty::Custom(Irregular::Joined(false), &Ty::Turn(&STREAM_TYPE, &STREAM))),
    Case(c::VIDIOC_S_PARM, Ty::Custom(Irregular::Answer(&["type"]), &Ty::Turn(&STREAM, &STREAM))),
    Case(c::VIDIOC_G_STD, Ty::Array(Dir::Out, &HEX64, Len::Fixed(1))),
    Case(c::VIDIOC_S_STD, Ty::Array(Dir::In, &HEX64, Len::Fixed(1))),
    Case(c::VIDIOC_ENUMSTD, ENUM_STANDARD),
    Case(c::VIDIOC_ENUMINPUT, ENUM_INPUT),
    Case(c::VIDIOC_G_INPUT, Ty::Array(Dir::Out, &Ty::UInt, Len::Fixed(1))),
    Case(c::VIDIOC_S_INPUT, Ty::Array(Dir::InLost, &Ty::UInt, Len::Fixed(1))),
    Case(c::VIDIOC_G_CTRL, Ty::Custom(Irregular::Joined(false), &Ty::Turn(&CONTROL_ASKED, &CONTROL_VALUE))),
    Case(c::VIDIOC_S_CTRL, Ty::Exchange(&CONTROL)),
    Case(c::VIDIOC_G_TUNER, Ty::Custom(Irregular::Joined(false), &Ty::Turn(&TUNER_INDEX, &TUNER))),
    Case(c::VIDIOC_S_TUNER, Ty::Custom(Irregular::Answer(&["index"]), &Ty::Turn(&TUNER, &TUNER))),
    Case(c::VIDIOC_QUERYCTRL, Ty::Custom(Irregular::Joined(false), &Ty::Turn(&QUERY_ID, &QUERY))),
    Case(
        c::VIDIOC_QUERY_EXT_CTRL,
        Ty::Custom(Irregular::Joined(false), &Ty::Turn(&EXTENDED_QUERY_ID, &EXTENDED_QUERY)),
    ),
    Case(c::VIDIOC_QUERYMENU, Ty::Turn(&MENU, &MENU_ITEM)),
    Case(c::VIDIOC_CROPCAP, Ty::Custom(Irregular::Joined(false), &Ty::Turn(&CROP_TYPE, &CROP_LIMITS))),
    Case(c::VIDIOC_G_CROP, Ty::Custom(Irregular::Joined(false), &Ty::Turn(&CROP_ASKED, &CROP))),
    Case(c::VIDIOC_S_CROP, Ty::Ptr(Dir::In, &Ty::Struct(&CROP))),
    Case(c::VIDIOC_G_EXT_CTRLS, GET_CONTROLS),
    Case(c::VIDIOC_S_EXT_CTRLS, SET_CONTROLS),
    Case(c::VIDIOC_TRY_EXT_CTRLS, SET_CONTROLS),
    Case(c::VIDIOC_ENUM_FRAMESIZES, Ty::Custom(Irregular::Joined(false), &Ty::Turn(&SIZE_INDEX, &SIZE_REPLY))),
    Case(
        c::VIDIOC_ENUM_FRAMEINTERVALS,
        Ty::Custom(Irregular::Joined(false), &Ty::Turn(&INTERVAL_INDEX, &INTERVAL_REPLY)),
    ),
    Case(c::VIDIOC_CREATE_BUFS, CREATE_BUFFERS),
    // The numbers that 32-bit programs use, because structs have other sizes there.
    Case(i386::VIDIOC_G_FMT, GET_FORMAT),
    Case(i386::VIDIOC_S_FMT, SET_FORMAT),
    Case(i386::VIDIOC_TRY_FMT, SET_FORMAT),
    Case(i386::VIDIOC_QUERYBUF, QUERY_BUFFER),
    Case(i386::VIDIOC_QBUF, QUERY_BUFFER),
    Case(i386::VIDIOC_DQBUF, TAKE_BUFFER),
    Case(i386::VIDIOC_G_FBUF, GET_FRAMEBUFFER),
    Case(i386::VIDIOC_S_FBUF, SET_FRAMEBUFFER),
    Case(i386::VIDIOC_ENUMSTD, ENUM_STANDARD),
    Case(i386::VIDIOC_ENUMINPUT, ENUM_INPUT),
    Case(i386::VIDIOC_G_EXT_CTRLS, GET_CONTROLS),
    Case(i386::VIDIOC_S_EXT_CTRLS, SET_CONTROLS),
    Case(i386::VIDIOC_TRY_EXT_CTRLS, SET_CONTROLS),
    Case(i386::VIDIOC_CREATE_BUFS, CREATE_BUFFERS),
];
