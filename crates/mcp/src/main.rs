//! `stride-mcp`: Stride's answers for programs that speak the Model Context Protocol.
//!
//! A client, such as an assistant in an editor, starts this server and asks it over stdin and stdout. The server traces commands, keeps the
//! recordings, and answers questions about them. All of that is done by the program `stride`, which runs as a child for each question; so
//! this crate knows Stride's options and JSON, and nothing of engines and recordings.
//!
//! - [`server`] has the tools as the protocol shows them, [`arguments`] has what they take, and [`tools`] has a module for each.
//! - [`answer`] bounds each answer, and [`hostile`] makes bytes of traced programs harmless. Both act in one place, so no tool can forget them.
//! - [`shelf`] has the recordings: those of the server, and files that the user has allowed to be read. [`temporary`] has its directory if the user has named none.
//! - [`child`] runs `stride` and a database. Each child runs below a [`keeper`], which ends all of its processes when the server says so or is gone.
//!
//! docs/mcp.md tells what is bounded, what is defended, and what is not.

mod answer;
mod arguments;
mod child;
mod hostile;
mod keeper;
mod options;
mod refusal;
mod secrets;
mod server;
mod shelf;
mod temporary;
mod tools;

use anyhow::{Context, Result};
use options::Options;
use rmcp::ServiceExt;
use server::StrideServer;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

fn main() {
    let mut args = std::env::args_os();
    let program = args.next();
    if let Some(status) = keeper::asked_for(args) {
        std::process::exit(status);
    }
    let options = match Options::parse(std::env::args_os()) {
        Ok(Some(options)) => options,
        Ok(None) => return,
        Err(error) => {
            let program = program.map_or_else(|| "stride-mcp".into(), |name| name.to_string_lossy().into_owned());
            eprintln!("stride-mcp: {error:#}\nTry '{program} --help' for more information.");
            std::process::exit(2);
        }
    };
    if let Err(error) = run(options) {
        eprintln!("stride-mcp: {error:#}");
        std::process::exit(1);
    }
}

/// One thread serves all requests: the work is done by children. The kernel tells a keeper when the thread that started it ends, so that must be the
/// main thread.
fn run(options: Options) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("the event loop")?;
    let served = runtime.block_on(serve(options));
    // A thread may still read from stdin. The end of the runtime would wait for that thread in vain.
    runtime.shutdown_background();
    served
}

async fn serve(options: Options) -> Result<()> {
    let server = StrideServer::new(options)?;
    let end = CancellationToken::new();
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let told = end.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        told.cancel();
    });
    let served = server.clone().serve_with_ct(rmcp::transport::stdio(), end.clone()).await;
    let served = match served {
        Ok(running) => running.waiting().await.map(|_| ()).context("the service"),
        // The client went away, or the server was told to end, before a request came.
        Err(_) if end.is_cancelled() => Ok(()),
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error).context("the client's first message"),
    };
    server.finish().await;
    served
}
