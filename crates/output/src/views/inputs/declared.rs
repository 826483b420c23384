//! The inputs of a run beside those that were declared.

use super::gathered::InputsOfRun;
use super::listing::{ListPart, files};
use super::names::{UsedPath, Uses, tidy};
use super::text::file_lines;
use std::collections::BTreeSet;

/// Paths and directories, from a file with one on each line.
#[derive(Debug, Default)]
pub struct DeclaredInputs {
    paths: BTreeSet<Vec<u8>>,
    /// Directories whose entries may be listed, while the files in them have lines of their own: `src/.`
    listed: BTreeSet<Vec<u8>>,
}

/// The parts whose files have to be declared.
const PARTS: [ListPart; 5] =
    [ListPart::Programs, ListPart::Interpreters, ListPart::Libraries, ListPart::Read, ListPart::Listed];

impl DeclaredInputs {
    /// Relative paths begin at this directory. Empty lines are left out.
    pub fn of(text: &[u8], directory: &[u8]) -> DeclaredInputs {
        let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let path = |line: &[u8]| {
            if line.starts_with(b"/") { tidy(line) } else { tidy(&[directory, b"/", line].concat()) }
        };
        let is_listed = |line: &&[u8]| *line == b"." || line.ends_with(b"/.");
        let (listed, paths): (Vec<&[u8]>, Vec<&[u8]>) = lines.filter(|line| !line.is_empty()).partition(is_listed);
        let all = |lines: Vec<&[u8]>| lines.into_iter().map(path).collect();
        DeclaredInputs { paths: all(paths), listed: all(listed) }
    }

    /// The declared paths that are this one, or directories above it.
    fn covering<'p>(&self, path: &'p [u8]) -> impl Iterator<Item = &'p [u8]> {
        let ends = path.iter().enumerate().filter(|(at, byte)| **byte == b'/' && *at > 0).map(|(at, _)| at);
        let above = ends.chain([path.len()]).map(|end| &path[..end]);
        let root = (path.len() > 1).then_some(&path[..1]);
        root.into_iter().chain(above).filter(|path| self.paths.contains(*path))
    }

    fn is_declared(&self, it: &UsedPath) -> bool {
        self.covering(&it.path).next().is_some() || it.uses.has(Uses::LISTED) && self.listed.contains(&it.path[..])
    }

    /// The inputs of the run that nobody declared, and the declared ones that the run did not use.
    fn compare<'a>(&self, of: &'a InputsOfRun) -> (Vec<&'a UsedPath>, Vec<&[u8]>) {
        let mut undeclared: Vec<&UsedPath> = PARTS
            .iter()
            .flat_map(|part| files(of, *part))
            // A file that the run only made is no input, even if it was opened again.
            .filter(|it| !self.is_declared(it))
            .collect();
        undeclared.sort_by(|one, other| one.path.cmp(&other.path));
        undeclared.dedup_by(|one, other| one.path == other.path);
        let used: BTreeSet<&[u8]> =
            of.names.sorted().filter(|it| it.uses != Uses::default()).flat_map(|it| self.covering(&it.path)).collect();
        let was_listed = |path: &&[u8]| files(of, ListPart::Listed).any(|it| *it.path == **path);
        let superfluous = self.paths.iter().map(Vec::as_slice).filter(|path| !used.contains(path));
        let superfluous =
            superfluous.chain(self.listed.iter().map(Vec::as_slice).filter(|path| !was_listed(path))).collect();
        (undeclared, superfluous)
    }

    /// The report, and whether all is as declared.
    pub fn report(&self, of: &InputsOfRun, reasons: &[String], ending: &str) -> (String, bool) {
        let (undeclared, superfluous) = self.compare(of);
        let mut out = String::new();
        file_lines("Inputs that were not declared", &undeclared, of, &mut out);
        if !superfluous.is_empty() {
            out += &format!("Declared and not used ({}):\n", superfluous.len());
            superfluous.iter().for_each(|path| out += &format!("  {}\n", super::text::path(path)));
            out.push('\n');
        }
        if undeclared.is_empty() {
            out += "Each input is declared.\n";
        }
        (out + ending, undeclared.is_empty() && reasons.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_covers() {
        let declared = DeclaredInputs::of(b"/usr/include/\r\nsrc/./a.c\n\n../lib\n/x y", b"/home/me");
        for (path, by) in [
            ("/usr/include", Some("/usr/include")),
            ("/usr/include/stdio.h", Some("/usr/include")),
            ("/usr/include2", None),
            ("/usr", None),
            ("/home/me/src/a.c", Some("/home/me/src/a.c")),
            ("/home/me/src/b.c", None),
            ("/home/lib/x/y", Some("/home/lib")),
            ("/x y", Some("/x y")),
            ("/", None),
        ] {
            assert_eq!(declared.covering(path.as_bytes()).next(), by.map(str::as_bytes), "{path}");
        }
        let all = DeclaredInputs::of(b"/", b"/");
        assert_eq!(all.covering(b"/etc/passwd").next(), Some(&b"/"[..]));
        let both = DeclaredInputs::of(b"/usr\n/usr/include/stdio.h", b"/");
        assert_eq!(both.covering(b"/usr/include/stdio.h").collect::<Vec<_>>(), [&b"/usr"[..], b"/usr/include/stdio.h"]);
    }
}
