//! Sentences that know the numbers in them, so that JSON has the numbers as such.

use crate::report::quantity::{Quantity, QuantityKind};
use stride_event::quantity::{bytes, decimal, duration, grouped};

/// A sentence or a part of one, and the numbers that it tells, in their order.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    pub text: String,
    pub figures: Vec<Figure>,
}

/// A number in a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub quantity: &'static Quantity,
    pub amount: Amount,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    Whole(u64),
    /// A mean. It is finite.
    Mean(f64),
}

impl Quantity {
    pub fn of(&'static self, n: u64) -> Figure {
        Figure { quantity: self, amount: Amount::Whole(n) }
    }

    /// A process, a thread or a descriptor.
    pub fn id(&'static self, id: i32) -> Figure {
        self.of(id.unsigned_abs().into())
    }

    /// The mean of `n` things with this sum. Only means may be fractions.
    pub fn mean(&'static self, sum: u64, n: u64) -> Figure {
        debug_assert_eq!(self.kind, QuantityKind::Mean, "{}", self.name);
        Figure { quantity: self, amount: Amount::Mean(sum as f64 / n.max(1) as f64) }
    }
}

impl Figure {
    /// How the number is written in a sentence.
    fn text(&self) -> String {
        match (self.quantity.kind, self.amount) {
            (_, Amount::Mean(mean)) => decimal(mean),
            (QuantityKind::Time, Amount::Whole(n)) => duration(n),
            (QuantityKind::Size, Amount::Whole(n)) => bytes(n),
            (QuantityKind::Id, Amount::Whole(n)) => n.to_string(),
            (QuantityKind::Count | QuantityKind::Bytes | QuantityKind::Mean, Amount::Whole(n)) => grouped(n),
        }
    }
}

impl From<&str> for Statement {
    fn from(text: &str) -> Statement {
        Statement { text: text.to_owned(), figures: Vec::new() }
    }
}

impl From<String> for Statement {
    fn from(text: String) -> Statement {
        Statement { text, figures: Vec::new() }
    }
}

/// An argument of `say!`.
pub trait Said {
    /// The text. Numbers in it are added to `figures`.
    fn into_text(self, figures: &mut Vec<Figure>) -> String;
}

impl Said for &str {
    fn into_text(self, _: &mut Vec<Figure>) -> String {
        self.to_owned()
    }
}

impl Said for String {
    fn into_text(self, _: &mut Vec<Figure>) -> String {
        self
    }
}

impl Said for &String {
    fn into_text(self, _: &mut Vec<Figure>) -> String {
        self.clone()
    }
}

impl Said for Figure {
    fn into_text(self, figures: &mut Vec<Figure>) -> String {
        figures.push(self);
        self.text()
    }
}

impl Said for Statement {
    fn into_text(self, figures: &mut Vec<Figure>) -> String {
        figures.extend(self.figures);
        self.text
    }
}

/// As `format!`, but makes a [`Statement`]: numbers come as figures, `CALLS.of(n)`.
macro_rules! say {
    ($text:literal $(, $part:expr)* $(,)?) => {{
        #[allow(unused_mut, reason = "a sentence without numbers")]
        let mut figures = Vec::new();
        let text = format!($text $(, $crate::report::statement::Said::into_text($part, &mut figures))*);
        $crate::report::statement::Statement { text, figures }
    }};
}
pub(crate) use say;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::quantity::{CALLS, MEAN_BYTES, WAITED};

    #[test]
    fn numbers_are_kept() {
        let most = say!("; {} at most", WAITED.of(1_500_000));
        let name = "a 7";
        let all = say!("{name}: {} calls of {} bytes, {}{}.", CALLS.of(1204), MEAN_BYTES.mean(9, 2), "on", most);
        assert_eq!(all.text, "a 7: 1,204 calls of 4.5 bytes, on; 1.50 ms at most.");
        let figures: Vec<_> = all.figures.iter().map(|it| (it.quantity.name, it.amount)).collect();
        let whole = Amount::Whole;
        assert_eq!(
            figures,
            [("calls", whole(1204)), ("mean_bytes", Amount::Mean(4.5)), ("waited_ns", whole(1_500_000))]
        );
    }
}
