//! Requests of loop devices, clocks, watchdogs, flash memory and namespaces.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, PidKind, Ty, When, Width, sets, structs};

sets! {
    /// linux/loop.h
    pub LOOP_CRYPT "LO_CRYPT_???" {
        LO_CRYPT_NONE, LO_CRYPT_XOR, LO_CRYPT_DES, LO_CRYPT_FISH2, LO_CRYPT_BLOW, LO_CRYPT_CAST128, LO_CRYPT_IDEA,
        LO_CRYPT_DUMMY, LO_CRYPT_SKIPJACK, LO_CRYPT_CRYPTOAPI
    }
    /// linux/loop.h
    pub LOOP_FLAGS "LO_FLAGS_???" { LO_FLAGS_READ_ONLY, LO_FLAGS_AUTOCLEAR, LO_FLAGS_PARTSCAN, LO_FLAGS_DIRECT_IO }
    /// linux/rtc.h
    pub RTC_VL "RTC_VL_???" {
        RTC_VL_DATA_INVALID, RTC_VL_BACKUP_LOW, RTC_VL_BACKUP_EMPTY, RTC_VL_ACCURACY_LOW, RTC_VL_BACKUP_SWITCH
    }
    /// linux/rtc.h
    pub RTC_PARAMS "RTC_PARAM_???" { RTC_PARAM_FEATURES, RTC_PARAM_CORRECTION, RTC_PARAM_BACKUP_SWITCH_MODE }
    /// linux/rtc.h: bit numbers
    pub RTC_FEATURES "1<<RTC_FEATURE_???" {
        "1<<RTC_FEATURE_ALARM" = 1 in 1, "1<<RTC_FEATURE_ALARM_RES_MINUTE" = 2 in 2, "1<<RTC_FEATURE_NEED_WEEK_DAY" = 4 in 4,
        "1<<RTC_FEATURE_ALARM_RES_2S" = 8 in 8, "1<<RTC_FEATURE_UPDATE_INTERRUPT" = 16 in 16,
        "1<<RTC_FEATURE_CORRECTION" = 32 in 32, "1<<RTC_FEATURE_BACKUP_SWITCH_MODE" = 64 in 64,
        "1<<RTC_FEATURE_ALARM_WAKEUP_ONLY" = 128 in 128
    }
    /// linux/rtc.h
    pub RTC_BSM "RTC_BSM_???" { RTC_BSM_DISABLED, RTC_BSM_DIRECT, RTC_BSM_LEVEL, RTC_BSM_STANDBY }
    /// linux/watchdog.h
    pub WATCHDOG_OPTIONS "WDIOF_???" {
        WDIOF_OVERHEAT, WDIOF_FANFAULT, WDIOF_EXTERN1, WDIOF_EXTERN2, WDIOF_POWERUNDER, WDIOF_CARDRESET, WDIOF_POWEROVER,
        WDIOF_SETTIMEOUT, WDIOF_MAGICCLOSE, WDIOF_PRETIMEOUT, WDIOF_ALARMONLY, WDIOF_KEEPALIVEPING
    }
    /// linux/watchdog.h
    pub WATCHDOG_SET "WDIOS_???" { WDIOS_DISABLECARD, WDIOS_ENABLECARD, WDIOS_TEMPPANIC }
    /// mtd/mtd-abi.h
    pub MTD_TYPES "MTD_???" {
        MTD_ABSENT, MTD_RAM, MTD_ROM, MTD_NORFLASH, MTD_NANDFLASH, MTD_DATAFLASH, MTD_UBIVOLUME, MTD_MLCNANDFLASH
    }
    /// mtd/mtd-abi.h
    pub MTD_FLAGS "MTD_???" { MTD_WRITEABLE, MTD_BIT_WRITEABLE, MTD_NO_ERASE, MTD_POWERUP_LOCK, MTD_SLC_ON_MLC_EMULATION }
    /// mtd/mtd-abi.h
    pub MTD_OTP "MTD_OTP_???" { MTD_OTP_OFF, MTD_OTP_FACTORY, MTD_OTP_USER }
    /// mtd/mtd-abi.h
    pub MTD_MODES "MTD_OPS_???" { MTD_OPS_PLACE_OOB, MTD_OPS_AUTO_OOB, MTD_OPS_RAW }
    /// mtd/mtd-abi.h
    pub MTD_FILE_MODES "MTD_FILE_MODE_???" {
        MTD_FILE_MODE_NORMAL, MTD_FILE_MODE_OTP_FACTORY, MTD_FILE_MODE_OTP_USER, MTD_FILE_MODE_RAW
    }
    /// mtd/mtd-abi.h
    pub MTD_ECC "MTD_NANDECC_???" {
        MTD_NANDECC_OFF, MTD_NANDECC_PLACE, MTD_NANDECC_AUTOPLACE, MTD_NANDECC_PLACEONLY, MTD_NANDECC_AUTOPL_USR
    }
    /// Kinds of namespaces: linux/sched.h
    pub NS_TYPES "CLONE_???" {
        CLONE_NEWTIME, CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET
    }
}

