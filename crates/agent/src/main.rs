//! `stride-agent`: Stride that runs always, on one machine of many.
//!
//! The agent keeps tracers running, as its configuration says: one that counts calls in the kernel for Prometheus or a Collector, and flight recorders,
//! which write a recording when a trigger comes. Each tracer is the program `stride` in a process of its own; so this crate knows
//! Stride's options, and nothing of engines. docs/agent.md is for users.
//!
//! - [`config`] reads the configuration, and makes of it what each tracer does ([`plan`]). [`allowed`] has the options of Stride that may stand in it.
//! - [`tracer`] keeps one `stride` running. Each goes through [`door`], which has the kernel end it if the agent is gone.
//! - [`recordings`] takes the finished recordings of a flight recorder: to an object store, or to a directory of bounded size.
//! - [`control`] answers the requests of [`request`] at a local socket, and [`ask`] is the client of it. [`live`] runs a trace for a client.
//! - [`agent`] has them all, and acts on signals.

mod agent;
mod allowed;
mod ask;
mod config;
mod control;
mod door;
mod live;
mod plan;
mod program;
mod recordings;
mod request;
mod task;
mod tracer;

use anyhow::{Context, Result};
use task::AgentTask;

fn main() {
    let mut args = std::env::args_os();
    let program = args.next();
    if let Some(status) = door::asked_for(args) {
        std::process::exit(status);
    }
    let task = match AgentTask::parse(std::env::args_os()) {
        Ok(Some(task)) => task,
        Ok(None) => return,
        Err(error) => {
            let program = program.map_or_else(|| "stride-agent".into(), |name| name.to_string_lossy().into_owned());
            eprintln!("stride-agent: {error:#}\nTry '{program} --help' for more information.");
            std::process::exit(2);
        }
    };
    match run(task) {
        Ok(status) => std::process::exit(status),
        Err(error) => {
            eprintln!("stride-agent: {error:#}");
            std::process::exit(1);
        }
    }
}

/// One thread does everything: the work is done by children. The kernel ends a child when the thread that started it ends, so that must be
/// the main thread.
fn run(task: AgentTask) -> Result<i32> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the event loop")?;
    match task {
        AgentTask::Run(settings) => runtime.block_on(agent::run(*settings)).map(|()| 0),
        AgentTask::Ask { socket, request } => runtime.block_on(ask::ask(&socket, &request)),
    }
}
