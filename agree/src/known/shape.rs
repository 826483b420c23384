//! Differences of what a line has: members, elements and brackets.

use crate::arena::is_there;
use crate::fields::Part;
use crate::places::{Explained, Places, Rule, bytes_of, is_address, leading_number, list_end, number_of, value_end};

pub const RULES: &[Rule] = &[
    left_of_ppoll,
    explained_result,
    cut_poll,
    extra_bracket,
    more_members,
    hidden_vectors,
    messages_of_any_socket,
    number_of_option,
    entries_by_size,
    call_sign,
    not_passed,
    part_of_a_number,
    index_of_error,
    no_timeout,
    empty_offsets,
    cut_ready,
    cut_nodes,
    bytes_behind,
    nothing_for_zero,
    wrong_note,
    short_filter,
    answered_flags,
    reserved_members,
    unknown_futex,
    same_size,
    no_argument,
];

fn left_of_ppoll(places: &Places<'_>) -> Option<Explained> {
    const WHY: &str = "the first tracer has no room for the time that is left";
    match (places.first, places.other) {
        ([Part::Text("..."), Part::Mark(b')')], [Part::Text("left"), rest @ ..]) => Some((WHY, 1, rest.len())),
        ([Part::Mark(b')')], [Part::Mark(b'{'), Part::Text("tv_sec"), ..]) if places.call == "ppoll" => {
            Some((WHY, 0, value_end(places.other)?))
        }
        _ => None,
    }
}

/// The other tracer says what a result means.
fn explained_result(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        ([], [Part::Mark(b'('), Part::Text(note), Part::Mark(b')')]) if note.ends_with("_??? */") => {
            Some(("the other tracer says that a result has no name", 0, 3))
        }
        ([], [Part::Mark(b'('), Part::Text(_), Part::Mark(b')')])
            if ["adjtimex", "clock_adjtime", "time"].contains(&places.call) =>
        {
            Some(("the first tracer explains a result only if it could read an argument", 0, 3))
        }
        _ => None,
    }
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

/// Vectors of an operation, of which the first tracer shows the address.
fn hidden_vectors(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        (
            [Part::Text("aio_offset"), ..],
            [Part::Text("aio_nbytes"), Part::Mark(b'='), Part::Text(_), Part::Mark(b','), Part::Text("aio_offset"), ..],
        ) => Some(("the first tracer leaves out the number of vectors that it does not show", 0, 4)),
        _ => None,
    }
}

/// The bytes of a socket that is not a netlink socket are not messages, whatever the address says.
fn messages_of_any_socket(places: &Places<'_>) -> Option<Explained> {
    const WHY: &str =
        "the first tracer takes the bytes for a netlink address for messages, although the socket is none of netlink";
    let [Part::Text(other), ..] = places.other else { return None };
    let bytes = bytes_of(other).filter(|_| places.member() == "iov_base")?;
    match places.first {
        [Part::Text(first), ..] if first.starts_with("\"\\x") => {
            let same = bytes_of(first).is_some_and(|first| first == bytes);
            same.then_some((WHY, 1, 1))
        }
        [Part::Mark(b'{'), Part::Text("nlmsg_len"), _, Part::Text(length), ..]
        | [Part::Mark(b'['), Part::Mark(b'{'), Part::Text("nlmsg_len"), _, Part::Text(length), ..]
        | [Part::Mark(b'['), Part::Mark(b'['), Part::Mark(b'{'), Part::Text("nlmsg_len"), _, Part::Text(length), ..] => {
            let same =
                bytes.first_chunk().map(|bytes| i128::from(u32::from_le_bytes(*bytes))) == leading_number(length);
            if same { Some((WHY, value_end(places.first)?, 1)) } else { None }
        }
        _ => None,
    }
}

