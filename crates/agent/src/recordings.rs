//! The finished recordings of a flight recorder. They go to an object store, or stay in a directory of bounded size.

use crate::plan::FlightPlan;
use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use serde::Serialize;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use stride_store::{
    Backoff, Delivery, DeliveryState, SpooledFile, StoreClient, StoreSettings, partition, remove_empty,
};

/// The table, as it were, of recordings: the first directory of their names in the store.
const TABLE: &str = "flight";
/// The waits after failures of the store.
const BACKOFF: Backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_secs(60) };
/// Names that differ in nothing but their numbers.
const MOST_NAMES: u32 = 10_000;

pub struct Recordings {
    plan: FlightPlan,
    host: String,
    delivery: Option<Delivery>,
    /// Recordings so far, and those that were removed because there was no room for them.
    pub made: u64,
    pub removed: u64,
    store_is_away: bool,
}

/// The facts for `--status`.
#[derive(Debug, Serialize)]
pub struct RecordingsStatus {
    made: u64,
    removed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<StoreStatus>,
}

#[derive(Debug, Serialize)]
struct StoreStatus {
    address: String,
    delivered: u64,
    delivered_bytes: u64,
    waiting: usize,
    waiting_bytes: u64,
    failed_requests: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

impl Recordings {
    /// Takes up where an earlier agent has ended: what it has left is delivered, or kept.
    pub fn open(plan: FlightPlan, settings: &StoreSettings) -> Result<Recordings> {
        let place = if plan.config.upload.is_some() { plan.outbox() } else { plan.kept() };
        for directory in [plan.made(), place.clone()] {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(&directory);
            made.with_context(|| directory.display().to_string())?;
        }
        let delivery = match plan.config.store() {
            None => None,
            Some(address) => {
                let client = StoreClient::new(&address, settings)
                    .map_err(|failure| anyhow::anyhow!("{address}: {}", failure.why))?;
                Some(Delivery::start(client, place.clone(), BACKOFF).context("a thread for the store")?)
            }
        };
        let mut recordings = Recordings { plan, host: host(), delivery, made: 0, removed: 0, store_is_away: false };
        for file in files_below(&place) {
            recordings.deliver(&place, &file);
        }
        recordings.take_all();
        Ok(recordings)
    }

    /// Takes all files that the recorder's Stride has made. It has ended.
    pub fn take_all(&mut self) {
        let made = self.plan.made();
        for below in files_below(&made) {
            if let Err(error) = self.take(&made.join(below)) {
                eprintln!("stride-agent: {}: {error:#}", self.plan.config.name);
            }
        }
    }

    /// Takes a file that is complete. Returns where the recording is now: in the store sooner or later, or in a file.
    pub fn take(&mut self, file: &Path) -> Result<String> {
        let bytes = file.metadata()?.len();
        self.made += 1;
        let now = DateTime::<Utc>::from(SystemTime::now());
        let name = format!("{}-{}", self.plan.config.name, now.format("%Y%m%dT%H%M%S%.3fZ"));
        let Some(delivery) = &self.delivery else {
            let path = moved(file, &self.plan.kept(), &name)?;
            self.prune();
            return Ok(path.display().to_string());
        };
        if delivery.state().waiting_bytes + bytes > self.plan.config.keep_bytes() {
            fs::remove_file(file)?;
            self.removed += 1;
            anyhow::bail!(
                "a recording was removed, because those that wait for {} fill the {} MiB of keep-mib",
                delivery.address(),
                self.plan.config.keep_mib
            );
        }
        let day = now.timestamp().div_euclid(86_400);
        let outbox = self.plan.outbox();
        let path = moved(file, &outbox.join(partition(TABLE, day, &self.host)), &name)?;
        let below = path.strip_prefix(&outbox)?;
        self.deliver(&outbox, below);
        Ok(format!("{}/{}", delivery.address(), below.display()))
    }

    fn deliver(&self, outbox: &Path, below: &Path) {
        let bytes = fs::metadata(outbox.join(below)).map_or(0, |found| found.len());
        if let Some(delivery) = &self.delivery {
            delivery.add(SpooledFile { below: below.to_string_lossy().into_owned(), bytes });
        }
    }

    /// Removes the oldest recordings that are kept, until the others have room.
    fn prune(&mut self) {
        let kept = self.plan.kept();
        let mut all: Vec<(SystemTime, PathBuf, u64)> = files_below(&kept)
            .into_iter()
            .filter_map(|below| {
                let path = kept.join(below);
                let found = path.metadata().ok()?;
                Some((found.modified().ok()?, path, found.len()))
            })
            .collect();
        all.sort_by(|one, other| other.cmp(one));
        let mut bytes = 0;
        // (The latest one stays, however large it is.)
        for (number, (_, path, size)) in all.iter().enumerate() {
            bytes += size;
            if number > 0 && bytes > self.plan.config.keep_bytes() && fs::remove_file(path).is_ok() {
                self.removed += 1;
            }
        }
    }

