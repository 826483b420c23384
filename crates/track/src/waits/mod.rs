//! The calls that threads are in, and what the threads wait for.

mod awaited;
pub(crate) mod cause;
pub(crate) mod futex;
mod idle;
pub(crate) mod wait;

use crate::processes::MAX_THREADS;
use crate::subject::shape::Idle;
use crate::{AtEnd, Tracker, Wait, Watched};
use stride_decode::{Resolver, Touch};
use stride_event::{Call, Ns, Tid};
use stride_syscalls::For;

/// So many watched descriptors of a call are stored, as long as no more threads than this wait.
const MAX_WATCHED: usize = 64;
pub const MAX_WATCHERS: usize = 1 << 12;
/// The other ends of so many of them are known.
const FIRST_WATCHED: usize = 4;
/// So many processes are looked at for which a thread waits.
const FIRST_OTHERS: usize = 4;
/// To leave a thread takes a tracer this time at most, also on a busy machine.
const LEAVING: Ns = 50_000_000;
/// A thread has waited for long.
const LONG: Ns = 500_000_000;
/// At the end of tracing, so many threads that wait are looked at: each takes some milliseconds.
const MOST_LOOKED_AT: usize = 64;

impl Tracker {
    pub(crate) fn entered(&mut self, call: &Call, resolver: &dyn Resolver) {
        let shape = self.shapes.get(call.abi, call.nr);
        let row = shape.map_or("?", |shape| shape.row.name);
        // Still the same call, or the same again after a signal.
        if self.wait(call.tid).is_some_and(|wait| wait.args == call.args && wait.name() == row) {
            return;
        }
        let mut seen = self.new_seen(call.tid);
        if let Some(shape) = shape {
            self.resolve_arguments(call, &shape, &mut seen, resolver);
        }
        self.keep_paths(&mut seen);
        let mut wait = Wait::new(seen, call);
        let few = self.waits.len() < MAX_WATCHERS;
        if few && seen.fd.is_none() && shape.is_some_and(|shape| shape.idle == Idle::IfZero) {
            wait.watched = self.watched_by(call, seen.pid);
        }
        self.joins(&mut wait);
        if self.waits.len() < MAX_THREADS {
            self.waits.insert(call.tid, wait);
        }
    }

    /// Tracing of a thread ends: finds out how things stand, if the thread has waited for long.
    pub(crate) fn look_at_end(&mut self, tid: Tid, at: Ns, resolver: &dyn Resolver) {
        let Some(mut wait) = self.waits.remove(&tid) else { return };
        // Calls like epoll_wait(2) end when a tracer stops their thread to leave it.
        if wait.broken_off.take().is_some_and(|then| at.saturating_sub(then) > LEAVING) {
            return;
        }
        // (A thread that looks again and again is in each call for a short time only.)
        let since =
            self.threads.get(&tid).and_then(|thread| thread.idle_since).map_or(wait.since, |idle| idle.min(wait.since));
        if at.saturating_sub(since) >= LONG && self.looked_at < MOST_LOOKED_AT {
            self.looked_at += 1;
            let watched = || wait.watched.iter().take(FIRST_WATCHED);
            let others = wait.others.iter().chain(watched().flat_map(|watched| &watched.others)).map(|(pid, _)| *pid);
            let mut pids: Vec<Tid> =
                others.chain(wait.child().filter(|pid| *pid > 0)).filter(|pid| *pid != wait.seen.pid).collect();
            pids.sort_unstable();
            pids.dedup();
            pids.truncate(FIRST_OTHERS);
            let fds = wait.seen.fd.into_iter().chain(watched().map(|watched| watched.fd));
            wait.end = AtEnd {
                parent: resolver.doing(wait.seen.pid).map_or(0, |doing| doing.parent),
                others: pids.into_iter().filter_map(|pid| Some((pid, resolver.doing(pid)?))).collect(),
                unread: fds
                    .filter_map(|fd| resolver.unread(tid, fd).map(|(here, there)| (fd, here, there)))
                    .filter(|unread| unread.1 > 0 || unread.2 > 0)
                    .collect(),
            };
        }
        self.waits.insert(tid, wait);
    }

    /// The descriptors that a call of poll(2) or select(2) of this process watches: the first of them, as far as the call's memory is known.
    pub fn watched_by(&self, call: &Call, pid: Tid) -> Vec<Watched> {
        let mut watched = Vec::new();
        stride_decode::touches(call, &mut |touch| {
            if let Touch::Fd(fd) = touch {
                watched.push(self.watched(pid, fd));
            }
            watched.len() >= MAX_WATCHED
        });
        watched
    }

    fn watched(&self, pid: Tid, fd: i32) -> Watched {
        Watched { fd, object: self.held(pid, fd).map(|file| file.object.get()), others: Vec::new() }
    }

    /// Finds out what threads wait for, while they wait.
    pub(crate) fn ask_about_waits(&mut self, resolver: &dyn Resolver) {
        const AT_ONCE: usize = 64;
        let new: Vec<Tid> = self
            .waits
            .iter()
            .filter(|(_, wait)| !wait.asked && wait.broken_off.is_none())
            .map(|(tid, _)| *tid)
            .take(AT_ONCE)
            .collect();
        new.into_iter().for_each(|tid| self.ask_about_wait(tid, resolver));
    }

    /// Asks the resolver about a thread's wait, once for each call.
    pub(crate) fn ask_about_wait(&mut self, tid: Tid, resolver: &dyn Resolver) {
        let Some(mut wait) = self.waits.remove(&tid) else { return };
        if !std::mem::replace(&mut wait.asked, true) {
            match (wait.seen.row.and_then(|row| row.waits()), wait.seen.fd) {
                (Some(For::Lock), _) => wait.awaited = self.awaited(&wait, resolver),
                // An epoll instance.
                (Some(For::Readiness), Some(fd)) => {
                    let watched = resolver.watched(tid, fd).into_iter().take(MAX_WATCHED);
                    wait.watched = watched.map(|fd| self.watched(wait.seen.pid, fd)).collect();
                }
                (_, Some(fd)) => wait.others = others(tid, fd, resolver),
                (_, None) => {}
            }
            // Searching all of /proc takes time.
            for watched in wait.watched.iter_mut().take(FIRST_WATCHED) {
                watched.others = others(tid, watched.fd, resolver);
            }
        }
        self.waits.insert(tid, wait);
    }
}

/// The processes that have the other end of a descriptor.
fn others(tid: Tid, fd: i32, resolver: &dyn Resolver) -> Vec<(Tid, Vec<u8>)> {
    resolver.other_ends(tid, fd).into_iter().map(|pid| (pid, resolver.comm(pid).unwrap_or_default())).collect()
}