/// The value of an option that has no name may be anything.
fn number_of_option(places: &Places<'_>) -> Option<Explained> {
    const WHY: &str = "the first tracer takes the value of an unknown option for a number";
    let [.., Part::Text(option), Part::Mark(b',')] = places.before else { return None };
    let [Part::Text(other), ..] = places.other else { return None };
    if !["getsockopt", "setsockopt"].contains(&places.call) || !option.ends_with("_??? */") {
        return None;
    }
    // All bytes of the value, or none, are shown as such.
    if let ([Part::Mark(b'['), Part::Text(_), Part::Mark(b']'), ..], true) = (places.first, is_address(other)) {
        let length = match &places.other[1..] {
            [Part::Mark(b','), Part::Mark(b'['), Part::Text(length), ..]
            | [Part::Mark(b','), Part::Text(length), ..] => leading_number(length)?,
            _ => return None,
        };
        return (!is_there(number_of(other)? as u64, length as u64)).then_some((WHY, 3, 1));
    }
    let bytes = bytes_of(other)?;
    match places.first {
        [Part::Mark(b'['), Part::Text(number), Part::Mark(b']'), ..] => {
            let number = leading_number(number)? as i32;
            let same = number.to_le_bytes().iter().zip(&bytes).all(|(a, b)| a == b);
            let has_none = places.call == "setsockopt" && places.args[4] as u32 == 0;
            (same && bytes.is_empty() == has_none).then_some((WHY, 3, 1))
        }
        [Part::Text(first), ..] => (is_address(first) && bytes.len() < 4).then_some((WHY, 1, 1)),
        _ => None,
    }
}

/// The result of lsm_get_self_attr(2) is the number of entries.
fn entries_by_size(places: &Places<'_>) -> Option<Explained> {
    if places.call != "lsm_get_self_attr" || places.other.first() != Some(&Part::Mark(b']')) {
        return None;
    }
    // Before the arrow stands what the program passed.
    let shown = places.before.rsplit(|part| matches!(part, Part::Text(text) if text.starts_with("=>"))).next()?;
    let shown = shown.iter().filter(|part| **part == Part::Text("id")).count();
    (i64::try_from(shown) == Ok(places.result)).then_some((
        "the first tracer shows more entries than the result says",
        list_end(places.first)?,
        0,
    ))
}

fn call_sign(places: &Places<'_>) -> Option<Explained> {
    match places.other {
        [Part::Text(sign), ..] if sign.starts_with("/*") && sign.contains(['/', '*']) => {
            let is_call = matches!(places.before, [.., Part::Text("ax25_call"), _, Part::Text(_), Part::Mark(b'}')]);
            is_call.then_some(("the first tracer does not show call signs that have marks of comments", 0, 1))
        }
        _ => None,
    }
}

/// Members of bpf(2)'s struct that the program did not pass.
fn not_passed(places: &Places<'_>) -> Option<Explained> {
    if places.call != "bpf" || places.other.first() != Some(&Part::Mark(b'}')) {
        return None;
    }
    let end = list_end(places.first)?;
    let are_zero = places.first[..end]
        .chunks(4)
        .all(|member| matches!(member, [Part::Mark(b','), Part::Text(_), Part::Mark(b'='), Part::Text("0" | "NULL")]));
    (are_zero && end > 0).then_some(("the first tracer shows zeros for members that the program did not pass", end, 0))
}

/// A number at the end of a struct of which the program says the size.
fn part_of_a_number(places: &Places<'_>) -> Option<Explained> {
    // Other members have at least four bytes.
    let width = |name: &str| if name == "cookie" { 8 } else { 4 };
    let size = match places.call {
        "bpf" => i128::from(places.args[2] as u32),
        "listmount" | "statmount" => places.number_before("size")?,
        _ => return None,
    };
    match (places.first, places.other) {
        (
            [Part::Mark(b'}'), ..],
            [Part::Mark(b','), Part::Text(name), Part::Mark(b'='), Part::Text(_), Part::Mark(b'}'), ..],
        ) if size % width(name) != 0 => {
            Some(("the first tracer does not show a number of which the program passes a part", 0, 4))
        }
        _ => None,
    }
}

fn index_of_error(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        (
            [Part::Mark(b'}'), ..],
            [Part::Mark(b','), Part::Text("error_idx"), Part::Mark(b'='), Part::Text(_), Part::Mark(b'}'), ..],
        ) if places.call == "ioctl" => {
            Some(("the first tracer shows nothing behind controls of which one is not there", 0, 4))
        }
        _ => None,
    }
}

