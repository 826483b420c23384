//! The command line.

use crate::config::AgentConfig;
use crate::program;
use crate::request::AgentRequest;
use anyhow::{Context, Result, bail};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

const HELP: &str = "\
Usage: stride-agent [--config=FILE] [--stride=PATH] [--socket=PATH] [--check]
       stride-agent --status | --pause | --resume | --record=NAME [--socket=PATH]
       stride-agent --trace [OPTIONS OF STRIDE]

Keeps Stride running on a machine, as FILE says: metrics that are counted in the kernel, and flight recorders that
write a recording when a trigger comes. docs/agent.md has the keys of FILE. SIGHUP has the agent read FILE again.

Options:
  --config=FILE   Read this configuration. Default: /etc/stride/agent.toml.
  --check         Say if the configuration is right, and do nothing.
  --stride=PATH   Run this stride. Default: the one beside stride-agent, else the one in PATH.
  --socket=PATH   Listen at PATH, for root alone. Default: /run/stride/agent.sock.

Requests to the agent that runs:
  --status        Print what the agent does, as JSON.
  --record=NAME   Have the flight recorder NAME write its latest calls now, and print the name of the recording.
  --pause         End all tracing, until --resume.
  --resume        Trace again.
  --trace ...     Trace now, print to this terminal, and end with CTRL-C. What follows are options of Stride that choose
                  calls and say how they are shown, such as --container=web -e trace=openat -c.

  -h, --help      Print this.
  -V, --version   Print the version.
";

pub const CONFIG: &str = "/etc/stride/agent.toml";
pub const SOCKET: &str = "/run/stride/agent.sock";

/// The agent, and where its things are.
#[derive(Debug)]
pub struct AgentSettings {
    pub config_file: PathBuf,
    pub config: AgentConfig,
    pub stride: PathBuf,
    pub socket: PathBuf,
}

#[derive(Debug)]
pub enum AgentTask {
    Run(Box<AgentSettings>),
    Ask { socket: PathBuf, request: AgentRequest },
}

impl AgentTask {
    /// `None`: the options asked for something that was printed.
    pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Option<AgentTask>> {
        let (mut config_file, mut stride, mut socket) = (PathBuf::from(CONFIG), None, PathBuf::from(SOCKET));
        let mut checks = false;
        let mut request = None;
        let mut parser = lexopt::Parser::from_iter(args);
        while let Some(arg) = parser.next()? {
            let asked = match arg {
                Long("config") => {
                    config_file = parser.value()?.into();
                    continue;
                }
                Long("stride") => {
                    stride = Some(PathBuf::from(parser.value()?));
                    continue;
                }
                Long("socket") => {
                    socket = parser.value()?.into();
                    continue;
                }
                Long("check") => {
                    checks = true;
                    continue;
                }
                Long("status") => AgentRequest::Status,
                Long("pause") => AgentRequest::Pause,
                Long("resume") => AgentRequest::Resume,
                Long("record") => AgentRequest::Record { name: parser.value()?.string()? },
                Long("trace") => {
                    let words = parser.raw_args()?.map(|word| word.into_string());
                    let options = words.collect::<Result<Vec<_>, _>>();
                    AgentRequest::Trace {
                        options: options.map_err(|word| {
                            anyhow::anyhow!("--trace: '{}' is no UTF-8 text", word.to_string_lossy())
                        })?,
                    }
                }
                Short('h') | Long("help") => {
                    print!("{HELP}");
                    return Ok(None);
                }
                Short('V') | Long("version") => {
                    println!("stride-agent {}", env!("CARGO_PKG_VERSION"));
                    return Ok(None);
                }
                other => return Err(other.unexpected().into()),
            };
            if request.replace(asked).is_some() {
                bail!("two requests are given: make them one after the other");
            }
        }
        if let Some(request) = request {
            return Ok(Some(AgentTask::Ask { socket, request }));
        }
        let config = AgentConfig::read(&config_file)?;
        if checks {
            let tracers = config.plans().len();
            println!("stride-agent: {}: right: {tracers} {}", config_file.display(), program::tracers(tracers));
            return Ok(None);
        }
        let stride = match stride {
            Some(path) if path.is_file() => path,
            Some(path) => bail!("--stride={}: there is no such file: name the program stride", path.display()),
            None => program::found_stride().context("the program stride")?,
        };
        Ok(Some(AgentTask::Run(Box::new(AgentSettings { config_file, config, stride, socket }))))
    }
}
