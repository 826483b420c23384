//! Another Stride that looks at single calls, for what the kernel does not count: files, sockets, callers, and filters by these. It runs only while
//! a table asks for it, traces no more than this one, and writes its summaries to a pipe. A further one writes recordings.

use super::model::CallsApart;
use super::sample::{Sample, SampleKey, SampleTally};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};
use stride_engine_base::signal::without_signals;
use stride_output::shown;
use stride_session::Options;
use stride_session::options::TypedOption;

/// The filters of the machine's processes, and the option without any. They make no sense with `-p`.
const OF_MACHINE: [&str; 6] = ["all", "cgroup", "comm", "container", "exe", "user"];
/// Options about the command that this Stride starts. Others attach to it.
const OF_COMMAND: [&str; 3] = ["argv0", "env", "user"];
/// The options of the live view.
const OWN: [&str; 2] = ["top", "top-output"];
/// A line of a summary is shorter, unless a path is hostile.
const LONGEST_LINE: u64 = 1 << 20;
const MOST_ROWS: usize = 1 << 15;
/// Bytes of messages.
const MOST_TOLD: u64 = 4096;

/// The options of this Stride, for others to trace the same.
#[derive(Clone, Debug, Default)]
pub struct SharedOptions {
    given: Vec<TypedOption>,
    /// The command that this Stride started.
    pub command: Option<i32>,
    /// The options have -f already.
    follows: bool,
    pub replays: bool,
}

impl SharedOptions {
    pub fn new(options: &Options, command: Option<i32>) -> SharedOptions {
        let is_shared =
            |option: &&TypedOption| !(option.is_any(&OWN) || options.command.is_some() && option.is_any(&OF_COMMAND));
        SharedOptions {
            given: options.typed.iter().filter(is_shared).cloned().collect(),
            command,
            follows: options.spec.follow && options.spec.machine.is_none(),
            replays: options.replay.is_some(),
        }
    }

    /// The options by which another Stride traces the same, or one process of it. `family` are the processes of now, if those that were asked
    /// for have started others.
    fn target(&self, pid: Option<i32>, family: &[i32]) -> Vec<OsString> {
        let names_target = |option: &&TypedOption| option.is_any(&OF_MACHINE) || option.is_any(&["attach"]);
        let chosen = pid.is_some() && !self.replays;
        let kept = self.given.iter().filter(|option| !(chosen && names_target(option)));
        let mut words: Vec<OsString> = kept.flat_map(TypedOption::words).collect();
        if self.replays {
            return words;
        }
        if pid.is_none() && self.command.is_none() && !self.given.iter().any(|option| names_target(&option)) {
            words.push("--all".into());
        }
        let wanted: Vec<String> = match pid.or(self.command) {
            Some(one) if pid.is_some() || family.is_empty() => vec![one.to_string()],
            _ => family.iter().map(ToString::to_string).collect(),
        };
        if !wanted.is_empty() {
            if !self.follows {
                words.push("-f".into());
            }
            words.extend(["-p".into(), wanted.join(",").into()]);
        }
        words
    }

    /// The words for a summary of each second.
    pub fn summary(&self, detail: &CallsApart, family: &[i32]) -> Vec<OsString> {
        let mut words = self.target(detail.pid, family);
        self.hush(&mut words);
        words.extend([OsString::from(format!("--by={}", detail.keys)), "--json".into()]);
        if !self.replays {
            words.push("--every=1s".into());
        }
        if self.replays
            && let Some(pid) = detail.pid
        {
            words.push(format!("--where=pid == {pid}").into());
        }
        words.extend(detail.conditions.iter().map(|condition| OsString::from(format!("--where={condition}"))));
        words
    }

    /// Leaves out the messages about processes that come and go.
    fn hush(&self, words: &mut Vec<OsString>) {
        if !self.given.iter().any(|option| option.is_any(&["quiet"])) {
            words.push("-q".into());
        }
    }

