//! `--export`: metrics of the run, for Prometheus and OpenTelemetry.

use super::declaration::{Declaration, Destination};
use crate::flags::flag::{Arg, Category, Flag, Value, ask};
use crate::flags::stop::Stop;
use anyhow::{Result, anyhow, ensure};
use std::time::Duration;
use stride_engine_base::signal::without_signals;
use stride_export::{ExportTarget, ExportView, Outlet, OutletFacts, counting};
use stride_filter::Quiet;
use stride_output::View;
use stride_session::{Before, Needs, Opener, Opening, Options, os_error};

const OPTION: &str = "export";
/// The counts are taken from the engine so often, unless they are sent more often. (Each time, the kernel side makes its rows anew, for all CPUs.)
const EVERY: Duration = Duration::from_secs(5);

const FLAGS: &[Flag] = &[Flag {
    category: Category::Statistics,
    long: Some(OPTION),
    arg: Arg::Required("URL"),
    value: Value::Free,
    own: true,
    help: "hand metrics of the run to Prometheus or OpenTelemetry",
    habits: &["prometheus", "metrics", "exporter", "ebpf_exporter", "openmetrics", "opentelemetry", "otlp", "otel"],
    doc: "Counts calls and errors, and makes histograms of durations, by syscall, by the name of the thread and by container, for other programs to read. URL is one of these:\n\n\
          * prometheus://HOST:PORT: Prometheus reads them at http://HOST:PORT/metrics while the program runs. Without HOST, only this machine can read them (127.0.0.1). Port 0 is any free one; a message names it.\n\
          * prometheus:FILE: they are written to FILE at the end, and every ten seconds until then, for the textfile collector of node_exporter.\n\
          * otlp://HOST:PORT: a Collector of OpenTelemetry gets them by OTLP/HTTP (port 4318 if none is given) every ten seconds and at the end, and logs of losses. ?every=5s behind the URL says how often.\n\n\
          Prometheus gets native histograms if it asks for them. There are never more than 10,000 series, whatever is traced, or N with ?series=N behind the URL; calls that find no room \
          are counted with (others) as a label. ?by=container counts by container and not by thread, and ?by= by neither. ?durations=no leaves histograms out, which costs the traced programs less.\n\n\
          The eBPF engine counts in the kernel. The text of the trace is only printed if -o says where to. The option may be given several times. docs/export.md in Stride's documentation has the metrics and how Prometheus is set up.",
    update: |raw, given| match ExportTarget::parse(&given.text()) {
        Ok(_) => ask(raw, given),
        Err(why) => Err(Stop::usage(format!("--{OPTION} {why}"))),
    },
    ..Flag::BASE
}];

/// True if metrics go to another program.
pub fn is_asked(options: &Options) -> bool {
    options.views.has(OPTION)
}

/// The arguments, which were checked when they were read.
fn targets(options: &Options) -> Vec<ExportTarget> {
    let given = options.views.paths(OPTION);
    given.filter_map(|target| ExportTarget::parse(&target.to_string_lossy()).ok()).collect()
}

pub struct ExportDeclaration;

impl Declaration for ExportDeclaration {
    fn flags(&self) -> &'static [Flag] {
        FLAGS
    }

    fn destination(&self, options: &Options) -> Option<Destination> {
        is_asked(options).then_some(Destination::OwnFile)
    }

    fn needs(&self, options: &Options) -> Needs {
        let targets = targets(options);
        let threads = targets.iter().any(|target| target.labels.thread);
        // (The kernel side does not join waits with calls.)
        let counting = (!options.spec.waits).then(|| counting(&targets));
        Needs {
            calls: counting.is_none(),
            counting,
            memory: threads,
            times: targets.iter().any(|target| target.durations),
            tracked_names: true,
            thread_names: threads,
            every: targets.iter().map(|target| target.every.min(EVERY)).min(),
            ..Needs::default()
        }
    }

    /// Takes the ports and tries the files, before anything is run.
    fn prepare(&self, before: &Before<'_>) -> Result<Opener> {
        let targets = targets(before.options);
        let twice = (1..targets.len()).find(|&i| targets[..i].iter().any(|other| other.place == targets[i].place));
        ensure!(twice.is_none(), "--{OPTION} is given twice with the same place: leave one of them out");
        let outlets = targets.iter().map(|target| Outlet::prepare(target, os_error).map_err(|why| anyhow!("{why}")));
        let outlets = outlets.collect::<Result<Vec<_>>>()?;
        Ok(Box::new(|with| open(outlets, with)))
    }
}

fn open(outlets: Vec<Outlet>, with: &mut Opening<'_>) -> Result<Box<dyn View>> {
    if !with.options.is_quiet(Quiet::Files) {
        outlets.iter().filter_map(Outlet::announcement).for_each(|told| with.outputs.complain(&told));
    }
    let info = with.info;
    let version = env!("CARGO_PKG_VERSION");
    let facts = OutletFacts { version, engine: &info.engine, host: &info.host, machine: &info.machine };
    Ok(Box::new(without_signals(|| ExportView::new(outlets, &facts))?))
}
