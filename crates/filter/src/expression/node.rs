//! Checked expressions, and their values.

use super::datum::Datum;
use super::field::{CallFacts, CallField, Fault, FieldType};
use regex::Regex;
use std::borrow::Cow;
use std::cmp::Ordering;

#[derive(Clone, Debug)]
pub enum ExprNode {
    Literal(Datum<'static>),
    Field(CallField),
    Argument(String),
    /// The element that a macro is at: by the number of macros around it.
    Variable(usize),
    Member(Box<ExprNode>, String),
    HasField(CallField),
    HasArgument(String),
    HasMember(Box<ExprNode>, String),
    Not(Box<ExprNode>),
    Negate(Box<ExprNode>),
    And(Box<ExprNode>, Box<ExprNode>),
    Or(Box<ExprNode>, Box<ExprNode>),
    If(Box<[ExprNode; 3]>),
    Equal(Box<ExprNode>, Box<ExprNode>),
    Unequal(Box<ExprNode>, Box<ExprNode>),
    Less(Box<ExprNode>, Box<ExprNode>),
    AtMost(Box<ExprNode>, Box<ExprNode>),
    More(Box<ExprNode>, Box<ExprNode>),
    AtLeast(Box<ExprNode>, Box<ExprNode>),
    In(Box<ExprNode>, Box<ExprNode>),
    Add(Box<ExprNode>, Box<ExprNode>),
    Subtract(Box<ExprNode>, Box<ExprNode>),
    Multiply(Box<ExprNode>, Box<ExprNode>),
    Divide(Box<ExprNode>, Box<ExprNode>),
    Remainder(Box<ExprNode>, Box<ExprNode>),
    List(Vec<ExprNode>),
    Index(Box<ExprNode>, Box<ExprNode>),
    Size(Box<ExprNode>),
    Contains(Box<ExprNode>, Box<ExprNode>),
    StartsWith(Box<ExprNode>, Box<ExprNode>),
    EndsWith(Box<ExprNode>, Box<ExprNode>),
    Matches(Box<ExprNode>, Regex),
    ToInt(Box<ExprNode>),
    ToText(Box<ExprNode>),
    Each {
        how: Quantifier,
        of: Box<ExprNode>,
        body: Box<ExprNode>,
    },
}

/// CEL's macros over lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
}

type Evaluated<'a> = Result<Datum<'a>, Fault>;

