//! The metrics, each declared once. The formats, the table in docs/export.md and the tests are made from these rows.

/// A metric.
#[derive(Debug, PartialEq, Eq)]
pub struct Instrument {
    /// The name, with dots. Prometheus has it with underscores, the unit, and `_total` behind counters, as a Collector would translate it.
    pub name: &'static str,
    pub kind: InstrumentKind,
    pub unit: InstrumentUnit,
    /// A description of the numbers: a sentence without a full stop.
    pub help: &'static str,
    /// The labels, in their order.
    pub labels: &'static [LabelKey],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstrumentKind {
    Counter,
    Gauge,
    Histogram,
}

impl InstrumentKind {
    /// The word in the text format.
    pub fn name(self) -> &'static str {
        match self {
            InstrumentKind::Counter => "counter",
            InstrumentKind::Gauge => "gauge",
            InstrumentKind::Histogram => "histogram",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstrumentUnit {
    /// Things are counted, and these are called so.
    Things(&'static str),
    Seconds,
    Bytes,
    /// A fact that is 1.
    None,
}

impl InstrumentUnit {
    /// The unit behind a name in Prometheus.
    fn suffix(self) -> &'static str {
        match self {
            InstrumentUnit::Seconds => "_seconds",
            InstrumentUnit::Bytes => "_bytes",
            InstrumentUnit::Things(_) | InstrumentUnit::None => "",
        }
    }
}

/// The labels of series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKey {
    /// The name of the call.
    Syscall,
    /// The name of the error.
    ErrorType,
    /// The name of the thread.
    ThreadName,
    /// The name of the container.
    ContainerName,
    /// Stride's version.
    Version,
    /// Stride's engine.
    Engine,
}

impl LabelKey {
    /// The name, with dots, as the semantic conventions of OpenTelemetry have it where they do.
    pub fn name(self) -> &'static str {
        match self {
            LabelKey::Syscall => "syscall",
            LabelKey::ErrorType => "error.type",
            LabelKey::ThreadName => "thread.name",
            LabelKey::ContainerName => "container.name",
            LabelKey::Version => "version",
            LabelKey::Engine => "engine",
        }
    }

    /// The name in Prometheus.
    pub fn prometheus(self) -> String {
        self.name().replace('.', "_")
    }
}

impl Instrument {
    /// The name in Prometheus.
    pub fn prometheus(&self) -> String {
        let total = if self.kind == InstrumentKind::Counter { "_total" } else { "" };
        format!("{}{}{total}", self.name.replace('.', "_"), self.unit.suffix())
    }
}

use LabelKey::{ContainerName, Engine, ErrorType, Syscall, ThreadName, Version};

pub static CALLS: Instrument = Instrument {
    name: "stride.calls",
    kind: InstrumentKind::Counter,
    unit: InstrumentUnit::Things("call"),
    help: "Calls that returned, failed ones included",
    labels: &[Syscall, ThreadName, ContainerName],
};

pub static ERRORS: Instrument = Instrument {
    name: "stride.errors",
    kind: InstrumentKind::Counter,
    unit: InstrumentUnit::Things("call"),
    help: "Calls that failed, by their error",
    labels: &[Syscall, ErrorType, ThreadName, ContainerName],
};

pub static DURATION: Instrument = Instrument {
    name: "stride.call.duration",
    kind: InstrumentKind::Histogram,
    unit: InstrumentUnit::Seconds,
    help: "Time from the entry of calls to their return, of those whose entry was seen",
    labels: &[Syscall, ThreadName, ContainerName],
};

pub static LOST: Instrument = Instrument {
    name: "stride.calls.lost",
    kind: InstrumentKind::Counter,
    unit: InstrumentUnit::Things("call"),
    help: "Calls that are in no other number, because they came faster than they could be read",
    labels: &[],
};

