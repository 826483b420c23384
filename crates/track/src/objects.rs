//! Objects: the files, sockets and paths that calls can be about. Each object is stored once.

use std::collections::HashMap;
use std::rc::Rc;

/// A file, socket or the like, identified by its name. Ids count from zero in the order of appearance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct ObjectId(u32);

impl ObjectId {
    pub fn index(self) -> usize {
        self.0 as usize
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

struct Object {
    name: Rc<[u8]>,
    kind: ObjectKind,
    group: Option<ObjectId>,
}

/// Hostile or very long runs must not take all memory: all names beyond this many are one object.
const MAX_OBJECTS: usize = 1 << 20;
const MAX_BYTES: usize = if cfg!(test) { 1 << 20 } else { 192 << 20 };
/// Relative names can make working directories longer and longer, and each call would copy and look up that much.
/// Longer names count as others. The kernel takes no path beyond 4096 bytes.
const LONGEST: usize = 1 << 13;
const OTHERS: ObjectId = ObjectId(0);

pub struct Objects {
    /// Tracees make up the keys, so the hash is one that they cannot predict.
    by_name: HashMap<Rc<[u8]>, ObjectId>,
    all: Vec<Object>,
    bytes: usize,
}

impl Default for Objects {
    fn default() -> Objects {
        let name: Rc<[u8]> = Rc::from(&b"(others)"[..]);
        let others = Object { name, kind: ObjectKind::Others, group: None };
        Objects { by_name: HashMap::new(), all: vec![others], bytes: 0 }
    }
}

impl Objects {
    pub fn intern(&mut self, name: &[u8], kind: ObjectKind) -> ObjectId {
        self.intern_in(name, kind, None)
    }

    /// One of many that differ only by chance, such as in a client's port. `group` is their common name.
    pub fn intern_in(&mut self, name: &[u8], kind: ObjectKind, group: Option<ObjectId>) -> ObjectId {
        if name.len() > LONGEST {
            return group.unwrap_or(OTHERS);
        }
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        if self.all.len() >= MAX_OBJECTS || self.bytes >= MAX_BYTES {
            return group.unwrap_or(OTHERS);
        }
        let id = ObjectId(self.all.len() as u32);
        let name: Rc<[u8]> = Rc::from(name);
        self.bytes += name.len() + 96;
        self.by_name.insert(name.clone(), id);
        self.all.push(Object { name, kind, group });
        id
    }

    pub fn name(&self, id: ObjectId) -> &[u8] {
        &self.all[id.index()].name
    }

    pub fn kind(&self, id: ObjectId) -> ObjectKind {
        self.all[id.index()].kind
    }

    pub fn group(&self, id: ObjectId) -> ObjectId {
        self.all[id.index()].group.unwrap_or(id)
    }
}
