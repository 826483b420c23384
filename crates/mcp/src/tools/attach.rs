//! `attach`: traces processes that run already, and lets go of them.

use super::{Desk, RecordingWishes, bounded};
use crate::answer::ToolAnswer;
use crate::arguments::AttachArguments;
use crate::child::{ChildExtent, ChildLimits, ChildTask};
use crate::refusal::Refusal;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Stride writes the rest of its recording in this time.
const AFTERWARDS: u64 = 30;
const MOST_PROCESSES: usize = 64;

impl Desk {
    pub async fn attach(&self, request: &CancellationToken, attach: AttachArguments) -> Result<ToolAnswer, Refusal> {
        if !self.options.allow_attach {
            let reason = "the server was started without --allow-attach, and that permission is the user's to give";
            let next =
                "Ask the user whether stride-mcp may be started with --allow-attach, or trace a new process with `run`";
            return Err(Refusal::new("No process was attached to", reason, next));
        }
        let seconds = bounded("seconds", attach.seconds.unwrap_or(5), 1, 600)?;
        if attach.pids.is_empty() || attach.pids.len() > MOST_PROCESSES {
            let reason = format!("pids has {} ids, and from 1 to {MOST_PROCESSES} are possible", attach.pids.len());
            return Err(Refusal::new("No process was attached to", reason, "Name the ids of the processes"));
        }
        if attach.pids.contains(&std::process::id()) {
            return Err(Refusal::new(
                "No process was attached to",
                "a server cannot trace itself",
                "Name another process",
            ));
        }
        let wishes = RecordingWishes {
            engine: attach.engine,
            stacks: attach.stacks.unwrap_or(false),
            waits: attach.waits.unwrap_or(true),
            string_limit: attach.string_limit,
        };
        let mut args = self.recording_options(&wishes)?;
        args.extend(attach.pids.iter().map(|pid| format!("--attach={pid}")));
        args.push(format!("--for={seconds}s"));
        let _turn = self.turn()?;
        let ids: Vec<String> = attach.pids.iter().map(u32::to_string).collect();
        let shelved = self.reserve("attach", ids)?;
        let file = self.shelf.path(&shelved);
        args.push(format!("--record={}", file.display()));
        let task = ChildTask {
            program: self.options.stride.clone(),
            args: args.into_iter().map(Into::into).collect(),
            cwd: None,
            input: None,
            // The traced processes are not the server's: none of them may be ended.
            extent: ChildExtent::One,
        };
        let time = Duration::from_secs(seconds + AFTERWARDS);
        let limits = ChildLimits { cancelled: request, time, file: Some((&file, super::run::LARGEST)) };
        let (facts, ended) = self.recorded(&shelved, task, limits, |_| true).await?;
        let answer = facts.answer(&shelved, &ended).with("seconds", seconds);
        Ok(answer.list(self.brief_findings(request, &shelved).await?).list(facts.failed()))
    }
}
