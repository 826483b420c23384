//! Requests of unsorted block images: mtd/ubi-user.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, Ty, Width, sets, structs};

sets! {
    /// The time that a block's data is expected to live; kernels since 3.6 ignore the value
    pub USE "UBI_???" { UBI_LONGTERM = 1, UBI_SHORTTERM = 2, UBI_UNKNOWN = 3 }
    pub TYPES "UBI_???_VOLUME" { UBI_DYNAMIC_VOLUME, UBI_STATIC_VOLUME }
    pub FLAGS "UBI_VOL_???" { UBI_VOL_SKIP_CRC_CHECK_FLG }
    pub PROPERTIES "UBI_VOL_PROP_???" { UBI_VOL_PROP_DIRECT_WRITE }
}

const NAME: Ty = Ty::Custom(Irregular::VolumeName, &Ty::Blob(128));

structs! {
    pub ATTACH = ubi_attach_req {
        ubi_num: Ty::Int, mtd_num: Ty::Int, vid_hdr_offset: Ty::Int, max_beb_per1024: Ty::Int, disable_fm: Ty::Int,
        need_resv_pool: Ty::Int
    }
    pub MAKE = ubi_mkvol_req {
        vol_id: Ty::Int, alignment: Ty::Int, bytes: Ty::I64, vol_type: Ty::Enum(&TYPES), flags: Ty::Flags(&FLAGS),
        name_len: Ty::Int, name: NAME
    }
    pub RENAME = ubi_rnvol_req {
        count: Ty::Int, ents: Ty::Custom(Irregular::FirstOfSigned("count"), &Ty::Items(&Ty::Struct(&NEW_NAME)))
    }
    pub RESIZE = ubi_rsvol_req { bytes: Ty::I64, vol_id: Ty::Int }
    pub CHANGE = ubi_leb_change_req { lnum: Ty::Int, bytes: Ty::Int, dtype: Ty::Enum(&USE) }
    pub MAP = ubi_map_req { lnum: Ty::Int, dtype: Ty::Enum(&USE) }
    pub SET_PROPERTY = ubi_set_vol_prop_req { property: Ty::Enum(&PROPERTIES), value: Ty::As(Width::W8, &Ty::HexLong) }
    /// One volume's new name.
    pub NEW_NAME = ubi_rename_entry { vol_id: Ty::Int, name_len: Ty::Int, name: NAME }
}

const INT: Ty = Ty::Array(Dir::In, &Ty::Int, Len::Fixed(1));

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::UBI_IOCATT, Ty::Custom(Irregular::NumberReply, &Ty::Turn(&ATTACH, &ATTACH))),
    Case(c::UBI_IOCDET, INT),
    Case(c::UBI_IOCMKVOL, Ty::Custom(Irregular::NumberReply, &Ty::Turn(&MAKE, &MAKE))),
    Case(c::UBI_IOCRMVOL, INT),
    Case(c::UBI_IOCRSVOL, Ty::Ptr(Dir::In, &Ty::Struct(&RESIZE))),
    Case(c::UBI_IOCRNVOL, Ty::Ptr(Dir::In, &Ty::Struct(&RENAME))),
    Case(c::UBI_IOCRPEB, INT),
    Case(c::UBI_IOCSPEB, INT),
    Case(c::UBI_IOCVOLUP, Ty::Array(Dir::In, &Ty::I64, Len::Fixed(1))),
    Case(c::UBI_IOCEBER, INT),
    Case(c::UBI_IOCEBCH, Ty::Ptr(Dir::In, &Ty::Struct(&CHANGE))),
    Case(c::UBI_IOCEBMAP, Ty::Ptr(Dir::In, &Ty::Struct(&MAP))),
    Case(c::UBI_IOCEBUNMAP, INT),
    Case(c::UBI_IOCEBISMAP, INT),
    Case(c::UBI_IOCSETVOLPROP, Ty::Ptr(Dir::In, &Ty::Struct(&SET_PROPERTY))),
];

/// The requests whose argument has no meaning.
pub const BARE: &[u64] = &[c::UBI_IOCVOLCRBLK, c::UBI_IOCVOLRMBLK];
