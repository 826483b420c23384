//! The process that accepts connections.
//!
//! It hands each connection to a worker that has the programs loaded already, once the client has sent its request. Until then a
//! connection costs a descriptor here and nothing else. What a client sends is read by the worker.

use crate::options::Options;
use crate::worker;
use anyhow::{Context, Result, bail};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::time::{Duration, Instant};
use stride_engine_base::process::{self, Fork};
use stride_engine_ebpf::broker::{AnswerCode, Listener, PATIENCE, Prepared, Socket};

/// Connections whose request has not come or is not served yet: in all, and of one user.
const MOST_WAITING: usize = 256;
const MOST_WAITING_OF_USER: usize = 16;
/// So often nothing else happens.
const LOOK: Duration = Duration::from_secs(1);
/// A client that was just served starts its command, and has the CPU for that before the next worker loads programs.
const REST: Duration = Duration::from_millis(30);

struct Supervisor<'o> {
    options: &'o Options,
    waiting: Vec<Waiting>,
    workers: Vec<Worker>,
    /// The latest request that a worker served. The next worker gets ready for the same.
    usual: Vec<u8>,
    /// When somebody was served or waited.
    used: Instant,
    /// When a worker began to serve.
    served: Option<Instant>,
}

/// A connection.
struct Waiting {
    socket: Socket,
    uid: u32,
    gid: u32,
    since: Instant,
    /// The request is there.
    asks: bool,
}

struct Worker {
    pid: i32,
    control: Socket,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Loading,
    Ready,
    /// It serves a client of this user, or waits for the client's descriptors to be gone.
    Serving(u32),
}

pub fn run(listener: &mut Listener, options: &Options) -> Result<()> {
    let usual = Prepared::usual();
    let mut supervisor =
        Supervisor { options, waiting: Vec::new(), workers: Vec::new(), usual, used: Instant::now(), served: None };
    loop {
        supervisor.provide(listener)?;
        supervisor.hand_over();
        if supervisor.is_idle() {
            return Ok(());
        }
        supervisor.wait(listener)?;
    }
}

