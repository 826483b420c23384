//! The grammar that all sets share: `[!]all`, `[!]none`, `[!]MEMBER[,MEMBER]...`.

use crate::Error;

/// A list before its members are looked up.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct List<'a> {
    /// The set is everything but the members.
    pub inverted: bool,
    /// `none` alone is the empty list, `all` alone the inverse of it.
    pub members: Vec<&'a str>,
}

/// Splits `text`. Each leading `!` inverts, so two cancel out. Empty members are skipped, but a list of only empty
/// members is an error: it is more likely a shell variable that expanded to nothing than a wish to trace nothing.
pub(crate) fn split<'a>(text: &'a str, what: &'static str) -> Result<List<'a>, Error> {
    let rest = text.trim_start_matches('!');
    let inverted = (text.len() - rest.len()) % 2 == 1;
    match rest {
        "none" => return Ok(List { inverted, members: Vec::new() }),
        "all" => return Ok(List { inverted: !inverted, members: Vec::new() }),
        _ => (),
    }
    let members: Vec<&str> = rest.split(',').filter(|member| !member.is_empty()).collect();
    if members.is_empty() {
        return Err(Error::invalid(what, text));
    }
    Ok(List { inverted, members })
}

/// A decimal number and nothing after it. Signs, blanks and hexadecimal digits are refused.
pub(crate) fn number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inversions_cancel_out() {
        assert!(split("!a", "x").unwrap().inverted);
        assert!(!split("!!a", "x").unwrap().inverted);
        assert!(split("all", "x").unwrap().inverted);
        assert!(!split("!all", "x").unwrap().inverted);
        assert!(split("!none", "x").unwrap().inverted);
    }

    #[test]
    fn empty_members_are_skipped_unless_alone() {
        assert_eq!(split(",a,,b,", "x").unwrap().members, ["a", "b"]);
        for text in ["", ",", ",,", "!", "!,", "!!"] {
            assert_eq!(split(text, "x"), Err(Error::invalid("x", text)));
        }
    }

    #[test]
    fn all_and_none_are_special_only_alone() {
        assert_eq!(split("a,none", "x").unwrap().members, ["a", "none"]);
        assert_eq!(split("none,a", "x").unwrap().members, ["none", "a"]);
    }

    #[test]
    fn numbers_are_plain_decimals() {
        assert_eq!(number("01"), Some(1));
        for text in ["", "+1", "-1", " 1", "0x1", "1 ", "99999999999999999999"] {
            assert_eq!(number(text), None, "{text:?}");
        }
    }
}
