//! Expressions over the facts about a call (`--where`), in the Common Expression Language. What is not understood is
//! read once more with the spellings of other languages (`habits`).
//!
//! The `cel` crate parses. Its interpreter is not used, because it compiles regular expressions anew for each call,
//! cannot borrow what the tracker knows, and has neither types nor limits: here, unknown fields, wrong types and
//! expressions that cost too much are found before the run (`compile`), and the value is found without copies (`node`).
//! `tests/cel.rs` holds the values against those of the interpreter. The part that the number of a call and its return
//! decide can be asked for early (`early`).

mod compile;
mod datum;
mod early;
mod field;
mod foreign;
mod habits;
mod mistake;
mod node;
mod parse;
mod typed;
mod vocabulary;

pub use datum::Datum;
pub use early::{EarlyChoice, ExpressionPart};
pub use field::{CallFacts, CallField, FIELDS, Fault};
pub use mistake::ExprMistake;
pub use typed::{MOST_INNER_TEXT, MOST_ITEMS, MOST_TEXT};

use crate::Error;
use compile::Compiled;
use node::ExprNode;
use std::cell::OnceCell;
use std::rc::Rc;

/// A checked expression.
#[derive(Clone, Debug)]
pub struct Expression {
    source: String,
    root: Rc<ExprNode>,
    fields: Vec<CallField>,
    arguments: bool,
    early: OnceCell<EarlyChoice>,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.source == other.source
    }
}

impl Expression {
    pub fn parse(source: &str) -> Result<Expression, Error> {
        let compiled = understood(source).map_err(Error::Expression)?;
        Ok(Expression {
            source: source.into(),
            root: Rc::new(compiled.root),
            fields: compiled.fields,
            arguments: compiled.arguments,
            early: OnceCell::new(),
        })
    }

    pub fn source(&self) -> &str {
        &self.source
    }

    /// True if the expression is true for the call.
    pub fn holds(&self, call: &dyn CallFacts) -> Result<bool, Fault> {
        self.root.truth(call, &mut Vec::new())
    }

    pub fn mentions(&self, field: CallField) -> bool {
        self.fields.contains(&field)
    }

    /// True if the arguments of calls have to be decoded.
    pub fn mentions_arguments(&self) -> bool {
        self.arguments
    }

    /// True if all that the expression asks for is known when a call is entered.
    pub fn decides_at_entry(&self) -> bool {
        !self.arguments && self.fields.iter().all(|field| field.facts().at_entry)
    }

    /// The calls for which the expression can be true, as far as their number, their thread and their return decide.
    pub fn early(&self) -> &EarlyChoice {
        self.early.get_or_init(|| early::early(&self.root))
    }

    /// The parts that must all hold.
    pub fn parts(&self) -> Vec<ExpressionPart> {
        early::parts(&self.root)
    }

    /// True if the number of the call, its thread and the way in which it returned decide all of it.
    pub fn is_early(&self) -> bool {
        self.parts().iter().all(|part| part.early)
    }
}

/// Compiles an expression. If that fails, it may be spelt as in another language.
fn understood(source: &str) -> Result<Compiled, ExprMistake> {
    let mistake = match compile::compile(source) {
        Ok(compiled) => return Ok(compiled),
        Err(mistake) if mistake.is_final => return Err(mistake),
        Err(mistake) => mistake,
    };
    let answered = |source: &str, mistake: ExprMistake| match mistake.is_of_syntax {
        true => habits::answer(source).unwrap_or(mistake),
        false => mistake,
    };
    let Some(translated) = habits::translate(source) else { return Err(answered(source, mistake)) };
    compile::compile(&translated).map_err(|other| match other.is_of_syntax {
        true => answered(&translated, mistake),
        // The translation is understood, and what is wrong in it is wrong in the original.
        false => other,
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
