//! The facts that documents about a run give beside the names of its files: contents, times, and if the list is whole.

use super::digest::{Digest, Digests, changed_since};
use super::gathered::InputsOfRun;
use super::listing::{ListPart, files};
use super::names::{UsedPath, Uses};
use crate::RunInfo;
use crate::spelling::legible::command_line;
use chrono::{DateTime, SecondsFormat};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use std::os::unix::ffi::OsStrExt;
use stride_event::Ns;

/// The facts that a document about a run has beside the names of files.
pub struct AboutList<'a> {
    pub info: &'a RunInfo,
    /// Reads the files, if the run was live.
    pub digests: Option<&'a dyn Digests>,
    pub lost: u64,
    /// Why something may be missing.
    pub reasons: &'a [String],
}

/// The content of a file when the run is over, as far as it is known.
#[derive(Default)]
pub struct FileContent {
    /// SHA-256 in hexadecimal, and the number of bytes.
    pub digest: Option<(String, u64)>,
    /// Why there is no digest, if the file was looked at.
    pub not_hashed: Option<&'static str>,
    /// The file was changed after its last use.
    pub is_changed_since: bool,
    /// It is an input that the run itself changed, replaced or removed.
    pub is_changed_by_run: bool,
}

impl FileContent {
    /// The names of the marks that the file has.
    pub fn marks(&self) -> impl Iterator<Item = &'static str> {
        let all = [("changed_since", self.is_changed_since), ("changed_by_run", self.is_changed_by_run)];
        all.into_iter().filter(|(_, is_so)| *is_so).map(|(name, _)| name)
    }
}

impl AboutList<'_> {
    pub fn content(&self, it: &UsedPath, part: ListPart) -> FileContent {
        let is_product = matches!(part, ListPart::Made | ListPart::Changed);
        let is_changed_by_run = !is_product && it.uses.any(Uses::MADE.or(Uses::CHANGED).or(Uses::REMOVED));
        let known = FileContent { is_changed_by_run, ..FileContent::default() };
        let not_hashed = |why| FileContent { not_hashed: Some(why), is_changed_by_run, ..FileContent::default() };
        match self.digests.map(|digests| digests.of(&it.path)) {
            None => known,
            Some(Digest::Sha256 { hex, size, modified }) => {
                let is_changed_since = !is_product && changed_since(modified, it.last_used, self.info.wall_offset);
                FileContent { digest: Some((hex, size)), is_changed_since, ..known }
            }
            // Its target is not there.
            Some(Digest::Gone) if it.uses.has(Uses::LINK) => not_hashed("no regular file"),
            Some(Digest::Gone) => not_hashed("gone"),
            Some(Digest::NotRegular) => not_hashed("no regular file"),
            Some(Digest::TooLarge) => not_hashed("too large"),
            Some(Digest::Unreadable) => not_hashed("unreadable"),
        }
    }

    /// The command line, for people.
    pub fn command(&self) -> String {
        let args: Vec<&[u8]> = self.info.args.iter().map(|arg| arg.as_bytes()).collect();
        command_line(&args, 300, usize::MAX)
    }

    /// A time of the run as RFC 3339 has it.
    pub fn date(&self, at: Ns) -> String {
        let at = i64::try_from(i128::from(at) + self.info.wall_offset).unwrap_or(0);
        DateTime::from_timestamp_nanos(at).to_rfc3339_opts(SecondsFormat::Secs, true)
    }
}

/// The files that the run made or changed and left behind, with their parts of the list.
pub fn products(of: &InputsOfRun) -> impl Iterator<Item = (&UsedPath, ListPart)> {
    let parts = [ListPart::Made, ListPart::Changed].into_iter();
    let all = parts.flat_map(move |part| files(of, part).map(move |it| (it, part)));
    all.filter(|(it, _)| !it.uses.has(Uses::DIRECTORY))
}

/// The files whose content the run used and did not make, with their parts of the list. A file that the run changed as
/// well is among the products only.
pub fn materials(of: &InputsOfRun) -> impl Iterator<Item = (&UsedPath, ListPart)> {
    let used = [ListPart::Programs, ListPart::Interpreters, ListPart::Libraries, ListPart::Read].into_iter();
    let all = used.flat_map(move |part| files(of, part).map(move |it| (it, part)));
    all.filter(|(it, _)| !it.uses.any(Uses::MADE.or(Uses::CHANGED).or(Uses::DIRECTORY)))
}

/// The bytes that stand for themselves in a path of a URI (RFC 3986, section 2.3), and the slash.
const KEPT: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// `file:///usr/include/stdio.h` (RFC 8089). It has each byte of the path.
pub fn file_uri(path: &[u8]) -> String {
    format!("file://{}", percent_encode(path, &KEPT))
}
