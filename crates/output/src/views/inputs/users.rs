//! The programs that used something.

use std::collections::HashMap;
use stride_event::Tid;
use stride_track::{Tracker, base_name};

/// A program among those of the run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct UserId(u32);

impl UserId {
    /// The programs for which there was no room.
    pub const OTHERS: UserId = UserId(0);
}

/// The programs that are told apart. All others are one.
const MAX_PROGRAMS: usize = 1 << 14;
/// The users that are named for each thing.
const MAX_USERS: usize = 6;
/// The processes that are remembered at the same time.
const MAX_PROCESSES: usize = 1 << 17;

/// Some programs, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct UsedBy {
    ids: Vec<UserId>,
    /// There were more than are here.
    pub more: bool,
}

impl UsedBy {
    pub fn add(&mut self, user: UserId) {
        if self.ids.contains(&user) {
            return;
        }
        if self.ids.len() < MAX_USERS {
            self.ids.push(user);
        } else {
            self.more = true;
        }
    }

    pub fn ids(&self) -> &[UserId] {
        &self.ids
    }
}

/// The programs of the run, and which of them each process runs.
pub struct RunPrograms {
    paths: Vec<Vec<u8>>,
    by_path: HashMap<Vec<u8>, UserId>,
    of_process: HashMap<Tid, UserId>,
}

impl Default for RunPrograms {
    fn default() -> RunPrograms {
        let (by_path, of_process) = Default::default();
        RunPrograms { paths: vec![b"(other programs)".to_vec()], by_path, of_process }
    }
}

impl RunPrograms {
    /// The path of a program, or its name if the path is not known.
    pub fn path(&self, id: UserId) -> &[u8] {
        &self.paths[id.0 as usize]
    }

    /// The names of programs, without directories. Several programs may have one name.
    pub fn names<'a>(&'a self, users: &'a UsedBy) -> Vec<&'a [u8]> {
        let mut names: Vec<&[u8]> = Vec::new();
        for id in users.ids() {
            let name = base_name(self.path(*id));
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn id(&mut self, path: &[u8]) -> UserId {
        if let Some(id) = self.by_path.get(path) {
            return *id;
        }
        if self.paths.len() >= MAX_PROGRAMS {
            return UserId::OTHERS;
        }
        let id = UserId(self.paths.len() as u32);
        self.paths.push(path.to_vec());
        self.by_path.insert(path.to_vec(), id);
        id
    }

    /// The program that a process runs.
    pub fn of(&mut self, pid: Tid, tracker: &Tracker) -> UserId {
        if let Some(id) = self.of_process.get(&pid) {
            return *id;
        }
        let process = tracker.process(pid);
        let program = process.and_then(|process| process.program).map(|program| tracker.name(program));
        let path = program.filter(|path| !path.is_empty());
        let path = path.or(process.map(|process| &process.comm[..])).unwrap_or_default().to_vec();
        let id = self.id(&path);
        if self.of_process.len() < MAX_PROCESSES {
            self.of_process.insert(pid, id);
        }
        id
    }

    /// A process runs another program from now on.
    pub fn executed(&mut self, pid: Tid, path: &[u8]) {
        let id = self.id(path);
        if self.of_process.len() < MAX_PROCESSES || self.of_process.contains_key(&pid) {
            self.of_process.insert(pid, id);
        }
    }

    /// The process is gone, or another one has its number.
    pub fn forget(&mut self, pid: Tid) {
        self.of_process.remove(&pid);
    }
}
