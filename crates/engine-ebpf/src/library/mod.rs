//! Functions of libraries (`--library-calls`) and USDT probes (`--usdt`): setting their probes, and pairing the returns of functions
//! with their entries.
//!
//! Probes are links, which are gone from the kernel with Stride. They are set in a file, so a program that maps the file later passes
//! them, too. Only threads that are traced send records. Where one process alone is traced, the others have no probes at all.
//!
//! - **Linux 6.13** has sessions: one program sees entry and return, and decides at the entry whether the return is watched. So the
//!   return address of a thread that is not traced is left alone.
//! - **Linux 6.6** has links for many functions, which are removed all at once.
//! - **Before**, each function has a link of its own. Removing one takes a tenth of a second, so there may be [`MOST_SINGLE`].

mod open;
mod plan;

pub use open::{LibraryCalls, texts};
pub use plan::{configure, fill};

use crate::error::Why;
use crate::loading::probe;
use crate::loading::refusal::why;
use crate::wire::StrideProgs;
use libbpf_rs::{Link, ProgramMut, UprobeMultiOpts, UprobeOpts};
use stride_event::quantity::count;
use stride_event::{LibraryProbe, ProbedFile, Tid};

/// Probes that are set one by one, at most. They take some seconds to be removed.
const MOST_SINGLE: usize = 32;
/// Functions that cannot be probed, at most. Each takes some attempts to be found.
const MOST_UNABLE: usize = 64;
/// The kernel's error for an instruction that it cannot probe. (The number has no name in user space.)
const ENOTSUPP: &str = "524";
/// In place of a process: all.
const EVERYBODY: Tid = -1;

/// Sets these probes, each with its number.
type SetProbes<'f, 'p> = dyn FnMut(&[(u64, &'p LibraryProbe)]) -> libbpf_rs::Result<()> + 'f;

/// How the kernel sets probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Session,
    Multi,
    Single,
}

impl Way {
    fn of_kernel() -> Way {
        match probe::release() {
            release if release >= (6, 13) => Way::Session,
            release if release >= (6, 6) => Way::Multi,
            _ => Way::Single,
        }
    }
}

/// True if the kernel watches returns by a system call of its own (`uretprobe`).
fn returns_are_calls() -> bool {
    cfg!(target_arch = "x86_64") && probe::release() >= (6, 11)
}

/// Why no return of a function may be watched here.
pub fn returns_refused() -> Option<&'static str> {
    // Fixed in 6.12.13, 6.13.2 and 6.14.
    let fixed = match probe::release() {
        (6, 12) => probe::patch_level() >= 13,
        (6, 13) => probe::patch_level() >= 2,
        release => release > (6, 13),
    };
    (returns_are_calls() && !fixed)
        .then_some("this kernel would kill programs with a seccomp filter, such as those in containers, at a return that is watched")
}

fn returns(probe: &LibraryProbe) -> bool {
    probe.function.result.is_some()
}

/// True if an error is due to a single probe: its instruction cannot be probed.
fn concerns_one_probe(error: &libbpf_rs::Error) -> bool {
    let text = format!("{error:#} {error:?}");
    [ENOTSUPP, "ENOTSUP", "Invalid argument", "EINVAL", "ENOEXEC"].iter().any(|word| text.contains(word))
}

/// Sets the probes. `only` is the process that alone is traced. Returns sentences about functions that cannot be traced.
pub fn attach(
    programs: &StrideProgs<'static>,
    files: &[ProbedFile],
    only: Option<Tid>,
) -> Result<(Vec<Link>, Vec<String>), Why> {
    let mut links = Vec::new();
    let mut remarks = Vec::new();
    let way = Way::of_kernel();
    let all: usize = files.iter().map(|file| file.probes.len()).sum();
    if way == Way::Single && all > MOST_SINGLE {
        return Err(Why::Probes(format!(
            "{all} functions match, and this kernel sets probes one by one, so at most {MOST_SINGLE} can be traced \
             (Linux 6.6 sets many at once)"
        )));
    }
    let mut first = 0;
    for file in files {
        let numbered: Vec<(u64, &LibraryProbe)> = (first..).zip(&file.probes).collect();
        first += file.probes.len() as u64;
        let mut unable = Vec::new();
        let set = Set { file, pid: only.unwrap_or(EVERYBODY) };
        let attached = match way {
            Way::Single => set.single(programs, &numbered, &mut links),
            _ => set.many(programs, &numbered, way, &mut links, &mut unable),
        };
        attached.map_err(|error| match why(&error) {
            Why::Refused(what) => {
                Why::Probes(format!("the kernel set no probes in '{}' ({what})", file.path.display()))
            }
            other => other,
        })?;
        if let Some(first) = unable.first() {
            let functions = count(unable.len() as u64, "function", "functions");
            let name = &first.function.name;
            remarks.push(format!(
                "not traced: {functions} that begin with an instruction that the kernel cannot probe, such as {name}"
            ));
        }
    }
    Ok((links, remarks))
}

/// The probes of a file are set in a process, or in all.
struct Set<'f> {
    file: &'f ProbedFile,
    pid: Tid,
}