const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);
const ADDRESS64: Ty = Ty::As(Width::W8, &Ty::Addr);
const CRYPT: &str = "lo_encrypt_type";
/// Encryption is shown where there is any, and with `-v`.
const PLAIN: When = When::OneOf(CRYPT, !0, &[c::LO_CRYPT_NONE]);
const ENCRYPTED: When = When::NoneOf(CRYPT, !0, &[c::LO_CRYPT_NONE]);
const LOOP_KEY: Ty = Ty::Custom(Irregular::Counted("lo_encrypt_key_size", false), &Ty::Blob(0));
const TIME: Ty = Ty::Struct(&RTC_TIME);
const PARAM: &str = "param";

structs! {
    /// linux/loop.h
    pub LOOP_INFO = loop_info {
        lo_number: Ty::Int, [v] lo_device: Ty::Dev, [v] lo_inode: Ty::ULong, [v] lo_rdevice: Ty::Dev, lo_offset: Ty::Hex,
        [v] lo_encrypt_type: Ty::Enum(&LOOP_CRYPT) => PLAIN, lo_encrypt_type: Ty::Enum(&LOOP_CRYPT) => ENCRYPTED,
        [v] lo_encrypt_key_size: Ty::UInt => PLAIN, lo_encrypt_key_size: Ty::UInt => ENCRYPTED,
        lo_flags: Ty::Flags(&LOOP_FLAGS), lo_name: Ty::CStr,
        [v] lo_encrypt_key: LOOP_KEY => PLAIN, lo_encrypt_key: LOOP_KEY => ENCRYPTED,
        [v] lo_init: Ty::Items(&Ty::HexLong), [v] reserved: Ty::Items(&Ty::As(Width::W1, &Ty::Hex))
    }
    /// linux/loop.h
    pub LOOP_INFO64 = loop_info64 {
        [v] lo_device: Ty::Dev, [v] lo_inode: Ty::U64, [v] lo_rdevice: Ty::Dev, lo_offset: HEX64, [v] lo_sizelimit: Ty::U64,
        lo_number: Ty::UInt, [v] lo_encrypt_type: Ty::Enum(&LOOP_CRYPT) => PLAIN,
        lo_encrypt_type: Ty::Enum(&LOOP_CRYPT) => ENCRYPTED, [v] lo_encrypt_key_size: Ty::UInt => PLAIN,
        lo_encrypt_key_size: Ty::UInt => ENCRYPTED, lo_flags: Ty::Flags(&LOOP_FLAGS), lo_file_name: Ty::CStr,
        [v] lo_crypt_name: Ty::CStr => PLAIN, lo_crypt_name: Ty::CStr => ENCRYPTED,
        [v] lo_encrypt_key: LOOP_KEY => PLAIN, lo_encrypt_key: LOOP_KEY => ENCRYPTED, [v] lo_init: Ty::Items(&HEX64)
    }
    /// linux/loop.h
    pub LOOP_CONFIG = loop_config {
        fd: Ty::Fd, block_size: Ty::UInt, info: Ty::Struct(&LOOP_INFO64), __reserved: Ty::NonZero(&Ty::Items(&HEX64))
    }
}

