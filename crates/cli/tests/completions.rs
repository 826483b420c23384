//! The effect of Tab in the real shells.

mod common;

use common::*;
use std::path::Path;
use std::process::Command;

/// A shell's completion script, as `stride --generate` prints it, in a file.
fn script(scratch: &Scratch, shell: &str, file: &str) -> std::path::PathBuf {
    let run = run(["--generate", &format!("complete-{shell}")]);
    assert_eq!(run.code(), Some(0), "{run:?}");
    let path = scratch.path(file);
    std::fs::write(&path, run.out).unwrap();
    path
}

fn output_of(command: &mut Command) -> String {
    let output = command.env("LC_ALL", "C.UTF-8").output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{command:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Lines, the words that must be offered for each, and the words that must not.
const OFFERS: &[(&str, &[&str], &[&str])] = &[
    ("stride --engine ", &["auto", "ebpf", "ptrace"], &["ls"]),
    ("stride --engine e", &["ebpf"], &["auto", "--engine"]),
    ("stride -X", &[], &["ls"]),
    ("stride -e opena", &["openat", "openat2"], &["open", "trace="]),
    ("stride -e tra", &["trace=", "trace-fds="], &["truncate"]),
    ("stride -e read,opena", &["read,openat"], &["openat"]),
    ("stride -e %cl", &["%clock"], &["clone", "%file"]),
    ("stride -e read,rea", &["read,readv"], &["read,read"]),
    ("stride -S tot", &["total-time"], &["name"]),
    ("stride -U calls,e", &["calls,errors"], &["calls,calls"]),
    ("stride --by path,p", &["path,pid", "path,peer"], &["path,path"]),
    ("stride -u roo", &["root"], &[]),
    ("stride -p 1", &["1"], &["2"]),
    ("stride truncat", &["truncate"], &["--trace"]),
    ("stride -- truncat", &["truncate"], &[]),
    ("stride -f /bin/truncat", &["/bin/truncate"], &[]),
    ("stride -fo /etc/passw", &["/etc/passwd"], &[]),
    ("stride -o out -e read truncat", &["truncate"], &[]),
    // An abbreviation, and an option's value that looks like a program.
    ("stride --string-l 64 truncat", &["truncate"], &[]),
];

/// The same for values that are joined to their options. Only the differing part is listed, as in bash.
const JOINED: &[(&str, &str, &[&str])] = &[
    ("stride --engine=", "--engine=", &["auto", "ebpf", "ptrace"]),
    ("stride --by=path,p", "--by=", &["path,peer", "path,pid"]),
    ("stride --explain=stat-st", "--explain=", &["stat-storm"]),
    ("stride -e trace=opena", "trace=", &["openat", "openat2"]),
    ("stride -e t=opena", "t=", &["openat", "openat2"]),
    ("stride -e trace=read,opena", "trace=", &["read,openat", "read,openat2"]),
    ("stride -e signal=SIGTE", "signal=", &["SIGTERM"]),
    ("stride -e status=failed,suc", "status=", &["failed,successful"]),
    ("stride --decode-fds=pat", "--decode-fds=", &["path"]),
    ("stride --html=/etc/passw", "--html=", &["/etc/passwd", "/etc/passwd-"]),
];

/// Splits a line as bash does, for COMP_WORDS.
fn bash_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in line.split(' ') {
        if word.starts_with('\'') {
            words.push(word.to_owned());
            continue;
        }
        let mut rest = word;
        while let Some(at) = rest.find(['=', ':']) {
            words.extend((at > 0).then(|| rest[..at].to_owned()));
            words.push(rest[at..=at].to_owned());
            rest = &rest[at + 1..];
        }
        // After a break, an empty word does not count yet.
        if !rest.is_empty() || word.is_empty() {
            words.push(rest.to_owned());
        }
    }
    words
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The candidates that bash's completion function leaves in COMPREPLY, for each command line.
fn bash_replies(setup: &str, lines: &[&str]) -> Vec<Vec<String>> {
    let scratch = Scratch::new(&format!("bash-{}", test_name().replace(':', "-")));
    let script = script(&scratch, "bash", "stride.bash");
    let mut text = format!("{setup}\nsource {}\n", quoted(script.to_str().unwrap()));
    for line in lines {
        let words: Vec<String> = bash_words(line).iter().map(|word| quoted(word)).collect();
        text += &format!(
            "COMP_LINE={0} COMP_POINT={1} COMP_CWORD={2} COMP_TYPE=9 COMP_KEY=9; COMP_WORDS=({3}); COMPREPLY=()\n\
             _stride stride \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\" 2>/dev/null\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\" --end--\n",
            quoted(line),
            line.len(),
            words.len() - 1,
            words.join(" "),
        );
    }
    let out = output_of(Command::new("bash").args(["--norc", "-c", &text]));
    let replies =
        out.split("--end--\n").map(|part| part.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect());
    replies.take(lines.len()).collect()
}

#[test]
fn bash_offers_what_an_option_takes() {
    need!("/bin/bash");
    let lines: Vec<&str> = OFFERS.iter().map(|offer| offer.0).chain(JOINED.iter().map(|joined| joined.0)).collect();
    let replies = bash_replies("", &lines);
    assert_eq!(replies.len(), lines.len());
    for ((line, there, not), reply) in OFFERS.iter().zip(&replies) {
        assert!(there.iter().all(|word| reply.iter().any(|r| r == word)), "{line}: {reply:?}");
        assert!(!not.iter().any(|word| reply.iter().any(|r| r == word)), "{line}: {reply:?}");
    }
    for ((line, _, expected), reply) in JOINED.iter().zip(&replies[OFFERS.len()..]) {
        let mut reply = reply.clone();
        reply.sort();
        assert_eq!(reply, *expected, "{line}");
    }
}

#[test]
fn bash_knows_quotes_negation_and_other_word_breaks() {
    need!("/bin/bash");
    let lines = ["stride -e '!opena", "stride -e 'trace=!read,opena", "stride -e trace=\\!opena", "stride -e !%clo"];
    let replies = bash_replies("", &lines);
    assert_eq!(replies[0], ["!openat", "!openat2"]);
    // In quotes, nothing is a break, and readline replaces the whole word.
    assert_eq!(replies[1], ["trace=!read,openat", "trace=!read,openat2"]);
    assert_eq!(replies[2], ["\\!openat", "\\!openat2"]);
    assert_eq!(replies[3], ["!%clock"]);
    // If = is no break, the word comes whole and is replaced whole.
    let setup = "bash_words_are_whole() { COMP_WORDS=(stride --engine=e) COMP_CWORD=1; }; \
                 trap '[[ $BASH_COMMAND == _stride* ]] && bash_words_are_whole' DEBUG";
    assert_eq!(bash_replies(setup, &["stride --engine=e"])[0], ["--engine=ebpf"]);
}

#[test]
fn behind_the_program_bash_completes_the_programs_words() {
    need!("/bin/bash");
    let own = "_own() { COMPREPLY=(\"own:${#COMP_WORDS[@]}:$COMP_CWORD:${COMP_WORDS[*]}\"); }; complete -F _own prog";
    let lines =
        ["stride -e trace=read prog --al", "stride -fo x prog a b ", "stride -u 0:0 -- prog -", "stride prog --eng"];
    let expected = ["own:2:1:prog --al", "own:4:3:prog a b ", "own:2:1:prog -", "own:2:1:prog --eng"];
    let library = "/usr/share/bash-completion/bash_completion";
    let mut setups = vec![own.to_owned()];
    if Path::new(library).exists() {
        setups.push(format!("source {library}; {own}"));
    } else {
        println!("skipped: {} with bash-completion: no {library}", test_name());
    }
    for setup in setups {
        assert_eq!(bash_replies(&setup, &lines).concat(), expected, "{setup}");
    }
}

#[test]
fn recordings_are_offered_where_one_is_wanted() {
    need!("/bin/bash");
    let scratch = Scratch::new("recordings");
    let recording = scratch.path("x1");
    assert_eq!(run(["--record".as_ref(), recording.as_os_str(), "true".as_ref()]).code(), Some(0));
    std::fs::write(scratch.path("x2"), "no recording").unwrap();
    let stem = scratch.path("x");
    let lines = [format!("stride --replay {}", stem.display()), format!("stride --html {}", stem.display())];
    let replies = bash_replies("", &[&lines[0], &lines[1]]);
    assert_eq!(replies[0], [recording.to_str().unwrap()]);
    assert_eq!(replies[1].len(), 2, "{replies:?}");
}

/// Types lines into an interactive shell and presses Tab. Returns, for each, the resulting line and the text shown
/// below it.
fn tab(shell: &str, script: &Path, lines: &[&str]) -> Vec<(String, String)> {
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells/tab.py");
    let mut command = Command::new("python3");
    command.arg(driver).arg(shell).arg(script).args(lines);
    let out = output_of(&mut command);
    let answers = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let answers: Vec<_> =
        answers.map(|a| (a["line"].as_str().unwrap().to_owned(), a["shown"].as_str().unwrap().to_owned())).collect();
    assert_eq!(answers.len(), lines.len());
    answers
}

#[test]
fn bash_types_what_tab_completes() {
    need!("/bin/bash", "/usr/bin/python3");
    let scratch = Scratch::new("tab-bash");
    let script = script(&scratch, "bash", "stride.bash");
    let cases = [
        // No blank is added before a value.
        ("stride --eng", "stride --engine="),
        ("stride --engine=e", "stride --engine=ebpf "),
        ("stride --eng=e", "stride --eng=ebpf "),
        ("stride -e trac", "stride -e trace"),
        ("stride -e trace=ope", "stride -e trace=open"),
        ("stride -e '!openat2,clos", "stride -e '!openat2,close"),
        // More keys may follow.
        ("stride --by=path,pe", "stride --by=path,peer"),
        ("stride --doc", "stride --doctor "),
        ("stride truncat", "stride truncate "),
    ];
    let answers = tab("bash", &script, &cases.map(|case| case.0));
    for ((typed, expected), (line, shown)) in cases.iter().zip(&answers) {
        assert_eq!(line, expected, "{typed}: {shown}");
    }
    let shown = &answers[4].1;
    assert!(shown.contains("openat2") && !shown.contains("openssl"), "{shown}");
}

#[test]
fn zsh_offers_what_an_option_takes() {
    need!("/usr/bin/zsh", "/usr/bin/python3");
    let scratch = Scratch::new("tab-zsh");
    let script = script(&scratch, "zsh", "_stride");
    // The line after Tab, and the list below it.
    let cases: &[(&str, &str, &[&str])] = &[
        ("stride --eng", "stride --engine=", &[]),
        ("stride --engine=", "stride --engine=", &["auto", "ebpf", "ptrace"]),
        ("stride --engine=e", "stride --engine=ebpf ", &[]),
        ("stride -e trace=opena", "stride -e trace=openat", &["openat2"]),
        ("stride -etrace=opena", "stride -etrace=openat", &["openat2"]),
        ("stride -e opena", "stride -e openat", &["openat2"]),
        ("stride -e read,opena", "stride -e read,openat", &["openat2"]),
        ("stride -e '!opena", "stride -e '!openat", &["openat2"]),
        ("stride -e trace=\\!opena", "stride -e trace=\\!openat", &["openat2"]),
        ("stride -e %cl", "stride -e %clock,", &[]),
        ("stride -e tra", "stride -e trace", &["trace-fds", "report only these system calls"]),
        ("stride -e signal=SIGTE", "stride -e signal=SIGTERM,", &[]),
        ("stride --by=path,pe", "stride --by=path,peer,", &[]),
        ("stride --by=path,", "stride --by=path,", &["syscall", "the directory of that path"]),
        ("stride -U calls,err", "stride -U calls,errors,", &[]),
        ("stride --explain=stat-st", "stride --explain=stat-storm ", &[]),
        ("stride -fo /etc/passw", "stride -fo /etc/passwd", &["passwd-"]),
        ("stride -u roo", "stride -u root ", &[]),
        ("stride -o x -f truncat", "stride -o x -f truncate ", &[]),
        ("stride -o x gzip --keep", "stride -o x gzip --keep ", &[]),
    ];
    let lines: Vec<&str> = cases.iter().map(|case| case.0).collect();
    let answers = tab("zsh", script.parent().unwrap(), &lines);
    for ((typed, expected, listed), (line, shown)) in cases.iter().zip(&answers) {
        assert_eq!(line, expected, "{typed}: {shown}");
        assert!(listed.iter().all(|word| shown.contains(word)), "{typed}: {shown}");
    }
    let keys = &answers[13].1;
    assert!(!keys.contains("\npath "), "what is there already is not offered again: {keys}");
}

#[test]
fn fish_offers_what_an_option_takes() {
    need!("/usr/bin/fish");
    let scratch = Scratch::new("fish");
    let script = script(&scratch, "fish", "stride.fish");
    let mut lines: Vec<&str> = OFFERS.iter().map(|offer| offer.0).chain(JOINED.iter().map(|joined| joined.0)).collect();
    lines.extend([
        "stride --eng",
        "stride -e '!opena",
        "stride -o x git --vers",
        "stride -e read git --engin",
        "stride begi",
    ]);
    let mut text = format!("complete -c git -l version; source {}\n", script.display());
    for line in &lines {
        text += &format!("complete {}; echo --end--\n", quoted_for_fish(&format!("-C{line}")));
    }
    let out = output_of(Command::new("fish").args(["--no-config", "-c", &text]).env("HOME", scratch.path("")));
    let replies: Vec<Vec<(&str, &str)>> = out
        .split("--end--\n")
        .map(|part| part.lines().map(|line| line.split_once('\t').unwrap_or((line, ""))).collect())
        .collect();
    let has = |i: usize, word: &str| replies[i].iter().any(|(offered, _)| *offered == word);
    for (i, (line, there, not)) in OFFERS.iter().enumerate() {
        assert!(there.iter().all(|word| has(i, word)), "{line}: {:?}", replies[i]);
        assert!(!not.iter().any(|word| has(i, word)), "{line}: {:?}", replies[i]);
    }
    for (i, (line, before, expected)) in JOINED.iter().enumerate() {
        let i = i + OFFERS.len();
        assert_eq!(replies[i].len(), expected.len(), "{line}: {:?}", replies[i]);
        assert!(expected.iter().all(|word| has(i, &format!("{before}{word}"))), "{line}: {:?}", replies[i]);
    }
    let rest = OFFERS.len() + JOINED.len();
    assert_eq!(replies[rest], [("--engine", "how to observe calls: auto, ebpf or ptrace")]);
    assert!(has(rest + 1, "!openat"), "{:?}", replies[rest + 1]);
    assert_eq!(replies[rest + 2], [("--version", "")]);
    // After the program come only its own options. A word that only the shell knows is no program.
    assert_eq!(replies[rest + 3], []);
    assert_eq!(replies[rest + 4], []);
}

fn quoted_for_fish(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
