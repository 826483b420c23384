//! Differences of memory that one of the tracers has not read.

use crate::arena::is_there;
use crate::fields::Part;
use crate::places::{
    Explained, Places, Rule, change_end, is_address, list_end, next_number, number_of, texts, value_end,
};

pub const RULES: &[Rule] = &[
    unseen,
    beyond_copy,
    end_of_memory,
    refused_length,
    empty_array,
    empty_text,
    part_that_is_there,
    all_or_nothing,
    whole_pair,
    whole_set,
    beginning_of_messages,
    no_limit,
    part_of_a_pointer,
    beyond_room,
    not_decoded,
    ioctl_not_decoded,
    uring_not_decoded,
    log_of_types,
];

const UNSEEN: &str =
    "the eBPF engine has an address, because memory was to be read at the beginning of the call, which it did not see";

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

/// A tracer that reads more than a value has does not find the rest behind the last page.
fn end_of_memory(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    let address = number_of(first).filter(|_| is_address(first))? as u64;
    let end = match places.other {
        [Part::Text(text), ..] if text.starts_with('"') => Some(1),
        other => change_end(other),
    };
    let end = end.filter(|_| address % 4096 >= 4096 - 512)?;
    Some(("the first tracer reads beyond a value that ends where memory ends", 1, end))
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
        ([Part::Mark(b'['), Part::Mark(b']'), ..], [Part::Text(address), ..]) if address.starts_with("0x") => {
            Some(("the first tracer shows an array of nothing that a failed call did not write", 2, 1))
        }
        _ => None,
    }
}

/// Texts of bpf(2) of which the program passes no length, or zero.
fn empty_text(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let may_be_empty = places.call == "bpf" && ["btf", "buf", "stream_buf"].contains(&places.member());
    (may_be_empty && first == "\"\"" && other.starts_with("0x")).then_some((
        "the first tracer shows a text of nothing where the other one shows its address",
        1,
        1,
    ))
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

/// Calls of which the first tracer shows less.
fn not_decoded(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    // An array of nothing may have any address.
    let has_address = is_address(first) || first.starts_with("0x") && places.member() == "name";
    if !["_sysctl", "ustat"].contains(&places.call) || !has_address {
        return None;
    }
    Some((
        "the first tracer does not show the memory of a call that no kernel has had for long",
        1,
        value_end(places.other)?,
    ))
}

/// The other tracer shows what is there of something that is longer.
fn all_or_nothing(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    let address = number_of(first).filter(|_| is_address(first))? as u64;
    let end = match places.other {
        [Part::Text(text), ..] if text.starts_with('"') => 1,
        other => value_end(other)?,
    };
    let bytes = match places.call {
        "select" | "pselect6" => u64::from(places.args[0] as u32) / 8,
        "migrate_pages" => places.args[1] / 8,
        _ => next_number(&places.other[end..])? as u64,
    };
    (!is_there(address, bytes)).then_some(("the first tracer shows nothing of memory that is not all there", 1, end))
}

/// Two waiters.
fn whole_pair(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(other), ..] = places.other else { return None };
    let end = value_end(places.first).filter(|_| places.call == "futex_requeue" && is_address(other))?;
    match places.first[..end] {
        [.., Part::Text(last), Part::Mark(b']')] if last.starts_with("... /* 0x") => {
            Some(("the other tracer shows a pair as a whole or not at all", end, 1))
        }
        _ => None,
    }
}

/// A set of CPUs.
fn whole_set(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(other), ..] = places.other else { return None };
    let is_set = places.call == "sched_setaffinity" && is_address(other);
    let end = value_end(places.first).filter(|_| is_set)?;
    let is_whole = is_there(number_of(other)? as u64, u64::from(places.args[1] as u32));
    (!is_whole).then_some(("the other tracer shows a set of CPUs as a whole or not at all", end, 1))
}

/// A message of sendmmsg(2), behind which the kernel has no room for the number of bytes that it sent.
fn beginning_of_messages(places: &Places<'_>) -> Option<Explained> {
    const HEADER: u64 = 56;
    const WHOLE: u64 = 64;
    let ([Part::Text(first), Part::Mark(b']'), ..], [Part::Mark(b'{'), Part::Text("msg_hdr"), ..]) =
        (places.first, places.other)
    else {
        return None;
    };
    let address = number_of(first.strip_prefix("... /* ")?.strip_suffix(" */")?)? as u64;
    let is_header = places.call == "sendmmsg" && is_there(address, HEADER) && !is_there(address, WHOLE);
    let end = list_end(places.other).filter(|_| is_header)?;
    Some(("the other tracer shows a message whose header is there", 1, end))
}

