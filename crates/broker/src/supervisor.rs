//! The process that accepts connections.
//!
//! It hands each connection to a worker that has the programs loaded already, once the client has sent its request, which the worker
//! reads. Nothing that goes wrong with one client or one worker ends this process.

use crate::accounts::{Accounts, Charge};
use crate::options::Options;
use crate::queue::{Client, Queue, kept};
use crate::worker;
use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::time::{Duration, Instant};
use stride_engine_base::process::{self, Fork};
use stride_engine_ebpf::broker::{Listener, PATIENCE, Prepared, Socket};

/// So often nothing else happens.
const LOOK: Duration = Duration::from_secs(1);
/// A client that was just served starts its command, and has the CPU for that before the next worker loads programs.
const REST: Duration = Duration::from_millis(30);
/// The time between two tries to get a worker ready, if that fails: the first, which doubles with each failure, and the last.
const FIRST_TRY: Duration = Duration::from_millis(250);
const LAST_TRY: Duration = Duration::from_secs(8);
/// The time without accepting connections after accept(2) has failed, as it does without free descriptors.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// Connections that are accepted in one go. Others have their turn, however many connect.
const MOST_AT_ONCE: usize = 256;

struct Supervisor<'o> {
    options: &'o Options,
    accounts: Accounts,
    queue: Queue,
    workers: Vec<Worker>,
    /// Workers that have ended, or are about to, and are not reaped yet.
    ended: usize,
    /// The latest request that a worker served. The next worker gets ready for the same.
    usual: Vec<u8>,
    /// Why no worker is ready.
    failure: Option<Failure>,
    /// The latest time at which a client was served or waited.
    used: Instant,
    /// The time at which a worker began to serve.
    served: Option<Instant>,
    /// Until then no connection is accepted.
    accepts: Option<Instant>,
}

/// The programs could not be loaded.
struct Failure {
    why: String,
    times: u32,
    again: Instant,
}

struct Worker {
    pid: i32,
    control: Socket,
    state: State,
    /// Why it could not load.
    failed: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Loading,
    Ready,
    /// It has a client of this user, and loads and attaches what that one asked for.
    Beginning(Charge),
    /// It serves a client of this user, or waits for the client's descriptors to be gone.
    Serving(Charge),
}

impl State {
    /// The user who has this place.
    fn charge(self) -> Option<Charge> {
        match self {
            State::Loading | State::Ready => None,
            State::Beginning(charge) | State::Serving(charge) => Some(charge),
        }
    }
}

pub fn run(listener: &mut Listener, options: &Options) -> Result<()> {
    let mut supervisor = Supervisor {
        options,
        accounts: Accounts::new("/etc/passwd"),
        queue: Queue::default(),
        workers: Vec::new(),
        ended: 0,
        usual: Prepared::usual(),
        failure: None,
        used: Instant::now(),
        served: None,
        accepts: None,
    };
    loop {
        supervisor.provide(listener);
        supervisor.hand_over();
        if supervisor.is_idle() {
            return Ok(());
        }
        supervisor.wait(listener)?;
        supervisor.reap();
    }
}

