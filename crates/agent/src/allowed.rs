//! The options of Stride that the configuration and clients may give.
//!
//! An option is allowed if it chooses calls, or says how they are shown. Options that start programs, write files, change a program or
//! attach to single processes are not in the list.

/// The part of the command line that an option is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// Which processes.
    Process,
    /// Which of their calls.
    Call,
    /// How much is kept and shown of a call, and the views that print to the terminal.
    View,
}

/// An option of Stride.
struct AllowedOption {
    name: &'static str,
    kind: OptionKind,
    /// The next word is its value, unless there is one behind a `=` (or behind the letter).
    value: bool,
}

const fn option(kind: OptionKind, name: &'static str) -> AllowedOption {
    AllowedOption { name, kind, value: true }
}

const fn switch(kind: OptionKind, name: &'static str) -> AllowedOption {
    AllowedOption { name, kind, value: false }
}

use OptionKind::{Call, Process, View};

/// (A value that may be left out stands behind a `=`, so such an option takes no word.)
const ALLOWED: [AllowedOption; 53] = [
    switch(Process, "--all"),
    option(Process, "--cgroup"),
    option(Process, "--comm"),
    option(Process, "--container"),
    option(Process, "--exe"),
    option(Process, "--user"),
    option(Call, "-e"),
    option(Call, "--trace"),
    option(Call, "--where"),
    option(Call, "--errno"),
    option(Call, "--duration"),
    option(Call, "--status"),
    option(Call, "--signal"),
    option(Call, "-P"),
    option(Call, "--trace-path"),
    option(Call, "--trace-fds"),
    switch(Call, "-z"),
    switch(Call, "--successful-only"),
    switch(Call, "-Z"),
    switch(Call, "--failed-only"),
    option(View, "-s"),
    option(View, "--string-limit"),
    switch(View, "--paths-only"),
    switch(View, "-k"),
    switch(View, "--stack-trace"),
    switch(View, "--waits"),
    option(View, "--ring-size"),
    option(View, "--for"),
    option(View, "--syscall-limit"),
    switch(View, "-c"),
    switch(View, "--summary-only"),
    switch(View, "-C"),
    switch(View, "--summary"),
    option(View, "-S"),
    option(View, "--summary-sort-by"),
    option(View, "-U"),
    option(View, "--summary-columns"),
    switch(View, "-w"),
    switch(View, "--exact-times"),
    option(View, "--every"),
    option(View, "--by"),
    switch(View, "--advise"),
    switch(View, "--tree"),
    switch(View, "--json"),
    switch(View, "-t"),
    switch(View, "-T"),
    switch(View, "--syscall-times"),
    switch(View, "-r"),
    switch(View, "-y"),
    switch(View, "-v"),
    switch(View, "-x"),
    switch(View, "-q"),
    option(View, "--color"),
];

/// The kinds of the given options, in their order. The error is a sentence about the first that is not allowed.
pub fn kinds(words: &[String], wanted: &[OptionKind]) -> Result<Vec<OptionKind>, String> {
    let mut kinds = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.bytes().any(|byte| byte == 0) {
            return Err("an option has a byte of value 0".into());
        }
        let (option, has_value) = find(word).ok_or_else(|| refusal(word))?;
        if !wanted.contains(&option.kind) {
            return Err(refusal(word));
        }
        if option.value && !has_value && words.next().is_none() {
            return Err(format!("{word} needs a value"));
        }
        kinds.push(option.kind);
    }
    Ok(kinds)
}

/// The option that a word is, and true if its value is in the word.
fn find(word: &str) -> Option<(&'static AllowedOption, bool)> {
    if word.starts_with("--") {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let option = ALLOWED.iter().find(|option| option.name == name)?;
        return Some((option, value.is_some()));
    }
    let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty())?;
    let of = |letter: char| {
        let is = |name: &str| name.strip_prefix('-').is_some_and(|name| name.chars().eq([letter]));
        ALLOWED.iter().find(|option| is(option.name))
    };
    // Letters can stand together. The first that takes a value has all that follows.
    for (at, letter) in letters.char_indices() {
        let option = of(letter)?;
        let rest = at + letter.len_utf8();
        if option.value || rest == letters.len() {
            return Some((option, rest < letters.len()));
        }
    }
    None
}

fn refusal(word: &str) -> String {
    let shown: String = word.chars().take(60).flat_map(char::escape_debug).collect();
    let hint = if word.starts_with('-') { "" } else { " (a word that belongs to no option)" };
    format!(
        "'{shown}'{hint} is none of the options that may stand here: those that choose processes and calls, and for --trace those that say how calls are shown"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str) -> Result<Vec<OptionKind>, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        kinds(&words, &[Process, Call, View])
    }

    #[test]
    fn options_are_found_in_all_their_forms() {
        assert_eq!(of("--all -e trace=openat -Z"), Ok(vec![Process, Call, Call]));
        assert_eq!(of("-etrace=openat --container web --container=x"), Ok(vec![Call, Process, Process]));
        assert_eq!(of("-cS calls -ttT -s100"), Ok(vec![View, View, View]));
        assert_eq!(of(""), Ok(vec![]));
    }

    #[test]
    fn others_are_refused() {
        for words in [
            "-o /etc/passwd",
            "--output=x",
            "--record=x",
            "--html=x",
            "-p 1",
            "-e",
            "--container",
            "ls",
            "--",
            "-",
            "-Zo x",
            "-co|sh",
            "--all ls",
            "-f",
            "--inject=all:error=EIO",
            "--contain=web",
            "-é",
        ] {
            assert!(of(words).is_err(), "{words}");
        }
        assert!(of("--record=a\u{1b}b").unwrap_err().contains("'--record=a\\u{1b}b'"));
        let views = vec!["-c".to_owned()];
        assert!(kinds(&views, &[Process, Call]).is_err(), "a tracer of the configuration has its own view");
    }

    #[test]
    fn no_option_stands_twice() {
        for (at, option) in ALLOWED.iter().enumerate() {
            assert!(ALLOWED[..at].iter().all(|other| other.name != option.name), "{}", option.name);
        }
    }
}
