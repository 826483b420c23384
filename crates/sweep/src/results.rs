//! The results of runs, which a file may keep so that a later sweep goes on.

use crate::fault::SweepFault;
use crate::observed::{PlaceOfCall, Site};
use crate::site::SiteKey;
use crate::verdict::SweepVerdict;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// One site with one fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    pub site: SiteKey,
    pub call: String,
    pub caller: String,
    /// The rule of `--inject` by which the fault is made.
    pub rule: String,
    /// The fault, as its term.
    pub fault: String,
    /// `fails with EIO`
    pub happens: String,
    pub verdict: SweepVerdict,
}

impl Tested {
    pub fn new(site: &Site, fault: SweepFault, rule: String, happens: String, verdict: SweepVerdict) -> Tested {
        let (call, caller) = (site.call.to_owned(), site.caller.clone());
        Tested { site: site.own_key(), call, caller, rule, fault: fault.term(), happens, verdict }
    }
}

impl Tested {
    fn texts(&self) -> impl Iterator<Item = &str> {
        [&self.call, &self.caller, &self.rule, &self.fault, &self.happens, &self.verdict.what]
            .into_iter()
            .map(|text| &text[..])
    }
}

/// `openat:error=EIO:when=3:thread=1`. `lasts`: all calls of this thread from there on are changed.
pub fn rule(call: &str, fault: SweepFault, place: &PlaceOfCall, lasts: bool) -> String {
    let more = if lasts { "+" } else { "" };
    format!("{call}:{}:when={}{more}:thread={}", fault.term(), place.n, place.thread)
}

/// The first line of a file of results.
#[derive(PartialEq, Serialize, Deserialize)]
struct Head {
    stride_sweep: u32,
    command: Vec<String>,
}

const VERSION: u32 = 1;

/// A line may have so many bytes. (Names of functions can be long.)
const MOST_LINE: usize = 1 << 20;

/// A file of results.
pub struct Results {
    file: File,
}

impl Results {
    /// Opens a file, or makes it. Returns the results that are in it. The last line is left out if it is not whole.
    pub fn open(path: &Path, command: &[String]) -> Result<(Results, Vec<Tested>)> {
        let shown = path.display();
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = file.with_context(|| format!("'{shown}' cannot be opened"))?;
        let head = Head { stride_sweep: VERSION, command: command.to_vec() };
        let mut tested = Vec::new();
        // The end of the last whole line.
        let mut end = 0;
        let mut first = true;
        let mut reader = BufReader::new(&file);
        loop {
            let mut line = Vec::new();
            let n = std::io::Read::take(&mut reader, MOST_LINE as u64).read_until(b'\n', &mut line)?;
            if n == 0 {
                break;
            }
            if !line.ends_with(b"\n") {
                break;
            }
            end += n as u64;
            if first {
                let known: Head = serde_json::from_slice(&line)
                    .with_context(|| format!("'{shown}' is no file of --sweep-results"))?;
                if known != head {
                    bail!("'{shown}' has the results of another command: {}", known.command.join(" ").escape_debug());
                }
                first = false;
                continue;
            }
            let result: Tested =
                serde_json::from_slice(&line).with_context(|| format!("'{shown}' is damaged at byte {end}"))?;
            if result.texts().any(|text| text.contains(|c: char| c.is_control())) {
                bail!("'{shown}' is damaged: a name has a control character");
            }
            tested.push(result);
        }
        // A line that a kill or a full disk has cut off goes.
        if first && file.metadata()?.len() > 0 {
            bail!("'{shown}' is no file of --sweep-results");
        }
        file.set_len(end)?;
        if first {
            writeln!(file, "{}", serde_json::to_string(&head)?)?;
        }
        Ok((Results { file }, tested))
    }

    pub fn add(&mut self, tested: &Tested) -> Result<()> {
        // One write for each line: a kill leaves whole lines.
        let line = serde_json::to_string(tested)? + "\n";
        self.file.write_all(line.as_bytes()).context("the results cannot be kept")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::VerdictKind;
    use stride_test_support::Scratch;

    fn tested() -> Tested {
        let site = serde_json::from_str("7").unwrap();
        let text = |text: &str| text.to_owned();
        Tested {
            site,
            call: text("read"),
            caller: text("load (load.c:3)"),
            rule: text("read:error=EIO:when=1:thread=1"),
            fault: text("error=EIO"),
            happens: text("fails with EIO"),
            verdict: SweepVerdict::new(VerdictKind::Crash, "SIGSEGV ends it"),
        }
    }

    #[test]
    fn a_later_sweep_has_the_results() {
        let scratch = Scratch::new("sweep-results");
        let path = scratch.path("results");
        let command = ["cat".to_owned()];
        let (mut results, earlier) = Results::open(&path, &command).unwrap();
        assert_eq!(earlier, []);
        results.add(&tested()).unwrap();
        results.add(&tested()).unwrap();
        drop(results);
        assert_eq!(Results::open(&path, &command).unwrap().1, [tested(), tested()]);
        // A kill has cut off the last line.
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        let (mut results, earlier) = Results::open(&path, &command).unwrap();
        assert_eq!(earlier, [tested()]);
        results.add(&tested()).unwrap();
        assert_eq!(Results::open(&path, &command).unwrap().1, [tested(), tested()]);
    }

    #[test]
    fn other_files_are_refused() {
        let scratch = Scratch::new("sweep-results-refused");
        let path = scratch.path("results");
        let refused = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let error = Results::open(&path, &["cat".to_owned()]).err().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "the file is left as it was");
            format!("{error:#}")
        };
        assert!(refused("hello\n").contains("is no file of --sweep-results"));
        assert!(refused("hello").contains("is no file of --sweep-results"));
        let head = |command: &str| format!("{{\"stride_sweep\":1,\"command\":[\"{command}\"]}}\n");
        assert!(refused(&head("ls")).contains("has the results of another command: ls"));
        assert!(refused(&(head("cat") + "{}\n")).contains("is damaged at byte"));
        let hostile = Tested { caller: "a\x1b[2J".into(), ..tested() };
        let line = serde_json::to_string(&hostile).unwrap() + "\n";
        assert!(refused(&(head("cat") + &line)).contains("a name has a control character"));
    }
}
