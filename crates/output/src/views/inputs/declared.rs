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
        DeclaredInputs { paths: lines.filter(|line| !line.is_empty()).map(path).collect() }
    }

    /// The declared path that is this one, or a directory above it.
    fn covering<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let ends = path.iter().enumerate().filter(|(at, byte)| **byte == b'/' && *at > 0).map(|(at, _)| at);
        let mut above = ends.chain([path.len()]).map(|end| &path[..end]);
        let root = (path.len() > 1 && self.paths.contains(&b"/"[..])).then_some(&path[..1]);
        root.or_else(|| above.find(|path| self.paths.contains(*path)))
    }

    /// The inputs of the run that nobody declared, and the declared ones that the run did not use.
    fn compare<'a>(&self, of: &'a InputsOfRun) -> (Vec<&'a UsedPath>, Vec<&[u8]>) {
        let mut undeclared: Vec<&UsedPath> = PARTS
            .iter()
            .flat_map(|part| files(of, *part))
            // A file that the run only made is no input, even if it was opened again.
            .filter(|it| self.covering(&it.path).is_none())
            .collect();
        undeclared.sort_by(|one, other| one.path.cmp(&other.path));
        undeclared.dedup_by(|one, other| one.path == other.path);
        let used: BTreeSet<&[u8]> = of
            .names
            .sorted()
            .filter(|it| it.uses != Uses::default())
            .filter_map(|it| self.covering(&it.path))
            .collect();
        let superfluous = self.paths.iter().map(Vec::as_slice).filter(|path| !used.contains(path)).collect();
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
            assert_eq!(declared.covering(path.as_bytes()), by.map(str::as_bytes), "{path}");
        }
        let all = DeclaredInputs::of(b"/", b"/");
        assert_eq!(all.covering(b"/etc/passwd"), Some(&b"/"[..]));
    }
}