/// recvmmsg(2) may return zero without a timeout.
fn no_timeout(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        ([Part::Mark(b'('), Part::Text("Timeout"), Part::Mark(b')')], []) => (places.call == "recvmmsg"
            && places.args[4] == 0)
            .then_some(("the first tracer tells of a timeout that the program did not pass", 3, 0)),
        _ => None,
    }
}

/// Other members of these offsets are not zero, and none of them is shown.
fn empty_offsets(places: &Places<'_>) -> Option<Explained> {
    let [Part::Mark(b','), Part::Text("sq_off" | "cq_off"), _, value @ ..] = places.other else { return None };
    match value {
        [Part::Mark(b'{'), Part::Text("user_addr"), _, Part::Text("0"), Part::Mark(b'}'), ..]
            if places.call == "io_uring_register" =>
        {
            Some(("the first tracer leaves out offsets without an address", 0, 8))
        }
        _ => None,
    }
}

/// The text of what is ready has a fixed room.
fn cut_ready(places: &Places<'_>) -> Option<Explained> {
    const ROOM: usize = 900;
    let note = places.before.iter().rposition(|part| *part == Part::Mark(b'('))?;
    let shown: usize =
        places.before[note..].iter().map(|part| if let Part::Text(text) = part { text.len() } else { 1 }).sum();
    let (more, is_beginning) = match (places.first, places.other) {
        ([Part::Text(first), Part::Mark(b']'), ..], [Part::Text(other), Part::Mark(b']'), ..]) => {
            (first.len(), other.starts_with(&format!("{first} ")))
        }
        // A whole set, and the next one, or the time that is left, is not shown.
        ([Part::Mark(b')')], [Part::Mark(b','), Part::Text(_), ..]) => (0, true),
        _ => return None,
    };
    let is_cut = ["select", "pselect6"].contains(&places.call) && note > 1 && shown + more > ROOM && is_beginning;
    is_cut.then_some((
        "the first tracer has no room for all descriptors that are ready",
        places.first.len() - 1,
        places.other.len() - 1,
    ))
}

/// A set of nodes with many words.
fn cut_nodes(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text("..."), Part::Mark(b']'), ..] = places.other else { return None };
    let has_nodes = ["get_mempolicy", "mbind", "migrate_pages", "set_mempolicy"].contains(&places.call);
    let end = list_end(places.first).filter(|_| has_nodes)?;
    Some(("the other tracer cuts a set of nodes as other arrays", end, 1))
}

/// Newer kernels give longer answers.
fn bytes_behind(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        ([Part::Mark(b'}'), ..], [Part::Mark(b','), Part::Text(text), Part::Mark(b'}'), ..])
            if places.call == "io_uring_register" && (text.starts_with("/* bytes ") || *text == "???") =>
        {
            Some(("the first tracer does not show bytes behind the answer that it knows", 0, 2))
        }
        _ => None,
    }
}

/// Flags of a terminal.
fn nothing_for_zero(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        ([Part::Mark(b','), ..], [Part::Text("0"), Part::Mark(b','), ..]) if !places.member().is_empty() => {
            Some(("the first tracer writes nothing for flags that are zero", 0, 1))
        }
        _ => None,
    }
}

fn wrong_note(places: &Places<'_>) -> Option<Explained> {
    match (places.first, places.other) {
        ([Part::Mark(b'('), Part::Text(_), Part::Mark(b')')], []) if places.call == "prctl" && places.result == 0 => {
            Some(("the first tracer names a result of zero as if it were of another call", 3, 0))
        }
        ([Part::Mark(b'('), .., Part::Mark(b')')], []) if is_unknown_control(places.before) => {
            const WHY: &str = "the first tracer names what an unknown control returns as if it were of an earlier call";
            Some((WHY, places.first.len(), 0))
        }
        _ => None,
    }
}

