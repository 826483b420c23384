//! The options as the user gave them: for messages about them, and for another Stride that traces the same.

use std::ffi::OsString;
use std::fmt;

/// How the user wrote an option's name. Abbreviations are written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `-f`
    Short(char),
    /// `--follow-forks`
    Long(&'static str),
    /// `-e NAME=...`
    Qualifier(&'static str),
}

impl fmt::Display for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spelling::Short(short) => write!(f, "-{short}"),
            Spelling::Long(long) => write!(f, "--{long}"),
            Spelling::Qualifier(qualifier) => write!(f, "-e {qualifier}="),
        }
    }
}

/// An option that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedOption {
    /// All long names of the option.
    longs: Vec<&'static str>,
    spelling: Spelling,
    value: Option<OsString>,
}

impl TypedOption {
    /// An option with these long names.
    pub fn new(longs: Vec<&'static str>, spelling: Spelling, value: Option<OsString>) -> TypedOption {
        TypedOption { longs, spelling, value }
    }

    /// True if this is the option with one of these long names.
    pub fn is_any(&self, longs: &[&str]) -> bool {
        self.longs.iter().any(|own| longs.contains(own))
    }

    /// The words of a command line that give the option again.
    pub fn words(&self) -> Vec<OsString> {
        let joined = |mut name: OsString, value: &OsString| {
            name.push(value);
            name
        };
        let value = self.value.as_ref();
        match (self.spelling, value) {
            (Spelling::Short(short), None) => vec![format!("-{short}").into()],
            (Spelling::Short(short), Some(value)) => vec![format!("-{short}").into(), value.clone()],
            (Spelling::Long(long), None) => vec![format!("--{long}").into()],
            (Spelling::Long(long), Some(value)) => vec![joined(format!("--{long}=").into(), value)],
            (Spelling::Qualifier(name), _) => {
                vec!["-e".into(), joined(format!("{name}=").into(), value.unwrap_or(&OsString::new()))]
            }
        }
    }
}

/// The options that were given, in the order given.
#[derive(Clone, Debug, Default)]
pub struct TypedOptions(Vec<TypedOption>);

/// The same options in another spelling mean the same.
impl PartialEq for TypedOptions {
    fn eq(&self, _: &TypedOptions) -> bool {
        true
    }
}

impl TypedOptions {
    /// Adds an option.
    pub fn add(&mut self, option: TypedOption) {
        self.0.push(option);
    }

    /// All options.
    pub fn iter(&self) -> impl Iterator<Item = &TypedOption> {
        self.0.iter()
    }

    /// The one of these options that the user gave, as the user wrote it last. Options are written `--one/--other`; the first that was
    /// given counts. If none was, all stay.
    pub fn name(&self, options: &str) -> String {
        let given = |long: &str| self.0.iter().rfind(|option| option.is_any(&[long]));
        let first = options.split('/').find_map(|option| given(option.strip_prefix("--")?));
        // (`-e inject=` is a spelling of --inject.)
        first.map_or_else(|| options.to_owned(), |option| option.spelling.to_string().trim_end_matches('=').to_owned())
    }
}
