//! truss's command line, in Stride's options. The facts are those of truss(1) of illumos.

use super::stop::Stop;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use stride_output::TrussForm;

/// The option that turns truss's options on.
const STYLE: &str = "--style=truss";

/// The letters behind `--style=truss:`, each of which is an option of truss's.
pub fn form(letters: &str) -> Option<TrussForm> {
    let mut form = TrussForm::default();
    for letter in letters.chars() {
        *match letter {
            'f' => &mut form.process,
            'l' => &mut form.thread,
            'd' => &mut form.since_beginning,
            'D' => &mut form.since_line,
            'E' => &mut form.in_call,
            'a' => &mut form.arguments,
            'e' => &mut form.environment,
            _ => return None,
        } = true;
    }
    Some(form)
}

/// True if the options are truss's: Stride was called as truss, or its first option says so.
pub fn is_meant(name: &str, args: &[OsString]) -> bool {
    Path::new(name).file_name() == Some(OsStr::new("truss")) || args.first().is_some_and(|first| first == STYLE)
}

/// The calls that a name of truss's stands for, where Linux has other names or several calls.
const CALLS: [(&str, &str); 12] = [
    ("_exit", "exit,exit_group"),
    ("exit", "exit,exit_group"),
    ("exec", "execve,execveat"),
    ("execve", "execve,execveat"),
    ("fork", "?fork,?vfork,clone,clone3"),
    ("forksys", "?fork,?vfork,clone,clone3"),
    ("fstat", "fstat,newfstatat"),
    ("lstat", "?lstat,newfstatat"),
    ("open", "?open,openat,openat2"),
    ("pollsys", "?poll,ppoll"),
    ("stat", "?stat,newfstatat"),
    ("waitsys", "wait4,waitid"),
];

/// `-h`. (truss itself prints something like that for any option it does not know.)
const HELP: &str = "\
Usage: truss [-fcaeidDEl] [-[tvx] [!]CALL,...] [-s [!]SIGNAL,...] [-[rw] [!]FD,...] [-u LIB:FUNCTION,...] [-o FILE] PROG [ARGS]
       truss [the same] -p PID...

Traces system calls with the options of illumos' truss and its output; this is Stride. Its own options may be given, too,
by their long names (--engine=ptrace): `stride --help` lists them.

  -f          trace children, too
  -c          count calls instead of showing them
  -p          trace running processes
  -o FILE     write the trace to FILE
  -t CALLS    show these calls, or with ! all others
  -v, -x CALLS  show structures of these calls in full, arguments of these calls as numbers
  -s SIGNALS  show these signals
  -r, -w FDS  show all bytes that are read from, or written to, these descriptors
  -u LIB:FUNCTION  show calls of functions of libraries
  -a, -e      show arguments, or the environment, of programs that are executed
  -d, -D, -E, -l  begin lines with the time, the time since the last line, the time in the call, the thread's id
";

/// The options that Linux or Stride has nothing for.
fn refusal(option: char) -> Option<&'static str> {
    Some(match option {
        'm' => "Linux reports machine faults as signals: use -s SIGSEGV,SIGBUS,SIGILL,SIGFPE,SIGTRAP",
        'M' | 'S' | 'T' | 'U' => {
            "it leaves the process stopped, and Stride never does: attach a debugger (gdb -p PID), or record what leads to the event with \
             stride --flight=64M --trigger=EXPR"
        }
        'A' => "truss of illumos has no such option, and Stride has no counterpart: stride -h lists Stride's options",
        _ => return None,
    })
}

/// The functions that truss's -u names, as Stride writes them. Behind two colons, truss also shows calls from within the library; Stride
/// always does. `program` is what truss calls a.out.
fn functions(value: &OsStr, program: Option<&OsString>) -> Result<String, Stop> {
    let value = value.to_string_lossy();
    let wrong = |why: &str| Stop::usage(format!("truss's -u {value}: {why}"));
    let (libraries, functions) =
        value.split_once(':').ok_or_else(|| wrong("give LIB:FUNCTION, such as libc:malloc"))?;
    let functions = functions.trim_start_matches(':');
    if libraries.contains('!') || functions.contains('!') {
        return Err(wrong("Stride cannot leave functions out by name: name those that are wanted"));
    }
    let mut patterns = Vec::new();
    for library in libraries.split(',') {
        let library = match (library, program) {
            ("a.out", Some(program)) => program.to_string_lossy().into_owned(),
            ("a.out", None) => {
                return Err(wrong("a.out is the program that truss starts, and with -p there is none: give its path"));
            }
            (library, _) => library.to_owned(),
        };
        patterns
            .extend(functions.split(',').map(|name| format!("{library}:{}", if name.is_empty() { "*" } else { name })));
    }
    Ok(format!("--library-calls={}", patterns.join(",")))
}

