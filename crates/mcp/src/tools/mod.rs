//! The tools, a module for each, and the common ground: the desk at which all requests are served.

pub mod attach;
pub mod calls;
mod facts;
pub mod findings;
pub mod recordings;
pub mod run;
pub mod sql;
pub mod summary;
pub mod time;
mod view;

use crate::arguments::EngineWish;
use crate::options::Options;
use crate::refusal::Refusal;
use crate::secrets::Stars;
use crate::shelf::Shelf;
use anyhow::Result;
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard, Semaphore};

/// Children that may run at the same time, traced commands aside.
const VIEWS: u32 = 4;
/// A view of a recording may take this long.
const VIEW_TIME: Duration = Duration::from_secs(120);

pub struct Desk {
    pub options: Options,
    shelf: Shelf,
    stars: Stars,
    /// Held while a command is traced.
    tracing: Mutex<()>,
    views: Semaphore,
    /// Held while tables are made, which no two requests need to do.
    making: Mutex<()>,
}

impl Desk {
    pub fn new(options: Options) -> Result<Desk> {
        let shelf = Shelf::new(options.recordings.as_deref(), options.allow_read.clone())?;
        let stars = Stars::new(options.redact);
        Ok(Desk {
            options,
            shelf,
            stars,
            tracing: Mutex::new(()),
            views: Semaphore::new(VIEWS as usize),
            making: Mutex::new(()),
        })
    }

    /// The right to trace, which one request has at a time: traces at the same time would change one another's times.
    fn turn(&self) -> Result<MutexGuard<'_, ()>, Refusal> {
        self.tracing.try_lock().map_err(|_| {
            let reason = "another run of this server is being traced, and both would change one another's times";
            Refusal::new("Nothing was traced", reason, "Wait for the answer of the other run, or cancel it")
        })
    }

    /// Waits until no child is left, and tidies up.
    pub async fn finish(&self) {
        let _tracing = self.tracing.lock().await;
        let _views = self.views.acquire_many(VIEWS).await;
        self.shelf.finish();
    }

    /// The options of a `stride` that records.
    fn recording_options(&self, wishes: &RecordingWishes) -> Result<Vec<String>, Refusal> {
        let most = 65_536;
        let string_limit = wishes.string_limit.unwrap_or(256);
        if string_limit > most {
            let fact = format!("string_limit={string_limit} is too large");
            return Err(Refusal::new(
                fact,
                format!("at most {most} bytes of each string are recorded"),
                "Give a smaller number",
            ));
        }
        let mut args = vec!["-f".to_owned(), format!("--string-limit={string_limit}")];
        args.push(match wishes.engine {
            EngineWish::Auto => "--engine=auto".into(),
            EngineWish::Ptrace => "--engine=ptrace".into(),
            EngineWish::Ebpf => "--engine=ebpf".into(),
        });
        if wishes.stacks {
            args.push("--stack-trace=source".into());
        }
        if wishes.waits {
            args.push("--waits".into());
        }
        if self.options.redact {
            args.push("--redact".into());
        }
        Ok(args)
    }
}

/// Contents that a recording shall have.
struct RecordingWishes {
    engine: EngineWish,
    stacks: bool,
    waits: bool,
    string_limit: Option<u32>,
}

/// A number within its bounds, or the refusal that tells them.
fn bounded(name: &str, number: u64, least: u64, most: u64) -> Result<u64, Refusal> {
    if (least..=most).contains(&number) {
        return Ok(number);
    }
    let reason = format!("the number must be from {least} to {most}");
    Err(Refusal::new(format!("{name}={number} is out of bounds"), reason, "Ask again with a number in these bounds"))
}
