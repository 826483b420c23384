//! Names of functions as their programmers wrote them.

use cpp_demangle::{DemangleOptions, ParseOptions};
use std::fmt;

/// Longer names are shown mangled.
const LONGEST: usize = 4096;
/// A short mangled name can stand for a very long name.
const LONGEST_DEMANGLED: usize = 16 << 10;
const DEEPEST: u32 = 96;

pub fn demangled(name: &[u8]) -> Box<str> {
    let plain = || String::from_utf8_lossy(&name[..name.len().min(LONGEST)]).into();
    let Ok(text) = std::str::from_utf8(name) else { return plain() };
    if text.len() > LONGEST {
        return plain();
    }
    if let Ok(rust) = rustc_demangle::try_demangle(text) {
        let mut out = Bounded(String::new());
        // Without the hash.
        return match fmt::Write::write_fmt(&mut out, format_args!("{rust:#}")) {
            Ok(()) => out.0.into(),
            Err(fmt::Error) => plain(),
        };
    }
    if !text.starts_with("_Z") {
        return plain();
    }
    let parse = ParseOptions::default().recursion_limit(DEEPEST);
    let Ok(symbol) = cpp_demangle::Symbol::new_with_options(text, &parse) else { return plain() };
    let mut out = Bounded(String::new());
    match symbol.structured_demangle(&mut out, &DemangleOptions::default().recursion_limit(DEEPEST)) {
        Ok(()) => out.0.into(),
        Err(fmt::Error) => plain(),
    }
}

struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        if self.0.len() + s.len() > LONGEST_DEMANGLED {
            return Err(fmt::Error);
        }
        self.0.push_str(s);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_three_languages() {
        assert_eq!(&*demangled(b"main"), "main");
        assert_eq!(&*demangled(b"_ZN3foo3barEi"), "foo::bar(int)");
        assert_eq!(&*demangled(b"_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
        assert_eq!(&*demangled(b"_RNvCs1234_7mycrate3foo"), "mycrate::foo");
        assert_eq!(&*demangled(b"a\xffb"), "a\u{fffd}b");
    }

    /// Each back reference doubles the name.
    #[test]
    fn a_name_that_stands_for_a_gigabyte_stays_as_it_is() {
        let mut name = b"_Z1fI1A".to_vec();
        (0..200).for_each(|_| name.extend(b"1BIS_S_ES0_"));
        assert!(demangled(&name).len() <= LONGEST_DEMANGLED);
        let deep = [b"_Z".as_slice(), &b"P".repeat(3000), b"i"].concat();
        assert!(demangled(&deep).len() <= LONGEST_DEMANGLED);
    }
}
