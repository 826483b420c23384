//! Users try to see what is not theirs. Each attack (`tests/programs/broker-attacker.c`) is made against a broker of
//! its own, by a user without privileges. It must see nothing, and afterwards the broker must serve another user, and
//! hold no more than before.

use libtest_mimic::{Arguments, Failed, Trial};
use std::io::{Read, Write, pipe};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::RwLock;
use stride_engine_ebpf::broker::{Connection, Prepared};
use stride_event::TraceSpec;
use stride_test_support::state::wait_until;
use stride_test_support::{Scratch, compile, skipped};

/// Users: the attacker, and those who have nothing to do with the attacker.
const ATTACKER: u32 = 65534;
const OTHER: u32 = 65533;
const VICTIM: u32 = 65532;

/// The other side of an attack.
#[derive(Clone, Copy, Debug)]
enum Victim {
    None,
    Root,
    /// Another user's process.
    Other,
    /// The attacker's own process, with more rights.
    Undumpable,
    Program(&'static str),
}

const ATTACKS: &[(&str, Victim)] = &[
    // The test can fail.
    ("control", Victim::None),
    // The kernel itself refuses these.
    ("kernel-refuses", Victim::Root),
    ("kernel-refuses", Victim::Other),
    ("kernel-refuses", Victim::Undumpable),
    ("kernel-refuses", Victim::Program("suid")),
    ("kernel-refuses", Victim::Program("sgid")),
    ("kernel-refuses", Victim::Program("capable")),
    ("kernel-refuses", Victim::Program("unreadable")),
    // Proofs of something else.
    ("own-memory", Victim::Root),
    ("own-memory", Victim::Other),
    ("own-memory", Victim::Undumpable),
    ("own-memory", Victim::Program("suid")),
    ("own-memory", Victim::Program("sgid")),
    ("own-memory", Victim::Program("capable")),
    ("own-memory", Victim::Program("unreadable")),
    ("all-ids", Victim::Root),
    ("no-proof", Victim::Root),
    ("order-first", Victim::Root),
    ("path-only", Victim::Root),
    ("path-only", Victim::Undumpable),
    ("stat-file", Victim::Root),
    ("directory", Victim::Root),
    ("pidfd", Victim::Root),
    ("eventfd", Victim::Root),
    ("memfd", Victim::Root),
    ("socket", Victim::Root),
    ("ring", Victim::Root),
    ("words", Victim::Root),
    ("plain-file", Victim::Root),
    ("bind-mounted", Victim::Root),
    ("environ", Victim::None),
    ("auxv", Victim::None),
    ("pagemap", Victim::None),
    ("maps", Victim::None),
    ("child-in-user-namespace", Victim::Root),
    // Proofs of something that was.
    ("dead-proof", Victim::Root),
    ("kept-proof", Victim::None),
    ("parents-proof", Victim::None),
    ("shared-memory", Victim::None),
    // Processes that become privileged under way.
    ("becomes-suid", Victim::None),
    ("becomes-sgid", Victim::None),
    ("becomes-capable", Victim::None),
    ("becomes-unreadable", Victim::None),
    ("script-becomes-suid", Victim::None),
    ("thread-becomes-suid", Victim::None),
    ("race-suid", Victim::None),
    ("race-unreadable", Victim::None),
    // Processes that end sleeps of the attacker's own.
    ("own-waker", Victim::None),
    ("waker", Victim::Root),
    ("waker", Victim::Other),
    ("waker", Victim::Undumpable),
    ("waker", Victim::Program("suid")),
    ("waker", Victim::Program("sgid")),
    ("waker", Victim::Program("capable")),
    ("waker", Victim::Program("unreadable")),
    ("waker-becomes-suid", Victim::None),
    ("waker-becomes-sgid", Victim::None),
    ("waker-becomes-capable", Victim::None),
    ("waker-becomes-unreadable", Victim::None),
    // Descriptors, messages, and many of them.
    ("descriptors", Victim::Root),
    ("scribble", Victim::Root),
    ("forged", Victim::Root),
    ("refusals", Victim::Root),
    ("crowd", Victim::Root),
    ("10000-connections", Victim::Root),
    ("10000-requests", Victim::Root),
];

fn main() {
    let args = Arguments::from_args();
    let each = ATTACKS.iter().map(|&(attack, victim)| {
        let name = match victim {
            Victim::None => attack.to_owned(),
            Victim::Program(program) => format!("{attack}-of-{program}"),
            victim => format!("{attack}-of-{victim:?}").to_lowercase(),
        };
        let test = name.clone();
        Trial::test(name, move || unless_skipped(&test, |place| attack_on(place, attack, victim)))
    });
    let more = [
        Trial::test("reused-id", || unless_skipped("reused-id", reused_id)),
        Trial::test("becomes-user", || unless_skipped("becomes-user", becomes_user)),
        Trial::test("yama", || unless_skipped("yama", yama)),
        Trial::test("kept-rings", || unless_skipped("kept-rings", kept_rings)),
        Trial::test("subordinate-ids", || unless_skipped("subordinate-ids", subordinate_ids)),
        Trial::test("kept-share", || unless_skipped("kept-share", kept_share)),
        Trial::test("turns", || unless_skipped("turns", turns)),
        Trial::test("failed-load", || unless_skipped("failed-load", failed_load)),
    ];
    libtest_mimic::run(&args, each.chain(more).collect()).exit();
}

/// The report of a test that did not pass: this machine lacks something, or the test failed.
enum NotPassed {
    Skipped(String),
    Failed(String),
}

impl From<String> for NotPassed {
    fn from(why: String) -> NotPassed {
        NotPassed::Failed(why)
    }
}

fn unless_skipped(test: &str, run: impl Fn(&Place) -> Result<(), NotPassed>) -> Result<(), Failed> {
    let result = Place::new(test).and_then(|place| {
        let result = run(&place);
        result.map_err(|failure| match failure {
            NotPassed::Failed(why) => NotPassed::Failed(format!("{why}\nThe broker said: {}", place.broker_messages())),
            skipped => skipped,
        })
    });
    match result {
        Ok(()) => Ok(()),
        Err(NotPassed::Skipped(why)) => {
            skipped::report_of(test, why);
            Ok(())
        }
        Err(NotPassed::Failed(why)) => Err(why.into()),
    }
}

/// A process that ends with the test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A directory with the programs, and a broker.
struct Place {
    scratch: Scratch,
    attacker: PathBuf,
    broker: Killed,
}

impl Place {
    fn new(test: &str) -> Result<Place, NotPassed> {
        stride_engine_ebpf::available().map_err(|why| NotPassed::Skipped(why.to_string()))?;
        if !nix::unistd::geteuid().is_root() {
            return Err(NotPassed::Skipped("only root can start a broker".to_owned()));
        }
        let built = |name| compile(name).map_err(NotPassed::Skipped);
        let (attacker, victim) = (built("broker-attacker")?, built("broker-victim")?);
        let scratch = Scratch::public(&format!("broker-{test}"));
        let copy = |from: &Path, name: &str, mode: u32, group: u32| {
            let to = scratch.path(name);
            // As the test's own rules have it, because other threads fork.
            let copied = Command::new("cp").arg(from).arg(&to).status().is_ok_and(|status| status.success());
            let done = copied
                && std::os::unix::fs::chown(&to, Some(0), Some(group)).is_ok()
                && std::fs::set_permissions(&to, PermissionsExt::from_mode(mode)).is_ok();
            if done { Ok(to) } else { Err(NotPassed::Skipped(format!("{} cannot be made", to.display()))) }
        };
        let attacker = copy(attacker, "attacker", 0o755, 0)?;
        copy(victim, "plain", 0o755, 0)?;
        copy(victim, "suid", 0o4755, 0)?;
        copy(victim, "sgid", 0o2755, VICTIM)?;
        copy(victim, "unreadable", 0o711, 0)?;
        let capable = copy(victim, "capable", 0o755, 0)?;
        let set = Command::new("/usr/sbin/setcap").arg("cap_net_raw+ep").arg(&capable).status();
        if test.contains("capable") && !set.is_ok_and(|status| status.success()) {
            return Err(NotPassed::Skipped("files cannot be given capabilities here".to_owned()));
        }
        std::fs::write(scratch.path("script.new"), format!("#!{}\n", scratch.path("suid").display())).unwrap();
        copy(&scratch.path("script.new"), "script", 0o755, 0)?;
        let spec = TraceSpec { waits: test.contains("waker"), ..TraceSpec::default() };
        std::fs::write(scratch.path("request"), Prepared::request(&spec)).unwrap();
        let socket = scratch.path("socket");
        let broker = Command::new(env!("CARGO_BIN_EXE_stride-broker"))
            .arg(format!("--socket={}", socket.display()))
            .arg("--idle=0")
            .args(match test {
                "kept-share" => &["--clients=4", "--clients-per-user=4"][..],
                "turns" => &["--clients=64", "--clients-per-user=32"],
                _ => &["--clients-per-user=2"],
            })
            .stderr(Stdio::piped())
            .spawn();
        let broker = Killed(broker.map_err(|e| e.to_string())?);
        wait_until("the broker listens", || Connection::open_at(&socket).is_ok());
        Ok(Place { scratch, attacker, broker })
    }