/// Stride's arguments for truss's.
pub fn translate(name: &str, args: Vec<OsString>) -> Result<Vec<OsString>, Stop> {
    let called_so = args.first().is_none_or(|first| first != STYLE);
    let mut args = args.into_iter().skip(usize::from(!called_so));
    let mut out: Vec<OsString> = Vec::new();
    let mut letters = String::new();
    let mut takes_pids = false;
    let mut verbose: Option<String> = None;
    let mut libraries: Vec<OsString> = Vec::new();
    let mut operands: Vec<OsString> = Vec::new();
    let missing = |option| Stop::usage(format!("truss's option requires an argument -- '{option}'"));
    'args: while let Some(arg) = args.next() {
        let bytes = arg.as_bytes();
        if bytes == b"--" {
            operands.extend(args.by_ref());
        } else if bytes.starts_with(b"--") {
            // Stride's own, such as --engine=ptrace.
            out.push(arg);
        } else if bytes.len() < 2 || bytes[0] != b'-' {
            operands.push(arg);
            operands.extend(args.by_ref());
        } else {
            for (at, &byte) in bytes.iter().enumerate().skip(1) {
                let option = char::from(byte);
                if let Some(why) = refusal(option) {
                    return Err(Stop::usage(format!("truss's -{option} has no counterpart: {why}")));
                }
                match option {
                    'h' => return Err(Stop::Explain(HELP.to_owned())),
                    'f' => {
                        letters.push('f');
                        out.push("-f".into());
                    }
                    'l' | 'd' | 'D' | 'E' | 'a' | 'e' => letters.push(option),
                    'c' => out.push("-c".into()),
                    // Sleeping calls are never reported before they return.
                    'i' => {}
                    'p' => takes_pids = true,
                    't' | 'v' | 'x' | 's' | 'r' | 'w' | 'o' | 'u' => {
                        let rest = &bytes[at + 1..];
                        let value = if rest.is_empty() {
                            args.next().ok_or_else(|| missing(option))?
                        } else {
                            OsString::from_vec(rest.to_vec())
                        };
                        match option {
                            'o' => out.extend(["-o".into(), value]),
                            'u' => libraries.push(value),
                            'v' => verbose = Some(calls(&value)),
                            _ => out.extend(["-e".into(), set(option, &value).into()]),
                        }
                        continue 'args;
                    }
                    _ => return Err(Stop::usage(format!("truss has no option -- '{option}'"))),
                }
            }
        }
    }
    // The names of programs' arguments need the arrays of execve.
    if letters.contains(['a', 'e']) {
        verbose = Some(match verbose {
            Some(set) if set.starts_with('!') => set,
            Some(set) => format!("{set},execve,execveat"),
            None => "execve,execveat".into(),
        });
    }
    let program = operands.first().filter(|_| !takes_pids);
    for value in libraries {
        out.push(functions(&value, program)?.into());
    }
    let mut all: Vec<OsString> = vec![format!("{STYLE}:{letters}").into()];
    all.extend(verbose.map(|set| format!("--verbose={set}").into()));
    all.append(&mut out);
    if takes_pids {
        if operands.is_empty() {
            return Err(Stop::usage("truss's -p needs the ids of processes behind the options"));
        }
        for operand in operands {
            let text = operand.to_string_lossy();
            let pid = text.strip_prefix("/proc/").unwrap_or(&text);
            if pid.contains('/') {
                return Err(Stop::usage(format!(
                    "'{text}' names threads of a process: on Linux, give the id of the thread itself, as {name} -p TID"
                )));
            }
            all.extend(["-p".into(), pid.into()]);
        }
    } else {
        all.push("--".into());
        all.extend(operands);
    }
    Ok(all)
}

