//! Finds the connection of a process that has most of the requests to a server, while others beside it have nothing to do.

use super::common::Bounded;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use stride_event::{Ns, Tid};
use stride_track::{FileId, ObjectId};

/// The requests on one connection.
#[derive(Clone, Copy)]
pub struct UsedConnection {
    peer: (Tid, ObjectId),
    pub requests: u64,
    began: Ns,
    /// When the latest answer came.
    done: Ns,
    /// The time of waiting for answers.
    waited: Ns,
}

/// A connection that was used far longer than the others to the same server.
pub struct Uneven {
    pub peer: (Tid, ObjectId),
    pub connections: u64,
    pub requests: u64,
    pub longest: UsedConnection,
    /// The time in which the other ones were used, at most.
    pub others: Ns,
    /// The time that an even division would save.
    pub saved: Ns,
}

#[derive(Default)]
pub struct UnevenConnections {
    connections: Bounded<FileId, UsedConnection>,
    /// Those that were closed.
    closed: Vec<UsedConnection>,
}

const MOST_CLOSED: usize = 1 << 12;
/// More connections than this are not a group of workers.
const MOST: usize = 256;
/// With fewer that have requests, the others are spare ones.
const LEAST: usize = 3;
/// Fewer requests may be chance.
const FEW_REQUESTS: u64 = 20;
/// So many times as long as the others on average was the last one used.
const UNEVEN_TIMES: u64 = 3;

impl UnevenConnections {
    pub fn connected(&mut self, file: FileId, peer: (Tid, ObjectId), at: Ns) {
        self.connections.entry(file, || UsedConnection { peer, requests: 0, began: at, done: at, waited: 0 });
    }

    /// The answer to a request has come.
    pub fn answered(&mut self, file: FileId, waited: Ns, at: Ns) {
        let Some(connection) = self.connections.get_mut(&file) else { return };
        if connection.requests == 0 {
            connection.began = at.saturating_sub(waited);
        }
        connection.requests += 1;
        connection.done = at;
        connection.waited += waited;
    }

    pub fn closed(&mut self, file: FileId) {
        let connection = self.connections.remove(&file);
        if self.closed.len() < MOST_CLOSED {
            self.closed.extend(connection);
        }
    }

    /// The worst group of which one connection was used for at least `least`, and of which an even division saves half as much.
    pub fn worst(&self, least: Ns) -> Option<Uneven> {
        let mut groups: FxHashMap<(Tid, ObjectId), Vec<UsedConnection>> = FxHashMap::default();
        for connection in self.connections.iter().map(|(_, connection)| connection).chain(&self.closed) {
            groups.entry(connection.peer).or_default().push(*connection);
        }
        let uneven = groups.into_values().filter_map(|connections| uneven(&connections));
        let worst = uneven.filter(|it| it.longest.used() >= least && it.saved * 2 >= least);
        worst.max_by_key(|it| (it.saved, Reverse(it.peer)))
    }
}

impl UsedConnection {
    /// The time from the first request to the last answer.
    pub fn used(&self) -> Ns {
        self.done.saturating_sub(self.began)
    }
}

fn uneven(connections: &[UsedConnection]) -> Option<Uneven> {
    let longest = *connections.iter().max_by_key(|connection| connection.used())?;
    // All of them were there before the first one was done. (On some, nothing was ever asked.)
    let all_began = connections.iter().map(|connection| connection.began).max()?;
    let first_done =
        connections.iter().filter(|connection| connection.requests > 0).map(|connection| connection.done).min()?;
    let used = connections.iter().filter(|connection| connection.requests > 0).count();
    let is_group = used >= LEAST && connections.len() <= MOST && all_began <= first_done;
    // It had a request under way for most of that time.
    let is_busy = longest.requests >= FEW_REQUESTS && longest.waited * 2 >= longest.used();
    let n = connections.len() as Ns;
    let sum: Ns = connections.iter().map(UsedConnection::used).sum();
    let others = (sum - longest.used()) / (n - 1).max(1);
    let requests = connections.iter().map(|connection| connection.requests).sum::<u64>();
    (is_group && is_busy && longest.used() >= others * UNEVEN_TIMES && longest.requests * 2 >= requests).then(|| {
        Uneven {
            peer: longest.peer,
            connections: n,
            requests,
            longest,
            others: connections
                .iter()
                .map(UsedConnection::used)
                .filter(|used| *used < longest.used())
                .max()
                .unwrap_or(0),
            saved: longest.used() - sum / n,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Ns = 1_000_000;

    /// Connections with so many requests of 10 ms each, of which each begins 1 ms after the one before.
    fn saved(requests: &[u64], apart: Ns) -> Option<Ns> {
        let mut all = UnevenConnections::default();
        for (n, requests) in (0..).zip(requests) {
            let began = n as Ns * apart;
            all.connected(FileId(n), (7, ObjectId::default()), began);
            for request in 1..=*requests {
                all.answered(FileId(n), 10 * MS, began + request * 10 * MS);
            }
            // Some are closed before the end.
            if n % 2 == 0 {
                all.closed(FileId(n));
            }
        }
        all.worst(500 * MS).map(|it| it.saved)
    }

    #[test]
    fn one_connection_has_most_of_the_requests() {
        assert_eq!(saved(&[5, 100, 5, 10], MS), Some((1000 - 300) * MS));
        assert_eq!(saved(&[0, 100, 10, 10], MS), Some((1000 - 300) * MS));
        assert_eq!(saved(&[0, 100, 0, 20], MS), None, "the others may be spare ones");
        assert_eq!(saved(&[50, 100, 60, 70], MS), None, "the others have work, too");
        assert_eq!(saved(&[5, 100], MS), None, "two are no group");
        assert_eq!(saved(&[5, 40, 5, 5], MS), None, "the time is short");
        assert_eq!(saved(&[5, 100, 5, 10], 60 * MS), None, "they are used one after the other");
    }
}
