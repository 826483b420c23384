//! `run`: traces a command.

use super::view::{message, untyped};
use super::{Desk, RecordingWishes, bounded};
use crate::answer::{Answer, List, More};
use crate::arguments::RunArguments;
use crate::child::{Cut, Ended, Extent, Limits, Tail, Task};
use crate::refusal::{Refusal, cancelled};
use crate::shelf::Shelved;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A recording may be this large. A command that makes more calls is ended.
pub const LARGEST: u64 = 1 << 30;
/// Lines of a command's output that an answer has.
const OUTPUT_LINES: usize = 30;
/// A run's answer has the sentences of so many findings.
const FINDINGS: usize = 8;

impl Desk {
    pub async fn run(&self, request: &CancellationToken, run: RunArguments) -> Result<Answer, Refusal> {
        let seconds = bounded("time_limit_s", run.time_limit_s.unwrap_or(60), 1, 3600)?;
        if run.command.first().is_none_or(String::is_empty) {
            let reason = "command is empty";
            return Err(Refusal::new(
                "Nothing was run",
                reason,
                "Give the program and its arguments, such as [\"ls\", \"-l\"]",
            ));
        }
        let cwd = run.cwd.as_deref().map(directory).transpose()?;
        let wishes = RecordingWishes {
            engine: run.engine,
            stacks: run.stacks.unwrap_or(true),
            waits: run.waits.unwrap_or(true),
            string_limit: run.string_limit,
        };
        let mut args = self.recording_options(&wishes)?;
        for (name, value) in &run.env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                let fact = format!("{name:?} cannot be a variable");
                return Err(Refusal::new(fact, "a name has characters, and none is = or NUL", "Correct env"));
            }
            args.push(format!("--env={name}={value}"));
        }
        let _turn = self.turn()?;
        let shelved = self.reserve("run", self.stars.words(&run.command))?;
        let file = self.shelf.path(&shelved);
        args.push(format!("--record={}", file.display()));
        // A command that signals its process group does not mean Stride.
        args.push("--interruptible=never".into());
        args.push("--".into());
        args.extend(run.command);
        let task = Task {
            program: self.options.stride.clone(),
            args: args.into_iter().map(Into::into).collect(),
            cwd,
            input: None,
            extent: Extent::All,
        };
        let limits = Limits { cancelled: request, time: Duration::from_secs(seconds), file: Some((&file, LARGEST)) };
        let mut output = Tail::default();
        let ended = task.run(limits, |part| {
            output.add(part);
            true
        });
        let mut ended = ended.await.map_err(|error| self.not_started(&shelved, &error.to_string()))?;
        if ended.cut == Some(Cut::Cancelled) {
            self.shelf.forget(&shelved);
            return Err(cancelled());
        }
        let facts = match self.facts(request, &shelved).await {
            Ok(facts) if facts.began => facts,
            _ => return Err(self.not_started(&shelved, &message(ended.errors.bytes()))),
        };
        let answer = facts.answer(&shelved, &ended).with("time_limit_s", seconds);
        let answer = answer.list(self.brief_findings(request, &shelved).await?).list(facts.failed());
        Ok(answer.list(self.last_lines("stdout", &mut output)).list(self.last_lines("stderr", &mut ended.errors)))
    }

    pub fn reserve(&self, made_by: &str, command: Vec<String>) -> Result<Shelved, Refusal> {
        self.shelf.reserve(made_by, command, None).map_err(|error| {
            let fact = format!("No recording can be made in {}", self.shelf.dir().display());
            Refusal::new(fact, error.to_string(), "Ask the user to start stride-mcp with another --recordings=DIR")
        })
    }

    /// Nothing was recorded.
    pub fn not_started(&self, shelved: &Shelved, message: &str) -> Refusal {
        self.shelf.forget(shelved);
        let message = self.stars.text(message.as_bytes());
        Refusal::new(
            "Nothing was traced",
            message,
            "Look at the name of the program, the ids, the directory and the engine, and ask again",
        )
    }

    /// The first findings, in short.
    pub async fn brief_findings(&self, request: &CancellationToken, shelved: &Shelved) -> Result<List, Refusal> {
        let findings: Vec<Value> = self.advice(request, shelved, false).await?.0;
        let of = findings.len();
        let brief = findings.into_iter().take(FINDINGS).map(|finding| {
            let mut brief =
                json!({"id": finding["id"], "sentence": finding["sentence"], "sure": finding["confidence"]});
            if let Some(line) = first_line(&finding) {
                brief["from"] = line.into();
            }
            brief
        });
        let list = List::new("findings", brief.collect(), More::Otherwise("call `findings`"));
        Ok(list.among(0, of, false))
    }

    fn last_lines(&self, name: &'static str, output: &mut Tail) -> List {
        let text = self.stars.text(output.bytes());
        let lines: Vec<&str> = text.lines().filter(|line| !is_of_stride(line)).collect();
        let first = lines.len().saturating_sub(OUTPUT_LINES);
        let mut items: Vec<Value> = lines[first..].iter().map(|line| (*line).into()).collect();
        if first > 0 || output.dropped > 0 {
            items.insert(0, "… (earlier lines are left out)".into());
        }
        List::new(name, items, More::Otherwise("have the command write to a file to see all of its output"))
    }
}