structs! {
    /// linux/rtc.h
    pub RTC_TIME = rtc_time {
        tm_sec: Ty::Int, tm_min: Ty::Int, tm_hour: Ty::Int, tm_mday: Ty::Int, tm_mon: Ty::Int, tm_year: Ty::Int,
        [v] tm_wday: Ty::Int, [v] tm_yday: Ty::Int, [v] tm_isdst: Ty::Int
    }
    /// linux/rtc.h
    pub RTC_WAKE = rtc_wkalrm { enabled: Ty::UInt, pending: Ty::UInt, time: TIME }
    /// linux/rtc.h
    pub RTC_PLL = rtc_pll_info {
        pll_ctrl: Ty::Int, pll_value: Ty::Int, pll_max: Ty::Int, pll_min: Ty::Int, pll_posmult: Ty::Int,
        pll_negmult: Ty::Int, pll_clock: Ty::Long
    }
    /// RTC_PARAM_GET: what is asked, and the answer.
    pub RTC_PARAM_IN = rtc_param { param: Ty::As(Width::W8, &Ty::Enum(&RTC_PARAMS)), index: Ty::UInt, __pad: Ty::NonZero(&Ty::Hex) }
    pub RTC_PARAM_OUT = rtc_param {
        uvalue: Ty::As(Width::W8, &Ty::Flags(&RTC_FEATURES)) => When::OneOf(PARAM, !0, &[c::RTC_PARAM_FEATURES]),
        svalue: Ty::I64 => When::OneOf(PARAM, !0, &[c::RTC_PARAM_CORRECTION]),
        uvalue: Ty::As(Width::W8, &Ty::Enum(&RTC_BSM)) => When::OneOf(PARAM, !0, &[c::RTC_PARAM_BACKUP_SWITCH_MODE]),
        uvalue: HEX64 => When::NoneOf(PARAM, !0, &[c::RTC_PARAM_FEATURES, c::RTC_PARAM_CORRECTION, c::RTC_PARAM_BACKUP_SWITCH_MODE]),
        __pad: Ty::NonZero(&Ty::Hex), param: Ty::U64 => When::Never
    }
    /// RTC_PARAM_SET: linux/rtc.h
    pub RTC_PARAM = rtc_param {
        param: Ty::As(Width::W8, &Ty::Enum(&RTC_PARAMS)),
        uvalue: Ty::As(Width::W8, &Ty::Flags(&RTC_FEATURES)) => When::OneOf(PARAM, !0, &[c::RTC_PARAM_FEATURES]),
        svalue: Ty::I64 => When::OneOf(PARAM, !0, &[c::RTC_PARAM_CORRECTION]),
        uvalue: Ty::As(Width::W8, &Ty::Enum(&RTC_BSM)) => When::OneOf(PARAM, !0, &[c::RTC_PARAM_BACKUP_SWITCH_MODE]),
        uvalue: HEX64 => When::NoneOf(PARAM, !0, &[c::RTC_PARAM_FEATURES, c::RTC_PARAM_CORRECTION, c::RTC_PARAM_BACKUP_SWITCH_MODE]),
        index: Ty::UInt, __pad: Ty::NonZero(&Ty::Hex)
    }
    /// linux/watchdog.h
    pub WATCHDOG = watchdog_info { options: Ty::Flags(&WATCHDOG_OPTIONS), [v] firmware_version: Ty::Hex, [v] identity: Ty::CStr }
    /// linux/nsfs.h
    pub MNT_NS = mnt_ns_info { size: Ty::UInt, nr_mounts: Ty::UInt, mnt_ns_id: HEX64 }
}

