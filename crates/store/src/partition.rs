//! Directories with names that DuckDB, Spark and Trino read as columns: `TABLE/date=2026-11-23/host=web1`.

use chrono::DateTime;
use std::path::{Path, PathBuf};

/// The longest name of a host in the name of a directory.
const LONGEST_HOST: usize = 64;
const SECONDS_OF_DAY: i64 = 86_400;

/// The directory of a table's files about a day, below the directory of all. Days are those of UTC, counted from 1970 on.
pub fn partition(table: &str, day: i64, host: &str) -> PathBuf {
    Path::new(table).join(format!("date={}", date(day))).join(format!("host={}", directory_value(host)))
}

fn date(day: i64) -> String {
    let time = day.checked_mul(SECONDS_OF_DAY).and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.unwrap_or_default().format("%Y-%m-%d").to_string()
}

/// A host's name as part of a directory's name. The bytes of a recording may be anything. Hive writes characters that
/// mean something in the same way.
fn directory_value(host: &str) -> String {
    let host: Vec<u8> = host.bytes().take(LONGEST_HOST).collect();
    if host.is_empty() {
        // Hive's name for a missing value.
        return "__HIVE_DEFAULT_PARTITION__".into();
    }
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    host.into_iter().map(|b| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}
