//! Views of a recording: `stride --replay` with the options of the view.

use super::{Desk, VIEW_TIME};
use crate::child::{ChildExtent, ChildLimits, ChildTask, Cut, LineCutter};
use crate::refusal::{Refusal, cancelled};
use crate::shelf::Shelved;
use serde_json::Value;
use std::process::Stdio;
use tokio_util::sync::CancellationToken;

/// Objects that are kept of a view, and bytes of their text: bounds for memory.
const MOST_OBJECTS: usize = 100_000;
const MOST_BYTES: usize = 64 << 20;

impl Desk {
    /// Shows a recording with these options, and hands each line to `take` until that returns false. Returns false if the time was over before the end.
    pub async fn view(
        &self,
        request: &CancellationToken,
        shelved: &Shelved,
        mut args: Vec<String>,
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<bool, Refusal> {
        // The file comes over stdin: nobody can put another one in its place.
        let input = Stdio::from(self.shelf.file(shelved)?);
        args.insert(0, "--replay=/proc/self/fd/0".into());
        if self.options.redact {
            args.push("--redact".into());
        }
        let mut lines = LineCutter::default();
        let ended = self.stride(request, args, Some(input), |part| lines.add(part, &mut take)).await?;
        match ended {
            (_, Some(Cut::TimeOver), _) => Ok(false),
            (_, Some(Cut::Enough), _) | (0, ..) => Ok(true),
            (_, _, message) => {
                let fact = format!("Stride cannot show this of the recording {}", shelved.id);
                Err(Refusal::new(fact, message, "Correct the arguments; the tool's description has examples"))
            }
        }
    }

    /// Runs `stride`, and returns the exit status, the reason of an early end, and messages.
    pub async fn stride(
        &self,
        request: &CancellationToken,
        args: Vec<String>,
        input: Option<Stdio>,
        take: impl FnMut(&[u8]) -> bool,
    ) -> Result<(i32, Option<Cut>, String), Refusal> {
        let task = ChildTask {
            program: self.options.stride.clone(),
            args: args.into_iter().map(Into::into).collect(),
            cwd: Some(self.shelf.dir().to_owned()),
            input,
            extent: ChildExtent::One,
        };
        let _place = self.views.acquire().await.map_err(|_| cancelled())?;
        let limits = ChildLimits { cancelled: request, time: VIEW_TIME, file: None };
        let mut ended = task.run(limits, take).await.map_err(|error| {
            let fact = format!("{} cannot be started", self.options.stride.display());
            Refusal::new(fact, error.to_string(), "Ask the user to start stride-mcp with --stride=PATH")
        })?;
        if ended.cut == Some(Cut::Cancelled) {
            return Err(cancelled());
        }
        Ok((ended.status, ended.cut, message(ended.errors.bytes())))
    }

    /// The objects of a view that writes JSON. False: there were more.
    pub async fn objects(
        &self,
        request: &CancellationToken,
        shelved: &Shelved,
        mut args: Vec<String>,
    ) -> Result<(Vec<Value>, bool), Refusal> {
        args.push("--json".into());
        let (mut objects, mut bytes, mut is_whole) = (Vec::new(), 0, true);
        let in_time = self
            .view(request, shelved, args, |line| {
                bytes += line.len();
                is_whole = objects.len() < MOST_OBJECTS && bytes <= MOST_BYTES;
                if is_whole && let Ok(object) = serde_json::from_slice(line) {
                    objects.push(object);
                }
                is_whole
            })
            .await?;
        Ok((objects, is_whole && in_time))
    }
}

/// Stride's messages without its name.
pub fn message(errors: &[u8]) -> String {
    let text = String::from_utf8_lossy(errors);
    let lines = text.lines().filter(|line| !line.starts_with("Try '"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix("stride: ").unwrap_or(line)).collect();
    let text = lines.join("\n");
    if text.trim().is_empty() { "it gave no reason".into() } else { text.trim_end().to_owned() }
}

/// Takes the type out of an object, because the list in which the object stands says it.
pub fn untyped(mut object: Value) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.remove("type");
    }
    object
}
