//! A place where metrics go.

use crate::facts::OutletFacts;
use crate::file::{self, FileTask};
use crate::labels::ExportLabels;
use crate::otlp::{Collector, CollectorTask, Delivered, OtlpResource, clock};
use crate::periodic::Periodic;
use crate::registry::Registry;
use crate::server::Server;
use crate::shared::SharedRegistry;
use crate::target::{ExportPlace, ExportTarget, listen};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use stride_event::quantity::count;

/// An outlet that can be opened: what had to be tried before the program runs was tried.
pub struct Outlet {
    ready: Ready,
    series: usize,
    labels: ExportLabels,
    durations: bool,
}

enum Ready {
    Server(TcpListener, SocketAddr),
    File(PathBuf),
    Collector(Collector, Duration),
}

/// An outlet in use.
pub struct OpenOutlet {
    pub metrics: SharedRegistry,
    running: Running,
}

enum Running {
    Server(Server),
    File(Periodic<io::Result<()>>, PathBuf),
    Collector { delivery: Periodic<Delivered>, remarks: Receiver<String>, collector: Collector },
}

/// The last writing or delivery may take so long.
const LAST_TIME: Duration = Duration::from_secs(5);

impl Outlet {
    /// Takes the port, or tries the file. The error says what cannot be had and why. A Collector may come later.
    pub fn prepare(target: &ExportTarget, why: impl Fn(&io::Error) -> String) -> Result<Outlet, String> {
        let ready = match &target.place {
            ExportPlace::Server { host, port } => {
                let (listener, address) = listen(host, *port).map_err(|e| {
                    let at = Collector { host: host.clone(), port: *port }.authority();
                    format!("Can't serve metrics at {at}: {}", why(&e))
                })?;
                Ready::Server(listener, address)
            }
            ExportPlace::File(path) => {
                file::check(path).map_err(|e| format!("Can't write metrics to '{}': {}", path.display(), why(&e)))?;
                Ready::File(path.clone())
            }
            ExportPlace::Collector(collector) => Ready::Collector(collector.clone(), target.every),
        };
        Ok(Outlet { ready, series: target.series, labels: target.labels, durations: target.durations })
    }

    /// Says where the metrics are, if that has to be told.
    pub fn announcement(&self) -> Option<String> {
        match &self.ready {
            Ready::Server(_, address) => Some(format!("metrics are served at http://{address}/metrics")),
            Ready::File(_) | Ready::Collector(..) => None,
        }
    }

    pub fn open(self, facts: &OutletFacts<'_>) -> io::Result<OpenOutlet> {
        let registry = Registry::new(self.series, self.labels, self.durations, facts.version, facts.engine);
        let metrics = SharedRegistry::new(registry);
        let running = match self.ready {
            Ready::Server(listener, _) => Running::Server(Server::start(listener, metrics.clone())?),
            Ready::File(path) => Running::File(Periodic::start(FileTask::new(path.clone(), metrics.clone()))?, path),
            Ready::Collector(collector, every) => {
                let started = clock();
                let (tell, remarks) = channel();
                let resource = OtlpResource::new(facts, started);
                let task = CollectorTask::new(collector.clone(), resource, metrics.clone(), every, started, tell);
                Running::Collector { delivery: Periodic::start(task)?, remarks, collector }
            }
        };
        Ok(OpenOutlet { metrics, running })
    }
}

impl OpenOutlet {
    /// Something that the user should know now.
    pub fn take_remark(&self) -> Option<String> {
        match &self.running {
            Running::Collector { remarks, .. } => remarks.try_recv().ok(),
            Running::Server(_) | Running::File(..) => None,
        }
    }

    /// Ends it. All counts are delivered then, or a message says which are not, and why.
    pub fn end(self) -> Option<String> {
        match self.running {
            Running::Server(server) => {
                drop(server);
                None
            }
            Running::File(periodic, path) => {
                let why = match periodic.end(LAST_TIME) {
                    Some(Ok(())) => return None,
                    Some(Err(error)) => stride_output::why(&error),
                    None => TOO_LONG.into(),
                };
                Some(format!("Can't write metrics to '{}': {why}", path.display()))
            }
            Running::Collector { delivery, collector, .. } => {
                let ended = delivery.end(LAST_TIME);
                let ended =
                    ended.unwrap_or_else(|| Delivered { failure: Some(TOO_LONG.into()), ..Delivered::default() });
                undelivered(&collector.authority(), ended)
            }
        }
    }
}

const TOO_LONG: &str = "it takes too long";

fn undelivered(to: &str, ended: Delivered) -> Option<String> {
    let logs = match ended.logs {
        0 => String::new(),
        n => format!(", and {}", count(n, "log was never delivered", "logs were never delivered")),
    };
    match (ended.failure, ended.any) {
        (Some(why), true) => Some(format!("The last metrics were not delivered to otlp://{to}: {why}{logs}")),
        (Some(why), false) => Some(format!("No metrics were delivered to otlp://{to}: {why}{logs}")),
        (None, _) if ended.rejected > 0 => {
            Some(format!("otlp://{to} rejected {}", count(ended.rejected, "series or log", "series and logs")))
        }
        (None, _) => (ended.logs > 0).then(|| {
            format!("{} to otlp://{to}", count(ended.logs, "log was never delivered", "logs were never delivered"))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_at_the_end() {
        let refused = Some("Connection refused".to_owned());
        for (ended, expected) in [
            (Delivered { any: true, ..Delivered::default() }, None),
            (
                Delivered { failure: refused.clone(), ..Delivered::default() },
                Some("No metrics were delivered to otlp://a:1: Connection refused"),
            ),
            (
                Delivered { failure: refused, any: true, logs: 2, ..Delivered::default() },
                Some(
                    "The last metrics were not delivered to otlp://a:1: Connection refused, and 2 logs were never delivered",
                ),
            ),
            (
                Delivered { any: true, rejected: 1_500, ..Delivered::default() },
                Some("otlp://a:1 rejected 1,500 series and logs"),
            ),
            (Delivered { any: true, logs: 1, ..Delivered::default() }, Some("1 log was never delivered to otlp://a:1")),
        ] {
            assert_eq!(undelivered("a:1", ended).as_deref(), expected);
        }
    }
}
