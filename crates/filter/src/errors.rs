//! Sets of errors: `--errno=`.
//!
//! A member is a name such as `ENOENT`, in any case, or a number.

use crate::{Error, list};
use stride_event::ErrnoSet;
use stride_syscalls::uapi::errno::ERRNO;

const WHAT: &str = "error";

/// Names of the same number, which the kernel's headers define beside the table's.
const SYNONYMS: [(&str, &str); 3] = [("EWOULDBLOCK", "EAGAIN"), ("EDEADLOCK", "EDEADLK"), ("ENOTSUP", "EOPNOTSUPP")];

/// The table's name of an error with two names.
pub fn synonym(name: &str) -> Option<&'static str> {
    SYNONYMS.iter().find(|(synonym, _)| *synonym == name).map(|(_, name)| *name)
}

pub fn parse_errors(text: &str) -> Result<ErrnoSet, Error> {
    let list = list::split(text, WHAT)?;
    let mut set = ErrnoSet::empty();
    for member in list.members {
        set.insert(errno(member).ok_or_else(|| Error::misspelt(WHAT, member, error_names()))?);
    }
    Ok(if list.inverted { set.inverted() } else { set })
}

/// An error by its name or its number.
pub(crate) fn errno(member: &str) -> Option<u32> {
    if let Some(number) = list::number(member) {
        return u32::try_from(number).ok().filter(|errno| (1..=ErrnoSet::MAX).contains(errno));
    }
    let upper = member.to_ascii_uppercase();
    let name = synonym(&upper).unwrap_or(&upper);
    ERRNO.iter().find(|(_, known, _)| *known == name).map(|(errno, ..)| *errno)
}

/// The names of all errors.
pub fn error_names() -> impl Iterator<Item = &'static str> {
    ERRNO.iter().map(|(_, name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        let set = parse_errors("ENOENT,eacces,,5,EWOULDBLOCK").unwrap();
        for errno in [2, 13, 5, 11] {
            assert!(set.contains(errno), "{errno}");
        }
        assert!(!set.contains(1));
        let set = parse_errors("!EAGAIN").unwrap();
        assert!(set.contains(2) && !set.contains(11));
        assert!(parse_errors("all").unwrap().is_all());
        assert!(parse_errors("none").unwrap().is_empty());
    }

    #[test]
    fn unknown_errors() {
        for (text, explanation) in [
            ("ENOETN", "invalid error 'ENOETN'; did you mean 'ENOENT'?"),
            ("ENOENT,0", "invalid error '0'"),
            ("4096", "invalid error '4096'"),
            ("-2", "invalid error '-2'"),
            ("", "invalid error ''"),
        ] {
            assert_eq!(parse_errors(text).unwrap_err().to_string(), explanation);
        }
    }
}
