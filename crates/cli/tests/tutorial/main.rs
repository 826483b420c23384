//! Each command of docs/tutorial.md prints the lines that the document shows.
//!
//! A lesson is one run of a shell, in the directory of all lessons, so what one lesson makes is there for the next.
//! Numbers, ids, addresses and times are not compared ([`likeness`]), and `...` stands for lines that the document
//! leaves out.

#[path = "../common/mod.rs"]
mod common;
mod likeness;
#[path = "../common/python_packages.rs"]
mod python;

use common::*;
use likeness::difference;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const DOCUMENT: &str = include_str!("../../../../docs/tutorial.md");

/// A part of a lesson, in the order of the document.
enum Part {
    /// A file to save, and its text.
    File(String, String),
    /// A line for the shell, and the lines that it prints.
    Command(String, Vec<String>),
}

struct Lesson {
    title: String,
    parts: Vec<Part>,
}

/// The lessons, each with its files and commands.
fn lessons() -> Vec<Lesson> {
    let mut lessons: Vec<Lesson> = Vec::new();
    let mut lines = DOCUMENT.lines();
    let mut file = None;
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            lessons.push(Lesson { title: title.to_owned(), parts: Vec::new() });
        } else if let Some((_, rest)) = line.split_once("ave this as `") {
            file = rest.strip_suffix("`:").map(str::to_owned);
        } else if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let Some(lesson) = lessons.last_mut() else { continue };
            match (file.take(), language) {
                (Some(name), _) => lesson.parts.push(Part::File(name, block.join("\n") + "\n")),
                (None, "console") => lesson.parts.extend(commands(&block)),
                (None, _) => (),
            }
        }
    }
    lessons
}

/// The commands of a block. A command begins with `$ `, and the lines up to the next are its output.
fn commands(block: &[&str]) -> Vec<Part> {
    let mut commands: Vec<Part> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push(Part::Command(command.to_owned(), Vec::new())),
            (None, Some(Part::Command(_, output))) => output.push((*line).to_owned()),
            (None, _) => panic!("output without a command: {line}"),
        }
    }
    commands
}

/// The text that the shell prints between the outputs of two commands.
const BETWEEN: &str = "--- the next command ---";

impl Lesson {
    fn commands(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.parts.iter().filter_map(|part| match part {
            Part::Command(command, output) => Some((command.as_str(), output.as_slice())),
            Part::File(..) => None,
        })
    }

    fn has(&self, word: &str) -> bool {
        self.commands().any(|(command, _)| command.contains(word))
    }

    /// Runs the lesson, and returns its differences from the document.
    fn run(&self, scratch: &Scratch) -> Vec<String> {
        let mut script = String::from("exec 2>&1\n");
        for (command, _) in self.commands() {
            script += &format!("{command}\necho '{BETWEEN}'\n");
        }
        for part in &self.parts {
            if let Part::File(name, text) = part {
                std::fs::write(scratch.path("shop").join(name), text).unwrap();
            }
        }
        let mut shell = Command::new("sh");
        let path = format!("{}:{}", scratch.path("bin").display(), std::env::var("PATH").unwrap());
        shell.args(["-c", &script]).current_dir(scratch.path("shop")).env("PATH", path);
        shell.env("LC_ALL", "C").env("TZ", "UTC").env_remove("NO_COLOR").env_remove("LD_LIBRARY_PATH");
        let shown = Run::of(shell).out;
        let outputs: Vec<&str> = shown.split(&format!("{BETWEEN}\n")).collect();
        assert_eq!(outputs.len(), self.commands().count() + 1, "{}: {shown}", self.title);
        let checked = self.commands().zip(outputs).filter_map(|((command, expected), output)| {
            let why = difference(expected, output)?;
            Some(format!("lesson {}\n$ {command}\n{why}\nThe command printed:\n{output}", self.title))
        });
        checked.collect()
    }
}

/// A program for the lessons' shell.
fn install(scratch: &Scratch, name: &str, script: &str) {
    let file = scratch.path("bin").join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Prints what `duckdb -c QUESTION` prints in its first columns: rows.
const DUCKDB: &str = "import duckdb, sys; print(duckdb.sql(sys.argv[2]))";

#[test]
fn each_command_prints_what_the_tutorial_shows() {
    need!("/usr/bin/python3");
    let lessons = lessons();
    assert_eq!(lessons.len(), 12);
    let scratch = Scratch::new("tutorial");
    for directory in ["bin", "shop"] {
        std::fs::create_dir(scratch.path(directory)).unwrap();
    }
    std::os::unix::fs::symlink(STRIDE, scratch.path("bin").join("stride")).unwrap();
    install(&scratch, "sudo", "exec \"$@\"");
    let duckdb = python::with("duckdb");
    if let Ok(python) = &duckdb {
        install(&scratch, "duckdb", &format!("exec '{}' -c '{DUCKDB}' \"$@\"", python.display()));
    }
    let mut wrong = Vec::new();
    for lesson in &lessons {
        if lesson.has("sudo ") && engines().len() < 2 {
            println!("skipped: {}: lesson {}: no eBPF", test_name(), lesson.title);
        } else if let (true, Err(why)) = (lesson.has("duckdb "), &duckdb) {
            println!("skipped: {}: lesson {}: {why}", test_name(), lesson.title);
        } else {
            wrong.extend(lesson.run(&scratch));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
