//! Keeps one `stride` running, in a task of its own.
//!
//! A Stride that ends is started again, after a wait that grows with each failure in turn. A flight recorder's Stride may write as many recordings
//! as the day still allows. When it has written them and the day allows more, it is started anew: its triggers were off, so nothing is missed.

use crate::door;
use crate::plan::TracerPlan;
use crate::recordings::{Recordings, RecordingsStatus};
use anyhow::Result;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::Serialize;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use stride_store::StoreSettings;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{sleep_until, timeout};

/// A Stride that ran as long as this has started well.
const WELL: Duration = Duration::from_secs(60);
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Stride detaches its programs, and may write a recording, in this time.
const END: Duration = Duration::from_secs(20);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The time between two looks at the store, and at what the day allows.
const LOOK: Duration = Duration::from_secs(5);
/// The store has this long at the end.
const STORE_END: Duration = Duration::from_secs(10);
const LONGEST_LINE: usize = 2000;

pub enum TracerOrder {
    End,
    /// Writes a recording now, and says where it is.
    Record(oneshot::Sender<Result<String, String>>),
}

/// The facts for `--status`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum TracerPhase {
    Tracing,
    /// Stride has ended, and is started again soon.
    Waiting,
}

#[derive(Debug, Serialize)]
pub struct TracerStatus {
    name: String,
    state: TracerPhase,
    pid: Option<u32>,
    starts: u64,
    /// The last line that Stride has said.
    said: String,
    #[serde(flatten)]
    recordings: Option<RecordingsStatus>,
}

pub struct Tracer {
    pub plan: TracerPlan,
    orders: mpsc::Sender<TracerOrder>,
    shared: Arc<Mutex<Shared>>,
    task: JoinHandle<()>,
}

