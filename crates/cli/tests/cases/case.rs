//! A case: a faulty program, and what must be said of it.

use crate::common::root;
use std::path::PathBuf;

/// Words of which one must occur.
pub type AnyOf = Vec<String>;

/// The difference between a program and its corrected twin.
#[derive(Clone, Copy, PartialEq)]
pub enum Saves {
    Calls,
    /// Wall time, because the calls that are saved cannot be compared, or are few.
    Time,
    /// There is no corrected run to compare with.
    Nothing,
}

pub struct Case {
    /// The directory and the file: `seen/cut-per-line.sh`.
    pub name: String,
    pub source: PathBuf,
    /// One of each of these occurs in the first finding.
    pub first: Vec<AnyOf>,
    /// One of these occurs in any finding.
    pub useful: AnyOf,
    pub saves: Saves,
    /// The argument with which the program is run beside the traced one, untraced.
    pub peer: Option<String>,
    /// The program does not end by itself.
    pub hangs: bool,
}

impl Case {
    /// The cases of a directory, sorted by name.
    pub fn all(dir: &str) -> Vec<Case> {
        let place = root().join("tests/cases").join(dir);
        let entries = std::fs::read_dir(&place).unwrap_or_else(|e| panic!("{}: {e}", place.display()));
        let mut sources: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        sources.sort();
        sources.into_iter().map(|source| Case::read(dir, source)).collect()
    }

    fn read(dir: &str, source: PathBuf) -> Case {
        let text = std::fs::read_to_string(&source).unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        let mut case = Case {
            name: format!("{dir}/{}", source.file_name().unwrap().to_string_lossy()),
            source,
            first: Vec::new(),
            useful: Vec::new(),
            saves: Saves::Nothing,
            peer: None,
            hangs: false,
        };
        let header = text.lines().map_while(|line| line.strip_prefix("# ").or(line.strip_prefix("// ")));
        for line in header {
            let Some((key, value)) = line.split_once(": ") else { continue };
            let any_of = || value.split('|').map(|word| word.trim().to_lowercase()).collect();
            match key {
                "case" => {}
                "first" => case.first.push(any_of()),
                "useful" => case.useful = any_of(),
                "peer" => case.peer = Some(value.to_owned()),
                "ends" => case.hangs = value == "hang",
                "saves" => {
                    case.saves = match value.split(':').next() {
                        Some("calls") => Saves::Calls,
                        Some("time") => Saves::Time,
                        _ => Saves::Nothing,
                    }
                }
                _ => panic!("{}: no such key: {key}", case.name),
            }
        }
        assert!(!case.first.is_empty() && !case.useful.is_empty(), "{}: nothing is expected", case.name);
        case
    }
}
