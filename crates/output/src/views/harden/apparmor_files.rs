//! The rules of an AppArmor profile for files (apparmor.d(5)).

use super::access::FileAccess;
use super::evidence::{FileUse, HardenEvidence, UseOf};
use std::collections::{BTreeMap, BTreeSet};

/// A pattern, with its permissions and the uses that need them.
pub type FileRules = BTreeMap<String, (Permissions, UseOf)>;

/// The permissions of a rule.
#[derive(Default)]
pub struct Permissions(BTreeSet<&'static str>);

impl Permissions {
    /// The letters in their usual order. Writing includes adding.
    pub fn letters(&self) -> String {
        const ORDER: [&str; 7] = ["m", "r", "w", "a", "l", "k", "ix"];
        let has = |letter: &&str| self.0.contains(letter) && !(*letter == "a" && self.0.contains("w"));
        ORDER.into_iter().filter(has).collect()
    }
}

/// The permissions for the letters of a denial: the log has further ones for parts of writing. `None` if one is not known.
pub fn letters_of_log(letters: &str) -> Option<Permissions> {
    let letter = |c: char| match c {
        'r' => Some("r"),
        'w' | 'c' | 'd' => Some("w"),
        'a' => Some("a"),
        'm' => Some("m"),
        'l' => Some("l"),
        'k' => Some("k"),
        'x' => Some("ix"),
        _ => None,
    };
    Some(Permissions(letters.chars().map(letter).collect::<Option<_>>()?))
}

/// The rules for all files of the evidence, by pattern.
pub fn rules(evidence: &HardenEvidence) -> FileRules {
    let mut rules = FileRules::new();
    for (path, of) in &evidence.files {
        // The name of a directory ends in a slash there.
        let slash = if of.directory && path != "/" { "/" } else { "" };
        add(&mut rules, format!("{}{slash}", pattern(path)), of);
    }
    for (path, of) in &evidence.directories {
        add(&mut rules, format!("{}/*", pattern(path.trim_end_matches('/'))), of);
    }
    rules
}

fn add(rules: &mut FileRules, pattern: String, of: &FileUse) {
    let letters: BTreeSet<&str> = of.access.iter().flat_map(|way| letters(*way, &of.access)).copied().collect();
    // (Some uses need no permission, such as ioctl(2).)
    if letters.is_empty() {
        return;
    }
    let rule = rules.entry(pattern).or_default();
    rule.0.0.extend(letters);
    rule.1.merge(of.used.clone());
}

/// The permissions that a use of a file needs.
fn letters(way: FileAccess, all: &BTreeSet<FileAccess>) -> &'static [&'static str] {
    use FileAccess as A;
    match way {
        A::Read | A::List | A::ReadInherited => &["r"],
        // A file that is not there can only be made with `w`.
        A::Append if !all.contains(&A::Make) => &["a"],
        A::Write
        | A::WriteInherited
        | A::Append
        | A::Truncate
        | A::Make
        | A::RemoveFile
        | A::RemoveDirectory
        | A::MakeDirectory
        | A::MakeSymlink
        | A::MakeFifo
        | A::MakeSocket
        | A::MakeDevice
        | A::RenameTo
        | A::SetAttributes => &["w"],
        A::RenameFrom | A::Connect => &["r", "w"],
        // The kernel maps the program after it has taken on the profile.
        A::Execute => &["m", "r", "ix"],
        A::Interpret | A::MapCode => &["m", "r"],
        A::Lock => &["k"],
        A::MakeLink => &["l"],
        A::Move | A::ControlDevice => &[],
    }
}

/// A path as a pattern that matches it. Numbers of processes and of terminals stand for any number, because another run has others.
pub fn pattern(path: &str) -> String {
    let own = match path.strip_prefix("/proc/") {
        // (These are links to files of the process itself.)
        Some(rest) if rest == "mounts" || rest == "net" || rest.starts_with("net/") => format!("/proc/self/{rest}"),
        _ => path.to_owned(),
    };
    let numbered = own.starts_with("/proc/") || own.starts_with("/dev/pts/");
    let parts = own.split('/').map(|part| {
        let is_number = !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
        match part {
            "self" | "thread-self" if numbered => "[0-9]*".to_owned(),
            _ if numbered && is_number => "[0-9]*".to_owned(),
            _ => escaped(part),
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

/// A name in which each character stands for itself, for use between quotation marks.
pub fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            // Two of them before a quotation mark would be one, and a mark that ends nothing.
            '\\' => out.push_str("[\\\\]"),
            '*' | '?' | '[' | ']' | '{' | '}' | '^' | '@' | '$' | '"' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}