    /// An attack, by this user.
    fn attack(&self, attack: &str, user: u32, victim: u32, stdin: Stdio) -> Command {
        let mut command = Command::new(&self.attacker);
        command.args([self.scratch.path("socket"), self.scratch.path("request"), self.scratch.path("")]);
        command.args([attack, &victim.to_string()]).stdin(stdin).uid(user).gid(user).current_dir("/");
        command
    }

    /// A victim, and what it tells.
    fn victim(&self, victim: Victim) -> Result<(Option<Killed>, Stdio), String> {
        let (program, user, args): (_, _, &[&str]) = match victim {
            Victim::None => return Ok((None, Stdio::null())),
            Victim::Root => ("plain", 0, &[]),
            Victim::Other => ("plain", VICTIM, &[]),
            Victim::Undumpable => ("plain", ATTACKER, &["undumpable"]),
            Victim::Program(program) => (program, ATTACKER, &[]),
        };
        let mut command = Command::new(self.scratch.path(program));
        let child = command.args(args).stdout(Stdio::piped()).uid(user).gid(user).spawn().map_err(|e| e.to_string())?;
        let mut child = Killed(child);
        let mut stdout = child.0.stdout.take().ok_or("no pipe")?;
        // It is what it is to be.
        stdout.read_exact(&mut [0]).map_err(|e| format!("{program}: {e}"))?;
        Ok((Some(child), stdout.into()))
    }

