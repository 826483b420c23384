//! Differences in calls that no kernel carries out so: it refuses them, or has another result.

use crate::arena::is_there;
use crate::fields::Part;
use crate::places::{
    Explained, Places, Rule, change_end, is_address, leading_number, list_end, next_number, number_of, texts, value_end,
};

pub const RULES: &[Rule] = &[
    too_many_vectors,
    too_small,
    refused_attributes,
    beginning_of_message,
    unfinished,
    sent_more,
    no_memory,
    no_room,
    short_option,
    other_abi,
    answer_of_other_abi,
    part_of_answer,
    longer_value,
    entries_of_security,
    more_statistics,
];

/// Reads no more vectors than this, and refuses a call that has more.
const MOST_VECTORS: i128 = 1024;

fn too_many_vectors(places: &Places<'_>) -> Option<Explained> {
    let is_vectors =
        |parts: &[Part<'_>]| matches!(parts, [Part::Mark(b'['), Part::Mark(b'{'), Part::Text("iov_base"), ..]);
    let (of_first, of_other) = match (places.first, places.other) {
        ([Part::Mark(b'{'), Part::Text("iov_base"), ..], [Part::Text("..."), Part::Mark(b']'), ..]) => {
            (list_end(places.first)?, 1)
        }
        ([Part::Text(address), ..], other) if is_address(address) && is_vectors(other) => (1, value_end(other)?),
        (first, [Part::Text(address), ..]) if is_address(address) && is_vectors(first) => (value_end(first)?, 1),
        _ => return None,
    };
    let behind = match &places.other[of_other..] {
        [Part::Mark(b']'), rest @ ..] => rest,
        rest => rest,
    };
    let too_many = next_number(behind)? as u64 as i128 > MOST_VECTORS;
    too_many.then_some(("the kernel refuses a call with more than 1024 vectors", of_first, of_other))
}

/// Structs with a size that is less than the least one.
fn too_small(places: &Places<'_>) -> Option<Explained> {
    const WHY: &str = "the kernel refuses a size that is less than that of the struct";
    let is_less = |name, least| places.number_before(name).is_some_and(|size| size < least);
    match (places.first, places.other) {
        (first, [Part::Text(other), ..]) if places.member() == "qgroup_inherit" && is_address(other) => {
            is_less("size", 72).then_some((WHY, value_end(first)?, 1))
        }
        ([Part::Mark(b'}'), ..], [Part::Mark(b','), Part::Text("ctx"), Part::Mark(b'='), Part::Text(_), ..]) => {
            (places.call == "lsm_set_self_attr" && is_less("len", 32)).then_some((WHY, 0, 4))
        }
        _ => None,
    }
}

/// The attributes of perf_event_open(2) have as many bytes as the first kernel knew, and no more than a page.
fn refused_attributes(places: &Places<'_>) -> Option<Explained> {
    const LEAST: i128 = 64;
    let [Part::Text(other), ..] = places.other else { return None };
    let end = value_end(places.first).filter(|_| places.call == "perf_event_open" && is_address(other))?;
    let inner = Places { before: &places.first[..end], ..*places };
    let size = inner.number_before("size")?;
    let is_refused = size > 4096 || !is_there(places.args[0], size.max(LEAST) as u64);
    is_refused.then_some(("the kernel refuses attributes that are not all there, or more than a page", end, 1))
}

/// A message whose memory ends.
fn beginning_of_message(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(other), ..] = places.other else { return None };
    let is_message = matches!(
        places.first,
        [Part::Mark(b'{'), Part::Text("nlmsg_len"), ..]
            | [Part::Mark(b'['), Part::Mark(b'{'), Part::Text("nlmsg_len"), ..]
    );
    let end = value_end(places.first).filter(|_| is_message && is_address(other))?;
    let length = next_number(&places.other[1..])?;
    (!is_there(number_of(other)? as u64, length as u64)).then_some((
        "the kernel refuses a message that is not all there",
        end,
        1,
    ))
}

/// A call that succeeds has written what the kernel could not write.
fn unfinished(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    let end = value_end(places.other).filter(|_| is_address(first))?;
    let is_null = places.call == "name_to_handle_at" && places.args[2] == 0 && places.result >= 0;
    is_null.then_some(("the kernel does not succeed without memory for the handle", 1, end))
}

fn sent_more(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let is_more = places.call == "sendfile" && places.result as u64 > places.args[3];
    let is_same = other.split_once(" => ").is_some_and(|(before, _)| before == first);
    (is_more && is_same).then_some(("the kernel sends no more bytes than the program asks for", 1, 1))
}

/// Entries of a directory.
fn no_memory(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let is_null = ["getdents", "getdents64"].contains(&places.call) && places.args[1] == 0 && places.result > 0;
    let is_said = first == "NULL /* 0+ entries */" && other == "NULL";
    (is_null && is_said).then_some(("the kernel does not succeed without memory for entries", 1, 1))
}

fn no_room(places: &Places<'_>) -> Option<Explained> {
    let is_empty = texts(places)? == ("\"\"...", "\"\"") && places.call == "getcwd" && places.result == 0;
    is_empty.then_some(("the kernel returns the length of a path, which is not zero", 1, 1))
}

/// The value of an option that is an int, or the struct of a key.
fn short_option(places: &Places<'_>) -> Option<Explained> {
    const TCP_AO_ADD_KEY: (u32, u32, i32) = (6, 38, 288);
    match (places.first, places.other) {
        ([Part::Mark(b'{'), ..], [Part::Text(other), ..]) if is_address(other) => {
            let (level, option, size) = TCP_AO_ADD_KEY;
            let is_key = (places.args[1] as u32, places.args[2] as u32) == (level, option);
            let is_short = places.call == "setsockopt" && is_key && (places.args[4] as i32) < size;
            let end = value_end(places.first).filter(|_| is_short)?;
            Some(("the kernel refuses a value that is shorter than the option's", end, 1))
        }
        ([Part::Mark(b'['), Part::Text(_), Part::Mark(b']'), ..], [Part::Text(other), ..]) if is_address(other) => {
            let length = match (places.call, &places.other[1..]) {
                ("setsockopt", _) => i128::from(places.args[4] as i32),
                ("getsockopt", [Part::Mark(b','), Part::Mark(b'['), Part::Text(length), ..]) => leading_number(length)?,
                _ => return None,
            };
            (length < 4).then_some(("the kernel refuses a value that is shorter than the option's", 3, 1))
        }
        _ => None,
    }
}

const OTHER_ABI: &str = "the kernel refuses a request of 32-bit programs that a 64-bit one makes";

/// The meaning of what such a request returns.
fn answer_of_other_abi(places: &Places<'_>) -> Option<Explained> {
    let is_request = matches!(places.before, [Part::Text("ioctl"), _, _, _, Part::Text("_IOC"), ..]);
    match (places.first, places.other) {
        ([], [Part::Mark(b'('), Part::Mark(b'{'), rest @ ..]) if is_request => Some((OTHER_ABI, 0, rest.len() + 2)),
        _ => None,
    }
}

/// Requests that have other numbers, because structs have other sizes there.
fn other_abi(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(first), ..] = places.first else { return None };
    let [.., Part::Mark(b'('), _, _, _, _, _, _, Part::Text(_), Part::Mark(b')'), Part::Mark(b',')] = places.before
    else {
        return None;
    };
    let end = change_end(places.other).filter(|_| places.call == "ioctl" && is_address(first))?;
    Some((OTHER_ABI, 1, end))
}

/// An answer of io_uring that has less bytes than the struct for it. The program may have any numbers behind these bytes.
fn part_of_answer(places: &Places<'_>) -> Option<Explained> {
    const WHY: &str = "the first tracer shows more of an answer than the kernel says that it has";
    let whole = match places.before.windows(3).rev().find_map(query_size) {
        Some(whole) if places.call == "io_uring_register" => whole,
        _ => return None,
    };
    if places.number_before("size").is_none_or(|size| size >= whole) {
        return None;
    }
    match (places.first, places.other) {
        (first, [Part::Text(other), ..]) if places.member() == "query_data" && is_address(other) => {
            Some((WHY, value_end(first)?, 1))
        }
        ([Part::Mark(b','), ..], [Part::Mark(b'}'), ..]) => Some((WHY, list_end(places.first)?, 0)),
        ([Part::Text("next_entry"), ..], [Part::Text("query_data"), _, Part::Text(_), Part::Mark(b','), ..]) => {
            Some((WHY, 0, 4))
        }
        _ => None,
    }
}

/// The size of the answer to a query. An unknown query may have an answer of any size.
fn query_size(member: &[Part<'_>]) -> Option<i128> {
    let [Part::Text("query_op"), Part::Mark(b'='), Part::Text(query)] = member else { return None };
    Some(match *query {
        "IO_URING_QUERY_OPCODES" | "IO_URING_QUERY_ZCRX_EVENT" => 48,
        "IO_URING_QUERY_SCQ" => 16,
        "IO_URING_QUERY_ZCRX" => 40,
        _ => 1,
    })
}

/// A value of an attribute of a file.
fn longer_value(places: &Places<'_>) -> Option<Explained> {
    let (first, other) = texts(places)?;
    let size = next_number(&places.first[1..])?;
    let is_longer = places.call == "getxattrat" && i128::from(places.result) > size;
    (is_longer && is_address(first) && other.starts_with('"')).then_some((
        "the kernel returns no value that is longer than the room for it",
        1,
        1,
    ))
}

/// Entries of lsm_get_self_attr(2).
fn entries_of_security(places: &Places<'_>) -> Option<Explained> {
    if places.call != "lsm_get_self_attr" {
        return None;
    }
    let length = places.number_before("len")?;
    match (places.first, places.other) {
        ([Part::Text(first), ..], [Part::Text(other), ..]) if places.member() == "ctx" => {
            let is_beginning = first.strip_suffix('"').is_some_and(|text| other.starts_with(text));
            (is_beginning && places.number_before("ctx_len")? + 32 > length).then_some((
                "the kernel gives no text of security that is longer than its entry",
                1,
                1,
            ))
        }
        (first, [Part::Text(other), ..]) if other.starts_with("... /* 0x") && length > 4096 => {
            Some(("the kernel gives no entry of security that is longer than a page", list_end(first)?, 1))
        }
        _ => None,
    }
}

/// The kernel answers how many statistics of a device it has.
fn more_statistics(places: &Places<'_>) -> Option<Explained> {
    let is_cut = matches!(places.first, [Part::Mark(b','), Part::Text("..."), Part::Mark(b']'), ..]);
    let ends = places.other.first() == Some(&Part::Mark(b']'));
    let has_more = places.number_before("nr_items").is_some_and(|items| items > 5);
    (is_cut && ends && has_more && places.before.contains(&Part::Text("BTRFS_IOC_GET_DEV_STATS"))).then_some((
        "the kernel answers with no more statistics than it has",
        2,
        0,
    ))
}