structs! {
    // mtd/mtd-abi.h
    pub MTD_REGION = region_info_user {
        regionindex: Ty::Hex, offset: Ty::Reply(&Ty::Hex), erasesize: Ty::Reply(&Ty::Hex), numblocks: Ty::Reply(&Ty::Hex)
    }
    pub MTD_ERASE = erase_info_user { start: Ty::Hex, length: Ty::Hex }
    pub MTD_ERASE64 = erase_info_user64 { start: HEX64, length: HEX64 }
    /// The kernel answers with the number of bytes that it has moved: in `start` when it reads, otherwise in `length`.
    pub MTD_OOB = mtd_oob_buf {
        start: Ty::Custom(Irregular::Changed("start"), &Ty::Hex), length: Ty::Custom(Irregular::Changed("length"), &Ty::Hex), ptr: Ty::Addr
    }
    pub MTD_OOB64 = mtd_oob_buf64 {
        start: HEX64, length: Ty::Custom(Irregular::Changed("length"), &Ty::Hex), usr_ptr: ADDRESS64
    }
    pub MTD_OTP_INFO = otp_info { start: Ty::Hex, length: Ty::Hex, locked: Ty::UInt }
    pub MTD_WRITE = mtd_write_req {
        start: HEX64, len: HEX64, ooblen: HEX64, usr_data: ADDRESS64, usr_oob: ADDRESS64, mode: Ty::Enum(&MTD_MODES)
    }
    pub MTD_INFO = mtd_info_user {
        r#type: Ty::Enum(&MTD_TYPES), flags: Ty::Flags(&MTD_FLAGS), size: Ty::Hex, erasesize: Ty::Hex, writesize: Ty::Hex,
        oobsize: Ty::Hex, padding: HEX64
    }
    pub MTD_FREE = nand_oobfree { offset: Ty::Hex, length: Ty::Hex }
    pub MTD_LAYOUT = nand_ecclayout_user {
        eccbytes: Ty::Hex, eccpos: Ty::Items(&Ty::Hex), oobavail: Ty::Hex, oobfree: Ty::Items(&Ty::Struct(&MTD_FREE))
    }
    pub MTD_OOB_INFO = nand_oobinfo {
        useecc: Ty::Enum(&MTD_ECC), eccbytes: Ty::Hex, oobfree: Ty::Custom(Irregular::Rows(2), &Ty::Items(&Ty::Hex)),
        eccpos: Ty::Items(&Ty::Hex)
    }
    pub MTD_ECC_STATS = mtd_ecc_stats { corrected: Ty::Hex, failed: Ty::Hex, badblocks: Ty::Hex, bbtblocks: Ty::Hex }
}

