//! `cargo xtask bench`: the cost of tracing, as ratios to the untraced program, measured side by side in one run.
//!
//! Absolute times say little on a noisy machine. So each round runs every contender once, in turn, and the report has
//! the median over the rounds of the ratio to the untraced run of the same round.

mod compass;
mod crowd;
mod floor;
mod losses;
mod memory;
mod replay;

use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
const LOG: &str = "/tmp/stride-bench.log";
const PORT: &str = "7399";

/// The work to measure.
enum Load {
    /// A program, and a shorter run of it for contenders that would take minutes.
    Program { full: &'static [&'static str], less: &'static [&'static str] },
    /// Compiling the test programs with `make -j2`.
    Compile,
    /// redis-server, measured in requests a second.
    Redis,
}

struct Work {
    title: &'static str,
    load: Load,
    contenders: &'static [Contender],
}

struct Contender {
    name: &'static str,
    /// The words before the program; `STRIDE` stands for the binary under test.
    words: &'static [&'static str],
    /// The contender does the shorter run, and so does the untraced run that it is compared with.
    slow: bool,
}

const fn slow(name: &'static str, words: &'static [&'static str]) -> Contender {
    Contender { name, words, slow: true }
}

const fn fast(name: &'static str, words: &'static [&'static str]) -> Contender {
    Contender { name, words, slow: false }
}

const DD: Load = Load::Program {
    full: &["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=500k", "status=none"],
    less: &["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=20k", "status=none"],
};

const WORKS: &[Work] = &[
    Work {
        title: "`dd bs=1 count=500k`, every call to a file",
        load: DD,
        contenders: &[
            slow("strace", &["strace", "-o", LOG]),
            slow("perf trace", &["perf", "trace", "-o", LOG]),
            slow("stride, ptrace", &["STRIDE", "--engine=ptrace", "-o", LOG]),
            fast("stride, eBPF", &["STRIDE", "--engine=ebpf", "-o", LOG]),
        ],
    },
    Work {
        title: "the same, `-T -ttt`",
        load: DD,
        contenders: &[
            slow("strace", &["strace", "-T", "-ttt", "-o", LOG]),
            slow("stride, ptrace", &["STRIDE", "--engine=ptrace", "-T", "-ttt", "-o", LOG]),
            fast("stride, eBPF", &["STRIDE", "--engine=ebpf", "-T", "-ttt", "-o", LOG]),
        ],
    },
    Work {
        title: "the same, `-c`",
        load: DD,
        contenders: &[
            slow("strace", &["strace", "-c", "-o", LOG]),
            slow("perf trace -s", &["perf", "trace", "-s", "-o", LOG]),
            slow("stride, ptrace", &["STRIDE", "--engine=ptrace", "-c", "-o", LOG]),
            fast("stride, eBPF", &["STRIDE", "--engine=ebpf", "-c", "-o", LOG]),
        ],
    },
    Work {
        title: "the same, `-e accept`",
        load: DD,
        contenders: &[
            slow("strace", &["strace", "-e", "accept", "-o", LOG]),
            fast("strace -f --seccomp-bpf", &["strace", "-f", "--seccomp-bpf", "-e", "accept", "-o", LOG]),
            fast("perf trace", &["perf", "trace", "-e", "accept", "-o", LOG]),
            fast(
                "stride, ptrace -f --seccomp-bpf",
                &["STRIDE", "--engine=ptrace", "-f", "--seccomp-bpf", "-e", "accept", "-o", LOG],
            ),
            fast("stride, eBPF", &["STRIDE", "--engine=ebpf", "-e", "accept", "-o", LOG]),
            fast("stride, eBPF, -e openat", &["STRIDE", "--engine=ebpf", "-e", "openat", "-o", LOG]),
        ],
    },
    Work {
        title: "redis-server under `redis-benchmark -n 100000 -c 10 -t get`, requests a second, every call to a file",
        load: Load::Redis,
        contenders: &[
            fast("strace -f", &["strace", "-f", "-o", LOG]),
            fast("perf trace", &["perf", "trace", "-o", LOG]),
            fast("stride, eBPF", &["STRIDE", "--engine=ebpf", "-f", "-o", LOG]),
            fast("stride, eBPF, -c", &["STRIDE", "--engine=ebpf", "-f", "-c", "-o", LOG]),
            fast("stride, eBPF, --advise", &["STRIDE", "--engine=ebpf", "-f", "--advise", "-o", LOG]),
        ],
    },
    Work {
        title: "compiling the test programs four times with `make -j2`, every call of all processes to a file",
        load: Load::Compile,
        contenders: &[
            fast("strace -f", &["strace", "-f", "-o", LOG]),
            fast("perf trace", &["perf", "trace", "-o", LOG]),
            fast("stride, ptrace -f", &["STRIDE", "--engine=ptrace", "-f", "-o", LOG]),
            fast("stride, eBPF -f", &["STRIDE", "--engine=ebpf", "-f", "-o", LOG]),
        ],
    },
    Work {
        title: "`true`",
        load: Load::Program { full: &["true"], less: &["true"] },
        contenders: &[
            fast("strace", &["strace", "-o", LOG]),
            fast("perf trace", &["perf", "trace", "-o", LOG]),
            fast("stride, ptrace", &["STRIDE", "--engine=ptrace", "-o", LOG]),
            fast("stride, eBPF", &["STRIDE", "--engine=ebpf", "-o", LOG]),
        ],
    },
];

/// Measures only the memory of long runs, with so many millions of calls, and prints the result.
pub fn run_memory(stride: &str, millions: &str) -> Result<()> {
    let mut report = format!("{}\n\n", machine());
    memory::measure(stride, millions.parse()?, &mut report)?;
    print!("{report}");
    Ok(())
}

/// Measures only the crowded machine, and prints the result.
pub fn run_crowd(stride: &str) -> Result<()> {
    let mut report = format!("{}\n\n", machine());
    crowd::measure(stride, &mut report)?;
    print!("{report}");
    Ok(())
}

/// Measures only how fast a recording is shown, and the size of the program, and prints the result.
pub fn run_replay(stride: &str) -> Result<()> {
    let mut report = format!("{}\n\n", machine());
    replay::measure(stride, &mut report)?;
    print!("{report}");
    Ok(())
}

/// Measures the works that have `word` in their titles, and prints the result. `real_time` is for those of the table of costs.
pub fn run_some(stride: &str, word: &str, real_time: bool) -> Result<()> {
    let mut report = format!("{}\n\n", machine());
    let is_of_compass = compass::measure_some(stride, word, real_time, &mut report)?;
    let works: Vec<&Work> = WORKS.iter().filter(|work| work.title.contains(word)).collect();
    ensure!(is_of_compass || !works.is_empty(), "no work has '{word}' in its title");
    works.into_iter().try_for_each(|work| measure(work, stride, &mut report))?;
    print!("{report}");
    Ok(())
}

/// Measures the costs that matter most in one table, and prints it. `stride` is the binary under test. `real_time`: every program that is measured
/// runs before those of other users.
pub fn run(stride: &str, real_time: bool) -> Result<()> {
    let mut report = format!("{}\n\n", machine());
    compass::measure(stride, real_time, &mut report)?;
    print!("{report}");
    Ok(())
}

/// The same, and then compares with other tracers in detail. Writes docs/benchmarks.md.
pub fn run_all(stride: &str) -> Result<()> {
    let mut report = String::from("# Benchmarks\n\n");
    let _ = writeln!(report, "{}\n", machine());
    compass::measure(stride, false, &mut report)?;
    let _ = writeln!(
        report,
        "# In detail\n\nMade by `make bench-all`: medians of {ROUNDS} rounds; in each round every contender runs once, in turn, and is \
         compared to the untraced run of the same round. Contenders marked `*` would take minutes: they run with 20k \
         instead of 500k, against an untraced run that has as little to do (their own start weighs more there).\n"
    );
    for work in WORKS {
        measure(work, stride, &mut report)?;
    }
    crowd::measure(stride, &mut report)?;
    replay::measure(stride, &mut report)?;
    print!("{report}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/benchmarks.md");
    std::fs::write(path, report).with_context(|| path.to_string())
}

fn measure(work: &Work, stride: &str, report: &mut String) -> Result<()> {
    let _ = writeln!(report, "## {}\n", work.title);
    let missing = |program: &str| !have(program);
    if matches!(work.load, Load::Redis) && (missing("redis-server") || missing("redis-benchmark")) {
        let _ = writeln!(report, "not measured: redis-server and redis-benchmark are not installed\n");
        return Ok(());
    }
    let here: Vec<&Contender> = work.contenders.iter().filter(|c| c.words[0] == "STRIDE" || have(c.words[0])).collect();
    let mut ratios = vec![Vec::new(); here.len()];
    let mut values = vec![Vec::new(); here.len()];
    let mut base = Vec::new();
    for round in 0..=ROUNDS {
        eprintln!("{}: round {round} of {ROUNDS}", work.title);
        let untraced = once(&work.load, &[], false, stride)?;
        let little = if here.iter().any(|c| c.slow) { once(&work.load, &[], true, stride)? } else { untraced };
        let traced: Vec<f64> = here.iter().map(|c| once(&work.load, c.words, c.slow, stride)).collect::<Result<_>>()?;
        // The first round warms the caches.
        if round == 0 {
            continue;
        }
        base.push(untraced);
        for (i, value) in traced.into_iter().enumerate() {
            values[i].push(value);
            ratios[i].push(value / if here[i].slow { little } else { untraced });
        }
    }
    let unit = if matches!(work.load, Load::Redis) { "requests/s" } else { "seconds" };
    let _ = writeln!(report, "| | {unit} | × untraced | from | to |\n|---|---|---|---|---|");
    let _ = writeln!(report, "| untraced | {} | 1 | | |", figure(median(&base)));
    for (contender, (values, ratios)) in here.iter().zip(values.iter().zip(&ratios)) {
        let name = format!("{}{}", contender.name, if contender.slow { " *" } else { "" });
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let (value, ratio) = (figure(median(values)), figure(median(ratios)));
        let _ = writeln!(report, "| {name} | {value} | {ratio} | {} | {} |", figure(least), figure(most));
    }
    for absent in work.contenders.iter().filter(|c| c.words[0] != "STRIDE" && !have(c.words[0])) {
        let _ = writeln!(report, "\nnot measured: {} is not installed", absent.name);
    }
    report.push('\n');
    Ok(())
}

fn have(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// A number with three significant digits.
fn figure(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

/// One run: seconds, or requests a second.
fn once(load: &Load, words: &[&str], less: bool, stride: &str) -> Result<f64> {
    // Truncating the log of the run before would count against this run.
    let _ = std::fs::remove_file(LOG);
    match load {
        Load::Program { full, less: little } => time(words, if less { little } else { full }, stride),
        Load::Compile => {
            let scratch = Scratch::new()?;
            let makefile = scratch.makefile()?;
            time(words, &["make", "-s", "-j2", "-f", &makefile], stride)
        }
        Load::Redis => requests(words, stride),
    }
}

/// Compiles a C program of this name.
fn compile(dir: &Path, name: &str, source: &str) -> Result<String> {
    let (file, program) = (dir.join(name).with_extension("c"), dir.join(name));
    std::fs::write(&file, source)?;
    ensure!(
        Command::new("cc").args(["-O1", "-pthread", "-o"]).args([&program, &file]).status()?.success(),
        "cc failed"
    );
    Ok(program.to_str().context("the directory for temporary files has no name in UTF-8: set TMPDIR")?.to_string())
}

fn command(words: &[&str], program: &[&str], stride: &str) -> Result<Command> {
    let mut all = words.iter().chain(program).map(|w| if *w == "STRIDE" { stride } else { w });
    let mut command = Command::new(all.next().context("nothing to run")?);
    command.args(all).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Cargo sets it for this program. Each traced process would look for its libraries in five more directories.
    command.env_remove("LD_LIBRARY_PATH");
    Ok(command)
}

/// Wall-clock seconds of one run.
fn time(words: &[&str], program: &[&str], stride: &str) -> Result<f64> {
    let mut command = command(words, program, stride)?;
    let started = Instant::now();
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(started.elapsed().as_secs_f64())
}

/// The requests per second that a server under a tracer answers.
fn requests(words: &[&str], stride: &str) -> Result<f64> {
    let server = ["redis-server", "--port", PORT, "--save", "", "--appendonly", "no"];
    let mut server = Server(command(words, &server, stride)?.spawn()?);
    let client = |args: &[&str]| Command::new("redis-cli").args(["-p", PORT]).args(args).output();
    let patience = Instant::now() + Duration::from_secs(20);
    while !client(&["ping"])?.stdout.starts_with(b"PONG") {
        ensure!(Instant::now() < patience, "redis-server does not answer");
        std::thread::sleep(Duration::from_millis(20));
    }
    let args = ["-p", PORT, "-n", "100000", "-c", "10", "-t", "get", "-q"];
    let output = Command::new("redis-benchmark").args(args).output()?;
    client(&["shutdown", "nosave"])?;
    server.0.wait()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let words: Vec<&str> = text.split_whitespace().collect();
    let unit = words.iter().rposition(|w| *w == "requests").context("redis-benchmark gave no figure")?;
    words[unit - 1].parse().with_context(|| text.to_string())
}

/// A server that is killed when something fails.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The directory where the test programs are compiled.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new() -> Result<Scratch> {
        let dir = std::env::temp_dir().join(format!("stride-bench-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        Ok(Scratch(dir))
    }

    /// A makefile with a target for each test program.
    fn makefile(&self) -> Result<String> {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/syscalls");
        let (mut objects, mut rules) = (String::from("all:"), String::new());
        for entry in std::fs::read_dir(sources)? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "c") {
                // Each program is compiled four times, so that there is enough to do.
                for level in ["O0", "O1", "O2", "O3"] {
                    let object = self.0.join(path.with_extension(level).file_name().unwrap_or_default());
                    let (object, source) = (object.display(), path.display());
                    let _ = write!(objects, " {object}");
                    let _ = write!(rules, "{object}: {source}\n\tcc -{level} -w -c -o $@ $<\n");
                }
            }
        }
        let makefile = self.0.join("Makefile");
        std::fs::write(&makefile, format!("{objects}\n{rules}"))?;
        Ok(makefile.display().to_string())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let model = read("/proc/cpuinfo")
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(": ").map(|(_, m)| m.to_string()))
        .unwrap_or_else(|| "unknown processor".into());
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
    format!("{model}, {cpus} CPUs (virtual), Linux {}", read("/proc/sys/kernel/osrelease").trim())
}
