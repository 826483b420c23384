//! The connections that wait for a worker, and the order in which they are served.
//!
//! Users take turns: however many requests of one user wait, another user's is next. Until a request has come, a connection costs a descriptor
//! and nothing else. A client that is refused learns why: its request is taken first, because the kernel drops the answer if the
//! connection is closed before.

use crate::accounts::Charge;
use nix::poll::PollFlags;
use std::os::fd::BorrowedFd;
use std::time::Instant;
use stride_engine_ebpf::broker::{AnswerCode, PATIENCE, Socket};

/// Connections whose request has not come or is not served yet: in all, and of one user.
const MOST_WAITING: usize = 256;
const MOST_WAITING_OF_USER: usize = 16;
/// Refused connections whose request has not come yet.
const MOST_REFUSED: usize = 64;

/// A connection.
pub struct Client {
    pub socket: Socket,
    pub charge: Charge,
    pub uid: u32,
    pub gid: u32,
    since: Instant,
    /// The request is there.
    asks: bool,
}

impl Client {
    pub fn new(socket: Socket, charge: Charge, uid: u32, gid: u32) -> Client {
        Client { socket, charge, uid, gid, since: Instant::now(), asks: false }
    }

    /// Answers the request.
    fn refuse(self, why: &str) {
        self.socket.discard();
        // The buffer of a new connection has room for one answer.
        let _ = self.socket.answer(AnswerCode::Busy, 0, why, &[]);
    }
}

/// The share of a number of places that is kept for users who have none.
pub fn kept(places: usize) -> usize {
    places / 4
}

#[derive(Default)]
pub struct Queue {
    waiting: Vec<Client>,
    refused: Vec<(Client, &'static str)>,
    /// The latest turn of each user, counted in turns.
    turns: Vec<(Charge, u64)>,
    turn: u64,
}

impl Queue {
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.refused.is_empty()
    }

    /// True if a request waits.
    pub fn asks(&self) -> bool {
        self.waiting.iter().any(|client| client.asks)
    }

    pub fn add(&mut self, client: Client) {
        let of_user = self.waiting.iter().filter(|other| other.charge == client.charge).count();
        let room = if of_user == 0 { MOST_WAITING } else { MOST_WAITING - kept(MOST_WAITING) };
        if of_user < MOST_WAITING_OF_USER && self.waiting.len() < room {
            self.waiting.push(client);
            return;
        }
        let why = "too many traces begin at the same time: try again";
        if self.refused.len() < MOST_REFUSED {
            self.refused.push((client, why));
        } else {
            client.refuse(why);
        }
    }

    /// The sockets, and what is waited for.
    pub fn sockets(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let refused = self.refused.iter().map(|(client, _)| client);
        self.waiting.iter().chain(refused).map(|client| {
            let asked = if client.asks { PollFlags::empty() } else { PollFlags::POLLIN };
            (client.socket.as_fd(), asked)
        })
    }

    /// Takes in the events of the sockets, and ends connections that came to nothing.
    pub fn take_events(&mut self, flags: &[PollFlags]) {
        let mut flags = flags.iter();
        let mut look = |client: &mut Client| {
            let flags = flags.next().copied().unwrap_or(PollFlags::empty());
            client.asks |= flags.contains(PollFlags::POLLIN);
            // A client that has gone needs no answer. (One that has sent its request may have gone, too: the worker finds out.)
            let is_gone = flags.contains(PollFlags::POLLHUP) && !flags.contains(PollFlags::POLLIN);
            !is_gone && (client.asks || client.since.elapsed() <= PATIENCE)
        };
        self.waiting.retain_mut(&mut look);
        self.refused.retain_mut(|(client, _)| look(client));
        for (client, why) in self.refused.extract_if(.., |(client, _)| client.asks) {
            client.refuse(why);
        }
    }

    /// Refuses each request for which there is a reason.
    pub fn refuse<'w>(&mut self, why: impl Fn(Charge) -> Option<&'w str>) {
        let reason = |client: &Client| client.asks.then(|| why(client.charge)).flatten();
        for client in self.waiting.extract_if(.., |client| reason(client).is_some()) {
            let why = reason(&client).unwrap_or_default();
            client.refuse(why);
        }
    }

    /// Takes the request that is next. `may`: whether this user's may be.
    pub fn next(&mut self, may: impl Fn(Charge) -> bool) -> Option<Client> {
        let turn = |charge| self.turns.iter().find(|(of, _)| *of == charge).map_or(0, |(_, turn)| *turn);
        let asking = self.waiting.iter().enumerate().filter(|(_, client)| client.asks && may(client.charge));
        let (at, _) = asking.min_by_key(|(_, client)| turn(client.charge))?;
        let client = self.waiting.remove(at);
        self.turn += 1;
        self.turns.retain(|(of, _)| *of != client.charge);
        // Only those who wait are compared. A user who comes back after a while is next.
        self.turns.retain(|(of, _)| self.waiting.iter().any(|other| other.charge == *of));
        self.turns.push((client.charge, self.turn));
        Some(client)
    }
}