/// A control of speculation that no kernel has.
fn is_unknown_control(before: &[Part<'_>]) -> bool {
    match before {
        [Part::Text("prctl"), _, Part::Text("PR_GET_SPECULATION_CTRL"), _, Part::Text(control), ..] => {
            control.ends_with("/* PR_SPEC_??? */")
        }
        _ => false,
    }
}

/// Types that pass a filter of three bytes or less. The kernel keeps the others as they were.
fn short_filter(places: &Places<'_>) -> Option<Explained> {
    const ICMP_FILTER: (u32, u32) = (255, 1);
    if (places.args[1] as u32, places.args[2] as u32) != ICMP_FILTER {
        return None;
    }
    // A set may have a sign before it, and differ within.
    let start = places.before.iter().rposition(|part| *part == Part::Mark(b'['));
    let (first, other) = match (places.first, places.other) {
        ([Part::Text("~"), first @ ..], [Part::Mark(b'['), ..]) => (value_end(first)? + 1, value_end(places.other)?),
        _ if start.is_some() => (list_end(places.first)?, list_end(places.other)?),
        _ => return None,
    };
    let length = match (places.call, &places.first[first..]) {
        ("setsockopt", _) => i128::from(places.args[4] as i32),
        ("getsockopt", [Part::Mark(b']'), Part::Mark(b','), Part::Mark(b'['), Part::Text(length), ..])
        | ("getsockopt", [Part::Mark(b','), Part::Mark(b'['), Part::Text(length), ..]) => leading_number(length)?,
        _ => return None,
    };
    (1..4).contains(&length).then_some(("the first tracer shows types beyond the bytes of a filter", first, other))
}

/// Flags in the answer to a request of a trusted execution environment.
fn answered_flags(places: &Places<'_>) -> Option<Explained> {
    let is_answer = places.call == "ioctl"
        && places.before.iter().any(|part| matches!(part, Part::Text(text) if text.starts_with("TEE_IOC_SHM_")));
    match (places.first, places.other) {
        (
            [Part::Text("id"), ..],
            [Part::Text("flags"), Part::Mark(b'='), Part::Text(_), Part::Mark(b','), Part::Text("id"), ..],
        ) if is_answer => Some(("the first tracer leaves out flags of an answer", 0, 4)),
        _ => None,
    }
}

/// Members that should be zero, and are not.
fn reserved_members(places: &Places<'_>) -> Option<Explained> {
    let [Part::Text(next), ..] = places.first else { return None };
    let is_reserved = |member: &[Part<'_>]| match member {
        [Part::Text(name), Part::Mark(b'='), Part::Text(value), Part::Mark(b',')] => {
            name.trim_start_matches('_').starts_with("reserved") && *value != "0"
        }
        _ => false,
    };
    let count = places.other.chunks(4).take_while(|member| is_reserved(member)).count();
    let is_next = places.other.get(4 * count) == Some(&Part::Text(next));
    (count > 0 && is_next).then_some(("the first tracer leaves out reserved members that are not zero", 0, 4 * count))
}

/// An operation is unknown if any of its bits is.
fn unknown_futex(places: &Places<'_>) -> Option<Explained> {
    let is_unknown = matches!(
        places.before,
        [.., Part::Text(operation), Part::Mark(b','), Part::Text(_)] if operation.ends_with("FUTEX_??? */")
    );
    if places.call != "futex" || !is_unknown || places.first.first() != Some(&Part::Mark(b')')) {
        return None;
    }
    let end = places.other.iter().position(|part| *part == Part::Mark(b')'))?;
    Some(("the first tracer shows the arguments of an operation that the kernel does not know", 0, end))
}

/// The size that the kernel writes into the attributes of sched_setattr(2), if it does not know theirs.
fn same_size(places: &Places<'_>) -> Option<Explained> {
    match places.first {
        [Part::Text("=>"), Part::Mark(b'{'), Part::Text("size"), _, Part::Text(size), Part::Mark(b'}'), ..] => {
            let is_same = places.call == "sched_setattr" && leading_number(size) == places.number_before("size");
            is_same.then_some(("the first tracer shows a new value that is the old one", 6, 0))
        }
        _ => None,
    }
}

/// A request whose number says that it has no argument.
fn no_argument(places: &Places<'_>) -> Option<Explained> {
    let is_request = matches!(places.before, [.., Part::Text("DM_MPATH_PROBE_PATHS")]);
    match (places.first, places.other) {
        ([Part::Mark(b','), Part::Text(_), Part::Mark(b')'), ..], [Part::Mark(b')'), ..]) if is_request => {
            Some(("the first tracer shows an argument that the request does not have", 2, 0))
        }
        _ => None,
    }
}
