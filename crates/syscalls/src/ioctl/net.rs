//! Requests of sockets and network interfaces (netdevice(7)): linux/sockios.h, linux/if.h.

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, PidKind, Ty, sets, structs};

sets! {
    /// linux/if.h
    pub IFF "IFF_???" {
        IFF_UP, IFF_BROADCAST, IFF_DEBUG, IFF_LOOPBACK, IFF_POINTOPOINT, IFF_NOTRAILERS, IFF_RUNNING, IFF_NOARP,
        IFF_PROMISC, IFF_ALLMULTI, IFF_MASTER, IFF_SLAVE, IFF_MULTICAST, IFF_PORTSEL, IFF_AUTOMEDIA, IFF_DYNAMIC
    }
    /// Kinds of hardware: linux/if_arp.h
    pub ARPHRD "ARPHRD_???" {
        ARPHRD_NETROM, ARPHRD_ETHER, ARPHRD_EETHER, ARPHRD_AX25, ARPHRD_PRONET, ARPHRD_CHAOS, ARPHRD_IEEE802,
        ARPHRD_ARCNET, ARPHRD_APPLETLK, ARPHRD_DLCI, ARPHRD_ATM, ARPHRD_METRICOM, ARPHRD_IEEE1394, ARPHRD_EUI64,
        ARPHRD_INFINIBAND, ARPHRD_SLIP, ARPHRD_CSLIP, ARPHRD_SLIP6, ARPHRD_CSLIP6, ARPHRD_RSRVD, ARPHRD_ADAPT,
        ARPHRD_ROSE, ARPHRD_X25, ARPHRD_HWX25, ARPHRD_CAN, ARPHRD_MCTP, ARPHRD_PPP, ARPHRD_HDLC, ARPHRD_LAPB,
        ARPHRD_DDCMP, ARPHRD_RAWHDLC, ARPHRD_RAWIP, ARPHRD_TUNNEL, ARPHRD_TUNNEL6, ARPHRD_FRAD, ARPHRD_SKIP,
        ARPHRD_LOOPBACK, ARPHRD_LOCALTLK, ARPHRD_FDDI, ARPHRD_BIF, ARPHRD_SIT, ARPHRD_IPDDP, ARPHRD_IPGRE,
        ARPHRD_PIMREG, ARPHRD_HIPPI, ARPHRD_ASH, ARPHRD_ECONET, ARPHRD_IRDA, ARPHRD_FCPP, ARPHRD_FCAL,
        ARPHRD_FCPL, ARPHRD_FCFABRIC, ARPHRD_IEEE802_TR, ARPHRD_IEEE80211, ARPHRD_IEEE80211_PRISM,
        ARPHRD_IEEE80211_RADIOTAP, ARPHRD_IEEE802154, ARPHRD_IEEE802154_MONITOR, ARPHRD_PHONET,
        ARPHRD_PHONET_PIPE, ARPHRD_CAIF, ARPHRD_IP6GRE, ARPHRD_NETLINK, ARPHRD_6LOWPAN, ARPHRD_VSOCKMON,
        ARPHRD_NONE, ARPHRD_VOID
    }
}

const ADDR: Ty = Ty::Custom(Irregular::SockaddrStorage, &Ty::Blob(16));
const HARDWARE: Ty = Ty::Custom(Irregular::HardwareAddr, &Ty::Blob(16));

structs! {
    /// linux/if.h
    pub IFMAP = ifmap {
        mem_start: Ty::HexLong, mem_end: Ty::HexLong, base_addr: Ty::Hex, irq: Ty::Hex, dma: Ty::Hex, port: Ty::Hex
    }
    /// One entry of SIOCGIFCONF's answer: linux/if.h
    pub IFREQ_ADDR = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_addr = "ifr_ifru.ifru_addr": ADDR }
    /// linux/if.h
    pub IFCONF = ifconf {
        ifc_len: Ty::Int, ifc_buf = "ifc_ifcu.ifcu_buf": Ty::Buffer(Dir::Out, Len::Of("ifc_len"), 64 << 10)
    }
    /// SIOCGIFNAME goes by the index: linux/if.h
    pub GET_NAME = ifreq {
        ifr_ifindex = "ifr_ifru.ifru_ivalue": Ty::Int, ifr_name = "ifr_ifrn.ifrn_name": Ty::Reply(&Ty::CStr)
    }
    /// A bridge's port: linux/sockios.h
    pub PORT = ifreq { ifr_ifindex = "ifr_ifru.ifru_ivalue": Ty::Custom(Irregular::Ifindex, &Ty::Int) }
}

