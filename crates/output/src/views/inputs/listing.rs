//! The list of a run: each file in its place, in order.

use super::gathered::InputsOfRun;
use super::names::{UsedPath, Uses, is_below};

/// The parts of the list, in their order. A file may be in several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListPart {
    Programs,
    Interpreters,
    Libraries,
    Read,
    Listed,
    /// Devices, and files in which the kernel tells of itself.
    Kernel,
    Made,
    Changed,
    Removed,
    Temporary,
    Asked,
    Missing,
    Refused,
}

impl ListPart {
    pub const ALL: [ListPart; 13] = [
        ListPart::Programs,
        ListPart::Interpreters,
        ListPart::Libraries,
        ListPart::Read,
        ListPart::Listed,
        ListPart::Kernel,
        ListPart::Made,
        ListPart::Changed,
        ListPart::Removed,
        ListPart::Temporary,
        ListPart::Asked,
        ListPart::Missing,
        ListPart::Refused,
    ];

    /// The name of the part in JSON.
    pub fn word(self) -> &'static str {
        match self {
            ListPart::Programs => "programs",
            ListPart::Interpreters => "interpreters",
            ListPart::Libraries => "libraries",
            ListPart::Read => "read",
            ListPart::Listed => "listed",
            ListPart::Kernel => "kernel",
            ListPart::Made => "made",
            ListPart::Changed => "changed",
            ListPart::Removed => "removed",
            ListPart::Temporary => "temporary",
            ListPart::Asked => "asked",
            ListPart::Missing => "missing",
            ListPart::Refused => "refused",
        }
    }

    /// True if the content of its files is an input or a product.
    pub fn has_content(self) -> bool {
        matches!(
            self,
            ListPart::Programs
                | ListPart::Interpreters
                | ListPart::Libraries
                | ListPart::Read
                | ListPart::Made
                | ListPart::Changed
        )
    }

    pub fn heading(self) -> &'static str {
        match self {
            ListPart::Programs => "Programs that were run",
            ListPart::Interpreters => "Opened by the kernel to start programs",
            ListPart::Libraries => "Libraries",
            ListPart::Read => "Files that were read",
            ListPart::Listed => "Directories that were listed",
            ListPart::Asked => "Only asked about (stat, access, readlink), not opened",
            ListPart::Kernel => "Devices, and files of the kernel in /proc and /sys",
            ListPart::Missing => "Looked for and not found",
            ListPart::Refused => "Could not be used",
            ListPart::Made => "Files that were made",
            ListPart::Changed => "Files that were changed, or perhaps made",
            ListPart::Removed => "Files that were there and were removed or renamed",
            ListPart::Temporary => "Temporary files, made and removed again",
        }
    }

    fn has(self, it: &UsedPath) -> bool {
        let uses = it.uses;
        let opened = Uses::RUN.or(Uses::INTERPRETER).or(Uses::LIBRARY).or(Uses::READ).or(Uses::LISTED);
        let written = Uses::MADE.or(Uses::CHANGED).or(Uses::REMOVED).or(Uses::TEMPORARY);
        if is_of_kernel(&it.path) {
            return match self {
                ListPart::Kernel => uses != Uses::default(),
                ListPart::Missing => it.missed > 0 && uses == Uses::default(),
                ListPart::Refused => it.refused > 0 && uses == Uses::default(),
                _ => false,
            };
        }
        match self {
            ListPart::Programs => uses.has(Uses::RUN),
            ListPart::Interpreters => uses.has(Uses::INTERPRETER) && !uses.has(Uses::RUN),
            // (The kernel's own mapping of a program is no call, and another program may map it.)
            ListPart::Libraries => uses.has(Uses::LIBRARY) && !uses.any(Uses::RUN.or(Uses::INTERPRETER)),
            ListPart::Read => uses.has(Uses::READ) && !uses.any(Uses::RUN.or(Uses::INTERPRETER).or(Uses::LIBRARY)),
            ListPart::Listed => uses.has(Uses::LISTED),
            ListPart::Asked => uses.has(Uses::ASKED) && !uses.any(opened.or(written)),
            ListPart::Kernel => false,
            ListPart::Missing => it.missed > 0,
            ListPart::Refused => it.refused > 0,
            ListPart::Made => uses.has(Uses::MADE),
            ListPart::Changed => uses.has(Uses::CHANGED) && !uses.any(Uses::MADE.or(Uses::REMOVED)),
            ListPart::Removed => uses.has(Uses::REMOVED) && !uses.has(Uses::MADE),
            ListPart::Temporary => uses.has(Uses::TEMPORARY),
        }
    }
}

/// The kernel's own files and devices: they have no content of their own to depend on.
pub fn is_of_kernel(path: &[u8]) -> bool {
    let below = |directory: &[u8]| is_below(path, directory);
    (below(b"/proc") || below(b"/sys") || below(b"/dev")) && !below(b"/dev/shm")
}

/// The files of a part, by path.
pub fn files(of: &InputsOfRun, part: ListPart) -> impl Iterator<Item = &UsedPath> {
    of.names.sorted().filter(move |it| part.has(it))
}