impl ExprNode {
    /// The value for a call. `variables` has the elements that macros are at.
    pub fn value<'a>(&'a self, call: &'a dyn CallFacts, variables: &mut Vec<Datum<'a>>) -> Evaluated<'a> {
        Ok(match self {
            ExprNode::Literal(value) => value.borrowed(),
            ExprNode::Field(field) => match call.field(*field)? {
                Some(value) => value,
                // A call without a path has an empty one. But a missing number is none.
                None if field.facts().of == FieldType::Text => Datum::Text(Cow::Borrowed("")),
                None => return Err(Fault::Absent),
            },
            ExprNode::Argument(name) => call.argument(name)?.ok_or(Fault::Absent)?,
            ExprNode::Variable(depth) => variables.get(*depth).cloned().ok_or(Fault::Mismatch)?,
            ExprNode::Member(of, name) => member(of.value(call, variables)?, name)?.ok_or(Fault::Absent)?,
            ExprNode::HasField(field) => Datum::Bool(call.field(*field)?.is_some()),
            ExprNode::HasArgument(name) => Datum::Bool(call.argument(name)?.is_some()),
            ExprNode::HasMember(of, name) => Datum::Bool(member(of.value(call, variables)?, name)?.is_some()),
            ExprNode::Not(of) => Datum::Bool(!of.truth(call, variables)?),
            ExprNode::Negate(of) => match of.value(call, variables)? {
                Datum::Int(n) => Datum::Int(n.checked_neg().ok_or(Fault::Overflow)?),
                Datum::Duration(n) => Datum::Duration(n.checked_neg().ok_or(Fault::Overflow)?),
                _ => return Err(Fault::Mismatch),
            },
            ExprNode::And(left, right) => {
                Datum::Bool(both(left.truth(call, variables), || right.truth(call, variables))?)
            }
            ExprNode::Or(left, right) => {
                Datum::Bool(either(left.truth(call, variables), || right.truth(call, variables))?)
            }
            ExprNode::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                return if condition.truth(call, variables)? { then } else { otherwise }.value(call, variables);
            }
            ExprNode::Equal(left, right) => {
                Datum::Bool(left.value(call, variables)?.equals(&right.value(call, variables)?))
            }
            ExprNode::Unequal(left, right) => {
                Datum::Bool(!left.value(call, variables)?.equals(&right.value(call, variables)?))
            }
            ExprNode::Less(left, right) => order(left, right, call, variables, Ordering::is_lt)?,
            ExprNode::AtMost(left, right) => order(left, right, call, variables, Ordering::is_le)?,
            ExprNode::More(left, right) => order(left, right, call, variables, Ordering::is_gt)?,
            ExprNode::AtLeast(left, right) => order(left, right, call, variables, Ordering::is_ge)?,
            ExprNode::In(left, right) => {
                let wanted = left.value(call, variables)?;
                if let ExprNode::List(items) = &**right {
                    for item in items {
                        if item.value(call, variables)?.equals(&wanted) {
                            return Ok(Datum::Bool(true));
                        }
                    }
                    return Ok(Datum::Bool(false));
                }
                match right.value(call, variables)? {
                    Datum::List(items) => Datum::Bool(items.iter().any(|item| item.equals(&wanted))),
                    Datum::Map(entries) => Datum::Bool(
                        matches!(&wanted, Datum::Text(key) if entries.iter().any(|(known, _)| known == key)),
                    ),
                    _ => return Err(Fault::Mismatch),
                }
            }
            ExprNode::Add(left, right) => match (left.value(call, variables)?, right.value(call, variables)?) {
                (Datum::Text(a), Datum::Text(b)) => Datum::Text(Cow::Owned(a.into_owned() + &b)),
                (Datum::List(mut a), Datum::List(b)) => {
                    a.extend(b);
                    Datum::List(a)
                }
                (a, b) => numeric(a, b, i128::checked_add)?,
            },
            ExprNode::Subtract(left, right) => {
                numeric(left.value(call, variables)?, right.value(call, variables)?, i128::checked_sub)?
            }
            ExprNode::Multiply(left, right) => Datum::Int(
                whole(left, call, variables)?.checked_mul(whole(right, call, variables)?).ok_or(Fault::Overflow)?,
            ),
            ExprNode::Divide(left, right) => {
                let (a, b) = (whole(left, call, variables)?, whole(right, call, variables)?);
                Datum::Int(a.checked_div(b).ok_or(Fault::DivisionByZero)?)
            }
            ExprNode::Remainder(left, right) => {
                let (a, b) = (whole(left, call, variables)?, whole(right, call, variables)?);
                Datum::Int(a.checked_rem(b).ok_or(Fault::DivisionByZero)?)
            }
            ExprNode::List(items) => {
                Datum::List(items.iter().map(|item| item.value(call, variables)).collect::<Result<_, _>>()?)
            }
            ExprNode::Index(of, at) => match (of.value(call, variables)?, at.value(call, variables)?) {
                (Datum::List(mut items), Datum::Int(at)) => {
                    let at = usize::try_from(at).ok().filter(|&at| at < items.len()).ok_or(Fault::Absent)?;
                    items.swap_remove(at)
                }
                (of @ Datum::Map(_), Datum::Text(key)) => member(of, &key)?.ok_or(Fault::Absent)?,
                _ => return Err(Fault::Mismatch),
            },
            ExprNode::Size(of) => Datum::Int(match of.value(call, variables)? {
                Datum::Text(text) => text.chars().count() as i128,
                Datum::List(items) => items.len() as i128,
                Datum::Map(entries) => entries.len() as i128,
                _ => return Err(Fault::Mismatch),
            }),
            ExprNode::Contains(of, part) => texts(of, part, call, variables, |a, b| a.contains(b))?,
            ExprNode::StartsWith(of, part) => texts(of, part, call, variables, |a, b| a.starts_with(b))?,
            ExprNode::EndsWith(of, part) => texts(of, part, call, variables, |a, b| a.ends_with(b))?,
            ExprNode::Matches(of, regex) => match of.value(call, variables)? {
                Datum::Text(text) => Datum::Bool(regex.is_match(&text)),
                _ => return Err(Fault::Mismatch),
            },
            ExprNode::ToInt(of) => match of.value(call, variables)? {
                Datum::Int(n) => Datum::Int(n),
                Datum::Text(text) => Datum::Int(text.parse::<i64>().map_err(|_| Fault::Mismatch)?.into()),
                _ => return Err(Fault::Mismatch),
            },
            ExprNode::ToText(of) => match of.value(call, variables)? {
                Datum::Int(n) => Datum::Text(n.to_string().into()),
                Datum::Bool(b) => Datum::Text(if b { "true" } else { "false" }.into()),
                text @ Datum::Text(_) => text,
                _ => return Err(Fault::Mismatch),
            },
            ExprNode::Each { how, of, body } => {
                let items = match of.value(call, variables)? {
                    Datum::List(items) => items,
                    // The macros go through the names of a map.
                    Datum::Map(entries) => entries.into_iter().map(|(name, _)| Datum::Text(name)).collect(),
                    _ => return Err(Fault::Mismatch),
                };
                return each(*how, items, body, call, variables);
            }
        })
    }

    /// The value of a condition.
    pub fn truth<'a>(&'a self, call: &'a dyn CallFacts, variables: &mut Vec<Datum<'a>>) -> Result<bool, Fault> {
        match self.value(call, variables)? {
            Datum::Bool(truth) => Ok(truth),
            _ => Err(Fault::Mismatch),
        }
    }
}