/// A list of calls, with Linux's names.
fn calls(list: &OsStr) -> String {
    let text = list.to_string_lossy();
    let (not, names) = text.strip_prefix('!').map_or(("", &*text), |names| ("!", names));
    let linux =
        |name: &str| CALLS.iter().find(|(known, _)| *known == name).map_or(name.to_owned(), |row| row.1.to_owned());
    let names: Vec<String> = names.split(',').map(|name| linux(name.trim_start_matches('!'))).collect();
    format!("{not}{}", names.join(","))
}

/// The `-e` expression of an option with a list.
fn set(option: char, list: &OsStr) -> String {
    let text = list.to_string_lossy();
    match option {
        't' => format!("trace={}", calls(list)),
        'x' => format!("raw={}", calls(list)),
        // The name of a child's signal in System V.
        's' => format!("signal={}", text.replace("SIGCLD", "SIGCHLD").replace("CLD", "CHLD")),
        'r' => format!("read={text}"),
        _ => format!("write={text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> Result<String, String> {
        let words = line.split_whitespace().map(OsString::from).collect();
        match translate("truss", words) {
            Ok(args) => Ok(args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ")),
            Err(Stop::Fail { message, .. }) => Err(message),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn options() {
        for (theirs, ours) in [
            ("ls -l", "--style=truss: -- ls -l"),
            ("--style=truss ls", "--style=truss: -- ls"),
            ("-fcl ls", "--style=truss:fl -f -c -- ls"),
            ("-t open,close -o out ls", "--style=truss: -e trace=?open,openat,openat2,close -o out -- ls"),
            ("-t!read ls", "--style=truss: -e trace=!read -- ls"),
            ("-ae ls", "--style=truss:ae --verbose=execve,execveat -- ls"),
            ("-v all ls", "--style=truss: --verbose=all -- ls"),
            ("-dDEi -s !SIGCLD -x ioctl ls", "--style=truss:dDE -e signal=!SIGCHLD -e raw=ioctl -- ls"),
            ("-r 3,4 -wall ls", "--style=truss: -e read=3,4 -e write=all -- ls"),
            ("-u libc,libz::open,a* ls", "--style=truss: --library-calls=libc:open,libc:a*,libz:open,libz:a* -- ls"),
            ("-u a.out: -ulibc:: ./x", "--style=truss: --library-calls=./x:* --library-calls=libc:* -- ./x"),
            ("-p 12 /proc/13", "--style=truss: -p 12 -p 13"),
            ("--engine=ptrace -c -- -x", "--style=truss: --engine=ptrace -c -- -x"),
        ] {
            assert_eq!(translated(theirs).as_deref(), Ok(ours), "{theirs}");
        }
    }

    #[test]
    fn refusals_have_a_reason_and_a_way_on() {
        for (line, expected) in [
            ("-m all ls", "use -s SIGSEGV"),
            ("-S SIGINT ls", "gdb -p PID"),
            ("-T open ls", "--flight=64M"),
            ("-u libc:!malloc ls", "name those that are wanted"),
            ("-u libc ls", "give LIB:FUNCTION"),
            ("-p -u a.out:main 3", "give its path"),
            ("-A ls", "no such option"),
            ("-Z ls", "truss has no option -- 'Z'"),
            ("-o", "requires an argument -- 'o'"),
            ("-p", "needs the ids of processes"),
            ("-p 1/2", "give the id of the thread itself"),
        ] {
            let said = translated(line).unwrap_err();
            assert!(said.contains(expected), "{line}: {said}");
        }
    }

    #[test]
    fn its_options_are_listed() {
        for line in ["-h", "-fh ls"] {
            let args = line.split_whitespace().map(OsString::from).collect();
            let Err(Stop::Explain(help)) = translate("truss", args) else { panic!("{line}") };
            assert!(help.starts_with("Usage: truss [-f") && help.contains("stride --help"));
        }
    }

    #[test]
    fn when_options_are_those_of_truss() {
        let words = |line: &str| line.split_whitespace().map(OsString::from).collect::<Vec<_>>();
        assert!(is_meant("/usr/bin/truss", &words("ls")) && is_meant("stride", &words("--style=truss ls")));
        assert!(!is_meant("stride", &words("-f --style=truss ls")) && !is_meant("stride", &words("truss")));
    }
}
