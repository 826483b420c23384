//! The summaries that another Stride writes.

use super::process::HelperProcess;
use super::shared_options::SharedOptions;
use crate::model::CallsApart;
use crate::model::sample::{Sample, SampleKey, SampleTally};
use serde_json::Value;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use stride_engine_base::signal::without_signals;
use stride_output::shown;

/// A line of a summary is shorter, unless a path is hostile.
const LONGEST_LINE: u64 = 1 << 20;
const MOST_ROWS: usize = 1 << 15;

/// The summaries of another Stride.
pub struct SummarySource {
    pub wanted: CallsApart,
    /// Dropped first: the thread that fills it then ends, and with it the pipe, so that the other Stride cannot wait for a reader.
    samples: Receiver<Sample>,
    other: HelperProcess,
    /// It has ended, and the user has been informed.
    over: bool,
}

/// A message from another Stride.
pub enum HelperOutput {
    Sample(Sample),
    /// It ended by itself. The text may say why.
    Ended(String),
}

impl SummarySource {
    pub fn start(shared: &SharedOptions, wanted: CallsApart, family: &[i32]) -> io::Result<SummarySource> {
        let (read, write) = io::pipe()?;
        // Summaries go where the trace goes.
        let mut words = vec![OsString::from("-o"), "/dev/stdout".into()];
        words.extend(shared.summary(&wanted, family));
        let other = HelperProcess::start(&words, write.into())?;
        let (send, samples) = sync_channel(4);
        let read_all = move || {
            let mut rows = Vec::new();
            let mut lines = BufReader::new(read);
            let mut line = Vec::new();
            loop {
                line.clear();
                match (&mut lines).take(LONGEST_LINE).read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {}
                }
                let Ok(row) = serde_json::from_slice::<Value>(&line) else { continue };
                match row["type"].as_str() {
                    Some("summary") if rows.len() < MOST_ROWS => rows.extend(parsed(&row)),
                    // Operations of io_uring come before the calls of the interval.
                    Some("summary_total") if row["of"].is_null() => {
                        let length = row["interval_ns"].as_u64().unwrap_or(1);
                        if send.send(Sample { length, rows: std::mem::take(&mut rows), ..Sample::default() }).is_err() {
                            break;
                        }
                    }
                    _ => {}
                }
            }
        };
        without_signals(|| std::thread::Builder::new().name("stride-detail".into()).spawn(read_all))?;
        Ok(SummarySource { wanted, other, samples, over: false })
    }

    pub fn news(&mut self) -> Option<HelperOutput> {
        match self.samples.try_recv() {
            Ok(sample) => Some(HelperOutput::Sample(sample)),
            Err(TryRecvError::Disconnected) if !self.over => {
                self.over = true;
                Some(HelperOutput::Ended(self.other.end()))
            }
            Err(_) => None,
        }
    }
}

/// A row of a summary as JSON. The names in it may be hostile.
fn parsed(row: &Value) -> Option<(SampleKey, SampleTally)> {
    let by = &row["by"];
    let text = |name: &str| -> Arc<str> { by[name].as_str().map(printable).unwrap_or_default().into() };
    let errno = text("errno");
    let number = |of: &Value| of.as_u64().unwrap_or(0);
    let key = SampleKey {
        pid: by["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok())?,
        comm: text("comm"),
        call: if row["of"].is_null() { text("syscall") } else { text("operation") },
        errno: if &*errno == "ok" { Arc::default() } else { errno },
        path: text("path"),
        caller: text("caller"),
    };
    let tally = SampleTally {
        calls: number(&row["calls"]),
        errors: number(&row["errors"]),
        bytes: number(&row["bytes"]),
        time: number(&row["wall_ns"]["total"]),
        longest: number(&row["wall_ns"]["max"]),
        blocked: number(&row["blocked_ns"]),
        runnable: number(&row["runnable_ns"]),
    };
    Some((key, tally))
}

/// Functions have many characters that are escaped in paths.
fn printable(text: &str) -> String {
    if text.chars().all(|c| (' '..='~').contains(&c)) { text.to_owned() } else { shown(text.as_bytes()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_their_names() {
        let row = r#"{"of":"io_uring","by":{"operation":"io_uring:read","pid":7,"path":"/x"},"calls":2,"errors":1}"#;
        let (key, tally) = parsed(&serde_json::from_str(row).unwrap()).unwrap();
        assert_eq!((&*key.call, &*key.path, tally.calls, tally.errors), ("io_uring:read", "/x", 2, 1));
    }

    #[test]
    fn hostile_rows_are_printable_or_left_out() {
        let row = r#"{"by":{"pid":7,"comm":"a\u001b[2J","path":"/x\u202ey\n"},"calls":2,"errors":"x"}"#;
        let row: Value = serde_json::from_str(row).unwrap();
        let (key, tally) = parsed(&row).unwrap();
        assert_eq!((&*key.comm, &*key.path, tally.calls, tally.errors), ("a\\33[2J", "/x\\342\\200\\256y\\n", 2, 0));
        for row in ["{}", "[]", r#"{"by":{"pid":"(others)"}}"#, r#"{"by":{"pid":99999999999}}"#] {
            assert_eq!(parsed(&serde_json::from_str(row).unwrap()), None, "{row}");
        }
    }
}