/// CEL's `&&`: false if either side is false, whatever is wrong with the other.
fn both(left: Result<bool, Fault>, right: impl FnOnce() -> Result<bool, Fault>) -> Result<bool, Fault> {
    match left {
        Ok(false) => Ok(false),
        Ok(true) => right(),
        Err(fault) => {
            if right() == Ok(false) {
                Ok(false)
            } else {
                Err(fault)
            }
        }
    }
}

/// CEL's `||`: true if either side is true, whatever is wrong with the other.
fn either(left: Result<bool, Fault>, right: impl FnOnce() -> Result<bool, Fault>) -> Result<bool, Fault> {
    match left {
        Ok(true) => Ok(true),
        Ok(false) => right(),
        Err(fault) => {
            if right() == Ok(true) {
                Ok(true)
            } else {
                Err(fault)
            }
        }
    }
}

fn each<'a>(
    how: Quantifier,
    items: Vec<Datum<'a>>,
    body: &'a ExprNode,
    call: &'a dyn CallFacts,
    variables: &mut Vec<Datum<'a>>,
) -> Evaluated<'a> {
    let mut kept = Vec::new();
    let mut truth = Ok(how == Quantifier::All);
    let mut found = 0;
    for item in items {
        variables.push(item);
        let value = body.value(call, variables);
        let item = variables.pop();
        let holds = match &value {
            Ok(Datum::Bool(holds)) => Ok(*holds),
            Ok(_) => Err(Fault::Mismatch),
            Err(fault) => Err(*fault),
        };
        match how {
            Quantifier::All => truth = both(truth, || holds),
            Quantifier::Exists => truth = either(truth, || holds),
            Quantifier::ExistsOne => found += u32::from(holds?),
            Quantifier::Filter if holds? => kept.extend(item),
            Quantifier::Filter => {}
            Quantifier::Map => kept.push(value?),
        }
    }
    Ok(match how {
        Quantifier::All | Quantifier::Exists => Datum::Bool(truth?),
        Quantifier::ExistsOne => Datum::Bool(found == 1),
        Quantifier::Filter | Quantifier::Map => Datum::List(kept),
    })
}

fn member<'a>(of: Datum<'a>, name: &str) -> Result<Option<Datum<'a>>, Fault> {
    match of {
        Datum::Map(entries) => Ok(entries.into_iter().find(|(known, _)| known == name).map(|(_, value)| value)),
        _ => Err(Fault::Mismatch),
    }
}

fn order<'a>(
    left: &'a ExprNode,
    right: &'a ExprNode,
    call: &'a dyn CallFacts,
    variables: &mut Vec<Datum<'a>>,
    holds: fn(Ordering) -> bool,
) -> Evaluated<'a> {
    let order = left.value(call, variables)?.order(&right.value(call, variables)?);
    order.map(|order| Datum::Bool(holds(order))).ok_or(Fault::Mismatch)
}

fn texts<'a>(
    of: &'a ExprNode,
    part: &'a ExprNode,
    call: &'a dyn CallFacts,
    variables: &mut Vec<Datum<'a>>,
    holds: fn(&str, &str) -> bool,
) -> Evaluated<'a> {
    match (of.value(call, variables)?, part.value(call, variables)?) {
        (Datum::Text(of), Datum::Text(part)) => Ok(Datum::Bool(holds(&of, &part))),
        _ => Err(Fault::Mismatch),
    }
}

fn whole<'a>(node: &'a ExprNode, call: &'a dyn CallFacts, variables: &mut Vec<Datum<'a>>) -> Result<i128, Fault> {
    match node.value(call, variables)? {
        Datum::Int(n) => Ok(n),
        _ => Err(Fault::Mismatch),
    }
}

/// Sums and differences.
fn numeric<'a>(a: Datum<'a>, b: Datum<'a>, compute: fn(i128, i128) -> Option<i128>) -> Evaluated<'a> {
    match (a, b) {
        (Datum::Int(a), Datum::Int(b)) => compute(a, b).map(Datum::Int),
        (Datum::Duration(a), Datum::Duration(b)) => compute(a, b).map(Datum::Duration),
        _ => return Err(Fault::Mismatch),
    }
    .ok_or(Fault::Overflow)
}
