//! USDT probes: places that programs mark for tracers, with notes about them (`.note.stapsdt`).
//!
//! A note has the address of the probe, that of a counter which tells the program that somebody looks (a semaphore),
//! and where the arguments are, in the words of the assembler: `-4@%edi 8@-16(%rbp) 8@$5`.

use super::file::{CodeFileToProbe, MOST_FUNCTIONS, ProbesFound};
use super::machine;
use crate::elf::Elf;
use crate::files::bytes::{string_at, u32_at, u64_at};
use std::sync::Arc;
use stride_event::{
    Glob, LIBRARY_WORDS, LibraryFunction, LibraryProbe, Param, ProbedFile, ProbedWord, WordPlace, grouped,
};
use stride_syscalls::library::WordType;

/// Larger sections of notes are not read.
const LARGEST_NOTES: usize = 16 << 20;
const NT_STAPSDT: u32 = 3;
/// Names and arguments are escaped by those who write them. Longer ones are not looked at.
const LONGEST: usize = 1024;

struct Note {
    provider: Box<str>,
    name: Box<str>,
    arguments: Box<str>,
    address: u64,
    semaphore: u64,
}

/// The probes of a file that match, as `LABEL:PROVIDER:NAME`.
pub fn usdt_probes(file: &CodeFileToProbe, label: &str, provider: &Glob, name: &Glob) -> Result<ProbesFound, String> {
    let shown = file.path.display();
    let all = notes(&file.elf);
    if all.is_empty() {
        return Err(format!("'{shown}' has no USDT probes (a section .note.stapsdt)"));
    }
    let wanted = |glob: &Glob, text: &str| glob.matches(text.as_bytes()) != glob.inverted;
    let chosen: Vec<&Note> =
        all.iter().filter(|note| wanted(provider, &note.provider) && wanted(name, &note.name)).collect();
    if chosen.is_empty() {
        let mut names: Vec<String> = all.iter().map(|note| format!("{}:{}", note.provider, note.name)).collect();
        names.sort();
        names.dedup();
        let some = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        return Err(format!("no USDT probe of '{shown}' matches. It has {} names, such as {some}", names.len()));
    }
    if chosen.len() > MOST_FUNCTIONS {
        return Err(format!(
            "{} USDT probes of '{shown}' match, and at most {} can be traced: give a narrower pattern",
            grouped(chosen.len() as u64),
            grouped(MOST_FUNCTIONS as u64)
        ));
    }
    let mut probes = Vec::new();
    for note in chosen {
        let Some(offset) = file.elf.offset_of(note.address) else { continue };
        let (params, words) = arguments(&note.arguments);
        let function = LibraryFunction {
            name: format!("{label}:{}:{}", note.provider, note.name).into(),
            params: params.into(),
            result: None,
        };
        let semaphore = file.elf.data_offset_of(note.semaphore).unwrap_or(0);
        probes.push(LibraryProbe { function: Arc::new(function), offset, semaphore, words: words.into() });
    }
    Ok(ProbesFound { file: ProbedFile { path: file.path.clone(), probes }, remarks: Vec::new() })
}

fn notes(elf: &Elf) -> Vec<Note> {
    let Some(bytes) = elf.section(b".note.stapsdt").and_then(|section| elf.bytes(section, LARGEST_NOTES)) else {
        return Vec::new();
    };
    // The linker may move code after the notes were written. This section moves with it.
    let base = elf.section(b".stapsdt.base").map_or(0, |section| section.address);
    let mut found = Vec::new();
    let mut rest = &bytes[..];
    while let Some((note, next)) = next_note(rest, base) {
        found.extend(note);
        rest = next;
    }
    found
}

fn next_note(bytes: &[u8], base: u64) -> Option<(Option<Note>, &[u8])> {
    let round = |n: usize| n.checked_add(3).map(|n| n & !3);
    let (name_len, len, kind) = (u32_at(bytes, 0)? as usize, u32_at(bytes, 4)? as usize, u32_at(bytes, 8)?);
    let content = 12usize.checked_add(round(name_len)?)?;
    let end = content.checked_add(len)?;
    let body = bytes.get(content..end)?;
    let is_ours = kind == NT_STAPSDT && bytes.get(12..12 + name_len) == Some(b"stapsdt\0");
    let note = if is_ours { note(body, base) } else { None };
    // The last note may lack its padding.
    Some((note, bytes.get(content.checked_add(round(len)?)?..).unwrap_or_default()))
}

fn note(body: &[u8], base: u64) -> Option<Note> {
    let (address, noted_base, semaphore) = (u64_at(body, 0)?, u64_at(body, 8)?, u64_at(body, 16)?);
    let mut at = 24;
    let mut word = || {
        let bytes = string_at(body, at);
        at += bytes.len() + 1;
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= LONGEST)?;
        text.bytes().all(|b| (b' '..0x7f).contains(&b)).then(|| Box::from(text))
    };
    let (provider, name, arguments) = (word()?, word()?, word()?);
    let moved = if base == 0 { 0 } else { base.wrapping_sub(noted_base) };
    let semaphore = if semaphore == 0 { 0 } else { semaphore.wrapping_add(moved) };
    Some(Note { provider, name, arguments, address: address.wrapping_add(moved), semaphore })
}

