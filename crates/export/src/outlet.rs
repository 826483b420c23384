//! A place where metrics go.

use crate::file::{self, FileTask};
use crate::labels::ExportLabels;
use crate::periodic::Periodic;
use crate::registry::Registry;
use crate::server::Server;
use crate::shared::SharedRegistry;
use crate::target::{ExportPlace, ExportTarget, listen};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use stride_output::{ViewError, shown};

/// An outlet that can be opened: what had to be tried before the program runs was tried.
pub struct Outlet {
    ready: Ready,
    series: usize,
    labels: ExportLabels,
}

enum Ready {
    Server(TcpListener, SocketAddr),
    File(PathBuf),
}

/// What metrics say about the run.
pub struct OutletFacts<'a> {
    pub version: &'a str,
    pub engine: &'a str,
}

/// An outlet in use.
pub struct OpenOutlet {
    pub metrics: SharedRegistry,
    running: Running,
}

enum Running {
    Server(Server),
    File(Periodic<io::Result<()>>, PathBuf),
}

impl Outlet {
    /// Takes the port, or tries the file. The error says what cannot be had and why.
    pub fn prepare(target: &ExportTarget, why: impl Fn(&io::Error) -> String) -> Result<Outlet, String> {
        let ready = match &target.place {
            ExportPlace::Server { host, port } => {
                let (listener, address) = listen(host, *port)
                    .map_err(|e| format!("Can't serve metrics at {}: {}", at(host, *port), why(&e)))?;
                Ready::Server(listener, address)
            }
            ExportPlace::File(path) => {
                file::check(path).map_err(|e| format!("Can't write metrics to '{}': {}", path.display(), why(&e)))?;
                Ready::File(path.clone())
            }
        };
        Ok(Outlet { ready, series: target.series, labels: target.labels })
    }

    /// Says where the metrics are, if nobody can know that.
    pub fn announcement(&self) -> Option<String> {
        match &self.ready {
            Ready::Server(_, address) => Some(format!("metrics are served at http://{address}/metrics")),
            Ready::File(_) => None,
        }
    }

    pub fn open(self, facts: &OutletFacts<'_>) -> io::Result<OpenOutlet> {
        let metrics = SharedRegistry::new(Registry::new(self.series, self.labels, facts.version, facts.engine));
        let running = match self.ready {
            Ready::Server(listener, _) => Running::Server(Server::start(listener, metrics.clone())?),
            Ready::File(path) => {
                let task = FileTask::new(path.clone(), metrics.clone());
                Running::File(Periodic::start(file::EVERY, task)?, path)
            }
        };
        Ok(OpenOutlet { metrics, running })
    }
}

impl OpenOutlet {
    /// Ends it. What was counted has gone where it goes, or the error says why not.
    pub fn end(self) -> Result<(), ViewError> {
        match self.running {
            Running::Server(server) => drop(server),
            Running::File(periodic, path) => periodic.end().map_err(|e| {
                use std::os::unix::ffi::OsStrExt;
                let message = format!(
                    "Can't write metrics to '{}': {}",
                    shown(path.as_os_str().as_bytes()),
                    stride_output::why(&e)
                );
                ViewError::unopened(&e, message)
            })?,
        }
        Ok(())
    }
}

fn at(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}
