//! The directories and names of the files of a trace.
//!
//! `DIR/TABLE/date=2026-11-23/host=web1/TRACE-0000.parquet`: directories with names that DuckDB, Spark and Trino read
//! as columns.

use crate::clock::units;
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use stride_output::RunInfo;

/// The directory, and the parts of names that all tables of a trace have in common.
pub struct TracePlace {
    pub directory: PathBuf,
    host: String,
    pub trace_id: String,
}

const SECONDS_OF_DAY: i64 = 86_400;

impl TracePlace {
    pub fn new(directory: PathBuf, info: &RunInfo) -> TracePlace {
        TracePlace { directory, host: info.host.clone(), trace_id: trace_id(info) }
    }

    /// The directory for files of a table about a day, below the directory of all.
    pub fn partition(&self, table: &str, day: i64) -> PathBuf {
        stride_store::partition(table, day, &self.host)
    }

    pub fn file_name(&self, number: u32) -> String {
        format!("{}-{number:04}.parquet", self.trace_id)
    }
}

/// The day of a time, in UTC, counted from 1970 on.
pub fn day(wall_ns: i128) -> i64 {
    units(wall_ns, 1_000_000_000 * SECONDS_OF_DAY)
}

/// The identity of a run. A replay has that of the run that was recorded.
fn trace_id(info: &RunInfo) -> String {
    let mut hash = Sha256::new();
    let wall = i128::from(info.started) + info.wall_offset;
    hash.update(wall.to_le_bytes());
    for text in [info.host.as_bytes(), info.release.as_bytes()] {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    for arg in &info.args {
        hash.update((arg.len() as u64).to_le_bytes());
        hash.update(arg.as_encoded_bytes());
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories() {
        let info = RunInfo { host: "../a b=c/é\n".into(), ..RunInfo::default() };
        let place = TracePlace::new("/x".into(), &info);
        assert_eq!(
            place.partition("calls", day(1_795_305_600_000_000_000)).to_str(),
            Some("calls/date=2026-11-22/host=..%2Fa%20b%3Dc%2F%C3%A9%0A")
        );
        let none = TracePlace::new("/x".into(), &RunInfo::default());
        assert!(none.partition("calls", i64::MAX).ends_with("date=1970-01-01/host=__HIVE_DEFAULT_PARTITION__"));
        assert!(none.partition("calls", day(-1)).ends_with("date=1969-12-31/host=__HIVE_DEFAULT_PARTITION__"));
    }

    #[test]
    fn traces_are_told_apart() {
        let info = RunInfo { host: "a".into(), started: 5, args: vec!["ls".into()], ..RunInfo::default() };
        let id = |change: fn(&mut RunInfo)| {
            let mut info = info.clone();
            change(&mut info);
            trace_id(&info)
        };
        let same = id(|_| ());
        assert_eq!((same.len(), id(|_| ())), (32, same.clone()));
        for other in [
            id(|info| info.host = "b".into()),
            id(|info| info.started = 6),
            id(|info| info.wall_offset = 1),
            id(|info| info.args.push("".into())),
            id(|info| info.args = vec!["l".into(), "s".into()]),
        ] {
            assert_ne!(same, other);
        }
    }
}