structs! {
    // Questions about an interface.
    pub GET_FLAGS = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_flags = "ifr_ifru.ifru_flags": Ty::Reply(&Ty::Flags(&IFF)) }
    pub GET_ADDR = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_addr = "ifr_ifru.ifru_addr": Ty::Reply(&ADDR) }
    pub GET_NETMASK = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_netmask = "ifr_ifru.ifru_netmask": Ty::Reply(&ADDR) }
    pub GET_BROADADDR = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_broadaddr = "ifr_ifru.ifru_broadaddr": Ty::Reply(&ADDR) }
    pub GET_DSTADDR = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_dstaddr = "ifr_ifru.ifru_dstaddr": Ty::Reply(&ADDR) }
    pub GET_HWADDR = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_hwaddr = "ifr_ifru.ifru_hwaddr": Ty::Reply(&HARDWARE) }
    pub GET_INDEX = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_ifindex = "ifr_ifru.ifru_ivalue": Ty::Reply(&Ty::Int) }
    pub GET_METRIC = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_metric = "ifr_ifru.ifru_ivalue": Ty::Reply(&Ty::Int) }
    pub GET_MTU = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_mtu = "ifr_ifru.ifru_mtu": Ty::Reply(&Ty::Int) }
    pub GET_QLEN = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_qlen = "ifr_ifru.ifru_ivalue": Ty::Reply(&Ty::Int) }
    pub GET_MAP = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_map = "ifr_ifru.ifru_map": Ty::Reply(&Ty::Struct(&IFMAP)) }
    pub GET_SLAVE = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_slave = "ifr_ifru.ifru_slave": Ty::Reply(&Ty::CStr) }
}

structs! {
    // Settings of an interface.
    pub SET_FLAGS = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_flags = "ifr_ifru.ifru_flags": Ty::Flags(&IFF) }
    pub SET_ADDR = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_addr = "ifr_ifru.ifru_addr": ADDR }
    pub SET_NETMASK = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_netmask = "ifr_ifru.ifru_netmask": ADDR }
    pub SET_BROADADDR = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_broadaddr = "ifr_ifru.ifru_broadaddr": ADDR }
    pub SET_DSTADDR = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_dstaddr = "ifr_ifru.ifru_dstaddr": ADDR }
    pub SET_HWADDR = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_hwaddr = "ifr_ifru.ifru_hwaddr": HARDWARE }
    pub SET_METRIC = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_metric = "ifr_ifru.ifru_ivalue": Ty::Int }
    pub SET_MTU = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_mtu = "ifr_ifru.ifru_mtu": Ty::Int }
    pub SET_QLEN = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_qlen = "ifr_ifru.ifru_ivalue": Ty::Int }
    pub SET_MAP = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_map = "ifr_ifru.ifru_map": Ty::Struct(&IFMAP) }
    pub SET_SLAVE = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_slave = "ifr_ifru.ifru_slave": Ty::CStr }
    pub SET_NEWNAME = ifreq { ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_newname = "ifr_ifru.ifru_newname": Ty::CStr }
}

