//! The rate of calls at which `--all` begins to lose some.

use super::{Scratch, command, compile};
use anyhow::{Context, Result};
use std::fs::File;
use std::path::Path;
use std::process::Command;

/// Makes so many calls a second for two seconds, half of them in each of two threads, in bursts of a tenth of a millisecond. 0: as many as it can.
const SOURCE: &str = "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n\
    static double rate; static long made[2];\n\
    static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }\n\
    static void *calls(void *n) { double start = now(), t; while ((t = now() - start) < 2) { \
    if (rate && *(long *)n >= t * rate / 2) continue; \
    for (int i = 0; i < 20; i++) syscall(SYS_getppid); *(long *)n += 20; } return 0; }\n\
    int main(int argc, char **argv) { pthread_t other; rate = atof(argv[1]); pthread_create(&other, 0, calls, made); calls(made + 1); \
    pthread_join(other, 0); printf(\"%ld\\n\", (made[0] + made[1]) / 2); }\n";

/// Rates to try, in calls a second.
const RATES: &[u64] = &[250_000, 500_000, 750_000, 1_000_000, 1_500_000, 2_000_000, 3_000_000, 4_000_000];

/// The highest rate of which nothing was lost, and the lowest at which calls were lost, with their share in percent.
pub struct Found {
    pub kept: Option<u64>,
    pub lost: Option<(u64, f64)>,
}

pub fn find(stride: &str) -> Result<Found> {
    let scratch = Scratch::new()?;
    let program = compile(&scratch.0, "rates", SOURCE)?;
    let mut found = Found { kept: None, lost: None };
    for &rate in RATES {
        let (made, lost) = lost(stride, &program, rate)?;
        // The machine can make no more.
        if made < rate * 9 / 10 {
            break;
        }
        if lost == 0 {
            found.kept = Some(made);
        } else {
            // (The count is that of all calls.)
            found.lost = Some((made, lost as f64 / (made * 2) as f64 * 100.0));
            break;
        }
    }
    Ok(found)
}

/// Calls that were made in a second, and those that were lost in all.
fn lost(stride: &str, program: &str, rate: u64) -> Result<(u64, u64)> {
    let words = ["STRIDE", "--engine=ebpf", "--all", "--comm=rates", "-o", "/dev/null"];
    // (A file, because what reads Stride's output by a pipe is not traced, nor are its children.)
    let message = Path::new(program).with_extension("message");
    let mut tracer = command(&words, &[], stride)?.stderr(File::create(&message)?).spawn()?;
    std::thread::sleep(std::time::Duration::from_millis(500));
    let made = Command::new(program).arg(rate.to_string()).output()?;
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(tracer.id() as i32), nix::sys::signal::Signal::SIGINT)?;
    tracer.wait()?;
    let made = String::from_utf8_lossy(&made.stdout).trim().parse().context("the program made no calls")?;
    Ok((made, told_to_be_lost(&std::fs::read_to_string(message)?)))
}

/// The number in `1,234 calls were lost`; 0 without such a line.
fn told_to_be_lost(message: &str) -> u64 {
    let line = message.lines().find(|line| line.contains("calls were lost")).unwrap_or_default();
    let number = line.split(" calls were lost").next().unwrap_or_default().rsplit(' ').next().unwrap_or_default();
    number.replace(',', "").parse().unwrap_or(0)
}
