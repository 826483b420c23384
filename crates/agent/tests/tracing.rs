//! An agent with the real Stride.

mod common;
#[path = "../../cli/tests/common/python_packages.rs"]
mod python;
#[allow(dead_code)] // The tests of --parquet use all of it.
#[path = "../../cli/tests/store/server.rs"]
mod server;

use common::*;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use server::StoreServer;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A shell whose name no other process has, so that filters find it alone.
fn shell(scratch: &Scratch, name: &str) -> PathBuf {
    let shell = scratch.path(name);
    fs::copy("/bin/sh", &shell).unwrap();
    shell
}

/// The text of a recording.
fn replayed(stride: &Path, recording: &Path) -> String {
    // Whatever belongs to many processes shows no signals, unless they are asked for.
    let mut replay = Command::new(stride);
    replay.args(["--signal=all", "--quiet=none"]).arg(format!("--replay={}", recording.display()));
    text(&replay.output().unwrap().stdout)
}

/// A flight recorder that looks at processes of this name.
fn recorder(name: &str, more: &str) -> String {
    format!("[[flight]]\nname = 'crash'\nselect = ['--comm={name}']\ntriggers = ['killed']\nafter = '100ms'\n{more}")
}

/// Has a shell be killed, after it has written a secret.
fn crash(shell: &Path) {
    let script = "echo password=hunter2hunter2 > /dev/null; kill -SEGV $$";
    Command::new(shell).args(["-c", script]).status().unwrap();
}

/// An agent whose flight recorder looks at shells of this name, and such a shell.
fn recording(stride: &Path, name: &str, more: &str, settings: &[(&str, String)]) -> (Agent, PathBuf) {
    let scratch = Scratch::new(name);
    let shell = shell(&scratch, name);
    let agent = Agent::start(scratch, stride, &recorder(name, more), settings);
    agent.says("flight recorder: kill -USR1");
    (agent, shell)
}

#[test]
fn a_crash_is_recorded_and_kept() {
    need_ebpf!();
    let stride = or_skip!(stride());
    let (mut agent, shell) = recording(&stride, "agentcrash", "", &[]);
    crash(&shell);
    wait_until("a recording", || agent.of_first("made") == 1);
    let kept = files(&agent.scratch.path("state/recordings"));
    let calls = replayed(&stride, &kept[0]);
    assert!(calls.contains("+++ killed by SIGSEGV"), "{calls}");
    assert!(calls.contains("password=*************"), "secrets are redacted: {calls}");
    // Everything that the agent wrote is for its user alone.
    let bytes = fs::read(&kept[0]).unwrap();
    assert!(!bytes.windows(7).any(|part| part == b"hunter2"));
    let asked = PathBuf::from(agent.told(&["--record=crash"]));
    assert!(asked.exists());
    agent.end();
    assert_eq!(files(&agent.scratch.path("state/made")), [""; 0].map(PathBuf::from));
}

#[test]
fn a_crash_goes_to_a_store() {
    need_ebpf!();
    let stride = or_skip!(stride());
    let mut server = or_skip!(StoreServer::s3(false));
    let settings = [
        ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", server.port)),
        ("AWS_REGION", "us-east-1".into()),
        ("AWS_ACCESS_KEY_ID", "test".into()),
        ("AWS_SECRET_ACCESS_KEY", "very-secret".into()),
        ("STRIDE_HOST", "node/1".into()),
    ];
    // The bucket is not there yet: the store refuses, and the recording waits.
    let (mut agent, shell) = recording(&stride, "agentstore", "upload = 's3://traces/fleet'\n", &settings);
    crash(&shell);
    agent.says("1 recordings (");
    let store = || agent.of_first("store");
    assert_eq!((store()["waiting"].clone(), store()["delivered"].clone()), (1.into(), 0.into()));
    server.bucket("traces");
    wait_until("the recording is delivered", || store()["delivered"] == 1);
    agent.says("the store takes recordings again");
    let names = server.names("traces");
    let is_named = |name: &String| name.starts_with("fleet/flight/date=2") && name.contains("/host=node%2F1/crash-2");
    assert!(names.len() == 1 && is_named(&names[0]), "{names:?}");
    server.save("traces", &agent.scratch.path("objects"));
    let calls = replayed(&stride, &files(&agent.scratch.path("objects"))[0]);
    assert!(calls.contains("+++ killed by SIGSEGV"), "{calls}");
    agent.end();
    assert_eq!(files(&agent.scratch.path("state/outbox")), [""; 0].map(PathBuf::from));
}

