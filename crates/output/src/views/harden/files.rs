//! The files that a run used, as evidence: by their real paths, in bounded number.

use super::access::{AccessOfRun, AccessedPath, FileAccess};
use super::evidence::{FileUse, HardenEvidence, directory_of};
use crate::spelling::quote::{is_deceptive, shown};
use crate::views::inputs::{InputsOfRun, is_below};
use std::collections::{BTreeMap, BTreeSet};
use stride_event::quantity::count;
use stride_track::base_name;

/// If more files of one directory were used in one way, then a rule is for all files of the directory.
const MOST_OF_DIRECTORY: usize = 32;
/// The files and directories that rules name.
const MOST_FILES: usize = if cfg!(test) { 200 } else { 4096 };

/// Finds the paths that names stand for.
pub trait Links {
    /// The path without symbolic links. `None` if there is no such file.
    fn real(&self, path: &[u8]) -> Option<Vec<u8>>;
}

/// Adds the files of a run to its evidence, and says there what is not in it.
pub fn add(accessed: &AccessOfRun, files: &InputsOfRun, links: &dyn Links, evidence: &mut HardenEvidence) {
    let mut unwritable: Vec<String> = Vec::new();
    let mut all: Vec<_> = accessed.all.iter().collect();
    all.sort_unstable_by_key(|(place, _)| *place);
    for (place, it) in all {
        let Some(path) = written(&real(place.path(), &it.access, links)) else {
            unwritable.push(shown(place.path()));
            continue;
        };
        let of = match place {
            AccessedPath::File(_) => evidence.files.entry(path),
            AccessedPath::FilesIn(_) => evidence.directories.entry(path),
        };
        let of = of.or_default();
        of.access.extend(&it.access);
        of.directory |= it.is_directory;
        for program in it.users.ids() {
            of.used.add(0, &shown(base_name(files.programs.path(*program))), "");
        }
        it.calls.iter().for_each(|call| of.used.add(0, "", call));
        of.used.times = of.used.times.saturating_add(it.times);
    }
    let program = accessed.program.as_deref().map(|path| real(path, &[FileAccess::Execute].into(), links));
    let Some(run) = evidence.runs.last_mut() else { return };
    run.program = program.and_then(|path| written(&path));
    if let Some(first) = unwritable.first() {
        let names = count(unwritable.len() as u64, "file has a name", "files have names");
        run.missing.push(format!("{names} that rules cannot have, and no rule: {first}"));
    }
    bound(evidence, accessed.left_out);
}

/// The text of a path that a rule can have: one line of UTF-8 that reads as it is.
fn written(path: &[u8]) -> Option<String> {
    let path = std::str::from_utf8(path).ok()?;
    (!path.chars().any(is_deceptive)).then(|| path.to_owned())
}

/// The path without symbolic links. Calls that work on a name itself do not follow it if it is a link.
fn real(path: &[u8], access: &BTreeSet<FileAccess>, links: &dyn Links) -> Vec<u8> {
    // These are other files for each process.
    if is_below(path, b"/proc") || is_below(path, b"/dev/fd") {
        return path.to_vec();
    }
    const ON_NAMES: [FileAccess; 8] = [
        FileAccess::RemoveFile,
        FileAccess::RemoveDirectory,
        FileAccess::RenameFrom,
        FileAccess::RenameTo,
        FileAccess::MakeSymlink,
        FileAccess::MakeLink,
        FileAccess::MakeDirectory,
        FileAccess::Move,
    ];
    if !access.iter().any(|way| ON_NAMES.contains(way))
        && let Some(real) = links.real(path)
    {
        return real;
    }
    // The file is gone, or the name counts: its directory may still be there, or one above that.
    let mut end = path.len();
    while let Some(at) = path[..end].iter().rposition(|byte| *byte == b'/').filter(|at| *at > 0) {
        if let Some(mut real) = links.real(&path[..at]) {
            real.extend_from_slice(&path[at..]);
            return real;
        }
        end = at;
    }
    path.to_vec()
}

/// Merges many files of one directory into a rule for the directory, and leaves out what is still too much. Uses that were left out before are told, too.
pub fn bound(evidence: &mut HardenEvidence, mut left_out: u64) {
    let mut alike: BTreeMap<_, usize> = BTreeMap::new();
    let key = |path: &str, it: &FileUse| (directory_of(path).to_owned(), it.access.clone());
    for (path, it) in evidence.files.iter().filter(|(_, it)| !it.directory) {
        *alike.entry(key(path, it)).or_default() += 1;
    }
    let mut merged: BTreeMap<String, FileUse> = std::mem::take(&mut evidence.directories);
    evidence.files.retain(|path, it| {
        let directory = directory_of(path);
        let is_within = |of: &FileUse| !it.directory && of.access.is_superset(&it.access);
        let many = !it.directory && alike.get(&key(path, it)).is_some_and(|files| *files > MOST_OF_DIRECTORY);
        if many || merged.get(directory).is_some_and(is_within) {
            merged.entry(directory.to_owned()).or_default().merge(std::mem::take(it));
            return false;
        }
        true
    });
    evidence.directories = merged;
    for of in [&mut evidence.directories, &mut evidence.files] {
        while of.len() > MOST_FILES {
            left_out += of.pop_last().map_or(0, |(_, it)| it.used.times.max(1));
        }
    }
    if let Some(run) = evidence.runs.last_mut().filter(|_| left_out > 0) {
        let uses = count(left_out, "use is", "uses are");
        run.missing.push(format!("More files were used than rules can have: {uses} left out."));
    }
}
