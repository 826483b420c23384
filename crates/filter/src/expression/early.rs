//! The part of an expression that can be decided before a call is reported: from its number, its thread, and how it
//! returned.

use super::datum::Datum;
use super::field::{CallFacts, CallField, Fault};
use super::node::ExprNode;
use crate::Catalog;
use std::borrow::Cow;
use stride_event::{Bounds, CallSet, Endings, ErrnoSet, Ns, WantedThreads, errno_word};
use stride_syscalls::{Abi, nameless};

/// The calls for which an expression can be true. The others need not be reported.
#[derive(Clone, Debug)]
pub struct EarlyChoice {
    pub calls: CallSet,
    pub endings: Endings,
    pub threads: WantedThreads,
}

/// The parts of an expression that must all hold, from left to right.
fn conjuncts(root: &ExprNode) -> Vec<&ExprNode> {
    match root {
        ExprNode::And(left, right) => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        part => vec![part],
    }
}

pub fn early(root: &ExprNode) -> EarlyChoice {
    let mut choice = EarlyChoice { calls: calls(root), endings: endings(root), threads: WantedThreads::default() };
    for part in conjuncts(root) {
        choice.endings = choice.endings.and(span(part).unwrap_or_default());
        choice.threads = choice.threads.and(threads(part).unwrap_or_default());
    }
    choice
}

/// One of the parts of an expression that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionPart {
    /// The fields that it is about.
    pub fields: Vec<&'static str>,
    /// Nothing but the number of the call, its thread and the way in which it returned decides.
    pub early: bool,
}

pub fn parts(root: &ExprNode) -> Vec<ExpressionPart> {
    let part = |node: &ExprNode| {
        let mut fields = Vec::new();
        visit(node, &mut |node| match node {
            ExprNode::Field(field) | ExprNode::HasField(field) => fields.push(field.facts().name),
            ExprNode::Argument(_) | ExprNode::HasArgument(_) => fields.push("args"),
            _ => {}
        });
        fields.sort_unstable();
        fields.dedup();
        ExpressionPart { fields, early: is_early(node) }
    };
    conjuncts(root).into_iter().map(part).collect()
}

/// True if the number of the call, its thread or the way in which it returned decides this part as a whole.
fn is_early(part: &ExprNode) -> bool {
    span(part).is_some()
        || threads(part).is_some()
        || decides(part, &[CallField::Name])
        || decides(part, &[CallField::Errno])
}

/// True if the value depends on these fields only.
fn decides(part: &ExprNode, fields: &[CallField]) -> bool {
    let mut only = true;
    visit(part, &mut |node| match node {
        ExprNode::Field(field) | ExprNode::HasField(field) => only &= fields.contains(field),
        ExprNode::Argument(_) | ExprNode::HasArgument(_) => only = false,
        _ => {}
    });
    only
}

/// Calls `each` with a node and all nodes below.
pub fn visit(node: &ExprNode, each: &mut dyn FnMut(&ExprNode)) {
    each(node);
    match node {
        ExprNode::Literal(_)
        | ExprNode::Field(_)
        | ExprNode::Argument(_)
        | ExprNode::Variable(_)
        | ExprNode::HasField(_)
        | ExprNode::HasArgument(_) => {}
        ExprNode::Member(of, _)
        | ExprNode::HasMember(of, _)
        | ExprNode::Not(of)
        | ExprNode::Negate(of)
        | ExprNode::Size(of)
        | ExprNode::Matches(of, _)
        | ExprNode::ToInt(of)
        | ExprNode::ToText(of) => visit(of, each),
        ExprNode::If(parts) => parts.iter().for_each(|part| visit(part, each)),
        ExprNode::List(items) => items.iter().for_each(|item| visit(item, each)),
        ExprNode::Each { of, body, .. } => {
            visit(of, each);
            visit(body, each);
        }
        ExprNode::And(a, b)
        | ExprNode::Or(a, b)
        | ExprNode::Equal(a, b)
        | ExprNode::Unequal(a, b)
        | ExprNode::Less(a, b)
        | ExprNode::AtMost(a, b)
        | ExprNode::More(a, b)
        | ExprNode::AtLeast(a, b)
        | ExprNode::In(a, b)
        | ExprNode::Add(a, b)
        | ExprNode::Subtract(a, b)
        | ExprNode::Multiply(a, b)
        | ExprNode::Divide(a, b)
        | ExprNode::Remainder(a, b)
        | ExprNode::Index(a, b)
        | ExprNode::Contains(a, b)
        | ExprNode::StartsWith(a, b)
        | ExprNode::EndsWith(a, b) => {
            visit(a, each);
            visit(b, each);
        }
    }
}

/// A call of which few facts are known. An expression that is false for these facts is false for each such call,
/// because `false && x` is false whatever x is.
struct Supposed<'a> {
    name: Option<&'a str>,
    /// The error, empty if there is none.
    errno: Option<&'a str>,
}

impl CallFacts for Supposed<'_> {
    fn field(&self, field: CallField) -> Result<Option<Datum<'_>>, Fault> {
        match (field, self.name, self.errno) {
            (CallField::Name, Some(name), _) => Ok(Some(Datum::Text(Cow::Borrowed(name)))),
            (CallField::Errno, _, Some(errno)) => Ok(Some(Datum::Text(Cow::Borrowed(errno)))),
            (CallField::Ret, _, Some(errno)) if !errno.is_empty() => Ok(Some(Datum::Int(-1))),
            (CallField::Bytes, _, Some(errno)) if !errno.is_empty() => Ok(None),
            _ => Err(Fault::Unknown),
        }
    }

    fn argument(&self, _: &str) -> Result<Option<Datum<'_>>, Fault> {
        Err(Fault::Unknown)
    }
}