impl Set<'_> {
    fn many<'p>(
        &self,
        programs: &StrideProgs<'static>,
        probes: &[(u64, &'p LibraryProbe)],
        way: Way,
        links: &mut Vec<Link>,
        unable: &mut Vec<&'p LibraryProbe>,
    ) -> libbpf_rs::Result<()> {
        let (both, entries): (Vec<_>, Vec<_>) = probes.iter().partition(|(_, probe)| returns(probe));
        self.possible(&entries, unable, &mut |some| {
            links.push(self.link(&programs.on_functions, some, false, false)?);
            Ok(())
        })?;
        self.possible(&both, unable, &mut |some| {
            if way == Way::Session {
                links.push(self.link(&programs.on_function_session, some, false, true)?);
                return Ok(());
            }
            // An entry is seen before its return is.
            let entry = self.link(&programs.on_functions, some, false, false)?;
            let returned = self.link(&programs.on_function_returns, some, true, false)?;
            links.extend([entry, returned]);
            Ok(())
        })
    }

    /// Sets probes together. The kernel refuses all if the first instruction of one cannot be probed, so those are found by halves and
    /// left out.
    fn possible<'p>(
        &self,
        probes: &[(u64, &'p LibraryProbe)],
        unable: &mut Vec<&'p LibraryProbe>,
        set: &mut SetProbes<'_, 'p>,
    ) -> libbpf_rs::Result<()> {
        if probes.is_empty() {
            return Ok(());
        }
        match set(probes) {
            Err(error) if concerns_one_probe(&error) && unable.len() < MOST_UNABLE => {
                // libbpf has written why these probes were refused. That text must not be taken for the reason of a later failure.
                let _ = why(&error);
                if let [(_, probe)] = probes {
                    unable.push(probe);
                    return Ok(());
                }
                let (first, second) = probes.split_at(probes.len() / 2);
                self.possible(first, unable, set)?;
                self.possible(second, unable, set)
            }
            done => done,
        }
    }

    fn link(
        &self,
        program: &ProgramMut<'_>,
        probes: &[(u64, &LibraryProbe)],
        retprobe: bool,
        session: bool,
    ) -> libbpf_rs::Result<Link> {
        let counted = probes.iter().any(|(_, probe)| probe.semaphore != 0);
        let options = UprobeMultiOpts {
            offsets: probes.iter().map(|(_, probe)| probe.offset as usize).collect(),
            ref_ctr_offsets: probes.iter().filter(|_| counted).map(|(_, probe)| probe.semaphore as usize).collect(),
            cookies: probes.iter().map(|(number, _)| *number).collect(),
            retprobe,
            session,
            ..UprobeMultiOpts::default()
        };
        program.attach_uprobe_multi_with_opts(self.pid, &self.file.path, "", options)
    }

    fn single(
        &self,
        programs: &StrideProgs<'static>,
        probes: &[(u64, &LibraryProbe)],
        links: &mut Vec<Link>,
    ) -> libbpf_rs::Result<()> {
        for (number, probe) in probes {
            let offset = probe.offset as usize;
            let options = |retprobe| UprobeOpts {
                ref_ctr_offset: probe.semaphore as usize,
                cookie: *number,
                retprobe,
                ..UprobeOpts::default()
            };
            let set = |program: &ProgramMut<'_>, retprobe| {
                program.attach_uprobe_with_opts(self.pid, &self.file.path, offset, options(retprobe))
            };
            links.push(set(&programs.on_function, false)?);
            if returns(probe) {
                links.push(set(&programs.on_function_return, true)?);
            }
        }
        Ok(())
    }
}
