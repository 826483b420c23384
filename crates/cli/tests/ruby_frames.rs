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

/// The executable of a Ruby of which frames are known: of one of these versions, and with words of so many bytes.
fn ruby_of(versions: &[&str], word: &str) -> Option<String> {
    let program = "puts RUBY_VERSION, 1.size, File.readlink('/proc/self/exe') if RUBY_ENGINE == 'ruby'";
    interpreter("ruby", program, versions, word)
}

fn ruby() -> Option<String> {
    ruby_of(&["3.1.", "3.3.", "3.4."], "8")
}

#[test]
fn frames_are_those_that_ruby_knows() {
    let Some(ruby) = ruby() else {
        skip!("no Ruby 3.1, 3.3 or 3.4");
    };
    are_those_that_it_knows(&ruby, "ruby-frames");
}

#[test]
fn frames_of_32_bits_are_those_that_ruby_knows() {
    let Some(ruby) = ruby_of(&["3.1.", "3.3."], "4") else {
        skip!("no Ruby 3.1 or 3.3 of 32 bits");
    };
    are_those_that_it_knows(&ruby, "ruby-frames-of-32-bits");
}

fn are_those_that_it_knows(ruby: &str, name: &str) {
    for &engine in engines() {
        let scratch = Scratch::new(&format!("{name}{engine}"));
        let calls = calls(&traced(&scratch, engine, &[ruby], &program(), &CALLS));
        let told = told(&scratch);
        assert!(told.len() > 380, "{engine}: {}", told.len());
        are_as_told(engine, "mark", Some("made_large"), &told, &calls);
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
        skip!("no Ruby 3.1, 3.3 or 3.4");
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
        skip!("no Ruby 3.1, 3.3 or 3.4");
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
