//! Names of netlink itself: linux/netlink.h.

use crate::{Set, sets};

/// linux/genetlink.h: families of generic netlink, whose numbers the kernel gives out while it runs.
pub static GENERIC_FAMILY: Set = Set::new("GENERIC_FAMILY_???", &[], false);

sets! {
    /// linux/netlink.h
    pub NLMSG "NLMSG_???" {
        NLMSG_NOOP, NLMSG_ERROR, NLMSG_DONE, NLMSG_OVERRUN
    }
    /// linux/netlink.h: flags of every message
    pub NLM_F "NLM_F_???" {
        NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK, NLM_F_ECHO, NLM_F_DUMP_INTR, NLM_F_DUMP_FILTERED
    }
    /// linux/netlink.h: requests to read
    pub NLM_F_GET "NLM_F_???" {
        NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK, NLM_F_ECHO, NLM_F_DUMP_INTR, NLM_F_DUMP_FILTERED, NLM_F_DUMP,
        NLM_F_ROOT, NLM_F_MATCH, NLM_F_ATOMIC
    }
    /// linux/netlink.h: requests to make
    pub NLM_F_NEW "NLM_F_???" {
        NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK, NLM_F_ECHO, NLM_F_DUMP_INTR, NLM_F_DUMP_FILTERED, NLM_F_REPLACE,
        NLM_F_EXCL, NLM_F_CREATE, NLM_F_APPEND
    }
    /// linux/netlink.h: requests to delete
    pub NLM_F_DELETE "NLM_F_???" {
        NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK, NLM_F_ECHO, NLM_F_DUMP_INTR, NLM_F_DUMP_FILTERED, NLM_F_NONREC,
        NLM_F_BULK
    }
    /// linux/netlink.h: acknowledgements
    pub NLM_F_ACKED "NLM_F_???" {
        NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK, NLM_F_ECHO, NLM_F_DUMP_INTR, NLM_F_DUMP_FILTERED, NLM_F_CAPPED,
        NLM_F_ACK_TLVS
    }
    /// linux/netlink.h
    pub NLA_F "NLA_F_???" {
        NLA_F_NESTED, NLA_F_NET_BYTEORDER
    }
    /// linux/netlink.h
    pub NLMSGERR_ATTR "NLMSGERR_ATTR_???" {
        NLMSGERR_ATTR_MSG, NLMSGERR_ATTR_OFFS, NLMSGERR_ATTR_COOKIE, NLMSGERR_ATTR_POLICY,
        NLMSGERR_ATTR_MISS_TYPE, NLMSGERR_ATTR_MISS_NEST
    }
}
