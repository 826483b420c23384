//! The configuration: a file in TOML. docs/agent.md describes its keys.

use crate::allowed::{self, OptionKind};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use stride_store::StoreAddress;

#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct AgentConfig {
    /// Recordings are here until a store has them, or for good.
    pub directory: PathBuf,
    pub redact: Redaction,
    pub metrics: Option<MetricsConfig>,
    pub flight: Vec<FlightConfig>,
}

/// Secrets are taken out before anything is written.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Redaction {
    Wanted(bool),
    /// A file of patterns, beside those that Stride knows.
    Patterns(PathBuf),
}

/// Calls are counted, for Prometheus or a Collector.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct MetricsConfig {
    /// As the option --export has them.
    pub export: Vec<String>,
    #[serde(default)]
    pub select: Vec<String>,
}

/// A flight recorder.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FlightConfig {
    pub name: String,
    #[serde(default)]
    pub select: Vec<String>,
    pub triggers: Vec<String>,
    /// The memory for calls, or their time, as the option --flight has it.
    #[serde(default = "usual_memory")]
    pub memory: String,
    /// The time from a trigger to its recording, as --trigger-after has it.
    #[serde(default)]
    pub after: Option<String>,
    /// Recordings that triggers may write in 24 hours.
    #[serde(default = "usual_per_day")]
    pub per_day: u32,
    /// The bytes of recordings that are kept on the disk. The unit is MiB.
    #[serde(default = "usual_keep")]
    pub keep_mib: u64,
    /// An object store.
    #[serde(default)]
    pub upload: Option<String>,
}

fn usual_memory() -> String {
    "16M".into()
}

fn usual_per_day() -> u32 {
    20
}

fn usual_keep() -> u64 {
    1024
}

impl Default for AgentConfig {
    fn default() -> AgentConfig {
        AgentConfig {
            directory: "/var/lib/stride-agent".into(),
            redact: Redaction::Wanted(true),
            metrics: None,
            flight: Vec::new(),
        }
    }
}

impl FlightConfig {
    /// The address of the store, which was checked when the file was read.
    pub fn store(&self) -> Option<StoreAddress> {
        StoreAddress::parse(self.upload.as_deref()?)?.ok()
    }

    pub fn keep_bytes(&self) -> u64 {
        self.keep_mib << 20
    }
}

/// The longest name of a flight recorder, which is part of the names of its files.
const LONGEST_NAME: usize = 40;
const MOST_PER_DAY: u32 = 10_000;
const MOST_KEPT: u64 = 1 << 24;
const MOST_FLIGHTS: usize = 8;
/// The name of the tracer that counts.
pub const METRICS: &str = "metrics";

impl AgentConfig {
    /// The error names the file, the key, and the reason.
    pub fn read(file: &Path) -> Result<AgentConfig> {
        let text = fs::read_to_string(file).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => anyhow::anyhow!(
                "{}: there is no such file: name the configuration with --config=FILE (docs/agent.md has an example)",
                file.display()
            ),
            _ => anyhow::anyhow!("{}: {error}", file.display()),
        })?;
        AgentConfig::parse(&text).with_context(|| file.display().to_string())
    }

    fn parse(text: &str) -> Result<AgentConfig> {
        let config: AgentConfig = toml::from_str(text)?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<()> {
        ensure!(self.directory.is_absolute(), "directory: '{}' is no absolute path", self.directory.display());
        if let Redaction::Patterns(file) = &self.redact {
            ensure!(file.is_absolute(), "redact: '{}' is no absolute path of a file of patterns", file.display());
        }
        ensure!(
            self.metrics.is_some() || !self.flight.is_empty(),
            "there is nothing to do: add a table [metrics] or [[flight]]"
        );
        if let Some(metrics) = &self.metrics {
            ensure!(
                !metrics.export.is_empty(),
                "metrics: export is empty: name a place, such as \"prometheus://:9464\""
            );
            selects(&metrics.select).context("metrics: select")?;
        }
        ensure!(
            self.flight.len() <= MOST_FLIGHTS,
            "there are {} flight recorders: each sees every call of the machine, so {MOST_FLIGHTS} are the most",
            self.flight.len()
        );
        let mut names = BTreeSet::from([METRICS]);
        for flight in &self.flight {
            flight.check().with_context(|| format!("flight '{}'", flight.name.escape_debug()))?;
            ensure!(names.insert(&flight.name), "flight '{}': another tracer has that name", flight.name);
        }
        Ok(())
    }
}

