//! The functions of Ruby programs among the functions of their stacks (`-k`), with the Ruby that this machine has.
//!
//! `tests/stacks/frames.rb` tells the frames of each of its calls as Ruby itself knows them.

mod common;

use common::script_frames::*;
use common::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use stride_test_support::Killed;

const CALLS: [&str; 2] = ["-e", "trace=stat,newfstatat,statx,access,faccessat,faccessat2"];

fn program() -> PathBuf {
    root().join("tests/stacks/frames.rb")
}

/// The executable of a Ruby with a version of which frames are known.
fn ruby() -> Option<String> {
    let output = Command::new("ruby").args(["-e", "puts RUBY_ENGINE, RUBY_VERSION, RbConfig.ruby"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let [engine, version, path] = text.lines().collect::<Vec<_>>()[..] else { return None };
    (engine == "ruby" && version.starts_with("3.1.")).then(|| path.to_owned())
}

#[test]
fn frames_are_those_that_ruby_knows() {
    let Some(ruby) = ruby() else {
        skip!("no Ruby 3.1");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("ruby-frames{engine}"));
        let calls = calls(&traced(&scratch, engine, &[&ruby], &program(), &CALLS));
        are_as_told(engine, "mark", Some("made_large"), &told(&scratch), &calls);
        in_their_order(&calls, engine);
    }
}

/// Frames of Ruby stand where Ruby called them: between the block that a C function calls and the function that calls this C function is the C function itself.
fn in_their_order(calls: &[(usize, Vec<Value>)], run: &str) {
    let in_order = |stack: &[Value]| {
        let place =
            |wanted: &str| stack.iter().position(|frame| frame["symbol"].as_str().is_some_and(|name| name == wanted));
        let (inner, outer) = (place("block in sorted")?, place("sorted")?);
        let between = stack.get(inner + 1..outer)?;
        let is_native = !between.is_empty() && between.iter().all(|frame| frame.get("module").is_some());
        Some(is_native && place("mark")? < inner)
    };
    assert!(calls.iter().filter(|(_, stack)| in_order(stack) == Some(true)).count() >= 2, "{run}: {calls:#?}");
}

/// Functions of Ruby are callers as others are, also in recordings, and Ruby's own library and installed packages are not.
#[test]
fn as_callers() {
    let Some(ruby) = ruby() else {
        skip!("no Ruby 3.1");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("ruby-callers{engine}"));
        traced(&scratch, engine, &[&ruby], &program(), &[&CALLS[..], &["--record=rec"]].concat());
        let told = told(&scratch).len();
        let marks = |options: &[&str]| calls_of_caller(&scratch, "mark (frames.rb)", options);
        assert_eq!(marks(&[]), told, "{engine}");
        assert_eq!(marks(&["--called-from=^block in sorted$"]), 3, "{engine}");
        // The directory that Ruby's library makes is the program's doing.
        let text = scratch.replay(&["-k", "--called-from=^files$"]).out;
        assert!(text.lines().any(|line| is(line, r" > .*/lib/ruby/.*\(mktmpdir\):\d+")), "{engine}: {text}");
        let library = scratch.replay(&["--by=caller", "-U", "calls,name"]).out;
        assert!(!library.contains("mktmpdir"), "{engine}: {library}");
    }
}

const SERVER: &str = r#"require "socket"

def setting(name)
  File.read("settings").lines.find { |line| line.start_with?(name) }
end

def page
  20.times { setting("color") }
  "done"
end

UNIXServer.open("socket") do |server|
  while client = server.accept
    Thread.new(client) do |one|
      one.gets
      one.write(page)
      one.close
    end
  end
end
"#;

/// A server that runs already, with a thread for each request, is advised by the lines of its application.
#[test]
fn a_server_of_pages() {
    let Some(ruby) = ruby() else {
        skip!("no Ruby 3.1");
    };
    for &engine in engines() {
        let scratch = Scratch::new(&format!("ruby-server{engine}"));
        std::fs::write(scratch.path("app.rb"), SERVER).unwrap();
        std::fs::write(scratch.path("settings"), "size = 1\ncolor = red\n").unwrap();
        let server = Killed(Command::new(&ruby).arg("app.rb").current_dir(scratch.path("")).spawn().unwrap());
        let page = || {
            let mut server = UnixStream::connect(scratch.path("socket")).ok()?;
            server.write_all(b"GET /\n").ok()?;
            let mut answer = String::new();
            server.read_to_string(&mut answer).ok().map(|_| answer)
        };
        wait_until("a page", || page().is_some());
        let mut command = stride();
        command
            .args([engine, "-f", "--advise=all", "-o"])
            .arg(scratch.path("advice"))
            .args(["-p", &server.tid().to_string()]);
        let mut stride = Killed(command.stderr(File::create(scratch.path("err")).unwrap()).spawn().unwrap());
        scratch.wait_attached(1);
        (0..10).for_each(|_| assert_eq!(page().as_deref(), Some("done"), "{engine}"));
        send(&stride, Signal::SIGINT);
        stride.0.wait().unwrap();
        let advice = scratch.read("advice");
        assert!(advice.contains("setting (app.rb:4)"), "{engine}: {advice}");
    }
}