    /// The words for a recording.
    pub fn recording(&self, pid: Option<i32>, conditions: &[String], file: &Path, family: &[i32]) -> Vec<OsString> {
        let mut words = self.target(pid, family);
        let mut option = OsString::from("--record=");
        option.push(file);
        words.push(option);
        words.extend(conditions.iter().map(|condition| OsString::from(format!("--where={condition}"))));
        words
    }
}

/// A Stride that was started. It is ended when this is dropped.
pub struct HelperProcess {
    /// None when it is being ended.
    child: Option<Child>,
    /// Its messages. (A pipe that nobody reads could block it.)
    messages: File,
}

/// The time that it has for its end.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(20);

impl HelperProcess {
    /// `out` is where its standard output goes.
    fn start(words: &[OsString], out: Stdio) -> io::Result<HelperProcess> {
        let messages = File::from(memfd_create(c"messages", MFdFlags::MFD_CLOEXEC)?);
        let mut command = Command::new("/proc/self/exe");
        command.args(words).stdin(Stdio::null()).stdout(out).stderr(messages.try_clone()?);
        // This thread gets no signals, and a child would inherit that.
        let mask = SigSet::empty().thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
        let child = command.spawn();
        mask.thread_set_mask()?;
        Ok(HelperProcess { child: Some(child?), messages })
    }

    pub fn record(words: &[OsString]) -> io::Result<HelperProcess> {
        HelperProcess::start(words, Stdio::null())
    }

    /// Its messages, if it has ended by itself.
    pub fn ended(&mut self) -> Option<String> {
        self.child.as_mut()?.try_wait().ok().flatten()?;
        Some(self.take_messages())
    }

    /// Ends it as ^C does, and returns its messages.
    pub fn end(&mut self) -> String {
        if let Some(child) = self.child.take() {
            end(child);
        }
        self.take_messages()
    }

    fn take_messages(&mut self) -> String {
        let mut text = Vec::new();
        // The last ones, because a recorder may tell of each process.
        let length = self.messages.metadata().map_or(0, |metadata| metadata.len());
        if self.messages.seek(SeekFrom::Start(length.saturating_sub(MOST_TOLD))).is_ok() {
            let _ = (&self.messages).take(MOST_TOLD).read_to_end(&mut text);
        }
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().map(|line| line.split_once(": ").map_or(line, |(_, message)| message));
        let comes_or_goes = |line: &&str| line.starts_with("Process ") && line.ends_with("tached");
        let lines: Vec<&str> = lines.filter(|line| !comes_or_goes(line)).collect();
        // Later messages matter more, where not all fit.
        shown(lines.into_iter().rev().take(3).collect::<Vec<_>>().join("; ").as_bytes())
    }
}

/// The traced processes run on, also if it has to be killed.
fn end(mut child: Child) {
    // It has not been waited for, so its id is still its own.
    let pid = Pid::from_raw(child.id() as i32);
    let begun = Instant::now();
    if matches!(child.try_wait(), Ok(None)) {
        let _ = kill(pid, Signal::SIGINT);
    }
    while matches!(child.try_wait(), Ok(None)) {
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        std::thread::sleep(LOOK);
    }
}

impl Drop for HelperProcess {
    /// Nobody waits for the end: the view has other things to show.
    fn drop(&mut self) {
        if let Some(child) = self.child.take() {
            let pid = Pid::from_raw(child.id() as i32);
            let ended = || std::thread::Builder::new().name("stride-end".into()).spawn(move || end(child));
            if without_signals(ended).is_err() {
                let _ = kill(pid, Signal::SIGINT);
            }
        }
    }
}

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
                        if send.send(Sample { length, rows: std::mem::take(&mut rows) }).is_err() {
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
    };
    Some((key, tally))
}

/// Functions have many characters that are escaped in paths.
fn printable(text: &str) -> String {
    if text.chars().all(|c| (' '..='~').contains(&c)) { text.to_owned() } else { shown(text.as_bytes()) }
}

