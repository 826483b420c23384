//! Differences that are known and stay, with the reasons. Each rule is about a kind of text, and a few about one call.

use crate::fields::Part;

/// Two lines from the places on where they differ.
#[derive(Clone, Copy)]
pub struct Places<'p> {
    /// The name of the call.
    pub call: &'p str,
    pub first: &'p [Part<'p>],
    pub other: &'p [Part<'p>],
    /// The second tracer sees the beginning of calls that a seccomp filter answers.
    pub sees_entries: bool,
}

/// The reason, and how many parts of each line it explains.
pub type Explained = (&'static str, usize, usize);

/// Explains the difference, if it is known.
pub fn explained(places: &Places<'_>) -> Option<Explained> {
    RULES.iter().find_map(|rule| rule(places))
}

type Rule = fn(&Places<'_>) -> Option<Explained>;

const RULES: &[Rule] = &[
    more_names,
    unseen,
    beyond_copy,
    error_text,
    wide_register,
    in_decimal,
    no_bar,
    one_entry,
    whole_path,
    final_nul,
    shown_nul,
    beyond_limit,
    received_text,
    end_of_memory,
    left_of_ppoll,
    refused_length,
    empty_array,
    part_that_is_there,
    explained_result,
    cut_set,
    cut_poll,
    extra_bracket,
    empty_flags,
    not_decoded,
    more_members,
];

const NAMES: &str = "the first tracer has no name for a number that the other one names";
const UNSEEN: &str =
    "the eBPF engine has an address, because memory was to be read at the beginning of the call, which it did not see";

fn texts<'p>(places: &Places<'p>) -> Option<(&'p str, &'p str)> {
    match (places.first, places.other) {
        ([Part::Text(first), ..], [Part::Text(other), ..]) => Some((first, other)),
        _ => None,
    }
}

fn more_names(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let same_number = other.split_once(" /*").is_some_and(|(number, _)| number_of(number) == number_of(first));
    let named = number_of(first).is_some() && same_number;
    (named || names_more(first, other)).then_some((NAMES, 1, 1))
}

/// True if the second text has all names of the first, and names in the place of a number.
fn names_more(first: &str, other: &str) -> bool {
    let words = |text: &str| -> (Vec<String>, Vec<String>) {
        let text = text.split("/*").next().unwrap_or_default();
        text.split(['|', ' '])
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .partition(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    };
    let ((names, numbers), (other_names, other_numbers)) = (words(first), words(other));
    let all = names.iter().all(|name| other_names.contains(name));
    all && other_names.len() > names.len() && !numbers.is_empty() && other_numbers.len() <= numbers.len()
}

fn unseen(places: &Places<'_>) -> Option<Explained> {
    if places.sees_entries {
        return None;
    }
    let end = match places.first {
        [Part::Text(text), ..] if text.starts_with('"') => 1,
        first => value_end(first)?,
    };
    // Behind a value that the call changes stands the new one.
    let changed = &places.first[end..];
    let is_changed = matches!(changed.first(), Some(Part::Text(text)) if text.starts_with("=>"));
    match places.other.first()? {
        Part::Text(other) if is_address(other) && is_changed => {
            Some((UNSEEN, end + 1 + value_end(&changed[1..]).unwrap_or(0), 1))
        }
        Part::Text(other) if is_address(other) => Some((UNSEEN, end, 1)),
        _ if is_changed => Some((UNSEEN, end + 1, 0)),
        _ => None,
    }
}

/// The eBPF engine copies so much of the memory of a call, and says where that ends. Pages that were absent are read afterwards, and not if the
/// program is over by then, or has written there.
fn beyond_copy(places: &Places<'_>) -> Option<Explained> {
    const WHY: &str = "the eBPF engine has not copied the end of an array or a struct";
    const CUT: Part<'_> = Part::Text("???");
    if places.sees_entries {
        return None;
    }
    match (places.first, places.other) {
        (first, [Part::Text(other), ..]) if other.starts_with("... /* 0x") => Some((WHY, list_end(first)?, 1)),
        ([Part::Text(first), ..], [CUT, ..]) if first.starts_with("/* bytes ") => Some((WHY, 1, 1)),
        // Zeros at the end of a struct are not shown.
        ([Part::Mark(b'}'), ..], [Part::Mark(b','), CUT, ..]) => Some((WHY, 0, 2)),
        ([Part::Mark(b']'), ..], [Part::Mark(b','), Part::Text("..."), Part::Mark(b']'), ..]) => Some((WHY, 0, 2)),
        _ => None,
    }
}

fn error_text(places: &Places<'_>) -> Option<Explained> {
    let (first, _) = texts(places)?;
    first.starts_with("Unknown error ").then_some((
        "the first tracer has no text for an error of the kernel's own",
        1,
        1,
    ))
}

/// Registers have 64 bits, and many arguments and results are an `int`.
fn wide_register(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let (wide, narrow) = (number_of(first)?, number_of(other)?);
    let is_cut =
        wide as u32 == narrow as u32 && i32::try_from(wide).is_err() && narrow.unsigned_abs() <= u32::MAX.into();
    is_cut.then_some(("the first tracer shows more bits of a register than the kernel reads", 1, 1))
}

fn in_decimal(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let same = places.call == "map_shadow_stack"
        && other.starts_with("0x")
        && !first.starts_with("0x")
        && number_of(first)? == number_of(other)?;
    same.then_some(("the first tracer shows an address as a decimal number", 1, 1))
}

fn no_bar(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    (first == other.replace('|', "")).then_some(("the first tracer writes flags and permissions as one number", 1, 1))
}

fn one_entry(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    (first.replace("/* 1 entries */", "/* 1 entry */") == other).then_some(("one entry is no entries", 1, 1))
}

fn whole_path(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let beginning = first.strip_suffix("\"...").filter(|text| text.starts_with('"'))?;
    (other.starts_with(beginning) && other.ends_with('"') && other.len() > beginning.len() + 1).then_some((
        "the first tracer cuts a path",
        1,
        1,
    ))
}

/// `-s` counts the bytes of a value, of which the last one may be a NUL.
fn final_nul(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let (shown, more) = (first.strip_suffix('"')?, other.strip_suffix("\"...")?);
    let nul = ["\\0", "\\x00"].iter().find_map(|nul| more.strip_suffix(nul))?;
    (nul == shown).then_some(("the first tracer takes a NUL within a value for its end", 1, 1))
}

/// A path in a buffer, whose NUL the result counts.
fn shown_nul(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let is_nul =
        first.strip_suffix("\\0\"").is_some_and(|text| Some(text.trim_end_matches("\\0")) == other.strip_suffix('"'));
    is_nul.then_some(("the first tracer shows the NUL behind a path", 1, 1))
}

/// The limit of `-s` is for the bytes of control messages and labels, too.
fn beyond_limit(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let beginning = other.strip_suffix("\"...").filter(|text| text.starts_with("\"\\x"))?;
    first.starts_with(beginning).then_some(("the first tracer shows more bytes of a message than -s says", 1, 1))
}

fn received_text(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let is_part = other.strip_suffix('"').is_some_and(|text| first.starts_with(text));
    (places.call == "msgrcv" && is_part).then_some(("the first tracer shows the room for a message as its text", 1, 1))
}

/// A tracer that reads more than a value has does not find the rest behind the last page.
fn end_of_memory(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    let address = number_of(first).filter(|_| is_address(first))? as u64;
    let end = value_end(places.other).filter(|_| address % 4096 >= 4096 - 512)?;
    Some(("the first tracer reads beyond a value that ends where memory ends", 1, end))
}

fn left_of_ppoll(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        ([Part::Text("..."), Part::Mark(b')')], [Part::Text("left"), rest @ ..]) => {
            Some(("the first tracer has no room for the time that is left", 1, rest.len()))
        }
        _ => None,
    }
}

fn refused_length(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let [_, _, Part::Text(length), ..] = places.other else { return None };
    (first.starts_with('"') && is_address(other) && length.starts_with('-')).then_some((
        "the kernel reads nothing if a length is negative",
        1,
        1,
    ))
}

fn empty_array(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        ([Part::Mark(b'['), Part::Mark(b']'), ..], [Part::Text(address), ..]) if is_address(address) => {
            Some(("the first tracer shows an array of nothing that a failed call did not write", 2, 1))
        }
        _ => None,
    }
}

