//! The agent keeps its tracers running. A script stands for `stride`, so these tests need no privileges.

mod common;

use common::*;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const METRICS: &str = "[metrics]\nexport = ['prometheus://:9']\n";
const FLIGHT: &str = "[[flight]]\nname = 'io'\ntriggers = ['killed']\n";

/// A script that runs until it is told to end, and writes a recording at SIGUSR1, as Stride does.
const RECORDER: &str = r#"
for word; do case $word in --record=*) file=${word#--record=} ;; esac; done
echo "$*" >>"$LOG"
number=
trap 'echo calls >"$file$number"; echo "stride: flight recorder: $file$number: 1 call, 6 bytes ($WHY); look at it with x" >&2
	number=.2' USR1
trap 'exit 0' TERM
while :; do sleep 0.05; done
"#;

/// An agent whose tracers are this script.
fn agent(name: &str, lines: &str, config: &str, why: &str) -> Agent {
    let scratch = Scratch::new(name);
    let stride = scratch.path("stride");
    script(&stride, lines);
    let settings = [("LOG", scratch.path("starts").display().to_string()), ("WHY", why.to_owned())];
    Agent::start(scratch, &stride, config, &settings)
}

/// The command lines of all starts, when there are so many.
fn starts(agent: &Agent, number: usize) -> Vec<String> {
    wait_for(&format!("{number} starts"), || {
        let text = fs::read_to_string(agent.scratch.path("starts")).ok()?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        (lines.len() >= number).then_some(lines)
    })
}

#[test]
fn a_tracer_that_dies_is_started_again() {
    let mut agent = agent("agent-dies", RECORDER, METRICS, "");
    assert_eq!(starts(&agent, 1), ["--all --export=prometheus://:9"]);
    let first = agent.tracer();
    kill(Pid::from_raw(first), Signal::SIGKILL).unwrap();
    starts(&agent, 2);
    agent.says("metrics: stride has ended: signal: 9 (SIGKILL)");
    assert_ne!(agent.tracer(), first);
    assert_eq!(agent.of_first("starts"), 2);
    agent.end();
}

#[test]
fn a_tracer_that_cannot_start_says_why() {
    let agent = agent("agent-fails", "echo 'stride: no eBPF here' >&2; exit 1", METRICS, "");
    agent.says("metrics: no eBPF here");
    agent.says("exit status: 1 (no eBPF here); it is started again in 2 s");
    let status = agent.status();
    assert_eq!(status["tracers"][0]["said"], "no eBPF here");
}

#[test]
fn tracers_end_with_an_agent_that_is_killed() {
    let mut agent = agent("agent-killed", RECORDER, FLIGHT, "killed");
    let tracer = agent.tracer();
    starts(&agent, 1);
    agent.process.kill().unwrap();
    agent.process.wait().unwrap();
    wait_until("the tracer ends", || !lives(tracer));
    // The socket and the recordings of the killed one are there.
    let made = agent.scratch.path("state/made/io/1.rec");
    fs::write(made, "calls").unwrap();
    agent.start_again(&agent.scratch.path("stride"));
    assert_eq!(agent.of_first("made"), 1);
    assert_eq!(files(&agent.scratch.path("state/recordings/io")).len(), 1);
    agent.end();
}

#[test]
fn recordings_are_made_on_request_and_taken() {
    let mut agent = agent("agent-asked", RECORDER, FLIGHT, "asked for");
    starts(&agent, 1);
    let places = [agent.told(&["--record=io"]), agent.told(&["--record=io"])];
    assert_ne!(places[0], places[1]);
    for place in places {
        assert_eq!(fs::read_to_string(place).unwrap(), "calls\n");
    }
    assert!(agent.refused(&["--record=x"]).contains("no flight recorder is called 'x'; there are: io"));
    assert_eq!(agent.of_first("made"), 2);
    assert_eq!(files(&agent.scratch.path("state/made")).len(), 0);
    agent.end();
}

#[test]
fn a_day_has_so_many_recordings() {
    let config = format!("{FLIGHT}per-day = 2\n");
    let mut agent = agent("agent-day", RECORDER, &config, "killed");
    assert!(starts(&agent, 1)[0].ends_with("--trigger-count=2 --trigger=killed"));
    let tracer = Pid::from_raw(agent.tracer());
    for made in 1..=2 {
        kill(tracer, Signal::SIGUSR1).unwrap();
        wait_until("a recording", || agent.of_first("made") == made);
    }
    // A Stride that is started anew on the same day has no triggers.
    kill(tracer, Signal::SIGKILL).unwrap();
    let second = starts(&agent, 2)[1].clone();
    assert!(second.contains("--flight=16M") && !second.contains("--trigger"), "{second}");
    agent.end();
}

#[test]
fn a_configuration_is_read_again() {
    let mut agent = agent("agent-reload", RECORDER, METRICS, "");
    let first = agent.tracer();
    starts(&agent, 1);
    write_config(&agent.scratch, "[metrics]\nexport = [1]\n");
    agent.signal(Signal::SIGHUP);
    agent.says("the agent goes on as before");
    write_config(&agent.scratch, &format!("{METRICS}{FLIGHT}"));
    agent.signal(Signal::SIGHUP);
    starts(&agent, 2);
    assert_eq!(agent.tracer(), first, "a tracer whose options are the same runs on");
    write_config(&agent.scratch, FLIGHT);
    agent.signal(Signal::SIGHUP);
    wait_until("the first tracer ends", || !lives(first));
    assert_eq!(agent.of_first("name"), "io");
    agent.end();
}

#[test]
fn a_pause_ends_all_tracing() {
    let mut agent = agent("agent-pause", RECORDER, FLIGHT, "");
    let first = agent.tracer();
    agent.told(&["--pause"]);
    assert!(!lives(first));
    assert_eq!(agent.status()["paused"], true);
    assert!(agent.refused(&["--record=io"]).contains("--resume"));
    assert_eq!(agent.told(&["--resume"]), "tracing");
    starts(&agent, 2);
    agent.end();
}

#[test]
fn there_is_one_agent() {
    let agent = agent("agent-one", RECORDER, METRICS, "");
    let stride = agent.scratch.path("stride");
    let second = command(&agent.scratch, &stride).output().unwrap();
    assert!(!second.status.success() && text(&second.stderr).contains("another stride-agent uses"), "{second:?}");
    let elsewhere = Scratch::new("agent-one-elsewhere");
    write_config(&elsewhere, METRICS);
    let mut third = command(&elsewhere, &stride);
    third.arg(format!("--socket={}", agent.scratch.path("agent.sock").display()));
    let third = third.output().unwrap();
    assert!(!third.status.success() && text(&third.stderr).contains("another stride-agent listens"), "{third:?}");
    assert_eq!(agent.of_first("starts"), 1);
}

#[test]
fn mistakes_are_told_before_anything_runs() {
    let scratch = Scratch::new("agent-mistakes");
    let socket = format!("--socket={}", scratch.path("none").display());
    let run = |args: &[&str]| Command::new(AGENT).args(args).arg(&socket).output().unwrap();
    for (args, status, message) in [
        (&["--config=/nonexistent"][..], 2, "there is no such file: name the configuration with --config=FILE"),
        (&["--nonsense"], 2, "invalid option '--nonsense'"),
        (&["--status", "--pause"], 2, "two requests"),
        (&["--status"], 1, "no agent listens there"),
        (&["--door"], 2, "is for stride-agent itself"),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {output:?}");
        assert!(text(&output.stderr).contains(message), "{args:?}: {output:?}");
    }
    write_config(&scratch, METRICS);
    let config = format!("--config={}", scratch.path("agent.toml").display());
    let right = run(&["--check", &config]);
    assert!(right.status.success() && text(&right.stdout).ends_with("right: 1 tracer\n"), "{right:?}");
    fs::create_dir(scratch.path("state")).unwrap();
    fs::set_permissions(scratch.path("state"), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let open = command(&scratch, Path::new("/bin/true")).output().unwrap();
    assert!(text(&open.stderr).contains("others may write there"), "{open:?}");
}

#[test]
fn systemd_takes_the_unit() {
    need!("/usr/bin/systemd-analyze");
    let scratch = Scratch::new("agent-unit");
    let unit = fs::read_to_string(stride_test_support::programs::root().join("scripts/systemd/stride-agent.service"));
    let unit = unit.unwrap().replace("/usr/bin/stride-agent", AGENT);
    let judged = |unit: &str| {
        let file = scratch.path("stride-agent.service");
        fs::write(&file, unit).unwrap();
        let output = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&file).output().unwrap();
        text(&output.stderr)
    };
    assert_eq!(judged(&unit), "");
    assert!(judged(&unit.replace("Restart=on-failure", "Restart=maybe")).contains("maybe"));
}