/// The file of a new recording, in the working directory.
pub fn recording_name(seconds: u64, exists: impl Fn(&OsStr) -> bool) -> OsString {
    let name = |n: u32| {
        OsString::from(if n == 0 { format!("stride-{seconds}.rec") } else { format!("stride-{seconds}-{n}.rec") })
    };
    (0..1000).map(name).find(|name| !exists(name)).unwrap_or_else(|| name(1000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_session::options::{Command, Spelling};

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    fn long(long: &'static str, value: Option<&str>) -> TypedOption {
        TypedOption::new(vec![long], Spelling::Long(long), value.map(OsString::from))
    }

    fn short(short: char, long: &'static str, value: Option<&str>) -> TypedOption {
        TypedOption::new(vec![long], Spelling::Short(short), value.map(OsString::from))
    }

    fn shared(given: Vec<TypedOption>, command: Option<i32>) -> SharedOptions {
        let mut options = Options::default();
        options.spec.follow = given.iter().any(|option| option.is_any(&["follow-forks"]));
        options.replay = given.iter().any(|option| option.is_any(&["replay"])).then(|| "r".into());
        options.command = command.map(|_| Command {
            program: "sh".into(),
            argv: vec!["sh".into(), "--top".into()],
            env: Vec::new(),
            user: None,
        });
        given.into_iter().for_each(|option| options.typed.add(option));
        SharedOptions::new(&options, command)
    }

    #[test]
    fn another_stride_traces_the_same() {
        let detail = |pid| CallsApart { keys: "pid,path", conditions: vec!["name == \"read\"".into()], pid };
        let tail = ["-q", "--by=pid,path", "--json", "--every=1s", "--where=name == \"read\""];
        let trace = || TypedOption::new(vec!["trace"], Spelling::Qualifier("trace"), Some("file".into()));
        let filters = || {
            let user = long("user", Some("y"));
            vec![long("all", None), long("comm", Some("x")), long("top", None), user, trace()]
        };
        let top = || long("top", None);
        for (given, command, pid, expected) in [
            (vec![top()], None, None, &["--all"][..]),
            (vec![top()], None, Some(7), &["-f", "-p", "7"]),
            (filters(), None, None, &["--all", "--comm=x", "--user=y", "-e", "trace=file"]),
            (filters(), None, Some(7), &["-e", "trace=file", "-f", "-p", "7"]),
            (vec![top(), trace()], Some(9), None, &["-e", "trace=file", "-f", "-p", "9"]),
            (vec![long("top-output", Some("/x")), short('p', "attach", Some("12"))], None, None, &["-p", "12"]),
            (vec![short('f', "follow-forks", None), top()], Some(9), None, &["-f", "-p", "9"]),
            (vec![top(), short('p', "attach", Some("12"))], None, Some(12), &["-f", "-p", "12"]),
            // The user and the environment are those of the command, which runs already.
            (vec![short('u', "user", Some("y")), long("env", Some("A=1")), top()], Some(9), None, &["-f", "-p", "9"]),
        ] {
            let options = format!("{given:?}");
            assert_eq!(
                shared(given, command).summary(&detail(pid), &[]),
                words(&[expected, &tail].concat()),
                "{options}"
            );
        }
        // Children of the command are there already; -p names its processes besides.
        let family = |given: Vec<TypedOption>, command, pid| {
            let options = shared(given, command).summary(&detail(pid), &[9, 10, 12]);
            options[..options.len() - tail.len()].to_vec()
        };
        let follows = || vec![short('f', "follow-forks", None), top()];
        assert_eq!(family(follows(), Some(9), None), words(&["-f", "-p", "9,10,12"]));
        assert_eq!(family(follows(), Some(9), Some(10)), words(&["-f", "-p", "10"]));
        let attached = [follows(), vec![short('p', "attach", Some("9"))]].concat();
        assert_eq!(family(attached, None, None), words(&["-f", "-p", "9", "-p", "9,10,12"]));
        let replayed = shared(vec![long("replay", Some("r")), top()], None);
        let expected = ["--replay=r", "-q", "--by=pid,path", "--json", "--where=pid == 3", "--where=name == \"read\""];
        assert_eq!(replayed.summary(&detail(Some(3)), &[]), words(&expected));
        let quiet = shared(vec![short('q', "quiet", None), top()], None);
        assert_eq!(quiet.summary(&detail(None), &[])[..3], words(&["-q", "--all", "--by=pid,path"]));
    }

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
