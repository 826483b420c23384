//! Functions of well-known libraries, as their man pages declare them: for libraries whose files have no debug
//! information.

mod libc;
mod libssl;
mod libz;
pub(crate) mod proto;

pub use proto::{Prototype, WordType};

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
    use super::proto::SIZE;
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
