//! Keys and security modules.

use crate::sets::keys::*;
use crate::{Dir, Irregular, Len, Ty, Width, structs};

const KEY: Ty = Ty::Custom(Irregular::KeySerial, &Ty::Int);
const FS: Ty = Ty::As(Width::W8, &Ty::Flags(&LANDLOCK_FS));
const NET: Ty = Ty::As(Width::W8, &Ty::Flags(&LANDLOCK_NET));
const SCOPE: Ty = Ty::As(Width::W8, &Ty::Flags(&LANDLOCK_SCOPE));
const HEX64: Ty = Ty::As(Width::W8, &Ty::HexLong);

structs! {
    /// keyctl(KEYCTL_DH_COMPUTE): linux/keyctl.h
    pub DH_PARAMS = keyctl_dh_params { private: KEY, prime: KEY, base: KEY }
    /// keyctl(KEYCTL_DH_COMPUTE): linux/keyctl.h
    pub KDF_PARAMS = keyctl_kdf_params {
        hashname: Ty::Str, otherinfo: Ty::Custom(Irregular::KeyOtherInfo, &Ty::Bytes(Dir::In, Len::Of("otherinfolen"))),
        otherinfolen: Ty::UInt, __spare: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    /// keyctl(KEYCTL_PKEY_SIGN) and its kin: linux/keyctl.h
    pub PKEY_OUT_PARAMS = keyctl_pkey_params {
        key_id: KEY, in_len: Ty::UInt, out_len: Ty::UInt, __spare: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    /// keyctl(KEYCTL_PKEY_VERIFY): linux/keyctl.h
    pub PKEY_IN_PARAMS = keyctl_pkey_params {
        key_id: KEY, in_len: Ty::UInt, in2_len: Ty::UInt, __spare: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
    /// keyctl(KEYCTL_PKEY_QUERY): linux/keyctl.h
    pub PKEY_QUERY = keyctl_pkey_query {
        supported_ops: Ty::Flags(&KEYCTL_SUPPORTS), key_size: Ty::UInt, max_data_size: Ty::UInt, max_sig_size: Ty::UInt,
        max_enc_size: Ty::UInt, max_dec_size: Ty::UInt, __spare: Ty::NonZero(&Ty::Items(&Ty::Hex))
    }
}

structs! {
    /// landlock_create_ruleset(2): linux/landlock.h
    pub LANDLOCK_RULESET = landlock_ruleset_attr {
        handled_access_fs: FS, handled_access_net: NET, scoped: SCOPE, quiet_access_fs: FS, quiet_access_net: NET,
        quiet_scoped: SCOPE
    }
    /// landlock_add_rule(2): linux/landlock.h
    pub LANDLOCK_PATH_BENEATH = landlock_path_beneath_attr { allowed_access: FS, parent_fd: Ty::Fd }
    /// landlock_add_rule(2): linux/landlock.h
    pub LANDLOCK_NET_PORT = landlock_net_port_attr { allowed_access: NET, port: Ty::U64 }
    /// A context of lsm_get_self_attr(2), before its bytes: linux/lsm.h
    pub LSM_CTX = lsm_ctx {
        id: Ty::As(Width::W8, &Ty::Enum(&LSM_CTX_ID)), flags: HEX64, len: Ty::U64, ctx_len: Ty::U64
    }
}
