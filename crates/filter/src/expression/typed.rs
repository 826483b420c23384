//! Nodes with the types and the costs that are known before the run.

use super::datum::Kind;
use super::node::{ExprNode, Quantifier};
use cel::common::ast::operators;

/// The most elements of a list, and bytes of a text, that the facts about a call have.
pub const MOST_ITEMS: u64 = 64;
pub const MOST_TEXT: u64 = 1 << 16;
/// The most bytes of a text in a list or a struct.
pub const MOST_INNER_TEXT: u64 = 1 << 12;
/// Steps of evaluation that one call may cost, each about 50 ns.
pub const MOST_STEPS: u64 = 30_000;
/// Bytes that are compared or searched in one step.
pub const BYTES_A_STEP: u64 = 4096;
/// Bytes that a regular expression looks at in one step.
pub const REGEX_BYTES_A_STEP: u64 = 64;
/// The largest program of a regular expression, in bytes.
pub const REGEX_SIZE: usize = 1 << 18;

/// A node, with the facts about its value.
pub struct Typed {
    pub node: ExprNode,
    pub kind: Kind,
    /// The most steps that its evaluation takes.
    pub steps: u64,
    /// The most bytes of a text, or elements of a list.
    pub size: u64,
    /// The most bytes of an element.
    pub item: u64,
}

impl Typed {
    pub fn new(node: ExprNode, kind: Kind, steps: u64) -> Typed {
        Typed { node, kind, steps: steps.saturating_add(1), size: 0, item: 0 }
    }

    pub fn sized(self, size: u64, item: u64) -> Typed {
        Typed { size, item, ..self }
    }

    /// A fact about the call, of a type that is known only then.
    pub fn unknown(node: ExprNode, steps: u64) -> Typed {
        Typed::new(node, Kind::Dyn, steps).sized(MOST_TEXT, MOST_INNER_TEXT)
    }

    /// The most elements that a macro goes through.
    pub fn items(&self) -> u64 {
        if self.kind == Kind::Dyn || self.kind == Kind::Map { MOST_ITEMS } else { self.size }
    }

    pub fn boxed(self) -> Box<ExprNode> {
        Box::new(self.node)
    }
}

pub fn quantifier(name: &str) -> Option<Quantifier> {
    Some(match name {
        "all" => Quantifier::All,
        "exists" => Quantifier::Exists,
        "exists_one" => Quantifier::ExistsOne,
        "filter" => Quantifier::Filter,
        "map" => Quantifier::Map,
        _ => return None,
    })
}

pub type Make = fn(Box<ExprNode>, Box<ExprNode>) -> ExprNode;

pub fn comparison(name: &str) -> Option<Make> {
    Some(match name {
        operators::EQUALS => ExprNode::Equal,
        operators::NOT_EQUALS => ExprNode::Unequal,
        operators::LESS => ExprNode::Less,
        operators::LESS_EQUALS => ExprNode::AtMost,
        operators::GREATER => ExprNode::More,
        operators::GREATER_EQUALS => ExprNode::AtLeast,
        _ => return None,
    })
}

pub fn arithmetic(name: &str) -> Option<Make> {
    Some(match name {
        operators::ADD => ExprNode::Add,
        operators::SUBSTRACT => ExprNode::Subtract,
        operators::MULTIPLY => ExprNode::Multiply,
        operators::DIVIDE => ExprNode::Divide,
        operators::MODULO => ExprNode::Remainder,
        _ => return None,
    })
}
