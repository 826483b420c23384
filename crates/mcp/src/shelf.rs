//! The recordings that a client can ask about.
//!
//! Each has an id and a file `ID.json` in the directory of the server, which tells of what it is a recording. Those that the server made lie beside it, as `ID.rec`. Files that
//! were made elsewhere may be opened if they are below a directory that the user has named; that is looked at again each time.

use crate::refusal::Refusal;
use crate::temporary::TemporaryDir;
use anyhow::{Context, Result, bail};
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, open, openat2};
use nix::sys::stat::Mode;
use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

pub struct Shelf {
    dir: PathBuf,
    /// There is one if the directory is removed at the end.
    temporary: Option<TemporaryDir>,
    allowed: Vec<PathBuf>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shelved {
    #[serde(skip)]
    pub id: String,
    /// `run`, `attach` or `opened`.
    pub made_by: String,
    /// The words of the command line, without secrets.
    pub command: Vec<String>,
    /// Seconds since 1970.
    pub unix_time: u64,
    /// The file, if it was opened.
    pub file: Option<PathBuf>,
}

impl Shelf {
    pub fn new(named: Option<&Path>, allowed: Vec<PathBuf>) -> Result<Shelf> {
        let Some(dir) = named else {
            let made = TemporaryDir::new()?;
            return Ok(Shelf { dir: made.path().to_owned(), temporary: Some(made), allowed });
        };
        let shown = || format!("--recordings={}", dir.display());
        DirBuilder::new().recursive(true).mode(0o700).create(dir).with_context(shown)?;
        let dir = dir.canonicalize().with_context(shown)?;
        let found = dir.metadata().with_context(shown)?;
        if found.uid() != nix::unistd::geteuid().as_raw() || found.mode() & 0o022 != 0 {
            bail!(
                "{}: other users may write there, and could change recordings: name a directory of your own with mode 0700",
                shown()
            );
        }
        Ok(Shelf { dir, temporary: None, allowed })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// A new recording without a file as yet.
    pub fn reserve(&self, made_by: &str, command: Vec<String>, file: Option<PathBuf>) -> std::io::Result<Shelved> {
        let unix_time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut shelved = Shelved { id: String::new(), made_by: made_by.into(), command, unix_time, file };
        let mut number = self.numbers().into_iter().max().unwrap_or(0);
        loop {
            number += 1;
            let path = self.dir.join(format!("r{number}.json"));
            // Another server may use the same directory.
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
                Ok(mut file) => {
                    file.write_all(&serde_json::to_vec(&shelved)?)?;
                    shelved.id = format!("r{number}");
                    return Ok(shelved);
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Forgets a recording that could not be made.
    pub fn forget(&self, shelved: &Shelved) {
        let _ = fs::remove_file(self.dir.join(format!("{}.json", shelved.id)));
        let _ = fs::remove_file(self.path(shelved));
    }

    fn numbers(&self) -> Vec<u64> {
        let names = fs::read_dir(&self.dir).into_iter().flatten();
        names
            .filter_map(|entry| {
                entry.ok()?.file_name().to_str()?.strip_prefix('r')?.strip_suffix(".json")?.parse().ok()
            })
            .collect()
    }

    pub fn all(&self) -> Vec<Shelved> {
        let mut numbers = self.numbers();
        numbers.sort_unstable();
        numbers.into_iter().filter_map(|number| self.read(&format!("r{number}"))).collect()
    }

    fn read(&self, id: &str) -> Option<Shelved> {
        let mut shelved: Shelved = serde_json::from_slice(&fs::read(self.dir.join(format!("{id}.json"))).ok()?).ok()?;
        shelved.id = id.to_owned();
        Some(shelved)
    }

    pub fn get(&self, id: &str) -> Result<Shelved, Refusal> {
        let is_id = id.strip_prefix('r').is_some_and(|rest| rest.parse::<u64>().is_ok_and(|n| n.to_string() == rest));
        is_id.then(|| self.read(id)).flatten().ok_or_else(|| {
            let fact = format!("There is no recording {id:?}");
            Refusal::new(
                fact,
                "ids are those that `run`, `attach` and `recordings` return",
                "Call `recordings` for a list of them",
            )
        })
    }

    /// The path of a recording that the server makes.
    pub fn path(&self, shelved: &Shelved) -> PathBuf {
        self.dir.join(format!("{}.rec", shelved.id))
    }

    /// The recording's file. It is opened here, so nobody can put another one in its place before `stride` reads it.
    pub fn file(&self, shelved: &Shelved) -> Result<File, Refusal> {
        match &shelved.file {
            Some(path) => self.outside(path).map(|(_, file)| file),
            None => File::open(self.path(shelved)).map_err(|error| {
                let fact = format!("The recording {} cannot be read", shelved.id);
                Refusal::new(fact, error.to_string(), "Make it again with `run` or `attach`")
            }),
        }
    }

    /// Opens a file that the server did not make, if it is below a directory that the user has named. Links may lead to places below these.
    pub fn outside(&self, path: &Path) -> Result<(PathBuf, File), Refusal> {
        let fact = || format!("{path:?} cannot be opened");
        if self.allowed.is_empty() {
            let reason = "the server was started without --allow-read=DIR, so it reads no recordings but its own";
            let next = "Ask the user to start stride-mcp with --allow-read= and the directory of the recording";
            return Err(Refusal::new(fact(), reason, next));
        }
        // The same answer for all that is not allowed: it does not tell which files there are elsewhere.
        let refused = || {
            let dirs: Vec<String> = self.allowed.iter().map(|dir| dir.display().to_string()).collect();
            let reason = format!("it is no file below {}, from which the server may read", dirs.join(" or "));
            Refusal::new(
                fact(),
                reason,
                "Name a recording that lies there, or ask the user for a further --allow-read=DIR",
            )
        };
        let places = self.allowed.iter().filter_map(|dir| dir.join(path).canonicalize().ok());
        for real in places {
            let Some((dir, rest)) = self.allowed.iter().find_map(|dir| Some((dir, real.strip_prefix(dir).ok()?)))
            else {
                continue;
            };
            let Ok(dir) = open(dir, OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty()) else {
                continue;
            };
            // A link may have come since the path was looked at.
            let how = OpenHow::new()
                .flags(OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK | OFlag::O_NOCTTY)
                .resolve(ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_SYMLINKS);
            let Ok(file) = openat2(&dir, rest, how) else { continue };
            let file = File::from(file);
            if file.metadata().is_ok_and(|found| found.is_file()) {
                return Ok((real, file));
            }
        }
        Err(refused())
    }

    /// Removes what the user did not ask to keep.
    pub fn finish(&self) {
        if let Some(made) = &self.temporary {
            made.remove();
        }
    }
}
