//! Servers of many kinds, and what a client asks them.

use super::field::Field;
use super::process::{self, Proc, wait_for};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A kind of server: its name, and the program that must be there.
pub struct Kind {
    pub name: &'static str,
    needs: &'static [&'static str],
    language: Language,
    /// Threads and descriptors that a run-time may have more or less of than its twin: it starts threads as its calls take longer.
    pub slack: usize,
    /// The memory that it may have more than its twin, in KiB, besides a quarter.
    pub memory: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    /// tests/chaos/servers.c
    C,
    Unix,
    Udp,
    /// A program with its source in tests/chaos/servers/, or none.
    Other(&'static [&'static str], &'static str),
    Go,
    Http,
    Redis,
}

const fn c(name: &'static str, language: Language) -> Kind {
    Kind { name, needs: &[], language, slack: 0, memory: 512 }
}

pub const KINDS: &[Kind] = &[
    c("epoll", Language::C),
    c("poll", Language::C),
    c("pool", Language::C),
    c("threads", Language::C),
    c("fork", Language::C),
    c("unix", Language::Unix),
    c("udp", Language::Udp),
    Kind { name: "http.server", needs: &["python3"], language: Language::Http, slack: 0, memory: 4 << 10 },
    Kind {
        name: "python",
        needs: &["python3"],
        language: Language::Other(&["python3"], "server.py"),
        slack: 0,
        memory: 4 << 10,
    },
    Kind {
        name: "perl",
        needs: &["perl"],
        language: Language::Other(&["perl"], "server.pl"),
        slack: 0,
        memory: 1 << 10,
    },
    Kind {
        name: "node",
        needs: &["node"],
        language: Language::Other(&["node"], "server.js"),
        slack: 2,
        memory: 24 << 10,
    },
    Kind { name: "go", needs: &["go"], language: Language::Go, slack: 6, memory: 8 << 10 },
    Kind {
        name: "java",
        needs: &["java", "javac"],
        language: Language::Other(&["java", "-Xmx64m"], "Server.java"),
        slack: 4,
        memory: 48 << 10,
    },
    Kind { name: "redis", needs: &["redis-server"], language: Language::Redis, slack: 1, memory: 4 << 10 },
];

impl Kind {
    /// The program that this machine lacks.
    pub fn lacks(&self) -> Option<&'static str> {
        let there = |program: &str| {
            let path = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
        };
        self.needs.iter().copied().find(|program| !there(program))
    }
}

/// A server that runs, and a client that stays connected.
pub struct Server {
    pub kind: &'static Kind,
    pub proc: Proc,
    address: Address,
    stays: Option<TcpStream>,
    /// Answers so far.
    pub answers: u64,
}

enum Address {
    Tcp(SocketAddr),
    Udp(SocketAddr),
    Unix(PathBuf),
}

/// How long an answer may take on an idle machine, while all calls of all processes are traced.
const ANSWER: Duration = Duration::from_secs(20);

impl Server {
    /// Starts a server, and waits until it answers.
    pub fn start(field: &Field, kind: &'static Kind, name: &str) -> Result<Server> {
        // A port that is free now.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let to = SocketAddr::from(([127, 0, 0, 1], port));
        let path = field.fresh(&format!("{name}.{}.socket", kind.name));
        let source = |file: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/chaos/servers").join(file);
        let (mut command, address) = match kind.language {
            Language::C | Language::Unix | Language::Udp => {
                let mut command = field.tool(&field.path("servers"));
                command.arg(kind.name);
                match kind.language {
                    Language::Unix => (command, Address::Unix(path)),
                    Language::Udp => (command, Address::Udp(to)),
                    _ => (command, Address::Tcp(to)),
                }
            }
            Language::Other(program, file) => {
                let mut command = field.tool(Path::new(program[0]));
                command.args(&program[1..]).arg(source(file));
                (command, Address::Tcp(to))
            }
            Language::Go => {
                let built = field.path("go-server");
                field.once("the Go server", || {
                    let mut build = Command::new("go");
                    build.args(["build", "-o"]).arg(&built).arg(source("server.go"));
                    ensure!(build.status().context("go")?.success(), "the Go server does not compile");
                    Ok(String::new())
                })?;
                (field.tool(&built), Address::Tcp(to))
            }
            Language::Http => {
                let directory = field.path("http");
                fs::create_dir_all(&directory)?;
                fs::write(directory.join("file"), "the file\n")?;
                let mut command = field.tool(Path::new("python3"));
                command.args(["-m", "http.server", "--bind", "127.0.0.1", "--directory"]).arg(directory);
                (command, Address::Tcp(to))
            }
            Language::Redis => {
                let mut command = field.tool(Path::new("redis-server"));
                command.args(["--save", "", "--bind", "127.0.0.1", "--port"]);
                (command, Address::Tcp(to))
            }
        };
        match &address {
            Address::Unix(path) => command.arg(path),
            Address::Tcp(to) | Address::Udp(to) => command.arg(to.port().to_string()),
        };
        command.stderr(Stdio::from(fs::File::create(field.path(&format!("{name}.{}", kind.name)))?));
        let mut server = Server { kind, proc: Proc::spawn(command)?, address, stays: None, answers: 0 };
        wait_for(&format!("{} answers", kind.name), Duration::from_secs(20), || server.ask_anew(1).ok())?;
        server.stays = match server.address {
            Address::Tcp(to) if kind.language != Language::Http => Some(connected(to)?),
            _ => None,
        };
        server.answers = 0;
        Ok(server)
    }

