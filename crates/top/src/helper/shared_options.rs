//! The options by which another Stride traces the same.

use crate::model::CallsApart;
use std::ffi::OsString;
use std::path::Path;
use stride_session::Options;
use stride_session::options::TypedOption;

/// The filters of the machine's processes, and the option without any. They make no sense with `-p`.
const OF_MACHINE: [&str; 6] = ["all", "cgroup", "comm", "container", "exe", "user"];
/// Options about the command that this Stride starts. Others attach to it.
const OF_COMMAND: [&str; 3] = ["argv0", "env", "user"];
/// The options of the live view.
const OWN: [&str; 2] = ["top", "top-output"];

/// The options of this Stride, for others to trace the same.
#[derive(Clone, Debug, Default)]
pub struct SharedOptions {
    given: Vec<TypedOption>,
    /// The command that this Stride started.
    pub command: Option<i32>,
    /// The options have -f already.
    follows: bool,
    pub replays: bool,
}

impl SharedOptions {
    pub fn new(options: &Options, command: Option<i32>) -> SharedOptions {
        let is_shared =
            |option: &&TypedOption| !(option.is_any(&OWN) || options.command.is_some() && option.is_any(&OF_COMMAND));
        SharedOptions {
            given: options.typed.iter().filter(is_shared).cloned().collect(),
            command,
            follows: options.spec.follow && options.spec.machine.is_none(),
            replays: options.replay.is_some(),
        }
    }

    /// The options by which another Stride traces the same, or one process of it. `family` are the processes of now, if those that were asked
    /// for have started others.
    fn target(&self, pid: Option<i32>, family: &[i32]) -> Vec<OsString> {
        let names_target = |option: &&TypedOption| option.is_any(&OF_MACHINE) || option.is_any(&["attach"]);
        let chosen = pid.is_some() && !self.replays;
        let kept = self.given.iter().filter(|option| !(chosen && names_target(option)));
        let mut words: Vec<OsString> = kept.flat_map(TypedOption::words).collect();
        if self.replays {
            return words;
        }
        if pid.is_none() && self.command.is_none() && !self.given.iter().any(|option| names_target(&option)) {
            words.push("--all".into());
        }
        let wanted: Vec<String> = match pid.or(self.command) {
            Some(one) if pid.is_some() || family.is_empty() => vec![one.to_string()],
            _ => family.iter().map(ToString::to_string).collect(),
        };
        if !wanted.is_empty() {
            if !self.follows {
                words.push("-f".into());
            }
            words.extend(["-p".into(), wanted.join(",").into()]);
        }
        words
    }

    /// The words for a summary of each second.
    pub fn summary(&self, detail: &CallsApart, family: &[i32]) -> Vec<OsString> {
        let mut words = self.target(detail.pid, family);
        self.hush(&mut words);
        words.extend([OsString::from(format!("--by={}", detail.keys)), "--json".into()]);
        if !self.replays {
            words.push("--every=1s".into());
        }
        if self.replays
            && let Some(pid) = detail.pid
        {
            words.push(format!("--where=pid == {pid}").into());
        }
        words.extend(detail.conditions.iter().map(|condition| OsString::from(format!("--where={condition}"))));
        words
    }

    /// Leaves out the messages about processes that come and go.
    fn hush(&self, words: &mut Vec<OsString>) {
        if !self.given.iter().any(|option| option.is_any(&["quiet"])) {
            words.push("-q".into());
        }
    }

