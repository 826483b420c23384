//! The functions of Python that uWSGI runs (`-k`): a server in C that has Python in a plugin, with a worker process, and with an interpreter for each application.

mod common;

#[path = "common/packages.rs"]
mod packages;

use common::script_frames::{Frame, frame_of};
use common::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

const APPLICATION: &str = r#"
import os

def check(path):
    return os.path.exists(path)

def application(environment, start):
    check("/stride-mark")
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"done"]
"#;

/// The functions of an application, innermost first, and their lines.
const FUNCTIONS: [(&str, u64); 2] = [("check", 5), ("application", 8)];

/// uWSGI, with its plugin for Python.
struct Uwsgi {
    place: PathBuf,
    plugin: String,
}

/// uWSGI, or why it is not there.
static UWSGI: LazyLock<Result<Uwsgi, String>> = LazyLock::new(Uwsgi::installed);

impl Uwsgi {
    fn installed() -> Result<Uwsgi, String> {
        let place = packages::of_debian("uwsgi-of-debian", &["uwsgi-core", "uwsgi-plugin-python3"])?;
        let plugins = fs::read_dir(place.join("usr/lib/uwsgi/plugins")).map_err(|why| why.to_string())?;
        let names = plugins.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut of_python = names.filter_map(|name| name.strip_suffix("_plugin.so").map(str::to_owned));
        let plugin = of_python.find(|name| name.starts_with("python3")).ok_or("uWSGI has no plugin for Python 3")?;
        let uwsgi = Uwsgi { place, plugin };
        let version = Command::new(uwsgi.program()).arg("--version").env("LD_LIBRARY_PATH", uwsgi.libraries()).output();
        match version {
            Ok(output) if output.status.success() => Ok(uwsgi),
            other => Err(format!("uWSGI does not run: {other:?}")),
        }
    }

    fn program(&self) -> PathBuf {
        self.place.join("usr/bin/uwsgi-core")
    }

    fn libraries(&self) -> OsString {
        let below = |directory: &str| self.place.join(directory).join(format!("{}-linux-gnu", std::env::consts::ARCH));
        std::env::join_paths([below("usr/lib"), below("lib")]).unwrap()
    }

    /// The arguments of a server of `app.py`, on a socket in its directory.
    fn arguments<'a>(&'a self, further: &[&'a str]) -> Vec<OsString> {
        let plugins = self.place.join("usr/lib/uwsgi/plugins").into_os_string();
        let plugin = ["--plugins-dir".into(), plugins, "--plugin".into(), self.plugin.clone().into()];
        let server = ["--http-socket", "socket", "--pidfile", "pid", "--wsgi-file", "app.py", "--die-on-term"];
        plugin.into_iter().chain(server.iter().chain(further).map(OsString::from)).collect()
    }
}

/// A page of the server in this directory.
fn page(directory: &Path, path: &str) -> Option<String> {
    let mut server = UnixStream::connect(directory.join("socket")).ok()?;
    server.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).ok()?;
    let mut answer = String::new();
    server.read_to_string(&mut answer).ok()?;
    answer.ends_with("done").then_some(answer)
}

/// True if the trace has a call with the functions of this application, which a function of uWSGI's plugin called.
fn has_functions(scratch: &Scratch, application: &str) -> bool {
    let expected: Vec<Frame> =
        FUNCTIONS.iter().map(|&(name, line)| (name.to_owned(), application.to_owned(), line)).collect();
    let text = fs::read_to_string(scratch.path("trace")).unwrap_or_default();
    let mut calls = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    calls.any(|call| {
        let stack = call["stack"].as_array().cloned().unwrap_or_default();
        let frames: Vec<Frame> = stack.iter().map(frame_of).collect();
        let outer = frames.windows(2).position(|part| part == expected).map_or(&[][..], |at| &stack[at + 2..]);
        outer.iter().any(|frame| frame["symbol"] == "uwsgi_request_wsgi")
    })
}

const OPTIONS: [&str; 6] = ["-q", "-f", "-k", "--json", "-P", "/stride-mark"];

#[test]
fn a_worker_of_a_server() {
    let uwsgi = or_skip!(&*UWSGI);
    for &engine in engines() {
        let scratch = Scratch::new(&format!("uwsgi-workers{engine}"));
        fs::write(scratch.path("app.py"), APPLICATION).unwrap();
        let mut stride = bare_stride();
        stride.arg(engine).args(OPTIONS).args(["-o", "trace"]).arg(uwsgi.program());
        // (If the test fails, the server ends by itself. A second worker might still begin when it is told to end, and uWSGI would wait for that one.)
        let workers = ["--master", "--processes", "1", "--idle", "120", "--die-on-idle"];
        stride.args(uwsgi.arguments(&workers)).env("LD_LIBRARY_PATH", uwsgi.libraries());
        let output = File::create(scratch.path("output")).unwrap();
        stride.current_dir(scratch.path("")).stdout(output.try_clone().unwrap()).stderr(output);
        let mut stride = Killed(stride.spawn().unwrap());
        let has_page = || page(&scratch.path(""), "/").is_some();
        wait_until("the functions", || has_page() && has_functions(&scratch, "app.py"));
        let master = scratch.read("pid").trim().parse().unwrap();
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(master), Signal::SIGTERM).unwrap();
        assert!(stride.0.wait().unwrap().success(), "{engine}: {}", scratch.read("output"));
    }
}

/// Stride comes to a server that runs, and each of whose applications has an interpreter of its own.
#[test]
fn applications_that_run_already() {
    let uwsgi = or_skip!(&*UWSGI);
    for &engine in engines() {
        let scratch = Scratch::new(&format!("uwsgi-attached{engine}"));
        let directory = scratch.path("");
        for application in ["app.py", "other.py"] {
            fs::write(scratch.path(application), APPLICATION).unwrap();
        }
        let mut server = Command::new(uwsgi.program());
        server.args(uwsgi.arguments(&["--mount", "/other=other.py", "--manage-script-name"]));
        server.env("LD_LIBRARY_PATH", uwsgi.libraries()).current_dir(&directory);
        let mut server = Killed(server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        wait_until("the server", || page(&directory, "/").is_some() && page(&directory, "/other").is_some());
        let mut stride = bare_stride();
        stride.arg(engine).args(OPTIONS).args(["-p", &server.tid().to_string(), "-o"]).arg(scratch.path("trace"));
        let mut stride = Killed(stride.spawn().unwrap());
        for (path, application) in [("/", "app.py"), ("/other", "other.py")] {
            let has_page = || page(&directory, path).is_some();
            wait_until("the functions", || has_page() && has_functions(&scratch, application));
        }
        send(&stride, Signal::SIGINT);
        stride.0.wait().unwrap();
        assert!(page(&directory, "/other").is_some(), "{engine}: the server goes on as if it were alone");
        assert!(server.0.try_wait().unwrap().is_none(), "{engine}");
    }
}
