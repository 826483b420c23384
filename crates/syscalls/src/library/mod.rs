//! Functions of well-known libraries, as their man pages declare them: for libraries whose files have no debug information.

mod libc;
mod libssl;
mod libz;

/// The type of an argument or result, as far as its register tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordType {
    /// The function returns nothing.
    Void,
    /// Unknown: shown in hexadecimal.
    Raw,
    Int {
        bytes: u8,
        signed: bool,
    },
    Bool,
    /// A `char`.
    Char,
    Pointer,
    /// `char *`: a string with a NUL.
    Text,
    /// A number that may be the address of a string.
    MaybeText {
        signed: bool,
    },
    /// A buffer whose length is the argument of this number, counted from 0.
    Buffer(u8),
    /// A number in a register that probes cannot read (floating point).
    Unreadable,
}

impl WordType {
    /// True for pointers to memory that is captured.
    pub fn is_captured(self) -> bool {
        matches!(self, WordType::Text | WordType::MaybeText { .. } | WordType::Buffer(_))
    }
}

/// A function: its name, the names and types of its arguments, and the type of its result.
#[derive(Clone, Copy, Debug)]
pub struct Prototype {
    pub name: &'static str,
    pub params: &'static [(&'static str, WordType)],
    pub result: WordType,
}

const fn function(name: &'static str, params: &'static [(&'static str, WordType)], result: WordType) -> Prototype {
    Prototype { name, params, result }
}

const INT: WordType = WordType::Int { bytes: 4, signed: true };
const UINT: WordType = WordType::Int { bytes: 4, signed: false };
const LONG: WordType = WordType::Int { bytes: 8, signed: true };
/// `size_t` and `unsigned long`.
const SIZE: WordType = WordType::Int { bytes: 8, signed: false };
const POINTER: WordType = WordType::Pointer;
const TEXT: WordType = WordType::Text;
const VOID: WordType = WordType::Void;
const DOUBLE: WordType = WordType::Unreadable;

/// The libraries, by the names of their files up to `.so`, with their functions sorted by name.
const LIBRARIES: &[(&str, &[Prototype])] =
    &[("libc", libc::FUNCTIONS), ("libssl", libssl::FUNCTIONS), ("libz", libz::FUNCTIONS)];

/// The prototype of a library's function.
pub fn prototype(library: &str, function: &str) -> Option<&'static Prototype> {
    let functions = LIBRARIES.iter().find(|(name, _)| *name == library)?.1;
    functions.binary_search_by(|known| known.name.cmp(function)).ok().map(|at| &functions[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_sorted_and_lengths_exist() {
        for (library, functions) in LIBRARIES {
            for pair in functions.windows(2) {
                assert!(pair[0].name < pair[1].name, "{library}: {} stands behind {}", pair[1].name, pair[0].name);
            }
            for function in *functions {
                for (name, ty) in function.params {
                    assert_ne!(*ty, WordType::Void, "{}: {name}", function.name);
                    if let WordType::Buffer(len) = ty {
                        let length = function.params.get(usize::from(*len)).map(|param| param.1);
                        assert!(matches!(length, Some(WordType::Int { .. })), "{}: {name}", function.name);
                    }
                }
            }
        }
    }

    #[test]
    fn found_by_name() {
        assert_eq!(prototype("libc", "malloc").map(|row| row.params), Some(&[("size", SIZE)][..]));
        assert!(prototype("libc", "SSL_write").is_none());
        assert!(prototype("libfoo", "malloc").is_none());
    }
}
