//! One limit: `newfstatat <= 200`.

use crate::profile::figures::Figures;
use crate::tally::SyscallTally;
use std::collections::BTreeSet;
use std::fmt;
use stride_filter::nearest;
use stride_syscalls::{Abi, Class, table};

#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    pub metric: Metric,
    pub comparison: Comparison,
    pub bound: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Metric {
    Calls(Of),
    Errors(Of),
    Bytes(Of),
    MeanBytes(Of),
    TimeMs(Of),
    Processes,
}

/// The calls that a metric covers.
#[derive(Clone, Debug, PartialEq)]
pub enum Of {
    All,
    Name(&'static str),
    Class(&'static str, Class),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    AtMost,
    Below,
    AtLeast,
    Above,
    Exactly,
}

const COMPARISONS: [(&str, Comparison); 5] = [
    ("<=", Comparison::AtMost),
    ("<", Comparison::Below),
    (">=", Comparison::AtLeast),
    (">", Comparison::Above),
    ("==", Comparison::Exactly),
];

impl Comparison {
    pub fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Comparison::AtMost => value <= bound,
            Comparison::Below => value < bound,
            Comparison::AtLeast => value >= bound,
            Comparison::Above => value > bound,
            Comparison::Exactly => value == bound,
        }
    }
}

impl Of {
    pub fn contains(&self, call: &SyscallTally) -> bool {
        match self {
            Of::All => true,
            Of::Name(name) => *call.name == **name,
            Of::Class(_, class) => call.class.intersects(*class),
        }
    }
}

impl Metric {
    /// The calls that the metric covers, if it is a metric of calls.
    pub fn of(&self) -> Option<&Of> {
        match self {
            Metric::Calls(of) | Metric::Errors(of) | Metric::Bytes(of) | Metric::MeanBytes(of) | Metric::TimeMs(of) => {
                Some(of)
            }
            Metric::Processes => None,
        }
    }

    /// The metric of calls with these figures. None for a mean of no calls.
    pub fn value(&self, figures: &Figures) -> Option<f64> {
        Some(match self {
            Metric::Calls(_) | Metric::Processes => figures.calls as f64,
            Metric::Errors(_) => figures.errors as f64,
            Metric::Bytes(_) => figures.bytes as f64,
            Metric::MeanBytes(_) => return figures.mean_bytes(),
            Metric::TimeMs(_) => figures.time as f64 / 1e6,
        })
    }
}

impl Limit {
    pub fn parse(text: &str) -> Result<Limit, String> {
        const SIGNS: [char; 4] = ['<', '>', '=', '!'];
        let text = text.trim();
        let Some(at) = text.find(SIGNS) else {
            return Err(format!(
                "'{}' is not a limit: write METRIC <= NUMBER, such as \"newfstatat <= 200\"",
                text.escape_debug()
            ));
        };
        let (metric, rest) = text.split_at(at);
        let number = rest.trim_start_matches(SIGNS);
        let signs = &rest[..rest.len() - number.len()];
        let metric = Metric::parse(metric.trim())?;
        let Some((_, comparison)) = COMPARISONS.iter().find(|(known, _)| *known == signs) else {
            let suggestion = match signs {
                "=<" => "; did you mean '<='?",
                "=>" => "; did you mean '>='?",
                "=" => "; did you mean '=='?",
                _ => ": there are <=, <, >=, > and ==",
            };
            return Err(format!("'{signs}' is not a comparison{suggestion}"));
        };
        let number = number.trim();
        let digits = number.replace('_', "");
        let plain = digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
            && !number.starts_with('_');
        match digits.parse::<f64>().ok().filter(|_| plain) {
            Some(bound) => Ok(Limit { metric, comparison: *comparison, bound }),
            None if number.contains(',') => {
                let underscores = number.replace(',', "_");
                Err(format!(
                    "'{}' is not a number; did you mean '{}'?",
                    number.escape_debug(),
                    underscores.escape_debug()
                ))
            }
            None => Err(format!("'{}' is not a number, such as 200, 5_000 or 0.5", number.escape_debug())),
        }
    }
}