const GET_INT: Ty = Ty::Array(Dir::Out, &Ty::Int, Len::Fixed(1));
const GET_OWNER: Ty = Ty::Array(Dir::Out, &Ty::Pid(PidKind::Tgid), Len::Fixed(1));
const SET_OWNER: Ty = Ty::Array(Dir::In, &Ty::Pid(PidKind::Tgid), Len::Fixed(1));
const NAME: Ty = Ty::Custom(Irregular::InterfaceName, &Ty::Buffer(Dir::In, Len::Fixed(16), 16));

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::SIOCGIFFLAGS, Ty::Exchange(&GET_FLAGS)),
    Case(c::SIOCGIFADDR, Ty::Exchange(&GET_ADDR)),
    Case(c::SIOCGIFINDEX, Ty::Exchange(&GET_INDEX)),
    Case(c::SIOCGIFMTU, Ty::Exchange(&GET_MTU)),
    Case(c::SIOCGIFHWADDR, Ty::Exchange(&GET_HWADDR)),
    Case(c::SIOCGIFNETMASK, Ty::Exchange(&GET_NETMASK)),
    Case(c::SIOCGIFBRDADDR, Ty::Exchange(&GET_BROADADDR)),
    Case(c::SIOCGIFDSTADDR, Ty::Exchange(&GET_DSTADDR)),
    Case(c::SIOCGIFMETRIC, Ty::Exchange(&GET_METRIC)),
    Case(c::SIOCGIFTXQLEN, Ty::Exchange(&GET_QLEN)),
    Case(c::SIOCGIFMAP, Ty::Exchange(&GET_MAP)),
    Case(c::SIOCGIFSLAVE, Ty::Exchange(&GET_SLAVE)),
    Case(c::SIOCSIFADDR, Ty::Ptr(Dir::In, &Ty::Struct(&SET_ADDR))),
    Case(c::SIOCSIFBRDADDR, Ty::Ptr(Dir::In, &Ty::Struct(&SET_BROADADDR))),
    Case(c::SIOCSIFDSTADDR, Ty::Ptr(Dir::In, &Ty::Struct(&SET_DSTADDR))),
    Case(c::SIOCSIFFLAGS, Ty::Ptr(Dir::In, &Ty::Struct(&SET_FLAGS))),
    Case(c::SIOCSIFHWADDR, Ty::Ptr(Dir::In, &Ty::Struct(&SET_HWADDR))),
    Case(c::SIOCSIFHWBROADCAST, Ty::Ptr(Dir::In, &Ty::Struct(&SET_HWADDR))),
    Case(c::SIOCADDMULTI, Ty::Ptr(Dir::In, &Ty::Struct(&SET_HWADDR))),
    Case(c::SIOCDELMULTI, Ty::Ptr(Dir::In, &Ty::Struct(&SET_HWADDR))),
    Case(c::SIOCSIFMAP, Ty::Ptr(Dir::In, &Ty::Struct(&SET_MAP))),
    Case(c::SIOCSIFMETRIC, Ty::Ptr(Dir::In, &Ty::Struct(&SET_METRIC))),
    Case(c::SIOCSIFMTU, Ty::Ptr(Dir::In, &Ty::Struct(&SET_MTU))),
    Case(c::SIOCSIFNAME, Ty::Ptr(Dir::In, &Ty::Struct(&SET_NEWNAME))),
    Case(c::SIOCSIFNETMASK, Ty::Ptr(Dir::In, &Ty::Struct(&SET_NETMASK))),
    Case(c::SIOCSIFSLAVE, Ty::Ptr(Dir::In, &Ty::Struct(&SET_SLAVE))),
    Case(c::SIOCSIFTXQLEN, Ty::Ptr(Dir::In, &Ty::Struct(&SET_QLEN))),
    Case(c::SIOCGIFCONF, Ty::Custom(Irregular::Ifconf, &Ty::Ptr(Dir::InOut, &Ty::Struct(&IFCONF)))),
    Case(c::SIOCGIFNAME, Ty::Exchange(&GET_NAME)),
    Case(c::SIOCSIFENCAP, Ty::Array(Dir::In, &Ty::Int, Len::Fixed(1))),
    Case(c::SIOCATMARK, GET_INT),
    Case(c::FIOSETOWN, SET_OWNER),
    Case(c::SIOCSPGRP, SET_OWNER),
    Case(c::FIOGETOWN, GET_OWNER),
    Case(c::SIOCGPGRP, GET_OWNER),
    Case(c::SIOCBRADDBR, NAME),
    Case(c::SIOCBRDELBR, NAME),
    Case(c::SIOCBRADDIF, Ty::Ptr(Dir::In, &Ty::Struct(&PORT))),
    Case(c::SIOCBRDELIF, Ty::Ptr(Dir::In, &Ty::Struct(&PORT))),
    Case(c::SIOCADDRT, Ty::Addr),
    Case(c::SIOCDELRT, Ty::Addr),
    Case(c::SIOCRTMSG, Ty::Addr),
    Case(c::SIOCSIFLINK, Ty::Addr),
    Case(c::SIOCGIFMEM, Ty::Addr),
    Case(c::SIOCSIFMEM, Ty::Addr),
    Case(c::SIOCGIFENCAP, Ty::Addr),
    Case(c::SIOCSIFPFLAGS, Ty::Addr),
    Case(c::SIOCGIFPFLAGS, Ty::Addr),
    Case(c::SIOCDIFADDR, Ty::Addr),
    Case(c::SIOCGIFCOUNT, Ty::Addr),
    Case(c::SIOCGIFBR, Ty::Addr),
    Case(c::SIOCSIFBR, Ty::Addr),
    Case(c::SIOCETHTOOL, Ty::Addr),
    Case(c::SIOCGMIIPHY, Ty::Addr),
    Case(c::SIOCGMIIREG, Ty::Addr),
    Case(c::SIOCSMIIREG, Ty::Addr),
    Case(c::SIOCWANDEV, Ty::Addr),
    Case(c::SIOCOUTQNSD, Ty::Addr),
    Case(c::SIOCGSKNS, Ty::Addr),
    Case(c::SIOCDARP, Ty::Addr),
    Case(c::SIOCGARP, Ty::Addr),
    Case(c::SIOCSARP, Ty::Addr),
    Case(c::SIOCDRARP, Ty::Addr),
    Case(c::SIOCGRARP, Ty::Addr),
    Case(c::SIOCSRARP, Ty::Addr),
    Case(c::SIOCADDDLCI, Ty::Addr),
    Case(c::SIOCDELDLCI, Ty::Addr),
    Case(c::SIOCGIFVLAN, Ty::Addr),
    Case(c::SIOCSIFVLAN, Ty::Addr),
    Case(c::SIOCBONDENSLAVE, Ty::Addr),
    Case(c::SIOCBONDRELEASE, Ty::Addr),
    Case(c::SIOCBONDSETHWADDR, Ty::Addr),
    Case(c::SIOCBONDSLAVEINFOQUERY, Ty::Addr),
    Case(c::SIOCBONDINFOQUERY, Ty::Addr),
    Case(c::SIOCBONDCHANGEACTIVE, Ty::Addr),
    Case(c::SIOCSHWTSTAMP, Ty::Addr),
    Case(c::SIOCGHWTSTAMP, Ty::Addr),
    Case(c::SIOCGSTAMP_OLD, Ty::Addr),
    Case(c::SIOCGSTAMPNS_OLD, Ty::Addr),
    Case(c::SIOCGSTAMP_NEW, Ty::Addr),
    Case(c::SIOCGSTAMPNS_NEW, Ty::Addr),
];
