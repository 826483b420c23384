//! Differences of single texts: numbers, names and strings.

use crate::fields::Part;
use crate::places::{Explained, Places, Rule, leading_number, number_of, texts};

pub const RULES: &[Rule] = &[
    protocol_of_pair,
    more_names,
    named_request,
    named_format,
    named_scope,
    signed_device,
    negative_count,
    id_of_nothing,
    same_value,
    wide_flags,
    unnamed_part,
    names_of_no_header,
    former_flag,
    address_of_nothing,
    id_in_hex,
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
    cut_set,
    empty_flags,
    flags_of_maps,
];

const WIDE: &str = "the first tracer shows more bits of a register than the kernel reads";
const NAMES: &str = "the first tracer has no name for a number that the other one names";

fn more_names(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let (number, other_number) = (first.trim_start_matches("flags "), other.trim_start_matches("flags "));
    let same_number = other_number.split_once(" /*").is_some_and(|(other, _)| number_of(other) == number_of(number));
    let named = number_of(number).is_some() && same_number;
    (named || names_more(first, other) || is_sum(first) && is_name(other)).then_some((NAMES, 1, 1))
}

/// A number that is told by the distance from one that has a name.
fn is_sum(text: &str) -> bool {
    text.split_once('+').is_some_and(|(name, number)| is_name(name) && number_of(number).is_some())
}

fn is_name(text: &str) -> bool {
    let is_letter = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.bytes().all(is_letter)
}

/// A request of ioctl(2).
fn named_request(places: &Places<'_>) -> Option<Explained> {
    let ([Part::Text("_IOC"), Part::Mark(b'('), rest @ ..], [Part::Text(other), Part::Mark(b',' | b')'), ..]) =
        (places.first, places.other)
    else {
        return None;
    };
    let end = rest.iter().position(|part| *part == Part::Mark(b')')).filter(|_| is_name(other))?;
    Some((NAMES, end + 3, 1))
}

/// Four characters that stand for a format of pixels, also where none of pixels is wanted.
fn named_format(places: &Places<'_>) -> Option<Explained> {
    let [.., Part::Text("v4l2_fourcc"), Part::Mark(b'('), _, _, _, _, _, _, _, Part::Mark(b')')] = places.before else {
        return None;
    };
    let [Part::Text(other), ..] = places.other else { return None };
    let is_name = other.strip_prefix("/* ").and_then(|name| name.strip_suffix(" */")).is_some_and(is_name);
    (is_name && matches!(places.first, [Part::Mark(_), ..])).then_some((NAMES, 0, 1))
}

/// A scope below zero stands for all addresses outside it.
fn named_scope(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let (outside, other) = (first.strip_prefix('-')?, other.strip_prefix('-')?);
    let number = leading_number(outside).filter(|_| places.member() == "scope")?;
    if other == "TIPC_ZONE_SCOPE" {
        return (number == 1).then_some((NAMES, 1, 1));
    }
    // The first tracer takes -128 for its own opposite.
    let same = leading_number(other) == Some(128) && number == 0xffff_ff80;
    same.then_some((WIDE, 1, 1))
}

/// Pages that were mapped or marked. The kernel writes a negative error there, too.
fn negative_count(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let is_count = places.call == "ioctl" && ["mapped", "updated"].contains(&places.member());
    let (number, negative) = (number_of(first)?, number_of(other)?);
    (is_count && negative < 0 && number as u64 as i64 as i128 == negative).then_some((
        "the first tracer shows a negative error as a large number",
        1,
        1,
    ))
}

/// Flags ask for the first control.
fn id_of_nothing(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let flags = first.strip_suffix("|0 /* V4L2_CID_??? */")?;
    let is_id = places.member() == "id" && flags.starts_with("V4L2_CTRL_FLAG_NEXT_") && flags == other;
    is_id.then_some(("the first tracer shows an id of zero beside flags", 1, 1))
}

/// The request's number says that the answer is an unsigned number.
fn signed_device(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let [.., Part::Text("TIOCGDEV"), Part::Mark(b','), Part::Mark(b'[')] = places.before else { return None };
    let (signed, number) = (number_of(first)?, number_of(other)?);
    (signed < 0 && signed as i32 as u32 == number as u32).then_some((
        "the first tracer shows the number of a device with a sign",
        1,
        1,
    ))
}

/// socketpair(2) takes the same protocols as socket(2).
fn protocol_of_pair(places: &Places<'_>) -> Option<Explained> {
    const WHY: &str = "the first tracer names protocols of socket(2), and not of socketpair(2)";
    let [Part::Text(first), Part::Mark(b','), ..] = places.first else { return None };
    let number = number_of(first).filter(|_| places.call == "socketpair")? as u32;
    match places.other {
        [Part::Text("htons"), Part::Mark(b'('), Part::Text(inner), Part::Mark(b')'), ..] => {
            let same = leading_number(inner).map_or(is_name(inner), |n| n as u16 == (number as u16).swap_bytes());
            same.then_some((WHY, 1, 4))
        }
        [Part::Text(other), ..] => {
            leading_number(other).map_or(is_name(other), |n| n as u32 == number).then_some((WHY, 1, 1))
        }
        _ => None,
    }
}

/// The number beside the names of flags.
fn wide_flags(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let ((names, wide), (other_names, narrow)) = (first.rsplit_once('|')?, other.rsplit_once('|')?);
    let same =
        names == other_names && number_of(wide)? as u32 == number_of(narrow)? as u32 && wide.len() > narrow.len();
    same.then_some((WIDE, 1, 1))
}

