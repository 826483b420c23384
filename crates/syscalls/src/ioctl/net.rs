//! Requests of sockets and network interfaces (netdevice(7)): linux/sockios.h, linux/if.h.

use crate::structs::paths::{TIMESPEC, TIMEVAL};
use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, PidKind, Ty, Width, sets, structs};

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
    /// linux/if_arp.h
    pub ARP_FLAGS "ATF_???" { ATF_COM, ATF_PERM, ATF_PUBL, ATF_USETRAILERS, ATF_NETMASK, ATF_DONTPUB }
    /// linux/route.h
    pub ROUTE_FLAGS "RTF_???" {
        RTF_UP, RTF_GATEWAY, RTF_HOST, RTF_REINSTATE, RTF_DYNAMIC, RTF_MODIFIED, RTF_MTU, RTF_WINDOW, RTF_IRTT,
        RTF_REJECT
    }
}

crate::names! {
    /// linux/ethtool.h
    pub ETHTOOL "ETHTOOL_???" {
        ETHTOOL_PHY_FAST_LINK_DOWN_OFF, ETHTOOL_PHY_EDPD_DFLT_TX_MSECS, ETHTOOL_PHY_EDPD_NO_TX, ETHTOOL_GSET,
        ETHTOOL_SSET, ETHTOOL_GDRVINFO, ETHTOOL_GREGS, ETHTOOL_GWOL, ETHTOOL_SWOL, ETHTOOL_GMSGLVL,
        ETHTOOL_SMSGLVL, ETHTOOL_NWAY_RST, ETHTOOL_GLINK, ETHTOOL_GEEPROM, ETHTOOL_SEEPROM, ETHTOOL_GCOALESCE,
        ETHTOOL_SCOALESCE, ETHTOOL_GRINGPARAM, ETHTOOL_SRINGPARAM, ETHTOOL_GPAUSEPARAM, ETHTOOL_SPAUSEPARAM,
        ETHTOOL_GRXCSUM, ETHTOOL_SRXCSUM, ETHTOOL_GTXCSUM, ETHTOOL_STXCSUM, ETHTOOL_GSG, ETHTOOL_SSG,
        ETHTOOL_TEST, ETHTOOL_GSTRINGS, ETHTOOL_PHYS_ID, ETHTOOL_GSTATS, ETHTOOL_GTSO, ETHTOOL_STSO,
        ETHTOOL_GPERMADDR, ETHTOOL_GUFO, ETHTOOL_SUFO, ETHTOOL_GGSO, ETHTOOL_SGSO, ETHTOOL_GFLAGS,
        ETHTOOL_SFLAGS, ETHTOOL_GPFLAGS, ETHTOOL_SPFLAGS, ETHTOOL_GRXFH, ETHTOOL_SRXFH, ETHTOOL_GGRO,
        ETHTOOL_SGRO, ETHTOOL_GRXRINGS, ETHTOOL_GRXCLSRLCNT, ETHTOOL_GRXCLSRULE, ETHTOOL_GRXCLSRLALL,
        ETHTOOL_SRXCLSRLDEL, ETHTOOL_SRXCLSRLINS, ETHTOOL_FLASHDEV, ETHTOOL_RESET, ETHTOOL_SRXNTUPLE,
        ETHTOOL_GRXNTUPLE, ETHTOOL_GSSET_INFO, ETHTOOL_GRXFHINDIR, ETHTOOL_SRXFHINDIR, ETHTOOL_GFEATURES,
        ETHTOOL_SFEATURES, ETHTOOL_GCHANNELS, ETHTOOL_SCHANNELS, ETHTOOL_SET_DUMP, ETHTOOL_GET_DUMP_FLAG,
        ETHTOOL_GET_DUMP_DATA, ETHTOOL_GET_TS_INFO, ETHTOOL_GMODULEINFO, ETHTOOL_GMODULEEEPROM, ETHTOOL_GEEE,
        ETHTOOL_SEEE, ETHTOOL_GRSSH, ETHTOOL_SRSSH, ETHTOOL_GTUNABLE, ETHTOOL_STUNABLE, ETHTOOL_GPHYSTATS,
        ETHTOOL_PERQUEUE, ETHTOOL_GLINKSETTINGS, ETHTOOL_SLINKSETTINGS, ETHTOOL_PHY_GTUNABLE,
        ETHTOOL_PHY_STUNABLE, ETHTOOL_GFECPARAM, ETHTOOL_SFECPARAM
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
    /// An entry of the table of neighbours: linux/if_arp.h
    pub ARP = arpreq {
        arp_pa: ADDR, arp_ha: HARDWARE, arp_flags: Ty::Flags(&ARP_FLAGS), arp_netmask: Ty::NonZero(&ADDR), arp_dev: Ty::CStr
    }
    pub ARP_ASKED = arpreq { arp_pa: ADDR, arp_dev: Ty::CStr }
    pub ARP_ANSWER = arpreq { arp_ha: HARDWARE, arp_flags: Ty::Flags(&ARP_FLAGS), arp_dev: Ty::CStr }
    /// A route: linux/route.h
    pub ROUTE = rtentry {
        rt_dst: ADDR, rt_gateway: ADDR, rt_genmask: ADDR, rt_flags: Ty::As(Width::W2, &Ty::Flags(&ROUTE_FLAGS)),
        rt_metric: Ty::As(Width::W2, &Ty::Int), rt_dev: Ty::Str, [v] rt_mtu: Ty::ULong, [v] rt_window: Ty::ULong,
        [v] rt_irtt: Ty::As(Width::W2, &Ty::UInt)
    }
    /// Each struct of ethtool begins with its command, and the rest of it goes by that.
    pub ETHTOOL_HEAD = ethtool_value { cmd: Ty::Enum(&ETHTOOL), [v] data: Ty::Hex }
    pub ETHTOOL_REQUEST = ifreq {
        ifr_name = "ifr_ifrn.ifrn_name": Ty::CStr, ifr_data = "ifr_ifru.ifru_data": Ty::Ptr(Dir::In, &Ty::Struct(&ETHTOOL_HEAD))
    }
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
    Case(c::SIOCADDRT, Ty::Ptr(Dir::In, &Ty::Struct(&ROUTE))),
    Case(c::SIOCDELRT, Ty::Ptr(Dir::In, &Ty::Struct(&ROUTE))),
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
    Case(c::SIOCETHTOOL, Ty::Ptr(Dir::In, &Ty::Struct(&ETHTOOL_REQUEST))),
    Case(c::SIOCGMIIPHY, Ty::Addr),
    Case(c::SIOCGMIIREG, Ty::Addr),
    Case(c::SIOCSMIIREG, Ty::Addr),
    Case(c::SIOCWANDEV, Ty::Addr),
    Case(c::SIOCOUTQNSD, GET_INT),
    Case(c::SIOCGSKNS, Ty::Addr),
    Case(c::SIOCDARP, Ty::Ptr(Dir::In, &Ty::Struct(&ARP))),
    Case(c::SIOCGARP, Ty::Turn(&ARP_ASKED, &ARP_ANSWER)),
    Case(c::SIOCSARP, Ty::Ptr(Dir::In, &Ty::Struct(&ARP))),
    Case(c::SIOCDRARP, Ty::Addr),
    Case(c::SIOCGRARP, Ty::Addr),
    Case(c::SIOCSRARP, Ty::Addr),
    Case(c::SIOCADDDLCI, Ty::Addr),
    Case(c::SIOCDELDLCI, Ty::Addr),
    Case(c::SIOCBONDENSLAVE, Ty::Addr),
    Case(c::SIOCBONDRELEASE, Ty::Addr),
    Case(c::SIOCBONDSETHWADDR, Ty::Addr),
    Case(c::SIOCBONDSLAVEINFOQUERY, Ty::Addr),
    Case(c::SIOCBONDINFOQUERY, Ty::Addr),
    Case(c::SIOCBONDCHANGEACTIVE, Ty::Addr),
    Case(c::SIOCSHWTSTAMP, Ty::Addr),
    Case(c::SIOCGHWTSTAMP, Ty::Addr),
    Case(c::SIOCGSTAMP_OLD, Ty::Ptr(Dir::Out, &Ty::Struct(&TIMEVAL))),
    Case(c::SIOCGSTAMPNS_OLD, Ty::Ptr(Dir::Out, &Ty::Struct(&TIMESPEC))),
    Case(c::SIOCGSTAMP_NEW, Ty::Addr),
    Case(c::SIOCGSTAMPNS_NEW, Ty::Addr),
];
