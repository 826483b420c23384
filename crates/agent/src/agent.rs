//! The agent: its tracers, and what it does at signals and requests.

use crate::config::AgentConfig;
use crate::control::{self, AgentReply, Asked};
use crate::plan::TracerPlan;
use crate::request::{AgentAnswer, AgentRequest};
use crate::task::AgentSettings;
use crate::tracer::{Tracer, TracerStatus};
use anyhow::{Context, Result, bail};
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::geteuid;
use serde::Serialize;
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use std::time::Instant;
use stride_store::StoreSettings;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

const OTHERS_WRITE: u32 = 0o022;

struct Agent {
    settings: AgentSettings,
    /// Credentials of the store.
    store: StoreSettings,
    tracers: Vec<Tracer>,
    paused: bool,
    began: Instant,
}

/// The facts for `--status`.
#[derive(Serialize)]
struct AgentStatus {
    version: &'static str,
    pid: u32,
    config: String,
    up_seconds: u64,
    paused: bool,
    tracers: Vec<TracerStatus>,
}

pub async fn run(settings: AgentSettings) -> Result<()> {
    let _directory = claim(&settings.config.directory)?;
    let listener = control::listen(&settings.socket)?;
    let socket = settings.socket.clone();
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let mut hangup = signal(SignalKind::hangup())?;
    let store = StoreSettings::from_env();
    let mut agent = Agent { settings, store, tracers: Vec::new(), paused: false, began: Instant::now() };
    agent.start(agent.settings.config.plans())?;
    let (asks, mut asked) = mpsc::channel(16);
    let served = tokio::spawn(control::serve(listener, asks));
    loop {
        tokio::select! {
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            _ = hangup.recv() => agent.reload().await,
            Some(Asked { request, answer }) = asked.recv() => {
                let reply = agent.answer(request).await;
                let _ = answer.send(reply);
            }
        }
    }
    served.abort();
    let _ = fs::remove_file(socket);
    agent.end_all().await;
    Ok(())
}

/// Makes the directory, and keeps other agents out of it.
fn claim(directory: &Path) -> Result<Flock<File>> {
    let named = || directory.display().to_string();
    DirBuilder::new().recursive(true).mode(0o700).create(directory).with_context(named)?;
    let found = fs::metadata(directory).with_context(named)?;
    if found.uid() != geteuid().as_raw() || found.mode() & OTHERS_WRITE != 0 {
        bail!(
            "{}: others may write there, and recordings hold what programs do: give it to the user of the agent, with mode 0700",
            directory.display()
        );
    }
    let file = File::create(directory.join("lock")).with_context(named)?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| {
        anyhow::anyhow!(
            "{}: another stride-agent uses the directory ({}): stop that one first, or give each a directory of its own",
            directory.display(),
            errno.desc()
        )
    })
}

impl Agent {
    fn start(&mut self, plans: Vec<TracerPlan>) -> Result<()> {
        for plan in plans {
            let name = plan.name.clone();
            let started = Tracer::start(plan, self.settings.stride.clone(), &self.store);
            self.tracers.push(started.with_context(|| format!("tracer '{name}'"))?);
        }
        Ok(())
    }

    async fn end_all(&mut self) {
        end(std::mem::take(&mut self.tracers)).await;
    }

    /// Reads the configuration again. Tracers whose plans are the same run on.
    async fn reload(&mut self) {
        let file = &self.settings.config_file;
        let config = match AgentConfig::read(file) {
            Ok(config) if config.directory != self.settings.config.directory => {
                eprintln!("stride-agent: directory: another one takes effect at the next start; nothing is changed");
                return;
            }
            Ok(config) => config,
            Err(error) => {
                eprintln!("stride-agent: {error:#}: the agent goes on as before");
                return;
            }
        };
        let mut plans = config.plans();
        self.settings.config = config;
        if self.paused {
            return;
        }
        let (same, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.tracers).into_iter().partition(|tracer| plans.contains(&tracer.plan));
        plans.retain(|plan| same.iter().all(|tracer| tracer.plan != *plan));
        self.tracers = same;
        end(others).await;
        for plan in plans {
            if let Err(error) = self.start(vec![plan]) {
                eprintln!("stride-agent: {error:#}");
            }
        }
        eprintln!("stride-agent: the configuration was read again");
    }

    async fn answer(&mut self, request: AgentRequest) -> AgentReply {
        match request {
            AgentRequest::Status => AgentReply::Answer(self.status()),
            AgentRequest::Pause => {
                self.paused = true;
                self.end_all().await;
                AgentReply::Answer(AgentAnswer::Done("paused: nothing is traced until --resume".into()))
            }
            AgentRequest::Resume => {
                if std::mem::take(&mut self.paused)
                    && let Err(error) = self.start(self.settings.config.plans())
                {
                    return AgentReply::Answer(AgentAnswer::Refused(format!("{error:#}")));
                }
                AgentReply::Answer(AgentAnswer::Done("tracing".into()))
            }
            AgentRequest::Record { name } => match self.tracers.iter().find(|tracer| tracer.plan.name == name) {
                None => AgentReply::Answer(AgentAnswer::Refused(self.no_tracer(&name))),
                Some(tracer) => match tracer.record().await {
                    Ok(told) => AgentReply::Recording(told),
                    Err(why) => AgentReply::Answer(AgentAnswer::Refused(why)),
                },
            },
            AgentRequest::Trace { options } => match self.settings.config.live_options(&options) {
                Ok(options) => AgentReply::Trace { stride: self.settings.stride.clone(), options },
                Err(why) => AgentReply::Answer(AgentAnswer::Refused(why)),
            },
        }
    }

    fn no_tracer(&self, name: &str) -> String {
        if self.paused {
            return "nothing is traced now: ask for --resume first".into();
        }
        let flights = self.tracers.iter().filter(|tracer| tracer.plan.flight.is_some());
        let names: Vec<&str> = flights.map(|tracer| tracer.plan.name.as_str()).collect();
        let names = if names.is_empty() { "there is none".into() } else { format!("there are: {}", names.join(", ")) };
        format!("no flight recorder is called '{}'; {names}", name.escape_debug())
    }

    fn status(&self) -> AgentAnswer {
        let status = AgentStatus {
            version: env!("CARGO_PKG_VERSION"),
            pid: std::process::id(),
            config: self.settings.config_file.display().to_string(),
            up_seconds: self.began.elapsed().as_secs(),
            paused: self.paused,
            tracers: self.tracers.iter().map(Tracer::status).collect(),
        };
        match serde_json::to_value(status) {
            Ok(status) => AgentAnswer::Done(status),
            Err(error) => AgentAnswer::Refused(error.to_string()),
        }
    }
}

/// Ends tracers at the same time.
async fn end(tracers: Vec<Tracer>) {
    let ends: Vec<_> = tracers.into_iter().map(|tracer| tokio::spawn(tracer.end())).collect();
    for end in ends {
        let _ = end.await;
    }
}
