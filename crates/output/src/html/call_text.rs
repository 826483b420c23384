//! Texts of the calls that the page shows.

use super::legible::{cut, legible};
use crate::{Brief, Style};
use std::rc::Rc;
use stride_decode::{Decoder, FdInfo, Options, Part, PidInfo, World};
use stride_event::{Call, Descriptor, FdOf, Tid};
use stride_syscalls::{Namespace, PidKind};
use stride_track::Tracker;

/// The longest text of a call, and the longest name of a descriptor in one.
const TEXT: usize = 240;
const NAME: usize = 80;

pub struct CallText {
    decoder: Decoder,
    brief: Brief,
    options: Options,
    world: Box<dyn World>,
    /// True if the tracker names descriptors. With `-y` the world does.
    followed: bool,
}

impl CallText {
    pub fn new(style: Style, options: Options, world: Box<dyn World>) -> CallText {
        let followed = !options.fds;
        let options = Options { fds: true, ..options };
        CallText { decoder: Decoder::default(), brief: Brief::new(style), options, world, followed }
    }

    pub fn of(&mut self, call: &Call, part: Part, tracker: &Tracker) -> Rc<str> {
        let followed = Followed { tracker, world: &*self.world };
        let world = if self.followed { &followed as &dyn World } else { &*self.world };
        let decoded = self.decoder.decode(call, part, &self.options, world);
        cut(&self.brief.call(&decoded), TEXT).into()
    }
}

/// The world, with the tracker's names for descriptors.
struct Followed<'a> {
    tracker: &'a Tracker,
    world: &'a dyn World,
}

impl World for Followed<'_> {
    fn fd(&self, of: FdOf, _: Option<&Descriptor>) -> Option<FdInfo> {
        // The directory of relative paths is rarely worth the room.
        let object = self.tracker.referent(of).object().filter(|_| of.fd >= 0)?;
        Some(FdInfo { path: Vec::new(), detail: legible(self.tracker.name(object), NAME), deleted: false })
    }

    fn path(&self, tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<Vec<u8>> {
        self.world.path(tid, fd, known)
    }

    fn is_terminal(&self, tid: Tid, fd: i32) -> bool {
        self.world.is_terminal(tid, fd)
    }

    fn pidfd(&self, tid: Tid, fd: i32, known: Option<&Descriptor>) -> Option<Tid> {
        self.world.pidfd(tid, fd, known)
    }

    fn netlink_protocol(&self, tid: Tid, fd: i32) -> Option<u32> {
        self.world.netlink_protocol(tid, fd)
    }

    fn interface(&self, index: u32) -> Option<Vec<u8>> {
        self.world.interface(index)
    }

    fn generic_family(&self, id: u16) -> Option<Vec<u8>> {
        self.world.generic_family(id)
    }

    fn met_generic_family(&self, id: u16, name: &[u8]) {
        self.world.met_generic_family(id, name);
    }

    fn pid(&self, tid: Tid, id: i32, kind: PidKind) -> PidInfo {
        self.world.pid(tid, id, kind)
    }

    fn process(&self, tid: Tid, id: i32) -> Option<Tid> {
        self.world.process(tid, id)
    }

    fn namespace(&self, tid: Tid, kind: Namespace) -> Option<u64> {
        self.world.namespace(tid, kind)
    }

    fn comm(&self, tid: Tid) -> Option<Vec<u8>> {
        self.world.comm(tid)
    }
}