/// The arguments up to the first that is not understood.
fn arguments(text: &str) -> (Vec<Param>, Vec<ProbedWord>) {
    let (mut params, mut words) = (Vec::new(), Vec::new());
    for argument in split(text).into_iter().take(LIBRARY_WORDS) {
        let Some(word) = word(&argument) else {
            params.push(Param { name: "".into(), ty: WordType::Unreadable, optional: false });
            words.push(ProbedWord { place: WordPlace::Constant(0), bytes: 8, signed: false });
            continue;
        };
        // A word as large as a pointer may be one, and what it points to may be a string. So it is looked at.
        let ty = match word.bytes {
            8 if !matches!(word.place, WordPlace::Constant(_)) => WordType::MaybeText { signed: word.signed },
            bytes => WordType::Int { bytes, signed: word.signed },
        };
        params.push(Param { name: "".into(), ty, optional: false });
        words.push(word);
    }
    (params, words)
}

/// Splits at blanks, but not within brackets: arm has `8@[x0, 16]`.
fn split(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut inside = false;
    for c in text.chars() {
        inside = (inside || c == '[') && c != ']';
        if c == ' ' && !inside {
            all.push(String::new());
        } else if let Some(last) = all.last_mut() {
            last.push(c);
        }
    }
    all.retain(|argument| !argument.is_empty());
    all
}

/// `SIZE@PLACE`, where a negative size means a signed number.
fn word(text: &str) -> Option<ProbedWord> {
    let (size, place) = text.split_once('@').unwrap_or(("8", text));
    // Clang writes `8f` for floating point.
    let size: i8 = size.parse().ok()?;
    let bytes = size.unsigned_abs();
    if !matches!(bytes, 1 | 2 | 4 | 8) {
        return None;
    }
    Some(ProbedWord { place: self::place(place)?, bytes, signed: size < 0 })
}

/// A constant, a register or memory, as assembly code has it: `$5`, `%rax` and `-8(%rbp)` (AT&T), or `5`, `x0` and `[x0, 16]` (arm).
fn place(text: &str) -> Option<WordPlace> {
    if let Some(number) = text.strip_prefix('$') {
        return Some(WordPlace::Constant(number.parse::<i64>().ok().or_else(|| hexadecimal(number))?));
    }
    if let Some(inside) = text.strip_prefix('[') {
        let inside = inside.strip_suffix(']')?;
        let (name, offset) = inside.split_once(',').unwrap_or((inside, "0"));
        let (register, 8) = machine::register(name.trim())? else { return None };
        return Some(WordPlace::Memory(register, offset.trim().trim_start_matches('#').parse().ok()?));
    }
    if let Some(before) = text.strip_suffix(')') {
        let (offset, inside) = before.split_once('(')?;
        let offset = if offset.is_empty() { 0 } else { offset.parse::<i64>().ok().or_else(|| hexadecimal(offset))? };
        // An index (`(%rax,%rbx,4)`) or a symbol in place of the offset is not understood.
        let (register, 8) = machine::register(inside.strip_prefix('%')?)? else { return None };
        return Some(WordPlace::Memory(register, offset));
    }
    match text.parse::<i64>() {
        Ok(number) => Some(WordPlace::Constant(number)),
        Err(_) => machine::register(text.strip_prefix('%').unwrap_or(text)).map(|(at, _)| WordPlace::Register(at)),
    }
}

fn hexadecimal(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    i64::from_str_radix(digits.strip_prefix("0x")?, 16).ok().map(|n| sign * n)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn places_of_arguments() {
        let word_of = |place, bytes, signed| Some(ProbedWord { place, bytes, signed });
        for (text, expected) in [
            ("-4@%edi", word_of(WordPlace::Register(112), 4, true)),
            ("8@-16(%rbp)", word_of(WordPlace::Memory(32, -16), 8, false)),
            ("8@(%rax)", word_of(WordPlace::Memory(80, 0), 8, false)),
            ("-4@$-5", word_of(WordPlace::Constant(-5), 4, true)),
            ("1@%al", word_of(WordPlace::Register(80), 1, false)),
            ("8@(%rax,%rbx,4)", None),
            ("8@symbol(%rip)", None),
            ("8f@%xmm0", None),
            ("16@%rax", None),
            ("8@", None),
        ] {
            assert_eq!(word(text), expected, "{text}");
        }
    }

    #[test]
    fn notes_may_be_anything() {
        let note = |name: &[u8], body: &[u8]| {
            let mut bytes = (name.len() as u32).to_le_bytes().to_vec();
            bytes.extend((body.len() as u32).to_le_bytes());
            bytes.extend(NT_STAPSDT.to_le_bytes());
            bytes.extend(name);
            bytes.extend(body);
            bytes
        };
        let body = [&0x1000u64.to_le_bytes()[..], &0x500u64.to_le_bytes(), &[0; 8], b"prov\0name\0-4@%edi\0"].concat();
        let good = note(b"stapsdt\0", &body);
        let (found, rest) = next_note(&good, 0x600).unwrap();
        let found = found.unwrap();
        assert_eq!((found.address, &*found.provider, &*found.name), (0x1100, "prov", "name"));
        assert!(rest.is_empty());
        for cut in 0..good.len() - 1 {
            // Neither a panic nor a note of which a part is missing.
            assert!(next_note(&good[..cut], 0).is_none_or(|(note, _)| note.is_none()), "{cut}");
        }
        let hostile = [&0u64.to_le_bytes()[..], &[0; 16], b"a\x1b[2J\0b\0\0"].concat();
        assert!(next_note(&note(b"stapsdt\0", &hostile), 0).unwrap().0.is_none());
    }
}
