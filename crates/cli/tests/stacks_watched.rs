//! Stacks (`-k`) that lead through functions whose return is watched (`--library-calls`). The kernel replaces the
//! return addresses of such functions.

mod common;

use common::stacks::{compile, functions, known_frames};
use common::*;

/// The functions that lead to each of the program's calls of write, outermost last, and how many stacks were unwound. A
/// program that is over before Stride has read what it maps (a busy machine) runs again.
fn traced(scratch: &Scratch, watched: &str) -> (Vec<Vec<String>>, usize) {
    let program = scratch.path("program").to_string_lossy().into_owned();
    let mut last = String::new();
    for _ in 0..50 {
        let run = scratch.stride(["--engine=ebpf", "-d", "-k", "-e", "trace=write", watched, &program]);
        let stacks: Vec<Vec<String>> = known_frames(&run.trace, "write(1, \"marked")
            .iter()
            .map(|stack| functions(stack, "program").into_iter().map(str::to_owned).collect())
            .collect();
        if stacks.last().is_some_and(|stack| stack.last().is_some_and(|name| name == "_start")) {
            let message =
                run.err.lines().find_map(|line| line.split_once(" remembered, ")).expect("-d tells of stacks");
            return (stacks, message.1.split(' ').next().and_then(|copied| copied.parse().ok()).unwrap());
        }
        last = format!("{}\n{}", run.err, run.trace.get(..2000).unwrap_or(&run.trace));
    }
    panic!("the stack was never known: {last}");
}

/// The program makes some hundred calls before Stride knows the first stack, because nobody delays the program meanwhile.
const CALLS: usize = 5000;
const INNER: [&str; 4] = ["writes", "watched_inner", "between", "watched_outer"];

#[test]
fn the_caller_of_a_watched_function_is_known() {
    need_ebpf!();
    let scratch = Scratch::new("stacks-watched");
    compile!(&scratch, "watched.c", &["-O2", &format!("-DTIMES={CALLS}")]);
    for watched in ["watched_outer", "watched_*", "*"] {
        let option = format!("--library-calls=./program:{watched}");
        // On a busy machine, Stride may learn late what the program maps, but not again and again.
        let (mut stacks, mut copied) = traced(&scratch, &option);
        for _ in 0..9 {
            if copied < CALLS / 2 {
                break;
            }
            (stacks, copied) = traced(&scratch, &option);
        }
        assert_eq!(stacks.len(), CALLS);
        // Both ways to the same place, by turns.
        let whole = |by: &str| {
            stacks.iter().filter(|stack| stack[..] == [&INNER[..], &[by, "main", "_start"]].concat()).count()
        };
        let (one, other) = (whole("calls_tail"), whole("other_way"));
        assert!(one > 0 && other > 0, "{watched}: {:?}", stacks.last());
        // The rest is of the time before the mappings were read.
        let unknown = stacks.iter().filter(|stack| stack.is_empty()).count();
        assert_eq!(one + other + unknown, CALLS, "{watched}: {stacks:?}");
        assert!(copied < CALLS / 2, "{watched}: {copied} of {CALLS} stacks were unwound");
    }
}