/// An array with more elements than 32 bits can count.
fn no_limit(places: &Places<'_>) -> Option<Explained> {
    /// So many elements are shown of other arrays.
    const SHOWN: u64 = 32;
    let [Part::Text("..."), Part::Mark(b']'), ..] = places.other else { return None };
    let count = places.args[1];
    let is_cut = ["io_submit", "move_pages"].contains(&places.call) && count > SHOWN && count as u32 <= SHOWN as u32;
    let end = list_end(places.first).filter(|_| is_cut)?;
    Some(("the first tracer knows no limit if the number of elements has more than 32 bits", end, 1))
}

/// bpf(2) takes a part of its struct, which may end within a pointer.
fn part_of_a_pointer(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(other), ..] = places.other else { return None };
    let end = match places.first {
        [Part::Text(text), ..] if text.starts_with('"') => 1,
        first => value_end(first)?,
    };
    let is_part = places.call == "bpf" && !(places.args[2] as u32).is_multiple_of(8) && other.starts_with("0x");
    is_part.then_some(("the other tracer does not follow a pointer of which the program passes a part", end, 1))
}

/// The answer of statmount(2) has places of texts behind it.
fn beyond_room(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(place), ..] = places.first else { return None };
    number_of(place)?;
    let end = match places.other {
        [Part::Text("\"\""), ..] => 1,
        [Part::Mark(b'['), ..] => value_end(places.other)?,
        _ => return None,
    };
    let size = places.number_before("size").filter(|_| places.call == "statmount")?;
    (size > i128::from(places.args[2])).then_some((
        "the first tracer does not show texts if the answer says that it is larger than its room",
        1,
        end,
    ))
}

/// Requests of ioctl(2) of which the first tracer shows no memory, also when they fail.
const NOT_DECODED: &[&str] = &[
    "BTRFS_IOC_LOGICAL_INO_V2",
    "BTRFS_IOC_QGROUP_LIMIT",
    "BTRFS_IOC_RM_DEV_V2",
    "BTRFS_IOC_SNAP_DESTROY_V2",
    "FIBMAP",
    "SIOCADDRT",
    "SIOCDARP",
    "SIOCDELRT",
    "SIOCETHTOOL",
    "SIOCGARP",
    "SIOCSARP",
    "TEE_IOC_OBJECT_INVOKE",
    "TUNSETIFF",
    "TUNSETQUEUE",
    "UFFDIO_MOVE",
];

/// The first tracer knows less requests. The memory of one that succeeds is what the program or the kernel wrote.
fn ioctl_not_decoded(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    let [.., Part::Text(request), Part::Mark(b',')] = places.before else { return None };
    let known = places.call == "ioctl" && is_address(first) && (places.result >= 0 || NOT_DECODED.contains(request));
    let end = change_end(places.other).filter(|_| known)?;
    Some(("the first tracer does not show the memory of this request", 1, end))
}

/// Operations of io_uring_register(2) that take no number of arguments, or one.
fn uring_not_decoded(places: &Places<'_>) -> Option<Explained> {
    const NONE_OR_ONE: &[&str] = &["IORING_REGISTER_CLOCK", "IORING_REGISTER_FILE_ALLOC_RANGE"];
    let [Part::Text(first), ..] = places.first else { return None };
    let [.., Part::Text(operation), Part::Mark(b',')] = places.before else { return None };
    let name = operation.split('|').next()?;
    let known = places.call == "io_uring_register" && is_address(first) && NONE_OR_ONE.contains(&name);
    let end = value_end(places.other).filter(|_| known && places.args[3] as u32 <= 1)?;
    Some(("the first tracer shows an argument only with one of the numbers that kernels take", 1, end))
}

fn log_of_types(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    (places.member() == "btf_log_buf" && first.starts_with("0x") && other.starts_with('"')).then_some((
        "the first tracer does not show what the kernel finds in types",
        1,
        1,
    ))
}
