//! Secrets among bytes (`--redact`): keys, tokens and passwords, by the forms in which programs write them.
//!
//! A form is a regular expression ([`forms`]). Bytes may begin and end anywhere in a longer text, so a secret reaches to the end of the bytes
//! if its own end is not among them. Where a name only may name a secret (`key=`), the value must look random, too.

mod forms;
mod kind;

pub use kind::SecretKind;

use forms::{FORMS, SecretForm};
use regex::bytes::{Regex, RegexSet};
use std::ops::Range;

/// A secret, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSecret {
    /// What it is.
    pub kind: SecretKind,
    /// The bytes that it takes.
    pub at: Range<usize>,
}

/// Finds secrets.
pub struct Secrets {
    /// Tells which forms occur at all. Most bytes have none.
    any: RegexSet,
    forms: Vec<(SecretKind, Regex, bool)>,
    files: Regex,
    option: Regex,
    pair: Regex,
}

/// A random value has at least so many bytes, and so many bits for each of them.
const RANDOM_BYTES: usize = 16;
const RANDOM_BITS: f64 = 3.0;

impl Secrets {
    /// The forms that are known, and further patterns of the user. If a pattern has a group, the group is the secret.
    pub fn new(own: &[String]) -> Result<Secrets, regex::Error> {
        let known = FORMS.iter().map(|SecretForm { kind, pattern, random }| (*kind, (*pattern).to_owned(), *random));
        let own = own.iter().map(|pattern| (SecretKind::Own, pattern.clone(), false));
        let all: Vec<_> = known.chain(own).collect();
        let compiled =
            |(kind, pattern, random): &(SecretKind, String, bool)| Ok((*kind, Regex::new(pattern)?, *random));
        Ok(Secrets {
            any: RegexSet::new(all.iter().map(|(_, pattern, _)| pattern))?,
            forms: all.iter().map(compiled).collect::<Result<_, regex::Error>>()?,
            files: Regex::new(forms::FILES)?,
            option: Regex::new(forms::OPTION)?,
            pair: Regex::new(forms::PAIR_OPTION)?,
        })
    }

    /// The secrets among these bytes. They may overlap.
    pub fn find(&self, bytes: &[u8]) -> Vec<FoundSecret> {
        let mut found = Vec::new();
        for form in &self.any.matches(bytes) {
            let (kind, pattern, random) = &self.forms[form];
            for captures in pattern.captures_iter(bytes) {
                let Some(secret) = captures.iter().skip(1).flatten().next().or(captures.get(0)) else { continue };
                if !secret.is_empty() && (!random || is_random(secret.as_bytes())) {
                    found.push(FoundSecret { kind: *kind, at: secret.range() });
                }
            }
        }
        found
    }

    /// True if the argument behind this one is a secret: `--password`, or `-u` if it has a name and a password.
    pub fn is_option_of(&self, option: &[u8], value: &[u8]) -> bool {
        self.option.is_match(option) || self.pair.is_match(option) && value.contains(&b':')
    }

    /// True if a file with this path holds secrets, by its name.
    pub fn is_secret_file(&self, path: &[u8]) -> bool {
        self.files.is_match(path)
    }
}

/// True if bytes are as varied as those of a key: their entropy (Shannon) is that of random digits and letters.
fn is_random(bytes: &[u8]) -> bool {
    if bytes.len() < RANDOM_BYTES {
        return false;
    }
    let mut counts = [0usize; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let share = |count: usize| count as f64 / bytes.len() as f64;
    let bits: f64 = counts.iter().filter(|count| **count > 0).map(|count| -share(*count) * share(*count).log2()).sum();
    bits >= RANDOM_BITS && bytes.iter().any(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests;