    /// The words for a recording.
    pub fn recording(&self, pid: Option<i32>, conditions: &[String], file: &Path, family: &[i32]) -> Vec<OsString> {
        let mut words = self.target(pid, family);
        let mut option = OsString::from("--record=");
        option.push(file);
        words.push(option);
        words.extend(conditions.iter().map(|condition| OsString::from(format!("--where={condition}"))));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stride_session::options::{Command, Spelling};

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    fn long(long: &'static str, value: Option<&str>) -> TypedOption {
        TypedOption::new(vec![long], Spelling::Long(long), value.map(OsString::from))
    }

    fn short(short: char, long: &'static str, value: Option<&str>) -> TypedOption {
        TypedOption::new(vec![long], Spelling::Short(short), value.map(OsString::from))
    }

    fn shared(given: Vec<TypedOption>, command: Option<i32>) -> SharedOptions {
        let mut options = Options::default();
        options.spec.follow = given.iter().any(|option| option.is_any(&["follow-forks"]));
        options.replay = given.iter().any(|option| option.is_any(&["replay"])).then(|| "r".into());
        options.command = command.map(|_| Command {
            program: "sh".into(),
            argv: vec!["sh".into(), "--top".into()],
            env: Vec::new(),
            user: None,
        });
        given.into_iter().for_each(|option| options.typed.add(option));
        SharedOptions::new(&options, command)
    }

    #[test]
    fn another_stride_traces_the_same() {
        let detail = |pid| CallsApart { keys: "pid,path", conditions: vec!["name == \"read\"".into()], pid };
        let tail = ["-q", "--by=pid,path", "--json", "--every=1s", "--where=name == \"read\""];
        let trace = || TypedOption::new(vec!["trace"], Spelling::Qualifier("trace"), Some("file".into()));
        let filters = || {
            let user = long("user", Some("y"));
            vec![long("all", None), long("comm", Some("x")), long("top", None), user, trace()]
        };
        let top = || long("top", None);
        for (given, command, pid, expected) in [
            (vec![top()], None, None, &["--all"][..]),
            (vec![top()], None, Some(7), &["-f", "-p", "7"]),
            (filters(), None, None, &["--all", "--comm=x", "--user=y", "-e", "trace=file"]),
            (filters(), None, Some(7), &["-e", "trace=file", "-f", "-p", "7"]),
            (vec![top(), trace()], Some(9), None, &["-e", "trace=file", "-f", "-p", "9"]),
            (vec![long("top-output", Some("/x")), short('p', "attach", Some("12"))], None, None, &["-p", "12"]),
            (vec![short('f', "follow-forks", None), top()], Some(9), None, &["-f", "-p", "9"]),
            (vec![top(), short('p', "attach", Some("12"))], None, Some(12), &["-f", "-p", "12"]),
            // The user and the environment are those of the command, which runs already.
            (vec![short('u', "user", Some("y")), long("env", Some("A=1")), top()], Some(9), None, &["-f", "-p", "9"]),
        ] {
            let options = format!("{given:?}");
            assert_eq!(
                shared(given, command).summary(&detail(pid), &[]),
                words(&[expected, &tail].concat()),
                "{options}"
            );
        }
        // Children of the command are there already; -p names its processes besides.
        let family = |given: Vec<TypedOption>, command, pid| {
            let options = shared(given, command).summary(&detail(pid), &[9, 10, 12]);
            options[..options.len() - tail.len()].to_vec()
        };
        let follows = || vec![short('f', "follow-forks", None), top()];
        assert_eq!(family(follows(), Some(9), None), words(&["-f", "-p", "9,10,12"]));
        assert_eq!(family(follows(), Some(9), Some(10)), words(&["-f", "-p", "10"]));
        let attached = [follows(), vec![short('p', "attach", Some("9"))]].concat();
        assert_eq!(family(attached, None, None), words(&["-f", "-p", "9", "-p", "9,10,12"]));
        let replayed = shared(vec![long("replay", Some("r")), top()], None);
        let expected = ["--replay=r", "-q", "--by=pid,path", "--json", "--where=pid == 3", "--where=name == \"read\""];
        assert_eq!(replayed.summary(&detail(Some(3)), &[]), words(&expected));
        let quiet = shared(vec![short('q', "quiet", None), top()], None);
        assert_eq!(quiet.summary(&detail(None), &[])[..3], words(&["-q", "--all", "--by=pid,path"]));
    }
}