impl Metric {
    fn parse(text: &str) -> Result<Metric, String> {
        let parts: Vec<&str> = text.split('.').collect();
        Ok(match parts[..] {
            ["processes"] => Metric::Processes,
            [of] => Metric::Calls(Of::parse(of)?),
            ["errors", of] => Metric::Errors(Of::parse(of)?),
            [of, "bytes"] => Metric::Bytes(Of::transfers(of)?),
            [of, "mean_bytes"] => Metric::MeanBytes(Of::transfers(of)?),
            [of, "time_ms"] => Metric::TimeMs(Of::parse(of)?),
            [of, "errors"] => {
                return Err(format!(
                    "'{text}' is not a metric; did you mean 'errors.{of}'?",
                    text = text.escape_debug(),
                    of = of.escape_debug()
                ));
            }
            [of, "calls"] => {
                return Err(format!(
                    "'{text}' is not a metric; did you mean '{of}'?",
                    text = text.escape_debug(),
                    of = of.escape_debug()
                ));
            }
            _ => {
                let known = "total, NAME, errors.NAME, NAME.bytes, NAME.mean_bytes, NAME.time_ms and processes";
                let end = parts.last().copied().unwrap_or_default();
                let suggestion = nearest(end, ["bytes", "mean_bytes", "time_ms"]);
                let hint = match (suggestion, &parts[..]) {
                    (Some(suggestion), [of, _]) => format!("; did you mean '{}.{suggestion}'?", of.escape_debug()),
                    _ => format!(": there are {known}"),
                };
                return Err(format!("'{}' is not a metric{hint}", text.escape_debug()));
            }
        })
    }
}

impl Of {
    fn parse(text: &str) -> Result<Of, String> {
        if text == "total" {
            return Ok(Of::All);
        }
        if let Some(class) = text.strip_prefix('%') {
            if let Some((name, class)) = Class::ALL.iter().find(|(name, _)| *name == class) {
                return Ok(Of::Class(name, *class));
            }
            let suggestion = nearest(class, Class::ALL.iter().map(|(name, _)| *name));
            let hint = suggestion.map(|name| format!("; did you mean '%{name}'?")).unwrap_or_default();
            return Err(format!("there is no class of syscalls '{}'{hint}", text.escape_debug()));
        }
        let names = names();
        if let Some(name) = names.get(text) {
            return Ok(Of::Name(name));
        }
        let suggestion = nearest(text, names.into_iter().chain(["total", "processes"]));
        let hint = suggestion.map(|name| format!("; did you mean '{name}'?")).unwrap_or_default();
        Err(format!("there is no syscall '{}'{hint}", text.escape_debug()))
    }

    /// Syscalls that move bytes.
    fn transfers(text: &str) -> Result<Of, String> {
        let of = Of::parse(text)?;
        if let Of::Name(name) = of {
            let mut rows = Abi::ALL.iter().flat_map(|abi| table(*abi).by_name(name).map(|entry| entry.row));
            if !rows.any(stride_syscalls::Syscall::returns_moved) {
                return Err(format!(
                    "{name} transfers no bytes: limits of bytes are for read, write, sendto and the like"
                ));
            }
        }
        Ok(of)
    }
}

