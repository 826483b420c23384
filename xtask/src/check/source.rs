//! The modules of a crate, and the paths that each uses: read as text, without tests and comments.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One file.
#[derive(Debug, Default)]
pub struct Module {
    /// Every path with `::` in it, in segments.
    pub paths: Vec<Vec<String>>,
    /// Names that `pub use` re-exports, with the path of each.
    pub passes_on: BTreeMap<String, Vec<String>>,
}

impl Module {
    pub fn parse(text: &str) -> Module {
        let code = code(text);
        let mut module = Module::default();
        let mut rest = code.as_str();
        let mut others = String::new();
        while let Some(at) = rest.find("use ") {
            let starts_word = rest[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
            let public = rest[..at].trim_end().rsplit([';', '}', '{', ']']).next().unwrap_or_default().trim();
            let tail = &rest[at + 4..];
            let end = tail.find(';').unwrap_or(tail.len());
            others.push_str(&rest[..at]);
            if starts_word {
                let mut paths = Vec::new();
                tree(&mut Vec::new(), &tail[..end], &mut paths);
                if public.starts_with("pub") {
                    for (path, name) in paths {
                        module.passes_on.insert(name, path);
                    }
                } else {
                    module.paths.extend(paths.into_iter().map(|(path, _)| path));
                }
                rest = &tail[end..];
            } else {
                rest = tail;
            }
        }
        others.push_str(rest);
        module.paths.extend(inline_paths(&others));
        module
    }
}

/// Expands `a::{b, c::{self, d as e}}`. Each path comes with the name under which it is used.
fn tree(prefix: &mut Vec<String>, text: &str, out: &mut Vec<(Vec<String>, String)>) {
    let text = text.trim();
    let depth = prefix.len();
    if let Some(brace) = text.find('{') {
        let inner = text[brace + 1..].rsplit_once('}').map_or("", |(inner, _)| inner);
        prefix.extend(text[..brace].split("::").map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned));
        for part in split(inner) {
            tree(prefix, part, out);
        }
    } else if !text.is_empty() {
        let (path, alias) = text.split_once(" as ").map_or((text, None), |(path, alias)| (path, Some(alias.trim())));
        prefix.extend(
            path.split("::").map(|s| s.trim().to_owned()).filter(|s| !s.is_empty() && s != "self" || depth == 0),
        );
        let name = alias.map(str::to_owned).or_else(|| prefix.last().cloned()).unwrap_or_default();
        out.push((prefix.clone(), name));
    }
    prefix.truncate(depth);
}

/// Splits at the commas outside of inner braces.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The paths in expressions and types.
fn inline_paths(code: &str) -> Vec<Vec<String>> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':')
        .filter(|word| word.contains("::"))
        .map(|word| word.split("::").filter(|s| !s.is_empty()).map(|s| s.trim_matches(':').to_owned()).collect())
        .collect()
}

/// The text up to its tests, without comments and strings.
fn code(text: &str) -> String {
    without(text, false)
}

/// The text up to its tests, without comments, line by line.
pub fn without_comments(text: &str) -> String {
    without(text, true)
}

fn without(text: &str, strings: bool) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut string = false;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if string => drop(chars.next()),
                // A quotation mark in a character literal begins no string.
                '\'' if !string && chars.peek() == Some(&'"') => drop(chars.next()),
                '"' => {
                    string = !string;
                    if strings {
                        out.push(c);
                    }
                }
                '/' if !string && chars.peek() == Some(&'/') => break,
                _ if !string || strings => out.push(c),
                _ => {}
            }
        }
        out.push('\n');
    }
    out
}

/// The modules below a crate's `src`, by their path in the crate; the crate's root is the empty path.
pub fn modules(src: &Path) -> anyhow::Result<BTreeMap<String, Module>> {
    let mut modules = BTreeMap::new();
    for file in files(src)? {
        let path = file.strip_prefix(src)?.with_extension("");
        let segments: Vec<String> = path.iter().map(|s| s.to_string_lossy().into_owned()).collect();
        let keep = match segments.last().map(String::as_str) {
            Some("lib" | "main" | "mod") => segments.len() - 1,
            Some("tests") => continue,
            Some(name) if name.ends_with("_tests") => continue,
            _ => segments.len(),
        };
        modules.insert(segments[..keep].join("::"), Module::parse(&fs::read_to_string(&file)?));
    }
    Ok(modules)
}

/// The Rust files below a directory.
pub fn files(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}
