//! One entry of the table of options.

use super::raw_options::RawOptions;
use super::stop::Stop;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use stride_filter::{Expression, did_you_mean};
use stride_session::options::Spelling;

/// One option.
#[derive(Debug)]
pub struct Flag {
    pub category: Category,
    pub short: Option<char>,
    /// The long name, without the dashes.
    pub long: Option<&'static str>,
    /// Other long spellings, accepted and documented but not advertised.
    pub aliases: &'static [&'static str],
    /// The names of the option in `-e NAME=VALUE`.
    pub qualifiers: &'static [&'static str],
    pub arg: Arg,
    /// The kind of the argument. Shells complete it accordingly, and a misspelt argument is compared with its words.
    pub value: Value,
    /// The text in `--help`: one line, no full stop.
    pub help: &'static str,
    /// The option's place in `-h`, if it is one of the few that are there.
    pub brief: Option<HelpEntry>,
    /// Words by which users of other tracers ask for such a thing (`perf stat`, `sysdig`), besides the long names. If there is no such
    /// program, the option is named.
    pub habits: &'static [&'static str],
    /// The text in the man page: paragraphs separated by empty lines. Lines starting with `* WORD: ` are list items.
    pub doc: &'static str,
    /// Why this machine has to refuse the option, if it does: the words of those builds of strace that refuse it, too.
    pub missing: fn() -> Option<&'static str>,
    /// True if the option is Stride's own. It never makes an abbreviation of one of strace's options ambiguous.
    pub own: bool,
    /// True if the option is about tracing. It makes no sense with `--replay`, which shows what has been traced.
    pub only_traces: bool,
    pub update: Update,
}

/// The change that an option makes to the raw options.
pub type Update = fn(&mut RawOptions, &Given) -> Result<(), Stop>;

/// Keeps an option that only its view reads.
pub fn ask(raw: &mut RawOptions, given: &Given) -> Result<(), Stop> {
    if let Some(long) = given.flag.long {
        raw.options.views.add(long, given.os().to_owned());
    }
    Ok(())
}

/// Defaults, for `..Flag::BASE`.
impl Flag {
    pub const BASE: Flag = Flag {
        category: Category::General,
        short: None,
        long: None,
        aliases: &[],
        qualifiers: &[],
        arg: Arg::None,
        value: Value::Free,
        help: "",
        brief: None,
        habits: &[],
        doc: "",
        missing: || None,
        own: false,
        only_traces: false,
        update: |_, _| Ok(()),
    };

    /// All long spellings.
    pub fn longs(&self) -> impl Iterator<Item = &'static str> {
        self.long.into_iter().chain(self.aliases.iter().copied())
    }

    /// The option in messages: `-b/--detach-on`.
    pub fn spelled(&self) -> String {
        let short = self.short.map(|short| format!("-{short}"));
        let names: Vec<String> = short.into_iter().chain(self.long.map(|long| format!("--{long}"))).collect();
        names.join("/")
    }

    /// The key by which the table is sorted within a category: the short name if there is one, else the long one,
    /// without case.
    pub fn sort_key(&self) -> (String, bool) {
        let name = self.short.map(String::from).or(self.long.map(String::from)).unwrap_or_default();
        (name.to_lowercase(), name.chars().all(char::is_uppercase))
    }
}

/// An option's place in `-h`.
#[derive(Clone, Copy, Debug)]
pub struct HelpEntry {
    pub group: HelpGroup,
    /// The place within the group.
    pub place: u8,
    pub text: &'static str,
}

/// The groups of `-h`, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HelpGroup {
    Processes,
    Calls,
    Lines,
    Reports,
    Later,
    Stride,
}

impl HelpGroup {
    pub const ALL: [HelpGroup; 6] = [
        HelpGroup::Processes,
        HelpGroup::Calls,
        HelpGroup::Lines,
        HelpGroup::Reports,
        HelpGroup::Later,
        HelpGroup::Stride,
    ];

