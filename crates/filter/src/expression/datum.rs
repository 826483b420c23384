//! The values that expressions compute with, and their types.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// A value. Text is a tracee's or the expression's.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum<'a> {
    Null,
    Bool(bool),
    /// All numbers of 64 bits, with and without sign.
    Int(i128),
    Text(Cow<'a, str>),
    /// Nanoseconds.
    Duration(i128),
    List(Vec<Datum<'a>>),
    Map(Vec<(Cow<'a, str>, Datum<'a>)>),
}

impl<'a> Datum<'a> {
    /// Bytes of a tracee. What is not UTF-8 has U+FFFD in its place.
    pub fn bytes(bytes: &'a [u8]) -> Datum<'a> {
        Datum::Text(String::from_utf8_lossy(bytes))
    }

    pub fn borrowed(&self) -> Datum<'_> {
        match self {
            Datum::Text(text) => Datum::Text(Cow::Borrowed(text)),
            other => other.clone(),
        }
    }

    /// True if both are equal. Values of different types never are.
    pub fn equals(&self, other: &Datum<'_>) -> bool {
        match (self, other) {
            (Datum::Null, Datum::Null) => true,
            (Datum::Bool(a), Datum::Bool(b)) => a == b,
            (Datum::Int(a), Datum::Int(b)) | (Datum::Duration(a), Datum::Duration(b)) => a == b,
            (Datum::Text(a), Datum::Text(b)) => a == b,
            (Datum::List(a), Datum::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b)),
            (Datum::Map(a), Datum::Map(b)) => {
                a.len() == b.len() && a.iter().all(|(key, a)| b.iter().any(|(other, b)| key == other && a.equals(b)))
            }
            _ => false,
        }
    }

    /// The order of two values of one type, if the type has an order.
    pub fn order(&self, other: &Datum<'_>) -> Option<Ordering> {
        match (self, other) {
            (Datum::Bool(a), Datum::Bool(b)) => Some(a.cmp(b)),
            (Datum::Int(a), Datum::Int(b)) | (Datum::Duration(a), Datum::Duration(b)) => Some(a.cmp(b)),
            (Datum::Text(a), Datum::Text(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

/// The type of an expression, as far as it is known before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Bool,
    Int,
    Text,
    Duration,
    List(Box<Kind>),
    Map,
    /// Known only when the call is there: an argument.
    Dyn,
}

impl Kind {
    /// True if a value of one kind may be a value of the other.
    pub fn fits(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Dyn, _) | (_, Kind::Dyn) => true,
            (Kind::List(a), Kind::List(b)) => a.fits(b),
            (a, b) => a == b,
        }
    }
}

/// The names of CEL's types.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Null => f.write_str("null"),
            Kind::Bool => f.write_str("bool"),
            Kind::Int => f.write_str("int"),
            Kind::Text => f.write_str("string"),
            Kind::Duration => f.write_str("duration"),
            Kind::List(of) => write!(f, "list({of})"),
            Kind::Map => f.write_str("map"),
            Kind::Dyn => f.write_str("dyn"),
        }
    }
}

/// Parses the text of CEL's `duration()`: numbers with units, such as `1m30s` or `1.5ms`.
pub fn parse_duration(text: &str) -> Option<i128> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut sum: i128 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let unit = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let scale: i128 = match unit {
            "h" => 3_600_000_000_000,
            "m" => 60_000_000_000,
            "s" => 1_000_000_000,
            "ms" => 1_000_000,
            "us" | "µs" => 1_000,
            "ns" => 1,
            _ => return None,
        };
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && part.is_empty() || whole.len() > 12 || part.len() > 12 || part.contains('.') {
            return None;
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        sum += whole * scale;
        if !part.is_empty() {
            sum += part.parse::<i128>().ok()? * scale / 10_i128.pow(part.len() as u32);
        }
        rest = after;
    }
    // The same range as CEL's.
    let sum = if negative { -sum } else { sum };
    (!text.is_empty() && text != "-" && i64::try_from(sum).is_ok()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, ns) in [
            ("10ms", 10_000_000),
            ("1m30s", 90_000_000_000),
            ("1.5us", 1_500),
            ("-2h", -7_200_000_000_000),
            ("0", 0),
            (".5s", 500_000_000),
        ] {
            assert_eq!(parse_duration(text), Some(ns), "{text}");
        }
        for text in ["", "-", "10", "ms", "10 ms", "1x", "1..5s", ".s", "999999999999h", "1s2", "--1s"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn equality_and_order() {
        let text = |s: &'static str| Datum::Text(s.into());
        assert!(!Datum::Int(1).equals(&Datum::Duration(1)) && !Datum::Int(1).equals(&text("1")));
        assert!(Datum::List(vec![text("a")]).equals(&Datum::List(vec![text("a")])));
        assert_eq!(text("a").order(&text("b")), Some(Ordering::Less));
        assert_eq!(text("a").order(&Datum::Int(1)), None);
    }
}
