//! `where_time_went`: the time of a run, and of its processes, threads and requests.

use super::Desk;
use super::view::untyped;
use crate::answer::{AnswerList, More, ToolAnswer};
use crate::arguments::{TimeArguments, TimeOf};
use crate::refusal::Refusal;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Parts that take less than this share of the time are left out.
const LEAST_SHARE: f64 = 0.001;
/// Parts of a run that are shown.
const PARTS_OF_RUN: usize = 40;
/// Parts of each process, thread or kind of request that are shown.
const PARTS: usize = 8;

impl Desk {
    pub async fn where_time_went(
        &self,
        request: &CancellationToken,
        wanted: TimeArguments,
    ) -> Result<ToolAnswer, Refusal> {
        let shelved = self.shelf.get(&wanted.recording)?;
        let option = match wanted.of {
            TimeOf::Run => "--advise",
            TimeOf::Process => "--time-by=process",
            TimeOf::Thread => "--time-by=thread",
            TimeOf::Request => "--time-by=request",
        };
        let (mut objects, is_whole) = self.objects(request, &shelved, vec![option.into()]).await?;
        objects.retain(|object| object["type"] == "time_spent");
        let mut answer = ToolAnswer::default().with("recording", shelved.id);
        if !is_whole {
            answer = answer.with("incomplete", "the recording is so long that the time was over before its end");
        }
        let offset = wanted.offset.unwrap_or(0);
        if matches!(wanted.of, TimeOf::Run) {
            let run = objects.into_iter().next().map(untyped).unwrap_or_default();
            let mut run = with_large_parts(run, PARTS_OF_RUN);
            let parts = run["parts"].as_array_mut().map(std::mem::take).unwrap_or_default();
            let of = parts.len();
            if let Some(members) = run.as_object_mut() {
                members.remove("parts");
            }
            let parts = parts.into_iter().skip(offset).collect();
            let list = AnswerList::new("parts", parts, More::Offset).among(offset, of, false);
            return Ok(answer.traced("run", run).list(list));
        }
        let of = objects.len();
        let items = objects.into_iter().skip(offset).map(|object| with_large_parts(untyped(object), PARTS)).collect();
        Ok(answer.list(AnswerList::new("time", items, More::Offset).among(offset, of, false)))
    }
}

/// Leaves the small parts out, and says how many these are and how long they took.
fn with_large_parts(mut whole: Value, most: usize) -> Value {
    let least = whole["total_ns"].as_f64().unwrap_or(0.0) * LEAST_SHARE;
    let Some(parts) = whole["parts"].as_array_mut() else { return whole };
    let mut at = 0;
    let (mut others, mut others_ns) = (0, 0);
    parts.retain(|part| {
        let time = part["time_ns"].as_u64().unwrap_or(0);
        at += 1;
        let stays = at <= most && time as f64 >= least;
        if !stays {
            others += 1;
            others_ns += time;
        }
        stays
    });
    if others > 0 {
        whole["other_parts"] = json!({"parts": others, "time_ns": others_ns});
    }
    whole
}
