//! Facts about the run, and the gaps in the data.

use crate::spelling::legible::{command_line, legible};
use crate::{End, RunInfo};
use chrono::{DateTime, Local};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use stride_event::{Ns, quantity::count};

#[derive(Default)]
pub struct RunFacts {
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    /// Whole sentences.
    pub warnings: Vec<String>,
    pub lost: u64,
    args: Vec<OsString>,
    wall_offset: i128,
}

fn time_of_day(at: Ns, wall_offset: i128) -> String {
    let at = i64::try_from(i128::from(at) + wall_offset).unwrap_or(0);
    DateTime::from_timestamp_nanos(at).with_timezone(&Local).format("%Y-%m-%d %H:%M:%S %z").to_string()
}

impl RunFacts {
    pub fn of(info: &RunInfo) -> RunFacts {
        let text = |text: &str| legible(text.as_bytes(), 200);
        let args: Vec<&[u8]> = info.args.iter().map(|arg| arg.as_bytes()).collect();
        let kernel = format!("Linux {} {}", info.release, info.machine);
        let facts = [
            ("Traced with", command_line(&args, 300, usize::MAX)),
            ("Began", time_of_day(info.started, info.wall_offset)),
            ("Host", text(&info.host)),
            ("Kernel", text(kernel.trim())),
            ("Engine", text(&info.engine)),
            ("Stride", text(&info.version)),
        ];
        RunFacts {
            facts: facts.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
            args: info.args.clone(),
            wall_offset: info.wall_offset,
            ..RunFacts::default()
        }
    }

    /// Sets the beginning of the run, which is later than that of tracing.
    pub fn began(&mut self, at: Ns) {
        if let Some((_, value)) = self.facts.iter_mut().find(|(name, _)| *name == "Began") {
            *value = time_of_day(at, self.wall_offset);
        }
    }

    /// The full command line, if its words begin with the `captured` ones.
    pub fn command(&self, captured: &[Vec<u8>]) -> Option<String> {
        let words: Vec<&[u8]> = self.args.iter().map(|arg| arg.as_bytes()).collect();
        let words = &words[words.len().checked_sub(captured.len())?..];
        let same = words.iter().zip(captured).all(|(word, begin)| word.starts_with(begin));
        (same && !words.is_empty()).then(|| command_line(words, 300, usize::MAX))
    }

    pub fn lost(&mut self, end: &End<'_>) {
        self.lost = end.lost.calls;
        if end.lost.calls > 0 {
            let lost = count(end.lost.calls, "call was made and not seen", "calls were made and not seen");
            self.warnings.insert(
                0,
                format!("{lost}: they came faster than Stride could read them. They are not counted on this page."),
            );
        }
        if end.lost.signals > 0 {
            let lost = count(end.lost.signals, "signal was", "signals were");
            self.warnings.insert(0, format!("{lost} lost: they came faster than they could be read."));
        }
        if end.lost.threads > 0 {
            let lost = count(end.lost.threads, "start or end of a thread was", "starts or ends of threads were");
            self.warnings.insert(0, format!("{lost} not seen: the tree of processes and the timeline may have gaps."));
        }
    }
}