    pub fn title(self) -> &'static str {
        match self {
            HelpGroup::Processes => "Whom",
            HelpGroup::Calls => "Calls",
            HelpGroup::Lines => "Lines",
            HelpGroup::Reports => "Views",
            HelpGroup::Later => "Later",
            HelpGroup::Stride => "Help",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    None,
    /// The argument's name in the documentation.
    Required(&'static str),
    /// Only the long spelling takes the argument, after `=`.
    Optional(&'static str),
}

impl Arg {
    pub fn name(self) -> Option<&'static str> {
        match self {
            Arg::None => None,
            Arg::Required(name) | Arg::Optional(name) => Some(name),
        }
    }
}

/// The kinds of arguments.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Nothing can be offered: a number, or text that only the user knows.
    Free,
    /// One of the words.
    Word(Words),
    /// Some of the words, separated by commas.
    List(Words),
    /// A set as in `-e`: words separated by commas, all, none, or all but the words after an exclamation mark.
    Set(Words),
    File,
    /// A file that `--record` has written.
    Recording,
    Pids,
    User,
    /// An environment variable.
    Variable,
    /// `-e`: NAME=VALUE, where VALUE is what the option of that name takes.
    Expression,
}

/// Words are made on request, because some come from other tables.
pub type Words = fn() -> Vec<Word>;

/// A word that an argument may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub name: &'static str,
    /// The meaning, if the option's `doc` does not state it.
    pub description: &'static str,
}

impl From<&'static str> for Word {
    fn from(name: &'static str) -> Word {
        Word { name, description: "" }
    }
}

/// Words whose meaning is in the option's `doc`, or nowhere.
pub fn words(names: impl IntoIterator<Item = &'static str>) -> Vec<Word> {
    names.into_iter().map(Word::from).collect()
}

impl Value {
    pub fn words(self) -> Vec<Word> {
        match self {
            Value::Word(words) | Value::List(words) | Value::Set(words) => words(),
            _ => Vec::new(),
        }
    }
}

/// The chapters of the documentation, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    General,
    Startup,
    Tracing,
    Filtering,
    Format,
    Statistics,
    StopCondition,
    Tampering,
    Miscellaneous,
}

impl Category {
    pub const ALL: [Category; 9] = [
        Category::General,
        Category::Startup,
        Category::Tracing,
        Category::Filtering,
        Category::Format,
        Category::Statistics,
        Category::StopCondition,
        Category::Tampering,
        Category::Miscellaneous,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Category::General => "General",
            Category::Startup => "Startup",
            Category::Tracing => "Tracing",
            Category::Filtering => "Filtering",
            Category::Format => "Output format",
            Category::Statistics => "Statistics",
            Category::StopCondition => "Stop condition",
            Category::Tampering => "Tampering",
            Category::Miscellaneous => "Miscellaneous",
        }
    }
}

/// An option as it was given.
#[derive(Debug)]
pub struct Given {
    pub flag: &'static Flag,
    pub spelling: Spelling,
    pub value: Option<OsString>,
}

impl Given {
    /// The argument, empty if there is none.
    pub fn os(&self) -> &OsStr {
        self.value.as_deref().unwrap_or_default()
    }

    /// The argument as text. Nothing that Stride knows has a name that is not UTF-8, so invalid bytes may be replaced.
    pub fn text(&self) -> Cow<'_, str> {
        self.os().to_string_lossy()
    }

    /// The argument as an expression about calls.
    pub fn expression(&self) -> Result<Expression, Stop> {
        Expression::parse(&self.text()).map_err(|error| Stop::fail(format!("{}: {error}", self.spelling)))
    }

    /// The error for an argument that is no time with a unit.
    pub fn no_time(&self) -> Stop {
        let text = self.text();
        let lacks_unit = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let hint = if lacks_unit {
            format!("a time has a unit: {}={text}s is seconds, and {text}ms milliseconds", self.spelling)
        } else {
            format!("give a number and a unit (h, m, s, ms, us or ns), such as {}=1s", self.spelling)
        };
        Stop::usage(format!("invalid {} argument: '{text}'; {hint}", self.spelling))
    }

    /// The error for an invalid argument.
    pub fn invalid(&self) -> Stop {
        // For a list, the invalid member is not known here.
        let known = if matches!(self.flag.value, Value::Word(_)) { self.flag.value.words() } else { Vec::new() };
        let known: Vec<&str> = known.into_iter().map(|word| word.name).collect();
        let mut hint = did_you_mean(&self.text(), known.iter().copied());
        if hint.is_empty() && !known.is_empty() {
            hint = format!("; it may be {}", known.join(", "));
        }
        Stop::usage(format!("invalid {} argument: '{}'{hint}", self.spelling, self.text()))
    }
}
