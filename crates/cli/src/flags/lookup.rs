//! From a name as typed to an entry of the table.

use super::flag::Flag;
use super::table;

pub enum Found {
    /// The entry, and the full spelling.
    Flag(&'static Flag, &'static str),
    Unknown,
    /// The spellings that the name may abbreviate.
    Ambiguous(Vec<&'static str>),
}

pub fn short(name: char) -> Option<&'static Flag> {
    table::all().find(|flag| flag.short == Some(name))
}

pub fn qualifier(name: &str) -> Option<(&'static Flag, &'static str)> {
    table::all().find_map(|flag| Some((flag, *flag.qualifiers.iter().find(|qualifier| **qualifier == name)?)))
}

/// Long options may be abbreviated as long as the abbreviation is unambiguous. Spellings of the same option do not
/// compete. Stride's own options never compete with strace's, so that strace's command lines go on working.
pub fn long(name: &str) -> Found {
    let spellings = || table::all().flat_map(|flag| flag.longs().map(move |long| (flag, long)));
    if let Some((flag, long)) = spellings().find(|(_, long)| *long == name) {
        return Found::Flag(flag, long);
    }
    for own in [false, true] {
        let candidates: Vec<_> = spellings().filter(|(flag, long)| flag.own == own && long.starts_with(name)).collect();
        let Some(&(first, long)) = candidates.first() else { continue };
        if candidates.iter().all(|(flag, _)| std::ptr::eq(*flag, first)) {
            return Found::Flag(first, long);
        }
        return Found::Ambiguous(candidates.into_iter().map(|(_, long)| long).collect());
    }
    Found::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(name: &str) -> Result<&'static str, Vec<&'static str>> {
        match long(name) {
            Found::Flag(_, long) => Ok(long),
            Found::Unknown => Err(vec![]),
            Found::Ambiguous(names) => Err(names),
        }
    }

    #[test]
    fn abbreviations() {
        assert_eq!(resolved("out"), Err(vec!["output-append-mode", "output", "output-separately"]));
        assert_eq!(resolved("output"), Ok("output"));
        assert_eq!(resolved("trace-p"), Ok("trace-path"));
        assert_eq!(resolved("decode-pid"), Ok("decode-pids"));
        assert_eq!(resolved("nonsense"), Err(vec![]));
    }

    #[test]
    fn aliases_do_not_compete() {
        assert_eq!(resolved("fail"), Ok("failed-only"));
        assert_eq!(resolved("daem"), Ok("daemonize"));
        assert_eq!(resolved("daemonised"), Ok("daemonised"));
    }

    #[test]
    fn own_options_do_not_compete_with_the_others() {
        assert_eq!(resolved("e"), Ok("env"));
        assert_eq!(resolved("en"), Ok("env"));
        assert_eq!(resolved("eng"), Ok("engine"));
    }
}