/// The other tracer shows the elements before memory that is not there.
fn part_that_is_there(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    let end = value_end(places.other).filter(|_| is_address(first))?;
    match places.other[..end].iter().rev().find(|part| !matches!(part, Part::Mark(_)))? {
        Part::Text(last) if last.starts_with("... /* 0x") => {
            Some(("the other tracer shows the part of an array that is there", 1, end))
        }
        _ => None,
    }
}

/// The other tracer says what a result means.
fn explained_result(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        ([], [Part::Mark(b'('), Part::Text(_), Part::Mark(b')')])
            if ["adjtimex", "clock_adjtime", "time"].contains(&places.call) =>
        {
            Some(("the first tracer explains a result only if it could read an argument", 0, 3))
        }
        _ => None,
    }
}

/// Sets of CPUs are short enough to show.
fn cut_set(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    let beginning = first.strip_suffix("...").filter(|text| text.bytes().all(|b| b.is_ascii_digit() || b == b' '))?;
    let of_other = match places.other.first() {
        Some(Part::Text(other)) if other.starts_with(beginning.trim_end()) => 1,
        Some(Part::Mark(b']')) if beginning.is_empty() => 0,
        _ => return None,
    };
    let is_set = ["sched_getaffinity", "sched_setaffinity"].contains(&places.call);
    is_set.then_some(("the first tracer cuts a set of CPUs", 1, of_other))
}

