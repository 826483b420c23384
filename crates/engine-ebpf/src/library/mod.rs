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

pub use open::LibraryCalls;
pub use plan::{configure, fill};

use crate::error::Why;
use crate::probe;
use crate::refusal::why;
use crate::wire::StrideProgs;
use libbpf_rs::{Link, ProgramMut, UprobeMultiOpts, UprobeOpts};
use stride_event::{LibraryProbe, ProbedFile, Tid};

/// Probes that are set one by one, at most. They take some seconds to be removed.
const MOST_SINGLE: usize = 32;
/// In place of a process: all.
const EVERYBODY: Tid = -1;

/// How the kernel sets probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Session,
    Multi,
    Single,
}

impl Way {
    fn here() -> Way {
        match probe::release() {
            release if release >= (6, 13) => Way::Session,
            release if release >= (6, 6) => Way::Multi,
            _ => Way::Single,
        }
    }
}

fn returns(probe: &LibraryProbe) -> bool {
    probe.function.result.is_some()
}

/// Sets the probes. `only` is the process that alone is traced.
pub fn attach(programs: &StrideProgs<'static>, files: &[ProbedFile], only: Option<Tid>) -> Result<Vec<Link>, Why> {
    let mut links = Vec::new();
    let way = Way::here();
    let count: usize = files.iter().map(|file| file.probes.len()).sum();
    if way == Way::Single && count > MOST_SINGLE {
        return Err(Why::Probes(format!(
            "{count} functions match, and this kernel sets probes one by one, so at most {MOST_SINGLE} can be traced \
             (Linux 6.6 sets many at once)"
        )));
    }
    let mut first = 0;
    for file in files {
        let numbered: Vec<(u64, &LibraryProbe)> = (first..).zip(&file.probes).collect();
        first += file.probes.len() as u64;
        let set = Set { file, pid: only.unwrap_or(EVERYBODY) };
        let attached = match way {
            Way::Single => set.single(programs, &numbered, &mut links),
            _ => set.many(programs, &numbered, way, &mut links),
        };
        attached.map_err(|error| match why(&error) {
            Why::Refused(what) => Why::Probes(format!("the kernel set no probes in '{}' ({what})", file.path.display())),
            other => other,
        })?;
    }
    Ok(links)
}

/// The probes of a file are set in a process, or in all.
struct Set<'f> {
    file: &'f ProbedFile,
    pid: Tid,
}

impl Set<'_> {
    fn many(
        &self,
        programs: &StrideProgs<'static>,
        probes: &[(u64, &LibraryProbe)],
        way: Way,
        links: &mut Vec<Link>,
    ) -> libbpf_rs::Result<()> {
        let (both, entries): (Vec<_>, Vec<_>) = probes.iter().partition(|(_, probe)| returns(probe));
        if !entries.is_empty() {
            links.push(self.link(&programs.on_functions, &entries, false, false)?);
        }
        if both.is_empty() {
            return Ok(());
        }
        if way == Way::Session {
            links.push(self.link(&programs.on_function_session, &both, false, true)?);
        } else {
            // An entry is seen before its return is.
            links.push(self.link(&programs.on_functions, &both, false, false)?);
            links.push(self.link(&programs.on_function_returns, &both, true, false)?);
        }
        Ok(())
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