    /// Asks over the connection that stays, and over a new one.
    pub fn ask(&mut self, number: u64) -> Result<()> {
        let kind = self.kind;
        let stays = self.stays.as_mut().map(|stream| kind.question(number).ask(stream)).transpose();
        stays.with_context(|| format!("{}, a connection from the beginning", kind.name))?;
        self.ask_anew(number).with_context(|| format!("{}, a new connection", kind.name))?;
        self.answers += 1;
        Ok(())
    }

    fn ask_anew(&self, number: u64) -> Result<()> {
        let question = self.kind.question(number);
        match &self.address {
            Address::Tcp(to) => question.ask(&mut connected(*to)?),
            Address::Unix(path) => {
                let mut stream = UnixStream::connect(path)?;
                stream.set_read_timeout(Some(ANSWER))?;
                question.ask(&mut stream)
            }
            Address::Udp(to) => {
                let socket = UdpSocket::bind("127.0.0.1:0")?;
                socket.set_read_timeout(Some(ANSWER))?;
                // So the kernel says at once that nobody listens yet.
                socket.connect(to)?;
                socket.send(&question.text)?;
                let mut answer = [0; 256];
                let n = socket.recv(&mut answer)?;
                question.check(&answer[..n])
            }
        }
    }

    pub fn state(&self) -> Option<ServerState> {
        ServerState::of(self.proc.pid())
    }
}

fn connected(to: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&to, ANSWER)?;
    stream.set_read_timeout(Some(ANSWER))?;
    Ok(stream)
}

struct Question {
    text: Vec<u8>,
    answer: Vec<u8>,
    /// The answer ends with the connection.
    to_the_end: bool,
}

impl Kind {
    fn question(&self, number: u64) -> Question {
        let (text, answer) = match self.language {
            Language::Http => ("GET /file HTTP/1.0\r\n\r\n".to_owned(), "\r\n\r\nthe file\n".to_owned()),
            Language::Redis => {
                let word = number.to_string();
                (format!("ECHO {word}\r\n"), format!("${}\r\n{word}\r\n", word.len()))
            }
            _ => (format!("{number}\n"), format!("answer {number}\n")),
        };
        Question { text: text.into(), answer: answer.into(), to_the_end: self.language == Language::Http }
    }
}

impl Question {
    fn ask(&self, stream: &mut (impl Read + Write)) -> Result<()> {
        stream.write_all(&self.text)?;
        let mut answer = Vec::new();
        let mut part = [0; 4096];
        while self.to_the_end || answer.len() < self.answer.len() {
            match stream.read(&mut part)? {
                0 => break,
                n => answer.extend_from_slice(&part[..n]),
            }
        }
        self.check(&answer)
    }

    fn check(&self, answer: &[u8]) -> Result<()> {
        let right = if self.to_the_end { answer.ends_with(&self.answer) } else { answer == self.answer };
        ensure!(
            right,
            "answered {:?}, not {:?}",
            String::from_utf8_lossy(answer),
            String::from_utf8_lossy(&self.answer)
        );
        Ok(())
    }
}

/// The resources of a server, and attributes that tracing might change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerState {
    pub threads: usize,
    pub fds: usize,
    /// Anonymous memory in KiB.
    pub memory: u64,
    /// Signals that are ignored and caught, and the mode of seccomp.
    pub attributes: Vec<String>,
    /// Children that were not waited for, and others.
    pub children: usize,
}

impl ServerState {
    fn of(pid: i32) -> Option<ServerState> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
        let number = |name: &str| line(name).split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
        Some(ServerState {
            threads: number("Threads:") as usize,
            fds: fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count),
            memory: number("RssAnon:"),
            attributes: ["SigIgn:", "SigCgt:", "Seccomp:", "NoNewPrivs:"].map(line).to_vec(),
            children: process::below(pid).len(),
        })
    }
}
