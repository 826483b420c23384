//! Programs that tell the frames of each of their calls, as their language knows them: the numbered calls in a trace, and what was told of each.

use crate::common::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A function, its file and its line.
pub type Frame = (String, String, u64);

/// The executable of an interpreter of this name that the shell finds: the first of one of these versions, with words of so many bytes. `program` prints its version, the bytes of
/// a word and the path of the executable, each on a line, or nothing if the build is of another kind than those that are known.
pub fn interpreter(name: &str, program: &str, versions: &[&str], word: &str) -> Option<String> {
    let known = |directory: PathBuf| {
        let output = Command::new(directory.join(name)).args(["-e", program]).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let [version, size, path] = text.lines().collect::<Vec<_>>()[..] else { return None };
        let is_known = size == word && versions.iter().any(|known| version.starts_with(known));
        is_known.then(|| path.to_owned())
    };
    std::env::split_paths(&std::env::var_os("PATH")?).find_map(known)
}

/// The frames that the program has told for each of its calls, by their numbers.
pub fn told(scratch: &Scratch) -> BTreeMap<usize, Vec<Frame>> {
    let frame = |text: &str| {
        let fields: Vec<_> = text.split('\t').collect();
        (fields[0].to_owned(), fields[1].to_owned(), fields[2].parse().unwrap())
    };
    let line = |line: &str| {
        let mut parts = line.split('\x01');
        (parts.next().unwrap().parse().unwrap(), parts.map(frame).collect())
    };
    scratch.read("told").lines().map(line).collect()
}

/// The calls of the program: the number of each, and its stack.
pub fn calls(trace: &str) -> Vec<(usize, Vec<Value>)> {
    let call = |line: &str| {
        let object: Value = serde_json::from_str(line).unwrap();
        let number = object["path"].as_str()?.strip_prefix("/stride-mark/")?.parse().ok()?;
        Some((number, object["stack"].as_array().cloned().unwrap_or_default()))
    };
    trace.lines().filter_map(call).collect()
}

/// A frame of a stack in JSON.
pub fn frame_of(frame: &Value) -> Frame {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&frame["symbol"]), text(&frame["file"]), frame["line"].as_u64().unwrap_or(0))
}

/// A frame of a script has a line, but no module.
pub fn frames_of_scripts(stack: &[Value]) -> Vec<Frame> {
    stack.iter().filter(|frame| frame.get("module").is_none()).map(frame_of).collect()
}

/// The trace of a program that writes the file `told`. The command is what comes in front of the program.
pub fn traced(scratch: &Scratch, engine: &str, command: &[&str], program: &Path, further: &[&str]) -> String {
    let options = [engine, "-f", "-k", "--json", "--stack-trace-frame-limit=4096"];
    let program = program.to_string_lossy();
    let run = scratch.stride(options.iter().chain(further).chain(command).chain(&[&*program, "told", "trace"]));
    assert_eq!(run.code(), Some(0), "{command:?} {engine}: {}", run.err);
    run.trace
}

/// The frames of each call, behind the function `mark` that makes all of them, are those that were told. The function `large` may lack its line: its table of lines is too
/// long to be copied with each stack, and the program may be over when Stride looks.
#[track_caller]
pub fn are_as_told(
    run: &str,
    mark: &str,
    large: Option<&str>,
    told: &BTreeMap<usize, Vec<Frame>>,
    calls: &[(usize, Vec<Value>)],
) {
    assert!(calls.len() >= told.len(), "{run}: {} of {} calls", calls.len(), told.len());
    for (number, stack) in calls {
        let frames = frames_of_scripts(stack);
        let [first, frames @ ..] = &frames[..] else { panic!("{run} {number}: no frames: {stack:#?}") };
        assert_eq!(first.0, mark, "{run} {number}: {stack:#?}");
        let told = &told[number];
        let is_same = |(frame, told): (&Frame, &Frame)| {
            let is_without_line = large == Some(&frame.0) && frame.2 == 0;
            frame == told || is_without_line && (&frame.0, &frame.1) == (&told.0, &told.1)
        };
        let is_right = frames.len() == told.len() && frames.iter().zip(told).all(is_same);
        assert!(is_right, "{run} {number}: {frames:#?} {told:#?}");
    }
}

/// The calls of the recording `rec` that `mark` made, among those that these options choose.
pub fn calls_of_caller(scratch: &Scratch, caller: &str, options: &[&str]) -> usize {
    let run = scratch.replay(&[&["--by=caller", "-U", "calls,name"], options].concat());
    let counted = run.out.lines().find_map(|line| line.trim().split_once(' ').filter(|(_, row)| *row == caller));
    counted.map_or(0, |(calls, _)| calls.parse().unwrap())
}