pub static FOLDED: Instrument = Instrument {
    name: "stride.calls.folded",
    kind: InstrumentKind::Counter,
    unit: InstrumentUnit::Things("call"),
    help: "Calls that are counted with (others) as a label, because there was no room for a series of their own",
    labels: &[],
};

pub static THREADS: Instrument = Instrument {
    name: "stride.threads",
    kind: InstrumentKind::Gauge,
    unit: InstrumentUnit::Things("thread"),
    help: "Threads that are traced",
    labels: &[],
};

pub static SERIES: Instrument = Instrument {
    name: "stride.series",
    kind: InstrumentKind::Gauge,
    unit: InstrumentUnit::Things("series"),
    help: "Series, a histogram being one",
    labels: &[],
};

pub static SERIES_LIMIT: Instrument = Instrument {
    name: "stride.series.limit",
    kind: InstrumentKind::Gauge,
    unit: InstrumentUnit::Things("series"),
    help: "Series that there may be",
    labels: &[],
};

pub static BUILD: Instrument = Instrument {
    name: "stride.build.info",
    kind: InstrumentKind::Gauge,
    unit: InstrumentUnit::None,
    help: "The version of Stride and the engine that traces: always 1",
    labels: &[Version, Engine],
};

pub static CPU_TIME: Instrument = Instrument {
    name: "process.cpu.time",
    kind: InstrumentKind::Counter,
    unit: InstrumentUnit::Seconds,
    help: "Time that Stride itself has spent on CPUs",
    labels: &[],
};

pub static MEMORY: Instrument = Instrument {
    name: "process.memory.usage",
    kind: InstrumentKind::Gauge,
    unit: InstrumentUnit::Bytes,
    help: "Resident memory of Stride itself",
    labels: &[],
};

/// All of them, in the order in which they are written.
pub static ALL: [&Instrument; 11] =
    [&CALLS, &ERRORS, &DURATION, &LOST, &FOLDED, &THREADS, &SERIES, &SERIES_LIMIT, &BUILD, &CPU_TIME, &MEMORY];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_prometheus_expects() {
        let names: Vec<String> = ALL.iter().map(|instrument| instrument.prometheus()).collect();
        assert_eq!(
            names,
            [
                "stride_calls_total",
                "stride_errors_total",
                "stride_call_duration_seconds",
                "stride_calls_lost_total",
                "stride_calls_folded_total",
                "stride_threads",
                "stride_series",
                "stride_series_limit",
                "stride_build_info",
                "process_cpu_time_seconds_total",
                "process_memory_usage_bytes"
            ]
        );
        for instrument in ALL {
            assert!(!instrument.help.ends_with('.') && !instrument.help.contains('\n'), "{}", instrument.name);
            assert!(instrument.labels.iter().all(|label| label.prometheus() != "le"), "{}", instrument.name);
        }
    }

    /// docs/export.md has these rows. With STRIDE_UPDATE_DOCS in the environment, they are written there.
    #[test]
    fn the_metrics_are_documented() {
        const HEAD: &str = "| metric | kind | labels | contents |\n|---|---|---|---|\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/export.md");
        let document = std::fs::read_to_string(path).unwrap();
        let line = |instrument: &&Instrument| {
            let labels: Vec<String> = instrument.labels.iter().map(|key| format!("`{}`", key.prometheus())).collect();
            let (name, kind) = (instrument.prometheus(), instrument.kind.name());
            format!("| `{name}` | {kind} | {} | {} |\n", labels.join(", "), instrument.help)
        };
        let from = document.find(HEAD).unwrap() + HEAD.len();
        let to = from + document[from..].find("\n- ").unwrap();
        let mut made = document.clone();
        made.replace_range(from..to, &ALL.iter().map(line).collect::<String>());
        if std::env::var_os("STRIDE_UPDATE_DOCS").is_some() {
            std::fs::write(path, made).unwrap();
        } else {
            assert_eq!(document, made, "docs/export.md differs: run this test with STRIDE_UPDATE_DOCS=1");
        }
    }
}
