//! From arguments to [`Options`].

use super::flag::{Arg, Flag, Given};
use super::lookup::{self, Found};
use super::raw_options::RawOptions;
use super::stop::Stop;
use super::tip::Tip;
use super::{expression, generate, help, table, truss, validate, version};
use lexopt::Parser;
use std::ffi::OsString;
use stride_filter::nearest;
use stride_session::options::{LibraryList, Options};
use stride_session::options::{Spelling, TypedOption};

/// Stride's name when `argv` is empty.
const DEFAULT_NAME: &str = "stride";

/// The result of parsing the command line.
#[derive(Debug)]
pub struct Parsed {
    /// Lines for stderr, complete and in order: warnings, and the error if the outcome is [`Outcome::Fail`].
    pub messages: Vec<String>,
    pub outcome: Outcome,
    /// `--tips`: the tip to show at the end.
    pub tip: Option<Tip>,
}

#[derive(Debug)]
pub enum Outcome {
    Trace(Box<Options>),
    /// Prints a text to stdout and exits with status 0.
    Print(String),
    /// `--doctor`.
    Doctor,
    /// `--usdt=list` and `--library-calls=list`, and Stride's name for messages.
    List(String, LibraryList),
    /// Exits with status 1.
    Fail,
}

/// Parses `argv`, the program's name first. Looks at the system only where the options name something in it (users,
/// paths). `no_color`: whether `NO_COLOR` is set in the environment.
pub fn parse(argv: impl IntoIterator<Item = OsString>, no_color: bool) -> Parsed {
    let mut argv = argv.into_iter();
    let name = argv.next().map_or(DEFAULT_NAME.into(), |name| name.to_string_lossy().into_owned());
    let mut warnings = Vec::new();
    let mut tip = None;
    let result = collect(argv, &name, no_color, &mut tip, &mut warnings);
    let mut messages: Vec<String> = warnings.into_iter().map(|warning| format!("{name}: {warning}")).collect();
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(Stop::Brief) => Outcome::Print(help::brief()),
        Err(Stop::Help) => Outcome::Print(help::usage()),
        Err(Stop::Doctor) => Outcome::Doctor,
        Err(Stop::List(list)) => Outcome::List(name.clone(), list),
        Err(Stop::Explain(text)) => Outcome::Print(text),
        Err(Stop::Generate(artefact)) => Outcome::Print(generate::text(artefact)),
        Err(Stop::Fail { message, hint }) => {
            messages.push(format!("{name}: {message}"));
            if hint {
                let name = if name.is_empty() { DEFAULT_NAME } else { &name };
                messages.push(format!("Try '{name} -h' for more information."));
            }
            Outcome::Fail
        }
    };
    Parsed { messages, outcome, tip }
}

fn collect(
    args: impl Iterator<Item = OsString>,
    name: &str,
    no_color: bool,
    tip: &mut Option<Tip>,
    warnings: &mut Vec<String>,
) -> Result<Outcome, Stop> {
    let mut args: Vec<OsString> = args.collect();
    if truss::is_meant(name, &args) {
        args = truss::translate(name, args)?;
    }
    // lexopt owns its arguments.
    let mut parser = Parser::from_args(args);
    // The `=` in `-I=x` belongs to the argument, as in getopt(3).
    parser.set_short_equals(false);
    let mut raw = RawOptions::default();
    let operands = options(&mut parser, &mut raw)?;
    if raw.version {
        return Ok(Outcome::Print(version::text()));
    }
    *tip = raw.tip;
    let options = validate::validate(raw, operands, name, no_color, &mut |warning| warnings.push(warning))?;
    Ok(Outcome::Trace(Box::new(options)))
}

/// Takes options up to the first operand, and returns the operands. The options after it belong to the command.
fn options(parser: &mut Parser, raw: &mut RawOptions) -> Result<Vec<OsString>, Stop> {
    // The loop owns the results of lexopt, because options ask lexopt for their arguments.
    enum Item {
        Short(char),
        Long(String),
        Operand(OsString),
    }
    loop {
        let item = match parser.next() {
            Ok(None) => return Ok(Vec::new()),
            Ok(Some(lexopt::Arg::Short(short))) => Item::Short(short),
            Ok(Some(lexopt::Arg::Long(long))) => Item::Long(long.to_owned()),
            Ok(Some(lexopt::Arg::Value(value))) => Item::Operand(value),
            Err(error) => return Err(Stop::usage(error.to_string())),
        };
        let given = match item {
            Item::Short(short) => take_short(parser, short)?,
            Item::Long(long) => take_long(parser, &long)?,
            Item::Operand(first) => {
                let mut operands = vec![first];
                operands.extend(parser.raw_args().map_err(|error| Stop::usage(error.to_string()))?);
                return Ok(operands);
            }
        };
        apply(given, raw)?;
    }
}

