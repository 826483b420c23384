//! The rights of a Landlock ruleset on files and directories (landlock(7)).

use super::access::FileAccess;
use super::evidence::{FileUse, HardenEvidence, UseOf, directory_of};
use crate::views::inputs::is_below;
use std::collections::{BTreeMap, BTreeSet};

/// The rights on files, as Landlock Config names them.
pub const RIGHTS: [&str; 16] = [
    "execute",
    "read_file",
    "read_dir",
    "write_file",
    "truncate",
    "make_reg",
    "make_dir",
    "make_sym",
    "make_fifo",
    "make_sock",
    "make_char",
    "make_block",
    "remove_file",
    "remove_dir",
    "refer",
    "ioctl_dev",
];

/// The rights on each file or directory, and on all that is below, with the uses that need them.
pub type RightsBeneath = BTreeMap<String, (BTreeSet<&'static str>, UseOf)>;

/// The rights that the evidence shows.
pub fn beneath(evidence: &HardenEvidence) -> RightsBeneath {
    let mut all = RightsBeneath::new();
    let comes_and_goes = |path: &str| evidence.files.get(path).is_some_and(comes_and_goes);
    for (path, of) in &evidence.files {
        let above = directory(path, &comes_and_goes);
        // The file is another one each time, or none when the rules are enforced: its directory stands for it.
        let place = if comes_and_goes(path) { above } else { shared(path) };
        let (own, in_directory) = rights(of, of.directory);
        add(&mut all, place, own, &of.used);
        add(&mut all, above, in_directory, &of.used);
    }
    for (path, of) in &evidence.directories {
        let place = if comes_and_goes(path) { directory(path, &comes_and_goes) } else { shared(path) };
        let (own, in_directory) = rights(of, false);
        add(&mut all, place, own, &of.used);
        add(&mut all, place, in_directory, &of.used);
    }
    all
}

fn add(all: &mut RightsBeneath, path: &str, rights: BTreeSet<&'static str>, used: &UseOf) {
    if !rights.is_empty() {
        let entry = all.entry(path.to_owned()).or_default();
        entry.0.extend(rights);
        entry.1.merge(used.clone());
    }
}

/// True if the run made the file, or took it away.
fn comes_and_goes(of: &FileUse) -> bool {
    use FileAccess as A;
    of.access.iter().any(|way| {
        matches!(
            way,
            A::Make
                | A::MakeDirectory
                | A::MakeSymlink
                | A::MakeLink
                | A::MakeFifo
                | A::MakeSocket
                | A::MakeDevice
                | A::RemoveFile
                | A::RemoveDirectory
                | A::RenameFrom
                | A::RenameTo
        )
    })
}

/// The nearest directory above a path that the run did not make.
fn directory<'p>(path: &'p str, comes_and_goes: &dyn Fn(&str) -> bool) -> &'p str {
    let mut place = path;
    loop {
        place = directory_of(place);
        if place == "/" || !comes_and_goes(place) {
            return shared(place);
        }
    }
}

/// The directory of files that have another name for each process or terminal, or else the path itself.
fn shared(path: &str) -> &str {
    let first = path.strip_prefix("/proc/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let is_of_process =
        first.starts_with(|c: char| c.is_ascii_digit()) || ["self", "thread-self", "net", "mounts"].contains(&first);
    if is_of_process {
        "/proc"
    } else if is_below(path.as_bytes(), b"/dev/pts") {
        "/dev/pts"
    } else {
        path
    }
}

/// The rights that the uses need on the file itself, and those on its directory.
fn rights(of: &FileUse, is_directory: bool) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
    let (mut own, mut in_directory) = (BTreeSet::new(), BTreeSet::new());
    for way in &of.access {
        let (on_file, on_directory) = rights_of(*way, is_directory);
        own.extend(on_file);
        in_directory.extend(on_directory);
    }
    (own, in_directory)
}

fn rights_of(way: FileAccess, is_directory: bool) -> (&'static [&'static str], &'static [&'static str]) {
    use FileAccess as A;
    match way {
        A::Read if is_directory => (&["read_dir"], &[]),
        A::Read | A::MapCode => (&["read_file"], &[]),
        A::List => (&["read_dir"], &[]),
        A::Write | A::Append => (&["write_file"], &[]),
        A::Truncate => (&["truncate"], &[]),
        A::Execute | A::Interpret => (&["execute", "read_file"], &[]),
        A::ControlDevice => (&["ioctl_dev"], &[]),
        A::Make | A::MakeLink => (&[], &["make_reg"]),
        A::MakeDirectory => (&[], &["make_dir"]),
        A::MakeSymlink => (&[], &["make_sym"]),
        A::MakeFifo => (&[], &["make_fifo"]),
        A::MakeSocket => (&[], &["make_sock"]),
        A::MakeDevice => (&[], &["make_char", "make_block"]),
        A::RemoveFile => (&[], &["remove_file"]),
        A::RemoveDirectory => (&[], &["remove_dir"]),
        A::RenameFrom if is_directory => (&[], &["remove_dir"]),
        A::RenameFrom => (&[], &["remove_file"]),
        // The new name may have been another file's.
        A::RenameTo if is_directory => (&[], &["make_dir", "remove_dir"]),
        A::RenameTo => (&[], &["make_reg", "remove_file"]),
        A::Move => (&[], &["refer"]),
        A::Lock | A::SetAttributes | A::Connect | A::ReadInherited | A::WriteInherited => (&[], &[]),
    }
}
