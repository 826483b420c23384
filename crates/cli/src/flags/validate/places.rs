//! The destination of the trace, and what follows from it for messages, interrupts, and the tracer's process.

use crate::flags::raw_options::RawOptions;
use crate::flags::stop::Stop;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use stride_filter::{Quiet, WordSet};
use stride_session::options::{Daemonize, Output};

pub fn output(raw: &RawOptions, separately: bool) -> Result<Output, Stop> {
    let Some(output) = &raw.output else {
        return Ok(if raw.options.replay.is_some() { Output::Stdout } else { Output::Stderr });
    };
    let Some((b'|' | b'!', command)) = output.as_bytes().split_first() else {
        return Ok(Output::File(output.into()));
    };
    if separately {
        return Err(Stop::usage("piping the output and -ff/--output-separately are mutually exclusive"));
    }
    Ok(Output::Pipe(OsStr::from_bytes(command).to_owned()))
}

pub fn quiet(raw: &RawOptions, elsewhere: bool) -> Result<WordSet<Quiet>, Stop> {
    const ATTACH: [Quiet; 2] = [Quiet::Attach, Quiet::Personality];
    match (raw.quiet_count, raw.quiet) {
        (1.., Some(_)) => Err(Stop::fail("-q and -e quiet/--quiet cannot be provided simultaneously")),
        (0, Some(quiet)) => Ok(quiet),
        // These messages would go to the command's terminal, although the trace goes elsewhere.
        (0, None) if elsewhere && raw.options.spec.attach.is_empty() => Ok(WordSet::of(&ATTACH)),
        (0, None) => Ok(WordSet::NONE),
        (1, None) => Ok(WordSet::of(&ATTACH).with(Quiet::Files)),
        (2, None) => Ok(WordSet::of(&ATTACH).with(Quiet::Files).with(Quiet::Exit)),
        (_, None) => Ok(WordSet::ALL),
    }
}

pub fn daemonize(raw: &RawOptions) -> Daemonize {
    match raw.daemonize_count {
        0 => raw.daemonize.unwrap_or_default(),
        1 => Daemonize::Grandchild,
        2 => Daemonize::ProcessGroup,
        _ => Daemonize::Session,
    }
}

#[cfg(test)]
mod tests {
    use crate::flags::parser::options_of;
    use stride_filter::{Quiet, WordSet};
    use stride_session::options::*;

    #[test]
    fn quiet_by_count_by_name_and_by_itself() {
        use Quiet::*;
        let quiet = |words: &[&str]| options_of(words).quiet;
        assert_eq!(quiet(&["x"]), WordSet::NONE);
        assert_eq!(quiet(&["-q", "x"]), WordSet::of(&[Attach, Personality, Files]));
        assert_eq!(quiet(&["--quiet", "x"]), WordSet::of(&[Attach, Personality, Files]));
        assert_eq!(quiet(&["-qq", "x"]), WordSet::of(&[Attach, Personality, Files, Exit]));
        assert_eq!(quiet(&["-qqqq", "x"]), WordSet::ALL);
        assert_eq!(quiet(&["-o", "f", "x"]), WordSet::of(&[Attach, Personality]));
        assert_eq!(quiet(&["-o", "f", "-p", "1", "x"]), WordSet::NONE);
        assert_eq!(quiet(&["-o", "f", "-e", "quiet=exit", "x"]), WordSet::of(&[Exit]));
        assert_eq!(quiet(&["--advise", "x"]), WordSet::of(&[Attach, Personality]));
        assert_eq!(quiet(&["--advise", "-p", "1"]), WordSet::NONE);
        assert_eq!(quiet(&["-c", "x"]), WordSet::NONE, "as strace");
    }

    #[test]
    fn who_may_interrupt() {
        use Interruptible::*;
        let when = |words: &[&str]| options_of(words).spec.interruptible;
        assert_eq!(when(&["x"]), Waiting);
        assert_eq!(when(&["-o", "f", "x"]), Never);
        assert_eq!(when(&["-o", "f", "-p", "1"]), Waiting);
        assert_eq!(when(&["-D", "x"]), NeverTstp);
        assert_eq!(when(&["-I1", "-D", "x"]), Anywhere);
        assert_eq!(when(&["--interruptible=NEVER", "x"]), Never);
    }

    #[test]
    fn where_the_trace_goes() {
        let options = options_of(&["-o", "|cat -n", "-f", "x"]);
        assert_eq!(options.output, Output::Pipe("cat -n".into()));
        assert_eq!(options.lines.leader.pid, PidPrefix::Always);
        let options = options_of(&["-o", "f", "-ff", "x"]);
        assert!(options.output_separately && options.lines.leader.pid == PidPrefix::Never);
        let options = options_of(&["-ff", "x"]);
        assert!(
            options.spec.follow && !options.output_separately && options.lines.leader.pid == PidPrefix::WhenSeveral
        );
        assert_eq!(options_of(&["-o", "f", "-ff", "--always-show-pid", "x"]).lines.leader.pid, PidPrefix::Always);
    }
}
