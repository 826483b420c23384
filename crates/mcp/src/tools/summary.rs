//! `summary`: calls, errors, bytes and times, added up.

use super::Desk;
use super::view::untyped;
use crate::answer::{AnswerList, More, ToolAnswer};
use crate::arguments::SummaryArguments;
use crate::refusal::Refusal;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

impl Desk {
    pub async fn summary(&self, request: &CancellationToken, wanted: SummaryArguments) -> Result<ToolAnswer, Refusal> {
        let shelved = self.shelf.get(&wanted.recording)?;
        let mut args = wanted.filter.options()?;
        let by = wanted.by.unwrap_or_else(|| "syscall".into());
        args.extend([format!("--by={by}"), "--summary-wall-clock".into()]);
        let (mut rows, is_whole) = self.objects(request, &shelved, args).await?;
        let total = rows.iter().position(|row| row["type"] == "summary_total").map(|at| untyped(rows.remove(at)));
        rows.retain(|row| row["type"] == "summary");
        let (offset, of) = (wanted.offset.unwrap_or(0), rows.len());
        let mut answer = ToolAnswer::default().with("recording", shelved.id).with("by", by);
        if !is_whole {
            answer = answer.with("incomplete", "the recording is so long that the time was over before its end");
        }
        let items: Vec<Value> = rows.into_iter().skip(offset).map(untyped).collect();
        let answer = answer.traced("total", total.unwrap_or_default());
        Ok(answer.list(AnswerList::new("rows", items, More::Offset).among(offset, of, false)))
    }
}
