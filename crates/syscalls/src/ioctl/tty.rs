//! Requests of terminals, and those that every descriptor takes (ioctl_tty(2)).

use crate::uapi::consts as c;
use crate::{Case, Dir, Irregular, Len, PidKind, Ty, sets, structs};

sets! {
    /// asm-generic/termbits-common.h, asm-generic/termbits.h
    pub IFLAG "" {
        IGNBRK, BRKINT, IGNPAR, PARMRK, INPCK, ISTRIP, INLCR, IGNCR, ICRNL, IUCLC, IXON, IXANY, IXOFF, IMAXBEL, IUTF8
    }
    /// Output modes begin with the delays, which are fields: asm-generic/termbits.h
    pub OFLAG "" {
        NL0 = 0 in 0x100, NL1 = 0x100 in 0x100, CR0 = 0 in 0x600, CR1 = 0x200 in 0x600, CR2 = 0x400 in 0x600,
        CR3 = 0x600 in 0x600, TAB0 = 0 in 0x1800, TAB1 = 0x800 in 0x1800, TAB2 = 0x1000 in 0x1800,
        XTABS = 0x1800 in 0x1800, BS0 = 0 in 0x2000, BS1 = 0x2000 in 0x2000, VT0 = 0 in 0x4000, VT1 = 0x4000 in 0x4000,
        FF0 = 0 in 0x8000, FF1 = 0x8000 in 0x8000, OPOST, OLCUC, ONLCR, OCRNL, ONOCR, ONLRET, OFILL, OFDEL
    }
    /// Control modes begin with the speeds, output then input: asm-generic/termbits.h
    pub CFLAG "" {
        B0 = 0 in 0x100f, B50 = 1 in 0x100f, B75 = 2 in 0x100f, B110 = 3 in 0x100f, B134 = 4 in 0x100f, B150 = 5
        in 0x100f, B200 = 6 in 0x100f, B300 = 7 in 0x100f, B600 = 8 in 0x100f, B1200 = 9 in 0x100f, B1800 = 0xa
        in 0x100f, B2400 = 0xb in 0x100f, B4800 = 0xc in 0x100f, B9600 = 0xd in 0x100f, B19200 = 0xe in 0x100f,
        B38400 = 0xf in 0x100f, BOTHER = 0x1000 in 0x100f, B57600 = 0x1001 in 0x100f, B115200 = 0x1002 in
        0x100f, B230400 = 0x1003 in 0x100f, B460800 = 0x1004 in 0x100f, B500000 = 0x1005 in 0x100f, B576000 =
        0x1006 in 0x100f, B921600 = 0x1007 in 0x100f, B1000000 = 0x1008 in 0x100f, B1152000 = 0x1009 in 0x100f,
        B1500000 = 0x100a in 0x100f, B2000000 = 0x100b in 0x100f, B2500000 = 0x100c in 0x100f, B3000000 = 0x100d
        in 0x100f, B3500000 = 0x100e in 0x100f, B4000000 = 0x100f in 0x100f, "B50<<IBSHIFT" = 0x10000 in
        0x100f_0000, "B75<<IBSHIFT" = 0x20000 in 0x100f_0000, "B110<<IBSHIFT" = 0x30000 in 0x100f_0000,
        "B134<<IBSHIFT" = 0x40000 in 0x100f_0000, "B150<<IBSHIFT" = 0x50000 in 0x100f_0000, "B200<<IBSHIFT" =
        0x60000 in 0x100f_0000, "B300<<IBSHIFT" = 0x70000 in 0x100f_0000, "B600<<IBSHIFT" = 0x80000 in
        0x100f_0000, "B1200<<IBSHIFT" = 0x90000 in 0x100f_0000, "B1800<<IBSHIFT" = 0xa0000 in 0x100f_0000,
        "B2400<<IBSHIFT" = 0xb0000 in 0x100f_0000, "B4800<<IBSHIFT" = 0xc0000 in 0x100f_0000, "B9600<<IBSHIFT" =
        0xd0000 in 0x100f_0000, "B19200<<IBSHIFT" = 0xe0000 in 0x100f_0000, "B38400<<IBSHIFT" = 0xf0000 in
        0x100f_0000, "BOTHER<<IBSHIFT" = 0x10000000 in 0x100f_0000, "B57600<<IBSHIFT" = 0x10010000 in
        0x100f_0000, "B115200<<IBSHIFT" = 0x10020000 in 0x100f_0000, "B230400<<IBSHIFT" = 0x10030000 in
        0x100f_0000, "B460800<<IBSHIFT" = 0x10040000 in 0x100f_0000, "B500000<<IBSHIFT" = 0x10050000 in
        0x100f_0000, "B576000<<IBSHIFT" = 0x10060000 in 0x100f_0000, "B921600<<IBSHIFT" = 0x10070000 in
        0x100f_0000, "B1000000<<IBSHIFT" = 0x10080000 in 0x100f_0000, "B1152000<<IBSHIFT" = 0x10090000 in
        0x100f_0000, "B1500000<<IBSHIFT" = 0x100a0000 in 0x100f_0000, "B2000000<<IBSHIFT" = 0x100b0000 in
        0x100f_0000, "B2500000<<IBSHIFT" = 0x100c0000 in 0x100f_0000, "B3000000<<IBSHIFT" = 0x100d0000 in
        0x100f_0000, "B3500000<<IBSHIFT" = 0x100e0000 in 0x100f_0000, "B4000000<<IBSHIFT" = 0x100f0000 in
        0x100f_0000, CS5 = 0 in 0x30, CS6 = 0x10 in 0x30, CS7 = 0x20 in 0x30, CS8 = 0x30 in 0x30, CSTOPB, CREAD,
        PARENB, PARODD, HUPCL, CLOCAL, CMSPAR, CRTSCTS
    }
    /// asm-generic/termbits.h
    pub LFLAG "" {
        ISIG, ICANON, XCASE, ECHO, ECHOE, ECHOK, ECHONL, NOFLSH, IEXTEN, ECHOCTL, ECHOPRT, ECHOKE, FLUSHO, PENDIN, TOSTOP,
        EXTPROC
    }
    /// Line disciplines: linux/tty.h
    pub LINE_DISCIPLINE "N_???" {
        N_TTY, N_SLIP, N_MOUSE, N_PPP, N_STRIP, N_AX25, N_X25, N_6PACK, N_MASC, N_R3964, N_PROFIBUS_FDL, N_IRDA, N_SMSBLOCK,
        N_HDLC, N_SYNC_PPP, N_HCI, N_GIGASET_M101, N_SLCAN, N_PPS, N_V253, N_CAIF, N_GSM0710, N_TI_WL, N_TRACESINK,
        N_TRACEROUTER, N_NCI, N_SPEAKUP, N_NULL, N_MCTP, N_DEVELOPMENT, N_CAN327
    }
    /// Modem lines: asm-generic/termios.h
    pub MODEM "TIOCM_???" {
        TIOCM_LE, TIOCM_DTR, TIOCM_RTS, TIOCM_ST, TIOCM_SR, TIOCM_CTS, TIOCM_CAR, TIOCM_RNG, TIOCM_DSR, TIOCM_OUT1,
        TIOCM_OUT2, TIOCM_LOOP
    }
    /// asm-generic/termbits-common.h
    pub FLOW "TC???" { TCOOFF, TCOON, TCIOFF, TCION }
    /// asm-generic/termbits-common.h
    pub FLUSH "TC???" { TCIFLUSH, TCOFLUSH, TCIOFLUSH }
}