impl FlightConfig {
    fn check(&self) -> Result<()> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if self.name.is_empty() || self.name.len() > LONGEST_NAME || !self.name.bytes().all(is_plain) {
            bail!("the name is part of the names of files: it has 1 to {LONGEST_NAME} letters, digits, - and _");
        }
        selects(&self.select).context("select")?;
        ensure!(
            !self.triggers.is_empty(),
            "triggers is empty: without one, a recording is only made when somebody asks for it; give a trigger that never comes, such as 'false', if that is meant"
        );
        ensure!(
            (1..=MOST_PER_DAY).contains(&self.per_day),
            "per-day: it takes 1 to {MOST_PER_DAY} recordings, and not {}",
            self.per_day
        );
        ensure!(
            (1..=MOST_KEPT).contains(&self.keep_mib),
            "keep-mib: it takes 1 to {MOST_KEPT} MiB, and not {}",
            self.keep_mib
        );
        if let Some(upload) = &self.upload {
            match StoreAddress::parse(upload) {
                Some(address) => _ = address.map_err(|why| anyhow::anyhow!("upload: {why}"))?,
                None => bail!("upload: '{}' is no address such as s3://BUCKET/PREFIX", upload.escape_debug()),
            }
        }
        Ok(())
    }
}

fn selects(words: &[String]) -> Result<()> {
    allowed::kinds(words, &[OptionKind::Process, OptionKind::Call]).map(drop).map_err(anyhow::Error::msg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read() {
        let text = r#"
            directory = "/srv/stride"
            redact = "/etc/stride/patterns"
            [metrics]
            export = ["otlp://collector"]
            [[flight]]
            name = "io"
            select = ["--container=web", "-e", "trace=%file"]
            triggers = ['errno == "EIO"', "killed"]
            keep-mib = 7
            upload = "s3://traces/flight"
        "#;
        let config = AgentConfig::parse(text).unwrap();
        assert_eq!(config.redact, Redaction::Patterns("/etc/stride/patterns".into()));
        assert_eq!(config.metrics.unwrap().export, ["otlp://collector"]);
        let flight = &config.flight[0];
        assert_eq!((flight.memory.as_str(), flight.per_day, flight.keep_bytes()), ("16M", 20, 7 << 20));
        assert_eq!(flight.store().unwrap().to_string(), "s3://traces/flight");
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let flight = |more: &str| format!("[[flight]]\nname = 'a'\ntriggers = ['killed']\n{more}");
        for (text, why) in [
            (String::new(), "nothing to do"),
            ("[metrics]\nexport = []".into(), "export is empty"),
            ("[metrics]\nexport = ['prometheus://:1']\nselect = ['-p', '1']".into(), "'-p' is none of the options"),
            ("[metrics]\nexprot = []".into(), "exprot"),
            ("[metric]".into(), "metric"),
            ("directory = 'x'".into(), "no absolute path"),
            ("[[flight]]\nname = 'a'\ntriggers = []".into(), "triggers is empty"),
            ("[[flight]]\nname = 'a/b'\ntriggers = ['killed']".into(), "flight 'a/b': the name"),
            ("[[flight]]\nname = 'metrics'\ntriggers = ['killed']".into(), "another tracer has that name"),
            (flight("per-day = 0"), "per-day: it takes 1"),
            (flight("keep-mib = 0"), "keep-mib: it takes 1"),
            (flight("upload = '/var'"), "no address such as s3://"),
            (flight("upload = 's3://'"), "no bucket"),
            (flight("select = ['-o', 'x']"), "flight 'a': select: '-o'"),
            (flight("") + &flight(""), "another tracer has that name"),
            (flight("").repeat(9), "8 are the most"),
        ] {
            let error = format!("{:#}", AgentConfig::parse(&text).unwrap_err());
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
