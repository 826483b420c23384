//! The broker's end: programs that are loaded before anybody asks, and a trace that a client orders.

use super::request::Request;
use super::{AnswerCode, Order, Remains};
use crate::counting::counts::CountRow;
use crate::error::Why;
use crate::loading::config::Config;
use crate::loading::programs::{Programs, Seeded};
use crate::loading::refusal::why;
use crate::plans::Tables;
use crate::reading::files::FilePrograms;
use crate::settings::Settings;
use crate::threads::poller_programs::BlockedPrograms;
use crate::waits::programs::WaitPrograms;
use crate::wire::{bytes_of, task_flag};
use nix::sys::memfd::{MFdFlags, memfd_create};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use stride_engine_base::StartError;
use stride_event::TraceSpec;

/// Loaded programs that are not attached yet, and the request that they were loaded for.
pub struct Prepared {
    request: Request,
    bytes: Vec<u8>,
    programs: Programs,
}

/// A client's trace.
pub struct Serving {
    /// Detached first.
    files: Option<FilePrograms>,
    waits: Option<WaitPrograms>,
    blocked: Option<BlockedPrograms>,
    programs: Programs,
    request: Request,
    user: (u32, u32),
    /// This process's own /proc/self/mem, by which a proof is known.
    own_memory: File,
}

/// The broker's answer to a client, with a descriptor or without one.
pub struct Reply {
    pub code: AnswerCode,
    pub text: String,
    pub fd: Option<OwnedFd>,
}

impl Reply {
    fn of(code: AnswerCode) -> Reply {
        Reply { code, text: String::new(), fd: None }
    }

    pub fn refused(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), ..Reply::of(AnswerCode::Refused) }
    }
}

impl Prepared {
    /// The request of a client that asks for nothing special.
    pub fn usual() -> Vec<u8> {
        Prepared::request(&TraceSpec::default())
    }

    /// The request for this trace, with the usual settings. Empty if no broker serves it.
    pub fn request(spec: &TraceSpec) -> Vec<u8> {
        Request::of(&Config::of(spec, &Settings::default()), spec).map(|request| request.bytes()).unwrap_or_default()
    }

    /// Loads the programs for these bytes, which a client may have made up.
    pub fn load(bytes: &[u8]) -> Result<Prepared, Reply> {
        let request = Request::read(bytes).map_err(|other_build| {
            if other_build {
                Reply::of(AnswerCode::OtherVersion)
            } else {
                Reply::refused("this is no request of Stride")
            }
        })?;
        let refused = |why: Why| Reply::refused(why.to_string());
        let tables = Tables::of(&request.spec).map_err(|e: StartError| Reply::refused(e.to_string()))?;
        let config = Config { guarded: true, ..Config::of(&request.spec, &request.settings) };
        let programs = Programs::load(config, || Ok(tables)).map_err(refused)?;
        Ok(Prepared { bytes: bytes.to_vec(), programs, request })
    }

    /// True if the loaded programs are those that this request asks for.
    pub fn fits(&self, bytes: &[u8]) -> bool {
        self.bytes == bytes
    }

    /// Attaches the programs. From now on they trace whatever the client of this user and group proves to be within its reach: nothing as yet.
    pub fn serve(mut self, uid: u32, gid: u32) -> Result<Serving, Reply> {
        let refused = |why: Why| Reply::refused(why.to_string());
        let own_memory = File::open("/proc/self/mem").map_err(|e| Reply::refused(format!("/proc/self/mem: {e}")))?;
        let spec = &self.request.spec;
        let files =
            spec.descriptors.then(|| FilePrograms::attach(&self.programs, &spec.calls, false, true)).transpose();
        let files = files.map_err(|e| refused(why(&e)))?;
        let waits = WaitPrograms::wanted(&self.programs, spec, Some((uid, gid))).map_err(|e| refused(why(&e)))?;
        self.programs.attach().map_err(refused)?;
        Ok(Serving {
            files,
            waits,
            blocked: None,
            programs: self.programs,
            request: self.request,
            user: (uid, gid),
            own_memory,
        })
    }
}

impl Serving {
    /// The descriptors that the client gets: the shared words, the ring of wakeups, and the rings.
    pub fn fds(&self) -> Vec<BorrowedFd<'_>> {
        [self.programs.words(), self.programs.drain_wakeups()].into_iter().chain(self.programs.rings()).collect()
    }

    /// Ends tracing. What the client may still hold stays.
    pub fn end(mut self) -> libbpf_rs::Result<Remains> {
        self.detach();
        Remains::of(&self.programs.rings())
    }

    /// Does what the client orders, with the descriptors that came along.
    pub fn obey(&mut self, order: Order, fds: &[OwnedFd]) -> Reply {
        match (order, fds) {
            (Order::Seed { id, whole_process, is_command }, [proof]) => {
                let flags = if is_command { task_flag::TASK_BEFORE_EXEC.0 } else { 0 };
                let (uid, gid) = self.user;
                self.programs.guard(uid, gid, self.own_memory.as_fd(), proof.as_fd());
                let seeded = self.programs.seed(id, whole_process, flags);
                self.waits.iter_mut().for_each(WaitPrograms::note_sleeps);
                match seeded {
                    Ok(Seeded::Adopted) => Reply::of(AnswerCode::Done),
                    Ok(Seeded::Ended) => Reply::of(AnswerCode::Ended),
                    Ok(Seeded::Nobody | Seeded::Refused(_)) => Reply::of(AnswerCode::Nobody),
                    Err(e) => Reply::refused(why(&e).to_string()),
                }
            }
            (Order::Look { at_once }, []) => self.look(at_once),
            (Order::Counts { ended }, []) => {
                let counts = self.programs.counts(ended).map_err(|e| why(&e).to_string());
                counts
                    .and_then(|rows| in_memory(&rows))
                    .map_or_else(Reply::refused, |file| Reply { fd: Some(file), ..Reply::of(AnswerCode::Done) })
            }
            (Order::Detach, []) => {
                self.detach();
                Reply::of(AnswerCode::Done)
            }
            _ => Reply::refused("an order came with the wrong descriptors"),
        }
    }

    fn detach(&mut self) {
        self.programs.detach();
        self.files = None;
        WaitPrograms::end(&mut self.waits);
        self.blocked = None;
    }

    fn look(&mut self, at_once: bool) -> Reply {
        if self.blocked.is_none() {
            let bytes = self.request.settings.ring_bytes.unwrap_or_default();
            match BlockedPrograms::load(&self.programs, &self.request.spec.calls, bytes, true) {
                Ok(blocked) => self.blocked = Some(blocked),
                Err(e) => return Reply::refused(why(&e).to_string()),
            }
        }
        if let Some(blocked) = &mut self.blocked {
            blocked.look(at_once);
        }
        Reply::of(AnswerCode::Done)
    }
}

/// The rows in a file without a name.
fn in_memory(rows: &[CountRow]) -> Result<OwnedFd, String> {
    let write = || {
        let mut file = File::from(memfd_create(c"counts", MFdFlags::MFD_CLOEXEC)?);
        let mut all = Vec::with_capacity(size_of_val(rows));
        for row in rows {
            all.extend_from_slice(bytes_of(&[row.key]));
            all.extend_from_slice(bytes_of(&[row.count]));
        }
        file.write_all(&all)?;
        std::io::Result::Ok(OwnedFd::from(file))
    };
    write().map_err(|e| format!("the counts: {e}"))
}