impl Supervisor<'_> {
    /// Sees to it that a worker is ready for the next client, or gets ready.
    fn provide(&mut self, listener: &mut Listener) -> Result<()> {
        let is_spare = |worker: &Worker| !matches!(worker.state, State::Serving(_));
        if self.workers.iter().any(is_spare) || self.workers.len() > self.options.clients {
            return Ok(());
        }
        if self.rest() > Duration::ZERO && !self.waiting.iter().any(|client| client.asks) {
            return Ok(());
        }
        let (control, end) = Socket::pair().context("socketpair")?;
        // The child goes on with all there is: this process has no other threads.
        match process::fork().context("fork")? {
            Fork::Parent(pid) => self.workers.push(Worker { pid, control, state: State::Loading }),
            Fork::Child => {
                // The connections of others are none of its business.
                self.waiting.clear();
                self.workers.clear();
                drop(control);
                listener.close();
                worker::run(&end, &self.usual)
            }
        }
        Ok(())
    }

    /// The time for which the next worker is still put off.
    fn rest(&self) -> Duration {
        self.served.map_or(Duration::ZERO, |served| REST.saturating_sub(served.elapsed()))
    }

    /// Gives the first client that may be served to the worker that is ready.
    fn hand_over(&mut self) {
        let served = |workers: &[Worker], of: Option<u32>| {
            let counts =
                |worker: &&Worker| matches!(worker.state, State::Serving(uid) if of.is_none_or(|of| of == uid));
            workers.iter().filter(counts).count()
        };
        let mut at = 0;
        while at < self.waiting.len() {
            let client = &self.waiting[at];
            let refused = if !client.asks {
                (client.since.elapsed() > PATIENCE).then_some("no request came")
            } else if served(&self.workers, Some(client.uid)) >= self.options.clients_per_user {
                Some("you have as many traces as one user may have at a time: end one of them")
            } else if served(&self.workers, None) >= self.options.clients {
                Some("as many traces run as the broker serves at a time: try again later")
            } else {
                None
            };
            if let Some(why) = refused {
                refuse(&self.waiting.remove(at).socket, why);
                continue;
            }
            let ready = self.workers.iter_mut().find(|worker| client.asks && worker.state == State::Ready);
            let Some(worker) = ready else {
                at += 1;
                continue;
            };
            let client = self.waiting.remove(at);
            let user = [client.uid.to_ne_bytes(), client.gid.to_ne_bytes()].concat();
            if worker.control.send(&user, &[client.socket.as_fd()]).is_ok() {
                worker.state = State::Serving(client.uid);
                return;
            }
        }
    }

    fn is_idle(&self) -> bool {
        let used =
            !self.waiting.is_empty() || self.workers.iter().any(|worker| matches!(worker.state, State::Serving(_)));
        !used && self.options.idle.is_some_and(|idle| self.used.elapsed() >= idle)
    }

    /// Waits until something happens, and takes it in.
    fn wait(&mut self, listener: &mut Listener) -> Result<()> {
        let asked = |waiting: &Waiting| if waiting.asks { PollFlags::empty() } else { PollFlags::POLLIN };
        let listening = listener.as_fd().context("the socket is closed")?;
        let mut polled = vec![PollFd::new(listening, PollFlags::POLLIN)];
        polled.extend(self.workers.iter().map(|worker| PollFd::new(worker.control.as_fd(), PollFlags::POLLIN)));
        polled.extend(self.waiting.iter().map(|waiting| PollFd::new(waiting.socket.as_fd(), asked(waiting))));
        let patience = match self.rest() {
            Duration::ZERO => LOOK,
            rest => rest + Duration::from_millis(1),
        };
        let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
        match poll(&mut polled, timeout) {
            Err(Errno::EINTR) => return Ok(()),
            n => n.context("poll")?,
        };
        let happened: Vec<PollFlags> = polled.iter().map(|fd| fd.revents().unwrap_or(PollFlags::empty())).collect();
        let (workers, waiting) = happened[1..].split_at(self.workers.len());
        let any = |flags: &PollFlags| !flags.is_empty();
        for (client, flags) in self.waiting.iter_mut().zip(waiting) {
            client.asks |= flags.contains(PollFlags::POLLIN);
        }
        // A client that has gone needs no answer. (One that has sent its request may have gone, too: the worker finds out.)
        let mut gone =
            waiting.iter().map(|flags| flags.contains(PollFlags::POLLHUP) && !flags.contains(PollFlags::POLLIN));
        self.waiting.retain(|_| !gone.next().unwrap_or(false));
        for at in workers.iter().enumerate().filter(|(_, flags)| any(flags)).map(|(at, _)| at).rev() {
            self.hear(at)?;
        }
        if any(&happened[0]) {
            self.accept(listener);
        }
        if !self.waiting.is_empty() {
            self.used = Instant::now();
        }
        Ok(())
    }

    /// Takes in a worker's message, or its end.
    fn hear(&mut self, at: usize) -> Result<()> {
        let worker = &mut self.workers[at];
        match worker.control.receive() {
            Ok(Some(message)) => match message.bytes.split_first() {
                Some((&worker::READY, _)) => worker.state = State::Ready,
                Some((&worker::SERVES, request)) => {
                    self.usual = request.to_vec();
                    self.served = Some(Instant::now());
                }
                _ => {}
            },
            Ok(None) | Err(_) => {
                let ended = self.workers.swap_remove(at);
                // It has closed its end, so it has ended, or is about to.
                let status = process::wait_for(ended.pid);
                self.used = Instant::now();
                if ended.state == State::Loading {
                    bail!("the programs could not be loaded (wait status {status:?})");
                }
            }
        }
        Ok(())
    }

    fn accept(&mut self, listener: &mut Listener) {
        // Others have their turn, however many connect.
        for _ in 0..MOST_WAITING {
            let Ok(socket) = listener.accept() else { return };
            let Ok((_, uid, gid)) = socket.peer() else { continue };
            let of_user = self.waiting.iter().filter(|waiting| waiting.uid == uid).count();
            if self.waiting.len() >= MOST_WAITING || of_user >= MOST_WAITING_OF_USER {
                refuse(&socket, "too many traces begin at the same time: try again");
            } else if socket.set_patience(PATIENCE).is_ok() {
                self.waiting.push(Waiting { socket, uid, gid, since: Instant::now(), asks: false });
            }
        }
    }
}

fn refuse(socket: &Socket, why: &str) {
    // The buffer of a new connection has room for one answer.
    let _ = socket.answer(AnswerCode::Busy, 0, why, &[]);
}
