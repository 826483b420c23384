//! Requests of the device mapper: linux/dm-ioctl.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, Ty, sets, structs};

sets! {
    pub FLAGS "DM_???" {
        DM_READONLY_FLAG, DM_SUSPEND_FLAG, DM_EXISTS_FLAG = 4, DM_PERSISTENT_DEV_FLAG, DM_STATUS_TABLE_FLAG,
        DM_ACTIVE_PRESENT_FLAG, DM_INACTIVE_PRESENT_FLAG, DM_BUFFER_FULL_FLAG, DM_SKIP_BDGET_FLAG, DM_SKIP_LOCKFS_FLAG,
        DM_NOFLUSH_FLAG, DM_QUERY_INACTIVE_TABLE_FLAG, DM_UEVENT_GENERATED_FLAG, DM_UUID_FLAG, DM_SECURE_DATA_FLAG,
        DM_DATA_OUT_FLAG, DM_DEFERRED_REMOVE, DM_INTERNAL_SUSPEND_FLAG, DM_IMA_MEASUREMENT_FLAG
    }
}

structs! {
    /// The head of each request. Which members have a meaning depends on the request.
    pub HEAD = dm_ioctl {
        version: Ty::Items(&Ty::UInt), data_size: Ty::UInt, data_start: Ty::UInt, dev: Ty::NonZero(&Ty::Dev), name: Ty::CStr,
        uuid: Ty::CStr, target_count: Ty::UInt, open_count: Ty::Int, event_nr: Ty::UInt, flags: Ty::Flags(&FLAGS)
    }
    /// A target, which is followed by a string.
    pub TARGET = dm_target_spec { sector_start: Ty::U64, length: Ty::U64, target_type: Ty::CStr }
    /// The same in the answer.
    pub TARGET_STATUS = dm_target_spec { sector_start: Ty::U64, length: Ty::U64, status: Ty::Int, target_type: Ty::CStr }
    pub MESSAGE = dm_target_msg { sector: Ty::U64 }
}

/// dmsetup(8) gives this much room for answers.
const ROOM: usize = 16 << 10;
const REQUEST: Ty = Ty::Custom(Irregular::MapperRequest, &Ty::Buffer(Dir::InOut, Len::Fixed(ROOM), ROOM as u32));

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::DM_VERSION, REQUEST),
    Case(c::DM_REMOVE_ALL, REQUEST),
    Case(c::DM_LIST_DEVICES, REQUEST),
    Case(c::DM_DEV_CREATE, REQUEST),
    Case(c::DM_DEV_REMOVE, REQUEST),
    Case(c::DM_DEV_RENAME, REQUEST),
    Case(c::DM_DEV_SUSPEND, REQUEST),
    Case(c::DM_DEV_STATUS, REQUEST),
    Case(c::DM_DEV_WAIT, REQUEST),
    Case(c::DM_TABLE_LOAD, REQUEST),
    Case(c::DM_TABLE_CLEAR, REQUEST),
    Case(c::DM_TABLE_DEPS, REQUEST),
    Case(c::DM_TABLE_STATUS, REQUEST),
    Case(c::DM_LIST_VERSIONS, REQUEST),
    Case(c::DM_TARGET_MSG, REQUEST),
    Case(c::DM_DEV_SET_GEOMETRY, REQUEST),
    Case(c::DM_DEV_ARM_POLL, REQUEST),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[c::DM_MPATH_PROBE_PATHS];