impl Supervisor<'_> {
    /// Sees to it that a worker is ready for the next client, or gets ready.
    fn provide(&mut self, listener: &mut Listener) {
        if self.workers.iter().any(|worker| worker.state.charge().is_none())
            || self.workers.len() > self.options.clients
            || self.failure.as_ref().is_some_and(|failure| Instant::now() < failure.again)
            || self.rest() > Duration::ZERO && !self.queue.asks()
        {
            return;
        }
        let (control, end) = match Socket::pair() {
            Ok(pair) => pair,
            Err(errno) => return self.failed(format!("socketpair: {}", process::strerror(errno))),
        };
        // The child goes on with all there is: this process has no other threads.
        match process::fork() {
            Ok(Fork::Parent(pid)) => self.workers.push(Worker { pid, control, state: State::Loading, failed: None }),
            Ok(Fork::Child) => {
                // The connections of others are none of its business.
                self.queue = Queue::default();
                self.workers.clear();
                drop(control);
                listener.close();
                worker::run(&end, &self.usual)
            }
            Err(errno) => self.failed(format!("fork: {}", process::strerror(errno))),
        }
    }

    /// Whoever waits learns that no programs could be loaded. Later that is tried again: memory may be short for the moment.
    fn failed(&mut self, why: String) {
        let times = self.failure.as_ref().map_or(0, |failure| failure.times);
        let pause = FIRST_TRY.saturating_mul(1 << times.min(16)).min(LAST_TRY);
        eprintln!(
            "stride-broker: the programs could not be loaded: {why}; the next try is in {} ms",
            pause.as_millis()
        );
        self.failure = Some(Failure { why, times: times + 1, again: Instant::now() + pause });
    }

    /// The time for which the next worker is still put off.
    fn rest(&self) -> Duration {
        self.served.map_or(Duration::ZERO, |served| REST.saturating_sub(served.elapsed()))
    }

    /// The number of places that are taken, by this user or in all.
    fn taken(&self, by: Option<Charge>) -> usize {
        let counts = |charge: Charge| by.is_none_or(|by| by == charge);
        self.workers.iter().filter_map(|worker| worker.state.charge()).filter(|&charge| counts(charge)).count()
    }

    /// Why this user gets no further place.
    fn refusal(&self, charge: Charge) -> Option<&'static str> {
        let (own, all, places) = (self.taken(Some(charge)), self.taken(None), self.options.clients);
        if own >= self.options.clients_per_user {
            Some(match charge {
                Charge::Account(_) => "you have as many traces as one user may have at a time: end one of them",
                Charge::Others => {
                    "users that are not in /etc/passwd have as many traces together as one user may have at a time: try again later"
                }
            })
        } else if all >= places {
            Some("as many traces run as the broker serves at a time: try again later")
        } else if own > 0 && all >= places - kept(places) {
            Some("the last places are kept for users who have no trace yet: end one of yours, or try again later")
        } else {
            None
        }
    }

    /// Gives the next client that may be served to the worker that is ready.
    fn hand_over(&mut self) {
        let mut queue = std::mem::take(&mut self.queue);
        queue.refuse(|charge| self.refusal(charge));
        let spare = self.workers.iter().position(|worker| worker.state.charge().is_none());
        if let (None, Some(failure)) = (spare, &self.failure) {
            let why = format!("its programs could not be loaded: {}. Try again later", failure.why);
            queue.refuse(|_| Some(why.as_str()));
        }
        if let Some(at) = spare.filter(|&at| self.workers[at].state == State::Ready) {
            // One user's traces begin one after the other, so that loading for one user leaves a CPU to others.
            let begins = |charge| self.workers.iter().any(|worker| worker.state == State::Beginning(charge));
            if let Some(client) = queue.next(|charge| !begins(charge)) {
                let user = [client.uid.to_ne_bytes(), client.gid.to_ne_bytes()].concat();
                let worker = &mut self.workers[at];
                // (If that fails, the worker has ended, and the next message from it says so. The client notices the closed connection.)
                if worker.control.send(&user, &[client.socket.as_fd()]).is_ok() {
                    worker.state = State::Beginning(client.charge);
                }
            }
        }
        self.queue = queue;
    }

    fn is_idle(&self) -> bool {
        let used = !self.queue.is_empty() || self.taken(None) > 0;
        !used && self.options.idle.is_some_and(|idle| self.used.elapsed() >= idle)
    }

    /// How long at most nothing is done.
    fn patience(&self) -> Duration {
        let until = |at: Option<Instant>| at.map(|at| at.saturating_duration_since(Instant::now()));
        let rest = Some(self.rest()).filter(|rest| *rest > Duration::ZERO);
        let again = until(self.failure.as_ref().map(|failure| failure.again).filter(|again| *again > Instant::now()));
        let reap = (self.ended > 0).then_some(REST);
        let soonest = [rest, again, reap, until(self.accepts)].into_iter().flatten().min();
        soonest.map_or(LOOK, |soonest| LOOK.min(soonest + Duration::from_millis(1)))
    }

    /// Waits until something happens, and takes it in.
    fn wait(&mut self, listener: &mut Listener) -> Result<()> {
        let listening = listener.as_fd().context("the socket is closed")?;
        self.accepts = self.accepts.filter(|at| Instant::now() < *at);
        let wanted = if self.accepts.is_some() { PollFlags::empty() } else { PollFlags::POLLIN };
        let mut polled = vec![PollFd::new(listening, wanted)];
        polled.extend(self.workers.iter().map(|worker| PollFd::new(worker.control.as_fd(), PollFlags::POLLIN)));
        polled.extend(self.queue.sockets().map(|(socket, wanted)| PollFd::new(socket, wanted)));
        let timeout = PollTimeout::try_from(self.patience()).unwrap_or(PollTimeout::MAX);
        match poll(&mut polled, timeout) {
            Err(Errno::EINTR) => return Ok(()),
            // Memory is short.
            Err(Errno::ENOMEM | Errno::EAGAIN) => {
                std::thread::sleep(ACCEPT_AGAIN);
                return Ok(());
            }
            n => n.context("poll")?,
        };
        let events: Vec<PollFlags> = polled.iter().map(|fd| fd.revents().unwrap_or(PollFlags::empty())).collect();
        let (workers, waiting) = events[1..].split_at(self.workers.len());
        let any = |flags: &PollFlags| !flags.is_empty();
        self.queue.take_events(waiting);
        for at in workers.iter().enumerate().filter(|(_, flags)| any(flags)).map(|(at, _)| at).rev() {
            self.hear(at);
        }
        if any(&events[0]) {
            self.accept(listener);
        }
        if !self.queue.is_empty() {
            self.used = Instant::now();
        }
        Ok(())
    }

    /// Takes in a worker's message, or its end.
    fn hear(&mut self, at: usize) {
        let worker = &mut self.workers[at];
        let Ok(Some(message)) = worker.control.receive() else {
            // It has closed its end, so it has ended, or is about to.
            let ended = self.workers.swap_remove(at);
            self.ended += 1;
            match ended.state {
                State::Loading => {
                    let killed = || format!("process {} ended before that, perhaps for want of memory", ended.pid);
                    self.failed(ended.failed.unwrap_or_else(killed));
                }
                State::Ready => {}
                State::Beginning(_) | State::Serving(_) => self.used = Instant::now(),
            }
            return;
        };
        match (message.bytes.split_first(), worker.state) {
            (Some((&worker::READY, _)), _) => {
                worker.state = State::Ready;
                self.failure = None;
            }
            (Some((&worker::SERVES, request)), State::Beginning(charge)) => {
                worker.state = State::Serving(charge);
                self.usual = request.to_vec();
                self.served = Some(Instant::now());
            }
            (Some((&worker::FAILED, why)), _) => worker.failed = Some(String::from_utf8_lossy(why).into_owned()),
            _ => {}
        }
    }

    /// Reaps workers, which may take their time to end.
    fn reap(&mut self) {
        while let Some(pid) = process::gone_child() {
            let _ = process::wait_for(pid);
            self.ended = self.ended.saturating_sub(1);
        }
    }

    fn accept(&mut self, listener: &mut Listener) {
        for _ in 0..MOST_AT_ONCE {
            let socket = match listener.accept() {
                Ok(socket) => socket,
                Err(Errno::EAGAIN) => return,
                Err(Errno::ECONNABORTED | Errno::EINTR) => continue,
                Err(_) => {
                    self.accepts = Some(Instant::now() + ACCEPT_AGAIN);
                    return;
                }
            };
            let Ok((_, uid, gid)) = socket.peer() else { continue };
            if socket.set_patience(PATIENCE).is_ok() {
                let charge = self.accounts.charge(uid);
                self.queue.add(Client::new(socket, charge, uid, gid));
            }
        }
    }
}
