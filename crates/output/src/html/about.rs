//! The circumstances of the run, and what is missing in it.

use super::legible::{command_line, legible};
use crate::{End, RunInfo, grouped};
use chrono::{DateTime, Local};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

#[derive(Default)]
pub struct About {
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    /// In whole sentences.
    pub warnings: Vec<String>,
    pub lost: u64,
    args: Vec<OsString>,
}

impl About {
    pub fn of(info: &RunInfo) -> About {
        let text = |text: &str| legible(text.as_bytes(), 200);
        let began = i64::try_from(i128::from(info.started) + info.wall_offset).unwrap_or(0);
        let began = DateTime::from_timestamp_nanos(began).with_timezone(&Local);
        let args: Vec<&[u8]> = info.args.iter().map(|arg| arg.as_bytes()).collect();
        let kernel = format!("Linux {} {}", info.release, info.machine);
        let facts = [
            ("Traced with", command_line(&args, 300, usize::MAX)),
            ("Began", began.format("%Y-%m-%d %H:%M:%S %z").to_string()),
            ("Host", text(&info.host)),
            ("Kernel", text(kernel.trim())),
            ("Engine", text(&info.engine)),
            ("Stride", text(&info.version)),
        ];
        About {
            facts: facts.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
            args: info.args.clone(),
            ..About::default()
        }
    }

    /// The command that was started, in full: of its words, `captured` is how they begin.
    pub fn command(&self, captured: &[Vec<u8>]) -> Option<String> {
        let words: Vec<&[u8]> = self.args.iter().map(|arg| arg.as_bytes()).collect();
        let words = &words[words.len().checked_sub(captured.len())?..];
        let same = words.iter().zip(captured).all(|(word, begin)| word.starts_with(begin));
        (same && !words.is_empty()).then(|| command_line(words, 300, usize::MAX))
    }

    pub fn lost(&mut self, end: &End<'_>) {
        self.lost = end.lost_calls;
        let are = |n: u64, one: &str, many: &str| format!("{} {}", grouped(n), if n == 1 { one } else { many });
        if end.lost_calls > 0 {
            let lost = are(end.lost_calls, "call was made and not seen", "calls were made and not seen");
            self.warnings.insert(
                0,
                format!("{lost}: they came faster than they could be read. Nothing on this page counts them."),
            );
        }
        if end.lost_threads > 0 {
            let lost = are(end.lost_threads, "start or end of a thread was", "starts or ends of threads were");
            self.warnings.insert(0, format!("{lost} not seen: the tree of processes and the timeline may have gaps."));
        }
    }
}
