//! Extended attributes.

use crate::sets;

sets! {
    /// setxattr(2): linux/xattr.h
    pub XATTR_FLAGS "XATTR_???" { XATTR_CREATE, XATTR_REPLACE }
    /// setxattrat(2) and its kin: linux/fcntl.h
    pub XATTR_AT_FLAGS "AT_???" { AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH }
}
