//! The tracers that a configuration asks for, and the command line of each.

use crate::allowed::{self, OptionKind};
use crate::config::{AgentConfig, FlightConfig, METRICS, Redaction};
use std::path::{Path, PathBuf};

/// One `stride` that is kept running. Plans that are equal need no new process.
#[derive(Clone, Debug, PartialEq)]
pub struct TracerPlan {
    pub name: String,
    /// The options that are the same at each start.
    options: Vec<String>,
    pub flight: Option<FlightPlan>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FlightPlan {
    pub config: FlightConfig,
    /// The agent's own directory.
    pub directory: PathBuf,
}

impl AgentConfig {
    pub fn plans(&self) -> Vec<TracerPlan> {
        let metrics = self.metrics.iter().map(|metrics| {
            let export = metrics.export.iter().map(|place| format!("--export={place}"));
            TracerPlan { name: METRICS.into(), options: machine(&metrics.select).chain(export).collect(), flight: None }
        });
        let flights = self.flight.iter().map(|flight| TracerPlan {
            name: flight.name.clone(),
            options: self.flight_options(flight),
            flight: Some(FlightPlan { config: flight.clone(), directory: self.directory.clone() }),
        });
        metrics.chain(flights).collect()
    }

    fn flight_options(&self, flight: &FlightConfig) -> Vec<String> {
        let mut options: Vec<String> = machine(&flight.select).collect();
        options.push(format!("--flight={}", flight.memory));
        options.extend(flight.after.iter().map(|after| format!("--trigger-after={after}")));
        options.extend(self.redaction());
        options
    }

    /// The option that takes secrets out.
    pub fn redaction(&self) -> Option<String> {
        match &self.redact {
            Redaction::Wanted(wanted) => wanted.then(|| "--redact".into()),
            Redaction::Patterns(file) => Some(format!("--redact={}", file.display())),
        }
    }

    /// The options of a trace for a client. The error is a sentence.
    pub fn live_options(&self, given: &[String]) -> Result<Vec<String>, String> {
        allowed::kinds(given, &ALL_KINDS)?;
        let mut options: Vec<String> = machine(given).collect();
        // A client that has gone away in a way that nobody sees does not trace for ever.
        if !given.iter().any(|word| word.starts_with("--for")) {
            options.push(format!("--for={LONGEST_LIVE}"));
        }
        options.extend(self.redaction());
        Ok(options)
    }
}

const LONGEST_LIVE: &str = "1h";
const ALL_KINDS: [OptionKind; 3] = [OptionKind::Process, OptionKind::Call, OptionKind::View];

/// The options that choose. Without one that chooses processes, those of the whole machine are meant.
fn machine(select: &[String]) -> impl Iterator<Item = String> {
    let kinds = allowed::kinds(select, &ALL_KINDS);
    let has_process = kinds.is_ok_and(|kinds| kinds.contains(&OptionKind::Process));
    let all = (!has_process).then(|| "--all".to_owned());
    all.into_iter().chain(select.iter().cloned())
}

impl TracerPlan {
    /// The options of a start. `file`: a flight recorder's recordings have this name. `triggers`: so many of them triggers may ask for.
    pub fn options(&self, file: &Path, triggers: u32) -> Vec<String> {
        let mut options = self.options.clone();
        if let Some(flight) = &self.flight {
            options.push(format!("--record={}", file.display()));
            if triggers > 0 {
                options.push(format!("--trigger-count={triggers}"));
                options.extend(flight.config.triggers.iter().map(|trigger| format!("--trigger={trigger}")));
            }
        }
        options
    }
}

impl FlightPlan {
    /// A recorder's Stride writes there. A file is moved away when it is complete.
    pub fn made(&self) -> PathBuf {
        self.directory.join("made").join(&self.config.name)
    }

    /// Recordings that wait for the store, below the names that they get there.
    pub fn outbox(&self) -> PathBuf {
        self.directory.join("outbox").join(&self.config.name)
    }

    /// Recordings that stay on this machine.
    pub fn kept(&self) -> PathBuf {
        self.directory.join("recordings").join(&self.config.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MetricsConfig;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn flight() -> FlightConfig {
        FlightConfig {
            name: "io".into(),
            select: words("-e trace=%file --comm=x"),
            triggers: vec!["killed".into()],
            memory: "1M".into(),
            after: Some("2s".into()),
            per_day: 3,
            keep_mib: 1,
            upload: None,
        }
    }

    #[test]
    fn command_lines() {
        let metrics = MetricsConfig { export: words("prometheus://:1 otlp://a"), select: words("-e trace=%file") };
        let config = AgentConfig { metrics: Some(metrics), flight: vec![flight()], ..AgentConfig::default() };
        let plans = config.plans();
        let of = |at: usize, triggers| plans[at].options(Path::new("/f"), triggers).join(" ");
        assert_eq!(of(0, 0), "--all -e trace=%file --export=prometheus://:1 --export=otlp://a");
        let all = "-e trace=%file --comm=x --flight=1M --trigger-after=2s --redact --record=/f";
        assert_eq!(of(1, 2), format!("{all} --trigger-count=2 --trigger=killed"));
        assert_eq!(of(1, 0), all, "only requests make recordings");
    }

    #[test]
    fn live_traces_are_redacted_and_end() {
        let config = AgentConfig::default();
        let of = |given: &str| config.live_options(&words(given)).map(|options| options.join(" "));
        assert_eq!(of("-c"), Ok("--all -c --for=1h --redact".into()));
        assert_eq!(of("--for=3s --container=a"), Ok("--for=3s --container=a --redact".into()));
        assert!(of("-o x").is_err());
        let open = AgentConfig { redact: Redaction::Wanted(false), ..AgentConfig::default() };
        assert_eq!(open.live_options(&[]), Ok(words("--all --for=1h")));
    }
}
