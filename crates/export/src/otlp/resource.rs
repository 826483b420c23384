//! The resource: which Stride, on which machine, says this. The names are those of the semantic conventions.

use crate::facts::OutletFacts;
use crate::otlp::messages::{InstrumentationScope, KeyValue, ResourceMessage};
use std::fs;
use stride_engine_base::container_id;
use stride_output::shown;

/// The source of metrics and logs.
#[derive(Clone, Debug)]
pub struct OtlpResource {
    attributes: Vec<KeyValue>,
    version: String,
}

impl OtlpResource {
    /// `started`: the time on the clock, in nanoseconds.
    pub fn new(facts: &OutletFacts<'_>, started: u64) -> OtlpResource {
        let pid = std::process::id();
        // (A recording may name any host.)
        let host: String = shown(facts.host.as_bytes()).chars().take(MOST_CHARACTERS).collect();
        let machine = match facts.machine {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => other,
        };
        let machine: String = shown(machine.as_bytes()).chars().take(MOST_CHARACTERS).collect();
        let mut attributes = vec![
            KeyValue::text("service.name", "stride"),
            KeyValue::text("service.version", facts.version),
            // Two Strides never have the same.
            KeyValue::text("service.instance.id", &format!("{host}/{pid}/{started}")),
            KeyValue::text("host.name", &host),
            KeyValue::text("host.arch", &machine),
            KeyValue::text("os.type", "linux"),
            KeyValue::number("process.pid", pid.into()),
            KeyValue::text("process.executable.name", "stride"),
        ];
        let cgroups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        attributes.extend(own_container(&cgroups).map(|id| KeyValue::text("container.id", id)));
        OtlpResource { attributes, version: facts.version.into() }
    }

    pub fn message(&self) -> ResourceMessage {
        ResourceMessage { attributes: self.attributes.clone() }
    }

    pub fn scope(&self) -> InstrumentationScope {
        InstrumentationScope { name: "stride".into(), version: self.version.clone() }
    }
}

/// Names of hosts are no longer.
const MOST_CHARACTERS: usize = 255;

/// The container in which Stride itself runs, by the names of its cgroups (cgroups(7)).
fn own_container(cgroups: &str) -> Option<&str> {
    cgroups.lines().flat_map(|line| line.split('/')).find_map(container_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_container() {
        let id = "3f1c0b6f6b3c3f1c0b6f6b3c3f1c0b6f6b3c3f1c0b6f6b3c3f1c0b6f6b3c0123";
        assert_eq!(own_container(&format!("0::/system.slice/docker-{id}.scope\n")), Some(id));
        assert_eq!(own_container("0::/user.slice/user-0.slice/session-1.scope\n"), None);
    }
}
