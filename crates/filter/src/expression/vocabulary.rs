//! The words that expressions use: system calls, errors, arguments.

use super::field::CallField;
use crate::errors::synonym;
use crate::{Catalog, did_you_mean, error_names};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use stride_syscalls::{Abi, NAMELESS, Struct, Syscall, Ty, table};

/// The error message for a word that a field never has.
pub fn word(field: CallField, text: &str) -> Result<(), String> {
    match field {
        CallField::Name => {
            let known = || Catalog::native().iter().map(|call| call.name);
            // Functions of libraries have names with a colon: libc:malloc.
            if text.starts_with(NAMELESS) || text.contains(':') || known().any(|name| name == text) {
                return Ok(());
            }
            Err(format!("there is no system call '{text}'{}", did_you_mean(text, known())))
        }
        CallField::Errno => {
            if text.is_empty() || error_names().any(|name| name == text) {
                return Ok(());
            }
            let suggestion = synonym(text).map(|name| format!("; its name here is '{name}'"));
            Err(format!(
                "there is no error '{text}'{}",
                suggestion.unwrap_or_else(|| did_you_mean(text, error_names()))
            ))
        }
        field => {
            let facts = field.facts();
            if facts.words.is_empty() || facts.words.contains(&text) {
                return Ok(());
            }
            let words: Vec<String> = facts.words.iter().map(|word| format!("\"{word}\"")).collect();
            Err(format!("{} is never \"{text}\"; it is {}", facts.name, words.join(", ")))
        }
    }
}

/// True for the name of an error or of a system call. In an expression, such a name is text and stands in quotes.
pub fn is_word(text: &str) -> bool {
    error_names().any(|name| name == text) || Catalog::native().iter().any(|call| call.name == text)
}

/// The suggestion for an argument that no call has.
pub fn argument(name: &str) -> Result<(), String> {
    if ARGUMENTS.contains(name) { Ok(()) } else { Err(did_you_mean(name, ARGUMENTS.iter().copied())) }
}

/// The names of all arguments.
static ARGUMENTS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let mut names = BTreeSet::from(["arg1", "arg2", "arg3", "arg4", "arg5", "arg6"]);
    for entry in Abi::SERVED.iter().flat_map(|&abi| table(abi).iter()) {
        add(entry.row, &mut names);
    }
    names
});

fn add(row: &'static Syscall, names: &mut BTreeSet<&'static str>) {
    for arg in row.args {
        match arg.ty {
            Ty::Spread(Struct { fields, .. }) => names.extend(fields.iter().map(|field| field.name)),
            _ => _ = names.insert(arg.name),
        }
    }
    for form in row.forms.iter().flat_map(|forms| forms.cases) {
        add(&form.row, names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_suggestions() {
        assert_eq!(word(CallField::Name, "read"), Ok(()));
        assert_eq!(word(CallField::Name, "syscall_0x7d0"), Ok(()));
        assert_eq!(word(CallField::Name, "libc:malloc"), Ok(()));
        let explanation = word(CallField::Name, "opne").unwrap_err();
        assert_eq!(explanation, "there is no system call 'opne'; did you mean 'open'?");
        let explanation = word(CallField::Errno, "ENOETN").unwrap_err();
        assert_eq!(explanation, "there is no error 'ENOETN'; did you mean 'ENOENT'?");
        let explanation = word(CallField::Errno, "EWOULDBLOCK").unwrap_err();
        assert_eq!(explanation, "there is no error 'EWOULDBLOCK'; its name here is 'EAGAIN'");
        assert_eq!(word(CallField::Errno, ""), Ok(()));
        assert!(
            word(CallField::FdKind, "sock").unwrap_err().starts_with("fd.kind is never \"sock\"; it is \"\", \"file\"")
        );
        assert_eq!(word(CallField::Path, "anything"), Ok(()));
    }

    #[test]
    fn arguments() {
        assert_eq!(argument("flags"), Ok(()));
        assert_eq!(argument("arg1"), Ok(()));
        assert_eq!(argument("flgas"), Err("; did you mean 'flags'?".into()));
    }
}