const GET_INT: Ty = Ty::Array(Dir::Out, &Ty::Int, Len::Fixed(1));
const SET_INT: Ty = Ty::Array(Dir::In, &Ty::Int, Len::Fixed(1));
const GET_LONG: Ty = Ty::Array(Dir::Out, &Ty::ULong, Len::Fixed(1));
const SET_BLOCK: Ty = Ty::Array(Dir::In, &Ty::U64, Len::Fixed(1));

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::LOOP_SET_FD, Ty::Fd),
    Case(c::LOOP_CHANGE_FD, Ty::Fd),
    Case(c::LOOP_SET_STATUS, Ty::Ptr(Dir::In, &Ty::Struct(&LOOP_INFO))),
    Case(c::LOOP_GET_STATUS, Ty::Ptr(Dir::Out, &Ty::Struct(&LOOP_INFO))),
    Case(c::LOOP_SET_STATUS64, Ty::Ptr(Dir::In, &Ty::Struct(&LOOP_INFO64))),
    Case(c::LOOP_GET_STATUS64, Ty::Ptr(Dir::Out, &Ty::Struct(&LOOP_INFO64))),
    Case(c::LOOP_CONFIGURE, Ty::Ptr(Dir::In, &Ty::Struct(&LOOP_CONFIG))),
    Case(c::LOOP_SET_DIRECT_IO, Ty::ULong),
    Case(c::LOOP_SET_BLOCK_SIZE, Ty::ULong),
    Case(c::LOOP_CTL_ADD, Ty::Int),
    Case(c::LOOP_CTL_REMOVE, Ty::Int),
    Case(c::RTC_RD_TIME, Ty::Ptr(Dir::Out, &TIME)),
    Case(c::RTC_ALM_READ, Ty::Ptr(Dir::Out, &TIME)),
    Case(c::RTC_SET_TIME, Ty::Ptr(Dir::In, &TIME)),
    Case(c::RTC_ALM_SET, Ty::Ptr(Dir::In, &TIME)),
    Case(c::RTC_IRQP_SET, Ty::ULong),
    Case(c::RTC_EPOCH_SET, Ty::ULong),
    Case(c::RTC_IRQP_READ, GET_LONG),
    Case(c::RTC_EPOCH_READ, GET_LONG),
    Case(c::RTC_WKALM_RD, Ty::Ptr(Dir::Out, &Ty::Struct(&RTC_WAKE))),
    Case(c::RTC_WKALM_SET, Ty::Ptr(Dir::In, &Ty::Struct(&RTC_WAKE))),
    Case(c::RTC_PLL_GET, Ty::Ptr(Dir::Out, &Ty::Struct(&RTC_PLL))),
    Case(c::RTC_PLL_SET, Ty::Ptr(Dir::In, &Ty::Struct(&RTC_PLL))),
    Case(c::RTC_VL_READ, Ty::Array(Dir::Out, &Ty::Flags(&RTC_VL), Len::Fixed(1))),
    Case(c::RTC_PARAM_GET, Ty::Custom(Irregular::RtcParam, &Ty::Turn(&RTC_PARAM_IN, &RTC_PARAM_OUT))),
    Case(c::RTC_PARAM_SET, Ty::Ptr(Dir::In, &Ty::Struct(&RTC_PARAM))),
    Case(c::WDIOC_GETSUPPORT, Ty::Ptr(Dir::Out, &Ty::Struct(&WATCHDOG))),
    Case(c::WDIOC_GETSTATUS, GET_INT),
    Case(c::WDIOC_GETBOOTSTATUS, GET_INT),
    Case(c::WDIOC_GETTEMP, GET_INT),
    Case(c::WDIOC_GETTIMEOUT, GET_INT),
    Case(c::WDIOC_GETPRETIMEOUT, GET_INT),
    Case(c::WDIOC_GETTIMELEFT, GET_INT),
    Case(c::WDIOC_SETTIMEOUT, Ty::Custom(Irregular::Change, &Ty::Array(Dir::InOut, &Ty::Int, Len::Fixed(1)))),
    Case(c::WDIOC_SETPRETIMEOUT, SET_INT),
    Case(c::WDIOC_SETOPTIONS, Ty::Array(Dir::In, &Ty::Flags(&WATCHDOG_SET), Len::Fixed(1))),
    Case(c::NS_GET_OWNER_UID, Ty::Array(Dir::Out, &Ty::Uid, Len::Fixed(1))),
    Case(c::NS_GET_ID, Ty::Array(Dir::Out, &HEX64, Len::Fixed(1))),
    Case(c::NS_GET_MNTNS_ID, Ty::Array(Dir::Out, &HEX64, Len::Fixed(1))),
    Case(c::NS_GET_PID_FROM_PIDNS, Ty::Int),
    Case(c::NS_GET_TGID_FROM_PIDNS, Ty::Int),
    Case(c::NS_GET_PID_IN_PIDNS, Ty::Pid(PidKind::Tid)),
    Case(c::NS_GET_TGID_IN_PIDNS, Ty::Pid(PidKind::Tgid)),
    Case(c::NS_MNT_GET_INFO, Ty::Ptr(Dir::Out, &Ty::Struct(&MNT_NS))),
    Case(c::NS_MNT_GET_NEXT, Ty::Ptr(Dir::Out, &Ty::Struct(&MNT_NS))),
    Case(c::NS_MNT_GET_PREV, Ty::Ptr(Dir::Out, &Ty::Struct(&MNT_NS))),
    Case(c::MTDFILEMODE, Ty::As(Width::W4, &Ty::Enum(&MTD_FILE_MODES))),
    Case(c::OTPSELECT, Ty::Array(Dir::In, &Ty::Enum(&MTD_OTP), Len::Fixed(1))),
    Case(c::MEMGETBADBLOCK, SET_BLOCK),
    Case(c::MEMSETBADBLOCK, SET_BLOCK),
    Case(c::MEMGETREGIONINFO, Ty::Exchange(&MTD_REGION)),
    Case(c::MEMGETREGIONCOUNT, GET_INT),
    Case(c::OTPGETREGIONCOUNT, GET_INT),
    Case(c::OTPGETREGIONINFO, Ty::Ptr(Dir::Out, &Ty::Struct(&MTD_OTP_INFO))),
    Case(c::OTPLOCK, Ty::Ptr(Dir::In, &Ty::Struct(&MTD_OTP_INFO))),
    Case(c::MEMERASE, Ty::Ptr(Dir::In, &Ty::Struct(&MTD_ERASE))),
    Case(c::MEMLOCK, Ty::Ptr(Dir::In, &Ty::Struct(&MTD_ERASE))),
    Case(c::MEMUNLOCK, Ty::Ptr(Dir::In, &Ty::Struct(&MTD_ERASE))),
    Case(c::MEMISLOCKED, Ty::Ptr(Dir::In, &Ty::Struct(&MTD_ERASE))),
    Case(c::MEMERASE64, Ty::Ptr(Dir::In, &Ty::Struct(&MTD_ERASE64))),
    Case(c::MEMREADOOB, Ty::Exchange(&MTD_OOB)),
    Case(c::MEMWRITEOOB, Ty::Exchange(&MTD_OOB)),
    Case(c::MEMREADOOB64, Ty::Exchange(&MTD_OOB64)),
    Case(c::MEMWRITEOOB64, Ty::Exchange(&MTD_OOB64)),
    Case(c::MEMWRITE, Ty::Ptr(Dir::In, &Ty::Struct(&MTD_WRITE))),
    Case(c::MEMGETINFO, Ty::Ptr(Dir::Out, &Ty::Struct(&MTD_INFO))),
    Case(c::ECCGETSTATS, Ty::Ptr(Dir::Out, &Ty::Struct(&MTD_ECC_STATS))),
    Case(c::ECCGETLAYOUT, Ty::Ptr(Dir::Out, &Ty::Struct(&MTD_LAYOUT))),
    Case(c::MEMGETOOBSEL, Ty::Ptr(Dir::Out, &Ty::Struct(&MTD_OOB_INFO))),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[
    c::LOOP_CLR_FD,
    c::LOOP_SET_CAPACITY,
    c::LOOP_CTL_GET_FREE,
    c::RTC_AIE_OFF,
    c::RTC_AIE_ON,
    c::RTC_PIE_OFF,
    c::RTC_PIE_ON,
    c::RTC_UIE_OFF,
    c::RTC_UIE_ON,
    c::RTC_WIE_OFF,
    c::RTC_WIE_ON,
    c::RTC_VL_CLR,
    c::WDIOC_KEEPALIVE,
    c::NS_GET_USERNS,
    c::NS_GET_PARENT,
    c::NS_GET_NSTYPE,
];
