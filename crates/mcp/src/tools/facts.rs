//! Facts of a recording that the answers of `run` and `attach` have: numbers, losses, and how its processes ended.

use super::Desk;
use super::view::{message, untyped};
use crate::answer::{AnswerList, More, ToolAnswer};
use crate::child::{ChildEnd, ChildLimits, ChildTask, Cut};
use crate::refusal::{Refusal, cancelled};
use crate::shelf::Shelved;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Facts of a run: numbers, and how its processes ended.
pub struct RecordedFacts {
    /// A program was traced.
    began: bool,
    engine: Value,
    totals: Value,
    end: Value,
    processes: usize,
    exit: Option<Value>,
    failed: Vec<Value>,
}

impl Desk {
    /// Runs a `stride` that records, and returns the facts of its recording. If nothing was recorded, or the request was cancelled, the recording is forgotten.
    pub async fn recorded(
        &self,
        shelved: &Shelved,
        task: ChildTask,
        limits: ChildLimits<'_>,
        take: impl FnMut(&[u8]) -> bool,
    ) -> Result<(RecordedFacts, ChildEnd), Refusal> {
        let request = limits.cancelled;
        let ended = task.run(limits, take).await;
        let mut ended = ended.map_err(|error| self.not_started(shelved, &error.to_string()))?;
        if ended.cut == Some(Cut::Cancelled) {
            self.shelf.forget(shelved);
            return Err(cancelled());
        }
        match self.facts(request, shelved).await {
            Ok(facts) if facts.began => Ok((facts, ended)),
            _ => Err(self.not_started(shelved, &message(ended.errors.bytes()))),
        }
    }

    async fn facts(&self, request: &CancellationToken, shelved: &Shelved) -> Result<RecordedFacts, Refusal> {
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
        Ok(RecordedFacts {
            began: first.is_some(),
            engine: of("trace")["engine"].clone(),
            totals: rows.into_iter().find(|row| row["type"] == "summary_total").unwrap_or_default(),
            end: of("end"),
            processes: starts().count(),
            exit,
            failed: ends().filter(has_failed).map(brief_end).collect(),
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

impl RecordedFacts {
    pub fn answer(&self, shelved: &Shelved, ended: &ChildEnd) -> ToolAnswer {
        let mut answer = ToolAnswer::default().with("recording", shelved.id.clone());
        let ended_by = match ended.cut {
            Some(Cut::TimeOver) => Some("by the server, because the time limit was over"),
            Some(Cut::TooLarge) => Some("by the server, because the recording became too large"),
            _ => None,
        };
        let is_run = shelved.made_by == "run";
        let end = match (ended_by, &self.exit) {
            (Some(reason), _) => Some(json!(reason)),
            (None, Some(exit)) if is_run && exit["signal"].is_object() => {
                Some(json!({"killed_by": exit["signal"]["name"]}))
            }
            (None, Some(exit)) if is_run => Some(json!({"exit_status": exit["status"]})),
            (None, None) if is_run => Some(json!({"exit_status": ended.status})),
            _ => None,
        };
        if let Some(end) = end {
            answer = answer.with("ended", end);
        }
        let counts =
            json!({"calls": self.totals["calls"], "errors": self.totals["errors"], "processes": self.processes});
        let losses = json!({
            "calls": self.end["lost_calls"], "threads": self.end["unseen_threads"], "signals": self.end["lost_signals"]
        });
        answer.with("engine", self.engine.clone()).with("counts", counts).with("lost", losses)
    }

    pub fn failed(&self) -> AnswerList {
        AnswerList::new("failed_processes", self.failed.clone(), More::Otherwise("call `sql`, table processes"))
    }
}
