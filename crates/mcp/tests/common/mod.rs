//! A client of `stride-mcp` that follows a script: lines of JSON over pipes.
#![allow(dead_code, unused_imports)] // Each test uses its part.

pub use stride_test_support::programs::{cc_with_lines, root};
pub use stride_test_support::state::{state, wait_until};
pub use stride_test_support::{Killed, Scratch, need, need_ebpf, or_skip, wait_for};

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

pub const SERVER: &str = env!("CARGO_BIN_EXE_stride-mcp");
/// A safety net. An answer usually comes in a second.
const LIMIT: Duration = Duration::from_secs(120);
/// The bound of an answer.
pub const ANSWER: usize = 16 << 10;

/// The program `stride` beside the server, as an option.
pub fn stride() -> Result<String, String> {
    let stride = Path::new(SERVER).with_file_name("stride");
    match stride.exists() {
        true => Ok(format!("--stride={}", stride.display())),
        false => Err("`cargo build -p stride-cli` must have built stride".into()),
    }
}

/// A client with its server, or leaves the test.
#[macro_export]
macro_rules! client {
    ($($option:expr),*) => {
        Client::new(&[stride_test_support::or_skip!(common::stride()), $($option.to_string()),*])
    };
}

pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    last: u64,
    /// The answer to the first request.
    pub hello: Value,
    /// All texts of answers.
    pub texts: Vec<String>,
}

/// An answer of a tool.
#[derive(Debug)]
pub struct Told {
    pub text: String,
    pub is_error: bool,
    pub json: Value,
}

impl Told {
    /// A list of what comes from the traced program.
    #[track_caller]
    pub fn list(&self, name: &str) -> &Vec<Value> {
        self.json["traced"][name].as_array().unwrap_or_else(|| panic!("no list {name}: {}", self.text))
    }

    #[track_caller]
    pub fn recording(&self) -> &str {
        self.json["recording"].as_str().unwrap_or_else(|| panic!("no recording: {}", self.text))
    }
}

impl Client {
    pub fn new(options: &[String]) -> Client {
        Client::below(options, None)
    }

    /// A client whose server has this place for files of the session.
    pub fn below(options: &[String], runtime: Option<&Path>) -> Client {
        let mut command = Command::new(SERVER);
        // The library path that cargo sets would be passed to traced programs.
        command.args(options).env_remove("LD_LIBRARY_PATH").env_remove("XDG_RUNTIME_DIR");
        if let Some(runtime) = runtime {
            command.env("XDG_RUNTIME_DIR", runtime);
        }
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (tell, answers) = channel();
        let output = BufReader::new(server.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = tell.send(serde_json::from_str(&line).expect("each line is JSON"));
            }
        });
        let input = server.stdin.take();
        let mut client = Client { server, input, answers, last: 0, hello: Value::Null, texts: Vec::new() };
        let me = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me});
        client.hello = client.request("initialize", hello)["result"].clone();
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub fn pid(&self) -> i32 {
        self.server.id() as i32
    }

    pub fn send(&mut self, message: Value) {
        let input = self.input.as_mut().expect("the client is there");
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    /// Sends a request, and returns its number.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        self.last
    }

    /// Sends a request for a tool's work, and does not wait.
    pub fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The answer to a request. Answers to others are dropped.
    #[track_caller]
    pub fn answer(&mut self, number: u64) -> Value {
        loop {
            let answer = self.answers.recv_timeout(LIMIT).expect("an answer");
            if answer["id"] == number {
                return answer;
            }
        }
    }

    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let number = self.ask(method, params);
        self.answer(number)
    }

    /// A tool's answer, whatever it says. Each answer is bounded, and its bytes are harmless.
    #[track_caller]
    pub fn told(&mut self, number: u64) -> Told {
        let answer = self.answer(number);
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}")).to_owned();
        assert!(text.len() <= ANSWER, "{} bytes", text.len());
        let hidden = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{200b}\u{2066}".contains(c);
        assert!(!text.contains(hidden), "{text:?}");
        self.texts.push(text.clone());
        let json = serde_json::from_str(&text).unwrap_or_default();
        Told { text, is_error: result["isError"] == true, json }
    }

    #[track_caller]
    pub fn tool(&mut self, tool: &str, arguments: Value) -> Told {
        let number = self.begin(tool, arguments);
        let told = self.told(number);
        assert!(!told.is_error, "{tool}: {}", told.text);
        told
    }

    /// The message of a tool that refuses.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let number = self.begin(tool, arguments);
        let told = self.told(number);
        assert!(told.is_error, "{tool}: {}", told.text);
        told.text
    }

    /// The client goes away.
    pub fn leave(&mut self) {
        self.input = None;
    }

    pub fn ended(&mut self) -> ExitStatus {
        wait_for("the end of the server", || self.server.try_wait().unwrap())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        if !std::thread::panicking() {
            self.ended();
        }
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The path of a file in a scratch, as text.
pub fn path(scratch: &Scratch, name: &str) -> String {
    scratch.path(name).to_str().unwrap().to_owned()
}

/// A program of `tests/`, compiled with its lines.
pub fn compiled(scratch: &Scratch, source: &str) -> Result<String, String> {
    let program = scratch.path("program");
    cc_with_lines(&root().join("tests").join(source), &program)?;
    Ok(program.to_str().unwrap().to_owned())
}

/// The line of a source that has this text.
pub fn line_of(source: &str, text: &str) -> usize {
    let source = std::fs::read_to_string(root().join("tests").join(source)).unwrap();
    source.lines().position(|line| line.contains(text)).expect("the line") + 1
}

/// The interpreter itself: a wrapper that chooses between versions would be traced as well.
pub fn python() -> Result<String, String> {
    let found = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    Ok(text(&found.map_err(|why| format!("python3: {why}"))?.stdout).trim().to_owned())
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The number that a program has written into a file.
pub fn number_in(file: &Path) -> i32 {
    wait_for(&format!("a number in {}", file.display()), || {
        let text = std::fs::read_to_string(file).ok()?;
        text.ends_with('\n').then(|| text.trim().parse().ok()).flatten()
    })
}

/// True if a process is there and has not ended.
pub fn lives(pid: i32) -> bool {
    !matches!(state(pid), None | Some('Z' | 'X'))
}

/// The real path, as programs see it.
pub fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap()
}
