//! The expression after `/`: a `--where` expression. If it only asks for what the kernel counts by, it is applied to the counts.

use crate::model::sample::SampleKey;
use std::borrow::Cow;
use stride_filter::{CallFacts, CallField, Datum, Expression, FIELDS, Fault};

pub struct Filter {
    expression: Expression,
    about_counts: bool,
}

/// The fields that counted calls have.
const COUNTED: [CallField; 4] = [CallField::Name, CallField::Pid, CallField::Comm, CallField::Errno];

impl Filter {
    /// The error is a sentence.
    pub fn parse(source: &str) -> Result<Filter, String> {
        let expression = Expression::parse(source).map_err(|error| error.to_string())?;
        let other = |field: CallField| !COUNTED.contains(&field) && expression.mentions(field);
        let about_counts = !expression.mentions_arguments() && !FIELDS.iter().any(|facts| other(facts.field));
        Ok(Filter { expression, about_counts })
    }

    pub fn source(&self) -> &str {
        self.expression.source()
    }

    pub fn is_about_counts(&self) -> bool {
        self.about_counts
    }

    pub fn holds(&self, key: &SampleKey) -> bool {
        self.expression.holds(&CountedCall(key)).unwrap_or(false)
    }
}

struct CountedCall<'k>(&'k SampleKey);

impl CallFacts for CountedCall<'_> {
    fn field(&self, field: CallField) -> Result<Option<Datum<'_>>, Fault> {
        let SampleKey { pid, comm, call, errno, .. } = self.0;
        fn text(text: &str) -> Option<Datum<'_>> {
            (!text.is_empty()).then_some(Datum::Text(Cow::Borrowed(text)))
        }
        Ok(match field {
            CallField::Name => text(call),
            CallField::Pid => Some(Datum::Int((*pid).into())),
            CallField::Comm => text(comm),
            CallField::Errno => text(errno),
            _ => None,
        })
    }

    fn argument(&self, _: &str) -> Result<Option<Datum<'_>>, Fault> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_some_fields() {
        let key = SampleKey { pid: 7, comm: "sh".into(), call: "read".into(), ..SampleKey::default() };
        for (source, holds) in [
            ("pid == 7 && comm.startsWith(\"s\")", true),
            ("name in [\"write\"]", false),
            ("errno == \"\"", true),
            ("errno == \"ENOENT\"", false),
        ] {
            let filter = Filter::parse(source).unwrap_or_else(|e| panic!("{e}"));
            assert!(filter.is_about_counts());
            assert_eq!(filter.holds(&key), holds, "{source}");
        }
        for source in ["path != \"\"", "duration > duration(\"1s\")", "has(args.flags)"] {
            assert!(!Filter::parse(source).unwrap_or_else(|e| panic!("{e}")).is_about_counts(), "{source}");
        }
        assert!(Filter::parse("pid ==").is_err_and(|error| error.contains("pid ==")));
    }
}