    /// Ends the broker and its workers. Returns what they have written to stderr, such as why no programs could be
    /// loaded.
    fn broker_messages(mut self) -> String {
        let _ = self.broker.0.kill();
        let mut messages = Vec::new();
        let _ = self.broker.0.stderr.take().map(|mut stderr| stderr.read_to_end(&mut messages));
        String::from_utf8_lossy(&messages).into_owned()
    }

    /// Waits until all places are free.
    fn is_free(&self) {
        let broker = self.broker.0.id();
        let children = || std::fs::read_to_string(format!("/proc/{broker}/task/{broker}/children")).unwrap_or_default();
        wait_until("there is one worker", || children().split_whitespace().count() == 1);
    }

    /// Another user is served as before, and nothing is left of the attack.
    fn is_unharmed(&self) -> Result<(), NotPassed> {
        ended(self.attack("control", OTHER, 0, Stdio::null()), "another user, afterwards")?;
        self.is_free();
        let broker = self.broker.0.id();
        let status = std::fs::read_to_string(format!("/proc/{broker}/status")).unwrap_or_default();
        let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
        let kib: u64 = kib.and_then(|kib| kib.trim().parse().ok()).ok_or("the broker is gone".to_owned())?;
        let fds = std::fs::read_dir(format!("/proc/{broker}/fd")).map_or(0, Iterator::count);
        if kib > 64 << 10 || fds > 16 {
            return Err(NotPassed::Failed(format!("the broker has {kib} KiB of memory and {fds} descriptors")));
        }
        Ok(())
    }
}

/// Runs an attack to its end.
fn ended(mut attack: Command, what: &str) -> Result<(), NotPassed> {
    let output = attack.output().map_err(|e| e.to_string())?;
    let output_text =
        || format!("{what}: {}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    verdict(output.status, output_text)
}

fn verdict(status: ExitStatus, output_text: impl Fn() -> String) -> Result<(), NotPassed> {
    match status.code() {
        Some(0) => Ok(()),
        Some(77) => Err(NotPassed::Skipped(output_text())),
        _ => Err(NotPassed::Failed(format!("{status}: {}", output_text()))),
    }
}

fn attack_on(place: &Place, attack: &str, victim: Victim) -> Result<(), NotPassed> {
    let (process, stdout) = place.victim(victim)?;
    let id = process.as_ref().map_or(0, |process| process.0.id());
    let _shared = YAMA.read();
    let mut command = place.attack(attack, ATTACKER, id, stdout);
    command.arg(if let Victim::Program(name) = victim { name } else { "plain" });
    ended(command, attack)?;
    place.is_unharmed()
}

/// A process of root gets the id that the attacker has a proof for.
fn reused_id(place: &Place) -> Result<(), NotPassed> {
    let (read_end, write_end) = pipe().map_err(|e| e.to_string())?;
    let mut attack = place.attack("reused-id", ATTACKER, 0, read_end.into());
    let mut attack = Killed(attack.stderr(Stdio::piped()).spawn().map_err(|e| e.to_string())?);
    let wanted = first_line(&mut attack)?;
    for _ in 0..1000 {
        let last = std::fs::write("/proc/sys/kernel/ns_last_pid", (wanted - 1).to_string());
        last.map_err(|e| NotPassed::Skipped(format!("ids cannot be chosen here: {e}")))?;
        let write_end = write_end.try_clone().map_err(|e| e.to_string())?;
        // Only the one with the right id tells anything.
        let program = format!("test $$ = {wanted} && exec {}", place.scratch.path("plain").display());
        let victim = Command::new("/bin/sh").args(["-c", &program]).stdout(write_end).spawn();
        let victim = Killed(victim.map_err(|e| e.to_string())?);
        if victim.0.id() == wanted {
            let status = attack.0.wait().map_err(|e| e.to_string())?;
            verdict(status, || "the proof of a process that had the same id".to_owned())?;
            return place.is_unharmed();
        }
    }
    Err(NotPassed::Skipped("others took the id each time".to_owned()))
}

/// A process that the attacker traces becomes another user in a namespace of its own, as root allowed it.
fn becomes_user(place: &Place) -> Result<(), NotPassed> {
    let mut attack = place.attack("becomes-user", ATTACKER, 0, Stdio::piped());
    let mut attack = Killed(attack.stderr(Stdio::piped()).spawn().map_err(|e| e.to_string())?);
    let child = match first_line(&mut attack) {
        Ok(child) => child,
        Err(_) => return Err(NotPassed::Skipped("users cannot make user namespaces here".to_owned())),
    };
    let map = format!("0 {ATTACKER} 1\n1 {VICTIM} 1\n");
    std::fs::write(format!("/proc/{child}/uid_map"), map).map_err(|e| format!("uid_map: {e}"))?;
    let mut stdin = attack.0.stdin.take().ok_or("no pipe".to_owned())?;
    stdin.write_all(b"g").map_err(|e| e.to_string())?;
    let status = attack.0.wait().map_err(|e| e.to_string())?;
    verdict(status, || "a process that becomes another user".to_owned())?;
    place.is_unharmed()
}

/// Where Yama restricts ptrace(2), it restricts the broker's clients alike.
fn yama(place: &Place) -> Result<(), NotPassed> {
    const SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";
    let before =
        std::fs::read_to_string(SCOPE).map_err(|_| NotPassed::Skipped("this kernel has no Yama".to_owned()))?;
    let _alone = YAMA.write();
    let mut result = Ok(());
    for scope in ["1", "2", "3"] {
        // (The last one stays until the machine is booted again.)
        if scope == "3" || std::fs::write(SCOPE, scope).is_err() {
            continue;
        }
        for attack in ["kernel-refuses", "own-memory"] {
            result = result.and_then(|()| {
                let (process, stdin) = place.victim(Victim::Program("plain"))?;
                let id = process.as_ref().map_or(0, |process| process.0.id());
                ended(place.attack(attack, ATTACKER, id, stdin), &format!("ptrace_scope={scope}"))
            });
        }
    }
    let _ = std::fs::write(SCOPE, before);
    result?;
    place.is_unharmed()
}

/// Whoever changes what all processes of the machine may do writes here.
static YAMA: RwLock<()> = RwLock::new(());

fn first_line(child: &mut Killed) -> Result<u32, NotPassed> {
    let mut stderr = child.0.stderr.take().ok_or("no pipe".to_owned())?;
    let mut line = Vec::new();
    let mut byte = [0];
    while stderr.read(&mut byte).is_ok_and(|n| n == 1) && byte != *b"\n" {
        line.push(byte[0]);
    }
    String::from_utf8_lossy(&line).parse().map_err(|e| NotPassed::Failed(format!("{line:?}: {e}")))
}

impl Place {
    /// True if this user's trace begins. Otherwise the broker has said this.
    fn begins(&self, user: u32, refusal: &str) -> Result<bool, NotPassed> {
        match ended(self.attack("maps", user, 0, Stdio::null()), "a trace") {
            Ok(()) => Ok(true),
            Err(NotPassed::Failed(why)) if why.contains(refusal) => Ok(false),
            Err(why) => Err(why),
        }
    }

    /// A trace of this user, whose rings are kept.
    fn keeper(&self, user: u32) -> Result<Killed, NotPassed> {
        let mut attack = self.attack("keep", user, 0, Stdio::null());
        let mut keeper = Killed(attack.stdout(Stdio::piped()).spawn().map_err(|e| e.to_string())?);
        let mut stdout = keeper.0.stdout.take().ok_or("no pipe".to_owned())?;
        stdout.read_exact(&mut [0; 5]).map_err(|e| e.to_string())?;
        Ok(keeper)
    }
}

fn expect(holds: bool, what: &str) -> Result<(), NotPassed> {
    if holds { Ok(()) } else { Err(NotPassed::Failed(what.to_owned())) }
}

/// Rings that somebody keeps count as traces of that user, until they are gone.
fn kept_rings(place: &Place) -> Result<(), NotPassed> {
    const REFUSAL: &str = "you have as many traces as one user may have";
    let keepers = [place.keeper(ATTACKER)?, place.keeper(ATTACKER)?];
    expect(!place.begins(ATTACKER, REFUSAL)?, "a third trace began, while the user keeps the rings of two")?;
    expect(place.begins(OTHER, REFUSAL)?, "another user is not served")?;
    drop(keepers);
    wait_until("the user is served again", || place.begins(ATTACKER, REFUSAL).is_ok_and(|begins| begins));
    place.is_unharmed()
}

/// A user's subordinate ids count as one user.
fn subordinate_ids(place: &Place) -> Result<(), NotPassed> {
    const REFUSAL: &str = "users that are not in /etc/passwd have as many traces together";
    let keepers = [place.keeper(0x5000_0001)?, place.keeper(0x5000_0002)?];
    expect(!place.begins(0x5000_0003, REFUSAL)?, "a third id without an account is served")?;
    expect(place.begins(ATTACKER, REFUSAL)?, "a user with an account is not served")?;
    drop(keepers);
    place.is_free();
    expect(place.begins(0x5000_0003, REFUSAL)?, "the third id is not served")?;
    place.is_free();
    place.is_unharmed()
}

/// Nobody gets the last places who has places already.
fn kept_share(place: &Place) -> Result<(), NotPassed> {
    let keepers = [place.keeper(ATTACKER)?, place.keeper(ATTACKER)?, place.keeper(ATTACKER)?];
    expect(!place.begins(ATTACKER, "the last places are kept for users who have no trace yet")?, "no place is kept")?;
    let other = place.keeper(OTHER)?;
    expect(!place.begins(VICTIM, "as many traces run as the broker serves")?, "there are more places than places")?;
    drop((keepers, other));
    place.is_free();
    place.is_unharmed()
}

fn turns(place: &Place) -> Result<(), NotPassed> {
    ended(place.attack("turns", 0, OTHER, Stdio::null()), "sixteen requests, and one of another user")?;
    place.is_unharmed()
}

/// A broker that cannot load programs says so to whoever asks, and loads them when that is possible again.
fn failed_load(place: &Place) -> Result<(), NotPassed> {
    let limit = |files: u64| {
        let set = ["--pid", &place.broker.0.id().to_string(), &format!("--nofile={files}:")].map(str::to_owned);
        let done = Command::new("/usr/bin/prlimit").args(set).status().is_ok_and(|status| status.success());
        if done { Ok(()) } else { Err(NotPassed::Skipped("prlimit(1) is missing".to_owned())) }
    };
    const REFUSAL: &str = "code 3, its programs could not be loaded";
    // The worker that is ready serves one more.
    expect(place.begins(OTHER, REFUSAL)?, "a trace")?;
    limit(12)?;
    place.begins(OTHER, REFUSAL)?;
    for _ in 0..3 {
        expect(!place.begins(OTHER, REFUSAL)?, "programs were loaded without descriptors")?;
    }
    limit(1024)?;
    wait_until("programs are loaded again", || place.begins(OTHER, REFUSAL).is_ok_and(|begins| begins));
    place.is_unharmed()
}