/// A number beside a name.
fn unnamed_part(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let (shown, comment) = first.split_once(" /* ")?;
    (shown == other && other.contains('|') && comment.ends_with("_??? */")).then_some((
        "the first tracer says of a number beside a name that it has no name",
        1,
        1,
    ))
}

/// A value that the kernel may write, and did not change.
fn same_value(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let is_same = first.split_once(" => ") == Some((other, other));
    is_same.then_some(("the first tracer shows a new value that is the old one", 1, 1))
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
    let are_numbers = !numbers.is_empty() && numbers.iter().all(|number| number_of(number).is_some());
    all && other != "NULL" && other_names.len() > names.len() && are_numbers && other_numbers.len() <= numbers.len()
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
    let (wide, narrow) = (leading_number(first)?, leading_number(other)?);
    let comment = |text: &str| text.split_once(" /*").map(|(_, comment)| comment.to_owned());
    let is_cut = comment(first) == comment(other)
        && wide as u32 == narrow as u32
        && i32::try_from(wide).is_err()
        && narrow.unsigned_abs() <= u32::MAX.into();
    is_cut.then_some((WIDE, 1, 1))
}

fn in_decimal(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let is_flags = places.call == "ioctl" && places.member() == "flags";
    let same = (is_flags || places.call == "map_shadow_stack")
        && other.starts_with("0x")
        && !first.starts_with("0x")
        && number_of(first)? == number_of(other)?;
    same.then_some(("the first tracer shows flags or an address as a decimal number", 1, 1))
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
    // As many bytes as -s says are shown, and the NUL is what is cut.
    let is_cut = places.call == "lookup_dcookie" && first.strip_suffix("...") == Some(other);
    (is_nul || is_cut).then_some(("the first tracer shows the NUL behind a path", 1, 1))
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

/// Sets of CPUs are short enough to show.
fn cut_set(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    let beginning = first.strip_suffix("...").filter(|text| text.bytes().all(|b| b.is_ascii_digit() || b == b' '))?;
    let of_other = match places.other.first() {
        Some(Part::Text(other)) if other.starts_with(beginning.trim_end()) => 1,
        Some(Part::Mark(b']')) if beginning.is_empty() => 0,
        _ => return None,
    };
    let is_affinity = places.args[1] & 0x7fff_ffff == 17 && places.call == "io_uring_register";
    let is_set = is_affinity || ["sched_getaffinity", "sched_setaffinity"].contains(&places.call);
    is_set.then_some(("the first tracer cuts a set of CPUs", 1, of_other))
}

fn empty_flags(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    (first.strip_suffix('|')? == other).then_some(("the first tracer writes a bar behind the last flag", 1, 1))
}

/// A flag of buffers that had this number before another one.
fn former_flag(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let same = first.replace("V4L2_BUF_FLAG_INPUT", "V4L2_BUF_FLAG_M2M_HOLD_CAPTURE_BUF") == other;
    same.then_some(("the first tracer has the name that a flag of buffers once had", 1, 1))
}

/// Flags that the kernel keeps to itself.
fn names_of_no_header(places: &Places<'_>) -> Option<Explained> {
    const OWN: &[&str] = &[
        "LO_FLAGS_USE_AOPS",
        "TEE_IOCTL_SHM_EXT_DMA_BUF",
        "TEE_IOCTL_SHM_KERNEL_MAPPED",
        "TEE_IOCTL_SHM_POOL",
        "TEE_IOCTL_SHM_REGISTER",
        "TEE_IOCTL_SHM_USER_MAPPED",
    ];
    let (first, other) = texts(places)?;
    let is_own = |name: &str| OWN.contains(&name);
    let others: Vec<&str> = other.split(" /*").next()?.split('|').collect();
    let mut more = first.split(" /*").next()?.split('|').filter(|name| !others.contains(name)).peekable();
    let has_more = more.peek().is_some_and(|name| is_own(name));
    let are_own = more.all(|name| is_own(name) || number_of(name).is_some());
    let number = others.last().is_some_and(|last| number_of(last).is_some());
    (has_more && are_own && number).then_some(("the first tracer has names for flags that no header names", 1, 1))
}

/// bpf(2) takes one flag with types. The others are those of maps.
fn flags_of_maps(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let rest = |text: &str| leading_number(text.split('|').next_back()?).map_or(Some(0), Some);
    let (left, other_left) = (rest(first)?, rest(other)?);
    let are_known = other.split('|').all(|name| name == "BPF_F_TOKEN_FD" || leading_number(name).is_some());
    let is_part = first.contains("BPF_F_") && left & !other_left == 0;
    (places.member() == "btf_flags" && are_known && is_part).then_some((
        "the first tracer names flags of maps where the kernel takes one flag",
        1,
        1,
    ))
}

fn address_of_nothing(places: &Places<'_>) -> Option<Explained> {
    (texts(places)? == ("0", "NULL")).then_some(("the first tracer shows an address that is none as a number", 1, 1))
}

/// The argument of a request that sets a user or a group.
fn id_in_hex(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let [.., Part::Text("TUNSETGROUP" | "TUNSETOWNER"), Part::Mark(b',')] = places.before else { return None };
    let same = first.starts_with("0x") && number_of(first)? as u32 as i32 == number_of(other)? as u32 as i32;
    same.then_some(("the first tracer shows an id as a hexadecimal number", 1, 1))
}
