//! Where the tables go: to a directory, or by way of a spool to an object store.

use crate::file::FileError;
use crate::notices;
use crate::place::TracePlace;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use stride_engine_base::signal;
use stride_output::progress::Progress;
use stride_store::{Backoff, Delivery, DeliveryEnd, Spool, SpooledFile, StoreAddress, StoreClient};

/// The argument of `--parquet`, made ready.
pub enum TableDestination {
    Directory(PathBuf),
    Store(Box<PreparedStore>),
}

/// A store to which files can be written, and their spool. Nothing is uploaded yet.
pub struct PreparedStore {
    pub client: StoreClient,
    pub spool: Spool,
    pub limits: StoreLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreLimits {
    /// The bytes that may wait in the spool.
    pub spool: u64,
    /// The longest wait at the end for a store that takes nothing.
    pub wait: Duration,
}

impl Default for StoreLimits {
    fn default() -> StoreLimits {
        StoreLimits { spool: 1 << 30, wait: Duration::from_secs(60) }
    }
}

/// A store in use.
pub struct TableStore {
    address: StoreAddress,
    spool: Spool,
    delivery: Delivery,
    limits: StoreLimits,
    /// Nobody waits for a replay, so it waits for the store. A program that is traced does not.
    replays: bool,
    dropped: AtomicU64,
    /// The store took nothing for too long.
    is_away: AtomicBool,
}

impl TableStore {
    /// Refuses a run that the store has already.
    pub fn open(
        prepared: Box<PreparedStore>,
        place: &TracePlace,
        day: i64,
        replays: bool,
    ) -> Result<TableStore, FileError> {
        let PreparedStore { client, spool, limits } = *prepared;
        let address = client.address().clone();
        let fail = |error| FileError::new(&PathBuf::from(address.to_string()), error);
        // A run that was not recorded has an identity that no other has.
        let tables = if replays { &crate::tables::ALL[..] } else { &[] };
        for table in tables {
            let directory = place.partition(table.name, day);
            let directory = directory.to_string_lossy();
            if client.holds(&directory, &place.trace_id).map_err(|e| fail(io::Error::other(e.why)))? {
                return Err(fail(io::ErrorKind::AlreadyExists.into()));
            }
        }
        let delivery = Delivery::start(client, spool.directory().to_owned(), Backoff::default()).map_err(fail)?;
        let (dropped, is_away) = (AtomicU64::new(0), AtomicBool::new(false));
        Ok(TableStore { address: address.clone(), spool, delivery, limits, replays, dropped, is_away })
    }

    /// A file is complete from this size on. Several fit into the spool.
    pub fn file_size(&self, usual: u64) -> u64 {
        usual.min(self.limits.spool / 4)
    }

    /// Hands over a file that is complete.
    pub fn add(&self, below: &Path, bytes: u64) {
        self.delivery.add(SpooledFile { below: below.to_string_lossy().into_owned(), bytes });
    }

    /// True if the spool has room for more calls. A replay waits for room. `open`: the bytes of the files that are not complete.
    pub fn has_room(&self, open: u64) -> Result<bool, FileError> {
        let room = self.limits.spool.saturating_sub(open).max(1);
        if !self.replays {
            return Ok(self.delivery.waiting() < room);
        }
        self.delivery.wait_until_below(room, self.limits.wait).map(|()| true).map_err(|failure| {
            self.is_away.store(true, Ordering::Relaxed);
            let why = format!("the spool is full, and the store takes nothing: {failure}");
            FileError::new(&PathBuf::from(self.address.to_string()), io::Error::other(why))
        })
    }

    pub fn drop_calls(&self, calls: u64) {
        self.dropped.fetch_add(calls, Ordering::Relaxed);
    }

    /// Calls for which there was no room.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    pub fn take_remark(&self) -> Option<String> {
        self.delivery.take_remark().map(|why| notices::away(&self.address, &why))
    }

    /// Waits until all is delivered, as long as the store takes files and nobody interrupts.
    pub fn end(&self) -> DeliveryEnd {
        let all = self.delivery.waiting();
        let mut progress = Progress::new(&format!("delivering to {}", self.address), all);
        let requests = signal::requests();
        let _ = signal::count_requests(&[nix::sys::signal::Signal::SIGINT, nix::sys::signal::Signal::SIGTERM]);
        let longest = if self.is_away.load(Ordering::Relaxed) { Duration::ZERO } else { self.limits.wait };
        let tell = |left: u64| {
            if let Some(progress) = &mut progress {
                progress.show(all.saturating_sub(left));
            }
        };
        self.delivery.end(longest, || signal::requests() != requests, tell)
    }

    /// The sentence about files that were not delivered.
    pub fn undelivered(&self, ended: &DeliveryEnd) -> Option<String> {
        notices::undelivered(&self.address, self.spool.directory(), ended)
    }

    pub fn address(&self) -> &StoreAddress {
        &self.address
    }
}
