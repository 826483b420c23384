//! The parts that the scenarios share: the binary, the C programs, a directory, random numbers, and facts about the machine.

use super::process::{self, Proc, progress, wait_for};
use anyhow::{Context, Result, bail, ensure};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A condition of a scenario.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Root,
    Ebpf,
    Strace,
    /// setpriv(1) of util-linux.
    Setpriv,
}

pub const EBPF: &str = "--engine=ebpf";
pub const PTRACE: &str = "--engine=ptrace";

pub struct Field {
    pub stride: PathBuf,
    pub seed: u64,
    /// The number of the round within its scenario.
    pub round: u64,
    /// How often the scenario `servers` attaches in a round.
    pub attach: u64,
    dir: PathBuf,
    dice: RefCell<fastrand::Rng>,
    steps: RefCell<Vec<String>>,
    figures: RefCell<Vec<(f64, String)>>,
    /// Results without Stride, each found once.
    known: RefCell<HashMap<String, String>>,
    missing: Vec<(Need, String)>,
}

impl Field {
    /// The scenarios write to `dir`. The keeper removes it.
    pub fn new(stride: Option<PathBuf>, seed: u64, dir: PathBuf) -> Result<Field> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let stride = match stride {
            Some(stride) => stride,
            None => root.join("target/release/stride"),
        };
        let stride = stride.canonicalize().with_context(|| {
            format!("There is no {}: `make build` makes it, --stride=FILE names another", stride.display())
        })?;
        // Orphans become children of this process, so that it finds all leftovers of a round.
        nix::sys::prctl::set_child_subreaper(true).context("can't become the parent of orphans")?;
        let mut field = Field {
            stride,
            seed,
            round: 0,
            attach: 0,
            dir,
            dice: RefCell::default(),
            steps: RefCell::default(),
            figures: RefCell::default(),
            known: RefCell::default(),
            missing: Vec::new(),
        };
        for program in ["victim", "writers", "notices", "servers"] {
            let source = root.join(format!("tests/chaos/{program}.c"));
            let made =
                Command::new("cc").args(["-O1", "-pthread", "-o"]).arg(field.path(program)).arg(&source).status();
            ensure!(made.context("no C compiler (cc)")?.success(), "{} does not compile", source.display());
        }
        field.look_around();
        Ok(field)
    }

    fn look_around(&mut self) {
        if !nix::unistd::geteuid().is_root() {
            self.missing.push((Need::Root, "needs root".to_owned()));
        }
        let mut stride = self.stride(EBPF);
        let trial = stride.args(["-o", "/dev/null", "true"]).stderr(Stdio::piped()).output();
        match trial {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                self.missing.push((Need::Ebpf, format!("no eBPF: {}", said.lines().next().unwrap_or_default())));
            }
            Err(error) => self.missing.push((Need::Ebpf, format!("{}: {error}", self.stride.display()))),
        }
        for (need, program) in [(Need::Strace, "strace"), (Need::Setpriv, "setpriv")] {
            let there = Command::new(program).arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
            if there.is_err() {
                self.missing.push((need, format!("{program} is not installed")));
            }
        }
    }

    /// Starts the traced program in one of its modes.
    pub fn victim(&self, mode: &str, args: &[&Path]) -> Result<Proc> {
        let mut victim = Command::new(self.path("victim"));
        victim.arg(mode).args(args);
        Proc::spawn(victim)
    }

    /// Starts the program and waits until it has begun. Returns it with the number that it wrote.
    pub fn begun_victim(&self, mode: &str, more: &[&Path]) -> Result<(Proc, u64)> {
        let count = self.fresh("count");
        let victim = self.victim(mode, &[&[&*count], more].concat())?;
        let reported = wait_for("the program begins", Duration::from_secs(5), || progress(&count))?;
        Ok((victim, reported))
    }

    /// The reason why a scenario with these needs cannot be played.
    pub fn lacks(&self, needs: &[Need]) -> Option<String> {
        self.missing.iter().find(|(need, _)| needs.contains(need)).map(|(_, why)| why.clone())
    }

    pub fn has(&self, need: Need) -> bool {
        self.missing.iter().all(|(missing, _)| *missing != need)
    }

    pub fn begin(&mut self, scenario: &str, round: u64) {
        let name = scenario.bytes().fold(0u64, |sum, b| sum.wrapping_mul(31).wrapping_add(b.into()));
        let seed = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ name ^ round.wrapping_mul(0x2545_f491_4f6c_dd1d);
        self.dice = RefCell::new(fastrand::Rng::with_seed(seed));
        self.round = round;
        self.steps.get_mut().clear();
        self.figures.get_mut().clear();
    }

    /// The round's choice: every `slow` rounds the next item, so that all combinations come.
    pub fn case<T: Copy>(&self, of: &[T], slow: u64) -> T {
        of[(self.round / slow) as usize % of.len()]
    }

    /// A number below `end`, chosen by the seed.
    pub fn below(&self, end: u64) -> u64 {
        self.dice.borrow_mut().u64(..end)
    }

    /// One of the items, chosen by the seed.
    pub fn pick<T: Copy>(&self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// Notes a step. A round that fails prints its steps.
    pub fn step(&self, text: impl Into<String>) {
        self.steps.borrow_mut().push(text.into());
    }

    pub fn steps(&self) -> String {
        self.steps.borrow().join("; ")
    }

    /// Notes a figure. The table shows the largest.
    pub fn figure(&self, value: f64, text: impl Into<String>) {
        self.figures.borrow_mut().push((value, text.into()));
    }

    pub fn figures(&self) -> Vec<(f64, String)> {
        self.figures.borrow().clone()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Lets programs of this group into the directory, which is closed to everybody else.
    pub fn open_to(&self, group: u32) -> Result<()> {
        std::os::unix::fs::chown(&self.dir, None, Some(group))?;
        Ok(fs::set_permissions(&self.dir, fs::Permissions::from_mode(0o710))?)
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(name)).unwrap_or_default()).into_owned()
    }

    /// A fresh file name in the directory.
    pub fn fresh(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let _ = fs::remove_file(&path);
        path
    }

    /// Stride with an engine. Its messages go to the file "stderr".
    pub fn stride(&self, engine: &str) -> Command {
        let mut command = self.tool(&self.stride);
        command.arg(engine);
        command
    }

    pub fn strace(&self) -> Command {
        self.tool(Path::new("strace"))
    }

    pub fn tool(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::null()).current_dir(&self.dir);
        match fs::File::create(self.path("stderr")) {
            Ok(file) => command.stderr(file),
            Err(_) => command.stderr(Stdio::null()),
        };
        command
    }

    /// The result of the first call of `find` for this key.
    pub fn once(&self, key: &str, find: impl FnOnce() -> Result<String>) -> Result<String> {
        if let Some(known) = self.known.borrow().get(key) {
            return Ok(known.clone());
        }
        let found = find()?;
        self.known.borrow_mut().insert(key.to_owned(), found.clone());
        Ok(found)
    }

    /// The exit status of Stride, which must end within the bound (of an idle machine). The failure tells which signal
    /// ended it, if any.
    pub fn ends(&self, proc: &mut Proc, within: Duration) -> Result<std::process::ExitStatus> {
        let within = process::patience(within);
        let begun = Instant::now();
        if let Some(status) = proc.end(within) {
            let took = begun.elapsed().as_secs_f64();
            self.figure(took, format!("ended after {took:.2} s"));
            return Ok(status);
        }
        self.figure(within.as_secs_f64(), format!("did not end within {} s", within.as_secs()));
        let doing = process::what(proc.pid());
        let mut tried = String::new();
        for signal in [nix::sys::signal::SIGINT, nix::sys::signal::SIGTERM, nix::sys::signal::SIGTERM] {
            proc.signal(signal);
            if proc.end(Duration::from_secs(1)).is_some() {
                tried = format!("{signal} then ended it");
                break;
            }
            tried = "SIGINT, SIGTERM and a second SIGTERM did not end it either; SIGKILL did".to_owned();
        }
        bail!(
            "    seen: Stride did not end within {} s ({doing}); {tried}\n    expected: Stride ends when there is nothing left to trace",
            within.as_secs()
        );
    }

    /// Fails if processes of the round are left, and kills them.
    pub fn sweep(&self) -> Result<()> {
        let left = process::left(Duration::from_secs(2));
        process::kill_all();
        let why = "    expected: nothing is left running or stopped";
        ensure!(left.is_empty(), "    seen: left behind: {}\n{why}", left.join(", "));
        Ok(())
    }
}