struct Shared {
    pid: Option<u32>,
    starts: u64,
    said: String,
    recordings: Option<Recordings>,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tracer {
    pub fn start(plan: TracerPlan, stride: PathBuf, settings: &StoreSettings) -> Result<Tracer> {
        let recordings = plan.flight.clone().map(|flight| Recordings::open(flight, settings)).transpose()?;
        let shared = Arc::new(Mutex::new(Shared { pid: None, starts: 0, said: String::new(), recordings }));
        let (orders, taken) = mpsc::channel(8);
        let keeper = Keeper {
            plan: plan.clone(),
            stride,
            orders: taken,
            shared: shared.clone(),
            triggered: VecDeque::new(),
            asked: Vec::new(),
        };
        let task = tokio::spawn(keeper.keep());
        Ok(Tracer { plan, orders, shared, task })
    }

    pub fn status(&self) -> TracerStatus {
        let shared = lock(&self.shared);
        TracerStatus {
            name: self.plan.name.clone(),
            state: if shared.pid.is_some() { TracerPhase::Tracing } else { TracerPhase::Waiting },
            pid: shared.pid,
            starts: shared.starts,
            said: shared.said.clone(),
            recordings: shared.recordings.as_ref().map(Recordings::status),
        }
    }

    /// Asks for a recording. The answer comes later.
    pub async fn record(&self) -> Result<oneshot::Receiver<Result<String, String>>, String> {
        if self.plan.flight.is_none() {
            return Err(format!("'{}' is no flight recorder", self.plan.name));
        }
        let (tell, told) = oneshot::channel();
        let sent = self.orders.send(TracerOrder::Record(tell)).await;
        sent.map(|()| told).map_err(|_| format!("'{}' has ended", self.plan.name))
    }

    /// Ends Stride, and hands over what it has recorded.
    pub async fn end(self) {
        let _ = self.orders.send(TracerOrder::End).await;
        let _ = self.task.await;
    }
}

/// The task's own part.
struct Keeper {
    plan: TracerPlan,
    stride: PathBuf,
    orders: mpsc::Receiver<TracerOrder>,
    shared: Arc<Mutex<Shared>>,
    /// The times of recordings that triggers asked for, of the last day.
    triggered: VecDeque<Instant>,
    /// Those who wait for a recording.
    asked: Vec<oneshot::Sender<Result<String, String>>>,
}

/// A Stride that runs.
struct Run {
    child: Child,
    /// Recordings are named so.
    file: PathBuf,
    /// The recordings that triggers may still ask for.
    triggers: u32,
}

/// The reason why a run is over.
enum RunEnd {
    /// Stride has ended by itself.
    Died(String),
    /// It is to be started anew at once.
    Renewed,
    Ordered,
}

impl Keeper {
    async fn keep(mut self) {
        let mut wait = FIRST_WAIT;
        loop {
            let began = Instant::now();
            let ended = match self.begin() {
                Ok(run) => self.attend(run).await,
                Err(error) => RunEnd::Died(error.to_string()),
            };
            match ended {
                RunEnd::Ordered => break,
                RunEnd::Renewed => continue,
                RunEnd::Died(why) => {
                    if began.elapsed() >= WELL {
                        wait = FIRST_WAIT;
                    }
                    self.say(&format!("stride has ended: {why}; it is started again in {} s", wait.as_secs()));
                    if self.waits(wait).await {
                        break;
                    }
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            }
        }
        let recordings = lock(&self.shared).recordings.take();
        if let Some(mut recordings) = recordings {
            // (The wait for the store blocks.)
            let finished = tokio::task::spawn_blocking(move || recordings.finish(STORE_END)).await;
            finished.ok().flatten().iter().for_each(|left| self.say(left));
        }
    }

    fn say(&self, text: &str) {
        eprintln!("stride-agent: {}: {text}", self.plan.name);
    }

    /// Waits. Returns true if the end was ordered meanwhile.
    async fn waits(&mut self, wait: Duration) -> bool {
        let until = tokio::time::Instant::now() + wait;
        loop {
            tokio::select! {
                () = sleep_until(until) => return false,
                order = self.orders.recv() => match order {
                    Some(TracerOrder::Record(tell)) => _ = tell.send(Err("stride does not run now; --status says why".into())),
                    Some(TracerOrder::End) | None => return true,
                },
            }
        }
    }

    fn begin(&mut self) -> std::io::Result<Run> {
        let stamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
        let made = self.plan.flight.as_ref().map(|flight| flight.made()).unwrap_or_default();
        let file = made.join(format!("{stamp}.rec"));
        let triggers = self.allowed();
        let child = door::to(&self.stride)
            .args(self.plan.options(&file, triggers))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // A Ctrl-C at the agent's terminal is for the agent.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let mut shared = lock(&self.shared);
        (shared.pid, shared.starts) = (child.id(), shared.starts + 1);
        drop(shared);
        Ok(Run { child, file, triggers })
    }

    /// The recordings that triggers may ask for now.
    fn allowed(&mut self) -> u32 {
        while self.triggered.front().is_some_and(|at| at.elapsed() >= DAY) {
            self.triggered.pop_front();
        }
        let most = self.plan.flight.as_ref().map_or(0, |flight| flight.config.per_day);
        most.saturating_sub(u32::try_from(self.triggered.len()).unwrap_or(u32::MAX))
    }

    async fn attend(&mut self, mut run: Run) -> RunEnd {
        let Some(errors) = run.child.stderr.take() else {
            return RunEnd::Died("its messages are not to be had".into());
        };
        let mut lines = BufReader::new(errors);
        let mut line = Vec::new();
        let mut looks = tokio::time::interval(LOOK);
        let ended = loop {
            tokio::select! {
                read = next_line(&mut lines, &mut line) => {
                    if !read {
                        break RunEnd::Died(String::new());
                    }
                    self.hear(&mut run, &line);
                    line.clear();
                }
                order = self.orders.recv() => match order {
                    Some(TracerOrder::Record(tell)) => {
                        signal(&run.child, Signal::SIGUSR1);
                        self.asked.push(tell);
                    }
                    Some(TracerOrder::End) | None => break RunEnd::Ordered,
                },
                _ = looks.tick() => {
                    let news = lock(&self.shared).recordings.as_mut().and_then(Recordings::news);
                    news.iter().for_each(|news| self.say(news));
                    if self.plan.flight.is_some() && run.triggers == 0 && self.allowed() > 0 {
                        break RunEnd::Renewed;
                    }
                }
            }
        };
        if !matches!(ended, RunEnd::Died(_)) {
            signal(&run.child, Signal::SIGTERM);
        }
        self.part(run, lines, ended).await
    }

    /// Waits until Stride is gone, and takes what it has made.
    async fn part(&mut self, mut run: Run, mut lines: BufReader<ChildStderr>, ended: RunEnd) -> RunEnd {
        let mut line = Vec::new();
        let rest = async {
            while next_line(&mut lines, &mut line).await {
                self.hear(&mut run, &line);
                line.clear();
            }
        };
        if timeout(END, rest).await.is_err() {
            self.say("stride does not end, and is killed");
        }
        let _ = run.child.start_kill();
        let status = run.child.wait().await;
        let said = {
            let mut shared = lock(&self.shared);
            shared.pid = None;
            if let Some(recordings) = &mut shared.recordings {
                recordings.take_all();
            }
            shared.said.clone()
        };
        for tell in self.asked.drain(..) {
            let _ = tell.send(Err("stride has ended".into()));
        }
        match (ended, status) {
            (RunEnd::Died(_), Ok(status)) => RunEnd::Died(format!("{status} ({said})")),
            (RunEnd::Died(_), Err(error)) => RunEnd::Died(error.to_string()),
            (ended, _) => ended,
        }
    }

    /// Takes a line of Stride's messages, which may say that a recording is complete.
    fn hear(&mut self, run: &mut Run, line: &[u8]) {
        let line = legible(line);
        let line = line.strip_prefix("stride: ").unwrap_or(&line);
        self.say(line);
        lock(&self.shared).said = line.to_owned();
        let Some(file) = recording_of(line, &run.file) else {
            if line.starts_with(CANNOT_WRITE) {
                if !line.contains(" (asked for): ") {
                    run.triggers = run.triggers.saturating_sub(1);
                }
                self.asked.drain(..).for_each(|tell| _ = tell.send(Err(line.to_owned())));
            }
            return;
        };
        if !is_asked_for(line) {
            self.triggered.push_back(Instant::now());
            run.triggers = run.triggers.saturating_sub(1);
        }
        let taken = lock(&self.shared).recordings.as_mut().map(|recordings| recordings.take(&file));
        let taken = taken.unwrap_or_else(|| Ok(String::new())).map_err(|error| format!("{error:#}"));
        match &taken {
            Ok(place) => self.say(&format!("recording: {place}")),
            Err(why) => self.say(why),
        }
        // One recording answers all requests that came before.
        self.asked.drain(..).for_each(|tell| _ = tell.send(taken.clone()));
    }
}

fn signal(child: &Child, signal: Signal) {
    if let Some(pid) = child.id() {
        let _ = kill(Pid::from_raw(pid as i32), signal);
    }
}

/// Reads a line, up to a length; the rest of a longer one comes as further lines. False: there are no more.
async fn next_line(lines: &mut BufReader<ChildStderr>, line: &mut Vec<u8>) -> bool {
    // Each wait can be given up without losing bytes, because those that were read are in `line`.
    loop {
        let Ok(part) = lines.fill_buf().await else { return false };
        if part.is_empty() {
            return !line.is_empty();
        }
        let end = part.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        let room = LONGEST_LINE.saturating_sub(line.len()).max(1);
        let take = end.unwrap_or(part.len()).min(room);
        line.extend_from_slice(&part[..take]);
        lines.consume(take);
        if line.ends_with(b"\n") || line.len() >= LONGEST_LINE {
            return true;
        }
    }
}

/// A line without what would mislead a terminal: names of files and containers are in it.
fn legible(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    text.trim_end().chars().map(shown).collect()
}

/// A recording could not be written.
const CANNOT_WRITE: &str = "flight recorder: Can't write";

/// The file of a recording that the line says is complete: `flight recorder: FILE: 12 calls, ...`.
fn recording_of(line: &str, file: &Path) -> Option<PathBuf> {
    let named = line.strip_prefix("flight recorder: ")?;
    let rest = named.strip_prefix(file.to_str()?)?;
    // The second one is FILE.2, and so on.
    let (number, _) = rest.split_once(": ")?;
    let is_number = number.strip_prefix('.').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    (number.is_empty() || is_number).then(|| format!("{}{number}", file.display()).into())
}

/// True if a request made the recording, and no trigger.
fn is_asked_for(line: &str) -> bool {
    line.contains(" (asked for); look at it with ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_about_recordings() {
        let file = Path::new("/d/made/io/17.rec");
        let of = |line: &str| recording_of(line, file).map(|path| path.display().to_string());
        let end = "6,241,002 calls, 61.5 MiB (errno == \"EIO\"); look at it with stride --replay=x";
        assert_eq!(of(&format!("flight recorder: /d/made/io/17.rec: {end}")), Some("/d/made/io/17.rec".into()));
        assert_eq!(of(&format!("flight recorder: /d/made/io/17.rec.12: {end}")), Some("/d/made/io/17.rec.12".into()));
        for line in [
            "flight recorder: kill -USR1 3 writes the latest calls to '/d/made/io/17.rec'",
            "flight recorder: /d/made/io/17.rec.x: 1 call",
            "flight recorder: /d/made/io/17.rec/../../x: 1 call",
            "flight recorder: Can't write '/d/made/io/17.rec' (killed): No space left on device.",
            "/d/made/io/17.rec: 1 call",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
        assert_eq!(legible(b"stride: a\x1b[2Jb\xff\t\n"), "stride: a\\u{1b}[2Jb\u{fffd}");
        assert!(is_asked_for("flight recorder: f: 1 call, 2 bytes (asked for); look at it with stride --replay=f"));
        assert!(!is_asked_for("flight recorder: f: 1 call, 2 bytes (killed, asked for); look at it with stride"));
    }
}