fn take_short(parser: &mut Parser, short: char) -> Result<Given, Stop> {
    let flag = lookup::short(short).ok_or_else(|| Stop::usage(format!("invalid option -- '{short}'")))?;
    let value = match flag.arg {
        Arg::None | Arg::Optional(_) => None,
        Arg::Required(_) => {
            Some(parser.value().map_err(|_| Stop::usage(format!("option requires an argument -- '{short}'")))?)
        }
    };
    Ok(Given { flag, spelling: Spelling::Short(short), value })
}

fn take_long(parser: &mut Parser, typed: &str) -> Result<Given, Stop> {
    let (flag, long) = match lookup::long(typed) {
        Found::Flag(flag, long) => (flag, long),
        Found::Unknown => {
            let hint = nearest(typed, table::all().flat_map(Flag::longs));
            let hint = hint.map(|long| format!("; did you mean '--{long}'?")).unwrap_or_default();
            return Err(Stop::usage(format!("unrecognized option '--{typed}{}'{hint}", joined(parser))));
        }
        Found::Ambiguous(spellings) => {
            let spellings: Vec<String> = spellings.iter().map(|spelling| format!("'--{spelling}'")).collect();
            return Err(Stop::usage(format!(
                "option '--{typed}{}' is ambiguous; possibilities: {}",
                joined(parser),
                spellings.join(" ")
            )));
        }
    };
    let value = match flag.arg {
        Arg::None => {
            if parser.optional_value().is_some() {
                return Err(Stop::usage(format!("option '--{long}' doesn't allow an argument")));
            }
            None
        }
        Arg::Optional(_) => parser.optional_value(),
        Arg::Required(_) => {
            let value = parser.value();
            Some(value.map_err(|_| Stop::usage(format!("option '--{long}' requires an argument")))?)
        }
    };
    Ok(Given { flag, spelling: Spelling::Long(long), value })
}

/// The `=VALUE` that was joined to an option, for messages.
fn joined(parser: &mut Parser) -> String {
    parser.optional_value().map_or_else(String::new, |value| format!("={}", value.to_string_lossy()))
}

fn apply(given: Given, raw: &mut RawOptions) -> Result<(), Stop> {
    let given = if given.spelling == Spelling::Short('e') { expression::resolve(given.os())? } else { given };
    if let Some(why) = (given.flag.missing)() {
        return Err(Stop::fail(why));
    }
    let typed = TypedOption::new(given.flag.longs().collect(), given.spelling, given.value.clone());
    raw.options.typed.add(typed);
    (given.flag.update)(raw, &given)
}

/// Parses the arguments after the program's name, which is `stride` here.
#[cfg(test)]
pub fn parse_words(words: &[&str]) -> Parsed {
    parse(std::iter::once("stride").chain(words.iter().copied()).map(OsString::from), false)
}

#[cfg(test)]
pub fn options_of(words: &[&str]) -> Options {
    match parse_words(words).outcome {
        Outcome::Trace(options) => *options,
        other => panic!("{words:?}: {other:?}"),
    }
}

