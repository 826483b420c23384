//! `run`: traces a command.

use super::{Desk, RecordingWishes, bounded};
use crate::answer::{AnswerList, More, ToolAnswer};
use crate::arguments::RunArguments;
use crate::child::{ChildExtent, ChildLimits, ChildTask, LastBytes};
use crate::refusal::Refusal;
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
    pub async fn run(&self, request: &CancellationToken, run: RunArguments) -> Result<ToolAnswer, Refusal> {
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
        let task = ChildTask {
            program: self.options.stride.clone(),
            args: args.into_iter().map(Into::into).collect(),
            cwd,
            input: None,
            extent: ChildExtent::All,
        };
        let limits =
            ChildLimits { cancelled: request, time: Duration::from_secs(seconds), file: Some((&file, LARGEST)) };
        let mut output = LastBytes::default();
        let recorded = self.recorded(&shelved, task, limits, |part| {
            output.add(part);
            true
        });
        let (facts, mut ended) = recorded.await?;
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
    pub async fn brief_findings(&self, request: &CancellationToken, shelved: &Shelved) -> Result<AnswerList, Refusal> {
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
        let list = AnswerList::new("findings", brief.collect(), More::Otherwise("call `findings`"));
        Ok(list.among(0, of, false))
    }

    fn last_lines(&self, name: &'static str, output: &mut LastBytes) -> AnswerList {
        let text = self.stars.text(output.bytes());
        let lines: Vec<&str> = text.lines().filter(|line| !is_of_stride(line)).collect();
        let first = lines.len().saturating_sub(OUTPUT_LINES);
        let mut items: Vec<Value> = lines[first..].iter().map(|line| (*line).into()).collect();
        if first > 0 || output.dropped > 0 {
            items.insert(0, "… (earlier lines are left out)".into());
        }
        AnswerList::new(name, items, More::Otherwise("have the command write to a file to see all of its output"))
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