    /// A sentence if the store went away or came back since the last time.
    pub fn news(&mut self) -> Option<String> {
        let delivery = self.delivery.as_ref()?;
        let DeliveryState { waiting, waiting_bytes, failure, .. } = delivery.state();
        let address = delivery.address();
        match (failure, self.store_is_away) {
            (Some(failure), false) => {
                self.store_is_away = true;
                Some(format!(
                    "{address}: {}. {waiting} recordings ({waiting_bytes} bytes) wait, and are tried again",
                    failure.why
                ))
            }
            (None, true) => {
                self.store_is_away = false;
                Some(format!("{address}: the store takes recordings again"))
            }
            _ => None,
        }
    }

    pub fn status(&self) -> RecordingsStatus {
        let store = self.delivery.as_ref().map(|delivery| {
            let state = delivery.state();
            StoreStatus {
                address: delivery.address().to_string(),
                delivered: state.delivered,
                delivered_bytes: state.delivered_bytes,
                waiting: state.waiting,
                waiting_bytes: state.waiting_bytes,
                failed_requests: state.failed,
                failure: state.failure.map(|failure| failure.why),
            }
        });
        RecordingsStatus { made: self.made, removed: self.removed, store }
    }

    /// Waits for the store at the end, and says what stays in the outbox for the next agent.
    pub fn finish(&mut self, longest: Duration) -> Option<String> {
        let delivery = self.delivery.take()?;
        let address = delivery.address().clone();
        let ended = delivery.end(longest, || false, |_| ());
        remove_empty(&self.plan.outbox());
        let left = ended.left.len();
        (left > 0).then(|| {
            let why = ended.why.unwrap_or_default();
            format!(
                "{address}: {left} recordings are left for the next start in {}: {why}",
                self.plan.outbox().display()
            )
        })
    }
}

/// The name of this machine. (In a container, the variable says that of the machine around it.)
fn host() -> String {
    let own = || nix::unistd::gethostname().unwrap_or_default().to_string_lossy().into_owned();
    std::env::var("STRIDE_HOST").ok().filter(|name| !name.is_empty()).unwrap_or_else(own)
}

/// Moves a recording into a directory, under a name that is free.
fn moved(file: &Path, to: &Path, name: &str) -> Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(to).with_context(|| to.display().to_string())?;
    for number in 1..=MOST_NAMES {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let path = to.join(format!("{name}{number}.rec"));
        // (A link, because a rename would take the place of another file.)
        match fs::hard_link(file, &path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
            Ok(()) => {
                fs::remove_file(file)?;
                return Ok(path);
            }
        }
    }
    anyhow::bail!("{}: there are {MOST_NAMES} recordings of this name", to.join(name).display())
}

/// The regular files below a directory, sorted, as paths below it.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    fn add(directory: &Path, below: &Path, to: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), below.join(entry.file_name()));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => add(&path, &name, to),
                Ok(kind) if kind.is_file() => to.push(name),
                _ => {}
            }
        }
    }
    let mut all = Vec::new();
    add(directory, Path::new(""), &mut all);
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::FlightConfig;
    use stride_test_support::Scratch;

    fn plan(scratch: &Scratch) -> FlightPlan {
        let config = FlightConfig {
            name: "io".into(),
            select: vec![],
            triggers: vec!["killed".into()],
            memory: "1M".into(),
            after: None,
            per_day: 1,
            keep_mib: 1,
            upload: None,
        };
        FlightPlan { config, directory: scratch.path("agent") }
    }

    #[test]
    fn the_latest_recordings_are_kept() {
        let scratch = Scratch::new("agent-recordings");
        let plan = plan(&scratch);
        let mut recordings = Recordings::open(plan.clone(), &StoreSettings::default()).unwrap();
        let mut paths = Vec::new();
        for number in 0..4u8 {
            let file = plan.made().join("x");
            fs::write(&file, vec![number; 400 << 10]).unwrap();
            paths.push(PathBuf::from(recordings.take(&file).unwrap()));
            // Times of files are only so exact.
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(paths.iter().map(|path| path.exists()).collect::<Vec<_>>(), [false, false, true, true]);
        assert_eq!(fs::read(&paths[3]).unwrap()[0], 3);
        assert_eq!((recordings.made, recordings.removed), (4, 2));
        let name = paths[3].file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("io-2") && name.ends_with(".rec"), "{name}");
    }

    #[test]
    fn recordings_of_a_killed_agent_are_taken_up() {
        let scratch = Scratch::new("agent-left");
        let plan = plan(&scratch);
        fs::create_dir_all(plan.made()).unwrap();
        fs::write(plan.made().join("a.rec"), "1").unwrap();
        fs::write(plan.made().join("a.rec.2"), "2").unwrap();
        let recordings = Recordings::open(plan.clone(), &StoreSettings::default()).unwrap();
        assert_eq!(recordings.made, 2);
        assert_eq!(files_below(&plan.kept()).len(), 2, "each has a name of its own");
        assert_eq!(files_below(&plan.made()).len(), 0);
    }
}