/// True for Stride's messages at the end of a run, which the answer tells already. They come over the same pipe as the command's own.
fn is_of_stride(line: &str) -> bool {
    line.strip_prefix("stride: ")
        .is_some_and(|rest| rest.starts_with("--redact: ") || rest.contains("look at it with stride --replay="))
}

/// The function and the line that make most calls of a finding.
fn first_line(finding: &Value) -> Option<String> {
    let caller = finding["callers"].as_array()?.first()?;
    let function = caller["function"].as_str().or(caller["module"].as_str())?;
    Some(match (caller["file"].as_str(), caller["line"].as_u64()) {
        (Some(file), Some(line)) => format!("{function} ({file}:{line})"),
        _ => function.to_owned(),
    })
}

fn directory(cwd: &str) -> Result<PathBuf, Refusal> {
    let path = PathBuf::from(cwd);
    if path.is_dir() {
        return Ok(path);
    }
    let fact = format!("The command cannot run in {cwd:?}");
    Err(Refusal::new(fact, "that is not a directory, or may not be entered", "Name a directory in cwd"))
}

/// Facts of a run: numbers, and how its processes ended.
pub struct Facts {
    /// A program was traced.
    pub began: bool,
    engine: Value,
    totals: Value,
    end: Value,
    processes: usize,
    exit: Option<Value>,
    failed: Vec<Value>,
}

impl Desk {
    pub async fn facts(&self, request: &CancellationToken, shelved: &Shelved) -> Result<Facts, Refusal> {
        let nothing = ["--trace=none", "--signal=none"].map(str::to_owned).to_vec();
        let (events, _) = self.objects(request, shelved, nothing).await?;
        let (rows, _) =
            self.objects(request, shelved, vec!["--summary-only".into(), "--summary-wall-clock".into()]).await?;
        let of = |kind: &str| events.iter().find(|event| event["type"] == kind).cloned().unwrap_or_default();
        let is_process = |event: &&Value| event["pid"] == event["tid"];
        let starts = || events.iter().filter(|event| event["type"] == "start").filter(is_process);
        let ends =
            || events.iter().filter(|event| event["type"] == "exit" || event["type"] == "killed").filter(is_process);
        let first = starts().next().map(|start| start["pid"].clone());
        let exit = ends().find(|end| Some(&end["pid"]) == first.as_ref()).map(|end| untyped(end.clone()));
        let has_failed = |end: &&Value| end["type"] == "killed" || end["status"] != 0;
        Ok(Facts {
            began: first.is_some(),
            engine: of("trace")["engine"].clone(),
            totals: rows.into_iter().find(|row| row["type"] == "summary_total").unwrap_or_default(),
            end: of("end"),
            processes: starts().count(),
            exit,
            failed: ends().filter(has_failed).map(|end| brief_end(end)).collect(),
        })
    }
}

fn brief_end(end: &Value) -> Value {
    let mut brief = json!({"pid": end["pid"], "comm": end["comm"]});
    match end["type"] == "killed" {
        true => brief["killed_by"] = end["signal"]["name"].clone(),
        false => brief["exit_status"] = end["status"].clone(),
    }
    brief
}

impl Facts {
    pub fn answer(&self, shelved: &Shelved, ended: &Ended) -> Answer {
        let mut answer = Answer::default().with("recording", shelved.id.clone());
        if shelved.made_by == "run" {
            answer = answer.with(
                "ended",
                match (ended.cut, &self.exit) {
                    (Some(Cut::TimeOver), _) => json!("by the server, because the time limit was over"),
                    (Some(Cut::TooLarge), _) => json!("by the server, because the recording became too large"),
                    (_, Some(exit)) if exit["signal"].is_object() => json!({"killed_by": exit["signal"]["name"]}),
                    (_, Some(exit)) => json!({"exit_status": exit["status"]}),
                    _ => json!({"exit_status": ended.status}),
                },
            );
        }
        let counts =
            json!({"calls": self.totals["calls"], "errors": self.totals["errors"], "processes": self.processes});
        let losses = json!({
            "calls": self.end["lost_calls"], "threads": self.end["unseen_threads"], "signals": self.end["lost_signals"]
        });
        answer.with("engine", self.engine.clone()).with("counts", counts).with("lost", losses)
    }

    pub fn failed(&self) -> List {
        List::new("failed_processes", self.failed.clone(), More::Otherwise("call `sql`, table processes"))
    }
}