fn possible(root: &ExprNode, supposed: &Supposed<'_>) -> bool {
    root.truth(supposed, &mut Vec::new()) != Ok(false)
}

/// The calls of the names for which the expression can be true.
fn calls(root: &ExprNode) -> CallSet {
    let named = |name: &str| possible(root, &Supposed { name: Some(name), errno: None });
    let mut calls = CallSet::all();
    let mut known = CallSet::empty();
    for call in Catalog::native().iter() {
        known.insert(call.abi, call.nr);
        if !named(call.name) {
            calls.remove(call.abi, call.nr);
        }
    }
    for (abi, nr) in Abi::SERVED.iter().flat_map(|&abi| (0..CallSet::NUMBERS as u32).map(move |nr| (abi, nr))) {
        if !known.contains(abi, nr.into()) && !named(&nameless(nr.into())) {
            calls.remove(abi, nr);
        }
    }
    calls
}

/// How calls for which the expression can be true return, as far as errors decide.
fn endings(root: &ExprNode) -> Endings {
    let failed = |errno: &str| possible(root, &Supposed { name: None, errno: Some(errno) });
    let mut errors = ErrnoSet::all();
    for errno in 1..=ErrnoSet::MAX {
        if !failed(&errno_word(errno)) {
            errors.remove(errno);
        }
    }
    Endings { errors, successes: failed(""), ..Endings::default() }
}

/// The range of numbers that a comparison of a field with a constant allows.
fn span(part: &ExprNode) -> Option<Endings> {
    let all = Endings::default();
    let (field, least, most) = bounds(part)?;
    let (low, high) = (least.unwrap_or(i128::MIN), most.unwrap_or(i128::MAX));
    Some(match field {
        CallField::Duration => Endings {
            durations: Bounds { least: low.clamp(0, Ns::MAX.into()) as Ns, most: high.clamp(0, Ns::MAX.into()) as Ns },
            // No call takes less than no time.
            successes: high >= 0,
            errors: if high >= 0 { all.errors } else { ErrnoSet::empty() },
            ..all
        },
        CallField::Ret => {
            let cut = |n| i128::clamp(n, i64::MIN.into(), i64::MAX.into()) as i64;
            Endings { results: Bounds { least: cut(low), most: cut(high) }, ..all }
        }
        CallField::Bytes => {
            let cut = |n| i128::clamp(n, 0, u64::MAX.into()) as u64;
            let bytes =
                if high < 0 { Bounds { least: 1, most: 0 } } else { Bounds { least: cut(low), most: cut(high) } };
            Endings { bytes: Some(bytes), ..all }
        }
        _ => return None,
    })
}

/// The threads that a comparison with a constant allows.
fn threads(part: &ExprNode) -> Option<WantedThreads> {
    let all = WantedThreads::default();
    if let Some(name) = comm(part) {
        return Some(WantedThreads::named(name.as_bytes()));
    }
    let (field, least, most) = bounds(part)?;
    let cut = |n: i128| n.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    let range = Bounds { least: least.map_or(i64::MIN, cut), most: most.map_or(i64::MAX, cut) };
    match field {
        CallField::Pid => Some(WantedThreads { processes: range, ..all }),
        CallField::Tid => Some(WantedThreads { threads: range, ..all }),
        _ => None,
    }
}

/// The name in `comm == "NAME"`. (Names that are no UTF-8 have U+FFFD in the reader's eyes.)
fn comm(part: &ExprNode) -> Option<String> {
    let ExprNode::Equal(a, b) = part else { return None };
    let ((ExprNode::Field(CallField::Comm), other) | (other, ExprNode::Field(CallField::Comm))) = (&**a, &**b) else {
        return None;
    };
    match other.value(&NOTHING, &mut Vec::new()) {
        Ok(Datum::Text(name)) if !name.contains(char::REPLACEMENT_CHARACTER) => Some(name.into_owned()),
        _ => None,
    }
}

/// Constants depend on no facts.
const NOTHING: Supposed<'static> = Supposed { name: None, errno: None };

/// `FIELD < CONSTANT` and its like: the field with the least and the most value.
fn bounds(part: &ExprNode) -> Option<(CallField, Option<i128>, Option<i128>)> {
    let constant = |node: &ExprNode| match node.value(&NOTHING, &mut Vec::new()) {
        Ok(Datum::Int(n) | Datum::Duration(n)) => Some(n),
        _ => None,
    };
    let (left, right) = match part {
        ExprNode::Equal(a, b)
        | ExprNode::Less(a, b)
        | ExprNode::AtMost(a, b)
        | ExprNode::More(a, b)
        | ExprNode::AtLeast(a, b) => (&**a, &**b),
        _ => return None,
    };
    let (field, n, turned) = match (left, right) {
        (ExprNode::Field(field), other) => (*field, constant(other)?, false),
        (other, ExprNode::Field(field)) => (*field, constant(other)?, true),
        _ => return None,
    };
    Some(match (part, turned) {
        (ExprNode::Equal(..), _) => (field, Some(n), Some(n)),
        (ExprNode::Less(..), false) | (ExprNode::More(..), true) => (field, None, Some(n.checked_sub(1)?)),
        (ExprNode::AtMost(..), false) | (ExprNode::AtLeast(..), true) => (field, None, Some(n)),
        (ExprNode::More(..), false) | (ExprNode::Less(..), true) => (field, Some(n.checked_add(1)?), None),
        _ => (field, Some(n), None),
    })
}
