//! A check as a test would make it: a function opens no file. The program traces itself in a child that calls the function.
//!
//! `cargo run -p stride-session --example opens_no_file`

use anyhow::bail;
use std::hint::black_box;
use stride_session::Trace;
use stride_session::options::Engine;

/// Ought to compute, and reads a file.
#[inline(never)]
fn word_length(word: &str) -> usize {
    let _ = black_box(std::fs::read("/etc/hostname"));
    word.len()
}

/// Computes only.
#[inline(never)]
fn byte_sum(word: &str) -> u32 {
    black_box(word).bytes().map(u32::from).sum()
}

/// The files that calls below a function open.
fn files_opened_by(function: &str) -> anyhow::Result<Vec<String>> {
    let mut opened = Vec::new();
    let this = std::env::current_exe()?;
    let words = [this.into_os_string(), "child".into()];
    // ptrace stops the program at each call, so all stacks are known, however short the program's life is.
    let trace = Trace::command(words).engine(Engine::Ptrace).calls("open,openat,openat2,creat")?;
    let mut trace = trace.called_from(function)?.start()?;
    while let Some(call) = trace.next_call()? {
        opened.push(call.text().to_owned());
    }
    if let Some(doubt) = trace.uncertain() {
        bail!("{doubt}");
    }
    Ok(opened)
}

fn main() -> anyhow::Result<()> {
    if std::env::args().nth(1).is_some() {
        black_box((word_length("stride"), byte_sum("stride")));
        return Ok(());
    }
    for function in ["word_length", "byte_sum"] {
        match files_opened_by(function)?.as_slice() {
            [] => println!("{function} opens no file"),
            opened => println!("{function} opens files: {}", opened.join("; ")),
        }
    }
    Ok(())
}
