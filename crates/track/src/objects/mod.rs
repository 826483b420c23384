//! Objects: the files, sockets and paths that calls can be about. Each object is stored once.

pub(crate) mod address;
pub(crate) mod names;
mod network;

use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::sync::Arc;
use stride_event::Tid;

/// A file, socket or the like, identified by its name, or a pipe or the like that has none. Ids count from zero in the order of
/// appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct ObjectId(u32);

impl ObjectId {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// True if the object is known after its event, too ([`crate::Tracker::passing_paths`]).
    pub fn lasts(self) -> bool {
        self.passing_place().is_none()
    }

    /// The place among the paths that pass, if it is one of them.
    fn passing_place(self) -> Option<usize> {
        let place = (u32::MAX - self.0) as usize;
        (place < PASSING).then_some(place)
    }

    /// The inverse of [`ObjectId::index`].
    pub fn of_index(index: usize) -> ObjectId {
        ObjectId(index as u32)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// Something with a path, whether it exists or not.
    Path,
    Pipe,
    Socket,
    /// A kernel object with neither a path nor a peer: an epoll instance, a timer.
    Anonymous,
    /// All objects beyond the limit.
    Others,
}

impl ObjectKind {
    /// The word for the kind, as `fd.kind` of `--where` has it.
    pub fn word(self) -> &'static str {
        match self {
            ObjectKind::Path => "file",
            ObjectKind::Pipe => "pipe",
            ObjectKind::Socket => "socket",
            ObjectKind::Anonymous | ObjectKind::Others => "other",
        }
    }
}

struct Object {
    name: Arc<[u8]>,
    kind: ObjectKind,
    identity: Identity,
}

/// The property by which an object differs from others.
#[derive(Clone, Copy)]
enum Identity {
    /// Its name.
    Named,
    /// A name with a number that the kernel picked, such as a client's port. The object here represents all of these.
    ByChance(ObjectId),
    /// Only its id: it has the name of its class. The object here represents all of the class.
    Nameless(ObjectId),
    /// It represents nameless objects, and those beyond the limit.
    Class,
}

/// The first descriptors of a nameless object, and the process in which they were seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoundAt {
    pub pid: Tid,
    pub fd: i32,
    /// The other end of a pipe or of a socket pair.
    pub other: Option<i32>,
}

/// Hostile or very long runs must not take all memory: all names beyond this many are one object.
const MAX_OBJECTS: usize = 1 << 20;
const MAX_BYTES: usize = if cfg!(test) { 1 << 20 } else { 192 << 20 };
/// Relative names can make working directories longer and longer, and each call would copy and look up that much.
/// Longer names count as others. The kernel takes no path beyond 4096 bytes.
const LONGEST: usize = 1 << 13;
const OTHERS: ObjectId = ObjectId(0);
/// The paths of a call. Where paths pass, these have the highest ids.
const PASSING: usize = 2;
/// Views that count by object have entries for each, so nameless objects beyond this many are counted together by class.
const MAX_NAMELESS: usize = 1 << 16;

pub struct Objects {
    /// Tracees make up the keys, so the hash is one that they cannot predict.
    by_name: HashMap<Arc<[u8]>, ObjectId, ahash::RandomState>,
    all: Vec<Object>,
    found_at: FxHashMap<ObjectId, FoundAt>,
    bytes: usize,
    /// Paths pass, unless they are kept.
    pub passes: bool,
    /// The paths of the latest call that are not kept.
    passing: [Vec<u8>; PASSING],
}

impl Default for Objects {
    fn default() -> Objects {
        let name: Arc<[u8]> = Arc::from(&b"(others)"[..]);
        let others = Object { name, kind: ObjectKind::Others, identity: Identity::Named };
        let (by_name, found_at, passing) = Default::default();
        Objects { by_name, all: vec![others], found_at, bytes: 0, passes: false, passing }
    }
}

impl Objects {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// From here on these objects are a copy of others, which [`Objects::add_copy`] adds.
    pub fn begin_copy(&mut self) {
        self.all.clear();
    }

    pub fn add_copy(&mut self, name: Arc<[u8]>, kind: ObjectKind) {
        self.all.push(Object { name, kind, identity: Identity::Named });
    }

    pub fn intern(&mut self, name: &[u8], kind: ObjectKind) -> ObjectId {
        self.intern_as(name, kind, Identity::Named)
    }

    /// A path of the latest call, the first or the second. It is known until the next call has one, unless it is [kept](Objects::kept).
    pub fn path(&mut self, place: usize, name: &[u8]) -> ObjectId {
        if !self.passes || name.len() > LONGEST {
            return self.intern(name, ObjectKind::Path);
        }
        self.set_passing(place, name);
        ObjectId(u32::MAX - place as u32)
    }

