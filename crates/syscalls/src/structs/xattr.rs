//! Extended attributes.

use crate::sets::xattr::XATTR_FLAGS;
use crate::{Dir, Irregular, Len, Ty, structs};

structs! {
    /// setxattrat(2): linux/xattr.h
    pub SETXATTR_ARGS = xattr_args {
        value: Ty::Custom(Irregular::XattrValue, &Ty::Bytes(Dir::In, Len::Of("size"))), size: Ty::UInt,
        flags: Ty::Flags(&XATTR_FLAGS)
    }
    /// getxattrat(2): the kernel fills in what `value` points at.
    pub GETXATTR_ARGS = xattr_args {
        value: Ty::Custom(Irregular::XattrValue, &Ty::Bytes(Dir::Out, Len::Ret)), size: Ty::UInt,
        flags: Ty::Flags(&XATTR_FLAGS)
    }
}