/// The lines on stderr, without the program's name.
#[cfg(test)]
pub fn failure_of(words: &[&str]) -> Vec<String> {
    let parsed = parse_words(words);
    assert!(matches!(parsed.outcome, Outcome::Fail), "{words:?}: {parsed:?}");
    parsed.messages.into_iter().map(|line| line.strip_prefix("stride: ").map(str::to_owned).unwrap_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HINT: &str = "Try 'stride -h' for more information.";

    #[test]
    fn mistakes_getopt_finds() {
        for (words, message) in [
            (&["-Q"][..], "invalid option -- 'Q'"),
            (&["-o"], "option requires an argument -- 'o'"),
            (&["-fo"], "option requires an argument -- 'o'"),
            (&["--output"], "option '--output' requires an argument"),
            (&["--nonsense"], "unrecognized option '--nonsense'"),
            (&["--nonsense=3"], "unrecognized option '--nonsense=3'"),
            (&["--sumary"], "unrecognized option '--sumary'; did you mean '--summary'?"),
            (&["--engine=gdb"], "invalid --engine argument: 'gdb'; it may be auto, ebpf, ptrace"),
            (&["--ring-size=abc"], "invalid --ring-size argument: 'abc'; give a size from 64K to 1G, such as 16M"),
            (&["--ring-size=1K"], "invalid --ring-size argument: '1K'; give a size from 64K to 1G, such as 16M"),
            (&["--engine=ebfp"], "invalid --engine argument: 'ebfp'; did you mean 'ebpf'?"),
            (&["--version=3"], "option '--version' doesn't allow an argument"),
            (&["--dec=3"], "option '--dec=3' is ambiguous; possibilities: '--decode-fds' '--decode-pids'"),
            (&["--engnie=ebpf"], "unrecognized option '--engnie=ebpf'; did you mean '--engine'?"),
            (&["-I=never"], "invalid -I argument: '=never'; did you mean 'never'?"),
        ] {
            assert_eq!(failure_of(words), [message, HINT], "{words:?}");
        }
    }

    #[test]
    fn options_end_at_the_first_operand() {
        let options = options_of(&["-f", "prog", "-o", "x"]);
        assert_eq!(options.command.unwrap().argv, ["prog", "-o", "x"]);
        let options = options_of(&["-f", "--", "-prog", "--", "-x"]);
        assert_eq!(options.command.unwrap().argv, ["-prog", "--", "-x"]);
        assert_eq!(options_of(&["-", "x"]).command.unwrap().argv, ["-", "x"]);
    }

    #[test]
    fn arguments_joined_and_apart() {
        for words in [
            &["-fyofile", "x"][..],
            &["-fy", "-o", "file", "x"],
            &["-fy", "--output=file", "x"],
            &["-fy", "--output", "file", "x"],
        ] {
            let options = options_of(words);
            assert_eq!(options.output, stride_session::options::Output::File("file".into()), "{words:?}");
            assert!(options.spec.follow && !options.decode_fds.is_empty());
        }
    }

    #[test]
    fn options_have_the_names_that_were_typed() {
        for (words, options, name) in [
            (&["--fault=read", "x"][..], "--inject/--fault", "--fault"),
            (&["-e", "inject=read:error=EIO", "x"], "--inject/--fault", "-e inject"),
            (&["-u", "root", "--comm=x"], "--all/--comm/--user", "--comm"),
            (&["-u", "root"], "--all/--comm/--user", "-u"),
            (&["x"], "--inject/--fault", "--inject/--fault"),
        ] {
            assert_eq!(options_of(words).typed.name(options), name, "{words:?}");
        }
    }

    #[test]
    fn the_name_is_argv_0() {
        let parsed = parse(["./foo", "-Q"].map(OsString::from), false);
        assert_eq!(parsed.messages, ["./foo: invalid option -- 'Q'", "Try './foo -h' for more information."]);
        let parsed = parse(["", "-Q"].map(OsString::from), false);
        assert_eq!(parsed.messages, [": invalid option -- 'Q'", HINT]);
        let parsed = parse([], false);
        assert_eq!(parsed.messages, ["stride: must have PROG [ARGS] or -p PID", HINT]);
    }

    #[test]
    fn help_and_version() {
        assert!(matches!(parse_words(&["-h", "-Q"]).outcome, Outcome::Print(_)));
        assert!(matches!(parse_words(&["-V", "-w"]).outcome, Outcome::Print(_)));
        assert_eq!(failure_of(&["-V", "-Q"]), ["invalid option -- 'Q'", HINT]);
    }

    #[test]
    fn contexts_are_refused_without_selinux() {
        if stride_session::facts::selinux_enabled() {
            return assert!(options_of(&["--secontext", "x"]).contexts.is_some());
        }
        let messages = failure_of(&["--secontext", "x"]);
        let start = "SELinux context printing (--secontext option) is not supported ";
        assert!(messages.len() == 1 && messages[0].starts_with(start), "{messages:?}");
    }
}