    /// The same object, which is known from here on.
    pub fn kept(&mut self, id: ObjectId) -> ObjectId {
        let Some(place) = id.passing_place() else { return id };
        let name = std::mem::take(&mut self.passing[place]);
        let kept = self.intern(&name, ObjectKind::Path);
        self.passing[place] = name;
        kept
    }

    /// The place and the name of a path that passes.
    pub fn passing(&self, id: ObjectId) -> Option<(usize, &[u8])> {
        id.passing_place().map(|place| (place, &self.passing[place][..]))
    }

    pub fn set_passing(&mut self, place: usize, name: &[u8]) {
        self.passing[place].clear();
        self.passing[place].extend_from_slice(name);
    }

    /// One of many that differ only in a number that the kernel picked, such as a client's port. `group` represents them all.
    pub fn intern_in(&mut self, name: &[u8], kind: ObjectKind, group: ObjectId) -> ObjectId {
        self.intern_as(name, kind, Identity::ByChance(group))
    }

    /// The object that represents all nameless ones of a class: "pipe", "epoll".
    pub fn class(&mut self, name: &[u8], kind: ObjectKind) -> ObjectId {
        self.intern_as(name, kind, Identity::Class)
    }

    fn intern_as(&mut self, name: &[u8], kind: ObjectKind, identity: Identity) -> ObjectId {
        let group = if let Identity::ByChance(group) = identity { group } else { OTHERS };
        if name.len() > LONGEST {
            return group;
        }
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        if self.all.len() >= MAX_OBJECTS || self.bytes >= MAX_BYTES {
            return group;
        }
        let id = ObjectId(self.all.len() as u32);
        let name: Arc<[u8]> = Arc::from(name);
        self.bytes += name.len() + 96;
        self.by_name.insert(name.clone(), id);
        self.all.push(Object { name, kind, identity });
        id
    }

    /// A new object of a class. An object that has a name of its own is returned as it is.
    pub fn one_of(&mut self, class: ObjectId, at: FoundAt) -> ObjectId {
        let Some(Object { name, kind, identity: Identity::Class }) = self.all.get(class.index()) else { return class };
        if self.found_at.len() >= MAX_NAMELESS || self.all.len() >= MAX_OBJECTS {
            return class;
        }
        let one = Object { name: name.clone(), kind: *kind, identity: Identity::Nameless(class) };
        let id = ObjectId(self.all.len() as u32);
        self.all.push(one);
        self.found_at.insert(id, at);
        id
    }

    pub fn name(&self, id: ObjectId) -> &[u8] {
        match self.all.get(id.index()) {
            Some(object) => &object.name,
            None => self.passing(id).map_or(&[], |(_, name)| name),
        }
    }

    /// The name, to be kept elsewhere.
    pub fn shared_name(&self, id: ObjectId) -> Arc<[u8]> {
        self.all.get(id.index()).map_or_else(|| self.name(id).into(), |object| object.name.clone())
    }

    pub fn kind(&self, id: ObjectId) -> ObjectKind {
        self.all.get(id.index()).map_or(ObjectKind::Path, |object| object.kind)
    }

    /// A path that passes has a name, as kept ones have.
    fn identity(&self, id: ObjectId) -> Identity {
        self.all.get(id.index()).map_or(Identity::Named, |object| object.identity)
    }

    /// The object that represents it where only names matter.
    pub fn group(&self, id: ObjectId) -> ObjectId {
        match self.identity(id) {
            Identity::ByChance(group) | Identity::Nameless(group) => group,
            Identity::Named | Identity::Class => id,
        }
    }

    /// The same, but each nameless object represents itself.
    pub fn apart(&self, id: ObjectId) -> ObjectId {
        match self.identity(id) {
            Identity::ByChance(group) => group,
            Identity::Nameless(_) | Identity::Named | Identity::Class => id,
        }
    }

    /// The object of its class, if it is nameless.
    pub fn class_of(&self, id: ObjectId) -> ObjectId {
        match self.identity(id) {
            Identity::Nameless(class) => class,
            Identity::ByChance(_) | Identity::Named | Identity::Class => id,
        }
    }

    /// True for an object that represents nameless ones.
    pub fn is_class(&self, id: ObjectId) -> bool {
        matches!(self.all[id.index()].identity, Identity::Class)
    }

    pub fn found_at(&self, id: ObjectId) -> Option<FoundAt> {
        self.found_at.get(&id).copied()
    }
}
