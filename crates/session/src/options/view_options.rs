//! The options of views. Their arguments are kept by name, for the view to read.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// The option of the live view. It means the whole machine if nothing else is given.
pub const LIVE_VIEW: &str = "top";

/// The options of views that were given: their long names and arguments. The last one counts, except for options that name several files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewOptions(BTreeMap<&'static str, Vec<OsString>>);

impl ViewOptions {
    /// Adds an option that was given.
    pub fn add(&mut self, long: &'static str, argument: OsString) {
        self.0.entry(long).or_default().push(argument);
    }

    /// True if the option was given.
    pub fn has(&self, long: &str) -> bool {
        self.0.contains_key(long)
    }

    /// True if an option was given with this argument.
    pub fn is(&self, long: &str, argument: &str) -> bool {
        self.last(long).is_some_and(|given| given == argument)
    }

    /// The file that an option names.
    pub fn path(&self, long: &str) -> Option<&Path> {
        self.last(long).map(Path::new)
    }

    /// All files that an option names which may be given several times.
    pub fn paths(&self, long: &str) -> impl Iterator<Item = &Path> {
        self.0.get(long).into_iter().flatten().map(Path::new)
    }

    fn last(&self, long: &str) -> Option<&OsString> {
        self.0.get(long)?.last()
    }
}