#[test]
fn calls_are_counted_for_prometheus() {
    need_ebpf!();
    let stride = or_skip!(stride());
    let scratch = Scratch::new("agent-metrics");
    let shell = shell(&scratch, "agentmetrics");
    let config = "[metrics]\nexport = ['prometheus://:0?by=comm']\nselect = ['--comm=agentmetrics']\n";
    let mut agent = Agent::start(scratch, &stride, config, &[]);
    agent.says("metrics are served at http://");
    let address = agent.scratch.read("log").split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    Command::new(&shell).args(["-c", "cd /; cd /; cd /nonexistent"]).stderr(Stdio::null()).status().unwrap();
    let counted = || {
        let mut to = TcpStream::connect(&address).unwrap();
        write!(to, "GET /metrics HTTP/1.0\r\n\r\n").unwrap();
        let mut answer = String::new();
        to.read_to_string(&mut answer).unwrap();
        answer
    };
    let line = r#"stride_errors_total{syscall="chdir",error_type="ENOENT",thread_name="agentmetrics"} 1"#;
    wait_until("the error is counted", || counted().contains(line));
    agent.end();
}

#[test]
fn a_client_sees_calls_live() {
    need_ebpf!();
    let stride = or_skip!(stride());
    let scratch = Scratch::new("agent-live");
    let shell = shell(&scratch, "agentlive");
    let config = "[metrics]\nexport = ['prometheus://:0']\nselect = ['--comm=nobody-has-this']\n";
    let mut agent = Agent::start(scratch, &stride, config, &[]);
    let mut client = agent.client(&["--trace", "--comm=agentlive", "-e", "trace=chdir,write"]);
    let mut client = client.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let errors = BufReader::new(client.stderr.take().unwrap());
    std::thread::spawn(move || errors.lines().map_while(Result::ok).for_each(|line| _ = tell.send(line)));
    let mut run = Command::new(&shell);
    run.args(["-c", "while cd /tmp; do echo token=abcdefabcdef12 >/dev/null; sleep 0.05; done"]);
    let mut run = run.spawn().unwrap();
    let next = || told.recv_timeout(Duration::from_secs(60)).expect("a line");
    while !next().contains(" chdir(\"/tmp\")") {}
    while !next().contains("token=**************") {}
    kill(Pid::from_raw(client.id() as i32), Signal::SIGINT).unwrap();
    let status = wait_for("the end of the client", || client.try_wait().unwrap());
    assert_ne!(status.code(), Some(1), "{}", agent.scratch.read("log"));
    run.kill().unwrap();
    run.wait().unwrap();
    // A client that is killed takes its trace with it.
    let mut client = agent.client(&["--trace", "--comm=agentlive"]);
    let mut client = client.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let ours = || below(agent.process.id() as i32).len();
    wait_until("a second child of the agent", || ours() == 2);
    client.kill().unwrap();
    client.wait().unwrap();
    wait_until("the trace ends", || ours() == 1);
    assert!(agent.refused(&["--trace", "-o", "/tmp/x"]).contains("'-o' is none of the options"));
    agent.end();
}

/// The children of a process.
fn below(pid: i32) -> Vec<String> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    children.split_whitespace().map(str::to_owned).collect()
}
