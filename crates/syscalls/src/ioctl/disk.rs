//! Requests of IDE disks: linux/hdreg.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, Ty, Width, sets, structs};

sets! {
    /// Commands of ATA devices: linux/ata.h
    pub ATA_CMD "ATA_CMD_???" {
        ATA_CMD_NOP = 0x00, ATA_CMD_CFA_REQ_EXT_ERR = 0x03, ATA_CMD_DSM = 0x06, ATA_CMD_DEV_RESET = 0x08,
        ATA_CMD_REQ_SENSE_DATA = 0x0b, ATA_CMD_RESTORE = 0x10, ATA_CMD_PIO_READ = 0x20, ATA_CMD_READ_LONG = 0x22,
        ATA_CMD_READ_LONG_ONCE = 0x23, ATA_CMD_PIO_READ_EXT = 0x24, ATA_CMD_READ_EXT = 0x25, ATA_CMD_READ_QUEUED = 0x26,
        ATA_CMD_READ_NATIVE_MAX_EXT = 0x27, ATA_CMD_READ_MULTI_EXT = 0x29, ATA_CMD_READ_STREAM_DMA_EXT = 0x2a,
        ATA_CMD_READ_STREAM_EXT = 0x2b, ATA_CMD_READ_LOG_EXT = 0x2f, ATA_CMD_PIO_WRITE = 0x30, ATA_CMD_WRITE_LONG =
        0x32, ATA_CMD_WRITE_LONG_ONCE = 0x33, ATA_CMD_PIO_WRITE_EXT = 0x34, ATA_CMD_WRITE_EXT = 0x35,
        ATA_CMD_WRITE_QUEUED = 0x36, ATA_CMD_SET_MAX_EXT = 0x37, ATA_CMD_CFA_WRITE_NE = 0x38, ATA_CMD_WRITE_MULTI_EXT =
        0x39, ATA_CMD_WRITE_STREAM_DMA_EXT = 0x3a, ATA_CMD_WRITE_STREAM_EXT = 0x3b, ATA_CMD_WRITE_FUA_EXT = 0x3d,
        ATA_CMD_WRITE_QUEUED_FUA_EXT = 0x3e, ATA_CMD_WRITE_LOG_EXT = 0x3f, ATA_CMD_VERIFY = 0x40, ATA_CMD_VERIFY_EXT =
        0x42, ATA_CMD_WRITE_UNCORR_EXT = 0x45, ATA_CMD_READ_LOG_DMA_EXT = 0x47, ATA_CMD_ZAC_MGMT_IN = 0x4a,
        ATA_CMD_CONFIG_STREAM = 0x51, ATA_CMD_WRITE_LOG_DMA_EXT = 0x57, ATA_CMD_TRUSTED_NONDATA = 0x5b,
        ATA_CMD_TRUSTED_RCV = 0x5c, ATA_CMD_TRUSTED_RCV_DMA = 0x5d, ATA_CMD_TRUSTED_SND = 0x5e, ATA_CMD_TRUSTED_SND_DMA
        = 0x5f, ATA_CMD_FPDMA_READ = 0x60, ATA_CMD_FPDMA_WRITE = 0x61, ATA_CMD_NCQ_NON_DATA = 0x63, ATA_CMD_FPDMA_SEND =
        0x64, ATA_CMD_FPDMA_RECV = 0x65, ATA_CMD_CFA_TRANS_SECT = 0x87, ATA_CMD_EDD = 0x90, ATA_CMD_INIT_DEV_PARAMS =
        0x91, ATA_CMD_DOWNLOAD_MICRO = 0x92, ATA_CMD_DOWNLOAD_MICRO_DMA = 0x93, ATA_CMD_ZAC_MGMT_OUT = 0x9f,
        ATA_CMD_PACKET = 0xa0, ATA_CMD_ID_ATAPI = 0xa1, ATA_CMD_SERVICE = 0xa2, ATA_CMD_SMART = 0xb0,
        ATA_CMD_CONF_OVERLAY = 0xb1, ATA_CMD_SANITIZE_DEVICE = 0xb4, ATA_CMD_CFA_ERASE = 0xc0, ATA_CMD_READ_MULTI =
        0xc4, ATA_CMD_WRITE_MULTI = 0xc5, ATA_CMD_SET_MULTI = 0xc6, ATA_CMD_READ = 0xc8, ATA_CMD_WRITE = 0xca,
        ATA_CMD_CFA_WRITE_MULT_NE = 0xcd, ATA_CMD_WRITE_MULTI_FUA_EXT = 0xce, ATA_CMD_CHK_MED_CRD_TYP = 0xd1,
        ATA_CMD_MEDIA_LOCK = 0xde, ATA_CMD_MEDIA_UNLOCK = 0xdf, ATA_CMD_STANDBYNOW1 = 0xe0, ATA_CMD_IDLEIMMEDIATE =
        0xe1, ATA_CMD_STANDBY = 0xe2, ATA_CMD_IDLE = 0xe3, ATA_CMD_PMP_READ = 0xe4, ATA_CMD_CHK_POWER = 0xe5,
        ATA_CMD_SLEEP = 0xe6, ATA_CMD_FLUSH = 0xe7, ATA_CMD_PMP_WRITE = 0xe8, ATA_CMD_PMP_READ_DMA = 0xe9,
        ATA_CMD_FLUSH_EXT = 0xea, ATA_CMD_PMP_WRITE_DMA = 0xeb, ATA_CMD_ID_ATA = 0xec, ATA_CMD_SET_FEATURES = 0xef,
        ATA_CMD_SEC_SET_PASS = 0xf1, ATA_CMD_SEC_UNLOCK = 0xf2, ATA_CMD_SEC_ERASE_PREP = 0xf3, ATA_CMD_SEC_ERASE_UNIT =
        0xf4, ATA_CMD_SEC_FREEZE_LOCK = 0xf5, ATA_CMD_SEC_DISABLE_PASS = 0xf6, ATA_CMD_READ_NATIVE_MAX = 0xf8,
        ATA_CMD_SET_MAX = 0xf9
    }
    pub BUS_STATE "BUSSTATE_???" { BUSSTATE_OFF, BUSSTATE_ON, BUSSTATE_TRISTATE }
    /// Bit numbers
    pub NICE "IDE_NICE_???" {
        "1<<IDE_NICE_DSC_OVERLAP" = 1 in 1, "1<<IDE_NICE_ATAPI_OVERLAP" = 2 in 2, "1<<IDE_NICE_1" = 8 in 8,
        "1<<IDE_NICE_0" = 4 in 4, "1<<IDE_NICE_2" = 16 in 16
    }
}