/// The names of the syscalls of all machines, because a budget may be used on several.
fn names() -> BTreeSet<&'static str> {
    let described = Abi::ALL.iter().flat_map(|abi| table(*abi).iter().map(|entry| entry.row.name));
    described.chain(Abi::ALL.iter().flat_map(|abi| abi.numbers().iter().map(|(_, name)| *name))).collect()
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Of::All => f.write_str("total"),
            Of::Name(name) => f.write_str(name),
            Of::Class(name, _) => write!(f, "%{name}"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.metric {
            Metric::Calls(of) => write!(f, "{of}")?,
            Metric::Errors(of) => write!(f, "errors.{of}")?,
            Metric::Bytes(of) => write!(f, "{of}.bytes")?,
            Metric::MeanBytes(of) => write!(f, "{of}.mean_bytes")?,
            Metric::TimeMs(of) => write!(f, "{of}.time_ms")?,
            Metric::Processes => f.write_str("processes")?,
        }
        let sign = COMPARISONS.iter().find(|(_, comparison)| *comparison == self.comparison).map_or("", |c| c.0);
        write!(f, " {sign} {}", self.bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        for (text, shown) in [
            ("newfstatat <= 200", "newfstatat <= 200"),
            ("total<=5_000", "total <= 5000"),
            (" errors.openat  <  50 ", "errors.openat < 50"),
            ("errors.total == 0", "errors.total == 0"),
            ("read.mean_bytes >= 4096", "read.mean_bytes >= 4096"),
            ("write.bytes > 0", "write.bytes > 0"),
            ("total.time_ms <= 12.5", "total.time_ms <= 12.5"),
            ("processes <= 3", "processes <= 3"),
            ("%network == 0", "%network == 0"),
            ("_llseek <= 3", "_llseek <= 3"),
        ] {
            assert_eq!(Limit::parse(text).map(|limit| limit.to_string()), Ok(shown.into()));
        }
    }

    #[test]
    fn mistakes() {
        for (text, message) in [
            ("", "'' is not a limit: write METRIC <= NUMBER, such as \"newfstatat <= 200\""),
            (
                "newfstatat 200",
                "'newfstatat 200' is not a limit: write METRIC <= NUMBER, such as \"newfstatat <= 200\"",
            ),
            ("newfstata <= 200", "there is no syscall 'newfstata'; did you mean 'newfstatat'?"),
            ("opnat <= 200", "there is no syscall 'opnat'; did you mean 'openat'?"),
            ("proceses <= 200", "there is no syscall 'proceses'; did you mean 'processes'?"),
            ("qqqqqqqqqq <= 1", "there is no syscall 'qqqqqqqqqq'"),
            ("<= 1", "there is no syscall ''"),
            ("%netwrk == 0", "there is no class of syscalls '%netwrk'; did you mean '%network'?"),
            ("read =< 2", "'=<' is not a comparison; did you mean '<='?"),
            ("read = 2", "'=' is not a comparison; did you mean '=='?"),
            ("read != 2", "'!=' is not a comparison: there are <=, <, >=, > and =="),
            ("read <= 5,000", "'5,000' is not a number; did you mean '5_000'?"),
            ("read <= -1", "'-1' is not a number, such as 200, 5_000 or 0.5"),
            ("read <= inf", "'inf' is not a number, such as 200, 5_000 or 0.5"),
            ("read <= 1e3", "'1e3' is not a number, such as 200, 5_000 or 0.5"),
            ("read <=", "'' is not a number, such as 200, 5_000 or 0.5"),
            ("read.errors <= 2", "'read.errors' is not a metric; did you mean 'errors.read'?"),
            ("read.calls <= 2", "'read.calls' is not a metric; did you mean 'read'?"),
            ("read.mean_byte >= 2", "'read.mean_byte' is not a metric; did you mean 'read.mean_bytes'?"),
            (
                "read.x.y >= 2",
                "'read.x.y' is not a metric: there are total, NAME, errors.NAME, NAME.bytes, NAME.mean_bytes, NAME.time_ms and processes",
            ),
            (
                "openat.bytes >= 2",
                "openat transfers no bytes: limits of bytes are for read, write, sendto and the like",
            ),
            ("re\x1bad <= 1", "there is no syscall 're\\u{1b}ad'; did you mean 'read'?"),
        ] {
            assert_eq!(Limit::parse(text), Err(message.to_owned()));
        }
    }
}
