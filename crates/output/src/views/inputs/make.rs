//! The list as a Makefile: what was made depends on what was used.

use super::gathered::InputsOfRun;
use super::listing::{ListPart, files};
use super::names::{UsedPath, Uses};
use super::text::path;

/// Characters that make gives a meaning which no backslash takes away. Variables stand for them.
const VARIABLES: [(u8, &str); 2] = [(b'=', "stride_equals"), (b'&', "stride_ampersand")];

/// `targets: inputs`, and sentences about the list as comments.
pub fn make(of: &InputsOfRun, ending: &str) -> Vec<u8> {
    let mut targets: Vec<&UsedPath> =
        [ListPart::Made, ListPart::Changed].iter().flat_map(|part| files(of, *part)).collect();
    targets.retain(|it| !it.uses.has(Uses::DIRECTORY));
    targets.sort_by(|one, other| one.path.cmp(&other.path));
    let used = [ListPart::Programs, ListPart::Interpreters, ListPart::Libraries, ListPart::Read];
    // A file that the run changes cannot be older than the files that it makes.
    let is_input = |it: &&UsedPath| !it.uses.any(Uses::MADE.or(Uses::CHANGED).or(Uses::REMOVED).or(Uses::DIRECTORY));
    let mut inputs: Vec<&UsedPath> = used.iter().flat_map(|part| files(of, *part)).filter(is_input).collect();
    inputs.sort_by(|one, other| one.path.cmp(&other.path));
    let mut rule = Vec::new();
    let mut left_out = Vec::new();
    for (i, it) in targets.iter().enumerate() {
        // In a target, a per cent sign makes a pattern, and a tab ends the name.
        if it.path.iter().any(|byte| matches!(byte, b'%' | b'\t')) {
            left_out.push(path(&it.path));
        } else {
            name(&it.path, i > 0, &mut rule, &mut left_out);
        }
    }
    let has_targets = !rule.is_empty();
    rule.push(b':');
    inputs.iter().for_each(|it| name(&it.path, true, &mut rule, &mut left_out));
    rule.push(b'\n');
    let mut out = Vec::new();
    for (byte, variable) in VARIABLES {
        if rule.windows(variable.len()).any(|part| part == variable.as_bytes()) {
            out.extend_from_slice(format!("{variable} := {}\n", byte as char).as_bytes());
        }
    }
    if has_targets {
        out.extend_from_slice(&rule);
    } else {
        out.extend_from_slice(b"# The command made no file.\n");
    }
    for path in left_out {
        out.extend_from_slice(format!("# make cannot name this file: {path}\n").as_bytes());
    }
    for line in ending.lines() {
        out.extend_from_slice(format!("# {line}\n").as_bytes());
    }
    out
}

/// Appends a name as make reads it.
fn name(bytes: &[u8], continues: bool, rule: &mut Vec<u8>, left_out: &mut Vec<String>) {
    if !can_be_named(bytes) {
        left_out.push(path(bytes));
        return;
    }
    if continues && !rule.is_empty() {
        rule.extend_from_slice(b" \\\n  ");
    }
    for (i, &byte) in bytes.iter().enumerate() {
        if let Some((_, variable)) = VARIABLES.iter().find(|(special, _)| *special == byte) {
            rule.extend_from_slice(format!("$({variable})").as_bytes());
            continue;
        }
        match byte {
            b'$' => rule.push(b'$'),
            b' ' | b'\t' | b'#' | b':' | b'*' | b'?' | b'[' => {
                // Backslashes before an escaped character are halved.
                let before = bytes[..i].iter().rev().take_while(|byte| **byte == b'\\').count();
                rule.extend(std::iter::repeat_n(b'\\', before + 1));
            }
            _ => {}
        }
        rule.push(byte);
    }
}

/// False for names that no Makefile can hold: those with an end of a line, or with a character that begins something else whatever stands before it; those that
/// end in a backslash or a blank; and `archive(member)`.
fn can_be_named(bytes: &[u8]) -> bool {
    !(bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0 | b';' | b'|'))
        || matches!(bytes.last(), Some(b'\\' | b' ' | b'\t'))
        || bytes.ends_with(b")") && bytes.contains(&b'('))
}