structs! {
    pub GEOMETRY = hd_geometry { heads: Ty::UInt, sectors: Ty::UInt, cylinders: Ty::UInt, start: Ty::ULong }
    /// A command, and the registers after it.
    pub COMMAND = hd_drive_cmd_hdr {
        command: Ty::Enum(&ATA_CMD), sector_number: Ty::UInt, feature: Ty::UInt, sector_count: Ty::UInt
    }
    pub STATUS = hd_drive_cmd_hdr {
        status = "command": Ty::Hex, error = "sector_number": Ty::UInt, nsector = "feature": Ty::UInt
    }
}

const GET: Ty = Ty::Array(Dir::Out, &Ty::ULong, Len::Fixed(1));
const THREE: Ty = Ty::Array(Dir::In, &Ty::Hex, Len::Fixed(3));
const STATE: Ty = Ty::As(Width::Word, &Ty::Enum(&BUS_STATE));
const HABITS: Ty = Ty::As(Width::Word, &Ty::Flags(&NICE));

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::HDIO_GETGEO, Ty::Ptr(Dir::Out, &Ty::Struct(&GEOMETRY))),
    Case(c::HDIO_DRIVE_CMD, Ty::Custom(Irregular::DriveCommand, &Ty::Buffer(Dir::InOut, Len::Fixed(4096), 4096))),
    Case(c::HDIO_DRIVE_RESET, THREE),
    Case(c::HDIO_SCAN_HWIF, THREE),
    Case(c::HDIO_GET_32BIT, GET),
    Case(c::HDIO_GET_ACOUSTIC, GET),
    Case(c::HDIO_GET_ADDRESS, GET),
    Case(c::HDIO_GET_DMA, GET),
    Case(c::HDIO_GET_KEEPSETTINGS, GET),
    Case(c::HDIO_GET_MULTCOUNT, GET),
    Case(c::HDIO_GET_NOWERR, GET),
    Case(c::HDIO_GET_UNMASKINTR, GET),
    Case(c::HDIO_GET_WCACHE, GET),
    Case(c::HDIO_SET_32BIT, Ty::ULong),
    Case(c::HDIO_SET_ACOUSTIC, Ty::ULong),
    Case(c::HDIO_SET_ADDRESS, Ty::ULong),
    Case(c::HDIO_SET_DMA, Ty::ULong),
    Case(c::HDIO_SET_KEEPSETTINGS, Ty::ULong),
    Case(c::HDIO_SET_MULTCOUNT, Ty::ULong),
    Case(c::HDIO_SET_NOWERR, Ty::ULong),
    Case(c::HDIO_SET_PIO_MODE, Ty::ULong),
    Case(c::HDIO_SET_UNMASKINTR, Ty::ULong),
    Case(c::HDIO_SET_WCACHE, Ty::ULong),
    Case(c::HDIO_UNREGISTER_HWIF, Ty::ULong),
    Case(c::HDIO_OBSOLETE_IDENTITY, Ty::Bytes(Dir::Out, Len::Fixed(142))),
    Case(c::HDIO_GET_IDENTITY, Ty::Bytes(Dir::Out, Len::Fixed(512))),
    Case(c::HDIO_GET_NICE, Ty::Array(Dir::Out, &HABITS, Len::Fixed(1))),
    Case(c::HDIO_SET_NICE, HABITS),
    Case(c::HDIO_GET_BUSSTATE, Ty::Array(Dir::Out, &STATE, Len::Fixed(1))),
    Case(c::HDIO_SET_BUSSTATE, STATE),
];
