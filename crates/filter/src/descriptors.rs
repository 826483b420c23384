//! Sets of file descriptors: `-e read=`, `-e write=`, `-e trace-fds=`.

use crate::{Error, list};
use stride_event::FdSet;

/// Descriptors are `int`s. A number above `i32::MAX` can never match, so it is refused.
pub fn parse_descriptors(text: &str) -> Result<FdSet, Error> {
    const WHAT: &str = "descriptor";
    let list = list::split(text, WHAT)?;
    let mut listed = Vec::with_capacity(list.members.len());
    for member in list.members {
        // Blanks and a sign before a number are accepted, as by strtol(3).
        let digits = member.trim_start_matches(|c: char| c.is_ascii_whitespace());
        let fd = list::number(digits.strip_prefix('+').unwrap_or(digits)).and_then(|n| i32::try_from(n).ok());
        listed.push(fd.ok_or_else(|| Error::invalid(WHAT, member))?);
    }
    listed.sort_unstable();
    listed.dedup();
    Ok(FdSet { listed, inverted: list.inverted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_inversions() {
        let set = parse_descriptors("5,3,5").unwrap();
        assert_eq!(set.listed, [3, 5]);
        assert!(set.contains(3) && !set.contains(4));
        let set = parse_descriptors("!0,2147483647").unwrap();
        assert!(!set.contains(0) && !set.contains(i32::MAX) && set.contains(1));
        assert!(parse_descriptors("all").unwrap().contains(7));
        assert!(parse_descriptors("none").unwrap().is_empty());
        assert_eq!(parse_descriptors(" 1,+2").unwrap().listed, [1, 2]);
    }

    #[test]
    fn errors_name_the_member() {
        for (text, culprit) in [
            ("-1", "-1"),
            ("1,2147483648", "2147483648"),
            ("not_fd,1", "not_fd"),
            ("!-42", "-42"),
            ("1,all", "all"),
            ("0x1", "0x1"),
            ("1 ", "1 "),
            ("1,!none", "!none"),
            ("", ""),
            ("!,", "!,"),
        ] {
            assert_eq!(parse_descriptors(text).unwrap_err().to_string(), format!("invalid descriptor '{culprit}'"));
        }
    }
}