const LINE: Ty = Ty::Enum(&LINE_DISCIPLINE);
const CHARACTERS: Ty = Ty::Custom(Irregular::ControlChars, &Ty::Blob(0));

structs! {
    /// asm-generic/termbits.h
    pub TERMIOS = termios {
        c_iflag: Ty::Flags(&IFLAG), c_oflag: Ty::Flags(&OFLAG), c_cflag: Ty::Flags(&CFLAG), c_lflag: Ty::Flags(&LFLAG),
        [v] c_line: LINE, [v] c_cc: CHARACTERS
    }
    /// asm-generic/termbits.h
    pub TERMIOS2 = termios2 {
        c_iflag: Ty::Flags(&IFLAG), c_oflag: Ty::Flags(&OFLAG), c_cflag: Ty::Flags(&CFLAG), c_lflag: Ty::Flags(&LFLAG),
        [v] c_line: LINE, [v] c_cc: CHARACTERS, [v] c_ispeed: Ty::UInt, [v] c_ospeed: Ty::UInt
    }
    /// asm-generic/termios.h
    pub TERMIO = termio {
        c_iflag: Ty::Flags(&IFLAG), c_oflag: Ty::Flags(&OFLAG), c_cflag: Ty::Flags(&CFLAG), c_lflag: Ty::Flags(&LFLAG),
        [v] c_line: LINE, [v] c_cc: CHARACTERS
    }
    /// asm-generic/termios.h
    pub WINSIZE = winsize { ws_row: Ty::UInt, ws_col: Ty::UInt, ws_xpixel: Ty::UInt, ws_ypixel: Ty::UInt }
}

