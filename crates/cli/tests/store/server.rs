//! Servers of object stores in processes of their own. That of S3 is from PyPI.

use super::common::*;
use super::python;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub fn script(name: &str) -> String {
    format!("{}/../cli/tests/store/{name}", env!("CARGO_MANIFEST_DIR"))
}

pub struct StoreServer {
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    pub port: u16,
}

impl StoreServer {
    /// A server of S3's protocol. The error says why there is none. `refuses_keys`: it knows no key but lets the first request pass.
    pub fn s3(refuses_keys: bool) -> Result<StoreServer, String> {
        let mut command = Command::new(python::with("moto")?);
        command.arg(script("server.py"));
        if refuses_keys {
            command.env("INITIAL_NO_AUTH_ACTION_COUNT", "1");
        }
        StoreServer::start(command, "moto")
    }

    /// A server that this command starts: it tells its port, and carries out commands.
    pub fn start(mut command: Command, name: &str) -> Result<StoreServer, String> {
        without_proxies(&mut command);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| e.to_string())?;
        let (commands, answers) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let mut server = StoreServer { process, commands, answers: BufReader::new(answers), port: 0 };
        server.port = server.answer().parse().map_err(|_| format!("{name} does not start"))?;
        Ok(server)
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    fn ask(&mut self, command: &str) -> serde_json::Value {
        writeln!(self.commands, "{command}").unwrap();
        let answer = self.answer();
        serde_json::from_str(&answer).unwrap_or_else(|e| panic!("{command}: {e}: {answer}"))
    }

    fn list(&mut self, command: &str) -> Vec<String> {
        let names = self.ask(command);
        names.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    }

    pub fn bucket(&mut self, name: &str) {
        self.ask(&format!("bucket {name}"));
    }

    /// The names of all objects.
    pub fn names(&mut self, bucket: &str) -> Vec<String> {
        self.list(&format!("names {bucket}"))
    }

    /// Makes a file of each object.
    pub fn save(&mut self, bucket: &str, directory: &Path) -> Vec<String> {
        self.list(&format!("save {bucket} {}", directory.display()))
    }

    /// The names of uploads that were begun and neither completed nor given up.
    pub fn uploads(&mut self, bucket: &str) -> Vec<String> {
        self.list(&format!("uploads {bucket}"))
    }
}

impl Drop for StoreServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A proxy of the machine's must not come between.
pub fn without_proxies(command: &mut Command) {
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name);
    }
}

/// Stride, with keys and the address of a server on this machine. Nothing else of the machine's settings matters, and no credentials are
/// looked for elsewhere.
pub fn settings(command: &mut Command, port: u16, scratch: &Scratch) {
    without_proxies(command);
    let ours = std::env::vars_os().map(|(name, _)| name);
    for name in ours.filter(|name| name.to_string_lossy().starts_with("AWS_")) {
        command.env_remove(name);
    }
    command.env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}")).env("AWS_REGION", "us-east-1");
    command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "very-secret");
    command.env("AWS_METADATA_ENDPOINT", "http://127.0.0.1:7");
    command.env("XDG_CACHE_HOME", scratch.path("cache")).env("HOME", scratch.path("home"));
}