fn cut_poll(places: &Places<'_>) -> Option<Explained> {
    if !["poll", "ppoll"].contains(&places.call) || places.first.first() != Some(&Part::Text("...")) {
        return None;
    }
    let end = list_end(places.other)?;
    Some(("the first tracer counts the descriptors that it does not show", 1, end))
}

fn extra_bracket(places: &Places<'_>) -> Option<Explained> {
    let is_select = ["select", "pselect6"].contains(&places.call);
    (is_select && places.first.first() == Some(&Part::Mark(b']'))).then_some((
        "the first tracer closes the brackets of select's sets twice",
        1,
        0,
    ))
}

fn empty_flags(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    (first.strip_suffix('|')? == other).then_some(("the first tracer writes a bar behind the last flag", 1, 1))
}

/// Calls of which the first tracer shows less.
fn not_decoded(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    if !["_sysctl", "ustat"].contains(&places.call) || !is_address(first) {
        return None;
    }
    Some((
        "the first tracer does not show the memory of a call that no kernel has had for long",
        1,
        value_end(places.other)?,
    ))
}

/// io_submit(2) takes flags with each operation.
fn more_members(places: &Places<'_>) -> Option<Explained> {
    if places.call != "io_submit" {
        return None;
    }
    match (places.first, places.other) {
        (
            [Part::Mark(b'}'), ..],
            [Part::Mark(b','), Part::Text("aio_flags" | "aio_resfd"), Part::Mark(b'='), Part::Text(_), ..],
        ) => Some(("the first tracer leaves out flags of operations without a buffer", 0, 4)),
        ([Part::Mark(b','), Part::Text("aio_resfd"), Part::Mark(b'='), Part::Text(_), ..], [Part::Mark(b'}'), ..]) => {
            Some(("the first tracer shows a descriptor that the flags say is not there", 4, 0))
        }
        _ => None,
    }
}

/// The end of a value in brackets that begins here.
fn value_end(parts: &[Part<'_>]) -> Option<usize> {
    matches!(parts.first(), Some(Part::Mark(b'{' | b'['))).then(|| list_end(&parts[1..]).map(|end| end + 2))?
}

/// The place of the bracket that closes the list within which this is.
fn list_end(parts: &[Part<'_>]) -> Option<usize> {
    let mut depth = 0;
    for (i, part) in parts.iter().enumerate() {
        match part {
            Part::Mark(b'{' | b'[') => depth += 1,
            Part::Mark(b'}' | b']') if depth == 0 => return Some(i),
            Part::Mark(b'}' | b']') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// True if the text is a number that may be an address.
pub fn is_address(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|digits| digits.len() >= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn number_of(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
