//! `findings` and `explain`: advice about a recording, and the pages about it.

use super::Desk;
use super::view::untyped;
use crate::answer::{AnswerList, More, ToolAnswer};
use crate::arguments::{ExplainArguments, FindingsArguments};
use crate::refusal::Refusal;
use crate::shelf::Shelved;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

impl Desk {
    pub async fn findings(
        &self,
        request: &CancellationToken,
        wanted: FindingsArguments,
    ) -> Result<ToolAnswer, Refusal> {
        let shelved = self.shelf.get(&wanted.recording)?;
        let (findings, is_whole) = self.advice(request, &shelved, wanted.all).await?;
        let (offset, of) = (wanted.offset.unwrap_or(0), findings.len());
        let items = findings.into_iter().skip(offset).map(untyped).collect();
        let mut answer = ToolAnswer::default().with("recording", shelved.id).with("findings", of);
        if of == 0 && !wanted.all {
            answer = answer.with("note", "no pattern that Stride knows is worth changing; all=true has minor ones, and `where_time_went` tells where the time went");
        }
        if !is_whole {
            answer = answer.with("incomplete", "the recording is so long that the time was over before its end");
        }
        Ok(answer.list(AnswerList::new("findings", items, More::Offset).among(offset, of, false)))
    }

    /// The findings about a recording. The flag is false if the time was over.
    pub async fn advice(
        &self,
        request: &CancellationToken,
        shelved: &Shelved,
        all: bool,
    ) -> Result<(Vec<Value>, bool), Refusal> {
        let option = if all { "--advise=all" } else { "--advise" };
        let (objects, is_whole) = self.objects(request, shelved, vec![option.into()]).await?;
        Ok((objects.into_iter().filter(|object| object["type"] == "finding").collect(), is_whole))
    }

    /// A page of Stride's own. Nothing in it comes from a traced program.
    pub async fn explain(&self, request: &CancellationToken, wanted: ExplainArguments) -> Result<String, Refusal> {
        let is_word = !wanted.id.is_empty() && wanted.id.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        let unknown = |reason: String| {
            let fact = format!("There is no page about {:?}", wanted.id);
            Refusal::new(fact, reason, "Give the id of a finding as `findings` has it, or the name of a system call")
        };
        if !is_word {
            return Err(unknown("a name has letters, digits, - and _ only".into()));
        }
        let mut page = Vec::new();
        let args = vec![format!("--explain={}", wanted.id)];
        let (status, _, message) = self
            .stride(request, args, None, |part| {
                page.extend_from_slice(part);
                page.len() < 1 << 20
            })
            .await?;
        if status != 0 {
            return Err(unknown(message));
        }
        Ok(String::from_utf8_lossy(&page).into_owned())
    }
}
