//! `recordings`: those that there are, and files that the user has allowed to be read.

use super::Desk;
use crate::answer::{AnswerList, More, ToolAnswer};
use crate::arguments::RecordingsArguments;
use crate::refusal::Refusal;
use crate::shelf::Shelved;
use serde_json::{Value, json};
use std::path::Path;
use tokio_util::sync::CancellationToken;

impl Desk {
    pub async fn recordings(
        &self,
        request: &CancellationToken,
        wanted: RecordingsArguments,
    ) -> Result<ToolAnswer, Refusal> {
        if let Some(path) = wanted.open {
            return self.open(request, Path::new(&path)).await;
        }
        let all = self.shelf.all();
        let (offset, of) = (wanted.offset.unwrap_or(0), all.len());
        let items = all.iter().skip(offset).map(|shelved| self.described(shelved)).collect();
        let answer = ToolAnswer::default().with("recordings", of);
        Ok(answer.list(AnswerList::new("recordings", items, More::Offset).among(offset, of, false)))
    }

    fn described(&self, shelved: &Shelved) -> Value {
        let bytes = self.shelf.file(shelved).and_then(|file| {
            file.metadata().map(|found| found.len()).map_err(|error| Refusal::new("size", error.to_string(), ""))
        });
        json!({
            "id": shelved.id, "made_by": shelved.made_by, "command": shelved.command, "unix_time": shelved.unix_time,
            "bytes": bytes.ok(), "file": shelved.file,
        })
    }

    async fn open(&self, request: &CancellationToken, path: &Path) -> Result<ToolAnswer, Refusal> {
        let (real, _) = self.shelf.outside(path)?;
        let known = self.shelf.all().into_iter().find(|shelved| shelved.file.as_ref() == Some(&real));
        if let Some(shelved) = known {
            return Ok(ToolAnswer::default()
                .with("recording", shelved.id.clone())
                .traced("opened", self.described(&shelved)));
        }
        let candidate = Shelved {
            id: "to be opened".into(),
            made_by: "opened".into(),
            command: Vec::new(),
            unix_time: 0,
            file: Some(real.clone()),
        };
        let nothing = ["--trace=none", "--signal=none"].map(str::to_owned).to_vec();
        let (events, _) = self.objects(request, &candidate, nothing).await.map_err(|refusal| {
            let next = "Name a file that `stride --record=FILE` has written";
            Refusal::new(format!("{path:?} is no recording"), refusal.text(), next)
        })?;
        let words = events.first().and_then(|trace| trace["command_line"].as_array()).cloned().unwrap_or_default();
        let words: Vec<String> = words.iter().filter_map(|word| word["text"].as_str().map(str::to_owned)).collect();
        let made = self.shelf.reserve("opened", self.stars.words(&words), Some(real)).map_err(|error| {
            Refusal::new("The recording gets no id", error.to_string(), "Ask the user for another --recordings=DIR")
        })?;
        Ok(ToolAnswer::default().with("recording", made.id.clone()).traced("opened", self.described(&made)))
    }
}