const GET_INT: Ty = Ty::Array(Dir::Out, &Ty::Int, Len::Fixed(1));
const SET_INT: Ty = Ty::Array(Dir::In, &Ty::Int, Len::Fixed(1));
const GET_GROUP: Ty = Ty::Array(Dir::Out, &Ty::Pid(PidKind::Pgid), Len::Fixed(1));
const SET_GROUP: Ty = Ty::Array(Dir::In, &Ty::Pid(PidKind::Pgid), Len::Fixed(1));
const SET_MODEM: Ty = Ty::Array(Dir::In, &Ty::Flags(&MODEM), Len::Fixed(1));

/// The requests whose argument is described, each with the type of the argument.
pub const CASES: &[Case] = &[
    Case(c::TCGETS, Ty::Ptr(Dir::Out, &Ty::Struct(&TERMIOS))),
    Case(c::TIOCGWINSZ, Ty::Ptr(Dir::Out, &Ty::Struct(&WINSIZE))),
    // Sound cards have requests of these numbers.
    Case(c::TCSETS, Ty::Custom(Irregular::OfTerminal, &Ty::Ptr(Dir::In, &Ty::Struct(&TERMIOS)))),
    Case(c::TCSETSW, Ty::Custom(Irregular::OfTerminal, &Ty::Ptr(Dir::In, &Ty::Struct(&TERMIOS)))),
    Case(c::TCSETSF, Ty::Custom(Irregular::OfTerminal, &Ty::Ptr(Dir::In, &Ty::Struct(&TERMIOS)))),
    Case(c::TIOCGPGRP, GET_GROUP),
    Case(c::TIOCSPGRP, SET_GROUP),
    Case(c::FIONREAD, GET_INT),
    Case(c::FIONBIO, SET_INT),
    Case(c::FIOASYNC, SET_INT),
    Case(c::TCGETS2, Ty::Ptr(Dir::Out, &Ty::Struct(&TERMIOS2))),
    Case(c::TCSETS2, Ty::Ptr(Dir::In, &Ty::Struct(&TERMIOS2))),
    Case(c::TCSETSW2, Ty::Ptr(Dir::In, &Ty::Struct(&TERMIOS2))),
    Case(c::TCSETSF2, Ty::Ptr(Dir::In, &Ty::Struct(&TERMIOS2))),
    Case(c::TCGETA, Ty::Ptr(Dir::Out, &Ty::Struct(&TERMIO))),
    Case(c::TCSETA, Ty::Ptr(Dir::In, &Ty::Struct(&TERMIO))),
    Case(c::TCSETAW, Ty::Ptr(Dir::In, &Ty::Struct(&TERMIO))),
    Case(c::TCSETAF, Ty::Ptr(Dir::In, &Ty::Struct(&TERMIO))),
    Case(c::TIOCGLCKTRMIOS, Ty::Ptr(Dir::Out, &Ty::Struct(&TERMIOS))),
    Case(c::TIOCSLCKTRMIOS, Ty::Ptr(Dir::In, &Ty::Struct(&TERMIOS))),
    Case(c::TIOCSWINSZ, Ty::Ptr(Dir::In, &Ty::Struct(&WINSIZE))),
    Case(c::TCXONC, Ty::Enum(&FLOW)),
    Case(c::TCFLSH, Ty::Enum(&FLUSH)),
    Case(c::TCSBRK, Ty::Int),
    Case(c::TCSBRKP, Ty::Int),
    Case(c::TIOCSCTTY, Ty::Int),
    Case(c::TIOCGSID, Ty::Array(Dir::Out, &Ty::Pid(PidKind::Sid), Len::Fixed(1))),
    Case(c::TIOCGETD, GET_INT),
    Case(c::TIOCSETD, SET_INT),
    Case(c::TIOCMGET, Ty::Array(Dir::Out, &Ty::Flags(&MODEM), Len::Fixed(1))),
    Case(c::TIOCMBIS, SET_MODEM),
    Case(c::TIOCMBIC, SET_MODEM),
    Case(c::TIOCMSET, SET_MODEM),
    Case(c::TIOCOUTQ, GET_INT),
    Case(c::TIOCGSOFTCAR, GET_INT),
    Case(c::TIOCSSOFTCAR, SET_INT),
    Case(c::TIOCPKT, SET_INT),
    Case(c::TIOCGPTN, GET_INT),
    Case(c::TIOCSPTLCK, SET_INT),
    Case(c::TIOCGEXCL, GET_INT),
    Case(c::TIOCGDEV, Ty::Array(Dir::Out, &Ty::UInt, Len::Fixed(1))),
    Case(c::TIOCSTI, Ty::Bytes(Dir::In, Len::Fixed(1))),
];

/// Requests that take no argument.
pub const BARE: &[u64] = &[
    c::FIOCLEX,
    c::FIONCLEX,
    c::TIOCEXCL,
    c::TIOCNXCL,
    c::TIOCCBRK,
    c::TIOCSBRK,
    c::TIOCCONS,
    c::TIOCNOTTY,
    c::TIOCVHANGUP,
];
