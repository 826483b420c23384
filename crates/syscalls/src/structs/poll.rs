//! The structs of the events that poll(2), select(2) and epoll(7) wait for.

use crate::sets::poll::*;
use crate::{Dir, Len, Ty, Width, structs};

structs! {
    /// poll(2): asm-generic/poll.h
    pub POLLFD = pollfd { fd: Ty::Fd, events: Ty::Flags(&POLL), revents: Ty::Flags(&POLL) }
    /// epoll_ctl(2): linux/eventpoll.h
    pub EPOLL_EVENT = epoll_event { events: Ty::Flags(&EPOLL_EVENTS), data: Ty::As(Width::W8, &Ty::HexLong) }
    /// pselect6(2)'s sixth argument holds two; io_pgetevents(2) names the struct
    pub PSELECT_MASK = __aio_sigset { sigmask: Ty::SigSet(Dir::In, Len::Of("sigsetsize")), sigsetsize: Ty::ULong }
}
